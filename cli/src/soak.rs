//! Load that lasts: `boxoffice soak` holds that the service on one machine costs as much after many orders as at its
//! beginning, and that all it kept meanwhile agrees.
//!
//! The service is a process of its own, as people run it, with its mails and its scheduled work. Visitors of the demo
//! venue come and go; the last windows of time are compared with the first.

mod client;
mod load;
mod proof;
mod service;
mod tally;
mod trend;
mod usage;
mod venue;
mod visit;
mod window;

use crate::commands::print;
use crate::failure::Failure;
use crate::serve;
use clap::Args;
use client::Client;
use load::{LoadOutcome, Pace};
use proof::Proof;
use serde_json::{Value, json};
use service::{Service, Workplace};
use std::time::Duration;
use tally::TallyTotal;
use trend::{Judged, Trend};
use venue::SoldEvent;
use visit::VisitContext;

/// In runs shorter than this, times say more about the machine than about the service.
const CLOCKS_FROM_SECS: u64 = 300;

/// How long visitors come, how many at once, and which.
#[derive(Debug, Clone, Args)]
pub(crate) struct SoakArgs {
    /// Minutes that visitors come
    #[arg(
        long,
        default_value_t = 20,
        conflicts_with = "seconds",
        value_parser = clap::value_parser!(u64).range(1..=1_440)
    )]
    minutes: u64,
    /// Seconds that they come instead. Below 300, times, processor time and bytes on disk are not judged, and a request
    /// that is answered 503 TRY_AGAIN and sent again is no fault
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: Option<u64>,
    /// Visitors at once
    #[arg(long, value_name = "COUNT", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    concurrency: u16,
    /// What each visitor does follows from this number
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl SoakArgs {
    fn secs(&self) -> u64 {
        self.seconds.unwrap_or(self.minutes.saturating_mul(60))
    }

    fn pace(&self) -> Pace {
        Pace { duration: Duration::from_secs(self.secs()), visitors: usize::from(self.concurrency) }
    }

    fn judged(&self) -> Judged {
        if self.secs() < CLOCKS_FROM_SECS { Judged::Counts } else { Judged::CountsAndClocks }
    }
}

/// Lets visitors come, and fails where something grew or does not agree. What the service kept is then left for
/// whoever looks into it.
pub(crate) async fn run(args: &SoakArgs) -> Result<(), Failure> {
    let told_to_stop = serve::told_to_stop();
    let place = Workplace::make()?;
    let outcome = tokio::select! {
        outcome = soak(args, &place) => outcome,
        () = told_to_stop => Err(Failure::new("it was stopped before its end")),
    };
    match outcome {
        Ok(()) => place.remove(),
        Err(failure) => {
            let kept = place.path().display();
            Err(Failure::new(format!("{failure}; the data of the service and its log are in {kept}")))
        }
    }
}

async fn soak(args: &SoakArgs, place: &Workplace) -> Result<(), Failure> {
    let service = Service::start(place).await?;
    let client = Client::new(service.address(), usize::from(args.concurrency));
    let event = SoldEvent::prepare(&client).await?;
    let context = VisitContext::new(client, event, args.seed);
    let LoadOutcome { windows, total } = load::run(context, args.pace(), &service).await?;
    let store = proof::open(&place.data()).await?;
    let undone = proof::drain(&store).await?;
    service.stop().await?;
    let proof = Proof::of(&store, &total.orders).await?;
    let judged = args.judged();
    let found = Found { judged, trends: Trend::all(&windows, judged), total, undone, proof };
    print(&found.line(args).to_string())?;
    match found.faults().as_slice() {
        [] => Ok(()),
        faults => Err(Failure::new(faults.join("; "))),
    }
}

/// What came of a run.
struct Found {
    judged: Judged,
    trends: Vec<Trend>,
    total: TallyTotal,
    /// Mails, orders and refunds that were not done with.
    undone: usize,
    proof: Proof,
}

impl Found {
    /// Everything that is not as it should be, in plain words.
    fn faults(&self) -> Vec<String> {
        let Self { judged, trends, total, undone, proof } = self;
        let Proof { report, unmailed } = proof;
        let mut faults: Vec<String> = trends.iter().filter_map(Trend::fault).collect();
        if let Some(first) = &total.first_unexpected {
            let (count, errors) = (total.unexpected, total.server_errors);
            faults.push(format!(
                "{count} answers were wrong, {errors} of them 500 or above; the first: {first}"
            ));
        }
        // Whoever is put off has waited for seconds, which a busy machine may do as well.
        if let (Judged::CountsAndClocks, Some(first)) = (judged, &total.first_put_off) {
            faults
                .push(format!("{} requests were put off with 503, the first of them {first}", total.put_off));
        }
        if *undone > 0 {
            faults.push(format!("{undone} mails, orders and refunds were left undone"));
        }
        if *unmailed > 0 {
            faults.push(format!("of {unmailed} orders no mail was sent"));
        }
        let (told, sold) = (total.orders.len(), report.checked.sales);
        if u64::try_from(told) != Ok(sold) {
            faults.push(format!("visitors were told of {told} orders, and {sold} were sold"));
        }
        if let Some((_, first)) = report.findings.first() {
            faults.push(format!("verify has {} findings; the first: {first}", proof.findings()));
        } else if !report.is_clean() || !report.unsettled.is_empty() {
            faults.push("verify found records that kept changing".to_owned());
        }
        faults
    }

    fn line(&self, args: &SoakArgs) -> Value {
        let Self { judged: _, trends, total, undone, proof } = self;
        json!({
            "soak": if self.faults().is_empty() { "held" } else { "failed" },
            "seconds": args.secs(),
            "concurrency": args.concurrency,
            "seed": args.seed,
            "requests": total.requests,
            "orders": total.orders.len(),
            "wrongAnswers": total.unexpected,
            "serverErrors": total.server_errors,
            "putOff": total.put_off,
            "leftUndone": undone,
            "ordersWithoutMail": proof.unmailed,
            "verifyFindings": proof.findings(),
            "judged": trends.iter().map(Trend::line).collect::<Vec<_>>(),
        })
    }
}
