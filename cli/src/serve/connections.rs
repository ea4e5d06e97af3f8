//! The connections of the service: how many there are, how long a silent one stays, and which one leaves for a new
//! one (decision record 0131).

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::Response;
use http::Request;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

/// How long the head of a request may take to arrive in full, counted from the connection's beginning or from its last
/// answer: also how long a connection may be idle, and how long an answer may wait to be taken.
const HEAD_TIME: Duration = Duration::from_secs(30);

/// How long requests under way may go on once the service is told to stop; longer than the slowest card.
pub(crate) const GRACE: Duration = Duration::from_secs(15);

/// How long the rest of an answer may take to leave a connection that is closed and has no request under way.
const LEAVING: Duration = Duration::from_secs(1);

/// Most of a request's head that is kept, in bytes. Beside many connections, the default of 400 KB is much memory.
const MAX_HEAD_BYTES: usize = 65_536;

/// The pause after the system had no further connection to give.
const EXHAUSTED_PAUSE: Duration = Duration::from_millis(100);

/// A service and how many connections it may have.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    pub(crate) router: Router,
    pub(crate) most: usize,
}

impl Server {
    /// Answers until it is told to stop, and ends when all requests under way are answered, or [`GRACE`] is over.
    pub(crate) async fn serve(self, listener: TcpListener, told_to_stop: impl Future<Output = ()>) {
        let mut told_to_stop = pin!(told_to_stop);
        let pool = Arc::new(ConnectionPool::default());
        let (stop, stopped) = watch::channel(());
        let mut connections = JoinSet::new();
        loop {
            let (stream, peer) = tokio::select! {
                () = &mut told_to_stop => break,
                accepted = accept(&listener, &pool) => accepted,
                Some(_) = connections.join_next(), if !connections.is_empty() => continue,
            };
            let is_stopped = tokio::select! {
                () = &mut told_to_stop => true,
                () = self.make_room(&mut connections, &pool) => false,
            };
            if is_stopped {
                break;
            }
            let held = Connection { router: self.router.clone(), peer, pool: Arc::clone(&pool) };
            connections.spawn(held.hold(stream, stopped.clone()));
        }
        drop(listener);
        let _ = stop.send(());
        let ended = async { while connections.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(GRACE, ended).await;
    }

    /// Waits until there is room for another connection. The one that has been idle longest is asked to leave; where
    /// all are busy, the new one waits for the first that is not.
    async fn make_room(&self, connections: &mut JoinSet<()>, pool: &ConnectionPool) {
        let mut is_asked = false;
        while connections.len() >= self.most.max(1) {
            let mut idle = pin!(pool.idle.notified());
            idle.as_mut().enable();
            is_asked = is_asked || pool.ask_longest_idle();
            tokio::select! {
                _ = connections.join_next() => is_asked = false,
                () = idle, if !is_asked => {}
            }
        }
    }
}

/// The next connection, whatever becomes of others.
async fn accept(listener: &TcpListener, pool: &ConnectionPool) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(fault)
                if matches!(
                    fault.kind(),
                    ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::ConnectionRefused
                ) => {}
            Err(fault) => {
                tracing::warn!(%fault, "no further connection can be taken for now");
                pool.ask_longest_idle();
                tokio::time::sleep(EXHAUSTED_PAUSE).await;
            }
        }
    }
}

/// The connections that have no request under way, in the order in which they became idle.
#[derive(Debug, Default)]
struct ConnectionPool {
    queue: Mutex<IdleQueue>,
    /// Rings when a connection became idle.
    idle: Notify,
}

#[derive(Debug, Default)]
struct IdleQueue {
    next: u64,
    idle: BTreeMap<u64, Arc<Notify>>,
}

impl ConnectionPool {
    /// Asks the connection that has been idle longest to leave; false when there is none.
    fn ask_longest_idle(&self) -> bool {
        match self.queue().idle.pop_first() {
            Some((_, leave)) => {
                leave.notify_one();
                true
            }
            None => false,
        }
    }

    fn rest(&self, leave: &Arc<Notify>) -> u64 {
        let mut queue = self.queue();
        let turn = queue.next;
        queue.next = turn.wrapping_add(1);
        queue.idle.insert(turn, Arc::clone(leave));
        drop(queue);
        self.idle.notify_waiters();
        turn
    }

    fn resume(&self, turn: u64) {
        self.queue().idle.remove(&turn);
    }

    /// No code that holds the lock can panic half way.
    fn queue(&self) -> MutexGuard<'_, IdleQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where one connection stands: idle, with its turn, or busy.
#[derive(Debug)]
struct ConnectionState {
    pool: Arc<ConnectionPool>,
    leave: Arc<Notify>,
    turn: Mutex<Option<u64>>,
}

impl ConnectionState {
    fn new(pool: Arc<ConnectionPool>) -> Arc<Self> {
        let leave = Arc::new(Notify::new());
        let turn = pool.rest(&leave);
        Arc::new(Self { pool, leave, turn: Mutex::new(Some(turn)) })
    }

    /// A request is under way until the result is dropped.
    fn work(self: &Arc<Self>) -> Busy {
        if let Some(turn) = self.turn().take() {
            self.pool.resume(turn);
        }
        Busy(Arc::clone(self))
    }

    fn is_idle(&self) -> bool {
        self.turn().is_some()
    }

    fn turn(&self) -> MutexGuard<'_, Option<u64>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionState {
    fn drop(&mut self) {
        if let Some(turn) = self.turn().take() {
            self.pool.resume(turn);
        }
    }
}

/// A request under way: until its answer is handed over, or nobody waits for it any more.
#[derive(Debug)]
struct Busy(Arc<ConnectionState>);

impl Drop for Busy {
    fn drop(&mut self) {
        let turn = self.0.pool.rest(&self.0.leave);
        *self.0.turn() = Some(turn);
    }
}

/// One connection.
struct Connection {
    router: Router,
    peer: SocketAddr,
    pool: Arc<ConnectionPool>,
}

impl Connection {
    /// Answers its requests until it ends, is too slow, is told to leave or the service stops.
    async fn hold<S>(self, stream: S, mut stopped: watch::Receiver<()>)
    where
        S: AsyncRead + AsyncWrite + Send + 'static,
    {
        let Self { router, peer, pool } = self;
        let state = ConnectionState::new(pool);
        let answer = service_fn(|request: Request<Incoming>| {
            let (router, busy) = (router.clone(), state.work());
            async move {
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(ConnectInfo(peer));
                let answer = router.oneshot(request).await;
                answer.map(|answer| until_handed_over(answer, busy))
            }
        });
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(HEAD_TIME));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .max_buf_size(MAX_HEAD_BYTES)
            .serve_connection(TokioIo::new(Box::pin(stream)), answer);
        let mut connection = pin!(connection);
        tokio::select! {
            // A connection that broke is the client's affair.
            _ = connection.as_mut() => return,
            () = state.leave.notified() => {}
            _ = stopped.changed() => {}
        }
        connection.as_mut().graceful_shutdown();
        let patience = if state.is_idle() { LEAVING } else { GRACE };
        let _ = tokio::time::timeout(patience, connection).await;
    }
}

/// The connection is busy as long as there is something of the answer to hand over.
fn until_handed_over(answer: Response, busy: Busy) -> Response {
    answer.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _ = &busy;
            frame
        }))
    })
}

#[cfg(test)]
mod tests;
