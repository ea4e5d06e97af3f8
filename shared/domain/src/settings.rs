//! What the admins of a venue change of its settings and keys, and the history of it (decision record 0138).

use crate::Timestamp;
use crate::rate_limit::{Rate, RateLimit};
use crate::tenant::Tenant;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

/// Origins that a tenant may allow: as many as one change can mark.
pub const MAX_ORIGINS: usize = 40;

/// What an admin wants the settings to be; what is none stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsEdit {
    /// The venue's name.
    pub name: String,
    /// Its colours.
    pub colours: Option<BTreeMap<String, String>>,
    /// Its logo; the inner none takes it away.
    pub logo: Option<Option<String>>,
    /// Its languages.
    pub languages: Option<Vec<String>>,
    /// Its terms of sale; the inner none takes them away.
    pub terms: Option<Option<String>>,
    /// What it does with personal data; the inner none takes it away.
    pub privacy: Option<Option<String>>,
    /// How long a reservation holds its seats, in seconds.
    pub hold_secs: Option<u32>,
    /// How long buyers may take to answer the issuer of their card, in seconds.
    pub challenge_secs: Option<u32>,
    /// Origins of its pages.
    pub allowed_origins: Option<BTreeSet<String>>,
    /// Put in front of descriptors.
    pub descriptor_prefix: Option<String>,
    /// Whether orders get running numbers.
    pub receipt_numbers: Option<bool>,
    /// Its own limits, all of them.
    pub limits: Option<BTreeMap<RateLimit, Rate>>,
}

impl SettingsEdit {
    /// The tenant with these settings; the same where nothing changes.
    #[must_use]
    pub fn apply(&self, tenant: &Tenant) -> Tenant {
        let Self {
            name,
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
        } = self.clone();
        let mut next = tenant.clone();
        next.name = name;
        next.branding.colours = colours.unwrap_or(next.branding.colours);
        next.branding.logo = logo.unwrap_or(next.branding.logo);
        next.branding.languages = languages.unwrap_or(next.branding.languages);
        next.branding.terms = terms.unwrap_or(next.branding.terms);
        next.branding.privacy = privacy.unwrap_or(next.branding.privacy);
        next.hold_secs = hold_secs.unwrap_or(next.hold_secs);
        next.challenge_secs = challenge_secs.unwrap_or(next.challenge_secs);
        next.allowed_origins = allowed_origins.unwrap_or(next.allowed_origins);
        next.descriptor_prefix = descriptor_prefix.unwrap_or(next.descriptor_prefix);
        next.receipt_numbers = receipt_numbers.unwrap_or(next.receipt_numbers);
        next.limits = limits.unwrap_or(next.limits);
        if next != *tenant {
            next.settings_version = next.settings_version.saturating_add(1);
        }
        next
    }
}

/// A field that was changed, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldChange {
    /// Which.
    pub field: String,
    /// What it was; none where there was nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What it became; none where it was taken away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A change of settings or keys, and who made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsChange {
    /// When.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub at: Timestamp,
    /// The label of the key it was made with, or the person.
    pub by: String,
    /// Who made it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
    /// What was changed.
    pub fields: Vec<FieldChange>,
}

impl SettingsChange {
    /// Who made it, for people.
    #[must_use]
    pub fn made_by(&self) -> &str {
        self.operator.as_deref().unwrap_or(&self.by)
    }
}

/// What differs between two settings of one tenant.
#[must_use]
pub fn changed_fields(before: &Tenant, after: &Tenant) -> Vec<FieldChange> {
    let pairs = [
        ("name", some(&before.name), some(&after.name)),
        ("colours", listed(colours(before)), listed(colours(after))),
        ("logo", before.branding.logo.clone(), after.branding.logo.clone()),
        ("languages", listed(before.branding.languages.iter()), listed(after.branding.languages.iter())),
        ("terms", before.branding.terms.clone(), after.branding.terms.clone()),
        ("privacy", before.branding.privacy.clone(), after.branding.privacy.clone()),
        ("holdSeconds", some(before.hold_secs), some(after.hold_secs)),
        ("challengeSeconds", some(before.challenge_secs), some(after.challenge_secs)),
        ("allowedOrigins", listed(before.allowed_origins.iter()), listed(after.allowed_origins.iter())),
        ("descriptorPrefix", some(&before.descriptor_prefix), some(&after.descriptor_prefix)),
        ("receiptNumbers", some(before.receipt_numbers), some(after.receipt_numbers)),
        ("limits", listed(limits(before)), listed(limits(after))),
    ];
    let changed = pairs.into_iter().filter(|(_, before, after)| before != after);
    changed.map(|(field, before, after)| FieldChange { field: field.to_owned(), before, after }).collect()
}

fn colours(tenant: &Tenant) -> impl Iterator<Item = String> {
    tenant.branding.colours.iter().map(|(name, colour)| format!("{name} {colour}"))
}

fn limits(tenant: &Tenant) -> impl Iterator<Item = String> {
    tenant.limits.iter().map(|(limit, rate)| format!("{limit} {rate}"))
}

/// A text, unless it is empty.
fn some(value: impl Display) -> Option<String> {
    Some(value.to_string()).filter(|text| !text.is_empty())
}

fn listed<T: Display>(values: impl Iterator<Item = T>) -> Option<String> {
    some(values.map(|value| value.to_string()).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tenant() -> Tenant {
        serde_json::from_value(json!({
            "id": 204, "name": "Harbor Museum", "zone": "America/New_York", "sandbox": true, "hold_secs": 600,
            "allowed_origins": ["https://tickets.example.org"], "descriptor_prefix": "HM ",
            "processor": "sandbox", "sealed_hash_key": "00",
        }))
        .unwrap()
    }

    fn edit(name: &str) -> SettingsEdit {
        SettingsEdit {
            name: name.to_owned(),
            colours: None,
            logo: None,
            languages: None,
            terms: None,
            privacy: None,
            hold_secs: None,
            challenge_secs: None,
            allowed_origins: None,
            descriptor_prefix: None,
            receipt_numbers: None,
            limits: None,
        }
    }

    #[test]
    fn what_is_left_out_stays_and_what_changes_nothing_is_no_change() {
        let before = tenant();
        assert_eq!(edit("Harbor Museum").apply(&before), before);
        let logo = "https://example.org/logo.svg".to_owned();
        let wanted = SettingsEdit {
            colours: Some([("primary".to_owned(), "#12344d".to_owned())].into()),
            logo: Some(Some(logo.clone())),
            terms: Some(Some("https://example.org/terms".to_owned())),
            hold_secs: Some(300),
            challenge_secs: Some(900),
            allowed_origins: Some(BTreeSet::new()),
            receipt_numbers: Some(true),
            limits: Some([(RateLimit::CartsPerAddress, Rate { count: 5, window_secs: 60 })].into()),
            ..edit("Harbor Maritime Museum")
        };
        let after = wanted.apply(&before);
        assert_eq!((after.settings_version, after.descriptor_prefix.as_str()), (1, "HM "));
        assert_eq!(after.sealed_hash_key, before.sealed_hash_key);
        let told: Vec<_> = changed_fields(&before, &after)
            .into_iter()
            .map(|change| (change.field, change.before.unwrap_or_default(), change.after.unwrap_or_default()))
            .collect();
        let expected = [
            ("name", "Harbor Museum", "Harbor Maritime Museum"),
            ("colours", "", "primary #12344d"),
            ("logo", "", logo.as_str()),
            ("terms", "", "https://example.org/terms"),
            ("holdSeconds", "600", "300"),
            ("challengeSeconds", "600", "900"),
            ("allowedOrigins", "https://tickets.example.org", ""),
            ("receiptNumbers", "false", "true"),
            ("limits", "", "carts-per-address 5/60"),
        ];
        assert_eq!(
            told,
            expected.map(|(field, before, after)| (field.to_owned(), before.to_owned(), after.to_owned()))
        );
        let without = SettingsEdit { logo: Some(None), ..edit("Harbor Maritime Museum") }.apply(&after);
        assert_eq!((without.branding.logo, without.settings_version), (None, 2));
    }

    #[test]
    fn tenants_of_earlier_releases_read_as_they_are_and_are_written_so() {
        let stored = serde_json::to_value(tenant()).unwrap();
        for field in ["branding", "settings_version", "staff_site", "currency", "receipt_numbers"] {
            assert_eq!(stored.get(field), None, "{field}");
        }
    }
}
