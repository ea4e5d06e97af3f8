//! Where the items lie that the doors write (decision record 0143).

use super::{Key, Table, partition_of, sortable_secs};
use chrono::NaiveDate;
use domain::instance_id::TemplateTag;
use domain::{AdmissionId, CardId, InstanceId, OrderId, TenantId};

impl Key {
    /// A scan of tickets of an order, or a block of them.
    #[must_use]
    pub fn scan(tenant: TenantId, order: &OrderId, id: &AdmissionId) -> Self {
        Self::of(Table::Orders, tenant, scans(order), id.as_str())
    }

    /// One of the items that count whom an instance let in. It follows from the id alone, like that of a ledger.
    #[must_use]
    pub fn admitted(tenant: TenantId, id: &InstanceId, spread: u8) -> Self {
        let place = format!("{}#{id}#{spread}", sortable_secs(id.start().timestamp()));
        Self::of(Table::Orders, tenant, admitted(id.template_tag()), place)
    }

    /// The visits of a member card on a day.
    #[must_use]
    pub fn visits(tenant: TenantId, date: NaiveDate, card: CardId) -> Self {
        Self::of(Table::Members, tenant, visits(date, card), card.to_string())
    }
}

/// The partition of the scans of an order's tickets.
pub(crate) fn scans_partition(tenant: TenantId, order: &OrderId) -> String {
    partition_of(tenant, &scans(order))
}

/// The partition of the items that count whom a template's instances let in, in order of their start.
pub(crate) fn admitted_partition(tenant: TenantId, tag: TemplateTag) -> String {
    partition_of(tenant, &admitted(tag))
}

fn scans(order: &OrderId) -> String {
    format!("SCANS#{order}")
}

fn admitted(tag: TemplateTag) -> String {
    format!("ADMITTED#{tag}")
}

/// The visits of one day lie in so many partitions.
const VISITS_SPREAD: i64 = 8;

fn visits(date: NaiveDate, card: CardId) -> String {
    format!("VISITS#{date}#{}", card.get().rem_euclid(VISITS_SPREAD))
}
