//! Orders, their lines and tickets (spec §2.9, §2.18).

use crate::card::{CardBrand, Expiry};
use crate::cart::{AppliedPrice, DonationKind};
use crate::cart_request::DonationDetail;
use crate::catalog::AdmissionType;
use crate::combo::ComboKind;
use crate::entitlement::EntitlementUse;
use crate::form::Answers;
use crate::ledger::Hold;
use crate::merchant::RateCard;
use crate::payment::Decline;
use crate::tax::TaxShare;
use crate::text::{AsText, MaybeAsText};
use crate::{
    BarcodeTag, CartId, CartItemId, ComboTemplateId, CouponId, Currency, CustomerId, FormId, FormResponseId,
    InstanceId, InventoryId, Language, MembershipId, Mid, Money, OrderId, OrderItemId, OrderNumber,
    PaymentReference, ReservationId, SaleId, TemplateId, TenantId, TicketTypeId, Timestamp,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod admission;
mod after;
mod dispute;
pub mod edit;
pub mod exchange;
mod late;
mod membership;
mod notice;
mod person;
mod receipt;
pub mod refund;
mod refunded;
pub mod search;
mod tax;
mod ticket;

use admission::giving_order;
pub use admission::{
    Admission, AdmissionCounts, AdmissionState, Admissions, CheckIn, CheckInStatus, MAX_WORDS, Passage,
    ScanType,
};
pub use after::{
    AfterSale, Exchange, MovedLine, OrderRefund, OrderRefundState, OrderRow, RefundReleases, RefundedItem,
};
pub use dispute::{Dispute, DisputeStatus, FailedRefund};
use edit::OrderEdits;
pub use late::{LateMoney, LateState};
pub use membership::{MembershipConfirmation, OrderMembershipLine};
pub(crate) use notice::notices_of;
pub use notice::{MAX_NOTICES, StaffNotice};
pub use person::OrderPerson;
pub use receipt::ReceiptNumber;
pub use refunded::RefundStatus;
pub use ticket::{TICKETS_PER_CHUNK, Ticket, TicketChunk, TicketStatus};

/// A sale to one visitor. It is written before the card is charged, with everything that settling or voiding
/// it will need, so that whoever finds it later can finish it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    pub id: OrderId,
    /// Whose sale it is.
    pub tenant: TenantId,
    /// The number printed for people.
    pub number: OrderNumber,
    /// Its running number, where the tenant wants orders to have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<ReceiptNumber>,
    /// What became of it.
    pub state: OrderState,
    /// Names the visitor as the cart did.
    pub visitor: String,
    /// The customer it is linked to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<CustomerId>,
    /// Whom the venue talks to.
    #[serde(with = "AsText")]
    pub contact: OrderPerson,
    /// Who pays.
    #[serde(with = "AsText")]
    pub billing: OrderPerson,
    /// Where tickets go, when not to the payer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket_delivery_email: Option<String>,
    /// The visitor's remarks, without card numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// What was bought.
    #[serde(with = "AsText")]
    pub lines: Vec<OrderLine>,
    /// What its amounts are counted in.
    #[serde(default, skip_serializing_if = "Currency::is_usual")]
    pub currency: Currency,
    /// Sum of the lines after discounts.
    pub total: Money,
    /// Sum of the lines at full price.
    pub retail_total: Money,
    /// How it is paid; none for an order that costs nothing.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "MaybeAsText")]
    pub payment: Option<Payment>,
    /// What was given back of the money: the refunds of its sale that are done.
    #[serde(default)]
    pub refunded: Money,
    /// Membership ids that drove its prices.
    #[serde(default)]
    pub membership_ids: Vec<MembershipId>,
    /// Whether a confirmation is mailed.
    pub send_email: bool,
    /// What its mails are written in.
    #[serde(default, skip_serializing_if = "Language::is_usual")]
    pub locale: Language,
    /// The cart it came from, when that was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cart: Option<CartId>,
    /// The coupons whose uses are counted and that took something off, with the uses each may have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "AsText")]
    pub coupons: BTreeMap<CouponId, u32>,
    /// The units of add-ons whose stock is limited.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stock: BTreeMap<InventoryId, StockUnits>,
    /// Tickets at the member price that count over all orders of a membership.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "AsText")]
    pub entitlements: Vec<EntitlementUse>,
    /// What its visitor answered to the forms of its events (spec §2.6).
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "AsText")]
    pub forms: Vec<OrderForm>,
    /// What the templates of its tickets add to the confirmation mail.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "AsText")]
    pub messages: BTreeMap<TemplateId, String>,
    /// Staff told of the sale, each address once.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "AsText")]
    pub notices: Vec<StaffNotice>,
    /// The reservation whose holds it consumed, as they were.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "MaybeAsText")]
    pub reservation: Option<ConsumedReservation>,
    /// Who sold it, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
    /// What the barcodes of its tickets begin with; none of orders of before they had that in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<BarcodeTag>,
    /// What staff put right of it.
    #[serde(default, skip_serializing_if = "OrderEdits::is_untouched")]
    pub edits: OrderEdits,
    /// When the checkout began.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub created_at: Timestamp,
    /// Made under a clock its caller chose; the real schedule leaves it alone.
    #[serde(default)]
    pub chosen_clock: bool,
    /// The question of its card's issuer to its buyer, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<Challenge>,
    /// Money of it that came after everything had been given back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_money: Option<LateMoney>,
    /// The latest dispute of its buyer about its payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispute: Option<Dispute>,
    /// The refunds of its money that the processor said had failed, each once, in the order in which that was heard.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_refunds: Vec<FailedRefund>,
    /// What was done with it after it was paid.
    #[serde(default, skip_serializing_if = "AfterSale::is_untouched")]
    pub after_sale: AfterSale,
    /// Who was let in with its tickets.
    #[serde(default, skip_serializing_if = "Admissions::is_untouched")]
    pub admission: Admissions,
}

/// The issuer of a card asked its buyer to confirm the payment (3-D Secure, decision record 0146).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// When the page was told so.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub asked_at: Timestamp,
    /// By what the processor knows the payment.
    pub reference: PaymentReference,
}

/// A form that was filled in, with the responses that its answers are saved as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderForm {
    pub form: FormId,
    /// Its name when it was filled in.
    pub name: String,
    /// Asked once for the cart, not once for each event.
    #[serde(default)]
    pub once_per_cart: bool,
    /// One for each event the answers are for, in the order of the cart.
    pub responses: Vec<FormResponse>,
    /// What was answered.
    pub answers: Answers,
}

/// The answers to a form, saved for one event (spec §2.6 rules 2 and 3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormResponse {
    pub id: FormResponseId,
    pub event: InstanceId,
}

/// Units of an add-on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StockUnits {
    /// How many were bought.
    pub quantity: u32,
    /// How many may be sold in all.
    pub stock: u32,
}

/// What became of an order. `Paid` and `Void` are final.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum OrderState {
    /// Seats are sold and the card is being charged.
    Pending {
        /// After this instant the order is settled or voided by whoever finds it.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        deadline: Timestamp,
    },
    /// Money and order are there.
    Paid {
        /// When it was charged.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        at: Timestamp,
    },
    /// Everything was given back.
    Void {
        /// When.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        at: Timestamp,
        /// The refusal of the card, if that was the reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decline: Option<Decline>,
    },
}

/// How an order is paid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// The sale the charge becomes.
    pub sale: SaleId,
    /// The merchant that charges.
    pub mid: Mid,
    /// What is charged.
    pub amount: Money,
    /// The card, as far as it may be kept.
    pub card: CardSummary,
    /// What the merchant pays for it.
    pub rate_card: RateCard,
    /// What the card statement says.
    pub descriptor: String,
}

/// What may be kept of a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardSummary {
    pub brand: CardBrand,
    /// Last four digits.
    pub last_four: String,
    /// Month of expiry.
    pub expiry: Expiry,
}

/// A reservation an order consumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsumedReservation {
    /// Which.
    pub id: ReservationId,
    /// Its holds as they were, by instance.
    pub holds: BTreeMap<InstanceId, Hold>,
}

/// One line of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "camelCase")]
pub enum OrderLine {
    Ticket(OrderTicketLine),
    AddOn(OrderAddOnLine),
    Donation(Box<OrderDonationLine>),
    /// Several events at one price.
    Combo(Box<OrderComboLine>),
    Membership(Box<OrderMembershipLine>),
}

/// What a line came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderAmounts {
    /// Units.
    pub quantity: u32,
    /// Full price of a unit.
    pub retail_unit: Money,
    /// Price of a unit after discounts.
    pub unit: Money,
    /// Full price of the line.
    pub retail_amount: Money,
    /// Price of the line after discounts.
    pub amount: Money,
}

/// Tickets of one type for one event instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderTicketLine {
    pub id: OrderItemId,
    /// The event instance.
    pub instance: InstanceId,
    /// The shard of its ledger the seats were sold from.
    pub shard: u32,
    pub template: TemplateId,
    pub ticket_type: TicketTypeId,
    /// Name of the event when it was sold.
    pub event_name: String,
    /// Name of the ticket type when it was sold.
    pub ticket_type_name: String,
    /// When the event starts.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub event_start: Timestamp,
    /// How visitors are admitted.
    pub admission: AdmissionType,
    /// Whether the event's date is kept off tickets and mails.
    #[serde(default)]
    pub hide_event_date: bool,
    /// Price.
    pub amounts: OrderAmounts,
    /// What the price follows from; none in orders of before this was noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<AppliedPrice>,
    /// The line of the cart it was, by which the uses of what members are entitled to name it; none as above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cart_item: Option<CartItemId>,
    /// What it contains of tax; none in orders of before this was noted, and where nothing was said of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax: Option<TaxShare>,
}

/// An add-on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderAddOnLine {
    pub id: OrderItemId,
    /// What was bought.
    pub inventory: InventoryId,
    /// The event instance it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<InstanceId>,
    /// Its name when it was sold.
    pub name: String,
    /// Price.
    pub amounts: OrderAmounts,
    /// What it contains of tax; none in orders of before this was noted, and where nothing was said of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax: Option<TaxShare>,
}

/// A donation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderDonationLine {
    pub id: OrderItemId,
    /// What was given to.
    pub inventory: InventoryId,
    /// Fixed or chosen.
    pub kind: DonationKind,
    /// Its name when it was given.
    pub name: String,
    /// Appeal, recognition, dedication, beneficiary.
    #[serde(default)]
    pub detail: DonationDetail,
    pub amounts: OrderAmounts,
}

/// Combos of one definition for one ticket type. Each event has an identity of its own below that of the combo
/// (decision 0044).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderComboLine {
    /// Identity of the whole.
    pub id: OrderItemId,
    /// The definition.
    pub combo: ComboTemplateId,
    /// How its price came about.
    pub kind: ComboKind,
    /// Its name when it was sold.
    pub name: String,
    /// The ticket type, of the tickets for every event.
    pub ticket_type: TicketTypeId,
    /// Name of the ticket type when it was sold.
    pub ticket_type_name: String,
    /// Its events. Their amounts add up to those of the whole; the unit is one ticket, and its price after
    /// discounts is rounded where the amount does not divide evenly.
    pub parts: Vec<OrderTicketLine>,
    /// Price; the unit is one combo.
    pub amounts: OrderAmounts,
    /// What it contains of tax, as above. That of its events adds up to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax: Option<TaxShare>,
}

impl OrderLine {
    /// The tickets it has, one entry for each event.
    #[must_use]
    pub fn tickets(&self) -> &[OrderTicketLine] {
        match self {
            Self::Ticket(line) => std::slice::from_ref(line),
            Self::AddOn(_) | Self::Donation(_) | Self::Membership(_) => &[],
            Self::Combo(line) => &line.parts,
        }
    }

    /// Identity.
    #[must_use]
    pub fn id(&self) -> &OrderItemId {
        match self {
            Self::Ticket(line) => &line.id,
            Self::AddOn(line) => &line.id,
            Self::Donation(line) => &line.id,
            Self::Combo(line) => &line.id,
            Self::Membership(line) => &line.id,
        }
    }

    /// Price.
    #[must_use]
    pub fn amounts(&self) -> OrderAmounts {
        match self {
            Self::Ticket(line) => line.amounts,
            Self::AddOn(line) => line.amounts,
            Self::Donation(line) => line.amounts,
            Self::Combo(line) => line.amounts,
            Self::Membership(line) => line.amounts,
        }
    }
}

impl Order {
    /// Seats sold per event instance.
    #[must_use]
    pub fn seats(&self) -> BTreeMap<InstanceId, u32> {
        let mut seats: BTreeMap<InstanceId, u32> = BTreeMap::new();
        for line in self.ticket_lines() {
            let sold = seats.entry(line.instance).or_default();
            *sold = sold.saturating_add(line.amounts.quantity);
        }
        seats
    }

    /// The ticket lines as they were sold, those of the events of combos included.
    pub fn ticket_lines(&self) -> impl Iterator<Item = &OrderTicketLine> {
        self.lines.iter().flat_map(OrderLine::tickets)
    }

    /// The ticket lines, those that came of exchanges behind those that were sold.
    pub fn all_ticket_lines(&self) -> impl Iterator<Item = &OrderTicketLine> {
        self.rows().flat_map(OrderRow::tickets)
    }

    /// Where a customer came from that it makes, as it was said with a gift.
    #[must_use]
    pub fn source_of(&self, customer: CustomerId) -> Option<&str> {
        let mut made = self.memberships().flat_map(|line| &line.change.customers);
        made.find(|made| made.id == customer && made.source.is_some())?.source.as_deref()
    }

    /// The memberships it buys.
    pub fn memberships(&self) -> impl Iterator<Item = &OrderMembershipLine> {
        self.lines.iter().filter_map(|line| match line {
            OrderLine::Membership(line) => Some(line.as_ref()),
            OrderLine::Ticket(_) | OrderLine::AddOn(_) | OrderLine::Donation(_) | OrderLine::Combo(_) => None,
        })
    }

    /// Whether a form was filled in for an event.
    #[must_use]
    pub fn has_response_for(&self, event: &InstanceId) -> bool {
        let mut responses = self.forms.iter().flat_map(|form| &form.responses);
        responses.any(|response| response.event == *event)
    }

    /// The same while its buyer is asked, to be finished by another deadline.
    #[must_use]
    pub fn asking(&self, challenge: Challenge, deadline: Timestamp) -> Self {
        let state = OrderState::Pending { deadline };
        Self { state, challenge: Some(challenge), ..self.clone() }
    }

    /// When it was paid, if it was.
    #[must_use]
    pub fn paid_at(&self) -> Option<Timestamp> {
        match self.state {
            OrderState::Paid { at } => Some(at),
            OrderState::Pending { .. } | OrderState::Void { .. } => None,
        }
    }
}
