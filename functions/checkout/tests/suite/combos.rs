//! Combos: several events at one price, with all their seats or none.

use crate::audit::audit;
use crate::catalog::{self, COMBO, NIGHT, slot};
use crate::venue::{Process, Venue, combos, tenant_id, tickets, tickets_for};
use domain::ledger::SlotState;
use domain::order::OrderLine;
use domain::{CartId, Money};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use store::{Key, Store};
use testkit::catalog::{ADULT, CHILD, DONATION};

/// A stored cart of combos.
async fn cart_of(process: &Process, combo_items: Value) -> CartId {
    let body = json!({ "comboItems": combo_items });
    let answer = process.send(crate::venue::ask("POST", "/v2/b2c/carts", body)).await;
    CartId::parse(answer.body.as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn a_combo_becomes_an_order_item_with_one_of_each_event_below_it() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = json!({"items": [tickets(1)], "comboItems": [combos(2)]});
    let order = process.pay(json!({"shoppingCart": cart})).await;
    assert_eq!(order.error(), "OK", "{}", order.text);
    let items = order.body["orderItems"].as_array().unwrap();
    let whole = &items[1];
    assert!(items[2..].iter().all(|part| part["parentItemId"] == whole["itemId"]));
    let ids: BTreeSet<&str> = items.iter().map(|item| item["itemId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 4);
    let shown: Vec<Value> = items
        .iter()
        .map(|item| {
            let names = [
                "displayName",
                "eventName",
                "itemType",
                "itemTypeNg",
                "comboTemplateType",
                "comboTemplateId",
                "quantity",
                "unitPrice",
                "discountedUnitPrice",
                "amount",
                "discountedAmount",
            ];
            names.iter().map(|name| item[*name].clone()).collect()
        })
        .collect();
    let both = "fixedPrice";
    assert_eq!(
        json!(shown),
        json!([
            [
                "Adult",
                "Harbor Gallery Entry",
                "Event",
                "Event",
                both,
                null,
                1,
                "18.00",
                "18.00",
                "18.00",
                "18.00"
            ],
            ["Day and night", null, "Event", "Combo", both, COMBO, 2, "88.00", "50.00", "176.00", "100.00"],
            [
                "Adult",
                "Harbor Gallery Entry",
                "Event",
                "Event",
                both,
                null,
                2,
                "18.00",
                "10.23",
                "36.00",
                "20.46"
            ],
            [
                "Adult",
                "Lanterns on the Lightship",
                "Event",
                "Event",
                both,
                null,
                4,
                "35.00",
                "19.89",
                "140.00",
                "79.54"
            ],
        ])
    );
    // Each level adds up by itself.
    let sum = |name: &str, parent: &str| {
        let of_parent = items.iter().filter(|item| item["parentItemId"] == parent);
        Money::sum(of_parent.map(|item| Money::parse(item[name].as_str().unwrap()).unwrap()))
            .unwrap()
            .to_string()
    };
    for (row, total) in [("amount", "totalAmount"), ("discountedAmount", "discountedTotalAmount")] {
        assert_eq!(sum(row, "0"), order.body[total].as_str().unwrap());
        assert_eq!(sum(row, whole["itemId"].as_str().unwrap()), whole[row].as_str().unwrap());
    }
    assert_eq!(venue.captured().await, [11_800]);
    assert_eq!((venue.seats(0).await, venue.seats(NIGHT).await), ([7, 0, 3], [6, 0, 4]));
    let paid = audit(&venue, "combo").await;
    let OrderLine::Combo(combo) = &paid[0].lines[1] else { panic!("not a combo") };
    let tickets: Vec<u32> = combo.parts.iter().map(|part| part.amounts.quantity).collect();
    assert_eq!(tickets, [2, 4]);
}

#[tokio::test]
async fn a_combo_costs_no_round_trip_of_its_own() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let inline = process.pay(json!({"shoppingCart": {"comboItems": [combos(1)]}})).await;
    let cart = cart_of(&process, json!([combos(2)])).await;
    let stored = process.pay(json!({"shoppingCartId": cart})).await;
    let calls = |answer: &testkit::Answer| (answer.calls.rounds, answer.calls.total);
    assert_eq!((calls(&inline), calls(&stored)), ((4, 11), (5, 12)), "{}", stored.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_buyers_each_gets_every_event_of_the_combo_or_none() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let mut tries = tokio::task::JoinSet::new();
    for buyer in 0..14 {
        // A donation that makes the amount unlike any other, so that no two buyers look like one.
        let gift = json!({
            "inventoryId": DONATION, "quantity": 1, "type": "donation", "unitPrice": format!("1.{buyer:02}"),
        });
        let cart = if buyer % 7 == 6 {
            json!({"items": [gift, tickets_for(NIGHT, 1)]})
        } else {
            json!({"items": [gift], "comboItems": [combos(1)]})
        };
        let process = process.clone();
        tries.spawn(async move { process.pay(json!({"shoppingCart": cart})).await });
    }
    for answer in tries.join_all().await {
        assert!(["OK", "NOT_ENOUGH_CAPACITY"].contains(&answer.error()), "{}", answer.text);
    }
    let paid = audit(&venue, "race of combos").await;
    let combos_sold: u32 = paid
        .iter()
        .flat_map(|order| &order.lines)
        .filter_map(|line| match line {
            OrderLine::Combo(line) => Some(line.amounts.quantity),
            OrderLine::Ticket(_)
            | OrderLine::AddOn(_)
            | OrderLine::Donation(_)
            | OrderLine::Membership(_) => None,
        })
        .sum();
    let [free, _, night] = venue.seats(NIGHT).await;
    assert!((4..=5).contains(&combos_sold) && free < 2, "{combos_sold} combos, {free} seats left");
    assert_eq!(venue.seats(0).await, [10 - combos_sold, 0, combos_sold]);
    assert!(night >= 2 * combos_sold);
}

#[tokio::test]
async fn a_part_without_seats_leaves_the_other_part_alone() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let refused = process.pay(json!({"shoppingCart": {"comboItems": [combos(6)]}})).await;
    assert_eq!(
        refused.refusal(),
        "409 NOT_ENOUGH_CAPACITY\n/shoppingCart/comboItems/0/quantity must be at most 5, since each takes 2 of the \
         10 seats available"
    );
    assert_eq!(
        (&refused.body["eventId"], &refused.body["availableSeats"]),
        (&json!(slot(NIGHT)), &json!(10))
    );
    assert_eq!((venue.seats(0).await, venue.seats(NIGHT).await), ([10, 0, 0], [10, 0, 0]));
    // Single tickets and combos on one instance are added up.
    let cart = json!({"items": [tickets_for(NIGHT, 3)], "comboItems": [combos(4)]});
    let told = "must be less: the lines on this event ask for 11 seats together, more than the 10 available";
    assert_eq!(
        process.pay(json!({"shoppingCart": cart})).await.refusal(),
        format!(
            "409 NOT_ENOUGH_CAPACITY\n/shoppingCart/items/0/quantity {told}\n\
             /shoppingCart/comboItems/0/quantity {told}"
        )
    );
    let cart = json!({"items": [tickets_for(NIGHT, 2)], "comboItems": [combos(4)]});
    assert_eq!(process.pay(json!({"shoppingCart": cart})).await.error(), "OK");
    assert_eq!((venue.seats(0).await, venue.seats(NIGHT).await), ([6, 0, 4], [0, 0, 10]));
}

#[tokio::test]
async fn a_combo_consumes_the_holds_of_its_reservation() {
    let venue = Venue::open([2, 10]).await;
    let process = venue.process().await;
    venue.hold(10, &[(0, 2), (NIGHT, 5)], 600).await;
    let cart = json!({"comboItems": [combos(2)]});
    let stranger = process.pay(json!({"shoppingCart": cart})).await;
    assert_eq!(stranger.error(), "NOT_ENOUGH_CAPACITY");
    let holder = process.pay(json!({"shoppingCart": cart, "reservationId": 10})).await;
    assert_eq!(holder.error(), "OK", "{}", holder.text);
    assert_eq!((venue.seats(0).await, venue.seats(NIGHT).await), ([0, 0, 2], [6, 0, 4]));
    audit(&venue, "reserved combo").await;
}

#[tokio::test]
async fn what_closes_or_changes_a_part_closes_or_changes_the_combo() {
    let venue = Venue::open([10, 10]).await;
    let cart = cart_of(&venue.process().await, json!([combos(1)])).await;
    let stored = json!({"shoppingCartId": cart});
    venue.store.save_combo(tenant_id(), &catalog::combo(6000)).await.unwrap();
    let process = venue.process().await;
    let dry = process.pay(json!({"shoppingCartId": cart, "dryRun": true})).await;
    assert_eq!(dry.body["findings"][0]["type"], "PRICE_CHANGED", "{}", dry.text);
    assert_eq!(dry.body["cart"]["comboItems"][0]["unitPrice"], "60.00");
    let risen = process.pay(stored.clone()).await;
    assert_eq!(risen.refusal(), "409 PRICE_CHANGED");
    assert_eq!(risen.body["cart"]["comboItems"][0]["amount"], "60.00");
    // One of its events falls below the price: the combo follows.
    venue.store.save_template(tenant_id(), &catalog::night(1500)).await.unwrap();
    let process = venue.process().await;
    let dry = process.pay(json!({"shoppingCartId": cart, "dryRun": true})).await;
    assert_eq!(dry.body["totalAmount"], "48.00", "{}", dry.text);
    cancel(&venue.store, NIGHT).await;
    let closed = process.pay(stored.clone()).await;
    let line = risen.body["cart"]["comboItems"][0]["itemId"].as_str().unwrap();
    let line = format!("/shoppingCartId/comboItems/{line}");
    assert_eq!(closed.refusal(), format!("409 SALES_CLOSED\n{line}/parts/1/eventId has been cancelled"));
    let inactive = domain::combo::Combo { active: false, ..catalog::combo(6000) };
    venue.store.save_combo(tenant_id(), &inactive).await.unwrap();
    let gone = process.pay(stored).await;
    assert_eq!(gone.refusal(), format!("404 NOT_FOUND\n{line}/comboTemplateId was not found"));
    assert!(venue.captured().await.is_empty());
}

async fn cancel(store: &Store, number: u16) {
    let key = Key::ledger(tenant_id(), &slot(number), 0);
    let mut ledger = catalog::ledger(number, catalog::NIGHT_SEATS);
    ledger.state = SlotState::Cancelled;
    store.save(&key, &ledger).await.unwrap();
}

#[tokio::test]
async fn a_discount_that_the_combo_was_given_a_moment_ago_is_charged_by() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let half = json!({"id": "half", "name": "Half", "values": [
        {"ticket_type": ADULT, "reduction": {"kind": "percent", "value": "50"}},
    ]});
    venue.store.save_discount(tenant_id(), &serde_json::from_value(half).unwrap()).await.unwrap();
    let mut combo = serde_json::to_value(catalog::combo(5000)).unwrap();
    combo["pricing"] = json!({"kind": "discount", "value": "half"});
    venue.store.save_combo(tenant_id(), &serde_json::from_value(combo).unwrap()).await.unwrap();
    let order = process.pay(json!({"shoppingCart": {"comboItems": [combos(1)]}})).await;
    assert_eq!(order.body["discountedTotalAmount"], "44.00", "{}", order.text);
    assert_eq!(order.body["orderItems"][0]["comboTemplateType"], "discountCode");
}

#[tokio::test]
async fn price_probes_of_combos_are_no_order() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let nothing = process.pay(json!({"shoppingCart": {"comboItems": [combos(0)]}})).await;
    assert_eq!(nothing.refusal(), "400 VALIDATION_ERROR\n/shoppingCart must contain at least one item");
    let child = json!({"eventId": slot(0), "ticketingTypeId": CHILD, "quantity": 1});
    let cart = json!({"items": [child], "comboItems": [combos(0)]});
    let order = process.pay(json!({"shoppingCart": cart})).await;
    assert_eq!(order.body["orderItems"].as_array().unwrap().len(), 1, "{}", order.text);
    assert_eq!(venue.seats(NIGHT).await, [10, 0, 0]);
}
