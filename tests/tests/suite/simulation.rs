//! The whole service, simulated: shoppers, back office, doors, partners, schedule and mailer at once, through the routers
//! of all functions, on a database with DynamoDB's habits, with processes that die, answers that are lost and clocks that
//! jump. Everything follows from a seed. Afterwards the world is brought to rest, and everything in it has to agree.
//!
//! A seed has two acts of some fourteen actors, each of which makes up to a dozen requests; see `play`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "whatever fails in a simulation is a failed test")]

mod admissions;
mod audit;
mod customers;
mod doors;
mod machinery;
mod outside;
mod partners;
mod staff;
mod tally;
mod venue;
mod world;

use std::any::Any;
use std::sync::{Arc, Mutex};
use tally::Tally;
use testkit::walk;
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use world::World;

/// Seeds of one test; there are four, so that several cores share the work.
const SEEDS: u64 = 50;
const TESTS: u64 = 4;

/// Where walks are not whole, one in so many seeds is played.
const ONE_IN: u64 = 10;

/// Acts of one world, with some time between them.
const ACTS: u64 = 2;

/// Seeds after whose failure a test goes no further.
const MAX_FAILURES: usize = 5;

/// The course of one world, and what it reached.
type Course = (Vec<String>, Tally);

/// One act: actors at once.
async fn act(world: &Arc<World>, first_buyer: u64) {
    let mut random = world.fork();
    let mut actors = JoinSet::new();
    for number in 0..random.u64(3..=5) {
        actors.spawn(customers::buyer(world.clone(), world.fork(), first_buyer + number));
    }
    actors.spawn(customers::browser(world.clone(), world.fork()));
    actors.spawn(staff::clerk(world.clone(), world.fork()));
    for device in &doors::DEVICES {
        actors.spawn(doors::keeper(world.clone(), world.fork(), device));
    }
    actors.spawn(doors::till(world.clone(), world.fork()));
    actors.spawn(machinery::schedule(world.clone(), world.fork()));
    actors.spawn(machinery::postman(world.clone(), world.fork()));
    match random.u8(0..6) {
        0 => drop(actors.spawn(machinery::schedule(world.clone(), world.fork()))),
        1 => drop(actors.spawn(partners::onboarder(world.clone(), world.fork(), first_buyer))),
        2 => drop(actors.spawn(partners::merchant(world.clone(), world.fork()))),
        3 => drop(actors.spawn(machinery::jumper(world.clone(), world.fork()))),
        _ => drop(actors.spawn(staff::manager(world.clone(), world.fork()))),
    }
    while let Some(ended) = actors.join_next().await {
        if let Err(fault) = ended {
            std::panic::resume_unwind(fault.into_panic());
        }
    }
}

async fn play(seed: u64) -> Course {
    let world = World::open(seed).await;
    let mut random = world.fork();
    for number in 0..ACTS {
        act(&world, number * 100).await;
        let secs = [20, 90, 700, 4_000, 86_400, 2 * 86_400][random.usize(0..6)];
        world.time.jump(secs);
        if secs >= 86_400 {
            world.note("jump of days");
        }
    }
    audit::bring_to_rest(&world).await;
    doors::hand_in(&world).await;
    let tally = audit::audit(&world).await;
    (world.course(), tally)
}

/// What a world needs in an unoptimised build, whose futures are large.
const STACK_BYTES: usize = 32 * 1_024 * 1_024;

/// Plays one seed from beginning to end on a thread of its own; a failure says how to see it again.
fn played(seed: u64) -> Result<Course, String> {
    let run = move || {
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(Box::pin(play(seed)))
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(run).unwrap();
    thread.join().map_err(|fault| {
        let replay = format!(
            "BOXOFFICE_SEED={seed} cargo test --locked --workspace --test suite simulation::a_chosen_seed"
        );
        format!("seed {seed}: {}\nreplay: {replay}\n", text_of(fault.as_ref()))
    })
}

fn text_of(fault: &(dyn Any + Send)) -> &str {
    let text = fault.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| fault.downcast_ref::<&str>().copied()).unwrap_or("a panic without text")
}

/// What all tests reached together, and how many worlds have ended. The last of all asks whether that is everything.
static REACHED: Mutex<(u64, Option<Tally>)> = Mutex::new((0, None));

fn play_all(seeds: &[u64]) {
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    for seed in seeds {
        match played(*seed) {
            Ok((_, reached)) => tally.merge(&reached),
            Err(failure) => failures.push(failure),
        }
        if failures.len() == MAX_FAILURES {
            break;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let mut reached = REACHED.lock().unwrap();
    let (ended, all) = &mut *reached;
    let all = all.get_or_insert_default();
    all.merge(&tally);
    *ended += u64::try_from(seeds.len()).unwrap();
    if *ended == TESTS * SEEDS {
        println!("{all}");
        assert_eq!(all.missing(), Vec::<&str>::new(), "never reached by any seed");
    }
}

#[test]
fn the_first_worlds_end_with_everything_in_order() {
    play_all(&walk::seeds("first-worlds", 0..SEEDS, ONE_IN));
}

#[test]
fn the_second_worlds_end_with_everything_in_order() {
    play_all(&walk::seeds("second-worlds", SEEDS..2 * SEEDS, ONE_IN));
}

#[test]
fn the_third_worlds_end_with_everything_in_order() {
    play_all(&walk::seeds("third-worlds", 2 * SEEDS..3 * SEEDS, ONE_IN));
}

#[test]
fn the_fourth_worlds_end_with_everything_in_order() {
    play_all(&walk::seeds("fourth-worlds", 3 * SEEDS..4 * SEEDS, ONE_IN));
}

/// The seed in `BOXOFFICE_SEED`; without it, the first one. `BOXOFFICE_TRACE` prints its course, and the
/// service's log.
#[test]
fn a_chosen_seed_ends_with_everything_in_order() {
    if std::env::var_os("BOXOFFICE_TRACE").is_some() {
        adapters::telemetry::init();
    }
    let chosen = walk::chosen_seed().unwrap_or_default();
    println!("{}", played(chosen).unwrap_or_else(|failure| panic!("{failure}")).1);
}

#[test]
fn the_same_seed_takes_the_same_course() {
    for seed in [3, 4] {
        let (first, again) = (played(seed).unwrap(), played(seed).unwrap());
        let lines = first.0.iter().zip(&again.0);
        let parted = lines.enumerate().find(|(_, (one, other))| one != other);
        assert_eq!(parted, None, "seed {seed}");
        assert_eq!(first, again, "seed {seed}");
    }
    assert_ne!(played(3).unwrap().0, played(4).unwrap().0);
}
