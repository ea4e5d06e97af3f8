//! Prints figures of the structure of the workspace; `make measure` runs it. What has a limit is held by tests.

#![expect(clippy::print_stdout, reason = "the figures are what this program is for")]

use blackbox::figures::{
    CrateLines, Longest, all_retry_loops, all_tuple_takers, lines_of_crates, longest_file, longest_function,
    names_of_two_things, test_binaries,
};
use blackbox::modules::all_knots;

fn main() {
    print_lines();
    for (kind, Longest { lines, what }) in [("function", longest_function()), ("file", longest_file())] {
        println!("\nLongest {kind}: {lines} lines, {what}");
    }
    print_list("Cycles of modules", all_knots());
    print_list("Functions that take a tuple", all_tuple_takers());
    print_list("Loops that count their tries", all_retry_loops());
    let mut names = Vec::new();
    for (name, files) in names_of_two_things() {
        names.push(format!("{name}: {}", Vec::from_iter(files).join(", ")));
    }
    print_list("Public names of two things", names);
    let binaries = test_binaries();
    let units: usize = binaries.iter().map(|binaries| binaries.units).sum();
    let suites: usize = binaries.iter().map(|binaries| binaries.suites).sum();
    println!("\nTest binaries: {}, {units} of unit tests and {suites} suites", units + suites);
}

fn print_lines() {
    println!("| Crate | Shipped lines | Lines of tests |\n|---|---|---|");
    let crates = lines_of_crates();
    for (place, CrateLines { shipped, tests }) in &crates {
        println!("| {place} | {shipped} | {tests} |");
    }
    let shipped: usize = crates.values().map(|lines| lines.shipped).sum();
    let tests: usize = crates.values().map(|lines| lines.tests).sum();
    println!("| **All** | {shipped} | {tests} |");
}

fn print_list(what: &str, entries: impl IntoIterator<Item = String>) {
    let entries: Vec<String> = entries.into_iter().collect();
    println!("\n{what}: {}", entries.len());
    for entry in entries {
        println!("- {entry}");
    }
}
