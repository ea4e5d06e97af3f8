//! What the OpenAPI document says of refusals.

use crate::laws::support::{self, document, operations};
use std::collections::BTreeSet;

#[test]
fn every_operation_that_wants_a_key_says_how_it_refuses() {
    for operation in operations().iter().filter(|operation| !operation.is_public()) {
        let responses = operation.described["responses"].as_object().unwrap();
        let mut expected = BTreeSet::from(["401", "403"]);
        if operation.needs_tenant_header() || operation.body_schema().is_some() {
            expected.insert("400");
        }
        if !operation.parameters("path").is_empty() {
            expected.insert("404");
        }
        for status in expected {
            assert!(responses.contains_key(status), "{} does not describe {status}", operation.name());
        }
    }
}

#[test]
fn every_refusal_is_described_by_the_one_error_body() {
    for operation in operations() {
        for (status, response) in operation.described["responses"].as_object().unwrap() {
            let response = support::resolved(response);
            let schema = response.pointer("/content/application~1json/schema/$ref");
            if status.starts_with('4') || status.starts_with('5') {
                let place = format!("{} {status}", operation.name());
                assert_eq!(schema, Some(&"#/components/schemas/ErrorBody".into()), "{place}");
            }
        }
    }
}

#[test]
fn every_path_parameter_is_described_and_stands_in_its_path() {
    for operation in operations() {
        let segments = operation.path.split('/');
        let in_path: BTreeSet<String> = segments
            .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}').map(str::to_owned))
            .collect();
        assert_eq!(
            operation.parameters("path").into_iter().collect::<BTreeSet<_>>(),
            in_path,
            "{}",
            operation.name()
        );
    }
}

#[test]
fn every_description_has_its_required_parts() {
    let document = document();
    for part in ["openapi", "info", "paths", "components"] {
        assert!(document.get(part).is_some(), "{part}");
    }
    for operation in operations() {
        let responses = operation.described["responses"].as_object().unwrap();
        assert!(responses.keys().any(|status| status.starts_with('2')), "{}", operation.name());
        for (status, response) in responses {
            let response = support::resolved(response);
            let text = response["description"].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{} {status} is not described", operation.name());
        }
    }
}
