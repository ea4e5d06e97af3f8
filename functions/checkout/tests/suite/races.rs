//! Many buyers at once.

use crate::audit::audit;
use crate::catalog;
use crate::venue::{Process, Venue, after, pay, pay_on_page, t0, tenant_id, tickets};
use domain::ReservationId;
use domain::ledger::{Hold, LedgerChange};
use serde_json::{Value, json};
use testkit::catalog::DONATION;
use testkit::{Answer, Ask};

/// Tickets and a donation that makes the amount unlike any other, so that no two buyers look like one.
fn items(quantity: u32, buyer: usize) -> Value {
    let amount = format!("1.{buyer:02}");
    json!([
        tickets(quantity),
        {"inventoryId": DONATION, "quantity": 1, "type": "donation", "unitPrice": amount},
    ])
}

async fn at_once(process: &Process, asks: Vec<Ask>) -> Vec<Answer> {
    let mut tries = tokio::task::JoinSet::new();
    for ask in asks {
        let process = process.clone();
        tries.spawn(async move { process.send(ask).await });
    }
    tries.join_all().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_two_seats_are_sold_once() {
    let venue = Venue::open([2, 10]).await;
    let process = venue.process().await;
    let mut asks = Vec::new();
    for buyer in 0..50 {
        let cart = process.cart(items(2, buyer)).await;
        asks.push(pay(json!({"shoppingCartId": cart})));
    }
    let answers = at_once(&process, asks).await;
    let sold = answers.iter().filter(|answer| answer.error() == "OK").count();
    let refused = answers.iter().filter(|answer| answer.error() == "NOT_ENOUGH_CAPACITY").count();
    assert_eq!((sold, refused), (1, 49));
    assert_eq!(venue.sandbox.charges(tenant_id()).await.unwrap().len(), 1, "no charge for any other");
    assert_eq!(venue.seats(0).await, [0, 0, 2]);
    assert_eq!(audit(&venue, "last seats").await.len(), 1);
}

/// One way to check out.
#[derive(Clone, Copy, Debug)]
struct Cell {
    stored: bool,
    reserved: bool,
    page: bool,
}

fn cells() -> Vec<Cell> {
    let both = [false, true];
    let pairs = both.into_iter().flat_map(|stored| both.map(|reserved| (stored, reserved)));
    pairs.flat_map(|(stored, reserved)| both.map(|page| Cell { stored, reserved, page })).collect()
}

impl Cell {
    async fn ask(self, process: &Process, buyer: usize) -> Ask {
        let items = items(2, buyer);
        let mut fields = if self.stored {
            json!({"shoppingCartId": process.cart(items).await})
        } else {
            json!({"shoppingCart": {"items": items}})
        };
        if self.reserved {
            fields["reservationId"] = json!(10);
        }
        if self.page { pay_on_page(fields) } else { pay(fields) }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_way_to_check_out_conflicts_with_every_other() {
    let cells = cells();
    for (index, one) in cells.iter().enumerate() {
        for other in &cells[index..] {
            let venue = Venue::open([2, 10]).await;
            let process = venue.process().await;
            let asks = vec![one.ask(&process, 1).await, other.ask(&process, 2).await];
            if one.reserved || other.reserved {
                venue.hold(10, &[(0, 2)], 600).await;
            }
            let answers = at_once(&process, asks).await;
            let kinds: Vec<_> = answers.iter().map(Answer::error).collect();
            let sold = kinds.iter().filter(|kind| **kind == "OK").count();
            assert_eq!(sold, 1, "{one:?} {other:?}: {kinds:?}");
            let refused = |kind: &&str| ["OK", "NOT_ENOUGH_CAPACITY", "RESERVATION_EXPIRED"].contains(kind);
            assert!(kinds.iter().all(refused), "{one:?} {other:?}: {kinds:?}");
            audit(&venue, &format!("{one:?} {other:?}")).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn buyers_and_holders_of_the_last_seats_never_take_one_twice() {
    let venue = Venue::open([20, 10]).await;
    let process = venue.process().await;
    let mut tries = tokio::task::JoinSet::new();
    for number in 0..32_u16 {
        let (process, store) = (process.clone(), venue.store.clone());
        let fields = json!({"shoppingCart": {"items": items(1, number.into())}});
        tries.spawn(async move { process.send(pay(fields)).await.error() == "OK" });
        tries.spawn(async move {
            let id = ReservationId::parse(i64::from(number) + 1).unwrap();
            let hold = LedgerChange::hold(id, Hold { quantity: 1, expires_at: after(600) });
            store.change_ledger(tenant_id(), &catalog::slot(0), &hold, t0()).await.unwrap().is_ok()
        });
    }
    let mut taken = 0;
    while let Some(done) = tries.join_next().await {
        taken += u32::from(done.unwrap());
        assert!(venue.ledger(0).await.is_sound());
    }
    let [free, held, sold] = venue.seats(0).await;
    assert_eq!((taken, free, held + sold), (20, 0, 20));
    assert_eq!(audit(&venue, "last seats").await.len(), usize::try_from(sold).unwrap());
}
