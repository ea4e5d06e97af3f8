//! Sends one mail: claimed first, marked after, at least once (contract §6).
//!
//! The row in the outbox, or the request to log in, is the truth. A claim lasts longer than a function lives, so that a claim found
//! expired belongs to nobody any more; a mail is sent twice only where a run died between sending and marking.

use crate::error::DeliverError;
use crate::locale::Locale;
use crate::login::OwedLogin;
use crate::render::{LoginLinkMail, RenderError, render, render_login};
use crate::view::{self, Unsaid};
use adapters::App;
use adapters::mail::{MailFailure, MailTransport, OutgoingMail};
use adapters::telemetry::Metric;
use domain::ledger::Ledger;
use domain::order::{Order, Ticket};
use domain::outbox::{LoginMail, MailJob, MailKind, MailState, OrderMail, OutboxMail};
use domain::tenant::Tenant;
use domain::time::plus_secs;
use domain::{InstanceId, TenantId, Timestamp};
use std::collections::BTreeMap;
use std::error::Error;
use std::time::Duration;
use store::outbox::MailWithOrder;
use store::{Consistency, Placed, StoreError, retry};

/// How long a claim lasts, in seconds of real time: twice what the function may run.
const LEASE_SECS: i64 = 60;

/// How often the mark of a mail that has been sent is tried: without it, the mail would be sent again.
const MARK_TRIES: u32 = 6;

/// The pause before the second try of a mark; each further one is twice as long, 1.5 s in all.
const MARK_PAUSE: Duration = Duration::from_millis(50);

/// Where mails come from when neither the tenant nor the deployment (`BOXOFFICE_MAIL_FROM`) says it. Nothing
/// can answer to it.
const NOBODY: &str = "tickets@boxoffice.invalid";

/// What became of a job that needs no repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivered {
    /// The mail was handed to its transport.
    Sent,
    /// It had been sent or refused before, or is being sent by someone else.
    Settled,
    /// The order is not paid or owes no such mail, or nobody with the address is a member. Or the tenant is closed: what
    /// its orders owe is enqueued again when it opens.
    NotOwed,
    /// The mail was refused for good; this is logged, and not tried again.
    Refused,
    /// All it had to say is no longer true, so that it is not sent.
    Superseded,
    /// What it is about is being given back. The schedule enqueues it again, when that has ended.
    Undecided,
}

/// Sends the mail a job names, unless someone else has it.
///
/// # Errors
/// [`DeliverError`] when the job is to be repeated.
pub async fn deliver(
    app: &App,
    transport: &dyn MailTransport,
    job: &MailJob,
) -> Result<Delivered, DeliverError> {
    match job {
        MailJob::Order(mail) => deliver_order(app, transport, mail).await,
        MailJob::Login(mail) => deliver_login(app, transport, mail).await,
    }
}

/// Whether a mail has come to its end.
const fn is_settled(state: MailState) -> bool {
    match state {
        MailState::Sent { .. } | MailState::Refused { .. } | MailState::Superseded { .. } => true,
        MailState::Queued | MailState::Claimed { .. } => false,
    }
}

async fn deliver_order(
    app: &App,
    transport: &dyn MailTransport,
    job: &OrderMail,
) -> Result<Delivered, DeliverError> {
    let Some(owed) = Owed::load(app, job).await? else { return Ok(Delivered::NotOwed) };
    if is_settled(owed.mail.state) {
        return Ok(Delivered::Settled);
    }
    let Some(claim) = MailClaim::take(app, ClaimedMail::Order(job)).await? else {
        return Ok(Delivered::Settled);
    };
    let rendered = match owed.rendered() {
        Ok(rendered) => Some(rendered),
        Err(Unsaid::Nothing) => None,
        Err(Unsaid::Superseded) => return claim.supersede().await,
        Err(Unsaid::Undecided) => return claim.put_off().await,
    };
    claim.settle(transport, rendered, "it has no address, or nothing to say").await
}

async fn deliver_login(
    app: &App,
    transport: &dyn MailTransport,
    job: &LoginMail,
) -> Result<Delivered, DeliverError> {
    let Some(owed) = OwedLogin::load(app, job).await? else { return Ok(Delivered::NotOwed) };
    if is_settled(owed.request.state) {
        return Ok(Delivered::Settled);
    }
    let held = ClaimedMail::Login(job, &owed);
    let Some(claim) = MailClaim::take(app, held).await? else { return Ok(Delivered::Settled) };
    let rendered = |mail: LoginLinkMail| {
        let locale = Locale::of(owed.language).map_err(RenderError::Locale)?;
        render_login(&locale, &mail)
    };
    let rendered = owed.mail(&sender(&owed.tenant)).map(rendered);
    claim.settle(transport, rendered, "the tenant has no site to log in to").await
}

/// Everything a mail is made of.
struct Owed {
    tenant: std::sync::Arc<Tenant>,
    order: Order,
    tickets: Vec<Ticket>,
    mail: OutboxMail,
}

impl Owed {
    async fn load(app: &App, job: &OrderMail) -> Result<Option<Self>, DeliverError> {
        let owed = app.store.load_mail_with_order(job.tenant, &job.order, job.kind);
        let (tenant, owed) = tokio::join!(app.tenant(job.tenant), owed);
        let (tenant, owed) = (tenant.map_err(DeliverError::Tenant)?, owed?);
        if tenant.is_closed() {
            return Ok(None);
        }
        let is_late = job.kind == MailKind::LateMoney;
        let owed = owed.filter(|owed| owed.order.paid_at().is_some() || is_late);
        let Some(MailWithOrder { mail, order, tickets }) = owed else { return Ok(None) };
        let order = match mail.again {
            Some(_) => at_present_times(app, order).await?,
            None => order,
        };
        Ok(Some(Self { tenant, order, tickets, mail }))
    }

    /// The mail as it is sent.
    fn rendered(&self) -> Result<Result<OutgoingMail, RenderError>, Unsaid> {
        let Self { tenant, order, tickets, mail } = self;
        let locale = match Locale::of(view::language(tenant, order, mail)) {
            Ok(locale) => locale,
            Err(missing) => return Ok(Err(RenderError::Locale(missing))),
        };
        Ok(render(&locale, &view::mail(&locale, tenant, &sender(tenant), order, tickets, mail)?))
    }
}

/// An order with the times of its events as they are now. A mail that is sent again is for a visitor who is to come then.
async fn at_present_times(app: &App, order: Order) -> Result<Order, StoreError> {
    let instances = order.instances();
    if instances.is_empty() {
        return Ok(order);
    }
    let places = instances.iter().map(|instance| Ledger::place(order.tenant, instance));
    let mut found = app.store.get_many(places, Consistency::Strong).await?;
    let ledgers: BTreeMap<InstanceId, Ledger> = found.take_all(order.tenant, &instances)?;
    Ok(order.at_times(|instance| Some(ledgers.get(instance)?.start)))
}

/// The address mails of a tenant come from.
fn sender(tenant: &Tenant) -> String {
    let own = tenant.mail_from.clone();
    let deployed = || std::env::var("BOXOFFICE_MAIL_FROM").ok().filter(|address| !address.is_empty());
    own.or_else(deployed).unwrap_or_else(|| NOBODY.to_owned())
}

/// Whether the order itself cannot be made into a mail, now or later. Anything else is a fault of ours, whose
/// job ends with the dead letters and can be repeated from there once it is mended.
fn is_fault_of_the_order(fault: &RenderError) -> bool {
    match fault {
        RenderError::Mailbox(crate::render::MailboxField::To)
        | RenderError::Date
        | RenderError::Barcode(_)
        | RenderError::TooLarge { .. } => true,
        RenderError::Mailbox(crate::render::MailboxField::From)
        | RenderError::MessageId
        | RenderError::Locale(_)
        | RenderError::Image(_)
        | RenderError::Template(_)
        | RenderError::Assembly(_) => false,
    }
}

/// A mail that is claimed.
#[derive(Clone, Copy)]
enum ClaimedMail<'a> {
    Order(&'a OrderMail),
    Login(&'a LoginMail, &'a OwedLogin),
}

impl ClaimedMail<'_> {
    fn tenant(self) -> TenantId {
        match self {
            Self::Order(mail) => mail.tenant,
            Self::Login(mail, _) => mail.tenant,
        }
    }
}

/// A mail that nobody else sends until the claim ends.
struct MailClaim<'a> {
    app: &'a App,
    held: ClaimedMail<'a>,
    until: Timestamp,
}

impl<'a> MailClaim<'a> {
    /// Claims a mail; none when someone else has it.
    async fn take(app: &'a App, held: ClaimedMail<'a>) -> Result<Option<Self>, StoreError> {
        let now = app.wall_now();
        let until = plus_secs(now, LEASE_SECS);
        let is_own = match held {
            ClaimedMail::Order(mail) => app.store.claim_mail(mail, now, until).await?,
            ClaimedMail::Login(_, owed) => {
                app.store.claim_login_mail(&owed.place, now, until, owed.mailed_to()).await?
            }
        };
        Ok(is_own.then_some(Self { app, held, until }))
    }

    /// Sends what was rendered, or ends a mail that cannot be; `missing` says why there is none.
    async fn settle(
        &self,
        transport: &dyn MailTransport,
        rendered: Option<Result<OutgoingMail, RenderError>>,
        missing: &str,
    ) -> Result<Delivered, DeliverError> {
        match rendered.transpose() {
            Ok(Some(mail)) => self.send(transport, &mail).await,
            Ok(None) => self.refuse(missing).await,
            Err(fault) if is_fault_of_the_order(&fault) => self.refuse(&fault.to_string()).await,
            Err(fault) => self.release(DeliverError::Render(fault)).await,
        }
    }

    async fn send(
        &self,
        transport: &dyn MailTransport,
        mail: &OutgoingMail,
    ) -> Result<Delivered, DeliverError> {
        match transport.send(mail).await {
            Ok(()) => {
                Metric::MailsSent.count(self.held.tenant());
                self.finish(MailState::Sent { at: self.app.wall_now() }).await?;
                Ok(Delivered::Sent)
            }
            Err(fault) => match fault.kind {
                MailFailure::Retry => self.release(DeliverError::Transport(fault)).await,
                MailFailure::Refused => {
                    let cause = fault.source().map(ToString::to_string).unwrap_or_default();
                    self.refuse(&cause).await
                }
            },
        }
    }

    /// Ends a mail that will never be accepted.
    async fn refuse(&self, reason: &str) -> Result<Delivered, DeliverError> {
        let tenant = self.held.tenant().get();
        match self.held {
            ClaimedMail::Order(mail) => {
                let (order, kind) = (mail.order.as_str(), mail.kind);
                tracing::error!(tenant, order, %kind, reason, "a mail was refused for good");
            }
            ClaimedMail::Login(mail, _) => {
                let request = mail.request.as_str();
                tracing::error!(tenant, request, reason, "a login mail was refused for good");
            }
        }
        self.finish(MailState::Refused { at: self.app.wall_now() }).await?;
        Ok(Delivered::Refused)
    }

    /// Ends a mail that nobody waits for.
    async fn supersede(&self) -> Result<Delivered, DeliverError> {
        self.finish(MailState::Superseded { at: self.app.wall_now() }).await?;
        Ok(Delivered::Superseded)
    }

    /// Leaves a mail to a later attempt.
    async fn put_off(&self) -> Result<Delivered, DeliverError> {
        self.finish(MailState::Queued).await?;
        Ok(Delivered::Undecided)
    }

    /// Lets the next attempt begin at once. Should even this fail, it begins when the claim ends.
    async fn release(&self, fault: DeliverError) -> Result<Delivered, DeliverError> {
        if let Err(unmarked) = self.finish(MailState::Queued).await {
            tracing::warn!(%unmarked, "the claim of a mail could not be given back");
        }
        Err(fault)
    }

    /// Marks where the mail stands now. A claim that has passed to someone else is left to them.
    async fn finish(&self, state: MailState) -> Result<(), StoreError> {
        let may_pass = |fault: &StoreError| {
            tracing::warn!(%fault, "a mail could not be marked, trying again");
            true
        };
        retry(MARK_TRIES, MARK_PAUSE, may_pass, || self.mark(state)).await.map(|_| ())
    }

    async fn mark(&self, state: MailState) -> Result<bool, StoreError> {
        let store = &self.app.store;
        match self.held {
            ClaimedMail::Order(mail) => store.finish_mail(mail, self.until, state).await,
            ClaimedMail::Login(_, owed) => store.finish_login_mail(&owed.place, self.until, state).await,
        }
    }
}
