//! The Lambda function of order reads.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    platform::lambda::run(orders::router()).await
}
