//! What a caller asks a cart to hold: read and checked, not yet priced.

use crate::form::SentAnswer;
use crate::membership::issue::{CardHolder, NewMembership};
use crate::membership::{Gifter, MembershipAction, MembershipPlan};
use crate::{
    CartItemId, ComboTemplateId, CustomerId, FormId, InstanceId, InventoryId, LevelId, MembershipId, Money,
    ReservationId, TicketTypeId,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Lines a cart may have (contract §4).
pub const MAX_LINES: usize = 100;
/// Coupon codes a line or a cart may name.
pub const MAX_CODES: usize = 10;
/// Largest quantity of one line.
pub const MAX_QUANTITY: u32 = 999;
/// Memberships one cart may name.
pub const MAX_MEMBERSHIPS: usize = 10;
/// Event instances one order may touch.
pub const MAX_INSTANCES: usize = 50;
/// Tickets one order may have.
pub const MAX_TICKETS: u32 = 2_000;
/// Lines of a cart that may buy memberships: what one transaction settles (decision record 0049).
pub const MAX_MEMBERSHIP_LINES: usize = 4;
/// Cards that the memberships of a cart may have together, those they have already included.
pub const MAX_MEMBERSHIP_CARDS: usize = 15;

/// A cart as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CartRequest {
    /// Its lines, in the caller's order; combos stand behind all others.
    pub lines: Vec<WantedLine>,
    /// What applies to the cart as a whole.
    pub terms: CartTerms,
    /// Answers to forms that its events ask.
    pub forms: Vec<WantedForm>,
    /// Fields of its lines that were sent elsewhere than where they belong.
    pub moved: Vec<MovedField>,
}

/// A field that was sent elsewhere than where it belongs. Both are pointers within the cart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedField {
    /// Where it belongs, and where its faults are found.
    pub from: String,
    /// Where it was sent, or would be, and where its faults are told.
    pub to: String,
}

/// What applies to a cart as a whole (spec §2.2, contract §4).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CartTerms {
    /// Membership ids or numbers that drive member prices, as sent.
    pub membership_ids: Vec<MembershipId>,
    /// The one of them that was sent by itself, not in the list.
    pub single_membership: Option<MembershipId>,
    /// A level whose benefits apply without a membership.
    pub membership_category: Option<LevelId>,
    /// What of these two, and of the memberships that lines name, does not count.
    pub refused: RefusedClaims,
    /// Codes for all eligible lines.
    pub coupon_codes: Vec<String>,
    /// The reservation whose holds checkout consumes.
    pub reservation: Option<ReservationId>,
    /// Checkout verifies entitlements and refuses with the limit information.
    pub verify_entitlements: bool,
    /// A known customer.
    pub customer: Option<CustomerId>,
}

/// Why a claim does not count, as the visitor is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ClaimProblem {
    /// No proof of it was sent, or one that is over, altered or another tenant's.
    ProofNeeded,
    /// The venue takes no claims from such a caller.
    NotAccepted,
}

impl ClaimProblem {
    /// The code in `memberMessages`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::ProofNeeded => "PROOF_NEEDED",
            Self::NotAccepted => "MEMBERS_NOT_ACCEPTED",
        }
    }
}

/// What of a cart's claims does not count, as it was decided when the cart was written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RefusedClaims {
    /// Memberships, as they were named, also by lines that renew or change them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memberships: Vec<MembershipId>,
    /// The level that is named without a membership.
    #[serde(default)]
    pub level: bool,
    /// What the visitor is told; nothing where only a level does not count that the cart's memberships make
    /// meaningless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<ClaimProblem>,
}

/// A line as it was asked for. The id it names counts only if the cart has such a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedLine {
    /// The id sent back by the caller, if any.
    pub id: Option<CartItemId>,
    /// What is wanted.
    pub wanted: Wanted,
}

/// A line that has its id, ready to be priced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineRequest {
    /// Identity of the line.
    pub id: CartItemId,
    /// What is wanted.
    pub wanted: Wanted,
}

/// What a line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    Ticket(WantedTicket),
    AddOn(WantedAddOn),
    Donation(Box<WantedDonation>),
    /// Several events at one price.
    Combo(Box<WantedCombo>),
    Membership(Box<WantedMembership>),
}

/// Tickets of one type for one event instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedTicket {
    /// The event instance.
    pub instance: InstanceId,
    pub ticket_type: TicketTypeId,
    /// Tickets; 0 only asks for the price.
    pub quantity: u32,
    /// How the line asks to be priced.
    pub treatment: WantedTreatment,
    /// Exempt from entitlement rules.
    pub ignore_entitlements: bool,
}

/// How a ticket line asks to be priced. Full price and coupons exclude each other (contract §4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WantedTreatment {
    /// Whatever the cart's terms give it.
    Best,
    /// Full price whatever discounts apply (spec §4.1 rule 2).
    FullPrice,
    /// By these codes, at least one (spec §4.1 rule 3).
    Coupons(Vec<String>),
}

/// An add-on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedAddOn {
    /// What is bought.
    pub inventory: InventoryId,
    /// The event instance it belongs to, if to one.
    pub instance: Option<InstanceId>,
    /// Units; 0 only asks for the price.
    pub quantity: u32,
}

/// A donation; its quantity is always 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedDonation {
    /// What is given to.
    pub inventory: InventoryId,
    /// How much.
    pub gift: Gift,
    /// Appeal, recognition, dedication, beneficiary.
    pub detail: DonationDetail,
}

/// Facts about a donation (spec §2.4); all optional.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are the specification's own")]
pub struct DonationDetail {
    pub donation_appeal_name: Option<String>,
    pub donation_campaign_name: Option<String>,
    pub donation_fund_name: Option<String>,
    pub donor_recognition: Option<String>,
    pub donor_recognition_type: Option<String>,
    pub dedication_last_name: Option<String>,
    pub dedication_first_name: Option<String>,
    pub beneficiary_type: Option<String>,
    pub beneficiary_last_name: Option<String>,
    pub beneficiary_first_name: Option<String>,
    pub beneficiary_email: Option<String>,
    pub beneficiary_phone_number: Option<String>,
    pub beneficiary_street_address1: Option<String>,
    pub beneficiary_street_address2: Option<String>,
    pub beneficiary_city: Option<String>,
    pub beneficiary_state: Option<String>,
    pub beneficiary_zip_code: Option<String>,
    pub beneficiary_country: Option<String>,
}

/// Combos of one definition for one ticket type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedCombo {
    /// The definition.
    pub combo: ComboTemplateId,
    /// The ticket type, of the tickets for every event.
    pub ticket_type: TicketTypeId,
    /// Combos; 0 only asks for the price.
    pub quantity: u32,
    /// The chosen instances of its events, in any order.
    pub parts: Vec<InstanceId>,
}

/// A membership as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedMembership {
    /// What is done.
    pub action: MembershipAction,
    /// What is bought.
    pub plan: MembershipPlan,
    /// The membership it is done with, by its id or its number, as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub membership: Option<MembershipId>,
    /// Who is to hold cards.
    #[serde(default)]
    pub holders: Vec<CardHolder>,
    /// Who gives it, if it is a gift.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub giver: Option<Gifter>,
    /// Charged in full whatever discounts apply.
    #[serde(default)]
    pub is_retail: bool,
    /// Codes for this line alone.
    #[serde(default)]
    pub coupon_codes: Vec<String>,
    /// The identifiers of the membership that a checkout makes of it; generated anew by each.
    #[serde(skip)]
    pub generated: Option<NewMembership>,
}

/// How much is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gift {
    /// The amount of the catalog.
    Fixed,
    /// The amount the donor chose.
    Chosen(Money),
}

/// Answers to a form, sent with a cart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedForm {
    /// Its place in the list that was sent.
    pub at: usize,
    pub form: FormId,
    /// The event it is answered for; none answers it for every event that asks it.
    pub event: Option<InstanceId>,
    pub fields: Vec<SentAnswer>,
}

/// A limit that a cart's lines exceed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SizeFault {
    /// More than [`MAX_INSTANCES`] event instances.
    TooManyInstances,
    /// More than [`MAX_TICKETS`] tickets.
    TooManyTickets,
}

/// The limits that these lines exceed together (contract §4). How many tickets a combo has is in its definition:
/// they are added up where it is priced.
#[must_use]
pub fn size_faults<'a>(lines: impl IntoIterator<Item = &'a WantedLine>) -> Vec<SizeFault> {
    let mut instances = BTreeSet::new();
    let mut tickets: u32 = 0;
    for line in lines {
        match &line.wanted {
            Wanted::Ticket(ticket) => {
                instances.insert(ticket.instance);
                tickets = tickets.saturating_add(ticket.quantity);
            }
            Wanted::Combo(combo) => instances.extend(combo.parts.iter().copied()),
            Wanted::AddOn(_) | Wanted::Donation(_) | Wanted::Membership(_) => {}
        }
    }
    let too_many_instances = (instances.len() > MAX_INSTANCES).then_some(SizeFault::TooManyInstances);
    let too_many_tickets = (tickets > MAX_TICKETS).then_some(SizeFault::TooManyTickets);
    too_many_instances.into_iter().chain(too_many_tickets).collect()
}

/// Whether an add-on's event has tickets among these lines (contract §4). Lines that only ask for the price
/// never become tickets, so they carry only add-ons that ask for the price as well.
#[must_use]
pub fn has_tickets_for<'a>(add_on: &WantedAddOn, lines: impl IntoIterator<Item = &'a WantedLine>) -> bool {
    let Some(instance) = add_on.instance else { return true };
    lines.into_iter().any(|line| match &line.wanted {
        Wanted::Ticket(ticket) => {
            ticket.instance == instance && (ticket.quantity > 0 || add_on.quantity == 0)
        }
        Wanted::Combo(combo) => {
            combo.parts.contains(&instance) && (combo.quantity > 0 || add_on.quantity == 0)
        }
        Wanted::AddOn(_) | Wanted::Donation(_) | Wanted::Membership(_) => false,
    })
}

/// Gives every line its id: the one it names where the cart has that line; else that of a line that asks for the same
/// and was not named, so that a cart sent again as it was stays as it is; else a fresh one. `known` are the lines that
/// the cart has.
///
/// # Errors
/// Those of `fresh`.
pub fn name_lines<E>(
    lines: &[WantedLine],
    mut known: Vec<LineRequest>,
    mut fresh: impl FnMut() -> Result<CartItemId, E>,
) -> Result<Vec<LineRequest>, E> {
    let mut take = |is_meant: &dyn Fn(&LineRequest) -> bool| {
        let found = known.iter().position(is_meant)?;
        Some(known.remove(found).id)
    };
    let mut kept: Vec<Option<CartItemId>> = Vec::with_capacity(lines.len());
    for line in lines {
        kept.push(line.id.as_ref().and_then(|id| take(&|known| known.id == *id)));
    }
    let mut named = Vec::with_capacity(lines.len());
    for (line, kept) in lines.iter().zip(kept) {
        let kept = kept.or_else(|| take(&|known| known.wanted.is_the_same_as(&line.wanted)));
        let id = kept.map_or_else(&mut fresh, Ok)?;
        named.push(LineRequest { id, wanted: line.wanted.clone() });
    }
    Ok(named)
}

impl RefusedClaims {
    /// True where everything that was claimed counts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl CartTerms {
    /// The memberships that count.
    pub fn claimed_memberships(&self) -> impl Iterator<Item = MembershipId> {
        self.membership_ids.iter().copied().filter(|sent| self.counts(*sent))
    }

    /// Whether a membership counts that the cart or one of its lines names.
    #[must_use]
    pub fn counts(&self, sent: MembershipId) -> bool {
        !self.refused.memberships.contains(&sent)
    }

    /// The level that counts, if one is named. Where memberships are named and none of them counts, no level does:
    /// it would have meant nothing.
    #[must_use]
    pub fn claimed_level(&self) -> Option<&LevelId> {
        let is_meant = self.membership_ids.is_empty() || self.claimed_memberships().next().is_some();
        self.membership_category.as_ref().filter(|_| is_meant && !self.refused.level)
    }
}

impl Wanted {
    /// Whether both ask for the same; the events of a combo may be named in any order.
    #[must_use]
    fn is_the_same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Combo(own), Self::Combo(other)) => {
                let in_order = |combo: &WantedCombo| {
                    let mut combo = combo.clone();
                    combo.parts.sort_unstable();
                    combo
                };
                in_order(own) == in_order(other)
            }
            (own, other) => own == other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(number: u8) -> InstanceId {
        InstanceId::parse(&format!("{number:024x}")).unwrap()
    }

    fn ticket(number: u8, quantity: u32) -> WantedLine {
        let ticket = WantedTicket {
            instance: instance(number),
            ticket_type: TicketTypeId::parse("adult").unwrap(),
            quantity,
            treatment: WantedTreatment::Best,
            ignore_entitlements: false,
        };
        WantedLine { id: None, wanted: Wanted::Ticket(ticket) }
    }

    fn combo(parts: &[u8], quantity: u32) -> WantedLine {
        let combo = WantedCombo {
            combo: ComboTemplateId::parse("both").unwrap(),
            ticket_type: TicketTypeId::parse("adult").unwrap(),
            quantity,
            parts: parts.iter().map(|part| instance(*part)).collect(),
        };
        WantedLine { id: None, wanted: Wanted::Combo(Box::new(combo)) }
    }

    #[test]
    fn fifty_events_and_two_thousand_tickets_are_the_most_a_cart_holds() {
        let events = |count: u8| (0..count).map(|number| ticket(number, 1)).collect::<Vec<_>>();
        let tickets = |last| vec![ticket(1, 999), ticket(1, 999), ticket(1, last)];
        for (lines, faults) in [
            (events(50), vec![]),
            (events(51), vec![SizeFault::TooManyInstances]),
            ([events(49), vec![combo(&[48, 49], 1)]].concat(), vec![]),
            ([events(49), vec![combo(&[49, 50], 1)]].concat(), vec![SizeFault::TooManyInstances]),
            (tickets(2), vec![]),
            (tickets(3), vec![SizeFault::TooManyTickets]),
        ] {
            assert_eq!(size_faults(&lines), faults, "{} lines", lines.len());
        }
    }

    #[test]
    fn lines_keep_the_ids_they_name_and_otherwise_those_of_lines_that_ask_for_the_same() {
        let id = |number: u8| CartItemId::from_bytes([number; 16]);
        let known = |number: u8, wanted: WantedLine| LineRequest { id: id(number), wanted: wanted.wanted };
        let before = [
            known(1, ticket(1, 1)),
            known(2, ticket(1, 1)),
            known(3, ticket(2, 1)),
            known(4, combo(&[1, 2], 1)),
        ];
        let named = |number: u8, line: WantedLine| WantedLine { id: Some(id(number)), ..line };
        for (case, lines, expected) in [
            (
                "as it was",
                vec![ticket(1, 1), ticket(1, 1), ticket(2, 1), combo(&[2, 1], 1)],
                vec![1, 2, 3, 4],
            ),
            ("in another order", vec![ticket(2, 1), ticket(1, 1)], vec![3, 1]),
            ("one more of the same", vec![ticket(2, 1), ticket(2, 1)], vec![3, 100]),
            ("another quantity", vec![ticket(2, 2)], vec![100]),
            ("named ones first", vec![ticket(1, 1), named(1, ticket(1, 5))], vec![2, 1]),
            ("one id twice", vec![named(3, ticket(2, 1)), named(3, ticket(2, 1))], vec![3, 100]),
            ("an id of no line", vec![named(9, ticket(2, 1))], vec![3]),
        ] {
            let mut fresh = 99;
            let named = name_lines(&lines, before.to_vec(), || {
                fresh += 1;
                Ok::<_, ()>(id(fresh))
            });
            let ids: Vec<CartItemId> = named.unwrap().into_iter().map(|line| line.id).collect();
            assert_eq!(ids, expected.into_iter().map(id).collect::<Vec<_>>(), "{case}");
        }
    }

    #[test]
    fn an_add_on_of_an_event_needs_tickets_of_that_event() {
        for (case, event, units, lines, expected) in [
            ("of no event", None, 1, vec![], true),
            ("without tickets", Some(1), 1, vec![], false),
            ("with tickets", Some(1), 1, vec![ticket(1, 2)], true),
            ("with tickets of another event", Some(1), 1, vec![ticket(2, 2)], false),
            ("with a price probe only", Some(1), 1, vec![ticket(1, 0)], false),
            ("both are price probes", Some(1), 0, vec![ticket(1, 0)], true),
            ("with a combo for the event", Some(1), 1, vec![combo(&[2, 1], 1)], true),
            ("with a combo for other events", Some(1), 1, vec![combo(&[2, 3], 1)], false),
            ("with the price probe of a combo", Some(1), 1, vec![combo(&[2, 1], 0)], false),
        ] {
            let inventory = InventoryId::parse(7).unwrap();
            let add_on = WantedAddOn { inventory, instance: event.map(instance), quantity: units };
            assert_eq!(has_tickets_for(&add_on, &lines), expected, "{case}");
        }
    }
}
