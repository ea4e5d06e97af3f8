//! The Lambda function of the entitlements routes.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    platform::lambda::run(entitlements::router()).await
}
