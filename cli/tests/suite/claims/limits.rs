//! What can be guessed or flooded stops at its limit, on every path that takes a number, a code or an address. The
//! table is that of `docs/SECURITY.md`.

use crate::claims::{
    CARTS, CREW, GALLERY, LOGIN, NOW, NUMBER, PAY, PAY_ON_PAGE, RULES, VALIDATE, Visitor, checkout, gift,
    limit, proof, set, tickets,
};
use boxoffice::testing::Service;
use domain::Timestamp;
use domain::time::plus_secs;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::Answer;

/// One path and what it takes.
struct Guessed {
    /// As the document of the interface names it.
    operation: &'static str,
    visitor: Visitor,
    path: String,
    body: Value,
    /// The limit that stops it, without `-per-address` and `-per-key`.
    limit: &'static str,
    /// Whether it is counted by the key whatever addresses it names.
    whole_key: bool,
    /// The answer as long as it is within the limit.
    usual: &'static str,
}

/// The browsing routes, at their shortest.
pub(crate) fn browsing(slot: &str) -> Vec<String> {
    let templates = "/v2/b2c/event/templates";
    vec![
        templates.to_owned(),
        format!("{templates}/slim"),
        format!("{templates}/summaries"),
        format!("{templates}/{GALLERY}"),
        format!("{templates}/{GALLERY}/times?startTime=2027-05-01T00:00:00"),
        format!("{templates}/{GALLERY}/instances?startTime=2027-05-01T00:00:00"),
        format!("{templates}/times?startTime=2027-05-01T00:00:00"),
        format!("{templates}/calendar?startTime=2027-05-01T00:00:00"),
        format!("{templates}/{GALLERY}/calendar?startTime=2027-05-01T00:00:00"),
        format!("/v2/b2c/events/{GALLERY}/nextAvailable"),
        format!("/v2/b2c/events/{slot}"),
    ]
}

const BROWSING: [&str; 11] = [
    "GET /v2/b2c/event/templates",
    "GET /v2/b2c/event/templates/slim",
    "GET /v2/b2c/event/templates/summaries",
    "GET /v2/b2c/event/templates/{templateId}",
    "GET /v2/b2c/event/templates/{templateId}/times",
    "GET /v2/b2c/event/templates/{templateId}/instances",
    "GET /v2/b2c/event/templates/times",
    "GET /v2/b2c/event/templates/calendar",
    "GET /v2/b2c/event/templates/{templateId}/calendar",
    "GET /v2/b2c/events/{templateId}/nextAvailable",
    "GET /v2/b2c/events/{instanceId}",
];

fn kind(answer: &Answer) -> String {
    let refusal = answer.body["type"].as_str().filter(|_| answer.status >= 400);
    refusal.map_or_else(|| answer.status.to_string(), str::to_owned)
}

const MEMBERSHIPS: &str = "unknown-memberships";
const COUPONS: &str = "unknown-coupons";
const OF_PAGES: &str = "page-verifications";

/// Everything that can be guessed, by servers and by pages.
fn guesses(slot: &str, cart: &str) -> Vec<Guessed> {
    let mut all = browsed(slot);
    all.extend(carts(slot, cart));
    let (server, page) = (Visitor::of_server(), Visitor::of_page());
    let body = Value::Null;
    let token = json!({"token": "x"});
    let no_token = "LOGIN_TOKEN_NOT_VALID";
    let verified = format!("{VALIDATE}?membershipId=77&lastName=x");
    let email = format!("{LOGIN}?email=nobody@example.test");
    let exists = "/v2/b2c/membership/exists?email=nobody@example.test".to_owned();
    let wanted = json!({"orderNumber": "100000009", "email": "nobody@example.test"});
    let [link, open, again] = ["/v2/b2c/orders/link", "/v2/b2c/orders/open", "/v2/b2c/orders/open/email"];
    let one =
        |operation, visitor: &Visitor, (path, body): (&str, &Value), (limit, whole_key), usual| Guessed {
            operation,
            visitor: visitor.clone(),
            path: path.to_owned(),
            body: body.clone(),
            limit,
            whole_key,
            usual,
        };
    let [validate, mail, log_in] = [
        "GET /v2/b2c/membership/validate",
        "GET /v2/b2c/membership/validate/login",
        "POST /v2/b2c/membership/validate/login",
    ];
    all.extend([
        one(validate, &server, (&verified, &body), (MEMBERSHIPS, true), "200"),
        one(validate, &server, (&verified, &body), ("verifications", false), "200"),
        one(validate, &page, (&verified, &body), (MEMBERSHIPS, true), "200"),
        one(validate, &page, (&verified, &body), (OF_PAGES, false), "200"),
        one("GET /v2/b2c/membership/exists", &server, (&exists, &body), ("verifications", false), "200"),
        one(mail, &server, (&email, &body), ("login-mails", false), "204"),
        one(mail, &page, (&email, &body), (OF_PAGES, false), "204"),
        one(log_in, &server, (LOGIN, &token), ("logins", false), no_token),
        one(log_in, &page, (LOGIN, &token), (OF_PAGES, false), no_token),
    ]);
    for visitor in [&server, &page] {
        all.extend([
            one("POST /v2/b2c/orders/link", visitor, (link, &wanted), ("login-mails", false), "204"),
            one("POST /v2/b2c/orders/open", visitor, (open, &token), ("logins", false), no_token),
            one("POST /v2/b2c/orders/open/email", visitor, (again, &token), ("logins", false), no_token),
        ]);
    }
    all
}

fn browsed(slot: &str) -> Vec<Guessed> {
    let mut all = Vec::new();
    for (operation, path) in BROWSING.into_iter().zip(browsing(slot)) {
        let sign = if path.contains('?') { '&' } else { '?' };
        for (visitor, number, whole_key) in
            [(Visitor::of_server(), 77, true), (Visitor::of_page(), NUMBER, false)]
        {
            let path = format!("{path}{sign}membershipId={number}");
            let (limit, usual, body) = (MEMBERSHIPS, "200", Value::Null);
            all.push(Guessed { operation, visitor, path, body, limit, whole_key, usual });
        }
    }
    all
}

fn carts(slot: &str, cart: &str) -> Vec<Guessed> {
    let mut all = Vec::new();
    let items = json!([tickets(slot, 1), gift(1)]);
    for (limit, field, value) in
        [(COUPONS, "couponCodes", json!(["GUESS"])), (MEMBERSHIPS, "membershipIds", json!([77]))]
    {
        for visitor in [Visitor::of_server(), Visitor::of_page()] {
            let is_page = visitor.key.contains("browser");
            let is_believed = limit == MEMBERSHIPS && !is_page;
            let mut sent = json!({"items": items});
            sent[field] = value.clone();
            let mut put = sent.clone();
            put["id"] = json!(cart);
            let mut look = checkout(&sent, Some("4242424242424242"));
            look["dryRun"] = json!(true);
            let (usual, whole_key) =
                if is_believed { ("NOT_FOUND", true) } else { ("200", limit == COUPONS) };
            let (pay, path) = if is_page {
                ("POST /v2/b2c/cors/checkout", PAY_ON_PAGE)
            } else {
                ("POST /v2/b2c/checkout", PAY)
            };
            // A look at a checkout tells what it finds.
            for (operation, path, body, usual) in [
                ("POST /v2/b2c/carts", CARTS, &sent, usual),
                ("PUT /v2/b2c/carts/{id}", format!("{CARTS}/{cart}").as_str(), &put, usual),
                ("POST /v2/b2c/entitlements/validate", RULES, &sent, usual),
                ("PUT /v2/b2c/entitlements/validate", RULES, &sent, usual),
                (pay, path, &look, "200"),
            ] {
                let (visitor, path, body) = (visitor.clone(), path.to_owned(), body.clone());
                all.push(Guessed { operation, visitor, path, body, limit, whole_key, usual });
            }
        }
    }
    all
}

impl Guessed {
    async fn ask(&self, service: &Service, visitor: &Visitor) -> String {
        let (method, _) = self.operation.split_once(' ').unwrap();
        kind(&visitor.ask(service, method, &self.path, &self.body).await)
    }

    fn name(&self) -> String {
        format!("{} {} against {}", self.visitor.key, self.operation, self.limit)
    }
}

/// A clock of its own for each row, so that none meets what another one counted.
fn clock_of(row: usize) -> &'static str {
    let hours = i64::try_from(row).unwrap() * 2;
    plus_secs(NOW.parse::<Timestamp>().unwrap(), hours * -3_600).to_rfc3339().leak()
}

async fn cart_of(service: &Service) -> String {
    let made = Visitor::of_server().from("198.51.100.99").ok(service, "POST", CARTS, &json!({})).await;
    made.as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_guess_of_an_address_stops_at_its_limit() {
    let venue = Service::start().await;
    let slot = Visitor::of_server().slot(&venue).await;
    let cart = cart_of(&venue).await;
    for (number, guess) in guesses(&slot, &cart).iter().enumerate() {
        let name = format!("{}-per-address", guess.limit);
        let service = set(&venue, |tenant| limit(tenant, &name, "2/3600")).await;
        let visitor = guess.visitor.at(clock_of(number));
        for _ in 0..2 {
            assert_eq!(guess.ask(&service, &visitor).await, guess.usual, "{}", guess.name());
        }
        assert_eq!(guess.ask(&service, &visitor).await, "THROTTLED", "{}", guess.name());
        if !visitor.key.contains("browser") {
            let other = visitor.from("198.51.100.7");
            assert_eq!(guess.ask(&service, &other).await, guess.usual, "{}", guess.name());
        }
        set(&venue, |tenant| tenant.limits.clear()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_guess_of_a_key_stops_at_its_limit_whatever_addresses_it_names() {
    let venue = Service::start().await;
    let slot = Visitor::of_server().slot(&venue).await;
    let cart = cart_of(&venue).await;
    for (number, guess) in guesses(&slot, &cart).iter().filter(|guess| guess.whole_key).enumerate() {
        let name = format!("{}-per-key", guess.limit);
        let service = set(&venue, |tenant| limit(tenant, &name, "2/3600")).await;
        let visitor = guess.visitor.at(clock_of(number));
        for (address, expected) in
            [("203.0.113.1", guess.usual), ("203.0.113.2", guess.usual), ("203.0.113.3", "THROTTLED")]
        {
            assert_eq!(guess.ask(&service, &visitor.from(address)).await, expected, "{}", guess.name());
        }
        set(&venue, |tenant| tenant.limits.clear()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_guesses_numbers_learns_of_no_good_one_either_and_a_member_with_a_proof_is_not_kept_out() {
    let venue = Service::start().await;
    let service = set(&venue, |tenant| {
        limit(tenant, "unknown-memberships-per-address", "2/3600");
        limit(tenant, "unknown-memberships-per-key", "2/3600");
    })
    .await;
    let (server, page) = (Visitor::of_server(), Visitor::of_page());
    let slot = server.slot(&service).await;
    let member = page.proving(&proof(&service, &page).await);
    let cart = |number: i64| json!({"items": [tickets(&slot, 1)], "membershipIds": [number]});
    for visitor in [&server, &page] {
        for _ in 0..3 {
            visitor.ask(&service, "POST", CARTS, &cart(77)).await;
        }
        for ((method, path), body) in [
            (("POST", CARTS), cart(NUMBER)),
            (("POST", RULES), cart(NUMBER)),
            (("GET", &*format!("/v2/b2c/event/templates/{GALLERY}?membershipId={NUMBER}")), Value::Null),
        ] {
            let answer = visitor.ask(&service, method, path, &body).await;
            assert_eq!(kind(&answer), "THROTTLED", "{} {method} {path}", visitor.key);
        }
        // Whoever names nothing is as free as ever.
        assert_eq!(visitor.ask(&service, "POST", CARTS, &json!({"items": []})).await.status, 200);
    }
    assert_eq!(member.cart(&service, &cart(NUMBER)).await["items"][0]["unitPrice"], "0.00");
}

#[tokio::test(flavor = "multi_thread")]
async fn carts_and_what_is_given_away_are_counted_by_who_takes_them() {
    let venue = Service::start().await;
    let slot = Visitor::of_server().slot(&venue).await;
    let cart = json!({"items": [tickets(&slot, 1)], "membershipIds": [NUMBER]});
    // The orders of a level that is named alone count for no member's entitlements.
    let level = json!({"items": [tickets(&slot, 1)], "membershipCategoryId": CREW});
    let member = Visitor::of_page().proving(&proof(&venue, &Visitor::of_page()).await);
    let empty = json!({"items": []});
    for (number, (name, visitor, path, body)) in [
        ("carts-per-address", Visitor::of_server(), CARTS, empty.clone()),
        ("carts-per-address", Visitor::of_page(), CARTS, empty),
        ("free-checkouts-per-address", Visitor::of_server(), PAY, checkout(&level, None)),
        ("free-checkouts-per-address", member.clone(), PAY_ON_PAGE, checkout(&cart, None)),
        ("free-checkouts-per-address", Visitor::of_server(), PAY, checkout(&level, Some("4242424242424242"))),
    ]
    .into_iter()
    .enumerate()
    {
        let rate = format!("2/{}", 7_200 + number);
        let service = set(&venue, |tenant| limit(tenant, name, &rate)).await;
        let (mut seen, mut first) = (Vec::new(), None);
        let keyed =
            |turn: usize| Visitor { idempotency_key: Some(format!("{number}-{turn}")), ..visitor.clone() };
        for turn in 0..3 {
            // A look takes nothing.
            let mut look = body.clone();
            look["dryRun"] = json!(true);
            if path != CARTS {
                assert_eq!(visitor.ask(&service, "POST", path, &look).await.status, 200);
            }
            let answer = keyed(turn).ask(&service, "POST", path, &body).await;
            seen.push(kind(&answer));
            first = first.or(Some(answer.body));
        }
        assert_eq!(seen, ["200", "200", "THROTTLED"], "{name} {}", visitor.key);
        // Nobody is kept from the answer to a request that was carried out.
        let repeated = keyed(0).ask(&service, "POST", path, &body).await;
        assert_eq!((repeated.status, Some(repeated.body)), (200, first), "{name} {}", visitor.key);
        set(&venue, |tenant| tenant.limits.clear()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn security_lists_every_path_that_takes_a_number_a_code_or_an_address() {
    let venue = Service::start().await;
    let slot = Visitor::of_server().slot(&venue).await;
    let tested: BTreeSet<String> =
        guesses(&slot, "c").iter().map(|guess| guess.operation.to_owned()).collect();
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/SECURITY.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let table = guide.split("<!-- guesses -->").nth(1).unwrap();
    let listed: BTreeSet<String> =
        table.lines().filter_map(|line| line.split('`').nth(1)).map(str::to_owned).collect();
    assert_eq!(listed, tested);
    // Every operation of a storefront that the document says to take one.
    let document = serde_json::to_value(boxoffice::openapi()).unwrap();
    let mut taking = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, described) in item.as_object().unwrap() {
            let parameters = described["parameters"].as_array().into_iter().flatten();
            let mut names = parameters.filter_map(|parameter| parameter["name"].as_str());
            let guessed = ["membershipId", "lastName", "email"];
            let body = described["requestBody"].to_string();
            let bodies = [
                "/CartInput\"",
                "/CheckoutInput\"",
                "/LoginInput\"",
                "/OrderLinkInput\"",
                "/OrderTokenInput\"",
            ];
            let takes =
                names.any(|name| guessed.contains(&name)) || bodies.iter().any(|name| body.contains(name));
            // Orders are a server's to read, without a limit of their own.
            let is_read = method == "get" && path.starts_with("/v2/b2c/orders");
            if takes && path.starts_with("/v2/b2c/") && !is_read {
                taking.insert(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    assert_eq!(taking, tested);
}
