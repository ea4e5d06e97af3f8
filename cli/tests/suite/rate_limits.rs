//! Who asks too often is refused, and nobody else is.

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use boxoffice::testing::Service;
use domain::TenantId;
use domain::rate_limit::{Rate, RateLimit};
use engine::{Fault, FaultPlan, Throttling};
use serde_json::{Value, json};
use store::Consistency;
use testkit::Answer;
use testkit::cards::{DECLINED, GOOD};

const KEY: (&str, &str) = ("x-service-api-key", "demo-b2c-1001");
const PAGE: (&str, &str) = ("x-service-api-key", "demo-browser-1001");
const ORIGIN: (&str, &str) = ("origin", "http://localhost:3000");
const TENANT: (&str, &str) = ("x-b2c-tenant-id", "1001");
const ADA: (&str, &str) = ("x-service-browser-ip", "203.0.113.24");
const BOB: (&str, &str) = ("x-service-browser-ip", "203.0.113.25");
/// 20 seconds before the end of a window of a minute, and of one of an hour.
const NOW: (&str, &str) = ("x-service-test-now", "2027-05-01T10:59:40-04:00");
const LATER: (&str, &str) = ("x-service-test-now", "2027-05-01T11:00:00-04:00");

const PROCESSOR_ERROR: &str = "4000000000000119";

/// The demo venue with these limits. Another process, which has no older settings in its cache.
async fn limited(limits: &[(&str, &str)]) -> Service {
    let service = Service::start().await;
    let id = TenantId::parse(1001).unwrap();
    let mut tenant = service.store.load_tenant(id, Consistency::Strong).await.unwrap().unwrap();
    for (limit, rate) in limits {
        tenant.limits.insert(RateLimit::parse(limit).unwrap(), Rate::parse(rate).unwrap());
    }
    service.store.save_tenant(&tenant).await.unwrap();
    service.another_process(FaultPlan::new())
}

/// What a visitor asks for.
#[derive(Debug)]
struct Asked<'a> {
    method: &'a str,
    path: &'a str,
    body: Option<Value>,
}

impl<'a> Asked<'a> {
    fn get(path: &'a str) -> Self {
        Self { method: "GET", path, body: None }
    }

    fn post(path: &'a str, body: Value) -> Self {
        Self { method: "POST", path, body: Some(body) }
    }
}

async fn ask(service: &Service, asked: &Asked<'_>, headers: &[(&str, &str)]) -> Answer {
    service.request(asked.method, asked.path, headers, asked.body.as_ref()).await
}

/// `200`, or the type of the refusal.
fn outcome(answer: &Answer) -> String {
    let kind = answer.body["type"].as_str();
    kind.map_or_else(|| answer.status.to_string(), str::to_owned)
}

async fn outcomes(service: &Service, asked: &Asked<'_>, headers: &[&[(&str, &str)]]) -> Vec<String> {
    let mut seen = Vec::new();
    for headers in headers {
        seen.push(outcome(&ask(service, asked, headers).await));
    }
    seen
}

fn verification() -> Asked<'static> {
    Asked::get("/v2/b2c/membership/validate?membershipId=100100031")
}

fn cart_with(codes: Value) -> Asked<'static> {
    Asked::post("/v2/b2c/carts", json!({ "couponCodes": codes, "items": [] }))
}

/// A gift of so many dollars, paid with this card.
fn gift(dollars: u32, card: &str) -> Asked<'static> {
    let gift = json!({"itemType": "Inventory", "inventoryId": 1_001_003, "type": "donation", "quantity": 1,
        "unitPrice": format!("{dollars}.00")});
    let checkout = json!({
        "shoppingCart": {"items": [gift]}, "billingEmail": "buyer@example.test", "billingZipCode": "10004",
        "manualEntryCardNumber": card, "expDate": "1230", "cvc": "123",
    });
    Asked::post("/v2/b2c/checkout", checkout)
}

/// Payments that the processor was asked about.
async fn asked_processor(service: &Service) -> usize {
    let seen = service.request("GET", "/sandbox/processor", &[KEY], None).await;
    seen.body.as_array().unwrap().iter().filter(|payment| payment["tenantId"] == 1001).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_asks_so_often_only_and_is_told_when_to_come_back() {
    let exists = "/v2/b2c/membership/exists?email=ada@example.test";
    let link = "/v2/b2c/membership/validate/login";
    let mail = "/v2/b2c/membership/validate/login?email=ada@example.test";
    let cases: [(&str, Asked<'_>, &str); 6] = [
        ("verifications-per-address", verification(), "200"),
        ("verifications-per-address", Asked::get(exists), "200"),
        ("login-mails-per-address", Asked::get(mail), "204"),
        ("logins-per-address", Asked::post(link, json!({"token": "x"})), "LOGIN_TOKEN_NOT_VALID"),
        ("unknown-coupons-per-address", cart_with(json!(["GUESS"])), "200"),
        ("card-payments-per-address", gift(1, DECLINED), "CARD_DECLINED"),
    ];
    let limits: Vec<(&str, &str)> = cases.iter().map(|(limit, ..)| (*limit, "2/3600")).collect();
    let service = limited(&limits).await;
    for (number, (limit, asked, usual)) in cases.iter().enumerate() {
        let [ada, bob] = ["203.0.113", "198.51.100"].map(|network| format!("{network}.{number}"));
        let from = |address| [KEY, TENANT, ("x-service-browser-ip", address), NOW];
        let (ada, bob, later) =
            (from(&ada), from(&bob), [KEY, TENANT, ("x-service-browser-ip", ada.as_str()), LATER]);
        assert_eq!(outcomes(&service, asked, &[&ada, &ada]).await, [*usual; 2], "{limit}");
        let refused = ask(&service, asked, &ada).await;
        assert_eq!((refused.status, outcome(&refused).as_str()), (429, "THROTTLED"), "{limit}");
        assert_eq!(refused.header("retry-after"), "20", "{limit}");
        assert_eq!(refused.body["message"], "Too many requests; try again later", "{limit}");
        assert_eq!(outcomes(&service, asked, &[&bob, &later]).await, [*usual; 2], "{limit}");
        if *limit != "card-payments-per-address" {
            assert_eq!(outcomes(&service, asked, &[&[KEY, TENANT, NOW]]).await, [*usual], "{limit}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_names_no_address_is_counted_alone_and_each_key_for_itself() {
    let service = limited(&[("verifications-per-key", "2/3600")]).await;
    let mut own = service.app.api_key(KEY.1).await.unwrap().as_ref().clone().unwrap();
    "second".clone_into(&mut own.label);
    service.store.save_api_key(&store::identity::key_hash("second"), &own).await.unwrap();
    let (nobody, ada, second) = ([KEY, NOW], [KEY, ADA, NOW], [("x-service-api-key", "second"), NOW]);
    let headers: [&[(&str, &str)]; 5] = [&nobody, &nobody, &nobody, &ada, &second];
    let seen = outcomes(&service, &verification(), &headers).await;
    assert_eq!(seen, ["200", "200", "THROTTLED", "200", "200"]);
    let zoo = [("x-service-api-key", "demo-b2c-1002"), NOW];
    assert_eq!(outcomes(&service, &verification(), &[&zoo]).await, ["200"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_counted_by_where_it_is_and_not_by_what_it_says() {
    let service = limited(&[("unknown-coupons-per-address", "1/3600")]).await;
    let [ada, bob] = [ADA, BOB].map(|visitor| [PAGE, ORIGIN, TENANT, visitor, NOW]);
    let seen = outcomes(&service, &cart_with(json!(["GUESS"])), &[&ada, &bob]).await;
    assert_eq!(seen, ["200", "THROTTLED"]);
    let refused = ask(&service, &cart_with(json!(["GUESS"])), &ada).await;
    assert_eq!(refused.header("access-control-allow-origin"), ORIGIN.1);
    assert!(refused.header("access-control-expose-headers").contains("retry-after"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mailbox_is_not_flooded_and_nobody_is_told() {
    // The usual limit of a live tenant.
    let usual = RateLimit::LoginMailsPerMailbox.default_rate().to_string();
    let service = limited(&[("login-mails-per-mailbox", &usual)]).await;
    let path = "/v2/b2c/membership/validate/login?email=";
    let spelled = ["ada.lindqvist@example.test", "ADA.Lindqvist@Example.test"];
    for visit in 0..12 {
        let ip = format!("198.51.100.{visit}");
        let email = spelled[visit % 2];
        let headers = [KEY, NOW, ("x-service-browser-ip", ip.as_str())];
        let answer = ask(&service, &Asked::get(&format!("{path}{email}")), &headers).await;
        assert_eq!((answer.status, answer.bytes.len()), (204, 0), "{visit}");
    }
    service.deliver_mail().await;
    let sent = service.request("GET", "/sandbox/outbox", &[KEY], None).await;
    assert_eq!(sent.body.as_array().unwrap().len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_guesses_codes_learns_of_no_good_one_either() {
    let service = limited(&[("unknown-coupons-per-address", "3/3600")]).await;
    let ada = [KEY, TENANT, ADA, NOW];
    let made = ask(&service, &cart_with(json!([])), &ada).await;
    let id = made.body.as_str().unwrap().to_owned();
    let path = format!("/v2/b2c/carts/{id}");
    let put = |codes: Value| {
        let body = json!({"id": id, "couponCodes": codes, "items": []});
        Asked { method: "PUT", path: &path, body: Some(body) }
    };
    let good = json!(["WELCOME10"]);
    for _ in 0..5 {
        assert_eq!(outcomes(&service, &put(good.clone()), &[&ada]).await, ["200"]);
    }
    let guesses = json!(["A", "B", "a", "WELCOME10"]);
    assert_eq!(outcomes(&service, &put(guesses), &[&ada]).await, ["200"]);
    let keyed = [KEY, TENANT, ADA, NOW, ("idempotency-key", "one")];
    let cart = |codes: Value| json!({"couponCodes": codes, "items": []});
    let entitlements = |codes: Value| Asked::post("/v2/b2c/entitlements/validate", cart(codes));
    assert_eq!(outcomes(&service, &entitlements(json!(["C", "D"])), &[&ada]).await, ["THROTTLED"]);
    for asked in [put(good.clone()), cart_with(good.clone()), entitlements(good.clone())] {
        assert_eq!(outcomes(&service, &asked, &[&ada]).await, ["THROTTLED"], "{asked:?}");
    }
    assert_eq!(outcomes(&service, &cart_with(good.clone()), &[&keyed]).await, ["THROTTLED"]);
    let mut checkout = gift(1, GOOD);
    checkout.body.as_mut().unwrap()["shoppingCart"]["couponCodes"] = good.clone();
    checkout.body.as_mut().unwrap()["dryRun"] = json!(true);
    assert_eq!(outcomes(&service, &checkout, &[&ada]).await, ["THROTTLED"]);
    // A cart that was refused is not there, and carts without codes are as ever.
    assert_eq!(outcomes(&service, &put(json!([])), &[&ada]).await, ["200"]);
    assert_eq!(outcomes(&service, &cart_with(good), &[&[KEY, TENANT, BOB, NOW]]).await, ["200"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn cards_are_not_tested_here() {
    let service = limited(&[("declined-cards-per-address", "3/3600")]).await;
    let [ada, bob] = [ADA, BOB].map(|visitor| [KEY, TENANT, visitor, NOW]);
    // Money that is paid, and a processor that cannot decide, are held against nobody.
    for dollars in 1..=5 {
        assert_eq!(outcomes(&service, &gift(dollars, GOOD), &[&ada]).await, ["200"]);
        let failed = outcomes(&service, &gift(dollars, PROCESSOR_ERROR), &[&ada]).await;
        assert_eq!(failed, ["PAYMENT_PROCESSOR_ERROR"]);
    }
    for dollars in 11..=13 {
        assert_eq!(outcomes(&service, &gift(dollars, DECLINED), &[&ada]).await, ["CARD_DECLINED"]);
    }
    let before = asked_processor(&service).await;
    for card in [DECLINED, GOOD] {
        let refused = ask(&service, &gift(14, card), &ada).await;
        assert_eq!((outcome(&refused).as_str(), refused.header("retry-after")), ("THROTTLED", "20"));
    }
    assert_eq!(asked_processor(&service).await, before);
    assert_eq!(outcomes(&service, &gift(15, GOOD), &[&bob]).await, ["200"]);
    let later = [KEY, TENANT, ADA, LATER];
    assert_eq!(outcomes(&service, &gift(16, GOOD), &[&later]).await, ["200"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_makes_up_addresses_tests_no_cards_either() {
    let service = limited(&[("declined-cards-per-key", "4/3600")]).await;
    let mut seen = Vec::new();
    for visit in 0..6 {
        let ip = format!("2001:db8:{visit}::1");
        let headers = [KEY, TENANT, NOW, ("x-service-browser-ip", ip.as_str())];
        seen.push(outcome(&ask(&service, &gift(visit + 1, DECLINED), &headers).await));
    }
    assert_eq!(seen[..4], ["CARD_DECLINED"; 4]);
    assert_eq!(seen[4..], ["THROTTLED"; 2]);
    let page = [PAGE, ORIGIN, TENANT, NOW];
    let mut own = gift(30, GOOD);
    own.path = "/v2/b2c/cors/checkout";
    assert_eq!(outcomes(&service, &own, &[&page]).await, ["200"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn cards_tried_at_once_are_counted_one_by_one() {
    let service = limited(&[("card-payments-per-address", "7/3600")]).await;
    let ada = [KEY, TENANT, ADA, NOW];
    let requests: Vec<Asked<'_>> = (1..=20).map(|dollars| gift(dollars, DECLINED)).collect();
    let answers = join(requests.iter().map(|asked| ask(&service, asked, &ada))).await;
    let allowed = answers.iter().filter(|answer| outcome(answer) != "THROTTLED").count();
    assert_eq!(allowed, 7);
    assert_eq!(asked_processor(&service).await, 7);
}

async fn join<F: Future<Output = Answer>>(all: impl Iterator<Item = F>) -> Vec<Answer> {
    let mut running: Vec<_> = all.map(Box::pin).collect();
    let mut done: Vec<Option<Answer>> = running.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (task, slot) in running.iter_mut().zip(&mut done).filter(|(_, slot)| slot.is_none()) {
            if let std::task::Poll::Ready(answer) = task.as_mut().poll(context) {
                *slot = Some(answer);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_answer_is_given_again_however_often_it_is_asked_for() {
    let service = limited(&[("card-payments-per-address", "1/3600")]).await;
    let keyed = [KEY, TENANT, ADA, NOW, ("idempotency-key", "one")];
    let first = ask(&service, &gift(1, GOOD), &keyed).await;
    assert_eq!(outcome(&first), "200");
    for _ in 0..3 {
        let again = ask(&service, &gift(1, GOOD), &keyed).await;
        assert_eq!((again.status, again.header("x-service-replayed")), (200, "true"));
        assert_eq!(again.body, first.body);
    }
    let other = [KEY, TENANT, ADA, NOW, ("idempotency-key", "two")];
    assert_eq!(outcomes(&service, &gift(2, GOOD), &[&other]).await, ["THROTTLED"]);
    // A check of a checkout tries no card.
    let mut check = gift(3, GOOD);
    check.body.as_mut().unwrap()["dryRun"] = json!(true);
    assert_eq!(outcomes(&service, &check, &[&other]).await, ["200"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn doors_and_carts_stay_open_while_nothing_can_be_counted_and_cards_are_not_charged() {
    let service = limited(&[]).await;
    let ada = [KEY, TENANT, ADA, NOW];
    let mail = Asked::get("/v2/b2c/membership/validate/login?email=ada@example.test");
    for (asked, uncounted) in [
        (verification(), "200"),
        (cart_with(json!(["GUESS"])), "200"),
        (mail, "TRY_AGAIN"),
        (gift(1, GOOD), "TRY_AGAIN"),
    ] {
        // Fills the caches.
        ask(&service, &asked, &ada).await;
        let depth = service.queue.depth();
        let charged = asked_processor(&service).await;
        service.plan.reset();
        for nth in 0..20 {
            service.plan.at_operation("UpdateItem", nth, Fault::Throttle(Throttling::Table));
        }
        let answer = ask(&service, &asked, &ada).await;
        assert_eq!(outcome(&answer), uncounted, "{asked:?}");
        assert!(!service.plan.injected().is_empty(), "{asked:?}");
        service.plan.reset();
        assert_eq!((service.queue.depth(), asked_processor(&service).await), (depth, charged), "{asked:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asked_cannot_be_read_from_the_counts_and_they_expire() {
    let service = limited(&[]).await;
    let ada = [KEY, TENANT, ADA, NOW];
    for asked in [
        verification(),
        Asked::get("/v2/b2c/membership/validate/login?email=ada@example.test"),
        gift(1, DECLINED),
    ] {
        ask(&service, &asked, &ada).await;
    }
    let scan = service.embedded.client().scan().table_name("boxoffice-carts").send().await.unwrap();
    let counts: Vec<_> =
        scan.items().iter().filter(|item| item["pk"].as_s().unwrap().contains("#RATE#")).collect();
    // One verification, a mail by visitor and mailbox, a payment, and a declined card by visitor and key.
    assert_eq!(counts.len(), 6);
    for item in counts {
        let names: std::collections::BTreeSet<&str> = item.keys().map(String::as_str).collect();
        assert_eq!(names, ["counted", "pk", "sk", "ttl"].into());
        let text = format!("{item:?}");
        assert!(!text.contains("203.0.113") && !text.contains("example.test"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_searches_for_members_so_often_only() {
    let service = limited(&[("members-searched-per-key", "2/60")]).await;
    let staff = ("x-service-api-key", "demo-b2b-1001");
    let text = Asked::get("/v2/b2b/membership/summaries/search?search=lindqvist");
    let fields = Asked::get("/v2/b2b/membership/summaries/advancedsearch?lastName=lindqvist");
    let cards = Asked::get("/v2/b2b/membership/cards?memberId=100100031");
    for (number, asked) in [&text, &fields].into_iter().enumerate() {
        let from = format!("203.0.113.{number}");
        let headers = [staff, NOW, ("x-service-browser-ip", from.as_str())];
        assert_eq!(outcomes(&service, asked, &[&headers]).await, ["200"]);
    }
    for asked in [&text, &fields] {
        let refused = ask(&service, asked, &[staff, NOW]).await;
        assert_eq!((refused.status, refused.header("retry-after")), (429, "20"), "{}", refused.body);
    }
    assert_eq!(outcomes(&service, &cards, &[&[staff, NOW]]).await, ["200"]);
    assert_eq!(outcomes(&service, &text, &[&[staff, LATER]]).await, ["200"]);
}

/// Applications are counted by the partner's key, wherever they come from, and nobody is kept from the answer to one
/// that was made.
#[tokio::test(flavor = "multi_thread")]
async fn a_partner_makes_so_many_applications_only() {
    let service = limited(&[("applications-per-key", "2/3600")]).await;
    let partner = ("x-service-payment-key", "demo-partner-1001");
    let application = |number: u8| {
        let body = json!({"boardingRefId": format!("5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f3{number:02}"), "dbaName": "Pier"});
        Asked::post("/v1/payment/onboard", body)
    };
    for number in [1, 2] {
        let from = format!("203.0.113.{number}");
        let headers = [partner, NOW, ("x-service-browser-ip", from.as_str())];
        assert_eq!(outcomes(&service, &application(number), &[&headers]).await, ["200"]);
    }
    let refused = ask(&service, &application(3), &[partner, NOW]).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, "20"), "{}", refused.body);
    assert_eq!(outcomes(&service, &application(1), &[&[partner, NOW]]).await, ["200"]);
    let other = json!({"boardingRefId": "5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f301"});
    let other = Asked::post("/v1/payment/onboard", other);
    assert_eq!(outcomes(&service, &other, &[&[partner, NOW]]).await, ["THROTTLED"]);
    assert_eq!(outcomes(&service, &application(3), &[&[partner, LATER]]).await, ["200"]);
}
