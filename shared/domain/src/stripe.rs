//! How a tenant charges cards through Stripe: the secret key, connected accounts, and where the API is.

use crate::web_address::is_safe_address;
use crate::{Currency, Mid, Money, TenantId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use url::Url;
use zeroize::Zeroizing;

/// A tenant's account at Stripe.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StripeSettings {
    /// The secret key, sealed by the vault, in hexadecimal.
    pub sealed_key: String,
    /// Where the API is, if not at Stripe's own address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<StripeAddress>,
    /// The connected accounts that merchants charge on; any other merchant charges on the account of the key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub accounts: BTreeMap<Mid, StripeAccount>,
    /// By what fields of Stripe's in a page make tokens; without one, pages make none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publishable_key: Option<PublishableKey>,
    /// What Stripe signs the messages of its webhooks with, each sealed by the vault, in hexadecimal; the newest first.
    /// There are two while a secret is changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub webhook_secrets: Vec<String>,
}

/// The most secrets of webhooks that count at a time.
pub const MAX_WEBHOOK_SECRETS: usize = 2;

impl fmt::Debug for StripeSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sealed_key: _, address, accounts, publishable_key, webhook_secrets: _ } = self;
        let mut shown = out.debug_struct("StripeSettings");
        shown.field("address", address).field("accounts", accounts);
        shown.field("publishable_key", publishable_key).finish_non_exhaustive()
    }
}

/// The smallest amounts that Stripe charges, in hundredths, as it publishes them. Of any other currency the smallest one
/// follows from the rate at which the account changes it.
const SMALLEST_CHARGES: [(&str, i64); 22] = [
    ("AED", 200),
    ("AUD", 50),
    ("BRL", 50),
    ("CAD", 50),
    ("CHF", 50),
    ("CZK", 1_500),
    ("DKK", 250),
    ("EUR", 50),
    ("GBP", 30),
    ("HKD", 400),
    ("HUF", 17_500),
    ("INR", 50),
    ("MXN", 1_000),
    ("MYR", 200),
    ("NOK", 300),
    ("NZD", 50),
    ("PLN", 200),
    ("RON", 200),
    ("SEK", 300),
    ("SGD", 50),
    ("THB", 1_000),
    ("USD", 50),
];

/// The smallest amount of a currency that Stripe charges, where it publishes one.
#[must_use]
pub fn smallest_charge(currency: Currency) -> Option<Money> {
    let published = SMALLEST_CHARGES.iter().find(|(code, _)| *code == currency.code());
    published.map(|(_, cents)| Money::from_cents(*cents))
}

/// A secret key of Stripe's API. It is never printed and wiped when it is dropped.
pub struct StripeKey(Zeroizing<String>);

/// Whether a key moves real money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyMode {
    /// Stripe's test mode.
    Test,
    /// Real cards and real money.
    Live,
}

/// The text is no secret key. Holds nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadableKey;

/// How secret and restricted keys begin.
const KEY_STARTS: [(&str, KeyMode); 4] = [
    ("sk_test_", KeyMode::Test),
    ("rk_test_", KeyMode::Test),
    ("sk_live_", KeyMode::Live),
    ("rk_live_", KeyMode::Live),
];
/// The longest key that is accepted, in characters.
const MAX_KEY_CHARS: usize = 255;

impl StripeKey {
    /// Reads a secret or restricted key, with white space around it.
    ///
    /// # Errors
    /// [`UnreadableKey`] for any other text, publishable keys included.
    pub fn parse(text: &str) -> Result<Self, UnreadableKey> {
        let text = text.trim();
        let rest = KEY_STARTS.iter().find_map(|(start, _)| text.strip_prefix(start)).ok_or(UnreadableKey)?;
        let is_word = rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if rest.is_empty() || !is_word || text.len() > MAX_KEY_CHARS {
            return Err(UnreadableKey);
        }
        Ok(Self(Zeroizing::new(text.to_owned())))
    }

    /// Whether it moves real money.
    #[must_use]
    pub fn mode(&self) -> KeyMode {
        let found = KEY_STARTS.iter().find(|(start, _)| self.0.starts_with(start));
        found.map_or(KeyMode::Live, |(_, mode)| *mode)
    }

    /// The key, for requests to Stripe and the vault alone.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for StripeKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("StripeKey(****)")
    }
}

/// A publishable key of Stripe's API, such as `pk_live_…`. It charges nothing, and every visitor can read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublishableKey(String);

/// How publishable keys begin.
const PUBLISHABLE_STARTS: [(&str, KeyMode); 2] = [("pk_test_", KeyMode::Test), ("pk_live_", KeyMode::Live)];

impl PublishableKey {
    /// Reads a publishable key.
    ///
    /// # Errors
    /// [`UnreadableKey`] for any other text, secret keys included.
    pub fn parse(text: &str) -> Result<Self, UnreadableKey> {
        let text = text.trim();
        let rest = PUBLISHABLE_STARTS.iter().find_map(|(start, _)| text.strip_prefix(start));
        let is_word = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let is_key = rest.is_some_and(|rest| !rest.is_empty() && is_word(rest));
        if is_key && text.len() <= MAX_KEY_CHARS { Ok(Self(text.to_owned())) } else { Err(UnreadableKey) }
    }

    /// Whether its tokens are of real cards.
    #[must_use]
    pub fn mode(&self) -> KeyMode {
        let found = PUBLISHABLE_STARTS.iter().find(|(start, _)| self.0.starts_with(start));
        found.map_or(KeyMode::Live, |(_, mode)| *mode)
    }

    /// The key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for PublishableKey {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).map_err(|UnreadableKey| "not a publishable key")
    }
}

impl From<PublishableKey> for String {
    fn from(key: PublishableKey) -> Self {
        key.0
    }
}

/// Why a tenant cannot have this key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnfitKey {
    /// A sandbox tenant accepts demo keys and a clock of the caller's choice: no real money may move there.
    LiveInSandbox,
    /// A live tenant would give its tickets away for test cards.
    TestInLive,
}

/// An account that is connected to the one of the key (Stripe Connect), such as `acct_1032D82eZvKYlo2C`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StripeAccount(String);

/// The text is no account id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadableAccount;

const ACCOUNT_START: &str = "acct_";
/// The longest account id, in characters: with a payment's it has to fit into one reference.
const MAX_ACCOUNT_CHARS: usize = 30;

impl StripeAccount {
    /// Reads an account id.
    ///
    /// # Errors
    /// [`UnreadableAccount`] for any other text.
    pub fn parse(text: &str) -> Result<Self, UnreadableAccount> {
        let rest = text.strip_prefix(ACCOUNT_START).ok_or(UnreadableAccount)?;
        let is_id = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if is_id && text.len() <= MAX_ACCOUNT_CHARS {
            Ok(Self(text.to_owned()))
        } else {
            Err(UnreadableAccount)
        }
    }

    /// The account id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StripeAccount {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl TryFrom<String> for StripeAccount {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).map_err(|UnreadableAccount| "not the id of an account")
    }
}

impl From<StripeAccount> for String {
    fn from(account: StripeAccount) -> Self {
        account.0
    }
}

/// Where something that answers like Stripe is: `https`, or `http` on this very machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StripeAddress(Url);

/// The text is no address that cards may be sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnfitAddress;

impl StripeAddress {
    /// Reads the address of a server, without a path.
    ///
    /// # Errors
    /// [`UnfitAddress`] for any other text.
    pub fn parse(text: &str) -> Result<Self, UnfitAddress> {
        let url = Url::parse(text.trim()).map_err(|_| UnfitAddress)?;
        let is_server = url.path() == "/" && url.query().is_none();
        if is_server && is_safe_address(&url) { Ok(Self(url)) } else { Err(UnfitAddress) }
    }

    /// The address, without a slash at its end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }
}

impl TryFrom<String> for StripeAddress {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).map_err(|UnfitAddress| "not the address of a server")
    }
}

impl From<StripeAddress> for String {
    fn from(address: StripeAddress) -> Self {
        address.0.into()
    }
}

/// What the secret key of a tenant is sealed for.
#[must_use]
pub fn stripe_key_context(tenant: TenantId) -> String {
    format!("stripe-key/{tenant}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_and_restricted_keys_are_told_by_their_beginning() {
        for (text, mode) in [
            ("sk_test_4eC39HqLyjWDarjtT1zdp7dc", KeyMode::Test),
            (" rk_test_1\n", KeyMode::Test),
            ("sk_live_a_b", KeyMode::Live),
            ("rk_live_9", KeyMode::Live),
        ] {
            let key = StripeKey::parse(text).unwrap();
            assert_eq!((key.expose(), key.mode()), (text.trim(), mode));
        }
        let long = format!("sk_test_{}", "a".repeat(248));
        for text in
            ["", "sk_test_", "pk_test_1", "sk_other_1", "sk_test_a b", "sk_live_ä", "sk_test_a\nb", &long]
        {
            assert_eq!(StripeKey::parse(text).err(), Some(UnreadableKey), "{text}");
        }
    }

    #[test]
    fn keys_are_never_printed() {
        let key = StripeKey::parse("sk_test_4eC39Hq").unwrap();
        assert_eq!(format!("{key:?}"), "StripeKey(****)");
        let accounts = [(Mid::parse("7").unwrap(), StripeAccount::parse("acct_1").unwrap())].into();
        let settings = StripeSettings {
            sealed_key: "0102".to_owned(),
            address: None,
            accounts,
            publishable_key: None,
            webhook_secrets: Vec::new(),
        };
        let shown = format!("{settings:?}");
        assert!(!shown.contains("0102") && shown.contains("acct_1"), "{shown}");
    }

    #[test]
    fn publishable_keys_are_no_secret_ones() {
        for (text, mode) in [("pk_test_51H8vXGjyP", KeyMode::Test), (" pk_live_a_b\n", KeyMode::Live)] {
            let key = PublishableKey::parse(text).unwrap();
            assert_eq!((key.as_str(), key.mode()), (text.trim(), mode));
        }
        for text in ["", "pk_test_", "sk_test_1", "rk_live_1", "pk_live_a b", "pk_live_ä"] {
            assert_eq!(PublishableKey::parse(text), Err(UnreadableKey), "{text}");
        }
    }

    #[test]
    fn an_account_is_named_by_its_id() {
        assert_eq!(StripeAccount::parse("acct_1032D82eZvKYlo2C").unwrap().as_str(), "acct_1032D82eZvKYlo2C");
        for text in ["", "acct_", "acct_a-b", "1032", "acct_a b", "acct_1234567890123456789012345x"] {
            assert_eq!(StripeAccount::parse(text), Err(UnreadableAccount), "{text}");
        }
    }

    #[test]
    fn cards_go_to_this_machine_or_over_a_safe_line() {
        for (text, kept) in [
            ("http://127.0.0.1:8420", "http://127.0.0.1:8420"),
            (" https://stripe.example.org/ ", "https://stripe.example.org"),
            ("http://localhost:1/", "http://localhost:1"),
        ] {
            assert_eq!(StripeAddress::parse(text).unwrap().as_str(), kept);
        }
        for text in [
            "",
            "http://example.org",
            "https://example.org/v1",
            "https://u@example.org",
            "https://e.org?a",
            "ftp://localhost",
        ] {
            assert_eq!(StripeAddress::parse(text), Err(UnfitAddress), "{text}");
        }
    }
}
