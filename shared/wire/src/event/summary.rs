//! Event instances and templates in short: the screen of the day, and lists to choose from.

use super::authored::{AuthoredSlot, FieldStatus, OriginalFields};
use super::template::{
    ImageOutput, NamedValueOutput, SlotSummary, admission_name, kind_name, review_state_name,
};
use super::{DurationOutput, PriceListOutput, TicketDetailsOutput, ValueStatus, View, state_name};
use crate::money_text;
use domain::catalog::{Image, Template};
use domain::schedule::Schedule;
use domain::slot_origin::SlotOrigin;
use domain::{InstanceId, Money, Zone};
use serde::Serialize;
use utoipa::ToSchema;

/// Whether one value of an instance is that of its schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct NamedValueStatus {
    /// `capacity`, `startTime` or `endTime`.
    pub field: &'static str,
    /// The back office gave it another value.
    pub modified: bool,
    /// Its schedule does not change it any more.
    pub locked: bool,
}

fn named_statuses(status: FieldStatus) -> Vec<NamedValueStatus> {
    let FieldStatus { capacity, start_time, end_time, modified: _ } = status;
    let named = [("capacity", capacity), ("startTime", start_time), ("endTime", end_time)];
    let status = |(field, ValueStatus { modified, locked })| NamedValueStatus { field, modified, locked };
    named.into_iter().map(status).collect()
}

/// An event instance on the screen of the day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceSummary {
    /// Its id.
    pub id: String,
    /// The template's id.
    pub template_id: String,
    /// When it starts.
    pub start_time: String,
    /// When it ends.
    pub end_time: String,
    /// The template's name.
    pub name: String,
    /// Seats sold.
    pub sold: u32,
    /// Seats that can be had; none of an instance that is called off.
    pub available: u32,
    /// Tickets that were ever let in.
    pub checked_in: u32,
    /// Seats held by reservations.
    pub reserved: u32,
    /// `standard` or `private`.
    pub r#type: &'static str,
    /// `generalAdmission` or `standard`.
    pub admission_type: &'static str,
    /// Which values are those of its schedule.
    pub field_status: Vec<NamedValueStatus>,
    /// When its schedule has it.
    pub original_fields: OriginalFields,
    /// `active` or `cancelled`.
    pub state: &'static str,
    /// The name of the schedule it comes from; null of a template without schedules, and where the schedule is gone.
    pub schedule_name: Option<String>,
    /// Kept for the venue.
    pub custom_fields: Vec<NamedValueOutput>,
    /// Its schedule does not make it any more.
    pub off_schedule: bool,
    /// Colour in calendars.
    pub color_category: Option<String>,
    /// Tickets that are inside now.
    pub inside: u32,
    /// All seats.
    pub capacity: u32,
}

impl InstanceSummary {
    /// A slot in short.
    #[must_use]
    pub fn of(slot: &AuthoredSlot<'_>, view: &View<'_>) -> Self {
        let AuthoredSlot { ledger, template, counts: _ } = slot;
        let (zone, now) = (view.zone, view.audience.now);
        let origin = SlotOrigin::of(template, ledger, zone);
        let schedule = template.schedule_of(&ledger.instance);
        Self {
            id: ledger.instance.to_string(),
            template_id: template.id.to_string(),
            start_time: zone.format(ledger.start),
            end_time: zone.format(ledger.end),
            name: template.name.clone(),
            sold: ledger.sold,
            available: slot.available_seats(now),
            checked_in: slot.checked_in(),
            reserved: slot.held(now),
            r#type: kind_name(template.kind),
            admission_type: admission_name(template.admission),
            field_status: named_statuses((&origin).into()),
            original_fields: OriginalFields::of(&origin, zone),
            state: state_name(ledger.state),
            schedule_name: schedule.map(|schedule| schedule.name.clone()),
            custom_fields: template.custom_fields.iter().map(Into::into).collect(),
            off_schedule: origin.is_off_schedule,
            color_category: template.venue.color_category.clone(),
            inside: slot.inside(),
            capacity: ledger.size,
        }
    }
}

/// An event template in short, as its authors see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateSummary {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// A shorter one.
    pub short_description: String,
    /// The picture to show first; null where it has none.
    pub primary_image: Option<ImageOutput>,
    /// `generalAdmission` or `standard`.
    pub admission_type: &'static str,
    /// When it begins to be held.
    pub start_time: String,
    /// When it ends; null while it is ongoing.
    pub end_time: Option<String>,
    /// Its prices, whatever their channels.
    pub price_lists: Vec<PriceListOutput>,
    /// `Draft` or `Published`.
    pub review_state: &'static str,
    /// Ticket settings.
    pub ticket_details: TicketDetailsOutput,
    /// Kept for the venue.
    pub custom_fields: Vec<NamedValueOutput>,
    /// Colour in calendars.
    pub color_category: Option<String>,
    /// How many gave stars.
    pub ratings: Option<i64>,
    /// Stars.
    pub stars: Option<i64>,
}

impl TemplateSummary {
    /// A template in short.
    #[must_use]
    pub fn of(template: &Template, view: &View<'_>) -> Self {
        let (zone, venue) = (view.zone, &template.venue);
        let lists = template.price_lists.iter();
        Self {
            id: template.id.to_string(),
            name: template.name.clone(),
            description: template.description.clone(),
            short_description: template.short_description.clone(),
            primary_image: primary_image(&template.images).map(Into::into),
            admission_type: admission_name(template.admission),
            start_time: zone.format(template.start),
            end_time: template.end.map(|end| zone.format(end)),
            price_lists: lists.map(|list| PriceListOutput::of_authors(list, template, view)).collect(),
            review_state: review_state_name(template.review_state),
            ticket_details: (&template.ticket_details).into(),
            custom_fields: template.custom_fields.iter().map(Into::into).collect(),
            color_category: venue.color_category.clone(),
            ratings: venue.ratings,
            stars: venue.stars,
        }
    }
}

/// The picture that is marked as the one to show first, or else the first.
fn primary_image(images: &[Image]) -> Option<&Image> {
    images.iter().find(|image| image.primary).or(images.first())
}

/// The name of a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ScheduleName {
    /// Its id.
    pub id: String,
    /// The author's name for it.
    pub name: String,
}

impl From<&Schedule> for ScheduleName {
    fn from(schedule: &Schedule) -> Self {
        Self { id: schedule.id.to_string(), name: schedule.name.clone() }
    }
}

/// An event template in short, as shoppers see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventSummary {
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
    /// When it begins to be held.
    pub start_time: String,
    /// When it ends; null while it is ongoing.
    pub end_time: Option<String>,
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
    /// Its schedules by name.
    pub schedules: Vec<ScheduleName>,
    /// When it was last published.
    pub last_published: Option<String>,
    /// When it was last written.
    pub last_updated: String,
    /// When the next of its instances that can be bought now starts; null where none can.
    pub next_available: Option<String>,
}

impl EventSummary {
    /// A template that lists show.
    #[must_use]
    pub fn of(template: &Template, slot_summary: SlotSummary, zone: Zone) -> Self {
        Self {
            id: template.id.to_string(),
            r#type: kind_name(template.kind),
            admission_type: admission_name(template.admission),
            name: template.name.clone(),
            short_description: template.short_description.clone(),
            summary: template.summary.clone(),
            start_time: zone.format(template.start),
            end_time: template.end.map(|end| zone.format(end)),
            images: template.images.iter().map(Into::into).collect(),
            display_order: template.display_order,
            available: slot_summary.available(),
            discount_available: !template.membership.discounts.is_empty(),
            color_category: template.venue.color_category.clone(),
            member_only_event: template.member_only,
            duration: DurationOutput::of_minutes(template.duration_minutes),
            capacity: template.capacity,
            schedules: template.schedules.iter().map(Into::into).collect(),
            last_published: template.last_published.map(|instant| zone.format(instant)),
            last_updated: zone.format(template.last_updated),
            next_available: slot_summary.next_available.map(|start| zone.format(start)),
        }
    }
}

/// What moving a ticket to another instance costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RebookingFee {
    /// The template's id.
    pub event_template_id: String,
    /// What an exchange of one of its tickets costs; `0.00` where it is free.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub rebooking_fee: Money,
    /// The instance.
    pub event_id: String,
}

impl RebookingFee {
    /// The fee of an instance of this template.
    #[must_use]
    pub fn of(instance: &InstanceId, template: &Template) -> Self {
        Self {
            event_template_id: template.id.to_string(),
            rebooking_fee: template.venue.rebooking_fee.unwrap_or(Money::ZERO),
            event_id: instance.to_string(),
        }
    }
}
