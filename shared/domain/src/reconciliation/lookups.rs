//! What orders are found by beside their ids.

use super::Books;
use super::fault::{OrderFault, OrderLead};
use super::finding::Finding;
use super::records::{LookupPlace, OrderLookup, fingerprint};
use crate::OrderId;
use crate::order::Order;
use std::collections::HashMap;

/// The lookups of which the order, or which of an order, has not been seen yet.
#[derive(Debug, Default)]
pub(super) struct OpenLookups {
    expected: HashMap<LookupPlace, (OrderId, OrderLead)>,
    /// The fingerprint of the order that each leads to.
    found: HashMap<LookupPlace, u64>,
}

impl OpenLookups {
    /// How many lead to an order that has not been seen, or should not be found by them.
    pub(super) fn idle(&self) -> u64 {
        u64::try_from(self.found.len()).unwrap_or(u64::MAX)
    }
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
