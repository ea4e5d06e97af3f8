//! The Lambda function of the cart routes.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    web::lambda::run(carts::router()).await
}
