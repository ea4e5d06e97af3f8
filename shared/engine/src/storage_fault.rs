//! What keeps the engine from its file, in words for whoever runs the machine. The engine reports all of it as
//! texts of SQLite behind an internal error.

use dynoxide::DynoxideError;
use std::error::Error;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

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
const TEXTS: [(&str, StorageFault); 9] = [
    ("database or disk is full", StorageFault::Full),
    ("disk image is malformed", StorageFault::Damaged),
    ("file is not a database", StorageFault::Damaged),
    (ADVISING, StorageFault::Damaged),
    // A table without what belongs to it: somebody was at work on the file by hand.
    ("already exists in CREATE", StorageFault::Damaged),
    ("no such table: ", StorageFault::Damaged),
    ("disk I/O error", StorageFault::Unreadable),
    ("unable to open database file", StorageFault::Unreadable),
    ("readonly database", StorageFault::ReadOnly),
];

/// A part of the message in which the engine advises to build it with another feature.
const ADVISING: &str = "not a valid SQLite database";

/// Stands between what SQLite says and the statement that it says it of.
const IN: &str = " in";
/// Verbs that statements of SQLite begin with.
const VERBS: [&str; 6] = ["ALTER", "CREATE", "DELETE", "INSERT", "SELECT", "UPDATE"];

/// What SQLite says, without the statement that it says it of.
fn without_statement(said: &str) -> &str {
    let is_before_statement = |place: usize| {
        let statement = said.get(place..).and_then(|rest| rest.strip_prefix(IN)).unwrap_or_default();
        VERBS.iter().any(|verb| statement.trim_start().starts_with(verb))
    };
    let place = said.match_indices(IN).map(|(place, _)| place).find(|place| is_before_statement(*place));
    place.and_then(|place| said.get(..place)).unwrap_or(said)
}

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

/// What keeps the engine from its file, as the failure of a call: it has no answer, as from a machine that is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFault {
    fault: StorageFault,
    file: Option<Arc<Path>>,
    /// What SQLite says.
    said: String,
}

impl FileFault {
    /// What an error of the engine says about its file; none where it is about the request.
    pub(crate) fn of(error: &DynoxideError, file: Option<&Arc<Path>>) -> Option<Self> {
        let fault = StorageFault::of(error)?;
        Some(Self { fault, file: file.cloned(), said: without_statement(&error.to_string()).to_owned() })
    }

    /// What is wrong, without SQLite's own words.
    pub(crate) fn told(&self) -> Told<'_> {
        self.fault.told(self.file.as_deref())
    }

    /// The fault that is the error, or the cause of it at any depth.
    pub fn behind<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Self> {
        let mut causes = std::iter::successors(Some(error), |error| (**error).source());
        causes.find_map(|error| error.downcast_ref())
    }
}

impl fmt::Display for FileFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.told(), self.said)
    }
}

impl Error for FileFault {}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_smithy_runtime_api::client::result::ConnectorError;

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
            (
                internal("backend: table \"boxoffice-orders::gsi\" already exists in CREATE TABLE \"x\" ("),
                Some(StorageFault::Damaged),
            ),
            (internal("no such table: boxoffice-orders in SELECT 1"), Some(StorageFault::Damaged)),
            // Another process has it for a moment, which is neither.
            (internal("database is locked"), None),
            (DynoxideError::ValidationException("the text 'disk I/O error'".to_owned()), None),
        ] {
            assert_eq!(StorageFault::of(&error), expected, "{error}");
        }
    }

    #[test]
    fn a_fault_of_the_file_is_found_behind_the_errors_that_it_causes() {
        let said = DynoxideError::InternalServerError("database disk image is malformed".to_owned());
        let file: Arc<Path> = Path::new("/srv/boxoffice/boxoffice.db").into();
        let fault = FileFault::of(&said, Some(&file)).unwrap();
        let failed = ConnectorError::other(fault.clone().into(), None);
        assert_eq!(FileFault::behind(&failed), Some(&fault));
        let told = fault.to_string();
        assert!(told.starts_with("the database /srv/boxoffice/boxoffice.db is damaged; "), "{told}");
        assert!(told.ends_with(": database disk image is malformed"), "{told}");
        assert_eq!(FileFault::behind(&said), None);
    }

    #[test]
    fn no_statement_is_told() {
        for (said, told) in [
            (
                "table \"a in b\" already exists in CREATE TABLE \"a\" (\n pk TEXT) at offset 13",
                "table \"a in b\" already exists",
            ),
            ("no such table: a in\n SELECT 1 at offset 9", "no such table: a"),
            ("disk I/O error in file", "disk I/O error in file"),
        ] {
            assert_eq!(without_statement(said), told);
        }
        let said = DynoxideError::InternalServerError("no such table: a in SELECT 1".to_owned());
        assert!(FileFault::of(&said, None).unwrap().to_string().ends_with(": no such table: a"));
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
