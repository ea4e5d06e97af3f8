//! The back office: what is sold, and what was bought.

use crate::simulation::customers::dawdle;
use crate::simulation::venue::{self, COUPON, GALLERY, NIGHT};
use crate::simulation::world::{Answer, Ask, World, staff};
use fastrand::Rng;
use serde_json::{Value, json};
use std::sync::Arc;

/// Changes what is sold.
pub(crate) async fn manager(world: Arc<World>, mut random: Rng) {
    for _ in 0..random.usize(1..=3) {
        dawdle(&mut random, 5_000).await;
        match random.u8(0..6) {
            0 | 1 => change_instance(&world, &mut random).await,
            2 => change_coupon(&world, &mut random).await,
            3 => publish(&world, &mut random).await,
            _ => change_membership(&world, &mut random).await,
        }
    }
}

async fn change_instance(world: &World, random: &mut Rng) {
    let template = if random.bool() { GALLERY } else { NIGHT };
    let slot = world.any_slot(template, random);
    let (name, body) = match random.u8(0..5) {
        0 => ("instance cancelled", json!({"state": "cancelled"})),
        1 => ("instance opened again", json!({"state": "active"})),
        _ => ("capacity changed", json!({"capacity": random.u32(1..=8)})),
    };
    let ask = staff("PUT", format!("/v2/b2b/event/instances/{slot}"), Some(body));
    if changed(world, random, &ask).await {
        world.note(name);
    }
}

async fn change_coupon(world: &World, random: &mut Rng) {
    let body = venue::coupon(random.u32(2..=5), random.u8(0..4) > 0);
    let path = format!("/v2/b2b/coupons/{}", COUPON.0);
    if changed(world, random, &staff("PUT", path, Some(body))).await {
        world.note("coupon changed");
    }
}

/// Publishes the gallery anew, at another price and with other hours.
async fn publish(world: &World, random: &mut Rng) {
    let price = ["18.00", "19.50", "17.00"][random.usize(0..3)];
    let hours: &[u32] = if random.bool() { &[10, 14] } else { &[10, 14, 16] };
    let body = venue::gallery(price, hours);
    let path = format!("/v2/b2b/event/templates/{GALLERY}");
    let key = random.bool().then(|| format!("publish-{}", random.u64(..)));
    if changed(world, random, &staff("PUT", path, Some(body)).keyed(key)).await {
        world.note("template published");
    }
}

async fn change_membership(world: &World, random: &mut Rng) {
    let membership = venue::MEMBERSHIPS[random.usize(1..venue::MEMBERSHIPS.len())];
    let path = format!("/v2/b2b/memberships/{membership}");
    let email = format!("ada{}@example.test", random.u8(0..3));
    let body = json!({"cards": [{"id": venue::card_of(membership), "email": email, "city": "Portview"}]});
    let ask = if random.u8(0..8) == 0 {
        staff("DELETE", format!("{path}/cards/{}", venue::card_of(membership)), None)
    } else {
        staff("PUT", path, Some(body))
    };
    if changed(world, random, &ask.contending()).await {
        world.note("membership changed by the back office");
    }
}

/// Sends a change, and once more where no answer came.
async fn changed(world: &World, random: &mut Rng, ask: &Ask) -> bool {
    for _ in 0..2 {
        if let Some(answer) = world.send(random, ask).await {
            return answer.is_ok();
        }
    }
    false
}

/// Takes back what was bought, or exchanges it.
pub(crate) async fn clerk(world: Arc<World>, mut random: Rng) {
    for _ in 0..random.usize(2..=4) {
        dawdle(&mut random, 6_000).await;
        let Some(order) = world.any_order(&mut random) else { continue };
        if random.u8(0..3) == 0 {
            exchange(&world, &mut random, &order).await;
        } else {
            refund(&world, &mut random, &order).await;
        }
    }
}

async fn exchange(world: &World, random: &mut Rng, order: &Value) {
    let tickets = |line: &&Value| line["itemType"] == "Event" && line["parentItemId"] == "0";
    let Some(line) = order["orderItems"].as_array().unwrap().iter().find(tickets) else { return };
    let template =
        if world.slots_of(NIGHT).iter().any(|slot| line["eventId"] == **slot) { NIGHT } else { GALLERY };
    let body = json!({
        "orderId": order["id"], "itemId": line["itemId"], "quantity": 1,
        "eventId": world.any_slot(template, random), "waiveFee": random.bool(), "force": insists(random),
    });
    let key = random.bool().then(|| format!("exchange-{}", random.u64(..)));
    let ask = staff("POST", "/v2/b2b/exchanges", Some(body)).keyed(key).contending();
    repeat(world, random, &ask).await;
}

/// Whether tickets that let somebody in are given back all the same.
fn insists(random: &mut Rng) -> bool {
    random.u8(0..3) == 0
}

async fn refund(world: &World, random: &mut Rng, order: &Value) {
    let lines = order["orderItems"].as_array().unwrap();
    let own: Vec<&Value> = lines.iter().filter(|line| line["parentItemId"] == "0").collect();
    let mut body = json!({"orderId": order["id"], "force": insists(random)});
    if random.bool() {
        body["wholeOrder"] = json!(true);
    } else {
        let line = own[random.usize(0..own.len())];
        body["items"] = json!([{"itemId": line["itemId"], "quantity": 1}]);
    }
    if random.u8(0..4) == 0 {
        world.send(random, &staff("POST", "/v2/b2b/refunds/preview", Some(body.clone()))).await;
    }
    let key = random.bool().then(|| format!("refund-{}", random.u64(..)));
    let ask = staff("POST", "/v2/b2b/refunds", Some(body)).keyed(key).contending();
    if let Some(answer) = repeat(world, random, &ask).await {
        if answer.kind() == "REFUND_REFUSED" {
            world.note("refund refused by the processor");
        }
        if answer.body["admittedTicketIds"].is_array() {
            world.note("refund refused of who was let in");
        }
        if answer.replayed {
            world.note("refund repeated by its key");
        }
    }
}

/// Sends a request with a key until it is answered for good, and another one once or twice: each of those stands for
/// itself.
pub(crate) async fn repeat(world: &World, random: &mut Rng, ask: &Ask) -> Option<Answer> {
    let tries = if ask.idempotency.is_some() { 3 } else { 1 };
    let mut last = None;
    for _ in 0..tries {
        last = world.send(random, ask).await;
        let undecided = |answer: &Answer| {
            answer.status == 503 || ["REQUEST_IN_PROGRESS", "REFUND_PENDING"].contains(&answer.kind())
        };
        // Some repeat even what was answered.
        if last.as_ref().is_some_and(|answer| !undecided(answer)) && random.u8(0..3) > 0 {
            break;
        }
        dawdle(random, 40_000).await;
    }
    last
}
