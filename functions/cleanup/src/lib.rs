//! The scheduled work: finishes abandoned checkouts and refunds, enqueues unsent mails again, makes the slots of
//! published templates that are missing or come into reach, and decides on the merchants of the sandbox. Nothing
//! depends on when it runs.

mod mails;
mod underwrite;

pub use mails::{Unsent, UnsentChosen, enqueue_chosen, enqueue_unsent};

use adapters::App;
use domain::time::plus_secs;
use domain::{OrderId, TemplateId, TenantId, Timestamp};
use sagas::SagaFault;
use serde::Serialize;
use std::collections::BTreeSet;
use store::order::{DueClock, DueKind, DueWork};

/// Work of one partition taken up in one pass.
const MAX_PER_PARTITION: usize = 25;

/// An order or the refunds of a sale that could not be finished are due again after this long, in seconds. Until then
/// others have their turn. Less than the minute between two passes, so that the alarms hear of them from each.
const TRY_AGAIN_SECS: i64 = 45;

/// Slots dealt with in one pass; what is left is due again in the next.
const MAX_SLOTS: usize = 10_000;

/// The kinds of work, in the order in which a pass takes them up. Refunds come last, since a processor that keeps
/// them waiting must not keep mails waiting as well.
const KINDS: [DueKind; 5] =
    [DueKind::Orders, DueKind::Mails, DueKind::Slots, DueKind::Merchants, DueKind::Refunds];

/// Whose work a pass takes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassScope {
    /// The schedule's: everything due in real time.
    Schedule,
    /// A sandbox caller's: everything of sandbox tenants, also what was made under a chosen clock.
    Sandbox,
}

/// What a pass did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PassReport {
    /// Abandoned checkouts found.
    pub orders_due: u32,
    /// Of these, settled or voided.
    pub orders_finished: u32,
    /// Refunds left half-way that were finished.
    pub refunds_finished: u32,
    /// Mails enqueued again.
    pub mails_announced: u32,
    /// Event instances made.
    pub slots_made: usize,
    /// Event instances changed because their template was.
    pub slots_changed: usize,
    /// Event instances deleted because their template or its schedule is gone.
    pub slots_deleted: usize,
    /// Merchants of the sandbox approved or declined.
    pub merchants_decided: u32,
    /// Work that failed and stays due.
    pub failed: u32,
}

impl PassReport {
    /// Nothing is done of a kind of which it is not known what is due.
    fn miss(&mut self, kind: DueKind, fault: &store::StoreError) -> Vec<DueWork> {
        self.failed = self.failed.saturating_add(1);
        tracing::error!(?kind, %fault, "what is due could not be read");
        Vec::new()
    }

    /// Something was not done, and stays due.
    fn fail(&mut self, tenant: TenantId, fault: &SagaFault) {
        self.failed = self.failed.saturating_add(1);
        tracing::error!(%tenant, %fault, "scheduled work failed and stays due");
    }

    /// Says in the log what the alarms count: the template makes metrics of these fields.
    pub fn log(&self) {
        let orders_left = self.orders_due.saturating_sub(self.orders_finished);
        tracing::info!(orders_due = self.orders_due, orders_left, failed = self.failed, "scheduled work");
    }
}

/// One pass over everything due at `now`, but for tenants that are closed (decision 0093). A kind of work of which the
/// database does not say what is due has failed, and keeps no other from being done.
///
/// # Errors
/// [`SagaFault`] when the database does not say whose work it is.
pub async fn pass(app: &App, scope: PassScope, now: Timestamp) -> Result<PassReport, SagaFault> {
    let clocks: &[DueClock] = match scope {
        PassScope::Schedule => &[DueClock::Real],
        PassScope::Sandbox => &[DueClock::Real, DueClock::Chosen],
    };
    let mut report = PassReport::default();
    // Nothing is done while it is not known who is closed.
    let asleep = match app.store.load_asleep_tenants().await {
        Ok(asleep) => asleep,
        Err(fault) => {
            report.failed = 1;
            tracing::error!(%fault, "which tenants are closed could not be read");
            return Ok(report);
        }
    };
    let mut others = BTreeSet::new();
    for clock in clocks {
        for kind in KINDS {
            if kind == DueKind::Mails {
                let again = put_off(app, *clock, now, mails::ENQUEUE_AGAIN_SECS);
                let due = mails::Due { scope, clock: *clock, until: now, again, asleep: &asleep };
                mails::enqueue_due(app, due, &mut report).await?;
                continue;
            }
            let due = app.store.load_due_but(*clock, kind, now, MAX_PER_PARTITION, &asleep).await;
            for work in due.unwrap_or_else(|fault| report.miss(kind, &fault)) {
                if scope == PassScope::Sandbox && !is_sandbox(app, work.tenant(), &mut others).await? {
                    continue;
                }
                take_up(app, work, *clock, now, &mut report).await;
            }
        }
    }
    Ok(report)
}

/// `others` remembers tenants that are not sandboxes.
async fn is_sandbox(app: &App, tenant: TenantId, others: &mut BTreeSet<TenantId>) -> Result<bool, SagaFault> {
    if others.contains(&tenant) {
        return Ok(false);
    }
    let sandbox = app.tenant(tenant).await?.sandbox;
    if !sandbox {
        others.insert(tenant);
    }
    Ok(sandbox)
}

/// When something is due again. A caller's clock must not put off what real time makes due.
fn put_off(app: &App, clock: DueClock, now: Timestamp, secs: i64) -> Timestamp {
    match clock {
        DueClock::Real => plus_secs(now.min(app.wall_now()), secs),
        DueClock::Chosen => plus_secs(now, secs),
    }
}

async fn take_up(app: &App, work: DueWork, clock: DueClock, now: Timestamp, report: &mut PassReport) {
    let put_off = |secs: i64| put_off(app, clock, now, secs);
    let done = match &work {
        DueWork::Order(tenant, order) => {
            report.orders_due = report.orders_due.saturating_add(1);
            let again = put_off(TRY_AGAIN_SECS);
            finish(app, *tenant, order, now, again).await.map(|finished| {
                report.orders_finished = report.orders_finished.saturating_add(u32::from(finished));
            })
        }
        // They are taken up together.
        DueWork::Mail(..) => Ok(()),
        DueWork::Slots(tenant, template) => make_slots(app, *tenant, template, now, report).await,
        DueWork::Merchant(tenant, reference) => {
            underwrite::decide(app, *tenant, reference).await.map(|is_decided| {
                report.merchants_decided = report.merchants_decided.saturating_add(u32::from(is_decided));
            })
        }
        DueWork::Refunds(tenant, sale) => {
            let again = put_off(TRY_AGAIN_SECS);
            let recovered = sagas::recover_refunds(app, *tenant, sale, clock, now, again).await;
            recovered.map(|sagas::RecoveredRefunds { finished, left }| {
                report.refunds_finished = report.refunds_finished.saturating_add(finished);
                report.failed = report.failed.saturating_add(u32::from(left > 0));
            })
        }
    };
    if let Err(fault) = done {
        report.fail(work.tenant(), &fault);
    }
}

/// Goes on with the slots of a template, within what is left of this pass.
async fn make_slots(
    app: &App,
    tenant: TenantId,
    template: &TemplateId,
    now: Timestamp,
    report: &mut PassReport,
) -> Result<(), SagaFault> {
    let done = report.slots_made.saturating_add(report.slots_changed).saturating_add(report.slots_deleted);
    let budget = MAX_SLOTS.saturating_sub(done);
    if budget == 0 {
        return Ok(());
    }
    let tenant = app.tenant(tenant).await?;
    let turn = sagas::publish::Turn { now, real_now: app.wall_now(), budget };
    let resumed = Box::pin(sagas::publish::resume(app, &tenant, template, turn)).await?;
    if let Some(progress) = resumed {
        report.slots_made = report.slots_made.saturating_add(progress.made);
        report.slots_changed = report.slots_changed.saturating_add(progress.changed);
        report.slots_deleted = report.slots_deleted.saturating_add(progress.deleted);
    }
    Ok(())
}

/// Finishes an order; false when someone else already had. One that cannot be finished makes way for others that wait.
async fn finish(
    app: &App,
    tenant: TenantId,
    id: &OrderId,
    now: Timestamp,
    again: Timestamp,
) -> Result<bool, SagaFault> {
    let Some(order) = app.store.load_order(tenant, id).await? else { return Ok(false) };
    match Box::pin(sagas::recover(app, order, now)).await {
        Ok(sagas::ChargeOutcome::Undecided | sagas::ChargeOutcome::AsksBuyer(_)) => Ok(false),
        Ok(
            sagas::ChargeOutcome::Paid(_)
            | sagas::ChargeOutcome::Declined { .. }
            | sagas::ChargeOutcome::Voided
            | sagas::ChargeOutcome::Expired(_),
        ) => Ok(true),
        Err(fault) => {
            app.store.postpone_order(tenant, id, again).await?;
            Err(fault)
        }
    }
}
