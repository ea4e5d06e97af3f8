//! A case's line: what it costs in all, whose work that is, and what it may cost.

use super::BenchError;
use super::figures::{Effort, measure_load};
use super::instrument::profiled;
use super::measured::{Family, Measured};
use super::split::{self, Split};
use super::stage::Stage;
use super::wire::{Client, Transport};
use serde_json::{Value, json};
use std::path::Path;

/// What a case came to.
pub(super) struct Measurement {
    /// All of it, as one line of JSON.
    pub(super) line: Value,
    split: Split,
}

/// Prints the lines of a case at all its sizes, the smallest over a connection as well, and of what each further unit
/// costs.
pub(super) async fn print_family(family: &'static Family, effort: Effort) -> Result<(), BenchError> {
    let mut points = Vec::new();
    for measured in family.measured() {
        let Measurement { line, split } = measure(measured, effort, None).await?;
        println!("{line}");
        points.push(split.point(measured.units));
        if measured.is_smallest() {
            println!("{}", whole(Transport::Loopback, measured, effort, None).await?);
        }
    }
    if let Some(line) = family.slope_line(&points) {
        println!("{line}");
    }
    Ok(())
}

/// Measures a case in process, first with many requests at once and then one after the other for its parts. With a
/// path, what all threads do in the first of these is drawn as a flame graph.
pub(super) async fn measure(
    measured: Measured,
    effort: Effort,
    profile: Option<&Path>,
) -> Result<Measurement, BenchError> {
    let mut line = whole(Transport::InProcess, measured, effort, profile).await?;
    let split = split::measure(measured, effort).await?;
    split.add_to(&mut line);
    line["budgetMicros"] = json!(measured.budget_micros());
    line["wholeBudgetMicros"] = json!(measured.whole_budget_micros());
    Ok(Measurement { line, split })
}

/// What the process takes for a case, whoever works.
async fn whole(
    transport: Transport,
    measured: Measured,
    effort: Effort,
    profile: Option<&Path>,
) -> Result<Value, BenchError> {
    let Stage { host, load } = Stage::open(measured, effort).await?;
    let client = Client::over(transport, load.venue.service.clone()).await?;
    let _senders = host.send_mails();
    let work = measure_load(&load, &client, effort, host.mails());
    let figures = profiled(profile, work).await??;
    let mut line = figures.line(&measured.name(), transport.name());
    line[measured.family.units_name()] = json!(measured.units);
    line["budgetMicros"] = Value::Null;
    Ok(line)
}
