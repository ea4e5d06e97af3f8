//! What keeps the engine from its file, in words for whoever runs the machine. The engine reports all of it as
//! texts of SQLite behind an internal error.

use dynoxide::DynoxideError;
use std::fmt;
use std::path::Path;

/// Why the file does not take or give what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageFault {
    /// The disk has no room, or the process may not write more.
    Full,
    /// What stands in the file is no database, or no whole one.
    Damaged,
    /// The disk does not read or write.
    Unreadable,
    /// The file may not be written.
    ReadOnly,
}

/// What SQLite says of each, as a part of its messages.
const TEXTS: [(&str, StorageFault); 7] = [
    ("database or disk is full", StorageFault::Full),
    ("disk image is malformed", StorageFault::Damaged),
    ("file is not a database", StorageFault::Damaged),
    (ADVISING, StorageFault::Damaged),
    ("disk I/O error", StorageFault::Unreadable),
    ("unable to open database file", StorageFault::Unreadable),
    ("readonly database", StorageFault::ReadOnly),
];

/// A part of the message in which the engine advises to build it with another feature.
const ADVISING: &str = "not a valid SQLite database";

impl StorageFault {
    /// What an error of the engine says about its file; none where it is about the request.
    #[must_use]
    pub fn of(error: &DynoxideError) -> Option<Self> {
        let is_of_file =
            matches!(error, DynoxideError::InternalServerError(_) | DynoxideError::SqliteError(_));
        is_of_file.then(|| Self::named_by(&error.to_string())).flatten()
    }

    fn named_by(text: &str) -> Option<Self> {
        TEXTS.iter().find(|(part, _)| text.contains(part)).map(|(_, fault)| *fault)
    }

    /// The same error in SQLite's own words, where the engine gives advice to those who build it.
    pub(crate) fn without_advice(error: DynoxideError) -> DynoxideError {
        if error.to_string().contains(ADVISING) {
            return DynoxideError::InternalServerError("file is not a database".to_owned());
        }
        error
    }

    /// What is wrong with the file, and what to do.
    #[must_use]
    pub fn told(self, file: Option<&Path>) -> Told<'_> {
        Told { fault: self, file }
    }
}

/// A fault and its file as a sentence.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    fault: StorageFault,
    file: Option<&'a Path>,
}

impl fmt::Display for Told<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file {
            Some(file) => write!(out, "the database {}", file.display())?,
            None => out.write_str("the database in memory")?,
        }
        out.write_str(match self.fault {
            StorageFault::Full => {
                " cannot grow: its disk is full; make room, and what was refused can be sent again"
            }
            StorageFault::Damaged => {
                " is damaged; stop the service, put back a copy of the data directory, \
                 and run `boxoffice verify` on it"
            }
            StorageFault::Unreadable => {
                " cannot be read or written; look at its disk, and run `boxoffice verify` afterwards"
            }
            StorageFault::ReadOnly => " may not be written; give it back to the user that runs the service",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_the_file_is_told_from_what_is_wrong_with_a_request() {
        let internal = |text: &str| DynoxideError::InternalServerError(text.to_owned());
        for (error, expected) in [
            (internal("database or disk is full"), Some(StorageFault::Full)),
            (internal("sqlite error: disk I/O error"), Some(StorageFault::Unreadable)),
            (internal("database disk image is malformed"), Some(StorageFault::Damaged)),
            (
                internal("Database file is encrypted or not a valid SQLite database."),
                Some(StorageFault::Damaged),
            ),
            (internal("attempt to write a readonly database"), Some(StorageFault::ReadOnly)),
            // Another process has it for a moment, which is neither.
            (internal("database is locked"), None),
            (DynoxideError::ValidationException("the text 'disk I/O error'".to_owned()), None),
        ] {
            assert_eq!(StorageFault::of(&error), expected, "{error}");
        }
    }

    #[test]
    fn every_fault_says_which_file_and_what_to_do() {
        let file = Path::new("/srv/boxoffice/boxoffice.db");
        for fault in
            [StorageFault::Full, StorageFault::Damaged, StorageFault::Unreadable, StorageFault::ReadOnly]
        {
            let told = fault.told(Some(file)).to_string();
            assert!(told.starts_with("the database /srv/boxoffice/boxoffice.db "), "{told}");
            assert!(told.contains("; "), "{told}");
        }
    }
}
