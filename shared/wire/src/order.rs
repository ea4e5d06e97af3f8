//! Orders on the wire (spec §2.9; contract §6).

mod form;
mod membership;

pub use form::OrderFormView;
pub use membership::{OrderMembershipCardView, OrderMembershipView};

use crate::cart::DonationDetailOutput;
use crate::money_text;
use crate::page::PaginationView;
use domain::cart::DonationDetail;
use domain::order::{
    Order, OrderAddOnLine, OrderAmounts, OrderComboLine, OrderDonationLine, OrderLine, OrderMembershipLine,
    OrderTicketLine, Payment,
};
use domain::{MembershipId, Money, OrderItemId, Zone};
use serde::Serialize;
use utoipa::ToSchema;

/// The sale channel of every order: there is no other way to check out (contract §6).
pub(crate) const SALE_CHANNEL: &str = "Online";
/// Nobody has been let in yet. Gates do not report to Boxoffice.
pub(crate) const NOT_CHECKED_IN: &str = "NotCheckedIn";
/// The line was not converted into anything else.
pub(crate) const NO_CONVERSION: &str = "NoConversion";
/// Orders are made by visitors, not by users with a number.
const ACTOR: &str = "online";
/// A line that is part of no other.
const TOP_LEVEL: &str = "0";

/// An order, with the fields of spec §2.9 in its order. Facts that are not known are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderView {
    /// Identity: digits.
    pub id: String,
    /// Whose sale it is.
    pub tenant_id: i64,
    /// The visitor, as the cart named them.
    pub visitor_id: String,
    /// The customer it is linked to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customer_id: Option<i64>,
    /// Contact address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Where the receipt goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_email: Option<String>,
    /// Contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_first_name: Option<String>,
    /// Contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_last_name: Option<String>,
    /// Payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_first_name: Option<String>,
    /// Payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_last_name: Option<String>,
    /// Payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_address1: Option<String>,
    /// Payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_country: Option<String>,
    /// Payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_city: Option<String>,
    /// Payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_zip_code: Option<String>,
    /// Payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_state: Option<String>,
    /// Payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_phone_number: Option<String>,
    /// Contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address1: Option<String>,
    /// Contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// Contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zip_code: Option<String>,
    /// Contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// The number printed for people: nine digits, unique per tenant.
    pub order_number: String,
    /// Sum of the lines after discounts.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub discounted_total_amount: Money,
    /// Sum of the lines at full price.
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
    /// What was charged.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub paid_amount: Money,
    /// What is still owed: nothing, since an order exists once it is paid.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub balance_amount: Money,
    /// What was given back of what was charged.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub refund_amount: Money,
    /// `Online`.
    pub sale_channel: &'static str,
    /// `NotCheckedIn`.
    pub check_in_status: &'static str,
    /// Last four digits of the card; left out when nothing was charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cc_last_four_digits: Option<String>,
    /// When the checkout began.
    pub creation_date: String,
    /// When it had to be paid: at once.
    pub payment_due_date: String,
    /// When the checkout began.
    pub created_on: String,
    /// `online`.
    pub created_by: &'static str,
    /// When it was paid.
    pub updated_on: String,
    /// `online`.
    pub updated_by: &'static str,
    /// `false`: there is no older system.
    pub legacy: bool,
    /// Whether an event's date is kept off tickets and mails.
    pub hide_event_date: bool,
    /// `false`: orders are paid at once.
    pub invoice_after: bool,
    /// `false`: nothing has been made unreadable.
    pub obfuscated: bool,
    /// What was bought. The items with `parentItemId` `0` add up to the totals.
    pub order_items: Vec<OrderItemView>,
    /// What was charged, by merchant; empty for an order that costs nothing.
    pub payments: Vec<PaymentView>,
    /// The memberships that drove its prices, as they were sent, and those that came of it.
    pub membership_ids: Vec<i64>,
    /// What was answered to the forms of its events, a response for each event; left out where nothing was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forms: Vec<OrderFormView>,
}

/// One line of an order (spec §2.9). Fields of other kinds of lines are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderItemView {
    /// `0`, or the item of the combo this item is a part of.
    pub parent_item_id: String,
    /// Identity: digits.
    pub item_id: String,
    /// Identity: digits.
    pub item_detail_id: String,
    /// Of a combo and its parts: `fixedPrice` or `discountCode`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combo_template_type: Option<&'static str>,
    /// The combo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combo_template_id: Option<String>,
    /// The event instance of tickets, or the one an add-on belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// The ticket type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticketing_type_id: Option<String>,
    /// The event's name when it was sold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_name: Option<String>,
    /// When the event starts, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_start_time: Option<i64>,
    /// The ticket type's name when it was sold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticketing_type_name: Option<String>,
    /// Units first ordered.
    pub basic_original_quantity: u32,
    /// Units first ordered.
    pub original_quantity: u32,
    /// Units.
    pub basic_quantity: u32,
    /// Units.
    pub quantity: u32,
    /// Full price of a unit.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub unit_price: Money,
    /// Price of a unit after discounts.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub discounted_unit_price: Money,
    /// Price of the line after discounts, as first ordered.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub discounted_original_amount: Money,
    /// Full price of the line, as first ordered.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub original_amount: Money,
    /// Price of the line after discounts.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub discounted_amount: Money,
    /// Full price of the line.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub amount: Money,
    /// What is still owed: nothing.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub balance_amount: Money,
    /// `Event`, `Inventory`, or what was done with a membership, such as `MembershipPurchase`.
    pub item_type: &'static str,
    /// `Event`, `Inventory`, `Donation`, `Combo` or `Membership`.
    pub item_type_ng: &'static str,
    /// `NoConversion`.
    pub conversion_status: &'static str,
    /// The line in words: the ticket type or what was bought.
    pub display_name: String,
    /// The add-on or donation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inventory_id: Option<i64>,
    /// Its name when it was sold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inventory_name: Option<String>,
    /// Facts about a donation (spec §2.4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub donation_detail: Option<DonationDetailOutput>,
    /// The membership that came of it (spec §2.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub membership_info: Option<OrderMembershipView>,
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
    /// The card's brand, in the spelling of spec §2.8.
    pub card_brand: &'static str,
    /// The card's last four digits.
    pub last_four: String,
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
        let (contact, billing) = (order.contact.clone(), order.billing.clone());
        let payment = order.payment.as_ref();
        let created = zone.format(order.created_at);
        Self {
            id: order.id.to_string(),
            tenant_id: order.tenant.get(),
            visitor_id: order.visitor.clone(),
            customer_id: order.customer.map(domain::CustomerId::get),
            email: contact.email,
            billing_email: billing.email,
            contact_first_name: contact.first_name,
            contact_last_name: contact.last_name,
            billing_first_name: billing.first_name,
            billing_last_name: billing.last_name,
            billing_address1: billing.address1,
            billing_country: billing.country,
            billing_city: billing.city,
            billing_zip_code: billing.zip_code,
            billing_state: billing.state,
            billing_phone_number: billing.phone_number,
            address1: contact.address1,
            country: contact.country,
            city: contact.city,
            state: contact.state,
            zip_code: contact.zip_code,
            phone_number: contact.phone_number,
            order_number: order.number.to_string(),
            discounted_total_amount: order.total,
            total_amount: order.retail_total,
            discounted_original_total_amount: order.total,
            original_total_amount: order.retail_total,
            paid_amount: payment.map_or(Money::ZERO, |payment| payment.amount),
            balance_amount: Money::ZERO,
            refund_amount: order.refunded,
            sale_channel: SALE_CHANNEL,
            check_in_status: NOT_CHECKED_IN,
            cc_last_four_digits: payment.map(|payment| payment.card.last_four.clone()),
            creation_date: created.clone(),
            payment_due_date: created.clone(),
            created_on: created,
            created_by: ACTOR,
            updated_on: zone.format(order.paid_at().unwrap_or(order.created_at)),
            updated_by: ACTOR,
            legacy: false,
            hide_event_date: order.ticket_lines().any(|line| line.hide_event_date),
            invoice_after: false,
            obfuscated: false,
            order_items: order.lines.iter().flat_map(|line| OrderItemView::rows_of(line, zone)).collect(),
            payments: payment.map(PaymentView::new).into_iter().collect(),
            membership_ids: membership_ids(order).map(MembershipId::get).collect(),
            forms: OrderFormView::all(order),
        }
    }
}

/// The memberships that an order names, and those that it sold.
pub(crate) fn membership_ids(order: &Order) -> impl Iterator<Item = MembershipId> {
    let sold = order.memberships().map(|line| line.change.after.id);
    order.membership_ids.iter().copied().chain(sold)
}

impl OrderItemView {
    /// The item of a line; behind that of a combo stand those of its events.
    fn rows_of(line: &OrderLine, zone: Zone) -> Vec<Self> {
        let bare = Self::bare(line.id(), line.amounts());
        match line {
            OrderLine::Ticket(ticket) => vec![Self::ticket(ticket, bare)],
            OrderLine::AddOn(add_on) => vec![Self::add_on(add_on, bare)],
            OrderLine::Donation(donation) => vec![Self::donation(donation, bare)],
            OrderLine::Combo(combo) => {
                let parts = combo.parts.iter().map(|part| Self::part(combo, part));
                std::iter::once(Self::combo(combo, bare)).chain(parts).collect()
            }
            OrderLine::Membership(membership) => {
                let membership_info = Some(OrderMembershipView::new(membership, zone));
                vec![Self { membership_info, ..Self::membership(membership, bare) }]
            }
        }
    }

    fn combo(line: &OrderComboLine, bare: Self) -> Self {
        Self {
            combo_template_type: Some(line.kind.as_str()),
            combo_template_id: Some(line.combo.to_string()),
            ticketing_type_id: Some(line.ticket_type.to_string()),
            ticketing_type_name: Some(line.ticket_type_name.clone()),
            item_type: "Event",
            item_type_ng: "Combo",
            display_name: line.name.clone(),
            ..bare
        }
    }

    /// One event of a combo.
    fn part(line: &OrderComboLine, part: &OrderTicketLine) -> Self {
        Self {
            parent_item_id: line.id.to_string(),
            combo_template_type: Some(line.kind.as_str()),
            ..Self::ticket(part, Self::bare(&part.id, part.amounts))
        }
    }

    fn ticket(line: &OrderTicketLine, bare: Self) -> Self {
        Self {
            event_id: Some(line.instance.to_string()),
            ticketing_type_id: Some(line.ticket_type.to_string()),
            event_name: Some(line.event_name.clone()),
            event_start_time: Some(line.event_start.timestamp_millis()),
            ticketing_type_name: Some(line.ticket_type_name.clone()),
            item_type: "Event",
            item_type_ng: "Event",
            display_name: line.ticket_type_name.clone(),
            ..bare
        }
    }

    fn add_on(line: &OrderAddOnLine, bare: Self) -> Self {
        Self {
            event_id: line.instance.map(|instance| instance.to_string()),
            display_name: line.name.clone(),
            inventory_id: Some(line.inventory.get()),
            inventory_name: Some(line.name.clone()),
            ..bare
        }
    }

    fn donation(line: &OrderDonationLine, bare: Self) -> Self {
        let detail =
            (line.detail != DonationDetail::default()).then(|| DonationDetailOutput::from(&line.detail));
        Self {
            item_type_ng: "Donation",
            display_name: line.name.clone(),
            inventory_id: Some(line.inventory.get()),
            inventory_name: Some(line.name.clone()),
            donation_detail: detail,
            ..bare
        }
    }

    fn membership(line: &OrderMembershipLine, bare: Self) -> Self {
        Self {
            item_type: line.action.as_str(),
            item_type_ng: "Membership",
            display_name: line.level_name.clone(),
            ..bare
        }
    }

    /// What lines of every kind have.
    fn bare(id: &OrderItemId, amounts: OrderAmounts) -> Self {
        let id = id.to_string();
        Self {
            parent_item_id: TOP_LEVEL.to_owned(),
            item_id: id.clone(),
            item_detail_id: id,
            combo_template_type: None,
            combo_template_id: None,
            event_id: None,
            ticketing_type_id: None,
            event_name: None,
            event_start_time: None,
            ticketing_type_name: None,
            basic_original_quantity: amounts.quantity,
            original_quantity: amounts.quantity,
            basic_quantity: amounts.quantity,
            quantity: amounts.quantity,
            unit_price: amounts.retail_unit,
            discounted_unit_price: amounts.unit,
            discounted_original_amount: amounts.amount,
            original_amount: amounts.retail_amount,
            discounted_amount: amounts.amount,
            amount: amounts.retail_amount,
            balance_amount: Money::ZERO,
            item_type: "Inventory",
            item_type_ng: "Inventory",
            conversion_status: NO_CONVERSION,
            display_name: String::new(),
            inventory_id: None,
            inventory_name: None,
            donation_detail: None,
            membership_info: None,
        }
    }
}

impl PaymentView {
    fn new(payment: &Payment) -> Self {
        Self {
            sale_id: payment.sale.to_string(),
            mid: payment.mid.to_string(),
            amount: payment.amount,
            card_brand: payment.card.brand.as_str(),
            last_four: payment.card.last_four.clone(),
        }
    }
}
