//! Checkouts of carts that are saved at the same time.

use crate::audit::audit;
use crate::venue::{Process, Venue, ask, pay, tickets};
use domain::CartId;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use testkit::Answer;
use testkit::catalog::DONATION;

/// What a page that goes on saving its cart sends each time.
#[derive(Debug, Clone, Copy)]
enum Saves {
    /// The same again.
    Same,
    /// One ticket and two in turn, at another donation each time.
    Other,
}

/// Tickets and a donation that makes the amount unlike any other, so that no two buyers look like one.
fn items(quantity: u32, buyer: usize) -> Value {
    let amount = format!("{}.{:02}", 1 + buyer / 100, buyer % 100);
    json!([
        tickets(quantity),
        {"inventoryId": DONATION, "quantity": 1, "type": "donation", "unitPrice": amount},
    ])
}

/// Saves a cart until it is told to stop; what it was answered.
async fn save(process: Process, cart: CartId, saves: Saves, stop: Arc<AtomicBool>) -> Vec<Answer> {
    static AMOUNTS: AtomicUsize = AtomicUsize::new(1_000);
    let path = format!("/v2/b2c/carts/{cart}");
    let mut answers = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let items = match saves {
            Saves::Same => items(1, 0),
            Saves::Other => {
                let amount = AMOUNTS.fetch_add(1, Ordering::Relaxed);
                items(1 + u32::try_from(amount % 2).unwrap(), amount)
            }
        };
        answers.push(process.send(ask("PUT", &path, json!({"id": cart, "items": items}))).await);
        tokio::task::yield_now().await;
    }
    answers
}

/// A checkout beside savers of its cart; what both sides were answered.
async fn pay_beside(process: &Process, saves: Saves, buyer: usize) -> (Answer, Vec<Answer>) {
    let first = match saves {
        Saves::Same => items(1, 0),
        Saves::Other => items(1, buyer),
    };
    let cart = process.cart(first).await;
    let stop = Arc::new(AtomicBool::new(false));
    let savers: Vec<_> =
        (0..2).map(|_| tokio::spawn(save(process.clone(), cart.clone(), saves, Arc::clone(&stop)))).collect();
    for _ in 0..buyer % 8 {
        tokio::task::yield_now().await;
    }
    let paid = process.send(pay(json!({"shoppingCartId": cart}))).await;
    stop.store(true, Ordering::Relaxed);
    let mut saved = Vec::new();
    for saver in savers {
        saved.extend(saver.await.unwrap());
    }
    (paid, saved)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkout_beside_saves_of_the_same_cart_is_never_starved() {
    let venue = Venue::open([900, 10]).await;
    let process = venue.process().await;
    let (mut sold, mut saves_beside) = (0, 0);
    for buyer in 0..40 {
        let (paid, saved) = pay_beside(&process, Saves::Other, buyer).await;
        assert_eq!(paid.error(), "OK", "buyer {buyer}: {}", paid.text);
        sold += 1;
        for answer in &saved {
            let told = ["OK", "REQUEST_IN_PROGRESS", "CART_ALREADY_CHECKED_OUT", "TRY_AGAIN"];
            assert!(told.contains(&answer.error()), "{}", answer.text);
        }
        saves_beside += saved.iter().filter(|answer| answer.error() == "OK").count();
    }
    assert!(saves_beside > 0, "nothing was saved beside a checkout");
    assert_eq!(audit(&venue, "contended").await.len(), sold);
}

/// The total is that of every save, so the second buyer looks like the first: the page that saves what it has must not
/// matter at all.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn saving_the_same_again_does_not_disturb_a_checkout() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = process.cart(items(1, 0)).await;
    let alone = process.send(pay(json!({"shoppingCartId": cart}))).await;
    for round in 0..20 {
        let venue = Venue::open([10, 10]).await;
        let process = venue.process().await;
        let (paid, saved) = pay_beside(&process, Saves::Same, round).await;
        assert_eq!(paid.error(), "OK", "{}", paid.text);
        // As many calls as without anybody beside it.
        assert_eq!(paid.calls.total, alone.calls.total, "beside {} saves", saved.len());
        audit(&venue, "saved again").await;
    }
}
