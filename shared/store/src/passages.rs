//! What a change of an order's admissions writes (decision record 0143): the admissions in the order's own item, and
//! beside it the records of scans and the counts of instances.

use crate::checkout::absent;
use crate::{Action, AttributeValue, Expression, Key, StoreError, encode};
use domain::OrderId;
use domain::admission::AdmissionChange;
use domain::order::{AdmissionCounts, Order};
use sha2::{Digest, Sha256};

/// Items that the counts of one instance are spread over, by the order.
pub(crate) const COUNTS_SPREAD: u8 = 8;

/// What is written beside the order.
#[derive(Debug)]
pub(crate) struct PassageWrites {
    /// Records of scans that are not there yet.
    pub(crate) scans: Vec<(Key, Action)>,
    /// Records in which something is marked, and counts; they stand or fall with the order's own write.
    pub(crate) others: Vec<(Key, Action)>,
}

/// Adds the admissions as they become to an update of their order, whose condition is that they are as they were read.
///
/// # Errors
/// [`StoreError`] when they have no representation.
pub(crate) fn set_admission(update: &mut Expression, change: &AdmissionChange) -> Result<(), StoreError> {
    let next: AttributeValue =
        serde_dynamo::to_attribute_value(&change.admissions).map_err(StoreError::corrupt)?;
    update.assign("admission", next);
    Ok(())
}

/// The writes of a change of admissions beside that of its order.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub(crate) fn passage_writes(order: &Order, change: &AdmissionChange) -> Result<PassageWrites, StoreError> {
    let (tenant, id) = (order.tenant, &order.id);
    let mut scans = Vec::with_capacity(change.scans.len());
    for scan in &change.scans {
        let key = Key::scan(tenant, id, &scan.id);
        let item = encode(&key, scan)?;
        scans.push((key, Action::Put(item, absent())));
    }
    let mut others = Vec::with_capacity(change.marked.len().saturating_add(change.counts.len()));
    for scan in &change.marked {
        let key = Key::scan(tenant, id, &scan.id);
        // Nobody changes a scan but with its order.
        let item = encode(&key, scan)?;
        others.push((key, Action::Put(item, Expression::new())));
    }
    let spread = spread_of(id);
    for (instance, counts) in &change.counts {
        others.push((Key::admitted(tenant, instance, spread), counted(*counts)));
    }
    Ok(PassageWrites { scans, others })
}

fn spread_of(order: &OrderId) -> u8 {
    Sha256::digest(order.as_str())[0] % COUNTS_SPREAD
}

/// Adds to counts, which begin at zero.
fn counted(counts: AdmissionCounts) -> Action {
    let mut update = Expression::new();
    for (name, by) in [("admitted", counts.admitted), ("inside", counts.inside)] {
        let count = update.path(&[name]);
        let (none, by) = (update.number(0), update.number(by));
        update.set(format!("{count} = if_not_exists({count}, {none}) + {by}"));
    }
    Action::Update(update)
}
