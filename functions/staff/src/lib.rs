//! Persons of the staff, and how they sign in (decision record 0138).
//!
//! | Request | Round trips |
//! |---|---|
//! | `GET /v2/b2b/staff`, `GET /v2/b2b/staff/{id}` | 1 |
//! | `POST /v2/b2b/staff` | 2: how many there are; the person with the mark of her address |
//! | `PUT`, `DELETE /v2/b2b/staff/{id}`, `DELETE /v2/b2b/staff/{id}/sessions` | 2: the person; the change. One more where an admin is one no longer: the others |
//! | `GET /v2/b2b/settings`, `GET /v2/b2b/settings/history` | 1 |
//! | `PUT /v2/b2b/settings` | 2: the settings; the change with its entry in the history |
//! | `GET /v2/b2b/keys` | 2: the list; the keys |
//! | `POST /v2/b2b/keys` | 1: the key with its entry in the history |
//! | `DELETE /v2/b2b/keys/{id}` | 3: the list; the keys; the change with its entry |
//! | `POST /v2/staff/login` | 1: the request, whoever asks; and a message to the mailer |
//! | `POST /v2/staff/session` | 5: the request; the mark of its address; the person; the use of the link with the session; what has ended. One more for each ended session that is deleted, 25 at most |
//! | `DELETE /v2/staff/session` | 2: the session with its person; its end |
//!
//! Every request that comes with a session reads the session and its person, side by side: one round trip more than with
//! a key, which is cached.

mod keys;
mod people;
mod settings;
mod sign_in;

use web::routes;
use web::routes::Routes;

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new()
        .routes(routes!(people::list, people::create))
        .routes(routes!(people::read, people::update, people::delete))
        .routes(routes!(people::end_sessions))
        .routes(routes!(settings::read, settings::update))
        .routes(routes!(settings::history))
        .routes(routes!(keys::list, keys::issue))
        .routes(routes!(keys::revoke))
        .routes(routes!(sign_in::send_link))
        .routes(routes!(sign_in::sign_in, sign_in::sign_out))
}
