//! Mail that stays here: kept in the database instead of handed to anyone.

use adapters::IdSource;
use adapters::clock::wall_now;
use adapters::mail::{MailError, MailTransport, OutgoingMail};
use async_trait::async_trait;
use domain::OrderId;
use domain::outbox::MailJob;
use store::Store;
use store::sandbox::SandboxMail;

/// Keeps the mail of one job.
pub(crate) struct LocalMail {
    store: Store,
    job: MailJob,
}

impl LocalMail {
    /// A transport for the mail of one job.
    pub(crate) fn new(store: &Store, job: &MailJob) -> Self {
        Self { store: store.clone(), job: job.clone() }
    }

    /// The order that the mail confirms, and its number.
    async fn order(&self) -> Result<(Option<OrderId>, String), MailError> {
        match &self.job {
            MailJob::Order(mail) => {
                let order =
                    self.store.load_order(mail.tenant, &mail.order).await.map_err(MailError::retry)?;
                let order = order.ok_or_else(|| MailError::refused("the order of the mail is not there"))?;
                Ok((Some(order.id), order.number.to_string()))
            }
            MailJob::Login(_) => Ok((None, String::new())),
        }
    }
}

#[async_trait]
impl MailTransport for LocalMail {
    async fn send(&self, mail: &OutgoingMail) -> Result<(), MailError> {
        let (order, order_number) = self.order().await?;
        let delivered_at = wall_now();
        let name = IdSource::default().bytes::<4>().map_err(MailError::retry)?;
        let kept = SandboxMail {
            delivery: format!("{:013}-{}", delivered_at.timestamp_millis(), hex::encode(name)),
            order,
            order_number,
            message_id: mail.message_id.clone(),
            from: mail.from.clone(),
            to: mail.to.clone(),
            subject: mail.subject.clone(),
            delivered_at,
        };
        self.store.save_sandbox_mail(self.job.tenant(), &kept, &mail.mime).await.map_err(MailError::retry)
    }
}
