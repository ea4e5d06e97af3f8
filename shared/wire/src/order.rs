//! Orders on the wire (spec §2.9; contract §6).

mod after;
mod contacts;
mod form;
mod item;
mod mail;
mod manifest;
mod membership;
mod response;
mod short;

pub use after::{OrderExchangeView, OrderMovedItemView, OrderRefundView, OrderRefundedItemView};
pub use contacts::{
    ContactsChange, MailAgainInput, MailAgainRequest, MailedAgainView, OrderContactsInput, OrderEditView,
};
pub use form::OrderFormView;
pub use item::OrderItemView;
pub use mail::{DisputeView, FailedRefundView, OrderMailView, StaffOrderView};
pub use manifest::{MANIFEST_COLUMNS, ManifestFormView, ManifestRowView};
pub use membership::{OrderMembershipCardView, OrderMembershipView};
pub use response::{
    AnsweredFieldView, AnsweredFieldsView, AnsweredFormView, AnsweredTemplateView, RESPONSE_COLUMNS,
};
pub use short::{
    EventInShortView, FoundOrderView, FoundOrdersView, FoundPaginationView, ItemInShortView,
    OrderInShortView, TicketInShortView,
};

use crate::money_text;
use crate::page::PaginationView;
use crate::tax::OrderTaxView;
use domain::combo::ComboKind;
use domain::order::{Order, Payment};
use domain::{MembershipId, Money, Timestamp, Zone};
use serde::Serialize;
use utoipa::ToSchema;

/// The sale channel of every order: there is no other way to check out (contract §6).
pub(crate) const SALE_CHANNEL: &str = "Online";
/// The line was not converted into anything else.
pub(crate) const NO_CONVERSION: &str = "NoConversion";
/// The kind of combo of a line that is none (contract §R).
pub(crate) const NO_COMBO: &str = ComboKind::FixedPrice.as_str();
/// Orders are made by visitors, not by users with a number.
const ACTOR: &str = "online";
/// An order, with the fields of spec §2.9 in its order. Facts that are not known are null.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderView {
    /// Identity: digits.
    pub id: String,
    /// Whose sale it is.
    pub tenant_id: i64,
    /// The visitor, as the cart named them.
    pub visitor_id: String,
    /// The customer it is linked to.
    pub customer_id: Option<i64>,
    /// Contact address.
    pub email: Option<String>,
    /// Where the receipt goes.
    pub billing_email: Option<String>,
    /// Contact.
    pub contact_first_name: Option<String>,
    /// Contact.
    pub contact_last_name: Option<String>,
    /// Contact, as one text, as it was sent; null where it was not.
    pub contact_full_name: Option<String>,
    /// Payer.
    pub billing_first_name: Option<String>,
    /// Payer.
    pub billing_last_name: Option<String>,
    /// Payer.
    pub billing_address1: Option<String>,
    /// Payer: what else the address has, such as a floor; null where it has nothing.
    pub billing_address2: Option<String>,
    /// Payer.
    pub billing_country: Option<String>,
    /// Payer.
    pub billing_city: Option<String>,
    /// Payer.
    pub billing_zip_code: Option<String>,
    /// Payer.
    pub billing_state: Option<String>,
    /// Payer.
    pub billing_phone_number: Option<String>,
    /// Contact.
    pub address1: Option<String>,
    /// Contact: what else the address has, such as a floor; null where it has nothing.
    pub address2: Option<String>,
    /// Contact.
    pub country: Option<String>,
    /// Contact.
    pub city: Option<String>,
    /// Contact.
    pub state: Option<String>,
    /// Contact.
    pub zip_code: Option<String>,
    /// Contact.
    pub phone_number: Option<String>,
    /// The number printed for people: nine digits, unique per tenant.
    pub order_number: String,
    /// The running number of the year, such as `2027-000123`; null where the venue did not want one.
    pub receipt_number: Option<String>,
    /// Remarks on the order, without card numbers; null where there are none.
    pub notes: Option<String>,
    /// What its amounts are counted in, by the ISO 4217 code, such as `EUR`.
    pub currency: String,
    /// What its mails are written in: `en`, `es`, `fr`, `de`, `it`, `nl` or `pt`.
    pub locale: &'static str,
    /// Sum of what is left of the lines after discounts.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub discounted_total_amount: Money,
    /// Sum of what is left of the lines at full price.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub total_amount: Money,
    /// Sum of the lines after discounts, as first ordered.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub discounted_original_total_amount: Money,
    /// Sum of the lines at full price, as first ordered.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub original_total_amount: Money,
    /// What its prices contain of taxes, by rate; empty where nothing was said of any.
    pub taxes: Vec<OrderTaxView>,
    /// What was charged.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub paid_amount: Money,
    /// What is still owed: the fees of exchanges. An order exists once it is paid.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub balance_amount: Money,
    /// What was given back of what was charged.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub refund_amount: Money,
    /// `Online`.
    pub sale_channel: &'static str,
    /// `NotCheckedIn`, `PartiallyCheckedIn` or `CheckedIn`: its visitors, of the tickets that admit and those that were
    /// given back after they had let somebody in.
    pub check_in_status: &'static str,
    /// Last four digits of the card; null when nothing was charged.
    pub cc_last_four_digits: Option<String>,
    /// When the checkout began.
    pub creation_date: String,
    /// When it had to be paid: at once.
    pub payment_due_date: String,
    /// When the checkout began.
    pub created_on: String,
    /// Who sold it, where that was said; otherwise `online`.
    pub created_by: String,
    /// When something was done with it last: a refund, an exchange, its contacts put right, a mail sent again; before
    /// that, when it was paid.
    pub updated_on: String,
    /// Who did that, where it was said, and before that who sold it; otherwise `online`. Storefronts are told who sold
    /// it.
    pub updated_by: String,
    /// `false`: there is no older system.
    pub legacy: bool,
    /// Whether an event's date is kept off tickets and mails.
    pub hide_event_date: bool,
    /// `false`: orders are paid at once.
    pub invoice_after: bool,
    /// `false`: nothing has been made unreadable.
    pub obfuscated: bool,
    /// What was bought, and behind it what came of exchanges. The items with `parentItemId` `0` add up to the totals.
    pub order_items: Vec<OrderItemView>,
    /// What was charged, by merchant; empty for an order that costs nothing.
    pub payments: Vec<PaymentView>,
    /// The memberships that drove its prices, as they were sent, and those that came of it.
    pub membership_ids: Vec<i64>,
    /// The first of them.
    pub membership_id: Option<i64>,
    /// What was answered to the forms of its events, a response for each event; empty where nothing was, and null in
    /// lists of orders, which it would make too long.
    pub forms: Option<Vec<OrderFormView>>,
    /// The refunds of what was bought, in the order in which they were asked for.
    pub refunds: Vec<OrderRefundView>,
    /// The exchanges of tickets, in their order.
    pub exchanges: Vec<OrderExchangeView>,
}

/// A charge (contract §6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentView {
    /// The sale, which refunds name.
    pub sale_id: String,
    /// The merchant that charged.
    pub mid: String,
    /// What was charged.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub amount: Money,
    /// What that is counted in.
    pub currency: String,
    /// The card's brand, in the spelling of spec §2.8.
    pub card_brand: &'static str,
    /// The card's last four digits.
    pub last_four: String,
    /// The latest dispute of the buyer about it, for the back office; null where there is none, and for storefronts.
    pub disputed: Option<DisputeView>,
}

/// Orders found by a search (contract §1, "List envelope").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct OrderListView {
    /// The orders of this page.
    pub list: Vec<OrderView>,
    /// Where the page stands.
    pub pagination: PaginationView,
}

impl OrderView {
    /// An order as the tenant's clocks show it.
    #[must_use]
    pub fn new(order: &Order, zone: Zone) -> Self {
        let created = zone.format(order.created_at);
        let (total_left, retail_left) = order.total_left();
        Self {
            id: order.id.to_string(),
            tenant_id: order.tenant.get(),
            order_number: order.number.to_string(),
            receipt_number: order.receipt.map(|receipt| receipt.to_string()),
            notes: order.notes.clone(),
            currency: order.currency.to_string(),
            locale: order.locale.code(),
            discounted_total_amount: total_left,
            total_amount: retail_left,
            discounted_original_total_amount: order.total,
            original_total_amount: order.retail_total,
            taxes: OrderTaxView::all(order),
            paid_amount: order.payment.as_ref().map_or(Money::ZERO, |payment| payment.amount),
            balance_amount: order.fees_due(),
            refund_amount: order.refunded,
            sale_channel: SALE_CHANNEL,
            check_in_status: order.check_in().status().as_str(),
            cc_last_four_digits: order.payment.as_ref().map(|payment| payment.card.last_four.clone()),
            creation_date: created.clone(),
            payment_due_date: created.clone(),
            created_on: created,
            created_by: sold_by(order).to_owned(),
            updated_on: zone.format(updated_at(order)),
            updated_by: sold_by(order).to_owned(),
            legacy: false,
            hide_event_date: order.ticket_lines().any(|line| line.hide_event_date),
            invoice_after: false,
            obfuscated: false,
            order_items: order.rows().flat_map(|row| OrderItemView::rows_of(order, row, zone)).collect(),
            payments: PaymentView::all(order),
            membership_ids: order.all_membership_ids().map(MembershipId::get).collect(),
            membership_id: order.all_membership_ids().next().map(MembershipId::get),
            forms: Some(OrderFormView::all(order)),
            refunds: OrderRefundView::all(order, zone),
            exchanges: OrderExchangeView::all(order, zone),
            ..Self::of_people(order)
        }
    }

    /// Only who bought an order and whom it is for.
    fn of_people(order: &Order) -> Self {
        let (contact, billing) = (order.contact.clone(), order.billing.clone());
        Self {
            visitor_id: order.visitor.clone(),
            customer_id: order.customer.map(domain::CustomerId::get),
            email: contact.email,
            billing_email: billing.email,
            contact_first_name: contact.first_name,
            contact_last_name: contact.last_name,
            contact_full_name: contact.full_name,
            billing_first_name: billing.first_name,
            billing_last_name: billing.last_name,
            billing_address1: billing.address1,
            billing_address2: billing.address2,
            billing_country: billing.country,
            billing_city: billing.city,
            billing_zip_code: billing.zip_code,
            billing_state: billing.state,
            billing_phone_number: billing.phone_number,
            address1: contact.address1,
            address2: contact.address2,
            country: contact.country,
            city: contact.city,
            state: contact.state,
            zip_code: contact.zip_code,
            phone_number: contact.phone_number,
            ..Self::default()
        }
    }
}

impl OrderView {
    /// An order as the back office sees it, with the reasons of its refunds and who did what with it.
    #[must_use]
    pub fn for_staff(order: &Order, zone: Zone) -> Self {
        Self {
            updated_by: order
                .last_change()
                .map_or(sold_by(order), |change| change.by.unwrap_or(ACTOR))
                .to_owned(),
            refunds: OrderRefundView::for_staff(order, zone),
            exchanges: OrderExchangeView::for_staff(order, zone),
            payments: PaymentView::for_staff(order, zone),
            ..Self::new(order, zone)
        }
    }

    /// The same without what visitors answered to forms, which can be long.
    #[must_use]
    pub fn listed_for_staff(order: &Order, zone: Zone) -> Self {
        Self { forms: None, ..Self::for_staff(order, zone) }
    }
}

fn updated_at(order: &Order) -> Timestamp {
    let paid = order.paid_at().unwrap_or(order.created_at);
    order.last_change().map_or(paid, |change| change.at)
}

fn sold_by(order: &Order) -> &str {
    order.operator.as_deref().unwrap_or(ACTOR)
}

impl PaymentView {
    fn all(order: &Order) -> Vec<Self> {
        order.payment.iter().map(|payment| Self::new(order, payment)).collect()
    }

    fn new(order: &Order, payment: &Payment) -> Self {
        Self {
            sale_id: payment.sale.to_string(),
            mid: payment.mid.to_string(),
            amount: payment.amount,
            currency: order.currency.to_string(),
            card_brand: payment.card.brand.as_str(),
            last_four: payment.card.last_four.clone(),
            disputed: None,
        }
    }

    fn for_staff(order: &Order, zone: Zone) -> Vec<Self> {
        let disputed = || order.dispute.as_ref().map(|dispute| DisputeView::new(dispute, zone));
        Self::all(order).into_iter().map(|payment| Self { disputed: disputed(), ..payment }).collect()
    }
}
