//! The adapter for Stripe against `localstripe`, somebody else's idea of how Stripe answers, running as a process.
//! It knows neither idempotency keys nor connected accounts, nor the suffix of a statement descriptor, and neither disputes
//! nor refunds that fail later.
//!
//! Needs Python 3 and PyPI, so it is built with the feature `localstripe` alone:
//! `cargo test --workspace --features blackbox/localstripe --test localstripe`. Without either it fails.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper fails its test by panicking")]

use adapters::clock::wall_now;
use adapters::processor::{CardProcessor, PaymentRequest, RefundRequest, Stripe, StripeProcessor};
use adapters::vault::{LocalVault, Vault};
use blackbox::repository;
use boxoffice::testing::Service;
use domain::card::{Card, CardBrand, CardFields};
use domain::card_token::{PaymentToken, SentCard, TokenAnswer};
use domain::payment::{BuyerAction, Confirmation, DeclineReason, FinalStatus, PaymentStatus, RefundAnswer};
use domain::stripe::{StripeAddress, StripeSettings, stripe_key_context};
use domain::stripe_event::webhook_secret_context;
use domain::tenant::{ProcessorKind, Tenant};
use domain::time::plus_secs;
use domain::{Mid, Money, OrderId, PaymentReference, RefundId, TenantId};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::Consistency;

/// What is installed, with everything it needs.
const PACKAGE: &str = "localstripe==1.15.10";
const KEY: &str = "sk_test_4eC39HqLyjWDarjtT1zdp7dc";
const WEBHOOK_SECRET: &str = "whsec_4eC39HqLyjWDarjtT1zdp7dc";
/// A card that localstripe charges, one that it refuses, and one whose issuer asks for 3-D Secure.
const GOOD: &str = "4242424242424242";
const REFUSED: &str = "4000000000000341";
const ASKS_BACK: &str = "4000002500003155";

fn succeed(command: &mut Command) {
    let output = command.output().unwrap_or_else(|fault| panic!("{command:?} cannot be run: {fault}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A Python with the package, installed below `target/` the first time.
fn python() -> PathBuf {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    let install = || {
        let home = repository().canonicalize().unwrap().join("target/localstripe");
        let (python, mark) = (home.join("bin/python"), home.join("wanted"));
        if std::fs::read_to_string(&mark).is_ok_and(|installed| installed == PACKAGE) {
            return python;
        }
        succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&home));
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE];
        succeed(Command::new(&python).args(pip));
        std::fs::write(&mark, PACKAGE).unwrap();
        python
    };
    PYTHON.get_or_init(install).clone()
}

/// A localstripe that runs until it is dropped.
struct LocalStripe {
    process: Child,
    address: StripeAddress,
    /// Kept open: it ends when it cannot print any more.
    _output: Lines<BufReader<ChildStdout>>,
}

impl LocalStripe {
    fn start() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let mut process = Command::new(python())
            .args(["-u", "-m", "localstripe", "--from-scratch", "--port", &port.to_string()])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // It says where it runs once it answers.
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let running = lines.by_ref().map_while(Result::ok).any(|line| line.contains("Running on"));
        assert!(running, "localstripe ended: {:?}", process.wait());
        let address = StripeAddress::parse(&format!("http://127.0.0.1:{port}")).unwrap();
        Self { process, address, _output: lines }
    }

    /// Amount and identity with us of each refund that it knows.
    fn refunds(&self) -> Vec<(i64, String)> {
        let mut stream = TcpStream::connect(self.address.as_str().trim_start_matches("http://")).unwrap();
        let head = format!("host: test\r\nauthorization: Bearer {KEY}\r\nconnection: close");
        write!(stream, "GET /v1/refunds?limit=100 HTTP/1.1\r\n{head}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let list: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        let refunds = list["data"].as_array().unwrap().iter();
        let named = |refund: &Value| refund["metadata"]["refund"].as_str().unwrap().to_owned();
        refunds.map(|refund| (refund["amount"].as_i64().unwrap(), named(refund))).collect()
    }

    /// A token of a card, made as the fields of its page library make it.
    fn tokenise(&self, number: &str) -> PaymentToken {
        let fields = [
            ("type", "card"),
            ("card[number]", number),
            ("card[exp_month]", "12"),
            ("card[exp_year]", "2030"),
            ("card[cvc]", "123"),
        ];
        let made = self.post("/v1/payment_methods", &fields);
        PaymentToken::parse(made["id"].as_str().unwrap()).unwrap()
    }

    fn post(&self, path: &str, fields: &[(&str, &str)]) -> Value {
        serde_json::from_str(&self.sent(path, fields)).unwrap()
    }

    /// Has it send its messages to a service, signed with this secret. Each goes to every address it was told.
    fn tell(&self, name: &str, service: SocketAddr, secret: &str) {
        let url = format!("http://{service}/v1/payment/webhooks/stripe/1001");
        let path = format!("/_config/webhooks/{name}");
        let answer = self.sent(&path, &[("url", url.as_str()), ("secret", secret)]);
        assert_eq!(answer, "");
    }

    fn sent(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let form: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let form = form.join("&");
        let mut stream = TcpStream::connect(self.address.as_str().trim_start_matches("http://")).unwrap();
        let head = format!(
            "host: test\r\nauthorization: Bearer {KEY}\r\nconnection: close\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {}",
            form.len()
        );
        write!(stream, "POST {path} HTTP/1.1\r\n{head}\r\n\r\n{form}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    async fn settings(&self, vault: &dyn Vault, tenant: TenantId) -> StripeSettings {
        let sealed = vault.seal(&stripe_key_context(tenant), KEY.as_bytes()).await.unwrap();
        let address = Some(self.address.clone());
        StripeSettings {
            sealed_key: hex::encode(sealed),
            address,
            accounts: BTreeMap::new(),
            publishable_key: None,
            webhook_secrets: Vec::new(),
        }
    }

    async fn processor(&self) -> StripeProcessor {
        let vault = Arc::new(LocalVault::in_memory().unwrap());
        let settings = self.settings(vault.as_ref(), tenant()).await;
        Stripe::new(vault, Arc::new(wall_now)).account_of(tenant(), &settings)
    }
}

impl Drop for LocalStripe {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn tenant() -> TenantId {
    TenantId::parse(1001).unwrap()
}

async fn open(stripe: &StripeProcessor, order: u64) -> PaymentReference {
    let payment = PaymentRequest {
        tenant: tenant(),
        order: OrderId::from_bits(order),
        amount: Money::from_cents(4_250),
        currency: Default::default(),
        mid: Mid::parse("60417").unwrap(),
        descriptor: String::new(),
        secured_at: wall_now(),
    };
    stripe.open(&payment).await.unwrap()
}

fn card(number: &str) -> SentCard {
    let fields = CardFields {
        number: Some(number),
        expiry: Some("1230"),
        cvc: Some("123"),
        zip: Some("94000"),
        holder_name: Some("Ines Okafor"),
        ..CardFields::default()
    };
    SentCard::Number(Box::new(Card::parse(&fields).unwrap()))
}

/// The reason and the processor's code of a decline.
fn declined(answer: Confirmation) -> (DeclineReason, String) {
    match answer {
        Confirmation::Declined(decline) => (decline.reason, decline.processor_code.unwrap()),
        Confirmation::Captured | Confirmation::AsksBuyer(_) => panic!("the card was not declined"),
    }
}

#[tokio::test]
async fn a_good_card_is_charged_once() {
    let local = LocalStripe::start();
    let stripe = local.processor().await;
    let reference = open(&stripe, 1).await;
    for _ in 0..2 {
        assert_eq!(stripe.confirm(&reference, &card(GOOD)).await, Ok(Confirmation::Captured));
        assert_eq!(stripe.cancel_or_status(&reference).await, Ok(FinalStatus::Succeeded));
    }
}

#[tokio::test]
async fn a_refused_card_ends_the_payment() {
    let local = LocalStripe::start();
    let stripe = local.processor().await;
    for (order, number, code) in [(1, REFUSED, "card_declined"), (2, ASKS_BACK, "authentication_required")] {
        let reference = open(&stripe, order).await;
        let answer = declined(stripe.confirm(&reference, &card(number)).await.unwrap());
        assert_eq!(answer, (DeclineReason::CardDeclined, code.to_owned()));
        assert_eq!(stripe.cancel_or_status(&reference).await, Ok(FinalStatus::Cancelled));
        let _ = declined(stripe.confirm(&reference, &card(GOOD)).await.unwrap());
        assert_eq!(stripe.cancel_or_status(&reference).await, Ok(FinalStatus::Cancelled));
    }
}

#[tokio::test]
async fn a_cancelled_payment_takes_no_card() {
    let local = LocalStripe::start();
    let stripe = local.processor().await;
    let reference = open(&stripe, 1).await;
    for _ in 0..2 {
        assert_eq!(stripe.cancel_or_status(&reference).await, Ok(FinalStatus::Cancelled));
    }
    let answer = declined(stripe.confirm(&reference, &card(GOOD)).await.unwrap());
    assert_eq!(answer, (DeclineReason::ProcessorError, "payment_cancelled".to_owned()));
}

#[tokio::test]
async fn a_refund_is_made_once() {
    let local = LocalStripe::start();
    let stripe = local.processor().await;
    let reference = open(&stripe, 1).await;
    assert_eq!(stripe.confirm(&reference, &card(GOOD)).await, Ok(Confirmation::Captured));
    for (id, cents) in [("refund_a", 1_000), ("refund_a", 1_000), ("refund_b", 250)] {
        let refund = RefundRequest {
            tenant: tenant(),
            order: OrderId::from_bits(1),
            mid: Mid::parse("60417").unwrap(),
            reference: reference.clone(),
            refund: RefundId::parse(id).unwrap(),
            amount: Money::from_cents(cents),
        };
        assert_eq!(stripe.refund(&refund).await, Ok(RefundAnswer::Refunded));
    }
    let mut refunds = local.refunds();
    refunds.sort();
    assert_eq!(refunds, [(250, "refund_b".to_owned()), (1_000, "refund_a".to_owned())]);
}

#[tokio::test]
async fn a_token_is_looked_up_and_charged_once() {
    let local = LocalStripe::start();
    let stripe = local.processor().await;
    let mid = Mid::parse("60417").unwrap();
    let token = local.tokenise(GOOD);
    let TokenAnswer::Card(found) = stripe.look_up(&token, &mid).await.unwrap() else {
        panic!("the token is unknown");
    };
    assert_eq!((found.brand, found.last_four.as_str()), (CardBrand::Visa, "4242"));
    let reference = open(&stripe, 1).await;
    for _ in 0..2 {
        let sent = SentCard::Token(token.clone());
        assert_eq!(stripe.confirm(&reference, &sent).await, Ok(Confirmation::Captured));
    }
    let refused = SentCard::Token(local.tokenise(REFUSED));
    let answer = declined(stripe.confirm(&open(&stripe, 2).await, &refused).await.unwrap());
    assert_eq!(answer, (DeclineReason::CardDeclined, "card_declined".to_owned()));
    let nobody = PaymentToken::parse("pm_3MtwBwLkdIwHu7ix28a3tqPa").unwrap();
    assert_eq!(stripe.look_up(&nobody, &mid).await, Ok(TokenAnswer::Unknown));
}

/// What the issuer of a card asks its buyer, by token.
async fn asked(local: &LocalStripe, stripe: &StripeProcessor) -> (PaymentReference, BuyerAction) {
    let reference = open(stripe, 1).await;
    let sent = SentCard::Token(local.tokenise(ASKS_BACK));
    let Confirmation::AsksBuyer(action) = stripe.confirm(&reference, &sent).await.unwrap() else {
        panic!("the buyer is not asked");
    };
    (reference, action)
}

/// The buyer answers the issuer of the card, as the page library does.
fn answer(local: &LocalStripe, reference: &PaymentReference, action: &BuyerAction, success: &str) {
    let path = format!("/v1/payment_intents/{reference}/_authenticate");
    local.post(&path, &[("client_secret", action.client_secret.expose()), ("success", success)]);
}

#[tokio::test]
async fn a_buyer_who_confirms_is_charged_once() {
    let local = LocalStripe::start();
    let stripe = local.processor().await;
    let (reference, action) = asked(&local, &stripe).await;
    let waiting = stripe.status(&reference).await;
    assert_eq!(waiting, Ok(PaymentStatus::AsksBuyer(action.clone())));
    answer(&local, &reference, &action, "true");
    assert_eq!(stripe.status(&reference).await, Ok(PaymentStatus::Succeeded));
    assert_eq!(stripe.cancel_or_status(&reference).await, Ok(FinalStatus::Succeeded));
}

#[tokio::test]
async fn a_buyer_who_does_not_confirm_or_walks_away_is_not_charged() {
    let local = LocalStripe::start();
    let stripe = local.processor().await;
    let (reference, action) = asked(&local, &stripe).await;
    answer(&local, &reference, &action, "false");
    match stripe.status(&reference).await {
        Ok(PaymentStatus::Refused(decline)) => {
            assert_eq!(decline.processor_code.as_deref(), Some("payment_intent_authentication_failure"));
        }
        other => panic!("{other:?}"),
    }
    let (abandoned, _) = asked(&local, &stripe).await;
    for reference in [reference, abandoned] {
        assert_eq!(stripe.cancel_or_status(&reference).await, Ok(FinalStatus::Cancelled));
        assert_eq!(stripe.status(&reference).await, Ok(PaymentStatus::Cancelled));
    }
}

#[tokio::test]
async fn what_was_not_charged_is_not_refunded() {
    let local = LocalStripe::start();
    let stripe = local.processor().await;
    let reference = open(&stripe, 1).await;
    let _ = declined(stripe.confirm(&reference, &card(REFUSED)).await.unwrap());
    let refund = RefundRequest {
        tenant: tenant(),
        order: OrderId::from_bits(1),
        mid: Mid::parse("60417").unwrap(),
        reference,
        refund: RefundId::parse("refund_a").unwrap(),
        amount: Money::from_cents(1_000),
    };
    let answer = stripe.refund(&refund).await;
    assert!(matches!(answer, Ok(RefundAnswer::Refused(_))), "{answer:?}");
    assert!(local.refunds().is_empty());
}

/// A service whose demo venue is charged by this localstripe, and hears its messages.
async fn service(local: &LocalStripe) -> Service {
    let service = Service::start().await;
    let mut settings = local.settings(service.app.vault.as_ref(), tenant()).await;
    let context = webhook_secret_context(tenant());
    let sealed = service.app.vault.seal(&context, WEBHOOK_SECRET.as_bytes()).await.unwrap();
    settings.webhook_secrets.push(hex::encode(sealed));
    let venue = service.store.load_tenant(tenant(), Consistency::Strong).await.unwrap().unwrap();
    let processor = ProcessorKind::Stripe(Box::new(settings));
    let venue = Tenant { processor, descriptor_prefix: String::new(), ..venue };
    service.store.save_tenant(&venue).await.unwrap();
    for mut merchant in service.store.load_merchants(tenant(), Consistency::Strong).await.unwrap() {
        merchant.descriptor = String::new();
        service.store.save_merchant(tenant(), &merchant).await.unwrap();
    }
    service
}

/// What a storefront's server sends.
const SHOP: [(&str, &str); 3] = [
    ("x-service-api-key", "demo-b2c-1001"),
    ("x-b2c-tenant-id", "1001"),
    ("x-service-browser-ip", "203.0.113.24"),
];

async fn pay(service: &Service, number: &str) -> (u16, Value) {
    pay_with(service, json!({"manualEntryCardNumber": number, "expDate": "1230", "cvc": "123"})).await
}

async fn pay_with(service: &Service, card: Value) -> (u16, Value) {
    let donation = json!({"itemType": "Inventory", "inventoryId": 1_001_003, "type": "donation", "quantity": 1, "unitPrice": "7.50"});
    let mut body = json!({
        "shoppingCart": {"items": [donation]},
        "billingFirstName": "Ines", "billingLastName": "Okafor", "billingEmail": "ines@example.org",
        "billingZipCode": "94000",
    });
    body.as_object_mut().unwrap().extend(card.as_object().unwrap().clone());
    let answer = service.request("POST", "/v2/b2c/checkout", &SHOP, Some(&body)).await;
    (answer.status, answer.body)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_checkout_is_charged_and_a_refused_one_leaves_nothing() {
    let local = LocalStripe::start();
    let service = service(&local).await;
    let (status, order) = pay(&service, GOOD).await;
    assert_eq!(status, 200, "{order}");
    let (status, refusal) = pay(&service, REFUSED).await;
    assert_eq!((status, &refusal["type"]), (402, &json!("CARD_DECLINED")), "{refusal}");
    assert_eq!(refusal["processorErrorCode"], "card_declined");
}

/// The order of a buyer who confirmed the payment, and closed the page without a word to the service.
async fn left_alone(local: &LocalStripe, service: &Service) -> String {
    let token = local.tokenise(ASKS_BACK);
    let (status, asked) = pay_with(service, json!({"paymentToken": token.expose()})).await;
    assert_eq!((status, &asked["type"]), (402, &json!("PAYMENT_ACTION_REQUIRED")), "{asked}");
    let secret = asked["clientSecret"].as_str().unwrap();
    let (reference, _) = secret.split_once("_secret").unwrap();
    let path = format!("/v1/payment_intents/{reference}/_authenticate");
    let answered = local.post(&path, &[("client_secret", secret), ("success", "true")]);
    assert_eq!(answered["status"], "succeeded");
    asked["orderId"].as_str().unwrap().to_owned()
}

/// How many orders the schedule finishes within so many seconds, which is long before their deadline.
async fn finished_within(service: &Service, secs: u32) -> u32 {
    for _ in 0..secs * 4 {
        tokio::time::sleep(Duration::from_millis(250)).await;
        let finished = service.cleanup(plus_secs(wall_now(), 1)).await.orders_finished;
        if finished > 0 {
            return finished;
        }
    }
    0
}

async fn complete(service: &Service, order: &str) -> (u16, Value) {
    let answer = service.request("POST", &format!("/v2/b2c/checkout/{order}/complete"), &SHOP, None).await;
    (answer.status, answer.body)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_sent_twice_has_the_schedule_finish_the_order_once() {
    let local = LocalStripe::start();
    let service = service(&local).await;
    let address = service.listen().await;
    for name in ["first", "again"] {
        local.tell(name, address, WEBHOOK_SECRET);
    }
    let order = left_alone(&local, &service).await;
    assert_eq!(finished_within(&service, 20).await, 1);
    assert_eq!(finished_within(&service, 2).await, 0);
    let (status, paid) = complete(&service, &order).await;
    assert_eq!((status, &paid["id"]), (200, &json!(order)), "{paid}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_with_another_secret_is_none_and_nothing_is_lost_by_it() {
    let local = LocalStripe::start();
    let service = service(&local).await;
    local.tell("forged", service.listen().await, "whsec_another");
    let order = left_alone(&local, &service).await;
    assert_eq!(finished_within(&service, 4).await, 0);
    let (status, paid) = complete(&service, &order).await;
    assert_eq!((status, &paid["id"]), (200, &json!(order)), "{paid}");
}
