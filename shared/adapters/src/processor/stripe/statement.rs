//! What the buyer reads on the card statement.

/// The most characters of a suffix. A whole descriptor has 22, of which the account's own prefix takes up to
/// ten, a star and a space (Stripe, "Statement descriptors").
const MAX_CHARS: usize = 10;

/// The suffix that Stripe puts behind the account's own prefix: plain letters, digits and a little punctuation,
/// with at least one letter. None where nothing of the descriptor is left.
pub(super) fn suffix(descriptor: &str) -> Option<String> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, ' ' | '.' | ',' | '-' | '&');
    let plain: String = descriptor.chars().map(|letter| if fits(letter) { letter } else { ' ' }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let short: String = words.join(" ").chars().take(MAX_CHARS).collect();
    let short = short.trim_end();
    short.bytes().any(|byte| byte.is_ascii_alphabetic()).then(|| short.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suffix_is_what_stripe_accepts_of_the_descriptor() {
        for (descriptor, expected) in [
            ("BOX*HARBOR", Some("BOX HARBOR")),
            ("HARBOR MUSEUM", Some("HARBOR MUS")),
            ("HARBOR  & CO", Some("HARBOR & C")),
            ("MUSEUM OF ART", Some("MUSEUM OF")),
            ("<'\"*\\>", None),
            ("2027", None),
            ("", None),
            ("Übersee", Some("bersee")),
        ] {
            assert_eq!(suffix(descriptor).as_deref(), expected, "{descriptor}");
        }
    }
}
