//! Mails that are to be sent (spec §4.3, §4.7; contract §6, "Mail").

use crate::email::is_same_email;
use crate::order::edit::{AgainKind, MAX_MAILS_AGAIN};
use crate::order::{Exchange, Order, OrderMembershipLine, OrderRefund, StaffNotice, Ticket};
use crate::{LoginRequestId, OrderId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

/// What a mail of an order carries. An order has at most one of each kind, so the kind is part of a mail's
/// key and of its Message-ID; the names never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum MailKind {
    /// The receipt alone, to the billing address, when the tickets go elsewhere.
    Receipt,
    /// The tickets alone, to `ticketDeliveryEmail`.
    Tickets,
    /// The receipt with the tickets, to the billing address.
    ReceiptWithTickets,
    /// What a refund with this number gave back, to the billing address.
    Refund(u64),
    /// The tickets of an exchange with this number.
    Exchange(u64),
    /// What was sold, to the one of the staff at this place of the order's notices.
    Notice(u64),
    /// What staff had sent again, by a number of its own.
    Again(u64),
    /// That money which came too late was returned, to the billing address.
    LateMoney,
}

/// A mail that staff have sent again. It is made of the order as it is when it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgainMail {
    /// What it carries.
    pub what: AgainKind,
    /// Where it goes.
    pub to: String,
    /// When it was asked for.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub at: Timestamp,
}

/// Why nothing is sent again, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgainRefusal {
    /// Nobody has an address.
    NoAddress,
    /// No ticket is left, and there is no member card.
    NothingToSend,
    /// As many were sent as may be.
    TooMany,
}

impl MailKind {
    /// The kinds of a confirmation.
    pub const CONFIRMATIONS: [Self; 3] = [Self::Receipt, Self::Tickets, Self::ReceiptWithTickets];

    /// Reads the stable name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let mut unnumbered = Self::CONFIRMATIONS.into_iter().chain([Self::LateMoney]);
        let unnumbered = unnumbered.find(|kind| kind.to_string() == name);
        unnumbered.or_else(|| match name.split_once('-')? {
            ("refund", number) => number.parse().ok().map(Self::Refund),
            ("exchange", number) => number.parse().ok().map(Self::Exchange),
            ("notice", place) => place.parse().ok().map(Self::Notice),
            ("again", number) => number.parse().ok().map(Self::Again),
            _ => None,
        })
    }
}

/// The stable name, as it stands in keys and in queued jobs.
impl fmt::Display for MailKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Receipt => out.pad("receipt"),
            Self::Tickets => out.pad("tickets"),
            Self::ReceiptWithTickets => out.pad("receiptWithTickets"),
            Self::Refund(number) => write!(out, "refund-{number}"),
            Self::Exchange(number) => write!(out, "exchange-{number}"),
            Self::Notice(place) => write!(out, "notice-{place}"),
            Self::Again(number) => write!(out, "again-{number}"),
            Self::LateMoney => out.pad("lateMoney"),
        }
    }
}

impl From<MailKind> for String {
    fn from(kind: MailKind) -> Self {
        kind.to_string()
    }
}

impl TryFrom<String> for MailKind {
    type Error = &'static str;
    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::parse(&name).ok_or("not a kind of mail")
    }
}

/// What the queue carries to the mailer: which mail to send, and nothing of what is in it. Addresses and
/// names stay in the database.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MailJob {
    Order(OrderMail),
    /// A link to log in by, should a member have asked for it.
    Login(LoginMail),
}

impl MailJob {
    /// Whose mail it is.
    #[must_use]
    pub const fn tenant(&self) -> TenantId {
        match self {
            Self::Order(mail) => mail.tenant,
            Self::Login(mail) => mail.tenant,
        }
    }
}

/// Which mail of which request to log in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoginMail {
    /// The tenant whose member asks.
    #[serde(rename = "tenantId")]
    pub tenant: TenantId,
    /// The request, from which the link is made but cannot be told.
    #[serde(rename = "loginRequestId")]
    pub request: LoginRequestId,
}

/// Which mail of which order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderMail {
    /// The tenant that sold the order.
    #[serde(rename = "tenantId")]
    pub tenant: TenantId,
    /// The order that is confirmed.
    #[serde(rename = "orderId")]
    pub order: OrderId,
    /// Which of the order's mails.
    pub kind: MailKind,
}

/// A mail of an order, from the moment the order is paid until it has been handed to its transport.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxMail {
    /// What it carries.
    pub kind: MailKind,
    /// Stays the same however often it is sent.
    pub message_id: String,
    /// Where it stands.
    pub state: MailState,
    /// What and where to, of one that staff have sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<AgainMail>,
}

/// Where a mail of the outbox stands. Claims are reckoned in real time, whatever clock the order had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum MailState {
    /// Waits to be sent.
    Queued,
    /// Being sent by someone, who is taken for dead after this instant.
    Claimed {
        /// End of the claim.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        until: Timestamp,
    },
    /// Handed to its transport.
    Sent {
        /// When.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        at: Timestamp,
    },
    /// Refused for good by its transport.
    Refused {
        /// When.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        at: Timestamp,
    },
    /// Never sent, since all it had to say was no longer true: the tickets of an exchange were given back or exchanged
    /// again before.
    Superseded {
        /// When.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        at: Timestamp,
    },
}

/// The right-hand side of every Message-ID. It is part of the identity of mails already sent, so it follows
/// neither the deployment nor the sender's address, and never changes.
const MESSAGE_ID_DOMAIN: &str = "boxoffice.example";

/// How many letters of a hash of the order's id a Message-ID has.
const MESSAGE_NAME_CHARS: usize = 32;

/// The mails a paid order owes (contract §6, "Mail"): those of its buyer, and one to each of the staff who is told
/// of it, whatever its buyer asked for.
#[must_use]
pub fn mails_of(order: &Order) -> Vec<OutboxMail> {
    let notices = (0..).zip(&order.notices).map(|(place, _)| owed(order, MailKind::Notice(place)));
    confirmations_of(order).into_iter().chain(notices).collect()
}

/// The mails to the buyer; none when the buyer asked for none, or left no address.
///
/// Our choice: an order without tickets has a receipt alone, and a buyer without a billing address is written
/// to at the contact address.
fn confirmations_of(order: &Order) -> Vec<OutboxMail> {
    if !order.send_email || is_silent(order) {
        return Vec::new();
    }
    let has_cards = order.memberships().any(OrderMembershipLine::mails_cards);
    let has_tickets = has_cards || order.ticket_lines().next().is_some();
    let mut kinds = Vec::new();
    match (payer_address(order), elsewhere(order).is_some() && has_tickets) {
        (Some(_), true) => kinds.extend([MailKind::Receipt, MailKind::Tickets]),
        (Some(_), false) if has_tickets => kinds.push(MailKind::ReceiptWithTickets),
        (Some(_), false) => kinds.push(MailKind::Receipt),
        (None, true) => kinds.push(MailKind::Tickets),
        (None, false) => {}
    }
    kinds.into_iter().map(|kind| owed(order, kind)).collect()
}

/// Seconds after which the schedule enqueues an unsent mail again.
pub const MAIL_RETRY_SECS: i64 = 60;

/// The mail about a refund, if one is sent and there is an address to send it to.
#[must_use]
pub fn refund_mail(order: &Order, refund: &OrderRefund) -> Option<OutboxMail> {
    let is_sent = refund.mail.is_some() && payer_address(order).is_some();
    is_sent.then(|| owed(order, MailKind::Refund(refund.number)))
}

/// The mail about money that came too late and was returned, if there is an address to send it to. It is sent whatever
/// the buyer asked for: no other says where the money went.
#[must_use]
pub fn late_mail(order: &Order) -> Option<OutboxMail> {
    payer_address(order).is_some().then(|| owed(order, MailKind::LateMoney))
}

/// The mail with the tickets of an exchange, if one is sent and there is an address to send it to.
#[must_use]
pub fn exchange_mail(order: &Order, exchange: &Exchange) -> Option<OutboxMail> {
    let kind = MailKind::Exchange(exchange.number);
    let is_sent = exchange.mailed && recipient(order, kind).is_some();
    is_sent.then(|| owed(order, kind))
}

fn owed(order: &Order, kind: MailKind) -> OutboxMail {
    OutboxMail { kind, message_id: message_id(order, kind), state: MailState::Queued, again: None }
}

/// Whether all it buys is sold without a mail (spec §2.15 `confirmationEmailRestrictions`).
fn is_silent(order: &Order) -> bool {
    let silent = order.memberships().filter(|line| line.confirmation.silent).count();
    silent > 0 && silent == order.lines.len()
}

/// The address a mail of an order goes to.
#[must_use]
pub fn recipient(order: &Order, kind: MailKind) -> Option<&str> {
    match kind {
        MailKind::Receipt | MailKind::ReceiptWithTickets | MailKind::Refund(_) | MailKind::LateMoney => {
            payer_address(order)
        }
        MailKind::Tickets | MailKind::Exchange(_) => elsewhere(order).or_else(|| payer_address(order)),
        MailKind::Notice(place) => filled(notice(order, place).map(|notice| notice.email.as_str())),
        MailKind::Again(_) => None,
    }
}

/// The address a mail of the outbox goes to.
#[must_use]
pub fn address_of<'a>(order: &'a Order, mail: &'a OutboxMail) -> Option<&'a str> {
    match &mail.again {
        Some(again) => filled(Some(&again.to)),
        None => recipient(order, mail.kind),
    }
}

/// The mail with this number that staff want to be sent again, to this address or where the first one went.
///
/// # Errors
/// The first [`AgainRefusal`] that applies.
pub fn again(
    order: &Order,
    tickets: &[Ticket],
    number: u64,
    what: AgainKind,
    to: Option<String>,
    at: Timestamp,
) -> Result<OutboxMail, AgainRefusal> {
    let usual = match what {
        AgainKind::Confirmation | AgainKind::Receipt => payer_address(order).or_else(|| elsewhere(order)),
        AgainKind::Tickets => elsewhere(order).or_else(|| payer_address(order)),
    };
    let to = to.or_else(|| usual.map(str::to_owned)).ok_or(AgainRefusal::NoAddress)?;
    let has_cards = order.memberships().any(OrderMembershipLine::mails_cards);
    let has_tickets = has_cards || tickets.iter().any(|ticket| ticket.status.admits());
    if what == AgainKind::Tickets && !has_tickets {
        return Err(AgainRefusal::NothingToSend);
    }
    if order.edits.mails >= MAX_MAILS_AGAIN {
        return Err(AgainRefusal::TooMany);
    }
    Ok(OutboxMail { again: Some(AgainMail { what, to, at }), ..owed(order, MailKind::Again(number)) })
}

/// The one of the staff who is told of an order at this place.
#[must_use]
pub fn notice(order: &Order, place: u64) -> Option<&StaffNotice> {
    order.notices.get(usize::try_from(place).ok()?)
}

/// The Message-ID of the mail of a request to log in.
#[must_use]
pub fn login_message_id(request: &LoginRequestId) -> String {
    format!("<login-{request}@{MESSAGE_ID_DOMAIN}>")
}

/// It does not tell the order's id: whoever gets the tickets alone reads it, and the id opens what was paid (decision
/// record 0146). Neither can it be found by trying ids out: no mail tells the id of the sale.
fn message_id(order: &Order, kind: MailKind) -> String {
    let sale = order.payment.as_ref().map_or("", |payment| payment.sale.as_str());
    let mut name = hex::encode(Sha256::digest(format!("mails of order {} {sale}", order.id)));
    name.truncate(MESSAGE_NAME_CHARS);
    format!("<order-{name}.{kind}@{MESSAGE_ID_DOMAIN}>")
}

fn payer_address(order: &Order) -> Option<&str> {
    filled(order.billing.email.as_deref()).or_else(|| filled(order.contact.email.as_deref()))
}

/// The delivery address of the tickets, if it is not the payer's. Mail hosts that tell addresses apart by case
/// are not to be found, and a doubled mail would be.
fn elsewhere(order: &Order) -> Option<&str> {
    let delivery = filled(order.ticket_delivery_email.as_deref())?;
    let same = payer_address(order).is_some_and(|payer| is_same_email(payer, delivery));
    (!same).then_some(delivery)
}

fn filled(address: Option<&str>) -> Option<&str> {
    address.map(str::trim).filter(|address| !address.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{CardBrand, Expiry};
    use crate::merchant::RateCard;
    use crate::order::{
        CardSummary, OrderAmounts, OrderLine, OrderPerson, OrderState, OrderTicketLine, Payment,
    };
    use crate::{
        InstanceId, Mid, Money, OrderItemId, OrderNumber, Percent, SaleId, TemplateId, TicketTypeId,
    };
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};

    fn order(billing: Option<&str>, contact: Option<&str>, delivery: Option<&str>) -> Order {
        let person =
            |email: Option<&str>| OrderPerson { email: email.map(Into::into), ..OrderPerson::default() };
        Order {
            id: OrderId::parse("31840526").unwrap(),
            tenant: TenantId::parse(204).unwrap(),
            number: OrderNumber::parse("100731946").unwrap(),
            receipt: None,
            state: OrderState::Paid { at: Timestamp::UNIX_EPOCH },
            visitor: String::new(),
            customer: None,
            contact: person(contact),
            billing: person(billing),
            ticket_delivery_email: delivery.map(Into::into),
            notes: None,
            lines: vec![tickets()],
            currency: Default::default(),
            total: Money::ZERO,
            retail_total: Money::ZERO,
            payment: None,
            refunded: Money::ZERO,
            membership_ids: Vec::new(),
            coupons: Default::default(),
            stock: Default::default(),
            entitlements: Vec::new(),
            forms: Default::default(),
            messages: Default::default(),
            notices: Vec::new(),
            send_email: true,
            locale: Default::default(),
            cart: None,
            reservation: None,
            operator: None,
            created_at: Timestamp::UNIX_EPOCH,
            chosen_clock: false,
            tag: None,
            edits: Default::default(),
            challenge: None,
            late_money: None,
            dispute: None,
            failed_refunds: Vec::new(),
            after_sale: Default::default(),
            admission: Default::default(),
        }
    }

    fn payment(sale: SaleId) -> Payment {
        Payment {
            sale,
            mid: Mid::parse("60417").unwrap(),
            amount: Money::from_cents(100),
            card: CardSummary {
                brand: CardBrand::Visa,
                last_four: "4242".into(),
                expiry: Expiry::of(12, 2050).unwrap(),
            },
            rate_card: RateCard { percentage: Percent::parse("2.9").unwrap(), fixed: Money::ZERO },
            descriptor: String::new(),
        }
    }

    fn tickets() -> OrderLine {
        let free = Money::ZERO;
        let template = TemplateId::parse("6f2e91b0c47d5a3e18b90f42").unwrap();
        OrderLine::Ticket(OrderTicketLine {
            id: OrderItemId::parse("1").unwrap(),
            instance: InstanceId::parse("7a10c4e2b95d3f0816e4a2c1").unwrap(),
            shard: 0,
            template,
            ticket_type: TicketTypeId::parse("66d1b2f0a93c4e517720bb01").unwrap(),
            event_name: String::new(),
            ticket_type_name: String::new(),
            event_start: Timestamp::UNIX_EPOCH,
            admission: crate::catalog::AdmissionType::Standard,
            hide_event_date: false,
            amounts: OrderAmounts {
                quantity: 1,
                retail_unit: free,
                unit: free,
                retail_amount: free,
                amount: free,
            },
            applied: None,
            cart_item: None,
            tax: None,
        })
    }

    /// What is sent where.
    fn sent(order: &Order) -> Vec<(MailKind, &str)> {
        mails_of(order).iter().filter_map(|mail| Some((mail.kind, recipient(order, mail.kind)?))).collect()
    }

    #[test]
    fn tickets_go_with_the_receipt_unless_another_address_is_named() {
        let (pays, asks, goes) =
            (Some("pays@example.org"), Some("asks@example.org"), Some("goes@example.org"));
        let both = vec![(MailKind::Receipt, "pays@example.org"), (MailKind::Tickets, "goes@example.org")];
        for (addresses, expected) in [
            ((pays, asks, None), vec![(MailKind::ReceiptWithTickets, "pays@example.org")]),
            ((pays, asks, pays), vec![(MailKind::ReceiptWithTickets, "pays@example.org")]),
            (
                (pays, None, Some("Pays@Example.org ")),
                vec![(MailKind::ReceiptWithTickets, "pays@example.org")],
            ),
            ((pays, None, Some(" ")), vec![(MailKind::ReceiptWithTickets, "pays@example.org")]),
            ((pays, asks, goes), both),
            ((None, asks, None), vec![(MailKind::ReceiptWithTickets, "asks@example.org")]),
            ((None, None, goes), vec![(MailKind::Tickets, "goes@example.org")]),
            ((None, None, None), vec![]),
        ] {
            let (billing, contact, delivery) = addresses;
            assert_eq!(sent(&order(billing, contact, delivery)), expected, "{addresses:?}");
        }
    }

    #[test]
    fn an_order_without_tickets_has_a_receipt_alone() {
        let mut donation = order(Some("pays@example.org"), None, Some("goes@example.org"));
        donation.lines.clear();
        assert_eq!(sent(&donation), [(MailKind::Receipt, "pays@example.org")]);
    }

    #[test]
    fn whoever_wants_no_mail_gets_none() {
        let quiet = Order { send_email: false, ..order(Some("pays@example.org"), None, None) };
        assert_eq!(mails_of(&quiet), []);
    }

    #[test]
    fn staff_are_told_of_a_sale_whatever_its_buyer_asked_for() {
        let told = |email: &str| StaffNotice { name: String::new(), email: email.into(), templates: vec![] };
        let notices = vec![told("ann@example.org"), told("bob@example.org")];
        let loud = Order { notices, ..order(Some("pays@example.org"), None, None) };
        let staff = [(MailKind::Notice(0), "ann@example.org"), (MailKind::Notice(1), "bob@example.org")];
        assert_eq!(sent(&loud)[0], (MailKind::ReceiptWithTickets, "pays@example.org"));
        assert_eq!(sent(&loud)[1..], staff);
        assert_eq!(sent(&Order { send_email: false, ..loud }), staff);
    }

    #[test]
    fn a_mail_waits_under_a_message_id_that_follows_from_order_and_kind() {
        let mails = mails_of(&order(Some("pays@example.org"), None, Some("goes@example.org")));
        let ids: Vec<_> = mails.iter().map(|mail| mail.message_id.as_str()).collect();
        assert_eq!(
            ids,
            [
                "<order-0f6af79c7b1ba40e68f2394d61019c43.receipt@boxoffice.example>",
                "<order-0f6af79c7b1ba40e68f2394d61019c43.tickets@boxoffice.example>",
            ]
        );
        assert!(mails.iter().all(|mail| mail.state == MailState::Queued));
    }

    #[test]
    fn no_mail_tells_the_id_of_its_order() {
        let order = order(Some("pays@example.org"), None, Some("goes@example.org"));
        let again = again(&order, &[], 9, AgainKind::Receipt, None, order.created_at).unwrap();
        for mail in mails_of(&order).into_iter().chain(late_mail(&order)).chain([again]) {
            assert!(!mail.message_id.contains(order.id.as_str()), "{}", mail.message_id);
        }
        let paid = |byte| Order { payment: Some(payment(SaleId::from_bytes([byte; 16]))), ..order.clone() };
        let name = |order: &Order| mails_of(order)[0].message_id.clone();
        assert_eq!(name(&paid(1)), name(&paid(1)), "a mail has one");
        assert_ne!(name(&paid(1)), name(&paid(2)), "of the id alone nobody makes it");
    }

    #[test]
    fn a_kind_is_stored_under_its_stable_name() {
        let names = [
            (MailKind::Receipt, "receipt"),
            (MailKind::Tickets, "tickets"),
            (MailKind::ReceiptWithTickets, "receiptWithTickets"),
            (MailKind::Refund(0), "refund-0"),
            (MailKind::Exchange(17), "exchange-17"),
            (MailKind::Notice(2), "notice-2"),
        ];
        for (kind, name) in names {
            assert_eq!(kind.to_string(), name);
            let read: StrDeserializer<'_, Error> = name.into_deserializer();
            assert_eq!(MailKind::deserialize(read), Ok(kind));
        }
        assert_eq!(["refund", "refund-x", "invoice-1", ""].map(MailKind::parse), [None; 4]);
    }
}
