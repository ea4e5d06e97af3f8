//! Asking the service as those do who use it: over a connection, with the keys of the demo venue.

use crate::failure::Failure;
use axum::body::{Body, Bytes};
use http::{Method, StatusCode};
use http_body_util::BodyExt;
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde_json::Value;
use std::error::Error;
use std::fmt;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// The demo venue that everybody comes to.
pub(super) const TENANT: i64 = 1001;

/// How long an answer is waited for: no request takes a tenth of it on a machine that has time for it.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long an unused connection is kept. The service closes it after thirty seconds.
const IDLE: Duration = Duration::from_secs(10);

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caller {
    Shop,
    Staff,
    Till,
    Door,
}

impl Caller {
    const fn key(self) -> &'static str {
        match self {
            Self::Shop => "demo-b2c-1001",
            Self::Staff => "demo-b2b-1001",
            Self::Till => "demo-counter-1001",
            Self::Door => "demo-door-1001",
        }
    }
}

/// A request, and how it is answered where all is well.
#[derive(Debug, Clone)]
pub(super) struct Request {
    caller: Caller,
    method: Method,
    path: String,
    body: Option<Value>,
    idempotency_key: Option<String>,
    expected: StatusCode,
}

impl Request {
    fn new(caller: Caller, method: Method, path: String, body: Option<Value>) -> Self {
        Self { caller, method, path, body, idempotency_key: None, expected: StatusCode::OK }
    }

    pub(super) fn get(caller: Caller, path: impl Into<String>) -> Self {
        Self::new(caller, Method::GET, path.into(), None)
    }

    pub(super) fn delete(caller: Caller, path: impl Into<String>) -> Self {
        Self::new(caller, Method::DELETE, path.into(), None)
    }

    pub(super) fn post(caller: Caller, path: impl Into<String>, body: Value) -> Self {
        Self::new(caller, Method::POST, path.into(), Some(body))
    }

    pub(super) fn put(caller: Caller, path: impl Into<String>, body: Value) -> Self {
        Self::new(caller, Method::PUT, path.into(), Some(body))
    }

    /// The same under an idempotency key.
    pub(super) fn keyed(self, key: String) -> Self {
        Self { idempotency_key: Some(key), ..self }
    }

    /// The same, rightly answered with this status.
    pub(super) fn expecting(self, expected: StatusCode) -> Self {
        Self { expected, ..self }
    }

    pub(super) fn is_answered_rightly(&self, answer: &Answer) -> bool {
        answer.status == self.expected
    }

    fn build(&self, address: SocketAddr, visitor: &str) -> Result<http::Request<Body>, http::Error> {
        let mut request = http::Request::builder()
            .method(self.method.clone())
            .uri(format!("http://{address}{}", self.path))
            .header("content-type", "application/json")
            .header("x-service-api-key", self.caller.key())
            .header("x-b2c-tenant-id", TENANT.to_string())
            .header("x-service-browser-ip", visitor);
        if let Some(key) = &self.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        request.body(self.body.as_ref().map_or_else(Body::empty, |body| Body::from(body.to_string())))
    }
}

/// Method and path; a body may hold a card.
impl fmt::Display for Request {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.method, self.path)
    }
}

/// What was answered.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    /// Null where it is no JSON.
    pub(super) body: Value,
    /// From the request until the answer was there in full.
    pub(super) took: Duration,
}

impl Answer {
    /// The service had no time for it, and may be asked again.
    pub(super) fn is_put_off(&self) -> bool {
        self.status == StatusCode::SERVICE_UNAVAILABLE && self.body["type"] == "TRY_AGAIN"
    }

    /// What was put off before is not finished yet.
    pub(super) fn is_still_open(&self) -> bool {
        self.body["type"] == "REQUEST_IN_PROGRESS" || self.body["type"] == "REFUND_PENDING"
    }
}

/// Asks one service. Clones share their connections.
#[derive(Debug, Clone)]
pub(super) struct Client {
    http: HttpClient<HttpConnector, Body>,
    address: SocketAddr,
}

impl Client {
    /// A client for so many visitors at once.
    pub(super) fn new(address: SocketAddr, visitors: usize) -> Self {
        let http = HttpClient::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(visitors)
            .build_http();
        Self { http, address }
    }

    /// Sends a request of a visitor from this address, and reads the whole answer.
    pub(super) async fn send(&self, request: &Request, visitor: &str) -> Result<Answer, Failure> {
        let begun = Instant::now();
        let answered = tokio::time::timeout(PATIENCE, self.answer(request, visitor)).await;
        let unanswered = format!("{request} was not answered");
        match answered {
            Ok(Ok((status, bytes))) => {
                let body = serde_json::from_slice(&bytes).unwrap_or_default();
                Ok(Answer { status, body, took: begun.elapsed() })
            }
            Ok(Err(fault)) => Err(Failure::because(unanswered, fault.as_ref())),
            Err(_) => Err(Failure::new(format!("{unanswered} within {} s", PATIENCE.as_secs()))),
        }
    }

    async fn answer(
        &self,
        request: &Request,
        visitor: &str,
    ) -> Result<(StatusCode, Bytes), Box<dyn Error + Send + Sync>> {
        let answer = self.http.request(request.build(self.address, visitor)?).await?;
        let status = answer.status();
        Ok((status, answer.into_body().collect().await?.to_bytes()))
    }
}
