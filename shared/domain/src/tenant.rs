//! Tenants and the keys that speak for them.

use crate::branding::Branding;
use crate::channel::Channel;
use crate::rate_limit::{Rate, RateLimit};
use crate::stripe::{KeyMode, StripeSettings, UnfitKey, smallest_charge};
use crate::web_address::is_safe_address;
use crate::{Currency, Mid, Money, TenantId, Timestamp, Zone};
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
    /// What everything costs is counted in it. It stays from the first sale on (decision record 0150).
    #[serde(default, skip_serializing_if = "Currency::is_usual")]
    pub currency: Currency,
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
    /// The page that links in mails to staff open; without one, none are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staff_site: Option<ConsumerSite>,
    /// How the venue looks on pages that are not its own.
    #[serde(default, skip_serializing_if = "Branding::is_default")]
    pub branding: Branding,
    /// Whether orders get running numbers of the year.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub receipt_numbers: bool,
    /// Counts the changes of the settings, each of which an admin makes to what was read.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub settings_version: u64,
    /// How often things may be asked for, where it is not what [`RateLimit::default_rate`] says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<RateLimit, Rate>,
    /// Who may claim to be a member.
    #[serde(default, skip_serializing_if = "MemberClaims::is_default")]
    pub member_claims: MemberClaims,
    /// Whom the doors let in.
    #[serde(default, skip_serializing_if = "DoorRules::is_default")]
    pub door: DoorRules,
    /// Whether the numbers of cards are taken, and not tokens of them alone (decision record 0145). A tenant that was
    /// made before this was asked takes them as it did.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub raw_cards: bool,
    /// How long buyers may take to answer the issuer of their card, in seconds, from the checkout on (decision record
    /// 0146).
    #[serde(default = "usual_challenge_secs", skip_serializing_if = "is_usual_challenge")]
    pub challenge_secs: u32,
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

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Whom the doors let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DoorRules {
    /// Tickets of orders with a balance open the door.
    pub admit_unpaid: bool,
    /// Whether a member card opens it more than once a day.
    pub card_reentry: CardReentry,
}

impl Default for DoorRules {
    fn default() -> Self {
        Self { admit_unpaid: true, card_reentry: CardReentry::Always }
    }
}

impl DoorRules {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether a member card opens the door more than once a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CardReentry {
    /// Whenever it is shown.
    #[default]
    Always,
    /// Once.
    Never,
}

impl CardReentry {
    /// The word of settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Never => "never",
        }
    }

    /// Reads the word of settings.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Always, Self::Never].into_iter().find(|known| known.name() == text)
    }
}

const fn yes() -> bool {
    true
}

const fn usual_challenge_secs() -> u32 {
    DEFAULT_CHALLENGE_SECS
}

const fn is_usual_challenge(secs: &u32) -> bool {
    *secs == DEFAULT_CHALLENGE_SECS
}

const fn is_yes(taken: &bool) -> bool {
    *taken
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

    /// The smallest amount that its card processor charges, where that is known.
    #[must_use]
    pub fn smallest_charge(&self) -> Option<Money> {
        match self.processor {
            ProcessorKind::Sandbox => None,
            ProcessorKind::Stripe(_) => smallest_charge(self.currency),
        }
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

/// A page of the tenant's own that takes the token of a link to log in by (spec §4.7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ConsumerSite(Url);

/// The text is no address of a site that a link may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnfitSite;

impl ConsumerSite {
    /// The query parameter of a link that holds the token.
    pub const TOKEN: &'static str = "loginToken";
    /// That of a link to an order.
    pub const ORDER_TOKEN: &'static str = "orderToken";

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

    /// Whether it can exist nowhere: names below `.example` are kept for examples (RFC 2606), such as the demo venues.
    #[must_use]
    pub fn is_example(&self) -> bool {
        self.0.host_str().is_some_and(|host| host.ends_with(".example"))
    }

    /// The link to log in by with a token.
    #[must_use]
    pub fn link(&self, token: &str) -> String {
        self.with(Self::TOKEN, token)
    }

    /// The link to an order with a token.
    #[must_use]
    pub fn order_link(&self, token: &str) -> String {
        self.with(Self::ORDER_TOKEN, token)
    }

    fn with(&self, parameter: &str, token: &str) -> String {
        let mut link = self.0.clone();
        link.query_pairs_mut().append_pair(parameter, token);
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

/// Default of [`Tenant::challenge_secs`]: ten minutes.
pub const DEFAULT_CHALLENGE_SECS: u32 = 600;

/// The shortest time that buyers may be given to answer the issuer of their card.
pub const MIN_CHALLENGE_SECS: u32 = 60;

/// The longest time that they may be given.
pub const MAX_CHALLENGE_SECS: u32 = 1_800;

/// Default of [`Tenant::hold_secs`]: ten minutes.
pub const DEFAULT_HOLD_SECS: u32 = 600;

/// The shortest life of a reservation that a venue chooses.
pub const MIN_HOLD_SECS: u32 = 30;

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
    /// A device that scans tickets at the door.
    Door,
    /// A till.
    Counter,
    /// Refunds of one merchant.
    Payment,
    /// A partner that brings merchants.
    Onboard,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::B2c, Self::B2cBrowser, Self::B2b, Self::Door, Self::Counter, Self::Payment, Self::Onboard];

    /// The name used in settings and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::B2c => "b2c",
            Self::B2cBrowser => "b2c-browser",
            Self::B2b => "b2b",
            Self::Door => "door",
            Self::Counter => "counter",
            Self::Payment => "payment",
            Self::Onboard => "onboard",
        }
    }

    /// Reads a scope's name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }

    /// Whether whoever has this scope may issue keys of another one: never of a wider one. The back office reads and
    /// writes what all of a venue may, and has nothing to do with its merchants.
    #[must_use]
    pub const fn may_issue(self, wanted: Self) -> bool {
        match (self, wanted) {
            (Self::B2b, Self::B2c | Self::B2cBrowser | Self::B2b | Self::Door | Self::Counter) => true,
            (Self::B2b, Self::Payment | Self::Onboard) => false,
            (
                Self::B2c | Self::B2cBrowser | Self::Door | Self::Counter | Self::Payment | Self::Onboard,
                Self::B2c
                | Self::B2cBrowser
                | Self::B2b
                | Self::Door
                | Self::Counter
                | Self::Payment
                | Self::Onboard,
            ) => false,
        }
    }

    /// Whether its keys are those of storefronts' pages, which everybody can read.
    #[must_use]
    pub const fn is_page(self) -> bool {
        match self {
            Self::B2cBrowser => true,
            Self::B2c | Self::B2b | Self::Door | Self::Counter | Self::Payment | Self::Onboard => false,
        }
    }

    /// Whether its keys are those of storefronts, pages or servers: what these do, they do for a visitor.
    #[must_use]
    pub const fn is_storefront(self) -> bool {
        match self {
            Self::B2c | Self::B2cBrowser => true,
            Self::B2b | Self::Door | Self::Counter | Self::Payment | Self::Onboard => false,
        }
    }

    /// Where its keys sell: what they are shown, and what their carts are priced for.
    #[must_use]
    pub const fn channel(self) -> Channel {
        match self {
            Self::B2c | Self::B2cBrowser | Self::Payment | Self::Onboard => Channel::Online,
            Self::Door | Self::Counter => Channel::PointOfSale,
            Self::B2b => Channel::InsideSalesIndividual,
        }
    }

    /// The channel a request is about, where it may name one. A till sells at its counter, whatever it names; others
    /// may ask for any.
    #[must_use]
    pub const fn asked_channel(self, named: Option<Channel>) -> Channel {
        match (self, named) {
            (Self::Door | Self::Counter, Some(_) | None) => self.channel(),
            (Self::B2c | Self::B2cBrowser | Self::B2b | Self::Payment | Self::Onboard, Some(named)) => named,
            (Self::B2c | Self::B2cBrowser | Self::B2b | Self::Payment | Self::Onboard, None) => {
                self.channel()
            }
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

    /// What applies to callers of a scope: staff have seen the card of whom they name; none to those who claim nothing.
    #[must_use]
    pub const fn rule(&self, scope: Scope) -> ClaimRule {
        match scope {
            Scope::B2c => self.servers,
            Scope::B2cBrowser => self.pages,
            Scope::B2b | Scope::Counter => ClaimRule::Any,
            Scope::Door | Scope::Payment | Scope::Onboard => ClaimRule::None,
        }
    }
}

/// What a key starts with, so that one that leaked is recognised.
pub const KEY_PREFIX: &str = "bxo_";

/// Bytes of a key that nobody can guess: 192 bits.
pub const KEY_BYTES: usize = 24;

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
    fn scopes_are_read_by_the_names_they_are_printed_with() {
        for scope in Scope::ALL {
            assert_eq!(Scope::parse(scope.name()), Some(scope));
            assert_eq!(serde_json::to_value(scope).unwrap(), scope.name());
        }
        assert_eq!(Scope::parse("Door"), None);
    }

    #[test]
    fn a_till_sells_at_its_counter_whatever_it_names() {
        for named in [None, Some(Channel::Online), Some(Channel::Kiosk)] {
            assert_eq!(Scope::Counter.asked_channel(named), Channel::PointOfSale, "{named:?}");
        }
        assert_eq!(Scope::B2b.asked_channel(None), Channel::InsideSalesIndividual);
        assert_eq!(Scope::B2b.asked_channel(Some(Channel::CustomerRep)), Channel::CustomerRep);
        assert_eq!(Scope::B2c.asked_channel(None), Channel::Online);
        assert_eq!(Scope::B2cBrowser.asked_channel(Some(Channel::Kiosk)), Channel::Kiosk);
    }

    #[test]
    fn staff_are_believed_whom_they_name_and_doors_sell_to_nobody() {
        let set = MemberClaims { servers: ClaimRule::None, pages: ClaimRule::None };
        for claims in [MemberClaims::default(), set] {
            assert_eq!(claims.rule(Scope::B2b), ClaimRule::Any);
            assert_eq!(claims.rule(Scope::Counter), ClaimRule::Any);
            assert_eq!(claims.rule(Scope::Door), ClaimRule::None);
        }
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
            let site = ConsumerSite::parse(site).unwrap();
            assert_eq!(site.link("a-1-b"), link);
            assert_eq!(site.order_link("7.1.b"), link.replace("loginToken=a-1-b", "orderToken=7.1.b"));
        }
    }

    #[test]
    fn names_for_examples_exist_nowhere() {
        for (site, example) in [
            ("https://harbor-museum.example/members", true),
            ("https://members.example.org/", false),
            ("https://example.test/", false),
            ("http://127.0.0.1:3000/", false),
        ] {
            assert_eq!(ConsumerSite::parse(site).unwrap().is_example(), example, "{site}");
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
