//! What the sandbox delivered instead of sending it.

use crate::{
    Action, AttributeValue, Consistency, Expression, Key, SortKeys, Store, StoreError, Table, decode, encode,
    sandbox_mail_partition, sandbox_mails_partition,
};
use domain::{OrderId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};

/// An item holds at most 400 KB; a mail with many tickets is larger.
const PIECE_BYTES: usize = 300_000;

/// One delivery of a mail in the sandbox. A mail that was delivered twice stands here twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxMail {
    /// Names the delivery: its time, then a name of its own, so that text order is time order.
    pub delivery: String,
    /// The order that is confirmed; none for a mail of another kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderId>,
    /// That order's number, as printed for people; empty where there is none.
    pub order_number: String,
    /// The same for every delivery of one mail.
    pub message_id: String,
    /// The sender's address.
    pub from: String,
    /// The recipient's address.
    pub to: String,
    /// The subject as a person reads it.
    pub subject: String,
    /// When it was delivered, in real time.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub delivered_at: Timestamp,
}

impl Store {
    /// Keeps a delivery and its message. The message is complete before the delivery is listed.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_sandbox_mail(
        &self,
        tenant: TenantId,
        mail: &SandboxMail,
        message: &[u8],
    ) -> Result<(), StoreError> {
        for (number, piece) in message.chunks(PIECE_BYTES).enumerate() {
            let key = Key::sandbox_mail_piece(tenant, &mail.delivery, number);
            let mut item = key.attributes();
            item.insert("piece".to_owned(), AttributeValue::B(piece.into()));
            let _ = self.write(&key, Action::Put(item, Expression::new())).await?;
        }
        let key = Key::sandbox_mail(tenant, &mail.delivery);
        let item = encode(&key, mail)?;
        self.write(&key, Action::Put(item, Expression::new())).await.map(|_| ())
    }

    /// The deliveries of a tenant, oldest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn list_sandbox_mails(&self, tenant: TenantId) -> Result<Vec<SandboxMail>, StoreError> {
        let partition = sandbox_mails_partition(tenant);
        let items = self.query_all(Table::Orders, &partition, SortKeys::All, Consistency::Strong).await?;
        items.into_iter().map(decode).collect()
    }

    /// The message of a delivery, headers and body; empty if there is no such delivery.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_sandbox_message(
        &self,
        tenant: TenantId,
        delivery: &str,
    ) -> Result<Vec<u8>, StoreError> {
        let partition = sandbox_mail_partition(tenant, delivery);
        let items = self.query_all(Table::Orders, &partition, SortKeys::All, Consistency::Strong).await?;
        let pieces = items.iter().filter_map(|item| item.get("piece")?.as_b().ok());
        Ok(pieces.flat_map(|piece| piece.as_ref().to_vec()).collect())
    }
}
