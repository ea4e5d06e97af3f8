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
mod growth;
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
    /// How the processor time of requests grows with what a venue has
    Growth,
}

/// Orders that `verify` is measured on.
const VERIFIED_ORDERS: u32 = 20_000;

/// Whatever ends a measurement.
type BenchError = Box<dyn std::error::Error + Send + Sync>;

/// Runs every case and prints its figures.
pub(crate) async fn run(args: &BenchArgs) -> Result<(), Failure> {
    let seconds = args.seconds.max(1);
    match (&args.against, &args.only) {
        (Some(_), Some(Only::Verify { .. } | Only::Growth)) => {
            return Err(Failure::new("--against compares cases of requests"));
        }
        (Some(other), Some(Only::Case { name })) => return against::compare(other, &[*name], seconds),
        (Some(other), None) => {
            return against::compare(other, &Measured::all().collect::<Vec<_>>(), seconds);
        }
        (None, None | Some(Only::Verify { .. } | Only::Growth)) if args.profile.is_some() => {
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
        Some(Only::Growth) => return growth::measure(effort).await,
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
    growth::measure(effort).await
}
