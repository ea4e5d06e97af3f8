//! Sending requests to the service, in process or over a loopback connection.

use super::BenchError;
use super::seed::{KEY, TENANT};
use axum::Router;
use axum::body::Body;
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
    pub(crate) const ALL: [Self; 2] = [Self::InProcess, Self::Loopback];

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
}

impl Request {
    pub(crate) fn get(path: &str) -> Self {
        Self { method: Method::GET, path: path.to_owned(), body: None }
    }

    pub(crate) fn delete(path: &str) -> Self {
        Self { method: Method::DELETE, path: path.to_owned(), body: None }
    }

    pub(crate) fn post(path: &str, body: Value) -> Self {
        Self { method: Method::POST, path: path.to_owned(), body: Some(body) }
    }

    pub(crate) fn put(path: &str, body: Value) -> Self {
        Self { method: Method::PUT, path: path.to_owned(), body: Some(body) }
    }
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
        let Request { method, path, body } = request;
        let base = match self {
            Self::InProcess(_) => String::new(),
            Self::Loopback(_, address) => format!("http://{address}"),
        };
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let request = http::Request::builder()
            .method(method)
            .uri(format!("{base}{path}"))
            .header("content-type", "application/json")
            .header("x-service-api-key", KEY)
            .header("x-b2c-tenant-id", TENANT)
            .header("x-service-browser-ip", "203.0.113.24")
            .body(body)?;
        let (status, bytes) = match self {
            Self::InProcess(service) => {
                let answer = match service.clone().oneshot(request).await {
                    Ok(answer) => answer,
                    Err(never) => match never {},
                };
                (answer.status(), answer.into_body().collect().await?.to_bytes())
            }
            Self::Loopback(client, _) => {
                let answer = client.request(request).await?;
                (answer.status(), answer.into_body().collect().await?.to_bytes())
            }
        };
        if status != StatusCode::OK {
            return Err(BenchError::from(format!(
                "{path} answered {status}: {}",
                String::from_utf8_lossy(&bytes)
            )));
        }
        Ok(serde_json::from_slice(&bytes)?)
    }
}
