//! The Lambda function of the reference routes, and of every path that no other function answers.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    web::lambda::run(reference::router()).await
}
