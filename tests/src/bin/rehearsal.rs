//! A function that does what the event says, so that the Runtime API player can itself be tested.

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    run(service_fn(act)).await
}

async fn act(event: LambdaEvent<Value>) -> Result<Value, Error> {
    match event.payload["act"].as_str() {
        Some("fail") => Err("asked to fail".into()),
        Some("exit") => std::process::exit(3),
        Some("hang") => std::future::pending().await,
        _ => Ok(json!({
            "statusCode": 200,
            "headers": {"X-Region": std::env::var("AWS_REGION")?, "X-Prompt": std::env::var("PROMPT")?},
            "body": event.payload["say"],
            "requestId": event.context.request_id,
        })),
    }
}
