//! What a shopper sees of the catalog: which templates, which slots, which days (spec §4.4, contract §7).
//!
//! Whether a slot is sold is decided by [`DatedSlot::offer`] alone; this file gathers the facts it
//! asks for. Our choices, where the specification is silent:
//!
//! - A route that names its template, `nextAvailable` and a single instance hide no `type`; lists do.
//! - Events for members only are shown to those who name a membership or a level that may buy them.
//! - A template is listed while at least one of its slots is, as far as clock and channel have a say.
//! - A slot that lasts a day or less makes the day on which it starts active; a longer one every day it runs.

use crate::buyer::Buyer;
use crate::catalog::{Price, PriceList, ReviewState, Template, TemplateKind};
use crate::ledger::Ledger;
use crate::sale_window::{DatedSlot, Offer, Sight, SlotFacts, offer};
use crate::schedule::{Schedule, Slot, SlotPlan, SlotWindow, generate};
use crate::slot_edit::SlotReach;
use crate::time::{Timestamp, Zone, plus_secs};
use crate::{Channel, InstanceId};
use chrono::NaiveDate;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

/// Which types of templates are asked for (spec §4.4, parameter `type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TemplateFilter {
    /// The default: no private ones.
    #[default]
    Standard,
    /// Only private ones.
    Private,
    /// Both.
    All,
}

impl TemplateFilter {
    /// Reads the parameter in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let named = [("standard", Self::Standard), ("private", Self::Private), ("all", Self::All)];
        named.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim())).map(|(_, filter)| filter)
    }

    /// True when templates of this type are asked for.
    #[must_use]
    pub const fn admits(self, kind: TemplateKind) -> bool {
        match (self, kind) {
            (Self::All, _)
            | (Self::Standard, TemplateKind::Standard)
            | (Self::Private, TemplateKind::Private) => true,
            (Self::Standard, TemplateKind::Private) | (Self::Private, TemplateKind::Standard) => false,
        }
    }
}

/// On whose behalf the catalog is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audience<'a> {
    /// Where the buyer would buy.
    pub channel: Channel,
    /// Types asked for.
    pub types: TemplateFilter,
    /// Whose benefits count.
    pub buyer: &'a Buyer,
    /// The tenant's zone.
    pub zone: Zone,
    /// The moment of asking.
    pub now: Timestamp,
}

/// Instants from the first to the second, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The first instant.
    pub from: Timestamp,
    /// The last instant.
    pub until: Timestamp,
}

impl Range {
    /// True when something from `start` to `end` overlaps the range; ends that touch do.
    #[must_use]
    pub fn overlaps(self, start: Timestamp, end: Option<Timestamp>) -> bool {
        start <= self.until && end.is_none_or(|end| self.from <= end)
    }

    /// Every calendar date of the range. A date that the zone skipped, crossing the date line, was none.
    pub fn dates(self, zone: Zone) -> impl Iterator<Item = NaiveDate> {
        let last = zone.date(self.until);
        let all = zone.date(self.from).iter_days().take_while(move |date| *date <= last);
        all.filter(move |date| zone.date(zone.start_of_day(*date)) == *date)
    }
}

/// A slot that is shown, with the seats to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedSlot<'a> {
    /// The slot.
    pub ledger: &'a Ledger,
    pub template: &'a Template,
    pub price_list: &'a PriceList,
    /// Seats that can be had; 0 when it is full.
    pub seats: u32,
}

impl Audience<'_> {
    /// Whether a template may be shown at all: it is published, and the buyer is a member where it is for
    /// members only.
    #[must_use]
    pub fn shows(&self, template: &Template) -> bool {
        self.shows_at(template, self.now)
    }

    fn shows_at(&self, template: &Template, at: Timestamp) -> bool {
        template.review_state == ReviewState::Published && self.buyer.may_buy(template, at)
    }

    /// The slot, if it is shown.
    #[must_use]
    pub fn listed<'a>(&self, template: &'a Template, ledger: &'a Ledger) -> Option<ListedSlot<'a>> {
        let schedule = template.schedule_of(&ledger.instance);
        let seats = self.offer(template, ledger).listed_seats()?;
        let price_list = template.price_list(schedule, self.now)?;
        Some(ListedSlot { ledger, template, price_list, seats })
    }

    /// What this audience may know of a slot.
    #[must_use]
    pub fn offer(&self, template: &Template, ledger: &Ledger) -> Offer {
        let sight = Sight {
            visible: self.shows_at(template, ledger.start) && self.types.admits(template.kind),
            channel_enabled: self.sells(template, template.schedule_of(&ledger.instance)),
            zone: self.zone,
        };
        DatedSlot::of(template, ledger, self.now).offer(sight, self.now)
    }

    /// Whether a slot can be bought now.
    #[must_use]
    pub fn sells_slot(&self, template: &Template, ledger: &Ledger) -> bool {
        match self.offer(template, ledger) {
            Offer::OnSale { seats: _ } => true,
            Offer::SoldOut | Offer::NotListed(_) => false,
        }
    }

    /// When the next of these slots that can be bought now starts: the first from now on, or else the first of those
    /// that have begun.
    #[must_use]
    pub fn next_sold<'a>(
        &self,
        template: &Template,
        slots: impl IntoIterator<Item = &'a Ledger>,
    ) -> Option<Timestamp> {
        let sold = slots.into_iter().filter(|slot| self.sells_slot(template, slot)).map(|slot| slot.start);
        sold.min_by_key(|start| (*start < self.now, *start))
    }

    /// Template, schedule and at least one price in force sell on the channel.
    #[must_use]
    pub fn sells(&self, template: &Template, schedule: Option<&Schedule>) -> bool {
        let priced = template.price_list(schedule, self.now);
        template.is_sold_through(schedule, self.channel)
            && priced.is_some_and(|list| self.prices(list).next().is_some())
    }

    /// The prices of a list that are offered on the channel.
    pub fn prices<'a>(&self, list: &'a PriceList) -> impl Iterator<Item = &'a Price> + use<'a> {
        let channel = self.channel;
        list.prices.iter().filter(move |price| list.price_of(&price.ticket_type, channel) == Some(*price))
    }

    /// Whether lists show a template: it is on offer to this audience, and a slot of it, as its schedules
    /// make them, is still sold. Reads no seats.
    #[must_use]
    pub fn lists(&self, template: &Template, reach: Option<&SlotReach>) -> bool {
        self.shows(template) && self.types.admits(template.kind) && self.has_open_slot(template, reach)
    }

    /// A slot that staff may have moved counts as open for as long as it can be, where it was moved to. So does one that
    /// a changed schedule may have left behind, as long as the times of the schedules go on.
    fn has_open_slot(&self, template: &Template, reach: Option<&SlotReach>) -> bool {
        let longest = i64::from(template.longest_minutes()).saturating_mul(60);
        let (later, lasting) = reach.map_or((0, 0), |reach| (reach.later_secs, reach.lasting_secs));
        let from = plus_secs(self.now, longest.max(lasting).saturating_neg());
        let schedules = self.sold_schedules(template);
        if reach.is_some_and(|reach| reach.rescheduled) {
            let facts = template.facts();
            let plan = SlotPlan { template: &facts, schedules: &schedules, zone: self.zone };
            if plan.continues_after(from) {
                return true;
            }
        }
        let mut after = None;
        for piece in OPEN_SLOT_PIECES {
            let Some((slots, stopped)) = planned(template, &schedules, self.zone, from, after, piece) else {
                return false;
            };
            let open = |slot: &Slot| {
                let facts = SlotFacts {
                    published: true,
                    visible: true,
                    cancelled: false,
                    is_held: true,
                    channel_enabled: self.sells(template, template.schedule_of(&slot.id)),
                    start: plus_secs(slot.start, later),
                    end: slot.end.max(plus_secs(slot.start, lasting)),
                    details: &template.ticket_details,
                    available_seats: 1,
                };
                offer(&facts, self.now).listed_seats().is_some()
            };
            if slots.iter().any(open) {
                return true;
            }
            if stopped.is_none() {
                return false;
            }
            after = stopped;
        }
        false
    }

    /// When the first slot from `from` on starts, among those sold on the channel.
    #[must_use]
    pub fn first_start(&self, template: &Template, from: Timestamp) -> Option<Timestamp> {
        let schedules = self.sold_schedules(template);
        let (slots, _) = planned(template, &schedules, self.zone, from, None, NonZeroUsize::MIN)?;
        slots.first().map(|slot| slot.start)
    }

    /// The schedules that sell on the channel.
    fn sold_schedules<'a>(&self, template: &'a Template) -> Cow<'a, [Schedule]> {
        let sold = |schedule: &&Schedule| self.sells(template, Some(schedule));
        if template.schedules.iter().all(|schedule| sold(&schedule)) {
            return Cow::Borrowed(&template.schedules);
        }
        Cow::Owned(template.schedules.iter().filter(sold).cloned().collect())
    }
}

/// Slots as these schedules of a template make them; none where it has schedules, but none of these.
fn planned(
    template: &Template,
    schedules: &[Schedule],
    zone: Zone,
    from: Timestamp,
    after: Option<InstanceId>,
    limit: NonZeroUsize,
) -> Option<(Vec<Slot>, Option<InstanceId>)> {
    if schedules.is_empty() && !template.schedules.is_empty() {
        return None;
    }
    let from = from.max(Timestamp::UNIX_EPOCH);
    let until = plus_secs(from, LOOK_AHEAD_SECS);
    let facts = template.facts();
    let plan = SlotPlan { template: &facts, schedules, zone };
    let made = generate(plan, SlotWindow { from, until, after }, limit).ok()?;
    Some((made.slots, made.stopped_after))
}

/// Slots looked at together in search of an open one, piece by piece, before a template counts as over. The
/// first slots of most templates are open.
const OPEN_SLOT_PIECES: [NonZeroUsize; 17] = {
    let mut pieces = [NonZeroUsize::MIN.saturating_add(63); 17];
    pieces[0] = NonZeroUsize::MIN.saturating_add(3);
    pieces
};
/// How far ahead a slot may lie to keep its template listed: three years.
const LOOK_AHEAD_SECS: i64 = 3 * 366 * 86_400;

/// Whether a template can have slots whose generated start lies between two instants. Where there may be slots that its
/// schedules do not make any more, it always can.
#[must_use]
pub fn may_start(
    template: &Template,
    reach: Option<&SlotReach>,
    from: Timestamp,
    until: Timestamp,
    zone: Zone,
) -> bool {
    let facts = template.facts();
    let plan = SlotPlan { template: &facts, schedules: &template.schedules, zone };
    reach.is_some_and(|reach| reach.rescheduled) || makes_any(plan, from, until)
}

/// Which slots of a template lists can show between two instants, as far as its schedules tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listable {
    Nothing,
    /// This one at most: it may not have been made, or be gone.
    One(InstanceId),
    /// Perhaps several, or ones that its schedules do not make any more.
    Several,
}

/// What lists can show of a template's slots whose generated start lies between two instants. Slots outside the times of
/// its present schedules are not shown.
#[must_use]
pub fn listable(
    template: &Template,
    reach: Option<&SlotReach>,
    from: Timestamp,
    until: Timestamp,
    zone: Zone,
) -> Listable {
    const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);
    let facts = template.facts();
    let plan = SlotPlan { template: &facts, schedules: &template.schedules, zone };
    let is_rescheduled = reach.is_some_and(|reach| reach.rescheduled);
    let Ok(made) = generate(plan, window_between(from, until), TWO) else { return Listable::Several };
    match made.slots.as_slice() {
        [] if !is_rescheduled || !plan.may_reach(from, until) => Listable::Nothing,
        [slot] if !is_rescheduled => Listable::One(slot.id),
        _ => Listable::Several,
    }
}

fn makes_any(plan: SlotPlan<'_>, from: Timestamp, until: Timestamp) -> bool {
    generate(plan, window_between(from, until), NonZeroUsize::MIN).map_or(true, |made| !made.slots.is_empty())
}

/// The window between two instants, from 1970 on, where ids of slots begin.
fn window_between(from: Timestamp, until: Timestamp) -> SlotWindow {
    SlotWindow { from: from.max(Timestamp::UNIX_EPOCH), until, after: None }
}

/// The seats of one date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DaySeats {
    /// Those that can be had; 0 where every slot is full.
    pub available: u32,
    /// All of them.
    pub capacity: u32,
}

/// The seats of every date that has any of these slots.
#[must_use]
pub fn seats_by_date<'a>(
    slots: impl IntoIterator<Item = ListedSlot<'a>>,
    zone: Zone,
) -> BTreeMap<NaiveDate, DaySeats> {
    let mut days: BTreeMap<NaiveDate, DaySeats> = BTreeMap::new();
    for slot in slots {
        let Ledger { start, end, size, .. } = *slot.ledger;
        let first = zone.date(start);
        let last = if end <= plus_secs(start, ONE_DAY_SECS) { first } else { zone.date(plus_secs(end, -1)) };
        for date in first.iter_days().take_while(|date| *date <= last).take(MAX_SLOT_DAYS) {
            let day = days.entry(date).or_default();
            day.available = day.available.saturating_add(slot.seats);
            day.capacity = day.capacity.saturating_add(size);
        }
    }
    days
}

const ONE_DAY_SECS: i64 = 86_400;
/// Days one slot can lie on; far more than any event runs.
const MAX_SLOT_DAYS: usize = 3_660;

/// The slot that starts first among those from now on that have a seat.
#[must_use]
pub fn next_available<'a>(
    slots: impl IntoIterator<Item = ListedSlot<'a>>,
    now: Timestamp,
) -> Option<ListedSlot<'a>> {
    let upcoming = slots.into_iter().filter(|slot| slot.seats > 0 && now <= slot.ledger.start);
    upcoming.min_by_key(|slot| (slot.ledger.start, slot.ledger.instance))
}

#[cfg(test)]
mod tests;
