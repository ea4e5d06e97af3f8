//! The Lambda function of refunds and exchanges of orders.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    web::lambda::run(order_refunds::router()).await
}
