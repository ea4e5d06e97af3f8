//! What may be wrong with an order, its money, a sale or a membership, as a person is told: ids and the two values that
//! differ, and nothing of a person, a card or what opens a gate.

use crate::outbox::MailKind;
use crate::{
    AdmissionId, CardId, Currency, CustomerId, MembershipId, Mid, Money, OrderId, OrderItemId,
    PaymentReference, RefundId, SaleId, TicketId, Timestamp,
};
use std::fmt;

/// What an order has that it should not have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Belonging {
    /// So many tickets.
    Tickets(usize),
    Mail(MailKind),
    Sale(SaleId),
    /// A membership that comes into being with it.
    Membership(MembershipId),
}

impl fmt::Display for Belonging {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tickets(tickets) => write!(out, "{tickets} tickets"),
            Self::Mail(kind) => write!(out, "a mail ({kind})"),
            Self::Sale(sale) => write!(out, "the sale {sale}"),
            Self::Membership(membership) => write!(out, "the membership {membership}"),
        }
    }
}

/// What an order is found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OrderLead {
    Number,
    /// An e-mail address or phone number of whoever ordered or paid.
    Contact,
    /// The barcode of a ticket.
    Barcode,
    /// An event it has or had tickets for.
    Event,
    /// A day on which it was made, or something was done with it.
    Day,
    /// The name of someone it is for.
    Name,
    /// An answered form.
    Response,
}

impl fmt::Display for OrderLead {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Number => "its number",
            Self::Contact => "a contact",
            Self::Barcode => "the barcode of a ticket",
            Self::Event => "an event",
            Self::Day => "a day",
            Self::Name => "a name",
            Self::Response => "an answered form",
        })
    }
}

/// What a membership is found by beside its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lookup {
    Number,
    /// The venue's own number of it.
    ExternalNumber,
    /// The barcode of a card.
    Barcode,
    /// The e-mail address of a card's holder.
    Email,
    /// The phone number of a card's holder.
    Phone,
    /// The id of a card.
    Card,
    /// The tenant's list.
    List,
}

impl Lookup {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Number => "its number",
            Self::ExternalNumber => "the venue's own number",
            Self::Barcode => "the barcode of a card",
            Self::Email => "the e-mail address of a card",
            Self::Phone => "the phone number of a card",
            Self::Card => "the id of a card",
            Self::List => "the list",
        }
    }
}

/// What is wrong with what a membership is found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LookupFault {
    /// It is not found.
    Missing,
    /// What is found is not what the membership is.
    Differs,
    /// It is found by what it does not have any more, or is not there at all.
    Stray,
}

/// What is wrong with the money of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the text of each fault says what its fields are")]
pub enum MoneyFault {
    /// Money was charged, and the order is not paid or not there.
    Stray { reference: PaymentReference, captured: Money },
    /// It is paid, and nothing was charged.
    NotCharged { owed: Money },
    /// Another amount was charged.
    Amount { owed: Money, captured: Money },
    /// It was charged in another currency.
    Currency { owed: Currency, captured: Currency },
    /// Another merchant was paid.
    Merchant { owed: Mid, captured: Mid },
    /// It is paid, and its sale is not there.
    NoSale { sale: SaleId, owed: Money },
    /// Its sale is of another amount.
    SaleAmount { sale: SaleId, owed: Money, sold: Money },
    /// Its sale is in another currency.
    SaleCurrency { sale: SaleId, owed: Currency, sold: Currency },
    /// Its sale is another merchant's.
    SaleMerchant { sale: SaleId, owed: Mid, sold: Mid },
    /// Its sale names another order.
    SaleOrder { sale: SaleId, of: OrderId },
    /// It says that another amount was given back than its sale does.
    Refunded { sale: SaleId, refunded: Money, given_back: Money },
    /// Its sale names another payment than was charged.
    Reference { sale: SaleId, named: PaymentReference, charged: PaymentReference },
    /// Its sale reckons its fees otherwise than it does.
    RateCard { sale: SaleId },
    /// Its sale contains other taxes than its lines.
    Taxes { sale: SaleId },
    /// The processor gave back another amount by a refund than its sale says.
    GivenBack { refund: RefundId, sale: Money, processor: Money },
    /// Its sale does not list a refund as it does.
    NoRefund { sale: SaleId, refund: RefundId, amount: Money },
    /// It cost nothing, and money was given back for it.
    NothingPaid { refunded: Money },
}

impl fmt::Display for MoneyFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stray { reference, captured } => {
                write!(out, "{captured} was charged ({reference}), and there is no paid order")
            }
            Self::NotCharged { owed } => write!(out, "paid, and nothing was charged of {owed}"),
            Self::Amount { owed, captured } => write!(out, "owes {owed}, and {captured} was charged"),
            Self::Currency { owed, captured } => {
                write!(out, "is sold in {owed}, and was charged in {captured}")
            }
            Self::Merchant { owed, captured } => {
                write!(out, "owes merchant {owed}, and merchant {captured} was paid")
            }
            Self::NoSale { sale, owed } => write!(out, "paid, and there is no sale {sale} of {owed}"),
            Self::SaleAmount { sale, owed, sold } => write!(out, "owes {owed}, and sale {sale} is of {sold}"),
            Self::SaleCurrency { sale, owed, sold } => {
                write!(out, "is sold in {owed}, and sale {sale} is in {sold}")
            }
            Self::SaleMerchant { sale, owed, sold } => {
                write!(out, "owes merchant {owed}, and sale {sale} is of merchant {sold}")
            }
            Self::SaleOrder { sale, of } => write!(out, "its sale {sale} names order {of}"),
            Self::Refunded { sale, refunded, given_back } => {
                write!(out, "says that {refunded} is refunded, and its sale {sale} that {given_back} is")
            }
            Self::Reference { sale, named, charged } => {
                write!(out, "its sale {sale} names the payment {named}, and {charged} was charged")
            }
            Self::RateCard { sale } => write!(out, "its sale {sale} reckons its fees by another rate card"),
            Self::Taxes { sale } => write!(out, "its sale {sale} contains other taxes than its lines"),
            Self::GivenBack { refund, sale, processor } => {
                write!(out, "its sale gave back {sale} by {refund}, and the processor {processor}")
            }
            Self::NoRefund { sale, refund, amount } => {
                write!(out, "gave back {amount} by {refund}, of which sale {sale} says otherwise")
            }
            Self::NothingPaid { refunded } => write!(out, "cost nothing, and gave back {refunded}"),
        }
    }
}

/// What is wrong with a sale by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the text of each fault says what its fields are")]
pub enum SaleFault {
    /// It is not that of a paid order.
    Stray { order: OrderId, amount: Money },
    /// What is left of it is not its amount less its refunds, or they are more than that.
    Remainder { amount: Money, refunds: Money, remainder: Money },
    /// Its refunds gave back other fees than those that were charged.
    Fees { charged: Money, back: Money },
    /// Its refunds gave back other taxes than it contains.
    Taxes { contained: Money, back: Money },
    /// The schedule takes it up without a refund that is under way, or does not take it up with one.
    Due { pending: usize, is_due: bool },
    /// A refund that nobody has finished.
    Overdue { refund: RefundId, deadline: Timestamp },
}

impl fmt::Display for SaleFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stray { order, amount } => write!(out, "of {amount}, and order {order} is not paid by it"),
            Self::Remainder { amount, refunds, remainder } => {
                write!(out, "of {amount}, with refunds of {refunds}, and {remainder} is said to be left")
            }
            Self::Fees { charged, back } => {
                write!(out, "fees of {charged} were charged, and its refunds gave {back} back")
            }
            Self::Taxes { contained, back } => {
                write!(out, "{contained} of it are tax, and its refunds gave {back} back")
            }
            Self::Due { pending, is_due: true } => write!(out, "due, with {pending} refunds under way"),
            Self::Due { pending, is_due: false } => write!(out, "not due, with {pending} refunds under way"),
            Self::Overdue { refund, deadline } => {
                write!(out, "its refund {refund} is under way, and was due {}", deadline.to_rfc3339())
            }
        }
    }
}

/// What is wrong with the refunds and exchanges of a paid order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the text of each fault says what its fields are")]
pub enum AfterSaleFault {
    /// More units, or more money, were given back or exchanged of a line than were sold.
    Overdrawn { line: OrderItemId },
    /// Not as many tickets of a line admit as are left of it.
    Admitting { line: OrderItemId, left: u32, admitting: u32 },
    /// A line that came of an exchange has not a unit for each ticket that it took the place of.
    Exchanged { line: OrderItemId, units: u32, tickets: usize },
    /// A refund gives back more than was paid for what it names.
    Worth { refund: RefundId, amount: Money, worth: Money },
    /// More than one refund is under way.
    Pending { refunds: usize },
    /// A membership was given back, and the term that was refunded is in force.
    InForce { refund: RefundId, membership: MembershipId },
}

impl fmt::Display for AfterSaleFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overdrawn { line } => {
                write!(out, "more of line {line} was given back or exchanged than was sold")
            }
            Self::Admitting { line, left, admitting } => {
                write!(out, "line {line} has {left} tickets left, and {admitting} admit")
            }
            Self::Exchanged { line, units, tickets } => {
                write!(out, "line {line} has {units} tickets, and was exchanged for {tickets}")
            }
            Self::Worth { refund, amount, worth } => {
                write!(out, "{refund} is of {amount}, and what it names was {worth}")
            }
            Self::Pending { refunds } => write!(out, "{refunds} refunds are under way at once"),
            Self::InForce { refund, membership } => {
                write!(out, "{refund} gave membership {membership} back, and it is in force")
            }
        }
    }
}

/// What is wrong with the admissions of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the text of each fault says what its fields are")]
pub enum AdmissionFault {
    /// A ticket let somebody in and was given back or exchanged, and nobody insisted on that.
    GivenBack { ticket: TicketId },
    /// What is noted of a ticket is not what its scans make of it.
    Differs { ticket: TicketId },
    /// A ticket let somebody in while it was blocked.
    Blocked { ticket: TicketId },
    /// Something is noted of a ticket that the order does not have.
    StrayTicket { ticket: TicketId },
    /// A scan is of a ticket that the order does not have.
    StrayScan { scan: AdmissionId },
}

impl fmt::Display for AdmissionFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GivenBack { ticket } => write!(out, "ticket {ticket} let somebody in, and was given back"),
            Self::Differs { ticket } => write!(out, "ticket {ticket} is not where its scans say"),
            Self::Blocked { ticket } => write!(out, "ticket {ticket} let somebody in while it was blocked"),
            Self::StrayTicket { ticket } => write!(out, "noted of ticket {ticket}, which it does not have"),
            Self::StrayScan { scan } => write!(out, "scan {scan} is of a ticket that it does not have"),
        }
    }
}

/// What is wrong with an order and the records that belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the text of each fault says what its fields are")]
pub enum OrderFault {
    /// Nobody has finished it.
    Overdue { deadline: Timestamp },
    /// The schedule takes it up before its deadline, or does not when it is pending, or does when it is
    /// not. Both in seconds since 1970.
    Due { deadline: Option<i64>, due_at: Option<i64> },
    /// The schedule takes up a mail that is sent, or does not take up one that is not.
    MailDue { mail: MailKind, is_due: bool },
    /// Its lines do not add up to its total.
    Total { total: Money, lines: Money },
    /// The events of a combo do not add up to its amount.
    Parts { line: OrderItemId, amount: Money, parts: Money },
    /// Its charge is not its total.
    Charge { total: Money, charge: Money },
    /// A line has not as many tickets as were sold.
    Tickets { line: OrderItemId, sold: u32, found: u32 },
    /// A mail it owes is not there.
    NoMail { mail: MailKind },
    /// A mail was left out as untrue, and is not.
    LeftOut { mail: MailKind },
    /// It is not paid and has what only a paid one has.
    NotPaid { has: Belonging },
    /// There are records of it, and not itself.
    NoOrder { has: Belonging },
    /// Its customer is not there.
    NoCustomer { customer: CustomerId },
    /// A membership it made is not there.
    NoMembership { membership: MembershipId },
    /// A card it made is not there.
    NoCard { membership: MembershipId, card: CardId },
    /// It has not claimed what it is to change.
    NoClaim { membership: MembershipId, claimed_by: Option<OrderId> },
    /// It is not found.
    NotFound { by: OrderLead },
    /// Another order is found by what leads to it.
    OtherFound { by: OrderLead },
    /// Its refunds and exchanges.
    AfterSale(AfterSaleFault),
    /// Whom its tickets let in.
    Admission(AdmissionFault),
}

impl fmt::Display for OrderFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overdue { deadline } => write!(out, "pending, and was due {}", deadline.to_rfc3339()),
            Self::Due { deadline, due_at } => {
                let (deadline, due_at) = (optional(*deadline), optional(*due_at));
                write!(out, "its deadline is {deadline}, and it is taken up at {due_at}")
            }
            Self::MailDue { mail, is_due: true } => write!(out, "its mail ({mail}) is sent, and still due"),
            Self::MailDue { mail, is_due: false } => {
                write!(out, "its mail ({mail}) is not sent, and not due")
            }
            Self::Total { total, lines } => {
                write!(out, "its total is {total}, and its lines come to {lines}")
            }
            Self::Parts { line, amount, parts } => {
                write!(out, "the combo {line} is {amount}, and its events come to {parts}")
            }
            Self::Charge { total, charge } => write!(out, "its total is {total}, and its charge {charge}"),
            Self::Tickets { line, sold, found } => {
                write!(out, "line {line} sold {sold} tickets, and has {found}")
            }
            Self::NoMail { mail } => write!(out, "paid, and its mail ({mail}) is not there"),
            Self::LeftOut { mail } => write!(out, "its mail ({mail}) was left out, and is not superseded"),
            Self::NotPaid { has } => write!(out, "not paid, and has {has}"),
            Self::NoOrder { has } => write!(out, "not there, and has {has}"),
            Self::NoCustomer { customer } => write!(out, "its customer {customer} is not there"),
            Self::NoMembership { membership } => write!(out, "its membership {membership} is not there"),
            Self::NoCard { membership, card } => {
                write!(out, "its membership {membership} has no card {card}")
            }
            Self::NoClaim { membership, claimed_by } => {
                let claimed_by = optional(claimed_by.as_ref());
                write!(out, "changes membership {membership}, which is claimed by {claimed_by}")
            }
            Self::NotFound { by } => write!(out, "not found by {by}"),
            Self::OtherFound { by } => write!(out, "another one is found by {by}"),
            Self::AfterSale(fault) => fault.fmt(out),
            Self::Admission(fault) => fault.fmt(out),
        }
    }
}

/// A value that may be missing.
pub(super) fn optional<T: fmt::Display>(value: Option<T>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

/// What is wrong with a membership.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the text of each fault says what its fields are")]
pub enum MembershipFault {
    /// The order that claims it is not changing it.
    StrayClaim { order: OrderId },
    /// The order that paid for a term of it is not paid.
    StrayPurchase { order: OrderId },
    /// The order that paid for a term of it is lost.
    LostPurchase { order: OrderId },
    /// It is not found, or found as it is not.
    Found { by: Lookup, fault: LookupFault },
}

impl fmt::Display for MembershipFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StrayClaim { order } => write!(out, "claimed by order {order}, which is not changing it"),
            Self::StrayPurchase { order } => write!(out, "bought by order {order}, which is not paid"),
            Self::LostPurchase { order } => write!(out, "its order {order} is not in this database"),
            Self::Found { by, fault } => {
                let by = by.as_str();
                match fault {
                    LookupFault::Missing => write!(out, "not found by {by}"),
                    LookupFault::Differs => write!(out, "another one is found by {by}"),
                    LookupFault::Stray => write!(out, "found by {by}, which it has not"),
                }
            }
        }
    }
}
