//! How a text is sent to whoever reads it: packed, and only where it is not there already (RFC 9110 §12.5.3, §13.1.2).

use http::header::{ACCEPT_ENCODING, IF_NONE_MATCH};
use http::{HeaderMap, HeaderName};

/// Whether the caller has what this entity tag names. The tag is quoted, as `ETag` says it; weak and strong ones are
/// compared alike.
#[must_use]
pub fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    entries(headers, IF_NONE_MATCH).any(|known| known == "*" || opaque_tag(known) == opaque_tag(tag))
}

/// Whether gzip is among what the caller takes, with any preference but none.
#[must_use]
pub fn takes_gzip(headers: &HeaderMap) -> bool {
    entries(headers, ACCEPT_ENCODING).any(|entry| {
        let (coding, parameters) = entry.split_once(';').unwrap_or((entry, ""));
        let is_gzip = matches!(coding.trim().to_ascii_lowercase().as_str(), "gzip" | "x-gzip");
        is_gzip && !is_refused(parameters)
    })
}

/// The entries of a header that is a list.
fn entries(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let texts = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(',')).map(str::trim)
}

fn opaque_tag(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

/// Whether the parameters of a coding weigh it with nothing.
fn is_refused(parameters: &str) -> bool {
    let weight = parameters.split(';').find_map(|part| part.trim().strip_prefix("q="));
    weight.is_some_and(|weight| weight.trim().trim_matches(['0', '.']).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn only_who_takes_gzip_gets_it() {
        for (sent, takes) in [
            ("gzip", true),
            ("GZIP", true),
            ("GZIP;q=0.5", true),
            ("gzip, deflate, br", true),
            ("br;q=1.0, gzip;q=0.8, *;q=0.1", true),
            ("gzip;q=0", false),
            ("gzip; q=0.0", false),
            ("br", false),
            ("identity", false),
            ("", false),
        ] {
            assert_eq!(takes_gzip(&headers(ACCEPT_ENCODING, sent)), takes, "{sent}");
        }
    }

    #[test]
    fn a_text_that_the_caller_has_is_not_sent_again() {
        for (sent, known) in [
            ("W/\"a\"", true),
            ("\"a\"", true),
            ("\"b\", W/\"a\"", true),
            ("*", true),
            ("\"b\"", false),
            ("a", false),
            ("", false),
        ] {
            for tag in ["W/\"a\"", "\"a\""] {
                assert_eq!(is_known(&headers(IF_NONE_MATCH, sent), tag), known, "{sent} {tag}");
            }
        }
    }
}
