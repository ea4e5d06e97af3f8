//! What members are entitled to, at checkout (contract §5, §6): each limit holds over all orders of a membership,
//! whoever asks, however the tickets are split, and however many orders there are at once.

use crate::audit::audit;
use crate::catalog::{self, slot};
use crate::venue::{Process, Venue, after, ask, pay, tenant_id, tickets, tickets_for};
use engine::{FaultPlan, Rates};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::cards::DECLINED;
use testkit::catalog::{ADULT, CHILD, LEVEL, MEMBERSHIP, NUMBER};
use testkit::outside::Verb;
use testkit::walk;
use testkit::{Answer, Ask};
use tokio::runtime::Builder;

const VALIDATE: &str = "/v2/b2c/entitlements/validate";

/// A cart of these items that names the membership by its number.
fn members(items: Value) -> Value {
    json!({"membershipIds": [NUMBER], "items": items})
}

fn of(kind: &str, slot_number: u16, quantity: u32) -> Value {
    json!({"eventId": slot(slot_number), "ticketingTypeId": kind, "quantity": quantity})
}

/// A checkout by a payer of its own, so that no two look like one.
fn pay_for(cart: &Value, payer: usize) -> Ask {
    pay(json!({"shoppingCart": cart, "manualEntryCardNumber": CARDS[payer % CARDS.len()]}))
}

const CARDS: [&str; 3] = ["4111111111111111", "4242424242424242", "4000000000000259"];

/// The quantities of the only entry of a result: allowed, purchased, requested.
fn quantities(result: &Value) -> [u64; 3] {
    let [entry] = result["results"].as_array().unwrap().as_slice() else { panic!("{result}") };
    ["allowedQuantity", "purchasedQuantity", "requestedQuantity"].map(|name| entry[name].as_u64().unwrap())
}

fn assert_violated(answer: &Answer, expected: [u64; 3]) {
    assert_eq!((answer.status, answer.error()), (409, "ENTITLEMENTS_VIOLATED"), "{}", answer.text);
    assert_eq!(answer.body["entitlements"]["valid"], false, "{}", answer.text);
    assert_eq!(quantities(&answer.body["entitlements"]), expected, "{}", answer.text);
}

#[tokio::test]
async fn orders_of_three_and_then_two_meet_a_limit_of_four_a_day() {
    let venue = Venue::open([20, 20]).await;
    let process = venue.process().await;
    let first = process.send(pay_for(&members(json!([tickets(3)])), 0)).await;
    assert_eq!(first.error(), "OK", "{}", first.text);
    assert_eq!(first.body["discountedTotalAmount"], "30.00");
    let two = members(json!([tickets(2)]));
    let told = process.send(ask("POST", VALIDATE, two.clone())).await;
    assert_eq!((&told.body["valid"], quantities(&told.body)), (&json!(false), [4, 3, 2]));
    for (case, cart) in [
        ("two", two.clone()),
        ("by the membership's id", json!({"membershipIds": [MEMBERSHIP], "items": [tickets(2)]})),
        ("one of each type", members(json!([tickets(1), of(CHILD, 0, 1)]))),
        ("two lines", members(json!([tickets(1), tickets(1)]))),
        ("another slot of the day", members(json!([of(ADULT, 1, 2)]))),
        (
            "with verifyEntitlements",
            json!({"membershipIds": [NUMBER], "items": [tickets(2)], "verifyEntitlements": true}),
        ),
    ] {
        let refused = process.send(pay_for(&cart, 1)).await;
        assert_violated(&refused, [4, 3, 2]);
        let stored = process.send(ask("POST", "/v2/b2c/carts", cart)).await.body;
        let refused = process.pay(json!({"shoppingCartId": stored})).await;
        assert_violated(&refused, [4, 3, 2]);
        let dry = process.pay(json!({"shoppingCartId": stored, "dryRun": true})).await;
        assert_eq!(dry.body["findings"][0]["type"], "ENTITLEMENTS_VIOLATED", "{case}: {}", dry.text);
        assert_eq!(dry.body["findings"][0]["entitlements"], refused.body["entitlements"], "{case}");
    }
    let last = process.send(pay_for(&members(json!([tickets(1)])), 1)).await;
    assert_eq!(last.error(), "OK", "{}", last.text);
    assert_violated(&process.send(pay_for(&members(json!([tickets(1)])), 3)).await, [4, 4, 1]);
    let retail = json!({"eventId": slot(0), "ticketingTypeId": ADULT, "quantity": 2, "isRetail": true});
    let sold = process.send(pay_for(&members(json!([retail])), 0)).await;
    assert_eq!((sold.error(), &sold.body["totalAmount"]), ("OK", &json!("36.00")), "{}", sold.text);
    let mut captured = venue.captured().await;
    captured.sort_unstable();
    assert_eq!(captured, [1_000, 3_000, 3_600]);
    audit(&venue, "three and two").await;
}

#[tokio::test]
async fn a_cart_beyond_a_limit_is_refused_with_the_limit_and_nothing_is_charged() {
    let venue = Venue::open([20, 20]).await;
    let process = venue.process().await;
    let mut line = tickets(3);
    line["itemId"] = "e4b1f7a0c2d94c5fa8e6137b90d2c516".into();
    let cart = members(json!([line, of(CHILD, 1, 2)]));
    let told = process.send(ask("PUT", VALIDATE, cart.clone())).await;
    let refused = process.send(pay_for(&cart, 0).keyed("k")).await;
    let plain = |mut result: Value| {
        for list in ["results"] {
            for item in result[list][0]["items"].as_array_mut().unwrap() {
                item.as_object_mut().unwrap().remove("itemId");
            }
        }
        result
    };
    assert_violated(&refused, [4, 0, 5]);
    assert_eq!(plain(refused.body["entitlements"].clone()), plain(told.body));
    assert_eq!(refused.body["errorCode"], 20031);
    assert_eq!(process.processor.calls(), Vec::<Verb>::new());
    assert_eq!(audit(&venue, "refused").await, []);
    // A refusal is not kept: the adjusted cart is another request, and the same one is judged again.
    assert_violated(&process.send(pay_for(&cart, 0).keyed("k")).await, [4, 0, 5]);
}

#[tokio::test]
async fn a_declined_order_uses_nothing() {
    let venue = Venue::open([20, 20]).await;
    let process = venue.process().await;
    let cart = members(json!([tickets(4)]));
    for _ in 0..2 {
        let declined = process.pay(json!({"shoppingCart": cart, "manualEntryCardNumber": DECLINED})).await;
        assert_eq!(declined.error(), "CARD_DECLINED", "{}", declined.text);
    }
    assert_eq!(process.send(pay_for(&cart, 0)).await.error(), "OK");
    assert_eq!(audit(&venue, "declined").await.len(), 1);
}

#[tokio::test]
async fn limits_of_an_order_count_no_other_order() {
    let venue = Venue::open([40, 40]).await;
    let mut template = catalog::template(1800);
    template.membership.discounts[0].max_tickets = Some(2);
    venue.store.save_template(tenant_id(), &template).await.unwrap();
    let limits = json!({"per_order": 5, "per_type": [{"ticket_type": CHILD, "limit": 1}]});
    catalog::limit(&venue.store, tenant_id(), json!([]), limits).await;
    let process = venue.process().await;
    let mut exempt = tickets(6);
    exempt["ignoreEntitlements"] = true.into();
    for (case, cart, failed) in [
        ("at the member price", members(json!([tickets(1), of(CHILD, 1, 2)])), Some("Member_Discount_Max_2")),
        (
            "at other prices",
            json!({"items": [tickets(3), of(ADULT, 1, 3)]}),
            Some("Ticket_Limit_Per_Order_5"),
        ),
        ("of one type", json!({"items": [of(CHILD, 0, 2)]}), Some("Ticket_Limit_Per_Type_1")),
        ("exempt lines", members(json!([exempt])), Some("Ticket_Limit_Per_Order_5")),
        ("as many as there may be", members(json!([of(CHILD, 0, 2)])), None),
        ("again", members(json!([of(CHILD, 1, 2)])), None),
        ("and at other prices", json!({"items": [tickets(4), of(CHILD, 0, 1)]}), None),
    ] {
        let answer = process.send(pay_for(&cart, 0).keyed(case)).await;
        match failed {
            Some(rule) => {
                let messages = &answer.body["entitlements"]["messages"];
                assert_eq!(*messages, json!([format!("Rule failed:{rule}")]), "{case}: {}", answer.text);
            }
            // The same card pays the same amount twice.
            None if case == "again" => assert_eq!(answer.error(), "DUPLICATE_TRANSACTION_FOUND", "{case}"),
            None => assert_eq!(answer.error(), "OK", "{case}: {}", answer.text),
        }
    }
    audit(&venue, "limits of an order").await;
}

#[tokio::test]
async fn entitlements_come_after_prices_and_before_duplicates_seats_and_the_card() {
    let venue = Venue::open([3, 40]).await;
    let process = venue.process().await;
    assert_eq!(process.send(pay_for(&members(json!([of(ADULT, 1, 4)])), 0)).await.error(), "OK");
    let with = |fields: Value| {
        let mut body = json!({"shoppingCart": members(json!([of(ADULT, 1, 4)]))});
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        body
    };
    let unknown_code = json!({"membershipIds": [NUMBER], "items": [tickets(4)], "couponCodes": ["NONE"]});
    venue.hold(10, &[(0, 1)], 600).await;
    for (case, fields, expected) in [
        ("a code that is none", with(json!({ "shoppingCart": unknown_code })), "COUPON_NOT_VALID"),
        ("another price", with(json!({"expectedTotal": "1.00"})), "PRICE_CHANGED"),
        ("the same charge again", with(json!({})), "ENTITLEMENTS_VIOLATED"),
        (
            "too few seats",
            with(json!({"shoppingCart": members(json!([tickets(4)]))})),
            "ENTITLEMENTS_VIOLATED",
        ),
        ("a hold that is over", with(json!({"reservationId": 10})), "ENTITLEMENTS_VIOLATED"),
        (
            "no card",
            with(json!({"manualEntryCardNumber": null, "expDate": null, "cvc": null})),
            "ENTITLEMENTS_VIOLATED",
        ),
        (
            "a card that is declined",
            with(json!({"manualEntryCardNumber": DECLINED})),
            "ENTITLEMENTS_VIOLATED",
        ),
    ] {
        // By then the hold is over.
        let answer = process.send(pay(fields).at_instant(after(700))).await;
        assert_eq!(answer.error(), expected, "{case}: {}", answer.text);
    }
    audit(&venue, "precedence").await;
}

#[tokio::test]
async fn rules_that_were_changed_a_moment_ago_bind_at_once() {
    let venue = Venue::open([20, 20]).await;
    let process = venue.process().await;
    let rule = json!({"id": "Adult_Child_Limit_4", "limit": 1, "applies": "acrossAllItems", "period": "day"});
    catalog::limit(&venue.store, tenant_id(), json!([rule]), json!({})).await;
    assert_violated(&process.send(pay_for(&members(json!([tickets(2)])), 0)).await, [1, 0, 2]);
}

#[tokio::test]
async fn a_members_checkout_makes_no_more_round_trips_than_any_other() {
    let venue = Venue::open([20, 20]).await;
    let process = venue.process().await;
    for (payer, sent) in [MEMBERSHIP, NUMBER].into_iter().enumerate() {
        let cart = |line: Value| json!({"membershipIds": [sent], "items": [line]});
        let stored = process.send(ask("POST", "/v2/b2c/carts", cart(of(CHILD, 0, 1)))).await.body;
        let inline = process.send(pay_for(&cart(tickets(1)), payer)).await;
        let by_id = json!({"shoppingCartId": stored, "manualEntryCardNumber": CARDS[payer]});
        let by_id = process.pay(by_id).await;
        for (answer, rounds) in [(inline, 4), (by_id, 5)] {
            assert_eq!((answer.error(), answer.calls.rounds), ("OK", rounds), "{}", answer.text);
        }
    }
}

#[tokio::test]
async fn a_level_without_a_membership_is_limited_in_each_order() {
    let venue = Venue::open([40, 40]).await;
    let process = venue.process().await;
    let cart = |quantity| json!({"membershipCategoryId": LEVEL, "items": [tickets(quantity)]});
    assert_violated(&process.send(pay_for(&cart(5), 0)).await, [4, 0, 5]);
    for payer in 0..2 {
        assert_eq!(process.send(pay_for(&cart(4), payer)).await.error(), "OK");
    }
    audit(&venue, "level").await;
}

/// What one schedule of calls makes of several carts of one member at once.
async fn race(seed: u64) {
    let case = format!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let venue = Venue::open([40, 40]).await;
    let slow =
        Rates { slow: 400, slowest: Duration::from_millis(40), transaction_conflict: 50, ..Rates::default() };
    let process = venue.process_under(FaultPlan::random(seed, slow)).await;
    let before = random.u32(0..4);
    if before > 0 {
        let first = venue.process().await.send(pay_for(&members(json!([tickets(before)])), 0)).await;
        assert_eq!(first.error(), "OK", "{case}: {}", first.text);
    }
    let mut tries = tokio::task::JoinSet::new();
    for payer in 1..=2_usize {
        let [adults, children] = [random.u32(0..4), random.u32(1..3)];
        let mut items = vec![of(CHILD, random.u16(0..2), children)];
        if adults > 0 {
            items.push(tickets_for(random.u16(0..2), adults));
        }
        let sent = if random.bool() { NUMBER } else { MEMBERSHIP };
        let asked = pay_for(&json!({"membershipIds": [sent], "items": items}), payer);
        let process: Process = process.clone();
        tries.spawn(async move { (adults + children, process.send(asked).await) });
    }
    let mut used = before;
    let mut refused = Vec::new();
    for (wanted, answer) in tries.join_all().await {
        match answer.error() {
            "OK" => used += wanted,
            "ENTITLEMENTS_VIOLATED" => refused.push(wanted),
            other => assert_eq!(other, "TRY_AGAIN", "{case}: {}", answer.text),
        }
    }
    assert!(used <= 4, "{case}: {used} tickets at the member price");
    assert!(refused.iter().all(|wanted| used + wanted > 4), "{case}: {used} used, {refused:?} refused");
    audit(&venue, &case).await;
}

#[test]
fn carts_at_once_never_take_more_than_the_limit_together() {
    for seed in walk::seeds("entitled-carts-at-once", 0..60, 6) {
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(race(seed));
    }
}
