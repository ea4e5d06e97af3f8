//! Every kept input of the fuzz targets goes through the function its target calls, so that neither rots, and what a
//! fuzzer found once stays found. They call the crates that read directly.
#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

/// The very functions of the fuzz targets; their package is built by a fuzzer and is no part of the workspace.
#[expect(unreachable_pub, reason = "the fuzz targets reach what is public there")]
#[path = "../../../fuzz/src/entries.rs"]
mod entries;

use std::collections::BTreeSet;
use std::path::Path;

fn names(directory: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn every_kept_input_is_read_or_refused() {
    let corpus = blackbox::repository().join("fuzz/corpus");
    for (name, entry) in entries::ENTRIES {
        let mut inputs: Vec<_> =
            std::fs::read_dir(corpus.join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        inputs.sort();
        assert!(inputs.len() >= 8, "{name} has few inputs");
        for input in inputs {
            let bytes = std::fs::read(&input).unwrap();
            let read = std::panic::catch_unwind(|| entry(&bytes));
            assert!(read.is_ok(), "{}", input.display());
        }
    }
}

#[test]
fn what_inputs_are_read_against_is_there() {
    assert!(entries::zone().is_some() && entries::membership().is_some());
}

#[test]
fn every_parser_has_a_target_and_inputs() {
    let fuzz = blackbox::repository().join("fuzz");
    let all: BTreeSet<String> = entries::ENTRIES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names(&fuzz.join("corpus")), all);
    assert_eq!(names(&fuzz.join("fuzz_targets")), all);
    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for name in all {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} has no target in the manifest");
        let target = std::fs::read_to_string(fuzz.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(target.contains(&format!("fuzz::{name}(bytes)")), "{name} calls something else");
    }
}
