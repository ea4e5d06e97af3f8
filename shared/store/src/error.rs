//! What can go wrong between Boxoffice and its database.

use std::fmt;

/// A storage call that did not give an answer to act on. Its text is for the log, never for a caller.
#[derive(Debug)]
pub struct StoreError {
    /// What the caller of the store should do about it.
    pub kind: StoreFault,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The kinds of [`StoreError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFault {
    /// Throttled, in conflict, or not reachable: nothing is known to have happened; trying again is right.
    TryAgain,
    /// An item does not read as what its key says it is.
    Corrupt,
    /// An item is of a release that this one cannot read.
    Newer,
    /// A transaction held the item through every try: nothing has happened.
    Conflict,
    /// The record would be larger than an item may be: nothing has happened.
    TooLarge,
    /// More would be written at once than one transaction holds: nothing has happened.
    TooMany,
    /// The request itself was refused: a fault of ours.
    Refused,
}

impl StoreError {
    /// An error of this kind, caused by `source`.
    pub(crate) fn new(kind: StoreFault, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { kind, source: Some(source.into()) }
    }

    /// An item that does not read.
    pub(crate) fn corrupt(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(StoreFault::Corrupt, source)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.kind {
            StoreFault::TryAgain | StoreFault::Conflict => "the database did not answer in time or was busy",
            StoreFault::Corrupt => "a stored item does not read as expected",
            StoreFault::Newer => "a newer release than this one stored something that this one cannot read",
            StoreFault::TooLarge => "a record is too large to be stored",
            StoreFault::TooMany => "more would be written at once than one transaction holds",
            StoreFault::Refused => "the database refused a request",
        })
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.source {
            Some(source) => Some(source.as_ref()),
            None => None,
        }
    }
}
