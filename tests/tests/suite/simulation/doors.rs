//! Two doors, a device that is never online, and a till: whom they let in, and what they take back.

use crate::simulation::customers::dawdle;
use crate::simulation::staff::repeat;
use crate::simulation::venue::{self, BACK_DOOR, DOOR, GALLERY, TILL};
use crate::simulation::world::{Answer, Ask, Kept, Passed, World, scanner};
use domain::OrderId;
use domain::order::Ticket;
use domain::time::plus_secs;
use fastrand::Rng;
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::catalog::with;

const SCAN: &str = "/v2/b2b/admissions";
const LOOK_UP: &str = "/v2/b2b/admissions/lookup";
const UNDO: &str = "/v2/b2b/admissions/undo";
const BLOCK: &str = "/v2/b2b/admissions/blocks";
const UPLOAD: &str = "/v2/b2b/admissions/uploads";
const BY_HAND: &str = "/v2/b2b/willcall/checkintickets";

/// The device of the till.
const DESK: &str = "till-1";

/// A device that scans.
#[derive(Debug)]
pub(crate) struct Device {
    key: &'static str,
    terminal: &'static str,
    /// By how many seconds its own clock, which it scans by while it is offline, is ahead.
    skew_secs: i64,
    /// In how many of a hundred cases it is offline.
    offline: u8,
}

/// Two doors, and one that is never online, whose clock is two hours slow.
pub(crate) static DEVICES: [Device; 3] = [
    Device { key: DOOR, terminal: "gate-1", skew_secs: -40, offline: 10 },
    Device { key: BACK_DOOR, terminal: "gate-2", skew_secs: 150, offline: 10 },
    Device { key: DOOR, terminal: "pocket-7", skew_secs: -7_200, offline: 100 },
];

/// A ticket of an order.
struct Shown {
    order: OrderId,
    ticket: Ticket,
}

impl Shown {
    fn named(&self) -> Value {
        json!({"orderId": self.order.as_str(), "ticketId": self.ticket.id.as_str()})
    }

    fn code(&self) -> Value {
        json!({"code": self.ticket.barcode.as_str()})
    }
}

/// What somebody shows: a ticket of an order that somebody was told of, whatever became of it since.
async fn shown(world: &World, random: &mut Rng) -> Option<Shown> {
    let told = world.any_order(random)?;
    let order = OrderId::parse(told["id"].as_str().unwrap()).unwrap();
    let found = world.truth().load_order_with_tickets(venue::tenant_id(), &order).await.unwrap();
    let (_, mut tickets) = found?;
    let place = (!tickets.is_empty()).then(|| random.usize(0..tickets.len()))?;
    Some(Shown { order, ticket: tickets.swap_remove(place) })
}

/// In, or now and then out.
fn way(random: &mut Rng) -> &'static str {
    if random.u8(0..5) == 0 { "exit" } else { "entry" }
}

/// A request under a key of its own, or under none.
fn keyed(random: &mut Rng, ask: Ask) -> Ask {
    let key = random.bool().then(|| format!("door-{}", random.u64(..)));
    ask.keyed(key)
}

/// Somebody at a door, who scans what is shown and uploads what the device kept.
pub(crate) async fn keeper(world: Arc<World>, mut random: Rng, device: &'static Device) {
    for _ in 0..random.usize(2..=5) {
        dawdle(&mut random, 10_000).await;
        if random.u8(0..100) < device.offline {
            keep(&world, &mut random, device).await;
        } else {
            scan(&world, &mut random, device).await;
        }
        if random.u8(0..4) == 0 {
            upload(&world, &mut random, device).await;
        }
    }
    upload(&world, &mut random, device).await;
}

/// Scans a ticket at this door, or at both at once, or a member card.
async fn scan(world: &World, random: &mut Rng, device: &Device) {
    if random.u8(0..8) == 0 {
        let membership = venue::MEMBERSHIPS[random.usize(0..venue::MEMBERSHIPS.len())];
        let body = json!({"code": venue::barcode_of(membership), "terminalId": device.terminal});
        let ask = keyed(random, scanner(SCAN, device.key, body));
        pass(world, random, &ask).await;
        return;
    }
    let Some(shown) = shown(world, random).await else { return };
    let body = with(shown.code(), json!({"type": way(random), "terminalId": device.terminal}));
    let here = keyed(random, scanner(SCAN, device.key, body.clone()));
    if random.u8(0..3) > 0 {
        pass(world, random, &here).await;
        return;
    }
    let other = &DEVICES[usize::from(device.key == DOOR)];
    let body = with(body, json!({"terminalId": other.terminal}));
    let (there, mut elsewhere) = (keyed(random, scanner(SCAN, other.key, body)), random.fork());
    tokio::join!(pass(world, random, &here), pass(world, &mut elsewhere, &there));
}

/// Sends a request of a door or the till, and notes what was told to whoever waits there.
async fn pass(world: &World, random: &mut Rng, ask: &Ask) {
    let Some(answer) = repeat(world, random, ask).await else { return };
    for result in answer.body["results"].as_array().into_iter().flatten() {
        if result["admitted"] != true {
            continue;
        }
        if result["kind"] == "membership" {
            world.note("card let in at a door");
        }
        if let (Some(order), Some(admission)) = (result["orderId"].as_str(), result["admissionId"].as_str()) {
            let passed = Passed { order: order.to_owned(), admission: admission.to_owned() };
            world.passed.lock().unwrap().push(passed);
        }
    }
}

/// Scans while offline. The device decides by itself, and mostly lets in.
async fn keep(world: &World, random: &mut Rng, device: &Device) {
    let Some(shown) = shown(world, random).await else { return };
    let at = plus_secs(world.time.now(), device.skew_secs);
    let decision = if random.u8(0..6) == 0 { "refused" } else { "admitted" };
    let scan = json!({
        "scanId": format!("{:08x}-93d4-4f26-8c1d-70e2a9b4f318", random.u32(..)), "type": way(random),
        "at": at.to_rfc3339(), "decision": decision,
    });
    let scan = with(scan, if random.bool() { shown.code() } else { shown.named() });
    world.trace(format!("  kept at {}: {scan}", device.terminal));
    let kept = Kept { terminal: device.terminal, order: shown.order, scan };
    world.kept.lock().unwrap().push(kept);
}

fn kept_by(world: &World, device: &Device) -> Vec<Value> {
    let kept = world.kept.lock().unwrap();
    kept.iter().filter(|kept| kept.terminal == device.terminal).map(|kept| kept.scan.clone()).collect()
}

fn upload_of(device: &Device, scans: &[Value]) -> Ask {
    scanner(UPLOAD, device.key, json!({"terminalId": device.terminal, "scans": scans}))
}

fn outcomes(answer: &Answer) -> Vec<&str> {
    let results = answer.body["results"].as_array().into_iter().flatten();
    results.map(|result| result["outcome"].as_str().unwrap()).collect()
}

/// Uploads some pieces of what the device ever kept, so that some scans come again and others come late.
async fn upload(world: &World, random: &mut Rng, device: &Device) {
    let kept = kept_by(world, device);
    if kept.is_empty() {
        return;
    }
    for _ in 0..random.usize(1..=3) {
        let first = random.usize(0..kept.len());
        let end = random.usize(first + 1..=kept.len());
        let ask = keyed(random, upload_of(device, &kept[first..end]));
        let Some(answer) = repeat(world, random, &ask).await else { continue };
        let again = outcomes(&answer).into_iter().filter(|outcome| *outcome == "duplicate").count();
        world.noted("scan uploaded again", again);
    }
}

/// Uploads all that was ever kept, and once more: then everything of it is noted, and nothing is new.
pub(crate) async fn hand_in(world: &World) {
    let process = world.healthy();
    for device in &DEVICES {
        let kept = kept_by(world, device);
        if kept.is_empty() {
            continue;
        }
        let ask = upload_of(device, &kept);
        let first = world.send_to(&process, &ask).await.unwrap();
        assert!(first.is_ok() && !outcomes(&first).contains(&"unknown"), "{} {}", first.status, first.body);
        let again = world.send_to(&process, &ask).await.unwrap();
        assert_eq!(outcomes(&again), vec!["duplicate"; kept.len()], "{} {}", again.status, again.body);
    }
}

/// The till: asks what a ticket is, moves and lets in, by hand and against the rules too, takes back, and blocks.
pub(crate) async fn till(world: Arc<World>, mut random: Rng) {
    for _ in 0..random.usize(3..=6) {
        dawdle(&mut random, 8_000).await;
        let Some(shown) = shown(&world, &mut random).await else { continue };
        let tickets = json!({"tickets": [shown.named()]});
        let at_desk = json!({"terminalId": DESK});
        let (path, body) = match random.u8(0..8) {
            0 => {
                world.send(&mut random, &scanner(LOOK_UP, TILL, shown.code())).await;
                continue;
            }
            1..=3 => {
                let event = json!({"eventId": world.any_slot(GALLERY, &mut random)});
                (SCAN, with(with(shown.code(), at_desk), event))
            }
            4 => {
                let force = json!({"force": true, "forceReason": "knows the director"});
                (SCAN, with(with(tickets, at_desk), force))
            }
            5 => (BY_HAND, json!({"ticketUUIDs": [shown.ticket.barcode.as_str()]})),
            6 => (UNDO, with(tickets, at_desk)),
            _ => (BLOCK, with(tickets, json!({"blocked": random.bool(), "reason": "reported lost"}))),
        };
        let ask = keyed(&mut random, scanner(path, TILL, body));
        pass(&world, &mut random, &ask).await;
    }
}
