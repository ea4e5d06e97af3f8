//! The items of an order (spec §2.9).

use super::{NO_COMBO, NO_CONVERSION, OrderMembershipView};
use crate::cart::DonationDetailOutput;
use crate::money_text;
use domain::cart_request::DonationDetail;
use domain::order::{
    CheckIn, CheckInStatus, Order, OrderAddOnLine, OrderAmounts, OrderComboLine, OrderDonationLine,
    OrderLine, OrderMembershipLine, OrderRow, OrderTicketLine,
};
use domain::tax::TaxShare;
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
    /// The tax that its price contains, in percent of what remains without it; null where nothing was said of one.
    pub tax_rate: Option<String>,
    /// What that tax is called.
    pub tax_name: Option<String>,
    /// How much of the price after discounts is tax, as first ordered.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub original_tax_amount: Money,
    /// How much of the price of what is left is tax.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub tax_amount: Money,
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
    /// `NotCheckedIn`, `PartiallyCheckedIn` or `CheckedIn`: its visitors. Of a combo those of all its events.
    pub check_in_status: &'static str,
    /// Tickets that let somebody in.
    pub check_in_quantity: u32,
    /// The same.
    pub checked_in_quantity: u32,
    /// When the first of them did.
    pub check_in_date: Option<String>,
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

/// What is left of a line.
#[derive(Clone, Copy)]
struct Left {
    amounts: OrderAmounts,
    tax: Money,
}

impl OrderItemView {
    /// The item of a line; behind that of a combo stand those of its events.
    pub(super) fn rows_of(order: &Order, row: OrderRow<'_>, zone: Zone) -> Vec<Self> {
        let left = order.left_of(row);
        let tax_left = order.tax_left_of(row);
        match row {
            OrderRow::Sold(line) => Self::sold(order, line, Left { amounts: left, tax: tax_left }, zone),
            OrderRow::Moved(moved) => {
                let nothing = OrderAmounts {
                    quantity: 0,
                    retail_amount: Money::ZERO,
                    amount: Money::ZERO,
                    ..moved.line.amounts
                };
                let bare = Self::bare(&moved.line.id, nothing, left);
                let bare = bare.taxed(row.tax(), Money::ZERO, tax_left);
                vec![Self::ticket(&moved.line, bare).checked_in(order.check_in_of(row), zone)]
            }
        }
    }

    fn sold(order: &Order, line: &OrderLine, left: Left, zone: Zone) -> Vec<Self> {
        let row = OrderRow::Sold(line);
        let Left { amounts: left, tax: tax_left } = left;
        let bare = Self::bare(line.id(), line.amounts(), left).checked_in(order.check_in_of(row), zone);
        let bare = bare.taxed(line.tax(), line.tax().map_or(Money::ZERO, |share| share.amount), tax_left);
        match line {
            OrderLine::Ticket(ticket) => vec![Self::ticket(ticket, bare)],
            OrderLine::AddOn(add_on) => vec![Self::add_on(order, add_on, bare)],
            OrderLine::Donation(donation) => vec![Self::donation(donation, bare)],
            OrderLine::Combo(combo) => {
                let taxes = combo.part_taxes(left.quantity, tax_left).into_iter();
                let taxes = taxes.chain(std::iter::repeat(Money::ZERO));
                let parts = combo.parts.iter().zip(taxes).map(|(part, tax)| {
                    let check_in = order.check_in_of_part(row, part);
                    Self::part(combo, part, left.quantity, tax).checked_in(check_in, zone)
                });
                std::iter::once(Self::combo(combo, bare)).chain(parts).collect()
            }
            OrderLine::Membership(membership) => {
                let membership_info = Some(OrderMembershipView::new(membership, zone));
                vec![Self { membership_info, ..Self::membership(membership, bare) }]
            }
        }
    }

    /// With what the doors say of its tickets.
    fn checked_in(self, check_in: CheckIn, zone: Zone) -> Self {
        Self {
            check_in_status: check_in.status().as_str(),
            check_in_quantity: check_in.admitted,
            checked_in_quantity: check_in.admitted,
            check_in_date: check_in.first_entry.map(|at| zone.format(at)),
            ..self
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

    /// One event of a combo, of which so many are left with so much tax.
    fn part(line: &OrderComboLine, part: &OrderTicketLine, left: u32, tax_left: Money) -> Self {
        let bare = Self::bare(&part.id, part.amounts, line.part_of(part, left));
        let sold = part.tax.as_ref();
        let bare = bare.taxed(sold, sold.map_or(Money::ZERO, |share| share.amount), tax_left);
        Self {
            parent_item_id: line.id.to_string(),
            combo_template_type: line.kind.as_str(),
            ..Self::ticket(part, bare)
        }
    }

    /// With what its prices contain of tax, as they were sold and as they are left.
    fn taxed(self, share: Option<&TaxShare>, sold: Money, left: Money) -> Self {
        Self {
            tax_rate: share.map(|share| share.tax.rate.to_string()),
            tax_name: share.and_then(|share| share.tax.name.clone()),
            original_tax_amount: sold,
            tax_amount: left,
            ..self
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
            tax_rate: None,
            tax_name: None,
            original_tax_amount: Money::ZERO,
            tax_amount: Money::ZERO,
            balance_amount: Money::ZERO,
            item_type: "Inventory",
            item_type_ng: "Inventory",
            conversion_status: NO_CONVERSION,
            check_in_status: CheckInStatus::NotCheckedIn.as_str(),
            check_in_quantity: 0,
            checked_in_quantity: 0,
            check_in_date: None,
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
