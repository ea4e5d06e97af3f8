mod after_sale;
mod languages;
mod login;
mod support;

use crate::{DeliverError, Delivered, handle_batch};
use adapters::App;
use adapters::clock::wall_now;
use adapters::mail::{MailTransport, OutgoingMail};
use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use domain::combo::ComboKind;
use domain::order::{OrderComboLine, OrderLine, OrderState, OrderTicketLine};
use domain::outbox::{MailKind, MailState, OrderMail, mails_of};
use domain::time::plus_secs;
use domain::{ComboTemplateId, OrderItemId};
use engine::{Fault, Throttling};
use mail_parser::MessageParser;
use serde_json::json;
use std::sync::Arc;
use support::{
    Answer, Outside, in_english, message_id, order, said, sell, sell_one, service, state, ticket_line,
    tickets, try_deliver,
};

fn body(job: &OrderMail) -> String {
    serde_json::to_string(job).unwrap()
}

/// A batch as Lambda hands it over; the messages are named `1`, `2` and so on.
fn event(bodies: &[String]) -> SqsEvent {
    let record = |(number, body): (usize, &String)| json!({ "messageId": number.to_string(), "body": body });
    let records: Vec<_> = (1..).zip(bodies).map(record).collect();
    serde_json::from_value(json!({ "Records": records })).unwrap()
}

async fn batch(app: &App, outside: &Arc<Outside>, bodies: &[String]) -> Vec<String> {
    let transport: Arc<dyn MailTransport> = Arc::<Outside>::clone(outside);
    let response: SqsBatchResponse = handle_batch(app, &transport, event(bodies)).await;
    response.batch_item_failures.into_iter().map(|failure| failure.item_identifier).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_handed_out_twice_at_once_and_again_a_day_later_sends_one_mail() {
    let (app, _) = service().await;
    let outside = Arc::new(Outside::default());
    let jobs: Vec<_> = sell(&app, &order(1)).await.iter().map(body).collect();
    let twice = [jobs.clone(), jobs.clone()].concat();
    assert_eq!(batch(&app, &outside, &twice).await, Vec::<String>::new());
    assert_eq!(batch(&app, &outside, &jobs).await, Vec::<String>::new());
    assert_eq!(outside.sent_ids(), [message_id(1, MailKind::ReceiptWithTickets)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_batch_exactly_the_poisoned_and_the_throttled_message_fail() {
    let (app, _) = service().await;
    let outside = Arc::new(Outside::default());
    let mut bodies = Vec::new();
    for id in 1..=10 {
        bodies.push(body(&sell_one(&app, id).await));
    }
    bodies[6] = "not json".into();
    outside.answer(&order(9).id, Answer::Throttle);
    assert_eq!(batch(&app, &outside, &bodies).await, ["7", "9"]);
    assert_eq!(outside.sent().len(), 8);

    // What comes back is only what failed; by now there is room for the ninth.
    outside.answer(&order(9).id, Answer::Accept);
    assert_eq!(batch(&app, &outside, &bodies).await, ["7"]);
    assert_eq!(outside.sent().len(), 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_panics_takes_no_other_with_it() {
    let (app, _) = service().await;
    let outside = Arc::new(Outside::default());
    let mut bodies = Vec::new();
    for id in 1..=3 {
        bodies.push(body(&sell_one(&app, id).await));
    }
    outside.answer(&order(2).id, Answer::Panic);
    assert_eq!(batch(&app, &outside, &bodies).await, ["2"]);
    assert_eq!(outside.sent().len(), 2);
}

#[tokio::test]
async fn a_throttled_mail_can_be_tried_again_at_once() {
    let (app, _) = service().await;
    let outside = Outside::default();
    let job = sell_one(&app, 1).await;
    outside.answer(&job.order, Answer::Throttle);
    assert!(matches!(try_deliver(&app, &outside, &job).await, Err(DeliverError::Transport(_))));
    assert_eq!(state(&app, &job).await, MailState::Queued);
    outside.answer(&job.order, Answer::Accept);
    assert_eq!(try_deliver(&app, &outside, &job).await.unwrap(), Delivered::Sent);
}

#[tokio::test]
async fn a_refused_mail_is_not_tried_again() {
    let (app, _) = service().await;
    let outside = Outside::default();
    let job = sell_one(&app, 1).await;
    outside.answer(&job.order, Answer::Refuse);
    assert_eq!(try_deliver(&app, &outside, &job).await.unwrap(), Delivered::Refused);
    assert!(matches!(state(&app, &job).await, MailState::Refused { .. }));
    outside.answer(&job.order, Answer::Accept);
    assert_eq!(try_deliver(&app, &outside, &job).await.unwrap(), Delivered::Settled);
    assert!(outside.sent().is_empty());
}

#[tokio::test]
async fn an_address_that_cannot_be_written_to_is_refused() {
    let (app, _) = service().await;
    let outside = Outside::default();
    let mut order = order(1);
    order.billing.email = Some("no mailbox".into());
    let jobs = sell(&app, &order).await;
    assert_eq!(try_deliver(&app, &outside, &jobs[0]).await.unwrap(), Delivered::Refused);
    assert!(matches!(state(&app, &jobs[0]).await, MailState::Refused { .. }));
}

#[tokio::test]
async fn a_live_claim_keeps_others_away_and_an_expired_one_does_not() {
    let (app, _) = service().await;
    let outside = Outside::default();
    let now = wall_now();
    let job = sell_one(&app, 1).await;
    assert!(app.store.claim_mail(&job, now, plus_secs(now, 60)).await.unwrap());
    assert_eq!(try_deliver(&app, &outside, &job).await.unwrap(), Delivered::Settled);
    assert!(outside.sent().is_empty());

    let abandoned = sell_one(&app, 2).await;
    assert!(app.store.claim_mail(&abandoned, now, plus_secs(now, -1)).await.unwrap());
    assert_eq!(try_deliver(&app, &outside, &abandoned).await.unwrap(), Delivered::Sent);
}

#[tokio::test]
async fn a_mail_that_was_sent_is_marked_even_when_the_database_is_busy_for_a_moment() {
    for fault in [Fault::Throttle(Throttling::Table), Fault::AnswerLost] {
        let (app, faults) = service().await;
        let outside = Outside::default();
        let job = sell_one(&app, 1).await;
        faults.reset();
        // The claim is the first update, the mark the second.
        faults.at_operation("UpdateItem", 1, fault);
        assert_eq!(try_deliver(&app, &outside, &job).await.unwrap(), Delivered::Sent);
        assert_eq!(faults.injected().len(), 1);
        assert!(matches!(state(&app, &job).await, MailState::Sent { .. }));
        assert_eq!(try_deliver(&app, &outside, &job).await.unwrap(), Delivered::Settled);
        assert_eq!(outside.sent().len(), 1);
    }
}

#[tokio::test]
async fn nothing_is_mailed_for_an_order_that_is_not_paid_or_owes_no_such_mail() {
    let (app, _) = service().await;
    let outside = Outside::default();
    let deadline = wall_now();
    let mut pending = order(1);
    pending.state = OrderState::Pending { deadline };
    let unpaid = sell(&app, &pending).await.remove(0);
    let unknown = OrderMail { order: order(2).id, ..unpaid.clone() };
    let quiet = domain::order::Order { send_email: false, ..order(3) };
    assert_eq!(sell(&app, &quiet).await, []);
    let unwanted = OrderMail { order: quiet.id, ..unpaid.clone() };
    for job in [unpaid, unknown, unwanted] {
        assert_eq!(try_deliver(&app, &outside, &job).await.unwrap(), Delivered::NotOwed, "{job:?}");
    }
    assert!(outside.sent().is_empty());
}

#[tokio::test]
async fn tickets_for_another_address_travel_without_prices_and_the_receipt_without_tickets() {
    let (app, _) = service().await;
    let outside = Arc::new(Outside::default());
    let mut order = order(1);
    order.ticket_delivery_email = Some("family@example.net".into());
    let bodies: Vec<_> = sell(&app, &order).await.iter().map(body).collect();
    assert_eq!(batch(&app, &outside, &bodies).await, Vec::<String>::new());
    let mut sent = outside.sent();
    sent.sort_by(|one, other| one.message_id.cmp(&other.message_id));
    let heads: Vec<_> = sent.iter().map(|mail| (mail.to.as_str(), mail.message_id.clone())).collect();
    assert_eq!(
        heads,
        [
            ("ines.okafor@example.org", message_id(1, MailKind::Receipt)),
            ("family@example.net", message_id(1, MailKind::Tickets)),
        ]
    );
    let barcode = "01".repeat(16);
    assert!(text_of(&sent[0]).contains("$49.40") && !text_of(&sent[0]).contains(&barcode));
    assert!(!text_of(&sent[1]).contains('$') && text_of(&sent[1]).contains(&barcode));
}

/// The id opens what was paid, for whoever asks in time.
#[tokio::test]
async fn no_mail_holds_the_id_of_its_order() {
    let (app, _) = service().await;
    let outside = Arc::new(Outside::default());
    let mut order = order(7_318_405_266_201_937);
    order.ticket_delivery_email = Some("family@example.net".into());
    let bodies: Vec<_> = sell(&app, &order).await.iter().map(body).collect();
    assert_eq!(batch(&app, &outside, &bodies).await, Vec::<String>::new());
    assert_eq!(outside.sent().len(), 2);
    for mail in outside.sent() {
        let raw = String::from_utf8_lossy(&mail.mime);
        assert!(!raw.contains(order.id.as_str()) && !text_of(&mail).contains(order.id.as_str()), "{raw}");
        assert!(!mail.subject.contains(order.id.as_str()), "{}", mail.subject);
    }
}

fn text_of(mail: &OutgoingMail) -> String {
    MessageParser::default().parse(&mail.mime).unwrap().body_text(0).unwrap().replace("\r\n", "\n")
}

fn rendered(order: &domain::order::Order) -> String {
    let mail = &mails_of(order)[0];
    let view = said(order, &tickets(), mail).unwrap();
    text_of(&in_english(&view))
}

#[test]
fn a_confirmation_says_what_was_bought_paid_and_when_it_admits() {
    insta::assert_snapshot!(rendered(&order(100_731_946)), @r"
    Harbor Museum
    Your tickets and receipt

    Order 200731946, Sat, Mar 14, 2026, 10:22 AM
    Ordered by Ines Okafor

    Doors open at 9.

    RECEIPT

    Harbor Gallery Entry, Adult
      Mon, Mar 16, 2026, 9:00 AM
      2 x $16.20 = $32.40

    Audio Guide
      1 x $7.00 = $7.00

    Lighthouse Fund
      1 x $10.00 = $10.00

    Total: $49.40
    Paid: $49.40, American Express ending in 0005

    TICKETS
    Show each QR code at the entrance, or read out the code below it.

    1. Harbor Gallery Entry
      Mon, Mar 16, 2026, 9:00 AM
      Adult · Ines Okafor
      Code: 01010101010101010101010101010101

    2. Harbor Gallery Entry
      Mon, Mar 16, 2026, 9:00 AM
      Adult · Ines Okafor
      Code: 02020202020202020202020202020202
    ");
}

#[test]
fn a_combo_is_one_line_of_the_receipt_with_its_events_and_has_a_code_for_each_ticket() {
    let mut order = order(1);
    let line = ticket_line();
    let hidden = OrderTicketLine {
        id: OrderItemId::parse("40177399").unwrap(),
        event_name: "Lamp Room".to_owned(),
        hide_event_date: true,
        ..line.clone()
    };
    let combo = OrderComboLine {
        id: OrderItemId::parse("40177398").unwrap(),
        combo: ComboTemplateId::parse("both").unwrap(),
        kind: ComboKind::FixedPrice,
        name: "Day and night".to_owned(),
        ticket_type: line.ticket_type.clone(),
        ticket_type_name: line.ticket_type_name.clone(),
        amounts: line.amounts,
        tax: None,
        parts: vec![line, hidden.clone()],
    };
    order.lines = vec![OrderLine::Combo(Box::new(combo))];
    let mut tickets = tickets();
    tickets[1].line = hidden.id;
    let mail = &mails_of(&order)[0];
    assert_eq!(mail.kind, MailKind::ReceiptWithTickets);
    let view = said(&order, &tickets, mail).unwrap();
    let text = text_of(&in_english(&view));
    let (_, text) = text.split_once("RECEIPT").unwrap();
    insta::assert_snapshot!(text.trim(), @r"
    Day and night, Adult
      2 × Harbor Gallery Entry, Mon, Mar 16, 2026, 9:00 AM; 2 × Lamp Room
      2 x $16.20 = $32.40

    Total: $49.40
    Paid: $49.40, American Express ending in 0005

    TICKETS
    Show each QR code at the entrance, or read out the code below it.

    1. Harbor Gallery Entry
      Mon, Mar 16, 2026, 9:00 AM
      Adult · Ines Okafor
      Code: 01010101010101010101010101010101

    2. Lamp Room
      Adult · Ines Okafor
      Code: 02020202020202020202020202020202
    ");
}

/// An order of a family membership for two, with this confirmation.
fn membership_order(confirmation: serde_json::Value) -> domain::order::Order {
    let mut order = order(1);
    let card = |id: i64, first: &str, standing: &str| {
        serde_json::json!({
            "id": id, "standing": standing, "barcode": format!("{id:032}"),
            "person": {"first_name": first, "last_name": "Byron"},
        })
    };
    let plan = serde_json::json!({"level": "family", "offering": "0f", "price_point": "adult"});
    let (starts, ends) = ("2026-03-14T07:00:00Z", "2027-03-14T06:59:59Z");
    let after = serde_json::json!({
        "id": 7, "number": 391_150_274_123_i64, "level": "family", "offering": "0f", "price_point": "adult",
        "joined": starts, "started": starts, "expires": ends,
        "cards": [card(1, "Ada", "active"), card(2, "Ben", "active"), card(3, "Cy", "dropped")],
    });
    let line: domain::order::OrderMembershipLine = serde_json::from_value(serde_json::json!({
        "id": "40177392", "action": {"action": "purchase"}, "plan": plan, "level_name": "Family",
        "offering_name": "One year", "starts": starts, "ends": ends, "change": {"after": after, "made": [1, 2]},
        "confirmation": confirmation, "amounts": ticket_line().amounts,
    }))
    .unwrap();
    order.lines = vec![OrderLine::Membership(Box::new(line))];
    order
}

#[test]
fn a_membership_is_mailed_with_its_term_its_number_and_a_code_for_each_card() {
    let with_cards = serde_json::json!({"digital_cards": true, "messages": ["Welcome aboard."]});
    let order = membership_order(with_cards);
    assert_eq!(mails_of(&order)[0].kind, MailKind::ReceiptWithTickets);
    let text = rendered(&order);
    let (_, text) = text.split_once("Okafor").unwrap();
    insta::assert_snapshot!(text.trim(), @r"
    Welcome aboard.

    RECEIPT

    Family, One year
      Mar 14, 2026 to Mar 13, 2027, member number 391150274123
      2 x $16.20 = $32.40

    Total: $49.40
    Paid: $49.40, American Express ending in 0005

    MEMBER CARDS
    Show each QR code at the entrance, or read out the code below it.

    1. Family
      Mar 14, 2026 to Mar 13, 2027, member number 391150274123
      Member card · Ada Byron
      Code: 00000000000000000000000000000001

    2. Family
      Mar 14, 2026 to Mar 13, 2027, member number 391150274123
      Member card · Ben Byron
      Code: 00000000000000000000000000000002
    ");
}

#[test]
fn an_offering_decides_whether_cards_or_a_mail_at_all_go_out() {
    let receipt = membership_order(serde_json::json!({}));
    let kinds: Vec<MailKind> = mails_of(&receipt).iter().map(|mail| mail.kind).collect();
    assert_eq!(kinds, [MailKind::Receipt]);
    assert!(!rendered(&receipt).contains("Member card"));
    let mut silent = membership_order(serde_json::json!({"silent": true}));
    assert_eq!(mails_of(&silent), []);
    silent.lines.push(OrderLine::Ticket(ticket_line()));
    assert_eq!(mails_of(&silent).len(), 1, "its tickets are mailed all the same");
}

#[test]
fn an_event_that_hides_its_date_shows_it_nowhere() {
    let mut order = order(1);
    let hidden = domain::order::OrderTicketLine { hide_event_date: true, ..ticket_line() };
    order.lines = vec![OrderLine::Ticket(hidden)];
    let text = rendered(&order);
    assert!(text.contains("Harbor Gallery Entry, Adult"));
    assert!(!text.contains("Mar 16"), "{text}");
}

#[test]
fn words_that_several_lines_share_are_said_once() {
    let mut order = order(1);
    let other = domain::TemplateId::parse("another").unwrap();
    order.messages.insert(other.clone(), "Bring a coat.\n".to_owned());
    let other = domain::order::OrderTicketLine { template: other, ..ticket_line() };
    order.lines = [ticket_line(), ticket_line(), other].map(OrderLine::Ticket).into();
    let mail = &mails_of(&order)[0];
    let view = said(&order, &tickets(), mail).unwrap();
    assert_eq!(view.message.as_deref(), Some("Doors open at 9.\n\nBring a coat."));
}
