//! Refunds of a sale: taken, asked for, settled or given back, whatever is lost on the way.
#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::steps::check_steps;
use adapters::clock::RequestClock;
use adapters::processor::{CardProcessor, PaymentRequest, SandboxProcessor};
use adapters::queue::LocalQueue;
use adapters::vault::LocalVault;
use adapters::{Adapters, App};
use domain::card::{Card, CardBrand, CardFields, Expiry};
use domain::card_token::SentCard;
use domain::merchant::RateCard;
use domain::order::{CardSummary, Order};
use domain::sale::{RefundRefusal, Sale, SaleRefund};
use domain::tenant::Tenant;
use domain::time::plus_secs;
use domain::{Currency, Mid, Money, OrderId, Percent, RefundId, SaleId, Timestamp};
use engine::{Fault, FaultPlan, Faulty, Throttling};
use sagas::steps::REFUND_OF_A_SALE;
use sagas::{RecoveredRefunds, RefundOutcome, TakenRefund, recover_refunds, refund, take_refund};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::order::{DueClock, DueKind, DueWork};
use store::refund::Take;
use store::{Action, Expression, Key, Store, encode};
use testkit::PREFIX;
use testkit::cards::{GOOD, LOSES_THE_ANSWER, REFUSES_REFUNDS};
use testkit::image::tables;
use testkit::log::Log;
use tokio::task::JoinSet;

fn now() -> Timestamp {
    "2027-05-01T14:00:00Z".parse().unwrap()
}

fn tenant() -> Tenant {
    testkit::tenant(1)
}

fn mid() -> Mid {
    Mid::parse("60417").unwrap()
}

fn sale_id() -> SaleId {
    SaleId::from_bytes([7; 16])
}

fn order_id() -> OrderId {
    OrderId::from_bits(31_840_526)
}

fn refund_id(number: u8) -> RefundId {
    RefundId::from_bytes([number; 16])
}

fn cents(cents: i64) -> Money {
    Money::from_cents(cents)
}

/// A sale of 100.00 on one card, on a database that may fail.
#[derive(Clone)]
struct Shop {
    app: App,
    sandbox: SandboxProcessor,
    faults: FaultPlan,
}

impl Shop {
    async fn open(number: &str) -> Self {
        let embedded = tables().await;
        let own = Store::new(embedded.client(), PREFIX);
        own.save_tenant(&tenant()).await.unwrap();
        let sandbox = SandboxProcessor::new(own.clone(), Arc::new(now));
        let sale = charge(&sandbox, number).await;
        let key = Key::sale(tenant().id, &sale.id);
        put(&own, &key, encode(&key, &sale).unwrap()).await;
        let key = Key::order(tenant().id, &order_id());
        put(&own, &key, encode(&key, &order()).unwrap()).await;
        let faults = FaultPlan::new();
        let store = Store::new(Faulty::new(embedded, faults.clone()).client(), PREFIX);
        let adapters = Adapters {
            queue: Arc::new(LocalQueue::default()),
            vault: Arc::new(LocalVault::in_memory().unwrap()),
            sandbox_processor: Arc::new(sandbox.clone()),
        };
        Self { app: App::new(store, adapters), sandbox, faults }
    }

    async fn take(&self, number: u8, amount: i64) -> Result<Sale, RefundRefusal> {
        let (sale, mid, id) = (sale_id(), mid(), refund_id(number));
        let pending = SaleRefund::pending(cents(amount), now(), false);
        let take = Take { tenant: tenant().id, sale: &sale, mid: &mid, id: &id, refund: &pending };
        take_refund(&self.app, &take).await.unwrap()
    }

    async fn finish(&self, number: u8, sale: Sale) -> RefundOutcome {
        let taken = TakenRefund { sale, id: refund_id(number), order: None };
        refund(&self.app, &tenant(), taken, RequestClock::chosen(now())).await.unwrap()
    }

    /// What the scheduled work does so many seconds later, to try again another minute later.
    async fn recover(&self, clock: DueClock, secs: i64) -> RecoveredRefunds {
        let (now, again) = (plus_secs(now(), secs), plus_secs(now(), secs + 60));
        recover_refunds(&self.app, tenant().id, &sale_id(), clock, now, again).await.unwrap()
    }

    async fn sale(&self) -> Sale {
        self.app.store.load_sale(tenant().id, &sale_id()).await.unwrap().unwrap()
    }

    /// What the order says was refunded, in cents.
    async fn refunded(&self) -> i64 {
        let order = self.app.store.load_order(tenant().id, &order_id()).await.unwrap().unwrap();
        order.refunded.cents()
    }

    /// What the processor gave back, in cents.
    async fn given(&self) -> i64 {
        let refunds = self.sandbox.refunds(tenant().id).await.unwrap();
        refunds.iter().filter(|refund| refund.refunded).map(|refund| refund.amount.cents()).sum()
    }

    async fn due(&self, clock: DueClock) -> Vec<DueWork> {
        self.due_at(clock, 1_000_000).await
    }

    /// What is due so many seconds later.
    async fn due_at(&self, clock: DueClock, secs: i64) -> Vec<DueWork> {
        self.app.store.load_due(clock, DueKind::Refunds, plus_secs(now(), secs), 10).await.unwrap()
    }

    /// `remainder refunded given`, in cents.
    async fn books(&self) -> [i64; 3] {
        [self.sale().await.remainder.cents(), self.refunded().await, self.given().await]
    }
}

/// An order as it was written before orders noted what was refunded.
fn order() -> Order {
    serde_json::from_value(json!({
        "id": order_id(), "tenant": 1, "number": "100731946", "visitor": "", "lines": [], "send_email": false,
        "state": {"state": "paid", "at": now().timestamp_millis()}, "contact": {}, "billing": {},
        "total": 10_000, "retail_total": 10_000, "created_at": now().timestamp_millis(),
    }))
    .unwrap()
}

async fn put(store: &Store, key: &Key, item: store::Item) {
    store.write(key, Action::Put(item, Expression::new())).await.unwrap().unwrap();
}

async fn charge(sandbox: &SandboxProcessor, number: &str) -> Sale {
    let request = PaymentRequest {
        tenant: tenant().id,
        order: order_id(),
        amount: cents(10_000),
        currency: Currency::default(),
        mid: mid(),
        descriptor: String::new(),
        secured_at: order().created_at,
    };
    let reference = sandbox.open(&request).await.unwrap();
    let fields =
        CardFields { number: Some(number), expiry: Some("0929"), cvc: Some("123"), ..CardFields::default() };
    let card = SentCard::Number(Box::new(Card::parse(&fields).unwrap()));
    let _ = sandbox.confirm(&reference, &card).await;
    Sale {
        id: sale_id(),
        order: order_id(),
        mid: mid(),
        reference: Some(reference),
        currency: Currency::default(),
        taxes: Default::default(),
        amount: cents(10_000),
        remainder: cents(10_000),
        rate_card: RateCard { percentage: Percent::parse("2.90").unwrap(), fixed: cents(30) },
        card: CardSummary {
            brand: CardBrand::Visa,
            last_four: "4242".to_owned(),
            expiry: Expiry::parse("0929").unwrap(),
        },
        captured_at: now(),
        refunds: BTreeMap::new(),
        version: 0,
    }
}

#[tokio::test]
async fn a_refund_is_taken_and_settled_with_its_order() {
    let shop = Shop::open(GOOD).await;
    shop.faults.reset();
    let sale = shop.take(1, 6_000).await.unwrap();
    assert_eq!((sale.remainder, sale.version), (cents(4_000), 1));
    assert_eq!(shop.due(DueClock::Real).await, [DueWork::Refunds(tenant().id, sale_id())]);
    shop.faults.reset();
    let RefundOutcome::Refunded(settled) = shop.finish(1, sale).await else { panic!() };
    assert_eq!(shop.faults.calls(), ["TransactWriteItems"]);
    assert_eq!(shop.sale().await, *settled);
    assert_eq!(shop.books().await, [4_000, 6_000, 6_000]);
    assert_eq!(shop.due(DueClock::Real).await, []);
}

#[tokio::test]
async fn a_refused_refund_is_given_back() {
    let shop = Shop::open(REFUSES_REFUNDS).await;
    let sale = shop.take(1, 6_000).await.unwrap();
    let RefundOutcome::Refused(decline) = shop.finish(1, sale).await else { panic!() };
    assert_eq!(decline.issuing_code.as_deref(), Some("refund_declined"));
    let sale = shop.sale().await;
    assert_eq!((sale.refunds.len(), sale.version), (0, 2));
    assert_eq!(shop.books().await, [10_000, 0, 0]);
    assert_eq!(shop.due(DueClock::Real).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_remains_is_taken_once_however_many_want_it() {
    let shop = Shop::open(GOOD).await;
    let mut takes = JoinSet::new();
    for number in 0..8 {
        let shop = shop.clone();
        takes.spawn(async move { shop.take(number, 6_000).await });
    }
    let results = takes.join_all().await;
    let exceeds = Err(RefundRefusal::ExceedsRemainder { remainder: cents(4_000) });
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    assert_eq!(results.iter().filter(|result| **result == exceeds).count(), 7);
}

#[tokio::test]
async fn what_stands_against_a_taking_is_told() {
    let shop = Shop::open(GOOD).await;
    let (other, id) = (Mid::parse("60418").unwrap(), refund_id(1));
    let pending = SaleRefund::pending(cents(1), now(), false);
    for (sale, mid) in [(sale_id(), other), (SaleId::from_bytes([8; 16]), mid())] {
        let take = Take { tenant: tenant().id, sale: &sale, mid: &mid, id: &id, refund: &pending };
        let refused = take_refund(&shop.app, &take).await.unwrap();
        assert_eq!(refused, Err(RefundRefusal::UnknownSale));
    }
    for number in 0..200 {
        shop.take(number, 1).await.unwrap();
    }
    assert_eq!(shop.take(200, 1).await, Err(RefundRefusal::TooManyRefunds));
    let exceeds = RefundRefusal::ExceedsRemainder { remainder: cents(9_800) };
    assert_eq!(shop.take(200, 9_801).await, Err(exceeds));
}

#[tokio::test]
async fn a_taking_whose_answer_is_lost_is_not_taken_twice() {
    let shop = Shop::open(GOOD).await;
    shop.faults.at_operation("UpdateItem", 0, Fault::AnswerLost);
    let sale = shop.take(1, 6_000).await.unwrap();
    assert_eq!((sale.remainder, sale.refunds.len()), (cents(4_000), 1));
    assert_eq!(shop.sale().await, sale);
}

#[tokio::test]
async fn a_lost_answer_of_the_processor_is_asked_for_again_after_the_deadline() {
    let shop = Shop::open(LOSES_THE_ANSWER).await;
    let sale = shop.take(1, 6_000).await.unwrap();
    assert!(matches!(shop.finish(1, sale).await, RefundOutcome::Undecided));
    assert_eq!(shop.books().await, [4_000, 0, 6_000]);
    for (clock, secs, finished) in
        [(DueClock::Real, 59, 0), (DueClock::Chosen, 60, 0), (DueClock::Real, 60, 1), (DueClock::Real, 60, 0)]
    {
        let recovered = shop.recover(clock, secs).await;
        assert_eq!(recovered, RecoveredRefunds { finished, left: 0 }, "{clock:?} {secs}");
    }
    assert_eq!(shop.books().await, [4_000, 6_000, 6_000]);
    assert_eq!(shop.due(DueClock::Real).await, []);
}

#[tokio::test]
async fn refunds_that_are_under_way_at_once_settle_one_after_the_other() {
    let shop = Shop::open(GOOD).await;
    let first = shop.take(1, 3_000).await.unwrap();
    let second = shop.take(2, 3_000).await.unwrap();
    let third = shop.take(3, 4_000).await.unwrap();
    // Each was seen before the others were settled.
    for (number, seen) in [(3, third), (1, first), (2, second)] {
        assert!(matches!(shop.finish(number, seen).await, RefundOutcome::Refunded(_)));
    }
    assert_eq!(shop.books().await, [0, 10_000, 10_000]);
    let left = shop.sale().await.fees_left().unwrap();
    assert_eq!((left.fixed, left.percentage), (Money::ZERO, Money::ZERO));
}

#[tokio::test]
async fn a_sale_written_before_it_had_refunds_is_refunded() {
    let shop = Shop::open(GOOD).await;
    let key = Key::sale(tenant().id, &sale_id());
    let mut item = encode(&key, &shop.sale().await).unwrap();
    for field in ["refunds", "version"] {
        item.remove(field);
    }
    put(&shop.app.store, &key, item).await;
    let sale = shop.take(1, 6_000).await.unwrap();
    assert!(matches!(shop.finish(1, sale).await, RefundOutcome::Refunded(_)));
    assert_eq!(shop.books().await, [4_000, 6_000, 6_000]);
}

#[tokio::test]
async fn work_of_real_time_is_not_hidden_behind_a_chosen_clock() {
    let shop = Shop::open(GOOD).await;
    let (sale, mid) = (sale_id(), mid());
    let take = |number: u8, chosen: bool| {
        let (id, pending) = (refund_id(number), SaleRefund::pending(cents(100), now(), chosen));
        let (app, sale, mid) = (shop.app.clone(), sale.clone(), mid.clone());
        async move {
            let take = Take { tenant: tenant().id, sale: &sale, mid: &mid, id: &id, refund: &pending };
            take_refund(&app, &take).await.unwrap().unwrap()
        }
    };
    let due = [DueWork::Refunds(tenant().id, sale.clone())];
    take(1, true).await;
    assert_eq!(shop.due(DueClock::Chosen).await, due);
    take(2, false).await;
    let seen = take(3, true).await;
    assert_eq!(shop.due(DueClock::Real).await, due);
    shop.finish(2, seen).await;
    assert_eq!((shop.due(DueClock::Real).await, shop.due(DueClock::Chosen).await), (vec![], due.to_vec()));
}

/// Takes a refund so many seconds later.
async fn take_later(shop: &Shop, number: u8, secs: i64) {
    let (sale, mid, id) = (sale_id(), mid(), refund_id(number));
    let pending = SaleRefund::pending(cents(100), plus_secs(now(), secs), false);
    let take = Take { tenant: tenant().id, sale: &sale, mid: &mid, id: &id, refund: &pending };
    take_refund(&shop.app, &take).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_sale_is_due_for_the_earliest_of_its_refunds() {
    let shop = Shop::open(GOOD).await;
    let due = [DueWork::Refunds(tenant().id, sale_id())];
    let first = shop.take(1, 100).await.unwrap();
    take_later(&shop, 2, 30).await;
    assert_eq!(
        (shop.due_at(DueClock::Real, 59).await, shop.due_at(DueClock::Real, 60).await),
        (vec![], due.to_vec())
    );
    shop.finish(1, first).await;
    assert_eq!(
        (shop.due_at(DueClock::Real, 89).await, shop.due_at(DueClock::Real, 90).await),
        (vec![], due.to_vec())
    );
    take_later(&shop, 3, 60).await;
    assert_eq!(shop.due_at(DueClock::Real, 90).await, due);
}

#[tokio::test]
async fn refunds_that_are_not_finished_are_due_again_later() {
    let shop = Shop::open(LOSES_THE_ANSWER).await;
    for number in [1, 2] {
        let sale = shop.take(number, 100).await.unwrap();
        assert!(matches!(shop.finish(number, sale).await, RefundOutcome::Undecided));
    }
    // Its answer is lost once more, since it was never asked for.
    shop.take(3, 100).await.unwrap();
    assert_eq!(shop.recover(DueClock::Real, 60).await, RecoveredRefunds { finished: 2, left: 1 });
    assert_eq!(
        (shop.due_at(DueClock::Real, 119).await.len(), shop.due_at(DueClock::Real, 120).await.len()),
        (0, 1)
    );
    // One that is taken meanwhile does not bring it forward, and is not put off by it.
    take_later(&shop, 4, 70).await;
    assert_eq!(
        (shop.due_at(DueClock::Real, 119).await.len(), shop.due_at(DueClock::Real, 120).await.len()),
        (0, 1)
    );
    assert_eq!(shop.recover(DueClock::Real, 120).await, RecoveredRefunds { finished: 1, left: 0 });
}

#[tokio::test(start_paused = true)]
async fn a_refund_whose_end_is_not_written_keeps_no_other_of_its_sale_waiting() {
    let shop = Shop::open(GOOD).await;
    for number in [1, 2] {
        shop.take(number, 100).await.unwrap();
    }
    // As often as the end of the first is written.
    for place in 0..3 {
        shop.faults.at_operation("TransactWriteItems", place, Fault::Throttle(Throttling::Table));
    }
    let recovered = shop.recover(DueClock::Real, 60).await;
    assert_eq!((recovered, shop.faults.injected().len()), (RecoveredRefunds { finished: 1, left: 1 }, 3));
    assert_eq!(shop.due_at(DueClock::Real, 120).await.len(), 1);
    assert_eq!(shop.recover(DueClock::Real, 120).await, RecoveredRefunds { finished: 1, left: 0 });
    assert_eq!(shop.books().await, [9_800, 200, 200]);
}

#[tokio::test]
async fn a_refund_of_a_sale_takes_its_steps_in_their_order() {
    let shop = Shop::open(GOOD).await;
    let log = Log::of_this_thread();
    let sale = shop.take(1, 4_000).await.unwrap();
    assert!(matches!(shop.finish(1, sale).await, RefundOutcome::Refunded(_)));
    check_steps(&log, REFUND_OF_A_SALE);
}
