//! What of a cart cannot be had now.

use crate::support::{Venue, ledger, now, slot, start, template, tenant_id, tickets};
use domain::catalog::{InventoryItem, InventoryKind};
use domain::ledger::{Hold, Ledger};
use domain::reservation::{Reservation, ReservationTerms};
use domain::time::plus_secs;
use domain::{InventoryId, ReservationId, Template, TemplateId};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::{Action, Expression, Key, number};
use testkit::catalog::{self, ADD_ON, ADULT};
use testkit::{Answer, post, put};

const PATH: &str = "/v2/b2c/carts";
const RESERVATION: i64 = 5_001;

/// How a cart is written.
#[derive(Debug, Clone, Copy)]
enum Way {
    Create,
    CreateWithKey,
    Update,
}

const WAYS: [Way; 3] = [Way::Create, Way::CreateWithKey, Way::Update];

impl Way {
    async fn write(self, venue: &Venue, mut cart: Value) -> Answer {
        match self {
            Self::Create => venue.send(post(PATH, cart)).await,
            Self::CreateWithKey => venue.send(post(PATH, cart).keyed("a-key")).await,
            Self::Update => {
                let (id, path) = venue.cart_of(json!([])).await;
                cart["id"] = json!(id);
                venue.send(put(&path, cart)).await
            }
        }
    }
}

/// Seven seats sold, two held, of them for [`RESERVATION`] those that still count.
async fn venue(held_secs: i64) -> Venue {
    let id = ReservationId::parse(RESERVATION).unwrap();
    let hold = Hold { quantity: 2, expires_at: plus_secs(now(), held_secs) };
    let ledger = Ledger { free: 1, sold: 7, holds: BTreeMap::from([(id, hold)]), ..ledger() };
    let venue = Venue::with_ledger(ledger).await;
    let reservation = Reservation {
        id,
        created_at: now(),
        terms: ReservationTerms { expires_at: hold.expires_at, items: Vec::new() },
        first: None,
        revision: 0,
        released: false,
        placed: false,
        fingerprint: None,
        storefront: None,
        created_by: None,
        updated_by: None,
    };
    venue.store.create_reservation(tenant_id(), &reservation, now()).await.unwrap().unwrap();
    venue
}

#[tokio::test]
async fn a_cart_takes_no_more_seats_than_are_left_with_those_of_its_own_hold() {
    for way in WAYS {
        for (held_secs, own, wanted, left) in [
            (600, false, 0, None),
            (600, false, 1, None),
            (600, false, 2, Some(1)),
            (600, true, 3, None),
            (600, true, 4, Some(3)),
            (0, false, 3, None),
            (0, true, 3, None),
            (0, true, 4, Some(3)),
        ] {
            let venue = venue(held_secs).await;
            let mut cart = json!({"items": [tickets(wanted)]});
            if own {
                cart["reservationId"] = json!(RESERVATION);
            }
            let answer = way.write(&venue, cart).await;
            let case = format!("{way:?} {held_secs} {own} {wanted}: {}", answer.body);
            let Some(left) = left else {
                assert_eq!(answer.status, 200, "{case}");
                continue;
            };
            let expected = format!(
                "409 NOT_ENOUGH_CAPACITY\n/items/0/quantity must be at most {left}, the seats available"
            );
            assert_eq!(answer.refusal(), expected, "{case}");
            assert_eq!(
                (&answer.body["availableSeats"], &answer.body["eventId"]),
                (&json!(left), &json!(slot(0)))
            );
            let stored = match way {
                Way::Create | Way::CreateWithKey => 0,
                Way::Update => 1,
            };
            assert_eq!(venue.stored_carts().await, stored, "{case}");
        }
    }
}

#[tokio::test]
async fn seats_of_several_lines_count_together_and_nothing_is_held() {
    let venue = venue(600).await;
    let other = json!({"eventId": slot(0), "ticketingTypeId": ADULT, "quantity": 1, "isRetail": true});
    let refused = venue.send(post(PATH, json!({"items": [tickets(1), tickets(0), other]}))).await;
    let told = "must be less: the lines on this event ask for 2 seats together, more than the 1 available";
    let expected = format!("409 NOT_ENOUGH_CAPACITY\n/items/0/quantity {told}\n/items/2/quantity {told}");
    assert_eq!(refused.refusal(), expected);
    assert_eq!(refused.body["availableSeats"], 1);
    for _ in 0..3 {
        venue.cart_of(json!([tickets(1)])).await;
    }
}

async fn save_add_on(venue: &Venue, id: i64, stock: Option<u32>) {
    let guide = catalog::inventory(id, InventoryKind::AddOn, 450, "Audio guide");
    let item = InventoryItem { stock, ..guide };
    venue.store.save_inventory(tenant_id(), &item).await.unwrap();
}

fn units(id: i64, quantity: u32) -> Value {
    json!({"inventoryId": id, "type": "addOn", "quantity": quantity})
}

#[tokio::test]
async fn an_add_on_that_is_short_is_named_with_what_is_left_of_it() {
    for way in WAYS {
        for (stock, wanted, message) in [
            (12, 2, None),
            (12, 3, Some("Only 2 left of Audio guide")),
            (10, 0, None),
            (10, 1, Some("Audio guide is sold out")),
            (4, 1, Some("Audio guide is sold out")),
        ] {
            let venue = Venue::open().await;
            save_add_on(&venue, ADD_ON, Some(stock)).await;
            let sold = Key::units_sold(tenant_id(), InventoryId::parse(ADD_ON).unwrap());
            let mut update = Expression::new();
            update.assign("used", number(10));
            venue.store.write(&sold, Action::Update(update)).await.unwrap().unwrap();
            let answer = way.write(&venue, json!({"items": [units(ADD_ON, wanted)]})).await;
            let case = format!("{way:?} {stock} {wanted}: {}", answer.body);
            assert_eq!(answer.body["message"].as_str(), message, "{case}");
            if message.is_some() {
                let left = stock.saturating_sub(10);
                let told = match left {
                    0 => "is sold out".to_owned(),
                    left => format!("must be at most {left}, the pieces left"),
                };
                assert_eq!(
                    answer.refusal(),
                    format!("409 NOT_ENOUGH_CAPACITY\n/items/0/quantity {told}"),
                    "{case}"
                );
                assert_eq!(answer.body["availablePieces"], left, "{case}");
                assert_eq!(answer.body["inventoryId"], ADD_ON, "{case}");
            }
        }
    }
}

#[tokio::test]
async fn pieces_of_several_lines_count_together() {
    let venue = Venue::open().await;
    save_add_on(&venue, ADD_ON, Some(3)).await;
    let refused = venue.send(post(PATH, json!({"items": [units(ADD_ON, 2), units(ADD_ON, 2)]}))).await;
    let told = "must be less: the lines on this item ask for 4 pieces together, more than the 3 left";
    let expected = format!("409 NOT_ENOUGH_CAPACITY\n/items/0/quantity {told}\n/items/1/quantity {told}");
    assert_eq!(refused.refusal(), expected);
}

#[tokio::test]
async fn a_cart_that_no_order_could_take_is_told_so() {
    let venue = Venue::open().await;
    let mut slots = vec![slot(0)];
    for number in 1..50 {
        let text = format!("{number:024x}");
        let (id, own) = (TemplateId::parse(&text).unwrap(), catalog::ledger(&text, start(), 10));
        venue.store.save_template(tenant_id(), &Template { id, ..template() }).await.unwrap();
        venue.store.create_ledger(tenant_id(), &own).await.unwrap();
        slots.push(own.instance);
    }
    assert!(template().forms.is_empty());
    for id in 1_000..1_050 {
        save_add_on(&venue, id, Some(10)).await;
    }
    let seats = slots.iter().map(|slot| json!({"eventId": slot, "ticketingTypeId": ADULT, "quantity": 1}));
    let items = |add_ons: i64| -> Vec<Value> {
        seats.clone().chain((0..add_ons).map(|number| units(1_000 + number, 1))).collect()
    };
    for way in WAYS {
        let fits = way.write(&venue, json!({"items": items(45)})).await;
        assert_eq!(fits.status, 200, "{way:?} {}", fits.body);
    }
    for way in [Way::Create, Way::Update] {
        let refused = way.write(&venue, json!({"items": items(46)})).await;
        assert_eq!(refused.refusal(), "409 LIMIT_REACHED", "{way:?}");
        assert_eq!((&refused.body["what"], &refused.body["limit"]), (&json!("orderParts"), &json!(95)));
        assert!(refused.body["message"].as_str().unwrap().ends_with("this cart has 96"), "{}", refused.body);
    }
}
