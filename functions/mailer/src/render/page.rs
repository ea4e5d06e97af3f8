//! What the mail's text and HTML parts show, and the templates that show it.

use super::mime::Image;
use super::text::{lines, one_line};
use super::{ConfirmationMail, MailKind, MailLine, MailTicket, QR_TICKETS};
use askama::Template;
use domain::Money;

/// The content of one mail, cleaned and formatted; the templates only lay it out.
pub(super) struct Page {
    pub(super) subject: String,
    heading: String,
    /// What the codes are, in words.
    codes: &'static str,
    venue: String,
    order_number: String,
    created: String,
    buyer: String,
    message: Vec<String>,
    receipt: Option<Receipt>,
    /// Whether the receipt stands alone and the tickets go to another address.
    tickets_follow: bool,
    /// The tickets shown with a QR code.
    pub(super) scannable: Vec<Ticket>,
    /// The tickets whose code is listed as text.
    listed: Vec<Ticket>,
}

struct Receipt {
    lines: Vec<Line>,
    total: String,
    /// What was done with the money, in one word.
    paid_word: &'static str,
    paid: String,
    card: String,
}

struct Line {
    name: String,
    detail: String,
    quantity: u32,
    unit_price: String,
    amount: String,
}

/// One ticket as the page shows it.
pub(super) struct Ticket {
    /// Its place in the order, counted from 1.
    pub(super) number: usize,
    event: String,
    when: String,
    admits: String,
    pub(super) barcode: String,
    /// The Content-ID of its QR code, without angle brackets.
    pub(super) content_id: String,
}

#[derive(Template)]
#[template(path = "confirmation.html")]
struct Html<'a> {
    page: &'a Page,
}

#[derive(Template)]
#[template(path = "confirmation.txt")]
struct Text<'a> {
    page: &'a Page,
}

impl Page {
    /// `content_id_stem` makes the Content-IDs unique to this mail.
    pub(super) fn new(mail: &ConfirmationMail, content_id_stem: &str) -> Self {
        let (with_receipt, with_tickets) = match mail.kind {
            MailKind::Receipt | MailKind::Refund | MailKind::Notice => (true, false),
            MailKind::Tickets => (false, true),
            MailKind::ReceiptWithTickets => (true, !mail.tickets.is_empty()),
        };
        let heading = match (with_receipt, with_tickets) {
            (true, true) => format!("Your {} and receipt", mail.codes.as_str()),
            (true, false) if mail.kind == MailKind::Notice => "Tickets sold".to_owned(),
            (true, false) if mail.kind != MailKind::Refund => "Your receipt".to_owned(),
            (true, false) if mail.paid.is_zero() => "Your cancellation".to_owned(),
            (true, false) => "Your refund".to_owned(),
            (false, _) => format!("Your {}", mail.codes.as_str()),
        };
        let shown: &[MailTicket] = if with_tickets { &mail.tickets } else { &[] };
        let mut scannable: Vec<Ticket> = shown
            .iter()
            .zip(1..)
            .map(|(ticket, number)| Ticket::new(ticket, number, content_id_stem))
            .collect();
        let listed = scannable.split_off(scannable.len().min(QR_TICKETS));
        let venue = one_line(&mail.venue_name);
        let order_number = one_line(&mail.order_number);
        Self {
            subject: match mail.kind {
                MailKind::Notice => format!("{heading} by {venue}, order {order_number}"),
                MailKind::Receipt | MailKind::Tickets | MailKind::ReceiptWithTickets | MailKind::Refund => {
                    format!("{heading} from {venue}, order {order_number}")
                }
            },
            heading,
            codes: mail.codes.as_str(),
            created: one_line(&mail.created),
            buyer: one_line(&mail.buyer_name),
            message: mail.message.as_deref().map(lines).unwrap_or_default(),
            receipt: with_receipt.then(|| Receipt::new(mail)),
            tickets_follow: !with_tickets && !mail.tickets.is_empty(),
            scannable,
            listed,
            venue,
            order_number,
        }
    }

    pub(super) fn html(&self) -> Result<String, askama::Error> {
        Html { page: self }.render()
    }

    pub(super) fn text(&self) -> Result<String, askama::Error> {
        Text { page: self }.render()
    }
}

impl Receipt {
    fn new(mail: &ConfirmationMail) -> Self {
        let symbol = one_line(&mail.currency_symbol);
        Self {
            lines: mail.lines.iter().map(|line| Line::new(line, &symbol)).collect(),
            total: amount(mail.total, &symbol),
            paid_word: match mail.kind {
                MailKind::Receipt | MailKind::Tickets | MailKind::ReceiptWithTickets | MailKind::Notice => {
                    "Paid"
                }
                MailKind::Refund => "Refunded",
            },
            paid: amount(mail.paid, &symbol),
            card: mail.card.as_deref().map(one_line).unwrap_or_default(),
        }
    }
}

impl Line {
    fn new(line: &MailLine, symbol: &str) -> Self {
        Self {
            name: one_line(&line.name),
            detail: line.detail.as_deref().map(one_line).unwrap_or_default(),
            quantity: line.quantity,
            unit_price: amount(line.unit_price, symbol),
            amount: amount(line.amount, symbol),
        }
    }
}

impl Ticket {
    /// The picture of its code.
    pub(super) fn image(&self, png: Vec<u8>) -> Image {
        Image { content_id: self.content_id.clone(), name: format!("ticket-{}.png", self.number), png }
    }

    fn new(ticket: &MailTicket, number: usize, content_id_stem: &str) -> Self {
        let admits = [one_line(&ticket.ticket_type), one_line(&ticket.holder)];
        Self {
            number,
            event: one_line(&ticket.event_name),
            when: one_line(&ticket.when),
            admits: admits.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · "),
            barcode: ticket.barcode.clone(),
            content_id: format!("ticket-{number}.{content_id_stem}"),
        }
    }
}

/// The sign stands before the symbol, as in `-$5.00`.
fn amount(money: Money, symbol: &str) -> String {
    let digits = money.to_string();
    match digits.strip_prefix('-') {
        Some(digits) => format!("-{symbol}{digits}"),
        None => format!("{symbol}{digits}"),
    }
}
