//! A batch of the mail queue. Each message stands or falls alone: the queue hands out again exactly those
//! that failed.

use crate::deliver::deliver;
use adapters::App;
use adapters::mail::MailTransport;
use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent, SqsMessage};
use domain::outbox::MailJob;
use std::error::Error;
use std::sync::Arc;

/// Sends the mails of a batch side by side, and names the messages that failed.
pub async fn handle_batch(
    app: &App,
    transport: &Arc<dyn MailTransport>,
    event: SqsEvent,
) -> SqsBatchResponse {
    let mut running = Vec::with_capacity(event.records.len());
    for message in event.records {
        // A message without a name cannot be named as failed; an empty name makes Lambda repeat the batch.
        let name = message.message_id.clone().unwrap_or_default();
        let (app, transport) = (app.clone(), Arc::clone(transport));
        running.push((name, tokio::spawn(async move { handle(&app, transport.as_ref(), &message).await })));
    }
    let mut response = SqsBatchResponse::default();
    for (name, task) in running {
        // A task that panicked has been logged by the hook, and has not touched the others.
        if !task.await.unwrap_or(false) {
            response.add_failure(name);
        }
    }
    response
}

/// True when the message is done with.
async fn handle(app: &App, transport: &dyn MailTransport, message: &SqsMessage) -> bool {
    let message_id = message.message_id.as_deref();
    let body = message.body.as_deref().unwrap_or_default();
    let job: MailJob = match serde_json::from_str(body) {
        Ok(job) => job,
        Err(fault) => {
            let (line, column) = (fault.line(), fault.column());
            tracing::error!(message_id, line, column, "a message of the mail queue is no mail job");
            return false;
        }
    };
    let tenant = job.tenant().get();
    let (order, request, kind) = match &job {
        MailJob::Order(mail) => (Some(mail.order.as_str()), None, mail.kind.to_string()),
        MailJob::Login(mail) => (None, Some(mail.request.as_str()), "login".to_owned()),
    };
    // Boxed, since the database's futures inside are nested deeper than the compiler follows.
    match Box::pin(deliver(app, transport, &job)).await {
        Ok(outcome) => {
            tracing::info!(message_id, tenant, order, request, kind, ?outcome, "mail");
            true
        }
        Err(fault) => {
            let cause = fault.source().map(ToString::to_string);
            tracing::warn!(message_id, tenant, order, request, kind, %fault, cause, "mail failed");
            false
        }
    }
}
