//! E-mail addresses: what the mailer can write to is what is accepted, everywhere (decision record 0119).

use crate::lines::is_invisible;

/// Longest e-mail address, in the form in which mail is sent (RFC 5321).
pub const MAX_EMAIL_CHARS: usize = 254;

/// Longest name of a host, and longest part of one (RFC 1035).
const MAX_DOMAIN_CHARS: usize = 253;
const MAX_LABEL_CHARS: usize = 63;

/// An address as mail is sent to it: ASCII before the `@`, and the domain as the name system spells it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EmailAddress {
    user: String,
    domain: String,
}

/// No mail can be sent to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undeliverable;

impl EmailAddress {
    /// Reads an address as people write it: `info@sjöburen.se` is one of `xn--sjburen-b1a.se`. Quoted names and address
    /// literals are legal, but no mail service delivers to them, and neither to hosts of the own network. A domain with
    /// characters that nobody sees and the name system leaves out came from somewhere else than a keyboard.
    ///
    /// # Errors
    /// [`Undeliverable`] where no message could be addressed to it.
    pub fn parse(text: &str) -> Result<Self, Undeliverable> {
        let (user, domain) = text.trim().rsplit_once('@').ok_or(Undeliverable)?;
        let is_plain = user.is_ascii() && !user.contains('"') && !domain.contains(is_left_out);
        if !(is_plain && email_address::EmailAddress::is_valid_local_part(user)) {
            return Err(Undeliverable);
        }
        let domain = idna::domain_to_ascii(domain).map_err(|_| Undeliverable)?;
        let chars = user.len().saturating_add(domain.len()).saturating_add(1);
        if !is_host(&domain) || chars > MAX_EMAIL_CHARS {
            return Err(Undeliverable);
        }
        Ok(Self { user: user.to_owned(), domain })
    }

    /// What stands before the `@`, as it was written.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// What stands behind it, in lower-case ASCII.
    #[must_use]
    pub fn domain(&self) -> &str {
        &self.domain
    }
}

/// Whether a character of a domain is neither seen nor part of its name. Joiners are part of some names, and emoji are
/// typed with their variation.
fn is_left_out(char: char) -> bool {
    is_invisible(char) && !matches!(char, '\u{200c}' | '\u{200d}' | '\u{fe0f}')
}

/// A name of the public net: letters, digits and hyphens, a dot, and a last part that is no number.
fn is_host(domain: &str) -> bool {
    let is_label = |label: &str| {
        (1..=MAX_LABEL_CHARS).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last = domain.rsplit_once('.').map(|(_, last)| last);
    domain.len() <= MAX_DOMAIN_CHARS
        && domain.split('.').all(is_label)
        && last.is_some_and(|last| !last.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The form in which addresses are compared: the case of letters makes no difference, nor how the domain is spelled. A
/// text that is no address is compared in lower case, as addresses were that were kept before.
#[must_use]
pub fn comparable_email(text: &str) -> String {
    match EmailAddress::parse(text) {
        Ok(EmailAddress { user, domain }) => format!("{}@{domain}", user.to_ascii_lowercase()),
        Err(Undeliverable) => text.trim().to_lowercase(),
    }
}

/// Whether two texts are one address.
#[must_use]
pub fn is_same_email(one: &str, other: &str) -> bool {
    comparable_email(one) == comparable_email(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_that_mail_is_sent_to() {
        for (text, domain) in [
            ("ada@example.org", "example.org"),
            ("8613800045603@example.org", "example.org"),
            (" O'Brien+tickets@Example.ORG ", "example.org"),
            ("info@sjöburen.se", "xn--sjburen-b1a.se"),
            ("info@SJÖBUREN.se", "xn--sjburen-b1a.se"),
            ("a@例え.jp", "xn--r8jz45g.jp"),
            ("a@b.co", "b.co"),
        ] {
            assert_eq!(EmailAddress::parse(text).unwrap().domain(), domain, "{text}");
        }
        for text in [
            "",
            "ada",
            "@example.org",
            "ada@",
            "ada@localhost",
            "ines@xn--a.org",
            "a@[10.0.0.1]",
            "a@10.0.0.1",
            "\"a b\"@example.org",
            "a b@example.org",
            "ada@example..org",
            "ada@example.org.",
            "ada@-a.org",
            "ada@a_b.org",
            "zoë@example.org",
            "a@b@example.org",
            "a@exam ple.org",
            ".a@example.org",
            "a..b@example.org",
            "a@example.org\r\nBcc: x@example.org",
            "a,b@example.org",
            "Ada <a@example.org>",
            "a@\u{200b}example.org",
            "a@example.org\u{feff}",
            "a@exam\u{ad}ple.org",
        ] {
            assert_eq!(EmailAddress::parse(text), Err(Undeliverable), "{text}");
        }
        let long = format!("a@{}", "b.".repeat(126));
        assert!(EmailAddress::parse(&format!("{long}co")).is_err());
    }

    #[test]
    fn spellings_of_one_address_are_compared_alike() {
        assert!(is_same_email("INFO@sjöburen.se", "info@xn--sjburen-b1a.SE"));
        assert!(is_same_email(" Ada@Example.org", "ada@example.ORG"));
        assert!(!is_same_email("ada@example.org", "ada@example.com"));
        assert!(is_same_email("****5603@EXAMPLE.org", "****5603@example.org"));
    }
}
