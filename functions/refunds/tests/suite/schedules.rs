//! Random schedules: refunds of one sale at once, by several keys, with processes that die and lose answers, by
//! seed (case 34 of the field).

use crate::audit::audit;
use crate::shop::{Ask, GOOD, LOSING, Process, REFUSING, Shop, after, refund};
use engine::{FaultPlan, Rates};
use serde_json::json;
use std::time::Duration;
use tokio::runtime::Builder;

const SEEDS: u64 = 1_000;
/// Sales of one database; every schedule has one of its own.
const SALES: u64 = 50;
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

async fn play(shop: &Shop, healthy: &Process, seed: u64) {
    let case = format!("replay with: BOXOFFICE_SEED={seed} cargo test -p refunds random_schedules");
    let mut random = fastrand::Rng::with_seed(seed);
    let card = [GOOD, GOOD, LOSING, REFUSING][random.usize(0..4)];
    let amount = random.i64(1..=10_000);
    let number = u8::try_from(seed % SALES).unwrap();
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
            let (process, ask) = (current.clone(), ask.clone().at(after(wave)));
            tries.spawn(async move { process.send(ask).await });
        }
        while let Some(answer) = tries.join_next().await {
            let answer = answer.unwrap();
            assert!([200, 402, 409, 503].contains(&answer.status), "{case}: {}", answer.text);
            // The processor refuses what its payment does not cover, too: nobody must ask for it.
            assert!(card == REFUSING || answer.status != 402, "{case}: {}", answer.text);
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
    assert!(card != REFUSING || booked.refunds.is_empty(), "{case}");
    // What remains is refunded to the cent, and the fees with it.
    if card == GOOD && !booked.remainder.is_zero() {
        let rest = healthy.send(refund(&sale, json!(booked.remainder.to_string())).at(after(3_000))).await;
        assert_eq!(rest.status, 200, "{case}: {}", rest.text);
        assert!(audit(shop, &sale, &case).await.remainder.is_zero(), "{case}");
    }
}

/// Plays these seeds, or the chosen one if it is among them.
fn play_all(seeds: std::ops::Range<u64>) {
    let chosen = std::env::var("BOXOFFICE_SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
    let seeds: Vec<u64> = seeds.filter(|seed| chosen.is_none_or(|chosen| chosen == *seed)).collect();
    for seeds in seeds.chunks(usize::try_from(SALES).unwrap()) {
        // One thread for the engine's work keeps its calls in the order in which they were made.
        let mut builder = Builder::new_current_thread();
        let runtime = builder.enable_all().start_paused(true).max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            let shop = Shop::open().await;
            let healthy = shop.process().await;
            for seed in seeds {
                play(&shop, &healthy, *seed).await;
            }
        });
    }
}

// Two tests, so that two processors share the work.

#[test]
fn random_schedules_of_refunds_end_with_the_books_in_order() {
    play_all(0..SEEDS / 2);
}

#[test]
fn more_random_schedules_of_refunds_end_with_the_books_in_order() {
    play_all(SEEDS / 2..SEEDS);
}
