//! Every reason for which nobody is let in.

use crate::support::{
    BACK_DOOR, DOOR, Doors, GALLERY, GARDEN, PIER, STAFF, TILL, TOWER, admit, after, block, event, exchange,
    force, leave, owner, refund, scan, scan_into, t0, undo,
};
use domain::admission::Reason;
use domain::ledger::SlotState;
use domain::order::OrderRefundState;
use domain::{InstanceId, OrderId, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use store::{Consistency, Key};
use testkit::catalog::with;

/// The reasons of tickets; those of cards have a test of their own.
fn of_tickets() -> BTreeSet<&'static str> {
    let of_cards = [
        Reason::Ambiguous,
        Reason::MembershipLapsed,
        Reason::MembershipNotYet,
        Reason::CardDropped,
        Reason::CardReplaced,
    ];
    Reason::ALL.iter().filter(|reason| !of_cards.contains(reason)).map(|reason| reason.as_str()).collect()
}

/// A ticket that is refused, and how it is shown.
struct Shown {
    doors: Doors,
    body: Value,
    now: Timestamp,
}

impl Shown {
    fn at(doors: &Doors, code: &str, now: Timestamp) -> Self {
        Self { doors: doors.clone(), body: json!({"code": code}), now }
    }

    fn into(self, event: InstanceId) -> Self {
        Self { body: with(self.body, json!({"eventId": event})), ..self }
    }
}

/// A ticket that is refused for this reason.
async fn refused_for(doors: &Doors, reason: Reason) -> Shown {
    let sold = doors.one().await;
    let shown = Shown::at(doors, &sold.code, t0());
    match reason {
        Reason::Unknown => Shown::at(doors, "00000000000000000000000000000000", t0()),
        Reason::Refunded => {
            doors.done(refund(&sold, json!({}))).await;
            shown
        }
        Reason::RefundPending => {
            doors.done(refund(&sold, json!({}))).await;
            let id = OrderId::parse(&sold.order).unwrap();
            let mut order = doors.0.store.load_order(owner(), &id).await.unwrap().unwrap();
            order.after_sale.refunds[0].state = OrderRefundState::Pending;
            doors.0.store.save(&Key::order(owner(), &id), &order).await.unwrap();
            shown
        }
        Reason::Exchanged => {
            doors.done(exchange(&sold, event(GALLERY, 1), json!({}))).await;
            shown
        }
        Reason::Cancelled => {
            cancel(doors, GALLERY).await;
            shown
        }
        Reason::Blocked => {
            doors.done(block(&sold, true)).await;
            shown
        }
        Reason::WrongEvent => shown.into(event(GARDEN, 0)),
        Reason::WrongTime => shown.into(event(GALLERY, 1)),
        Reason::Expired => Shown::at(doors, &sold.code, after(86_400)),
        Reason::TooEarly => Shown::at(doors, &sold.code, after(-1_000)),
        Reason::TooLate => Shown::at(doors, &sold.code, after(2 * 3_600)),
        Reason::Unpaid => {
            let stored = doors.0.store.load_tenant(owner(), Consistency::Strong).await;
            let mut tenant = stored.unwrap().unwrap();
            tenant.door.admit_unpaid = false;
            doors.0.store.save_tenant(&tenant).await.unwrap();
            let moved = doors.done(exchange(&sold, event(GALLERY, 1), json!({}))).await;
            let code = moved["tickets"][0]["uuid"].as_str().unwrap();
            Shown::at(&doors.another().await, code, after(3_600))
        }
        Reason::AlreadyAdmitted => {
            assert_eq!(doors.reason(scan(&sold.code)).await, "admitted");
            shown
        }
        Reason::NotInside => Shown { body: with(shown.body.clone(), json!({"type": "exit"})), ..shown },
        Reason::Ambiguous
        | Reason::MembershipLapsed
        | Reason::MembershipNotYet
        | Reason::CardDropped
        | Reason::CardReplaced => panic!("{} is none of tickets", reason.as_str()),
    }
}

/// Calls the first slot of a template off.
async fn cancel(doors: &Doors, of: &str) {
    let slot = event(of, 0);
    let found = doors.0.store.load_ledger(owner(), &slot, Consistency::Strong).await;
    let mut ledger = found.unwrap().unwrap();
    ledger.state = SlotState::Cancelled;
    let key = Key::ledger(owner(), &slot, 0);
    doors.0.store.save(&key, &ledger).await.unwrap();
}

#[tokio::test]
async fn every_reason_is_given_and_those_that_staff_may_overrule_are_overruled() {
    let mut met = BTreeSet::new();
    for reason in Reason::ALL.iter().copied().filter(|reason| of_tickets().contains(reason.as_str())) {
        let Shown { doors, body, now } = refused_for(&Doors::open().await, reason).await;
        assert_eq!(doors.reason(admit(body.clone()).at_instant(now)).await, reason.as_str());
        met.insert(reason.as_str());
        let forced = doors.result(force(body).at_instant(now)).await;
        let told = (forced["admitted"].as_bool(), forced["forced"].as_bool());
        let expected = if reason.is_forceable() { (Some(true), Some(true)) } else { (Some(false), None) };
        assert_eq!(told, expected, "{}: {forced}", reason.as_str());
        if !reason.is_forceable() {
            assert_eq!(forced["reason"], reason.as_str());
        }
    }
    assert_eq!(met, of_tickets());
}

#[tokio::test]
async fn a_door_may_not_insist_and_a_till_says_why_it_does() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let body = json!({"code": sold.code, "force": true, "forceReason": "knows the director"});
    for key in [DOOR, BACK_DOOR] {
        let refused = doors.send(admit(body.clone()).by(key)).await;
        assert_eq!(refused.kind(), (403, "FORBIDDEN"), "{}", refused.text);
    }
    // Before any fault.
    let faulty = doors.send(admit(json!({"force": true, "type": "over"})).by(DOOR)).await;
    assert_eq!(faulty.kind(), (403, "FORBIDDEN"), "{}", faulty.text);
    let without = doors.send(admit(json!({"code": sold.code, "force": true})).by(TILL)).await;
    assert_eq!(without.faults(), ["/forceReason is required with force"]);
    for key in [TILL, STAFF] {
        assert_eq!(doors.result(admit(body.clone()).by(key)).await["admitted"], true, "{key}");
    }
}

#[tokio::test]
async fn what_stands_before_hides_what_stands_behind() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    assert_eq!(doors.reason(scan(&sold.code)).await, "admitted");
    // Already inside, too late, for another time, of another event, blocked: each hides those before.
    let late = scan(&sold.code).at_instant(after(2 * 3_600));
    assert_eq!(doors.reason(late).await, "tooLate");
    let other_time = scan_into(&sold.code, event(GALLERY, 1)).at_instant(after(2 * 3_600));
    assert_eq!(doors.reason(other_time.clone()).await, "wrongTime");
    let other_event = scan_into(&sold.code, event(GARDEN, 1)).at_instant(after(2 * 3_600));
    assert_eq!(doors.reason(other_event.clone()).await, "wrongEvent");
    doors.done(block(&sold, true)).await;
    for ask in [other_time, other_event] {
        assert_eq!(doors.reason(ask).await, "blocked");
    }
    doors.done(refund(&sold, json!({"force": true}))).await;
    assert_eq!(doors.reason(scan(&sold.code)).await, "refunded");
}

#[tokio::test]
async fn a_block_is_explained_to_the_till_and_not_to_the_door() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    doors.done(block(&sold, true)).await;
    let door = doors.result(scan(&sold.code)).await;
    assert_eq!((door["reason"].as_str(), door.get("blockedReason")), (Some("blocked"), None));
    let till = doors.result(scan(&sold.code).by(TILL)).await;
    assert_eq!(till["blockedReason"], "reported lost");
    doors.done(block(&sold, false)).await;
    assert_eq!(doors.reason(scan(&sold.code)).await, "admitted");
}

#[tokio::test]
async fn who_was_inside_is_told_with_the_first_ones_time_and_device() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let first = doors.result(scan(&sold.code)).await;
    let expected = json!({
        "admitted": true, "type": "entry", "kind": "ticket", "checkInDate": "2027-06-01T10:00:00-04:00",
        "inside": true, "entries": 1, "ticketId": sold.ticket, "ticketStatus": "Normal",
        "ticketTypeName": "Adult", "orderId": sold.order, "orderNumber": sold.number,
        "firstName": "Ines", "lastName": "Okafor", "checkInStatus": "CheckedIn",
        "eventId": event(GALLERY, 0).to_string(), "eventName": "Harbor Gallery Entry",
        "eventDate": "2027-06-01T10:15:00-04:00", "checkInQuantity": 1, "quantity": 1,
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&first[name], value, "{name}: {first}");
    }
    let again = doors.result(scan(&sold.code).by(BACK_DOOR).at_instant(after(60))).await;
    let previous = json!({"at": "2027-06-01T10:00:00-04:00", "terminalId": "gate-1", "entries": 1});
    assert_eq!((again["admitted"].as_bool(), &again["previous"]), (Some(false), &previous));
    assert_eq!((&again["checkInDate"], &again["entries"]), (&first["checkInDate"], &json!(1)));
    assert_eq!(again.get("admissionId"), None);
}

#[tokio::test]
async fn reentry_follows_the_template() {
    let doors = Doors::open().await;
    for (of, again, after_exit) in [
        (GALLERY, "alreadyAdmitted", "alreadyAdmitted"),
        (GARDEN, "alreadyAdmitted", "admitted"),
        (PIER, "admitted", "admitted"),
    ] {
        let sold = doors.sell(event(of, 0), 1).await.remove(0);
        assert_eq!(doors.reason(scan(&sold.code)).await, "admitted", "{of}");
        assert_eq!(doors.reason(scan(&sold.code)).await, again, "{of}");
        assert_eq!(doors.reason(leave(&sold.code)).await, "admitted", "{of}");
        assert_eq!(doors.reason(leave(&sold.code)).await, "notInside", "{of}");
        assert_eq!(doors.reason(scan(&sold.code)).await, after_exit, "{of}");
    }
}

#[tokio::test]
async fn outside_of_a_window_that_does_not_block_a_ticket_is_admitted_with_a_warning() {
    let doors = Doors::open().await;
    for (secs, warning) in [(-1_000, "tooEarly"), (3_600, "tooLate")] {
        let sold = doors.sell(event(PIER, 0), 1).await.remove(0);
        let result = doors.result(scan(&sold.code).at_instant(after(secs))).await;
        assert_eq!((result["admitted"].as_bool(), &result["warnings"]), (Some(true), &json!([warning])));
    }
    // Whoever is refused is told by the reason.
    let sold = doors.sell(event(PIER, 0), 1).await.remove(0);
    doors.done(block(&sold, true)).await;
    let refused = doors.result(scan(&sold.code).at_instant(after(-1_000))).await;
    assert_eq!((&refused["reason"], refused.get("warnings")), (&json!("blocked"), None), "{refused}");
}

#[tokio::test]
async fn a_ticket_is_moved_to_the_time_at_which_it_is_shown() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(TOWER, 0), 1).await.remove(0);
    let later = after(3_600);
    let moved = doors.result(scan_into(&sold.code, event(TOWER, 1)).at_instant(later)).await;
    assert_eq!(moved["admitted"], true, "{moved}");
    assert_eq!(moved["rebookedFrom"], event(TOWER, 0).to_string());
    assert_eq!(moved["eventId"], event(TOWER, 1).to_string());
    assert_ne!(moved["ticketId"], sold.ticket.as_str());
    // The barcode that the visitor has counts for the new ticket.
    let again = doors.result(scan_into(&sold.code, event(TOWER, 1)).at_instant(later)).await;
    assert_eq!((&again["reason"], &again["ticketId"]), (&json!("alreadyAdmitted"), &moved["ticketId"]));
    let seats = [0, 1].map(|number| event(TOWER, number));
    for (slot, sold) in seats.iter().zip([0, 1]) {
        let ledger = doors.0.store.load_ledger(owner(), slot, Consistency::Strong).await;
        assert_eq!(ledger.unwrap().unwrap().sold, sold, "{slot}");
    }
}

#[tokio::test]
async fn a_ticket_that_cannot_be_moved_is_told_why() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(TOWER, 0), 1).await.remove(0);
    let full = doors.0.store.load_ledger(owner(), &event(TOWER, 1), Consistency::Strong).await;
    let mut full = full.unwrap().unwrap();
    full.size = full.sold;
    full.free = 0;
    let key = Key::ledger(owner(), &event(TOWER, 1), 0);
    doors.0.store.save(&key, &full).await.unwrap();
    let refused = doors.result(scan_into(&sold.code, event(TOWER, 1)).at_instant(after(3_600))).await;
    let details = json!([{"field": "/eventId", "message": "has no seats left"}]);
    assert_eq!((&refused["reason"], &refused["details"]), (&json!("wrongTime"), &details), "{refused}");
}

#[tokio::test]
async fn an_orders_number_admits_nobody_by_itself() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let result = doors.result(scan(&sold.number)).await;
    assert_eq!((&result["reason"], &result["attention"]), (&json!("unknown"), &json!(["orderNumber"])));
    assert_eq!(doors.past(&sold).await["state"], "never");
}

#[tokio::test]
async fn a_code_is_known_in_any_case_and_with_space_around_it() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let code = format!(" {} ", sold.code.to_uppercase());
    assert_eq!(doors.reason(scan(&code)).await, "admitted");
    assert_eq!(doors.past(&sold).await["entries"], 1);
}

#[tokio::test]
async fn unknown_orders_items_and_events_are_not_found_and_stale_tickets_keep_nobody_out() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let stale = json!({"orderId": sold.order, "ticketId": "7"});
    let lost = json!({"orderId": "31840526", "ticketId": "7"});
    let body = json!({"tickets": [stale, sold.named(), lost]});
    let answer = doors.done(admit(body)).await;
    assert_eq!((answer["admitted"].as_u64(), answer["refused"].as_u64()), (Some(1), Some(2)), "{answer}");
    for (place, reason) in [(0, json!("unknown")), (1, Value::Null), (2, json!("unknown"))] {
        assert_eq!(answer["results"][place]["reason"], reason, "{answer}");
    }
    let nowhere = event(GALLERY, 77);
    for (body, fields) in [
        (json!({"code": sold.code, "eventId": nowhere}), vec!["/eventId"]),
        (json!({"tickets": [sold.named()], "eventId": nowhere}), vec!["/eventId"]),
        (json!({"order": {"orderId": "7"}, "eventId": event(GALLERY, 0)}), vec!["/order/orderId"]),
        (
            json!({"order": {"orderNumber": "100000000"}, "eventId": event(GALLERY, 0)}),
            vec!["/order/orderNumber"],
        ),
        (
            json!({"order": {"orderId": sold.order, "items": [{"orderItemId": "7", "quantity": 1}]},
                "eventId": event(GALLERY, 0)}),
            vec!["/order/items/0/orderItemId"],
        ),
        (json!({"order": {"orderId": sold.order}}), vec!["/eventId"]),
        (json!({"tickets": [{"orderId": sold.order}]}), vec!["/tickets/0/ticketId"]),
    ] {
        let refused = doors.send(admit(body.clone())).await;
        assert_eq!(
            (refused.kind(), refused.pointers()),
            ((404, "NOT_FOUND"), fields.iter().map(|field| (*field).to_owned()).collect()),
            "{body}: {}",
            refused.text
        );
    }
}

#[tokio::test]
async fn a_body_names_exactly_one_thing_and_every_fault_is_told() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let named = json!([sold.named()]);
    for (body, faults) in [
        (json!({}), vec!["/code send exactly one of code, tickets and order"]),
        (json!({"code": "a", "tickets": named}), vec!["/code send exactly one of code, tickets and order"]),
        (json!({"code": " "}), vec!["/code must not be blank"]),
        (json!({"code": "x".repeat(101)}), vec!["/code must have at most 100 characters"]),
        (json!({"tickets": []}), vec!["/tickets must have at least one entry"]),
        (json!({"tickets": null}), vec!["/code send exactly one of code, tickets and order"]),
        (json!({"code": "a", "type": "over"}), vec!["/type must be one of entry, exit"]),
        (
            json!({"code": "a", "type": 1, "eventId": "", "force": "yes"}),
            vec!["/eventId must not be blank", "/type must be a string", "/force must be true or false"],
        ),
        (
            json!({"tickets": [sold.named(), sold.named()]}),
            vec!["/tickets/1/ticketId is already named by another entry"],
        ),
    ] {
        let refused = doors.send(admit(body.clone())).await;
        assert_eq!(refused.faults(), faults, "{body}: {}", refused.text);
    }
    let many = |orders: u32, tickets: u32| {
        let entry =
            |number: u32| json!({"orderId": (number % orders).to_string(), "ticketId": number.to_string()});
        admit(json!({"tickets": (0..tickets).map(entry).collect::<Vec<_>>()}))
    };
    assert_eq!(doors.send(many(25, 201)).await.faults(), ["/tickets must have at most 200 entries"]);
    assert_eq!(doors.send(many(26, 26)).await.faults(), ["/tickets must be of at most 25 orders"]);
    assert_eq!(doors.send(many(25, 200)).await.status, 200);
}

#[tokio::test]
async fn another_tenants_codes_and_tickets_are_unknown() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    for ask in [scan(&sold.code), admit(json!({"tickets": [sold.named()]}))] {
        assert_eq!(doors.reason(ask.by("door-2")).await, "unknown");
    }
    for ask in [undo(&sold), undo(&sold).by("door-2")] {
        assert_eq!(doors.done(ask).await["undone"], 0);
    }
}

#[tokio::test]
async fn of_two_exchanges_in_sequence_each_ticket_shows_the_one_in_its_own_place() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GALLERY, 0), 2).await;
    let free = json!({"waiveFee": true});
    let both = json!({
        "orderId": sold[0].order, "ticketIds": [sold[0].ticket, sold[1].ticket], "eventId": event(GALLERY, 1),
        "sendEmail": false, "waiveFee": true,
    });
    let moved = doors.done(testkit::post("/v2/b2b/exchanges", both).by(STAFF)).await;
    let first = moved["tickets"][0]["id"].as_str().unwrap().to_owned();
    let again = crate::support::Sold { ticket: first, ..sold[0].clone() };
    doors.done(exchange(&again, event(GALLERY, 2), free)).await;
    for (sold, number) in [(&sold[0], 2), (&sold[1], 1)] {
        let shown = doors.result(scan(&sold.code)).await;
        let expected = (&json!("exchanged"), &json!(event(GALLERY, number)));
        assert_eq!((&shown["reason"], &shown["eventId"]), expected, "{shown}");
    }
}
