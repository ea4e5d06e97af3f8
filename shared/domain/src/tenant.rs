//! Tenants and the keys that speak for them.

use crate::rate_limit::{Rate, RateLimit};
use crate::stripe::{KeyMode, StripeSettings, UnfitKey};
use crate::web_address::is_safe_address;
use crate::{Mid, TenantId, Timestamp, Zone};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// One venue: the owner of its catalog, carts and orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tenant {
    /// Leads every key of the tenant.
    pub id: TenantId,
    /// Shown in mails.
    pub name: String,
    /// Days, schedules and terms are reckoned in it.
    pub zone: Zone,
    /// A sandbox tenant accepts the demo keys and a clock of the caller's choice; no real money moves.
    pub sandbox: bool,
    /// How long a reservation holds its seats, in seconds (contract §8).
    pub hold_secs: u32,
    /// Origins whose pages may call the browser routes, such as `https://tickets.example.org`.
    pub allowed_origins: BTreeSet<String>,
    /// Put in front of a merchant's billing descriptor.
    pub descriptor_prefix: String,
    /// Who charges the cards.
    pub processor: ProcessorKind,
    /// Address confirmation mails are sent from; none takes the deployment's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail_from: Option<String>,
    /// The site that links in login mails open; without one, none are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumer_site: Option<ConsumerSite>,
    /// How often things may be asked for, where it is not what [`RateLimit::default_rate`] says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<RateLimit, Rate>,
    /// Who may claim to be a member.
    #[serde(default, skip_serializing_if = "MemberClaims::is_default")]
    pub member_claims: MemberClaims,
    /// The key of the tenant's keyed hashes, sealed by the vault, in hexadecimal.
    pub sealed_hash_key: String,
    /// Since when the tenant is closed (decision 0093); none while it is open.
    #[serde(
        default,
        with = "chrono::serde::ts_milliseconds_option",
        skip_serializing_if = "Option::is_none"
    )]
    pub closed_at: Option<Timestamp>,
}

/// Seconds after which nothing of a closed tenant is written any more: settings are cached for five, and no function
/// lives longer than 28.
pub const REST_SECS: i64 = 60;

impl Tenant {
    /// How often something may be asked for.
    #[must_use]
    pub fn rate(&self, limit: RateLimit) -> Rate {
        let usual = limit.default_rate();
        let usual = if self.sandbox { usual.in_sandbox() } else { usual };
        self.limits.get(&limit).copied().unwrap_or(usual)
    }

    /// Whether the tenant is closed: no request is answered, nothing that is due is done, and no mail is sent.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.closed_at.is_some()
    }

    /// Whether the tenant may charge by a key of this mode.
    ///
    /// # Errors
    /// [`UnfitKey`] when the one is for real money and the other is not.
    pub const fn may_charge_by(&self, mode: KeyMode) -> Result<(), UnfitKey> {
        match (self.sandbox, mode) {
            (true, KeyMode::Test) | (false, KeyMode::Live) => Ok(()),
            (true, KeyMode::Live) => Err(UnfitKey::LiveInSandbox),
            (false, KeyMode::Test) => Err(UnfitKey::TestInLive),
        }
    }
}

/// A page of the tenant's own site that takes the token of a login link (spec §4.7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ConsumerSite(Url);

/// The text is no address of a site that a link may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnfitSite;

impl ConsumerSite {
    /// The query parameter of a link that holds the token.
    pub const TOKEN: &'static str = "loginToken";

    /// Reads the address of a page: `https`, or `http` on this very machine; without user, password and fragment.
    ///
    /// # Errors
    /// [`UnfitSite`] for any other text.
    pub fn parse(text: &str) -> Result<Self, UnfitSite> {
        let url = Url::parse(text.trim()).map_err(|_| UnfitSite)?;
        if is_safe_address(&url) { Ok(Self(url)) } else { Err(UnfitSite) }
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The link with a token.
    #[must_use]
    pub fn link(&self, token: &str) -> String {
        let mut link = self.0.clone();
        link.query_pairs_mut().append_pair(Self::TOKEN, token);
        link.into()
    }
}

impl TryFrom<String> for ConsumerSite {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).map_err(|UnfitSite| "not the address of a site")
    }
}

impl From<ConsumerSite> for String {
    fn from(site: ConsumerSite) -> Self {
        site.0.into()
    }
}

/// Default of [`Tenant::hold_secs`]: ten minutes.
pub const DEFAULT_HOLD_SECS: u32 = 600;

/// A hold never outlives its creation by more than this (contract §8).
pub const MAX_HOLD_SECS: u32 = 1_800;

/// The card processor a tenant uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProcessorKind {
    /// The built-in one, with documented test cards.
    Sandbox,
    /// Stripe, on an account of the tenant.
    Stripe(Box<StripeSettings>),
}

/// What a key may do (contract §2). Scopes are exact; a key may carry several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// A storefront's server.
    B2c,
    /// A storefront's page: publishable, bound to origins, never member data.
    B2cBrowser,
    /// The back office.
    B2b,
    /// Refunds of one merchant.
    Payment,
    /// A partner that brings merchants.
    Onboard,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::B2c, Self::B2cBrowser, Self::B2b, Self::Payment, Self::Onboard];

    /// The name used in settings and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::B2c => "b2c",
            Self::B2cBrowser => "b2c-browser",
            Self::B2b => "b2b",
            Self::Payment => "payment",
            Self::Onboard => "onboard",
        }
    }

    /// Reads a scope's name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }

    /// Whether its keys are those of storefronts' pages, which everybody can read.
    #[must_use]
    pub const fn is_page(self) -> bool {
        match self {
            Self::B2cBrowser => true,
            Self::B2c | Self::B2b | Self::Payment | Self::Onboard => false,
        }
    }
}

/// What the callers of one kind of key have to bring to be taken for members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimRule {
    /// Nothing helps: nobody is taken for a member.
    None,
    /// A proof ([`crate::member_proof`]).
    Proof,
    /// Nothing: whatever they name counts.
    Any,
}

impl ClaimRule {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::None, Self::Proof, Self::Any];

    /// The name used in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Proof => "proof",
            Self::Any => "any",
        }
    }

    /// Reads a rule's name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }
}

/// Who of a tenant's storefront may claim to be a member. Unless it is set, a storefront's server has verified whom it
/// names, and a page needs a proof: its key is known to everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemberClaims {
    /// Callers with the key of a server.
    #[serde(rename = "b2c")]
    pub servers: ClaimRule,
    /// Callers with the key of a page.
    #[serde(rename = "b2c-browser")]
    pub pages: ClaimRule,
}

impl Default for MemberClaims {
    fn default() -> Self {
        Self { servers: ClaimRule::Any, pages: ClaimRule::Proof }
    }
}

impl MemberClaims {
    /// True where nothing was set.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// What applies to callers of a scope; none to those who claim nothing for themselves.
    #[must_use]
    pub const fn rule(&self, scope: Scope) -> ClaimRule {
        match scope {
            Scope::B2c => self.servers,
            Scope::B2cBrowser => self.pages,
            Scope::B2b | Scope::Payment | Scope::Onboard => ClaimRule::None,
        }
    }
}

/// A key as it is stored: its text is known only to its holder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    /// Whose data it opens.
    pub tenant: TenantId,
    /// What it may do.
    pub scopes: BTreeSet<Scope>,
    /// Origins a browser key may be used from.
    #[serde(default)]
    pub origins: BTreeSet<String>,
    /// The merchant a payment key belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mid: Option<Mid>,
    /// A name for people, shown when keys are listed.
    pub label: String,
    /// A revoked key is as good as unknown.
    pub revoked: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rules_are_read_by_the_names_they_are_printed_with() {
        for rule in ClaimRule::ALL {
            assert_eq!(ClaimRule::parse(rule.name()), Some(rule));
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.name());
        }
        assert_eq!(ClaimRule::parse("Any"), None);
    }

    #[test]
    fn a_server_is_believed_and_a_page_has_to_prove_it_unless_the_venue_says_otherwise() {
        let usual: MemberClaims = serde_json::from_value(json!({})).unwrap();
        assert_eq!((usual.servers, usual.pages), (ClaimRule::Any, ClaimRule::Proof));
        assert!(usual.is_default());
        let half: MemberClaims = serde_json::from_value(json!({"b2c-browser": "none"})).unwrap();
        assert_eq!((half.servers, half.pages), (ClaimRule::Any, ClaimRule::None));
        assert!(!half.is_default());
        assert_eq!(serde_json::to_value(half).unwrap(), json!({"b2c": "any", "b2c-browser": "none"}));
    }

    #[test]
    fn real_money_moves_for_live_tenants_and_for_no_other() {
        let tenant = |sandbox: bool| -> Tenant {
            let stored = json!({
                "id": 204, "name": "", "zone": "America/New_York", "sandbox": sandbox, "hold_secs": 600,
                "allowed_origins": [], "descriptor_prefix": "", "processor": "sandbox", "sealed_hash_key": "",
            });
            serde_json::from_value(stored).unwrap()
        };
        assert_eq!(tenant(true).may_charge_by(KeyMode::Test), Ok(()));
        assert_eq!(tenant(false).may_charge_by(KeyMode::Live), Ok(()));
        assert_eq!(tenant(true).may_charge_by(KeyMode::Live), Err(UnfitKey::LiveInSandbox));
        assert_eq!(tenant(false).may_charge_by(KeyMode::Test), Err(UnfitKey::TestInLive));
    }

    #[test]
    fn a_link_leads_to_the_tenants_own_page_with_its_token() {
        for (site, link) in [
            ("https://members.example.org", "https://members.example.org/?loginToken=a-1-b"),
            (" https://example.org/members?lang=en ", "https://example.org/members?lang=en&loginToken=a-1-b"),
            ("http://127.0.0.1:3000/login", "http://127.0.0.1:3000/login?loginToken=a-1-b"),
            ("http://localhost/", "http://localhost/?loginToken=a-1-b"),
            ("http://[::1]/", "http://[::1]/?loginToken=a-1-b"),
        ] {
            assert_eq!(ConsumerSite::parse(site).unwrap().link("a-1-b"), link);
        }
    }

    #[test]
    fn the_processor_of_a_record_reads_as_it_was_written() {
        let read = |text: &str| serde_json::from_str::<ProcessorKind>(text).unwrap();
        assert_eq!(read("\"sandbox\""), ProcessorKind::Sandbox);
        for text in [
            r#"{"stripe":{"sealed_key":"0a"}}"#,
            r#"{"stripe":{"sealed_key":"0a","address":"http://127.0.0.1:8420/","accounts":{"60417":"acct_1"}}}"#,
        ] {
            assert_eq!(serde_json::to_string(&read(text)).unwrap(), text);
        }
    }

    #[test]
    fn a_site_that_others_could_read_along_is_unfit() {
        for site in [
            "",
            "members.example.org",
            "http://members.example.org",
            "ftp://localhost/",
            "https://",
            "https://user@example.org",
            "https://:secret@example.org",
            "https://example.org/#login",
            "javascript:alert(1)",
            "data:text/html,x",
        ] {
            assert_eq!(ConsumerSite::parse(site), Err(UnfitSite), "{site}");
        }
    }
}
