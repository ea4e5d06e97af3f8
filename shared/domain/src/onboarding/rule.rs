//! What a single value must be like.

use super::vocabulary::{CA_PROVINCES, CANADA, UNITED_STATES, US_STATES};
use crate::EmailAddress;
use crate::lines::{breaks_line, is_control};
use crate::number::whole_number;
use chrono::NaiveDate;
use url::{Host, Url};

/// Something a value has to satisfy. Only ASCII digits are digits, and lengths are counted in characters
/// (contract §11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueRule {
    /// So many characters at most.
    MaxChars(usize),
    /// Digits alone, so many of them.
    Digits {
        /// The fewest.
        min: usize,
        /// The most.
        max: usize,
    },
    /// Characters of a set alone.
    Chars(Charset),
    /// A word of a vocabulary, in any case.
    OneOf(&'static [&'static str]),
    /// A day of the calendar, written yyyy-mm-dd.
    Date,
    /// No day after today, in the tenant's zone.
    NotInFuture,
    /// The address of a web page.
    WebAddress,
    /// An address that mail can be sent to.
    Email,
    /// The routing number of a bank in the United States: digits, checksum and prefix.
    RoutingNumber,
    /// A state of the United States or a province of Canada; of the country beside it, where that is valid.
    State,
    /// Five digits in the United States; those or the Canadian form, with or without its space, in Canada (contract §R).
    PostalCode,
    /// An integer up to this one.
    UpTo(u32),
}

/// A set of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// What the card schemes print: ASCII letters and digits, spaces, and `* ; _ . , &`.
    Descriptor,
    /// Letters, digits, spaces and `, ' & ; - _`.
    BusinessName,
    /// Everything but commas and control characters.
    AddressLine,
    /// ISO 8859-1 without control characters.
    Latin1,
    /// ASCII letters and digits.
    Alphanumeric,
    /// Everything but control characters.
    Printable,
}

impl Charset {
    /// The first character of a text that it does not have.
    fn forbidden(self, text: &str) -> Option<char> {
        text.chars().find(|char| !self.has(*char))
    }

    fn has(self, char: char) -> bool {
        match self {
            Self::Descriptor => char.is_ascii_alphanumeric() || " *;_.,&".contains(char),
            Self::BusinessName => char.is_alphabetic() || char.is_ascii_digit() || " ,'&;-_".contains(char),
            Self::AddressLine => char != ',' && is_printable(char),
            Self::Latin1 => u32::from(char) <= 0xff && !char.is_control(),
            Self::Alphanumeric => char.is_ascii_alphanumeric(),
            Self::Printable => is_printable(char),
        }
    }
}

fn is_printable(char: char) -> bool {
    !is_control(char) && !breaks_line(char)
}

/// What stands around a value.
#[derive(Debug, Clone, Copy)]
pub struct RuleContext<'a> {
    /// The country beside it, as it was sent.
    pub country: Option<&'a str>,
    /// The tenant's day.
    pub today: NaiveDate,
}

impl ValueRule {
    /// Its name in `errorInfo`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MaxChars(_) => "maxLength",
            Self::Digits { .. } => "digits",
            Self::Chars(_) => "characters",
            Self::OneOf(_) => "enum",
            Self::Date => "date",
            Self::NotInFuture => "notInFuture",
            Self::WebAddress => "url",
            Self::Email => "email",
            Self::RoutingNumber => "routingNumber",
            Self::State => "state",
            Self::PostalCode => "postalCode",
            Self::UpTo(_) => "range",
        }
    }

    /// The first character of a value that it does not allow, where it is characters that it is about.
    #[must_use]
    pub fn forbidden(self, text: &str) -> Option<char> {
        match self {
            Self::Digits { .. } => text.chars().find(|char| !char.is_ascii_digit()),
            Self::Chars(set) => set.forbidden(text),
            Self::MaxChars(_)
            | Self::OneOf(_)
            | Self::Date
            | Self::NotInFuture
            | Self::WebAddress
            | Self::Email
            | Self::RoutingNumber
            | Self::State
            | Self::PostalCode
            | Self::UpTo(_) => None,
        }
    }

    /// Whether a value satisfies it.
    #[must_use]
    pub fn holds(self, text: &str, around: RuleContext<'_>) -> bool {
        match self {
            Self::MaxChars(max) => text.chars().count() <= max,
            Self::Digits { min, max } => is_digits(text) && (min..=max).contains(&text.len()),
            Self::Chars(set) => set.forbidden(text).is_none(),
            Self::OneOf(words) => words.contains(&text),
            Self::Date => date(text).is_some(),
            Self::NotInFuture => date(text).is_none_or(|date| date <= around.today),
            Self::WebAddress => is_web_address(text),
            Self::Email => EmailAddress::parse(text).is_ok(),
            Self::RoutingNumber => is_routing_number(text),
            Self::State => is_state(text, around.country),
            Self::PostalCode => is_postal_code(text, around.country),
            Self::UpTo(max) => whole_number(text).is_some_and(|number| number <= i64::from(max)),
        }
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A day written yyyy-mm-dd; the calendar library alone would take fewer digits.
fn date(text: &str) -> Option<NaiveDate> {
    const FORM: &str = "dddd-dd-dd";
    let fits = |(form, byte): (u8, u8)| if form == b'd' { byte.is_ascii_digit() } else { byte == form };
    let is_written_so = text.len() == FORM.len() && FORM.bytes().zip(text.bytes()).all(fits);
    is_written_so.then(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()).flatten()
}

/// A page on the web, with or without its scheme. Our choice: its host has a dot, so that a name that only one
/// network knows is none.
fn is_web_address(text: &str) -> bool {
    if text.contains(|char: char| char.is_whitespace() || char.is_control()) {
        return false;
    }
    let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let Ok(url) = Url::parse(&whole) else { return false };
    let is_named = match url.host() {
        Some(Host::Domain(domain)) => {
            domain.split('.').count() > 1 && domain.split('.').all(|part| !part.is_empty())
        }
        Some(Host::Ipv4(_) | Host::Ipv6(_)) | None => false,
    };
    let is_anonymous = url.username().is_empty() && url.password().is_none();
    matches!(url.scheme(), "http" | "https") && is_named && is_anonymous
}

/// What each of the nine digits of a routing number weighs.
const ROUTING_WEIGHTS: [u32; 9] = [3, 7, 1, 3, 7, 1, 3, 7, 1];

/// Nine digits of which the weighted sum is a multiple of ten, beginning with a Federal Reserve district (01 to
/// 12), a thrift institution of one (21 to 32), an electronic one (61 to 72) or with traveler's cheques (80).
fn is_routing_number(text: &str) -> bool {
    if !is_digits(text) || text.len() != ROUTING_WEIGHTS.len() {
        return false;
    }
    let digits = text.bytes().map(|byte| u32::from(byte.saturating_sub(b'0')));
    let sum = digits
        .zip(ROUTING_WEIGHTS)
        .fold(0_u32, |sum, (digit, weight)| sum.saturating_add(digit.saturating_mul(weight)));
    let prefix: u32 = text.get(..2).and_then(|prefix| prefix.parse().ok()).unwrap_or_default();
    sum.is_multiple_of(10) && matches!(prefix, 1..=12 | 21..=32 | 61..=72 | 80)
}

fn is_state(text: &str, country: Option<&str>) -> bool {
    match country {
        Some(UNITED_STATES) => US_STATES.contains(&text),
        Some(CANADA) => CA_PROVINCES.contains(&text),
        Some(_) | None => US_STATES.contains(&text) || CA_PROVINCES.contains(&text),
    }
}

fn is_postal_code(text: &str, country: Option<&str>) -> bool {
    match country {
        Some(UNITED_STATES) => is_zip_code(text),
        // Owners and businesses in Canada may have either.
        Some(_) | None => is_zip_code(text) || is_canadian_postal_code(text),
    }
}

fn is_zip_code(text: &str) -> bool {
    is_digits(text) && text.len() == 5
}

/// Letter and digit by turns, with or without the space in the middle. D, F, I, O, Q and U are never used, W and Z
/// not at the beginning.
fn is_canadian_postal_code(text: &str) -> bool {
    const FIRST: &str = "ABCEGHJKLMNPRSTVXY";
    const LETTERS: &str = "ABCEGHJKLMNPRSTVWXYZ";
    let compact = match text.as_bytes() {
        [first @ .., b' ', a, b, c] if first.len() == 3 => [first, &[*a, *b, *c]].concat(),
        other => other.to_vec(),
    };
    let is_in = |set: &str, byte: &u8| set.contains(char::from(byte.to_ascii_uppercase()));
    match compact.as_slice() {
        [a, b, c, d, e, f] => {
            is_in(FIRST, a)
                && is_in(LETTERS, c)
                && is_in(LETTERS, e)
                && [b, d, f].into_iter().all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(rule: ValueRule, text: &str, country: Option<&str>) -> bool {
        let today = NaiveDate::from_ymd_opt(2027, 5, 1).unwrap();
        rule.holds(text, RuleContext { country, today })
    }

    #[track_caller]
    fn check(rule: ValueRule, country: Option<&str>, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(holds(rule, text, country), "{rule:?} refuses {text:?}");
        }
        for text in bad {
            assert!(!holds(rule, text, country), "{rule:?} takes {text:?}");
        }
    }

    #[test]
    fn a_routing_number_has_nine_ascii_digits_a_checksum_and_a_prefix() {
        let good = ["021000021", "011000015", "122105155", "321081669"];
        let bad = [
            "123456789",
            "021000012",
            "000000000",
            "02100002",
            "0210000210",
            "０２１０００２１",
            "02100-002",
            "000300002",
            "500000005",
            "",
        ];
        check(ValueRule::RoutingNumber, None, &good, &bad);
    }

    #[test]
    fn postal_codes_have_the_form_of_their_country() {
        check(
            ValueRule::PostalCode,
            Some("US"),
            &["02145", "10004"],
            &["2145", "021451", "K1A 0B1", "０２１４５", "02145-1234"],
        );
        check(
            ValueRule::PostalCode,
            Some("CA"),
            &["K1A 0B1", "K1A0B1", "k1a 0b1", "X0A 1W0", "02145"],
            &["D1A 0B1", "W1A 0B1", "K1D 0B1", "K1A  0B1", "K1A-0B1", "0214", "021456", "K1A 0B", "KA1 0B1"],
        );
        check(ValueRule::PostalCode, None, &["02145", "K1A 0B1"], &["2145"]);
    }

    #[test]
    fn a_state_belongs_to_its_country() {
        check(ValueRule::State, Some("US"), &["TX", "DC", "PR", "GU", "VI"], &["ON", "XX", "tx", "AS"]);
        check(ValueRule::State, Some("CA"), &["ON", "YT"], &["TX", "CA"]);
        check(ValueRule::State, None, &["TX", "ON"], &["XX"]);
        check(ValueRule::State, Some("MX"), &["TX", "ON"], &["XX"]);
    }

    #[test]
    fn descriptors_and_names_have_the_characters_that_are_named() {
        let descriptor = ValueRule::Chars(Charset::Descriptor);
        check(
            descriptor,
            None,
            &["CITY*ZOO;1_2.3,4&5", "1234567890", "CITY ZOO"],
            &["CITY ZOO™", "CITY-ZOO", "CAFÉ", "A'B"],
        );
        check(
            ValueRule::Chars(Charset::BusinessName),
            None,
            &["O'Hara, Zoé & Co; A-B_C 2"],
            &["A*B", "A.B", "A/B", "２"],
        );
        check(
            ValueRule::Chars(Charset::AddressLine),
            None,
            &["1 Pier #4 $ @ Bay"],
            &["1 Pier, Bay", "1 Pier\n"],
        );
        check(ValueRule::Chars(Charset::Latin1), None, &["Zoë Ñandú"], &["Łukasz", "Zo\u{0}"]);
        check(ValueRule::Chars(Charset::Alphanumeric), None, &["X123"], &["X-123", "X 1", "é"]);
    }

    #[test]
    fn the_first_character_that_is_not_allowed_is_named() {
        for (rule, text, named) in [
            (ValueRule::Chars(Charset::BusinessName), "St. Mary's", Some('.')),
            (ValueRule::Chars(Charset::BusinessName), "****4242 Ltd", Some('*')),
            (ValueRule::Chars(Charset::Latin1), "Łukasz", Some('Ł')),
            (ValueRule::Chars(Charset::AddressLine), "1 Pier, Bay; Dock", Some(',')),
            (ValueRule::Digits { min: 9, max: 9 }, "123-45-6789", Some('-')),
            (ValueRule::Digits { min: 9, max: 9 }, "12345678", None),
            (ValueRule::MaxChars(1), "St. M", None),
        ] {
            assert_eq!(rule.forbidden(text), named, "{text}");
        }
    }

    #[test]
    fn lengths_are_counted_in_characters() {
        check(ValueRule::MaxChars(3), None, &["", "ÄÖÜ"], &["ABCD", "ÄÖÜß"]);
    }

    #[test]
    fn a_date_is_a_day_written_in_full() {
        check(
            ValueRule::Date,
            None,
            &["2024-02-29", "1980-05-17"],
            &["2023-02-29", "1980-5-17", "05/17/1980", "1980-05-17T00:00:00Z", "+980-05-17", ""],
        );
        check(ValueRule::NotInFuture, None, &["2027-05-01", "1980-05-17", "not a date"], &["2027-05-02"]);
    }

    #[test]
    fn web_and_mail_addresses_are_those_of_the_open_net() {
        let good = [
            "https://www.zoo.example",
            "http://zoo.example/a?b=c#d",
            "www.zoo.example",
            "zoo.example/tickets",
        ];
        let bad = [
            "zoo",
            "ftp://zoo.example",
            "https://",
            "https://localhost",
            "https://10.0.0.1",
            "https://a@zoo.example",
            "zoo .example",
            "javascript:alert(1)",
            "zoo..example",
        ];
        check(ValueRule::WebAddress, None, &good, &bad);
        check(
            ValueRule::Email,
            None,
            &["ines@zoo.example", "a+b@c.d.e"],
            &["ines", "ines@zoo", "@zoo.example", "a@b@c.d", "a b@c.d", "a@.d", "a@c.", "ines@xn--a.org"],
        );
    }

    #[test]
    fn numbers_are_integers_within_their_range() {
        check(ValueRule::UpTo(100), None, &["0", "25", "100"], &["101", "-1", "2.5", "", "1e2"]);
        check(ValueRule::Digits { min: 1, max: 3 }, None, &["1", "123"], &["", "1234", "12a", "１"]);
    }
}
