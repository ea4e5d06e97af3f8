//! Measures the service on this machine: `boxoffice bench` in a release build, one JSON line per figure.
//!
//! Every case runs on a fresh database in memory, in process and over a loopback connection. Figures of one
//! machine compare with figures of that machine only; the growth lines compare the service with itself.

mod cases;
mod figures;
mod seed;
mod wire;

use crate::failure::Failure;
use cases::Case;
use clap::Args;
use std::time::Duration;

/// What is measured, and for how long.
#[derive(Debug, Clone, Args)]
pub(crate) struct BenchArgs {
    /// Seconds each case runs
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Requests under way at once
    #[arg(long, default_value_t = 16)]
    concurrency: usize,
}

/// Tickets sold before the growth cases look at a slot.
const SOLD: [u32; 4] = [100, 1_000, 10_000, 100_000];

/// Whatever ends a measurement.
type BenchError = Box<dyn std::error::Error + Send + Sync>;

/// Runs every case and prints its figures.
pub(crate) async fn run(args: &BenchArgs) -> Result<(), Failure> {
    measure_all(args).await.map_err(|fault| Failure::because("the measurement ended", fault.as_ref()))
}

async fn measure_all(args: &BenchArgs) -> Result<(), BenchError> {
    let limit = Duration::from_secs(args.seconds.max(1));
    for case in Case::ALL {
        for transport in wire::Transport::ALL {
            let venue = seed::venue(0).await?;
            let client = wire::Client::over(transport, venue.service.clone()).await?;
            let figures = figures::measure(case, &client, &venue, (limit, args.concurrency)).await?;
            println!("{}", figures.line(case.name(), transport.name()));
        }
    }
    growth(limit, args.concurrency).await
}

/// How the cost of looking at a slot, and of holding a seat on it, grows with the tickets sold on it.
async fn growth(limit: Duration, concurrency: usize) -> Result<(), BenchError> {
    for case in [Case::Times, Case::Reservation] {
        let mut points = Vec::new();
        for sold in SOLD {
            let venue = seed::venue(sold).await?;
            let client = wire::Client::over(wire::Transport::InProcess, venue.service.clone()).await?;
            let figures = figures::measure(case, &client, &venue, (limit, concurrency)).await?;
            points.push((f64::from(sold), figures.cpu_per_request.as_secs_f64()));
            println!("{}", figures.line(&format!("{} with {sold} sold", case.name()), "in process"));
        }
        let exponent = figures::exponent(&points);
        println!(
            "{}",
            serde_json::json!({ "growth": case.name(), "over": "tickets sold", "exponent": exponent })
        );
    }
    Ok(())
}
