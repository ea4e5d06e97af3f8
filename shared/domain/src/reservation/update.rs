//! What a change makes of a reservation.

use super::{
    Reservation, ReservationChange, ReservationRefusal, ReservationStep, ReservationTerms, Slots,
    decide_holds, items,
};
use crate::tenant::MAX_HOLD_SECS;
use crate::time::plus_secs;
use crate::{ReservationItemId, Timestamp};
use chrono::SubsecRound;
use std::collections::BTreeSet;

/// What an update makes of a reservation, and the next write towards it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The record as it becomes; unchanged when nothing changes.
    pub next: Reservation,
    /// The next write.
    pub step: ReservationStep,
}

impl Update {
    /// The same, with who makes the change. What changes nothing was done by nobody.
    #[must_use]
    pub fn by(self, before: &Reservation, operator: Option<&str>) -> Self {
        if self.next == *before {
            return self;
        }
        let updated_by = operator.map(str::to_owned);
        Self { next: Reservation { updated_by, ..self.next }, ..self }
    }
}

/// Decides an update (spec §4.5, PUT). `item_ids` has an id for each wanted event, used for those that are new.
///
/// # Errors
/// The first [`ReservationRefusal`] that applies.
pub fn decide_update(
    reservation: &Reservation,
    change: &ReservationChange,
    item_ids: &[ReservationItemId],
    slots: &Slots<'_>,
    now: Timestamp,
) -> Result<Update, ReservationRefusal> {
    let holds = reservation.holds(slots.ledgers);
    if reservation.is_over(now) || (holds.is_empty() && !reservation.terms.items.is_empty()) {
        return Err(ReservationRefusal::NotLive);
    }
    let known: BTreeSet<ReservationItemId> = reservation.terms.items.iter().map(|item| item.id).collect();
    let unknown: Vec<usize> =
        change.named.iter().filter(|(_, id)| !known.contains(id)).map(|(line, _)| *line).collect();
    if !unknown.is_empty() {
        return Err(ReservationRefusal::UnknownItems(unknown));
    }
    let expires_at = new_expiry(reservation, change.expires_at, now)?;
    let step = decide_holds(reservation, &change.items, expires_at, slots, now)?;
    let terms =
        ReservationTerms { expires_at, items: items(&change.items, item_ids, &reservation.terms.items) };
    if terms == reservation.terms {
        return Ok(Update { next: reservation.clone(), step });
    }
    let first = Some(reservation.first_terms().clone());
    let revision = reservation.revision.saturating_add(1);
    Ok(Update { next: Reservation { terms, first, revision, ..reservation.clone() }, step })
}

fn new_expiry(
    reservation: &Reservation,
    asked: Option<Timestamp>,
    now: Timestamp,
) -> Result<Timestamp, ReservationRefusal> {
    let Some(asked) = asked else { return Ok(reservation.terms.expires_at) };
    let latest = plus_secs(reservation.created_at, i64::from(MAX_HOLD_SECS));
    let expires_at = asked.trunc_subsecs(0).min(latest);
    if expires_at <= now { Err(ReservationRefusal::ExpiryPast) } else { Ok(expires_at) }
}

impl ReservationChange {
    /// The same change, but for an expiry beyond what a visitor's reservation may have: visitors keep their seats for
    /// as long as the tenant holds them, and no longer.
    #[must_use]
    pub fn of_visitor(self, reservation: &Reservation, hold_secs: u32) -> Self {
        let latest = plus_secs(reservation.created_at, i64::from(hold_secs.min(MAX_HOLD_SECS)));
        Self { expires_at: self.expires_at.map(|asked| asked.min(latest)), ..self }
    }
}
