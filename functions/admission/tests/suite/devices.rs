//! Many devices at once, with refunds, exchanges, blocks, undos and uploads between: nobody is let in twice.

use crate::support::{
    BACK_DOOR, DOOR, Doors, GALLERY, STAFF, Sold, TILL, after, block, event, exchange, leave, offline, owner,
    refund, scan, t0, undo, upload,
};
use domain::admission::{Scan, ScanKind, ScanResult, passages_of};
use domain::order::{AdmissionCounts, Order, ScanType, Ticket};
use domain::{InstanceId, OrderId, TemplateId};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use testkit::{Ask, walk};
use tokio::task::JoinSet;

/// How much is played.
#[derive(Clone, Copy, Debug)]
struct Crowd {
    devices: u64,
    barcodes: u32,
    /// Scans of one device.
    scans: usize,
}

/// All doors of a large venue.
const LARGE: Crowd = Crowd { devices: 64, barcodes: 200, scans: 200 };
/// Those of a small one.
const SMALL: Crowd = Crowd { devices: 16, barcodes: 40, scans: 30 };

/// The seeds that are always played.
const ONE_IN: u64 = 6;
/// The seed of a large venue.
const OF_LARGE: u64 = 1;

/// So many of the last scans that a device kept come with one upload in four: most of them again.
const UPLOADED: usize = 4;

/// What a device does next with a ticket.
fn next(
    random: &mut fastrand::Rng,
    sold: &Sold,
    names: &AtomicU64,
    kept: &mut Vec<Value>,
    key: &'static str,
) -> Ask {
    match random.u32(0..100) {
        0..70 => scan(&sold.code).by(key),
        70..76 => leave(&sold.code).by(key),
        76..82 => undo(sold).by(if random.bool() { TILL } else { key }),
        82..86 => refund(sold, json!({})),
        86..89 => exchange(sold, event(GALLERY, 1), json!({"waiveFee": true})),
        89..93 => block(sold, random.bool()),
        _ => {
            let name = names.fetch_add(1, Ordering::Relaxed);
            let at = after(-random.i64(0..600));
            kept.push(offline(name, sold, at));
            let told = if random.u32(0..4) == 0 { UPLOADED } else { 1 };
            upload(&kept[kept.len().saturating_sub(told)..]).by(key)
        }
    }
}

/// Everything that a device does, until it is done.
async fn play(doors: Doors, sold: Arc<Vec<Sold>>, names: Arc<AtomicU64>, seed: u64, scans: usize) -> u32 {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut order: Vec<usize> = (0..sold.len()).collect();
    random.shuffle(&mut order);
    let key = if random.bool() { DOOR } else { BACK_DOOR };
    let (mut kept, mut admitted) = (Vec::new(), 0);
    for place in order.into_iter().take(scans) {
        let ask = next(&mut random, &sold[place], &names, &mut kept, key);
        let answer = doors.send(ask).await;
        let known = [
            (200, "OK"),
            (409, "NOT_REFUNDABLE"),
            (409, "NOT_EXCHANGEABLE"),
            (409, "REFUND_PENDING"),
            (409, "TOO_MANY_EXCHANGES"),
            (503, "TRY_AGAIN"),
        ];
        assert!(known.contains(&answer.kind()), "{} {}", answer.status, answer.text);
        admitted += u32::from(answer.body["admitted"] == 1);
    }
    admitted
}

/// Whether the scans of an order explain what is noted of it, and nobody was let in twice by doors that were online.
fn check_order(order: &Order, tickets: &[Ticket], scans: &[Scan], case: &str) {
    for ticket in tickets {
        let noted = order.admission.of(ticket);
        let passages = passages_of(scans, ticket);
        let entries = passages.iter().filter(|passage| passage.kind == ScanType::Entry).count();
        assert_eq!(usize::try_from(noted.entries).unwrap(), entries, "{case}: {noted:?}");
        let first =
            passages.iter().filter(|passage| passage.kind == ScanType::Entry).map(|passage| passage.at).min();
        assert_eq!(noted.first_entry, first, "{case}: {noted:?}");
        if !ticket.status.admits() {
            assert!(!noted.is_admitted(), "{case}: given back and admitted: {ticket:?} {noted:?}");
        }
        check_ticket(ticket, scans, case);
    }
}

/// A ticket that admits once does so once, and never while it is blocked.
fn check_ticket(ticket: &Ticket, scans: &[Scan], case: &str) {
    let mut own: Vec<&Scan> =
        scans.iter().filter(|scan| scan.tickets.iter().any(|scanned| scanned.ticket == ticket.id)).collect();
    own.sort_by_key(|scan| scan.number);
    let (mut is_blocked, mut online) = (false, 0);
    for scan in own {
        match scan.kind {
            ScanKind::Block => is_blocked = true,
            ScanKind::Unblock => is_blocked = false,
            ScanKind::Exit => {}
            ScanKind::Entry => {
                for scanned in scan.tickets.iter().filter(|scanned| scanned.ticket == ticket.id) {
                    let is_done = scanned.result == ScanResult::Done && !scan.offline;
                    assert!(!(is_done && is_blocked), "{case}: let in while it was blocked: {ticket:?}");
                    online += u32::from(is_done && scanned.undone_at.is_none());
                }
            }
        }
    }
    assert!(online <= 1, "{case}: let in {online} times: {ticket:?}");
}

async fn check_all(doors: &Doors, sold: &[Sold], case: &str) {
    let mut expected: BTreeMap<InstanceId, AdmissionCounts> = BTreeMap::new();
    let orders: std::collections::BTreeSet<&str> = sold.iter().map(|sold| sold.order.as_str()).collect();
    for id in orders {
        let id = OrderId::parse(id).unwrap();
        let (order, tickets) = doors.0.store.load_order_with_tickets(owner(), &id).await.unwrap().unwrap();
        let scans = doors.0.store.load_scans(owner(), &id).await.unwrap();
        check_order(&order, &tickets, &scans, case);
        for (instance, counts) in order.admission_counts() {
            let sum = expected.entry(instance).or_default();
            *sum = sum.and(counts);
        }
    }
    let template = TemplateId::parse(GALLERY).unwrap();
    let counted = doors.0.store.load_counts(owner(), &template, t0(), after(86_400)).await.unwrap();
    assert_eq!(counted, expected, "{case}: counters and sums");
}

async fn crowd(seed: u64, size: Crowd) {
    let case = format!("seed {seed}, {size:?}");
    let doors = Doors::open().await;
    let mut sold = Vec::new();
    let mut random = fastrand::Rng::with_seed(seed);
    while sold.len() < usize::try_from(size.barcodes).unwrap() {
        let left = size.barcodes - u32::try_from(sold.len()).unwrap();
        sold.extend(doors.sell(event(GALLERY, 0), random.u32(1..=5).min(left)).await);
    }
    let sold = Arc::new(sold);
    let names = Arc::new(AtomicU64::new(seed * 1_000_000));
    let processes = [doors.clone(), doors.another().await, doors.another().await];
    let mut devices = JoinSet::new();
    for device in 0..size.devices {
        let process = processes[usize::try_from(device).unwrap() % processes.len()].clone();
        let own_seed = seed * 1_000 + device;
        devices.spawn(play(process, Arc::clone(&sold), Arc::clone(&names), own_seed, size.scans));
    }
    let admitted: u32 = devices.join_all().await.into_iter().sum();
    assert!(admitted > size.barcodes / 4, "{case}: {admitted} were let in");
    check_all(&doors, &sold, &case).await;
    // Every ticket that admits nobody says why, and every one that may does so once more at most.
    for sold in sold.iter() {
        let _ = doors.send(scan(&sold.code).by(STAFF)).await;
        assert_eq!(doors.done(scan(&sold.code).by(STAFF)).await["admitted"], 0, "{case}");
    }
    check_all(&doors, &sold, &case).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_devices_with_the_same_barcodes_let_everybody_in_once() {
    for seed in walk::seeds("admission-devices", 0..12, ONE_IN) {
        let size = if seed == OF_LARGE { LARGE } else { SMALL };
        Box::pin(crowd(seed, size)).await;
    }
}
