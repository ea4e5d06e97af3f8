//! Partners that bring merchants, and merchants that give money of card sales back.

use crate::simulation::customers::dawdle;
use crate::simulation::staff::repeat;
use crate::simulation::venue::{self, MERCHANT, MID, PARTNER};
use crate::simulation::world::{World, partner};
use fastrand::Rng;
use serde_json::{Value, json};
use std::sync::Arc;

const PATH: &str = "/v1/payment/onboard";

/// Brings a merchant, in one step or in two, and asks what became of it.
pub(crate) async fn onboarder(world: Arc<World>, mut random: Rng, number: u64) {
    let reference = format!("5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f{number:03}");
    let whole = venue::application(&reference);
    let mut first = whole.clone();
    let in_steps = random.bool();
    if in_steps {
        first.as_object_mut().unwrap().remove("businessOwners");
    }
    let post = partner("POST", PATH, PARTNER, Some(first));
    for _ in 0..2 {
        if world.send(&mut random, &post).await.is_some_and(|answer| answer.is_ok()) {
            break;
        }
        dawdle(&mut random, 5_000).await;
    }
    let one = format!("{PATH}/{reference}");
    if in_steps {
        let rest = json!({"businessOwnershipType": "LLC", "businessOwners": whole["businessOwners"]});
        repeat(&world, &mut random, &partner("PATCH", &one, PARTNER, Some(rest))).await;
    }
    if random.bool() {
        let change = json!({"dbaName": "Harbor Museum Shop"});
        repeat(&world, &mut random, &partner("PATCH", &one, PARTNER, Some(change))).await;
    }
    dawdle(&mut random, 5_000).await;
    if world.send(&mut random, &partner("GET", one, PARTNER, None)).await.is_some_and(|answer| answer.is_ok())
    {
        world.note("addressed partner");
    }
}

/// Gives money of sales back, which is nothing to their orders: a part of a sale, or all of it twice at once,
/// where only one can be.
pub(crate) async fn merchant(world: Arc<World>, mut random: Rng) {
    for _ in 0..random.usize(1..=3) {
        dawdle(&mut random, 6_000).await;
        let Some(order) = world.any_order(&mut random) else { continue };
        let Some(sale) = order["payments"][0].as_object() else { continue };
        let wish = |amount: Value| json!({"saleId": sale["saleId"], "charge": {"amount": amount}});
        if random.bool() {
            let (whole, mut other) = (wish(sale["amount"].clone()), random.fork());
            tokio::join!(give_back(&world, &mut random, &whole), give_back(&world, &mut other, &whole));
        } else {
            let part = wish(["1.00", "7.50", "18.00"][random.usize(0..3)].into());
            give_back(&world, &mut random, &part).await;
        }
    }
}

async fn give_back(world: &World, random: &mut Rng, body: &Value) {
    let key = random.bool().then(|| format!("sale-{}", random.u64(..)));
    let path = format!("/v1/payment/{MID}/refund");
    let ask = partner("POST", path, MERCHANT, Some(body.clone())).keyed(key);
    let Some(answer) = repeat(world, random, &ask).await else { return };
    if answer.is_ok() {
        world.note("card sale refunded");
    }
    match answer.kind() {
        "REFUND_REFUSED" => world.note("refund refused by the processor"),
        "REFUND_EXCEEDS_REMAINDER" => world.note("refund larger than what remained"),
        _ => {}
    }
    if answer.replayed {
        world.note("refund repeated by its key");
    }
}
