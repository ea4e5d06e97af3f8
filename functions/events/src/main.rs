//! The Lambda function of the browsing routes.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    web::lambda::run(events::router()).await
}
