//! The least that a function of this service could be, to compare the start of the others with.

use axum::Router;
use axum::routing::get;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lambda_http::run(Router::new().route("/", get(async || "here"))).await
}
