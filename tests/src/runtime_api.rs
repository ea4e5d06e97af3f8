//! A player of the Lambda Runtime API: it listens on a loopback port, starts a function's binary with the
//! environment Lambda gives it, hands it events and collects its answers. Every wait has the same limit.

use std::collections::HashMap;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path as UrlPath, State};
use axum::http::{HeaderName, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::sync::{Mutex as AsyncMutex, mpsc, oneshot, watch};

/// The largest answer Lambda takes, in bytes: 6 MB and some room for the envelope.
const ANSWER_LIMIT_BYTES: usize = 6 * 1024 * 1024 + 10_000;

/// What became of one event.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The function answered with this JSON.
    Answered(Value),
    /// The function reported an error of this type.
    Failed { error_type: String, message: String },
}

/// Why the player has no outcome to give.
#[derive(Debug)]
pub enum PlayerError {
    /// The process ended; `init_error` is what it reported while starting, if anything.
    Exited { status: ExitStatus, init_error: Option<String> },
    /// The limit passed.
    TimedOut,
    /// The process could not be started or watched.
    Io(std::io::Error),
}

/// The part of an API Gateway answer that a client sees.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpAnswer {
    pub status: u64,
    /// By lower-case name; of a repeated header, the last value.
    pub headers: HashMap<String, String>,
    pub body: String,
}

impl Outcome {
    /// Reads the answer as what API Gateway would send to the client, for either payload version.
    ///
    /// # Panics
    /// If the function failed, or answered something that is no API Gateway answer in plain text.
    #[must_use]
    pub fn http(&self) -> HttpAnswer {
        let Self::Answered(answer) = self else { panic!("the function failed: {self:?}") };
        let status = answer["statusCode"].as_u64().unwrap_or_else(|| panic!("no status in {answer}"));
        assert_ne!(answer["isBase64Encoded"], true, "a text answer came as base64");
        let mut headers = HashMap::new();
        for (name, value) in answer["headers"].as_object().into_iter().flatten() {
            headers.insert(name.to_lowercase(), value.as_str().unwrap_or_default().to_owned());
        }
        for (name, values) in answer["multiValueHeaders"].as_object().into_iter().flatten() {
            let last = values.as_array().and_then(|values| values.last()).and_then(Value::as_str);
            headers.insert(name.to_lowercase(), last.unwrap_or_default().to_owned());
        }
        HttpAnswer { status, headers, body: answer["body"].as_str().unwrap_or_default().to_owned() }
    }
}

struct Pending {
    request_id: String,
    event: Vec<u8>,
}

struct Board {
    /// Events not yet asked for. Concurrent pollers queue for the receiver.
    events: AsyncMutex<mpsc::UnboundedReceiver<Pending>>,
    answers: Mutex<HashMap<String, oneshot::Sender<Outcome>>>,
    init_error: Mutex<Option<String>>,
    /// When the function first asked for an event, which ends its start.
    ready: watch::Sender<Option<Instant>>,
    /// Requests the Runtime API does not know.
    strays: Mutex<Vec<String>>,
    function: String,
    limit: Duration,
}

/// One function under play. Dropping it kills the process.
pub struct Player {
    events: mpsc::UnboundedSender<Pending>,
    board: Arc<Board>,
    process: Child,
    server: tokio::task::JoinHandle<()>,
    started: Instant,
    sent: u64,
}

impl Player {
    /// Starts `binary` as the function `name` with Lambda's environment and `environment` on top; nothing
    /// else is inherited. `limit` bounds each invocation.
    ///
    /// # Errors
    /// [`PlayerError::Io`] if the port or the process cannot be had.
    pub async fn start(
        binary: &Path,
        name: &str,
        environment: &[(&str, &str)],
        limit: Duration,
    ) -> Result<Self, PlayerError> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(PlayerError::Io)?;
        let address = listener.local_addr().map_err(PlayerError::Io)?.to_string();
        let (sender, receiver) = mpsc::unbounded_channel();
        let board = Arc::new(Board {
            events: AsyncMutex::new(receiver),
            answers: Mutex::default(),
            init_error: Mutex::default(),
            ready: watch::Sender::new(None),
            strays: Mutex::default(),
            function: name.to_owned(),
            limit,
        });
        let routes = routes(Arc::clone(&board));
        let server = tokio::spawn(async move {
            // Serving ends with the task; an accept error shows as a time-out of the invocation.
            let _ = axum::serve(listener, routes).await;
        });
        let started = Instant::now();
        let process = Command::new(binary)
            .env_clear()
            .envs(lambda_environment(name, &address))
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(PlayerError::Io)?;
        Ok(Self { events: sender, board, process, server, started, sent: 0 })
    }

    /// Hands the function one event and waits for what becomes of it.
    ///
    /// # Errors
    /// [`PlayerError::Exited`] if the process ends first, [`PlayerError::TimedOut`] if the limit passes.
    pub async fn invoke(&mut self, event: &Value) -> Result<Outcome, PlayerError> {
        self.sent += 1;
        let request_id = format!("00000000-0000-4000-8000-{:012}", self.sent);
        let (answer, outcome) = oneshot::channel();
        lock(&self.board.answers).insert(request_id.clone(), answer);
        // The board keeps the receiver, so sending cannot fail while this player lives.
        let _ = self.events.send(Pending { request_id, event: event.to_string().into_bytes() });
        let process = &mut self.process;
        let first = async {
            tokio::select! {
                Ok(outcome) = outcome => Ok(outcome),
                status = process.wait() => Err(match status {
                    Ok(status) => PlayerError::Exited { status, init_error: lock(&self.board.init_error).clone() },
                    Err(error) => PlayerError::Io(error),
                }),
            }
        };
        tokio::time::timeout(self.board.limit, first).await.unwrap_or(Err(PlayerError::TimedOut))
    }

    /// Waits until the function asks for its first event, and tells how long its start took.
    ///
    /// # Errors
    /// [`PlayerError::TimedOut`] if it does not within the limit.
    pub async fn ready(&self) -> Result<Duration, PlayerError> {
        let mut ready = self.board.ready.subscribe();
        let first = tokio::time::timeout(self.board.limit, ready.wait_for(Option::is_some));
        let at = first.await.ok().and_then(Result::ok).and_then(|at| *at).ok_or(PlayerError::TimedOut)?;
        Ok(at.saturating_duration_since(self.started))
    }

    /// The memory that the process has resident, in bytes. Linux only.
    ///
    /// # Errors
    /// [`PlayerError::Io`] if the system does not tell.
    pub fn resident_bytes(&self) -> Result<u64, PlayerError> {
        let unknown = || PlayerError::Io(std::io::Error::other("the system does not tell"));
        let process = self.process.id().ok_or_else(unknown)?;
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).map_err(PlayerError::Io)?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or_else(unknown)?;
        let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().map_err(|_| unknown())?;
        Ok(kilobytes.saturating_mul(1024))
    }

    /// Requests the function made that the Runtime API does not have, as `METHOD path`.
    #[must_use]
    pub fn strays(&self) -> Vec<String> {
        lock(&self.board.strays).clone()
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// What Lambda sets for a custom runtime, with keys that open nothing.
fn lambda_environment(name: &str, address: &str) -> Vec<(&'static str, String)> {
    let fixed = [
        ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
        ("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand"),
        ("AWS_LAMBDA_LOG_STREAM_NAME", "2026/03/16/[$LATEST]0"),
        ("AWS_LAMBDA_LOG_FORMAT", "JSON"),
        ("AWS_LAMBDA_LOG_LEVEL", "INFO"),
        ("AWS_EXECUTION_ENV", "AWS_Lambda_provided.al2023"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
        ("AWS_SESSION_TOKEN", "test"),
        ("_HANDLER", "bootstrap"),
        ("LAMBDA_TASK_ROOT", "/var/task"),
        ("LAMBDA_RUNTIME_DIR", "/var/runtime"),
        ("LANG", "en_US.UTF-8"),
        ("TZ", ":UTC"),
    ];
    let mut environment: Vec<_> = fixed.map(|(key, value)| (key, value.to_owned())).into();
    environment.push(("AWS_LAMBDA_FUNCTION_NAME", name.to_owned()));
    environment.push(("AWS_LAMBDA_LOG_GROUP_NAME", format!("/aws/lambda/{name}")));
    environment.push(("AWS_LAMBDA_RUNTIME_API", address.to_owned()));
    environment
}

fn routes(board: Arc<Board>) -> Router {
    Router::new()
        .route("/2018-06-01/runtime/invocation/next", get(next))
        .route("/2018-06-01/runtime/invocation/{request_id}/response", post(response))
        .route("/2018-06-01/runtime/invocation/{request_id}/error", post(error))
        .route("/2018-06-01/runtime/init/error", post(init_error))
        .fallback(stray)
        .layer(DefaultBodyLimit::max(ANSWER_LIMIT_BYTES))
        .with_state(board)
}

async fn next(State(board): State<Arc<Board>>) -> Response {
    board.ready.send_if_modified(|ready| {
        let is_first = ready.is_none();
        ready.get_or_insert_with(Instant::now);
        is_first
    });
    let Some(Pending { request_id, event }) = board.events.lock().await.recv().await else {
        return StatusCode::GONE.into_response();
    };
    let arn = format!("arn:aws:lambda:us-east-1:123456789012:function:{}", board.function);
    let headers = [
        (HeaderName::from_static("content-type"), "application/json".to_owned()),
        (HeaderName::from_static("lambda-runtime-aws-request-id"), request_id),
        (HeaderName::from_static("lambda-runtime-deadline-ms"), deadline_ms(board.limit)),
        (HeaderName::from_static("lambda-runtime-invoked-function-arn"), arn),
        (
            HeaderName::from_static("lambda-runtime-trace-id"),
            "Root=1-65b7f9d0-000000000000000000000000;Parent=0000000000000000;Sampled=0".to_owned(),
        ),
    ];
    (headers, event).into_response()
}

#[expect(clippy::disallowed_methods, reason = "Lambda states the deadline in real time")]
fn deadline_ms(limit: Duration) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (now + limit).as_millis().to_string()
}

async fn response(
    State(board): State<Arc<Board>>,
    UrlPath(request_id): UrlPath<String>,
    body: Bytes,
) -> Response {
    match serde_json::from_slice(&body) {
        Ok(answer) => settle(&board, &request_id, Outcome::Answered(answer)),
        Err(error) => {
            let outcome =
                Outcome::Failed { error_type: "InvalidJson".to_owned(), message: error.to_string() };
            settle(&board, &request_id, outcome)
        }
    }
}

async fn error(
    State(board): State<Arc<Board>>,
    UrlPath(request_id): UrlPath<String>,
    body: Bytes,
) -> Response {
    // The report's content type is Lambda's own, which a JSON extractor would refuse.
    let report: Value = serde_json::from_slice(&body).unwrap_or_default();
    let text = |field: &str| report[field].as_str().unwrap_or_default().to_owned();
    settle(
        &board,
        &request_id,
        Outcome::Failed { error_type: text("errorType"), message: text("errorMessage") },
    )
}

fn settle(board: &Board, request_id: &str, outcome: Outcome) -> Response {
    let Some(waiting) = lock(&board.answers).remove(request_id) else {
        return (StatusCode::BAD_REQUEST, Json(json!({"errorType": "InvalidRequestID"}))).into_response();
    };
    // Nobody waits any more after a time-out; the function has still done its part.
    let _ = waiting.send(outcome);
    (StatusCode::ACCEPTED, Json(json!({"status": "OK"}))).into_response()
}

async fn init_error(State(board): State<Arc<Board>>, report: String) -> Response {
    *lock(&board.init_error) = Some(report);
    (StatusCode::ACCEPTED, Json(json!({"status": "OK"}))).into_response()
}

async fn stray(State(board): State<Arc<Board>>, method: axum::http::Method, uri: Uri) -> StatusCode {
    lock(&board.strays).push(format!("{method} {uri}"));
    StatusCode::NOT_FOUND
}

/// A panic elsewhere must not hide the state that explains it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
