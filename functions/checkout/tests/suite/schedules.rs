//! Random schedules: several customers at once, processes that die and lose answers, by seed.

use crate::audit::audit;
use crate::venue::{Charging, Process, Venue, after, ask, pay, tickets_for};
use engine::{FaultPlan, Rates};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;
use testkit::Ask;
use testkit::catalog::NUMBER;
use testkit::walk;
use tokio::runtime::Builder;

const CARDS: [&str; 5] =
    ["4111111111111111", "4242424242424242", "4000000000000002", "4000000000000259", "4000000000000341"];
const CUSTOMERS: usize = 5;
const SEEDS: u64 = 120;
/// Seconds between the waves of tries: past the deadline of the orders of the wave before.
const WAVES: [i64; 3] = [0, 20, 90];

fn rates() -> Rates {
    Rates {
        crash_before: 15,
        crash_after: 15,
        answer_lost: 40,
        throttle: 30,
        transaction_conflict: 40,
        slow: 50,
        unprocessed: 30,
        slowest: Duration::from_secs(2),
    }
}

async fn process(venue: &Venue, seed: u64) -> Process {
    let process = venue.process_under(FaultPlan::random(seed, rates())).await;
    process.processor.by_chance(seed, 60);
    venue.stripe.by_chance(seed, 60);
    process
}

/// A customer with one thing to buy, however often the request has to be sent.
async fn customer(venue: &Venue, process: &Process, number: usize, random: &mut fastrand::Rng) -> Ask {
    let slot = random.u16(0..2);
    let quantity = random.u32(1..=3);
    let mut fields = json!({
        "billingEmail": format!("c{number}@example.test"),
        "manualEntryCardNumber": CARDS[random.usize(0..CARDS.len())],
    });
    let mut cart = json!({"items": [tickets_for(slot, quantity)]});
    if random.u8(0..3) == 0 {
        // Of two members with three tickets each, one gets none.
        cart["membershipIds"] = json!([NUMBER]);
    }
    if random.bool() {
        fields["shoppingCartId"] = process.send(ask("POST", "/v2/b2c/carts", cart)).await.body;
    } else {
        fields["shoppingCart"] = cart;
    }
    if number == 0 {
        venue.hold(10, &[(slot, quantity)], 600).await;
        fields["reservationId"] = json!(10);
    }
    pay(fields).keyed(&format!("key-of-{number}"))
}

async fn play(charging: Charging, seed: u64) {
    let case = format!("replay with: BOXOFFICE_SEED={seed} cargo test -p checkout random_schedules");
    let mut random = fastrand::Rng::with_seed(seed);
    let venue = Venue::charging(charging, [7, 7]).await;
    let healthy = venue.process().await;
    let mut customers = Vec::new();
    for number in 0..CUSTOMERS {
        customers.push(customer(&venue, &healthy, number, &mut random).await);
    }
    let mut current = process(&venue, random.u64(..)).await;
    for wave in WAVES {
        let mut tries = tokio::task::JoinSet::new();
        for ask in &customers {
            let (process, ask) = (current.clone(), ask.clone().at_instant(after(wave)));
            tries.spawn(async move { process.send(ask).await });
        }
        while let Some(answer) = tries.join_next().await {
            let answer = answer.unwrap();
            let status = answer.status;
            assert!([200, 402, 409, 503].contains(&status), "{case}: {}", answer.text);
        }
        if current.processor.is_dead() {
            current = process(&venue, random.u64(..)).await;
        }
    }
    venue.stripe.calm();
    let report = healthy.clean_up(400).await;
    assert_eq!(report.failed, 0, "{case}");
    audit(&venue, &case).await;
    for (number, ask) in customers.iter().enumerate() {
        let answer = healthy.send(ask.clone().at_instant(after(400))).await;
        let status = answer.status;
        assert!([200, 402, 409].contains(&status), "{case}: customer {number}: {}", answer.text);
    }
    venue.finish_work(&healthy, 900).await;
    let mut orders: BTreeMap<Option<String>, usize> = BTreeMap::new();
    for order in audit(&venue, &case).await {
        *orders.entry(order.billing.email.clone()).or_default() += 1;
    }
    assert!(orders.values().all(|count| *count == 1), "{case}: {orders:?}");
}

fn play_all(charging: Charging, seeds: Vec<u64>) {
    for seed in seeds {
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(play(charging, seed));
    }
}

// Several tests, so that all processors share the work.

#[test]
fn random_schedules_of_several_customers_end_with_the_books_in_order() {
    play_all(Charging::Sandbox, walk::seeds("checkout-schedules", 0..SEEDS / 2, 8));
}

#[test]
fn more_random_schedules_of_several_customers_end_with_the_books_in_order() {
    play_all(Charging::Sandbox, walk::seeds("more-checkout-schedules", SEEDS / 2..SEEDS, 8));
}

#[test]
fn random_schedules_end_with_the_books_in_order_through_stripe_too() {
    play_all(Charging::Stripe, walk::seeds("checkout-schedules-through-stripe", 0..SEEDS / 2, 8));
}
