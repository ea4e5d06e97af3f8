//! Holds every answer of the service against its description in `docs/openapi.json`: status, content type, headers, and
//! each field of the body. For tests only; it fails them by panicking.
//!
//! In a description, an answer may have fields that it does not name, so that old clients take new ones. Here it may
//! not: what is answered and not described is a fault of the description.
#![expect(clippy::panic, clippy::expect_used, reason = "fails the test whose answer is not as described")]

mod description;
mod exchange;
mod schemas;
mod seen;

pub use exchange::HttpExchange;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;

/// The service, each answer of which has to be as it is described.
pub fn held(service: Router) -> Router {
    service.layer(from_fn(hold))
}

async fn hold(request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let (parts, body) = next.run(request).await.into_parts();
    let body = to_bytes(body, usize::MAX).await.expect("a whole body");
    let status = parts.status;
    HttpExchange { method: &method, path: &path, status, headers: &parts.headers, body: &body }.hold();
    Response::from_parts(parts, Body::from(body))
}
