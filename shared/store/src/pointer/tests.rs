use super::*;
use engine::Embedded;
use serde_json::{Value, json};

fn tenant() -> TenantId {
    TenantId::parse(7).unwrap()
}

/// An order of tickets, one of them exchanged, with a refund that is done and an answered form.
fn order(id: u64, tag: u8) -> Order {
    let free = json!({"quantity": 2, "retail_unit": 0, "unit": 0, "retail_amount": 0, "amount": 0});
    let line = |id: &str, instance: &str| -> Value {
        json!({
            "id": id, "instance": instance, "shard": 0, "template": "6f2e91b0c47d5a3e18b90f42",
            "ticket_type": "66d1b2f0a93c4e517720bb01", "event_name": "Pier", "ticket_type_name": "Adult",
            "event_start": 1_800_000_000_000_i64, "admission": "standard", "amounts": free,
        })
    };
    let mut sold = line("1", "7a10c4e2b95d3f0816e4a2c1");
    sold["line"] = json!("ticket");
    let exchange = json!({
        "number": 1, "at": 1_800_200_000_000_i64, "by": "", "fee": 0,
        "moved": [{"from": "1", "tickets": ["11"], "line": line("2", "7a10c4e2b95d3f0816e4a2d2")}],
    });
    let refund = json!({
        "id": "refund_1", "number": 2, "at": 1_800_300_000_000_i64, "amount": 0, "items": [], "by": "",
        "state": {"state": "done", "at": 1_800_400_000_000_i64},
    });
    let form = json!({
        "form": "5a10c4e2b95d3f0816e4a2c1", "name": "School", "answers": [],
        "responses": [{"id": "5a10c4e2b95d3f0816e4a2c15a10c4e2", "event": "7a10c4e2b95d3f0816e4a2c1"}],
    });
    serde_json::from_value(json!({
        "id": id.to_string(), "tenant": 7, "number": "100731946", "state": {"state": "paid", "at": 0}, "visitor": "1",
        "contact": {"first_name": "Ada", "last_name": "Lindqvist"}, "billing": {"full_name": "Pat O\u{2019}Hara"},
        "lines": [sold], "total": 0, "retail_total": 0, "send_email": false, "created_at": 1_800_000_000_000_i64,
        "tag": BarcodeTag::from_bytes([tag; 8]), "forms": [form],
        "after_sale": {"version": 2, "exchanges": [exchange], "refunds": [refund]},
    }))
    .unwrap()
}

async fn store() -> Store {
    let store = Store::new(Embedded::memory().unwrap().client(), "test-");
    store.create_tables().await.unwrap();
    store
}

#[test]
fn an_order_is_led_to_by_barcode_events_days_names_and_answers() {
    let count = |by: OrderLead| pointers_of(&order(1, 7)).iter().filter(|pointer| pointer.by == by).count();
    let leads = [OrderLead::Barcode, OrderLead::Event, OrderLead::Day, OrderLead::Name, OrderLead::Response];
    // Days: when it was made, exchanged and refunded, not when the refund was asked for.
    assert_eq!(leads.map(count), [1, 2, 3, 2, 2]);
    let usual = Order { after_sale: Default::default(), forms: Vec::new(), ..order(1, 7) };
    let usual = Order { billing: usual.contact.clone(), ..usual };
    assert!(pointers_of(&usual).len() <= 5, "what a usual order costs");
}

#[test]
fn tickets_of_before_lead_to_their_order_each_by_a_half_of_its_own() {
    let earlier = Order { tag: None, ..order(1, 7) };
    let ticket = |number: u8| Ticket {
        id: domain::TicketId::from_bits(number.into()),
        barcode: domain::TicketBarcode::from_bytes([number; 16]),
        line: domain::OrderItemId::parse("1").unwrap(),
        status: domain::order::TicketStatus::Normal,
        printed: false,
    };
    let tickets = [ticket(1), ticket(2)];
    let barcodes = |order: &Order| {
        let leads = lookups_of(order, &tickets);
        leads.into_iter().filter(|(by, _)| *by == OrderLead::Barcode).count()
    };
    assert_eq!((barcodes(&earlier), barcodes(&order(1, 7))), (2, 3));
    assert_eq!(earlier.barcode_tag(&tickets), Some(BarcodeTag::from_bytes([1; 8])));
}

#[tokio::test]
async fn pointers_are_written_as_often_as_one_likes_and_deleted_for_their_order_alone() {
    let store = store().await;
    let (own, other) = (order(1, 7), order(2, 7));
    for _ in 0..2 {
        assert_eq!(store.point_to(&own).await.unwrap(), Ok(()));
    }
    assert_eq!(store.point_to(&other).await.unwrap(), Err(BarcodesTaken));
    store.unpoint(&other).await.unwrap();
    let barcode = domain::TicketBarcode::from_bytes([7; 16]);
    let found = store.find_order_of_barcode(tenant(), &barcode).await.unwrap();
    assert_eq!(found.as_ref(), Some(&own.id));
    let hits = store.find_orders_of_name(tenant(), "o'har", 10).await.unwrap();
    assert_eq!(hits.into_iter().map(|hit| hit.order).collect::<Vec<_>>(), std::slice::from_ref(&own.id));
    store.unpoint(&own).await.unwrap();
    assert_eq!(store.find_order_of_barcode(tenant(), &barcode).await.unwrap(), None);
    assert_eq!(store.find_orders_of_name(tenant(), "o'har", 10).await.unwrap(), []);
}

#[tokio::test]
async fn a_range_of_a_month_finds_orders_by_the_instant_they_were_made() {
    let store = store().await;
    let days = |days: i64| domain::time::plus_secs(order(1, 0).created_at, days * 86_400);
    for (id, day) in [(1, 0), (2, 3), (3, 20), (4, 40)] {
        let tag = u8::try_from(id).unwrap();
        let made = Order { created_at: days(day), ..order(id, tag) };
        store.point_to(&made).await.unwrap().unwrap();
    }
    let found = async |from: i64, until: i64, most: usize| {
        let range = domain::listing::Range { from: days(from), until: days(until) };
        let hits = store.find_orders_made(tenant(), range, most).await.unwrap();
        hits.into_iter().map(|hit| hit.order.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found(0, 30, 10).await, ["3", "2", "1"]);
    assert_eq!(found(0, 2, 10).await, ["1"]);
    assert_eq!(found(1, 3, 10).await, ["2"]);
    // The latest days have more than enough.
    assert_eq!(found(0, 20, 0).await, ["3"]);
}
