//! What a caller asks a cart to hold: read and checked, not yet priced.

use crate::cart::{
    Cart, CartLine, DonationDetail, DonationKind, MAX_INSTANCES, MAX_TICKETS, WantedMembership,
};
use crate::claim::RefusedClaims;
use crate::form::WantedForm;
use crate::{
    CartItemId, ComboTemplateId, CustomerId, InstanceId, InventoryId, LevelId, MembershipId, Money,
    ReservationId, TicketTypeId,
};
use std::collections::BTreeSet;

/// A cart as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CartRequest {
    /// Its lines, in the caller's order; combos stand behind all others.
    pub lines: Vec<WantedLine>,
    /// What applies to the cart as a whole.
    pub terms: CartTerms,
    /// Answers to forms that its events ask.
    pub forms: Vec<WantedForm>,
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
    /// Tickets.
    Ticket(WantedTicket),
    /// An add-on.
    AddOn(WantedAddOn),
    /// A donation.
    Donation(Box<WantedDonation>),
    /// Several events at one price.
    Combo(Box<WantedCombo>),
    /// A membership.
    Membership(Box<WantedMembership>),
}

/// Tickets of one type for one event instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedTicket {
    /// The event instance.
    pub instance: InstanceId,
    /// The ticket type.
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
    /// Pieces; 0 only asks for the price.
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

/// How much is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gift {
    /// The amount of the catalog.
    Fixed,
    /// The amount the donor chose.
    Chosen(Money),
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
/// and was not named, so that a cart sent again as it was stays as it is; else a fresh one.
///
/// # Errors
/// Those of `fresh`.
pub fn name_lines<E>(
    lines: &[WantedLine],
    before: &[CartLine],
    fresh: impl FnMut() -> Result<CartItemId, E>,
) -> Result<Vec<LineRequest>, E> {
    name_known(lines, before.iter().map(LineRequest::from).collect(), fresh)
}

fn name_known<E>(
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

impl Cart {
    /// What applies to the cart as a whole.
    #[must_use]
    pub fn terms(&self) -> CartTerms {
        CartTerms {
            membership_ids: self.membership_ids.clone(),
            single_membership: None,
            membership_category: self.membership_category.clone(),
            refused: self.refused_claims.clone(),
            coupon_codes: self.coupon_codes.clone(),
            reservation: self.reservation,
            verify_entitlements: self.verify_entitlements,
            customer: self.customer,
        }
    }

    /// The lines as requests, to price them again.
    #[must_use]
    pub fn requests(&self) -> Vec<LineRequest> {
        self.lines.iter().map(LineRequest::from).collect()
    }
}

impl From<&CartLine> for LineRequest {
    fn from(line: &CartLine) -> Self {
        let wanted = match line {
            CartLine::Ticket(line) => Wanted::Ticket(WantedTicket {
                instance: line.instance,
                ticket_type: line.ticket_type.clone(),
                quantity: line.quantity,
                treatment: if line.is_retail {
                    WantedTreatment::FullPrice
                } else if line.coupon_codes.is_empty() {
                    WantedTreatment::Best
                } else {
                    WantedTreatment::Coupons(line.coupon_codes.clone())
                },
                ignore_entitlements: line.ignore_entitlements,
            }),
            CartLine::AddOn(line) => Wanted::AddOn(WantedAddOn {
                inventory: line.inventory,
                instance: line.instance,
                quantity: line.quantity,
            }),
            CartLine::Donation(line) => Wanted::Donation(Box::new(WantedDonation {
                inventory: line.inventory,
                gift: match line.kind {
                    DonationKind::FixedDonation => Gift::Fixed,
                    DonationKind::Donation => Gift::Chosen(line.price.unit),
                },
                detail: line.detail.clone(),
            })),
            CartLine::Combo(line) => Wanted::Combo(Box::new(WantedCombo {
                combo: line.combo.clone(),
                ticket_type: line.ticket_type.clone(),
                quantity: line.quantity,
                parts: line.parts.iter().map(|part| part.instance).collect(),
            })),
            CartLine::Membership(line) => Wanted::Membership(Box::new(line.wanted.clone())),
        };
        Self { id: line.id().clone(), wanted }
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
            let named = name_known(&lines, before.to_vec(), || {
                fresh += 1;
                Ok::<_, ()>(id(fresh))
            });
            let ids: Vec<CartItemId> = named.unwrap().into_iter().map(|line| line.id).collect();
            assert_eq!(ids, expected.into_iter().map(id).collect::<Vec<_>>(), "{case}");
        }
    }

    #[test]
    fn an_add_on_of_an_event_needs_tickets_of_that_event() {
        for (case, event, pieces, lines, expected) in [
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
            let add_on = WantedAddOn { inventory, instance: event.map(instance), quantity: pieces };
            assert_eq!(has_tickets_for(&add_on, &lines), expected, "{case}");
        }
    }
}
