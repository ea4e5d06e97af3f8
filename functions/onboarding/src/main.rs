//! The Lambda function of onboarding.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    web::lambda::run(onboarding::router()).await
}
