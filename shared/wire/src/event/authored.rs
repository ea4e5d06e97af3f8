//! Event templates and instances as the back office sees them (contract §7).

use super::price::all_prices_of;
use super::template::{
    EventTemplate, ImageOutput, NamedValueOutput, ResourceOutput, SlotSummary, admission_name, kind_name,
};
use super::{InstancePriceList, PriceListOutput, TicketDetailsOutput, View, state_name};
use crate::readers::{MAX_CAPACITY, count, word};
use crate::sales_channel::SalesChannelOutput;
use crate::{Checker, Field, incoming};
use domain::catalog::Template;
use domain::ledger::{Ledger, SlotState};
use domain::order::AdmissionCounts;
use domain::publishing::Publication;
use domain::slot_edit::{SlotEdit, SlotStatus};
use domain::slot_origin::SlotOrigin;
use domain::{InstanceId, Timestamp, Zone};
use serde::Serialize;
use utoipa::ToSchema;

/// How far the instances of a published template have come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicationOutput {
    /// All instances up to `slotsUntil` are as the template says; otherwise the scheduled work goes on with them.
    pub complete: bool,
    /// Instances are made up to here, and from here on as time goes by.
    pub slots_until: String,
    /// What keeps the event from being seen or bought although it is published.
    pub warnings: Vec<&'static str>,
}

/// An event template as its authors see it: drafts and private ones too, with every price whatever its channel
/// and with the staff told of sales.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthoredTemplate {
    /// What shoppers see.
    #[serde(flatten)]
    pub template: EventTemplate,
    /// How far its instances have come; null in lists and of drafts.
    pub publication: Option<PublicationOutput>,
}

impl AuthoredTemplate {
    /// A template, with how far its slots have come.
    #[must_use]
    pub fn of(
        template: &Template,
        slot_summary: SlotSummary,
        view: &View<'_>,
        publication: Option<Publication>,
    ) -> Self {
        let lists = template.price_lists.iter();
        let price_lists = lists.map(|list| PriceListOutput::of_authors(list, template, view)).collect();
        Self {
            template: EventTemplate { price_lists, ..EventTemplate::of(template, slot_summary, view) },
            publication: publication.map(|Publication { is_complete, until }| PublicationOutput {
                complete: is_complete,
                slots_until: view.zone.format(until),
                warnings: warnings(template),
            }),
        }
    }
}

fn warnings(template: &Template) -> Vec<&'static str> {
    if template.price_lists.iter().all(|list| list.prices.is_empty()) {
        return vec!["It has no prices, so nothing of it is on sale"];
    }
    Vec::new()
}

/// A slot as the back office looks at it.
#[derive(Debug, Clone, Copy)]
pub struct AuthoredSlot<'a> {
    /// Its seats.
    pub ledger: &'a Ledger,
    /// Its template.
    pub template: &'a Template,
    /// Whom the doors let in.
    pub counts: AdmissionCounts,
}

impl AuthoredSlot<'_> {
    /// Seats held by reservations.
    pub(super) fn held(&self, now: Timestamp) -> u32 {
        self.ledger.taken(now).saturating_sub(self.ledger.sold)
    }

    /// Seats that can be had.
    pub(super) fn available_seats(&self, now: Timestamp) -> u32 {
        if self.ledger.state == SlotState::Active { self.ledger.available(now) } else { 0 }
    }

    /// Tickets that were ever let in.
    pub(super) fn checked_in(&self) -> u32 {
        u32::try_from(self.counts.admitted).unwrap_or_default()
    }

    /// Those of them that are inside now.
    pub(super) fn inside(&self) -> u32 {
        u32::try_from(self.counts.inside).unwrap_or_default()
    }
}

/// Whether a value of an instance is that of its schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct ValueStatus {
    /// The back office gave it another value.
    pub modified: bool,
    /// Its schedule does not change it any more.
    pub locked: bool,
}

/// Which values of an instance are those of its schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldStatus {
    /// Its seats.
    pub capacity: ValueStatus,
    /// Its start.
    pub start_time: ValueStatus,
    /// Its end.
    pub end_time: ValueStatus,
    /// The back office changed the instance by itself.
    pub modified: bool,
}

impl From<&SlotOrigin> for FieldStatus {
    fn from(origin: &SlotOrigin) -> Self {
        let status = |modified| ValueStatus { modified, locked: origin.is_locked };
        Self {
            capacity: status(origin.is_capacity_modified),
            start_time: status(origin.is_start_modified),
            end_time: status(origin.is_end_modified),
            modified: origin.is_locked,
        }
    }
}

/// When the schedule of an instance has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OriginalFields {
    /// Its start.
    pub start_time: String,
    /// Its end.
    pub end_time: String,
}

impl OriginalFields {
    pub(super) fn of(origin: &SlotOrigin, zone: Zone) -> Self {
        Self { start_time: zone.format(origin.start), end_time: zone.format(origin.end) }
    }
}

/// Who may buy an instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesRestrictions {
    /// Only members may buy.
    pub member_only_event: bool,
    /// Members of any level may buy.
    pub all_members_can_purchase: bool,
    /// The levels that may; empty where it is not restricted to any.
    pub categories: Vec<String>,
}

/// What an instance is: seats, times and prices, beside what its schedule says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceTerms {
    /// All seats.
    pub capacity: u32,
    /// When it starts.
    pub start_time: String,
    /// When it ends.
    pub end_time: String,
    /// What it needs.
    pub resources: Vec<ResourceOutput>,
    /// The price list in force, with every price whatever its channel; null where none is.
    pub price_list: Option<InstancePriceList>,
    /// The schedule it comes from; null of a template without schedules.
    pub schedule_id: Option<String>,
    /// Who may buy it.
    pub sales_restrictions: SalesRestrictions,
    /// Ticket settings.
    pub ticket_details: TicketDetailsOutput,
    /// Always false: an instance that was deleted is not shown.
    pub manually_deleted: bool,
    /// Which values are those of its schedule.
    pub field_status: FieldStatus,
    /// When its schedule has it.
    pub original_fields: OriginalFields,
}

/// How an instance stands: what is sold, held and left of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceStanding {
    /// `active` or `cancelled`.
    pub state: &'static str,
    /// Kept for the venue.
    pub custom_fields: Vec<NamedValueOutput>,
    /// Its schedule does not make it any more.
    pub off_schedule: bool,
    /// Colour in calendars.
    pub color_category: Option<String>,
    /// Its pictures.
    pub images: Vec<ImageOutput>,
    /// Seats sold.
    pub sold_quantity: u32,
    /// Where it is sold; empty means everywhere.
    pub sales_channels: Vec<SalesChannelOutput>,
    /// `standard` or `private`.
    pub r#type: &'static str,
    /// Tickets that were ever let in.
    pub check_in_count: u32,
    /// Everybody can buy it online now.
    pub available: bool,
    /// `generalAdmission` or `standard`.
    pub admission_type: &'static str,
    /// When its template was last written.
    pub last_modified: String,
    /// Seats held by reservations.
    pub held_quantity: u32,
    /// Seats that can be had; none of an instance that is called off.
    pub available_seats: u32,
    /// The back office changed it by itself; its schedule does not any more.
    pub edited: bool,
}

/// An event instance as the back office sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthoredInstance {
    /// Its id.
    pub id: String,
    /// The template's name.
    pub name: String,
    /// The template's description.
    pub description: String,
    /// The template's id.
    pub template_id: String,
    /// Added to confirmation mails.
    pub email_confirmation_message: String,
    /// What it is.
    #[serde(flatten)]
    pub terms: InstanceTerms,
    /// Added to cancellation mails.
    pub email_cancellation_message: String,
    /// How it stands.
    #[serde(flatten)]
    pub standing: InstanceStanding,
}

/// An event instance in lists of the back office.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedInstance {
    /// Its id.
    pub id: String,
    /// The template's name.
    pub name: String,
    /// The template's id.
    pub template_id: String,
    /// What it is.
    #[serde(flatten)]
    pub terms: InstanceTerms,
    /// How it stands.
    #[serde(flatten)]
    pub standing: InstanceStanding,
}

impl InstanceTerms {
    fn of(slot: &AuthoredSlot<'_>, origin: &SlotOrigin, view: &View<'_>) -> Self {
        let AuthoredSlot { ledger, template, counts: _ } = slot;
        let zone = view.zone;
        let price_list = template.price_list(template.schedule_of(&ledger.instance), view.audience.now);
        Self {
            capacity: ledger.size,
            start_time: zone.format(ledger.start),
            end_time: zone.format(ledger.end),
            resources: template.resources.iter().map(Into::into).collect(),
            price_list: price_list.map(|list| InstancePriceList {
                price_list_id: list.id.to_string(),
                prices: all_prices_of(list, view.person_types),
            }),
            schedule_id: ledger.schedule.as_ref().map(ToString::to_string),
            sales_restrictions: SalesRestrictions {
                member_only_event: template.member_only,
                all_members_can_purchase: template.all_members_can_purchase,
                categories: template.membership.restrictions.iter().map(ToString::to_string).collect(),
            },
            ticket_details: (&template.ticket_details).into(),
            manually_deleted: false,
            field_status: origin.into(),
            original_fields: OriginalFields::of(origin, zone),
        }
    }
}

impl InstanceStanding {
    fn of(slot: &AuthoredSlot<'_>, origin: &SlotOrigin, view: &View<'_>) -> Self {
        let AuthoredSlot { ledger, template, counts: _ } = slot;
        let now = view.audience.now;
        let schedule = template.schedule_of(&ledger.instance);
        let channels = schedule.map(|schedule| schedule.sales_channels.as_slice()).unwrap_or_default();
        Self {
            state: state_name(ledger.state),
            custom_fields: template.custom_fields.iter().map(Into::into).collect(),
            off_schedule: origin.is_off_schedule,
            color_category: template.venue.color_category.clone(),
            images: template.images.iter().map(Into::into).collect(),
            sold_quantity: ledger.sold,
            sales_channels: channels.iter().map(Into::into).collect(),
            r#type: kind_name(template.kind),
            check_in_count: slot.checked_in(),
            available: view.audience.sells_slot(template, ledger),
            admission_type: admission_name(template.admission),
            last_modified: view.zone.format(template.last_updated),
            held_quantity: slot.held(now),
            available_seats: slot.available_seats(now),
            edited: ledger.edited,
        }
    }
}

impl AuthoredInstance {
    /// A slot with all that is to be said of it.
    #[must_use]
    pub fn of(slot: &AuthoredSlot<'_>, view: &View<'_>) -> Self {
        let AuthoredSlot { ledger, template, counts: _ } = slot;
        let origin = SlotOrigin::of(template, ledger, view.zone);
        Self {
            id: ledger.instance.to_string(),
            name: template.name.clone(),
            description: template.description.clone(),
            template_id: template.id.to_string(),
            email_confirmation_message: template.email_confirmation_message.clone(),
            terms: InstanceTerms::of(slot, &origin, view),
            email_cancellation_message: template.email_cancellation_message.clone(),
            standing: InstanceStanding::of(slot, &origin, view),
        }
    }
}

impl ListedInstance {
    /// A slot without the longer texts of its template.
    #[must_use]
    pub fn of(slot: &AuthoredSlot<'_>, view: &View<'_>) -> Self {
        let AuthoredSlot { ledger, template, counts: _ } = slot;
        let origin = SlotOrigin::of(template, ledger, view.zone);
        Self {
            id: ledger.instance.to_string(),
            name: template.name.clone(),
            template_id: template.id.to_string(),
            terms: InstanceTerms::of(slot, &origin, view),
            standing: InstanceStanding::of(slot, &origin, view),
        }
    }
}

incoming! {
    /// What an event instance is to become; what is left out stays as it is.
    pub struct InstanceInput {
        id: String,
        /// All seats; not fewer than are sold and held.
        capacity: i64,
        start_time: String,
        /// Without it, an instance that is moved keeps its length.
        end_time: String,
        /// `active` or `cancelled`.
        state: String,
    }
    /// An event instance that the body names, and what it is to become; what is left out stays as it is.
    pub struct NamedInstanceInput {
        #[schema(required = true)]
        id: String,
        /// All seats; not fewer than are sold and held.
        capacity: i64,
        start_time: String,
        /// Without it, an instance that is moved keeps its length.
        end_time: String,
        /// `active` or `cancelled`.
        state: String,
    }
}

/// The edit of an instance that a body names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedEdit {
    /// The instance.
    pub instance: InstanceId,
    /// What it is to become.
    pub edit: SlotEdit,
}

impl NamedInstanceInput {
    /// The instance, and its edit.
    pub fn read(self, checker: &mut Checker, zone: Zone) -> Option<NamedEdit> {
        let Self { id, capacity, start_time, end_time, state } = self;
        let instance = checker.required_id("id", id, InstanceId::parse);
        let edit = InstanceInput { id: Field::Absent, capacity, start_time, end_time, state };
        let edit = edit.read(checker, "", zone);
        Some(NamedEdit { instance: instance?, edit: edit? })
    }
}

impl InstanceInput {
    /// The edit of the instance with the id of the path.
    pub fn read(self, checker: &mut Checker, id: &str, zone: Zone) -> Option<SlotEdit> {
        if checker.optional("id", self.id).is_some_and(|sent| sent.trim() != id) {
            checker.invalid("id", "must match the id in the path");
        }
        let offer = |text: &str| {
            let named = [("active", SlotStatus::Active), ("cancelled", SlotStatus::Cancelled)];
            named.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, offer)| offer)
        };
        Some(SlotEdit {
            capacity: count(checker, "capacity", self.capacity, 1..=MAX_CAPACITY),
            start: checker.optional_instant("startTime", self.start_time, zone),
            end: checker.optional_instant("endTime", self.end_time, zone),
            offer: word(checker, "state", self.state, offer, "active, cancelled"),
        })
    }
}
