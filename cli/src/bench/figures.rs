//! Running a case for a while, and what came of it.

use super::BenchError;
use super::clock::process_cpu;
use super::load::Load;
use super::wire::{Client, Request};
use crate::latency::percentile_micros;
use crate::process_memory::kib_in;
use adapters::queue::LocalQueue;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Requests before the measurement, so that caches are warm.
pub(super) const WARM_UP: u32 = 50;

/// What one case came to.
#[derive(Debug)]
pub(crate) struct Figures {
    requests: u32,
    elapsed: Duration,
    latencies: Vec<Duration>,
    pub(crate) cpu_per_request: Duration,
    peak_memory_mib: u64,
}

/// How hard the service is asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// How long.
    pub(super) limit: Duration,
    /// Requests under way at once.
    pub(super) concurrency: usize,
    /// Requests before those that count.
    pub(super) warm_up: u32,
}

/// Runs a load on several workers until the time is over or nothing is left to ask for. Where mails are sent beside it,
/// it is over once all of them have left their queue.
pub(super) async fn measure_load(
    load: &Load,
    client: &Client,
    effort: Effort,
    mails: Option<&LocalQueue>,
) -> Result<Figures, BenchError> {
    let numbers = Arc::new(AtomicU64::new(0));
    let worker = Worker { load: load.clone(), client: client.clone(), numbers };
    worker.run(worker.prepare().await?, Until::Requests(effort.warm_up)).await?;
    let mut prepared = Vec::new();
    for _ in 0..effort.concurrency.max(1) {
        prepared.push(worker.prepare().await?);
    }
    all_sent(mails).await;
    let (started, cpu) = (Instant::now(), process_cpu());
    let mut workers = tokio::task::JoinSet::new();
    for own in prepared {
        let worker = worker.clone();
        workers.spawn(async move { worker.run(own, Until::Over(started, effort.limit)).await });
    }
    let mut latencies = Vec::new();
    while let Some(worker) = workers.join_next().await {
        latencies.extend(worker??);
    }
    all_sent(mails).await;
    latencies.sort_unstable();
    let requests = u32::try_from(latencies.len()).unwrap_or(u32::MAX);
    Ok(Figures {
        requests,
        elapsed: started.elapsed(),
        latencies,
        cpu_per_request: process_cpu().saturating_sub(cpu) / requests.max(1),
        peak_memory_mib: peak_memory_mib(),
    })
}

async fn all_sent(mails: Option<&LocalQueue>) {
    if let Some(mails) = mails {
        mails.fewer_than(1).await;
    }
}

/// Sends one request after the other. Clones have their numbers in common, which no two requests share.
#[derive(Clone)]
struct Worker {
    load: Load,
    client: Client,
    numbers: Arc<AtomicU64>,
}

/// When a worker is done.
#[derive(Debug, Clone, Copy)]
enum Until {
    /// After so many requests.
    Requests(u32),
    /// When so long has passed since an instant, but not before the first request.
    Over(Instant, Duration),
}

impl Worker {
    /// What requests name: see [`Load::prepare`].
    async fn prepare(&self) -> Result<Option<String>, BenchError> {
        self.load.prepare(&self.client, self.number()).await
    }

    /// How long each request took.
    async fn run(&self, own: Option<String>, until: Until) -> Result<Vec<Duration>, BenchError> {
        let mut latencies = Vec::new();
        loop {
            let is_done = match until {
                Until::Requests(count) => latencies.len() >= usize::try_from(count)?,
                Until::Over(since, limit) => !latencies.is_empty() && since.elapsed() >= limit,
            };
            if is_done {
                return Ok(latencies);
            }
            let Some(request) = self.load.request(own.as_deref(), self.number()) else {
                return Ok(latencies);
            };
            let begun = Instant::now();
            self.serve(request).await?;
            latencies.push(begun.elapsed());
        }
    }

    /// One turn of a case: the request, and what gives back what it took.
    async fn serve(&self, request: Request) -> Result<(), BenchError> {
        let answer = self.client.send(request).await?;
        self.load.check(&answer)?;
        if let Some(undo) = self.load.undo(&answer) {
            self.client.send(undo).await?;
        }
        Ok(())
    }

    fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }
}

impl Figures {
    /// The figures as one line of JSON. CPU and memory are of the whole process: service, database and load
    /// generator together.
    pub(crate) fn line(&self, case: &str, transport: &str) -> Value {
        json!({
            "case": case,
            "transport": transport,
            "requestsPerSecond": (f64::from(self.requests) / self.elapsed.as_secs_f64()).round(),
            "p50Micros": percentile_micros(&self.latencies, 50),
            "p99Micros": percentile_micros(&self.latencies, 99),
            "cpuMicrosPerRequest": tenths(self.cpu_per_request),
            "peakMemoryMiB": self.peak_memory_mib,
            "requests": self.requests,
        })
    }
}

/// Microseconds with one decimal.
pub(super) fn tenths(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e7).round() / 10.0
}

/// The most memory this process has had at once, where the system tells.
pub(super) fn peak_memory_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    kib_in(&status, "VmHWM").unwrap_or_default() / 1_024
}
