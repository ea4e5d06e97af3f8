//! Refunds as a Lambda function.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    platform::lambda::run(refunds::router()).await
}
