//! What a repetition of a request is recognised by in its order, should its idempotency record not say what it did.

use adapters::App;
use domain::RefundId;
use web::access::Caller;
use web::{ApiError, Body, IdempotencyKey};
use wire::WireValue;

/// A request.
pub(crate) struct Identity {
    /// The refund it makes: it follows from the idempotency key and the body, where a key was sent. From the key alone
    /// it would be that of other requests as well (decision records 0066 and 0096).
    pub(crate) refund: RefundId,
    /// Keyed hash of the body.
    pub(crate) fingerprint: String,
    /// Keyed hash of key and body; none without a key.
    pub(crate) repeatable: Option<String>,
}

impl Identity {
    /// That of a request which is not repeated.
    pub(crate) fn of_once(app: &App) -> Result<Self, ApiError> {
        let refund = RefundId::from_bytes(app.ids.bytes()?);
        Ok(Self { refund, fingerprint: String::new(), repeatable: None })
    }

    pub(crate) async fn of<T: WireValue>(
        app: &App,
        caller: &Caller,
        route: &str,
        key: &IdempotencyKey,
        body: &Body<T>,
    ) -> Result<Self, ApiError> {
        let hash_key = app.hash_key(&caller.tenant).await?;
        let fingerprint = body.fingerprint(route, &hash_key);
        let Some(key) = key.text() else {
            return Ok(Self { fingerprint, ..Self::of_once(app)? });
        };
        let both = [key.as_bytes(), fingerprint.as_bytes()];
        let mut bytes = [0; 16];
        let generated = hash_key.hash("order refund", &both);
        bytes.iter_mut().zip(generated).for_each(|(byte, generated)| *byte = generated);
        let both = hash_key.hash("returns", &both);
        Ok(Self { refund: RefundId::from_bytes(bytes), fingerprint, repeatable: Some(hex::encode(both)) })
    }
}
