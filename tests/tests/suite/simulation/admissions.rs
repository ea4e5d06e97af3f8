//! The proof of what the doors of a world did.

use crate::simulation::venue::{GALLERY, NIGHT, t0, tenant_id};
use crate::simulation::world::World;
use domain::admission::{Scan, ScanKind, ScanResult};
use domain::order::{AdmissionCounts, Order, Ticket};
use domain::time::plus_secs;
use domain::{AdmissionId, InstanceId, TemplateId, TicketId};
use std::collections::{BTreeMap, BTreeSet};

/// The seconds in which all slots of the venue start.
const SEASON_SECS: i64 = 30 * 86_400;

/// Nobody was let in twice where a ticket admits once, nothing was given back of who was let in, unless staff insisted;
/// whoever was told to pass is noted, every scan of a device once, and counts are sums.
pub(crate) async fn check_admissions<'a>(world: &World, paid: impl Iterator<Item = &'a Order>) {
    let (store, mut sums) = (world.truth(), BTreeMap::<InstanceId, AdmissionCounts>::new());
    for order in paid {
        let found = store.load_order_with_tickets(tenant_id(), &order.id).await.unwrap();
        let (order, tickets) = found.unwrap();
        let scans = store.load_scans(tenant_id(), &order.id).await.unwrap();
        tickets.iter().for_each(|ticket| check_ticket(&order, ticket, &scans));
        check_devices(world, &order, &scans);
        for (instance, counts) in order.admission_counts() {
            let sum = sums.entry(instance).or_default();
            *sum = sum.and(counts);
        }
        count(world, &order, &scans);
    }
    let mut counted = BTreeMap::new();
    for template in [GALLERY, NIGHT] {
        let template = TemplateId::parse(template).unwrap();
        let until = plus_secs(t0(), SEASON_SECS);
        counted.extend(store.load_counts(tenant_id(), &template, t0(), until).await.unwrap());
    }
    assert_eq!(counted, sums, "visitors by the counters (left) and by the orders (right)");
}

fn check_ticket(order: &Order, ticket: &Ticket, scans: &[Scan]) {
    let said = || format!("order {}, ticket {}: {scans:?}", order.id, ticket.id);
    let entries = scans.iter().filter(|scan| scan.kind == ScanKind::Entry).flat_map(|scan| &scan.tickets);
    let counting: Vec<_> =
        entries.filter(|scanned| scanned.ticket == ticket.id && scanned.counts()).collect();
    let noted = order.admission.of(ticket);
    assert_eq!(usize::try_from(noted.entries).unwrap(), counting.len(), "entries: {}", said());
    let admits_once = order.line_of(ticket).is_some_and(|line| line.template.as_str() == GALLERY);
    let done = counting.iter().filter(|scanned| scanned.result == ScanResult::Done).count();
    assert!(!admits_once || done <= 1, "let in {done} times: {}", said());
    let is_given_back = noted.is_admitted() && !ticket.status.admits();
    assert!(!is_given_back || insisted(order, &ticket.id), "let in and given back: {}", said());
}

/// Whether staff gave a ticket back although it had let somebody in.
fn insisted(order: &Order, ticket: &TicketId) -> bool {
    let refunds = order.after_sale.refunds.iter().filter(|refund| refund.forced);
    let refunded = refunds.flat_map(|refund| &refund.items).flat_map(|item| &item.tickets);
    let exchanges = order.after_sale.exchanges.iter().filter(|exchange| exchange.forced);
    let exchanged = exchanges.flat_map(|exchange| &exchange.moved).flat_map(|moved| &moved.tickets);
    refunded.chain(exchanged).any(|given| given == ticket)
}

fn check_devices(world: &World, order: &Order, scans: &[Scan]) {
    for passed in world.passed.lock().unwrap().iter().filter(|passed| passed.order == order.id.as_str()) {
        let is_noted = |scan: &Scan| scan.id.as_str() == passed.admission && scan.has_passage();
        assert!(scans.iter().any(is_noted), "told to pass and not noted: {passed:?} {scans:?}");
    }
    let kept = world.kept.lock().unwrap();
    let kept = kept.iter().filter(|kept| kept.order == order.id);
    let kept: BTreeSet<AdmissionId> = kept
        .map(|kept| {
            let name = kept.scan["scanId"].as_str().unwrap().replace('-', "");
            AdmissionId::of_scan(&name, &order.id)
        })
        .collect();
    let uploaded: BTreeSet<AdmissionId> =
        scans.iter().filter(|scan| scan.offline).map(|scan| scan.id.clone()).collect();
    assert_eq!(kept, uploaded, "scans that devices kept (left), and what is noted of them (right)");
}

/// What the doors reached.
fn count(world: &World, order: &Order, scans: &[Scan]) {
    let after_sale = &order.after_sale;
    world.noted("refund forced", after_sale.refunds.iter().filter(|refund| refund.forced).count());
    world.noted("exchange forced", after_sale.exchanges.iter().filter(|exchange| exchange.forced).count());
    let moved = after_sale.exchanges.iter().flat_map(|exchange| &exchange.moved);
    world.noted("moved at a door", moved.filter(|moved| !moved.successors.is_empty()).count());
    for scan in scans {
        for scanned in &scan.tickets {
            world.note(match (scan.kind, scanned.result) {
                (ScanKind::Block, _) => "ticket blocked",
                (ScanKind::Unblock, _) => "ticket unblocked",
                (ScanKind::Exit, ScanResult::Done) => "let out at a door",
                (ScanKind::Entry, ScanResult::Done) if scan.offline => "let in offline",
                (ScanKind::Entry, ScanResult::Done) => "let in at a door",
                (ScanKind::Entry | ScanKind::Exit, ScanResult::Forced { .. }) => "let in by force",
                (ScanKind::Entry | ScanKind::Exit, ScanResult::DoubleAdmission) => "let in offline once more",
                (ScanKind::Entry | ScanKind::Exit, ScanResult::Refused { .. }) => "kept out at a door",
                (ScanKind::Entry | ScanKind::Exit, ScanResult::NotValid { .. }) => "let in offline in vain",
            });
            world.noted("scan taken back", usize::from(scanned.undone_at.is_some()));
        }
    }
}
