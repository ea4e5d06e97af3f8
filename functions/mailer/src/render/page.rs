//! What the mail's text and HTML parts show, and the templates that show it.

use super::mime::InlineImage;
use super::text::{lines, one_line};
use super::{ConfirmationMail, MailLine, MailTax, MailTicket, QR_TICKETS, RenderKind};
use crate::locale::Locale;
use askama::Template;
use domain::{Currency, Money};

/// The content of one mail, cleaned and put into words; the templates only lay it out.
pub(super) struct MailPage {
    pub(super) subject: String,
    /// The code of its language.
    language: &'static str,
    heading: String,
    venue: String,
    /// Which order it is about, and when that was made.
    order: String,
    created: String,
    /// Who ordered; empty where that is not said.
    buyer: String,
    message: Vec<String>,
    receipt: Option<MailReceipt>,
    /// That the tickets go to another address, where the receipt stands alone; otherwise empty.
    codes_follow: String,
    /// What the codes are.
    codes: String,
    show_codes: String,
    /// The tickets shown with a QR code.
    pub(super) scannable: Vec<PageTicket>,
    more_tickets: String,
    more_tickets_about: String,
    /// The tickets whose code is listed as text.
    listed: Vec<PageTicket>,
    /// Why it was sent.
    because: String,
}

struct MailReceipt {
    title: String,
    /// Its running number, in words; empty where it has none.
    numbered: String,
    lines: Vec<Line>,
    total: NamedAmount,
    /// What was done with the money.
    paid: NamedAmount,
    card: String,
    taxes: Vec<NamedAmount>,
}

/// An amount, and what it is.
struct NamedAmount {
    name: String,
    amount: String,
    /// Both, as one line.
    line: String,
}

struct Line {
    name: String,
    detail: String,
    quantity: u32,
    unit_price: String,
    amount: String,
}

/// One ticket as the page shows it.
pub(super) struct PageTicket {
    /// Its place in the order, counted from 1.
    pub(super) number: usize,
    event: String,
    when: String,
    admits: String,
    pub(super) barcode: String,
    /// The code, in words.
    code: String,
    /// What stands in place of the picture where none is shown.
    alternative: String,
    /// The Content-ID of its QR code, without angle brackets.
    pub(super) content_id: String,
}

#[derive(Template)]
#[template(path = "confirmation.html")]
struct Html<'a> {
    page: &'a MailPage,
}

#[derive(Template)]
#[template(path = "confirmation.txt")]
struct Text<'a> {
    page: &'a MailPage,
}

impl MailPage {
    /// `content_id_stem` makes the Content-IDs unique to this mail.
    pub(super) fn new(locale: &Locale, mail: &ConfirmationMail, content_id_stem: &str) -> Self {
        let carried = Carried::of(mail);
        let heading = heading(locale, mail, carried);
        let shown: &[MailTicket] = if carried.tickets { &mail.tickets } else { &[] };
        let ticket = |(ticket, number)| PageTicket::new(locale, ticket, number, content_id_stem);
        let mut scannable: Vec<PageTicket> = shown.iter().zip(1..).map(ticket).collect();
        let listed = scannable.split_off(scannable.len().min(QR_TICKETS));
        let (venue, number) = (one_line(&mail.venue_name), one_line(&mail.order_number));
        let follow = !carried.tickets && !mail.tickets.is_empty();
        let buyer = one_line(&mail.buyer_name);
        let says = |name| locale.say(name).text();
        let says_of_codes = |name| locale.say(name).with("codes", mail.codes.as_str()).text();
        Self {
            subject: subject(locale, mail, Subject { heading: &heading, venue: &venue, number: &number }),
            language: locale.code(),
            heading,
            order: locale.say("order").with("order", number.clone()).text(),
            created: one_line(&mail.created),
            buyer: if buyer.is_empty() {
                buyer
            } else {
                locale.say("ordered-by").with("buyer", buyer).text()
            },
            message: mail.message.as_deref().map(lines).unwrap_or_default(),
            receipt: carried.receipt.then(|| MailReceipt::new(locale, mail)),
            codes_follow: if follow { says_of_codes("codes-follow") } else { String::new() },
            codes: says_of_codes("codes"),
            show_codes: says("show-codes"),
            more_tickets: says("more-tickets"),
            more_tickets_about: more_tickets_about(locale, scannable.len(), listed.len()),
            scannable,
            listed,
            because: locale.say("because-of-order").with("venue", venue.clone()).with("order", number).text(),
            venue,
        }
    }

    pub(super) fn html(&self) -> Result<String, askama::Error> {
        Html { page: self }.render()
    }

    pub(super) fn text(&self) -> Result<String, askama::Error> {
        Text { page: self }.render()
    }
}

/// Which of its two halves a mail has.
#[derive(Clone, Copy)]
struct Carried {
    receipt: bool,
    tickets: bool,
}

impl Carried {
    fn of(mail: &ConfirmationMail) -> Self {
        let (receipt, tickets) = match mail.kind {
            RenderKind::Receipt | RenderKind::Refund | RenderKind::Notice => (true, false),
            RenderKind::Tickets => (false, true),
            RenderKind::ReceiptWithTickets => (true, !mail.tickets.is_empty()),
        };
        Self { receipt, tickets }
    }
}

fn heading(locale: &Locale, mail: &ConfirmationMail, carried: Carried) -> String {
    let of_codes = |name| locale.say(name).with("codes", mail.codes.as_str()).text();
    match (carried.receipt, carried.tickets) {
        (true, true) => of_codes("heading-codes-and-receipt"),
        (true, false) if mail.kind == RenderKind::Notice => locale.say("heading-notice").text(),
        (true, false) if mail.kind != RenderKind::Refund => locale.say("heading-receipt").text(),
        (true, false) if mail.paid.is_zero() => locale.say("heading-cancellation").text(),
        (true, false) => locale.say("heading-refund").text(),
        (false, _) => of_codes("heading-codes"),
    }
}

/// What a subject is made of.
struct Subject<'a> {
    heading: &'a str,
    venue: &'a str,
    number: &'a str,
}

fn subject(locale: &Locale, mail: &ConfirmationMail, of: Subject<'_>) -> String {
    let subject = match mail.kind {
        RenderKind::Notice => locale.say("subject-notice"),
        RenderKind::Receipt | RenderKind::Tickets | RenderKind::ReceiptWithTickets | RenderKind::Refund => {
            locale.say("subject")
        }
    };
    subject.with("heading", of.heading).with("venue", of.venue).with("order", of.number).text()
}

fn more_tickets_about(locale: &Locale, shown: usize, rest: usize) -> String {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let said = locale.say("more-tickets-about").with("shown", locale.number(count(shown)));
    let said = said.with("rest", locale.number(count(rest)));
    said.with("rest-plural", locale.plural(count(rest))).text()
}

impl MailReceipt {
    fn new(locale: &Locale, mail: &ConfirmationMail) -> Self {
        let amount = |name: String, amount: Money| NamedAmount::new(locale, name, mail.currency, amount);
        let number = match mail.kind {
            RenderKind::Receipt | RenderKind::ReceiptWithTickets | RenderKind::Refund => {
                one_line(&mail.receipt_number)
            }
            RenderKind::Tickets | RenderKind::Notice => String::new(),
        };
        let paid = match mail.kind {
            RenderKind::Receipt
            | RenderKind::Tickets
            | RenderKind::ReceiptWithTickets
            | RenderKind::Notice => locale.say("paid"),
            RenderKind::Refund => locale.say("refunded"),
        };
        let tax = |tax: &MailTax| {
            let name = locale.say("includes-tax").with("tax", one_line(&tax.name));
            amount(name.text(), tax.amount)
        };
        Self {
            title: locale.say("receipt").text(),
            numbered: match number.is_empty() {
                true => number,
                false => locale.say("receipt-numbered").with("number", number).text(),
            },
            lines: mail.lines.iter().map(|line| Line::new(locale, line, mail.currency)).collect(),
            total: amount(locale.say("total").text(), mail.total),
            paid: amount(paid.text(), mail.paid),
            card: mail.card.as_deref().map(one_line).unwrap_or_default(),
            taxes: mail.taxes.iter().map(tax).collect(),
        }
    }
}

impl NamedAmount {
    fn new(locale: &Locale, name: String, currency: Currency, amount: Money) -> Self {
        let amount = locale.money(currency, amount);
        let line = locale.say("with-amount").with("what", name.clone()).with("amount", amount.clone());
        Self { line: line.text(), name, amount }
    }
}

impl Line {
    fn new(locale: &Locale, line: &MailLine, currency: Currency) -> Self {
        Self {
            name: one_line(&line.name),
            detail: line.detail.as_deref().map(one_line).unwrap_or_default(),
            quantity: line.quantity,
            unit_price: locale.money(currency, line.unit_price),
            amount: locale.money(currency, line.amount),
        }
    }
}

impl PageTicket {
    /// The picture of its code.
    pub(super) fn image(&self, png: Vec<u8>) -> InlineImage {
        InlineImage { content_id: self.content_id.clone(), name: format!("ticket-{}.png", self.number), png }
    }

    fn new(locale: &Locale, ticket: &MailTicket, number: usize, content_id_stem: &str) -> Self {
        let admits = [one_line(&ticket.ticket_type), one_line(&ticket.holder)];
        Self {
            number,
            event: one_line(&ticket.event_name),
            when: one_line(&ticket.when),
            admits: admits.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · "),
            barcode: ticket.barcode.clone(),
            code: locale.say("code").with("code", ticket.barcode.clone()).text(),
            alternative: locale.say("qr-code-of").with("code", ticket.barcode.clone()).text(),
            content_id: format!("ticket-{number}.{content_id_stem}"),
        }
    }
}
