//! What mails about refunds and exchanges say.

use super::support::{
    Outside, in_english, keep, message_id, order, said, service, state, ticket_line, tickets, try_deliver,
};
use super::text_of;
use crate::Delivered;
use crate::view::Unsaid;
use domain::order::edit::AgainKind;
use domain::order::{Order, Ticket, TicketStatus};
use domain::outbox::{MailKind, MailState, exchange_mail, refund_mail};
use domain::{InstanceId, OrderItemId, TicketBarcode, TicketId};
use serde_json::{Value, json};

/// An order of which one ticket and the donation were refunded, for so many cents.
fn refunded(cents: i64, mail: Value) -> Order {
    let mut order = order(7);
    let items = json!([
        {"item": "40177392", "quantity": 1, "amount": 1_620, "retail_amount": 1_800, "tickets": ["2"]},
        {"item": "40177394", "quantity": 1, "amount": 1_000, "retail_amount": 1_000},
    ]);
    let refund = json!({
        "id": "refund_1", "number": 3, "at": order.created_at.timestamp_millis(), "state": {"state": "done", "at": 0},
        "amount": cents, "items": items, "by": "Office", "mail": mail,
    });
    order.after_sale.refunds = serde_json::from_value(json!([refund])).unwrap();
    order
}

/// The tickets of an order as they are now.
fn current(order: &Order) -> Vec<Ticket> {
    let statuses = order.after_sale.ticket_statuses();
    let mut tickets = tickets();
    for ticket in &mut tickets {
        ticket.status = statuses.get(&ticket.id).copied().unwrap_or_default();
    }
    tickets
}

#[test]
fn the_mail_about_a_refund_says_what_was_given_back_and_why_the_venue_says_so() {
    let order = refunded(2_620, json!(["We are sorry to miss you."]));
    let mail = refund_mail(&order, &order.after_sale.refunds[0]).unwrap();
    assert_eq!(
        (mail.kind, mail.message_id.clone()),
        (MailKind::Refund(3), message_id(7, MailKind::Refund(3)))
    );
    let told = said(&order, &current(&order), &mail).unwrap();
    let rendered = in_english(&told);
    assert_eq!(rendered.subject, "Your refund from Harbor Museum, order 100000007");
    insta::assert_snapshot!(text_of(&rendered), @r"
    Harbor Museum
    Your refund

    Order 100000007, Sat, Mar 14, 2026, 10:22 AM
    Ordered by Ines Okafor

    We are sorry to miss you.

    RECEIPT

    Harbor Gallery Entry, Adult
      Mon, Mar 16, 2026, 9:00 AM
      1 x $16.20 = $16.20

    Lighthouse Fund
      1 x $10.00 = $10.00

    Total: $26.20
    Refunded: $26.20, American Express ending in 0005
    ");
    let quiet = refunded(0, Value::Null);
    assert_eq!(refund_mail(&quiet, &quiet.after_sale.refunds[0]), None);
}

#[test]
fn a_cancellation_without_money_names_no_card() {
    let order = refunded(0, json!([]));
    let mail = refund_mail(&order, &order.after_sale.refunds[0]).unwrap();
    let told = said(&order, &current(&order), &mail).unwrap();
    let text = text_of(&in_english(&told));
    assert!(text.contains("Your cancellation") && text.trim_end().ends_with("Refunded: $0.00"), "{text}");
}

#[test]
fn tickets_that_were_given_back_are_in_no_mail() {
    let order = refunded(2_620, json!([]));
    let mail = &domain::outbox::mails_of(&order)[0];
    let told = said(&order, &current(&order), mail).unwrap();
    let barcodes: Vec<&str> = told.tickets.iter().map(|ticket| ticket.barcode.as_str()).collect();
    assert_eq!(barcodes, ["01".repeat(16)]);
}

#[test]
fn the_mail_to_staff_is_about_their_events_and_says_nothing_of_buyer_or_card() {
    let mut order = order(7);
    let own = ticket_line().template;
    order.notices = serde_json::from_value(json!([
        {"name": "Ann", "email": "ann@harbor.example", "templates": [own]},
        {"name": "Bob", "email": "bob@harbor.example", "templates": ["another"]},
    ]))
    .unwrap();
    let mails = domain::outbox::mails_of(&order);
    let mail = mails.iter().find(|mail| mail.kind == MailKind::Notice(0)).unwrap();
    let told = said(&order, &tickets(), mail).unwrap();
    let rendered = in_english(&told);
    assert_eq!(rendered.to, "ann@harbor.example");
    assert_eq!(rendered.subject, "Tickets sold by Harbor Museum, order 100000007");
    insta::assert_snapshot!(text_of(&rendered), @r"
    Harbor Museum
    Tickets sold

    Order 100000007, Sat, Mar 14, 2026, 10:22 AM

    RECEIPT

    Harbor Gallery Entry, Adult
      Mon, Mar 16, 2026, 9:00 AM
      2 x $16.20 = $32.40

    Total: $32.40
    Paid: $32.40
    ");
    let raw = String::from_utf8_lossy(&rendered.mime);
    for private in ["Okafor", "ines", "0005", "American Express", "Lighthouse", &"01".repeat(16)] {
        assert!(!raw.contains(private), "{private}: {raw}");
    }
}

/// The mail about a payment that came after everything had been given back.
#[tokio::test]
async fn money_that_came_too_late_is_said_to_be_returned() {
    let mut order = order(7);
    let at = order.created_at.timestamp_millis();
    order.state = serde_json::from_value(json!({"state": "void", "at": at})).unwrap();
    order.late_money = serde_json::from_value(
        json!({"found_at": at, "refund": "refund_1", "state": {"state": "returned", "at": at}}),
    )
    .unwrap();
    let mail = domain::outbox::late_mail(&order).unwrap();
    assert_eq!(MailKind::parse(&mail.kind.to_string()), Some(MailKind::LateMoney));
    let told = said(&order, &[], &mail).unwrap();
    let rendered = in_english(&told);
    let text = text_of(&rendered);
    assert!(text.contains("It was returned in full.") && text.contains("$49.40"), "{text}");
    let (app, _) = service().await;
    let outside = Outside::default();
    let [job] = keep(&app, &order, &[], &[mail]).await.try_into().unwrap();
    assert_eq!(try_deliver(&app, &outside, &job).await.unwrap(), Delivered::Sent);
    assert_eq!(outside.sent().len(), 1);
}

/// An order of which a ticket was exchanged, and its tickets.
fn exchanged() -> (Order, Vec<Ticket>) {
    let mut order = order(7);
    let mut line = ticket_line();
    line.id = OrderItemId::parse("9").unwrap();
    line.instance = InstanceId::parse("7a10c4e2b95d3f0816e4a2c2").unwrap();
    line.amounts = line.amounts.of_units(1);
    let exchange = json!({
        "number": 4, "at": order.created_at.timestamp_millis(), "by": "Office", "fee": 250, "mailed": true,
        "moved": [{"from": "40177392", "tickets": ["2"], "line": line}],
    });
    order.after_sale.exchanges = serde_json::from_value(json!([exchange])).unwrap();
    let mut all = current(&order);
    assert_eq!(all[1].status, TicketStatus::Exchanged);
    let (id, barcode) = (TicketId::from_bits(9), TicketBarcode::from_bytes([9; 16]));
    all.push(Ticket { id, barcode, line: line.id, status: TicketStatus::Normal, printed: false });
    (order, all)
}

#[test]
fn the_mail_about_an_exchange_has_the_new_tickets_alone_and_the_fee() {
    let (order, all) = exchanged();
    let mail = exchange_mail(&order, &order.after_sale.exchanges[0]).unwrap();
    let told = said(&order, &all, &mail).unwrap();
    let text = text_of(&in_english(&told));
    assert!(text.contains("A fee of $2.50 is still to be paid at the counter."), "{text}");
    assert!(text.contains(&"09".repeat(16)) && !text.contains(&"01".repeat(16)), "{text}");
}

#[test]
fn whoever_wants_no_mail_about_an_exchange_gets_none() {
    let (mut order, _) = exchanged();
    order.after_sale.exchanges[0].mailed = false;
    assert_eq!(exchange_mail(&order, &order.after_sale.exchanges[0]), None);
}

/// The mail of an exchange that was enqueued, and then overtaken by a refund.
#[tokio::test]
async fn an_exchange_whose_tickets_were_given_back_is_not_told_of() {
    for (status, delivered) in [
        (json!({"state": "pending"}), Delivered::Undecided),
        (json!({"state": "done", "at": 0}), Delivered::Superseded),
    ] {
        let (app, _) = service().await;
        let outside = Outside::default();
        let (mut order, tickets) = exchanged();
        let item =
            json!({"item": "9", "quantity": 1, "amount": 1_620, "retail_amount": 1_800, "tickets": ["9"]});
        let refund = json!({
            "id": "refund_1", "number": 5, "at": order.created_at.timestamp_millis(), "state": status,
            "amount": 1_620, "items": [item], "by": "Office",
        });
        order.after_sale.refunds = serde_json::from_value(json!([refund])).unwrap();
        let mail = exchange_mail(&order, &order.after_sale.exchanges[0]).unwrap();
        let [job] = keep(&app, &order, &tickets, &[mail]).await.try_into().unwrap();
        assert_eq!(try_deliver(&app, &outside, &job).await.unwrap(), delivered);
        let is_left_out = matches!(state(&app, &job).await, MailState::Superseded { .. });
        assert_eq!((is_left_out, outside.sent().len()), (delivered == Delivered::Superseded, 0));
        // What is undecided can be tried again at once.
        let again = try_deliver(&app, &outside, &job).await.unwrap();
        assert_eq!(again, if is_left_out { Delivered::Settled } else { Delivered::Undecided });
    }
}

#[test]
fn what_is_sent_again_goes_where_it_is_wanted_and_carries_what_admits_by_now() {
    let order = refunded(2_620, json!(null));
    let (tickets, asked_at) = (current(&order), domain::time::plus_secs(order.created_at, 86_400));
    let mail = |what| {
        let to = Some("pat@example.org".to_owned());
        domain::outbox::again(&order, &tickets, 9, what, to, asked_at).unwrap()
    };
    let later = |instance: &InstanceId| Some(domain::time::plus_secs(instance.start(), 3_600));
    let moved = order.clone().at_times(later);
    for (what, has_receipt, has_tickets) in [
        (AgainKind::Confirmation, true, true),
        (AgainKind::Tickets, false, true),
        (AgainKind::Receipt, true, false),
    ] {
        let mail = mail(what);
        assert_eq!(mail.message_id, message_id(7, MailKind::Again(9)));
        let told = said(&moved, &tickets, &mail).unwrap();
        assert_eq!((told.to.address.as_str(), told.dated), ("pat@example.org", asked_at));
        let text = text_of(&in_english(&told));
        assert_eq!(text.contains("RECEIPT"), has_receipt, "{what:?}: {text}");
        let barcodes = tickets.iter().map(|ticket| text.contains(ticket.barcode.as_str()));
        assert_eq!(barcodes.collect::<Vec<_>>(), [has_tickets, false], "{what:?}: {text}");
    }
    let gone: Vec<Ticket> =
        tickets.iter().map(|ticket| Ticket { status: TicketStatus::Refunded, ..ticket.clone() }).collect();
    let left = said(&order, &gone, &mail(AgainKind::Tickets));
    assert_eq!(left.err(), Some(Unsaid::Superseded));
}
