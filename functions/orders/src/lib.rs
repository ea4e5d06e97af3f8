//! Reads of orders: by id, by contact, and for the counter (spec §4.9; contract §6).
//!
//! | Request | Round trips |
//! |---|---|
//! | `GET /v2/b2c/orders/{id}`, `GET /v2/b2b/orders/detail/{orderId}` | 1 |
//! | `GET /v2/b2c/orders/search` | 2: the references of the contact, then the orders; 0 without criterion |
//! | `GET /v2/b2b/willcall/orders/{orderId}` | 1: the order's partition, with the cached templates beside it |
//!
//! Only paid orders can be read. One whose card is still being charged, or that was undone, is as unknown as
//! one of another tenant: there is nothing to hand out for it, and no caller ever learnt its id from an order.

mod read;
mod search;
mod sorting;
mod willcall;

use platform::routes;
use platform::routes::Routes;

/// The routes of order reads.
#[must_use]
pub fn router<R: Routes>() -> R {
    R::new()
        .routes(routes!(search::search))
        .routes(routes!(read::of_storefront))
        .routes(routes!(read::detail))
        .routes(routes!(willcall::read))
}

#[cfg(test)]
mod tests;
