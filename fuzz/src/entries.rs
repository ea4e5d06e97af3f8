//! Every parser of text that comes from outside, each as a function of bytes that must neither panic nor break its
//! law. The fuzz targets call them with whatever a fuzzer thinks of; a test calls them with every kept input.

use adapters::processor::{CardProcessor, PaymentRequest, RefundRequest, Stripe, StripeProcessor};
use adapters::vault::{LocalVault, Vault};
use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Request, Uri};
use boxoffice::document::Document;
use domain::card::{Card, CardFields};
use domain::card_token::{PaymentToken, SentCard};
use domain::compare::phone_digits;
use domain::coupon::folded_code;
use domain::login::LoginToken;
use domain::member_proof::MemberProof;
use domain::membership::Membership;
use domain::order_link::OrderToken;
use domain::outbox::MailJob;
use domain::stripe::{StripeAddress, StripeKey, StripeSettings, stripe_key_context};
use domain::tenant::ConsumerSite;
use domain::{
    BoardingRefId, CartId, EmailAddress, InstanceId, Mid, Money, OrderId, PaymentReference, Percent,
    RefundId, TenantId, Timestamp, Zone,
};
use serde_json::json;
use std::sync::{Arc, OnceLock};
use tokio::runtime::{Builder, Runtime};
use web::cart::Explain;
use web::paging::{Direction, PageQuery, Paging, SortField, Sorting};
use web::paths::canonical;
use web::query::{QueryReader, email};
use web::{IdempotencyKey, IfMatch};
use wire::cart::{CartInput, FormResponseInput};
use wire::catalog::Known;
use wire::checkout::CheckoutInput;
use wire::import::{ImportContext, read_document};
use wire::member::{LoginInput, MembershipInput};
use wire::onboarding::OnboardingInput;
use wire::opened_order::{OrderLinkInput, OrderTokenInput};
use wire::refund::RefundInput;
use wire::reservation::{ReservationInput, ReservationUpdateInput};
use wire::returns::{ExchangeInput, OrderRefundInput};
use wire::{Checker, WireValue, read_body};

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
    ("bodies", bodies),
    ("document", document),
    ("identifiers", identifiers),
    ("messages", messages),
    ("paths", paths),
    ("queries", queries),
    ("headers", headers),
    ("stripe", stripe),
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
        assert!(!format!("{:?}", card.number).contains(&digits));
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

/// The zone of those who say none.
pub fn zone() -> Option<Zone> {
    Zone::parse("America/New_York").ok()
}

/// A membership with the cards 1 and 2, of which the second is not in use.
pub fn membership() -> Option<&'static Membership> {
    static MEMBERSHIP: OnceLock<Option<Membership>> = OnceLock::new();
    MEMBERSHIP.get_or_init(made_membership).as_ref()
}

fn made_membership() -> Option<Membership> {
    let holder = json!({"first_name": "Ada", "last_name": "Lovelace"});
    let membership = json!({
        "id": 7, "number": 7, "level": "bb0000000000000000000001", "offering": "bf",
        "price_point": "aa0000000000000000000001", "joined": "2027-01-01T00:00:00Z",
        "started": "2027-01-01T00:00:00Z", "expires": "2028-01-01T00:00:00Z",
        "cards": [
            {"id": 1, "barcode": "AB1", "person": holder},
            {"id": 2, "barcode": "AB2", "person": holder, "standing": "dropped"},
        ],
    });
    serde_json::from_value(membership).ok()
}

/// The smaller bodies: reservations, refunds of sales and orders, exchanges, logins, links to orders, changes of
/// memberships, answers to a form.
pub fn bodies(bytes: &[u8]) {
    let (Some(zone), Some(membership)) = (zone(), membership()) else { return };
    read(bytes, |checker, input: ReservationInput| input.read(checker));
    read(bytes, |checker, input: ReservationUpdateInput| input.read(checker, zone));
    read(bytes, |checker, input: RefundInput| input.parse(checker));
    read(bytes, |checker, input: OrderRefundInput| input.read(checker));
    read(bytes, |checker, input: ExchangeInput| input.read(checker));
    read(bytes, |checker, input: LoginInput| input.read(checker));
    read(bytes, |checker, input: OrderLinkInput| input.read(checker));
    read(bytes, |checker, input: OrderTokenInput| input.read(checker));
    read(bytes, |checker, input: MembershipInput| input.read(checker, membership));
    read(bytes, |checker, input: FormResponseInput| input.parse(checker));
}

/// A document of an operator, in either spelling: with all that the back office writes as well.
pub fn document(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = Document::csv(text);
    let Ok(mut input) = read_document(text) else { return };
    let Some(zone) = input.take_tenant().ok().and_then(|tenant| tenant.zone).or_else(zone) else { return };
    let _ = input.read(ImportContext { zone, now: Timestamp::UNIX_EPOCH, known: Known::default() });
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
    if let Some(token) = OrderToken::parse(text) {
        assert_eq!(token.expose(), text);
    }
    if let Some(proof) = MemberProof::parse(text) {
        assert_eq!(proof.expose(), text);
    }
    if let Ok(site) = ConsumerSite::parse(text) {
        assert_eq!(ConsumerSite::parse(site.as_str()), Ok(site));
    }
    // What stands around an address does not belong to it.
    if let Ok(address) = EmailAddress::parse(text) {
        assert_eq!(EmailAddress::parse(text.trim()), Ok(address), "{text:?}");
        assert!(!text.trim().contains(['\r', '\n', ' ', ',']), "{text:?}");
    }
    assert_eq!(phone_digits(&phone_digits(text)), phone_digits(text));
    assert_eq!(folded_code(&folded_code(text)), folded_code(text), "{text:?}");
    let _ = StripeKey::parse(text);
    let _ = StripeAddress::parse(text);
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

static SORTING: Sorting<u8> = Sorting {
    fields: &[SortField { name: "number", compare: u8::cmp }],
    direction: Direction::Ascending,
    last: u8::cmp,
};

/// A query: a page has no more entries than it was asked for, and a range does not end before it begins.
pub fn queries(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(uri) = format!("/?{text}").parse::<Uri>() else { return };
    if let Ok(Query(page)) = Query::<PageQuery>::try_from_uri(&uri)
        && let Ok(paging) = Paging::parse(&page, &SORTING)
    {
        let size = page.page_size.as_deref().and_then(|size| size.trim().parse::<usize>().ok());
        let (entries, _) = paging.cut(vec![3, 1, 2]);
        assert!(entries.len() <= size.unwrap_or(3), "{text:?}");
    }
    let Ok(Query(pairs)) = Query::<Vec<(String, String)>>::try_from_uri(&uri) else { return };
    let Some(zone) = zone() else { return };
    let values: Vec<&str> = pairs.iter().map(|(_, value)| value.as_str()).collect();
    let mut reader = QueryReader::new();
    let (start, end) = (values.first().copied(), values.get(1).copied());
    let range = reader.range(start, end, zone, Timestamp::UNIX_EPOCH);
    if let Ok(range) = reader.finish(range) {
        assert!(range.from <= range.until, "{text:?}");
    }
    for value in values {
        assert!(!email(value).contains(' '));
    }
}

/// Headers, one a line: names that make a repetition known, revisions, and the wish for an explanation. What is a key is
/// visible ASCII.
pub fn headers(bytes: &[u8]) {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let mut request = Request::builder();
    for name in ["idempotency-key", "x-service-request-uuid", "if-match", "if-match", "x-service-explain"] {
        let value = lines.next().and_then(|line| HeaderValue::from_bytes(line).ok());
        request = value.into_iter().fold(request, |request, value| request.header(name, value));
    }
    let Ok(request) = request.body(()) else { return };
    let (mut parts, ()) = request.into_parts();
    let key = extracted::<IdempotencyKey>(&mut parts);
    if let Some(text) = key.as_ref().and_then(IdempotencyKey::text) {
        assert!(!text.is_empty() && text.bytes().all(|byte| (b' '..=b'~').contains(&byte) || byte == b'\t'));
    }
    if let Some(revisions) = extracted::<IfMatch>(&mut parts) {
        let _ = revisions.check("0123456789abcdef");
    }
    let _ = extracted::<Explain>(&mut parts);
}

fn extracted<T: FromRequestParts<()>>(parts: &mut Parts) -> Option<T> {
    on_one_thread()?.block_on(T::from_request_parts(parts, &())).ok()
}

/// A runtime for parsers behind a function that waits.
fn on_one_thread() -> Option<&'static Runtime> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    RUNTIME.get_or_init(|| Builder::new_current_thread().enable_time().build().ok()).as_ref()
}

/// Stripe that answers everything alike.
#[derive(Debug, Clone)]
struct Answering {
    status: StatusCode,
    body: Vec<u8>,
}

impl HttpConnector for Answering {
    fn call(&self, _: HttpRequest) -> HttpConnectorFuture {
        HttpConnectorFuture::ready(Ok(HttpResponse::new(self.status, SdkBody::from(self.body.clone()))))
    }
}

/// The statuses that Stripe answers with.
const STATUSES: [u16; 8] = [200, 400, 402, 404, 409, 429, 500, 503];

/// What Stripe answers: the status by the first byte, and the body.
pub fn stripe(bytes: &[u8]) {
    let Some(((first, body), runtime)) = bytes.split_first().zip(on_one_thread()) else { return };
    let Ok(status) = STATUSES[usize::from(*first) % STATUSES.len()].try_into() else { return };
    let answering = Answering { status, body: body.to_vec() };
    let Some((processor, payment, refund)) = runtime.block_on(asking(answering)) else { return };
    runtime.block_on(async {
        let _ = processor.open(&payment).await;
        let _ = processor.cancel_or_status(&refund.reference).await;
        let _ = processor.refund(&refund).await;
        for token in ["pm_1MtwBwLkdIwHu7ix28a3tqPa", "ctoken_1NnQUf2eZvKYlo2CIObdtbnb"] {
            let Ok(token) = PaymentToken::parse(token) else { return };
            let _ = processor.look_up(&token, &payment.mid).await;
            let _ = processor.confirm(&refund.reference, &SentCard::Token(token)).await;
        }
        let fields = CardFields {
            number: Some("4242424242424242"),
            expiry: Some("1240"),
            cvc: Some("123"),
            brand: None,
            last_four: None,
            zip: Some("94000"),
            holder_name: Some("Ines Okafor"),
        };
        if let Ok(card) = Card::parse(&fields) {
            let _ = processor.confirm(&refund.reference, &SentCard::Number(Box::new(card))).await;
        }
    });
}

/// A tenant's way to Stripe, and what it asks for.
async fn asking(answering: Answering) -> Option<(StripeProcessor, PaymentRequest, RefundRequest)> {
    static VAULT: OnceLock<Option<Arc<LocalVault>>> = OnceLock::new();
    let vault = VAULT.get_or_init(|| LocalVault::in_memory().ok().map(Arc::new)).clone()?;
    let (tenant, order) = (TenantId::parse(204).ok()?, OrderId::from_bits(7));
    let sealed = vault.seal(&stripe_key_context(tenant), b"sk_test_4eC39HqLyjWDarjtT1zdp7dc").await.ok()?;
    let sealed_key = sealed.iter().map(|byte| format!("{byte:02x}")).collect();
    let settings = StripeSettings {
        sealed_key,
        address: None,
        accounts: Default::default(),
        publishable_key: None,
        webhook_secrets: Vec::new(),
    };
    let stripe = Stripe::new(vault, Arc::new(|| Timestamp::UNIX_EPOCH)).over(answering);
    let (amount, mid) = (Money::from_cents(4250), Mid::parse("60417").ok()?);
    let payment = PaymentRequest {
        tenant,
        order: order.clone(),
        amount,
        currency: Default::default(),
        mid: mid.clone(),
        descriptor: "HARBOR".to_owned(),
        // So long ago that the payment is looked for first.
        secured_at: Timestamp::MIN_UTC,
    };
    let reference = PaymentReference::parse("pi_3MtwBwLkdIwHu7ix28a3tqPa").ok()?;
    let refund = RefundId::from_bytes([7; 16]);
    let refund = RefundRequest { tenant, order, mid, reference, refund, amount };
    Some((stripe.account_of(tenant, &settings), payment, refund))
}

/// Reads a body as its handler does. A refusal has a pointer and a message for each fault.
fn read<T: WireValue, R>(bytes: &[u8], parse: impl FnOnce(&mut Checker, T) -> Option<R>) {
    let Ok(input) = read_body::<T>(bytes) else { return };
    let mut checker = Checker::new();
    let value = parse(&mut checker, input);
    let _ = checker.finish(value);
}
