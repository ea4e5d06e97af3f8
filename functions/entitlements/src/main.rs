//! The Lambda function of the entitlements routes.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    web::lambda::run(entitlements::router()).await
}
