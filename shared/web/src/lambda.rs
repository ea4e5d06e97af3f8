//! A router as a Lambda function behind API Gateway, payload v1 or v2.

use crate::shell;
use adapters::{App, aws, telemetry};
use axum::Router;

/// Runs the function until its sandbox ends. The database is called once before the first request, so that
/// no visitor waits for the connection.
///
/// # Errors
/// What the Lambda runtime or the environment refuses.
pub async fn run(routes: Router<App>) -> Result<(), lambda_http::Error> {
    telemetry::init();
    let app = aws::app()?;
    warm_up(&app).await;
    lambda_http::run(shell::service(routes, &app)).await
}

/// Opens the connection to the database. A failure here is left to the first request to report.
async fn warm_up(app: &App) {
    if let Err(fault) = app.store.is_origin_known("warm-up").await {
        tracing::warn!(%fault, "the database did not answer at start");
    }
}
