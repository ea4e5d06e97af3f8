//! Which call meets which fault, by script or by seed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What may happen to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process dies before the request is sent; nothing is applied.
    CrashBefore,
    /// The process dies after the request is applied and before it sees the answer.
    CrashAfter,
    /// The request is applied and its answer never arrives: the caller sees a time-out.
    AnswerLost,
    /// The request is refused for its rate; nothing is applied.
    Throttle(Throttling),
    /// Another transaction holds an item of this write; nothing is applied.
    TransactionConflict,
    /// The request takes this much longer, on tokio's clock, before it is sent.
    Slow(Duration),
    /// Every second entry of a batch is left undone and handed back.
    Unprocessed,
}

/// Whose rate a throttled call was over, which decides the error the caller sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Throttling {
    /// `ProvisionedThroughputExceededException`; a transaction is cancelled, with that as the reason
    /// of one of its items.
    Table,
    /// `ThrottlingException`, for every operation.
    Account,
}

/// How often each fault strikes, in calls of a thousand. Rates that add up to more than a thousand
/// cut off the later fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// [`Fault::CrashBefore`].
    pub crash_before: u16,
    /// [`Fault::CrashAfter`].
    pub crash_after: u16,
    /// [`Fault::AnswerLost`].
    pub answer_lost: u16,
    /// [`Fault::Throttle`], either kind as likely.
    pub throttle: u16,
    /// [`Fault::TransactionConflict`], where the call is one that can conflict.
    pub transaction_conflict: u16,
    /// [`Fault::Slow`], from 1 ms to `slowest`.
    pub slow: u16,
    /// [`Fault::Unprocessed`], where the call is a batch.
    pub unprocessed: u16,
    /// The longest delay a slow call meets; 1 ms when shorter than that.
    pub slowest: Duration,
}

/// A fault that struck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injected {
    /// The call's place in [`FaultPlan::calls`], from 0.
    pub call: usize,
    /// The call's operation, `PutItem` for example.
    pub operation: String,
    /// What it met.
    pub fault: Fault,
}

/// The faults that calls will meet, and the record of the calls made. Clones share both, so a test
/// keeps one in its hand while a [`crate::Faulty`] client consults another.
///
/// A scripted fault outranks a random one. A fault that cannot happen to the operation it falls on
/// (a conflict of two reads, a batch left half done by a put) does not strike.
#[derive(Clone, Debug, Default)]
pub struct FaultPlan {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    script: Vec<(Moment, Fault)>,
    chance: Option<(u64, Rates)>,
    calls: Vec<String>,
    injected: Vec<Injected>,
    /// Counts the crashes, so that a call begun before one is told apart from a call begun after.
    life: u64,
    crashed: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Moment {
    Call(usize),
    OfOperation { operation: String, nth: usize },
}

/// A call that may be made: by which life of the process, as which call, meeting what.
#[derive(Clone, Copy)]
pub(crate) struct Admission {
    pub(crate) life: u64,
    pub(crate) call: usize,
    pub(crate) fault: Option<Fault>,
}

impl FaultPlan {
    /// A plan without faults; it records calls, and [`FaultPlan::at`] adds to it.
    pub fn new() -> Self {
        Self::default()
    }

    /// A plan that strikes by chance. The fault of a call depends on `seed`, the call's index and its
    /// operation alone, so the same calls meet the same faults again, however tasks interleave.
    pub fn random(seed: u64, rates: Rates) -> Self {
        let plan = Self::new();
        plan.state().chance = Some((seed, rates));
        plan
    }

    /// The call with this index, counted from 0 since the start or the last [`FaultPlan::reset`],
    /// meets `fault`. A second fault for the same call replaces the first.
    pub fn at(&self, call: usize, fault: Fault) -> &Self {
        self.script(Moment::Call(call), fault)
    }

    /// The `nth` call of `operation` (`"PutItem"` for example), counted from 0, meets `fault`. It
    /// yields to a fault scripted for the call's index.
    pub fn at_operation(&self, operation: &str, nth: usize, fault: Fault) -> &Self {
        self.script(Moment::OfOperation { operation: operation.to_owned(), nth }, fault)
    }

    /// The operations seen, in order. A process that is down makes no calls.
    pub fn calls(&self) -> Vec<String> {
        self.state().calls.clone()
    }

    /// The faults that struck, in order.
    pub fn injected(&self) -> Vec<Injected> {
        self.state().injected.clone()
    }

    /// Whether a crash struck and nothing restarted the process since.
    pub fn is_crashed(&self) -> bool {
        self.state().crashed
    }

    /// The process dies between two calls.
    pub fn kill(&self) {
        let life = self.state().life;
        self.crash(life);
    }

    /// The process is up again. Calls of the life before stay dead, even those still under way.
    pub fn restart(&self) {
        self.state().crashed = false;
    }

    /// Forgets the script, the calls and the faults that struck, and counts from 0 again; a random
    /// plan stays random. For the end of a test's preparation.
    pub fn reset(&self) {
        let mut state = self.state();
        state.script.clear();
        state.calls.clear();
        state.injected.clear();
        state.crashed = false;
    }

    /// Ends all faults, scripted and random, and restarts the process; the records stay. For the
    /// part of a test that looks at what is left.
    pub fn heal(&self) {
        let mut state = self.state();
        state.script.clear();
        state.chance = None;
        state.crashed = false;
    }

    /// Records a call and finds its fault; nothing when the process is down.
    pub(crate) fn admit(&self, operation: &str) -> Option<Admission> {
        let mut state = self.state();
        if state.crashed {
            return None;
        }
        let call = state.calls.len();
        let fault = state.fault_for(call, operation).filter(|fault| fault.applies_to(operation));
        let operation = operation.to_owned();
        if let Some(fault) = fault {
            state.injected.push(Injected { call, operation: operation.clone(), fault });
        }
        state.calls.push(operation);
        Some(Admission { life: state.life, call, fault })
    }

    /// The process of this life dies; one that is dead already cannot die again.
    pub(crate) fn crash(&self, life: u64) {
        let mut state = self.state();
        if state.life == life {
            state.life = state.life.wrapping_add(1);
            state.crashed = true;
        }
    }

    /// Whether the process that began a call in this life can still see its answer.
    pub(crate) fn is_alive(&self, life: u64) -> bool {
        self.state().life == life
    }

    fn script(&self, moment: Moment, fault: Fault) -> &Self {
        let mut state = self.state();
        state.script.retain(|(scripted, _)| *scripted != moment);
        state.script.push((moment, fault));
        drop(state);
        self
    }

    /// A panic in a test's own task leaves nothing half written here, so a poisoned lock is fine.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn fault_for(&self, call: usize, operation: &str) -> Option<Fault> {
        let seen = self.calls.iter().filter(|earlier| *earlier == operation).count();
        let by_index = |moment: &Moment| *moment == Moment::Call(call);
        let by_operation = |moment: &Moment| match moment {
            Moment::Call(_) => false,
            Moment::OfOperation { operation: scripted, nth } => scripted == operation && *nth == seen,
        };
        let scripted = |matches: &dyn Fn(&Moment) -> bool| {
            self.script.iter().find(|(moment, _)| matches(moment)).map(|(_, fault)| *fault)
        };
        scripted(&by_index)
            .or_else(|| scripted(&by_operation))
            .or_else(|| self.chance.and_then(|(seed, rates)| rates.draw(seed, call)))
    }
}

impl Rates {
    /// The fault of one call. Each call has its own generator, so no call's draw moves another's.
    fn draw(&self, seed: u64, call: usize) -> Option<Fault> {
        // An odd constant spreads neighbouring calls over the seeds (the golden ratio's bits).
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        let call = u64::try_from(call).unwrap_or(u64::MAX);
        let mut random = fastrand::Rng::with_seed(seed ^ call.wrapping_add(1).wrapping_mul(SPREAD));
        let throttling = if random.bool() { Throttling::Table } else { Throttling::Account };
        let slowest_ms = u64::try_from(self.slowest.as_millis()).unwrap_or(u64::MAX).max(1);
        let delay = Duration::from_millis(random.u64(1..=slowest_ms));
        let ladder = [
            (self.crash_before, Fault::CrashBefore),
            (self.crash_after, Fault::CrashAfter),
            (self.answer_lost, Fault::AnswerLost),
            (self.throttle, Fault::Throttle(throttling)),
            (self.transaction_conflict, Fault::TransactionConflict),
            (self.slow, Fault::Slow(delay)),
            (self.unprocessed, Fault::Unprocessed),
        ];
        let mut drawn = random.u16(0..1000);
        for (rate, fault) in ladder {
            match drawn.checked_sub(rate) {
                None => return Some(fault),
                Some(left) => drawn = left,
            }
        }
        None
    }
}

impl Fault {
    /// Whether AWS could do this to a call of that operation.
    fn applies_to(self, operation: &str) -> bool {
        match self {
            Self::CrashBefore | Self::CrashAfter | Self::AnswerLost | Self::Throttle(_) | Self::Slow(_) => {
                true
            }
            Self::TransactionConflict => matches!(
                operation,
                "PutItem" | "UpdateItem" | "DeleteItem" | "TransactWriteItems" | "TransactGetItems"
            ),
            Self::Unprocessed => matches!(operation, "BatchGetItem" | "BatchWriteItem"),
        }
    }
}
