//! The table of routes says who may call each, which tables it asks for and how often it waits for them. What it says
//! is measured here.

use crate::laws::outages::{Sent, Venue};
use crate::laws::support::{Operation, keyed, operations};
use boxoffice::testing::Service;
use engine::{FaultPlan, TablesAsked};
use testkit::Answer;

/// Where the program has it from.
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/route_table/measured.txt");

/// Names of tables start so.
const PREFIX: &str = "boxoffice-";

/// Answers a form that is made for it.
pub(crate) const ANSWERED_FORM: &str = "PUT /v2/b2c/carts/{id}/forms/{formResponseId}";

/// Names on one line, a dash for none.
fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    if names.is_empty() { "-".to_owned() } else { names.join(",") }
}

fn tables<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    listed(names.into_iter().map(|name| name.strip_prefix(PREFIX).unwrap()))
}

pub(crate) async fn succeed(sent: Sent, operation: &Operation, process: &Service) -> Answer {
    let answer = sent.to(process).await;
    assert!((200..300).contains(&answer.status), "{}: {}", operation.name(), answer.body);
    answer
}

/// The line of one operation: of two requests, one after the other, to a process of their own.
async fn measured(venue: &mut Venue, operation: &Operation) -> String {
    let process = venue.service.another_process(FaultPlan::new());
    let sent = venue.request(operation).await;
    let first = succeed(sent.clone(), operation, &process).await;
    // A process that keeps the forms for a few seconds does not know a new one yet.
    let again = if operation.name() == ANSWERED_FORM { sent } else { venue.request(operation).await };
    let warm = succeed(again, operation, &process).await;
    let TablesAsked { read, written } = process.table_log.take();
    let scopes = if operation.is_public() { vec![] } else { operation.scopes() };
    let scopes = listed(scopes.iter().map(|scope| scope.name()));
    let (read, written) = (tables(&read), tables(&written));
    let (rounds, first_rounds) = (warm.calls.rounds, first.calls.rounds);
    format!("{} {scopes} {read} {written} {rounds} {first_rounds}\n", operation.name())
}

/// With `BOXOFFICE_MEASURED`, the lines are written to that file instead of being compared.
#[tokio::test]
async fn every_route_asks_for_the_tables_and_makes_the_round_trips_that_its_table_says() {
    let service = keyed(Service::start_on_this_thread().await).await;
    let mut venue = Venue::open(service).await;
    let mut deployed = operations();
    deployed.retain(|operation| !operation.path.starts_with("/sandbox/"));
    deployed.sort_by(|one, other| (&one.path, &one.method).cmp(&(&other.path, &other.method)));
    let mut lines = vec![];
    for operation in &deployed {
        lines.push(Box::pin(measured(&mut venue, operation)).await);
    }
    if let Some(file) = std::env::var_os("BOXOFFICE_MEASURED") {
        std::fs::write(file, lines.concat()).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(KEPT).unwrap();
    let known: Vec<&str> = kept.split_inclusive('\n').collect();
    let changed: Vec<&String> = lines.iter().filter(|line| !known.contains(&line.as_str())).collect();
    assert!(kept == lines.concat(), "`make docs` writes what changed: {changed:#?}");
}
