//! What a repetition of a request is recognised by, and who makes it.

use adapters::App;
use domain::admission::Actor;
use domain::{AdmissionId, OrderId};
use web::access::Caller;
use web::idempotency::as_asked;
use web::{ApiError, Body, ErrorType, IdempotencyKey};
use wire::WireValue;

/// A request that scans, blocks or takes back.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    /// Keyed hash of the body.
    pub(crate) fingerprint: String,
    /// Keyed hash of key, body and scope; none without a key.
    repeatable: Option<String>,
}

impl Identity {
    pub(crate) async fn of<T: WireValue>(
        app: &App,
        caller: &Caller,
        route: &str,
        key: &IdempotencyKey,
        body: &Body<T>,
    ) -> Result<Self, ApiError> {
        let hash_key = app.hash_key(&caller.tenant).await?;
        let fingerprint = body.fingerprint(route, &hash_key);
        let asked = as_asked(caller, &fingerprint);
        let both = key.text().map(|key| hash_key.hash("scan", &[key.as_bytes(), asked.as_bytes()]));
        Ok(Self { fingerprint, repeatable: both.map(hex::encode) })
    }

    /// That of a request that does nothing.
    pub(crate) fn of_look_up() -> Self {
        Self { fingerprint: String::new(), repeatable: None }
    }

    /// The identity of what is done to an order: with a key the same at each repetition.
    pub(crate) fn of_order(&self, app: &App, order: &OrderId) -> Result<AdmissionId, ApiError> {
        match &self.repeatable {
            Some(key) => Ok(AdmissionId::of_request(key, order)),
            None => Self::once(app),
        }
    }

    /// The identity of a visit by a card.
    pub(crate) fn of_card(&self, app: &App) -> Result<AdmissionId, ApiError> {
        // It lies under the card, among no order's scans.
        let text = self.repeatable.as_ref().and_then(|key| key.get(..32));
        match text.and_then(|text| AdmissionId::parse(text).ok()) {
            Some(id) => Ok(id),
            None => Self::once(app),
        }
    }

    /// The identity of what is done once.
    fn once(app: &App) -> Result<AdmissionId, ApiError> {
        Ok(AdmissionId::from_bytes(app.ids.bytes()?))
    }
}

/// Who does something at a device.
pub(crate) fn actor(caller: &Caller, terminal: Option<String>) -> Actor {
    Actor {
        key: caller.key_label.clone(),
        key_id: Some(caller.key_id()),
        operator: caller.operator().map(str::to_owned),
        terminal,
    }
}

/// Refuses to insist for whoever may only scan.
pub(crate) fn check_force(caller: &Caller) -> Result<(), ApiError> {
    if !caller.is_door() {
        return Ok(());
    }
    let message = "Only an API key with the scope counter or b2b can admit against the rules";
    Err(ApiError::new(ErrorType::Forbidden).message(message))
}
