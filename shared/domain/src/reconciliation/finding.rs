//! What does not agree, as a person is told, and what it is about.

use super::fault::{MembershipFault, MoneyFault, OrderFault, SaleFault, optional};
use crate::entitlement::Tally;
use crate::{CardId, CouponId, CustomerId, InstanceId, InventoryId, MembershipId, OrderId, SaleId, TicketId};
use std::fmt;

/// Something of which so much is said to be used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// Seats sold of a slot.
    Seats(InstanceId),
    /// Orders a coupon was used in.
    Coupon(CouponId),
    /// Units sold of an add-on.
    Stock(InventoryId),
    /// Tickets at the member price, by the counter of a tally.
    Uses(Tally, String),
    /// Tickets of an instance that let somebody in.
    Admitted(InstanceId),
    /// Those of them whose holders are inside.
    Inside(InstanceId),
}

impl fmt::Display for Count {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seats(instance) => write!(out, "seats of {instance}"),
            Self::Coupon(coupon) => write!(out, "uses of coupon {coupon}"),
            Self::Stock(inventory) => write!(out, "pieces of add-on {inventory}"),
            Self::Admitted(instance) => write!(out, "visitors let in of {instance}"),
            Self::Inside(instance) => write!(out, "visitors inside of {instance}"),
            Self::Uses(Tally { number, template, period }, counter) => {
                write!(out, "uses of membership number {number} at {template} in {period} by {counter}")
            }
        }
    }
}

/// Records that do not agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// An order and its records.
    Order(OrderId, OrderFault),
    /// An order and its money.
    Money(OrderId, MoneyFault),
    /// A sale by itself.
    Sale(SaleId, SaleFault),
    /// A membership and its records.
    Membership(MembershipId, MembershipFault),
    /// Free, held and sold seats do not add up to the size of a slot.
    UnsoundLedger {
        /// The slot.
        instance: InstanceId,
        size: u32,
        /// The sum of the three.
        accounted: u64,
    },
    /// A ledger or counter says otherwise than the pending and paid orders.
    Counted {
        /// What is counted.
        count: Count,
        /// What the ledger or counter says.
        counted: i64,
        /// What the orders come to.
        used: i64,
    },
    /// A ticket whose id or barcode another one has too.
    Repeated {
        order: OrderId,
        ticket: TicketId,
        /// The order of the other one, once it has been looked for.
        other: Option<OrderId>,
        /// The fingerprint of the id or barcode.
        mark: u64,
    },
    /// A card, or what is known of someone, leads to a customer that is not there.
    LostCustomer {
        customer: CustomerId,
        /// The membership whose card leads there, if one does.
        card_of: Option<MembershipId>,
    },
    /// Records of a tenant that is not there.
    NoTenant { orders: u64, memberships: u64 },
    /// A card was scanned that is not there.
    LostCard {
        /// The card.
        card: CardId,
    },
    /// A record does not read as what it is.
    Unreadable {
        /// Its keys.
        record: String,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Order(order, fault) => write!(out, "order {order}: {fault}"),
            Self::Money(order, fault) => write!(out, "order {order}: {fault}"),
            Self::Sale(sale, fault) => write!(out, "{sale}: {fault}"),
            Self::Membership(membership, fault) => write!(out, "membership {membership}: {fault}"),
            Self::UnsoundLedger { instance, size, accounted } => {
                write!(out, "slot {instance}: its size is {size}, and its seats come to {accounted}")
            }
            Self::Counted { count, counted, used } => {
                write!(out, "{count}: the count is {counted}, and orders have {used}")
            }
            Self::Repeated { order, ticket, other, mark: _ } => {
                let other = optional(other.as_ref());
                write!(out, "order {order}: ticket {ticket} has the id or barcode of one of order {other}")
            }
            Self::LostCustomer { customer, card_of: Some(membership) } => {
                write!(out, "membership {membership}: the customer {customer} of a card is not there")
            }
            Self::LostCustomer { customer, card_of: None } => {
                write!(out, "customer {customer}: found by its data, and not there")
            }
            Self::NoTenant { orders, memberships } => {
                write!(
                    out,
                    "there is no such tenant, but records of it: orders {orders}, memberships {memberships}"
                )
            }
            Self::LostCard { card } => write!(out, "card {card}: let somebody in, and is not there"),
            Self::Unreadable { record } => write!(out, "the record {record} does not read"),
        }
    }
}

/// What a finding is about: what has to be read again to see whether it is so.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// An order with all that belongs to it.
    Order(OrderId),
    /// A sale, and the order it names.
    Sale(SaleId),
    /// A membership with all it is found by.
    Membership(MembershipId),
    Customer(CustomerId),
    /// A card that was scanned.
    Card(CardId),
    /// The ledger of a slot by itself.
    Ledger(InstanceId),
    /// A sum over all orders.
    Count(Count),
    /// The ids and barcodes of all tickets.
    Tickets,
    /// The tenant itself.
    Tenant,
    /// A record by its keys.
    Record(String),
}

impl Finding {
    /// What it is about.
    #[must_use]
    pub fn subject(&self) -> Subject {
        match self {
            Self::Order(order, _) | Self::Money(order, _) => Subject::Order(order.clone()),
            Self::Sale(sale, _) => Subject::Sale(sale.clone()),
            Self::Membership(membership, _) => Subject::Membership(*membership),
            Self::UnsoundLedger { instance, .. } => Subject::Ledger(*instance),
            Self::Counted { count, .. } => Subject::Count(count.clone()),
            Self::Repeated { .. } => Subject::Tickets,
            Self::LostCustomer { customer, .. } => Subject::Customer(*customer),
            Self::NoTenant { .. } => Subject::Tenant,
            Self::LostCard { card } => Subject::Card(*card),
            Self::Unreadable { record } => Subject::Record(record.clone()),
        }
    }
}
