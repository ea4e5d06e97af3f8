//! As much as there may be, and one more.

use crate::catalog::{self, FREE, merchant};
use crate::venue::{Venue, ask, pay, pay_on_page, t0, tenant_id};
use domain::Mid;
use domain::catalog::{InventoryItem, InventoryKind};
use domain::merchant::{Merchant, MerchantStatus};
use serde_json::{Value, json};
use testkit::catalog::{ADULT, inventory};

/// Everybody who ever applied comes before the merchant that charges, and the sale neither sees nor counts them.
#[tokio::test]
async fn a_sale_finds_its_merchant_among_any_number_that_applied() {
    let mut calls = Vec::new();
    for applied in [0_u32, 3_200] {
        let venue = Venue::open([10, 10]).await;
        for number in 0..applied {
            let waiting = Merchant {
                rate_card: None,
                mid: Mid::parse(&format!("1{number:05}")).unwrap(),
                ..merchant("1", MerchantStatus::Incomplete)
            };
            venue.store.save_merchant(tenant_id(), &waiting).await.unwrap();
        }
        let process = venue.process().await;
        let paid = process.pay(json!({})).await;
        assert_eq!(
            (paid.error(), &paid.body["payments"][0]["mid"]),
            ("OK", &json!("60417")),
            "{}",
            paid.text
        );
        calls.push((paid.calls.rounds, paid.calls.total));
        let dry = process.pay(json!({"dryRun": true, "expDate": "1129"})).await;
        assert!(!dry.text.contains("MERCHANT_NOT_READY"), "{}", dry.text);
    }
    assert_eq!(calls[0], calls[1]);
}

/// A merchant that got its rate card from an earlier release has no mark, and sells.
#[tokio::test]
async fn a_merchant_that_an_earlier_release_stored_charges() {
    let venue = Venue::open([10, 10]).await;
    let mark = store::Key::priced_merchant(tenant_id(), &Mid::parse("60417").unwrap());
    venue.store.write(&mark, store::Action::Delete(store::Expression::new())).await.unwrap().unwrap();
    let process = venue.process().await;
    assert_eq!(process.pay(json!({})).await.error(), "OK");
}

async fn save_add_on(venue: &Venue, id: i64, price: i64) {
    let print = inventory(id, InventoryKind::AddOn, price, &format!("Print {id}"));
    let item = InventoryItem { stock: Some(1), ..print };
    venue.store.save_inventory(tenant_id(), &item).await.unwrap();
}

/// What a cart is told to be the most is what one order takes: with a card, an idempotency key and everything that an
/// order writes beside.
#[tokio::test]
async fn the_most_that_a_cart_may_hold_is_sold_and_one_more_is_told_before_anything_happens() {
    for (ticket_type, price, most) in [(ADULT, 450, 95), (FREE, 0, 74)] {
        let venue = Venue::open([10, 10]).await;
        for slot in 2..50 {
            venue.store.create_ledger(tenant_id(), &catalog::ledger(slot, 10)).await.unwrap();
        }
        for id in 1_000..1_050 {
            save_add_on(&venue, id, price).await;
        }
        let process = venue.process().await;
        let items = |parts: i64| -> Vec<Value> {
            let seats = (0..50).map(|slot: u16| {
                json!({"eventId": catalog::slot(slot), "ticketingTypeId": ticket_type, "quantity": 1})
            });
            let add_ons = (0..parts - 50)
                .map(|number| json!({"inventoryId": 1_000 + number, "type": "addOn", "quantity": 1}));
            seats.chain(add_ons).collect()
        };
        let refused = process.send(ask("POST", "/v2/b2c/carts", json!({"items": items(most + 1)}))).await;
        assert_eq!(
            (refused.error(), &refused.body["limit"]),
            ("LIMIT_REACHED", &json!(most)),
            "{}",
            refused.text
        );
        let inline = pay(json!({"shoppingCart": {"items": items(most + 1)}}));
        assert_eq!(process.send(inline).await.error(), "LIMIT_REACHED");
        let cart = process.cart(Value::Array(items(most))).await;
        let paid = process.send(pay(json!({"shoppingCartId": cart})).keyed("a-key")).await;
        assert_eq!(paid.error(), "OK", "{most}: {}", paid.text);
        let again = process.send(ask("POST", "/v2/b2c/carts", json!({"items": items(51)}))).await;
        assert_eq!(again.body["message"], "Print 1000 is sold out", "{}", again.text);
        assert!(t0() < catalog::ledger(0, 1).start);
    }
}

/// A key belongs to its route: neither another one, nor the other way to pay.
#[tokio::test]
async fn a_key_that_was_used_on_another_route_pays_nothing() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let made = process.send(ask("POST", "/v2/b2c/carts", json!({"items": []})).keyed("one")).await;
    assert_eq!(made.error(), "OK", "{}", made.text);
    assert_eq!(process.send(pay(json!({})).keyed("one")).await.error(), "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(process.send(pay(json!({})).keyed("two")).await.error(), "OK");
    let page = pay_on_page(json!({})).keyed("two");
    assert_eq!(process.send(page).await.error(), "IDEMPOTENCY_KEY_REUSED");
    let cart = ask("POST", "/v2/b2c/carts", json!({"items": []})).keyed("two");
    assert_eq!(process.send(cart).await.error(), "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(venue.captured().await, [3_600]);
}

#[tokio::test]
async fn an_add_on_that_others_bought_meanwhile_is_named_with_what_is_left() {
    let venue = Venue::open([10, 10]).await;
    save_add_on(&venue, 1_000, 450).await;
    let process = venue.process().await;
    let items = json!([{"inventoryId": 1_000, "type": "addOn", "quantity": 1}]);
    let cart = process.cart(items.clone()).await;
    assert_eq!(process.pay(json!({"shoppingCart": {"items": items}})).await.error(), "OK");
    let cart = json!({"shoppingCartId": cart, "billingEmail": "other@example.test", "manualEntryCardNumber": "5555555555554444"});
    let refused = process.pay(cart.clone()).await;
    let told = |body: &Value| {
        let detail = body["details"][0]["message"].clone();
        [body["type"].clone(), body["message"].clone(), body["availablePieces"].clone(), detail]
    };
    let expected =
        [json!("NOT_ENOUGH_CAPACITY"), json!("Print 1000 is sold out"), json!(0), json!("is sold out")];
    assert_eq!(told(&refused.body), expected, "{}", refused.text);
    let mut dry = cart;
    dry["dryRun"] = json!(true);
    assert_eq!(told(&process.pay(dry).await.body["findings"][0]), expected);
}
