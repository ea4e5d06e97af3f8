//! The work beside the requests: mails are delivered as they are queued, and what is due is done on a
//! schedule.

use crate::sandbox::LocalMail;
use adapters::App;
use adapters::clock::wall_now;
use adapters::queue::{Delivery, LocalQueue};
use cleanup::{Unsent, UnsentChosen};
use domain::outbox::MailJob;
use engine::Embedded;
use sagas::SagaFault;
use std::time::Duration;
use store::Store;
use tokio::time::Interval;

/// How often the scheduled work is done, as in a deployment.
const SCHEDULE: Duration = Duration::from_secs(60);

/// How often what has expired is deleted. Records live for hours after their end anyway, and each time all of them are
/// looked at.
const EXPIRY: Duration = Duration::from_secs(600);

/// Mails a test takes from the queue at once.
#[cfg(feature = "testing")]
const BATCH: usize = 10;

/// Takes mails from the queue and delivers them here.
#[derive(Clone)]
pub(crate) struct Postman {
    pub(crate) app: App,
    pub(crate) queue: LocalQueue,
    /// Where delivered mails are kept: a recipient's mailbox rather than the service's own database, so that
    /// its calls are not counted as the service's.
    pub(crate) mailbox: Store,
}

/// Starts the work beside the requests; it ends with the runtime.
pub(crate) fn start(postman: Postman, embedded: Embedded, mails_at_once: usize) {
    for _ in 0..mails_at_once {
        let postman = postman.clone();
        tokio::spawn(async move {
            loop {
                let deliveries = postman.queue.receive(1).await;
                postman.deliver_all(&deliveries).await;
            }
        });
    }
    let Postman { app, queue, mailbox: _ } = postman;
    tokio::spawn(enqueue_unsent_mails(app.clone(), queue.clone()));
    tokio::spawn(enqueue_chosen(app.clone(), queue));
    tokio::spawn(delete_expired(embedded));
    tokio::spawn(async move {
        let mut schedule = every(SCHEDULE);
        loop {
            schedule.tick().await;
            if let Err(fault) = cleanup::pass(&app, cleanup::PassScope::Schedule, wall_now()).await {
                tracing::error!(%fault, "the scheduled work could not be done");
            }
        }
    });
}

fn every(period: Duration) -> Interval {
    let mut schedule = tokio::time::interval(period);
    schedule.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    schedule
}

/// Keeps the queue filled while unsent mails wait, so that they leave as fast as they can be sent. It begins with all,
/// since what an earlier process had in its queue ended with it.
async fn enqueue_unsent_mails(app: App, queue: LocalQueue) {
    let mut schedule = every(SCHEDULE);
    let mut unsent = Unsent::AtStart(wall_now());
    loop {
        schedule.tick().await;
        loop {
            match cleanup::enqueue_unsent(&app, unsent, wall_now()).await {
                Ok(true) => queue.fewer_than(queue.capacity().div_ceil(2)).await,
                Ok(false) => {
                    unsent = Unsent::Overdue;
                    break;
                }
                Err(fault) => {
                    tracing::error!(%fault, "unsent mails could not be enqueued");
                    break;
                }
            }
        }
    }
}

/// Begins with the mails of chosen clocks as well. Once more after a minute, since what the earlier process was sending
/// when it ended is nobody else's until then.
async fn enqueue_chosen(app: App, queue: LocalQueue) {
    let mut schedule = every(SCHEDULE);
    for _ in 0..2 {
        schedule.tick().await;
        if let Err(fault) = enqueue_all_chosen(&app, &queue).await {
            tracing::error!(%fault, "unsent mails of chosen clocks could not be enqueued");
        }
    }
}

async fn enqueue_all_chosen(app: &App, queue: &LocalQueue) -> Result<(), SagaFault> {
    let mut unsent = UnsentChosen::begin(app).await?;
    while cleanup::enqueue_chosen(app, &mut unsent).await? {
        queue.fewer_than(queue.capacity().div_ceil(2)).await;
    }
    Ok(())
}

/// Deletes what has expired, which on AWS the database does by itself.
async fn delete_expired(embedded: Embedded) {
    let mut schedule = every(EXPIRY);
    loop {
        schedule.tick().await;
        let embedded = embedded.clone();
        match tokio::task::spawn_blocking(move || embedded.delete_expired()).await {
            Ok(Ok(deleted)) => tracing::info!(deleted, "expired records were deleted"),
            Ok(Err(fault)) => tracing::error!(%fault, "expired records could not be deleted"),
            // It has been logged by the hook.
            Err(_) => {}
        }
    }
}

impl Postman {
    /// The next mails, if any can be had at once.
    #[cfg(feature = "testing")]
    pub(crate) async fn waiting(&self) -> Option<Vec<Delivery>> {
        tokio::time::timeout(Duration::ZERO, self.queue.receive(BATCH)).await.ok()
    }

    /// Delivers mails and tells how many left the queue.
    pub(crate) async fn deliver_all(&self, deliveries: &[Delivery]) -> usize {
        let mut done = 0_usize;
        for delivery in deliveries {
            done = done.saturating_add(usize::from(self.deliver(delivery).await));
        }
        done
    }

    /// Whether the job is done; else the queue hands it out again later.
    async fn deliver(&self, delivery: &Delivery) -> bool {
        let outcome = match serde_json::from_str::<MailJob>(&delivery.body) {
            Err(fault) => Err(fault.to_string()),
            Ok(job) => {
                let transport = LocalMail::new(&self.mailbox, &job);
                let delivered = mailer::deliver(&self.app, &transport, &job).await;
                delivered.map_err(|fault| fault.to_string())
            }
        };
        match &outcome {
            Ok(_) => self.queue.delete(delivery.receipt),
            Err(fault) => tracing::warn!(fault, "a mail could not be delivered yet"),
        }
        outcome.is_ok()
    }
}
