//! Mails in the languages of their readers.

use super::support::{in_language, order, said, said_by, tenant, tickets};
use super::text_of;
use crate::locale::Locale;
use crate::render::{LoginLinkMail, MailAddress, RenderKind, render_login};
use domain::branding::Branding;
use domain::login::LoginParty;
use domain::order::{Order, OrderLine, Ticket};
use domain::outbox::{MailKind, OutboxMail, mails_of};
use domain::tax::{Tax, TaxShare};
use domain::tenant::Tenant;
use domain::{Currency, Language, Money, Percent, TicketBarcode, TicketId};
use mail_parser::MessageParser;
use serde_json::json;

/// An order in a language, in euros and with a tax.
fn order_in(locale: Language) -> Order {
    let mut order = Order { locale, currency: Currency::parse("EUR").unwrap(), ..order(7) };
    for line in &mut order.lines {
        if let OrderLine::Ticket(line) = line {
            let tax = Tax { rate: Percent::parse("5.5").unwrap(), name: None };
            line.tax = Some(TaxShare { tax, amount: Money::from_cents(169) });
        }
    }
    order
}

#[test]
fn a_confirmation_is_written_in_the_language_of_the_order() {
    for language in Language::ALL {
        let order = order_in(language);
        let told = said(&order, &tickets(), &mails_of(&order)[0]).unwrap();
        let sent = in_language(language, &told);
        let mail = MessageParser::default().parse(&sent.mime).unwrap();
        assert_eq!(mail.subject(), Some(sent.subject.as_str()));
        let html = mail.body_html(0).unwrap();
        assert!(html.contains(&format!("<html lang=\"{}\">", language.code())), "{html}");
        let said = format!("{}\n\n{}", sent.subject, text_of(&sent));
        insta::assert_snapshot!(format!("confirmation_{}", language.code()), said);
    }
}

/// A word that only one language has, of every kind of mail.
#[test]
fn every_kind_of_mail_is_in_the_language_of_the_order() {
    let mut order = order_in(Language::German);
    order.lines.truncate(1);
    order.ticket_delivery_email = Some("family@example.net".to_owned());
    let all: Vec<Ticket> = (1..=101_u8)
        .map(|number| Ticket {
            id: TicketId::from_bits(number.into()),
            barcode: TicketBarcode::from_bytes([number; 16]),
            ..tickets().remove(0)
        })
        .collect();
    let item =
        json!({"item": "40177392", "quantity": 1, "amount": 1_620, "retail_amount": 1_800, "tickets": ["2"]});
    let at = order.created_at.timestamp_millis();
    order.after_sale.refunds = serde_json::from_value(json!([{
        "id": "refund_1", "number": 3, "at": at, "state": {"state": "done", "at": 0}, "amount": 1_620, "items": [item],
        "by": "Office", "mail": [],
    }]))
    .unwrap();
    order.late_money = serde_json::from_value(
        json!({"found_at": at, "refund": "refund_1", "state": {"state": "returned", "at": at}}),
    )
    .unwrap();
    let of_kind = |kind| OutboxMail { kind, ..mails_of(&order).remove(0) };
    for (kind, expected) in [
        (MailKind::Receipt, "in einer eigenen E-Mail"),
        (MailKind::Tickets, "Das übrige ist genauso gültig"),
        (MailKind::ReceiptWithTickets, "Enthält Steuer 5,5 %: 1,69\u{a0}€"),
        (MailKind::Refund(3), "Erstattet: 16,20\u{a0}€"),
        (MailKind::LateMoney, "nach Ablauf der Frist"),
    ] {
        let told = said(&order, &all, &of_kind(kind)).unwrap();
        let text = text_of(&in_language(Language::German, &told));
        assert!(text.contains(expected), "{kind}: {text}");
    }
}

#[test]
fn staff_are_told_in_the_language_of_the_venue() {
    let spanish = Branding { languages: vec!["es-MX".to_owned(), "en".to_owned()], ..Branding::default() };
    let tenant = Tenant { branding: spanish, ..tenant() };
    let mut order = order_in(Language::French);
    order.notices = serde_json::from_value(json!([
        {"name": "Ann", "email": "ann@harbor.example", "templates": [super::support::ticket_line().template]},
    ]))
    .unwrap();
    for mail in mails_of(&order) {
        let language = crate::view::language(&tenant, &order, &mail);
        let told = said_by(&tenant, &order, &tickets(), &mail).unwrap();
        let sent = in_language(language, &told);
        let expected = match told.kind {
            RenderKind::Notice => "Entradas vendidas por Harbor Museum, pedido 100000007",
            RenderKind::Receipt
            | RenderKind::Tickets
            | RenderKind::ReceiptWithTickets
            | RenderKind::Refund => "Vos billets et votre reçu – Harbor Museum, commande 100000007",
        };
        assert_eq!(sent.subject, expected);
    }
}

#[test]
fn an_order_of_before_is_written_to_in_english() {
    let mut stored = serde_json::to_value(order_in(Language::Dutch)).unwrap();
    assert_eq!(stored["locale"], "nl");
    stored.as_object_mut().unwrap().remove("locale");
    let read: Order = serde_json::from_value(stored).unwrap();
    assert_eq!(read.locale, Language::English);
    assert!(serde_json::to_value(read).unwrap().get("locale").is_none());
}

#[test]
fn links_are_mailed_in_every_language() {
    let address = |name: &str, address: &str| MailAddress { name: name.into(), address: address.into() };
    for language in Language::ALL {
        let locale = Locale::of(language).unwrap();
        let mut texts = Vec::new();
        for (party, minutes) in [(LoginParty::Member, 30), (LoginParty::Staff, 1), (LoginParty::Payer, 1_440)]
        {
            let mail = LoginLinkMail {
                message_id: "<login-1@boxoffice.example>".to_owned(),
                dated: order(7).created_at,
                from: address("Harbor Museum", "tickets@harbor.example"),
                to: address("", "ada@example.test"),
                venue_name: "Harbor Museum".to_owned(),
                link: "https://members.harbor.example/?loginToken=a".to_owned(),
                party,
                minutes,
            };
            let sent = render_login(&locale, &mail).unwrap();
            texts.push(format!("{}\n\n{}", sent.subject, text_of(&sent)));
        }
        insta::assert_snapshot!(format!("links_{}", language.code()), texts.join("\n\n---\n\n"));
    }
}
