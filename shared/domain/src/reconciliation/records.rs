//! The records that are entered, as they are found.

use super::fault::OrderLead;
use crate::membership::Membership;
use crate::order::{Order, Ticket};
use crate::outbox::OutboxMail;
use crate::sale::Sale;
use crate::{Currency, Mid, Money, OrderId, PaymentReference, RefundId};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// An order with the records that share its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderRecords {
    pub order: Order,
    /// When the schedule takes it up, in seconds since 1970.
    pub due_at: Option<i64>,
    pub tickets: Vec<Ticket>,
    pub mails: Vec<MailRecord>,
    /// The records in other places that should lead to it.
    pub lookups: Vec<OrderLookup>,
}

/// A mail of an order as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailRecord {
    pub mail: OutboxMail,
    /// Whether the schedule takes it up.
    pub is_due: bool,
}

/// A record that should lead to an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderLookup {
    /// What it leads by.
    pub by: OrderLead,
    /// Where it lies.
    pub place: LookupPlace,
}

/// The place of a record, as eight bytes. Two with the same ones are told apart by the second look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LookupPlace(u64);

impl LookupPlace {
    /// The place with these keys.
    #[must_use]
    pub fn of(pk: &str, sk: &str) -> Self {
        Self(fingerprint(&format!("{pk} {sk}")))
    }
}

/// A sale as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleRecord {
    pub sale: Sale,
    /// Whether the schedule takes it up.
    pub is_due: bool,
}

/// Money the processor has charged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// The order it was charged for.
    pub order: OrderId,
    /// The merchant that was paid.
    pub mid: Mid,
    /// What was charged.
    pub amount: Money,
    /// What that is counted in.
    pub currency: Currency,
    /// What was given back of it, by our names for the refunds.
    pub refunds: BTreeMap<RefundId, Money>,
    /// What the processor calls the payment.
    pub reference: PaymentReference,
}

/// A membership as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MembershipRecord {
    pub membership: Membership,
    /// The order that is renewing or changing it.
    pub claimed_by: Option<OrderId>,
}

/// Eight bytes that stand for a text. Two texts with the same ones are told apart by the second look.
pub(super) fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
