//! Whatever is sent, the answer is of the service's own making.

use crate::laws::support::{
    NOTHING, Operation, document, operations, send, send_empty, send_json, with, with_keys, without,
};
use boxoffice::testing::Service;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};
use testkit::walk::Walk;
use tokio::runtime::Runtime;

/// Requests per law, spread over all operations.
const CASES: u32 = 120;

/// Stands in a generated body for a number that no integer or float holds.
const HUGE: &str = "@huge";

fn with_body() -> Vec<Operation> {
    let all: Vec<Operation> =
        operations().into_iter().filter(|operation| operation.body_schema().is_some()).collect();
    assert!(!all.is_empty());
    all
}

/// Any JSON at all.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(Value::from(HUGE)),
        Just(Value::from("x".repeat(5_000))),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            vec((".{0,6}", inner), 0..5).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Values a field of that schema could have, mixed with others.
fn of_schema(schema: &Value, document: &Value, depth: u32) -> BoxedStrategy<Value> {
    if depth == 0 {
        return any_json().boxed();
    }
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        return of_schema(&document["components"]["schemas"][name], document, depth);
    }
    if let Some(parts) = schema["oneOf"].as_array() {
        let of_part = |part| of_schema(part, document, depth);
        return proptest::strategy::Union::new(parts.iter().map(of_part)).boxed();
    }
    let is = |kind: &str| {
        schema["type"] == kind || schema["type"].as_array().is_some_and(|kinds| kinds.contains(&kind.into()))
    };
    let fitting = if let Some(properties) = schema["properties"].as_object() {
        let fields: Vec<_> = properties
            .iter()
            .map(|(name, field)| {
                (Just(name.clone()), proptest::option::of(of_schema(field, document, depth - 1)))
            })
            .collect();
        fields
            .prop_map(|fields| {
                let sent = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
                Value::Object(sent.collect::<Map<_, _>>())
            })
            .boxed()
    } else if is("array") {
        vec(of_schema(&schema["items"], document, depth - 1), 0..4).prop_map(Value::from).boxed()
    } else if is("integer") {
        prop_oneof![-2_i64..1_002, any::<i64>(), Just(1_001_001)].prop_map(Value::from).boxed()
    } else if is("boolean") {
        any::<bool>().prop_map(Value::from).boxed()
    } else if is("string") {
        let known = [
            "Event",
            "Inventory",
            "donation",
            "4242 4242 4242 4242",
            "1230",
            "1.005",
            "a@example.test",
            "United States",
            "2030-01-01T00:00:00-05:00",
            "1001aa000000000000000001",
            NOTHING,
            "",
            " ",
        ];
        prop_oneof![
            proptest::sample::select(known.to_vec()).prop_map(Value::from),
            ".{0,12}".prop_map(Value::from)
        ]
        .boxed()
    } else {
        any_json().boxed()
    };
    prop_oneof![6 => fitting, 1 => any_json()].boxed()
}

/// Runs cases against one service.
fn check<S: Strategy>(cases: u32, strategy: &S, law: impl AsyncFn(&Service, S::Value)) {
    let runtime = Runtime::new().unwrap();
    let service = runtime.block_on(with_keys());
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(strategy, |sent| {
        runtime.block_on(law(&service, sent));
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn a_body_of_any_fields_is_done_or_refused() {
    let document = document();
    let bodies = with_body().into_iter().map(|operation| {
        let schema = operation.body_schema().unwrap().clone();
        (Just(operation), of_schema(&schema, document, 4)).boxed()
    });
    check(CASES, &proptest::strategy::Union::new(bodies), async |service, (operation, body)| {
        let text = body.to_string().replace(&format!("\"{HUGE}\""), "1E400");
        let path = operation.path_with(NOTHING);
        let headers = operation.headers(1001);
        send(service, &operation.method, &path, &headers, Some(text.into_bytes())).await;
    });
}

#[test]
fn a_body_of_any_bytes_is_refused() {
    let bytes = prop_oneof![
        vec(any::<u8>(), 0..200),
        // What is cut off is no longer JSON.
        (any_json(), any::<prop::sample::Index>()).prop_map(|(value, cut)| {
            let text = json!({ "items": value }).to_string().into_bytes();
            text[..cut.index(text.len())].to_vec()
        }),
    ];
    let operation = prop::sample::select(with_body());
    check(CASES, &(operation, bytes), async |service, (operation, bytes)| {
        let path = operation.path_with(NOTHING);
        let headers = operation.headers(1001);
        let answer = send(service, &operation.method, &path, &headers, Some(bytes)).await;
        assert_eq!(answer.kind(), (400, "MALFORMED_JSON"), "{}: {}", operation.name(), answer.body);
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_appears_twice_in_a_body_is_refused_and_named() {
    let service = with_keys().await;
    for operation in with_body() {
        let path = operation.path_with(NOTHING);
        let body = br#"{"notes": "a", "items": [{"n\u006fte": 1, "note": 2}]}"#.to_vec();
        let answer = send(&service, &operation.method, &path, &operation.headers(1001), Some(body)).await;
        let named = json!([{ "field": "/items/0/note", "message": "appears twice" }]);
        assert_eq!(answer.status, 400, "{}", operation.name());
        assert_eq!(answer.body["details"], named, "{}", operation.name());
    }
}

fn encoded(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn paths_and_queries_of_any_bytes_are_answered_or_refused() {
    let bytes = || {
        prop_oneof![
            vec(any::<u8>(), 0..12),
            ".{1,8}".prop_map(String::into_bytes),
            Just(b"2030-01-01".to_vec()),
            Just(b"-1".to_vec())
        ]
    };
    let operation = prop::sample::select(operations());
    let sent = (operation, bytes(), vec((any::<prop::sample::Index>(), bytes()), 0..5));
    check(CASES * 2, &sent, async |service, (operation, id, query)| {
        let names = operation.parameters("query");
        let pairs = query.iter().map(|(name, value)| {
            let name = if names.is_empty() { "name" } else { name.get(&names) };
            format!("{name}={}", encoded(value))
        });
        let query = pairs.collect::<Vec<_>>().join("&");
        let path = format!("{}?{query}", operation.path_with(&encoded(&id)));
        let body = operation.body_schema().map(|_| json!({}));
        send_json(service, &operation.method, &path, &operation.headers(1001), body.as_ref()).await;
    });
}

/// Parameters that are answered otherwise where they are blank, and how.
const BLANK_OTHERWISE: [(&str, &str, (u16, &str)); 1] = [
    // The code that the interface has for it.
    ("GET /v2/b2c/membership/validate", "membershipId", (400, "MEMBERSHIPID_DNE")),
];

/// Taken for one that was left out, a blank filter would list everything.
#[tokio::test(flavor = "multi_thread")]
async fn a_query_parameter_that_is_sent_blank_is_refused_and_named() {
    let service = with_keys().await;
    let mut otherwise = 0;
    for operation in operations() {
        for name in operation.parameters("query") {
            let asked = format!("{} {name}", operation.name());
            let exception =
                BLANK_OTHERWISE.iter().find(|(of, field, _)| *of == operation.name() && *field == name);
            let expected = exception.map_or((400, "VALIDATION_ERROR"), |(_, _, expected)| *expected);
            otherwise += usize::from(exception.is_some());
            let others = operation.required_parameters("query").into_iter().filter(|other| *other != name);
            let others: String = others.map(|other| format!("&{other}=1")).collect();
            for blank in ["", "%20", "%E2%80%8B"] {
                let path = format!("{}?{name}={blank}{others}", operation.path_with(NOTHING));
                let body = operation.body_schema().map(|_| json!({}));
                let headers = operation.headers(1001);
                let answer = send_json(&service, &operation.method, &path, &headers, body.as_ref()).await;
                assert_eq!(answer.kind(), expected, "{asked}: {}", answer.body);
                let told = json!({ "field": name, "message": "must not be blank" });
                let details = answer.body["details"].as_array();
                let is_told = details.is_some_and(|details| details.contains(&told));
                assert!(is_told, "{asked}: {}", answer.body);
            }
        }
    }
    assert_eq!(otherwise, BLANK_OTHERWISE.len(), "an exception names nothing");
}

#[test]
fn headers_of_any_text_are_answered_or_refused() {
    let names = [
        "x-service-api-key",
        "x-b2c-tenant-id",
        "x-service-browser-ip",
        "x-service-test-now",
        "idempotency-key",
        "x-service-request-uuid",
        "origin",
        "x-service-explain",
        "x-service-operator",
        "if-match",
        "content-type",
    ];
    let value = prop_oneof!["[ -~]{0,40}", "[\u{80}-\u{ff}]{1,8}", "[0-9T:Z.+-]{0,30}"];
    let sent = (prop::sample::select(operations()), vec((prop::sample::select(names.to_vec()), value), 1..4));
    check(CASES, &sent, async |service, (operation, changed)| {
        let headers = operation.headers(1001);
        let headers = changed.iter().fold(headers, |headers, (name, value)| with(&headers, name, value));
        send_empty(service, &operation, &headers).await;
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_are_too_large_or_declared_as_something_else_or_too_deep_are_refused() {
    let service = with_keys().await;
    let mut operations = Walk::begin("refused-bodies", 6);
    for operation in with_body() {
        if !operations.plays(()) {
            continue;
        }
        let path = operation.path_with(NOTHING);
        let method = operation.method.as_str();
        let valid = operation.headers(1001);
        let filled = |length: usize| {
            let mut body = b"{}".to_vec();
            body.resize(length, b' ');
            body
        };
        let deep = |open: &str, close: &str, depth: usize| {
            format!("{{\"items\":{}1{}}}", open.repeat(depth), close.repeat(depth)).into_bytes()
        };
        for (body, expected) in [
            (filled(1_048_577), (413, "PAYLOAD_TOO_LARGE")),
            ("[".repeat(100_000).into_bytes(), (400, "MALFORMED_JSON")),
            ("{\"items\":".repeat(100_000).into_bytes(), (400, "MALFORMED_JSON")),
            (b"{\"items\":[".to_vec(), (400, "MALFORMED_JSON")),
            (b"[]".to_vec(), (400, "MALFORMED_JSON")),
            (b"\"text\"".to_vec(), (400, "MALFORMED_JSON")),
            (b"{} {}".to_vec(), (400, "MALFORMED_JSON")),
        ] {
            let answer = send(&service, method, &path, &valid, Some(body)).await;
            assert_eq!(answer.kind(), expected, "{}", operation.name());
        }
        for body in [deep("[", "]", 100_000), deep("{\"items\":", "}", 100_000)] {
            let answer = send(&service, method, &path, &valid, Some(body)).await;
            // What is to be replaced does not exist, and some operations look for it first.
            let names = operation.path.contains('{')
                || operation.path == "/v2/b2b/event/instances"
                || operation.path.ends_with("/b2b/b2b/refunds");
            let refused = [400, if names { 404 } else { 400 }];
            // Checking an application keeps nothing and refuses nothing.
            let checks = operation.path == "/v1/payment/onboard/validate" && answer.status == 200;
            assert!(checks || refused.contains(&answer.status), "{}: {}", operation.name(), answer.body);
        }
        let largest = send(&service, method, &path, &valid, Some(filled(1_048_576))).await;
        assert!(![413, 415].contains(&largest.status), "{}: {}", operation.name(), largest.body);
        for content_type in
            ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "json", "\u{fc}"]
        {
            let headers = with(&valid, "content-type", content_type);
            let answer = send(&service, method, &path, &headers, Some(b"{}".to_vec())).await;
            assert_eq!(answer.kind(), (415, "UNSUPPORTED_MEDIA_TYPE"), "{} {content_type}", operation.name());
        }
        for content_type in
            ["application/json; charset=utf-8", "Application/JSON", "application/merge-patch+json"]
        {
            let headers = with(&valid, "content-type", content_type);
            let answer = send(&service, method, &path, &headers, Some(b"{}".to_vec())).await;
            assert_ne!(answer.status, 415, "{} {content_type}", operation.name());
        }
    }
    operations.end(50);
}

#[tokio::test(flavor = "multi_thread")]
async fn methods_a_path_does_not_answer_are_refused_with_or_without_a_key() {
    let service = with_keys().await;
    let all = operations();
    for operation in &all {
        let answered = |method: &str| {
            all.iter().any(|other| other.path == operation.path && other.method == method)
                || method == "HEAD" && all.iter().any(|other| other.path == operation.path && other.is_read())
        };
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"] {
            if answered(method) {
                continue;
            }
            let path = operation.path_with(NOTHING);
            for headers in [operation.headers(1001), vec![]] {
                let answer = send(&service, method, &path, &headers, None).await;
                assert_eq!(answer.status, 405, "{method} {}", operation.path);
                if method != "HEAD" {
                    assert_eq!(answer.kind(), (405, "METHOD_NOT_ALLOWED"), "{method} {}", operation.path);
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_that_do_not_exist_are_refused_with_or_without_a_key() {
    let service = with_keys().await;
    for operation in operations() {
        let path = format!("{}/nothing/more", operation.path_with(NOTHING));
        for headers in [operation.headers(1001), without(&operation.headers(1001), "x-service-api-key")] {
            let answer = send(&service, &operation.method, &path, &headers, None).await;
            assert_eq!(answer.kind(), (404, "NOT_FOUND"), "{} {path}", operation.method);
        }
    }
    for path in ["/v2", "/v2/b2c", "/v2/b2c/%00", "/v3/b2c/carts", "/..", "/%ff%fe"] {
        let answer = send(&service, "GET", path, &[], None).await;
        assert_eq!(answer.kind(), (404, "NOT_FOUND"), "{path}");
    }
}

/// What no value can hold is ignored where the field is; it must not make different bodies the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_key_is_compared_with_the_whole_body_whatever_else_is_in_it() {
    let service = with_keys().await;
    let operation =
        operations().into_iter().find(|operation| operation.name() == "POST /v2/b2c/carts").unwrap();
    let depth = 1_000;
    for (index, ignored) in
        ["1e400".to_owned(), "\"\\ud800\"".to_owned(), format!("{}{}", "[".repeat(depth), "]".repeat(depth))]
            .iter()
            .enumerate()
    {
        let headers = with(&operation.headers(1001), "idempotency-key", &format!("key-{index}"));
        let body = |code: &str| format!("{{\"couponCodes\":[\"{code}\"],\"x\":{ignored}}}").into_bytes();
        let path = "/v2/b2c/carts";
        let first = send(&service, "POST", path, &headers, Some(body("A"))).await;
        assert_eq!(first.status, 200, "{ignored}: {}", first.body);
        let other = send(&service, "POST", path, &headers, Some(body("B"))).await;
        assert_eq!(other.kind(), (409, "IDEMPOTENCY_KEY_REUSED"), "{ignored}");
        let again = send(&service, "POST", path, &headers, Some(body("A"))).await;
        assert_eq!((again.status, again.header("x-service-replayed")), (200, "true"), "{ignored}");
        assert_eq!(again.body, first.body, "{ignored}");
    }
}
