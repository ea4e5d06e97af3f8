//! What an e-mail address looks like.

use domain::EmailAddress;

/// Whether a text is an e-mail address that mail can be sent to.
#[must_use]
pub fn is_email(text: &str) -> bool {
    EmailAddress::parse(text).is_ok()
}
