//! Every parser of text that comes from outside, each as a function of bytes that must neither panic nor break its
//! law. The fuzz targets call them with whatever a fuzzer thinks of; a test calls them with every kept input.

use domain::card::{Card, CardFields};
use domain::login::LoginToken;
use domain::outbox::MailJob;
use domain::tenant::ConsumerSite;
use domain::{BoardingRefId, CartId, InstanceId, Money, Percent, Timestamp, Zone};
use platform::paths::canonical;
use wire::cart::CartInput;
use wire::checkout::CheckoutInput;
use wire::onboarding::OnboardingInput;
use wire::{Checker, WireValue, is_email, read_body};

/// A parser under test.
pub type Entry = fn(&[u8]);

/// All of them, by the names of their targets and of the directories of their inputs.
pub const ENTRIES: &[(&str, Entry)] = &[
    ("money", money),
    ("times", times),
    ("card", card),
    ("cart", cart),
    ("checkout", checkout),
    ("onboarding", onboarding),
    ("identifiers", identifiers),
    ("messages", messages),
    ("paths", paths),
];

/// What is read as an amount is printed as the same amount.
pub fn money(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(amount) = Money::parse(text) {
        assert_eq!(Money::parse(&amount.to_string()), Ok(amount), "{text:?}");
    }
    let _ = Percent::parse(text);
}

/// What is read as an instant is printed as the same one, in zones with and without clock changes: to the minute, since
/// the local mean times of long ago have offsets that are not whole minutes, and RFC 3339 has no form for them.
pub fn times(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for name in ["America/New_York", "Asia/Kathmandu", "UTC"] {
        let Ok(zone) = Zone::parse(name) else { continue };
        if let Ok(instant) = zone.parse_instant(text) {
            let printed = zone.format(instant);
            // Where the other zone's year has five digits, it is printed in a form that nothing reads.
            if let Ok(again) = zone.parse_instant(&printed) {
                let apart = again.timestamp().abs_diff(instant.timestamp());
                assert!(apart < 60, "{text:?} {printed}");
            }
        }
    }
}

/// Number, expiry and security code, one a line: whatever they are, none is printed.
pub fn card(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut lines = text.split('\n');
    let fields = CardFields {
        number: lines.next(),
        expiry: lines.next(),
        cvc: lines.next(),
        brand: lines.next(),
        last_four: lines.next(),
        zip: lines.next(),
        holder_name: lines.next(),
    };
    let digits: String = fields.number.unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
    if let Ok(card) = Card::parse(&fields) {
        assert!(!format!("{card:?}").contains(&digits));
    }
}

/// A cart as created, as updated and as validated.
pub fn cart(bytes: &[u8]) {
    read(bytes, |checker, input: CartInput| input.parse_new(checker));
    read(bytes, |checker, input: CartInput| input.parse_source(checker));
    if let Ok(id) = CartId::parse("ffffffffffffffffffffffff") {
        read(bytes, |checker, input: CartInput| input.parse_update(checker, &id));
    }
}

/// A checkout: no fault quotes what was sent, which may be a card.
pub fn checkout(bytes: &[u8]) {
    read(bytes, |checker, input: CheckoutInput| input.parse(checker, Timestamp::UNIX_EPOCH));
}

/// An application of a merchant.
pub fn onboarding(bytes: &[u8]) {
    if let Ok(mut input) = read_body::<OnboardingInput>(bytes) {
        let _ = input.take_reference();
        let _ = input.read();
    }
}

/// Ids, tokens and addresses: what is read is written as it was, but for what its reader makes of letter case.
pub fn identifiers(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(id) = InstanceId::parse(text) {
        assert_eq!(id.to_string(), text);
    }
    if let Ok(id) = BoardingRefId::parse(text) {
        assert_eq!(BoardingRefId::parse(&id.to_string()), Ok(id));
    }
    if let Some(token) = LoginToken::parse(text) {
        assert_eq!(LoginToken::parse(&token.expose()).map(|again| again.expose()), Some(token.expose()));
    }
    if let Ok(site) = ConsumerSite::parse(text) {
        assert_eq!(ConsumerSite::parse(site.as_str()), Ok(site));
    }
    if is_email(text) {
        assert!(!text.contains(['\r', '\n', ' ', ',']), "{text:?}");
    }
}

/// The messages of the queue, and the events of both gateways' formats.
pub fn messages(bytes: &[u8]) {
    let _ = serde_json::from_slice::<MailJob>(bytes);
    let _ = serde_json::from_slice::<lambda_http::request::LambdaRequest>(bytes);
}

/// Paths, with whatever prefix: what is canonical stays as it is.
pub fn paths(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let once = canonical(text);
    assert_eq!(canonical(&once), once, "{text:?}");
}

/// Reads a body as its handler does. A refusal has a pointer and a message for each fault.
fn read<T: WireValue, R>(bytes: &[u8], parse: impl FnOnce(&mut Checker, T) -> Option<R>) {
    let Ok(input) = read_body::<T>(bytes) else { return };
    let mut checker = Checker::new();
    let value = parse(&mut checker, input);
    let _ = checker.finish(value);
}
