//! Reservations of event capacity for the back office: `/v2/b2b/reservations` (spec §4.5, contract §8).
//!
//! | Request | Round trips |
//! |---|---|
//! | `POST` | 2: the record is put while the ledgers are read; then the seats are held |
//! | `GET` | 2: the record, then its ledgers |
//! | `PUT` | 2: record and ledgers together, then both in one transaction |
//! | `DELETE` | 2: the record, then the release |
//!
//! The work of each write is boxed: nested in the shell's own future it would not fit the stack of a thread of
//! an unoptimised build.

mod create;
mod delete;
mod holds;
mod read;
mod refusal;
mod update;

use platform::routes;
use platform::routes::Routes;

/// The routes of reservations.
#[must_use]
pub fn router<R: Routes>() -> R {
    R::new().routes(routes!(create::create, update::update)).routes(routes!(read::read, delete::delete))
}
