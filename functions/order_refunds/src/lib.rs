//! What the back office takes back of orders: refunds of what was bought, and exchanges of tickets (decision records
//! 0069 to 0072).
//!
//! | Request | Round trips |
//! |---|---|
//! | `POST /v2/b2b/refunds` | 4: the order with its tickets, its sale and memberships, the taking, the end; 3 where no money moves |
//! | `POST /v2/b2b/refunds/preview` | 2: the order with its tickets, its sale and memberships. Where memberships are taken back, one more for each e-mail address and phone number of their holders and of the order, and one for what it finds |
//! | `POST /v2/b2b/b2b/refunds`, `POST /v1/b2b/b2b/refunds` | as the first; one more, the order with its tickets, where barcodes are named |
//! | `POST /v2/b2b/orders/update` | as the first; 2 where all that is left is kept |
//! | `POST /v2/b2b/exchanges`, `POST /v1/b2b/rebook/orders` | 2: the order with its tickets and the seats beside it, the exchange |
//!
//! An order that cost nothing and has no memberships has no second read. An idempotency key adds a round trip before
//! and one behind.
//!
//! The work of each write is boxed: nested in the shell's own future it would not fit the stack of a thread of an
//! unoptimised build.

mod exchange;
mod given;
mod identity;
mod load;
mod rebook;
mod refund;
mod refusal;
mod update;

use web::routes;
use web::routes::Routes;

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new()
        .routes(routes!(refund::refund))
        .routes(routes!(refund::preview))
        .routes(routes!(given::refund))
        .routes(routes!(given::refund_v1))
        .routes(routes!(update::update))
        .routes(routes!(exchange::exchange))
        .routes(routes!(rebook::rebook))
}
