//! Event templates as callers see them (spec §2.10).

use super::kept::{
    EntitlementReferenceOutput, PrerequisitesOutput, RecommendationsOutput, RuleSetsOutput,
    StaffContactOutput,
};
use super::{DurationOutput, PriceListOutput, Reference, ScheduleOutput, TicketDetailsOutput, View};
use domain::Timestamp;
use domain::catalog::{
    AdmissionType, Image, InventoryItem, InventoryKind, MemberDiscount, NamedValue, Resource, ReviewState,
    Template, TemplateKind,
};
use serde::Serialize;
use utoipa::ToSchema;

/// The spelling of a template's type.
pub(super) const fn kind_name(kind: TemplateKind) -> &'static str {
    match kind {
        TemplateKind::Standard => "standard",
        TemplateKind::Private => "private",
    }
}

/// The spelling of an admission type.
pub(super) const fn admission_name(admission: AdmissionType) -> &'static str {
    match admission {
        AdmissionType::GeneralAdmission => "generalAdmission",
        AdmissionType::Standard => "standard",
    }
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ImageOutput {
    /// Opaque.
    pub id: String,
    /// For people who do not see it.
    pub description: String,
    /// The one to show first.
    pub primary: bool,
}

impl From<&Image> for ImageOutput {
    fn from(image: &Image) -> Self {
        let Image { id, description, primary } = image;
        Self { id: id.clone(), description: description.clone(), primary: *primary }
    }
}

/// A name and a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct NamedValueOutput {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
}

impl From<&NamedValue> for NamedValueOutput {
    fn from(pair: &NamedValue) -> Self {
        let NamedValue { name, value } = pair;
        Self { name: name.clone(), value: value.clone() }
    }
}

/// Something an event needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceOutput {
    /// Kind of resource.
    pub r#type: String,
    /// Its template.
    pub resource_template_id: Option<String>,
    /// The resource itself.
    pub resource_id: Option<String>,
    /// How many.
    pub quantity: u32,
    /// Further facts.
    pub fields: Vec<NamedValueOutput>,
}

impl From<&Resource> for ResourceOutput {
    fn from(resource: &Resource) -> Self {
        let Resource { kind, resource_template_id, resource_id, quantity, fields } = resource;
        Self {
            r#type: kind.clone(),
            resource_template_id: resource_template_id.clone(),
            resource_id: resource_id.clone(),
            quantity: *quantity,
            fields: fields.iter().map(Into::into).collect(),
        }
    }
}

/// Which levels may buy and what each gets off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct MembershipTermsOutput {
    /// Who may buy.
    pub restrictions: RestrictionsOutput,
    /// What members get off.
    pub discounts: Vec<MemberDiscountOutput>,
}

/// Levels an event is restricted to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RestrictionsOutput {
    /// Level ids.
    pub categories: Vec<String>,
}

/// What members of one level get off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberDiscountOutput {
    /// The level.
    pub category: Reference,
    /// The discount.
    pub discount: Reference,
    /// Tickets at the member price per order.
    pub max_tickets: Option<u32>,
}

impl From<&MemberDiscount> for MemberDiscountOutput {
    fn from(discount: &MemberDiscount) -> Self {
        let MemberDiscount { level, discount, max_tickets } = discount;
        Self {
            category: Reference { id: level.to_string() },
            discount: Reference { id: discount.to_string() },
            max_tickets: *max_tickets,
        }
    }
}

/// Add-ons offered with an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateAddOns {
    /// Their ids.
    pub inventory_ids: Vec<i64>,
    /// Those that are sold on the channel asked for.
    pub inventory_add_ons: Vec<AddOnOutput>,
}

/// An add-on offered with an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddOnOutput {
    /// Its id.
    pub id: i64,
    /// Its number in the venue's stock-keeping.
    pub sku: Option<String>,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// `addOn`, `fixedDonation`, `donation` or `membershipCardReplacement`.
    pub r#type: &'static str,
    /// What it costs; null where the donor chooses the amount.
    pub price: Option<String>,
    /// Order in listings.
    pub display_order: i64,
}

impl From<&InventoryItem> for AddOnOutput {
    fn from(item: &InventoryItem) -> Self {
        let InventoryItem {
            id,
            sku,
            name,
            description,
            kind,
            price,
            stock: _,
            active: _,
            display_order,
            sales_channels: _,
            tax: _,
        } = item;
        Self {
            id: id.get(),
            sku: Some(sku.clone()).filter(|sku| !sku.is_empty()),
            name: name.clone(),
            description: description.clone(),
            r#type: crate::catalog::inventory_kind_name(*kind),
            price: (*kind != InventoryKind::Donation).then(|| price.to_string()),
            display_order: *display_order,
        }
    }
}

/// What the slots of a template say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SlotSummary {
    /// When the next of its slots that can be bought now by the buyer starts; none where none can.
    pub next_available: Option<Timestamp>,
    /// Seats sold of all its slots; none where they were not counted.
    pub sold: Option<u64>,
}

impl SlotSummary {
    /// One of its slots can be bought now by the buyer.
    #[must_use]
    pub const fn available(self) -> bool {
        self.next_available.is_some()
    }
}

/// An event template as shoppers see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventTemplate {
    /// Its id.
    pub id: String,
    /// `standard` or `private`.
    pub r#type: &'static str,
    /// `generalAdmission` or `standard`.
    pub admission_type: &'static str,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// A shorter one.
    pub short_description: String,
    /// Added to confirmation mails.
    pub email_confirmation_message: String,
    /// A summary.
    pub summary: String,
    /// When it begins to be held.
    pub start_time: String,
    /// When it ends; null while it is ongoing.
    pub end_time: Option<String>,
    /// Its prices.
    pub price_lists: Vec<PriceListOutput>,
    /// Its pictures.
    pub images: Vec<ImageOutput>,
    /// Member prices and restrictions.
    pub membership: MembershipTermsOutput,
    /// When it was last published.
    pub last_published: Option<String>,
    /// When it was last written.
    pub last_updated: String,
    /// Order in listings.
    pub display_order: i64,
    /// When it is held.
    pub schedules: Vec<ScheduleOutput>,
    /// One of its instances can be bought now.
    pub available: bool,
    /// Seats sold of all its instances; null where the venue does not publish it, or nobody counted.
    pub sold_quantity: Option<u64>,
    /// Shoppers are told how many seats are sold.
    pub publish_sold_quantity: bool,
    /// Staff told of sales.
    pub email_notify: Vec<StaffContactOutput>,
    /// Some level gets something off.
    pub discount_available: bool,
    /// `Draft` or `Published`.
    pub review_state: &'static str,
    /// What moving a ticket costs.
    pub rebooking_fee: Option<String>,
    /// Held by someone else.
    pub third_party_event: bool,
    /// The share of that someone else.
    pub third_party_percentage: Option<String>,
    /// Added to cancellation mails.
    pub email_cancellation_message: String,
    /// Rules kept elsewhere.
    pub rule_sets: Option<RuleSetsOutput>,
    /// Colour in calendars.
    pub color_category: Option<String>,
    /// The entitlement configuration.
    pub entitlement_configuration: Option<EntitlementReferenceOutput>,
    /// Only members may buy.
    pub member_only_event: bool,
    /// Members of any level may buy.
    pub all_members_can_purchase: bool,
    /// Stars.
    pub stars: Option<i64>,
    /// How many gave stars.
    pub ratings: Option<i64>,
    /// Kept for the venue.
    pub custom_fields: Vec<NamedValueOutput>,
    /// Add-ons offered with it.
    pub add_ons: TemplateAddOns,
    /// What it needs.
    pub resources: Vec<ResourceOutput>,
    /// Events suggested with it.
    pub recommendations: RecommendationsOutput,
    /// Events asked for first; deprecated.
    pub prerequisites: Option<PrerequisitesOutput>,
    /// Account of the general ledger.
    #[serde(rename = "GLCode")]
    pub gl_code: Option<String>,
    /// How long one instance lasts.
    pub duration: DurationOutput,
    /// Seats of one instance.
    pub capacity: u32,
    /// Ticket settings.
    pub ticket_details: TicketDetailsOutput,
    /// Forms asked of its visitors.
    pub order_forms: Vec<Reference>,
}

impl EventTemplate {
    /// A template as this audience sees it.
    #[must_use]
    pub fn of(template: &Template, slot_summary: SlotSummary, view: &View<'_>) -> Self {
        let zone = view.zone;
        let venue = &template.venue;
        Self {
            id: template.id.to_string(),
            r#type: kind_name(template.kind),
            admission_type: admission_name(template.admission),
            name: template.name.clone(),
            description: template.description.clone(),
            short_description: template.short_description.clone(),
            email_confirmation_message: template.email_confirmation_message.clone(),
            summary: template.summary.clone(),
            start_time: zone.format(template.start),
            end_time: template.end.map(|end| zone.format(end)),
            price_lists: template
                .price_lists
                .iter()
                .map(|list| PriceListOutput::of(list, template, view))
                .collect(),
            images: template.images.iter().map(Into::into).collect(),
            membership: membership(template),
            last_published: template.last_published.map(|instant| zone.format(instant)),
            last_updated: zone.format(template.last_updated),
            display_order: template.display_order,
            schedules: template.schedules.iter().map(|found| ScheduleOutput::of(found, zone)).collect(),
            available: slot_summary.available(),
            sold_quantity: slot_summary.sold,
            publish_sold_quantity: !venue.hides_sold_quantity,
            email_notify: venue.email_notify.iter().map(Into::into).collect(),
            discount_available: !template.membership.discounts.is_empty(),
            review_state: review_state_name(template.review_state),
            rebooking_fee: venue.rebooking_fee.map(|fee| fee.to_string()),
            third_party_event: venue.third_party_event,
            third_party_percentage: venue.third_party_percentage.map(|percent| percent.to_string()),
            email_cancellation_message: template.email_cancellation_message.clone(),
            rule_sets: venue.rule_sets.as_ref().map(|found| RuleSetsOutput {
                associated: found.associated,
                rule_set_ids: found.ids.clone(),
            }),
            color_category: venue.color_category.clone(),
            entitlement_configuration: entitlement_configuration(template),
            member_only_event: template.member_only,
            all_members_can_purchase: template.all_members_can_purchase,
            stars: venue.stars,
            ratings: venue.ratings,
            custom_fields: template.custom_fields.iter().map(Into::into).collect(),
            add_ons: add_ons(template, view),
            resources: template.resources.iter().map(Into::into).collect(),
            recommendations: RecommendationsOutput {
                recommendations: venue.recommendations.iter().map(Into::into).collect(),
            },
            prerequisites: venue.prerequisites.as_ref().map(Into::into),
            gl_code: venue.gl_code.clone(),
            duration: DurationOutput::of_minutes(template.duration_minutes),
            capacity: template.capacity,
            ticket_details: (&template.ticket_details).into(),
            order_forms: template.forms.iter().map(|id| Reference { id: id.to_string() }).collect(),
        }
    }
}

/// The spelling of a review state.
pub(super) fn review_state_name(state: ReviewState) -> &'static str {
    match state {
        ReviewState::Draft => "Draft",
        ReviewState::Published => "Published",
    }
}

fn add_ons(template: &Template, view: &View<'_>) -> TemplateAddOns {
    TemplateAddOns {
        inventory_ids: template.add_ons.iter().map(|id| id.get()).collect(),
        inventory_add_ons: view.add_ons(template).map(Into::into).collect(),
    }
}

pub(super) fn membership(template: &Template) -> MembershipTermsOutput {
    let terms = &template.membership;
    MembershipTermsOutput {
        restrictions: RestrictionsOutput {
            categories: terms.restrictions.iter().map(ToString::to_string).collect(),
        },
        discounts: terms.discounts.iter().map(Into::into).collect(),
    }
}

pub(super) fn entitlement_configuration(template: &Template) -> Option<EntitlementReferenceOutput> {
    let found = template.venue.entitlement_configuration.as_ref()?;
    Some(EntitlementReferenceOutput {
        id: found.id.clone(),
        event_template_id: template.id.to_string(),
        sales_rule_set_id: found.sales_rule_set_id.clone(),
        name: found.name.clone(),
        entitlement_config: parsed(found.entitlement_config.as_deref()),
        sales_rule_config: parsed(found.sales_rule_config.as_deref()),
        ticket_rule_config: parsed(found.ticket_rule_config.as_deref()),
    })
}

/// JSON that was kept as text.
fn parsed(text: Option<&str>) -> Option<serde_json::Value> {
    serde_json::from_str(text?).ok()
}

/// An event template in the list view (spec §4.4, slim list): what a page of events shows, times as epoch
/// milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlimTemplate {
    /// Its id.
    pub id: String,
    /// `standard` or `private`.
    pub r#type: &'static str,
    /// `generalAdmission` or `standard`.
    pub admission_type: &'static str,
    /// Its name.
    pub name: String,
    /// A short description.
    pub short_description: String,
    /// A summary.
    pub summary: String,
    /// When it begins to be held, in epoch milliseconds.
    pub start_time: i64,
    /// When it ends, in epoch milliseconds; null while it is ongoing.
    pub end_time: Option<i64>,
    /// Its pictures.
    pub images: Vec<ImageOutput>,
    /// Order in listings.
    pub display_order: i64,
    /// One of its instances can be bought now.
    pub available: bool,
    /// Some level gets something off.
    pub discount_available: bool,
    /// Colour in calendars.
    pub color_category: Option<String>,
    /// Only members may buy.
    pub member_only_event: bool,
    /// How long one instance lasts.
    pub duration: DurationOutput,
    /// Seats of one instance.
    pub capacity: u32,
    /// When the next of its instances that can be bought now starts, in epoch milliseconds; null where none can.
    pub next_available: Option<i64>,
}

impl SlimTemplate {
    /// A template that lists show.
    #[must_use]
    pub fn of(template: &Template, slot_summary: SlotSummary) -> Self {
        Self {
            id: template.id.to_string(),
            r#type: kind_name(template.kind),
            admission_type: admission_name(template.admission),
            name: template.name.clone(),
            short_description: template.short_description.clone(),
            summary: template.summary.clone(),
            start_time: template.start.timestamp_millis(),
            end_time: template.end.map(|end| end.timestamp_millis()),
            images: template.images.iter().map(Into::into).collect(),
            display_order: template.display_order,
            available: slot_summary.available(),
            discount_available: !template.membership.discounts.is_empty(),
            color_category: template.venue.color_category.clone(),
            member_only_event: template.member_only,
            duration: DurationOutput::of_minutes(template.duration_minutes),
            capacity: template.capacity,
            next_available: slot_summary.next_available.map(|start| start.timestamp_millis()),
        }
    }
}
