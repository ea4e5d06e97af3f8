//! Verifying members (spec §4.7; contract §9).
//!
//! | Request | Round trips |
//! |---|---|
//! | `GET /v2/b2c/membership/validate` | 1: whatever the text names, with the cached levels beside it |
//! | `GET /v2/b2c/membership/exists` | 1: the memberships of the address, with the cached levels beside it |
//! | `GET /v2/b2c/membership/validate/login` | 1: the request, whoever asks; and a message to the mailer |
//! | `POST /v2/b2c/membership/validate/login` | 3: the request; the memberships of the address; the use of the link |
//!
//! Who is a member is told to servers only: a key that stands in a page is refused.

mod exists;
mod login;
mod validate;

use platform::routes;
use platform::routes::Routes;

/// The routes of membership verification.
#[must_use]
pub fn router<R: Routes>() -> R {
    R::new()
        .routes(routes!(validate::validate))
        .routes(routes!(exists::exists))
        .routes(routes!(login::send_link, login::log_in))
}
