//! Refunds of captured sales (spec §2.22, §4.11; contract §11).
//!
//! | Request | Round trips, without the processor |
//! |---|---|
//! | `POST /v1/payment/{mid}/refund` | 2: the update that takes it from what remains, and the transaction that ends it; 3 with an idempotency key, whose record is read first |
//! | `POST /v1/payment/{mid}/refund/preview` | 1: the sale |
//!
//! The key of a merchant opens both, for its own `mid` alone.

mod answer;
mod keyed;
mod preview;
mod refund;
mod work;

use web::routes;
use web::routes::Routes;

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new().routes(routes!(refund::refund)).routes(routes!(preview::preview))
}
