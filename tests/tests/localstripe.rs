//! The adapter for Stripe against `localstripe`, somebody else's idea of how Stripe answers, running as a process.
//! It knows neither idempotency keys nor connected accounts, nor the suffix of a statement descriptor.
//!
//! Needs Python 3 and PyPI, so it is built with the feature `localstripe` alone:
//! `cargo test --workspace --features blackbox/localstripe --test localstripe`. Without either it fails.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper fails its test by panicking")]

use blackbox::repository;
use boxoffice::testing::Service;
use domain::card::{Card, CardFields};
use domain::payment::{Confirmation, DeclineReason, FinalStatus, RefundAnswer};
use domain::stripe::{StripeAddress, StripeSettings, stripe_key_context};
use domain::tenant::{ProcessorKind, Tenant};
use domain::{Mid, Money, OrderId, PaymentReference, RefundId, TenantId};
use platform::clock::wall_now;
use platform::processor::{CardProcessor, PaymentRequest, RefundRequest, Stripe, StripeProcessor};
use platform::vault::{LocalVault, Vault};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, OnceLock};
use store::Consistency;

/// What is installed, with everything it needs.
const PACKAGE: &str = "localstripe==1.15.10";
const KEY: &str = "sk_test_4eC39HqLyjWDarjtT1zdp7dc";
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

    async fn settings(&self, vault: &dyn Vault, tenant: TenantId) -> StripeSettings {
        let sealed = vault.seal(&stripe_key_context(tenant), KEY.as_bytes()).await.unwrap();
        let address = Some(self.address.clone());
        StripeSettings { sealed_key: hex::encode(sealed), address, accounts: BTreeMap::new() }
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
        mid: Mid::parse("60417").unwrap(),
        descriptor: String::new(),
        secured_at: wall_now(),
    };
    stripe.open(&payment).await.unwrap()
}

fn card(number: &str) -> Card {
    let fields = CardFields {
        number: Some(number),
        expiry: Some("1230"),
        cvc: Some("123"),
        zip: Some("94000"),
        holder_name: Some("Ines Okafor"),
        ..CardFields::default()
    };
    Card::parse(&fields).unwrap()
}

/// The reason and the processor's code of a decline.
fn declined(answer: Confirmation) -> (DeclineReason, String) {
    match answer {
        Confirmation::Declined(decline) => (decline.reason, decline.processor_code.unwrap()),
        Confirmation::Captured => panic!("the card was charged"),
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

/// A service whose demo venue is charged by this localstripe.
async fn service(local: &LocalStripe) -> Service {
    let service = Service::start().await;
    let settings = local.settings(service.app.vault.as_ref(), tenant()).await;
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

async fn pay(service: &Service, number: &str) -> (u16, Value) {
    let donation = json!({"itemType": "Inventory", "inventoryId": 1_001_003, "type": "donation", "quantity": 1, "unitPrice": "7.50"});
    let body = json!({
        "shoppingCart": {"items": [donation]},
        "billingFirstName": "Ines", "billingLastName": "Okafor", "billingEmail": "ines@example.org",
        "billingZipCode": "94000", "manualEntryCardNumber": number, "expDate": "1230", "cvc": "123",
    });
    let headers = [
        ("x-service-api-key", "demo-b2c-1001"),
        ("x-b2c-tenant-id", "1001"),
        ("x-service-browser-ip", "203.0.113.24"),
    ];
    let answer = service.request("POST", "/v2/b2c/checkout", &headers, Some(&body)).await;
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
