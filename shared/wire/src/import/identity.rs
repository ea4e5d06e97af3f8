//! Tenants, keys and merchants of the import document.

use crate::readers::{
    ADDRESS_CHARS, NAME_CHARS, check_key_label, count, currency, line, name, origins, percent, price, word,
};
use crate::{Amount, Checker, Field, IntegerId, incoming};
use domain::merchant::{Merchant, MerchantStatus, RateCard};
use domain::tenant::{ClaimRule, ConsumerSite, MAX_HOLD_SECS, MIN_HOLD_SECS, MemberClaims, Scope};
use domain::{Currency, Mid, TenantId, Zone};
use std::collections::BTreeSet;

incoming! {
    /// A tenant. Of a tenant that exists only the id is required; what is left out stays as it is.
    pub struct TenantInput {
        id: IntegerId,
        name: String,
        time_zone: String,
        currency: String,
        sandbox: bool,
        hold_seconds: i64,
        allowed_origins: Vec<String>,
        descriptor_prefix: String,
        consumer_site: String,
        staff_site: String,
        member_claims: MemberClaimsInput,
    }
    /// Who may claim to be a member.
    pub struct MemberClaimsInput {
        b2c: String,
        #[serde(rename = "b2c-browser")]
        b2c_browser: String,
    }
    /// A key of a sandbox tenant.
    pub struct ApiKeyInput {
        key: String,
        scopes: Vec<String>,
        origins: Vec<String>,
        label: String,
        mid: String,
    }
    /// A merchant.
    pub struct MerchantInput {
        mid: String,
        name: String,
        status: String,
        rate_card: RateCardInput,
        descriptor: String,
    }
    /// What a sale costs.
    pub struct RateCardInput {
        percentage_rate: Amount,
        fixed_fee: Amount,
    }
}

/// A tenant's settings; those left out stay as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantRecord {
    /// Identity.
    pub id: TenantId,
    /// Name.
    pub name: Option<String>,
    /// Zone.
    pub zone: Option<Zone>,
    /// What everything costs is counted in.
    pub currency: Option<Currency>,
    /// Whether demo keys and a chosen clock are accepted.
    pub sandbox: Option<bool>,
    /// Life of a reservation in seconds.
    pub hold_secs: Option<u32>,
    /// Origins of pages.
    pub allowed_origins: Option<BTreeSet<String>>,
    /// Put in front of descriptors.
    pub descriptor_prefix: Option<String>,
    /// What links in login mails open.
    pub consumer_site: Option<ConsumerSite>,
    /// What links in mails to staff open.
    pub staff_site: Option<ConsumerSite>,
    /// Who may claim to be a member.
    pub member_claims: MemberClaimsRecord,
}

/// Who may claim to be a member; what is left out stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemberClaimsRecord {
    /// Callers with the key of a server.
    pub servers: Option<ClaimRule>,
    /// Callers with the key of a page.
    pub pages: Option<ClaimRule>,
}

impl MemberClaimsRecord {
    /// What it comes to where this is in force.
    #[must_use]
    pub fn over(self, before: MemberClaims) -> MemberClaims {
        let Self { servers, pages } = self;
        MemberClaims { servers: servers.unwrap_or(before.servers), pages: pages.unwrap_or(before.pages) }
    }
}

/// A key, with its text. The text is dropped once it is hashed.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKeyRecord {
    /// The text callers send.
    pub key: String,
    /// What it may do.
    pub scopes: BTreeSet<Scope>,
    /// Origins a browser key works from.
    pub origins: BTreeSet<String>,
    /// A name for people.
    pub label: String,
    /// The merchant of a payment key.
    pub mid: Option<Mid>,
}

impl std::fmt::Debug for ApiKeyRecord {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ApiKeyRecord").field("label", &self.label).finish_non_exhaustive()
    }
}

/// How demo keys begin; the only keys a document may carry.
pub const DEMO_PREFIX: &str = "demo-";
/// Characters of a key.
const KEY_CHARS: usize = 200;

impl TenantInput {
    /// The tenant's settings, unless a field is at fault.
    pub fn read(self, checker: &mut Checker) -> Option<TenantRecord> {
        let number = checker.required("id", self.id);
        let id = number.and_then(|number| TenantId::parse(number.get()).ok());
        if number.is_some() && id.is_none() {
            checker.invalid("id", "must be a positive integer below 2^53");
        }
        let zone = word(
            checker,
            "timeZone",
            self.time_zone,
            |text: &str| Zone::parse(text).ok(),
            "the zones of the IANA time zone database",
        );
        let sent_origins = matches!(self.allowed_origins, Field::Value(_) | Field::Wrong);
        let origins = origins(checker, "allowedOrigins", self.allowed_origins);
        let record = TenantRecord {
            name: checker.optional_text("name", self.name, NAME_CHARS),
            zone,
            currency: currency(checker, "currency", self.currency),
            sandbox: checker.optional("sandbox", self.sandbox),
            hold_secs: count(checker, "holdSeconds", self.hold_seconds, MIN_HOLD_SECS..=MAX_HOLD_SECS),
            allowed_origins: sent_origins.then_some(origins),
            descriptor_prefix: checker.optional_text("descriptorPrefix", self.descriptor_prefix, NAME_CHARS),
            consumer_site: site(checker, "consumerSite", self.consumer_site),
            staff_site: site(checker, "staffSite", self.staff_site),
            member_claims: checker
                .object("memberClaims", self.member_claims, read_member_claims)
                .unwrap_or_default(),
            id: id?,
        };
        Some(record)
    }
}

fn read_member_claims(checker: &mut Checker, input: MemberClaimsInput) -> MemberClaimsRecord {
    let rules = "none, proof, any";
    MemberClaimsRecord {
        servers: word(checker, "b2c", input.b2c, ClaimRule::parse, rules),
        pages: word(checker, "b2c-browser", input.b2c_browser, ClaimRule::parse, rules),
    }
}

fn site(checker: &mut Checker, field: &'static str, sent: Field<String>) -> Option<ConsumerSite> {
    let text = checker.optional_text(field, sent, ADDRESS_CHARS)?;
    let site = ConsumerSite::parse(&text).ok();
    if site.is_none() {
        checker.invalid(field, "must be the address of a page, such as https://members.example.org/login");
    }
    site
}

impl ApiKeyInput {
    /// The key, unless a field is at fault.
    pub fn read(self, checker: &mut Checker) -> Option<ApiKeyRecord> {
        let key = checker.required_text("key", self.key, KEY_CHARS);
        if key.as_ref().is_some_and(|key| !key.starts_with(DEMO_PREFIX)) {
            checker
                .invalid("key", format!("must start with {DEMO_PREFIX}; other keys are issued, not written"));
        }
        let named = checker.each("scopes", self.scopes, |_, scope| scope);
        let mut scopes = BTreeSet::new();
        for (index, scope) in named.iter().enumerate() {
            match Scope::parse(scope) {
                Some(scope) => _ = scopes.insert(scope),
                None => checker.invalid(format!("scopes/{index}"), "must be one of the scopes"),
            }
        }
        if named.is_empty() {
            checker.invalid("scopes", "must have at least one entry");
        }
        let for_pages = scopes.iter().any(|scope| scope.is_page());
        if for_pages && scopes.len() > 1 {
            checker.invalid("scopes", "must be b2c-browser alone for a browser key");
        }
        let origins = origins(checker, "origins", self.origins);
        if for_pages && origins.is_empty() {
            checker.invalid("origins", "must have at least one entry for a browser key");
        }
        let mid = checker.optional_id("mid", self.mid, Mid::parse);
        if scopes.contains(&Scope::Payment) && mid.is_none() {
            checker.invalid("mid", "is required for a payment key");
        }
        let label = line(checker, "label", self.label);
        check_key_label(checker, &label);
        Some(ApiKeyRecord { key: key?, scopes, origins, label, mid })
    }
}

impl MerchantInput {
    /// The merchant, unless a field is at fault.
    pub fn read(self, checker: &mut Checker) -> Option<Merchant> {
        let sent = checker.required_text("mid", self.mid, NAME_CHARS);
        let mid = sent.as_deref().filter(|mid| mid.bytes().all(|byte| byte.is_ascii_digit()));
        let mid = mid.and_then(|mid| Mid::parse(mid).ok());
        if sent.is_some() && mid.is_none() {
            checker.invalid("mid", "must have 1 to 64 digits");
        }
        checker.require("status", &self.status);
        let expected = "Incomplete, Pending, Approved, Declined";
        let status = word(checker, "status", self.status, MerchantStatus::parse, expected);
        let rate_card = checker.object("rateCard", self.rate_card, read_rate_card).flatten();
        let name = name(checker, "name", self.name);
        let descriptor = line(checker, "descriptor", self.descriptor);
        Some(Merchant { mid: mid?, name, status: status?, rate_card, descriptor })
    }
}

fn read_rate_card(checker: &mut Checker, input: RateCardInput) -> Option<RateCard> {
    for (field, sent) in [("percentageRate", &input.percentage_rate), ("fixedFee", &input.fixed_fee)] {
        checker.require(field, sent);
    }
    let percentage = percent(checker, "percentageRate", input.percentage_rate);
    let fixed = price(checker, "fixedFee", input.fixed_fee);
    Some(RateCard { percentage: percentage?, fixed: fixed? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rejection, read_body};
    use serde_json::json;

    #[test]
    fn a_key_of_a_document_does_not_look_like_a_person_and_its_origins_are_origins() {
        for (label, origin, told) in [
            ("Page", "https://tickets.example.org", vec![]),
            (
                "staff:0101",
                "HTTPS://tickets.example.org",
                vec![
                    "/label must not begin with staff:",
                    "/origins/0 must be an origin, such as https://tickets.example.org",
                ],
            ),
        ] {
            let body =
                json!({"key": "demo-page", "label": label, "scopes": ["b2c-browser"], "origins": [origin]});
            let mut checker = Checker::new();
            let input: ApiKeyInput = read_body(body.to_string().as_bytes()).unwrap();
            let key = input.read(&mut checker);
            let refused = checker.finish(key).err();
            let details = refused.iter().flat_map(Rejection::details);
            let mut faults: Vec<String> =
                details.map(|fault| format!("{} {}", fault.field, fault.message)).collect();
            faults.sort();
            assert_eq!(faults, told, "{label}");
        }
    }
}
