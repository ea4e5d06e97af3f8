//! Will-call orders on the wire: what the counter needs to hand out tickets (spec §2.18, §4.9).

use crate::money_text;
use crate::order::{NO_COMBO, NO_CONVERSION, SALE_CHANNEL};
use domain::catalog::AdmissionType;
use domain::catalog::ticket_details::TicketDetails;
use domain::order::{
    CheckIn, CheckInStatus, Order, OrderAddOnLine, OrderAmounts, OrderComboLine, OrderLine, OrderRow,
    OrderTicketLine, Ticket,
};
use domain::{InstanceId, MembershipId, Money, OrderItemId, Template, Zone};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// An order with its tickets, grouped by event (spec §2.18). Facts that are not known are null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WillCallOrderView {
    /// Identity: digits.
    pub order_id: String,
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
    /// Contact: what else the address has, such as a floor; null where it has nothing.
    pub address2: Option<String>,
    /// Payer.
    pub billing_first_name: Option<String>,
    /// Payer.
    pub billing_last_name: Option<String>,
    /// Payer: what else the address has, such as a floor; null where it has nothing.
    pub billing_address2: Option<String>,
    /// Contact.
    pub phone_number: Option<String>,
    /// Payer.
    pub billing_phone_number: Option<String>,
    /// The number printed for people.
    pub order_number: String,
    /// Remarks on the order, without card numbers; null where there are none.
    pub notes: Option<String>,
    /// The events that were bought, in the order of the lines.
    pub event_items: Vec<WillCallEventView>,
    /// When the checkout began.
    pub created_on: String,
    /// `NotCheckedIn`, `PartiallyCheckedIn` or `CheckedIn`: its visitors.
    pub check_in_status: &'static str,
    /// `false`: there is no older system.
    pub legacy: bool,
    /// `Online`.
    pub sale_channel: &'static str,
    /// The first membership that drove its prices, or came of it.
    pub membership_id: Option<i64>,
    /// `Not Refunded`, `Partially Refunded` or `Refunded`: the money, as far as it was given back.
    pub refund_status: &'static str,
    /// What its amounts are counted in, by the ISO 4217 code.
    pub currency: String,
    /// What is still owed: the fees of exchanges.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub order_balance: Money,
    /// Last four digits of the card; null when nothing was charged.
    pub cc_last_four_digits: Option<String>,
    /// `false`: orders are paid at once.
    pub invoice_after: bool,
    /// The customer it is linked to.
    pub customer_id: Option<i64>,
    /// 2 for a card, 0 for an order that costs nothing.
    pub payment_method: u8,
    /// `CreditCard`, or `None` for an order that costs nothing.
    pub payment_method_name: &'static str,
}

/// One event instance of a will-call order (spec §2.18, `eventItems`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WillCallEventView {
    /// The event instance.
    pub event_id: String,
    /// Its name when it was sold.
    pub event_name: String,
    /// Its template.
    pub event_template_id: String,
    /// How visitors are admitted.
    pub admission_type: &'static str,
    /// When it starts.
    pub event_date: String,
    /// The lines of this event: its tickets and the add-ons that belong to it.
    pub items: Vec<WillCallItemView>,
    /// What the event's template says about its tickets, as far as it says anything.
    pub ticket_details: WillCallTicketDetailsView,
    /// `active`.
    pub state: &'static str,
    /// Whether a form was filled in for it, or its visitors are asked to fill in forms now.
    pub has_forms: bool,
    /// Whether it needs resources.
    pub has_resources: bool,
}

/// One line of an event (spec §2.18, `items`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WillCallItemView {
    /// Identity: digits.
    pub order_item_id: String,
    /// `Event` or `Inventory`.
    pub item_type: &'static str,
    /// The ticket type, or the add-on.
    pub item_type_id: String,
    /// Its name when it was sold.
    pub item_type_name: String,
    /// The ticket type.
    pub ticket_type_id: Option<String>,
    /// The ticket type's name when it was sold.
    pub ticket_type_name: Option<String>,
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
    /// Full price of what is left of the line.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub subtotal: Money,
    /// Price of what is left of the line, after discounts.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub discounted_subtotal: Money,
    /// `NotCheckedIn`, `PartiallyCheckedIn` or `CheckedIn`: its visitors.
    pub check_in_status: &'static str,
    /// Tickets that let somebody in.
    pub check_in_quantity: u32,
    /// When the first of them did.
    pub check_in_date: Option<String>,
    /// One per visitor.
    pub tickets: Vec<WillCallTicketView>,
    /// Of tickets of a combo: `fixedPrice` or `discountCode`; of what is no combo, `fixedPrice`.
    pub combo_template_type: &'static str,
    /// Of tickets of a combo: the item of the combo.
    pub parent_item_id: Option<String>,
    /// `NoConversion`.
    pub conversion_status: &'static str,
}

/// One ticket (spec §2.18, `tickets`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WillCallTicketView {
    /// Identity: digits.
    pub id: String,
    /// Whose ticket it is.
    pub tenant_id: i64,
    /// What is scanned at the gate: 32 hexadecimal digits.
    pub uuid: String,
    /// The ticket type.
    pub ticket_type_id: String,
    /// The event instance.
    pub event_id: String,
    /// Contact.
    pub first_name: Option<String>,
    /// Contact.
    pub last_name: Option<String>,
    /// Contact.
    pub email: Option<String>,
    /// Contact.
    pub phone_number: Option<String>,
    /// `Normal`, or why it admits nobody any more: `RefundPending`, `Refunded` or `Exchanged`.
    pub ticket_status: &'static str,
    /// When it first let somebody in.
    pub check_in_date: Option<String>,
    /// Whether it has been printed.
    pub printed: bool,
    /// `NoConversion`.
    pub conversion_status: &'static str,
    /// The one visit it is good for.
    pub ticket_details: Vec<WillCallVisitView>,
}

/// A visit a ticket is good for (spec §2.18, `ticketDetails` of a ticket).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WillCallVisitView {
    /// The ticket.
    pub ticket_id: String,
    /// The order.
    pub order_id: String,
    /// The event instance.
    pub event_id: String,
    /// The line.
    pub order_item_id: String,
    /// Visitors: 1.
    pub quantity: u32,
    /// Whose ticket it is.
    pub tenant_id: i64,
}

/// The settings of a template that concern its tickets at the counter and at the gate (spec §2.10,
/// `ticketDetails`). Those about when tickets are sold are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WillCallTicketDetailsView {
    /// For how many days a ticket is good.
    pub ticket_duration_days: Option<u32>,
    /// When tickets are let in.
    pub check_in_window: Option<WillCallCheckInView>,
    /// Lines printed on the ticket.
    pub ticket_print_lines: Vec<String>,
    /// The ticket is not printed.
    pub do_not_print: bool,
    /// A ticket's days count from the date of the event.
    pub expire_from_event_date: bool,
    /// The ticket does not show the date of the event.
    pub hide_event_date: bool,
    /// Whether a ticket admits more than once: `never`, `afterExit` or `always`.
    pub reentry: Option<&'static str>,
}

/// When tickets are let in, around the start (spec §2.10, `checkInWindow`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WillCallCheckInView {
    /// Minutes before the start.
    pub minutes_before: Option<u32>,
    /// Minutes after the start.
    pub minutes_after: Option<u32>,
    /// Outside the window a scan is refused.
    pub block_scan: bool,
    /// Outside the window the ticket moves to another slot.
    pub auto_rebook: bool,
}

/// Tickets by the line they belong to.
type TicketsByLine<'a> = BTreeMap<&'a OrderItemId, Vec<&'a Ticket>>;

impl WillCallOrderView {
    /// A paid order with its tickets. Of the catalog it shows what the templates say now; a template that is
    /// gone says nothing.
    ///
    /// Our choice: `state` is `active`, since the counter hands out what was sold, and one round trip cannot
    /// also read the slots that only the order names.
    #[must_use]
    pub fn new(order: &Order, tickets: &[Ticket], templates: &[Template], zone: Zone) -> Self {
        let (contact, billing) = (order.contact.clone(), order.billing.clone());
        let payment = order.payment.as_ref();
        let mut by_line = TicketsByLine::new();
        for ticket in tickets {
            by_line.entry(&ticket.line).or_default().push(ticket);
        }
        let event = |instance| WillCallEventView::new(order, instance, &by_line, templates, zone);
        Self {
            order_id: order.id.to_string(),
            email: contact.email,
            billing_email: billing.email,
            contact_first_name: contact.first_name,
            contact_last_name: contact.last_name,
            contact_full_name: contact.full_name,
            address2: contact.address2,
            billing_first_name: billing.first_name,
            billing_last_name: billing.last_name,
            billing_address2: billing.address2,
            phone_number: contact.phone_number,
            billing_phone_number: billing.phone_number,
            order_number: order.number.to_string(),
            notes: order.notes.clone(),
            event_items: instances(order).into_iter().filter_map(event).collect(),
            created_on: zone.format(order.created_at),
            check_in_status: order.check_in().status().as_str(),
            legacy: false,
            sale_channel: SALE_CHANNEL,
            membership_id: order.all_membership_ids().next().map(MembershipId::get),
            refund_status: order.refund_status().as_str(),
            currency: order.currency.to_string(),
            order_balance: order.fees_due(),
            cc_last_four_digits: payment.map(|payment| payment.card.last_four.clone()),
            invoice_after: false,
            customer_id: order.customer.map(domain::CustomerId::get),
            payment_method: if payment.is_some() { 2 } else { 0 },
            payment_method_name: if payment.is_some() { "CreditCard" } else { "None" },
        }
    }
}

/// The events of an order, each once, in the order of the lines.
fn instances(order: &Order) -> Vec<InstanceId> {
    let mut instances = Vec::new();
    for line in order.all_ticket_lines() {
        if !instances.contains(&line.instance) {
            instances.push(line.instance);
        }
    }
    instances
}

impl WillCallEventView {
    fn new(
        order: &Order,
        instance: InstanceId,
        tickets: &TicketsByLine<'_>,
        templates: &[Template],
        zone: Zone,
    ) -> Option<Self> {
        let first = order.all_ticket_lines().find(|line| line.instance == instance)?;
        let template = templates.iter().find(|template| template.id == first.template);
        let ticket = |row: OrderRow<'_>, line: &OrderTicketLine, left: OrderAmounts| {
            let tickets = tickets.get(&line.id).map(Vec::as_slice).unwrap_or_default();
            let item = WillCallItemView::ticket(order, tickets, line, left, zone);
            item.checked_in(order.check_in_of_part(row, line), zone)
        };
        let item = |row: OrderRow<'_>| match row {
            OrderRow::Sold(OrderLine::Ticket(line)) => {
                (line.instance == instance).then(|| ticket(row, line, order.left_of(row)))
            }
            OrderRow::Moved(moved) => {
                (moved.line.instance == instance).then(|| ticket(row, &moved.line, order.left_of(row)))
            }
            OrderRow::Sold(OrderLine::AddOn(line)) => (order.instance_of(line) == Some(instance))
                .then(|| WillCallItemView::add_on(line, order.left_of(row))),
            OrderRow::Sold(OrderLine::Donation(_) | OrderLine::Membership(_)) => None,
            // Each part of a combo is of another event.
            OrderRow::Sold(OrderLine::Combo(combo)) => {
                let part = combo.parts.iter().find(|part| part.instance == instance)?;
                let left = combo.part_of(part, order.left_of(row).quantity);
                Some(ticket(row, part, left).of_combo(combo))
            }
        };
        Some(Self {
            event_id: instance.to_string(),
            event_name: first.event_name.clone(),
            event_template_id: first.template.to_string(),
            admission_type: match first.admission {
                AdmissionType::GeneralAdmission => "generalAdmission",
                AdmissionType::Standard => "standard",
            },
            event_date: zone.format(first.event_start),
            items: order.rows().filter_map(item).collect(),
            ticket_details: template
                .map(|template| WillCallTicketDetailsView::new(&template.ticket_details))
                .unwrap_or_default(),
            state: "active",
            has_forms: order.has_response_for(&instance)
                || template.is_some_and(|template| !template.forms.is_empty()),
            has_resources: template.is_some_and(|template| !template.resources.is_empty()),
        })
    }
}

impl WillCallItemView {
    fn ticket(
        order: &Order,
        tickets: &[&Ticket],
        line: &OrderTicketLine,
        amounts: OrderAmounts,
        zone: Zone,
    ) -> Self {
        Self {
            order_item_id: line.id.to_string(),
            item_type: "Event",
            item_type_id: line.ticket_type.to_string(),
            item_type_name: line.ticket_type_name.clone(),
            ticket_type_id: Some(line.ticket_type.to_string()),
            ticket_type_name: Some(line.ticket_type_name.clone()),
            quantity: amounts.quantity,
            unit_price: amounts.retail_unit,
            discounted_unit_price: amounts.unit,
            subtotal: amounts.retail_amount,
            discounted_subtotal: amounts.amount,
            check_in_status: CheckInStatus::NotCheckedIn.as_str(),
            check_in_quantity: 0,
            check_in_date: None,
            tickets: tickets
                .iter()
                .map(|ticket| WillCallTicketView::new(order, line, ticket, zone))
                .collect(),
            combo_template_type: NO_COMBO,
            parent_item_id: None,
            conversion_status: NO_CONVERSION,
        }
    }

    /// With what the doors say of its tickets.
    fn checked_in(self, check_in: CheckIn, zone: Zone) -> Self {
        Self {
            check_in_status: check_in.status().as_str(),
            check_in_quantity: check_in.admitted,
            check_in_date: check_in.first_entry.map(|at| zone.format(at)),
            ..self
        }
    }

    /// The tickets as those of a combo.
    fn of_combo(self, combo: &OrderComboLine) -> Self {
        Self { combo_template_type: combo.kind.as_str(), parent_item_id: Some(combo.id.to_string()), ..self }
    }

    fn add_on(line: &OrderAddOnLine, amounts: OrderAmounts) -> Self {
        Self {
            order_item_id: line.id.to_string(),
            item_type: "Inventory",
            item_type_id: line.inventory.to_string(),
            item_type_name: line.name.clone(),
            ticket_type_id: None,
            ticket_type_name: None,
            quantity: amounts.quantity,
            unit_price: amounts.retail_unit,
            discounted_unit_price: amounts.unit,
            subtotal: amounts.retail_amount,
            discounted_subtotal: amounts.amount,
            check_in_status: CheckInStatus::NotCheckedIn.as_str(),
            check_in_quantity: 0,
            check_in_date: None,
            tickets: Vec::new(),
            combo_template_type: NO_COMBO,
            parent_item_id: None,
            conversion_status: NO_CONVERSION,
        }
    }
}

impl WillCallTicketView {
    /// A ticket of an order.
    #[must_use]
    pub fn new(order: &Order, line: &OrderTicketLine, ticket: &Ticket, zone: Zone) -> Self {
        let contact = order.contact.clone();
        let visit = WillCallVisitView {
            ticket_id: ticket.id.to_string(),
            order_id: order.id.to_string(),
            event_id: line.instance.to_string(),
            order_item_id: line.id.to_string(),
            quantity: 1,
            tenant_id: order.tenant.get(),
        };
        Self {
            id: ticket.id.to_string(),
            tenant_id: order.tenant.get(),
            uuid: ticket.barcode.to_string(),
            ticket_type_id: line.ticket_type.to_string(),
            event_id: line.instance.to_string(),
            first_name: contact.first_name,
            last_name: contact.last_name,
            email: contact.email,
            phone_number: contact.phone_number,
            ticket_status: ticket.status.as_str(),
            check_in_date: order.admission.of(ticket).first_entry.map(|at| zone.format(at)),
            printed: ticket.printed,
            conversion_status: NO_CONVERSION,
            ticket_details: vec![visit],
        }
    }
}

impl WillCallTicketDetailsView {
    fn new(details: &TicketDetails) -> Self {
        let window = details.check_in_window.map(|window| WillCallCheckInView {
            minutes_before: window.minutes_before,
            minutes_after: window.minutes_after,
            block_scan: window.block_scan,
            auto_rebook: window.auto_rebook,
        });
        Self {
            ticket_duration_days: details.ticket_duration_days,
            check_in_window: window,
            ticket_print_lines: details.ticket_print_lines.clone(),
            do_not_print: details.do_not_print,
            expire_from_event_date: details.expire_from_event_date,
            hide_event_date: details.hide_event_date,
            reentry: Some(details.reentry.as_str()),
        }
    }
}
