//! The parts of Stripe's objects that are looked at.

use domain::payment::{BuyerAction, ClientSecret};
use domain::{OrderId, TenantId};
use serde::{Deserialize, Deserializer};

/// An object of which only the id matters.
#[derive(Debug, Deserialize)]
pub(super) struct Created {
    pub(super) id: String,
}

/// A page of a list, or of what was searched for.
#[derive(Debug, Deserialize)]
pub(super) struct Found<T> {
    pub(super) data: Vec<T>,
    #[serde(default)]
    pub(super) has_more: bool,
}

/// The payment that something is about.
#[derive(Deserialize)]
pub(super) struct NamedIntent {
    #[serde(default, deserialize_with = "or_nothing")]
    pub(super) metadata: Metadata,
}

/// Reads what may be null, which is nothing.
pub(super) fn or_nothing<'de, T, D>(reader: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    Ok(Option::<T>::deserialize(reader)?.unwrap_or_default())
}

/// What we noted with a payment when it was opened.
#[derive(Default, Deserialize)]
pub(super) struct Metadata {
    #[serde(default)]
    order: Option<String>,
    #[serde(default)]
    tenant: Option<String>,
}

impl Metadata {
    /// The order of a tenant that it names.
    pub(super) fn order_of(&self, tenant: TenantId) -> Option<OrderId> {
        let is_own = self.tenant.as_deref() == Some(tenant.to_string().as_str());
        self.order.as_deref().filter(|_| is_own).and_then(|order| OrderId::parse(order).ok())
    }
}

/// A payment intent. It may hold a client secret, so it is never printed.
#[derive(Deserialize)]
pub(super) struct Intent {
    pub(super) status: IntentStatus,
    /// Why the last card was refused, unless the intent changed since.
    #[serde(default)]
    pub(super) last_payment_error: Option<StripeError>,
    /// The last attempt to charge a card: its id, or the whole of it.
    #[serde(default)]
    latest_charge: Option<serde_json::Value>,
    /// What the buyer's page may ask Stripe about it with.
    #[serde(default)]
    client_secret: Option<String>,
}

impl Intent {
    /// True if it has a card, and never tried to charge one.
    pub(super) fn awaits_its_first_card(&self) -> bool {
        self.status == IntentStatus::RequiresConfirmation && self.latest_charge.is_none()
    }

    /// What the buyer's page shows the issuer's question with.
    pub(super) fn buyer_action(&self) -> Option<BuyerAction> {
        let client_secret = ClientSecret::new(self.client_secret.clone()?);
        Some(BuyerAction { client_secret, page: None })
    }

    /// True if no card was ever put on it.
    pub(super) fn never_had_a_card(&self) -> bool {
        self.status == IntentStatus::RequiresPaymentMethod
            && self.latest_charge.is_none()
            && self.last_payment_error.is_none()
    }
}

/// Where a payment intent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum IntentStatus {
    /// It has no card, or the last one was refused.
    RequiresPaymentMethod,
    /// It has a card that is not charged yet.
    RequiresConfirmation,
    /// The issuer wants to hear from the buyer.
    RequiresAction,
    /// Reserved on the card, which we never ask for.
    RequiresCapture,
    /// Being carried out.
    Processing,
    /// Final: charged.
    Succeeded,
    /// Final: never charged.
    Canceled,
    /// One that Stripe adds later.
    #[serde(other)]
    Other,
}

/// The body of a refusal.
#[derive(Debug, Deserialize)]
pub(super) struct Failed {
    pub(super) error: StripeError,
}

/// What Stripe says about a refusal. Codes are words, whatever was sent; see [`word`].
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct StripeError {
    #[serde(default, rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    decline_code: Option<String>,
    #[serde(default)]
    network_decline_code: Option<String>,
    #[serde(default)]
    param: Option<String>,
    #[serde(default)]
    pub(super) message: Option<String>,
}

impl StripeError {
    /// What a refund says that Stripe could not carry out.
    pub(super) fn failed(reason: Option<String>) -> Self {
        let message = Some("The refund could not be carried out.".to_owned());
        Self { code: reason, message, ..Self::default() }
    }

    pub(super) fn code(&self) -> Option<&str> {
        word(self.code.as_deref())
    }

    /// Why the issuer, or Stripe in its place, refused the card.
    pub(super) fn decline_code(&self) -> Option<&str> {
        word(self.decline_code.as_deref())
    }

    /// The same in the words of the card network.
    pub(super) fn network_decline_code(&self) -> Option<&str> {
        word(self.network_decline_code.as_deref())
    }

    /// The field that is at fault.
    pub(super) fn param(&self) -> Option<&str> {
        let is_name =
            |name: &&str| name.len() <= MAX_CODE_CHARS && !name.bytes().any(|letter| letter.is_ascii_digit());
        self.param.as_deref().filter(is_name)
    }

    /// True if another card might be taken.
    pub(super) fn is_about_the_card(&self) -> bool {
        self.kind == "card_error" || self.code() == Some("card_declined")
    }

    /// The same idempotency key with other fields: what the first request did is not said.
    pub(super) fn reuses_a_key(&self) -> bool {
        self.kind == "idempotency_error"
    }
}

/// The longest code that is kept, in characters.
const MAX_CODE_CHARS: usize = 64;

/// A code, if it looks like one; anything else is not stored or shown.
fn word(text: Option<&str>) -> Option<&str> {
    let is_word = |text: &&str| {
        !text.is_empty()
            && text.len() <= MAX_CODE_CHARS
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && text.bytes().filter(u8::is_ascii_digit).count() < domain::card::CARD_NUMBER_MIN_DIGITS
    };
    text.filter(is_word)
}
