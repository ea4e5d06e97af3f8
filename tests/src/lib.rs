//! What the black-box tests share: a player of the Lambda Runtime API, a reader of the deployment template, and
//! figures of the sources. A helper that cannot do its work panics with the reason, which is how a test fails.
#![expect(clippy::expect_used, clippy::panic, reason = "a test helper fails its test by panicking")]

pub mod figures;
pub mod modules;
pub mod runtime_api;
pub mod source;
pub mod template;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// The directory of the whole repository.
#[must_use]
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests crate lies inside the repository")
}

/// The event bodies kept for `function` below `events/`, by file name.
///
/// # Panics
/// If one cannot be read or is not JSON.
#[must_use]
pub fn kept_events(function: &str) -> Vec<(String, Value)> {
    let directory = std::fs::read_dir(repository().join("events").join(function)).expect("kept events");
    let mut events: Vec<_> = directory
        .map(|entry| {
            let entry = entry.expect("a directory can be listed");
            let text = std::fs::read_to_string(entry.path()).expect("a kept event can be read");
            let name = entry.file_name().into_string().expect("a name in UTF-8");
            (name, serde_json::from_str(&text).expect("a kept event is JSON"))
        })
        .collect();
    events.sort_by(|one: &(String, Value), other| one.0.cmp(&other.0));
    events
}

/// The binary of `functions/<name>`, built first if need be. Cargo builds a crate's binaries for the tests
/// of that crate only, so this asks it for all of them, once for each test process: with the tests, because
/// then the libraries have the features they have in `cargo test --workspace` and nothing is built again.
#[must_use]
pub fn function_binary(name: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(build_binaries).join(name)
}

/// What Cargo tells a test about its own crate. Build scripts of some crates run again when these differ from
/// the last build, and everything above them with it, so a build inside a test must not inherit them.
const OWN_CRATE: [&str; 4] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_EXE_", "CARGO_CRATE_"];

fn build_binaries() -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        if OWN_CRATE.iter().any(|start| name.to_string_lossy().starts_with(start)) {
            cargo.env_remove(name);
        }
    }
    let output = cargo
        .args(["build", "--workspace", "--bins", "--tests", "--message-format=json", "--quiet"])
        .current_dir(repository())
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "cargo build failed: {}", String::from_utf8_lossy(&output.stderr));
    let executable = cargo_metadata::Message::parse_stream(output.stdout.as_slice())
        .filter_map(Result::ok)
        .find_map(|message| {
            let cargo_metadata::Message::CompilerArtifact(artifact) = message else { return None };
            artifact.executable.filter(|_| !artifact.profile.test)
        })
        .expect("the workspace has a binary");
    executable.parent().expect("a binary lies in a directory").as_std_path().to_path_buf()
}
