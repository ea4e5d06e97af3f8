//! The items of an order (spec §2.9).

use super::{NO_COMBO, NO_CONVERSION, OrderMembershipView};
use crate::cart::DonationDetailOutput;
use crate::money_text;
use domain::cart_request::DonationDetail;
use domain::order::{
    Order, OrderAddOnLine, OrderAmounts, OrderComboLine, OrderDonationLine, OrderLine, OrderMembershipLine,
    OrderTicketLine, Row,
};
use domain::{Money, OrderItemId, Zone};
use serde::Serialize;
use utoipa::ToSchema;

/// A line that is part of no other.
const TOP_LEVEL: &str = "0";

/// One line of an order (spec §2.9). Fields of other kinds of lines are null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderItemView {
    /// `0`, or the item of the combo this item is a part of.
    pub parent_item_id: String,
    /// Identity: digits.
    pub item_id: String,
    /// Identity: digits.
    pub item_detail_id: String,
    /// Of a combo and its parts: `fixedPrice` or `discountCode`; of what is no combo, `fixedPrice`.
    pub combo_template_type: &'static str,
    /// The combo.
    pub combo_template_id: Option<String>,
    /// The event instance of tickets, or the one an add-on belongs to.
    pub event_id: Option<String>,
    /// The ticket type.
    pub ticketing_type_id: Option<String>,
    /// The event's name when it was sold.
    pub event_name: Option<String>,
    /// When the event starts, in milliseconds since 1970.
    pub event_start_time: Option<i64>,
    /// The ticket type's name when it was sold.
    pub ticketing_type_name: Option<String>,
    /// Units first ordered; none of an item that came of an exchange.
    pub basic_original_quantity: u32,
    /// Units first ordered.
    pub original_quantity: u32,
    /// Units that are left after refunds and exchanges.
    pub basic_quantity: u32,
    /// Units that are left after refunds and exchanges.
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
    /// Price of what is left of the line, after discounts.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub discounted_amount: Money,
    /// Full price of what is left of the line.
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
    /// What kind of its sort was bought: the ticket type, the add-on or donation, the combo, or the level.
    pub item_type_id: String,
    /// Its name when it was sold.
    pub item_type_name: String,
    /// The line in words: the ticket type or what was bought.
    pub display_name: String,
    /// The add-on or donation.
    pub inventory_id: Option<i64>,
    /// Its name when it was sold.
    pub inventory_name: Option<String>,
    /// Facts about a donation (spec §2.4).
    pub donation_detail: Option<DonationDetailOutput>,
    /// The membership that came of it (spec §2.5).
    pub membership_info: Option<OrderMembershipView>,
}

impl OrderItemView {
    /// The item of a line; behind that of a combo stand those of its events.
    pub(super) fn rows_of(order: &Order, row: Row<'_>, zone: Zone) -> Vec<Self> {
        let left = order.left_of(row);
        match row {
            Row::Sold(line) => Self::sold(order, line, left, zone),
            Row::Moved(moved) => {
                let nothing = OrderAmounts {
                    quantity: 0,
                    retail_amount: Money::ZERO,
                    amount: Money::ZERO,
                    ..moved.line.amounts
                };
                vec![Self::ticket(&moved.line, Self::bare(&moved.line.id, nothing, left))]
            }
        }
    }

    fn sold(order: &Order, line: &OrderLine, left: OrderAmounts, zone: Zone) -> Vec<Self> {
        let bare = Self::bare(line.id(), line.amounts(), left);
        match line {
            OrderLine::Ticket(ticket) => vec![Self::ticket(ticket, bare)],
            OrderLine::AddOn(add_on) => vec![Self::add_on(order, add_on, bare)],
            OrderLine::Donation(donation) => vec![Self::donation(donation, bare)],
            OrderLine::Combo(combo) => {
                let parts = combo.parts.iter().map(|part| Self::part(combo, part, left.quantity));
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
            combo_template_type: line.kind.as_str(),
            combo_template_id: Some(line.combo.to_string()),
            ticketing_type_id: Some(line.ticket_type.to_string()),
            ticketing_type_name: Some(line.ticket_type_name.clone()),
            item_type: "Event",
            item_type_ng: "Combo",
            item_type_id: line.combo.to_string(),
            item_type_name: line.name.clone(),
            display_name: line.name.clone(),
            ..bare
        }
    }

    /// One event of a combo, of which so many are left.
    fn part(line: &OrderComboLine, part: &OrderTicketLine, left: u32) -> Self {
        let left = line.part_of(part, left);
        Self {
            parent_item_id: line.id.to_string(),
            combo_template_type: line.kind.as_str(),
            ..Self::ticket(part, Self::bare(&part.id, part.amounts, left))
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
            item_type_id: line.ticket_type.to_string(),
            item_type_name: line.ticket_type_name.clone(),
            display_name: line.ticket_type_name.clone(),
            ..bare
        }
    }

    fn add_on(order: &Order, line: &OrderAddOnLine, bare: Self) -> Self {
        Self {
            event_id: order.instance_of(line).map(|instance| instance.to_string()),
            item_type_id: line.inventory.to_string(),
            item_type_name: line.name.clone(),
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
            item_type_id: line.inventory.to_string(),
            item_type_name: line.name.clone(),
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
            item_type_id: line.change.after.level.to_string(),
            item_type_name: line.level_name.clone(),
            display_name: line.level_name.clone(),
            ..bare
        }
    }

    /// What lines of every kind have: as they were sold, and what is left of them.
    fn bare(id: &OrderItemId, sold: OrderAmounts, left: OrderAmounts) -> Self {
        let id = id.to_string();
        Self {
            parent_item_id: TOP_LEVEL.to_owned(),
            item_id: id.clone(),
            item_detail_id: id,
            combo_template_type: NO_COMBO,
            combo_template_id: None,
            event_id: None,
            ticketing_type_id: None,
            event_name: None,
            event_start_time: None,
            ticketing_type_name: None,
            basic_original_quantity: sold.quantity,
            original_quantity: sold.quantity,
            basic_quantity: left.quantity,
            quantity: left.quantity,
            unit_price: sold.retail_unit,
            discounted_unit_price: sold.unit,
            discounted_original_amount: sold.amount,
            original_amount: sold.retail_amount,
            discounted_amount: left.amount,
            amount: left.retail_amount,
            balance_amount: Money::ZERO,
            item_type: "Inventory",
            item_type_ng: "Inventory",
            conversion_status: NO_CONVERSION,
            item_type_id: String::new(),
            item_type_name: String::new(),
            display_name: String::new(),
            inventory_id: None,
            inventory_name: None,
            donation_detail: None,
            membership_info: None,
        }
    }
}
