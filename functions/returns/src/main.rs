//! The Lambda function of refunds and exchanges of orders.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    platform::lambda::run(returns::router()).await
}
