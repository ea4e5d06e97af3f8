//! Onboarding of merchants (spec §2.19 to §2.21, §4.10; contract §11).
//!
//! | Request | Round trips |
//! |---|---|
//! | `POST /v1/payment/onboard` | 1: the transaction that makes the application and its merchant, or finds the earlier one |
//! | `GET /v1/payment/onboard/{boardingRefId}` | 1: both |
//! | `PATCH /v1/payment/onboard/{boardingRefId}` | 2: both, and the transaction that changes them |
//! | `POST /v1/payment/onboard/validate` | 0 |
//!
//! A partner's key opens all four. The merchant's id follows from the partner's name for it, so that both are read
//! together.

mod change;
mod create;
mod read;
mod reference;
mod seal;
mod validate;

use web::routes;
use web::routes::Routes;

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new()
        .routes(routes!(create::create))
        .routes(routes!(validate::validate))
        .routes(routes!(read::read, change::change))
}
