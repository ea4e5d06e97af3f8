//! Mail that stays here: kept in the database instead of handed to anyone.

use async_trait::async_trait;
use domain::{OrderId, TenantId};
use platform::IdSource;
use platform::clock::wall_now;
use platform::mail::{MailError, MailTransport, OutgoingMail};
use store::Store;
use store::sandbox::SandboxMail;

/// Keeps the mails of one order.
pub(crate) struct LocalMail {
    store: Store,
    tenant: TenantId,
    order: OrderId,
}

impl LocalMail {
    /// A transport for the mails of one order.
    pub(crate) fn new(store: &Store, tenant: TenantId, order: &OrderId) -> Self {
        Self { store: store.clone(), tenant, order: order.clone() }
    }
}

#[async_trait]
impl MailTransport for LocalMail {
    async fn send(&self, mail: &OutgoingMail) -> Result<(), MailError> {
        let order = self.store.load_order(self.tenant, &self.order).await.map_err(MailError::retry)?;
        let order = order.ok_or_else(|| MailError::refused("the order of the mail is not there"))?;
        let delivered_at = wall_now();
        let name = IdSource.bytes::<4>().map_err(MailError::retry)?;
        let kept = SandboxMail {
            delivery: format!("{:013}-{}", delivered_at.timestamp_millis(), hex::encode(name)),
            order: order.id,
            order_number: order.number.to_string(),
            message_id: mail.message_id.clone(),
            from: mail.from.clone(),
            to: mail.to.clone(),
            subject: mail.subject.clone(),
            delivered_at,
        };
        self.store.save_sandbox_mail(self.tenant, &kept, &mail.mime).await.map_err(MailError::retry)
    }
}
