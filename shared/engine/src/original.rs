//! A database in memory of which copies are made.

use crate::embedded::{Embedded, OpenError};
use dynoxide::Database;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A database in memory that others begin as. What many of them have in common is written once, here, and each of them
/// is a copy, which costs no more than a few requests.
///
/// Clones share the tables, as those of an engine do. The tables are gone with the last of them.
#[derive(Clone, Debug)]
pub struct Original {
    engine: Embedded,
    /// Where SQLite finds it.
    address: Arc<str>,
}

impl Original {
    /// One without tables.
    ///
    /// # Errors
    /// [`OpenError::Engine`] when SQLite cannot start.
    pub fn memory() -> Result<Self, OpenError> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        // SQLite's `memdb` is memory that has a name within the process, so that a second connection can read it. A
        // name of its own keeps one original from another.
        let address = format!("file:/original-{}?vfs=memdb", MADE.fetch_add(1, Ordering::Relaxed));
        let database = Database::new(&address)?;
        Ok(Self { engine: Embedded::over(database), address: address.into() })
    }

    /// The engine to write with what the copies begin with.
    #[must_use]
    pub fn engine(&self) -> &Embedded {
        &self.engine
    }

    /// An engine in memory with the tables as they are now, and nothing to do with this one from then on.
    ///
    /// # Errors
    /// [`OpenError::Engine`] when SQLite cannot start or has no memory for it.
    pub fn copy(&self) -> Result<Embedded, OpenError> {
        let database = Database::memory()?;
        database.restore_from(&self.address)?;
        Ok(Embedded::over(database))
    }
}
