//! What the back office takes back of orders: refunds of what was bought, and exchanges of tickets (decision records
//! 0069 to 0072).
//!
//! | Request | Round trips |
//! |---|---|
//! | `POST /v2/b2b/refunds` | 4: the order with its tickets, its sale and memberships, the taking, the end; 3 where no money moves |
//! | `POST /v2/b2b/refunds/preview` | 2: the order with its tickets, its sale and memberships |
//! | `POST /v2/b2b/exchanges` | 2: the order with its tickets and the seats beside it, the exchange |
//!
//! An order that cost nothing and has no memberships has no second read. An idempotency key adds a round trip before
//! and one behind.
//!
//! The work of each write is boxed: nested in the shell's own future it would not fit the stack of a thread of an
//! unoptimised build.

mod exchange;
mod identity;
mod load;
mod refund;
mod refusal;

use platform::routes;
use platform::routes::Routes;

/// The routes of refunds and exchanges of orders.
#[must_use]
pub fn router<R: Routes>() -> R {
    R::new()
        .routes(routes!(refund::refund))
        .routes(routes!(refund::preview))
        .routes(routes!(exchange::exchange))
}
