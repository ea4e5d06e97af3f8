//! Every step of a checkout meets every fault. Afterwards one pass of the scheduled work is enough for money,
//! orders, seats and mails to agree, and the customer's second try makes at most one charge of it all.

use crate::audit::audit;
use crate::catalog::{COUPON, FREE, STOCKED, slot};
use crate::stripe::double::{Step, Trouble};
use crate::venue::{
    Charging, Process, Venue, after, by_token, combos, new_membership, pay, renewal, tickets, upgrade,
};
use crate::writes::Seen;
use domain::ReservationId;
use engine::{Fault, Throttling};
use serde_json::{Value, json};
use std::time::Duration;
use store::Table;
use testkit::PREFIX;
use testkit::cards::{DECLINED, LOSES_THE_ANSWER, OTHER};
use testkit::catalog::{CHILD, NUMBER};
use testkit::outside::{Mishap, Verb};
use testkit::walk::Walk;
use testkit::{Answer, Ask};
use tokio::time::Instant;

pub(crate) const FAULTS: [Fault; 7] = [
    Fault::CrashBefore,
    Fault::CrashAfter,
    Fault::AnswerLost,
    Fault::Throttle(Throttling::Table),
    Fault::Throttle(Throttling::Account),
    Fault::TransactionConflict,
    Fault::Slow(Duration::from_secs(5)),
];

/// A customer's checkout.
#[derive(Clone, Copy, Debug)]
enum Customer {
    Inline,
    Keyed,
    Stored,
    StoredAndKeyed,
    Reserved,
    Declined,
    DeclinedWithReservation,
    AnswerLost,
    Free,
    Limited,
    DeclinedLimited,
    Combo,
    DeclinedCombo,
    Member,
    DeclinedMember,
    NewMember,
    Upgrade,
    Renewal,
    DeclinedRenewal,
    FreeRenewal,
    Token,
    DeclinedToken,
}

impl Customer {
    const ALL: [Self; 22] = [
        Self::Inline,
        Self::Keyed,
        Self::Stored,
        Self::StoredAndKeyed,
        Self::Reserved,
        Self::Declined,
        Self::DeclinedWithReservation,
        Self::AnswerLost,
        Self::Free,
        Self::Limited,
        Self::DeclinedLimited,
        Self::Combo,
        Self::DeclinedCombo,
        Self::Member,
        Self::DeclinedMember,
        Self::NewMember,
        Self::Upgrade,
        Self::Renewal,
        Self::DeclinedRenewal,
        Self::FreeRenewal,
        Self::Token,
        Self::DeclinedToken,
    ];

    fn is_keyed(self) -> bool {
        !matches!(self, Self::Inline | Self::Stored)
    }

    fn is_declined(self) -> bool {
        matches!(
            self,
            Self::Declined
                | Self::DeclinedWithReservation
                | Self::DeclinedLimited
                | Self::DeclinedCombo
                | Self::DeclinedMember
                | Self::DeclinedRenewal
                | Self::DeclinedToken
        )
    }

    fn has_reservation(self) -> bool {
        matches!(self, Self::Reserved | Self::DeclinedWithReservation)
    }

    async fn prepare(self, venue: &Venue, process: &Process) -> Ask {
        if self.has_reservation() {
            venue.hold(10, &[(0, 3)], 600).await;
        }
        let fields = match self {
            Self::Inline | Self::Keyed => json!({}),
            Self::Stored | Self::StoredAndKeyed => {
                json!({"shoppingCartId": process.cart(json!([tickets(2)])).await})
            }
            Self::Reserved => json!({"reservationId": 10}),
            Self::Declined => json!({"manualEntryCardNumber": DECLINED}),
            Self::DeclinedWithReservation => json!({"manualEntryCardNumber": DECLINED, "reservationId": 10}),
            Self::AnswerLost => json!({"manualEntryCardNumber": LOSES_THE_ANSWER}),
            Self::Limited => json!({"shoppingCart": limited()}),
            Self::DeclinedLimited => {
                json!({"shoppingCart": limited(), "manualEntryCardNumber": DECLINED})
            }
            Self::Combo => json!({"shoppingCart": both()}),
            Self::DeclinedCombo => {
                json!({"shoppingCart": both(), "manualEntryCardNumber": DECLINED})
            }
            Self::Member => json!({"shoppingCart": members()}),
            Self::DeclinedMember => json!({"shoppingCart": members(), "manualEntryCardNumber": DECLINED}),
            Self::NewMember => json!({"shoppingCart": joining()}),
            Self::Upgrade => json!({"shoppingCart": {"items": [upgrade()]}}),
            Self::Renewal => json!({"shoppingCart": {"items": [renewal()]}}),
            Self::DeclinedRenewal => {
                json!({"shoppingCart": {"items": [renewal()]}, "manualEntryCardNumber": DECLINED})
            }
            Self::FreeRenewal => {
                let mut free = renewal();
                free["membershipInfo"]["pricePointId"] = FREE.into();
                json!({"shoppingCart": {"items": [free]}})
            }
            Self::Token => by_token(&venue.token(OTHER)),
            Self::DeclinedToken => by_token(&venue.token(DECLINED)),
            Self::Free => json!({"shoppingCart": {"items": [free_tickets()]}}),
        };
        process.faults.reset();
        if self.is_keyed() { pay(fields).keyed("the-key") } else { pay(fields) }
    }
}

/// Tickets with a coupon of few uses, and an add-on of which there are few.
fn limited() -> Value {
    let add_on = json!({"inventoryId": STOCKED, "quantity": 2});
    json!({"items": [tickets(2), add_on], "couponCodes": [COUPON]})
}

/// A combo beside a ticket for one of its events.
fn both() -> Value {
    json!({"items": [tickets(1)], "comboItems": [combos(2)]})
}

/// As many tickets as a member may have at the member price on one day.
fn members() -> Value {
    let children = json!({"eventId": slot(0), "ticketingTypeId": CHILD, "quantity": 2});
    json!({"items": [tickets(2), children], "membershipIds": [NUMBER]})
}

/// A new membership beside tickets at the price of its members.
fn joining() -> Value {
    json!({"items": [new_membership(), tickets(2)]})
}

fn free_tickets() -> Value {
    let mut free = tickets(2);
    free["ticketingTypeId"] = FREE.into();
    free
}

/// What strikes.
#[derive(Clone, Copy, Debug)]
enum Strike {
    Call(usize, Fault),
    Verb(Verb, Mishap),
    Request(Step, Trouble),
    Queue,
    /// From the call of this number on, a table does not answer, until the visitor was answered and the scheduled work
    /// was done once.
    Outage(Table, usize),
}

async fn run(charging: Charging, customer: Customer, strike: Strike, seen: &mut Seen) {
    let case = format!("{charging:?} {customer:?} {strike:?}");
    let venue = Venue::alike(charging).await;
    let process = venue.selling_process().await;
    let ask = customer.prepare(&venue, &process).await;
    match strike {
        Strike::Call(call, fault) => {
            process.faults.at(call, fault);
        }
        Strike::Verb(verb, mishap) => process.processor.next(verb, mishap),
        Strike::Request(step, trouble) => venue.stripe.next(step, trouble),
        Strike::Queue => process.queue.fail(),
        Strike::Outage(table, calls) => venue.outage.begin_after(&format!("{PREFIX}{}", table.name()), calls),
    }
    let first = process.send(ask.clone()).await;
    let status = first.status;
    assert!([200, 402, 503].contains(&status), "{case}: {}", first.text);
    let mut seconds = 100;
    if let Strike::Outage(..) = strike {
        end_outage(&venue, &process, &case).await;
        seconds += PASS_SECS;
    }

    if !seen.insert(format!("{customer:?} {seconds} {}", venue.left_behind(&first))) {
        return;
    }

    // Whether the process lives or not, another one finds what it left.
    venue.stripe.calm();
    let next = venue.new_process();
    venue.finish_work(&next, seconds).await;
    let paid = audit(&venue, &case).await;
    check_hold(&venue, &case, customer, paid.len()).await;
    match status {
        200 => assert_eq!(paid.len(), 1, "{case}: an order was answered"),
        402 => assert!(customer.is_declined() && paid.is_empty(), "{case}"),
        _ => {}
    }

    let again = next.send(ask.at_instant(after(seconds))).await;
    check_second_try(&case, customer, paid.first().map(|order| order.id.as_str()), &again);
    venue.finish_work(&next, seconds + 100).await;
    let paid = audit(&venue, &case).await;
    assert_eq!(paid.len(), usize::from(!customer.is_declined()), "{case}: orders in the end");
}

/// Between two passes of the scheduled work. What the first could not finish is due again by then.
const PASS_SECS: i64 = 60;

/// The end of an outage, after a pass of the scheduled work that could not do all of it.
async fn end_outage(venue: &Venue, process: &Process, case: &str) {
    assert!(venue.outage.refused() <= MAX_REFUSED, "{case}: {} calls were refused", venue.outage.refused());
    let _ = Box::pin(cleanup::pass(&process.app, cleanup::PassScope::Sandbox, after(100))).await;
    venue.outage.end();
}

/// A hold comes back as it was when nothing was sold.
async fn check_hold(venue: &Venue, case: &str, customer: Customer, paid: usize) {
    let ledger = venue.ledger(0).await;
    let held = ledger.holds.get(&ReservationId::parse(10).unwrap()).map_or(0, |hold| hold.quantity);
    match (customer.has_reservation(), paid) {
        (true, 0) => assert_eq!(held, 3, "{case}: the hold is back"),
        // What the order did not need is released at once, or with the reservation's expiry.
        (true, _) => assert!(held <= 1, "{case}: the hold is consumed"),
        (false, _) => assert_eq!(held, 0, "{case}"),
    }
}

fn check_second_try(case: &str, customer: Customer, paid: Option<&str>, again: &Answer) {
    match paid {
        Some(order) if customer.is_keyed() => {
            assert!(again.replayed, "{case}: {}", again.text);
            assert_eq!(again.id(), order, "{case}");
        }
        Some(order) if matches!(customer, Customer::Stored) => {
            assert_eq!(again.error(), "CART_ALREADY_CHECKED_OUT", "{case}");
            assert_eq!(again.body["orderId"], order, "{case}");
        }
        Some(_) => assert_eq!(again.error(), "DUPLICATE_TRANSACTION_FOUND", "{case}"),
        None if customer.is_declined() => assert_eq!(again.error(), "CARD_DECLINED", "{case}"),
        None => assert_eq!(again.error(), "OK", "{case}: {}", again.text),
    }
}

/// Calls that one checkout makes of a table that does not answer: its load, and beside it the counts of cards, declined
/// cards and coupon codes; or, side by side, what leads to its order, and then its undoing.
const MAX_REFUSED: usize = 8;

/// The database calls a checkout of this customer makes.
async fn calls_of(charging: Charging, customer: Customer) -> usize {
    let venue = Venue::charging(charging, [10, 10]).await;
    let process = venue.selling_process().await;
    let ask = customer.prepare(&venue, &process).await;
    let answer = process.send(ask).await;
    assert_eq!(answer.status, if customer.is_declined() { 402 } else { 200 }, "{}", answer.text);
    process.faults.calls().len()
}

/// Every fault at every database call of these customers.
async fn meet_every_fault(charging: Charging, customers: &[Customer], mut walk: Walk) -> Walk {
    let mut seen = Seen::new();
    for customer in customers {
        for call in 0..calls_of(charging, *customer).await {
            for fault in FAULTS {
                if walk.plays((call, fault)) {
                    run(charging, *customer, Strike::Call(call, fault), &mut seen).await;
                }
            }
        }
    }
    walk
}

// Several tests, so that all processors share the work.

#[tokio::test(start_paused = true)]
async fn every_database_call_of_a_checkout_may_meet_every_fault() {
    let (half, _) = Customer::ALL.split_at(Customer::ALL.len() / 2);
    let walk = Walk::begin("checkout-calls", 16);
    meet_every_fault(Charging::Sandbox, half, walk).await.end(350);
}

#[tokio::test(start_paused = true)]
async fn every_database_call_of_the_other_checkouts_may_meet_every_fault() {
    let (_, half) = Customer::ALL.split_at(Customer::ALL.len() / 2);
    let walk = Walk::begin("checkout-calls-of-others", 16);
    meet_every_fault(Charging::Sandbox, half, walk).await.end(350);
}

/// Every table, from every database call of these customers on.
async fn lose_every_table(customers: &[Customer], mut walk: Walk) -> Walk {
    let mut seen = Seen::new();
    for customer in customers {
        for call in 0..calls_of(Charging::Sandbox, *customer).await {
            for table in Table::ALL {
                if walk.plays((call, table)) {
                    run(Charging::Sandbox, *customer, Strike::Outage(table, call), &mut seen).await;
                }
            }
        }
    }
    walk
}

#[tokio::test(start_paused = true)]
async fn every_table_may_stop_to_answer_at_any_call_of_a_checkout() {
    let customers = [Customer::StoredAndKeyed, Customer::DeclinedWithReservation, Customer::Upgrade];
    lose_every_table(&customers, Walk::begin("checkout-tables", 8)).await.end(90);
}

#[tokio::test(start_paused = true)]
async fn every_table_may_stop_to_answer_at_any_call_of_the_other_checkouts() {
    let customers = [Customer::AnswerLost, Customer::Reserved, Customer::DeclinedLimited];
    lose_every_table(&customers, Walk::begin("checkout-tables-of-others", 8)).await.end(90);
}

/// What a function may run, of which a gateway waits for the end.
const FUNCTION_TIME: Duration = Duration::from_secs(28);
/// What a call may take the SDK, with its repetitions.
const CALL_TIME: Duration = Duration::from_secs(8);

#[tokio::test(start_paused = true)]
async fn a_table_that_keeps_callers_waiting_is_given_up_before_the_functions_time_is_over() {
    let mut walk = Walk::begin("checkout-tables-that-wait", 8);
    for customer in [Customer::StoredAndKeyed, Customer::Reserved, Customer::Declined, Customer::Upgrade] {
        for call in 0..calls_of(Charging::Sandbox, customer).await {
            for table in Table::ALL {
                if !walk.plays((call, table)) {
                    continue;
                }
                let venue = Venue::open([10, 10]).await;
                let process = venue.selling_process().await;
                let ask = customer.prepare(&venue, &process).await;
                venue.outage.keep_waiting(CALL_TIME);
                venue.outage.begin_after(&format!("{PREFIX}{}", table.name()), call);
                let begun = Instant::now();
                let answer = process.send(ask).await;
                let case = format!("{customer:?} without {table:?} from call {call} on: {}", answer.text);
                assert!(begun.elapsed() < FUNCTION_TIME, "{:?} for {case}", begun.elapsed());
                assert!([200, 402, 503].contains(&answer.status), "{case}");
            }
        }
    }
    walk.end(120);
}

/// Every mishap at every verb for these customers.
async fn meet_every_mishap(charging: Charging, customers: &[Customer], mut walk: Walk) -> Walk {
    let mut seen = Seen::new();
    for customer in customers {
        for verb in [Verb::LookUp, Verb::Open, Verb::Confirm, Verb::Cancel] {
            for mishap in Mishap::ALL {
                if walk.plays((verb, mishap)) {
                    run(charging, *customer, Strike::Verb(verb, mishap), &mut seen).await;
                }
            }
        }
    }
    walk
}

#[tokio::test(start_paused = true)]
async fn every_verb_of_the_processor_may_meet_every_mishap() {
    let is_free = |customer: &Customer| matches!(customer, Customer::Free | Customer::FreeRenewal);
    let customers: Vec<Customer> = Customer::ALL.into_iter().filter(|customer| !is_free(customer)).collect();
    meet_every_mishap(Charging::Sandbox, &customers, Walk::begin("checkout-verbs", 8)).await.end(270);
}

/// Those between whom Stripe makes a difference.
const STRIPE_CUSTOMERS: [Customer; 7] = [
    Customer::Keyed,
    Customer::Stored,
    Customer::Reserved,
    Customer::DeclinedWithReservation,
    Customer::AnswerLost,
    Customer::Token,
    Customer::DeclinedToken,
];

#[tokio::test(start_paused = true)]
async fn every_database_call_of_a_checkout_through_stripe_may_meet_every_fault() {
    let customers = [Customer::Keyed, Customer::Stored, Customer::Declined];
    let walk = Walk::begin("checkout-calls-through-stripe", 16);
    meet_every_fault(Charging::Stripe, &customers, walk).await.end(110);
}

#[tokio::test(start_paused = true)]
async fn every_verb_of_stripe_may_meet_every_mishap() {
    let walk = Walk::begin("checkout-verbs-of-stripe", 8);
    meet_every_mishap(Charging::Stripe, &STRIPE_CUSTOMERS, walk).await.end(75);
}

#[tokio::test(start_paused = true)]
async fn every_request_to_stripe_may_meet_every_trouble() {
    let mut walk = Walk::begin("checkout-requests-to-stripe", 16);
    let mut seen = Seen::new();
    for customer in STRIPE_CUSTOMERS {
        let steps =
            [Step::Token, Step::Create, Step::Card, Step::Attach, Step::Confirm, Step::Cancel, Step::Look];
        for step in steps {
            for trouble in Trouble::ALL {
                if walk.plays((step, trouble)) {
                    run(Charging::Stripe, customer, Strike::Request(step, trouble), &mut seen).await;
                }
            }
        }
    }
    walk.end(300);
}

#[tokio::test(start_paused = true)]
async fn a_queue_out_of_reach_loses_no_mail_and_fails_no_order() {
    let mut walk = Walk::begin("checkout-queue", 5);
    let mut seen = Seen::new();
    for customer in Customer::ALL {
        if walk.plays("the queue") {
            run(Charging::Sandbox, customer, Strike::Queue, &mut seen).await;
        }
    }
    walk.end(20);
}

#[tokio::test(start_paused = true)]
async fn a_confirmation_that_dies_is_finished_by_the_second_try_alone() {
    for (mishap, kind) in [(Mishap::CrashAfter, "OK"), (Mishap::CrashBefore, "OK")] {
        let venue = Venue::open([10, 10]).await;
        let process = venue.process().await;
        process.processor.next(Verb::Confirm, mishap);
        assert_eq!(process.send(pay(json!({})).keyed("k")).await.error(), "TRY_AGAIN");
        let next = venue.process().await;
        let early = next.send(pay(json!({})).keyed("k").at_instant(after(59))).await;
        assert_eq!((early.error(), early.header("retry-after")), ("REQUEST_IN_PROGRESS", "2"));
        let late = next.send(pay(json!({})).keyed("k").at_instant(after(60))).await;
        assert_eq!(late.error(), kind, "{}", late.text);
        assert_eq!(late.replayed, mishap == Mishap::CrashAfter);
        next.clean_up(300).await;
        assert_eq!(audit(&venue, "second try").await.len(), 1);
        assert_eq!(venue.captured().await, [3_600]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_wakes_after_recovery_changes_nothing_any_more() {
    for verb in [Verb::Open, Verb::Confirm] {
        let venue = Venue::open([10, 10]).await;
        let process = venue.process().await;
        process.processor.next(verb, Mishap::Slow(Duration::from_secs(3)));
        let slow = tokio::spawn({
            let process = process.clone();
            async move { process.send(pay(json!({}))).await }
        });
        while !process.processor.calls().contains(&verb) {
            tokio::task::yield_now().await;
        }
        let next = venue.process().await;
        next.clean_up(100).await;
        let slow = slow.await.unwrap();
        assert!(["TRY_AGAIN", "OK", "PAYMENT_PROCESSOR_ERROR"].contains(&slow.error()), "{}", slow.text);
        let paid = audit(&venue, "slow handler").await;
        assert_eq!(paid.len(), usize::from(slow.error() == "OK"), "{}", slow.text);
    }
}
