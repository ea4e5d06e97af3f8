//! What a mail of an order says, taken from the order and nothing else: a repeat says the same.

mod after;

use crate::render::{Codes, ConfirmationMail, MailAddress, MailKind, MailLine, MailTicket};
use domain::card::CardBrand;
use domain::order::{
    Order, OrderComboLine, OrderLine, OrderMembershipLine, OrderTicketLine, Payment, Person, Ticket,
};
use domain::outbox::{self, OutboxMail};
use domain::tenant::Tenant;
use domain::{Money, OrderItemId, Timestamp, Zone};
use std::collections::BTreeMap;

/// Prices are in the currency of the United States.
const CURRENCY_SYMBOL: &str = "$";

/// A day and time as visitors read it, such as `Sat, Mar 14 2026, 10:30 AM`.
const LOCAL_FORM: &str = "%a, %b %-d %Y, %-I:%M %p";

/// A day as members read it, such as `Mar 14 2026`.
const DAY_FORM: &str = "%b %-d %Y";

/// Why a mail is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsaid {
    /// It has no address, or the order has nothing that it is about.
    Nothing,
    /// What it would say is no longer true, and nobody waits for it.
    Superseded,
    /// What it would say is being given back; whether it is true, the end of that decides.
    Undecided,
}

/// A mail of a paid order.
///
/// # Errors
/// [`Unsaid`] when there is nobody to tell, or nothing any more that it could say.
pub(crate) fn mail(
    tenant: &Tenant,
    from: &str,
    order: &Order,
    tickets: &[Ticket],
    mail: &OutboxMail,
) -> Result<ConfirmationMail, Unsaid> {
    let said = |kind| confirmation(tenant, from, order, tickets, mail, kind).ok_or(Unsaid::Nothing);
    match mail.kind {
        outbox::MailKind::Receipt => said(MailKind::Receipt),
        outbox::MailKind::Tickets => said(MailKind::Tickets),
        outbox::MailKind::ReceiptWithTickets => said(MailKind::ReceiptWithTickets),
        outbox::MailKind::Refund(number) => {
            after::refund(said(MailKind::Refund)?, order, number, tenant.zone).ok_or(Unsaid::Nothing)
        }
        outbox::MailKind::Notice(place) => {
            after::notice(said(MailKind::Notice)?, order, place, tenant.zone).ok_or(Unsaid::Nothing)
        }
        outbox::MailKind::Exchange(number) => {
            after::exchange(said(MailKind::Tickets)?, order, tickets, number, tenant.zone)
        }
    }
}

fn confirmation(
    tenant: &Tenant,
    from: &str,
    order: &Order,
    tickets: &[Ticket],
    mail: &OutboxMail,
    kind: MailKind,
) -> Option<ConfirmationMail> {
    let to = outbox::recipient(order, mail.kind)?;
    let buyer = buyer_name(order);
    // Whoever the tickets are sent to instead need not be the buyer.
    let to_name = if kind == MailKind::Tickets { String::new() } else { buyer.clone() };
    Some(ConfirmationMail {
        message_id: mail.message_id.clone(),
        dated: order.paid_at().unwrap_or(order.created_at),
        from: MailAddress { name: tenant.name.clone(), address: from.to_owned() },
        to: MailAddress { name: to_name, address: to.to_owned() },
        kind,
        venue_name: tenant.name.clone(),
        order_number: order.number.to_string(),
        created: local(tenant.zone, order.created_at),
        buyer_name: buyer,
        currency_symbol: CURRENCY_SYMBOL.to_owned(),
        lines: order.lines.iter().map(|line| receipt_line(line, tenant.zone)).collect(),
        total: order.total,
        paid: order.payment.as_ref().map_or(Money::ZERO, |payment| payment.amount),
        card: order.payment.as_ref().map(card_in_words),
        tickets: mail_tickets(order, tickets, tenant.zone),
        codes: codes_in(order),
        message: message(order),
    })
}

fn local(zone: Zone, instant: Timestamp) -> String {
    zone.local(instant).format(LOCAL_FORM).to_string()
}

fn buyer_name(order: &Order) -> String {
    let payer = order.billing.name();
    if !payer.is_empty() {
        return payer;
    }
    // The contact of a gift is whoever is given it.
    let giver = order.memberships().find_map(|line| line.giver.as_ref());
    giver.map_or_else(|| order.contact.name(), |giver| Person::from(&giver.person).name())
}

/// When a ticket admits; nothing where the template keeps the date off.
fn when(line: &OrderTicketLine, zone: Zone) -> Option<String> {
    (!line.hide_event_date).then(|| local(zone, line.event_start))
}

fn receipt_line(line: &OrderLine, zone: Zone) -> MailLine {
    let amounts = line.amounts();
    let (name, detail) = in_words(line, zone);
    MailLine { name, detail, quantity: amounts.quantity, unit_price: amounts.unit, amount: amounts.amount }
}

fn ticket_in_words(line: &OrderTicketLine, zone: Zone) -> (String, Option<String>) {
    (format!("{}, {}", line.event_name, line.ticket_type_name), when(line, zone))
}

/// What a line is, and more about it.
fn in_words(line: &OrderLine, zone: Zone) -> (String, Option<String>) {
    match line {
        OrderLine::Ticket(line) => ticket_in_words(line, zone),
        OrderLine::AddOn(line) => (line.name.clone(), None),
        OrderLine::Donation(line) => (line.name.clone(), None),
        OrderLine::Combo(line) => {
            (format!("{}, {}", line.name, line.ticket_type_name), Some(events_of(line, zone)))
        }
        OrderLine::Membership(line) => {
            (format!("{}, {}", line.level_name, line.offering_name), Some(term_of(line, zone)))
        }
    }
}

/// What a combo is made of, such as `2 × Gallery, Sat, Mar 14 2026, 10:30 AM; 2 × Lightship`.
fn events_of(line: &OrderComboLine, zone: Zone) -> String {
    let event = |part: &OrderTicketLine| {
        let when = when(part, zone).map(|when| format!(", {when}")).unwrap_or_default();
        format!("{} × {}{when}", part.amounts.quantity, part.event_name)
    };
    line.parts.iter().map(event).collect::<Vec<_>>().join("; ")
}

/// The days of a membership, such as `Mar 14 2026 to Mar 13 2027, member number 391150274`.
fn term_of(line: &OrderMembershipLine, zone: Zone) -> String {
    let day = |instant| zone.date(instant).format(DAY_FORM);
    let number = line.change.after.number;
    format!("{} to {}, member number {number}", day(line.starts), day(line.ends))
}

/// The digital cards that the mail carries, of those that were made (spec §2.15 `includeDigitalMemberCardsInConfirmationEmail`).
fn member_cards(order: &Order, zone: Zone) -> impl Iterator<Item = MailTicket> {
    order.memberships().filter(|line| line.mails_cards()).flat_map(move |line| {
        let made = line.change.after.cards.iter().filter(|card| line.change.made.contains(&card.id));
        made.map(move |card| MailTicket {
            event_name: line.level_name.clone(),
            when: term_of(line, zone),
            ticket_type: "Member card".to_owned(),
            holder: format!("{} {}", card.person.first_name, card.person.last_name),
            barcode: card.barcode.clone(),
        })
    })
}

fn card_in_words(payment: &Payment) -> String {
    let brand = match payment.card.brand {
        CardBrand::Visa => "Visa",
        CardBrand::MasterCard => "Mastercard",
        CardBrand::AmericanExpress => "American Express",
        CardBrand::Discover => "Discover",
        CardBrand::Jcb => "JCB",
        CardBrand::DinersClub => "Diners Club",
    };
    format!("{brand} ending in {}", payment.card.last_four)
}

/// The tickets that admit, with the member cards.
fn mail_tickets(order: &Order, tickets: &[Ticket], zone: Zone) -> Vec<MailTicket> {
    let cards = member_cards(order, zone);
    tickets_in_words(order, tickets.iter().filter(|ticket| ticket.status.admits()), zone)
        .chain(cards)
        .collect()
}

fn tickets_in_words<'a>(
    order: &'a Order,
    tickets: impl Iterator<Item = &'a Ticket>,
    zone: Zone,
) -> impl Iterator<Item = MailTicket> {
    let lines: BTreeMap<&OrderItemId, &OrderTicketLine> =
        order.all_ticket_lines().map(|line| (&line.id, line)).collect();
    let holder = order.contact.name();
    tickets.filter_map(move |ticket| {
        let line = lines.get(&ticket.line)?;
        Some(MailTicket {
            event_name: line.event_name.clone(),
            when: when(line, zone).unwrap_or_default(),
            ticket_type: line.ticket_type_name.clone(),
            holder: holder.clone(),
            barcode: ticket.barcode.to_string(),
        })
    })
}

/// What the codes of the mail are.
fn codes_in(order: &Order) -> Codes {
    let has_cards = order.memberships().any(OrderMembershipLine::mails_cards);
    match (order.ticket_lines().next().is_some(), has_cards) {
        (_, false) => Codes::Tickets,
        (false, true) => Codes::MemberCards,
        (true, true) => Codes::TicketsAndMemberCards,
    }
}

/// What templates, levels and offerings have to say, each thing once.
fn message(order: &Order) -> Option<String> {
    let mut said: Vec<&str> = Vec::new();
    for line in order.ticket_lines() {
        let words = order.messages.get(&line.template).map_or("", |words| words.trim());
        if !words.is_empty() && !said.contains(&words) {
            said.push(words);
        }
    }
    for words in order.memberships().flat_map(|line| &line.confirmation.messages) {
        if !said.contains(&words.trim()) {
            said.push(words.trim());
        }
    }
    (!said.is_empty()).then(|| said.join("\n\n"))
}
