//! An order that is found again by its number and an address, and opened by the link that was mailed (decision record
//! 0155).

use crate::order::{OrderItemView, OrderMembershipView, OrderView};
use crate::readers::{NAME_CHARS, token};
use crate::{Checker, incoming};
use domain::order::{Order, OrderTicketLine, Ticket};
use domain::{OrderNumber, Timestamp, Zone};
use serde::Serialize;
use utoipa::ToSchema;

/// Digits of an order's number.
const NUMBER_DIGITS: usize = 9;

incoming! {
    /// The order that is wanted.
    pub struct OrderLinkInput {
        /// The nine digits that are printed for people; spaces and dashes do not count.
        #[schema(required = true)]
        order_number: String,
        /// The address of who paid it or is its contact, in any case.
        #[schema(required = true)]
        email: String,
    }
    /// What a link to an order brought.
    pub struct OrderTokenInput {
        /// The `orderToken` of the link, or of the order that a page's checkout was answered or its completion.
        #[schema(required = true)]
        token: String,
    }
}

/// The order that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderLinkRequest {
    /// Its number.
    pub number: OrderNumber,
    /// The address it should have.
    pub email: String,
}

impl OrderLinkInput {
    /// What is asked for, unless a field is at fault.
    pub fn read(self, checker: &mut Checker) -> Option<OrderLinkRequest> {
        let text = checker.required_text("orderNumber", self.order_number, NAME_CHARS);
        let number = text.as_deref().and_then(read_number);
        if text.is_some() && number.is_none() {
            checker.invalid("orderNumber", format!("must have {NUMBER_DIGITS} digits"));
        }
        let email = checker.required_email("email", self.email);
        Some(OrderLinkRequest { number: number?, email: email? })
    }
}

fn read_number(text: &str) -> Option<OrderNumber> {
    let digits: String = text.chars().filter(|char| !char.is_whitespace() && *char != '-').collect();
    let is_number = digits.len() == NUMBER_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    OrderNumber::parse(&digits).ok().filter(|_| is_number)
}

impl OrderTokenInput {
    /// The token, unless it is missing.
    pub fn read(self, checker: &mut Checker) -> Option<String> {
        token(checker, self.token)
    }
}

/// An order as whoever has the link to it sees it: without addresses, phone numbers, remarks and answers to forms, and
/// with its tickets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct OpenedOrderView {
    /// The order.
    #[serde(flatten)]
    pub order: OrderView,
    /// Its tickets, those that admit nobody any more among them.
    pub tickets: Vec<OpenedTicketView>,
    /// Until when the link opens it.
    #[serde(rename = "linkExpiresOn")]
    pub link_expires_on: String,
}

/// An order as the page that paid it is answered it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlacedOrderView {
    /// The order.
    #[serde(flatten)]
    pub order: OrderView,
    /// Opens it with its tickets for 24 hours (`POST /v2/b2c/orders/open`).
    #[serde(rename = "orderToken")]
    pub order_token: String,
}

/// An order whose buyer the issuer of the card had asked, as whoever completes it is answered it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CompletedOrderView {
    /// The order.
    #[serde(flatten)]
    pub order: OrderView,
    /// To a page, what opens it with its tickets for 24 hours (`POST /v2/b2c/orders/open`), as its checkout would have
    /// answered; null to a server.
    #[serde(rename = "orderToken")]
    pub order_token: Option<String>,
}

/// A ticket, as its holder shows it at the entrance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenedTicketView {
    /// Identity: digits.
    pub id: String,
    /// What is scanned: 32 hexadecimal digits; null of a ticket that admits nobody any more.
    pub uuid: Option<String>,
    /// `Normal`, or why it admits nobody any more: `RefundPending`, `Refunded` or `Exchanged`.
    pub ticket_status: &'static str,
    /// The item of the order it belongs to.
    pub item_id: String,
    /// The event instance.
    pub event_id: String,
    /// The event's name when it was sold.
    pub event_name: String,
    /// When the event starts.
    pub event_date: String,
    /// The ticket type's name when it was sold.
    pub ticket_type_name: String,
    /// Persons it admits: one.
    pub quantity: u32,
}

/// Where somebody's mails were sent again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderMailedView {
    /// The address, of which only the beginning and the host are shown.
    pub sent_to: String,
}

impl OpenedOrderView {
    /// A paid order with its tickets as they are now.
    #[must_use]
    pub fn new(order: &Order, tickets: &[Ticket], zone: Zone, ends: Timestamp) -> Self {
        let lines: Vec<&OrderTicketLine> = order.all_ticket_lines().collect();
        let ticket = |ticket: &Ticket| {
            let line = lines.iter().find(|line| line.id == ticket.line)?;
            Some(OpenedTicketView::new(ticket, line, zone))
        };
        Self {
            order: without_people(OrderView::new(order, zone)),
            tickets: tickets.iter().filter_map(ticket).collect(),
            link_expires_on: zone.format(ends),
        }
    }
}

impl OpenedTicketView {
    fn new(ticket: &Ticket, line: &OrderTicketLine, zone: Zone) -> Self {
        Self {
            id: ticket.id.to_string(),
            uuid: ticket.status.admits().then(|| ticket.barcode.to_string()),
            ticket_status: ticket.status.as_str(),
            item_id: line.id.to_string(),
            event_id: line.instance.to_string(),
            event_name: line.event_name.clone(),
            event_date: zone.format(line.event_start),
            ticket_type_name: line.ticket_type_name.clone(),
            quantity: 1,
        }
    }
}

/// The order without what says where somebody lives or can be reached, what staff may have noted, and whose memberships
/// it was priced for. The contact's name stays, so that a page can say whose order it is.
fn without_people(order: OrderView) -> OrderView {
    OrderView {
        visitor_id: String::new(),
        customer_id: None,
        email: None,
        billing_email: None,
        billing_first_name: None,
        billing_last_name: None,
        billing_address1: None,
        billing_address2: None,
        billing_country: None,
        billing_city: None,
        billing_zip_code: None,
        billing_state: None,
        billing_phone_number: None,
        address1: None,
        address2: None,
        country: None,
        city: None,
        state: None,
        zip_code: None,
        phone_number: None,
        notes: None,
        membership_ids: Vec::new(),
        membership_id: None,
        forms: None,
        order_items: order.order_items.into_iter().map(without_giver).collect(),
        ..order
    }
}

/// Of a gift it does not say where its giver is reached.
fn without_giver(item: OrderItemView) -> OrderItemView {
    let info = item.membership_info.map(|info| OrderMembershipView { gifter_info: None, ..info });
    OrderItemView { membership_info: info, donation_detail: None, ..item }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_body;
    use serde_json::{Value, json};

    fn read(body: &Value) -> Result<OrderLinkRequest, Vec<String>> {
        let mut checker = Checker::new();
        let input: OrderLinkInput = read_body(body.to_string().as_bytes()).unwrap();
        let request = input.read(&mut checker);
        let told = |fault: &crate::FieldError| format!("{} {}", fault.field, fault.message);
        checker.finish(request).map_err(|rejection| rejection.details().iter().map(told).collect())
    }

    #[test]
    fn a_number_is_taken_as_people_paste_it() {
        for text in ["100731946", " 100 731 946 ", "100-731-946"] {
            let read = read(&json!({"orderNumber": text, "email": " Ada@example.test "})).unwrap();
            assert_eq!(
                (read.number.as_str(), read.email.as_str()),
                ("100731946", "Ada@example.test"),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_number_or_address_is_refused_at_its_field() {
        for number in ["10073194", "1007319466", "100731x46", "\u{661}00731946", "#"] {
            let told = read(&json!({"orderNumber": number, "email": "nobody"})).unwrap_err();
            assert_eq!(told.len(), 2, "{number}: {told:?}");
            assert_eq!(told[0], "/orderNumber must have 9 digits", "{number}");
        }
        assert_eq!(read(&json!({})).unwrap_err().len(), 2);
    }
}
