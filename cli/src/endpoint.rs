//! The embedded database behind a socket, so that another process can use it as its DynamoDB.

use aws_smithy_runtime_api::client::http::HttpConnector;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use engine::Embedded;
use http::{HeaderMap, StatusCode};
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpListener;

/// Answers DynamoDB's protocol on a free port of this machine for as long as the runtime lives. Signatures
/// are not looked at.
///
/// # Errors
/// When no port is free.
pub async fn dynamodb_endpoint(embedded: Embedded) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, dynamodb_routes(embedded)).await });
    Ok(address)
}

/// The same without a socket, so that a test can stand before the database and watch what passes.
pub fn dynamodb_routes(embedded: Embedded) -> Router {
    Router::new().fallback(forward).with_state(embedded)
}

async fn forward(State(embedded): State<Embedded>, headers: HeaderMap, body: Bytes) -> Response {
    let Some(target) = headers.get("x-amz-target").and_then(|target| target.to_str().ok()) else {
        return (StatusCode::BAD_REQUEST, "the header x-amz-target is missing").into_response();
    };
    let mut request = HttpRequest::new(SdkBody::from(body.to_vec()));
    request.headers_mut().insert("x-amz-target", target.to_owned());
    match embedded.call(request).await {
        Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        Ok(answer) => {
            let status = StatusCode::from_u16(answer.status().as_u16());
            let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let body = answer.body().bytes().unwrap_or_default().to_vec();
            (status, [("content-type", "application/x-amz-json-1.0")], body).into_response()
        }
    }
}
