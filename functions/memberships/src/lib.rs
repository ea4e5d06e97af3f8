//! Membership levels, the ways to buy them, and what members bought (spec §4.6).
//!
//! | Request | Round trips |
//! |---|---|
//! | `GET` of a list of levels | 1: the definitions |
//! | `GET` of a level, of its offerings, of one of them | 1: the level, with the ticket types of its prices beside it |
//! | `POST` of a level | 2: the definitions; the record |
//! | `PUT` of a level, `POST`, `PUT`, `DELETE` of an offering | 2: the level, with the definitions beside it; the change. One more, or several where there are many memberships, where an offering goes |
//! | `GET …/checkout/validate` | 1: the level and the membership |
//! | `DELETE` of a level | 2: the level, with all that may name it beside it; the removal |
//! | `GET` of a list of memberships or summaries | 2: what lists look at, about 3,000 memberships a call; the memberships of the page |
//! | `GET` of summaries by membership, barcode or e-mail address | 1 |
//! | `GET` of a membership | 1 |
//! | `GET` of a customer, of customers by e-mail address | 1; 2 |
//! | `PUT` of a membership, `DELETE` of a card | 2: the membership; the change. One more where customers change with it |
//!
//! An idempotency key adds two, to claim it and to keep the answer. A level and its offerings are one record with
//! one revision.

mod change;
mod customers;
mod keep;
mod levels;
mod member_query;
mod members;
mod offerings;
mod query;
mod quote;
mod summaries;

use platform::routes;
use platform::routes::Routes;

/// The routes of memberships.
#[must_use]
pub fn router<R: Routes>() -> R {
    R::new()
        .merge(levels::router())
        .merge(offerings::router())
        .merge(members::router())
        .merge(quote::router())
        .merge(customers::router())
        .routes(routes!(summaries::summaries))
}
