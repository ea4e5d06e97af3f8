//! Announcing mails again that are not sent (contract §6, "Mail"; decision record 0132).

use crate::{Report, Scope, is_sandbox};
use domain::outbox::{MailJob, OrderMail};
use domain::time::plus_secs;
use domain::{TenantId, Timestamp};
use platform::queue::QueueError;
use platform::{ApiError, App};
use std::collections::BTreeSet;
use store::order::{DueClock, DueKind, DueWork};
use tokio::task::JoinSet;

/// A mail that was announced and is still not sent is announced again after this long, in seconds. Until then
/// others have their turn.
pub(crate) const ANNOUNCE_AGAIN_SECS: i64 = 60;

/// Mails of one partition that are read at once.
const PAGE: usize = 25;
/// Mails that are announced side by side.
const AT_ONCE: usize = 16;
/// Mails announced in one pass: as many as a function surely gets done before its time is over, with what else there
/// is to do.
const MAX_MAILS: u32 = 2_000;

/// Which mails are announced, and when they are due again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Due<'a> {
    pub(crate) scope: Scope,
    pub(crate) clock: DueClock,
    pub(crate) until: Timestamp,
    pub(crate) again: Timestamp,
    pub(crate) asleep: &'a BTreeSet<TenantId>,
}

/// What came of announcing one mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Announced {
    Done,
    /// The queue takes no more for now.
    QueueFull,
}

/// Announces what is due, page after page, until nothing is left, the queue is full, or the pass has had its share. True
/// when more may be due.
pub(crate) async fn announce_due(app: &App, due: Due<'_>, report: &mut Report) -> Result<bool, ApiError> {
    let mut others = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let before = report.mails_announced;
    while report.mails_announced.saturating_sub(before) < MAX_MAILS {
        let page = app.store.load_due_but(due.clock, DueKind::Mails, due.until, PAGE, due.asleep).await;
        let page = page.unwrap_or_else(|fault| report.miss(DueKind::Mails, &fault));
        let mut mails = Vec::new();
        for work in page {
            let DueWork::Mail(tenant, order, kind) = work else { continue };
            let is_new = seen.insert(format!("{tenant}/{order}/{kind}"));
            if is_new && (due.scope == Scope::Schedule || is_sandbox(app, tenant, &mut others).await?) {
                mails.push(OrderMail { tenant, order, kind });
            }
        }
        if mails.is_empty() {
            return Ok(false);
        }
        let failed = report.failed;
        for some in mails.chunks(AT_ONCE) {
            if announce_some(app, some, due.again, report).await == Announced::QueueFull {
                return Ok(true);
            }
        }
        if report.failed > failed {
            // Whatever it is, the next pass finds out whether it is over.
            return Ok(false);
        }
    }
    Ok(true)
}

async fn announce_some(app: &App, mails: &[OrderMail], again: Timestamp, report: &mut Report) -> Announced {
    let mut running = JoinSet::new();
    for mail in mails {
        let (app, mail) = (app.clone(), mail.clone());
        running.spawn(async move { (mail.tenant, announce(&app, mail, again).await) });
    }
    let mut outcome = Announced::Done;
    while let Some(ended) = running.join_next().await {
        match ended {
            Ok((_, Ok(Announced::Done))) => {
                report.mails_announced = report.mails_announced.saturating_add(1);
            }
            Ok((_, Ok(Announced::QueueFull))) => outcome = Announced::QueueFull,
            Ok((tenant, Err(fault))) => report.fail(tenant, &fault),
            // It has been logged by the hook.
            Err(_) => report.failed = report.failed.saturating_add(1),
        }
    }
    outcome
}

/// Announces a mail, and makes way for others that wait.
async fn announce(app: &App, mail: OrderMail, again: Timestamp) -> Result<Announced, ApiError> {
    match app.queue.send(&MailJob::Order(mail.clone())).await {
        Ok(()) => {}
        Err(QueueError::Full) => return Ok(Announced::QueueFull),
        Err(fault) => return Err(ApiError::internal(fault)),
    }
    app.store.postpone_mail(&mail, again).await?;
    Ok(Announced::Done)
}

/// Which of the mails that are not sent are announced by a process that has its queue for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsent {
    /// Those of which nothing was heard for a while.
    Overdue,
    /// All there were at this instant, when the process began: the queue of an earlier one ended with it, and nobody
    /// has what that announced.
    AtStart(Timestamp),
}

/// Announces mails of real time again beside the scheduled work, for a process that has its queue for itself, and knows
/// when there is room in it. True when more may be due.
///
/// # Errors
/// [`ApiError`] when the database does not say who is closed.
pub async fn announce_unsent(app: &App, unsent: Unsent, now: Timestamp) -> Result<bool, ApiError> {
    let asleep = app.store.load_asleep_tenants().await?;
    let until = match unsent {
        Unsent::Overdue => now,
        // A second before what has been announced since.
        Unsent::AtStart(start) => plus_secs(start, ANNOUNCE_AGAIN_SECS.saturating_sub(1)),
    };
    let again = plus_secs(now, ANNOUNCE_AGAIN_SECS);
    let due = Due { scope: Scope::Schedule, clock: DueClock::Real, until, again, asleep: &asleep };
    announce_due(app, due, &mut Report::default()).await
}

/// Mails that were made under a caller's chosen clock and are not sent, whenever they would be due: nothing but that
/// caller's own cleaning up would announce them again.
///
/// # Errors
/// [`ApiError`] when the database does not answer.
pub async fn load_unsent_chosen(app: &App) -> Result<Vec<OrderMail>, ApiError> {
    let asleep = app.store.load_asleep_tenants().await?;
    let (clock, kind) = (DueClock::Chosen, DueKind::Mails);
    let due = app.store.load_due_but(clock, kind, Timestamp::MAX_UTC, usize::MAX, &asleep).await?;
    let mails = due.into_iter().filter_map(|work| match work {
        DueWork::Mail(tenant, order, kind) => Some(OrderMail { tenant, order, kind }),
        DueWork::Order(..) | DueWork::Slots(..) | DueWork::Merchant(..) | DueWork::Refunds(..) => None,
    });
    Ok(mails.collect())
}

/// Announces these mails, and takes out those that are announced. When they are due stays as their clock has it. True
/// when the queue is full and some are left.
///
/// # Errors
/// [`ApiError`] when the queue does not take a mail for another reason.
pub async fn announce_chosen(app: &App, waiting: &mut Vec<OrderMail>) -> Result<bool, ApiError> {
    while let Some(mail) = waiting.last() {
        match app.queue.send(&MailJob::Order(mail.clone())).await {
            Ok(()) => {}
            Err(QueueError::Full) => return Ok(true),
            Err(fault) => return Err(ApiError::internal(fault)),
        }
        waiting.pop();
    }
    Ok(false)
}
