//! What a database of many machines does that an engine on one does not.

use crate::client::client_over;
use crate::embedded::{Embedded, OpenError};
use crate::message::{Outcome, body_of, cancellation_of, operation_of, refusal};
use crate::replica::{Replica, is_eventual};
use crate::touched::{ItemKey, Touched, touched};
use aws_sdk_dynamodb::Client;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

const THROTTLED_MESSAGE: &str = "Throughput exceeds the current capacity of your table or index.";
const CONFLICT_MESSAGE: &str = "Transaction is ongoing for the item";

/// How the database behaves. The default is an engine on one machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Habits {
    /// What decides how long a transaction takes and how far a read is behind.
    pub seed: u64,
    /// Write units that one partition takes in one second of tokio's clock; no limit when absent. AWS takes
    /// [`Habits::WRITE_UNITS_PER_SEC`].
    pub write_units_per_sec: Option<u32>,
    /// The longest time a transaction holds its items, on tokio's clock. A write of one of them meanwhile is a
    /// conflict.
    pub longest_transaction: Duration,
    /// The latest writes that a read may miss, at most, where it did not ask for a consistent answer or asks an
    /// index.
    pub missed_writes: usize,
}

impl Habits {
    /// What AWS takes for one partition.
    pub const WRITE_UNITS_PER_SEC: u32 = 1_000;
}

/// What the database did that one on one machine would not have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Writes refused because their partition had taken enough.
    pub throttled: u32,
    /// Writes refused because a transaction held one of their items.
    pub conflicts: u32,
    /// Reads whose answer was not that of this moment.
    pub stale_reads: u32,
}

/// A DynamoDB with [`Habits`]. Clones share tables and habits, so that the processes of a service meet each other
/// here. [`crate::Faulty`] goes around it, one for each process.
///
/// Its tables are keyed `pk` and `sk`. It answers on the caller's thread and draws by its seed, so that the same
/// requests have the same course. All requests have to come this way: those which the read replica did not see did
/// not happen for it. Batches of writes meet no limit, for the store makes none.
#[derive(Clone)]
pub struct Distributed {
    primary: Embedded,
    state: Arc<Mutex<State>>,
}

struct State {
    habits: Habits,
    random: fastrand::Rng,
    started: Instant,
    /// The units that each partition took in the second of the last write.
    taken: BTreeMap<(String, String), (u64, u32)>,
    /// The items of the transactions under way.
    held: BTreeSet<ItemKey>,
    replica: Replica,
    met: Met,
}

impl Distributed {
    /// An empty database in memory. It has no habits until [`Distributed::behave`].
    ///
    /// # Errors
    /// [`OpenError::Engine`] when SQLite cannot start.
    pub fn memory() -> Result<Self, OpenError> {
        let state = State {
            habits: Habits::default(),
            random: fastrand::Rng::with_seed(0),
            started: Instant::now(),
            taken: BTreeMap::new(),
            held: BTreeSet::new(),
            replica: Replica::new(Embedded::memory()?),
            met: Met::default(),
        };
        let primary = Embedded::memory()?.on_this_thread();
        Ok(Self { primary, state: Arc::new(Mutex::new(state)) })
    }

    /// Has these habits from now on.
    pub fn behave(&self, habits: Habits) {
        let mut state = self.state();
        state.random = fastrand::Rng::with_seed(habits.seed);
        state.habits = habits;
    }

    /// What it did so far.
    pub fn met(&self) -> Met {
        self.state().met
    }

    /// The tables as they are, for looking at without the habits. What is written there is not seen by the reads that
    /// may be behind.
    pub fn truth(&self) -> &Embedded {
        &self.primary
    }

    /// An SDK client on this database; see [`client_over`].
    pub fn client(&self) -> Client {
        client_over(self.clone())
    }

    async fn carry_out(&self, request: HttpRequest) -> Outcome {
        // A network never answers within one poll; see the engine.
        tokio::task::yield_now().await;
        let (operation, body) = (operation_of(&request), body_of(&request).to_vec());
        if is_eventual(&operation, &body) {
            return self.read(&operation, &body);
        }
        let Some(touched) = touched(&operation, &body) else { return self.apply(&operation, body) };
        if let Some(refused) = self.refuse(&touched) {
            return refused;
        }
        let Some(held) = self.hold(&touched) else { return self.apply(&operation, body) };
        tokio::time::sleep(held.time).await;
        let outcome = self.apply(&operation, body);
        drop(held);
        outcome
    }

    /// Answers a read as of some writes ago.
    fn read(&self, operation: &str, body: &[u8]) -> Outcome {
        let mut state = self.state();
        let most = state.habits.missed_writes;
        let missed = state.random.usize(0..=most);
        let now = self.primary.respond(operation, body);
        if state.replica.catch_up(missed) == 0 {
            return now;
        }
        let then = state.replica.respond(operation, body)?;
        if now.is_ok_and(|now| is_other(&now, &then)) {
            state.met.stale_reads = state.met.stale_reads.saturating_add(1);
        }
        Ok(then)
    }

    fn apply(&self, operation: &str, body: Vec<u8>) -> Outcome {
        let outcome = self.primary.respond(operation, &body);
        if outcome.as_ref().is_ok_and(|answer| answer.status().is_success()) {
            self.state().replica.note(operation, body);
        }
        outcome
    }

    /// Why a write may not be carried out now: a transaction under way, or a partition that took enough.
    fn refuse(&self, touched: &Touched) -> Option<Outcome> {
        let mut state = self.state();
        let reasons =
            touched.items.iter().map(|item| state.held.contains(item).then_some("TransactionConflict"));
        let reasons: Vec<_> = reasons.collect();
        if reasons.iter().any(Option::is_some) {
            state.met.conflicts = state.met.conflicts.saturating_add(1);
            return Some(touched.refusal(
                &reasons,
                CONFLICT_MESSAGE,
                "com.amazonaws.dynamodb.v20120810#TransactionConflictException",
            ));
        }
        if !touched.writes {
            return None;
        }
        let reasons = state.take_units(touched, &self.primary);
        if reasons.iter().any(Option::is_some) {
            state.met.throttled = state.met.throttled.saturating_add(1);
            return Some(touched.refusal(
                &reasons,
                THROTTLED_MESSAGE,
                "com.amazon.coral.availability#ThrottlingException",
            ));
        }
        None
    }

    /// Holds the items of a transaction that writes, for a while.
    fn hold(&self, touched: &Touched) -> Option<ItemLocks<'_>> {
        if !(touched.transaction && touched.writes) {
            return None;
        }
        let mut state = self.state();
        let longest = u64::try_from(state.habits.longest_transaction.as_millis()).unwrap_or(u64::MAX);
        let time = Duration::from_millis(state.random.u64(0..=longest));
        state.held.extend(touched.items.iter().cloned());
        Some(ItemLocks { database: self, items: touched.items.clone(), time })
    }

    /// A panic in a test's own task leaves nothing half written here, so a poisoned lock is fine.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether two answers differ, whatever order their fields have.
fn is_other(one: &HttpResponse, other: &HttpResponse) -> bool {
    let [one, other] = [one, other].map(|answer| answer.body().bytes().unwrap_or_default());
    one != other && serde_json::from_slice::<Value>(one).ok() != serde_json::from_slice::<Value>(other).ok()
}

impl State {
    /// Takes the units of a write from its partitions, all or none. The reasons are by item.
    fn take_units(&mut self, touched: &Touched, primary: &Embedded) -> Vec<Option<&'static str>> {
        let Some(limit) = self.habits.write_units_per_sec else { return Vec::new() };
        let second = self.started.elapsed().as_secs();
        let mut taken = self.taken.clone();
        let mut reasons = Vec::new();
        for (item, units) in touched.items.iter().zip(touched.units(primary)) {
            let partition = taken.entry((item.table.clone(), item.pk.clone())).or_default();
            if partition.0 != second {
                *partition = (second, 0);
            }
            partition.1 = partition.1.saturating_add(units);
            reasons.push((partition.1 > limit).then_some("ThrottlingError"));
        }
        if reasons.iter().all(Option::is_none) {
            self.taken = taken;
        }
        reasons
    }
}

impl Touched {
    /// A transaction is cancelled with a reason for each item, another write is refused with the error.
    fn refusal(&self, reasons: &[Option<&str>], message: &str, error: &str) -> Outcome {
        if self.transaction { cancellation_of(reasons, message) } else { refusal(error, message) }
    }
}

/// The items of a transaction under way, which it lets go however it ends.
struct ItemLocks<'a> {
    database: &'a Distributed,
    items: Vec<ItemKey>,
    time: Duration,
}

impl Drop for ItemLocks<'_> {
    fn drop(&mut self) {
        let mut state = self.database.state();
        for item in &self.items {
            state.held.remove(item);
        }
    }
}

/// The tables' contents are nothing for a log line.
impl fmt::Debug for Distributed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Distributed")
    }
}

impl HttpClient for Distributed {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Distributed {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let database = self.clone();
        HttpConnectorFuture::new(async move { database.carry_out(request).await })
    }
}
