//! The Lambda function of the back office.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    web::lambda::run(backoffice::router()).await
}
