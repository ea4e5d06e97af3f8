//! The Lambda function of the staff.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    web::lambda::run(staff::router()).await
}
