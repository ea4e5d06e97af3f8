//! The program `boxoffice`: the service on one machine, and the tools of those who run it.

use std::process::ExitCode;

fn main() -> ExitCode {
    boxoffice::run()
}
