//! What runs beside the requests: the schedule, the mailer, and time.

use crate::simulation::customers::dawdle;
use crate::simulation::outside::Carrier;
use crate::simulation::world::{Process, World};
use domain::outbox::MailJob;
use fastrand::Rng;
use mailer::Delivered;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Mails taken from the queue at once.
const BATCH: usize = 10;

/// The scheduled work, now and then.
pub(crate) async fn schedule(world: Arc<World>, mut random: Rng) {
    for _ in 0..random.usize(1..=3) {
        dawdle(&mut random, 30_000).await;
        let process = world.any_process(&mut random);
        pass(&world, &process).await;
    }
}

/// One pass, which a process may not survive.
pub(crate) async fn pass(world: &World, process: &Process) -> Option<cleanup::PassReport> {
    let scope = if world.chosen_clock { cleanup::PassScope::Sandbox } else { cleanup::PassScope::Schedule };
    let done = Box::pin(cleanup::pass(&process.app, scope, process.app.wall_now())).await;
    if process.faults.is_crashed() {
        world.trace("  a pass died");
        return None;
    }
    let report = done.ok();
    world.trace(format!("  a pass: {report:?}"));
    if let Some(report) = &report {
        world.noted("order recovered", report.orders_finished);
        world.noted("refund finished by the schedule", report.refunds_finished);
        world.noted("mail enqueued again", report.mails_announced);
        world.noted("merchant decided on", report.merchants_decided);
    }
    report
}

/// Sends mails, now and then.
pub(crate) async fn postman(world: Arc<World>, mut random: Rng) {
    for _ in 0..random.usize(1..=4) {
        dawdle(&mut random, 20_000).await;
        let process = world.any_process(&mut random);
        deliver(&world, &process).await;
    }
}

/// Sends what waits in the queue; how many mails that were.
pub(crate) async fn deliver(world: &World, process: &Process) -> usize {
    let mut count = 0;
    while let Ok(batch) = tokio::time::timeout(Duration::ZERO, world.queue.receive(BATCH)).await {
        for delivery in batch {
            count += 1;
            let job: MailJob = serde_json::from_str(&delivery.body).unwrap();
            let carrier = Carrier { mailbox: &world.mailbox, way: &process.way, taken: Mutex::default() };
            let outcome = Box::pin(mailer::deliver(&process.app, &carrier, &job)).await;
            let taken = carrier.taken.into_inner().unwrap();
            let is_dead = process.faults.is_crashed();
            world.trace(format!("  a mail: {:?} {taken:?}", outcome.as_ref().ok()));
            match (&outcome, taken) {
                (Ok(Delivered::Sent), _) if !is_dead => world.note("mail sent"),
                // It may come once more, since nobody knows that it was taken.
                (_, Some(message)) => *world.unmarked.lock().unwrap().entry(message).or_default() += 1,
                (_, None) => {}
            }
            if is_dead {
                return count;
            }
            if outcome.is_ok() {
                world.queue.delete(delivery.receipt);
            }
        }
    }
    count
}

/// Time jumps by some seconds or minutes while others are at work.
pub(crate) async fn jumper(world: Arc<World>, mut random: Rng) {
    dawdle(&mut random, 20_000).await;
    let secs = [5, 30, 61, 120, 400][random.usize(0..5)];
    world.time.jump(secs);
    world.note("jump of seconds");
    world.trace(format!("  time jumped by {secs} s"));
}
