//! What the black-box tests share: a player of the Lambda Runtime API, and a reader of the deployment
//! template. A helper that cannot do its work panics with the reason, which is how a test fails.
#![expect(clippy::expect_used, clippy::panic, reason = "a test helper fails its test by panicking")]

pub mod runtime_api;
pub mod template;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The directory of the whole repository.
#[must_use]
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests crate lies inside the repository")
}

/// The binary of `functions/<name>`, built first if need be. Cargo builds a crate's binaries for the tests
/// of that crate only, so this asks it for all of them, once for each test process: with all targets, because
/// then the libraries have the features they have in `cargo test --workspace` and are not built again.
#[must_use]
pub fn function_binary(name: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(build_binaries).join(name)
}

fn build_binaries() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--workspace", "--all-targets", "--message-format=json", "--quiet"])
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
