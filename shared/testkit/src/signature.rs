//! Signatures of Stripe's messages, made as Stripe publishes it.

use domain::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The header `stripe-signature` of a message that is signed with this secret at an instant.
#[must_use]
pub fn signature(secret: &str, at: Timestamp, body: &str) -> String {
    let at = at.timestamp();
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("{at}.{body}").as_bytes());
    format!("t={at},v1={}", hex::encode(mac.finalize().into_bytes()))
}
