//! Where the items lie that only lead to an order (decision record 0141).

use super::{Key, Table, partition_of};
use chrono::NaiveDate;
use domain::{BarcodeTag, FormResponseId, InstanceId, OrderId, TenantId, Timestamp};
use sha2::{Digest, Sha256};

/// Partitions that the orders of a day are spread over.
pub(crate) const DAY_SPREAD: u8 = 8;
/// Partition of the answered forms of a tenant, in the order in which they were sent.
const RESPONSES: &str = "RESPONSES";

impl Key {
    /// The order whose barcodes begin so.
    #[must_use]
    pub fn order_of_barcode(tenant: TenantId, tag: &BarcodeTag) -> Self {
        Self::of(Table::Orders, tenant, format!("BARCODE#{tag}"), "BARCODE")
    }

    /// An order that has or had tickets for an instance.
    #[must_use]
    pub fn order_of_event(tenant: TenantId, event: &InstanceId, order: &OrderId) -> Self {
        Self::of(Table::Orders, tenant, of_event(event), order.as_str())
    }

    /// An order that was made on a day, or to which something was done on it.
    #[must_use]
    pub fn order_of_day(tenant: TenantId, day: NaiveDate, order: &OrderId) -> Self {
        let spread = Sha256::digest(order.as_str())[0] % DAY_SPREAD;
        Self::of(Table::Orders, tenant, of_day(day, spread), order.as_str())
    }

    /// An order of someone whose last name begins with these letters. They lie in the order of their creation.
    #[must_use]
    pub fn order_of_name(tenant: TenantId, letters: &str, created_at: Timestamp, order: &OrderId) -> Self {
        Self::of(Table::Orders, tenant, of_name(letters), format!("{}#{order}", sortable_millis(created_at)))
    }

    /// An answered form of an order, among all of a tenant.
    #[must_use]
    pub fn form_response(
        tenant: TenantId,
        created_at: Timestamp,
        response: &FormResponseId,
        order: &OrderId,
    ) -> Self {
        let place = format!("{}#{response}#{order}", sortable_millis(created_at));
        Self::of(Table::Orders, tenant, RESPONSES, place)
    }

    /// The order of an answered form. A cart that was paid in vain and once more has the same answers in two orders.
    #[must_use]
    pub fn order_of_response(tenant: TenantId, response: &FormResponseId, order: &OrderId) -> Self {
        Self::of(Table::Orders, tenant, of_response(response), order.as_str())
    }
}

/// The partition of the orders of an instance.
pub(crate) fn orders_of_event(tenant: TenantId, event: &InstanceId) -> String {
    partition_of(tenant, &of_event(event))
}

/// One of the partitions of the orders of a day.
pub(crate) fn orders_of_day(tenant: TenantId, day: NaiveDate, spread: u8) -> String {
    partition_of(tenant, &of_day(day, spread))
}

/// The partition of the orders of those whose last name begins with these letters.
pub(crate) fn orders_of_name(tenant: TenantId, letters: &str) -> String {
    partition_of(tenant, &of_name(letters))
}

/// The partition of the answered forms of a tenant.
pub(crate) fn form_responses(tenant: TenantId) -> String {
    partition_of(tenant, RESPONSES)
}

/// Where in that partition the answers lie that were sent from one instant to another, both included.
pub(crate) fn responses_between(from: Timestamp, until: Timestamp) -> (String, String) {
    // A tilde comes after every digit and letter.
    (sortable_millis(from), format!("{}~", sortable_millis(until)))
}

/// The partition of the orders of an answered form.
pub(crate) fn orders_of_response(tenant: TenantId, response: &FormResponseId) -> String {
    partition_of(tenant, &of_response(response))
}

fn of_event(event: &InstanceId) -> String {
    format!("EVENT#{event}")
}

fn of_day(day: NaiveDate, spread: u8) -> String {
    format!("DAY#{day}#{spread}")
}

fn of_name(letters: &str) -> String {
    format!("NAME#{}", hex::encode(Sha256::digest(letters)))
}

fn of_response(response: &FormResponseId) -> String {
    format!("RESPONSE#{response}")
}

/// Milliseconds since 1970 as fifteen digits, so that text order is time order.
fn sortable_millis(at: Timestamp) -> String {
    format!("{:015}", at.timestamp_millis().max(0))
}
