//! Verifying members (spec §4.7; contract §9).
//!
//! | Request | Round trips |
//! |---|---|
//! | `GET /v2/b2c/membership/validate` | 1: whatever the text names, with the cached levels and how much was guessed beside it |
//! | `GET /v2/b2c/membership/exists` | 1: the memberships of the address, with the cached levels beside it |
//! | `GET /v2/b2c/membership/validate/login` | 1: the request, whoever asks; and a message to the mailer |
//! | `POST /v2/b2c/membership/validate/login` | 3: the request; the memberships of the address; the use of the link |
//!
//! Numbers that are nobody's take one round trip more, to be counted. Who a member is is told to servers only: a page
//! learns that a number and a name, or a link, belong together, and gets a proof of it (decision record 0106).

mod exists;
mod login;
mod proof;
mod validate;

use web::routes;
use web::routes::Routes;

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new()
        .routes(routes!(validate::validate))
        .routes(routes!(exists::exists))
        .routes(routes!(login::send_link, login::log_in))
}
