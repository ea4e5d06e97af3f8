//! Which answers a run of the tests saw.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

/// A directory; each process writes a line for each answer to a file of its own there. Without it, nothing is
/// written.
const DIRECTORY: &str = "BOXOFFICE_ANSWERS";

/// Writes down an answer that was as described.
pub(crate) fn note(operation: &str, status: u16) {
    static FILE: OnceLock<Option<Mutex<File>>> = OnceLock::new();
    if let Some(file) = FILE.get_or_init(open) {
        let line = format!("{operation} {status}\n");
        file.lock().expect("no writer panics").write_all(line.as_bytes()).expect("answers are written down");
    }
}

fn open() -> Option<Mutex<File>> {
    let directory = PathBuf::from(std::env::var_os(DIRECTORY)?);
    std::fs::create_dir_all(&directory).expect("a directory for answers");
    let path = directory.join(std::process::id().to_string());
    let file = OpenOptions::new().create(true).append(true).open(path).expect("a file for answers");
    Some(Mutex::new(file))
}
