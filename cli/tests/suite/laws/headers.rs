//! Headers of every answer: which pages may read it, and what it is called (contract §2, §3).

use crate::laws::support::{
    NOTHING, ORIGIN, Operation, headers_of, key_of, operations, send, send_empty, send_json, with, with_keys,
};
use domain::tenant::Scope;
use serde_json::json;
use testkit::Answer;

fn assert_readable(answer: &Answer, place: &str) {
    assert_eq!(answer.header("access-control-allow-origin"), ORIGIN, "{place}");
    assert_eq!(answer.header("vary"), "Origin", "{place}");
    let exposed = answer.header("access-control-expose-headers");
    assert!(exposed.contains("x-service-request-id"), "{place}: {exposed:?}");
    assert_eq!(answer.header("access-control-allow-credentials"), "", "{place}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_reads_every_answer_whatever_its_status() {
    let service = with_keys().await;
    let page = headers_of(&key_of(Scope::B2cBrowser, 1001), Scope::B2cBrowser, 1001);
    let keyed = with(&page, "idempotency-key", "one");
    let unknown = with(&page, "x-service-api-key", "law-unknown");
    let cart = ("POST", "/v2/b2c/carts");
    let missing = format!("/v2/b2c/carts/{NOTHING}");
    let wrong = json!({ "items": 1 });
    for (status, (method, path), headers, body) in [
        (200, cart, &keyed, Some(json!({}))),
        (200, cart, &keyed, Some(json!({}))),
        (409, cart, &keyed, Some(json!({ "couponCodes": ["A"] }))),
        (400, cart, &page, Some(wrong)),
        (401, cart, &unknown, Some(json!({}))),
        (403, ("GET", "/v2/b2b/locations/avs/countries"), &page, None),
        (404, ("GET", missing.as_str()), &page, None),
        (404, ("GET", "/nowhere"), &page, None),
        (405, ("PATCH", "/v2/b2c/carts"), &page, None),
        (200, ("GET", "/errors"), &page, None),
    ] {
        let answer = send_json(&service, method, path, headers, body.as_ref()).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
        assert_readable(&answer, &format!("{method} {path} {status}"));
    }
    let (method, path) = cart;
    let text = with(&page, "content-type", "text/plain");
    assert_readable(&send(&service, method, path, &text, Some(b"{}".to_vec())).await, "415");
    let large = vec![b' '; 1_048_577];
    assert_readable(&send(&service, method, path, &page, Some(large)).await, "413");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_origin_reads_nothing() {
    let service = with_keys().await;
    for origin in ["https://elsewhere.example", "null", "http://localhost:3000.elsewhere.example", "\u{fc}"] {
        for operation in operations() {
            let headers = with(&operation.headers(1001), "origin", origin);
            let answer = send_empty(&service, &operation, &headers).await;
            let place = format!("{} for {origin}", operation.name());
            assert_eq!(answer.header("access-control-allow-origin"), "", "{place}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preflight_passes_on_every_path_for_the_origins_of_any_tenant() {
    let service = with_keys().await;
    let preflight = |origin: &str, method: &str| {
        let asked = ("access-control-request-method".to_owned(), method.to_owned());
        vec![("origin".to_owned(), origin.to_owned()), asked]
    };
    for operation in operations() {
        let path = operation.path_with(NOTHING);
        let answer = send(&service, "OPTIONS", &path, &preflight(ORIGIN, &operation.method), None).await;
        let place = operation.name();
        assert_eq!((answer.status, answer.bytes.len()), (204, 0), "{place}");
        assert_readable(&answer, &place);
        let methods: Vec<&str> = answer.header("access-control-allow-methods").split(", ").collect();
        assert!(methods.contains(&operation.method.as_str()), "{place}: {methods:?}");
        let allowed: Vec<&str> = answer.header("access-control-allow-headers").split(", ").collect();
        let sent = operation.parameters("header").into_iter().map(|name| name.to_lowercase());
        // A message of Stripe's comes from its servers, and from no page.
        let sent = sent.filter(|name| name != "stripe-signature");
        for name in sent.chain(["content-type".to_owned(), "x-service-api-key".to_owned()]) {
            assert!(allowed.contains(&name.as_str()), "{place} does not let pages send {name}");
        }
        let foreign = preflight("https://elsewhere.example", &operation.method);
        let answer = send(&service, "OPTIONS", &path, &foreign, None).await;
        assert_eq!(answer.header("access-control-allow-origin"), "", "{place}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_parameter_that_is_sent_twice_is_named() {
    let service = with_keys().await;
    let mut asked = 0;
    for operation in operations() {
        let mut names = operation.parameters("query");
        if names.is_empty() {
            continue;
        }
        names.sort();
        let twice: Vec<String> = names.iter().map(|name| format!("{name}=1&{name}=1")).collect();
        let path = format!("{}?{}", operation.path_with(NOTHING), twice.join("&"));
        let refused = send(&service, &operation.method, &path, &operation.headers(1001), None).await;
        let told = |name: &String| json!({"field": name, "message": "was sent more than once"});
        let told: Vec<_> = names.iter().map(told).collect();
        assert_eq!((refused.status, &refused.body["details"]), (400, &json!(told)), "{}", operation.name());
        asked += 1;
    }
    assert!(asked > 20, "{asked} operations have parameters");
}

/// The writes that know a repetition by a key.
fn repeatable() -> Vec<Operation> {
    let takes_a_key = |operation: &Operation| {
        let mut names = operation.parameters("header").into_iter();
        !operation.is_public() && names.any(|name| name.eq_ignore_ascii_case("idempotency-key"))
    };
    let found: Vec<Operation> = operations().into_iter().filter(takes_a_key).collect();
    assert!(found.len() > 30, "{} operations take a key", found.len());
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn two_idempotency_keys_of_one_request_must_say_the_same() {
    let service = with_keys().await;
    let fault = json!({"field": "x-service-request-uuid", "message": "must be the same as idempotency-key, or left out"});
    for operation in repeatable() {
        let headers = with(&operation.headers(1001), "idempotency-key", "a");
        let place = operation.name();
        let refused = send_empty(&service, &operation, &with(&headers, "x-service-request-uuid", "b")).await;
        assert_eq!((refused.status, &refused.body["details"]), (400, &json!([fault])), "{place}");
        let same = send_empty(&service, &operation, &with(&headers, "x-service-request-uuid", "a")).await;
        assert_ne!(same.body["details"], json!([fault]), "{place}");
    }
}

/// The same key on another route is another request.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_made_a_cart_does_nothing_on_any_other_route() {
    let service = with_keys().await;
    let page = headers_of(&key_of(Scope::B2cBrowser, 1001), Scope::B2cBrowser, 1001);
    let keyed = with(&page, "idempotency-key", "one");
    let made = send_json(&service, "POST", "/v2/b2c/carts", &keyed, Some(&json!({}))).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let mut reused = 0;
    for operation in repeatable().into_iter().filter(|operation| operation.name() != "POST /v2/b2c/carts") {
        let headers = with(&operation.headers(1001), "idempotency-key", "one");
        let refused = send_empty(&service, &operation, &headers).await;
        assert!((400..500).contains(&refused.status), "{}: {}", operation.name(), refused.body);
        reused += usize::from(refused.body["type"] == "IDEMPOTENCY_KEY_REUSED");
    }
    // The others read their bodies first, and find nothing in them.
    assert!(reused > 15, "{reused} operations compare the key");
}
