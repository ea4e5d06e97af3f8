//! Those who look, buy, become members, and go away half-way.

use crate::simulation::venue::{
    self, ADULT, CATALOGUE, CHILD, COMBO, COUPON, DONATION, FAMILY, GALLERY, GUIDE, INFANT, NIGHT, PATRON,
};
use crate::simulation::world::{Answer, Ask, World, shop, staff};
use domain::payment::ChallengeOutcome;
use fastrand::Rng;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The card whose refunds are refused.
pub(crate) const TAKES_NO_REFUNDS: &str = "4000000000005126";

/// The card behind this token asks its buyer.
const ASKS_BUYER: &str = "tok_3ds";

/// Two that are charged, and one each that is declined, slow, charged without an answer, and never gives back; and tokens.
const CARDS: [&str; 12] = [
    "4242424242424242",
    "4111111111111111",
    "4242424242424242",
    "4111111111111111",
    "4242424242424242",
    "4000000000000002",
    "4000000000000341",
    "4000000000000259",
    TAKES_NO_REFUNDS,
    "tok_visa",
    ASKS_BUYER,
    ASKS_BUYER,
];

/// How often a checkout is sent at most.
const TRIES: u32 = 4;

/// Waits up to so many milliseconds.
pub(crate) async fn dawdle(random: &mut Rng, most_ms: u64) {
    tokio::time::sleep(Duration::from_millis(random.u64(0..=most_ms))).await;
}

/// Looks around, and buys nothing.
pub(crate) async fn browser(world: Arc<World>, mut random: Rng) {
    let slot = world.any_slot(GALLERY, &mut random);
    let range = "startTime=2027-06-02T00:00:00&endTime=2027-06-05T00:00:00";
    let number = venue::number_of(venue::MEMBERSHIPS[0]);
    let looks = [
        format!("/v2/b2c/event/templates?{range}"),
        format!("/v2/b2c/event/templates/slim?{range}"),
        format!("/v2/b2c/event/templates/{GALLERY}/times?{range}&membershipId={number}"),
        format!("/v2/b2c/event/templates/{GALLERY}/calendar?{range}"),
        format!("/v2/b2c/events/{slot}"),
        format!("/v2/b2c/events/{NIGHT}/nextAvailable"),
        "/v2/b2c/membership/exists?email=ada@example.test".to_owned(),
        format!("/v2/b2c/membership/validate?membershipId={number}&lastName=Byron"),
        "/v2/b2c/orders/search?email=buyer0@example.test".to_owned(),
    ];
    for _ in 0..random.usize(1..=3) {
        let look = &looks[random.usize(0..looks.len())];
        world.send(&mut random, &shop("GET", look, None)).await;
        dawdle(&mut random, 2_000).await;
    }
    let cart = json!({"items": [tickets(&slot, ADULT, 5)], "membershipIds": [number]});
    let judged = world.send(&mut random, &shop("PUT", "/v2/b2c/entitlements/validate", Some(cart))).await;
    if judged.is_some_and(|answer| answer.body.get("valid").is_some()) {
        world.note("request of members judged");
    }
    if random.bool() {
        let path = "/v2/b2c/membership/validate/login?email=ada@example.test";
        if world.send(&mut random, &shop("GET", path, None)).await.is_some_and(|answer| answer.status == 204)
        {
            world.note("login mail asked for");
        }
    }
}

fn tickets(slot: &str, of: &str, quantity: u32) -> Value {
    json!({"eventId": slot, "ticketingTypeId": of, "quantity": quantity})
}

/// What one buyer puts into a cart.
fn basket(world: &World, random: &mut Rng) -> Value {
    let slot = world.any_slot(GALLERY, random);
    let mut cart = json!({});
    let mut items = Vec::new();
    match random.u8(0..12) {
        0 => items.push(tickets(&slot, INFANT, 1)),
        1 | 2 => {
            let parts = [slot, world.any_slot(NIGHT, random)].map(|slot| json!({"eventId": slot}));
            cart["comboItems"] = json!([{
                "comboTemplateId": COMBO, "ticketingTypeId": ADULT, "quantity": random.u32(1..=2), "parts": parts,
            }]);
        }
        3 => items.push(tickets(&world.any_slot(NIGHT, random), ADULT, random.u32(1..=3))),
        4 | 5 => {
            let ways = [
                ("MembershipPurchase", FAMILY),
                ("MembershipRenewal", FAMILY),
                ("MembershipUpgrade", PATRON),
            ];
            let (action, level) = ways[random.usize(0..ways.len())];
            let held = venue::MEMBERSHIPS[random.usize(0..venue::MEMBERSHIPS.len())];
            items.push(venue::membership(action, level, (action != "MembershipPurchase").then_some(held)));
        }
        _ => {
            items.push(tickets(&slot, ADULT, random.u32(1..=3)));
            if random.bool() {
                items.push(tickets(&slot, CHILD, 1));
            }
            if random.u8(0..4) == 0 {
                items.push(json!({"eventId": slot, "inventoryId": GUIDE, "quantity": 1}));
            }
            if random.u8(0..3) == 0 {
                cart["couponCodes"] = json!([COUPON.1]);
            }
            if random.u8(0..3) == 0 {
                cart["membershipIds"] = json!([venue::number_of(venue::MEMBERSHIPS[0])]);
            }
        }
    }
    if random.u8(0..5) == 0 {
        items.push(json!({"inventoryId": CATALOGUE, "quantity": random.u32(1..=2)}));
    }
    // What makes amounts differ, so that few are taken for duplicates.
    if cart.get("comboItems").is_some() || items[0]["ticketingTypeId"] != INFANT && random.u8(0..4) > 0 {
        let amount = format!("1.{:02}", random.u8(0..100));
        items.push(json!({"inventoryId": DONATION, "quantity": 1, "type": "donation", "unitPrice": amount}));
    }
    cart["items"] = Value::Array(items);
    cart
}

/// Buys something, or means to.
pub(crate) async fn buyer(world: Arc<World>, mut random: Rng, number: u64) {
    dawdle(&mut random, 8_000).await;
    let cart = basket(&world, &mut random);
    let mut fields = venue::checkout(number, CARDS[random.usize(0..CARDS.len())]);
    if random.u8(0..4) == 0 {
        let Some(reservation) = reserve(&world, &mut random, &cart).await else { return };
        fields["reservationId"] = reservation;
    }
    let lines = cart["items"].as_array().unwrap();
    let changes_membership = lines.iter().any(|line| line["membershipInfo"].get("membershipId").is_some());
    let stored = random.u8(0..5) < 2;
    if stored {
        let Some(id) = fill_cart(&world, &mut random, &cart).await else { return };
        fields["shoppingCartId"] = json!(id);
    } else {
        fields["shoppingCart"] = cart;
    }
    let key = (random.u8(0..3) > 0).then(|| format!("buyer-{number}"));
    if stored || key.is_some() {
        world.buys_once(fields["billingEmail"].as_str().unwrap());
    }
    let ask = shop("POST", "/v2/b2c/checkout", Some(fields)).keyed(key);
    let ask = if changes_membership { ask.contending() } else { ask };
    pay(&world, &mut random, &ask).await;
}

/// Holds the seats of the tickets of a cart for a while, and perhaps changes them.
async fn reserve(world: &World, random: &mut Rng, cart: &Value) -> Option<Value> {
    let lines = cart["items"].as_array().unwrap().iter().filter(|line| line.get("ticketingTypeId").is_some());
    let items: Vec<Value> =
        lines.map(|line| json!({"eventId": line["eventId"], "quantity": line["quantity"]})).collect();
    let body = json!({"reservationItems": items});
    let made = world.send(random, &staff("POST", "/v2/b2b/reservations", Some(body.clone()))).await?;
    note_refusal(world, &made);
    let id = made.is_ok().then(|| made.body["id"].clone())?;
    match random.u8(0..6) {
        0 => {
            let gone = format!("/v2/b2b/reservations/{id}");
            world.send(random, &staff("DELETE", gone, None)).await;
            None
        }
        1 => {
            let mut body = body;
            body["id"] = id.clone();
            world.send(random, &staff("PUT", "/v2/b2b/reservations", Some(body))).await;
            Some(id)
        }
        _ => Some(id),
    }
}

/// Makes a cart, perhaps in two steps, and perhaps never comes back.
async fn fill_cart(world: &World, random: &mut Rng, cart: &Value) -> Option<String> {
    let two_steps = random.bool();
    let first = if two_steps { json!({"items": []}) } else { cart.clone() };
    let key = random.bool().then(|| format!("cart-{}", random.u64(..)));
    let make = shop("POST", "/v2/b2c/carts", Some(first)).keyed(key);
    let mut made = world.send(random, &make).await;
    if made.is_none() && make.idempotency.is_some() {
        made = world.send(random, &make).await;
    }
    made.iter().for_each(|answer| note_refusal(world, answer));
    let made = made.filter(Answer::is_ok)?;
    let id = made.body.as_str().unwrap().to_owned();
    dawdle(random, 3_000).await;
    if two_steps {
        let mut whole = cart.clone();
        whole["id"] = json!(id);
        world
            .send(random, &shop("PUT", format!("/v2/b2c/carts/{id}"), Some(whole)))
            .await
            .filter(Answer::is_ok)?;
    }
    if random.u8(0..8) == 0 {
        world.note("abandoned cart");
        return None;
    }
    Some(id)
}

/// Sends a checkout until it is answered for good.
async fn pay(world: &World, random: &mut Rng, ask: &Ask) {
    for _ in 0..TRIES {
        if let Some(answer) = world.send(random, ask).await {
            note_refusal(world, &answer);
            if answer.is_ok() {
                paid(world, random, ask, &answer).await;
                return;
            }
            if answer.kind() == "PAYMENT_ACTION_REQUIRED" {
                confirm(world, random, ask, &answer).await;
                return;
            }
            let goes_on = answer.status == 503
                || matches!(answer.kind(), "REQUEST_IN_PROGRESS" | "PRICE_CHANGED" | "THROTTLED");
            if !goes_on {
                assert!([400, 402, 404, 409].contains(&answer.status), "{} {}", answer.status, answer.body);
                return;
            }
        }
        dawdle(random, 30_000).await;
    }
}

/// Answers the issuer of a card, or walks away; and asks what came of it.
async fn confirm(world: &World, random: &mut Rng, ask: &Ask, asked: &Answer) {
    world.note("buyer asked");
    dawdle(random, 60_000).await;
    let outcome = match random.u8(0..5) {
        0 => {
            world.note("buyer walked away");
            return;
        }
        1 => ChallengeOutcome::Fail,
        _ => ChallengeOutcome::Pass,
    };
    let secret = asked.body["clientSecret"].as_str().unwrap();
    world.sandbox().answer_challenge(secret, outcome).await.unwrap();
    if random.u8(0..4) == 0 {
        // The page was closed.
        return;
    }
    let path = format!("/v2/b2c/checkout/{}/complete", asked.body["orderId"].as_str().unwrap());
    let complete = shop("POST", path, None);
    for _ in 0..TRIES {
        if let Some(answer) = world.send(random, &complete).await {
            note_refusal(world, &answer);
            if answer.is_ok() {
                world.note("buyer confirmed");
                paid(world, random, ask, &answer).await;
                return;
            }
            if answer.status != 503 && answer.kind() != "REQUEST_IN_PROGRESS" {
                assert!([402, 404, 409].contains(&answer.status), "{} {}", answer.status, answer.body);
                return;
            }
        }
        dawdle(random, 30_000).await;
    }
}

/// Notes an order, and asks again now and then, as clients do that forget.
async fn paid(world: &World, random: &mut Rng, ask: &Ask, answer: &Answer) {
    if answer.replayed {
        world.note("answer repeated by its key");
    }
    world.tell(answer.body.clone());
    if random.u8(0..4) == 0
        && let Some(again) = world.send(random, ask).await
    {
        note_refusal(world, &again);
        if again.is_ok() && ask.idempotency.is_some() {
            assert_eq!(again.body["id"], answer.body["id"], "another order by the same key");
            world.note("answer repeated by its key");
        } else if again.is_ok() {
            assert_ne!(again.body["id"], answer.body["id"], "without a key nothing is repeated");
            world.tell(again.body);
        }
    }
}

fn note_refusal(world: &World, answer: &Answer) {
    match answer.kind() {
        "CARD_DECLINED" => world.note("card declined"),
        "NOT_ENOUGH_CAPACITY" => world.note("sold out"),
        "DUPLICATE_TRANSACTION_FOUND" => world.note("duplicate refused"),
        "CART_ALREADY_CHECKED_OUT" => world.note("checkout found already paid"),
        _ => {}
    }
}
