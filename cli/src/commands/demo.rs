//! The document of a made-up venue.

use crate::demo::{DemoVenue, write};
use crate::document::{Format, WriteFault};
use crate::failure::Failure;
use adapters::clock::wall_now;
use chrono::NaiveDate;
use clap::Args;
use std::io::{BufWriter, ErrorKind};

/// What the venue is to be like.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Event templates
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(..=5_000))]
    templates: u32,
    /// Days of its season
    #[arg(long, default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=1_098))]
    days: u32,
    /// Another seed makes another venue; the same one with the same start makes the same document
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// First day of its season, such as 2027-07-01; today unless it is given
    #[arg(long, value_name = "DATE")]
    start: Option<NaiveDate>,
    /// Id of its tenant
    #[arg(long, value_name = "ID", default_value_t = 2001, value_parser = clap::value_parser!(i64).range(1..=999_999))]
    tenant: i64,
    /// Format of the document
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
}

pub(crate) fn run(args: &DemoArgs) -> Result<(), Failure> {
    let DemoArgs { templates, days, seed, start, tenant, format } = args;
    let start = start.unwrap_or_else(|| wall_now().date_naive());
    let venue = DemoVenue { tenant: *tenant, templates: *templates, days: *days, start, seed: *seed };
    match write(&venue, *format, BufWriter::new(std::io::stdout().lock())) {
        // The reader went away.
        Err(WriteFault::File(fault)) if fault.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(fault) => Err(Failure::because("the document was not written", &fault)),
        Ok(()) => Ok(()),
    }
}
