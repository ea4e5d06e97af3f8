//! The lists of steps are those that run, and those that are documented.

use sagas::steps::{Saga, saga_tables};
use serde_json::Value;
use std::path::PathBuf;
use testkit::log::Log;

/// The steps that were logged are those of the saga, in its order.
pub(crate) fn check_steps(log: &Log, saga: Saga) {
    let logged = log.fields_of("sagas::steps").into_iter();
    let taken: Vec<Value> = logged.map(|mut fields| fields["step"].take()).collect();
    let listed: Vec<&str> = saga.steps.iter().map(|step| step.name()).collect();
    assert_eq!(taken, listed, "{}", saga.name);
}

#[test]
fn the_architecture_lists_the_steps_of_every_saga() {
    let document = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/ARCHITECTURE.md");
    let text = std::fs::read_to_string(document).unwrap();
    let (_, begun) = text.split_once("<!-- sagas -->\n").unwrap();
    let (listed, _) = begun.split_once("<!-- end of sagas -->").unwrap();
    let tables = saga_tables();
    assert!(
        listed.trim() == tables.trim(),
        "between the marks of docs/ARCHITECTURE.md should stand:\n{tables}"
    );
}
