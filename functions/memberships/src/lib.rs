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
//! | `GET` of a list of memberships or summaries | 2: what lists look at, about 2,500 memberships a call; the memberships of the page |
//! | `GET` of summaries by membership, barcode or e-mail address | 1 |
//! | `GET …/summaries/search`, `…/advancedsearch` | 1 to 2: what they are known by, beside what lists look at; those that only this leads to |
//! | `GET` of the cards of a membership, of a card | 1; 2 |
//! | `GET` of a membership | 1 |
//! | `GET` of a customer, of customers by e-mail address | 1; 2 |
//! | `PUT` of a membership, `DELETE` of a card | 2: the membership; the change. One more where customers change with it |
//!
//! An idempotency key adds two, to claim it and to keep the answer. A level and its offerings are one record with
//! one revision.

mod cards;
mod change;
mod customers;
mod keep;
mod levels;
mod member_query;
mod members;
mod offerings;
mod query;
mod quote;
mod search;
mod search_query;
mod summaries;

use web::routes;
use web::routes::Routes;

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new()
        .merge(levels::router())
        .merge(offerings::router())
        .merge(members::router())
        .merge(quote::router())
        .merge(customers::router())
        .routes(routes!(summaries::summaries))
        .merge(cards::router())
        .merge(search::router())
}
