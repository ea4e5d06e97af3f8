use super::*;
use axum::routing::{get, post};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::time::{Instant, sleep, timeout};
use web::Body as Json;
use web::body::BODY_TIME;

/// An answer that fills every buffer on its way.
const LARGE: usize = 4_000_000;

fn router() -> Router {
    Router::new()
        .route("/", get(async || "hello"))
        .route("/slow", get(async || sleep(Duration::from_secs(8)).await))
        .route("/large", get(async || "x".repeat(LARGE)))
        .route("/body", post(async |_: Json<Value>| "read"))
}

/// One connection, without a socket, of which the other end is given.
struct Held {
    end: DuplexStream,
    pool: Arc<ConnectionPool>,
    stop: watch::Sender<()>,
    task: tokio::task::JoinHandle<()>,
    began: Instant,
}

impl Held {
    fn new(pool: &Arc<ConnectionPool>) -> Self {
        let (end, stream) = duplex(64);
        let (stop, stopped) = watch::channel(());
        let peer = SocketAddr::from(([127, 0, 0, 1], 9));
        let connection = Connection { router: router(), peer, pool: Arc::clone(pool) };
        let task = tokio::spawn(connection.hold(stream, stopped));
        Self { end, pool: Arc::clone(pool), stop, task, began: Instant::now() }
    }

    fn alone() -> Self {
        Self::new(&Arc::default())
    }

    async fn send(&mut self, text: &str) {
        self.end.write_all(text.as_bytes()).await.unwrap();
    }

    /// What comes until the connection ends.
    async fn rest(&mut self) -> String {
        let mut text = Vec::new();
        let _ = self.end.read_to_end(&mut text).await;
        String::from_utf8(text).unwrap()
    }

    /// The answer to the next request, up to and with its last word.
    async fn until(&mut self, end: &str) -> String {
        let mut text = String::new();
        while !text.ends_with(end) {
            text.push(char::from(self.end.read_u8().await.unwrap()));
        }
        text
    }

    /// Seconds until the connection is gone, rounded.
    async fn lasts(self) -> u64 {
        let Self { end, task, began, .. } = self;
        task.await.unwrap();
        drop(end);
        (began.elapsed() + Duration::from_millis(500)).as_secs()
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_says_nothing_or_half_a_head_is_closed_after_half_a_minute() {
    for head in ["", "G", "GET / HTTP/1.1\r\nhost: a\r\n"] {
        let mut held = Held::alone();
        held.send(head).await;
        assert_eq!(held.lasts().await, 30, "{head:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_that_trickles_is_closed_as_early() {
    for pause in [1, 29] {
        let mut held = Held::alone();
        held.send("GET / HTTP/1.1\r\n").await;
        for number in 0..29 / pause {
            sleep(Duration::from_secs(pause)).await;
            held.send(&format!("x{number}: y\r\n")).await;
        }
        assert_eq!(held.lasts().await, 30, "{pause}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_no_route_reads_holds_no_connection() {
    let mut held = Held::alone();
    held.send("GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{").await;
    assert!(held.rest().await.starts_with("HTTP/1.1 200"));
    assert!(held.lasts().await < 30);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_idle_after_an_answer_is_closed_after_half_a_minute() {
    let mut held = Held::alone();
    for _ in 0..3 {
        sleep(Duration::from_secs(20)).await;
        held.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
        assert!(held.until("hello").await.starts_with("HTTP/1.1 200"));
    }
    assert_eq!(held.lasts().await, 90);
}

#[tokio::test(start_paused = true)]
async fn half_a_body_is_refused_in_time_however_it_trickles() {
    for pause in [Duration::from_secs(3_600), Duration::from_secs(29), Duration::from_secs(1)] {
        let mut held = Held::alone();
        held.send("POST /body HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{").await;
        let (mut reader, mut writer) = tokio::io::split(held.end);
        let trickle = tokio::spawn(async move {
            while writer.write_all(b" ").await.is_ok() {
                sleep(pause).await
            }
        });
        let mut answer = Vec::new();
        let _ = reader.read_to_end(&mut answer).await;
        trickle.abort();
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
        assert_eq!((held.began.elapsed() + Duration::from_millis(500)).as_secs(), BODY_TIME.as_secs());
        held.task.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_takes_does_not_stay_for_ever() {
    let mut held = Held::alone();
    held.send("GET /large HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert_eq!(held.lasts().await, 30);
}

#[tokio::test(start_paused = true)]
async fn a_slow_answer_is_waited_for() {
    let mut held = Held::alone();
    held.send("GET /slow HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await;
    assert!(held.rest().await.starts_with("HTTP/1.1 200"));
    assert_eq!(held.lasts().await, 8);
}

#[tokio::test(start_paused = true)]
async fn the_connection_that_was_idle_longest_leaves_first_and_a_busy_one_never() {
    let pool = Arc::new(ConnectionPool::default());
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(Held::new(&pool));
        sleep(Duration::from_millis(1)).await;
    }
    let is_over = |held: &[Held]| held.iter().map(|one| one.task.is_finished()).collect::<Vec<_>>();
    // The first is busy, and the second has just been.
    held[0].send("GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").await;
    held[1].send("GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
    held[1].until("hello").await;
    sleep(Duration::from_millis(1)).await;
    for expected in [
        [false, false, true, false],
        [false, false, true, true],
        [false, true, true, true],
        [false, true, true, true],
    ] {
        pool.ask_longest_idle();
        sleep(Duration::from_millis(1_100)).await;
        assert_eq!(is_over(&held), expected);
    }
    assert!(!pool.ask_longest_idle());
    held[0].until("content-length: 0\r\n").await;
    sleep(Duration::from_millis(10)).await;
    assert!(held[0].pool.ask_longest_idle());
    sleep(Duration::from_millis(1_100)).await;
    assert_eq!(is_over(&held), [true; 4]);
}

#[tokio::test(start_paused = true)]
async fn a_request_under_way_is_answered_when_the_service_stops() {
    let mut busy = Held::alone();
    busy.send("GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").await;
    sleep(Duration::from_secs(1)).await;
    busy.stop.send(()).unwrap();
    assert!(busy.rest().await.starts_with("HTTP/1.1 200"));
    let mut half = Held::alone();
    half.send("GET / HTTP/1.1\r\n").await;
    sleep(Duration::from_secs(1)).await;
    half.stop.send(()).unwrap();
    assert!(half.lasts().await <= 2);
}

/// Sends a request on a new connection, and keeps that open.
async fn ask(address: SocketAddr, path: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: a\r\n\r\n").as_bytes()).await.unwrap();
    let mut head = [0; 15];
    stream.read_exact(&mut head).await.unwrap();
    (stream, String::from_utf8_lossy(&head).into_owned())
}

#[tokio::test]
async fn a_full_service_answers_those_it_has_and_those_that_come() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server { router: router(), most: 8 };
    tokio::spawn(server.serve(listener, std::future::pending()));
    let (mut first, answer) = ask(address, "/").await;
    assert_eq!(answer, "HTTP/1.1 200 OK");
    let mut silent = Vec::new();
    for _ in 0..50 {
        // One that works is idle for the shortest time.
        first.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
        let mut some = [0; 512];
        assert!(timeout(Duration::from_secs(20), first.read(&mut some)).await.unwrap().unwrap() > 0);
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    let (_, answer) = timeout(Duration::from_secs(20), ask(address, "/")).await.unwrap();
    assert_eq!(answer, "HTTP/1.1 200 OK");
}
