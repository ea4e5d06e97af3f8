//! Orders: by id, by contact, for the counter, and by all else that leads to them; their contacts put right and
//! their mails sent again (spec §4.9; contract §6, §14,
//! §16 and §17).
//!
//! | Request | Round trips |
//! |---|---|
//! | `GET /v2/b2c/orders/{id}`, `GET /v2/b2b/orders/detail/{orderId}` | 1 |
//! | `GET /v2/b2c/orders/search`, `GET /v2/b2c/orders` | 2: the references of the contact, then the orders; 0 without criterion |
//! | `GET /v2/b2b/willcall/orders/{orderId}` | 1: the order's partition, with the cached templates beside it |
//! | These two of staff by an order's number | 2 |
//! | `GET /v2/b2b/orders/search` | 2: what leads to the orders, then the orders; 1 more for doors, which see tickets; 1 without criterion, its count |
//! | `GET /v2/b2b/orders/event/{eventId}`, `GET /v2/b2c/orders/event/{eventId}`, `GET /v2/b2b/event/instances/{id}/manifest` | 2: what leads to the orders beside the slot, then the orders |
//! | `GET /v2/b2c/forms/responses`, `GET /v2/b2c/forms/responses/{id}` | 2: what leads to the orders, then the orders, with the cached forms beside them |
//! | `PUT /v2/b2b/orders/{orderId}`, `PUT /v2/b2c/orders/{id}` | 2: the order, the transaction; 1 more by number |
//! | `POST /v2/b2b/orders/{orderNumber}/email` | 3: the number, the order beside the counts, the transaction |
//! | `POST /v2/b2c/orders/link` | 1: the request beside the counts; the mailer looks for the order |
//! | `POST /v2/b2c/orders/open` | 1: the order beside the count |
//! | `POST /v2/b2c/orders/open/email` | 3: the same, the order beside the counts of mails, the transaction |
//!
//! What leads to more than a page of the database holds takes a call more for each further page, and a range of more than
//! four days one more.
//!
//! Only paid orders can be read. One whose card is still being charged, or that was voided, is as unknown as
//! one of another tenant: there is nothing to hand out for it, and its id is told to a page whose buyer is asked alone.

mod answer;
mod by_link;
mod contacts;
mod event;
mod find;
mod mail_again;
mod manifest;
mod named;
mod range;
mod read;
mod responses;
mod search;
mod sorting;
mod staff_search;
mod wanted;
mod willcall;

use web::routes;
use web::routes::Routes;

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new()
        .routes(routes!(search::search))
        .routes(routes!(search::list))
        .routes(routes!(staff_search::search))
        .routes(routes!(event::for_counter))
        .routes(routes!(event::for_staff))
        .routes(routes!(manifest::read))
        .routes(routes!(contacts::put_for_counter))
        .routes(routes!(contacts::put_for_staff))
        .routes(routes!(mail_again::send))
        .routes(routes!(responses::list))
        .routes(routes!(responses::read))
        .routes(routes!(by_link::send_link))
        .routes(routes!(by_link::open))
        .routes(routes!(by_link::mail))
        .routes(routes!(read::of_storefront))
        .routes(routes!(read::detail))
        .routes(routes!(willcall::read))
}

#[cfg(test)]
mod tests;
