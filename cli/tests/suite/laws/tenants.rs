//! Another tenant's id is an unknown id (contract §2), wherever an id can be sent.

pub(crate) mod bodies;
mod ids;
pub(crate) mod things;

use crate::laws::support::{Operation, complaints, document, key_of, operations, send_json, with_keys};
use bodies::body_with;
use domain::tenant::Scope;
use ids::{FIELDS, Kind, PATHS, QUERY, Refused, SECOND, unknown};
use serde_json::{Value, json};
use testkit::Answer;
use things::{Things, text};

/// What was answered, without the id itself and the ids that are new in every answer.
fn told(answer: &Answer, id: &Value) -> String {
    let mut shown = answer.body.clone();
    for moment in ["lastUpdated", "lastPublished", "publication", "createDate", "updatedDate", "updatedOn"] {
        shown.as_object_mut().map(|shown| shown.remove(moment));
    }
    let mut body = shown.to_string().replace(&text(id), "ID");
    let words: Vec<String> =
        body.split(|char: char| !char.is_ascii_alphanumeric()).map(str::to_owned).collect();
    let is_new = |word: &&String| {
        word.len() >= 24 && word.chars().all(|char| char.is_ascii_hexdigit())
            || word.len() >= 10 && word.chars().all(|char| char.is_ascii_digit())
    };
    for word in words.iter().filter(is_new) {
        body = body.replace(word, "NEW");
    }
    format!("{} {body}", answer.status)
}

fn parameter_of(path: &str) -> Kind {
    let row = PATHS.iter().find(|(known, _)| *known == path);
    row.unwrap_or_else(|| panic!("{path} takes an id of which this test does not know what it names")).1
}

/// The path of an operation with the first id in it, and whatever else it takes of that tenant.
fn path_of(operation: &Operation, first: &str, whose: &Things) -> String {
    let second = SECOND.iter().find(|(known, _)| *known == operation.path);
    let second = second.map(|(_, kind)| text(&whose.id(*kind)));
    let path = match &second {
        Some(second) => {
            let (above, _) = operation.path.rsplit_once('/').unwrap();
            format!("{above}/{second}")
        }
        None => operation.path.clone(),
    };
    let filled = path.split('/').map(|segment| if segment.starts_with('{') { first } else { segment });
    filled.collect::<Vec<_>>().join("/")
}

/// The path of an operation on a thing of its tenant.
pub(crate) fn own_path(operation: &Operation, own: &Things) -> String {
    let row = PATHS.iter().find(|(known, _)| *known == operation.path);
    path_of(operation, &row.map(|(_, kind)| text(&own.id(*kind))).unwrap_or_default(), own)
}

fn of_tenant(operation: &Operation, tenant: i64) -> Vec<(String, String)> {
    if operation.path.starts_with("/sandbox/") {
        return vec![("x-service-api-key".to_owned(), key_of(Scope::B2b, tenant))];
    }
    operation.headers(tenant)
}

#[tokio::test(flavor = "multi_thread")]
async fn another_tenants_id_in_a_path_is_an_unknown_id() {
    let service = with_keys().await;
    let theirs = Things::of(&service, 1001).await;
    let with_parameter =
        || operations().into_iter().filter(|operation| !operation.parameters("path").is_empty());
    for operation in with_parameter() {
        let second = SECOND.iter().filter(|(known, _)| *known == operation.path).count();
        let second = second + usize::from(operation.path.contains("/forms/{formResponseId}"));
        assert_eq!(operation.parameters("path").len(), 1 + second, "{}", operation.name());
        let kind_of_id = parameter_of(&operation.path);
        let mut answers = vec![];
        for id in [theirs.id(kind_of_id), unknown(kind_of_id)] {
            let path = path_of(&operation, &text(&id), &theirs);
            let body = operation.body_schema().map(|_| json!({ "id": text(&id), "items": [], "fields": [] }));
            let headers = of_tenant(&operation, 1002);
            let answer = send_json(&service, &operation.method, &path, &headers, body.as_ref()).await;
            assert_eq!(answer.kind(), (404, "NOT_FOUND"), "{}: {}", operation.name(), answer.body);
            answers.push(told(&answer, &id));
        }
        assert_eq!(answers[0], answers[1], "{}", operation.name());
    }
    // Its own tenant still finds everything.
    for operation in with_parameter().filter(Operation::is_read) {
        let kind_of_id = parameter_of(&operation.path);
        let path = path_of(&operation, &text(&theirs.id(kind_of_id)), &theirs);
        let answer = send_json(&service, "GET", &path, &of_tenant(&operation, 1001), None).await;
        let expected = if kind_of_id == Kind::Common { 404 } else { 200 };
        assert_eq!(answer.status, expected, "{}: {}", operation.name(), answer.body);
    }
}

/// A place of an id in a body: its pointer, and the field's name with that of its schema.
fn id_fields(schema: &Value, owner: &str, pointer: &str, found: &mut Vec<(String, String)>) {
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        let document = document();
        return id_fields(&document["components"]["schemas"][name], name, pointer, found);
    }
    for way in ["oneOf", "anyOf", "allOf"] {
        for part in schema[way].as_array().into_iter().flatten() {
            id_fields(part, owner, pointer, found);
        }
    }
    if schema.get("items").is_some() {
        id_fields(&schema["items"], owner, &format!("{pointer}/0"), found);
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let place = format!("{pointer}/{name}");
        if name == "id" || name.ends_with("Id") || name.ends_with("Ids") {
            let place = if field.get("items").is_some() { format!("{place}/0") } else { place };
            // What is named by nothing but an id, its field says.
            let parent = pointer.rsplit('/').find(|segment| *segment != "0").unwrap_or_default();
            let name = if owner == "ReferenceInput" { parent } else { name };
            found.push((place, format!("{owner}.{name}")));
        } else {
            id_fields(field, owner, &place, found);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_tenants_id_in_a_body_is_an_unknown_id() {
    let service = with_keys().await;
    let (theirs, own) = (Things::of(&service, 1001).await, Things::of(&service, 1002).await);
    for operation in operations() {
        let Some(schema) = operation.body_schema() else { continue };
        let mut fields = vec![];
        id_fields(schema, "", "", &mut fields);
        // Whose tax id it is, the state knows.
        fields.retain(|(_, field)| field != "OnboardingInput.taxId");
        for (pointer, field) in fields {
            let row = FIELDS.iter().find(|(known, ..)| *known == field);
            let (_, kind_of_id, refused) = row
                .unwrap_or_else(|| panic!("{field} is an id of which this test does not know what it names"));
            let mut answers = vec![];
            for id in [theirs.id(*kind_of_id), unknown(*kind_of_id)] {
                let body = body_with(&operation, &own, &pointer, &id);
                let path = own_path(&operation, &own);
                let headers = operation.headers(1002);
                let mut answer = send_json(&service, &operation.method, &path, &headers, Some(&body)).await;
                // A level shows what earlier fields left behind, too.
                let offerings = answer.body["offerings"].as_array().cloned().unwrap_or_default();
                if operation.path.ends_with("/membershipofferings")
                    && let Some(written) = offerings.into_iter().find(|offering| offering["id"] == body["id"])
                {
                    answer.body = written;
                }
                let place = format!("{} {pointer}: {}", operation.name(), answer.body);
                // Limits do not depend on what was answered to forms, which is not read where they are checked.
                let is_form =
                    operation.path.ends_with("/entitlements/validate") && pointer.starts_with("/forms/");
                // What a page claims without a proof is not looked up (contract §R).
                let is_claim =
                    operation.path.contains("/cors/") && pointer.starts_with("/shoppingCart/membership");
                let is_read = !is_form && !is_claim;
                let refuses = match refused {
                    Refused::Everywhere => is_read,
                    Refused::Nowhere => false,
                };
                if refuses {
                    assert_eq!(answer.kind(), (404, "NOT_FOUND"), "{place}");
                    let named: Vec<_> = complaints(&answer).into_iter().collect();
                    assert_eq!(named, [pointer.as_str()], "{place}");
                }
                answers.push(told(&answer, &id));
            }
            assert_eq!(answers[0], answers[1], "{} {pointer}", operation.name());
        }
    }
}

/// An id that says nothing was forgotten, which is another fault than naming what does not exist.
#[tokio::test(flavor = "multi_thread")]
async fn an_id_in_a_body_that_is_sent_blank_is_refused_and_named() {
    let service = with_keys().await;
    let own = Things::of(&service, 1002).await;
    for operation in operations() {
        let Some(schema) = operation.body_schema() else { continue };
        let mut fields = vec![];
        id_fields(schema, "", "", &mut fields);
        let is_looked_up = |field: &str| {
            FIELDS.iter().any(|(known, _, refused)| *known == field && *refused == Refused::Everywhere)
        };
        fields.retain(|(_, field)| is_looked_up(field));
        for (pointer, _) in fields {
            for blank in ["", " "] {
                let body = body_with(&operation, &own, &pointer, &json!(blank));
                let (path, headers) = (own_path(&operation, &own), operation.headers(1002));
                let answer = send_json(&service, &operation.method, &path, &headers, Some(&body)).await;
                let place = format!("{} {pointer}: {}", operation.name(), answer.body);
                assert_eq!(answer.kind(), (400, "VALIDATION_ERROR"), "{place}");
                assert!(complaints(&answer).contains(pointer.as_str()), "{place}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_tenants_id_in_a_query_is_an_unknown_id() {
    let service = with_keys().await;
    let theirs = Things::of(&service, 1001).await;
    let own = Things::of(&service, 1002).await;
    for operation in operations() {
        for name in operation.parameters("query").iter().filter(|name| name.ends_with("Id")) {
            let row = QUERY.iter().find(|(known, _)| known == name);
            let kind_of_id = row.unwrap_or_else(|| panic!("this test does not know what {name} names")).1;
            let path = operation.path.replace("{templateId}", &text(&own.id(Kind::Template)));
            let path = path.replace("{instanceId}", &own.instance);
            let mut answers = vec![];
            for id in [theirs.id(kind_of_id), unknown(kind_of_id)] {
                let path = format!("{path}?{name}={}", text(&id));
                let headers = operation.headers(1002);
                answers.push(told(&send_json(&service, "GET", &path, &headers, None).await, &id));
            }
            assert_eq!(answers[0], answers[1], "{} {name}", operation.name());
        }
    }
}
