//! What Stripe tells by webhook: signed messages, each no more than a hint to ask (decision record 0147).

use crate::stripe::StripeAccount;
use crate::{OrderId, Timestamp};
use std::fmt;
use zeroize::Zeroizing;

/// How far the time of a signature may be from now, in seconds.
pub const SIGNATURE_TOLERANCE_SECS: i64 = 300;

/// How many signatures of one message are looked at.
const MAX_SIGNATURES: usize = 10;

/// The secret that Stripe signs its messages with. It is never printed, and wiped when it is dropped.
pub struct WebhookSecret(Zeroizing<String>);

/// The text is no secret of a webhook. Holds nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadableSecret;

/// How the secrets of webhooks begin.
const SECRET_START: &str = "whsec_";
/// The longest secret that is accepted, in characters.
const MAX_SECRET_CHARS: usize = 255;

impl WebhookSecret {
    /// Reads a secret, with white space around it.
    ///
    /// # Errors
    /// [`UnreadableSecret`] for any other text, keys included.
    pub fn parse(text: &str) -> Result<Self, UnreadableSecret> {
        let text = text.trim();
        let rest = text.strip_prefix(SECRET_START).ok_or(UnreadableSecret)?;
        let is_word = rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if rest.is_empty() || !is_word || text.len() > MAX_SECRET_CHARS {
            return Err(UnreadableSecret);
        }
        Ok(Self(Zeroizing::new(text.to_owned())))
    }

    /// The secret, for signatures and the vault alone.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("WebhookSecret(****)")
    }
}

/// What the header `stripe-signature` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentSignature {
    /// When the message was signed, in seconds since 1970.
    at: i64,
    /// Signatures in hexadecimal. There are several while a secret is changed.
    signatures: Vec<String>,
}

impl SentSignature {
    /// Reads the header: `t=1492774577,v1=5257a869…`, in which other schemes than `v1` count for nothing.
    #[must_use]
    pub fn parse(header: &str) -> Option<Self> {
        let parts = || header.split(',').filter_map(|part| part.trim().split_once('='));
        let at = parts().find(|(name, _)| *name == "t")?.1;
        let is_time = !at.is_empty() && at.len() <= 12 && at.bytes().all(|byte| byte.is_ascii_digit());
        let at = at.parse().ok().filter(|_| is_time)?;
        let signatures = parts().filter(|(name, _)| *name == "v1").map(|(_, text)| text.to_owned());
        let signatures: Vec<String> = signatures.take(MAX_SIGNATURES).collect();
        (!signatures.is_empty()).then_some(Self { at, signatures })
    }

    /// Whether it was made about now.
    #[must_use]
    pub fn is_recent(&self, now: Timestamp) -> bool {
        self.at.saturating_sub(now.timestamp()).saturating_abs() <= SIGNATURE_TOLERANCE_SECS
    }

    /// What was signed, but for the message itself, which follows it.
    #[must_use]
    pub fn signed_start(&self) -> String {
        format!("{}.", self.at)
    }

    /// The signatures.
    #[must_use]
    pub fn signatures(&self) -> &[String] {
        &self.signatures
    }
}

/// What a message is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StripeEvent {
    /// Something happened to the payment of an order.
    Payment(OrderId),
    /// Something happened to a dispute.
    Dispute {
        /// Stripe's name for it.
        id: String,
        /// The connected account it is on, if it is on one.
        account: Option<StripeAccount>,
    },
    /// Something happened to a refund.
    Refund {
        /// Stripe's name for it.
        id: String,
        /// The connected account it is on, if it is on one.
        account: Option<StripeAccount>,
    },
    /// Nothing that anything is done about.
    Other,
}

/// What a secret of a tenant's webhook is sealed for.
#[must_use]
pub fn webhook_secret_context(tenant: crate::TenantId) -> String {
    format!("stripe-webhook/{tenant}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_by_their_beginning_and_never_printed() {
        let secret = WebhookSecret::parse(" whsec_test_1\n").unwrap();
        assert_eq!(
            (secret.expose(), format!("{secret:?}").as_str()),
            ("whsec_test_1", "WebhookSecret(****)")
        );
        for text in ["", "whsec_", "sk_live_1", "whsec_a b", "whsec_ä"] {
            assert_eq!(WebhookSecret::parse(text).err(), Some(UnreadableSecret), "{text}");
        }
    }

    #[test]
    fn a_header_says_when_and_by_which_signatures() {
        let read = SentSignature::parse("t=1492774577, v1=ab,v0=cd,v1=ef").unwrap();
        assert_eq!(read, SentSignature { at: 1_492_774_577, signatures: vec!["ab".into(), "ef".into()] });
        assert_eq!(read.signed_start(), "1492774577.");
        for header in
            ["", "t=1492774577", "v1=ab", "t=,v1=ab", "t=-5,v1=ab", "t=1e9,v1=ab", "t=9999999999999,v1=ab"]
        {
            assert_eq!(SentSignature::parse(header), None, "{header}");
        }
    }

    #[test]
    fn a_signature_counts_for_five_minutes_on_either_side() {
        let at = |secs: i64| Timestamp::from_timestamp(1_800_000_000 + secs, 0).unwrap();
        let sent = SentSignature::parse("t=1800000000,v1=ab").unwrap();
        for (secs, recent) in [(-301, false), (-300, true), (0, true), (300, true), (301, false)] {
            assert_eq!(sent.is_recent(at(secs)), recent, "{secs}");
        }
    }
}
