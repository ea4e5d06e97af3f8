//! Running a case for a while, and what came of it.

use super::BenchError;
use super::cases::Case;
use super::seed::Venue;
use super::wire::{Client, Request};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Requests before the measurement, so that caches are warm.
const WARM_UP: u64 = 50;

/// What one case came to.
#[derive(Debug)]
pub(crate) struct Figures {
    requests: u32,
    elapsed: Duration,
    latencies: Vec<Duration>,
    pub(crate) cpu_per_request: Duration,
    peak_memory_mib: u64,
}

/// Runs a case on several workers until the time is over.
pub(crate) async fn measure(
    case: Case,
    client: &Client,
    venue: &Venue,
    limit: Duration,
    concurrency: usize,
) -> Result<Figures, BenchError> {
    let numbers = Arc::new(AtomicU64::new(0));
    let cart = case.prepare(client).await?;
    for _ in 0..WARM_UP {
        let number = numbers.fetch_add(1, Ordering::Relaxed);
        serve(case, client, case.request(venue, cart.as_deref(), number)).await?;
    }
    let (started, cpu) = (Instant::now(), cpu_time());
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..concurrency.max(1) {
        let (client, venue, numbers) = (client.clone(), venue.clone(), Arc::clone(&numbers));
        workers.spawn(async move {
            let cart = case.prepare(&client).await?;
            let mut latencies = Vec::new();
            while started.elapsed() < limit {
                let request = case.request(&venue, cart.as_deref(), numbers.fetch_add(1, Ordering::Relaxed));
                let begun = Instant::now();
                serve(case, &client, request).await?;
                latencies.push(begun.elapsed());
            }
            Ok::<_, BenchError>(latencies)
        });
    }
    let mut latencies = Vec::new();
    while let Some(worker) = workers.join_next().await {
        latencies.extend(worker??);
    }
    latencies.sort_unstable();
    let requests = u32::try_from(latencies.len()).unwrap_or(u32::MAX);
    Ok(Figures {
        requests,
        elapsed: started.elapsed(),
        latencies,
        cpu_per_request: cpu_time().saturating_sub(cpu) / requests.max(1),
        peak_memory_mib: peak_memory_mib(),
    })
}

/// One turn of a case: the request, and what gives back what it took.
async fn serve(case: Case, client: &Client, request: Request) -> Result<(), BenchError> {
    let answer = client.send(request).await?;
    if let Some(undo) = case.undo(&answer) {
        client.send(undo).await?;
    }
    Ok(())
}

impl Figures {
    /// The figures as one line of JSON. CPU and memory are of the whole process: service, database and load
    /// generator together.
    pub(crate) fn line(&self, case: &str, transport: &str) -> Value {
        json!({
            "case": case,
            "transport": transport,
            "requestsPerSecond": (f64::from(self.requests) / self.elapsed.as_secs_f64()).round(),
            "p50Micros": micros(self.at(50)),
            "p99Micros": micros(self.at(99)),
            "cpuMicrosPerRequest": micros(self.cpu_per_request),
            "peakMemoryMiB": self.peak_memory_mib,
            "requests": self.requests,
        })
    }

    fn at(&self, percent: usize) -> Duration {
        let index = self.latencies.len().saturating_mul(percent) / 100;
        self.latencies.get(index.min(self.latencies.len().saturating_sub(1))).copied().unwrap_or_default()
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// The slope of cost over size, both in logarithms: 0 is constant, 1 is linear.
pub(crate) fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(size, cost)| (size.ln(), cost.ln())).collect();
    let count = logs.iter().fold(0.0, |count, _| count + 1.0);
    let (sum_x, sum_y) = logs.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0, y + point.1));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (over, under) = logs.iter().fold((0.0, 0.0), |(over, under), (x, y)| {
        (over + (x - mean_x) * (y - mean_y), under + (x - mean_x).powi(2))
    });
    (over / under * 1_000.0).round() / 1_000.0
}

/// Processor time this process has used, where the system tells (Linux, in hundredths of a second).
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks.saturating_mul(10))
}

/// The most memory this process has had at once, where the system tells.
pub(super) fn peak_memory_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let kib: u64 = line.split_whitespace().next().and_then(|field| field.parse().ok()).unwrap_or_default();
    kib / 1_024
}
