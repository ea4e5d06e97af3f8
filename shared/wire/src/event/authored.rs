//! Event templates and instances as the back office sees them (contract §7).

use super::price::all_prices_of;
use super::template::{admission_name, kind_name};
use super::{EventTemplate, InstanceDetails, InstancePriceList, PriceListOutput, Standing, View, state_name};
use crate::readers::{MAX_CAPACITY, count, word};
use crate::{Checker, incoming};
use domain::Zone;
use domain::catalog::Template;
use domain::ledger::{Ledger, SlotState};
use domain::publishing::Publication;
use domain::slot_edit::{Offer, SlotEdit};
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
        standing: Standing,
        view: &View<'_>,
        publication: Option<Publication>,
    ) -> Self {
        let lists = template.price_lists.iter();
        let price_lists = lists.map(|list| PriceListOutput::of_authors(list, template, view)).collect();
        Self {
            template: EventTemplate { price_lists, ..EventTemplate::of(template, standing, view) },
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

/// An event instance as the back office sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthoredInstance {
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
    /// Seats held by reservations.
    pub held_quantity: u32,
    /// Seats that can be had; none of an instance that is called off.
    pub available_seats: u32,
    /// When it starts.
    pub start_time: String,
    /// When it ends.
    pub end_time: String,
    /// `active` or `cancelled`.
    pub state: &'static str,
    /// The back office changed it by itself; its schedule does not any more.
    pub edited: bool,
    /// Everybody can buy it online now.
    pub available: bool,
    /// The price list in force, with every price whatever its channel; null where none is.
    pub price_list: Option<InstancePriceList>,
    /// What it has of its template and schedule.
    #[serde(flatten)]
    pub details: InstanceDetails,
}

impl AuthoredInstance {
    /// A slot of this template.
    #[must_use]
    pub fn of(ledger: &Ledger, template: &Template, view: &View<'_>) -> Self {
        let (zone, now) = (view.zone, view.audience.now);
        let price_list = template.price_list(template.schedule_of(&ledger.instance), now);
        Self {
            id: ledger.instance.to_string(),
            template_id: template.id.to_string(),
            r#type: kind_name(template.kind),
            admission_type: admission_name(template.admission),
            name: template.name.clone(),
            capacity: ledger.size,
            sold_quantity: ledger.sold,
            held_quantity: ledger.taken(now).saturating_sub(ledger.sold),
            available_seats: if ledger.state == SlotState::Active { ledger.available(now) } else { 0 },
            start_time: zone.format(ledger.start),
            end_time: zone.format(ledger.end),
            state: state_name(ledger.state),
            edited: ledger.edited,
            available: view.audience.sells_slot(template, ledger),
            price_list: price_list.map(|list| InstancePriceList {
                price_list_id: list.id.to_string(),
                prices: all_prices_of(list, view.person_types),
            }),
            details: InstanceDetails::of(ledger, template),
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
}

impl InstanceInput {
    /// The edit of the instance with the id of the path.
    pub fn read(self, checker: &mut Checker, id: &str, zone: Zone) -> Option<SlotEdit> {
        if checker.optional("id", self.id).is_some_and(|sent| sent.trim() != id) {
            checker.invalid("id", "must match the id in the path");
        }
        let offer = |text: &str| {
            let named = [("active", Offer::Active), ("cancelled", Offer::Cancelled)];
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
