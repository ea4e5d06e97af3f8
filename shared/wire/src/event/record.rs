//! Event templates as the import document writes them: what was authored, and nothing that follows from it.

use super::kept::{
    EntitlementReferenceOutput, PrerequisitesOutput, RecommendationsOutput, RuleSetsOutput,
    StaffContactOutput,
};
use super::template::{
    ImageOutput, MembershipTermsOutput, NamedValueOutput, ResourceOutput, admission_name,
    entitlement_configuration, kind_name, membership,
};
use super::{AddOns, DurationOutput, Reference, ScheduleOutput, TicketDetailsOutput};
use crate::sales_channel::SalesChannelOutput;
use chrono::SecondsFormat;
use domain::catalog::venue::VenueFields;
use domain::catalog::{Price, PriceList, ReviewState, Template};
use domain::schedule::Schedule;
use domain::{Timestamp, Zone};
use serde::Serialize;

/// An instant on the tenant's clocks, to the last fraction of a second that it has.
pub(crate) fn exact(zone: Zone, instant: Timestamp) -> String {
    let whole = zone.format(instant);
    if instant.timestamp_subsec_nanos() == 0 {
        return whole;
    }
    // The offset stands behind the seconds, in six characters.
    let (_, offset) = whole.split_at(whole.len().saturating_sub(6));
    let local = zone.local(instant).and_utc().to_rfc3339_opts(SecondsFormat::AutoSi, true);
    format!("{}{offset}", local.trim_end_matches('Z'))
}

/// A price; the amounts are text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PriceRecord {
    person_type: Reference,
    price: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    prime_price: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    discounted_price: Option<String>,
    display_order: i64,
    sales_channels: Vec<SalesChannelOutput>,
}

impl From<&Price> for PriceRecord {
    fn from(found: &Price) -> Self {
        let Price { ticket_type, price, prime_price, discounted_price, display_order, sales_channels } =
            found;
        Self {
            person_type: Reference { id: ticket_type.to_string() },
            price: price.to_string(),
            prime_price: prime_price.map(|price| price.to_string()),
            discounted_price: discounted_price.map(|price| price.to_string()),
            display_order: *display_order,
            sales_channels: sales_channels.iter().map(Into::into).collect(),
        }
    }
}

/// A price list with all its prices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PriceListRecord {
    id: String,
    name: String,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<String>,
    prices: Vec<PriceRecord>,
}

impl PriceListRecord {
    pub(crate) fn of(list: &PriceList, zone: Zone) -> Self {
        let PriceList { id, name, description, start, end, prices } = list;
        Self {
            id: id.to_string(),
            name: name.clone(),
            description: description.clone(),
            start_time: start.map(|start| exact(zone, start)),
            end_time: end.map(|end| exact(zone, end)),
            prices: prices.iter().map(Into::into).collect(),
        }
    }
}

/// An event template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateRecord {
    id: String,
    r#type: &'static str,
    admission_type: &'static str,
    name: String,
    description: String,
    short_description: String,
    summary: String,
    email_confirmation_message: String,
    email_cancellation_message: String,
    start_time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<String>,
    review_state: &'static str,
    duration: DurationOutput,
    capacity: u32,
    display_order: i64,
    member_only_event: bool,
    all_members_can_purchase: bool,
    price_lists: Vec<PriceListRecord>,
    schedules: Vec<ScheduleOutput>,
    ticket_details: TicketDetailsOutput,
    membership: MembershipTermsOutput,
    add_ons: AddOns,
    order_forms: Vec<Reference>,
    images: Vec<ImageOutput>,
    custom_fields: Vec<NamedValueOutput>,
    resources: Vec<ResourceOutput>,
    #[serde(flatten)]
    venue: VenueRecord,
}

/// What is kept for the venue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct VenueRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    rebooking_fee: Option<String>,
    third_party_event: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    third_party_percentage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_sets: Option<RuleSetsOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    color_category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entitlement_configuration: Option<EntitlementReferenceOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stars: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratings: Option<i64>,
    publish_sold_quantity: bool,
    email_notify: Vec<StaffContactOutput>,
    recommendations: RecommendationsOutput,
    #[serde(skip_serializing_if = "Option::is_none")]
    prerequisites: Option<PrerequisitesOutput>,
    #[serde(rename = "GLCode", skip_serializing_if = "Option::is_none")]
    gl_code: Option<String>,
}

impl VenueRecord {
    fn of(template: &Template) -> Self {
        let VenueFields {
            rebooking_fee,
            third_party_event,
            third_party_percentage,
            rule_sets,
            color_category,
            entitlement_configuration: _,
            stars,
            ratings,
            hides_sold_quantity,
            email_notify,
            recommendations,
            prerequisites,
            gl_code,
        } = &template.venue;
        Self {
            rebooking_fee: rebooking_fee.map(|fee| fee.to_string()),
            third_party_event: *third_party_event,
            third_party_percentage: third_party_percentage.map(|percent| percent.to_string()),
            rule_sets: rule_sets.as_ref().map(|found| RuleSetsOutput {
                associated: found.associated,
                rule_set_ids: found.ids.clone(),
            }),
            color_category: color_category.clone(),
            entitlement_configuration: entitlement_configuration(template),
            stars: *stars,
            ratings: *ratings,
            publish_sold_quantity: !hides_sold_quantity,
            email_notify: email_notify.iter().map(Into::into).collect(),
            recommendations: RecommendationsOutput {
                recommendations: recommendations.iter().map(Into::into).collect(),
            },
            prerequisites: prerequisites.as_ref().map(Into::into),
            gl_code: gl_code.clone(),
        }
    }
}

fn schedule(found: &Schedule, zone: Zone) -> ScheduleOutput {
    ScheduleOutput {
        effective_start_time: found.effective_start.map(|start| exact(zone, start)),
        effective_end_time: found.effective_end.map(|end| exact(zone, end)),
        ..ScheduleOutput::of(found, zone)
    }
}

fn review_name(state: ReviewState) -> &'static str {
    match state {
        ReviewState::Draft => "Draft",
        ReviewState::Published => "Published",
    }
}

impl TemplateRecord {
    /// A template as its author wrote it.
    #[must_use]
    pub fn of(template: &Template, zone: Zone) -> Self {
        let Template {
            id,
            kind,
            admission,
            name,
            description,
            short_description,
            summary,
            email_confirmation_message,
            email_cancellation_message,
            start,
            end,
            review_state,
            duration_minutes,
            capacity,
            price_lists,
            schedules,
            ticket_details,
            member_only,
            all_members_can_purchase,
            display_order,
            add_ons,
            forms,
            images,
            custom_fields,
            resources,
            // When it was written is not what was written; membership and venue are read below.
            ..
        } = template;
        Self {
            id: id.to_string(),
            r#type: kind_name(*kind),
            admission_type: admission_name(*admission),
            name: name.clone(),
            description: description.clone(),
            short_description: short_description.clone(),
            summary: summary.clone(),
            email_confirmation_message: email_confirmation_message.clone(),
            email_cancellation_message: email_cancellation_message.clone(),
            start_time: exact(zone, *start),
            end_time: end.map(|end| exact(zone, end)),
            review_state: review_name(*review_state),
            duration: DurationOutput::of_minutes(*duration_minutes),
            capacity: *capacity,
            display_order: *display_order,
            member_only_event: *member_only,
            all_members_can_purchase: *all_members_can_purchase,
            price_lists: price_lists.iter().map(|list| PriceListRecord::of(list, zone)).collect(),
            schedules: schedules.iter().map(|found| schedule(found, zone)).collect(),
            ticket_details: ticket_details.into(),
            membership: membership(template),
            add_ons: AddOns { inventory_ids: add_ons.iter().map(|id| id.get()).collect() },
            order_forms: forms.iter().map(|id| Reference { id: id.to_string() }).collect(),
            images: images.iter().map(Into::into).collect(),
            custom_fields: custom_fields.iter().map(Into::into).collect(),
            resources: resources.iter().map(Into::into).collect(),
            venue: VenueRecord::of(template),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_keeps_its_fraction_and_reads_back() {
        for name in ["UTC", "America/New_York", "Asia/Kathmandu"] {
            let zone = Zone::parse(name).unwrap();
            for text in ["2027-11-07T05:30:00Z", "2027-11-07T06:30:00.25Z", "2027-07-01T00:00:00.000000001Z"]
            {
                let instant: Timestamp = text.parse().unwrap();
                assert_eq!(zone.parse_instant(&exact(zone, instant)), Ok(instant), "{name} {text}");
            }
        }
        let zone = Zone::parse("America/New_York").unwrap();
        let instant = "2027-11-07T06:30:00.25Z".parse().unwrap();
        assert_eq!(exact(zone, instant), "2027-11-07T01:30:00.250-05:00");
    }
}
