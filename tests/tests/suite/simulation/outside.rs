//! What lies outside the service and fails by chance: the card processor, the mail queue, whoever takes the mails.

use adapters::mail::{MailError, MailTransport, OutgoingMail};
use adapters::processor::{CardProcessor, PaymentRequest, ProcessorError, RefundRequest, SandboxProcessor};
use adapters::queue::{LocalQueue, MailQueue, QueueError};
use async_trait::async_trait;
use domain::card_token::{PaymentToken, SentCard, TokenAnswer};
use domain::outbox::MailJob;
use domain::payment::{Confirmation, FinalStatus, PaymentStatus, RefundAnswer};
use domain::{Mid, PaymentReference};
use engine::FaultPlan;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// In how many of a thousand cases a call to the outside fails.
const FAILURES: u16 = 60;

/// How a call to the outside fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mishap {
    /// The process dies before the call.
    CrashBefore,
    /// The process dies after the call.
    CrashAfter,
    /// The call is carried out, and its answer is lost.
    AnswerLost,
    /// The call does not get there.
    Unreachable,
    /// The call takes so long.
    Slow(Duration),
}

const MISHAPS: [Mishap; 6] = [
    Mishap::CrashBefore,
    Mishap::CrashAfter,
    Mishap::AnswerLost,
    Mishap::Unreachable,
    Mishap::Slow(Duration::from_secs(4)),
    Mishap::Slow(Duration::from_secs(40)),
];

/// How one process reaches the outside.
pub(crate) struct Way {
    process: FaultPlan,
    random: Option<Mutex<fastrand::Rng>>,
    mishaps: AtomicUsize,
}

impl Way {
    /// Without a seed, nothing fails.
    pub(crate) fn new(process: FaultPlan, seed: Option<u64>) -> Self {
        let random = seed.map(|seed| Mutex::new(fastrand::Rng::with_seed(seed)));
        Self { process, random, mishaps: AtomicUsize::new(0) }
    }

    /// The calls that failed, or were lost by a card that loses them.
    pub(crate) fn mishaps(&self) -> usize {
        self.mishaps.load(Ordering::SeqCst)
    }

    fn draw(&self) -> Option<Mishap> {
        let mut random = self.random.as_ref()?.lock().unwrap();
        let mishap = MISHAPS[random.usize(0..MISHAPS.len())];
        (random.u16(0..1_000) < FAILURES).then_some(mishap)
    }

    async fn met<T, E>(
        &self,
        call: impl Future<Output = Result<T, E>>,
        unreachable: E,
        lost: E,
    ) -> Result<T, E> {
        if self.process.is_crashed() {
            return Err(unreachable);
        }
        let drawn = self.draw();
        if drawn.is_some() {
            self.mishaps.fetch_add(1, Ordering::SeqCst);
        }
        match drawn {
            None => call.await,
            Some(Mishap::Unreachable) => Err(unreachable),
            Some(Mishap::AnswerLost) => call.await.and(Err(lost)),
            Some(Mishap::CrashBefore) => {
                self.process.kill();
                Err(unreachable)
            }
            Some(Mishap::CrashAfter) => {
                let _unseen = call.await;
                self.process.kill();
                Err(unreachable)
            }
            Some(Mishap::Slow(delay)) => {
                tokio::time::sleep(delay).await;
                call.await
            }
        }
    }
}

/// The card processor as one process reaches it.
pub(crate) struct Bank {
    pub(crate) sandbox: SandboxProcessor,
    pub(crate) way: std::sync::Arc<Way>,
}

impl Bank {
    async fn met<T>(
        &self,
        call: impl Future<Output = Result<T, ProcessorError>>,
    ) -> Result<T, ProcessorError> {
        let answer = self.way.met(call, ProcessorError::Unreachable, ProcessorError::AnswerLost).await;
        if answer.is_err() {
            self.way.mishaps.fetch_add(1, Ordering::SeqCst);
        }
        answer
    }
}

#[async_trait]
impl CardProcessor for Bank {
    async fn look_up(&self, token: &PaymentToken, mid: &Mid) -> Result<TokenAnswer, ProcessorError> {
        self.met(self.sandbox.look_up(token, mid)).await
    }

    async fn open(&self, payment: &PaymentRequest) -> Result<PaymentReference, ProcessorError> {
        self.met(self.sandbox.open(payment)).await
    }

    async fn confirm(
        &self,
        reference: &PaymentReference,
        card: &SentCard,
    ) -> Result<Confirmation, ProcessorError> {
        self.met(self.sandbox.confirm(reference, card)).await
    }

    async fn status(&self, reference: &PaymentReference) -> Result<PaymentStatus, ProcessorError> {
        self.met(self.sandbox.status(reference)).await
    }

    async fn cancel_or_status(&self, reference: &PaymentReference) -> Result<FinalStatus, ProcessorError> {
        self.met(self.sandbox.cancel_or_status(reference)).await
    }

    async fn refund(&self, refund: &RefundRequest) -> Result<RefundAnswer, ProcessorError> {
        self.met(self.sandbox.refund(refund)).await
    }

    fn can_have_written(&self, reference: &PaymentReference) -> bool {
        self.sandbox.can_have_written(reference)
    }
}

/// The queue as one process reaches it.
pub(crate) struct Post {
    pub(crate) queue: LocalQueue,
    pub(crate) way: std::sync::Arc<Way>,
}

#[async_trait]
impl MailQueue for Post {
    async fn send(&self, job: &MailJob) -> Result<(), QueueError> {
        let fault = || QueueError::Unanswered("the queue did not answer, by chance".into());
        self.way.met(self.queue.send(job), fault(), fault()).await
    }
}

/// Every mail that was taken, by its Message-ID, and how often.
#[derive(Debug, Default)]
pub(crate) struct Mailbox(Mutex<BTreeMap<String, u32>>);

impl Mailbox {
    pub(crate) fn taken(&self) -> BTreeMap<String, u32> {
        self.0.lock().unwrap().clone()
    }
}

/// The taker of mails as one process reaches it, for one mail.
pub(crate) struct Carrier<'a> {
    pub(crate) mailbox: &'a Mailbox,
    pub(crate) way: &'a Way,
    /// The mail that was taken.
    pub(crate) taken: Mutex<Option<String>>,
}

#[async_trait]
impl MailTransport for Carrier<'_> {
    async fn send(&self, mail: &OutgoingMail) -> Result<(), MailError> {
        let fault = || MailError::retry("the mail was not taken, by chance");
        let take = async {
            let mut taken = self.mailbox.0.lock().unwrap();
            *taken.entry(mail.message_id.clone()).or_default() += 1;
            *self.taken.lock().unwrap() = Some(mail.message_id.clone());
            Ok(())
        };
        self.way.met(take, fault(), fault()).await
    }
}
