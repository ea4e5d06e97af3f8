//! Load that lasts, for a moment: enough to see that visitors are served, and that all is told at the end.

use crate::program::{boxoffice, run};
use serde_json::Value;
use std::path::Path;

fn is_empty(directory: &Path) -> bool {
    std::fs::read_dir(directory).unwrap().next().is_none()
}

#[test]
fn a_short_load_is_held_and_leaves_nothing_behind() {
    let (data, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut command = boxoffice(&["soak", "--seconds", "4", "--concurrency", "2"], data.path());
    let output = command.env("TMPDIR", temporary.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (end, windows) = lines.split_last().unwrap();
    let numbers: Vec<u64> = windows.iter().map(|window| window["window"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
    assert!(windows.iter().all(|window| window["residentKiB"].as_u64() > Some(0)), "{text}");
    assert_eq!((&end["soak"], &end["seed"]), (&Value::from("held"), &Value::from(1)), "{end}");
    assert!(end["requests"].as_u64() > Some(0), "{end}");
    // No clock is judged of so short a run.
    assert_eq!(end["judged"].as_array().unwrap().len(), 2, "{end}");
    assert!(is_empty(data.path()) && is_empty(temporary.path()));
}

#[test]
fn a_load_lasts_minutes_or_seconds_and_not_both() {
    let data = tempfile::tempdir().unwrap();
    for arguments in [
        ["soak", "--minutes", "1", "--seconds", "5"].as_slice(),
        &["soak", "--seconds", "0"],
        &["soak", "--concurrency", "0"],
    ] {
        assert_eq!(run(arguments, data.path()).status.code(), Some(2), "{arguments:?}");
    }
}
