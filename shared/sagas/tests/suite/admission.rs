//! Two doors, the back office and an offline device at one order, whatever is lost on the way.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper fails its test by panicking")]

use adapters::processor::SandboxProcessor;
use adapters::queue::LocalQueue;
use adapters::vault::LocalVault;
use adapters::{Adapters, App};
use domain::admission::{
    Actor, BlockRequest, Checks, DeviceDecision, Reason, ScanRequest, UndoRequest, UndoRight, UploadOutcome,
    UploadedScan, passages_of,
};
use domain::ledger::Ledger;
use domain::order::refund::{
    NamedItem, OrderRefundRequest, RefundFacts, RefundRefused, RefundScope, Units, decide_refund,
};
use domain::order::{Admissions, Order, ScanType, Ticket, TicketChunk, TicketStatus};
use domain::tenant::Tenant;
use domain::time::plus_secs;
use domain::{
    AdmissionId, InstanceId, OrderId, OrderItemId, RefundId, TemplateId, TicketBarcode, TicketId, Timestamp,
};
use engine::{Fault, FaultPlan, Faulty};
use sagas::admission::{DoorQuestion, DoorScan, OrderUpload, WantedTickets, block, scan, undo, upload};
use sagas::{Giving, SagaFault, TakenReturn, take_return};
use serde_json::json;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use store::{Action, Expression, Key, Store, encode};
use testkit::PREFIX;
use testkit::image::tables;
use tokio::task::JoinSet;

/// Tickets of the order.
const TICKETS: u64 = 4;

fn now() -> Timestamp {
    "2027-05-01T14:00:00Z".parse().unwrap()
}

fn tenant() -> Tenant {
    testkit::tenant(1)
}

fn template() -> TemplateId {
    TemplateId::parse("6f2e91b0c47d5a3e18b90f42").unwrap()
}

fn slot() -> InstanceId {
    InstanceId::of(&template(), None, now().naive_utc(), now()).unwrap()
}

fn order_id() -> OrderId {
    OrderId::from_bits(31_840_526)
}

fn ticket_id(number: u64) -> TicketId {
    TicketId::from_bits(number + 1)
}

/// An order of tickets that cost nothing.
fn order(tickets: u64) -> Order {
    let line = json!({
        "line": "ticket", "id": "11", "instance": slot(), "shard": 0, "template": template(), "ticket_type": "adult",
        "event_name": "Gallery", "ticket_type_name": "Adult", "event_start": now().timestamp_millis(),
        "admission": "standard", "amounts": {
            "quantity": tickets, "retail_unit": 0, "unit": 0, "retail_amount": 0, "amount": 0,
        },
    });
    serde_json::from_value(json!({
        "id": order_id(), "tenant": 1, "number": "100731946", "visitor": "", "lines": [line], "send_email": false,
        "state": {"state": "paid", "at": now().timestamp_millis()}, "contact": {}, "billing": {},
        "total": 0, "retail_total": 0, "created_at": now().timestamp_millis(),
    }))
    .unwrap()
}

fn tickets(count: u64) -> Vec<Ticket> {
    let ticket = |number: u64| Ticket {
        id: ticket_id(number),
        barcode: TicketBarcode::from_bytes(u128::from(number).to_be_bytes()),
        line: OrderItemId::parse("11").unwrap(),
        status: TicketStatus::Normal,
        printed: false,
    };
    (0..count).map(ticket).collect()
}

fn ledger() -> Ledger {
    serde_json::from_value(json!({
        "instance": slot(), "template": template(), "shard": 0, "start": now().timestamp_millis(),
        "end": plus_secs(now(), 3_600).timestamp_millis(), "state": "active", "size": 10, "free": 6, "sold": 4,
    }))
    .unwrap()
}

#[derive(Clone)]
struct Venue {
    app: App,
    faults: FaultPlan,
}

impl Venue {
    async fn open() -> Self {
        Self::with_tickets(TICKETS).await
    }

    async fn with_tickets(count: u64) -> Self {
        let embedded = tables().await;
        let own = Store::new(embedded.client(), PREFIX);
        own.save_tenant(&tenant()).await.unwrap();
        let key = Key::order(tenant().id, &order_id());
        put(&own, &key, encode(&key, &order(count)).unwrap()).await;
        let key = Key::tickets(tenant().id, &order_id(), 0);
        put(&own, &key, encode(&key, &TicketChunk { tickets: tickets(count) }).unwrap()).await;
        let key = Key::ledger(tenant().id, &slot(), 0);
        put(&own, &key, encode(&key, &ledger()).unwrap()).await;
        let sandbox = SandboxProcessor::new(own, Arc::new(now));
        let faults = FaultPlan::new();
        let store = Store::new(Faulty::new(embedded, faults.clone()).client(), PREFIX);
        let adapters = Adapters {
            queue: Arc::new(LocalQueue::default()),
            vault: Arc::new(LocalVault::in_memory().unwrap()),
            sandbox_processor: Arc::new(sandbox),
        };
        Self { app: App::new(store, adapters), faults }
    }

    async fn scan(&self, scan_number: u8, terminal: &str, ticket: u64) -> Result<DoorScan, SagaFault> {
        let request = ScanRequest {
            id: AdmissionId::from_bytes([scan_number; 16]),
            kind: ScanType::Entry,
            event: None,
            checks: Checks::All,
            force: None,
            actor: actor(terminal),
            now: now(),
        };
        let wanted = WantedTickets::Ids(vec![ticket_id(ticket)]);
        let (id, event) = (order_id(), None);
        let question = DoorQuestion { order: &id, wanted: &wanted, event };
        Ok(scan(&self.app, &tenant(), &question, &request).await?.unwrap())
    }

    async fn block(&self, number: u8, ticket: u64, reason: Option<&str>) -> Result<(), SagaFault> {
        let request = BlockRequest {
            id: AdmissionId::from_bytes([number; 16]),
            reason: reason.map(str::to_owned),
            actor: actor("office"),
            now: now(),
        };
        let wanted = WantedTickets::Ids(vec![ticket_id(ticket)]);
        let id = order_id();
        let question = DoorQuestion { order: &id, wanted: &wanted, event: None };
        block(&self.app, &tenant(), &question, &request).await?.unwrap();
        Ok(())
    }

    async fn undo(&self, ticket: u64) -> Result<(), SagaFault> {
        self.undo_all(200, ticket..ticket + 1).await.map(|_| ())
    }

    /// How many of these tickets a request says to have taken back.
    async fn undo_all(&self, number: u8, tickets: Range<u64>) -> Result<usize, SagaFault> {
        let wanted = WantedTickets::Ids(tickets.map(ticket_id).collect());
        let id = order_id();
        let question = DoorQuestion { order: &id, wanted: &wanted, event: None };
        let request = UndoRequest {
            id: AdmissionId::from_bytes([number; 16]),
            right: UndoRight::Any,
            actor: actor("office"),
            now: now(),
        };
        let undone = undo(&self.app, &tenant(), &question, &request).await?.unwrap();
        Ok(undone.tickets.iter().filter(|ticket| ticket.outcome.is_ok()).count())
    }

    async fn upload(&self, scans: u8) -> Result<Vec<UploadOutcome>, SagaFault> {
        let told = |number: u8| UploadedScan {
            id: AdmissionId::of_scan(&format!("device-{number}"), &order_id()),
            ticket: ticket_id(u64::from(number) % TICKETS),
            event: None,
            kind: ScanType::Entry,
            at: plus_secs(now(), -60 * i64::from(number)),
            decision: DeviceDecision::Admitted,
            note: None,
        };
        let told = OrderUpload { order: order_id(), scans: (0..scans).map(told).collect() };
        upload(&self.app, &tenant(), &told, &actor("offline"), now(), std::future::ready(())).await
    }

    /// Whether a ticket could be given back.
    async fn refund(&self, ticket: u64) -> bool {
        for _ in 0..20 {
            let (order, tickets) = self.load().await;
            let scope = RefundScope::Items(vec![NamedItem {
                item: order.lines[0].id().clone(),
                units: Units::Tickets(vec![ticket_id(ticket)]),
            }]);
            let wanted = OrderRefundRequest {
                order: order_id(),
                scope,
                amount: None,
                reason: None,
                send_email: false,
                force: false,
            };
            let facts = RefundFacts {
                order: &order,
                tickets: &tickets,
                memberships: &BTreeMap::new(),
                messages: &BTreeMap::new(),
                id: RefundId::from_bytes([7; 16]),
                by: "Office",
                operator: None,
                fingerprint: None,
                now: now(),
            };
            let decided = match decide_refund(&wanted, &facts) {
                Ok(decided) => decided.unwrap(),
                Err(RefundRefused::Faults { admitted, .. }) => {
                    assert_eq!(admitted, [ticket_id(ticket)]);
                    return false;
                }
                Err(refused) => panic!("{refused:?}"),
            };
            let clock = adapters::clock::RequestClock::chosen(now());
            let taken = take_return(&self.app, &order, &decided, Giving::NoMoney, clock).await;
            if let Ok(TakenReturn::Taken(..)) = taken {
                return true;
            }
        }
        panic!("the order moved all the time");
    }

    async fn load(&self) -> (Order, Vec<Ticket>) {
        self.app.store.load_order_with_tickets(tenant().id, &order_id()).await.unwrap().unwrap()
    }

    /// What must hold at every moment: admissions follow from their scans, counts are their sums, and nobody is both
    /// inside and refunded.
    async fn check(&self) -> Order {
        let (order, tickets) = self.load().await;
        let scans = self.app.store.load_scans(tenant().id, &order_id()).await.unwrap();
        for ticket in &tickets {
            let mut replayed = Admissions::default();
            replayed.replay(ticket, passages_of(&scans, ticket));
            let (noted, replayed) = (order.admission.of(ticket), replayed.of(ticket));
            assert_eq!((noted.first_entry, noted.entries), (replayed.first_entry, replayed.entries));
            assert_eq!(noted.inside, replayed.inside);
            assert!(ticket.status.admits() || !noted.is_admitted(), "{:?} and let in", ticket.status);
        }
        let (from, until) = (plus_secs(now(), -60), plus_secs(now(), 60));
        let counts = self.app.store.load_counts(tenant().id, &template(), from, until).await.unwrap();
        assert_eq!(counts, order.admission_counts());
        order
    }
}

fn actor(terminal: &str) -> Actor {
    Actor { key: "North".to_owned(), terminal: Some(terminal.to_owned()), ..Actor::default() }
}

async fn put(store: &Store, key: &Key, item: store::Item) {
    store.write(key, Action::Put(item, Expression::new())).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_doors_with_one_ticket_one_lets_in() {
    let venue = Venue::open().await;
    let mut doors = JoinSet::new();
    for number in 0..4 {
        let venue = venue.clone();
        doors.spawn(async move {
            let scanned = venue.scan(number, &format!("gate {number}"), 0).await.unwrap();
            scanned.decided.verdicts[0].verdict.reason()
        });
    }
    let reasons = doors.join_all().await;
    assert_eq!(reasons.iter().filter(|reason| reason.is_none()).count(), 1);
    assert!(reasons.iter().flatten().all(|reason| *reason == Reason::AlreadyAdmitted));
    assert_eq!(venue.check().await.admission.version, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_whose_answer_was_lost_is_found_again() {
    let venue = Venue::open().await;
    venue.scan(1, "gate 1", 0).await.unwrap();
    let again = venue.scan(1, "gate 1", 0).await.unwrap();
    assert!(again.decided.verdicts[0].verdict.is_admitted());
    let other = venue.scan(2, "gate 1", 0).await.unwrap();
    assert_eq!(other.decided.verdicts[0].verdict.reason(), Some(Reason::AlreadyAdmitted));
    venue.faults.reset();
    venue.faults.at_operation("TransactWriteItems", 0, Fault::AnswerLost);
    assert!(venue.scan(3, "gate 1", 1).await.unwrap().decided.verdicts[0].verdict.is_admitted());
    let order = venue.check().await;
    assert_eq!(order.check_in().admitted, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn doors_and_back_office_never_both_have_a_ticket() {
    for round in 0..8_u8 {
        let venue = Venue::open().await;
        let mut work = JoinSet::new();
        for (number, terminal) in [(1, "gate 1"), (2, "gate 2")] {
            let venue = venue.clone();
            work.spawn(async move {
                for ticket in 0..TICKETS {
                    let place = (ticket + u64::from(round)) % TICKETS;
                    let id = number * 16 + u8::try_from(place).unwrap();
                    // One that is busy wrote nothing.
                    let _ = venue.scan(id, terminal, place).await;
                }
            });
        }
        let office = venue.clone();
        work.spawn(async move {
            let _ = office.block(90, 1, Some("lost")).await;
            let _ = office.undo(2).await;
            let _ = office.block(91, 1, None).await;
            let _ = office.refund(0).await;
        });
        work.join_all().await;
        let order = venue.check().await;
        assert!(order.admission.tickets().all(|(_, _, admission)| admission.entries <= 1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_was_cut_is_completed_and_counted_once() {
    let venue = Venue::open().await;
    venue.scan(1, "gate 1", 0).await.unwrap();
    venue.faults.reset();
    venue.faults.at_operation("TransactWriteItems", 1, Fault::AnswerLost);
    let outcomes = venue.upload(120).await.unwrap();
    assert_eq!(outcomes.len(), 120);
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == UploadOutcome::Recorded).count(), 3);
    let order = venue.check().await;
    for _ in 0..2 {
        let again = venue.upload(120).await.unwrap();
        assert!(again.iter().all(|outcome| *outcome == UploadOutcome::Duplicate));
    }
    assert_eq!(venue.check().await.admission, order.admission);
    let entries: u32 = order.admission.tickets().map(|(_, _, admission)| admission.entries).sum();
    assert_eq!(entries, 121);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_inside_is_not_refunded_unless_the_scan_is_taken_back() {
    let venue = Venue::open().await;
    venue.scan(1, "gate 1", 0).await.unwrap();
    assert!(!venue.refund(0).await);
    venue.undo(0).await.unwrap();
    assert!(venue.refund(0).await);
    let scanned = venue.scan(2, "gate 1", 0).await.unwrap();
    assert_eq!(scanned.decided.verdicts[0].verdict.reason(), Some(Reason::Refunded));
    venue.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_of_more_scans_than_one_transaction_holds_is_done_in_parts() {
    const MANY: u8 = 150;
    let venue = Venue::with_tickets(u64::from(MANY)).await;
    for number in 0..MANY {
        venue.scan(number, "gate 1", u64::from(number)).await.unwrap();
    }
    assert_eq!(venue.check().await.check_in().admitted, u32::from(MANY));
    venue.faults.reset();
    // The first part is written, and the second one is not.
    venue.faults.at_operation("TransactWriteItems", 1, Fault::CrashBefore);
    assert!(venue.undo_all(250, 0..u64::from(MANY)).await.is_err());
    venue.faults.heal();
    let left = venue.check().await.check_in().admitted;
    assert!((1..u32::from(MANY)).contains(&left), "{left}");
    // The same request again completes it, and takes nothing back twice.
    for _ in 0..2 {
        assert_eq!(venue.undo_all(250, 0..u64::from(MANY)).await.unwrap(), usize::from(MANY));
    }
    assert_eq!(venue.check().await.check_in().admitted, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_that_was_taken_back_is_decided_anew_when_it_is_repeated() {
    let venue = Venue::open().await;
    venue.scan(1, "gate 1", 0).await.unwrap();
    venue.undo(0).await.unwrap();
    let again = venue.scan(1, "gate 1", 0).await.unwrap();
    assert!(again.decided.verdicts[0].verdict.is_admitted());
    // Whoever is told to be let in is.
    assert_eq!(venue.check().await.check_in().admitted, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_of_one_device_are_recorded_once_a_minute() {
    let venue = Venue::open().await;
    venue.scan(1, "gate 1", 0).await.unwrap();
    for number in 2..12 {
        let refused = venue.scan(number, "gate 1", 0).await.unwrap();
        assert_eq!(refused.decided.verdicts[0].verdict.reason(), Some(Reason::AlreadyAdmitted));
    }
    venue.scan(12, "gate 2", 0).await.unwrap();
    let scans = venue.app.store.load_scans(tenant().id, &order_id()).await.unwrap();
    assert_eq!(scans.len(), 3);
}
