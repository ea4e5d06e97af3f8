//! What the sandbox keeps: its payments, and what it delivered instead of sending it.

use crate::{
    Action, AttributeValue, Consistency, Expression, Key, SortKeys, Store, StoreError, Table, decode, encode,
    number, sandbox_mail_partition, sandbox_mails_partition, text,
};
use domain::{OrderId, PaymentReference, TenantId, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The attribute of a payment that says where it stands.
const STATUS: &str = "status";
/// The attribute that counts the refunds a payment was asked for.
const REFUNDS_ASKED: &str = "refunds_asked";

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

/// How a payment stands that is not decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undecided {
    /// No card was presented yet.
    Opened,
    /// The issuer of its card waits for the buyer.
    Asking,
}

impl Undecided {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Asking => "asking",
        }
    }
}

impl Store {
    /// A payment of the sandbox.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_sandbox_payment<T: DeserializeOwned>(
        &self,
        tenant: TenantId,
        reference: &PaymentReference,
    ) -> Result<Option<T>, StoreError> {
        self.get(&Key::sandbox_payment(tenant, reference.as_str()), Consistency::Strong).await
    }

    /// The payments of a tenant in the sandbox.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn list_sandbox_payments<T: DeserializeOwned>(
        &self,
        tenant: TenantId,
    ) -> Result<Vec<T>, StoreError> {
        let Key { table, pk, sk: _ } = Key::sandbox_payment(tenant, "");
        let items = self.query_all(table, &pk, SortKeys::All, Consistency::Strong).await?;
        items.into_iter().map(decode).collect()
    }

    /// Opens a payment; one that is there already stays as it is.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened.
    pub async fn open_sandbox_payment<T: Serialize>(
        &self,
        tenant: TenantId,
        reference: &PaymentReference,
        opened: &T,
    ) -> Result<(), StoreError> {
        let key = Key::sandbox_payment(tenant, reference.as_str());
        let mut absent = Expression::new();
        absent.require_no_item();
        self.write(&key, Action::Put(encode(&key, opened)?, absent)).await.map(|_| ())
    }

    /// Decides a payment that still stands as it was read. The inner error is the payment as it stands, if there is one.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened.
    pub async fn decide_sandbox_payment<T: Serialize + DeserializeOwned>(
        &self,
        tenant: TenantId,
        reference: &PaymentReference,
        decided: &T,
        from: Undecided,
    ) -> Result<Result<(), Option<T>>, StoreError> {
        let key = Key::sandbox_payment(tenant, reference.as_str());
        let mut undecided = Expression::new();
        undecided.require_equal(STATUS, text(from.as_str()));
        match self.write(&key, Action::Put(encode(&key, decided)?, undecided)).await? {
            Ok(()) => Ok(Ok(())),
            Err(old) => Ok(Err(old.map(decode).transpose()?)),
        }
    }

    /// Keeps a payment with the answer to another refund; false where it was asked for one meanwhile. `asked` is how
    /// many there were when it was read.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened.
    pub async fn keep_sandbox_refund<T: Serialize>(
        &self,
        tenant: TenantId,
        reference: &PaymentReference,
        kept: &T,
        asked: u32,
    ) -> Result<bool, StoreError> {
        let key = Key::sandbox_payment(tenant, reference.as_str());
        let mut same = Expression::new();
        let (count, seen) = (same.path(&[REFUNDS_ASKED]), same.value(number(i64::from(asked))));
        same.require(match asked {
            // A payment written before refunds does not say so.
            0 => format!("(attribute_not_exists({count}) OR {count} = {seen})"),
            _ => format!("{count} = {seen}"),
        });
        Ok(self.write(&key, Action::Put(encode(&key, kept)?, same)).await?.is_ok())
    }

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
