//! Making slots, while the process dies and while others do the same.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper fails its test by panicking")]

use crate::steps::check_steps;
use adapters::processor::SandboxProcessor;
use adapters::queue::LocalQueue;
use adapters::vault::LocalVault;
use adapters::{Adapters, App};
use domain::catalog::Template;
use domain::ledger::{Hold, Ledger, LedgerChange};
use domain::publishing::{DAYS_AHEAD, Generation, Moment, RunKind};
use domain::tenant::Tenant;
use domain::time::plus_secs;
use domain::{InstanceId, ReservationId, Timestamp, Zone};
use engine::{Embedded, Fault, FaultPlan, Faulty, Rates};
use sagas::publish::{Progress, TemplateSaved, Turn, delete_template, make_slots, resume, save_template};
use sagas::steps::PUBLISHING;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::publish::SlotsFrom;
use store::{Action, Consistency, Expression, Key, Store};
use testkit::PREFIX;
use testkit::image::{TableImage, tables};
use testkit::log::Log;
use testkit::walk::{Walk, seeds};

const DAY: i64 = 86_400;

fn now() -> Timestamp {
    "2027-05-01T14:00:00Z".parse().unwrap()
}

fn tenant() -> Tenant {
    testkit::tenant(1)
}

/// A template that is held daily at these hours.
fn template(hours: std::ops::Range<u32>, capacity: u32) -> Template {
    let hours: Vec<Value> = hours.map(|hour| json!({ "hour": hour })).collect();
    serde_json::from_value(json!({
        "id": "6f2e91b0c47d5a3e18b90f42", "name": "Tour", "description": "", "short_description": "",
        "start": "2027-04-01T00:00:00Z", "review_state": "Published", "duration_minutes": 60,
        "capacity": capacity, "last_updated": "2027-04-01T00:00:00Z",
        "schedules": [{
            "id": "daily", "hours": hours,
            "weekdays": ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"],
        }],
    }))
    .unwrap()
}

/// One process on a database.
struct Process {
    app: App,
    faults: FaultPlan,
}

async fn process(embedded: &Embedded) -> Process {
    let faults = FaultPlan::new();
    let store = Store::new(Faulty::new(embedded.clone(), faults.clone()).client(), PREFIX);
    let adapters = Adapters {
        queue: Arc::new(LocalQueue::default()),
        vault: Arc::new(LocalVault::in_memory().unwrap()),
        sandbox_processor: Arc::new(SandboxProcessor::new(store.clone(), Arc::new(now))),
    };
    let app = App::new(store, adapters);
    app.store.save_tenant(&tenant()).await.unwrap();
    faults.reset();
    Process { app, faults }
}

impl Process {
    /// Saves the template and makes about `budget` slots, as a request does.
    async fn publish(
        &self,
        template: &Template,
        at: Timestamp,
        days: u32,
        budget: usize,
    ) -> Result<Progress, sagas::SagaFault> {
        let before = self.app.store.load_authored(&Key::template(tenant().id, &template.id)).await?;
        let moment = Moment { now: at, days, chosen_clock: false };
        let saved = save_template(&self.app, &tenant(), template, before.as_ref(), moment).await?;
        let TemplateSaved::Saved(Some(record)) = saved else { panic!("{saved:?}") };
        make_slots(&self.app, &tenant(), Some(template), record, at, budget).await
    }

    /// Saves the template and makes all its slots.
    async fn publish_whole(&self, template: &Template, days: u32) -> Progress {
        let progress = self.publish(template, now(), days, usize::MAX).await.unwrap();
        assert!(progress.complete);
        progress
    }

    async fn resume(&self, template: &Template, at: Timestamp) -> Option<Progress> {
        resume(&self.app, &tenant(), &template.id, turn(at, usize::MAX)).await.unwrap()
    }

    async fn record(&self, template: &Template) -> Option<Generation> {
        self.app.store.load_generation(tenant().id, &template.id).await.unwrap()
    }

    async fn slots(&self, template: &Template) -> BTreeMap<InstanceId, Ledger> {
        let from = SlotsFrom::At(Timestamp::UNIX_EPOCH);
        let until = InstanceId::last_start();
        let found =
            self.app.store.load_slots_from(tenant().id, &template.id, from, until, 100_000).await.unwrap();
        assert_eq!(found.stopped_after, None);
        assert!(found.ledgers.iter().all(Ledger::is_sound));
        found.ledgers.into_iter().map(|ledger| (ledger.instance, ledger)).collect()
    }

    /// Sells a seat of the first slot, and holds one of the second.
    async fn sell_and_hold(&self, template: &Template) -> [InstanceId; 2] {
        let slots: Vec<InstanceId> = self.slots(template).await.into_keys().take(12).collect();
        let hold = Hold { quantity: 1, expires_at: plus_secs(now(), 600) };
        let hold = LedgerChange::hold(ReservationId::parse(7).unwrap(), hold);
        for (slot, change) in [(slots[10], LedgerChange::sell(1, None)), (slots[11], hold)] {
            self.app.store.change_ledger(tenant().id, &slot, &change, now()).await.unwrap().unwrap();
        }
        [slots[10], slots[11]]
    }
}

const DAYS: u32 = 60;

/// Tables with a template that is published, and the slots of it of which something is sold or held.
async fn published() -> (Embedded, Arc<[InstanceId; 2]>) {
    static PUBLISHED: TableImage<[InstanceId; 2]> = TableImage::new();
    let publish = |embedded: Embedded| async move {
        let first = process(&embedded).await;
        first.publish_whole(&template(8..12, 5), DAYS).await;
        first.sell_and_hold(&template(8..12, 5)).await
    };
    PUBLISHED.copy(publish).await
}

/// Saves what is published changed: new slots, changed slots, slots that go.
async fn changed(fault: Option<(usize, Fault)>) -> (BTreeMap<InstanceId, Ledger>, usize) {
    let (embedded, touched) = published().await;
    let first = process(&embedded).await;
    let after = template(10..23, 6);
    first.faults.reset();
    if let Some((call, fault)) = fault {
        first.faults.at(call, fault);
    }
    let struck = first.publish(&after, now(), DAYS, usize::MAX).await;
    let calls = first.faults.calls().len();
    let next = process(&embedded).await;
    // A save that did not happen is repeated by its caller.
    let stored: Option<Template> =
        next.app.store.get(&Key::template(tenant().id, &after.id), store::Consistency::Strong).await.unwrap();
    if stored.as_ref() != Some(&after) {
        assert!(struck.is_err(), "{fault:?}");
        next.publish(&after, now(), DAYS, 1).await.unwrap();
    }
    // One pass, without another save.
    next.resume(&after, plus_secs(now(), 1)).await;
    let record = next.record(&after).await.unwrap();
    assert!(record.complete, "{fault:?}");
    let slots = next.slots(&after).await;
    assert_eq!((slots[&touched[0]].sold, slots[&touched[1]].holds.len()), (1, 1), "{fault:?}");
    (slots, calls)
}

#[tokio::test(start_paused = true)]
async fn wherever_publishing_dies_one_pass_ends_in_the_same_slots() {
    let (undisturbed, calls) = changed(None).await;
    // Daily from 10 to 22 o'clock, the sold slots of 8 and 9, and today's that have begun.
    assert!(undisturbed.len() > 13 * 60, "{}", undisturbed.len());
    assert!(calls > 8, "{calls}");
    let mut walk = Walk::begin("publishing-calls", 2);
    for call in 0..calls {
        for fault in [Fault::CrashBefore, Fault::CrashAfter, Fault::AnswerLost] {
            if walk.plays((call, fault)) {
                let (slots, _) = changed(Some((call, fault))).await;
                assert!(slots == undisturbed, "{call} {fault:?}");
            }
        }
    }
    walk.end(27);
}

#[tokio::test(start_paused = true)]
async fn through_any_weather_the_slots_come_out_the_same() {
    let (undisturbed, _) = changed(None).await;
    let rates = Rates {
        crash_after: 40,
        answer_lost: 60,
        throttle: 60,
        transaction_conflict: 60,
        ..Rates::default()
    };
    for seed in seeds("publishing-weather", 0..6, 3) {
        let (embedded, _touched) = published().await;
        let first = process(&embedded).await;
        let after = template(10..23, 6);
        first.publish(&after, now(), DAYS, 1).await.unwrap();
        for life in 0..50 {
            let weather = FaultPlan::random(seed * 100 + life, rates);
            let client = Faulty::new(embedded.clone(), weather).client();
            let app = App::new(
                Store::new(client, PREFIX),
                Adapters {
                    queue: Arc::new(LocalQueue::default()),
                    vault: Arc::new(LocalVault::in_memory().unwrap()),
                    sandbox_processor: Arc::clone(&first.app.sandbox_processor),
                },
            );
            let _ = resume(&app, &tenant(), &after.id, turn(plus_secs(now(), 1), 400)).await;
            if first.record(&after).await.unwrap().complete {
                break;
            }
        }
        first.resume(&after, plus_secs(now(), 1)).await;
        assert!(first.slots(&after).await == undisturbed, "{seed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_who_make_the_same_slots_at_once_make_them_once() {
    let embedded = tables().await;
    let (one, other) = (process(&embedded).await, process(&embedded).await);
    let tour = template(8..23, 5);
    one.publish(&tour, now(), 200, 1).await.unwrap();
    let at = plus_secs(now(), 1);
    let tenant = tenant();
    let (first, second) = tokio::join!(
        resume(&one.app, &tenant, &tour.id, turn(at, usize::MAX)),
        resume(&other.app, &tenant, &tour.id, turn(at, usize::MAX))
    );
    assert!(first.is_ok() || second.is_ok());
    one.resume(&tour, at).await;
    let slots = one.slots(&tour).await;
    let alone = process(&tables().await).await;
    alone.publish_whole(&tour, 200).await;
    assert!(slots == alone.slots(&tour).await);
}

/// A turn of the schedule in real time.
fn turn(now: Timestamp, budget: usize) -> Turn {
    Turn { now, real_now: now, budget }
}

#[tokio::test]
async fn no_pass_under_a_chosen_clock_reaches_further_than_real_time() {
    let process = process(&tables().await).await;
    let tour = template(8..12, 5);
    process.publish_whole(&tour, DAYS_AHEAD).await;
    let slots = process.slots(&tour).await;
    for days in [2, 400, 26_000] {
        let turn = Turn { now: plus_secs(now(), days * DAY), ..turn(now(), usize::MAX) };
        let made = resume(&process.app, &tenant(), &tour.id, turn).await.unwrap();
        assert_eq!(made.map_or(0, |progress| progress.made), 0, "{days} days ahead");
    }
    assert!(process.slots(&tour).await == slots);
}

#[tokio::test]
async fn a_run_that_a_later_save_has_overtaken_writes_nothing_more() {
    let embedded = tables().await;
    let (slow, quick) = (process(&embedded).await, process(&embedded).await);
    let (before, after) = (template(8..23, 5), template(8..10, 9));
    slow.publish(&before, now(), 200, 1).await.unwrap();
    let stale = slow.record(&before).await.unwrap();
    quick.publish_whole(&after, 200).await;
    let slots = quick.slots(&after).await;
    let late = make_slots(&slow.app, &tenant(), Some(&before), stale, now(), usize::MAX).await.unwrap();
    assert_eq!((late.made, late.changed, late.deleted, late.complete), (0, 0, 0, false));
    assert!(quick.slots(&after).await == slots);
}

#[tokio::test]
async fn a_budget_leaves_the_rest_to_the_scheduled_work_and_every_day_makes_one_more() {
    let process = process(&tables().await).await;
    let tour = template(8..12, 5);
    let some = process.publish(&tour, now(), DAYS_AHEAD, 1).await.unwrap();
    assert_eq!((some.made, some.complete), (1_000, false));
    let rest = process.resume(&tour, now()).await.unwrap();
    // 400 days of four slots; today's of 8 and 9 have begun, and that of 9 is over at 10 sharp.
    assert_eq!((some.made + rest.made, rest.complete), (4 * 400 + 1 + 1, true));
    let record = process.record(&tour).await.unwrap();
    assert_eq!(record.due_at, Some(plus_secs(now(), DAY)));
    assert_eq!(process.resume(&tour, plus_secs(now(), DAY - 1)).await, None);
    for days in 1..4 {
        let more = process.resume(&tour, plus_secs(now(), days * DAY)).await.unwrap();
        assert_eq!((more.made, more.deleted, more.complete), (4, 0, true), "{days}");
        assert_eq!(more.until, plus_secs(now(), (400 + days) * DAY));
    }
}

#[tokio::test]
async fn lists_are_told_of_slots_that_schedules_do_not_make_any_more_when_the_scheduled_work_finds_another_plan()
 {
    let process = process(&tables().await).await;
    let tour = template(8..12, 5);
    process.publish_whole(&tour, DAYS).await;
    for (days, zone, told) in [(1, "America/New_York", None), (2, "America/Denver", Some(true))] {
        let tenant = Tenant { zone: Zone::parse(zone).unwrap(), ..tenant() };
        let turn = turn(plus_secs(now(), days * DAY), usize::MAX);
        resume(&process.app, &tenant, &tour.id, turn).await.unwrap().unwrap();
        let found = process.app.store.load_definitions(tenant.id, Consistency::Strong).await.unwrap();
        assert_eq!(found.reaches.get(&tour.id).map(|reach| reach.rescheduled), told, "{zone}");
    }
}

#[tokio::test]
async fn a_deleted_template_takes_its_slots_along_but_those_that_are_sold_or_held() {
    let process = process(&tables().await).await;
    let tour = template(8..12, 5);
    process.publish_whole(&tour, DAYS).await;
    let [sold, held] = process.sell_and_hold(&tour).await;
    let moment = Moment { now: now(), days: DAYS, chosen_clock: false };
    let before = process.app.store.load_authored(&Key::template(tenant().id, &tour.id)).await.unwrap();
    let saved = delete_template(&process.app, tenant().id, &before.unwrap(), moment).await.unwrap();
    assert!(matches!(saved, TemplateSaved::Saved(Some(record)) if record.kind == RunKind::Clear));
    process.resume(&tour, now()).await.unwrap();
    let left: Vec<InstanceId> = process.slots(&tour).await.into_keys().collect();
    assert_eq!(left, [sold, held]);
    assert!(process.record(&tour).await.is_some(), "the held one is looked at again");
    process.resume(&tour, plus_secs(now(), 1_800)).await.unwrap();
    assert_eq!(process.slots(&tour).await.into_keys().collect::<Vec<_>>(), [sold]);
    assert_eq!(process.record(&tour).await, None);
}

#[tokio::test]
async fn nothing_is_noted_of_a_template_that_is_gone() {
    let process = process(&tables().await).await;
    let tour = template(8..12, 5);
    process.publish_whole(&tour, DAYS).await;
    let gone = Action::Delete(Expression::new());
    process.app.store.write(&Key::template(tenant().id, &tour.id), gone).await.unwrap().unwrap();
    process.resume(&tour, plus_secs(now(), DAY)).await.unwrap();
    let found = process.app.store.load_definitions(tenant().id, Consistency::Strong).await.unwrap();
    assert!(found.reaches.is_empty());
}

#[tokio::test]
async fn publishing_takes_its_steps_in_their_order() {
    let process = process(&tables().await).await;
    process.publish_whole(&template(8..12, 5), DAYS).await;
    let log = Log::of_this_thread();
    process.publish_whole(&template(9..13, 5), DAYS).await;
    check_steps(&log, PUBLISHING);
}
