//! A venue's settings, as its admins see and change them (decision record 0138).

use crate::readers::{ADDRESS_CHARS, NAME_CHARS, at_most, count, origins};
use crate::{Checker, Field, List, incoming};
use domain::Zone;
use domain::branding::{Branding, MAX_COLOURS, MAX_LANGUAGES, is_colour, is_language};
use domain::rate_limit::{MAX_WINDOW_SECS, Rate, RateLimit};
use domain::settings::{FieldChange, SettingsChange, SettingsEdit};
use domain::tenant::{
    ConsumerSite, MAX_CHALLENGE_SECS, MAX_HOLD_SECS, MIN_CHALLENGE_SECS, MIN_HOLD_SECS, ProcessorKind, Tenant,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use utoipa::ToSchema;

incoming! {
    /// Settings of a venue. What is left out stays as it is.
    pub struct SettingsInput {
        /// The venue's name.
        #[schema(required = true)]
        name: String,
        /// Its colours, all of them; each name once.
        colours: Vec<ColourInput>,
        /// The address of its logo; `null` takes it away.
        logo: String,
        /// What its visitors speak, the usual language first, such as `en` or `pt-BR`.
        languages: Vec<String>,
        /// The address of its terms of sale; `null` takes it away.
        terms: String,
        /// The address of what it does with personal data; `null` takes it away.
        privacy: String,
        /// How long a reservation holds its seats, 30 to 1,800 seconds.
        hold_seconds: i64,
        /// How long buyers may take to answer the issuer of their card, from the checkout on, 60 to 1,800 seconds.
        challenge_seconds: i64,
        /// Origins of the venue's pages, all of them.
        allowed_origins: Vec<String>,
        /// Put in front of a merchant's name on card statements; an empty text takes it away.
        descriptor_prefix: String,
        /// Whether orders get running numbers of the year, such as `2027-000123`. Each costs a checkout one more write.
        receipt_numbers: bool,
        /// Limits that are not the usual ones, all of them; each once.
        limits: Vec<LimitInput>,
        /// The operator's: the same as it is, or left out.
        time_zone: String,
        /// The operator's: the same as it is, or left out.
        currency: String,
        /// The operator's: the same as it is, or left out.
        sandbox: bool,
        /// The operator's: the same as it is, or left out.
        processor: String,
        /// The operator's: the same as it is, or left out.
        mail_from: String,
        /// The operator's: the same as it is, or left out.
        consumer_site: String,
        /// The operator's: the same as it is, or left out.
        staff_site: String,
        /// The operator's: the same as it is, or left out.
        member_claims: MemberClaimsSettingInput,
        /// The operator's: the same as it is, or left out.
        raw_cards: bool,
        /// The operator's: the same as it is, or left out.
        admit_unpaid: bool,
        /// The operator's: the same as it is, or left out.
        card_reentry: String,
    }
    /// A colour.
    pub struct ColourInput {
        /// What it is for, such as `primary`.
        #[schema(required = true)]
        name: String,
        /// `#` and six hexadecimal digits.
        #[schema(required = true)]
        value: String,
    }
    /// How often something may be asked for.
    pub struct LimitInput {
        /// Its name, such as `carts-per-address`.
        #[schema(required = true)]
        limit: String,
        /// How often.
        #[schema(required = true)]
        count: i64,
        /// Within how many seconds, at most a day.
        #[schema(required = true)]
        seconds: i64,
    }
    /// Who may claim to be a member.
    pub struct MemberClaimsSettingInput {
        /// Servers.
        servers: String,
        /// Pages.
        pages: String,
    }
}

/// Settings as they were sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsRequest {
    /// What they are to become.
    pub edit: SettingsEdit,
    /// The fields that only the operator changes, and that were sent with another value.
    pub reserved: Vec<&'static str>,
}

impl SettingsInput {
    /// What was asked for of a tenant, unless a field is at fault.
    pub fn read(self, checker: &mut Checker, tenant: &Tenant) -> Option<SettingsRequest> {
        let name = checker.required_text("name", self.name, NAME_CHARS);
        let colours = self.colours.is_sent().then(|| read_colours(checker, self.colours));
        let logo = read_address(checker, "logo", self.logo, "https://example.org/logo.svg");
        let languages = self.languages.is_sent().then(|| read_languages(checker, self.languages));
        let terms = read_address(checker, "terms", self.terms, "https://example.org/terms");
        let privacy = read_address(checker, "privacy", self.privacy, "https://example.org/privacy");
        let hold_secs = count(checker, "holdSeconds", self.hold_seconds, MIN_HOLD_SECS..=MAX_HOLD_SECS);
        let challenge_secs = count(
            checker,
            "challengeSeconds",
            self.challenge_seconds,
            MIN_CHALLENGE_SECS..=MAX_CHALLENGE_SECS,
        );
        let allowed_origins =
            self.allowed_origins.is_sent().then(|| origins(checker, "allowedOrigins", self.allowed_origins));
        let descriptor_prefix = read_prefix(checker, self.descriptor_prefix);
        let receipt_numbers = checker.optional("receiptNumbers", self.receipt_numbers);
        let limits = self.limits.is_sent().then(|| read_limits(checker, self.limits));
        let shown = SettingsView::from(tenant);
        let mut reserved = Reserved { checker, fields: Vec::new() };
        reserved.text("timeZone", self.time_zone, Some(&shown.time_zone));
        reserved.text("currency", self.currency, Some(&shown.currency));
        reserved.flag("sandbox", self.sandbox, shown.sandbox);
        reserved.text("processor", self.processor, Some(shown.processor));
        reserved.text("mailFrom", self.mail_from, shown.mail_from.as_deref());
        reserved.text("consumerSite", self.consumer_site, shown.consumer_site.as_deref());
        reserved.text("staffSite", self.staff_site, shown.staff_site.as_deref());
        reserved.claims(self.member_claims, &shown.member_claims);
        reserved.flag("rawCards", self.raw_cards, shown.raw_cards);
        reserved.flag("admitUnpaid", self.admit_unpaid, shown.admit_unpaid);
        reserved.text("cardReentry", self.card_reentry, Some(shown.card_reentry));
        let reserved = reserved.fields;
        let edit = SettingsEdit {
            name: name?,
            colours,
            logo,
            languages,
            terms,
            privacy,
            hold_secs,
            challenge_secs,
            allowed_origins,
            descriptor_prefix,
            receipt_numbers,
            limits,
        };
        Some(SettingsRequest { edit, reserved })
    }
}

/// The fields that only the operator changes, compared with what they are.
struct Reserved<'a> {
    checker: &'a mut Checker,
    fields: Vec<&'static str>,
}

impl Reserved<'_> {
    fn text(&mut self, field: &'static str, sent: Field<String>, shown: Option<&str>) {
        let is_other = is_other_text(&sent, shown);
        self.checker.optional(field, sent);
        self.fields.extend(is_other.then_some(field));
    }

    fn flag(&mut self, field: &'static str, sent: Field<bool>, shown: bool) {
        let is_null = matches!(sent, Field::Null);
        let sent = self.checker.optional(field, sent);
        self.fields.extend(sent.map_or(is_null, |sent| sent != shown).then_some(field));
    }

    fn claims(&mut self, sent: Field<MemberClaimsSettingInput>, shown: &MemberClaimsView) {
        let is_null = matches!(sent, Field::Null);
        let is_other = self.checker.object("memberClaims", sent, |checker, sent| {
            let is_other = is_other_text(&sent.servers, Some(shown.servers))
                || is_other_text(&sent.pages, Some(shown.pages));
            checker.optional("servers", sent.servers);
            checker.optional("pages", sent.pages);
            is_other
        });
        self.fields.extend(is_other.unwrap_or(is_null).then_some("memberClaims"));
    }
}

/// Whether a text was sent that is not what is shown. Null takes away what is shown.
fn is_other_text(sent: &Field<String>, shown: Option<&str>) -> bool {
    match sent {
        Field::Absent | Field::Wrong => false,
        Field::Null => shown.is_some(),
        Field::Value(sent) => Some(sent.trim()) != shown,
    }
}

fn read_colours(checker: &mut Checker, sent: Field<List<ColourInput>>) -> BTreeMap<String, String> {
    let mut named = BTreeSet::new();
    let colours = checker.each("colours", sent, |checker, colour| {
        let name = checker.required_text("name", colour.name, NAME_CHARS);
        if name.as_ref().is_some_and(|name| !named.insert(name.clone())) {
            checker.invalid("name", "is already used by another colour in the list");
        }
        let value = checker.required_text("value", colour.value, NAME_CHARS);
        if value.as_deref().is_some_and(|value| !is_colour(value)) {
            checker.invalid("value", "must be # and six hexadecimal digits");
        }
        name.zip(value)
    });
    at_most(checker, "colours", &colours, MAX_COLOURS);
    colours.into_iter().flatten().collect()
}

/// The address of a picture or a page; the inner none takes it away.
fn read_address(
    checker: &mut Checker,
    field: &'static str,
    sent: Field<String>,
    example: &str,
) -> Option<Option<String>> {
    if matches!(sent, Field::Null) {
        return Some(None);
    }
    let text = checker.optional_text(field, sent, ADDRESS_CHARS)?;
    // The rule of all addresses that pages of a venue may be sent to.
    if ConsumerSite::parse(&text).is_err() {
        checker.invalid(field, format!("must be an address, such as {example}"));
        return None;
    }
    Some(Some(text))
}

fn read_languages(checker: &mut Checker, sent: Field<List<String>>) -> Vec<String> {
    let languages = checker.each("languages", sent, |checker, language: String| {
        let language = language.trim().to_owned();
        if !is_language(&language) {
            checker.invalid_here("must be the tag of a language, such as en or pt-BR");
        }
        language
    });
    at_most(checker, "languages", &languages, MAX_LANGUAGES);
    languages
}

/// An empty text takes the prefix away.
fn read_prefix(checker: &mut Checker, sent: Field<String>) -> Option<String> {
    let is_empty = matches!(&sent, Field::Value(text) if text.trim().is_empty());
    let text = checker.optional_text("descriptorPrefix", sent, NAME_CHARS);
    text.or_else(|| is_empty.then(String::new))
}

fn read_limits(checker: &mut Checker, sent: Field<List<LimitInput>>) -> BTreeMap<RateLimit, Rate> {
    let mut named = BTreeSet::new();
    let limits = checker.each("limits", sent, |checker, limit| {
        let name = checker.required("limit", limit.limit);
        let known = name.as_deref().and_then(|name| RateLimit::parse(name.trim()).ok());
        if name.is_some() && known.is_none() {
            checker.invalid("limit", "must be the name of a limit");
        }
        if known.is_some_and(|known| !named.insert(known)) {
            checker.invalid("limit", "is already used by another limit in the list");
        }
        for (field, sent) in [("count", &limit.count), ("seconds", &limit.seconds)] {
            checker.require(field, sent);
        }
        let times = count(checker, "count", limit.count, 0..=u32::MAX);
        let window_secs = count(checker, "seconds", limit.seconds, 1..=MAX_WINDOW_SECS);
        Some((known?, Rate { count: times?, window_secs: window_secs? }))
    });
    at_most(checker, "limits", &limits, RateLimit::ALL.len());
    limits.into_iter().flatten().collect()
}

/// The settings of a venue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingsView {
    /// The tenant; the operator's.
    pub id: i64,
    /// The venue's name.
    pub name: String,
    /// Its colours.
    pub colours: Vec<ColourView>,
    /// The address of its logo.
    pub logo: Option<String>,
    /// What its visitors speak, the usual language first.
    pub languages: Vec<String>,
    /// The address of its terms of sale.
    pub terms: Option<String>,
    /// The address of what it does with personal data.
    pub privacy: Option<String>,
    /// How long a reservation holds its seats, in seconds.
    pub hold_seconds: u32,
    /// How long buyers may take to answer the issuer of their card, from the checkout on, in seconds.
    pub challenge_seconds: u32,
    /// Origins of the venue's pages.
    pub allowed_origins: Vec<String>,
    /// Put in front of a merchant's name on card statements.
    pub descriptor_prefix: String,
    /// Whether orders get running numbers of the year.
    pub receipt_numbers: bool,
    /// Limits that are not the usual ones.
    pub limits: Vec<LimitView>,
    /// The operator's.
    pub time_zone: String,
    /// The operator's: what everything costs is counted in, by its ISO 4217 code.
    pub currency: String,
    /// The operator's: whether no real money moves.
    pub sandbox: bool,
    /// The operator's: `sandbox` or `stripe`.
    pub processor: &'static str,
    /// The operator's: where mails come from, if not from the deployment's address.
    pub mail_from: Option<String>,
    /// The operator's: the page that links in mails to members open.
    pub consumer_site: Option<String>,
    /// The operator's: the page that links in mails to staff open.
    pub staff_site: Option<String>,
    /// The operator's: who may claim to be a member.
    pub member_claims: MemberClaimsView,
    /// The operator's: whether card numbers are taken as well as tokens.
    pub raw_cards: bool,
    /// The operator's: whether tickets of orders that are not paid in full open the door.
    pub admit_unpaid: bool,
    /// The operator's: whether a member card opens the door again on the same day, `always` or `never`.
    pub card_reentry: &'static str,
}

/// A colour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ColourView {
    /// What it is for.
    pub name: String,
    /// `#` and six hexadecimal digits.
    pub value: String,
}

/// How often something may be asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LimitView {
    /// Its name.
    pub limit: &'static str,
    /// How often.
    pub count: u32,
    /// Within how many seconds.
    pub seconds: u32,
}

/// Who may claim to be a member: `none`, `proof` or `any`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberClaimsView {
    /// Servers.
    pub servers: &'static str,
    /// Pages.
    pub pages: &'static str,
}

impl ColourView {
    /// The colours of a venue, by their names.
    pub(crate) fn all(branding: &Branding) -> Vec<Self> {
        let named = branding.colours.iter();
        named.map(|(name, value)| Self { name: name.clone(), value: value.clone() }).collect()
    }
}

impl From<&Tenant> for SettingsView {
    fn from(tenant: &Tenant) -> Self {
        let branding = &tenant.branding;
        let limit = |(limit, rate): (&RateLimit, &Rate)| LimitView {
            limit: limit.name(),
            count: rate.count,
            seconds: rate.window_secs,
        };
        let site = |site: &Option<ConsumerSite>| site.as_ref().map(|site| site.as_str().to_owned());
        Self {
            id: tenant.id.get(),
            name: tenant.name.clone(),
            colours: ColourView::all(branding),
            logo: branding.logo.clone(),
            languages: branding.languages.clone(),
            terms: branding.terms.clone(),
            privacy: branding.privacy.clone(),
            hold_seconds: tenant.hold_secs,
            challenge_seconds: tenant.challenge_secs,
            allowed_origins: tenant.allowed_origins.iter().cloned().collect(),
            descriptor_prefix: tenant.descriptor_prefix.clone(),
            receipt_numbers: tenant.receipt_numbers,
            limits: tenant.limits.iter().map(limit).collect(),
            time_zone: tenant.zone.name().to_owned(),
            currency: tenant.currency.to_string(),
            sandbox: tenant.sandbox,
            processor: match &tenant.processor {
                ProcessorKind::Sandbox => "sandbox",
                ProcessorKind::Stripe(_) => "stripe",
            },
            mail_from: tenant.mail_from.clone(),
            consumer_site: site(&tenant.consumer_site),
            staff_site: site(&tenant.staff_site),
            member_claims: MemberClaimsView {
                servers: tenant.member_claims.servers.name(),
                pages: tenant.member_claims.pages.name(),
            },
            raw_cards: tenant.raw_cards,
            admit_unpaid: tenant.door.admit_unpaid,
            card_reentry: tenant.door.card_reentry.name(),
        }
    }
}

/// A change of settings or keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingsChangeView {
    /// When it was made.
    pub created_on: String,
    /// Who made it: a person, the operator of a device, or else the label of a key.
    pub created_by: String,
    /// What was changed.
    pub changes: Vec<FieldChangeView>,
}

/// A field that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldChangeView {
    /// Which; `keys` of a key that was issued or revoked.
    pub field: String,
    /// What it was.
    pub before: Option<String>,
    /// What it became.
    pub after: Option<String>,
}

impl SettingsChangeView {
    /// A change as the tenant's clocks show it.
    #[must_use]
    pub fn new(change: &SettingsChange, zone: Zone) -> Self {
        let field = |FieldChange { field, before, after }: &FieldChange| FieldChangeView {
            field: field.clone(),
            before: before.clone(),
            after: after.clone(),
        };
        Self {
            created_on: zone.format(change.at),
            created_by: change.made_by().to_owned(),
            changes: change.fields.iter().map(field).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rejection, read_body};
    use serde_json::{Value, json};

    fn tenant() -> Tenant {
        let stored = json!({
            "id": 204, "name": "Harbor Museum", "zone": "America/New_York", "sandbox": true, "hold_secs": 600,
            "allowed_origins": [], "descriptor_prefix": "HM ", "processor": "sandbox", "sealed_hash_key": "",
            "mail_from": "tickets@example.org",
        });
        serde_json::from_value(stored).unwrap()
    }

    fn read(change: &Value) -> Result<SettingsRequest, Vec<String>> {
        let mut body = json!({"name": "Harbor Museum"});
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let mut checker = Checker::new();
        let input: SettingsInput = read_body(body.to_string().as_bytes()).unwrap();
        let request = input.read(&mut checker, &tenant());
        let told = |rejection: Rejection| -> Vec<String> {
            rejection.details().iter().map(|fault| format!("{} {}", fault.field, fault.message)).collect()
        };
        checker.finish(request).map_err(told)
    }

    #[test]
    fn a_colour_and_a_limit_are_named_once() {
        let colour = |name: &str| json!({"name": name, "value": "#12344d"});
        let limit = |name: &str| json!({"limit": name, "count": 5, "seconds": 60});
        for (change, told) in [
            (
                json!({"colours": [colour("primary"), colour("accent"), colour(" primary ")]}),
                "/colours/2/name is already used by another colour in the list",
            ),
            (
                json!({"limits": [limit("carts-per-address"), limit(" carts-per-address")]}),
                "/limits/1/limit is already used by another limit in the list",
            ),
        ] {
            assert_eq!(read(&change), Err(vec![told.to_owned()]), "{change}");
        }
    }

    #[test]
    fn an_address_is_one_that_a_page_may_lead_to() {
        for field in ["logo", "terms", "privacy"] {
            for address in
                ["http://example.org/x", "javascript:alert(1)", "data:image/png;base64,AA", "x.svg"]
            {
                let told = read(&json!({ field: address })).unwrap_err();
                assert!(told[0].starts_with(&format!("/{field} must be an address")), "{address}: {told:?}");
            }
            let long = format!("https://example.org/{}", "x".repeat(500));
            assert_eq!(read(&json!({ field: long })).unwrap_err().len(), 1);
        }
        let edit = read(&json!({"terms": "https://example.org/terms", "privacy": null})).unwrap().edit;
        assert_eq!(edit.terms, Some(Some("https://example.org/terms".to_owned())));
        assert_eq!((edit.privacy, edit.logo), (Some(None), None));
    }

    #[test]
    fn a_prefix_is_taken_away_by_an_empty_text_and_stays_where_it_is_left_out() {
        for (change, prefix) in [
            (json!({}), None),
            (json!({"descriptorPrefix": null}), None),
            (json!({"descriptorPrefix": ""}), Some("")),
            (json!({"descriptorPrefix": " "}), Some("")),
            (json!({"descriptorPrefix": " HMM "}), Some("HMM")),
        ] {
            assert_eq!(read(&change).unwrap().edit.descriptor_prefix.as_deref(), prefix, "{change}");
        }
    }

    #[test]
    fn a_buyer_has_a_minute_at_least_and_half_an_hour_at_most() {
        for (change, secs) in [
            (json!({}), None),
            (json!({"challengeSeconds": null}), None),
            (json!({"challengeSeconds": 60}), Some(60)),
            (json!({"challengeSeconds": 1_800}), Some(1_800)),
        ] {
            assert_eq!(read(&change).unwrap().edit.challenge_secs, secs, "{change}");
        }
        for sent in [json!(59), json!(1_801), json!(-60), json!("soon")] {
            let told = read(&json!({"challengeSeconds": sent})).unwrap_err();
            assert_eq!(told.len(), 1, "{sent}: {told:?}");
            assert!(told[0].starts_with("/challengeSeconds must"), "{sent}: {told:?}");
        }
    }

    #[test]
    fn null_is_another_value_where_the_operator_set_one() {
        for (change, reserved) in [
            (json!({"consumerSite": null, "staffSite": null}), vec![]),
            (json!({"timeZone": " America/New_York ", "sandbox": true, "memberClaims": {}}), vec![]),
            (json!({"timeZone": null, "sandbox": null}), vec!["timeZone", "sandbox"]),
            (json!({"currency": "USD"}), vec![]),
            (json!({"currency": "EUR"}), vec!["currency"]),
            (json!({"currency": null}), vec!["currency"]),
            (json!({"rawCards": true}), vec![]),
            (json!({"rawCards": false}), vec!["rawCards"]),
            (json!({"mailFrom": null, "memberClaims": null}), vec!["mailFrom", "memberClaims"]),
            (json!({"memberClaims": {"servers": "any", "pages": null}}), vec!["memberClaims"]),
            (json!({"admitUnpaid": true, "cardReentry": "always"}), vec![]),
            (json!({"admitUnpaid": false, "cardReentry": "never"}), vec!["admitUnpaid", "cardReentry"]),
            (json!({"admitUnpaid": null, "cardReentry": null}), vec!["admitUnpaid", "cardReentry"]),
        ] {
            assert_eq!(read(&change).unwrap().reserved, reserved, "{change}");
        }
    }
}
