//! The Lambda function that sends mail: it consumes the mail queue.

use adapters::mail::MailTransport;
use adapters::{aws, telemetry};
use aws_lambda_events::event::sqs::SqsEvent;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use mailer::handle_batch;
use std::sync::Arc;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    let (app, transport) = aws::app_and_mail()?;
    let transport: Arc<dyn MailTransport> = Arc::new(transport);
    lambda_runtime::run(service_fn(async |event: LambdaEvent<SqsEvent>| {
        Ok::<_, Error>(handle_batch(&app, &transport, event.payload).await)
    }))
    .await
}
