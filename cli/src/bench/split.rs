//! Whose work a case is: ours, the SDK's, the engine's, the card processor's or the mails'.
//!
//! It is measured apart from the other figures: one request after the other, with everything on one thread, the engine
//! and the sending of mails too. So every microsecond has one owner, and nothing is counted that is only there because
//! threads wait for each other. What the process spends on that, and on sending the requests, is in the figure of the
//! whole alone, which is why the parts come to less than it.
//!
//! - **Ours** is what is left: routes, access, decisions, plans, JSON of both sides, the runtime.
//! - **SDK** is what happens within the SDK's own span of a call, but for the engine: its configuration, writing the
//!   request, reading the answer. Making the input and taking the output apart is ours.
//! - **Engine** is the connector below the SDK: on AWS that is the network and DynamoDB.
//! - **Processor** is the sandbox's card processor with its own calls of SDK and engine.
//! - **Mail** is everything from the queue to the mailbox, its calls too, once the order was answered.

use super::BenchError;
use super::figures::{Effort, tenths};
use super::instrument::COUNTS_ALLOCATIONS;
use super::load::Load;
use super::measured::{Measured, Point};
use super::meter::{Cost, Costs, Meter, Part};
use super::metered::SdkSpans;
use super::stage::Stage;
use super::wire::{self, Client, Request};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tracing::Dispatch;
use tracing::subscriber::NoSubscriber;

/// Whose the work of a case was.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split {
    requests: u32,
    costs: Costs,
    sends_mails: bool,
}

/// Measures a case anew, on a thread and over a database of its own.
pub(super) async fn measure(measured: Measured, effort: Effort) -> Result<Split, BenchError> {
    tokio::task::spawn_blocking(move || on_this_thread(measured, effort)).await?
}

fn on_this_thread(measured: Measured, effort: Effort) -> Result<Split, BenchError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let meter = Meter::default();
    // Whether anybody listens is settled for each kind of span by whoever opens one first. While there is one dispatcher,
    // that of the own thread is asked, which on another thread is none; with two, all are asked.
    let other_dispatcher = Dispatch::new(NoSubscriber::default());
    let listening = tracing::subscriber::set_default(SdkSpans(meter.clone()));
    let split = runtime.block_on(Box::pin(one_after_the_other(measured, effort, &meter)));
    drop(listening);
    drop(other_dispatcher);
    // Whoever opens a span is told anew that nobody listens, so that what is measured next does not open any.
    drop(Dispatch::new(NoSubscriber::default()));
    split
}

async fn one_after_the_other(measured: Measured, effort: Effort, meter: &Meter) -> Result<Split, BenchError> {
    let Stage { host, load } = Stage::open_metered(measured, effort, meter).await?;
    let client = Client::InProcess(load.venue.service.clone());
    let own = load.prepare(&client, 0).await?;
    let sends_mails = host.mails().is_some();
    let mut begun = Instant::now();
    let mut requests = 0_u32;
    for number in 1.. {
        let Some(request) = load.request(own.as_deref(), number) else { break };
        serve(&load, &client, request, meter).await?;
        if sends_mails {
            meter.enter(Part::Mail);
            let sent = host.send_waiting_mails().await;
            meter.leave();
            if sent? == 0 {
                return Err(BenchError::from("there was no mail to send"));
            }
        }
        if number == u64::from(effort.warm_up) {
            meter.take();
            (begun, requests) = (Instant::now(), 0);
            continue;
        }
        requests = requests.saturating_add(1);
        if number > u64::from(effort.warm_up) && begun.elapsed() >= effort.limit {
            break;
        }
    }
    Split { requests, costs: meter.take(), sends_mails }.checked()
}

/// One turn of a case, of which the request alone is measured.
async fn serve(load: &Load, client: &Client, request: Request, meter: &Meter) -> Result<(), BenchError> {
    let request = request.written("")?;
    let path = request.uri().path().to_owned();
    meter.enter(Part::Ours);
    let answer = wire::call(&load.venue.service, request).await;
    meter.leave();
    let answer = answer?.read(&path)?;
    load.check(&answer)?;
    if let Some(undo) = load.undo(&answer) {
        client.send(undo).await?;
    }
    Ok(())
}

impl Split {
    /// Refuses what cannot be: the engine is asked by the SDK and by nobody else.
    fn checked(self) -> Result<Self, BenchError> {
        let Costs { sdk, engine, .. } = self.costs;
        if engine.cpu > Duration::ZERO && sdk.cpu.is_zero() {
            return Err(BenchError::from(
                "the SDK opens other spans than it did, so its work cannot be told",
            ));
        }
        Ok(self)
    }

    /// Adds to a case's line what each part took of one request.
    pub(super) fn add_to(&self, line: &mut Value) {
        let Self { requests, costs, sends_mails } = self;
        let both = costs.ours.plus(costs.sdk);
        let counted = |number: u64| COUNTS_ALLOCATIONS.then(|| number / u64::from((*requests).max(1)));
        line["oursMicros"] = json!(self.micros(costs.ours));
        line["sdkMicros"] = json!(self.micros(costs.sdk));
        line["oursAndSdkMicros"] = json!(self.micros(both));
        line["engineMicros"] = json!(self.micros(costs.engine));
        line["processorMicros"] = json!(self.micros(costs.processor));
        line["mailMicros"] = json!(sends_mails.then(|| self.micros(costs.mail)));
        line["allocationsPerRequest"] = json!(counted(both.allocated.count));
        line["allocatedBytesPerRequest"] = json!(counted(both.allocated.bytes));
    }

    /// What the budgets speak of.
    pub(super) fn point(&self, units: u32) -> Point {
        Point { units, micros: self.micros(self.costs.ours.plus(self.costs.sdk)) }
    }

    fn micros(&self, cost: Cost) -> f64 {
        tenths(cost.cpu / self.requests.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measured::FAMILIES;

    #[tokio::test]
    async fn every_case_is_answered_and_its_parts_are_told() {
        let effort = Effort { limit: Duration::ZERO, concurrency: 1, warm_up: 1 };
        for measured in FAMILIES.iter().filter_map(|family| family.measured().next()) {
            let name = measured.name();
            let split = measure(measured, effort).await.unwrap_or_else(|fault| panic!("{name}: {fault}"));
            let mut line = json!({});
            split.add_to(&mut line);
            assert_eq!(line["mailMicros"].is_number(), name == "order", "{name}: {line}");
            if cfg!(unix) {
                assert!(line["oursMicros"].as_f64().unwrap() > 0.0, "{name}: {line}");
                let pays = matches!(name.as_str(), "checkout" | "order");
                assert_eq!(line["processorMicros"].as_f64().unwrap() > 0.0, pays, "{name}: {line}");
                assert_eq!(line["engineMicros"] == 0.0, line["sdkMicros"] == 0.0, "{name}: {line}");
            }
        }
    }
}
