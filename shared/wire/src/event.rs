//! Event browsing on the wire (spec §2.10–2.12, §4.4, contract §7).

mod authored;
mod discounted;
mod input;
mod kept;
mod price;
mod record;
mod schedule;
mod summary;
mod template;
mod ticket;
mod whole;

pub use authored::*;
pub use discounted::*;
pub use input::{ImageInput, TemplateContext, TemplateInput};
pub use kept::*;
pub use price::*;
pub use record::TemplateRecord;
pub use schedule::*;
pub use summary::*;
pub use template::*;

pub use ticket::*;
pub use whole::{MAX_TEMPLATE_BYTES, idle_detail};

pub(crate) use input::read_images;
pub(crate) use price::maybe_money_number;
pub(crate) use record::{PriceListRecord, exact};

use crate::sales_channel::SalesChannelOutput;
use domain::Template;
use domain::catalog::{InventoryItem, PersonType};
use domain::channel::channel_allowed;
use domain::coupon::Discount;
use domain::ledger::{Ledger, SlotState};
use domain::listing::{Audience, ListedSlot};
use domain::slot_edit::SlotReach;
use domain::{DiscountId, InventoryId, TemplateId, TicketTypeId, Zone};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What turning the catalog into answers needs beside the catalog.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The tenant's zone, whose offset instants carry.
    pub zone: Zone,
    /// Ticket types, by which prices are named.
    pub person_types: &'a BTreeMap<TicketTypeId, PersonType>,
    /// How far slots have been moved, of the templates where some have.
    pub reaches: &'a BTreeMap<TemplateId, SlotReach>,
    /// On whose behalf: prices of other channels are left out.
    pub audience: Audience<'a>,
    /// What members get off.
    pub discounts: &'a BTreeMap<DiscountId, Discount>,
    /// Add-ons and donations.
    pub inventory: &'a BTreeMap<InventoryId, InventoryItem>,
}

/// Ids of add-ons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddOns {
    /// Add-ons offered with the event.
    pub inventory_ids: Vec<i64>,
}

/// A dated slot of a template with its seats (spec §2.11).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventTime {
    /// The instance's id.
    pub id: String,
    /// Local date, `MM/DD/YYYY`.
    pub date: String,
    /// Local time, such as `9:00 AM`.
    pub time: String,
    /// Seats that can be had.
    pub available_seats: u32,
    /// When it starts.
    pub start_time: String,
    /// Add-ons offered with it.
    pub add_ons: AddOns,
    /// The instance.
    pub event: EventInstance,
}

/// One event instance (contract §7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventInstance {
    /// Its id.
    pub id: String,
    /// The template's id.
    pub template_id: String,
    /// `standard` or `private`.
    pub r#type: &'static str,
    /// `generalAdmission` or `standard`.
    pub admission_type: &'static str,
    /// The template's name.
    pub name: String,
    /// All seats.
    pub capacity: u32,
    /// Seats sold.
    pub sold_quantity: u32,
    /// When it starts.
    pub start_time: String,
    /// When it ends.
    pub end_time: String,
    /// `active` or `cancelled`.
    pub state: &'static str,
    /// Whether a seat can be had.
    pub available: bool,
    /// Its prices.
    pub price_list: InstancePriceList,
}

/// What an instance has of its template and schedule, where one is asked for by itself (contract §R).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceDetails {
    /// Ticket settings.
    pub ticket_details: TicketDetailsOutput,
    /// Its description.
    pub description: String,
    /// Its pictures.
    pub images: Vec<ImageOutput>,
    /// Kept for the venue.
    pub custom_fields: Vec<NamedValueOutput>,
    /// What it needs.
    pub resources: Vec<ResourceOutput>,
    /// Where it is sold; empty means everywhere.
    pub sales_channels: Vec<SalesChannelOutput>,
    /// The schedule it comes from; null of a template without schedules.
    pub schedule_id: Option<String>,
}

impl InstanceDetails {
    /// What this slot has of its template.
    #[must_use]
    pub fn of(ledger: &Ledger, template: &Template) -> Self {
        let schedule = template.schedule_of(&ledger.instance);
        let channels = schedule.map(|schedule| schedule.sales_channels.as_slice()).unwrap_or_default();
        Self {
            ticket_details: (&template.ticket_details).into(),
            description: template.description.clone(),
            images: template.images.iter().map(Into::into).collect(),
            custom_fields: template.custom_fields.iter().map(Into::into).collect(),
            resources: template.resources.iter().map(Into::into).collect(),
            sales_channels: channels.iter().map(Into::into).collect(),
            schedule_id: ledger.schedule.as_ref().map(ToString::to_string),
        }
    }
}

/// One event instance that was asked for by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SingleInstance {
    /// As lists show it.
    #[serde(flatten)]
    pub instance: EventInstance,
    /// What it has of its template and schedule.
    #[serde(flatten)]
    pub details: InstanceDetails,
}

impl SingleInstance {
    /// A listed slot as callers see it.
    #[must_use]
    pub fn of(slot: &ListedSlot<'_>, view: &View<'_>) -> Self {
        let details = InstanceDetails::of(slot.ledger, slot.template);
        Self { instance: EventInstance::of(slot, view), details }
    }
}

/// The prices of an instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstancePriceList {
    /// The list in force at this moment.
    pub price_list_id: String,
    /// One per ticket type.
    pub prices: Vec<PriceOutput>,
}

impl<'a> View<'a> {
    /// The add-ons of a template that are sold on the channel.
    fn add_ons(&self, template: &Template) -> impl Iterator<Item = &'a InventoryItem> {
        let (inventory, channel) = (self.inventory, self.audience.channel);
        let found = template.add_ons.iter().filter_map(|id| inventory.get(id));
        found.filter(move |item| item.active && channel_allowed(&item.sales_channels, channel))
    }
}

impl EventTime {
    /// A listed slot as callers see it.
    #[must_use]
    pub fn of(slot: &ListedSlot<'_>, view: &View<'_>) -> Self {
        let local = view.zone.local(slot.ledger.start);
        Self {
            id: slot.ledger.instance.to_string(),
            date: local.format("%m/%d/%Y").to_string(),
            time: local.format("%-I:%M %p").to_string(),
            available_seats: slot.seats,
            start_time: view.zone.format(slot.ledger.start),
            add_ons: AddOns { inventory_ids: slot.template.add_ons.iter().map(|id| id.get()).collect() },
            event: EventInstance::of(slot, view),
        }
    }
}

impl EventInstance {
    /// A listed slot as callers see it.
    #[must_use]
    pub fn of(slot: &ListedSlot<'_>, view: &View<'_>) -> Self {
        let ListedSlot { ledger, template, price_list, seats } = slot;
        Self {
            id: ledger.instance.to_string(),
            template_id: template.id.to_string(),
            r#type: kind_name(template.kind),
            admission_type: admission_name(template.admission),
            name: template.name.clone(),
            capacity: ledger.size,
            sold_quantity: ledger.sold,
            start_time: view.zone.format(ledger.start),
            end_time: view.zone.format(ledger.end),
            state: state_name(ledger.state),
            available: *seats > 0,
            price_list: InstancePriceList {
                price_list_id: price_list.id.to_string(),
                prices: prices_of(price_list, template, ledger.start, view),
            },
        }
    }
}

/// The spelling of a slot's state; of a removed slot nobody is told.
const fn state_name(state: SlotState) -> &'static str {
    match state {
        SlotState::Active => "active",
        SlotState::Cancelled => "cancelled",
        SlotState::Removed => "removed",
    }
}

/// The slots of one template, in the list of all templates' times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimesBucket {
    /// The template's id.
    pub event_template_id: String,
    /// Its slots.
    pub times: Vec<EventTime>,
}

/// Days with and without seats (spec §2.12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Calendar {
    /// Every day of the range.
    pub days: Vec<CalendarDay>,
}

/// One day of a calendar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CalendarDay {
    /// The first instant of the day, with the tenant's offset.
    pub date: String,
    /// Empty; reserved for the name of a holiday.
    pub name: String,
    /// Whether a seat can be had.
    pub active: bool,
    /// Seats that can be had, of all its instances.
    pub available_seats: u32,
    /// All seats of the instances that are listed, full ones too; 0 on a day without any.
    pub capacity: u32,
}
