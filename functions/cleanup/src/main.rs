//! The scheduled work as a Lambda function. The event's content does not matter.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    adapters::telemetry::init();
    let app = adapters::aws::app()?;
    let run = |_: LambdaEvent<Value>| async {
        // Boxed, because the whole saga nested in this future is more than the compiler lays out at once.
        let pass = Box::pin(cleanup::pass(&app, cleanup::PassScope::Schedule, adapters::clock::wall_now()));
        let report = pass.await?;
        report.log();
        Ok::<_, Error>(json!(report))
    };
    lambda_runtime::run(service_fn(run)).await
}
