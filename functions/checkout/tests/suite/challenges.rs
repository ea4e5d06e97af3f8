//! Cards whose issuer asks the buyer (3-D Secure, decision record 0146): the order waits, and whatever happens, money and
//! order agree in the end.

use crate::audit::{Books, audit, verify};
use crate::faults::FAULTS;
use crate::stripe::double::{Step, Trouble};
use crate::venue::{Charging, Process, Venue, after, ask, by_token, pay, pay_on_page};
use domain::order::{Order, OrderState};
use domain::rate_limit::{Rate, RateLimit};
use engine::Fault;
use serde_json::{Value, json};
use testkit::outside::{Mishap, Verb};
use testkit::tenants::ORIGIN;
use testkit::walk::Walk;
use testkit::{Answer, Ask};

/// When the last order whose buyer is asked at [`crate::venue::t0`] has to be finished.
const DEADLINE: i64 = 600;

fn buy(venue: &Venue) -> Ask {
    pay(by_token(&venue.asking_token())).keyed("k")
}

fn complete(asked: &Answer, secs: i64) -> Ask {
    let path = format!("/v2/b2c/checkout/{}/complete", asked.body["orderId"].as_str().unwrap());
    ask("POST", &path, json!({})).at_instant(after(secs))
}

/// The same from the page of a storefront.
fn on_page(ask: Ask) -> Ask {
    ask.by("browser-204").header("origin", ORIGIN)
}

async fn asked(process: &Process, ask: Ask) -> Answer {
    let answer = process.send(ask).await;
    assert_eq!(answer.kind(), (402, "PAYMENT_ACTION_REQUIRED"), "{}", answer.text);
    answer
}

#[tokio::test]
async fn an_order_waits_for_its_buyer_and_is_paid_once_the_buyer_confirms() {
    for charging in Charging::ALL {
        let venue = Venue::charging(charging, [10, 10]).await;
        let process = venue.process().await;
        let first = asked(&process, buy(&venue)).await;
        assert_eq!(first.body["expiresAt"], "2027-06-01T10:10:00-04:00", "{charging:?}");
        let secret = first.body["clientSecret"].as_str().unwrap();
        assert!(secret.contains("_secret"), "{charging:?}: {secret}");
        let page = first.body["challengeUrl"].as_str();
        let expected = format!("/sandbox/challenge?clientSecret={secret}");
        assert_eq!(page, (charging == Charging::Sandbox).then_some(expected.as_str()), "{charging:?}");
        assert_eq!((venue.seats(0).await, venue.captured().await), ([8, 0, 2], vec![]), "{charging:?}");
        // Whoever asks again is told the same, and the schedule waits.
        assert_eq!(process.clean_up(DEADLINE - 1).await.orders_due, 0);
        let waiting = asked(&process, complete(&first, 100)).await;
        assert_eq!(waiting.body["clientSecret"], first.body["clientSecret"], "{charging:?}");
        venue.answer(true).await;
        let done = process.send(complete(&first, 120)).await;
        assert_eq!((done.status, &done.body["id"]), (200, &first.body["orderId"]), "{}", done.text);
        assert_eq!(done.calls.rounds, 2, "{charging:?}: {:?}", done.calls);
        assert_eq!(done.body["orderToken"], Value::Null, "{charging:?}: the key of a server reads orders");
        let mut on_page = process.send(on_page(complete(&first, 130))).await;
        assert!(on_page.body["orderToken"].take().is_string(), "{charging:?}: {}", on_page.text);
        assert_eq!(on_page, done, "{charging:?}");
        assert_eq!(venue.captured().await, [3_600], "{charging:?}");
        assert_eq!(audit(&venue, "confirmed").await.len(), 1);
        // Later, the key of a page is no key to orders.
        assert_eq!(process.send(complete(&first, 3_600)).await.kind(), (404, "NOT_FOUND"));
    }
}

#[tokio::test]
async fn a_page_that_completes_is_told_what_opens_the_order_as_its_checkout_tells_it() {
    for charging in Charging::ALL {
        let venue = Venue::charging(charging, [10, 10]).await;
        let process = venue.process().await;
        let buy = pay_on_page(by_token(&venue.asking_token())).keyed("k");
        let first = asked(&process, buy.clone()).await;
        assert_eq!(first.body.get("orderToken"), None, "{charging:?}: nothing is paid yet");
        venue.answer(true).await;
        let done = process.send(on_page(complete(&first, 60))).await;
        assert_eq!((done.status, done.calls.rounds), (200, 2), "{charging:?}: {}", done.text);
        let again = process.send(on_page(complete(&first, 90))).await;
        let repeated = process.send(buy.at_instant(after(120))).await;
        for answer in [&again, &repeated] {
            assert_eq!(answer.body, done.body, "{charging:?}: {}", answer.text);
        }
        let open = json!({"token": done.body["orderToken"]});
        let opened = process.send(on_page(ask("POST", "/v2/b2c/orders/open", open))).await;
        assert_eq!(opened.body["id"], first.body["orderId"], "{charging:?}: {}", opened.text);
    }
}

#[tokio::test]
async fn a_repetition_with_the_key_says_what_has_become_of_the_first_checkout() {
    for charging in Charging::ALL {
        for confirms in [true, false] {
            let case = format!("{charging:?} {confirms}");
            let venue = Venue::charging(charging, [10, 10]).await;
            let process = venue.process().await;
            let buy = buy(&venue);
            let first = asked(&process, buy.clone()).await;
            let again = asked(&process, buy.clone().at_instant(after(30))).await;
            assert!(again.replayed && again.body["orderId"] == first.body["orderId"], "{case}");
            venue.answer(confirms).await;
            let answered = process.send(buy.clone().at_instant(after(60))).await;
            assert!(answered.replayed, "{case}: {}", answered.text);
            let expected = if confirms { "OK" } else { "CARD_DECLINED" };
            assert_eq!(answered.error(), expected, "{case}: {}", answered.text);
            assert_eq!(audit(&venue, &case).await.len(), usize::from(confirms), "{case}");
            let seats = if confirms { [8, 0, 2] } else { [10, 0, 0] };
            assert_eq!(venue.seats(0).await, seats, "{case}");
        }
    }
}

#[tokio::test]
async fn a_buyer_who_does_not_confirm_is_declined_and_everything_given_back() {
    for (charging, code) in [
        (Charging::Sandbox, "authentication_failed"),
        (Charging::Stripe, "payment_intent_authentication_failure"),
    ] {
        let venue = Venue::charging(charging, [10, 10]).await;
        let process = venue.process().await;
        let first = asked(&process, buy(&venue)).await;
        venue.answer(false).await;
        for _ in 0..2 {
            let declined = process.send(complete(&first, 100)).await;
            assert_eq!(declined.kind(), (402, "CARD_DECLINED"), "{}", declined.text);
            assert_eq!(declined.body["processorErrorCode"], code);
        }
        assert_eq!((venue.seats(0).await, venue.captured().await), ([10, 0, 0], vec![]));
        assert_eq!(audit(&venue, "declined").await.len(), 0);
    }
}

/// Who hears first that a buyer did not confirm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hears {
    /// The page, while there is time.
    Page,
    /// The page, when the time is over.
    PageLate,
    /// A repetition of the checkout, when the time is over.
    KeyLate,
    /// The schedule.
    Schedule,
}

impl Hears {
    const ALL: [Self; 4] = [Self::Page, Self::PageLate, Self::KeyLate, Self::Schedule];

    /// It hears, and what it is told.
    async fn hear(self, process: &Process, first: &Answer, buy: &Ask) -> Option<Answer> {
        match self {
            Self::Page => Some(process.send(complete(first, 100)).await),
            Self::PageLate => Some(process.send(complete(first, DEADLINE + 10)).await),
            Self::KeyLate => Some(process.send(buy.clone().at_instant(after(DEADLINE + 10))).await),
            Self::Schedule => {
                assert_eq!(process.clean_up(DEADLINE).await.orders_finished, 1);
                None
            }
        }
    }
}

#[tokio::test]
async fn a_refusal_is_told_as_one_whoever_hears_it_and_when() {
    for charging in Charging::ALL {
        for hears in Hears::ALL {
            let case = format!("{charging:?} {hears:?}");
            let venue = Venue::charging(charging, [10, 10]).await;
            let process = venue.process().await;
            let buy = buy(&venue);
            let first = asked(&process, buy.clone()).await;
            venue.answer(false).await;
            let heard = hears.hear(&process, &first, &buy).await;
            let on_page = process.send(complete(&first, DEADLINE + 20)).await;
            let by_key = process.send(buy.at_instant(after(DEADLINE + 30))).await;
            assert!(by_key.replayed, "{case}: {}", by_key.text);
            for told in heard.iter().chain([&on_page, &by_key]) {
                assert_eq!(told.kind(), (402, "CARD_DECLINED"), "{case}: {}", told.text);
            }
            assert_eq!((venue.seats(0).await, venue.captured().await), ([10, 0, 0], vec![]), "{case}");
            assert_eq!(audit(&venue, &case).await.len(), 0, "{case}");
        }
    }
}

#[tokio::test]
async fn a_card_that_is_refused_after_its_buyer_was_asked_counts_once_as_declined() {
    for charging in Charging::ALL {
        for hears in Hears::ALL {
            let case = format!("{charging:?} {hears:?}");
            let venue = Venue::charging(charging, [10, 10]).await;
            let rate = Rate { count: 2, window_secs: 3_600 };
            venue.set(|tenant| _ = tenant.limits.insert(RateLimit::DeclinedCardsPerKey, rate)).await;
            let process = venue.process().await;
            let buy = buy(&venue);
            let first = asked(&process, buy.clone()).await;
            venue.answer(false).await;
            hears.hear(&process, &first, &buy).await;
            for _ in 0..2 {
                process.send(complete(&first, DEADLINE + 20)).await;
                process.send(buy.clone().at_instant(after(DEADLINE + 30))).await;
            }
            // Counted twice, this one would be refused.
            let other = |secs: i64| pay(by_token(&venue.asking_token())).at_instant(after(secs));
            let second = asked(&process, other(DEADLINE + 40)).await;
            venue.answer(false).await;
            let declined = process.send(complete(&second, DEADLINE + 50)).await;
            assert_eq!(declined.kind(), (402, "CARD_DECLINED"), "{case}: {}", declined.text);
            let third = process.send(other(DEADLINE + 60)).await;
            assert_eq!(third.kind(), (429, "THROTTLED"), "{case}: {}", third.text);
        }
    }
}

#[tokio::test]
async fn a_key_whose_order_expired_says_so_and_begins_no_other() {
    for charging in Charging::ALL {
        for first_to_hear in ["the key", "the page", "the schedule"] {
            let case = format!("{charging:?} {first_to_hear}");
            let venue = Venue::charging(charging, [10, 10]).await;
            let process = venue.process().await;
            let buy = buy(&venue);
            let first = asked(&process, buy.clone()).await;
            if first_to_hear == "the page" {
                let told = process.send(complete(&first, DEADLINE + 1)).await;
                assert_eq!(told.kind(), (409, "PAYMENT_EXPIRED"), "{case}: {}", told.text);
            }
            if first_to_hear == "the schedule" {
                assert_eq!(process.clean_up(DEADLINE).await.orders_finished, 1, "{case}");
            }
            for secs in [10, 20] {
                let again = process.send(buy.clone().at_instant(after(DEADLINE + secs))).await;
                assert_eq!(again.kind(), (409, "PAYMENT_EXPIRED"), "{case}: {}", again.text);
                assert!(again.replayed, "{case}");
            }
            assert_eq!(Books::open(&venue).await.orders.len(), 1, "{case}");
            assert_eq!(venue.seats(0).await, [10, 0, 0], "{case}");
            let other = pay(by_token(&venue.asking_token())).keyed("another");
            asked(&process, other.at_instant(after(DEADLINE + 30))).await;
        }
    }
}

#[tokio::test]
async fn money_that_came_too_late_is_returned_before_a_key_is_told_that_the_time_was_over() {
    let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    let process = venue.process().await;
    let buy = buy(&venue);
    asked(&process, buy.clone()).await;
    assert_eq!(process.clean_up(DEADLINE).await.orders_finished, 1);
    venue.stripe.break_its_word();
    let told = process.send(buy.at_instant(after(DEADLINE + 10))).await;
    assert_eq!(told.kind(), (409, "PAYMENT_EXPIRED"), "{}", told.text);
    assert_eq!(told.body["message"], "The payment came too late, and the money was returned");
    assert_eq!(venue.refunded().await, [3_600]);
}

#[tokio::test]
async fn whoever_asks_too_often_what_became_of_it_is_told_to_wait() {
    let venue = Venue::open([10, 10]).await;
    let rate = Rate { count: 2, window_secs: 3_600 };
    let limits = [RateLimit::CompletionsPerAddress, RateLimit::CompletionsPerKey];
    venue.set(|tenant| tenant.limits.extend(limits.map(|limit| (limit, rate)))).await;
    let process = venue.process().await;
    let first = asked(&process, buy(&venue)).await;
    asked(&process, complete(&first, 10)).await;
    // Guesses count as well.
    let guess = ask("POST", "/v2/b2c/checkout/1/complete", json!({})).at_instant(after(20));
    assert_eq!(process.send(guess.clone()).await.kind(), (404, "NOT_FOUND"));
    for ask in [complete(&first, 30), guess] {
        let refused = process.send(ask).await;
        assert_eq!(refused.kind(), (429, "THROTTLED"), "{}", refused.text);
    }
    // A page that asks every second for as long as its order waits is never refused.
    assert!(RateLimit::CompletionsPerAddress.default_rate().count >= 600);
}

#[tokio::test]
async fn who_closes_the_page_loses_nothing_and_keeps_nothing() {
    for charging in Charging::ALL {
        for confirms in [true, false] {
            let case = format!("{charging:?} {confirms}");
            let venue = Venue::charging(charging, [10, 10]).await;
            let process = venue.process().await;
            let first = asked(&process, buy(&venue)).await;
            if confirms {
                venue.answer(true).await;
            }
            let report = venue.new_process().clean_up(DEADLINE).await;
            assert_eq!((report.orders_finished, report.failed), (1, 0), "{case}");
            assert_eq!(audit(&venue, &case).await.len(), usize::from(confirms), "{case}");
            let told = process.send(complete(&first, DEADLINE + 1)).await;
            let expected = if confirms { (200, "OK") } else { (409, "PAYMENT_EXPIRED") };
            assert_eq!(told.kind(), expected, "{case}: {}", told.text);
            assert_eq!(venue.captured().await.len(), usize::from(confirms), "{case}");
        }
    }
}

#[tokio::test]
async fn another_card_on_a_payment_that_failed_is_heard_before_anything_is_given_back() {
    let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    let process = venue.process().await;
    let first = asked(&process, buy(&venue)).await;
    venue.stripe.answer_issuer(false);
    venue.stripe.pay_otherwise();
    let paid = process.send(complete(&first, 100)).await;
    assert_eq!(paid.kind(), (200, "OK"), "{}", paid.text);
    assert_eq!(audit(&venue, "another card").await.len(), 1);
}

#[tokio::test]
async fn the_same_cart_and_card_wait_as_well() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = process.cart(json!([crate::venue::tickets(2)])).await;
    let mut fields = by_token("tok_3ds");
    fields["shoppingCartId"] = json!(cart);
    let first = asked(&process, pay(fields.clone())).await;
    for ask in [pay(fields), pay(by_token("tok_3ds"))] {
        let refused = process.send(ask.at_instant(after(400))).await;
        assert_eq!(refused.error(), "REQUEST_IN_PROGRESS", "{}", refused.text);
    }
    venue.answer(true).await;
    // Nine minutes later the guard still stands, from the charge on.
    let paid = process.send(complete(&first, 540)).await;
    assert_eq!(paid.error(), "OK", "{}", paid.text);
    let twice = process.send(pay(by_token("tok_3ds")).at_instant(after(700))).await;
    assert_eq!(twice.error(), "DUPLICATE_TRANSACTION_FOUND", "{}", twice.text);
}

#[tokio::test]
async fn the_tenant_says_how_long_its_buyers_may_take() {
    let venue = Venue::open([10, 10]).await;
    venue.set(|tenant| tenant.challenge_secs = 1_800).await;
    let process = venue.process().await;
    let first = asked(&process, buy(&venue)).await;
    assert_eq!(first.body["expiresAt"], "2027-06-01T10:30:00-04:00");
    assert_eq!(process.clean_up(1_799).await.orders_due, 0);
    assert_eq!(process.clean_up(1_800).await.orders_finished, 1);
    assert_eq!(venue.seats(0).await, [10, 0, 0]);
}

#[tokio::test]
async fn orders_whose_buyer_was_not_asked_are_unknown_there() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let paid = process.pay(json!({})).await.id();
    let paths = [paid.as_str(), "1", "no-order"].map(|id| format!("/v2/b2c/checkout/{id}/complete"));
    for path in paths {
        let refused = process.send(ask("POST", &path, json!({}))).await;
        assert_eq!(refused.kind(), (404, "NOT_FOUND"), "{path}: {}", refused.text);
    }
    let first = asked(&process, pay_on_page(by_token("tok_3ds"))).await;
    let theirs = process.send(complete(&first, 1).by("key-205")).await;
    assert_eq!(theirs.kind(), (404, "NOT_FOUND"), "{}", theirs.text);
}

#[tokio::test]
async fn what_waits_for_a_buyer_is_kept_with_its_deadline() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let first = asked(&process, buy(&venue)).await;
    let books = Books::open(&venue).await;
    let [order] = <[_; 1]>::try_from(books.orders).unwrap();
    assert_eq!(order.state, OrderState::Pending { deadline: after(DEADLINE) });
    assert_eq!(order.challenge.unwrap().asked_at, after(0));
    process.send(complete(&first, 10)).await;
    process.clean_up(DEADLINE).await;
    verify(&venue, "asked").await;
}

#[tokio::test]
async fn stripe_is_asked_where_the_payment_stands_and_nothing_more() {
    let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    let process = venue.process().await;
    let first = asked(&process, buy(&venue)).await;
    assert_eq!(venue.stripe.steps(), [Step::Token, Step::Create, Step::Attach, Step::Confirm]);
    assert_eq!(venue.stripe.seen()[3].field("return_url"), "", "its library in the page shows the question");
    let _ = process.send(complete(&first, 10)).await;
    assert_eq!(venue.stripe.steps()[4..], [Step::Look]);
}

/// The only order there is.
async fn order_of(venue: &Venue) -> Order {
    let [order] = <[_; 1]>::try_from(Books::open(venue).await.orders).unwrap();
    order
}

#[tokio::test(start_paused = true)]
async fn money_that_came_too_late_is_returned_once_whatever_happens_meanwhile() {
    let mishaps = Mishap::OF_REFUNDS.map(Some).into_iter().chain([None]);
    for mishap in mishaps {
        let case = format!("{mishap:?}");
        let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
        let process = venue.process().await;
        let first = asked(&process, buy(&venue)).await;
        assert_eq!(process.clean_up(DEADLINE).await.orders_finished, 1, "{case}");
        venue.stripe.break_its_word();
        if let Some(mishap) = mishap {
            process.processor.next(Verb::Refund, mishap);
        }
        let told = process.send(complete(&first, DEADLINE + 10)).await;
        let expected = if mishap.is_some() { [409, 503] } else { [409, 409] };
        assert!(expected.contains(&told.status), "{case}: {}", told.text);
        let next = venue.new_process();
        next.clean_up(DEADLINE + 200).await;
        assert_eq!(venue.refunded().await, [3_600], "{case}");
        let order = order_of(&venue).await;
        assert!(order.late_money.unwrap().returned_at().is_some(), "{case}");
        assert_eq!(venue.seats(0).await, [10, 0, 0], "{case}");
        let again = next.send(complete(&first, DEADLINE + 300)).await;
        assert_eq!(again.kind(), (409, "PAYMENT_EXPIRED"), "{case}: {}", again.text);
        assert_eq!(venue.refunded().await, [3_600], "{case}");
        assert!(venue.queue.depth() >= 1, "{case}: the mail about it");
        verify(&venue, &case).await;
    }
}

#[tokio::test]
async fn a_payment_that_was_cancelled_gives_nothing_back() {
    for charging in Charging::ALL {
        let venue = Venue::charging(charging, [10, 10]).await;
        let process = venue.process().await;
        let first = asked(&process, buy(&venue)).await;
        process.clean_up(DEADLINE).await;
        let told = process.send(complete(&first, DEADLINE + 10)).await;
        assert_eq!(told.kind(), (409, "PAYMENT_EXPIRED"), "{}", told.text);
        assert_eq!(order_of(&venue).await.late_money, None);
        assert!(venue.refunded().await.is_empty());
    }
}

/// How many orders a barcode leads to.
async fn found_by_barcode(venue: &Venue) -> usize {
    let items = venue.scan("orders").await;
    items.iter().filter(|item| item["pk"].as_s().unwrap().starts_with("T#204#BARCODE#")).count()
}

#[tokio::test]
async fn barcodes_lead_to_an_order_from_the_question_on_until_it_is_given_back() {
    for confirms in [true, false] {
        for by_schedule in [true, false] {
            let venue = Venue::open([10, 10]).await;
            let process = venue.process().await;
            let first = asked(&process, buy(&venue)).await;
            assert_eq!(found_by_barcode(&venue).await, 1);
            venue.answer(confirms).await;
            if by_schedule {
                process.clean_up(DEADLINE).await;
            } else {
                process.send(complete(&first, 100)).await;
            }
            let left = found_by_barcode(&venue).await;
            assert_eq!(left, usize::from(confirms), "{confirms} {by_schedule}");
            assert_eq!(audit(&venue, "found").await.len(), left);
        }
    }
}

// -------------------------------------------------------------------------------------------- crashes

/// What strikes a step.
#[derive(Clone, Copy, Debug)]
enum Strike {
    Call(usize, Fault),
    Verb(Verb, Mishap),
    Request(Step, Trouble),
}

fn strike(venue: &Venue, process: &Process, strike: Strike) {
    match strike {
        Strike::Call(call, fault) => _ = process.faults.at(call, fault),
        Strike::Verb(verb, mishap) => process.processor.next(verb, mishap),
        Strike::Request(step, trouble) => venue.stripe.next(step, trouble),
    }
}

/// Whatever happened, one pass behind the deadline is enough, and a second try with the key makes at most one charge.
async fn ends_well(venue: &Venue, buy: Ask, case: &str) -> usize {
    venue.stripe.calm();
    let next = venue.new_process();
    venue.finish_work(&next, 100).await;
    venue.finish_work(&next, DEADLINE + 100).await;
    let paid = audit(venue, case).await;
    assert!(paid.len() <= 1, "{case}");
    let again = next.send(buy.at_instant(after(DEADLINE + 200))).await;
    if let Some(order) = paid.first() {
        assert!(again.replayed && again.id() == order.id.as_str(), "{case}: {}", again.text);
    } else {
        let goes_on = ["PAYMENT_ACTION_REQUIRED", "CARD_DECLINED", "PAYMENT_EXPIRED"];
        assert!(goes_on.contains(&again.error()), "{case}: {}", again.text);
    }
    venue.finish_work(&next, 2 * DEADLINE + 400).await;
    assert_eq!(audit(venue, case).await.len(), paid.len(), "{case}");
    paid.len()
}

/// A checkout that is struck before its page is told anything, or while it is.
async fn strike_the_checkout(charging: Charging, confirms: bool, what: Strike) {
    let case = format!("checkout {charging:?} {confirms} {what:?}");
    let venue = Venue::alike(charging).await;
    let process = venue.selling_process().await;
    let buy = buy(&venue);
    process.faults.reset();
    strike(&venue, &process, what);
    let first = process.send(buy.clone()).await;
    assert!([402, 503].contains(&first.status), "{case}: {}", first.text);
    venue.answer(confirms).await;
    let paid = ends_well(&venue, buy, &case).await;
    if first.status == 402 {
        assert_eq!(paid, usize::from(confirms), "{case}: the page was told of an order");
    }
}

/// A completion that is struck.
async fn strike_the_completion(charging: Charging, confirms: bool, what: Strike) {
    let case = format!("completion {charging:?} {confirms} {what:?}");
    let venue = Venue::alike(charging).await;
    let process = venue.selling_process().await;
    let buy = buy(&venue);
    let first = asked(&process, buy.clone()).await;
    venue.answer(confirms).await;
    process.faults.reset();
    strike(&venue, &process, what);
    let told = process.send(complete(&first, 30)).await;
    assert!([200, 402, 503].contains(&told.status), "{case}: {}", told.text);
    let paid = ends_well(&venue, buy, &case).await;
    assert_eq!(paid, usize::from(confirms), "{case}");
}

/// The database calls of a checkout whose buyer is asked, and of its completion.
async fn calls(charging: Charging, confirms: bool) -> [usize; 2] {
    let venue = Venue::charging(charging, [10, 10]).await;
    let process = venue.selling_process().await;
    let first = asked(&process, buy(&venue)).await;
    let checkout = process.faults.calls().len();
    venue.answer(confirms).await;
    process.faults.reset();
    let _ = process.send(complete(&first, 30)).await;
    [checkout, process.faults.calls().len()]
}

#[tokio::test(start_paused = true)]
async fn every_database_call_may_meet_every_fault() {
    let mut walk = Walk::begin("challenge-calls", 12);
    for charging in Charging::ALL {
        for confirms in [true, false] {
            let [checkout, completion] = calls(charging, confirms).await;
            for fault in FAULTS {
                for call in 0..checkout {
                    if walk.plays(("checkout", call, fault)) {
                        strike_the_checkout(charging, confirms, Strike::Call(call, fault)).await;
                    }
                }
                for call in 0..completion {
                    if walk.plays(("completion", call, fault)) {
                        strike_the_completion(charging, confirms, Strike::Call(call, fault)).await;
                    }
                }
            }
        }
    }
    walk.end(150);
}

#[tokio::test(start_paused = true)]
async fn every_verb_may_meet_every_mishap() {
    let mut walk = Walk::begin("challenge-verbs", 6);
    for charging in Charging::ALL {
        for confirms in [true, false] {
            for mishap in Mishap::ALL {
                for verb in [Verb::LookUp, Verb::Open, Verb::Confirm, Verb::Cancel] {
                    if walk.plays(("checkout", verb, mishap)) {
                        strike_the_checkout(charging, confirms, Strike::Verb(verb, mishap)).await;
                    }
                }
                for verb in [Verb::Status, Verb::Cancel] {
                    if walk.plays(("completion", verb, mishap)) {
                        strike_the_completion(charging, confirms, Strike::Verb(verb, mishap)).await;
                    }
                }
            }
        }
    }
    walk.end(120);
}

#[tokio::test(start_paused = true)]
async fn every_request_of_a_completion_may_meet_every_trouble() {
    let mut walk = Walk::begin("challenge-requests", 4);
    for confirms in [true, false] {
        for step in [Step::Look, Step::Cancel] {
            for trouble in Trouble::ALL {
                if walk.plays((confirms, step, trouble)) {
                    let what = Strike::Request(step, trouble);
                    strike_the_completion(Charging::Stripe, confirms, what).await;
                }
            }
        }
    }
    walk.end(40);
}
