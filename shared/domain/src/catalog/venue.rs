//! Fields of a template that Boxoffice keeps and returns for the venue and does not act on (spec §2.10).

use crate::{Money, Percent, TemplateId};
use serde::{Deserialize, Serialize};

/// What a venue writes beside the facts of sale. All of it is returned as given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VenueFields {
    /// What moving a ticket to another slot costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rebooking_fee: Option<Money>,
    /// The event is held by someone else.
    pub third_party_event: bool,
    /// The share of that someone else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub third_party_percentage: Option<Percent>,
    /// Rules kept elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_sets: Option<RuleSets>,
    /// Colour of the event in calendars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color_category: Option<String>,
    /// The entitlement configuration it is sold under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entitlement_configuration: Option<EntitlementReference>,
    /// Stars given to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stars: Option<i64>,
    /// How many gave stars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratings: Option<i64>,
    /// Shoppers are not told how many tickets are sold.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hides_sold_quantity: bool,
    /// Staff told of sales.
    pub email_notify: Vec<StaffContact>,
    /// Events to suggest with it.
    pub recommendations: Vec<Recommendation>,
    /// Events asked for first; deprecated by the specification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prerequisites: Option<Prerequisites>,
    /// Account of the general ledger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gl_code: Option<String>,
}

/// Rules kept elsewhere (spec §2.10 `ruleSets`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleSets {
    /// Whether they apply.
    pub associated: bool,
    pub ids: Vec<String>,
}

/// An entitlement configuration by name (spec §2.10 `entitlementConfiguration`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntitlementReference {
    pub id: String,
    #[serde(default)]
    pub name: String,
    /// The rules of sale it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sales_rule_set_id: Option<String>,
    /// JSON of the venue's own making.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entitlement_config: Option<String>,
    /// JSON of the venue's own making.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sales_rule_config: Option<String>,
    /// JSON of the venue's own making.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket_rule_config: Option<String>,
}

/// One told of sales (spec §2.10 `emailNotify`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaffContact {
    pub name: String,
    /// Address.
    pub email: String,
}

/// A distance from the event (spec §2.10 `min` and `max`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Distance {
    pub minutes: i64,
    pub hours: i64,
    pub days: i64,
    /// Until the end of that day.
    pub end_of_day: bool,
}

/// An event to suggest (spec §2.10 `recommendations`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The other template.
    pub template: TemplateId,
    /// At least so far away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Distance>,
    /// At most so far away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Distance>,
    /// Its name, where the author gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Whether all or any of several events are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PrerequisiteOperation {
    /// All of them.
    AllOf,
    /// One is enough.
    AnyOf,
}

/// Events asked for first (spec §2.10 `prerequisites`, deprecated).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prerequisites {
    /// All or any.
    pub operation: PrerequisiteOperation,
    /// The events.
    pub requires: Vec<Recommendation>,
}
