//! The player of the Runtime API itself, with a function that does as it is told, and the kept events.
#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use blackbox::kept_events;
use blackbox::runtime_api::{Outcome, Player, PlayerError};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(20);

async fn rehearsal(limit: Duration) -> Player {
    let binary = Path::new(env!("CARGO_BIN_EXE_rehearsal"));
    Player::start(binary, "rehearsal", &[("PROMPT", "line")], limit).await.unwrap()
}

#[tokio::test]
async fn the_player_hands_out_events_in_order_and_collects_each_answer() {
    let mut player = rehearsal(LIMIT).await;
    for say in ["one", "two", "three"] {
        let answer = player.invoke(&json!({"say": say})).await.unwrap().http();
        assert_eq!((answer.status, answer.body.as_str()), (200, say));
        assert_eq!(answer.headers["x-region"], "us-east-1");
        assert_eq!(answer.headers["x-prompt"], "line");
    }
    assert_eq!(player.strays(), Vec::<String>::new());
}

#[tokio::test]
async fn a_failed_event_is_told_apart_and_the_next_one_is_answered() {
    let mut player = rehearsal(LIMIT).await;
    let Outcome::Failed { message, .. } = player.invoke(&json!({"act": "fail"})).await.unwrap() else {
        panic!("the function was asked to fail");
    };
    assert_eq!(message, "asked to fail");
    assert_eq!(player.invoke(&json!({"say": "again"})).await.unwrap().http().body, "again");
}

#[tokio::test]
async fn a_process_that_ends_is_reported_at_once() {
    let mut player = rehearsal(LIMIT).await;
    let Err(PlayerError::Exited { status, .. }) = player.invoke(&json!({"act": "exit"})).await else {
        panic!("the process was asked to exit");
    };
    assert_eq!(status.code(), Some(3));
}

#[tokio::test]
async fn an_event_without_an_answer_ends_with_the_limit() {
    let mut player = rehearsal(Duration::from_millis(200)).await;
    let outcome = player.invoke(&json!({"act": "hang"})).await;
    assert!(matches!(outcome, Err(PlayerError::TimedOut)), "{outcome:?}");
}

#[tokio::test]
async fn every_kept_event_reaches_a_function_as_it_was_written() {
    let mut player = rehearsal(LIMIT).await;
    for directory in std::fs::read_dir(blackbox::repository().join("events")).unwrap() {
        let function = directory.unwrap().file_name().into_string().unwrap();
        for (file, event) in kept_events(&function) {
            let answer = player.invoke(&json!({"say": event.to_string()})).await.unwrap().http();
            assert_eq!(serde_json::from_str::<Value>(&answer.body).unwrap(), event, "{function}/{file}");
        }
    }
}

/// What an API Gateway event of either version asks for: method, path without stage prefix, body.
fn request(event: &Value) -> (String, String, Option<String>) {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let context = &event["requestContext"];
    let (method, path) = match event["version"].as_str() {
        Some("2.0") => (text(&context["http"]["method"]), text(&event["rawPath"])),
        _ => (text(&event["httpMethod"]), text(&event["path"])),
    };
    let prefix = format!("/{}/", context["stage"].as_str().unwrap());
    let path = path.strip_prefix(&prefix).map_or(path.clone(), |rest| format!("/{rest}"));
    let body = event["body"].as_str().map(|body| match event["isBase64Encoded"].as_bool() {
        Some(true) => String::from_utf8(BASE64_STANDARD.decode(body).unwrap()).unwrap(),
        _ => body.to_owned(),
    });
    (method, path, body)
}

#[test]
fn the_forms_of_a_kept_event_ask_for_the_same_and_reach_the_function_they_are_kept_for() {
    let functions = [
        "backoffice",
        "carts",
        "checkout",
        "entitlements",
        "events",
        "membership_validation",
        "memberships",
        "onboarding",
        "orders",
        "reference",
        "payment_refunds",
        "reservations",
        "order_refunds",
        "staff",
        "admission",
    ];
    for function in functions {
        let mut by_name: BTreeMap<String, (String, String, Option<String>)> = BTreeMap::new();
        for (file, event) in kept_events(function) {
            let request = request(&event);
            let routes = blackbox::template::template_routes(&request.1);
            let owner = blackbox::template::answering_crate(&routes, &request.0, &request.1);
            assert_eq!(owner, Some(function), "{function}/{file}");
            let name = file.split('.').next().unwrap().to_owned();
            assert_eq!(by_name.entry(name).or_insert_with(|| request.clone()), &request, "{function}/{file}");
        }
    }
}
