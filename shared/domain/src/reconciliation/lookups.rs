//! What orders are found by beside their ids.

use super::Books;
use super::finding::{Finding, OrderFault};
use super::orders::fingerprint;
use crate::OrderId;
use crate::order::Order;
use std::collections::HashMap;
use std::fmt;

/// What an order is found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OrderLead {
    /// Its number.
    Number,
    /// An e-mail address or phone number of whoever ordered or paid.
    Contact,
}

impl fmt::Display for OrderLead {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Number => "its number",
            Self::Contact => "a contact",
        })
    }
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

/// The lookups of which the order, or which of an order, has not been seen yet.
#[derive(Debug, Default)]
pub(super) struct OpenLookups {
    expected: HashMap<LookupPlace, (OrderId, OrderLead)>,
    /// The fingerprint of the order that each leads to.
    found: HashMap<LookupPlace, u64>,
}

impl Books {
    /// Enters a record that leads to an order.
    pub fn enter_order_lookup(&mut self, place: LookupPlace, to: &OrderId) {
        let Some((order, by)) = self.lookups.expected.remove(&place) else {
            self.lookups.found.insert(place, fingerprint(to.as_str()));
            return;
        };
        if order != *to {
            self.findings.push(Finding::Order(order, OrderFault::OtherFound { by }));
        }
    }

    /// Notes what an order should be found by.
    pub(super) fn expect_lookups(&mut self, order: &Order, lookups: &[OrderLookup]) {
        for OrderLookup { by, place } in lookups {
            match self.lookups.found.remove(place) {
                None => {
                    self.lookups.expected.insert(*place, (order.id.clone(), *by));
                }
                Some(to) if to == fingerprint(order.id.as_str()) => {}
                Some(_) => self.find(order, [OrderFault::OtherFound { by: *by }]),
            }
        }
    }

    /// The orders that are not found by what they should be.
    pub(super) fn close_lookups(&mut self) {
        let missing = std::mem::take(&mut self.lookups).expected.into_values();
        let missing = missing.map(|(order, by)| Finding::Order(order, OrderFault::NotFound { by }));
        self.findings.extend(missing);
    }
}
