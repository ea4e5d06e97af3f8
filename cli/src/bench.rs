//! Measures the service on this machine: `boxoffice bench` in a release build, one JSON line per figure.
//!
//! Every case runs on a fresh database, in process and over a loopback connection: in memory, and the order in a file
//! with its mail. Each line says how much of it is ours ([`split`]) and how much may be ([`measured`]). Figures of one
//! machine compare with figures of that machine only; the growth lines compare the service with itself, and
//! [`against`] compares it with another build.

mod against;
mod cases;
mod catalog;
mod clock;
mod cost;
mod figures;
mod host;
mod instrument;
mod load;
mod measured;
mod meter;
mod metered;
mod onboarding;
mod pricing;
mod seed;
mod split;
mod stage;
mod verify;
mod wire;

use crate::failure::Failure;
use cases::Case;
use catalog::Size;
use clap::{Args, Subcommand};
use figures::Effort;
use measured::Measured;
use std::path::PathBuf;
use std::time::Duration;

/// What is measured, and for how long.
#[derive(Debug, Clone, Args)]
pub(crate) struct BenchArgs {
    /// Seconds each case runs
    #[arg(long, global = true, default_value_t = 3)]
    seconds: u64,
    /// Requests under way at once
    #[arg(long, global = true, default_value_t = 16)]
    concurrency: usize,
    /// Compare with another `boxoffice`: run it and this one in turn for each case, and fail where a request takes more
    /// than 1.15 times as much processor time here
    #[arg(long, value_name = "PROGRAM")]
    against: Option<PathBuf>,
    /// Draw where the processor time of the one case goes, as a flame graph in SVG (needs a build with `--features
    /// measure`)
    #[arg(long, value_name = "FILE", conflicts_with = "against")]
    profile: Option<PathBuf>,
    #[command(subcommand)]
    only: Option<Only>,
}

/// A measurement that can be had by itself.
#[derive(Debug, Clone, Subcommand)]
enum Only {
    /// One case, by the name in its line
    Case {
        /// Such as `checkout` or `cart create of 11 lines`
        #[arg(value_parser = Measured::named)]
        name: Measured,
    },
    /// How many orders `verify` proves a second
    Verify {
        /// Orders it looks at
        #[arg(long, default_value_t = VERIFIED_ORDERS)]
        orders: u32,
    },
}

/// Orders that `verify` is measured on.
const VERIFIED_ORDERS: u32 = 20_000;

/// Tickets sold before the growth cases look at a slot.
const SOLD: [u32; 4] = [100, 1_000, 10_000, 100_000];

/// Whatever ends a measurement.
type BenchError = Box<dyn std::error::Error + Send + Sync>;

/// Runs every case and prints its figures.
pub(crate) async fn run(args: &BenchArgs) -> Result<(), Failure> {
    let seconds = args.seconds.max(1);
    match (&args.against, &args.only) {
        (Some(_), Some(Only::Verify { .. })) => {
            return Err(Failure::new("--against compares cases of requests"));
        }
        (Some(other), Some(Only::Case { name })) => return against::compare(other, &[*name], seconds),
        (Some(other), None) => {
            return against::compare(other, &Measured::all().collect::<Vec<_>>(), seconds);
        }
        (None, None | Some(Only::Verify { .. })) if args.profile.is_some() => {
            return Err(Failure::new("--profile draws one case: name it, such as in `case checkout`"));
        }
        (None, _) => {}
    }
    let ended = measure_all(args, Duration::from_secs(seconds)).await;
    ended.map_err(|fault| Failure::because("the measurement ended", fault.as_ref()))
}

async fn measure_all(args: &BenchArgs, limit: Duration) -> Result<(), BenchError> {
    let effort = Effort { limit, concurrency: args.concurrency, warm_up: figures::WARM_UP };
    match &args.only {
        Some(Only::Verify { orders }) => {
            println!("{}", verify::measure(*orders).await?);
            return Ok(());
        }
        Some(Only::Case { name }) => {
            println!("{}", cost::measure(*name, effort, args.profile.as_deref()).await?.line);
            return Ok(());
        }
        None => {}
    }
    for family in &measured::FAMILIES {
        cost::print_family(family, effort).await?;
    }
    println!("{}", pricing::measure(limit)?);
    println!("{}", onboarding::measure(limit)?);
    println!("{}", verify::measure(VERIFIED_ORDERS).await?);
    growth(limit, args.concurrency).await?;
    browsing(limit, args.concurrency).await
}

/// What browsing a large catalog costs, and how that grows with templates and with instances.
async fn browsing(limit: Duration, concurrency: usize) -> Result<(), BenchError> {
    for (over, sizes) in [("templates", BY_TEMPLATES), ("instances", BY_INSTANCES)] {
        let mut points = vec![Vec::new(); Case::BROWSING.len()];
        for size in sizes {
            let Size { templates, days } = size;
            let venue = catalog::venue(size).await?;
            let client = wire::Client::over(wire::Transport::InProcess, venue.service.clone()).await?;
            for (case, points) in Case::BROWSING.into_iter().zip(&mut points) {
                let figures = figures::measure(case, &client, &venue, limit, concurrency).await?;
                let count = if over == "templates" { templates } else { days };
                points.push((f64::from(count), figures.cpu_per_request.as_secs_f64()));
                let name = format!("{} among {templates} templates on {days} days", case.name());
                println!("{}", figures.line(&name, "in process"));
            }
        }
        for (case, points) in Case::BROWSING.into_iter().zip(points) {
            let exponent = figures::exponent(&points);
            println!("{}", serde_json::json!({ "growth": case.name(), "over": over, "exponent": exponent }));
        }
    }
    Ok(())
}

/// Catalogs that differ in their templates.
const BY_TEMPLATES: [Size; 3] = [
    Size { templates: 20, days: 400 },
    Size { templates: 100, days: 400 },
    Size { templates: 500, days: 400 },
];

/// Catalogs that differ in the instances of each template.
const BY_INSTANCES: [Size; 3] = [
    Size { templates: 20, days: 100 },
    Size { templates: 20, days: 400 },
    Size { templates: 20, days: 1_600 },
];

/// How the cost of looking at a slot, and of holding a seat on it, grows with the tickets sold on it.
async fn growth(limit: Duration, concurrency: usize) -> Result<(), BenchError> {
    for case in [Case::Times, Case::Reservation] {
        let mut points = Vec::new();
        for sold in SOLD {
            let venue = seed::venue(sold).await?;
            let client = wire::Client::over(wire::Transport::InProcess, venue.service.clone()).await?;
            let figures = figures::measure(case, &client, &venue, limit, concurrency).await?;
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
