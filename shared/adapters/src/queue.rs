//! The queue between the checkout and the mailer (contract §6, "Mail"). What must not get lost is the row in
//! the outbox; a job in the queue only says that it is time to look at it.

mod local;
mod sqs;

pub use local::{DeadLetter, Delivery, LocalQueue, LocalQueueSettings, Receipt};
pub use sqs::SqsQueue;

use async_trait::async_trait;
use domain::outbox::MailJob;
use std::fmt;

/// Hands jobs to the mailer, each at least once.
#[async_trait]
pub trait MailQueue: Send + Sync {
    /// Queues a job.
    ///
    /// # Errors
    /// [`QueueError`] when it is not known to be queued. That is no failure of the order: the schedule
    /// sends the outbox again.
    async fn send(&self, job: &MailJob) -> Result<(), QueueError>;
}

/// A job that is not known to be queued.
#[derive(Debug)]
pub enum QueueError {
    /// The job has no JSON form.
    Unwritable(serde_json::Error),
    /// The queue holds as many jobs as it may.
    Full,
    /// The queue service refused or did not answer.
    Unanswered(Box<dyn std::error::Error + Send + Sync>),
}

impl fmt::Display for QueueError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Unwritable(_) => "a mail job could not be written",
            Self::Full => "the mail queue is full",
            Self::Unanswered(_) => "the mail queue did not take a job",
        })
    }
}

impl std::error::Error for QueueError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unwritable(cause) => Some(cause),
            Self::Full => None,
            Self::Unanswered(cause) => Some(cause.as_ref()),
        }
    }
}

/// The text of a job on the queue.
fn body_of(job: &MailJob) -> Result<String, QueueError> {
    serde_json::to_string(job).map_err(QueueError::Unwritable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::outbox::{LoginMail, MailKind, OrderMail};
    use domain::{LoginRequestId, OrderId, TenantId};

    #[test]
    fn a_job_names_the_mail_and_nothing_of_what_is_in_it() {
        let tenant = TenantId::parse(1001).unwrap();
        let order = OrderId::parse("4711").unwrap();
        let of_order = OrderMail { tenant, order, kind: MailKind::ReceiptWithTickets };
        let of_login = LoginMail { tenant, request: LoginRequestId::from_bytes([0xab; 12]) };
        for (job, expected) in [
            (MailJob::Order(of_order), r#"{"tenantId":1001,"orderId":"4711","kind":"receiptWithTickets"}"#),
            (MailJob::Login(of_login), r#"{"tenantId":1001,"loginRequestId":"abababababababababababab"}"#),
        ] {
            let body = body_of(&job).unwrap();
            assert_eq!(body, expected);
            assert_eq!(serde_json::from_str::<MailJob>(&body).unwrap(), job);
        }
    }
}
