//! Checkout as a Lambda function.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    web::lambda::run(checkout::router()).await
}
