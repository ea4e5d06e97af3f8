//! What mails about refunds and exchanges say, and those to staff.

use super::{CURRENCY_SYMBOL, Unsaid, in_words, ticket_in_words, tickets_in_words};
use crate::render::{Codes, ConfirmationMail, MailAddress, MailLine};
use domain::order::{Exchange, Order, OrderAmounts, RefundedItem, Row, Ticket, TicketStatus};
use domain::outbox;
use domain::{Money, Zone};

/// The mail about the refund with a number.
pub(super) fn refund(
    said: ConfirmationMail,
    order: &Order,
    number: u64,
    zone: Zone,
) -> Option<ConfirmationMail> {
    let refund = order.after_sale.refunds.iter().find(|refund| refund.number == number)?;
    let lines = refund.items.iter().filter_map(|item| line_of(order, item, zone)).collect();
    let words = refund.mail.iter().flatten().cloned().collect::<Vec<_>>().join("\n\n");
    Some(ConfirmationMail {
        dated: refund.at,
        lines,
        total: refund.worth().ok()?,
        paid: refund.amount,
        card: said.card.filter(|_| !refund.amount.is_zero()),
        tickets: Vec::new(),
        message: (!words.is_empty()).then_some(words),
        ..said
    })
}

fn line_of(order: &Order, item: &RefundedItem, zone: Zone) -> Option<MailLine> {
    let row = order.rows().find(|row| *row.id() == item.item)?;
    let (name, detail) = match row {
        Row::Sold(line) => in_words(line, zone),
        Row::Moved(moved) => ticket_in_words(&moved.line, zone),
    };
    let RefundedItem { quantity, amount, .. } = item;
    Some(MailLine { name, detail, quantity: *quantity, unit_price: row.amounts().unit, amount: *amount })
}

/// The mail with the tickets of the exchange with a number.
pub(super) fn exchange(
    said: ConfirmationMail,
    order: &Order,
    tickets: &[Ticket],
    number: u64,
    zone: Zone,
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
        tickets: tickets_in_words(order, admitting, zone).collect(),
        codes: Codes::Tickets,
        message: Some(words_about(exchange)),
        ..said
    })
}

fn words_about(exchange: &Exchange) -> String {
    let mut words =
        "These tickets take the place of earlier ones, whose codes are no longer valid.".to_owned();
    if exchange.due() > Money::ZERO {
        let due = exchange.due();
        words.push_str(&format!("\nA fee of {CURRENCY_SYMBOL}{due} is still to be paid at the counter."));
    }
    words
}

/// The mail to one of the staff about the tickets of their events.
pub(super) fn notice(
    said: ConfirmationMail,
    order: &Order,
    place: u64,
    zone: Zone,
) -> Option<ConfirmationMail> {
    let told = outbox::notice(order, place)?;
    let own = order.ticket_lines().filter(|line| told.templates.contains(&line.template));
    let lines: Vec<MailLine> = own
        .map(|line| {
            let (name, detail) = ticket_in_words(line, zone);
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
        card: None,
        tickets: Vec::new(),
        codes: Codes::Tickets,
        message: None,
        ..said
    })
}
