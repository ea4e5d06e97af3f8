//! Whoever proves nothing is a stranger: in every answer, in every price and in the work it takes.

use crate::claims::{
    ADULT, CARTS, CHILD, CREW, MEMBERSHIP, NUMBER, PAY_ON_PAGE, RULES, Visitor, checkout, gift,
};
use boxoffice::testing::Service;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use testkit::Answer;
use testkit::walk::Walk;

/// Carts of a whole walk.
const MADE_UP_CARTS: usize = 60;

/// What a page may name: the member, by number and by id, and nobody.
const NUMBERS: [i64; 5] = [NUMBER, MEMBERSHIP, 77, 100_200_031, 9_007_199_254_740_991];
const LEVELS: [&str; 2] = [CREW, "1001bb0000000000000000ff"];

#[derive(Debug, Clone)]
struct Tried {
    lines: Vec<(bool, u32)>,
    numbers: Vec<usize>,
    level: Option<usize>,
    code: bool,
}

fn tried() -> impl Strategy<Value = Tried> {
    let lines = prop::collection::vec((any::<bool>(), 0_u32..4), 1..4);
    let numbers = prop::collection::vec(0..NUMBERS.len(), 0..4);
    (lines, numbers, prop::option::of(0..LEVELS.len()), any::<bool>())
        .prop_map(|(lines, numbers, level, code)| Tried { lines, numbers, level, code })
}

impl Tried {
    /// The cart as a stranger sends it.
    fn stranger(&self, slot: &str) -> Value {
        let line = |(child, quantity): &(bool, u32)| {
            let of = if *child { CHILD } else { ADULT };
            json!({"eventId": slot, "ticketingTypeId": of, "quantity": quantity})
        };
        let lines: Vec<Value> = self.lines.iter().map(line).chain([gift(1)]).collect();
        let codes: &[&str] = if self.code { &["WELCOME10"] } else { &[] };
        json!({"items": lines, "couponCodes": codes})
    }

    /// The same cart with claims, each number so many places further.
    fn claiming(&self, slot: &str, further: usize) -> Value {
        let mut cart = self.stranger(slot);
        let number = |place: &usize| NUMBERS[(place + further) % NUMBERS.len()];
        cart["membershipIds"] = self.numbers.iter().map(number).collect();
        if let Some(level) = self.level {
            cart["membershipCategoryId"] = json!(LEVELS[(level + further) % LEVELS.len()]);
        }
        cart
    }
}

/// An answer without what is drawn for every cart, and without what was sent.
fn comparable(answer: &Answer) -> (u16, Value) {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for drawn in [
                    "id",
                    "itemId",
                    "tempVisitorId",
                    "requestId",
                    "membershipIds",
                    "membershipCategoryId",
                    "memberMessages",
                ] {
                    fields.remove(drawn);
                }
                fields.values_mut().for_each(strip);
            }
            Value::Array(elements) => elements.iter_mut().for_each(strip),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut body = answer.body.clone();
    strip(&mut body);
    if body.is_string() {
        body = Value::Null;
    }
    (answer.status, body)
}

/// What a page is answered on every path that takes a cart, and the calls it took.
async fn answers(service: &Service, page: &Visitor, cart: &Value) -> Vec<((u16, Value), Vec<String>)> {
    let id = page.ok(service, "POST", CARTS, &json!({"items": []})).await;
    let path = format!("{CARTS}/{}", id.as_str().unwrap());
    let mut changed = cart.clone();
    changed["id"] = id;
    let mut look = checkout(cart, Some("4242424242424242"));
    look["dryRun"] = json!(true);
    let mut seen = Vec::new();
    for ((method, path), body) in [
        (("POST", CARTS), cart),
        (("PUT", path.as_str()), &changed),
        (("POST", RULES), cart),
        (("PUT", RULES), cart),
        (("POST", RULES), &json!({"id": changed["id"]})),
        (("POST", PAY_ON_PAGE), &look),
    ] {
        service.plan.reset();
        let answer = page.ask(service, method, path, body).await;
        let mut calls = service.plan.calls();
        calls.sort();
        seen.push((comparable(&answer), calls));
    }
    seen
}

// The clock of the caches stands still, so that none is read again beside the requests.
#[tokio::test(start_paused = true)]
async fn a_page_without_a_proof_is_a_stranger_in_every_cart() {
    let service = Service::start().await;
    let page = Visitor::of_page();
    let slot = page.slot(&service).await;
    let mut runner = TestRunner::deterministic();
    // Fills the caches.
    answers(&service, &page, &json!({"items": [], "membershipIds": [77]})).await;
    let mut carts = Walk::begin("carts-of-strangers", 4);
    for _ in 0..MADE_UP_CARTS {
        let tried = tried().new_tree(&mut runner).unwrap().current();
        if !carts.plays(()) {
            continue;
        }
        let stranger = answers(&service, &page, &tried.stranger(&slot)).await;
        let told = |seen: &[((u16, Value), Vec<String>)]| -> Vec<(u16, Value)> {
            seen.iter().map(|(answer, _)| answer.clone()).collect()
        };
        let mut work = None;
        for further in 0..NUMBERS.len() {
            let seen = answers(&service, &page, &tried.claiming(&slot, further)).await;
            assert_eq!(told(&seen), told(&stranger), "{tried:?} {further}");
            // Which numbers are named makes no difference to what is asked of the database.
            let calls: Vec<Vec<String>> = seen.into_iter().map(|(_, calls)| calls).collect();
            let first = work.get_or_insert_with(|| calls.clone());
            assert_eq!(*first, calls, "{tried:?} {further}");
        }
    }
    carts.end(MADE_UP_CARTS);
}

// The clock of the caches stands still, so that none is read again beside the requests.
#[tokio::test(start_paused = true)]
async fn a_page_without_a_proof_is_a_stranger_while_it_browses() {
    let service = Service::start().await;
    let page = Visitor::of_page();
    let slot = page.slot(&service).await;
    for path in crate::claims::limits::browsing(&slot) {
        let stranger = page.get(&service, &path).await;
        let mut seen = Vec::new();
        for number in NUMBERS {
            let sign = if path.contains('?') { '&' } else { '?' };
            service.plan.reset();
            let answer = page.get(&service, &format!("{path}{sign}membershipId={number}")).await;
            assert_eq!(answer.status, 200, "{path}");
            assert_eq!(answer.bytes, stranger.bytes, "{path} {number}");
            assert_eq!(answer.header("x-service-member-message"), "PROOF_NEEDED");
            let names: Vec<String> = answer.headers.keys().map(ToString::to_string).collect();
            let mut calls = service.plan.calls();
            calls.sort();
            seen.push((names, calls));
        }
        assert!(seen.iter().all(|one| *one == seen[0]), "{path}: {seen:?}");
    }
}
