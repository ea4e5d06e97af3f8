//! What lies outside the service, with planned mishaps: the card processor and the mail queue.

use adapters::processor::{CardProcessor, PaymentRequest, ProcessorError, RefundRequest};
use adapters::queue::{LocalQueue, MailQueue, QueueError};
use async_trait::async_trait;
use domain::card_token::{PaymentToken, SentCard, TokenAnswer};
use domain::outbox::MailJob;
use domain::payment::{Confirmation, FinalStatus, PaymentStatus, RefundAnswer};
use domain::{Mid, PaymentReference};
use engine::{Fault, FaultPlan};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a card processor is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// To say which card a token stands for.
    LookUp,
    /// To open a payment.
    Open,
    /// To charge it to a card.
    Confirm,
    /// To say where it stands.
    Status,
    /// To cancel it, or to say that it is too late.
    Cancel,
    /// To give some of it back.
    Refund,
}

/// What may happen to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// The process dies before the call.
    CrashBefore,
    /// The process dies after the call, before it sees the answer.
    CrashAfter,
    /// The call is carried out, and its answer is lost.
    AnswerLost,
    /// The call does not get there.
    Unreachable,
    /// Too many requests.
    Throttled,
    /// The call takes so long.
    Slow(Duration),
    /// The code that makes the call panics, and tells the card.
    Panic,
}

impl Mishap {
    /// What any call may meet.
    pub const ALL: [Self; 5] = [
        Self::CrashBefore,
        Self::CrashAfter,
        Self::AnswerLost,
        Self::Unreachable,
        Self::Slow(Duration::from_secs(40)),
    ];

    /// What a refund may meet.
    pub const OF_REFUNDS: [Self; 6] = [
        Self::CrashBefore,
        Self::CrashAfter,
        Self::AnswerLost,
        Self::Unreachable,
        Self::Throttled,
        Self::Slow(Duration::from_secs(40)),
    ];

    fn by_chance(verb: Verb, random: &mut fastrand::Rng) -> Self {
        match verb {
            Verb::Refund => Self::OF_REFUNDS[random.usize(0..Self::OF_REFUNDS.len())],
            Verb::LookUp | Verb::Open | Verb::Confirm | Verb::Status | Verb::Cancel => {
                Self::ALL[random.usize(0..Self::ALL.len())]
            }
        }
    }
}

/// Mishaps by script, or by chance.
#[derive(Debug, Default)]
struct Plan {
    script: Vec<(Verb, Mishap)>,
    chance: Option<(fastrand::Rng, u16)>,
    calls: Vec<Verb>,
}

/// The card processor as one process reaches it.
pub struct Processor {
    charged_by: Arc<dyn CardProcessor>,
    /// The process whose calls these are: when it crashes, so do they, and the other way round.
    process: FaultPlan,
    dead: AtomicBool,
    plan: Mutex<Plan>,
}

impl Processor {
    /// The way of the process with these faults to what charges its cards.
    #[must_use]
    pub fn new(charged_by: Arc<dyn CardProcessor>, process: FaultPlan) -> Self {
        Self { charged_by, process, dead: AtomicBool::new(false), plan: Mutex::default() }
    }

    /// The next call of this verb meets the mishap.
    pub fn next(&self, verb: Verb, mishap: Mishap) {
        self.plan.lock().unwrap().script.push((verb, mishap));
    }

    /// Every call meets a mishap in so many of a thousand cases.
    pub fn by_chance(&self, seed: u64, permille: u16) {
        self.plan.lock().unwrap().chance = Some((fastrand::Rng::with_seed(seed), permille));
    }

    /// The calls that were made, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<Verb> {
        self.plan.lock().unwrap().calls.clone()
    }

    /// Whether the process died, here or at its database.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.dead.load(Ordering::SeqCst) || self.process.is_crashed()
    }

    fn draw(&self, verb: Verb) -> Option<Mishap> {
        let mut plan = self.plan.lock().unwrap();
        plan.calls.push(verb);
        if let Some(place) = plan.script.iter().position(|(scripted, _)| *scripted == verb) {
            return Some(plan.script.remove(place).1);
        }
        let (random, permille) = plan.chance.as_mut()?;
        let strikes = random.u16(0..1000) < *permille;
        strikes.then(|| Mishap::by_chance(verb, random))
    }

    fn crash(&self) {
        self.dead.store(true, Ordering::SeqCst);
        // Whatever the dead process would still ask its database for does not arrive.
        let next = self.process.calls().len();
        for call in next..next + 200 {
            self.process.at(call, Fault::CrashBefore);
        }
    }

    #[expect(clippy::panic, reason = "a planned one, of the code that is tested")]
    async fn met<T>(
        &self,
        verb: Verb,
        call: impl Future<Output = Result<T, ProcessorError>>,
    ) -> Result<T, ProcessorError> {
        if self.is_dead() {
            return Err(ProcessorError::Unreachable);
        }
        match self.draw(verb) {
            None => call.await,
            Some(Mishap::Unreachable) => Err(ProcessorError::Unreachable),
            Some(Mishap::Throttled) => Err(ProcessorError::Throttled),
            Some(Mishap::AnswerLost) => call.await.and(Err(ProcessorError::AnswerLost)),
            Some(Mishap::CrashBefore) => {
                self.crash();
                Err(ProcessorError::Unreachable)
            }
            Some(Mishap::CrashAfter) => {
                let _unseen = call.await;
                self.crash();
                Err(ProcessorError::Unreachable)
            }
            Some(Mishap::Panic) => panic!("cannot charge card 4242424242424242"),
            Some(Mishap::Slow(delay)) => {
                tokio::time::sleep(delay).await;
                call.await
            }
        }
    }
}

#[async_trait]
impl CardProcessor for Processor {
    async fn look_up(&self, token: &PaymentToken, mid: &Mid) -> Result<TokenAnswer, ProcessorError> {
        self.met(Verb::LookUp, self.charged_by.look_up(token, mid)).await
    }

    async fn open(&self, payment: &PaymentRequest) -> Result<PaymentReference, ProcessorError> {
        self.met(Verb::Open, self.charged_by.open(payment)).await
    }

    async fn confirm(
        &self,
        reference: &PaymentReference,
        card: &SentCard,
    ) -> Result<Confirmation, ProcessorError> {
        self.met(Verb::Confirm, self.charged_by.confirm(reference, card)).await
    }

    async fn status(&self, reference: &PaymentReference) -> Result<PaymentStatus, ProcessorError> {
        self.met(Verb::Status, self.charged_by.status(reference)).await
    }

    async fn cancel_or_status(&self, reference: &PaymentReference) -> Result<FinalStatus, ProcessorError> {
        self.met(Verb::Cancel, self.charged_by.cancel_or_status(reference)).await
    }

    async fn refund(&self, refund: &RefundRequest) -> Result<RefundAnswer, ProcessorError> {
        self.met(Verb::Refund, self.charged_by.refund(refund)).await
    }

    fn can_have_written(&self, reference: &PaymentReference) -> bool {
        self.charged_by.can_have_written(reference)
    }
}

/// The local queue as one process reaches it.
pub struct Queue {
    local: LocalQueue,
    process: FaultPlan,
    failing: AtomicBool,
}

impl Queue {
    /// The way of the process with these faults to the queue.
    #[must_use]
    pub fn new(local: LocalQueue, process: FaultPlan) -> Self {
        Self { local, process, failing: AtomicBool::new(false) }
    }

    /// From now on it is out of reach.
    pub fn fail(&self) {
        self.failing.store(true, Ordering::SeqCst);
    }
}

#[async_trait]
impl MailQueue for Queue {
    async fn send(&self, job: &MailJob) -> Result<(), QueueError> {
        if self.failing.load(Ordering::SeqCst) || self.process.is_crashed() {
            return Err(QueueError::Unanswered("the queue is out of reach, by plan".into()));
        }
        self.local.send(job).await
    }
}
