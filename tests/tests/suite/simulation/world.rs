//! One simulated world: a database, a bank and a queue, the processes of the service that live and die on them, and the
//! time they have.

use crate::simulation::outside::{Bank, Mailbox, Post, Way};
use crate::simulation::tally::Tally;
use crate::simulation::venue;
use adapters::processor::SandboxProcessor;
use adapters::queue::LocalQueue;
use adapters::vault::LocalVault;
use adapters::{Adapters, App, IdSource};
use axum::Router;
use axum::body::Body;
use domain::time::plus_secs;
use domain::{OrderId, Timestamp};
use engine::{Distributed, FaultPlan, Faulty, Habits, Rates};
use http_body_util::BodyExt;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;
use store::Store;
use tokio::time::Instant;
use tower::ServiceExt;

const PREFIX: &str = "sim-";
/// Processes that answer requests.
const PROCESSES: usize = 2;
/// In how many of a hundred cases a client does not hear the answer.
const UNHEARD: u8 = 4;

/// Simulated time: tokio's paused clock, and the jumps beside it.
#[derive(Clone)]
pub(crate) struct Time {
    started: Instant,
    jumped: Arc<Mutex<i64>>,
}

impl Time {
    fn new() -> Self {
        Self { started: Instant::now(), jumped: Arc::default() }
    }

    pub(crate) fn now(&self) -> Timestamp {
        let elapsed = i64::try_from(self.started.elapsed().as_secs()).unwrap();
        plus_secs(venue::t0(), elapsed + *self.jumped.lock().unwrap())
    }

    pub(crate) fn jump(&self, secs: i64) {
        *self.jumped.lock().unwrap() += secs;
    }
}

/// A ticket sale, or any other, that a client was told of.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// The order as it was answered.
    pub(crate) order: Value,
}

/// A scan that a device made while it was offline, and keeps.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) terminal: &'static str,
    /// The order of the ticket, which the device need not know.
    pub(crate) order: OrderId,
    /// The scan as it is uploaded.
    pub(crate) scan: Value,
}

/// An admission whose visitor was told to pass.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    pub(crate) order: String,
    pub(crate) admission: String,
}

/// One process of the service.
#[derive(Clone)]
pub(crate) struct Process {
    pub(crate) app: App,
    pub(crate) faults: FaultPlan,
    pub(crate) way: Arc<Way>,
    service: Router,
    number: usize,
}

/// What a client heard.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) replayed: bool,
}

impl Answer {
    pub(crate) fn kind(&self) -> &str {
        self.body["type"].as_str().unwrap_or_default()
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.status == 200
    }
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) key: (&'static str, &'static str),
    pub(crate) idempotency: Option<String>,
    pub(crate) body: Option<Value>,
    /// It changes a membership or an order that is shown at doors, which others may be changing at the moment (contract
    /// §4 and §13.5: then 503).
    pub(crate) contends: bool,
}

impl Ask {
    pub(crate) fn contending(self) -> Self {
        Self { contends: true, ..self }
    }

    pub(crate) fn keyed(mut self, key: Option<String>) -> Self {
        self.idempotency = key;
        self
    }
}

/// A request of a shopper's server.
pub(crate) fn shop(method: &'static str, path: impl Into<String>, body: Option<Value>) -> Ask {
    let key = ("x-service-api-key", venue::SHOP);
    Ask { method, path: path.into(), key, idempotency: None, body, contends: false }
}

/// A request of the back office.
pub(crate) fn staff(method: &'static str, path: impl Into<String>, body: Option<Value>) -> Ask {
    Ask { key: ("x-service-api-key", venue::STAFF), ..shop(method, path, body) }
}

/// A request of a door or the till.
pub(crate) fn scanner(path: &'static str, key: &'static str, body: Value) -> Ask {
    let ask = shop("POST", path, Some(body)).contending();
    Ask { key: ("x-service-api-key", key), ..ask }
}

/// A request of a partner or a merchant.
pub(crate) fn partner(
    method: &'static str,
    path: impl Into<String>,
    key: &'static str,
    body: Option<Value>,
) -> Ask {
    Ask { key: ("x-service-payment-key", key), ..shop(method, path, body) }
}

pub(crate) struct World {
    pub(crate) database: Distributed,
    pub(crate) queue: LocalQueue,
    pub(crate) mailbox: Mailbox,
    pub(crate) time: Time,
    /// Whether requests choose their clock, as suites of tests do, or have that of their process.
    pub(crate) chosen_clock: bool,
    /// Message-IDs of mails whose mailer died or failed between taking and marking them, and how often.
    pub(crate) unmarked: Mutex<BTreeMap<String, u32>>,
    pub(crate) kept: Mutex<Vec<Kept>>,
    pub(crate) passed: Mutex<Vec<Passed>>,
    vault: Arc<LocalVault>,
    random: Mutex<fastrand::Rng>,
    processes: Mutex<Vec<Process>>,
    started: Mutex<usize>,
    trace: Mutex<Vec<String>>,
    tally: Mutex<Tally>,
    told: Mutex<Vec<Told>>,
    slots: Mutex<Vec<(&'static str, String)>>,
    once: Mutex<BTreeSet<String>>,
}

/// Every route, gathered once for the many processes of all worlds.
static ROUTES: LazyLock<Router<App>> = LazyLock::new(boxoffice::router);

/// What is wrong with a request only because others were first. Actors make no other mistakes, so that whatever is
/// refused besides shows that an actor is mistaken and reaches nothing.
const MOVED_ON: [&str; 1] = ["was cancelled or replaced by another membership"];

fn rates() -> Rates {
    Rates {
        crash_before: 5,
        crash_after: 5,
        answer_lost: 12,
        throttle: 12,
        transaction_conflict: 15,
        slow: 25,
        unprocessed: 40,
        slowest: Duration::from_secs(2),
    }
}

impl World {
    /// A venue at rest, and then the habits of the database.
    pub(crate) async fn open(seed: u64) -> Arc<Self> {
        // The paused clock starts between two ticks of its timers, by chance; from here on it stands at ticks.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let world = Arc::new(Self {
            database: Distributed::memory().unwrap(),
            queue: LocalQueue::default(),
            mailbox: Mailbox::default(),
            time: Time::new(),
            chosen_clock: seed.is_multiple_of(3),
            unmarked: Mutex::default(),
            kept: Mutex::default(),
            passed: Mutex::default(),
            vault: Arc::new(LocalVault::in_memory().unwrap()),
            random: Mutex::new(fastrand::Rng::with_seed(seed)),
            processes: Mutex::default(),
            started: Mutex::default(),
            trace: Mutex::default(),
            tally: Mutex::default(),
            told: Mutex::default(),
            slots: Mutex::default(),
            once: Mutex::default(),
        });
        Store::new(world.database.client(), PREFIX).create_tables().await.unwrap();
        venue::furnish(&world).await;
        world.database.behave(Habits {
            seed,
            // A small venue has little traffic, so this is low enough that some of it is too much: in every fifth
            // world, one larger order.
            write_units_per_sec: Some(if seed.is_multiple_of(5) { 10 } else { 40 }),
            longest_transaction: Duration::from_millis(400),
            missed_writes: 6,
        });
        world
    }

    /// The tables as they are, whatever the habits.
    pub(crate) fn truth(&self) -> Store {
        Store::new(self.database.truth().client(), PREFIX)
    }

    /// The bank as it is, whatever fails on the way there.
    pub(crate) fn sandbox(&self) -> SandboxProcessor {
        let time = self.time.clone();
        SandboxProcessor::new(self.truth(), Arc::new(move || time.now()))
    }

    /// A generator for an actor of its own.
    pub(crate) fn fork(&self) -> fastrand::Rng {
        self.random.lock().unwrap().fork()
    }

    /// A process without faults, at the right time.
    pub(crate) fn healthy(&self) -> Process {
        self.process(FaultPlan::new(), None)
    }

    fn process(&self, faults: FaultPlan, seed: Option<u64>) -> Process {
        let mut random = self.fork();
        let number = {
            let mut started = self.started.lock().unwrap();
            *started += 1;
            *started
        };
        let way = Arc::new(Way::new(faults.clone(), seed));
        let bank = Bank { sandbox: self.sandbox(), way: way.clone() };
        let post = Post { queue: self.queue.clone(), way: way.clone() };
        let (vault, bank) = (self.vault.clone(), Arc::new(bank));
        let adapters = Adapters { queue: Arc::new(post), vault, sandbox_processor: bank };
        let client = Faulty::new(self.database.clone(), faults.clone()).client();
        // No two machines agree on the time.
        let skew = if seed.is_some() { random.i64(-3..=3) } else { 0 };
        let time = self.time.clone();
        let ids = Mutex::new(random);
        let app = App::new(Store::new(client, PREFIX), adapters).simulated(
            Arc::new(move || plus_secs(time.now(), skew)),
            IdSource::simulated(move |bytes| ids.lock().unwrap().fill(bytes)),
        );
        let service = conformance::held(web::shell::service(ROUTES.clone(), &app));
        Process { app, faults, way, service, number }
    }

    /// One of the processes, started anew where it has died.
    pub(crate) fn any_process(&self, random: &mut fastrand::Rng) -> Process {
        let place = random.usize(0..PROCESSES);
        let mut processes = self.processes.lock().unwrap();
        while processes.len() < PROCESSES {
            let seed = self.random.lock().unwrap().u64(..);
            processes.push(self.process(FaultPlan::random(seed, rates()), Some(seed)));
        }
        if processes[place].faults.is_crashed() {
            self.retire(&processes[place]);
            let seed = self.random.lock().unwrap().u64(..);
            processes[place] = self.process(FaultPlan::random(seed, rates()), Some(seed));
        }
        processes[place].clone()
    }

    /// Counts what a process met in its life.
    fn retire(&self, process: &Process) {
        use engine::Fault;
        for struck in process.faults.injected() {
            self.note(match struck.fault {
                Fault::CrashBefore | Fault::CrashAfter => "process crashed",
                Fault::AnswerLost => "answer of the database lost",
                Fault::Throttle(_) => "call throttled by chance",
                Fault::TransactionConflict => "conflict by chance",
                Fault::Slow(_) => "call slow",
                Fault::Unprocessed => "batch half done",
            });
        }
        self.tally.lock().unwrap().add("processor failed", process.way.mishaps());
    }

    /// The faults are over, and no process is left that met any.
    pub(crate) fn calm(&self) {
        for process in std::mem::take(&mut *self.processes.lock().unwrap()) {
            self.retire(&process);
        }
        let met = self.database.met();
        self.database.behave(Habits::default());
        let mut tally = self.tally.lock().unwrap();
        tally.add("write unit limit met", met.throttled);
        tally.add("conflict of transactions", met.conflicts);
        tally.add("read stale", met.stale_reads);
    }

    pub(crate) fn note(&self, name: &'static str) {
        self.tally.lock().unwrap().note(name);
    }

    pub(crate) fn noted(&self, name: &'static str, more: impl TryInto<u64>) {
        self.tally.lock().unwrap().add(name, more);
    }

    pub(crate) fn tally(&self) -> Tally {
        self.tally.lock().unwrap().clone()
    }

    /// A line of the course this world takes.
    pub(crate) fn trace(&self, line: impl AsRef<str>) {
        let at = self.time.now().format("%d %H:%M:%S");
        let line = format!("{at} {}", line.as_ref());
        if std::env::var_os("BOXOFFICE_TRACE").is_some() {
            eprintln!("{line}");
        }
        self.trace.lock().unwrap().push(line);
    }

    pub(crate) fn course(&self) -> Vec<String> {
        self.trace.lock().unwrap().clone()
    }

    /// A client was told that this order is paid.
    pub(crate) fn tell(&self, order: Value) {
        self.told.lock().unwrap().push(Told { order });
    }

    pub(crate) fn told(&self) -> Vec<Told> {
        self.told.lock().unwrap().clone()
    }

    /// Whatever this buyer sends again is meant once: it names a cart or a key.
    pub(crate) fn buys_once(&self, email: &str) {
        self.once.lock().unwrap().insert(email.to_owned());
    }

    pub(crate) fn once(&self) -> BTreeSet<String> {
        self.once.lock().unwrap().clone()
    }

    /// One of the orders that somebody was told of.
    pub(crate) fn any_order(&self, random: &mut fastrand::Rng) -> Option<Value> {
        let told = self.told.lock().unwrap();
        (!told.is_empty()).then(|| told[random.usize(0..told.len())].order.clone())
    }

    pub(crate) fn list_slot(&self, template: &'static str, slot: String) {
        self.slots.lock().unwrap().push((template, slot));
    }

    pub(crate) fn slots_of(&self, template: &str) -> Vec<String> {
        let slots = self.slots.lock().unwrap();
        slots.iter().filter(|(owner, _)| *owner == template).map(|(_, slot)| slot.clone()).collect()
    }

    /// One slot of a template.
    pub(crate) fn any_slot(&self, template: &str, random: &mut fastrand::Rng) -> String {
        let slots = self.slots_of(template);
        slots[random.usize(0..slots.len())].clone()
    }

    /// Sends a request to one of the processes; nothing comes back where that dies, or the way back is cut.
    pub(crate) async fn send(&self, random: &mut fastrand::Rng, ask: &Ask) -> Option<Answer> {
        let process = self.any_process(random);
        let unheard = random.u8(0..100) < UNHEARD;
        let answer = self.send_to(&process, ask).await?;
        if unheard {
            self.note("answer lost on the way to a client");
            self.trace("  unheard");
            return None;
        }
        Some(answer)
    }

    /// Sends a request to this process.
    pub(crate) async fn send_to(&self, process: &Process, ask: &Ask) -> Option<Answer> {
        let faults_before = self.faults(process);
        let named = format!("p{} {} {}", process.number, ask.method, ask.path);
        let Ok(response) = process.service.clone().oneshot(self.request(process, ask)).await;
        let replayed = response.headers().contains_key("x-service-replayed");
        let status = response.status().as_u16();
        let text = response.into_body().collect().await.unwrap().to_bytes();
        if process.faults.is_crashed() {
            self.trace(format!("{named} died"));
            return None;
        }
        let body: Value = serde_json::from_slice(&text).unwrap_or_default();
        let answer = Answer { status, body, replayed };
        let mut hash = DefaultHasher::new();
        text.hash(&mut hash);
        self.trace(format!("{named} {status} {} {:x}", answer.kind(), hash.finish()));
        self.check(&named, ask, &answer, self.faults(process) > faults_before);
        Some(answer)
    }

    /// No answer is a fault of ours, and none that asks for another try has no reason to.
    fn check(&self, named: &str, ask: &Ask, answer: &Answer, met_faults: bool) {
        let said = || format!("{named}: {} {} to {:?}", answer.status, answer.body, ask.body);
        assert_ne!(answer.status, 500, "{}", said());
        let may_be_busy = met_faults || ask.contends;
        assert!(answer.status < 500 || may_be_busy, "without a fault: {}", said());
        let details = answer.body["details"].as_array().filter(|_| answer.kind() == "VALIDATION_ERROR");
        let moved_on = |detail: &Value| MOVED_ON.contains(&detail["message"].as_str().unwrap_or_default());
        assert!(details.is_none_or(|details| details.iter().all(moved_on)), "nobody asks so: {}", said());
    }

    /// The faults that a request to this process can have met.
    fn faults(&self, process: &Process) -> usize {
        let met = self.database.met();
        let refused = usize::try_from(met.throttled + met.conflicts).unwrap();
        process.faults.injected().len() + process.way.mishaps() + refused
    }

    fn request(&self, process: &Process, ask: &Ask) -> http::Request<Body> {
        let Ask { method, path, key, idempotency, body, contends: _ } = ask;
        let mut request = http::Request::builder()
            .method(*method)
            .uri(path)
            .header(key.0, key.1)
            .header("x-b2c-tenant-id", venue::TENANT.to_string())
            .header("x-service-browser-ip", "203.0.113.24")
            .header("content-type", "application/json");
        if self.chosen_clock {
            request = request.header("x-service-test-now", process.app.wall_now().to_rfc3339());
        }
        if let Some(key) = idempotency {
            request = request.header("idempotency-key", key);
        }
        let body = body.as_ref().map_or_else(Body::empty, |body| Body::from(body.to_string()));
        request.body(body).unwrap()
    }
}
