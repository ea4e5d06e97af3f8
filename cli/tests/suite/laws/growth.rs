//! What a request takes of the database does not grow with what its venue has, but for what its answer lists.

mod axes;
mod copies;
mod cost;
mod known;
mod table;

use crate::laws::outages::{Sent, Venue};
use crate::laws::route_table::{ANSWERED_FORM, succeed};
use crate::laws::support::{Operation, operations};
use crate::laws::week::Week;
use axes::{Axis, Extent, tenant};
use boxoffice::testing::Service;
use cost::{Cost, Growth};
use engine::FaultPlan;
use known::{KNOWN, is_known};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use table::Row;
use testkit::walk::{self, Walk};
use tokio::runtime::Builder;

/// The exponent above which a cost grows.
const MOST: f64 = 0.1;
/// Two decades, where every axis is walked by itself.
const WHOLE: usize = 100;
/// One, where all of them are walked at once.
const SHARE: usize = 10;

/// The document with the exponents.
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/GROWTH.md");

/// The operations of a deployment, in the order of the document.
fn deployed() -> Vec<Operation> {
    let mut deployed = operations();
    deployed.retain(|operation| !operation.path.starts_with("/sandbox/"));
    deployed.sort_by(|one, other| (&one.path, &one.method).cmp(&(&other.path, &other.method)));
    deployed
}

/// The request for all there is, where it asks for a list.
fn of_all(sent: Sent, operation: &Operation) -> Sent {
    if !operation.is_read() {
        return sent;
    }
    let taken = operation.parameters("query");
    let takes = |name: &str| taken.iter().any(|parameter| parameter == name);
    match (takes("pageToken"), takes("pageSize")) {
        (true, _) => sent.with_query("pageSize=2000"),
        (false, true) => sent.with_query("pageSize=-1"),
        (false, false) => sent,
    }
}

/// The cost of one operation to a process that has answered it before.
async fn cost(venue: &mut Venue, operation: &Operation, process: &Service) -> Cost {
    let is_form = operation.name() == ANSWERED_FORM;
    if is_form {
        // What is to be answered is new, and a process that keeps the forms would not know it.
        process.app.forget_catalog(tenant());
    }
    let sent = of_all(venue.request(operation).await, operation);
    succeed(sent.clone(), operation, process).await;
    let again = if is_form { sent } else { of_all(venue.request(operation).await, operation) };
    process.byte_count.take();
    let answer = succeed(again, operation, process).await;
    Cost::of(&answer, process.byte_count.take())
}

/// What these operations cost at a venue of this extent.
async fn costs(extent: &Extent, week: Week, operations: &[Operation]) -> Vec<Cost> {
    let mut venue = Box::pin(axes::venue(extent, week)).await;
    let process = venue.service.another_process(FaultPlan::new());
    let mut costs = vec![];
    for operation in operations {
        costs.push(Box::pin(cost(&mut venue, operation, &process)).await);
    }
    costs
}

/// The same on a thread of its own, on whose clock no time passes: what is kept for some seconds stays as it is, however
/// long the others take.
fn measured(extent: Extent, week: Week, operations: &Arc<Vec<Operation>>) -> JoinHandle<Vec<Cost>> {
    let operations = Arc::clone(operations);
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(Box::pin(costs(&extent, week, &operations)))
    })
}

fn growths(few: &[Cost], many: &[Cost], times: usize) -> Vec<Growth> {
    let times = f64::from(u32::try_from(times).unwrap());
    few.iter().zip(many).map(|(few, many)| Growth::between(few, many, times)).collect()
}

/// Every axis by itself, over two decades. With `BOXOFFICE_GROWTH`, the table is written to that file instead of being
/// compared.
fn walk_each_axis(operations: Vec<Operation>) {
    let (week, operations) = (Week::ahead(), Arc::new(operations));
    let few = measured(Extent::small(), week, &operations);
    let many = Axis::ALL.map(|axis| measured(Extent::grown(&[axis], WHOLE), week, &operations));
    let few = few.join().unwrap();
    let columns = many.map(|many| growths(&few, &many.join().unwrap(), WHOLE));
    let rows: Vec<Row<'_>> = operations
        .iter()
        .enumerate()
        .map(|(place, operation)| {
            let growths = columns.iter().map(|column| column[place]).collect();
            Row { operation, growths }
        })
        .collect();
    let (mut walk, mut faults) = (Walk::begin("growth", 1), vec![]);
    for Row { operation, growths } in &rows {
        for (axis, growth) in Axis::ALL.into_iter().zip(growths) {
            walk.plays(axis);
            let (name, grows) = (operation.name(), growth.of_cost > MOST);
            match (grows, is_known(&name, axis)) {
                (true, false) => faults.push(format!("{name} grows over {axis}: {growth}")),
                (false, true) => faults.push(format!("{name} does not grow over {axis} any more: {growth}")),
                (true, true) | (false, false) => {}
            }
        }
    }
    walk.end(1_000);
    let document = table::document(&rows, WHOLE);
    if let Some(file) = std::env::var_os("BOXOFFICE_GROWTH") {
        std::fs::write(file, document).unwrap();
    } else {
        faults.extend(table::changed(&std::fs::read_to_string(KEPT).unwrap(), &document));
    }
    assert!(faults.is_empty(), "`make docs` writes docs/GROWTH.md: {faults:#?}");
}

/// All axes at once, over one decade; and those that grow, over each axis.
fn walk_all_axes(mut operations: Vec<Operation>) {
    operations.retain(|operation| !KNOWN.iter().any(|known| known.names(&operation.name())));
    let (week, operations) = (Week::ahead(), Arc::new(operations));
    let ends = [Extent::small(), Extent::grown(&Axis::ALL, SHARE)];
    let [few, many] = ends.map(|extent| measured(extent, week, &operations)).map(|end| end.join().unwrap());
    let growths_at_once = growths(&few, &many, SHARE);
    let steep: Vec<usize> = (0..operations.len()).filter(|at| growths_at_once[*at].of_cost > MOST).collect();
    if steep.is_empty() {
        return;
    }
    let few: Vec<Cost> = steep.iter().map(|at| few[*at].clone()).collect();
    let steep: Arc<Vec<Operation>> = Arc::new(steep.iter().map(|at| operations[*at].clone()).collect());
    let mut told = vec![];
    for axis in Axis::ALL {
        let many = measured(Extent::grown(&[axis], SHARE), week, &steep).join().unwrap();
        for (operation, growth) in steep.iter().zip(growths(&few, &many, SHARE)) {
            told.push(format!("{} over {axis}: {growth}", operation.name()));
        }
    }
    panic!("these grow, over one axis or over all of them at once: {told:#?}");
}

#[test]
fn what_a_request_costs_grows_with_nothing_but_what_its_answer_lists() {
    if walk::is_whole() { walk_each_axis(deployed()) } else { walk_all_axes(deployed()) }
}
