//! What mails about refunds and exchanges say, and those to staff.

use super::{Manner, Unsaid, in_words, taxes_in_words, ticket_in_words, tickets_in_words};
use crate::locale::Locale;
use crate::render::{Codes, ConfirmationMail, MailAddress, MailLine};
use domain::order::{Exchange, Order, OrderAmounts, OrderRow, RefundedItem, Ticket, TicketStatus};
use domain::outbox;
use domain::{Currency, Money};

/// The mail about the refund with a number.
pub(super) fn refund(
    said: ConfirmationMail,
    order: &Order,
    number: u64,
    manner: Manner<'_>,
) -> Option<ConfirmationMail> {
    let refund = order.after_sale.refunds.iter().find(|refund| refund.number == number)?;
    let lines = refund.items.iter().filter_map(|item| line_of(order, item, manner)).collect();
    let words = refund.mail.iter().flatten().cloned().collect::<Vec<_>>().join("\n\n");
    Some(ConfirmationMail {
        dated: refund.at,
        lines,
        total: refund.worth().ok()?,
        paid: refund.amount,
        taxes: taxes_in_words(&refund.taxes, manner.locale),
        card: said.card.filter(|_| !refund.amount.is_zero()),
        tickets: Vec::new(),
        message: (!words.is_empty()).then_some(words),
        ..said
    })
}

fn line_of(order: &Order, item: &RefundedItem, manner: Manner<'_>) -> Option<MailLine> {
    let row = order.rows().find(|row| *row.id() == item.item)?;
    let (name, detail) = match row {
        OrderRow::Sold(line) => in_words(line, manner),
        OrderRow::Moved(moved) => ticket_in_words(&moved.line, manner),
    };
    let RefundedItem { quantity, amount, .. } = item;
    Some(MailLine { name, detail, quantity: *quantity, unit_price: row.amounts().unit, amount: *amount })
}

/// The mail about money that came too late and was returned.
pub(super) fn late_money(said: ConfirmationMail, order: &Order, locale: &Locale) -> Option<ConfirmationMail> {
    let at = order.late_money.as_ref()?.returned_at()?;
    let words = locale.say("late-money").text();
    Some(ConfirmationMail { dated: at, tickets: Vec::new(), message: Some(words), ..said })
}

/// The mail with the tickets of the exchange with a number.
pub(super) fn exchange(
    said: ConfirmationMail,
    order: &Order,
    tickets: &[Ticket],
    number: u64,
    manner: Manner<'_>,
) -> Result<ConfirmationMail, Unsaid> {
    let exchange = order.after_sale.exchanges.iter().find(|exchange| exchange.number == number);
    let exchange = exchange.ok_or(Unsaid::Nothing)?;
    let new: Vec<&Ticket> = tickets.iter().filter(|ticket| exchange.gave(ticket)).collect();
    if !new.iter().any(|ticket| ticket.status.admits()) {
        let is_undecided = new.iter().any(|ticket| ticket.status == TicketStatus::RefundPending);
        return Err(if is_undecided { Unsaid::Undecided } else { Unsaid::Superseded });
    }
    let admitting = new.into_iter().filter(|ticket| ticket.status.admits());
    Ok(ConfirmationMail {
        dated: exchange.at,
        tickets: tickets_in_words(order, admitting, manner).collect(),
        codes: Codes::Tickets,
        message: Some(words_about(exchange, order.currency, manner.locale)),
        ..said
    })
}

fn words_about(exchange: &Exchange, currency: Currency, locale: &Locale) -> String {
    let mut words = locale.say("exchanged").text();
    if exchange.due() > Money::ZERO {
        let due = locale.money(currency, exchange.due());
        words.push('\n');
        words.push_str(&locale.say("fee-due").with("fee", due).text());
    }
    words
}

/// The mail to one of the staff about the tickets of their events.
pub(super) fn notice(
    said: ConfirmationMail,
    order: &Order,
    place: u64,
    manner: Manner<'_>,
) -> Option<ConfirmationMail> {
    let told = outbox::notice(order, place)?;
    let own = order.ticket_lines().filter(|line| told.templates.contains(&line.template));
    let lines: Vec<MailLine> = own
        .map(|line| {
            let (name, detail) = ticket_in_words(line, manner);
            let OrderAmounts { quantity, unit, amount, .. } = line.amounts;
            MailLine { name, detail, quantity, unit_price: unit, amount }
        })
        .collect();
    let total = Money::sum(lines.iter().map(|line| line.amount)).ok()?;
    Some(ConfirmationMail {
        to: MailAddress { name: told.name.clone(), ..said.to },
        buyer_name: String::new(),
        lines,
        total,
        paid: total,
        taxes: Vec::new(),
        card: None,
        tickets: Vec::new(),
        codes: Codes::Tickets,
        message: None,
        ..said
    })
}
