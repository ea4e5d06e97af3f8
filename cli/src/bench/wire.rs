//! Sending requests to the service, in process or over a loopback connection.

use super::BenchError;
use super::seed::{KEY, TENANT};
use axum::Router;
use axum::body::{Body, Bytes};
use http::{Method, StatusCode};
use http_body_util::BodyExt;
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use std::net::SocketAddr;
use tower::ServiceExt;

/// How requests reach the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    /// By calling the router.
    InProcess,
    /// By HTTP over 127.0.0.1.
    Loopback,
}

impl Transport {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::InProcess => "in process",
            Self::Loopback => "loopback",
        }
    }
}

/// One request, before it has an address.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    method: Method,
    path: String,
    body: Option<Value>,
    key: &'static str,
}

impl Request {
    pub(crate) fn get(path: &str) -> Self {
        Self::of(Method::GET, path, None)
    }

    pub(crate) fn delete(path: &str) -> Self {
        Self::of(Method::DELETE, path, None)
    }

    pub(crate) fn post(path: &str, body: Value) -> Self {
        Self::of(Method::POST, path, Some(body))
    }

    pub(crate) fn put(path: &str, body: Value) -> Self {
        Self::of(Method::PUT, path, Some(body))
    }

    fn of(method: Method, path: &str, body: Option<Value>) -> Self {
        Self { method, path: path.to_owned(), body, key: KEY }
    }

    /// The same request with another API key.
    pub(crate) fn by(self, key: &'static str) -> Self {
        Self { key, ..self }
    }

    /// The request to send to the service at an address, which is empty in process.
    pub(crate) fn written(self, address: &str) -> Result<http::Request<Body>, BenchError> {
        let Self { method, path, body, key } = self;
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let request = http::Request::builder()
            .method(method)
            .uri(format!("{address}{path}"))
            .header("content-type", "application/json")
            .header("x-service-api-key", key)
            .header("x-b2c-tenant-id", TENANT)
            .header("x-service-browser-ip", "203.0.113.24");
        Ok(request.body(body)?)
    }
}

/// A whole answer, unread.
#[derive(Debug)]
pub(crate) struct Answer {
    status: StatusCode,
    body: Bytes,
}

impl Answer {
    /// Reads the answer of a path, which must be a success.
    pub(crate) fn read(&self, path: &str) -> Result<Value, BenchError> {
        let Self { status, body } = self;
        if *status != StatusCode::OK {
            let text = String::from_utf8_lossy(body);
            return Err(BenchError::from(format!("{path} answered {status}: {text}")));
        }
        Ok(serde_json::from_slice(body)?)
    }
}

/// Calls the router and takes its whole answer.
pub(crate) async fn call(service: &Router, request: http::Request<Body>) -> Result<Answer, BenchError> {
    let answer = match service.clone().oneshot(request).await {
        Ok(answer) => answer,
        Err(never) => match never {},
    };
    let status = answer.status();
    Ok(Answer { status, body: answer.into_body().collect().await?.to_bytes() })
}

/// A client of the service.
#[derive(Clone)]
pub(crate) enum Client {
    InProcess(Router),
    Loopback(Box<HttpClient<HttpConnector, Body>>, SocketAddr),
}

impl Client {
    pub(crate) async fn over(transport: Transport, service: Router) -> Result<Self, BenchError> {
        match transport {
            Transport::InProcess => Ok(Self::InProcess(service)),
            Transport::Loopback => {
                let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
                let address = listener.local_addr()?;
                tokio::spawn(async move { axum::serve(listener, service).await });
                let client = HttpClient::builder(TokioExecutor::new()).build_http();
                Ok(Self::Loopback(Box::new(client), address))
            }
        }
    }

    /// Sends a request and reads its whole answer, which must be a success.
    pub(crate) async fn send(&self, request: Request) -> Result<Value, BenchError> {
        let path = request.path.clone();
        let answer = match self {
            Self::InProcess(service) => call(service, request.written("")?).await?,
            Self::Loopback(client, address) => {
                let answer = client.request(request.written(&format!("http://{address}"))?).await?;
                let status = answer.status();
                Answer { status, body: answer.into_body().collect().await?.to_bytes() }
            }
        };
        answer.read(&path)
    }
}
