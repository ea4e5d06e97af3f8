//! Requests to log in by mail. They lie where expired items go by themselves, under the hash of what their links
//! name them by.

use crate::outbox::{claimed, finished};
use crate::{Action, Consistency, Expression, Key, Store, StoreError, encode, number, text};
use domain::login::{LINK_LIFE_SECS, LoginRequest, LoginSecret};
use domain::outbox::MailState;
use domain::staff::StaffMark;
use domain::{TenantId, Timestamp};
use sha2::{Digest, Sha256};

/// The item of a request stays this long after its link ended, in seconds of real time.
const RETENTION_SECS: i64 = 86_400;

/// Where the request lies that a link names so.
#[must_use]
pub fn login_key(tenant: TenantId, secret: &LoginSecret) -> Key {
    Key::login(tenant, &hex::encode(Sha256::digest(secret.expose())))
}

impl Store {
    /// Stores a new request.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_login_request(
        &self,
        key: &Key,
        request: &LoginRequest,
        wall_now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut item = encode(key, request)?;
        let kept = LINK_LIFE_SECS.saturating_add(RETENTION_SECS);
        item.insert("ttl".to_owned(), number(wall_now.timestamp().saturating_add(kept)));
        self.write(key, Action::Put(item, Expression::new())).await.map(|_| ())
    }

    /// A request, unless it is gone.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_login_request(&self, key: &Key) -> Result<Option<LoginRequest>, StoreError> {
        self.get(key, Consistency::Strong).await
    }

    /// Claims the mail of a request for sending, and keeps to whom of the staff it goes; false when someone else has it or
    /// it has been sent.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn claim_login_mail(
        &self,
        key: &Key,
        wall_now: Timestamp,
        until: Timestamp,
        mailed_to: Option<&StaffMark>,
    ) -> Result<bool, StoreError> {
        let mut update = claimed(wall_now, until)?;
        if let Some(person) = mailed_to {
            let person = serde_dynamo::to_attribute_value(person).map_err(StoreError::corrupt)?;
            update.assign("mailed_to", person);
        }
        Ok(self.write(key, Action::Update(update)).await?.is_ok())
    }

    /// Records the end of a claimed mail of a request, unless its claim has passed to someone else.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn finish_login_mail(
        &self,
        key: &Key,
        claimed_until: Timestamp,
        state: MailState,
    ) -> Result<bool, StoreError> {
        Ok(self.write(key, Action::Update(finished(claimed_until, state)?)).await?.is_ok())
    }

    /// Uses the link of a request; false when another call has used it, or the request is gone. The call is named by
    /// a text of its own, so that it may ask again.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn redeem_login(&self, key: &Key, call: &str) -> Result<bool, StoreError> {
        Ok(self.write(key, Action::Update(redemption(call))).await?.is_ok())
    }
}

/// Uses the link of a request, unless another call has used it.
pub(crate) fn redemption(call: &str) -> Expression {
    let mut update = Expression::new();
    update.require_item();
    let (path, own) = (update.path(&["redeemed_by"]), update.text(call));
    update.require(format!("(attribute_not_exists({path}) OR {path} = {own})"));
    update.assign("redeemed_by", text(call));
    update
}
