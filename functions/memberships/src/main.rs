//! The Lambda function of memberships.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    web::lambda::run(memberships::router()).await
}
