//! What an e-mail address looks like.

use std::str::FromStr;

/// Longest e-mail address (RFC 5321).
pub const MAX_EMAIL_CHARS: usize = 254;

/// Whether a text is an e-mail address that can be written to. Quoted names and address literals are legal, but no
/// mail service delivers to them.
#[must_use]
pub fn is_email(text: &str) -> bool {
    let exotic = text.contains(['"', '[', '(']) || !text.is_ascii() || text.len() > MAX_EMAIL_CHARS;
    !exotic && lettre::Address::from_str(text).is_ok()
}
