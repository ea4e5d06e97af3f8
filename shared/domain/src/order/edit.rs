//! What staff put right of a paid order: whom it is for, who paid it, where its tickets go, remarks. And that they had
//! its mail sent again (decision record 0142).

use super::{Order, OrderLine, OrderPerson, OrderTicketLine};
use crate::{InstanceId, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Changes that are listed; of more, the last ones.
pub const MAX_EDITS: usize = 20;

/// Mails of an order that staff may have sent again, in all.
pub const MAX_MAILS_AGAIN: u32 = 50;

/// Digits of a revision.
const REVISION_DIGITS: usize = 16;

/// What is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AgainKind {
    /// The receipt with the tickets.
    Confirmation,
    /// The tickets alone.
    Tickets,
    /// The receipt alone.
    Receipt,
}

impl AgainKind {
    const ALL: [Self; 3] = [Self::Confirmation, Self::Tickets, Self::Receipt];

    /// The word of requests and answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::Tickets => "tickets",
            Self::Receipt => "receipt",
        }
    }

    /// Reads the word in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

/// What staff changed of an order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OrderEdits {
    /// Counts the changes, each of which is made to what was read.
    pub version: u64,
    /// Mails that were sent again.
    pub mails: u32,
    /// The last changes, in their order.
    pub list: Vec<OrderEdit>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderEdit {
    /// When.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub at: Timestamp,
    /// Whose: the one at the device, or the label of the key.
    pub by: String,
    /// The names of the fields; none where a mail was sent again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The mail that was sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail: Option<MailedAgain>,
}

/// A mail that was sent again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailedAgain {
    /// What it carries.
    pub what: AgainKind,
    /// Where it went, as far as it is shown.
    pub to: String,
}

impl OrderEdits {
    /// True while nothing was changed.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        *self == Self::default()
    }

    fn with(&self, edit: OrderEdit) -> Self {
        let mailed = u32::from(edit.mail.is_some());
        let mut list = self.list.clone();
        list.push(edit);
        let over = list.len().saturating_sub(MAX_EDITS);
        list.drain(..over);
        Self { version: self.version.saturating_add(1), mails: self.mails.saturating_add(mailed), list }
    }
}

/// What of an order can be put right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrderContacts {
    /// Whom the venue talks to.
    pub contact: OrderPerson,
    /// Who pays.
    pub billing: OrderPerson,
    /// Where tickets go, when not to the payer.
    pub ticket_delivery_email: Option<String>,
    /// Remarks.
    pub notes: Option<String>,
}

impl OrderContacts {
    /// What is shown as `ETag`: a hash of it.
    #[must_use]
    pub fn revision(&self) -> String {
        let content = serde_json::to_vec(self).unwrap_or_default();
        let mut digits = hex::encode(Sha256::digest(content));
        digits.truncate(REVISION_DIGITS);
        digits
    }

    /// The fields that are not the same, by the names under which orders show them.
    fn unlike(&self, other: &Self) -> Vec<&'static str> {
        let texts = |one: &'_ Self| {
            let Self { contact, billing, ticket_delivery_email, notes } = one.clone();
            [
                ("email", contact.email),
                ("phoneNumber", contact.phone_number),
                ("contactFirstName", contact.first_name),
                ("contactLastName", contact.last_name),
                ("address1", contact.address1),
                ("address2", contact.address2),
                ("city", contact.city),
                ("state", contact.state),
                ("zipCode", contact.zip_code),
                ("country", contact.country),
                ("billingEmail", billing.email),
                ("billingPhoneNumber", billing.phone_number),
                ("billingFirstName", billing.first_name),
                ("billingLastName", billing.last_name),
                ("billingAddress1", billing.address1),
                ("billingAddress2", billing.address2),
                ("billingCity", billing.city),
                ("billingState", billing.state),
                ("billingZipCode", billing.zip_code),
                ("billingCountry", billing.country),
                ("ticketDeliveryEmail", ticket_delivery_email),
                ("notes", notes),
            ]
        };
        let both = texts(self).into_iter().zip(texts(other));
        both.filter(|((_, one), (_, other))| one != other).map(|((name, _), _)| name).collect()
    }
}

/// A name that was sent as one text is no longer true once a part of it was put right.
fn with_true_name(before: &OrderPerson, after: OrderPerson) -> OrderPerson {
    let is_same = before.first_name == after.first_name && before.last_name == after.last_name;
    OrderPerson { full_name: after.full_name.clone().filter(|_| is_same), ..after }
}

/// The last thing that was done with an order after it was paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastChange<'a> {
    /// When.
    pub at: Timestamp,
    /// Who did it, where that was said.
    pub by: Option<&'a str>,
}

impl Order {
    /// The last refund, exchange, change of contacts or mail that was sent again; none where there is none.
    #[must_use]
    pub fn last_change(&self) -> Option<LastChange<'_>> {
        let refunds = self.after_sale.refunds.iter().map(|refund| {
            let change =
                LastChange { at: refund.done_at().unwrap_or(refund.at), by: refund.operator.as_deref() };
            (refund.number, change)
        });
        let exchanges = self.after_sale.exchanges.iter().map(|exchange| {
            (exchange.number, LastChange { at: exchange.at, by: exchange.operator.as_deref() })
        });
        let edit = self.edits.list.last();
        let edit = edit.map(|edit| (u64::MAX, LastChange { at: edit.at, by: Some(edit.by.as_str()) }));
        let all = refunds.chain(exchanges).chain(edit);
        all.max_by_key(|(number, change)| (change.at, *number)).map(|(_, change)| change)
    }

    /// What of it can be put right, as it is.
    #[must_use]
    pub fn contacts(&self) -> OrderContacts {
        OrderContacts {
            contact: self.contact.clone(),
            billing: self.billing.clone(),
            ticket_delivery_email: self.ticket_delivery_email.clone(),
            notes: self.notes.clone(),
        }
    }

    /// The order with other contacts; none where they are the same.
    #[must_use]
    pub fn put_right(&self, wanted: OrderContacts, at: Timestamp, by: &str) -> Option<Self> {
        let fields = self.contacts().unlike(&wanted);
        if fields.is_empty() {
            return None;
        }
        let OrderContacts { contact, billing, ticket_delivery_email, notes } = wanted;
        let fields = fields.into_iter().map(str::to_owned).collect();
        let edit = OrderEdit { at, by: by.to_owned(), fields, mail: None };
        Some(Self {
            contact: with_true_name(&self.contact, contact),
            billing: with_true_name(&self.billing, billing),
            ticket_delivery_email,
            notes,
            edits: self.edits.with(edit),
            ..self.clone()
        })
    }

    /// The order with the times at which its events start by now, as far as they are known.
    #[must_use]
    pub fn at_times(mut self, start_of: impl Fn(&InstanceId) -> Option<Timestamp>) -> Self {
        let timed = |line: &mut OrderTicketLine| {
            line.event_start = start_of(&line.instance).unwrap_or(line.event_start);
        };
        for line in &mut self.lines {
            match line {
                OrderLine::Ticket(line) => timed(line),
                OrderLine::Combo(combo) => combo.parts.iter_mut().for_each(timed),
                OrderLine::AddOn(_) | OrderLine::Donation(_) | OrderLine::Membership(_) => {}
            }
        }
        let moved = self.after_sale.exchanges.iter_mut().flat_map(|exchange| &mut exchange.moved);
        moved.for_each(|moved| timed(&mut moved.line));
        self
    }

    /// The order with a note that its mail was sent again.
    #[must_use]
    pub fn mailed_again(&self, mail: MailedAgain, at: Timestamp, by: &str) -> Self {
        let edit = OrderEdit { at, by: by.to_owned(), fields: Vec::new(), mail: Some(mail) };
        Self { edits: self.edits.with(edit), ..self.clone() }
    }
}

/// An address as it is kept among the changes of an order: whoever reads that it was written to need not learn where.
#[must_use]
pub fn masked_address(address: &str) -> String {
    let (name, host) = address.rsplit_once('@').unwrap_or((address, ""));
    let first: String = name.chars().take(1).collect();
    format!("{first}***@{host}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn order() -> Order {
        serde_json::from_value(json!({
            "id": "1", "tenant": 204, "number": "100731946", "state": {"state": "paid", "at": 0}, "visitor": "1",
            "contact": {"first_name": "Ada", "last_name": "Lindqvist", "full_name": "Ada Lindqvist"},
            "billing": {"email": "ada@example.test"}, "lines": [], "total": 0, "retail_total": 0,
            "send_email": false, "created_at": 0,
        }))
        .unwrap()
    }

    fn named(last: &str) -> OrderContacts {
        let mut wanted = order().contacts();
        wanted.contact.last_name = Some(last.to_owned());
        wanted
    }

    #[test]
    fn what_is_put_right_is_noted_by_the_names_of_its_fields() {
        let order = order();
        assert_eq!(order.put_right(order.contacts(), order.created_at, "desk"), None);
        let mut wanted = named("Lindquist");
        wanted.notes = Some("wheelchair".to_owned());
        let after = order.put_right(wanted.clone(), order.created_at, "desk").unwrap();
        assert_eq!(after.contact.full_name, None, "it said the old name");
        let [edit] = after.edits.list.as_slice() else { panic!("one change") };
        assert_eq!((edit.fields.join(","), edit.by.as_str()), ("contactLastName,notes".to_owned(), "desk"));
        assert_ne!(after.contacts().revision(), order.contacts().revision());
        assert_eq!(order.contacts().revision(), super::tests::order().contacts().revision());
    }

    #[test]
    fn the_last_change_is_the_latest_of_all_that_was_done() {
        let mut order = order();
        assert_eq!(order.last_change(), None);
        let at = |secs: i64| crate::time::plus_secs(Timestamp::UNIX_EPOCH, secs);
        let refund = |number: u64, operator: Option<&str>, state: serde_json::Value| {
            let refund = json!({
                "id": format!("refund_00000000-0000-4000-8000-00000000000{number}"), "number": number, "at": 1000,
                "state": state, "amount": 0, "items": [], "by": "Back office", "operator": operator,
            });
            serde_json::from_value::<crate::order::OrderRefund>(refund).unwrap()
        };
        order.after_sale.refunds = vec![
            refund(1, Some("Kim"), json!({"state": "pending"})),
            refund(2, None, json!({"state": "pending"})),
        ];
        assert_eq!(
            order.last_change(),
            Some(LastChange { at: at(1), by: None }),
            "the second at that instant"
        );
        order.after_sale.refunds[0] = refund(1, Some("Kim"), json!({"state": "done", "at": 3000}));
        assert_eq!(order.last_change(), Some(LastChange { at: at(3), by: Some("Kim") }));
        let mut edited = order.put_right(named("Lindquist"), at(2), "desk").unwrap();
        assert_eq!(edited.last_change(), order.last_change());
        let mail = MailedAgain { what: AgainKind::Tickets, to: masked_address("pat@example.test") };
        edited = edited.mailed_again(mail, at(4), "Dana");
        assert_eq!(edited.last_change(), Some(LastChange { at: at(4), by: Some("Dana") }));
    }

    #[test]
    fn the_last_changes_are_listed_and_all_mails_counted() {
        let mut order = order();
        for number in 0..30 {
            let at = order.created_at;
            let mail = MailedAgain { what: AgainKind::Tickets, to: masked_address("pat@example.test") };
            order = order.put_right(named(&format!("Name {number}")), at, "desk").unwrap();
            order = order.mailed_again(mail, at, "desk");
        }
        assert_eq!((order.edits.version, order.edits.mails, order.edits.list.len()), (60, 30, MAX_EDITS));
        assert_eq!(order.edits.list[19].mail.as_ref().unwrap().to, "p***@example.test");
        let stored = serde_json::to_value(&order).unwrap();
        assert_eq!(serde_json::from_value::<Order>(stored).unwrap(), order);
    }
}
