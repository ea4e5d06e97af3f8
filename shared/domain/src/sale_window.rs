//! Whether a slot can be bought now, decided in one place for list, times, calendar, next available, cart and
//! checkout (contract §7). Until when, the ticket settings of its template say (spec §2.10).
//!
//! # When sales close
//!
//! Context: `purchaseAvailability` is `{timeFrame: when|before|after, minutes}` and `postStartPurchase` is
//! `{allowLateTicketPurchase}`. The specification gives the fields and no meaning, and says nothing of an event
//! without either.
//!
//! Decision (our choice): sales have an end and no beginning; a published slot sells at once. They close
//!
//! - at the start of the slot, without settings or with `when`;
//! - with `before`, that many minutes before the start;
//! - with `after`, that many minutes after the start, at the latest at the end;
//! - with `allowLateTicketPurchase`, at the end of the slot;
//! - with both settings, at the later of the two.
//!
//! At exactly the closing instant sales are closed, as a hold is dead at exactly its expiry (contract §8).
//!
//! Consequences: forgetting the settings never sells a ticket to an event that has begun; a running event of
//! several days sells once its author allows late purchase; nothing ever sells a ticket to an event that is over.

use crate::InstanceId;
use crate::catalog::ticket_details::{PurchaseAvailability, TicketDetails};
use crate::catalog::{ReviewState, Template};
use crate::ledger::{Ledger, SlotState};
use crate::time::{Timestamp, Zone};

/// The instant at which sales of a slot close; at it they are closed. The rule is at the head of this file.
#[must_use]
pub fn sale_closes(details: &TicketDetails, start: Timestamp, end: Timestamp) -> Timestamp {
    let set = details.purchase_availability.unwrap_or(PurchaseAvailability::When).closes(start, end);
    if details.post_start_purchase.allow_late_ticket_purchase { set.max(end) } else { set }
}

/// Whether a slot from `start` to `end` is on sale at `now`, as far as the clock has a say.
#[must_use]
pub fn sale_open(details: &TicketDetails, start: Timestamp, end: Timestamp, now: Timestamp) -> bool {
    now < sale_closes(details, start, end)
}

/// All that decides whether a slot can be bought.
#[derive(Debug, Clone, Copy)]
pub struct SlotFacts<'a> {
    /// The template is published.
    pub published: bool,
    /// The buyer's list shows the template's `type`: lists hide private templates unless asked for them (spec
    /// §4.4); cart and checkout, which name their slot, hide none.
    pub visible: bool,
    /// The slot is cancelled or its sales are closed by hand.
    pub cancelled: bool,
    /// The slot is one of those its template holds: see [`Template::holds`].
    pub is_held: bool,
    /// Template, schedule and price all sell on the channel of the route.
    pub channel_enabled: bool,
    /// When the slot starts.
    pub start: Timestamp,
    /// When the slot ends.
    pub end: Timestamp,
    /// The ticket settings of its template.
    pub details: &'a TicketDetails,
    /// Seats neither held nor sold.
    pub available_seats: u32,
}

/// What the buyer may know of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// Not shown and not sold.
    NotListed(Unlisted),
    /// Shown with 0 seats.
    SoldOut,
    /// Shown and sold.
    OnSale {
        /// Seats left, at least one.
        seats: u32,
    },
}

/// Why a slot is not listed, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unlisted {
    /// Its template is a draft.
    NotPublished,
    /// The buyer's list leaves out this type of template.
    Hidden,
    /// It was cancelled or closed.
    Cancelled,
    /// Its template or its schedule has ended before it, or begins after it.
    Ended,
    /// It is not sold on this channel.
    ChannelOff,
    /// Its sale window has closed.
    WindowClosed {
        /// When it closed.
        closed_at: Timestamp,
    },
}

impl Offer {
    /// The seats to show: none for a slot that is not listed, 0 for a full one.
    #[must_use]
    pub const fn listed_seats(self) -> Option<u32> {
        match self {
            Self::NotListed(_) => None,
            Self::SoldOut => Some(0),
            Self::OnSale { seats } => Some(seats),
        }
    }
}

/// A dated slot of a template, as its ledger tells of it, or its id.
#[derive(Debug, Clone, Copy)]
pub struct DatedSlot<'a> {
    /// The definition of its event.
    pub template: &'a Template,
    /// Its id, which says where its schedule put it.
    pub instance: InstanceId,
    /// When it starts, wherever it was moved to.
    pub start: Timestamp,
    /// When it ends.
    pub end: Timestamp,
    /// Active or cancelled.
    pub state: SlotState,
    /// Seats neither held nor sold.
    pub available_seats: u32,
}

/// How a caller looks at slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sight {
    /// See [`SlotFacts::visible`].
    pub visible: bool,
    /// See [`SlotFacts::channel_enabled`].
    pub channel_enabled: bool,
    /// The tenant's zone, in which schedules are read.
    pub zone: Zone,
}

impl<'a> DatedSlot<'a> {
    /// A slot as its ledger tells of it at an instant.
    #[must_use]
    pub fn of(template: &'a Template, ledger: &Ledger, now: Timestamp) -> Self {
        Self {
            template,
            instance: ledger.instance,
            start: ledger.start,
            end: ledger.end,
            state: ledger.state,
            available_seats: ledger.available(now),
        }
    }

    /// Decides whether the slot can be bought at `now`. Every route that shows or sells slots asks here.
    #[must_use]
    pub fn offer(&self, sight: Sight, now: Timestamp) -> Offer {
        let Self { template, instance, start, end, state, available_seats } = *self;
        let facts = SlotFacts {
            published: template.review_state == ReviewState::Published,
            visible: sight.visible,
            cancelled: state != SlotState::Active,
            is_held: template.holds(&instance, start, sight.zone),
            channel_enabled: sight.channel_enabled,
            start,
            end,
            details: &template.ticket_details,
            available_seats,
        };
        offer(&facts, now)
    }
}

/// The rule of every offer, on facts that were gathered.
#[must_use]
pub fn offer(facts: &SlotFacts<'_>, now: Timestamp) -> Offer {
    let closed_at = sale_closes(facts.details, facts.start, facts.end);
    let unlisted = if !facts.published {
        Some(Unlisted::NotPublished)
    } else if !facts.visible {
        Some(Unlisted::Hidden)
    } else if facts.cancelled {
        Some(Unlisted::Cancelled)
    } else if !facts.is_held {
        Some(Unlisted::Ended)
    } else if !facts.channel_enabled {
        Some(Unlisted::ChannelOff)
    } else if now >= closed_at {
        Some(Unlisted::WindowClosed { closed_at })
    } else {
        None
    };
    match (unlisted, facts.available_seats) {
        (Some(reason), _) => Offer::NotListed(reason),
        (None, 0) => Offer::SoldOut,
        (None, seats) => Offer::OnSale { seats },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::ticket_details::{PostStartPurchase, TimeFrame};
    use crate::time::plus_secs;
    use proptest::prelude::*;

    const HOUR: i64 = 3_600;

    fn start() -> Timestamp {
        "2027-07-04T20:00:00Z".parse().unwrap()
    }

    /// Three days, as a festival runs.
    fn end() -> Timestamp {
        plus_secs(start(), 72 * HOUR)
    }

    fn details(late: bool, availability: Option<PurchaseAvailability>) -> TicketDetails {
        TicketDetails {
            post_start_purchase: PostStartPurchase { allow_late_ticket_purchase: late },
            purchase_availability: availability,
            ..TicketDetails::default()
        }
    }

    fn on_sale<'a>(details: &'a TicketDetails) -> SlotFacts<'a> {
        SlotFacts {
            published: true,
            visible: true,
            cancelled: false,
            is_held: true,
            channel_enabled: true,
            start: start(),
            end: end(),
            details,
            available_seats: 5,
        }
    }

    #[test]
    fn sales_end_at_the_start_unless_late_purchase_is_allowed_and_never_outlast_the_event() {
        use PurchaseAvailability::{After, Before, When};
        let three_days = 72 * HOUR;
        for (late, availability, closes_after_start) in [
            (false, None, 0),
            (true, None, three_days),
            (false, Some(When), 0),
            (true, Some(When), three_days),
            (false, Some(Before { minutes: 60 }), -HOUR),
            (true, Some(Before { minutes: 60 }), three_days),
            (false, Some(Before { minutes: 0 }), 0),
            (false, Some(After { minutes: 60 }), HOUR),
            (true, Some(After { minutes: 60 }), three_days),
            (false, Some(After { minutes: 72 * 60 }), three_days),
            (false, Some(After { minutes: u32::MAX }), three_days),
        ] {
            let details = details(late, availability);
            for (after_start, open) in
                [(closes_after_start - 1, true), (closes_after_start, false), (closes_after_start + 1, false)]
            {
                let now = plus_secs(start(), after_start);
                let case = format!("late {late}, {availability:?}, {after_start} s after the start");
                assert_eq!(sale_open(&details, start(), end(), now), open, "{case}");
                let listed = offer(&on_sale(&details), now).listed_seats();
                assert_eq!(listed, open.then_some(5), "{case}");
            }
        }
    }

    #[test]
    fn a_running_event_of_three_days_sells_only_when_late_purchase_is_allowed() {
        for (late, after_start, open) in [
            (false, -1, true),
            (false, 0, false),
            (false, 24 * HOUR, false),
            (false, 72 * HOUR + 1, false),
            (true, -1, true),
            (true, 0, true),
            (true, 24 * HOUR, true),
            (true, 72 * HOUR - 1, true),
            (true, 72 * HOUR, false),
            (true, 72 * HOUR + 1, false),
        ] {
            let now = plus_secs(start(), after_start);
            assert_eq!(sale_open(&details(late, None), start(), end(), now), open, "{late} {after_start}");
        }
    }

    #[test]
    fn a_full_slot_is_listed_with_no_seats() {
        let details = TicketDetails::default();
        let facts = SlotFacts { available_seats: 0, ..on_sale(&details) };
        let now = plus_secs(start(), -1);
        assert_eq!(offer(&facts, now), Offer::SoldOut);
        assert_eq!(offer(&facts, now).listed_seats(), Some(0));
        assert_eq!(offer(&on_sale(&details), now), Offer::OnSale { seats: 5 });
    }

    #[test]
    fn the_first_reason_not_to_list_a_slot_is_given() {
        let details = TicketDetails::default();
        let mut facts = SlotFacts {
            published: false,
            visible: false,
            cancelled: true,
            is_held: false,
            channel_enabled: false,
            available_seats: 0,
            ..on_sale(&details)
        };
        let why = |facts: &SlotFacts<'_>| offer(facts, end());
        assert_eq!(why(&facts), Offer::NotListed(Unlisted::NotPublished));
        facts.published = true;
        assert_eq!(why(&facts), Offer::NotListed(Unlisted::Hidden));
        facts.visible = true;
        assert_eq!(why(&facts), Offer::NotListed(Unlisted::Cancelled));
        facts.cancelled = false;
        assert_eq!(why(&facts), Offer::NotListed(Unlisted::Ended));
        facts.is_held = true;
        assert_eq!(why(&facts), Offer::NotListed(Unlisted::ChannelOff));
        facts.channel_enabled = true;
        assert_eq!(why(&facts), Offer::NotListed(Unlisted::WindowClosed { closed_at: start() }));
        assert_eq!(why(&facts).listed_seats(), None);
    }

    proptest! {
        #[test]
        fn no_setting_sells_a_ticket_once_the_event_is_over(
            late: bool, frame in 0..4, minutes: u32, length in 0..400_000_i64, past in 0..400_000_i64,
        ) {
            let frame = match frame {
                0 => None,
                1 => Some(TimeFrame::When),
                2 => Some(TimeFrame::Before),
                _ => Some(TimeFrame::After),
            };
            let details = details(late, frame.map(|frame| PurchaseAvailability::new(frame, minutes)));
            let end = plus_secs(start(), length);
            prop_assert!(!sale_open(&details, start(), end, plus_secs(end, past)));
        }
    }
}
