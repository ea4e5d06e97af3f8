//! What the back office writes: event templates and their instances, and the definitions that events and
//! memberships are made of (contract §7).
//!
//! | Request | Round trips |
//! |---|---|
//! | `GET` of a list | 1: the definitions |
//! | `GET` of one | 1 |
//! | `POST` | 1: the record; one more before it where it refers to others |
//! | `PUT` | 2: the record, with what it refers to beside it; then the change of what was read |
//! | `DELETE` | 2: the record, with all that may refer to it beside it; then the removal of what was read |
//! | `POST`, `PUT` of a template | 3: what it refers to and the template; the record of its slots; both in one transaction. If it is published, about 60 more for each 5,000 slots |
//! | `DELETE` of a template | 3 and one for each 2,000 of its slots |
//! | `GET` of the instances of a template | 2: the template, with what says where its slots lie; then their ledgers |
//! | `GET` of the entitlement rules of a template | 1 |
//! | `POST`, `PUT` of them | 2 |
//! | `GET` of an instance | 2: its ledger, then its template |
//! | `PUT`, `DELETE` of an instance | 3: ledger, template, the change; one or two more for other times |
//! | `GET` of the instances of all templates, in full or in short | 1: the ledgers of each template, side by side |
//! | `GET` of templates in short, of a price list with a discount | 0: from the cached catalog, which takes 1 every five seconds |
//! | `GET` of rebooking fees | 1: the ledgers; their templates are cached |
//!
//! Whom the doors let in is read beside the ledgers, or beside the template of one instance. An idempotency key adds two
//! round trips, to claim it and to keep the answer. Each resource is a [`resource::Resource`];
//! what is the same for all of them is written once, in [`resource`], [`write`] and [`routes`].

mod combos;
mod coupons;
mod discount_prices;
mod discounts;
mod entitlements;
mod forms;
mod instances;
mod inventory;
mod person_types;
mod rebooking;
mod resource;
mod routes;
mod screen;
mod summaries;
mod templates;
mod timetable;
mod view;
mod write;

use web::routes::Routes;

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new()
        .merge(person_types::router())
        .merge(discounts::router())
        .merge(discount_prices::router())
        .merge(coupons::router())
        .merge(combos::router())
        .merge(inventory::router())
        .merge(forms::router())
        .merge(templates::router())
        .merge(summaries::router())
        .merge(instances::router())
        .merge(screen::router())
        .merge(rebooking::router())
        .merge(timetable::router())
        .merge(entitlements::router())
}
