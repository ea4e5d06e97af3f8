//! Reservations of event capacity, for staff and tills: `/v2/b2b/reservations` (spec §4.5, contract §8), and for the
//! visitors of storefronts: `/v2/b2c/reservations`.
//!
//! | Request | Round trips |
//! |---|---|
//! | `POST` | 2: the record is put while the ledgers are read; then the seats are held |
//! | `GET` | 2: the record, then its ledgers |
//! | `PUT` | 2: record and ledgers together, then both in one transaction |
//! | `DELETE` | 2: the record, then the release |
//!
//! `POST` and `PUT` of a storefront take one more, in which they are counted.
//!
//! `start` is boxed: nested in the shell's own future it would not fit the stack of a thread of an unoptimised build.

mod create;
mod delete;
mod holds;
mod read;
mod refusal;
mod update;
mod visitors;

use web::routes;
use web::routes::Routes;

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new()
        .routes(routes!(create::create, update::update))
        .routes(routes!(read::read, delete::delete))
        .routes(routes!(visitors::hold, visitors::change))
        .routes(routes!(visitors::release))
}
