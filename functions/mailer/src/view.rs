//! What a mail of an order says, taken from the order and nothing else: a repeat says the same.

mod after;

use crate::locale::Locale;
use crate::render::{Codes, ConfirmationMail, MailAddress, MailLine, MailTax, MailTicket, RenderKind};
use domain::card::CardBrand;
use domain::order::edit::AgainKind;
use domain::order::{
    Order, OrderComboLine, OrderLine, OrderMembershipLine, OrderPerson, OrderTicketLine, Payment, Ticket,
};
use domain::outbox::{self, OutboxMail};
use domain::tax::{TaxShare, Taxes};
use domain::tenant::Tenant;
use domain::{Language, Money, OrderItemId, Timestamp, Zone};
use std::collections::BTreeMap;

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

/// How a mail says things: in which language, and by whose clocks.
#[derive(Clone, Copy)]
struct Manner<'a> {
    locale: &'a Locale,
    zone: Zone,
}

impl Manner<'_> {
    fn time(self, instant: Timestamp) -> String {
        self.locale.time(self.zone.local(instant))
    }

    fn day(self, instant: Timestamp) -> String {
        self.locale.day(self.zone.date(instant))
    }
}

/// What a mail is written in: the order's language, or that of the venue where it goes to its staff.
pub(crate) fn language(tenant: &Tenant, order: &Order, mail: &OutboxMail) -> Language {
    match mail.kind {
        outbox::MailKind::Notice(_) => tenant.branding.language(),
        outbox::MailKind::Receipt
        | outbox::MailKind::Tickets
        | outbox::MailKind::ReceiptWithTickets
        | outbox::MailKind::Refund(_)
        | outbox::MailKind::LateMoney
        | outbox::MailKind::Exchange(_)
        | outbox::MailKind::Again(_) => order.locale,
    }
}

/// A mail of a paid order.
///
/// # Errors
/// [`Unsaid`] when there is nobody to tell, or nothing any more that it could say.
pub(crate) fn mail(
    locale: &Locale,
    tenant: &Tenant,
    from: &str,
    order: &Order,
    tickets: &[Ticket],
    mail: &OutboxMail,
) -> Result<ConfirmationMail, Unsaid> {
    let manner = Manner { locale, zone: tenant.zone };
    let said = |kind| confirmation(manner, tenant, from, order, tickets, mail, kind).ok_or(Unsaid::Nothing);
    match mail.kind {
        outbox::MailKind::Receipt => said(RenderKind::Receipt),
        outbox::MailKind::Tickets => said(RenderKind::Tickets),
        outbox::MailKind::ReceiptWithTickets => said(RenderKind::ReceiptWithTickets),
        outbox::MailKind::Refund(number) => {
            after::refund(said(RenderKind::Refund)?, order, number, manner).ok_or(Unsaid::Nothing)
        }
        outbox::MailKind::Notice(place) => {
            after::notice(said(RenderKind::Notice)?, order, place, manner).ok_or(Unsaid::Nothing)
        }
        outbox::MailKind::LateMoney => {
            after::late_money(said(RenderKind::Refund)?, order, locale).ok_or(Unsaid::Nothing)
        }
        outbox::MailKind::Exchange(number) => {
            after::exchange(said(RenderKind::Tickets)?, order, tickets, number, manner)
        }
        outbox::MailKind::Again(_) => {
            let again = mail.again.as_ref().ok_or(Unsaid::Nothing)?;
            let has_tickets = tickets.iter().any(|ticket| ticket.status.admits())
                || order.memberships().any(OrderMembershipLine::mails_cards);
            let kind = match (again.what, has_tickets) {
                (AgainKind::Confirmation, true) => RenderKind::ReceiptWithTickets,
                (AgainKind::Tickets, true) => RenderKind::Tickets,
                (AgainKind::Receipt, _) | (AgainKind::Confirmation, false) => RenderKind::Receipt,
                // The last one was given back since it was asked for.
                (AgainKind::Tickets, false) => return Err(Unsaid::Superseded),
            };
            Ok(ConfirmationMail { dated: again.at, ..said(kind)? })
        }
    }
}

fn confirmation(
    manner: Manner<'_>,
    tenant: &Tenant,
    from: &str,
    order: &Order,
    tickets: &[Ticket],
    mail: &OutboxMail,
    kind: RenderKind,
) -> Option<ConfirmationMail> {
    let to = outbox::address_of(order, mail)?;
    let buyer = buyer_name(order);
    // Whoever the tickets are sent to instead need not be the buyer.
    let to_name = if kind == RenderKind::Tickets { String::new() } else { buyer.clone() };
    Some(ConfirmationMail {
        message_id: mail.message_id.clone(),
        dated: order.paid_at().unwrap_or(order.created_at),
        from: MailAddress { name: tenant.name.clone(), address: from.to_owned() },
        to: MailAddress { name: to_name, address: to.to_owned() },
        kind,
        venue_name: tenant.name.clone(),
        order_number: order.number.to_string(),
        receipt_number: order.receipt.map(|receipt| receipt.to_string()).unwrap_or_default(),
        created: manner.time(order.created_at),
        buyer_name: buyer,
        currency: order.currency,
        lines: order.lines.iter().map(|line| receipt_line(line, manner)).collect(),
        total: order.total,
        paid: order.payment.as_ref().map_or(Money::ZERO, |payment| payment.amount),
        taxes: taxes_in_words(&order.taxes(), manner.locale),
        card: order.payment.as_ref().map(|payment| card_in_words(payment, manner.locale)),
        tickets: mail_tickets(order, tickets, manner),
        codes: codes_in(order),
        message: message(order),
    })
}

fn buyer_name(order: &Order) -> String {
    let payer = order.billing.name();
    if !payer.is_empty() {
        return payer;
    }
    // The contact of a gift is whoever is given it.
    let giver = order.memberships().find_map(|line| line.giver.as_ref());
    giver.map_or_else(|| order.contact.name(), |giver| OrderPerson::from(&giver.person).name())
}

/// When a ticket admits; nothing where the template keeps the date off.
fn when(line: &OrderTicketLine, manner: Manner<'_>) -> Option<String> {
    (!line.hide_event_date).then(|| manner.time(line.event_start))
}

fn receipt_line(line: &OrderLine, manner: Manner<'_>) -> MailLine {
    let amounts = line.amounts();
    let (name, detail) = in_words(line, manner);
    MailLine { name, detail, quantity: amounts.quantity, unit_price: amounts.unit, amount: amounts.amount }
}

fn ticket_in_words(line: &OrderTicketLine, manner: Manner<'_>) -> (String, Option<String>) {
    (format!("{}, {}", line.event_name, line.ticket_type_name), when(line, manner))
}

/// What a line is, and more about it.
fn in_words(line: &OrderLine, manner: Manner<'_>) -> (String, Option<String>) {
    match line {
        OrderLine::Ticket(line) => ticket_in_words(line, manner),
        OrderLine::AddOn(line) => (line.name.clone(), None),
        OrderLine::Donation(line) => (line.name.clone(), None),
        OrderLine::Combo(line) => {
            (format!("{}, {}", line.name, line.ticket_type_name), Some(events_of(line, manner)))
        }
        OrderLine::Membership(line) => {
            (format!("{}, {}", line.level_name, line.offering_name), Some(term_of(line, manner)))
        }
    }
}

/// What a combo is made of, such as `2 × Gallery, Sat, Mar 14, 2026, 10:30 AM; 2 × Lightship`.
fn events_of(line: &OrderComboLine, manner: Manner<'_>) -> String {
    let event = |part: &OrderTicketLine| {
        let when = when(part, manner).map(|when| format!(", {when}")).unwrap_or_default();
        format!("{} × {}{when}", part.amounts.quantity, part.event_name)
    };
    line.parts.iter().map(event).collect::<Vec<_>>().join("; ")
}

/// The days of a membership, such as `Mar 14, 2026 to Mar 13, 2027, member number 391150274`.
fn term_of(line: &OrderMembershipLine, manner: Manner<'_>) -> String {
    let said = manner.locale.say("term");
    let said = said.with("starts", manner.day(line.starts)).with("ends", manner.day(line.ends));
    said.with("number", line.change.after.number.to_string()).text()
}

/// The digital cards that the mail carries, of those that were made (spec §2.15 `includeDigitalMemberCardsInConfirmationEmail`).
fn member_cards(order: &Order, manner: Manner<'_>) -> impl Iterator<Item = MailTicket> {
    order.memberships().filter(|line| line.mails_cards()).flat_map(move |line| {
        let made = line.change.after.cards.iter().filter(|card| line.change.made.contains(&card.id));
        made.map(move |card| MailTicket {
            event_name: line.level_name.clone(),
            when: term_of(line, manner),
            ticket_type: manner.locale.say("member-card").text(),
            holder: format!("{} {}", card.person.first_name, card.person.last_name),
            barcode: card.barcode.clone(),
        })
    })
}

/// Taxes as a receipt names them, such as `VAT 20%`.
fn taxes_in_words(taxes: &Taxes, locale: &Locale) -> Vec<MailTax> {
    let words = |TaxShare { tax, amount }: &TaxShare| {
        let name = tax.name.clone().unwrap_or_else(|| locale.say("unnamed-tax").text());
        MailTax { name: format!("{name} {}", locale.percent(tax.rate)), amount: *amount }
    };
    taxes.iter().map(words).collect()
}

fn card_in_words(payment: &Payment, locale: &Locale) -> String {
    let brand = match payment.card.brand {
        CardBrand::Visa => "Visa",
        CardBrand::MasterCard => "Mastercard",
        CardBrand::AmericanExpress => "American Express",
        CardBrand::Discover => "Discover",
        CardBrand::Jcb => "JCB",
        CardBrand::DinersClub => "Diners Club",
    };
    locale.say("card").with("brand", brand).with("digits", payment.card.last_four.clone()).text()
}

/// The tickets that admit, with the member cards.
fn mail_tickets(order: &Order, tickets: &[Ticket], manner: Manner<'_>) -> Vec<MailTicket> {
    let cards = member_cards(order, manner);
    tickets_in_words(order, tickets.iter().filter(|ticket| ticket.status.admits()), manner)
        .chain(cards)
        .collect()
}

fn tickets_in_words<'a>(
    order: &'a Order,
    tickets: impl Iterator<Item = &'a Ticket>,
    manner: Manner<'_>,
) -> impl Iterator<Item = MailTicket> {
    let lines: BTreeMap<&OrderItemId, &OrderTicketLine> =
        order.all_ticket_lines().map(|line| (&line.id, line)).collect();
    let holder = order.contact.name();
    tickets.filter_map(move |ticket| {
        let line = lines.get(&ticket.line)?;
        Some(MailTicket {
            event_name: line.event_name.clone(),
            when: when(line, manner).unwrap_or_default(),
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
