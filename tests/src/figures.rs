//! Figures of the structure of the workspace.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{
    SHIPPED, all_sources, functions, metadata, place, public_types, retry_loops, shipped_lines, sources,
    tuple_takers,
};

/// The lines of a crate, blank ones and comments among them.
#[derive(Debug, Default)]
pub struct CrateLines {
    /// Of what ships.
    pub shipped: usize,
    /// Of tests, and of what only tests use.
    pub tests: usize,
}

/// Crates that only tests use.
const FOR_TESTS: [&str; 4] = ["shared/conformance/", "shared/testkit/", "tests/", "fuzz/"];

/// The lines of every crate, by its place.
#[must_use]
pub fn lines_of_crates() -> BTreeMap<String, CrateLines> {
    let mut crates: BTreeMap<String, CrateLines> = BTreeMap::new();
    for source in all_sources(&["shared", "functions", "cli", "tests", "fuzz"]) {
        let all = source.text.lines().count();
        let is_for_tests = FOR_TESTS.iter().any(|place| source.path.starts_with(place))
            || source.path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "testing.rs"));
        let shipped = if is_for_tests { 0 } else { shipped_lines(&source.text) };
        let lines = crates.entry(crate_of_file(&source.path)).or_default();
        lines.shipped += shipped;
        lines.tests += all - shipped;
    }
    crates
}

/// The crate of a file: `shared/domain` of `shared/domain/src/lib.rs`, `cli` of `cli/src/lib.rs`.
fn crate_of_file(path: &str) -> String {
    let depth = if path.starts_with("shared/") || path.starts_with("functions/") { 2 } else { 1 };
    path.split('/').take(depth).collect::<Vec<_>>().join("/")
}

/// The longest of some things.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Longest {
    pub lines: usize,
    /// Which one it is.
    pub what: String,
}

/// The longest function that ships.
#[must_use]
pub fn longest_function() -> Longest {
    let all = sources(&SHIPPED).into_iter().flat_map(|source| {
        let within = functions(&source.text).into_iter();
        within.map(move |function| Longest {
            lines: function.lines,
            what: format!("{} in {}", function.name, source.path),
        })
    });
    all.max().unwrap_or_default()
}

/// The longest file that ships.
#[must_use]
pub fn longest_file() -> Longest {
    let all = sources(&SHIPPED).into_iter();
    all.map(|source| Longest { lines: shipped_lines(&source.text), what: source.path })
        .max()
        .unwrap_or_default()
}

/// All functions that take a tuple, of tests as well.
#[must_use]
pub fn all_tuple_takers() -> Vec<String> {
    let all = all_sources(&["shared", "functions", "cli", "tests", "fuzz"]).into_iter();
    let takers = all.flat_map(|source| {
        tuple_takers(&source.text).into_iter().map(move |name| format!("{}: {name}", source.path))
    });
    takers.collect()
}

/// The loops that count their tries, with file and line.
#[must_use]
pub fn all_retry_loops() -> Vec<String> {
    let loops = sources(&SHIPPED).into_iter().flat_map(|source| {
        retry_loops(&source.text).into_iter().map(move |line| format!("{}:{line}", source.path))
    });
    loops.collect()
}

/// The names of public types and traits that are defined in more than one place, with their files. Crates that only
/// tests use are looked at too: who reads a test knows the names of what it tests.
#[must_use]
pub fn names_of_two_things() -> BTreeMap<String, BTreeSet<String>> {
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources(&SHIPPED) {
        for name in public_types(&source.text) {
            places.entry(name).or_default().insert(source.path.clone());
        }
    }
    places.retain(|_, files| files.len() > 1);
    places
}

/// What `cargo test --workspace` links of a crate.
#[derive(Debug, PartialEq, Eq)]
pub struct TestBinaries {
    /// Where the crate lies.
    pub place: String,
    /// Of tests beside the code.
    pub units: usize,
    /// Of tests in `tests/`, but for those that need a feature.
    pub suites: usize,
}

/// The test binaries of every crate that has any.
#[must_use]
pub fn test_binaries() -> Vec<TestBinaries> {
    let metadata = metadata();
    let mut all = Vec::new();
    for package in metadata.workspace_packages() {
        let tested = || package.targets.iter().filter(|target| target.test);
        let suites =
            tested().filter(|target| target.is_test() && target.required_features.is_empty()).count();
        let units = tested().filter(|target| target.is_lib() || target.is_bin()).count();
        if units + suites > 0 {
            all.push(TestBinaries { place: place(package), units, suites });
        }
    }
    all
}
