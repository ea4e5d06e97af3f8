//! Random schedules: refunds of one sale at once, by several keys, with processes that die and lose answers, by
//! seed (case 34 of the field).

use crate::audit::audit;
use crate::shop::{Process, Shop, after, refund};
use engine::{FaultPlan, Rates};
use serde_json::json;
use std::time::Duration;
use testkit::cards::{GOOD, LOSES_THE_ANSWER, REFUSES_REFUNDS};
use testkit::{Ask, walk};
use tokio::runtime::Builder;

const SEEDS: u64 = 1_000;
/// Sales of one database; every schedule has one of its own.
const SALES: usize = 50;
const WISHES: usize = 4;
/// Seconds between the waves of tries: the last is past the deadline of the first.
const WAVES: [i64; 2] = [0, 90];

fn rates() -> Rates {
    Rates {
        crash_before: 25,
        crash_after: 25,
        answer_lost: 60,
        throttle: 40,
        transaction_conflict: 60,
        slow: 40,
        unprocessed: 30,
        slowest: Duration::from_secs(2),
    }
}

async fn process(shop: &Shop, seed: u64) -> Process {
    let process = shop.process_under(FaultPlan::random(seed, rates())).await;
    process.processor.by_chance(seed, 150);
    process
}

async fn play(shop: &Shop, healthy: &Process, number: u8, seed: u64) {
    let case = format!("replay with: BOXOFFICE_SEED={seed} cargo test -p payment_refunds random_schedules");
    let mut random = fastrand::Rng::with_seed(seed);
    let card = [GOOD, GOOD, LOSES_THE_ANSWER, REFUSES_REFUNDS][random.usize(0..4)];
    let amount = random.i64(1..=10_000);
    let sale = shop.sell(number, card, amount).await;
    let mut wishes: Vec<Ask> = Vec::new();
    for number in 0..WISHES {
        let wish = if random.u8(0..4) == 0 { amount } else { random.i64(1..=amount) };
        let ask = refund(&sale, json!(domain::Money::from_cents(wish).to_string()));
        let key = format!("{seed}-{number}");
        wishes.push(if random.u8(0..4) == 0 { ask } else { ask.keyed(&key) });
    }
    let mut current = process(shop, random.u64(..)).await;
    for wave in WAVES {
        let mut tries = tokio::task::JoinSet::new();
        for ask in &wishes {
            let (process, ask) = (current.clone(), ask.clone().at_instant(after(wave)));
            tries.spawn(async move { process.send(ask).await });
        }
        while let Some(answer) = tries.join_next().await {
            let answer = answer.unwrap();
            assert!([200, 402, 409, 503].contains(&answer.status), "{case}: {}", answer.text);
            // The processor refuses what its payment does not cover, too: nobody must ask for it.
            assert!(card == REFUSES_REFUNDS || answer.status != 402, "{case}: {}", answer.text);
        }
        if current.processor.is_dead() {
            current = process(shop, random.u64(..)).await;
        }
    }
    // The first answer to each refund of one card is lost, whoever asks; a later pass hears it.
    let passes = [400, 800, 1_200, 1_600, 2_000];
    let mut recovered = false;
    for secs in passes {
        recovered = recovered || healthy.recover(&sale, secs).await;
    }
    assert!(recovered, "{case}");
    let booked = audit(shop, &sale, &case).await;
    assert!(card != REFUSES_REFUNDS || booked.refunds.is_empty(), "{case}");
    // What remains is refunded to the cent, and the fees with it.
    if card == GOOD && !booked.remainder.is_zero() {
        let rest =
            healthy.send(refund(&sale, json!(booked.remainder.to_string())).at_instant(after(3_000))).await;
        assert_eq!(rest.status, 200, "{case}: {}", rest.text);
        assert!(audit(shop, &sale, &case).await.remainder.is_zero(), "{case}");
    }
}

fn play_all(seeds: &[u64]) {
    for seeds in seeds.chunks(SALES) {
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let shop = Shop::open().await;
            let healthy = shop.process().await;
            for (number, seed) in (0..).zip(seeds) {
                play(&shop, &healthy, number, *seed).await;
            }
        });
    }
}

// Two tests, so that two processors share the work.

#[test]
fn random_schedules_of_refunds_end_with_the_books_in_order() {
    play_all(&walk::seeds("sale-refund-schedules", 0..SEEDS / 2, 10));
}

#[test]
fn more_random_schedules_of_refunds_end_with_the_books_in_order() {
    play_all(&walk::seeds("more-sale-refund-schedules", SEEDS / 2..SEEDS, 10));
}
