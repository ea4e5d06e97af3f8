//! Finding memberships and their cards by what is known of them (spec §4.6, last paragraph; contract §9).

use super::{LaterTerm, Level, MemberCard, Membership, ServiceReference};
use crate::compare::{comparable, is_same_name};
use crate::{CardId, LevelId, MembershipId, OfferingId, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What lists look at of a membership before they show it. It is stored beside the membership, in the order of the
/// changes, so that a list reads only the memberships that it shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedMembership {
    pub id: MembershipId,
    pub level: LevelId,
    /// The way it was bought.
    pub offering: OfferingId,
    /// When it was made.
    #[serde(default)]
    pub created_at: Timestamp,
    /// When it was last changed.
    #[serde(default)]
    pub updated_at: Timestamp,
    /// By whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<String>,
    /// When it expires, as far as anybody is told.
    pub expires: Timestamp,
    /// Its cards, those given up included.
    pub cards: Vec<ListedCard>,
    /// Plans that are paid ahead, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<ListedTerm>,
}

/// What lists look at of a term that is paid ahead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedTerm {
    /// Its first instant.
    pub starts: Timestamp,
    /// The level that is held by then.
    pub level: LevelId,
    /// The way it was bought.
    pub offering: OfferingId,
}

/// What lists look at of a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedCard {
    pub id: CardId,
    /// First name of its holder.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub first_name: String,
    /// Last name of its holder.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_name: String,
    /// City of its holder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// Postal code of its holder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zip_code: Option<String>,
    /// Street of its holder, empty where it is not known; none in entries that were written before it was noted, which
    /// do not say either whether the card was given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub street: Option<String>,
    /// It was given up or replaced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given_up: bool,
}

impl ListedMembership {
    /// What lists look at of this membership.
    #[must_use]
    pub fn of(membership: &Membership) -> Self {
        let card = |card: &MemberCard| ListedCard {
            id: card.id,
            first_name: card.person.first_name.clone(),
            last_name: card.person.last_name.clone(),
            city: card.person.city.clone(),
            zip_code: card.person.zip_code.clone(),
            street: Some(card.person.street_address_1.clone().unwrap_or_default()),
            given_up: !card.is_held(),
        };
        let term = |term: &LaterTerm| ListedTerm {
            starts: term.starts,
            level: term.plan.level.clone(),
            offering: term.plan.offering.clone(),
        };
        Self {
            id: membership.id,
            level: membership.level.clone(),
            offering: membership.offering.clone(),
            created_at: membership.created_at,
            updated_at: membership.updated_at,
            updated_by: membership.updated_by.clone(),
            expires: membership.expiration(),
            cards: membership.cards.iter().map(card).collect(),
            later: membership.later.iter().map(term).collect(),
        }
    }

    /// Whether this is what lists look at of the membership. Entries that were written before all of it was noted say
    /// less.
    #[must_use]
    pub fn is_of(&self, membership: &Membership) -> bool {
        let mut whole = Self::of(membership);
        for (card, noted) in whole.cards.iter_mut().zip(&self.cards) {
            if noted.street.is_none() {
                (card.street, card.given_up) = (None, false);
            }
        }
        *self == whole
    }

    /// The same with the plan of its current term: one that was paid ahead becomes that when it begins.
    #[must_use]
    pub fn as_of(self, now: Timestamp) -> Self {
        let begun = self.later.iter().rfind(|term| term.starts <= now);
        match begun.cloned() {
            Some(ListedTerm { starts: _, level, offering }) => Self { level, offering, ..self },
            None => self,
        }
    }
}

/// When memberships were last changed; both ends are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChangeRange {
    /// Not before this.
    pub from: Option<Timestamp>,
    /// Not after this.
    pub until: Option<Timestamp>,
}

impl ChangeRange {
    /// Whether the membership was changed within it.
    #[must_use]
    pub fn admits(&self, listed: &ListedMembership) -> bool {
        let changed = listed.updated_at;
        self.from.is_none_or(|from| changed >= from) && self.until.is_none_or(|until| changed <= until)
    }
}

/// What memberships are in the venue's own system (spec §2.14 "the service"). One reference of the level or the
/// offering must have all that is asked for; letter case makes no difference.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServiceFilter {
    pub program: Option<String>,
    pub category: Option<String>,
    pub subcategory: Option<String>,
}

impl ServiceFilter {
    fn admits(&self, listed: &ListedMembership, levels: &BTreeMap<LevelId, Level>) -> bool {
        let Self { program, category, subcategory } = self;
        if [program, category, subcategory].into_iter().all(Option::is_none) {
            return true;
        }
        let Some(level) = levels.get(&listed.level) else { return false };
        let of_level = level.service.iter().chain(&level.types);
        let of_offering =
            level.offering(&listed.offering).map(|offering| offering.service.iter().chain(&offering.types));
        of_level.chain(of_offering.into_iter().flatten()).any(|reference| self.names(reference))
    }

    fn names(&self, reference: &ServiceReference) -> bool {
        let has = |wanted: &Option<String>, found: &Option<String>| {
            let Some(wanted) = wanted else { return true };
            found.as_deref().is_some_and(|found| is_same_name(found, wanted))
        };
        has(&self.program, &reference.program)
            && has(&self.category, &reference.category)
            && has(&self.subcategory, &reference.subcategory)
    }
}

/// Which memberships a list asks for (contract §9).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MembershipFilter {
    /// What they are in the venue's own system.
    pub service: ServiceFilter,
    /// Who changed them last.
    pub updated_by: Option<String>,
}

impl MembershipFilter {
    /// Whether a list shows the membership.
    #[must_use]
    pub fn admits(&self, listed: &ListedMembership, levels: &BTreeMap<LevelId, Level>) -> bool {
        let changed_by =
            |by: &String| listed.updated_by.as_deref().is_some_and(|found| is_same_name(found, by));
        self.updated_by.as_ref().is_none_or(changed_by) && self.service.admits(listed, levels)
    }
}

/// Which cards a list of summaries asks for, beside what finds them at once (contract §9). Ranges include both
/// their ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SummaryFilter {
    /// First name of the holder, compared as verification compares names.
    pub first_name: Option<String>,
    /// Last name of the holder, likewise.
    pub last_name: Option<String>,
    /// City of the holder, likewise.
    pub city: Option<String>,
    /// How the holder's postal code begins.
    pub zip: Option<String>,
    /// The membership's term does not end before this.
    pub expires_after: Option<Timestamp>,
    /// The membership's term does not end after this.
    pub expires_before: Option<Timestamp>,
}

impl SummaryFilter {
    /// Whether a list shows the card of that membership.
    #[must_use]
    pub fn admits(&self, listed: &ListedMembership, card: &ListedCard) -> bool {
        let same = |wanted: &Option<String>, found: Option<&str>| {
            let Some(wanted) = wanted else { return true };
            found.is_some_and(|found| is_same_name(found, wanted))
        };
        let zip = |wanted: &String| {
            let found = card.zip_code.as_deref().unwrap_or_default();
            unspaced(found).starts_with(&unspaced(wanted))
        };
        same(&self.first_name, Some(&card.first_name))
            && same(&self.last_name, Some(&card.last_name))
            && same(&self.city, card.city.as_deref())
            && self.zip.as_ref().is_none_or(zip)
            && self.expires_after.is_none_or(|after| listed.expires >= after)
            && self.expires_before.is_none_or(|before| listed.expires <= before)
    }
}

/// A postal code without its spaces and letter case.
pub(super) fn unspaced(code: &str) -> String {
    comparable(code).replace(' ', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn listed(fields: &Value) -> ListedMembership {
        let mut whole = json!({
            "id": 7, "level": "crew", "offering": "year", "expires": "2028-01-01T00:00:00Z",
            "updated_by": "Back office",
            "cards": [{"id": 1, "first_name": "Mateo", "last_name": "O’Hara", "city": "San Francisco",
                "zip_code": "SW1A 1AA"}],
        });
        whole.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        serde_json::from_value(whole).unwrap()
    }

    fn levels() -> BTreeMap<LevelId, Level> {
        let level = json!({
            "id": "crew", "name": "Crew",
            "service": {"id": "s1", "program": "Friends", "category": "Family"},
            "types": [{"id": "s2", "program": "Patrons", "category": "Gold", "subcategory": "Donor"}],
            "offerings": [
                {"id": "year", "name": "Year", "price_lists": [], "duration_months": 12,
                    "service": {"id": "s3", "program": "Annual"}},
                {"id": "month", "name": "Month", "price_lists": [], "duration_months": 1},
            ],
        });
        let level: Level = serde_json::from_value(level).unwrap();
        [(level.id.clone(), level)].into()
    }

    #[test]
    fn one_reference_of_level_or_offering_has_all_that_is_asked_for() {
        let yes = |text: &str| Some(text.to_owned());
        for (program, category, subcategory, expected) in [
            (None, None, None, true),
            (yes("friends"), None, None, true),
            (yes("Friends"), yes("FAMILY"), None, true),
            (yes("Friends"), yes("Gold"), None, false),
            (yes("Patrons"), yes("Gold"), yes("Donor"), true),
            (None, None, yes("donor"), true),
            (yes("Annual"), None, None, true),
            (yes("Annual"), yes("Family"), None, false),
            (yes("Friend"), None, None, false),
        ] {
            let service = ServiceFilter { program, category, subcategory };
            let filter = MembershipFilter { service, updated_by: None };
            assert_eq!(filter.admits(&listed(&json!({})), &levels()), expected, "{filter:?}");
            let month = listed(&json!({"offering": "month"}));
            let annual = filter.service.program.as_deref() == Some("Annual");
            assert_eq!(filter.admits(&month, &levels()), expected && !annual, "{filter:?}");
            let nothing = filter == MembershipFilter::default();
            assert_eq!(filter.admits(&listed(&json!({"level": "gone"})), &levels()), nothing, "{filter:?}");
        }
    }

    #[test]
    fn memberships_are_found_by_who_changed_them() {
        let filter =
            |by: &str| MembershipFilter { updated_by: Some(by.to_owned()), ..MembershipFilter::default() };
        assert!(filter("back OFFICE").admits(&listed(&json!({})), &levels()));
        assert!(!filter("import").admits(&listed(&json!({})), &levels()));
        assert!(!filter("import").admits(&listed(&json!({"updated_by": null})), &levels()));
    }

    #[test]
    fn cards_are_found_by_name_place_and_term() {
        let none = SummaryFilter::default;
        let text = |text: &str| Some(text.to_owned());
        let at = |text: &str| Some(text.parse().unwrap());
        for (filter, expected) in [
            (none(), true),
            (SummaryFilter { first_name: text("MATEO"), ..none() }, true),
            (SummaryFilter { last_name: text("o'hara"), ..none() }, true),
            (SummaryFilter { last_name: text("o'har"), ..none() }, false),
            (SummaryFilter { city: text("san  francisco"), ..none() }, true),
            (SummaryFilter { city: text("San"), ..none() }, false),
            (SummaryFilter { zip: text("sw1a1"), ..none() }, true),
            (SummaryFilter { zip: text("1AA"), ..none() }, false),
            (SummaryFilter { expires_after: at("2028-01-01T00:00:00Z"), ..none() }, true),
            (SummaryFilter { expires_after: at("2028-01-01T00:00:01Z"), ..none() }, false),
            (SummaryFilter { expires_before: at("2028-01-01T00:00:00Z"), ..none() }, true),
            (SummaryFilter { expires_before: at("2027-12-31T23:59:59Z"), ..none() }, false),
            (SummaryFilter { first_name: text("Mateo"), city: text("Oakland"), ..none() }, false),
        ] {
            let listed = listed(&json!({}));
            assert_eq!(filter.admits(&listed, &listed.cards[0]), expected, "{filter:?}");
        }
    }
}
