//! Enqueuing mails again that are not sent (contract §6, "Mail"; decision record 0132).

use crate::{PassReport, PassScope, is_sandbox};
use adapters::App;
use adapters::queue::QueueError;
use domain::outbox::{MailJob, OrderMail};
use domain::time::plus_secs;
use domain::{TenantId, Timestamp};
use sagas::SagaFault;
use std::collections::BTreeSet;
use store::due::DueReading;
use store::order::{DueClock, DueKind, DueWork};
use tokio::task::JoinSet;

/// A mail that was enqueued and is still not sent is enqueued again after this long, in seconds. Until then
/// others have their turn.
pub(crate) const ENQUEUE_AGAIN_SECS: i64 = 60;

/// Mails of one partition that are read at once.
const PAGE: usize = 25;
/// Mails of chosen clocks that are held at once.
const CHOSEN_PAGE: u16 = 100;
/// Mails that are enqueued side by side.
const AT_ONCE: usize = 16;
/// Mails enqueued in one pass: as many as a function surely gets done before its time is over, with what else there
/// is to do.
const MAX_MAILS: u32 = 2_000;

/// Which mails are enqueued, and when they are due again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Due<'a> {
    pub(crate) scope: PassScope,
    pub(crate) clock: DueClock,
    pub(crate) until: Timestamp,
    pub(crate) again: Timestamp,
    pub(crate) asleep: &'a BTreeSet<TenantId>,
}

/// What came of enqueuing one mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Enqueued {
    Done,
    /// The queue takes no more for now.
    QueueFull,
}

/// Enqueues what is due, page after page, until nothing is left, the queue is full, or the pass has had its share. True
/// when more may be due.
pub(crate) async fn enqueue_due(app: &App, due: Due<'_>, report: &mut PassReport) -> Result<bool, SagaFault> {
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
            if is_new && (due.scope == PassScope::Schedule || is_sandbox(app, tenant, &mut others).await?) {
                mails.push(OrderMail { tenant, order, kind });
            }
        }
        if mails.is_empty() {
            return Ok(false);
        }
        let failed = report.failed;
        for some in mails.chunks(AT_ONCE) {
            if enqueue_some(app, some, due.again, report).await == Enqueued::QueueFull {
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

async fn enqueue_some(app: &App, mails: &[OrderMail], again: Timestamp, report: &mut PassReport) -> Enqueued {
    let mut running = JoinSet::new();
    for mail in mails {
        let (app, mail) = (app.clone(), mail.clone());
        running.spawn(async move { (mail.tenant, enqueue(&app, mail, again).await) });
    }
    let mut outcome = Enqueued::Done;
    while let Some(ended) = running.join_next().await {
        match ended {
            Ok((_, Ok(Enqueued::Done))) => {
                report.mails_announced = report.mails_announced.saturating_add(1);
            }
            Ok((_, Ok(Enqueued::QueueFull))) => outcome = Enqueued::QueueFull,
            Ok((tenant, Err(fault))) => report.fail(tenant, &fault),
            // It has been logged by the hook.
            Err(_) => report.failed = report.failed.saturating_add(1),
        }
    }
    outcome
}

/// Enqueues a mail, and makes way for others that wait.
async fn enqueue(app: &App, mail: OrderMail, again: Timestamp) -> Result<Enqueued, SagaFault> {
    match app.queue.send(&MailJob::Order(mail.clone())).await {
        Ok(()) => {}
        Err(QueueError::Full) => return Ok(Enqueued::QueueFull),
        Err(fault) => return Err(adapters::AdapterFault::Queue(fault).into()),
    }
    app.store.postpone_mail(&mail, again).await?;
    Ok(Enqueued::Done)
}

/// Which of the mails that are not sent are enqueued by a process that has its queue for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsent {
    /// Those of which nothing was heard for a while.
    Overdue,
    /// All there were at this instant, when the process began: the queue of an earlier one ended with it, and nobody
    /// has what that enqueued.
    AtStart(Timestamp),
}

/// Enqueues mails of real time again beside the scheduled work, for a process that has its queue for itself, and knows
/// when there is room in it. True when more may be due.
///
/// # Errors
/// [`SagaFault`] when the database does not say who is closed.
pub async fn enqueue_unsent(app: &App, unsent: Unsent, now: Timestamp) -> Result<bool, SagaFault> {
    let asleep = app.store.load_asleep_tenants().await?;
    let until = match unsent {
        Unsent::Overdue => now,
        // A second before what has been enqueued since.
        Unsent::AtStart(start) => plus_secs(start, ENQUEUE_AGAIN_SECS.saturating_sub(1)),
    };
    let again = plus_secs(now, ENQUEUE_AGAIN_SECS);
    let due = Due { scope: PassScope::Schedule, clock: DueClock::Real, until, again, asleep: &asleep };
    enqueue_due(app, due, &mut PassReport::default()).await
}

/// Mails that were made under a caller's chosen clock and are not sent, whenever they would be due: nothing but that
/// caller's own cleaning up would enqueue them again. One page of them is held at a time.
#[derive(Debug)]
pub struct UnsentChosen {
    asleep: BTreeSet<TenantId>,
    reading: DueReading,
    page: Vec<OrderMail>,
}

impl UnsentChosen {
    /// All of them.
    ///
    /// # Errors
    /// [`SagaFault`] when the database does not say who is closed.
    pub async fn begin(app: &App) -> Result<Self, SagaFault> {
        let asleep = app.store.load_asleep_tenants().await?;
        let reading = DueReading::new(DueClock::Chosen, DueKind::Mails);
        Ok(Self { asleep, reading, page: Vec::new() })
    }

    /// Reads the next page; false when there is none.
    async fn turn_page(&mut self, app: &App) -> Result<bool, SagaFault> {
        if self.reading.is_over() {
            return Ok(false);
        }
        let due = app.store.load_next_due(&mut self.reading, CHOSEN_PAGE, &self.asleep).await?;
        let mails = due.into_iter().filter_map(|work| match work {
            DueWork::Mail(tenant, order, kind) => Some(OrderMail { tenant, order, kind }),
            DueWork::Order(..) | DueWork::Slots(..) | DueWork::Merchant(..) | DueWork::Refunds(..) => None,
        });
        self.page.extend(mails);
        Ok(true)
    }
}

/// Enqueues these mails, each once. When they are due stays as their clock has it. True when the queue is full and
/// some are left.
///
/// # Errors
/// [`SagaFault`] when the database does not answer, or the queue does not take a mail for another reason. What was not
/// enqueued is left.
pub async fn enqueue_chosen(app: &App, unsent: &mut UnsentChosen) -> Result<bool, SagaFault> {
    loop {
        while let Some(mail) = unsent.page.last() {
            match app.queue.send(&MailJob::Order(mail.clone())).await {
                Ok(()) => {}
                Err(QueueError::Full) => return Ok(true),
                Err(fault) => return Err(adapters::AdapterFault::Queue(fault).into()),
            }
            unsent.page.pop();
        }
        if !unsent.turn_page(app).await? {
            return Ok(false);
        }
    }
}
