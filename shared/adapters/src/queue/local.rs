//! The queue of a single process, with the habits of SQS that the mailer relies on: a received job is hidden
//! for a while, comes back unless it is deleted, and is laid aside when it came back too often.

use super::{MailQueue, QueueError, body_of};
use async_trait::async_trait;
use domain::outbox::MailJob;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// How a local queue treats its jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalQueueSettings {
    /// How long a received job stays hidden.
    pub visibility_timeout: Duration,
    /// How often a job is received before it is a dead letter.
    pub max_receives: u32,
    /// How many jobs are kept, hidden ones included.
    pub max_jobs: usize,
    /// How many dead letters are kept; the oldest give way.
    pub max_dead_letters: usize,
}

impl Default for LocalQueueSettings {
    fn default() -> Self {
        Self {
            visibility_timeout: Duration::from_secs(30),
            max_receives: 5,
            max_jobs: 10_000,
            max_dead_letters: 1_000,
        }
    }
}

/// Names one delivery of a job; the next delivery of the same job has another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Receipt {
    job: u64,
    receive_count: u32,
}

/// A job handed out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// What [`LocalQueue::delete`] wants when the job is done.
    pub receipt: Receipt,
    /// The job as JSON.
    pub body: String,
    /// How often the job was handed out, this time included.
    pub receive_count: u32,
}

/// A job that came back too often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// The job as JSON.
    pub body: String,
    /// How often it was handed out.
    pub receive_count: u32,
}

/// A queue in this process; clones share it. It ends with the process, after which the schedule sends the
/// outbox again.
#[derive(Debug, Clone)]
pub struct LocalQueue(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    settings: LocalQueueSettings,
    state: Mutex<State>,
    /// Rings all who wait when a job was added. Nothing else makes a job visible sooner than they know.
    added: Notify,
    /// Rings all who wait for room when a job left.
    left: Notify,
}

/// A job's place in the order of time: when it is visible, and its number.
type Due = (Instant, u64);

#[derive(Debug, Default)]
struct State {
    next_job: u64,
    jobs: BTreeMap<u64, Job>,
    /// The jobs that will be handed out, in the order in which they become visible.
    due: BTreeSet<Due>,
    /// The jobs that were handed out for the last time, in the order in which that runs out.
    ending: BTreeSet<Due>,
    /// What the jobs say that nobody has looked at yet: saying it twice changes nothing.
    unseen: BTreeSet<String>,
    dead_letters: VecDeque<DeadLetter>,
}

#[derive(Debug)]
struct Job {
    body: String,
    receive_count: u32,
    visible_at: Instant,
}

impl Default for LocalQueue {
    fn default() -> Self {
        Self::new(LocalQueueSettings::default())
    }
}

impl LocalQueue {
    /// An empty queue.
    #[must_use]
    pub fn new(settings: LocalQueueSettings) -> Self {
        Self(Arc::new(Shared {
            settings,
            state: Mutex::default(),
            added: Notify::new(),
            left: Notify::new(),
        }))
    }

    /// Hands out up to `max` jobs, at least one, oldest first; waits while there is none.
    pub async fn receive(&self, max: usize) -> Vec<Delivery> {
        loop {
            // Listening starts before looking, so that nothing between the two is missed.
            let mut added = std::pin::pin!(self.0.added.notified());
            added.as_mut().enable();
            match self.take(max) {
                Taken::Jobs(deliveries) => return deliveries,
                Taken::NoneUntil(instant) => {
                    tokio::select! {
                        () = added => {}
                        () = tokio::time::sleep_until(instant) => {}
                    }
                }
                Taken::None => added.await,
            }
        }
    }

    /// Removes a job that is done. A receipt of an earlier delivery removes nothing: the job is in someone
    /// else's hands.
    pub fn delete(&self, receipt: Receipt) {
        let mut state = self.state();
        let current = state.jobs.get(&receipt.job).map(|job| job.receive_count);
        if current == Some(receipt.receive_count) {
            state.remove(receipt.job);
            drop(state);
            self.0.left.notify_waiters();
        }
    }

    /// Waits until there are fewer jobs than this.
    pub async fn fewer_than(&self, jobs: usize) {
        loop {
            let mut left = std::pin::pin!(self.0.left.notified());
            left.as_mut().enable();
            if self.depth() < jobs {
                return;
            }
            left.await;
        }
    }

    /// The jobs that came back too often, oldest first.
    #[must_use]
    pub fn dead_letters(&self) -> Vec<DeadLetter> {
        let mut state = self.state();
        state.lay_aside(&self.0.settings, Instant::now());
        state.dead_letters.iter().cloned().collect()
    }

    /// How many jobs wait or are being worked on.
    #[must_use]
    pub fn depth(&self) -> usize {
        let mut state = self.state();
        state.lay_aside(&self.0.settings, Instant::now());
        state.jobs.len()
    }

    /// How many jobs it keeps at most.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.0.settings.max_jobs
    }

    fn take(&self, max: usize) -> Taken {
        let now = Instant::now();
        let mut state = self.state();
        state.lay_aside(&self.0.settings, now);
        let mut deliveries = Vec::new();
        while deliveries.len() < max.max(1)
            && let Some(number) = state.next_visible(now)
        {
            deliveries.extend(state.hand_out(number, &self.0.settings, now));
        }
        if !deliveries.is_empty() {
            return Taken::Jobs(deliveries);
        }
        let next = state.due.first().into_iter().chain(state.ending.first()).min();
        next.map_or(Taken::None, |(instant, _)| Taken::NoneUntil(*instant))
    }

    /// No code that holds the lock can panic half way, so a poisoned lock still guards a whole state.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Taken {
    Jobs(Vec<Delivery>),
    NoneUntil(Instant),
    None,
}

impl State {
    fn add(&mut self, body: String, now: Instant) {
        let number = self.next_job;
        self.next_job = number.wrapping_add(1);
        self.unseen.insert(body.clone());
        self.due.insert((now, number));
        self.jobs.insert(number, Job { body, receive_count: 0, visible_at: now });
    }

    /// The job that has been visible longest.
    fn next_visible(&self, now: Instant) -> Option<u64> {
        self.due.first().filter(|(visible_at, _)| *visible_at <= now).map(|(_, number)| *number)
    }

    fn hand_out(&mut self, number: u64, settings: &LocalQueueSettings, now: Instant) -> Option<Delivery> {
        let job = self.jobs.get_mut(&number)?;
        self.due.remove(&(job.visible_at, number));
        if job.receive_count == 0 {
            self.unseen.remove(&job.body);
        }
        job.receive_count = job.receive_count.saturating_add(1);
        job.visible_at = now + settings.visibility_timeout;
        let is_last = job.receive_count >= settings.max_receives;
        let order = if is_last { &mut self.ending } else { &mut self.due };
        order.insert((job.visible_at, number));
        let receipt = Receipt { job: number, receive_count: job.receive_count };
        Some(Delivery { receipt, body: job.body.clone(), receive_count: job.receive_count })
    }

    fn remove(&mut self, number: u64) -> Option<Job> {
        let job = self.jobs.remove(&number)?;
        let due = (job.visible_at, number);
        self.due.remove(&due);
        self.ending.remove(&due);
        Some(job)
    }

    /// Moves the jobs whose last delivery ran out to the dead letters.
    fn lay_aside(&mut self, settings: &LocalQueueSettings, now: Instant) {
        while let Some((instant, number)) = self.ending.first().copied()
            && instant <= now
        {
            let dead = self.remove(number);
            self.dead_letters
                .extend(dead.map(|job| DeadLetter { body: job.body, receive_count: job.receive_count }));
            // Whatever it named, the order goes on.
            self.ending.remove(&(instant, number));
        }
        let surplus = self.dead_letters.len().saturating_sub(settings.max_dead_letters);
        self.dead_letters.drain(..surplus);
    }
}

#[async_trait]
impl MailQueue for LocalQueue {
    /// A job that says the same as one that nobody has looked at yet is that one.
    async fn send(&self, job: &MailJob) -> Result<(), QueueError> {
        let body = body_of(job)?;
        let now = Instant::now();
        {
            let mut state = self.state();
            state.lay_aside(&self.0.settings, now);
            if state.unseen.contains(&body) {
                return Ok(());
            }
            if state.jobs.len() >= self.0.settings.max_jobs {
                return Err(QueueError::Full);
            }
            state.add(body, now);
        }
        self.0.added.notify_waiters();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::outbox::{MailKind, OrderMail};
    use domain::{OrderId, TenantId};
    use std::collections::BTreeSet;
    use tokio::time::{advance, timeout};

    const HIDDEN: Duration = Duration::from_secs(30);

    fn job(order: u64) -> MailJob {
        MailJob::Order(OrderMail {
            tenant: TenantId::parse(1001).unwrap(),
            order: OrderId::from_bits(order),
            kind: MailKind::ReceiptWithTickets,
        })
    }

    async fn queue_of(orders: impl IntoIterator<Item = u64>) -> LocalQueue {
        let queue = LocalQueue::default();
        for order in orders {
            queue.send(&job(order)).await.unwrap();
        }
        queue
    }

    fn orders(deliveries: &[Delivery]) -> Vec<String> {
        let read = |delivery: &Delivery| serde_json::from_str::<OrderMail>(&delivery.body).unwrap();
        deliveries.iter().map(|delivery| read(delivery).order.to_string()).collect()
    }

    async fn nothing_comes(queue: &LocalQueue) -> bool {
        timeout(Duration::ZERO, queue.receive(10)).await.is_err()
    }

    #[tokio::test(start_paused = true)]
    async fn jobs_come_oldest_first_and_as_many_as_asked_for() {
        let queue = queue_of(1..=5).await;
        assert_eq!(orders(&queue.receive(2).await), ["1", "2"]);
        assert_eq!(orders(&queue.receive(10).await), ["3", "4", "5"]);
        assert!(nothing_comes(&queue).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_that_was_not_deleted_comes_back_after_the_visibility_timeout() {
        let queue = queue_of([1]).await;
        assert_eq!(queue.receive(1).await[0].receive_count, 1);
        advance(HIDDEN - Duration::from_millis(2)).await;
        assert!(nothing_comes(&queue).await);
        advance(Duration::from_millis(2)).await;
        let again = queue.receive(1).await;
        assert_eq!((orders(&again), again[0].receive_count), (vec!["1".to_owned()], 2));
    }

    #[tokio::test(start_paused = true)]
    async fn a_deleted_job_never_comes_back() {
        let queue = queue_of([1]).await;
        queue.delete(queue.receive(1).await[0].receipt);
        advance(HIDDEN * 2).await;
        assert!(nothing_comes(&queue).await);
        assert_eq!(queue.depth(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_receipt_of_an_earlier_delivery_deletes_nothing() {
        let queue = queue_of([1]).await;
        let first = queue.receive(1).await[0].receipt;
        let second = queue.receive(1).await[0].receipt;
        queue.delete(first);
        assert_eq!(queue.depth(), 1);
        queue.delete(second);
        assert_eq!(queue.depth(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_received_five_times_is_laid_aside() {
        let queue = queue_of([1, 2]).await;
        for round in 1..=5 {
            let received = queue.receive(10).await;
            assert_eq!(received[0].receive_count, round);
            received.iter().skip(1).for_each(|other| queue.delete(other.receipt));
            assert_eq!(queue.dead_letters(), []);
        }
        advance(HIDDEN).await;
        assert!(nothing_comes(&queue).await);
        let dead = queue.dead_letters();
        assert_eq!((dead.len(), dead[0].receive_count, queue.depth()), (1, 5, 0));
        assert!(dead[0].body.contains(r#""orderId":"1""#));
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_receiver_is_woken_by_a_new_job_at_once() {
        let queue = LocalQueue::default();
        let waiting = tokio::spawn({
            let queue = queue.clone();
            async move { queue.receive(1).await }
        });
        tokio::task::yield_now().await;
        let before = Instant::now();
        queue.send(&job(7)).await.unwrap();
        assert_eq!(orders(&waiting.await.unwrap()), ["7"]);
        assert_eq!(before.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_receiver_that_waits_on_an_empty_queue_gets_the_job_another_one_dropped() {
        let queue = LocalQueue::default();
        let receivers = [(); 2].map(|()| {
            let queue = queue.clone();
            tokio::spawn(async move { queue.receive(1).await })
        });
        tokio::task::yield_now().await;
        queue.send(&job(7)).await.unwrap();
        let mut counts = Vec::new();
        for receiver in receivers {
            counts.push(receiver.await.unwrap()[0].receive_count);
        }
        counts.sort_unstable();
        assert_eq!(counts, [1, 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_that_nobody_has_looked_at_is_not_added_twice() {
        let queue = queue_of([1, 2, 1, 1]).await;
        assert_eq!(queue.depth(), 2);
        assert_eq!(orders(&queue.receive(1).await), ["1"]);
        // Whoever has it may have looked already.
        queue.send(&job(1)).await.unwrap();
        assert_eq!(orders(&queue.receive(10).await), ["2", "1"]);
        advance(HIDDEN).await;
        assert_eq!(orders(&queue.receive(10).await), ["1", "2", "1"]);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_waits_for_room_is_woken_when_there_is() {
        let queue = queue_of(1..=5).await;
        let waiting = tokio::spawn({
            let queue = queue.clone();
            async move { queue.fewer_than(3).await }
        });
        for left in [4, 3, 2] {
            tokio::task::yield_now().await;
            assert!(!waiting.is_finished(), "with {left} and one more");
            queue.delete(queue.receive(1).await[0].receipt);
            assert_eq!(queue.depth(), left);
        }
        waiting.await.unwrap();
    }

    proptest::proptest! {
        /// Against a queue that looks at all its jobs each time.
        #[test]
        fn jobs_come_in_the_order_in_which_they_become_visible(steps in proptest::collection::vec(0_u64..8, 1..60)) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
            runtime.block_on(async {
                let queue = LocalQueue::default();
                let mut model: Vec<(Instant, u64, u32)> = Vec::new();
                for (number, step) in steps.into_iter().enumerate() {
                    let order = u64::try_from(number).unwrap() + 1;
                    let now = Instant::now();
                    match step {
                        0..4 => {
                            queue.send(&job(order)).await.unwrap();
                            model.push((now, order, 0));
                        }
                        4..7 => {
                            model.retain(|(visible_at, _, count)| *count < 5 || *visible_at > now);
                            model.sort();
                            let next = model.iter_mut().find(|(visible_at, _, count)| *visible_at <= now && *count < 5);
                            let expected = next.map(|next| {
                                next.0 = now + HIDDEN;
                                next.2 += 1;
                                next.1.to_string()
                            });
                            let got = timeout(Duration::ZERO, queue.receive(1)).await.ok();
                            let got = got.as_deref().map(|got| orders(got)[0].clone());
                            assert_eq!(got, expected);
                        }
                        _ => advance(HIDDEN / 3).await,
                    }
                }
            });
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_queue_takes_no_more_and_forgets_its_oldest_dead_letters() {
        let settings = LocalQueueSettings {
            max_receives: 1,
            max_jobs: 2,
            max_dead_letters: 1,
            ..LocalQueueSettings::default()
        };
        let queue = LocalQueue::new(settings);
        for order in [1, 2] {
            queue.send(&job(order)).await.unwrap();
        }
        assert!(matches!(queue.send(&job(3)).await, Err(QueueError::Full)));
        queue.receive(2).await;
        advance(HIDDEN).await;
        queue.send(&job(3)).await.unwrap();
        let dead = queue.dead_letters();
        assert!(dead.len() == 1 && dead[0].body.contains(r#""orderId":"2""#), "{dead:?}");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn racing_receivers_share_the_jobs_without_loss_or_repetition() {
        let queue = LocalQueue::default();
        let receivers: Vec<_> = (0..8)
            .map(|_| {
                let queue = queue.clone();
                tokio::spawn(async move {
                    let mut seen = Vec::new();
                    while seen.len() < 32 {
                        let received = queue.receive(32 - seen.len()).await;
                        received.iter().for_each(|delivery| queue.delete(delivery.receipt));
                        seen.extend(orders(&received));
                    }
                    seen
                })
            })
            .collect();
        let senders: Vec<_> = (0..8_u64)
            .map(|sender| {
                let queue = queue.clone();
                tokio::spawn(async move {
                    for number in 1..=32 {
                        queue.send(&job(sender * 32 + number)).await.unwrap();
                    }
                })
            })
            .collect();
        for sender in senders {
            sender.await.unwrap();
        }
        let mut seen = Vec::new();
        for receiver in receivers {
            seen.extend(receiver.await.unwrap());
        }
        let distinct: BTreeSet<_> = seen.iter().collect();
        assert_eq!((seen.len(), distinct.len(), queue.depth()), (256, 256, 0));
    }
}
