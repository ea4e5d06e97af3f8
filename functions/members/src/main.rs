//! The Lambda function of membership verification.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    platform::lambda::run(members::router()).await
}
