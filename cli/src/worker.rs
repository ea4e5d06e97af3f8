//! The work beside the requests: mails are delivered as they are queued, and what is due is done on a
//! schedule.

use crate::sandbox::LocalMail;
use domain::outbox::MailJob;
use platform::App;
use platform::clock::wall_now;
use platform::queue::{Delivery, LocalQueue};
use std::time::Duration;
use store::Store;

/// How often the scheduled work is done, as in a deployment.
const SCHEDULE: Duration = Duration::from_secs(60);

/// Mails taken from the queue at once.
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
pub(crate) fn start(postman: Postman) {
    let app = postman.app.clone();
    tokio::spawn(async move {
        loop {
            let deliveries = postman.queue.receive(BATCH).await;
            postman.deliver_all(&deliveries).await;
        }
    });
    tokio::spawn(async move {
        let mut schedule = tokio::time::interval(SCHEDULE);
        schedule.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            schedule.tick().await;
            if let Err(fault) = cleanup::pass(&app, cleanup::Scope::Schedule, wall_now()).await {
                tracing::error!(%fault, "the scheduled work could not be done");
            }
        }
    });
}

impl Postman {
    /// The next mails, if any can be had at once.
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
