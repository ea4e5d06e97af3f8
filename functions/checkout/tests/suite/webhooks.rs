//! Messages of Stripe's webhooks (decision record 0147): signed, heard in one call, and hints to ask.

use crate::audit::audit;
use crate::faults::FAULTS;
use crate::returns::{id, item, refund};
use crate::stripe::double::{ASKS_BACK, Refund, Step, Trouble};
use crate::venue::{Process, Venue, after, ask, by_token, pay, tenant_id, tickets};
use adapters::clock::wall_now;
use domain::order::{Dispute, DisputeStatus, Order};
use domain::time::plus_secs;
use domain::{OrderId, Timestamp};
use engine::Fault;
use sagas::reconcile::{ReconciliationRequest, reconcile};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::cards::{GOOD, OTHER};
use testkit::log::Log;
use testkit::signature::signature;
use testkit::{Answer, Ask};

const SECRET: &str = "whsec_canary_first";
const NEXT: &str = "whsec_canary_next";

/// A venue that charges through Stripe and hears its messages, signed with these secrets.
async fn hearing(secrets: &[&str]) -> (Venue, Process) {
    let venue = Venue::charging(crate::venue::Charging::Stripe, [10, 10]).await;
    venue.hear(secrets).await;
    let process = venue.process().await;
    (venue, process)
}

fn message(kind: &str, object: &Value) -> Value {
    json!({"id": "evt_1NG8Du2eZvKYlo2CUI79vXWy", "object": "event", "type": kind, "data": {"object": object}})
}

/// A message about the payment of an order of this tenant.
fn of_payment(kind: &str, order: &str, tenant: &str) -> Value {
    let metadata = json!({"order": order, "tenant": tenant});
    message(kind, &json!({"id": "pi_1", "object": "payment_intent", "metadata": metadata}))
}

fn signed(body: &Value, secret: &str, at: Timestamp) -> Ask {
    let header = signature(secret, at, &body.to_string());
    unsigned(body).header("stripe-signature", &header)
}

fn unsigned(body: &Value) -> Ask {
    ask("POST", "/v1/payment/webhooks/stripe/204", body.clone())
        .header("x-service-api-key", "")
        .in_real_time()
}

async fn hear(process: &Process, body: &Value) -> Answer {
    let answer = process.send(signed(body, SECRET, wall_now())).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer
}

/// An order that waits for its buyer.
async fn waiting(venue: &Venue, process: &Process) -> String {
    let asked = process.send(pay(by_token(&venue.asking_token())).keyed("k")).await;
    assert_eq!(asked.error(), "PAYMENT_ACTION_REQUIRED", "{}", asked.text);
    asked.body["orderId"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_message_has_the_schedule_look_before_the_deadline() {
    for (kind, confirms) in [
        ("payment_intent.succeeded", true),
        ("payment_intent.payment_failed", false),
        ("payment_intent.canceled", false),
    ] {
        let (venue, process) = hearing(&[SECRET]).await;
        let order = waiting(&venue, &process).await;
        assert_eq!(process.clean_up(10).await.orders_due, 0, "{kind}");
        venue.stripe.answer_issuer(confirms);
        let heard = hear(&process, &of_payment(kind, &order, "204")).await;
        assert_eq!((&heard.body, heard.calls.total), (&json!({"noted": true}), 1), "{kind}");
        assert_eq!(process.clean_up(20).await.orders_finished, 1, "{kind}");
        assert_eq!(audit(&venue, kind).await.len(), usize::from(confirms), "{kind}");
    }
}

#[tokio::test]
async fn what_a_message_says_decides_nothing() {
    let (venue, process) = hearing(&[SECRET]).await;
    let order = waiting(&venue, &process).await;
    // It says that the payment failed, or succeeded, and the buyer has not answered yet.
    for kind in ["payment_intent.payment_failed", "payment_intent.succeeded", "payment_intent.canceled"] {
        hear(&process, &of_payment(kind, &order, "204")).await;
        assert_eq!(process.clean_up(20).await.orders_finished, 0, "{kind}");
    }
    venue.stripe.answer_issuer(true);
    // Out of order, and each again and again.
    for kind in ["payment_intent.payment_failed", "payment_intent.succeeded", "payment_intent.payment_failed"]
    {
        for _ in 0..2 {
            hear(&process, &of_payment(kind, &order, "204")).await;
        }
        process.clean_up(30).await;
    }
    assert_eq!(venue.captured().await, [3_600]);
    assert_eq!(audit(&venue, "decides nothing").await.len(), 1);
    let late = hear(&process, &of_payment("payment_intent.succeeded", &order, "204")).await;
    assert_eq!(late.body, json!({"noted": false}), "it is paid");
}

#[tokio::test]
async fn a_forged_message_changes_nothing() {
    let (venue, process) = hearing(&[SECRET]).await;
    let order = waiting(&venue, &process).await;
    venue.stripe.answer_issuer(true);
    let body = of_payment("payment_intent.succeeded", &order, "204");
    let other = of_payment("payment_intent.canceled", &order, "204").to_string();
    let now = wall_now();
    for (case, ask) in [
        ("without a signature", unsigned(&body)),
        ("with another secret", signed(&body, "whsec_other", now)),
        ("with the API key", signed(&body, crate::stripe::double::SECRET, now)),
        ("six minutes ago", signed(&body, SECRET, plus_secs(now, -360))),
        ("in six minutes", signed(&body, SECRET, plus_secs(now, 360))),
        ("of another body", unsigned(&body).header("stripe-signature", &signature(SECRET, now, &other))),
        ("of nothing", unsigned(&body).header("stripe-signature", "t=1,v1=00")),
        ("with a space more", signed(&body, SECRET, now).raw(&format!("{body} "))),
    ] {
        process.faults.reset();
        let refused = process.send(ask).await;
        assert_eq!(refused.kind(), (400, "VALIDATION_ERROR"), "{case}: {}", refused.text);
        assert_eq!(process.faults.calls().len(), 0, "{case}");
    }
    assert_eq!(process.clean_up(20).await.orders_due, 0);
}

#[tokio::test]
async fn either_of_two_secrets_counts_while_one_is_changed() {
    let (venue, process) = hearing(&[NEXT, SECRET]).await;
    let order = waiting(&venue, &process).await;
    let body = of_payment("payment_intent.succeeded", &order, "204");
    for secret in [SECRET, NEXT] {
        let heard = process.send(signed(&body, secret, wall_now())).await;
        assert_eq!(heard.body, json!({"noted": true}), "{}", heard.text);
    }
    let both = format!("{},v1={}", signature(SECRET, wall_now(), &body.to_string()), "00");
    let heard = process.send(unsigned(&body).header("stripe-signature", &both)).await;
    assert_eq!(heard.status, 200, "{}", heard.text);
}

#[tokio::test]
async fn messages_about_nothing_of_ours_are_heard_and_forgotten() {
    let (venue, process) = hearing(&[SECRET]).await;
    let paid = process.pay(json!({})).await.id();
    let order = waiting(&venue, &process).await;
    for body in [
        message("charge.succeeded", &json!({"id": "ch_1", "metadata": {"order": order, "tenant": "204"}})),
        message("customer.created", &json!({"id": "cus_1"})),
        message("something.new", &json!({})),
        message("payment_intent.succeeded", &json!({"id": "pi_1", "metadata": {}})),
        of_payment("payment_intent.succeeded", &order, "205"),
        of_payment("payment_intent.succeeded", "1", "204"),
        of_payment("payment_intent.succeeded", "no order", "204"),
        of_payment("payment_intent.succeeded", &paid, "204"),
        message("charge.dispute.created", &json!({"id": "dp_1/../../refunds"})),
        message("charge.dispute.created", &json!({"id": "dp_nobody"})),
        message("refund.failed", &json!({"id": "re_nobody"})),
        message("refund.failed", &json!({"id": "re_1?expand[]=charge"})),
        message("refund.failed", &json!({"id": "dp_nobody"})),
        // Of forms that Stripe does not send today. Refused, they would come again for days.
        message("payment_intent.succeeded", &json!({"id": "pi_1", "metadata": null})),
        message("payment_intent.succeeded", &json!({"id": "pi_1", "metadata": {"order": 7}})),
        message("charge.dispute.created", &json!({"id": 7})),
        message("charge.dispute.created", &Value::Null),
        json!({"type": "payment_intent.succeeded"}),
        json!({"type": "payment_intent.succeeded", "data": null}),
        json!({"type": 7}),
        json!({"id": 7}),
        json!([]),
    ] {
        let heard = hear(&process, &body).await;
        assert_eq!(heard.body, json!({"noted": false}), "{body}");
        assert!(heard.calls.total <= 1, "{body}");
    }
    let unreadable = "{\"id\": 7";
    let header = signature(SECRET, wall_now(), unreadable);
    let refused =
        process.send(unsigned(&json!({})).header("stripe-signature", &header).raw(unreadable)).await;
    assert_eq!(refused.kind(), (400, "MALFORMED_JSON"), "{}", refused.text);
    assert_eq!(process.clean_up(20).await.orders_due, 0);
}

#[tokio::test]
async fn who_takes_no_messages_is_unknown() {
    let (venue, process) = hearing(&[]).await;
    let body = of_payment("payment_intent.succeeded", "1", "204");
    for path in ["204", "205", "9999", "nobody", "-1"].map(|id| format!("/v1/payment/webhooks/stripe/{id}")) {
        let refused = process.send(signed(&body, SECRET, wall_now()).to(&path)).await;
        assert_eq!(refused.kind(), (404, "NOT_FOUND"), "{path}: {}", refused.text);
    }
    assert!(venue.captured().await.is_empty());
}

#[tokio::test]
async fn the_secrets_of_a_webhook_are_in_no_log_line_answer_item_or_message() {
    let log = Log::of_this_thread();
    let (venue, process) = hearing(&[NEXT, SECRET]).await;
    let told = Told::begin(&venue, &process).await;
    let mut answers = Vec::new();
    for message in told.messages() {
        let forged = signed(&message, "whsec_canary_forged", wall_now());
        let header = signature(SECRET, wall_now(), CUT_OFF);
        let unreadable = unsigned(&message).header("stripe-signature", &header).raw(CUT_OFF);
        let named = message_naming_secrets(&message);
        for ask in
            [signed(&message, NEXT, wall_now()), forged, unreadable, signed(&named, SECRET, wall_now())]
        {
            answers.push(process.send(ask).await);
        }
    }
    venue.stripe.next(Step::Dispute, Trouble::LostAfter);
    answers.push(process.send(signed(&about_dispute("closed", DISPUTE), SECRET, wall_now())).await);
    process.clean_up(20).await;
    for answer in &answers {
        assert!(!answer.text.contains("whsec_"), "{}", answer.text);
    }
    let log = log.text();
    assert!(log.contains(answers[0].header("x-service-request-id")), "every request is logged");
    assert!(!log.contains("whsec_"), "{log}");
    for table in ["catalog", "carts", "reservations", "orders", "members", "merchants"] {
        for item in venue.scan(table).await {
            assert!(!format!("{item:?}").contains("whsec_"), "{table}: {item:?}");
        }
    }
    for delivery in venue.queue.receive(100).await {
        assert!(!delivery.body.contains("whsec_"), "{}", delivery.body);
    }
}

/// A message that breaks off behind a secret.
const CUT_OFF: &str = "{\"secret\": \"whsec_canary_first\", ";

/// The same with the secrets where nobody looks.
fn message_naming_secrets(message: &Value) -> Value {
    let mut named = message.clone();
    named["data"]["object"]["description"] = format!("{SECRET} {NEXT}").into();
    named
}

// ------------------------------------------------------------------------------------------- disputes

async fn loaded(venue: &Venue, order: &str) -> Order {
    let order = OrderId::parse(order).unwrap();
    venue.store.load_order(tenant_id(), &order).await.unwrap().unwrap()
}

fn about_dispute(kind: &str, id: &str) -> Value {
    message(&format!("charge.dispute.{kind}"), &json!({"id": id, "object": "dispute"}))
}

const DISPUTE: &str = "dp_1MtwBwLkdIwHu7ix";
/// Another one, opened later.
const LATER_DISPUTE: &str = "dp_0NuxCxMleJxIv8jy";

#[tokio::test]
async fn a_dispute_is_noted_as_it_stands_and_takes_nothing_away() {
    let (venue, process) = hearing(&[SECRET]).await;
    let order = process.pay(by_token(&venue.stripe.tokenise(OTHER))).await.id();
    let seats = venue.seats(0).await;
    venue.stripe.dispute(DISPUTE, &order, 1_790_000_000);
    let mut before = None;
    for (kind, stands, status, is_new) in [
        ("created", "needs_response", DisputeStatus::Open, true),
        ("updated", "under_review", DisputeStatus::Open, false),
        ("closed", "won", DisputeStatus::Won, true),
        // An older message: what counts is where it stands now.
        ("created", "won", DisputeStatus::Won, false),
        ("closed", "lost", DisputeStatus::Lost, true),
    ] {
        venue.stripe.dispute_is(DISPUTE, stands);
        let heard = hear(&process, &about_dispute(kind, DISPUTE)).await;
        assert_eq!((&heard.body, heard.calls.total), (&json!({"noted": is_new}), 1), "{kind} {stands}");
        let noted = loaded(&venue, &order).await.dispute;
        assert_eq!(noted.as_ref().unwrap().status, status, "{kind} {stands}");
        assert_eq!(noted != before, is_new, "{kind} {stands}: since when is told of the first time");
        before = noted;
    }
    assert!(venue.stripe.steps().contains(&Step::Dispute));
    assert_eq!(venue.seats(0).await, seats);
    let detail = ask("GET", &format!("/v2/b2b/orders/detail/{order}"), json!({})).by("staff-204");
    let detail = process.send(detail).await;
    let disputed = &detail.body["disputed"];
    assert_eq!((&disputed["id"], &disputed["status"]), (&json!(DISPUTE), &json!("lost")));
    assert_eq!(&detail.body["payments"][0]["disputed"], disputed, "the sale says so as well");
    let number = detail.body["orderNumber"].as_str().unwrap();
    let search = ask("GET", &format!("/v2/b2b/orders/search?orderNumber={number}"), json!({}));
    let found = process.send(search.by("staff-204")).await;
    assert_eq!(&found.body["list"][0]["payments"][0]["disputed"], disputed, "{}", found.text);
    let shop = process.send(ask("GET", &format!("/v2/b2c/orders/{order}"), json!({}))).await;
    assert_eq!(shop.body["payments"][0]["disputed"], json!(null), "{}", shop.text);
    let now = after(1_000_000);
    let wanted = ReconciliationRequest { tenant: None, now, chosen_now: Some(now), pause: Duration::ZERO };
    assert_eq!(reconcile(&venue.store, &wanted).await.unwrap().checked.disputes, 1);
    assert_eq!(audit(&venue, "disputed").await.len(), 1);
}

#[tokio::test]
async fn a_dispute_that_was_decided_is_not_opened_again_by_a_slow_message() {
    let (venue, process) = hearing(&[SECRET]).await;
    let order = process.pay(by_token(&venue.stripe.tokenise(OTHER))).await.id();
    let id = OrderId::parse(&order).unwrap();
    let note = |status, name: &str, secs| {
        let (id, opened_at) = (name.to_owned(), after(secs));
        Dispute { id, opened_at, status, heard_at: wall_now() }
    };
    for (status, name, opened, noted) in [
        (DisputeStatus::Open, "dp_2", 20, true),
        (DisputeStatus::Open, "dp_2", 20, false),
        (DisputeStatus::Lost, "dp_2", 20, true),
        (DisputeStatus::Lost, "dp_2", 20, false),
        (DisputeStatus::Open, "dp_2", 20, false),
        // One that was opened before it, and one of the same second.
        (DisputeStatus::Lost, "dp_1", 10, false),
        (DisputeStatus::Won, "dp_1", 20, false),
        (DisputeStatus::Open, "dp_3", 20, true),
        (DisputeStatus::Won, "dp_2", 20, false),
        (DisputeStatus::Open, "dp_1", 30, true),
    ] {
        let dispute = note(status, name, opened);
        let written = venue.store.note_dispute(tenant_id(), &id, &dispute).await.unwrap();
        assert_eq!(written, noted, "{status:?} {name} {opened}");
    }
}

// ------------------------------------------------------------------------------------------- refunds

#[tokio::test]
async fn a_refund_that_fails_later_is_shown_to_staff_and_counted() {
    let (venue, process) = hearing(&[SECRET]).await;
    let order = process.pay(by_token(&venue.stripe.tokenise(OTHER))).await.id();
    let refunded = process.send(refund(&order, json!({"wholeOrder": true}))).await;
    assert_eq!(refunded.error(), "OK", "{}", refunded.text);
    let made = venue.stripe.refunds();
    assert_eq!(made.len(), 1);
    let about =
        |kind: &str| message(kind, &json!({"id": made[0].id, "object": "refund", "status": "failed"}));
    let kinds = ["refund.failed", "refund.updated", "charge.refund.updated"];
    for kind in kinds {
        // It says so, and the money is on its way.
        assert_eq!(hear(&process, &about(kind)).await.body, json!({"noted": false}), "{kind}");
    }
    venue.stripe.fail_refunds();
    for (kind, is_new) in kinds.into_iter().zip([true, false, false]) {
        let heard = hear(&process, &about(kind)).await;
        assert_eq!((&heard.body, heard.calls.total), (&json!({"noted": is_new}), 1), "{kind}");
    }
    assert!(venue.stripe.steps().contains(&Step::FoundRefund));
    let detail = ask("GET", &format!("/v2/b2b/orders/detail/{order}"), json!({})).by("staff-204");
    let detail = process.send(detail).await;
    let failed = detail.body["failedRefunds"].as_array().unwrap();
    assert_eq!((failed.len(), &failed[0]["id"]), (1, &json!(made[0].ours)), "{}", detail.text);
    assert_eq!(detail.body["disputed"], json!(null));
    let now = after(1_000_000);
    let wanted = ReconciliationRequest { tenant: None, now, chosen_now: Some(now), pause: Duration::ZERO };
    assert_eq!(reconcile(&venue.store, &wanted).await.unwrap().checked.failed_refunds, 1);
}

#[tokio::test]
async fn a_refund_that_fails_at_once_is_refused_and_leaves_nothing_to_do() {
    let (venue, process) = hearing(&[SECRET]).await;
    let order = process.pay(by_token(&venue.stripe.tokenise(OTHER))).await.id();
    venue.stripe.refunds_are("failed");
    let refused = process.send(refund(&order, json!({"wholeOrder": true}))).await;
    assert_eq!(refused.error(), "REFUND_REFUSED", "{}", refused.text);
    hear(&process, &message("refund.failed", &json!({"id": venue.stripe.refunds()[0].id}))).await;
    let detail = ask("GET", &format!("/v2/b2b/orders/detail/{order}"), json!({})).by("staff-204");
    assert_eq!(process.send(detail).await.body["failedRefunds"], json!([]));
}

// ------------------------------------------------------------------------------- how often, and in which order

/// Orders that messages are about, as Stripe knows them before any is heard.
struct Told {
    /// The buyer of the first confirmed, the one of the second did not.
    asked: [String; 2],
    disputed: String,
    refunded: String,
    /// Two refunds of that one, which did not reach its card.
    refunds: Vec<Refund>,
}

impl Told {
    async fn begin(venue: &Venue, process: &Process) -> Self {
        let mut asked = Vec::new();
        for (quantity, confirms) in [(1, true), (2, false)] {
            let mut fields = by_token(&venue.stripe.tokenise(ASKS_BACK));
            fields["shoppingCart"] = json!({"items": [tickets(quantity)]});
            let answer = process.send(pay(fields)).await;
            assert_eq!(answer.error(), "PAYMENT_ACTION_REQUIRED", "{}", answer.text);
            asked.push(answer.body["orderId"].as_str().unwrap().to_owned());
            venue.stripe.answer_issuer(confirms);
        }
        let disputed = process.pay(by_token(&venue.stripe.tokenise(OTHER))).await.id();
        venue.stripe.dispute(DISPUTE, &disputed, 1_790_000_000);
        venue.stripe.dispute_is(DISPUTE, "lost");
        venue.stripe.dispute(LATER_DISPUTE, &disputed, 1_790_000_001);
        let order = process.pay(by_token(&venue.stripe.tokenise(GOOD))).await.done();
        let refunded = id(&order).to_owned();
        for _ in 0..2 {
            let items = json!([{"itemId": item(&order, 0), "quantity": 1}]);
            let part = json!({"items": items, "sendEmail": false});
            let answer = process.send(refund(&refunded, part)).await;
            assert_eq!(answer.error(), "OK", "{}", answer.text);
        }
        venue.stripe.fail_refunds();
        let asked = <[_; 2]>::try_from(asked).unwrap();
        Self { asked, disputed, refunded, refunds: venue.stripe.refunds() }
    }

    /// One of every kind that anything is done about.
    fn messages(&self) -> Vec<Value> {
        let [confirmed, failed] = &self.asked;
        let about_refund = |kind: &str, place: usize| {
            message(kind, &json!({"id": self.refunds[place].id, "object": "refund", "status": "failed"}))
        };
        vec![
            of_payment("payment_intent.succeeded", confirmed, "204"),
            of_payment("payment_intent.payment_failed", failed, "204"),
            of_payment("payment_intent.canceled", failed, "204"),
            about_dispute("created", DISPUTE),
            about_dispute("updated", DISPUTE),
            about_dispute("funds_withdrawn", DISPUTE),
            about_dispute("funds_reinstated", DISPUTE),
            about_dispute("closed", DISPUTE),
            about_dispute("created", LATER_DISPUTE),
            about_refund("refund.failed", 0),
            about_refund("refund.updated", 0),
            about_refund("charge.refund.updated", 1),
        ]
    }

    /// What has become of the orders, the money and the mails.
    async fn shown(&self, venue: &Venue) -> Vec<String> {
        let mut shown = Vec::new();
        for order in self.asked.iter().chain([&self.disputed, &self.refunded]) {
            let order = loaded(venue, order).await;
            let dispute = order.dispute.as_ref().map(|dispute| (dispute.id.as_str(), dispute.status));
            let place = |id: &str| self.refunds.iter().position(|made| made.ours == id).unwrap();
            let failed = order.failed_refunds.iter().map(|failed| place(failed.refund.as_str()));
            let mut failed: Vec<usize> = failed.collect();
            failed.sort_unstable();
            let is_paid = order.paid_at().is_some();
            shown.push(format!("paid {is_paid}, dispute {dispute:?}, failed refunds {failed:?}"));
        }
        let is_mail = |item: &store::Item| item["sk"].as_s().unwrap().starts_with("OUTBOX#");
        let mails = venue.scan("orders").await.iter().filter(|item| is_mail(item)).count();
        let [mut captured, mut refunded] = [venue.captured().await, venue.refunded().await];
        captured.sort_unstable();
        refunded.sort_unstable();
        shown.push(format!("captured {captured:?}, refunded {refunded:?}"));
        shown.push(format!("{mails} mails"));
        shown
    }
}

/// What is left once the messages came in this order, and once more all together.
async fn left_after(places: &[usize]) -> Vec<String> {
    let (venue, process) = hearing(&[SECRET]).await;
    let told = Told::begin(&venue, &process).await;
    let messages = told.messages();
    for place in places {
        hear(&process, &messages[*place]).await;
    }
    process.clean_up(20).await;
    let shown = told.shown(&venue).await;
    for message in &messages {
        assert_eq!(hear(&process, message).await.body, json!({"noted": false}), "{places:?}: {message}");
    }
    process.clean_up(40).await;
    assert_eq!(told.shown(&venue).await, shown, "{places:?}: all of them again");
    assert_eq!(audit(&venue, "in any order").await.len(), 3, "{places:?}");
    shown
}

#[tokio::test]
async fn every_kind_of_message_repeated_and_in_any_order_ends_as_if_it_came_once() {
    let forwards: Vec<usize> = (0..12).collect();
    let once = left_after(&forwards).await;
    let later = format!("dispute Some((\"{LATER_DISPUTE}\", Open))");
    assert_eq!(
        once[..5],
        [
            "paid true, dispute None, failed refunds []".to_owned(),
            "paid false, dispute None, failed refunds []".to_owned(),
            format!("paid true, {later}, failed refunds []"),
            "paid true, dispute None, failed refunds [0, 1]".to_owned(),
            "captured [1800, 3600, 3600], refunded [1800, 1800]".to_owned(),
        ]
    );
    let backwards: Vec<usize> = forwards.iter().rev().copied().collect();
    let mut orders = vec![
        forwards.iter().flat_map(|place| [*place; 3]).collect(),
        [&backwards[..], &backwards[..], &forwards[..]].concat(),
        backwards,
    ];
    for seed in 0..5 {
        let mut mixed = forwards.repeat(2);
        fastrand::Rng::with_seed(seed).shuffle(&mut mixed);
        orders.push(mixed);
    }
    for places in orders {
        assert_eq!(left_after(&places).await, once, "{places:?}");
    }
}

/// What strikes a message that comes for the first time; it comes again until it is heard.
#[derive(Clone, Copy, Debug)]
enum Strike {
    Call(Fault),
    Stripe(Step, Trouble),
}

async fn left_after_strikes(strikes: &[(usize, Strike)]) -> Vec<String> {
    let (venue, process) = hearing(&[SECRET]).await;
    let told = Told::begin(&venue, &process).await;
    let messages = told.messages();
    for (place, strike) in strikes {
        let struck = venue.process().await;
        match strike {
            Strike::Call(fault) => _ = struck.faults.at(0, *fault),
            Strike::Stripe(step, trouble) => venue.stripe.next(*step, *trouble),
        }
        let first = struck.send(signed(&messages[*place], SECRET, wall_now())).await;
        assert!([200, 503].contains(&first.status), "{strike:?}: {}", first.text);
        venue.stripe.calm();
    }
    for message in &messages {
        hear(&process, message).await;
    }
    process.clean_up(20).await;
    told.shown(&venue).await
}

#[tokio::test(start_paused = true)]
async fn a_message_that_meets_a_fault_is_done_once_when_it_comes_again() {
    let once = left_after_strikes(&[]).await;
    for fault in FAULTS {
        let strikes = [0, 1, 3, 8, 9, 11].map(|place| (place, Strike::Call(fault)));
        assert_eq!(left_after_strikes(&strikes).await, once, "{fault:?}");
    }
    for trouble in Trouble::ALL {
        let strikes =
            [(3, Strike::Stripe(Step::Dispute, trouble)), (9, Strike::Stripe(Step::FoundRefund, trouble))];
        assert_eq!(left_after_strikes(&strikes).await, once, "{trouble:?}");
    }
}

#[tokio::test]
async fn a_second_refund_that_fails_is_told_beside_the_first_and_costs_one_write_more() {
    let (venue, process) = hearing(&[SECRET]).await;
    let told = Told::begin(&venue, &process).await;
    let mut calls = Vec::new();
    for made in &told.refunds {
        let heard = hear(&process, &message("refund.failed", &json!({"id": made.id}))).await;
        assert_eq!(heard.body, json!({"noted": true}));
        calls.push(heard.calls.total);
    }
    assert_eq!(calls, [1, 2]);
    let detail = ask("GET", &format!("/v2/b2b/orders/detail/{}", told.refunded), json!({})).by("staff-204");
    let detail = process.send(detail).await;
    let failed = detail.body["failedRefunds"].as_array().unwrap().iter();
    let failed: Vec<&str> = failed.map(|failed| failed["id"].as_str().unwrap()).collect();
    assert_eq!(failed, told.refunds.iter().map(|made| made.ours.as_str()).collect::<Vec<_>>());
}
