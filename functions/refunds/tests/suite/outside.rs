//! The card processor with planned mishaps.

use async_trait::async_trait;
use domain::PaymentReference;
use domain::card::Card;
use domain::payment::{Confirmation, FinalStatus, RefundAnswer};
use engine::{Fault, FaultPlan};
use platform::processor::{CardProcessor, PaymentRequest, ProcessorError, RefundRequest, SandboxProcessor};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mishap {
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
}

impl Mishap {
    pub(crate) const ALL: [Self; 6] = [
        Self::CrashBefore,
        Self::CrashAfter,
        Self::AnswerLost,
        Self::Unreachable,
        Self::Throttled,
        Self::Slow(Duration::from_secs(40)),
    ];
}

/// Mishaps of refunds by script, or by chance.
#[derive(Debug, Default)]
struct Plan {
    script: Vec<Mishap>,
    chance: Option<(fastrand::Rng, u16)>,
}

/// The sandbox processor as one process reaches it.
pub(crate) struct Processor {
    sandbox: SandboxProcessor,
    /// The process whose calls these are: when it crashes, so do they, and the other way round.
    process: FaultPlan,
    dead: AtomicBool,
    plan: Mutex<Plan>,
}

impl Processor {
    pub(crate) fn new(sandbox: SandboxProcessor, process: FaultPlan) -> Self {
        Self { sandbox, process, dead: AtomicBool::new(false), plan: Mutex::default() }
    }

    /// The next refund meets the mishap.
    pub(crate) fn next(&self, mishap: Mishap) {
        self.plan.lock().unwrap().script.push(mishap);
    }

    /// Every refund meets a mishap in so many of a thousand cases.
    pub(crate) fn by_chance(&self, seed: u64, permille: u16) {
        self.plan.lock().unwrap().chance = Some((fastrand::Rng::with_seed(seed), permille));
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::SeqCst) || self.process.is_crashed()
    }

    fn draw(&self) -> Option<Mishap> {
        let mut plan = self.plan.lock().unwrap();
        if !plan.script.is_empty() {
            return Some(plan.script.remove(0));
        }
        let (random, permille) = plan.chance.as_mut()?;
        let strikes = random.u16(0..1000) < *permille;
        strikes.then(|| Mishap::ALL[random.usize(0..Mishap::ALL.len())])
    }

    fn crash(&self) {
        self.dead.store(true, Ordering::SeqCst);
        // Whatever the dead process would still ask its database for does not arrive.
        let next = self.process.calls().len();
        for call in next..next + 200 {
            self.process.at(call, Fault::CrashBefore);
        }
    }
}

#[async_trait]
impl CardProcessor for Processor {
    async fn open(&self, payment: &PaymentRequest) -> Result<PaymentReference, ProcessorError> {
        self.sandbox.open(payment).await
    }

    async fn confirm(
        &self,
        reference: &PaymentReference,
        card: &Card,
    ) -> Result<Confirmation, ProcessorError> {
        self.sandbox.confirm(reference, card).await
    }

    async fn cancel_or_status(&self, reference: &PaymentReference) -> Result<FinalStatus, ProcessorError> {
        self.sandbox.cancel_or_status(reference).await
    }

    async fn refund(&self, refund: &RefundRequest) -> Result<RefundAnswer, ProcessorError> {
        if self.is_dead() {
            return Err(ProcessorError::Unreachable);
        }
        match self.draw() {
            None => self.sandbox.refund(refund).await,
            Some(Mishap::Unreachable) => Err(ProcessorError::Unreachable),
            Some(Mishap::Throttled) => Err(ProcessorError::Throttled),
            Some(Mishap::AnswerLost) => {
                self.sandbox.refund(refund).await.and(Err(ProcessorError::AnswerLost))
            }
            Some(Mishap::CrashBefore) => {
                self.crash();
                Err(ProcessorError::Unreachable)
            }
            Some(Mishap::CrashAfter) => {
                let _unseen = self.sandbox.refund(refund).await;
                self.crash();
                Err(ProcessorError::Unreachable)
            }
            Some(Mishap::Slow(delay)) => {
                tokio::time::sleep(delay).await;
                self.sandbox.refund(refund).await
            }
        }
    }

    fn can_have_written(&self, reference: &PaymentReference) -> bool {
        self.sandbox.can_have_written(reference)
    }
}
