//! What must hold once the visitors are gone: nothing is left undone, every mail is sent, and all that is stored
//! agrees.

use super::client::TENANT;
use crate::data_directory::{DataDirectory, OpenedDirectory};
use crate::failure::Failure;
use crate::local::PREFIX;
use adapters::clock::wall_now;
use domain::{OrderId, TenantId, Timestamp};
use sagas::reconcile::{ReconciliationReport, ReconciliationRequest, reconcile};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};
use store::Store;
use store::order::{DueClock, DueKind};

/// How long the service may take for what is left when the visitors are gone.
const DRAIN_TIME: Duration = Duration::from_secs(300);

/// How often it is looked how much is left.
const LOOK: Duration = Duration::from_millis(500);

/// What is due of orders: in a quiet service nothing is.
const KINDS: [DueKind; 3] = [DueKind::Mails, DueKind::Orders, DueKind::Refunds];

/// What is stored, beside the service that serves it.
pub(super) async fn open(data: &Path) -> Result<Store, Failure> {
    let OpenedDirectory { embedded, vault: _ } = DataDirectory(data).open(PREFIX).await?;
    Ok(Store::new(embedded.client(), PREFIX))
}

/// Waits until mails, orders and refunds are done with, and tells how many are not.
pub(super) async fn drain(store: &Store) -> Result<usize, Failure> {
    let begun = Instant::now();
    loop {
        let mut left = 0_usize;
        for kind in KINDS {
            let due = store.load_due(DueClock::Real, kind, Timestamp::MAX_UTC, usize::MAX).await?;
            left = left.saturating_add(due.len());
        }
        if left == 0 || begun.elapsed() >= DRAIN_TIME {
            return Ok(left);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// What is found once the service has stopped.
#[derive(Debug)]
pub(super) struct Proof {
    pub(super) report: ReconciliationReport,
    /// Orders of which no mail arrived.
    pub(super) unmailed: usize,
}

impl Proof {
    /// Proves what `boxoffice verify` does, and looks for the mails of the orders that visitors were told of.
    pub(super) async fn of(store: &Store, orders: &[OrderId]) -> Result<Self, Failure> {
        let wanted =
            ReconciliationRequest { tenant: None, now: wall_now(), chosen_now: None, pause: Duration::ZERO };
        let report = reconcile(store, &wanted).await?;
        let tenant = TenantId::parse(TENANT).map_err(|_| Failure::new(format!("{TENANT} is no tenant")))?;
        let mails = store.list_sandbox_mails(tenant).await?;
        let mailed: BTreeSet<OrderId> = mails.into_iter().filter_map(|mail| mail.order).collect();
        let unmailed = orders.iter().filter(|order| !mailed.contains(*order)).count();
        Ok(Self { report, unmailed })
    }

    /// How many records do not agree.
    pub(super) fn findings(&self) -> usize {
        self.report.findings.len().saturating_add(self.report.left_out)
    }
}
