//! The committed documents say what the service does.

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use boxoffice::compatibility::breaking_changes;
use domain::rate_limit::RateLimit;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn committed(document: &str) -> String {
    std::fs::read_to_string(repository().join("docs").join(document)).unwrap()
}

fn openapi() -> Value {
    serde_json::to_value(boxoffice::openapi()).unwrap()
}

fn operations(document: &Value) -> Vec<(String, Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let all = paths.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (format!("{method} {path}"), operation.clone()))
    });
    all.collect()
}

#[test]
fn the_openapi_document_is_current() {
    assert!(
        committed("openapi.json").trim_end() == boxoffice::openapi().to_pretty_json().unwrap().trim_end(),
        "routes changed: cargo run -p boxoffice -- openapi > openapi.new && mv openapi.new docs/openapi.json",
    );
}

#[test]
fn the_error_table_is_current() {
    assert!(
        committed("errors.md") == boxoffice::error_table(),
        "errors changed: cargo run -p boxoffice -- errors > docs/errors.md",
    );
}

#[test]
fn the_rules_of_onboarding_are_current() {
    assert!(
        committed("onboarding.md") == boxoffice::onboarding_rules(),
        "rules changed: cargo run -p boxoffice -- onboarding > docs/onboarding.md",
    );
}

#[test]
fn the_table_of_routes_is_current() {
    assert!(
        committed("ROUTES.md") == boxoffice::route_table(),
        "routes changed: cargo run -p boxoffice -- routes > docs/ROUTES.md",
    );
}

#[test]
fn every_limit_is_documented_with_its_default() {
    let interface = committed("INTERFACE.md");
    for limit in RateLimit::ALL {
        let rate = limit.default_rate();
        let (name, meaning) = (limit.name(), limit.meaning());
        let row = format!("| `{name}` | {} in {} s | {meaning} |", rate.count, rate.window_secs);
        assert!(interface.contains(&row), "{row}");
    }
}

/// Compared is with the last commit, or with `OPENAPI_BASE`, such as the branch a change is meant for.
#[test]
fn the_interface_breaks_no_client_of_the_committed_one() {
    let base = std::env::var("OPENAPI_BASE").unwrap_or_else(|_| "HEAD".to_owned());
    let shown = Command::new("git")
        .args(["show", &format!("{base}:docs/openapi.json")])
        .current_dir(repository())
        .output()
        .unwrap();
    // Sources without their history come with the document alone.
    let text = if shown.status.success() {
        String::from_utf8(shown.stdout).unwrap()
    } else {
        committed("openapi.json")
    };
    let old: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(breaking_changes(&old, &openapi()), Vec::<String>::new());
}

#[test]
fn the_openapi_document_is_of_version_3_1_and_names_every_operation_once() {
    let document = openapi();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let tags: BTreeSet<&str> =
        document["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap()).collect();
    let mut ids = BTreeSet::new();
    for (route, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap().to_owned();
        assert!(ids.insert(id.clone()), "{id} stands twice");
        assert!(!operation["summary"].as_str().unwrap_or_default().is_empty(), "{route} has no summary");
        let tag = operation["tags"][0].as_str().unwrap_or_default();
        assert!(tags.contains(tag), "{route} has the unknown tag {tag:?}");
        assert!(operation["security"].is_array(), "{route} does not say who may call it");
    }
}

/// Generated clients call their methods by these names.
#[test]
fn every_operation_has_a_short_name_of_its_own() {
    for (route, operation) in operations(&openapi()) {
        let id = operation["operationId"].as_str().unwrap();
        assert!(!id.is_empty(), "{route} has no name; add it to the list of names");
        assert!(id.len() <= 24, "{route}: {id} is long");
    }
}

#[test]
fn every_answer_describes_the_headers_it_comes_with() {
    let document = openapi();
    for (route, operation) in operations(&document) {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let response = match response["$ref"].as_str() {
                Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
                None => response,
            };
            let headers = &response["headers"];
            assert!(headers["x-service-request-id"].is_object(), "{route} {status}");
            let busy = ["429", "503"].contains(&status.as_str());
            assert!(!busy || headers["Retry-After"].is_object(), "{route} {status}");
        }
        let takes_a_body = operation["requestBody"].is_object();
        for status in ["405", "413", "415"] {
            let said = operation["responses"][status].is_object();
            assert!(said || (status != "405" && !takes_a_body), "{route} does not describe {status}");
        }
    }
}

#[test]
fn the_three_headers_of_the_specification_are_the_security_schemes() {
    let schemes = &openapi()["components"]["securitySchemes"];
    for (name, header) in [
        ("apiKey", "x-service-api-key"),
        ("tenant", "x-b2c-tenant-id"),
        ("paymentKey", "x-service-payment-key"),
    ] {
        assert_eq!(schemes[name]["type"], "apiKey");
        assert_eq!(schemes[name]["in"], "header");
        assert_eq!(schemes[name]["name"], header);
    }
}

#[test]
fn nothing_in_the_openapi_document_refers_to_what_is_not_there() {
    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(reference)) = fields.get("$ref") {
                    found.insert(reference.clone());
                }
                fields.values().for_each(|value| references(value, found));
            }
            Value::Array(list) => list.iter().for_each(|value| references(value, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let document = openapi();
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    let is_dangling = |reference: &&String| document.pointer(reference.trim_start_matches('#')).is_none();
    assert_eq!(found.iter().filter(is_dangling).collect::<Vec<_>>(), Vec::<&String>::new());
}
