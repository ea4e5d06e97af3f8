//! Reservations (spec §2.13, §4.5).

use crate::{Checker, Field, IntegerId, List};
use domain::reservation::{
    MAX_EVENTS, MAX_QUANTITY, Reservation, ReservationChange, ReservationItem, ReservationTerms, WantedItem,
};
use domain::{InstanceId, ReservationId, ReservationItemId, Zone};
use serde::Serialize;
use std::collections::BTreeMap;

crate::incoming! {
    /// Seats to set aside.
    pub struct ReservationInput {
        /// One line per event; lines on one event are added up. An empty list is accepted.
        #[schema(required = true)]
        reservation_items: Vec<ReservationItemInput>,
    }
    /// Seats of one event.
    pub struct ReservationItemInput {
        /// The event instance.
        #[schema(required = true)]
        event_id: String,
        /// Seats, 1 to 999.
        #[schema(required = true)]
        quantity: i64,
    }
    /// What a reservation is to become.
    pub struct ReservationUpdateInput {
        /// The reservation.
        id: IntegerId,
        /// When it is to end; left out, the expiry stays. At most 30 minutes after the reservation was made.
        expiration_timestamp: String,
        /// All that is to be held; what is left out is released.
        reservation_items: Vec<ReservationItemUpdateInput>,
    }
    /// Seats of one event.
    pub struct ReservationItemUpdateInput {
        /// The item, where it is known.
        id: IntegerId,
        /// The reservation, where it is known.
        reservation_id: IntegerId,
        /// The event instance.
        event_id: String,
        /// Seats, 1 to 999.
        quantity: i64,
    }
}

impl ReservationInput {
    /// The events asked for, each once.
    pub fn read(self, checker: &mut Checker) -> Option<Vec<WantedItem>> {
        let sent = required_list(checker, self.reservation_items)?;
        let mut lines = Lines::default();
        checker.each("reservationItems", Field::Value(sent), |checker, line| {
            lines.read(checker, line.event_id, line.quantity);
        });
        Some(lines.finish(checker))
    }
}

impl ReservationUpdateInput {
    /// The change asked for.
    pub fn read(self, checker: &mut Checker, zone: Zone) -> Option<ReservationChange> {
        let id = read_id(checker, self.id);
        let expires_at = checker.optional_instant("expirationTimestamp", self.expiration_timestamp, zone);
        let sent = required_list(checker, self.reservation_items)?;
        let mut named = Vec::new();
        let mut lines = Lines::default();
        checker.each("reservationItems", Field::Value(sent), |checker, line| {
            let index = lines.count;
            let item_id = checker.optional("id", line.id);
            match item_id.map(|id| ReservationItemId::parse(id.get())) {
                Some(Ok(item_id)) => named.push((index, item_id)),
                Some(Err(_)) => checker.unknown("id"),
                None => {}
            }
            let of = checker.optional("reservationId", line.reservation_id);
            if of.is_some_and(|of| id.is_some_and(|id| id.get() != of.get())) {
                checker.unknown("reservationId");
            }
            lines.read(checker, line.event_id, line.quantity);
        });
        let items = lines.finish(checker);
        Some(ReservationChange { id: id?, expires_at, items, named })
    }
}

fn read_id(checker: &mut Checker, field: Field<IntegerId>) -> Option<ReservationId> {
    if !field.is_sent() {
        checker.missing_id("id");
    }
    let id = checker.optional("id", field).map(|id| ReservationId::parse(id.get()));
    if matches!(id, Some(Err(_))) {
        checker.unknown("id");
    }
    id?.ok()
}

fn required_list<T>(checker: &mut Checker, field: Field<List<T>>) -> Option<List<T>>
where
    List<T>: crate::WireValue,
{
    checker.required("reservationItems", field)
}

/// The lines of a request, those on one event added up, in the order in which the events are first named.
#[derive(Default)]
struct Lines {
    items: Vec<WantedItem>,
    places: BTreeMap<InstanceId, usize>,
    /// Lines read so far; where one could not be read at all, a fault has been noted and places do not count.
    count: usize,
}

impl Lines {
    fn read(&mut self, checker: &mut Checker, event_id: Field<String>, quantity: Field<i64>) {
        let line = self.count;
        self.count = line.saturating_add(1);
        let event = checker.required_id("eventId", event_id, InstanceId::parse);
        let quantity = checker.required("quantity", quantity).and_then(|quantity| {
            let read = u32::try_from(quantity).ok().filter(|quantity| (1..=MAX_QUANTITY).contains(quantity));
            if read.is_none() {
                checker.invalid("quantity", format!("must be between 1 and {MAX_QUANTITY}"));
            }
            read
        });
        let (Some(instance), Some(quantity)) = (event, quantity) else { return };
        let place = *self.places.entry(instance).or_insert(self.items.len());
        let Some(item) = self.items.get_mut(place) else {
            self.items.push(WantedItem { instance, quantity, line });
            return;
        };
        item.quantity = item.quantity.saturating_add(quantity);
        if item.quantity > MAX_QUANTITY {
            let message =
                format!("must be at most {MAX_QUANTITY} together with the other lines on this event");
            checker.invalid("quantity", message);
        }
    }

    fn finish(self, checker: &mut Checker) -> Vec<WantedItem> {
        if self.items.len() > MAX_EVENTS {
            checker.invalid("reservationItems", format!("must name at most {MAX_EVENTS} events"));
        }
        self.items
    }
}

/// A reservation (spec §2.13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Reservation)]
pub struct ReservationOutput {
    /// Identity.
    pub id: i64,
    /// From this instant on nothing is held, in the tenant's zone.
    pub expiration_timestamp: String,
    /// What is held.
    pub reservation_items: Vec<ReservationItemOutput>,
    /// Who made it; left out where that was not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// Who changed it last; left out where that was not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<String>,
}

/// The seats of one event within a reservation (spec §2.13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReservationItem)]
pub struct ReservationItemOutput {
    /// Identity; stays while the reservation has seats of the event.
    pub id: i64,
    /// The reservation.
    pub reservation_id: i64,
    /// The event instance.
    pub event_id: String,
    /// Seats.
    pub quantity: u32,
}

impl ReservationOutput {
    /// The public form of a reservation on these terms.
    #[must_use]
    pub fn of(reservation: &Reservation, terms: &ReservationTerms, zone: Zone) -> Self {
        let item = |item: &ReservationItem| ReservationItemOutput {
            id: item.id.get(),
            reservation_id: reservation.id.get(),
            event_id: item.instance.to_string(),
            quantity: item.quantity,
        };
        Self {
            id: reservation.id.get(),
            expiration_timestamp: zone.format(terms.expires_at),
            reservation_items: terms.items.iter().map(item).collect(),
            created_by: reservation.created_by.clone(),
            updated_by: reservation.updated_by.clone(),
        }
    }

    /// The public form of a reservation as it was made, whatever was changed since.
    #[must_use]
    pub fn first(reservation: &Reservation, zone: Zone) -> Self {
        let answer = Self::of(reservation, reservation.first_terms(), zone);
        Self { updated_by: reservation.created_by.clone(), ..answer }
    }
}
