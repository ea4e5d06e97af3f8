//! Contacts of an order put right, and its mail sent again (decision record 0142).

use crate::checkout::{MAX_NOTES_CHARS, MAX_TEXT_CHARS};
use crate::{Checker, Field, incoming};
use domain::Zone;
use domain::locations::{find_country, state_name};
use domain::order::edit::{AgainKind, OrderContacts, OrderEdit};
use domain::order::{Order, OrderPerson};
use serde::Serialize;
use utoipa::ToSchema;

incoming! {
    /// What of an order is to be put right. Left out stays as it is, null and blank take away. All other fields are
    /// ignored, so that an order that was read may be sent back.
    pub struct OrderContactsInput {
        /// Contact e-mail.
        email: String,
        /// Another name for `email`.
        contact_email: String,
        /// Contact phone.
        phone_number: String,
        contact_first_name: String,
        contact_last_name: String,
        address1: String,
        address2: String,
        city: String,
        state: String,
        zip_code: String,
        country: String,
        /// Where mails go; one that is still unsent goes there.
        billing_email: String,
        billing_phone_number: String,
        billing_first_name: String,
        billing_last_name: String,
        billing_address1: String,
        billing_address2: String,
        billing_city: String,
        billing_state: String,
        billing_zip_code: String,
        billing_country: String,
        /// Where the tickets go, when not to `billingEmail`.
        ticket_delivery_email: String,
        /// Remarks on the order.
        notes: String,
    }
    /// A mail that is to be sent again.
    pub struct MailAgainInput {
        /// Where to; by default where the confirmation goes. The order keeps its own addresses.
        email: String,
        /// `false` answers the order and sends nothing. Default `true`.
        send_email: bool,
        /// `confirmation` (default), `tickets` or `receipt`.
        kind: String,
    }
}

/// What is to become of a text: nothing, or this, or nothing of it is left.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TextChange {
    Kept,
    Is(Option<String>),
}

impl TextChange {
    fn read(
        checker: &mut Checker,
        sent: Field<String>,
        read: impl FnOnce(&mut Checker, Field<String>) -> Option<String>,
    ) -> Self {
        match sent {
            Field::Absent => Self::Kept,
            sent @ (Field::Null | Field::Value(_) | Field::Wrong) => Self::Is(read(checker, sent)),
        }
    }

    fn apply(&self, kept: &Option<String>) -> Option<String> {
        match self {
            Self::Kept => kept.clone(),
            Self::Is(text) => text.clone(),
        }
    }
}

/// The names of a person's fields.
struct PersonFields {
    email: &'static str,
    phone_number: &'static str,
    first_name: &'static str,
    last_name: &'static str,
    address1: &'static str,
    address2: &'static str,
    city: &'static str,
    state: &'static str,
    zip_code: &'static str,
    country: &'static str,
}

const CONTACT: PersonFields = PersonFields {
    email: "email",
    phone_number: "phoneNumber",
    first_name: "contactFirstName",
    last_name: "contactLastName",
    address1: "address1",
    address2: "address2",
    city: "city",
    state: "state",
    zip_code: "zipCode",
    country: "country",
};

const BILLING: PersonFields = PersonFields {
    email: "billingEmail",
    phone_number: "billingPhoneNumber",
    first_name: "billingFirstName",
    last_name: "billingLastName",
    address1: "billingAddress1",
    address2: "billingAddress2",
    city: "billingCity",
    state: "billingState",
    zip_code: "billingZipCode",
    country: "billingCountry",
};

/// What was sent of a person, or is to become of it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PersonChange<T> {
    email: T,
    phone_number: T,
    first_name: T,
    last_name: T,
    address1: T,
    address2: T,
    city: T,
    state: T,
    zip_code: T,
    country: T,
}

impl PersonChange<Field<String>> {
    fn read(self, checker: &mut Checker, names: &PersonFields) -> PersonChange<TextChange> {
        let email = |checker: &mut Checker, sent| checker.email(names.email, sent);
        let mut text = |name: &'static str, sent: Field<String>| {
            TextChange::read(checker, sent, |checker, sent| checker.optional_text(name, sent, MAX_TEXT_CHARS))
        };
        let [phone_number, address1, address2, city, state, zip_code, country] = [
            text(names.phone_number, self.phone_number),
            text(names.address1, self.address1),
            text(names.address2, self.address2),
            text(names.city, self.city),
            text(names.state, self.state),
            text(names.zip_code, self.zip_code),
            text(names.country, self.country),
        ];
        let mut name = |name: &'static str, sent: Field<String>| {
            TextChange::read(checker, sent, |checker, sent| checker.typed_name(name, sent, MAX_TEXT_CHARS))
        };
        let [first_name, last_name] =
            [name(names.first_name, self.first_name), name(names.last_name, self.last_name)];
        let country = match country {
            TextChange::Is(Some(sent)) => {
                let listed = checker.listed_country(names.country, &sent);
                TextChange::Is(listed.map(str::to_owned))
            }
            other @ (TextChange::Kept | TextChange::Is(None)) => other,
        };
        PersonChange {
            email: TextChange::read(checker, self.email, email),
            phone_number,
            first_name,
            last_name,
            address1,
            address2,
            city,
            state,
            zip_code,
            country,
        }
    }
}

impl PersonChange<TextChange> {
    fn apply(&self, person: &OrderPerson) -> OrderPerson {
        let country = self.country.apply(&person.country);
        let state = self.state.apply(&person.state);
        // By name, whether sent as name or code; one that the lists do not have is kept as it was written.
        let known = country.as_deref().and_then(find_country);
        let named = known.zip(state.as_deref()).and_then(|(known, state)| state_name(known, state));
        OrderPerson {
            email: self.email.apply(&person.email),
            phone_number: self.phone_number.apply(&person.phone_number),
            first_name: self.first_name.apply(&person.first_name),
            last_name: self.last_name.apply(&person.last_name),
            full_name: person.full_name.clone(),
            address1: self.address1.apply(&person.address1),
            address2: self.address2.apply(&person.address2),
            city: self.city.apply(&person.city),
            state: named.map(str::to_owned).or(state),
            zip_code: self.zip_code.apply(&person.zip_code),
            country,
        }
    }
}

/// What of an order is put right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactsChange {
    contact: PersonChange<TextChange>,
    billing: PersonChange<TextChange>,
    ticket_delivery_email: TextChange,
    notes: TextChange,
}

impl ContactsChange {
    /// The contacts of an order as they are to be.
    #[must_use]
    pub fn apply(&self, order: &Order) -> OrderContacts {
        OrderContacts {
            contact: self.contact.apply(&order.contact),
            billing: self.billing.apply(&order.billing),
            ticket_delivery_email: self.ticket_delivery_email.apply(&order.ticket_delivery_email),
            notes: self.notes.apply(&order.notes),
        }
    }
}

impl OrderContactsInput {
    /// Reads what is to be put right.
    pub fn read(self, checker: &mut Checker) -> Option<ContactsChange> {
        let email = checker.either_word(["email", "contactEmail"], [self.email, self.contact_email]);
        let contact = PersonChange {
            email,
            phone_number: self.phone_number,
            first_name: self.contact_first_name,
            last_name: self.contact_last_name,
            address1: self.address1,
            address2: self.address2,
            city: self.city,
            state: self.state,
            zip_code: self.zip_code,
            country: self.country,
        };
        let billing = PersonChange {
            email: self.billing_email,
            phone_number: self.billing_phone_number,
            first_name: self.billing_first_name,
            last_name: self.billing_last_name,
            address1: self.billing_address1,
            address2: self.billing_address2,
            city: self.billing_city,
            state: self.billing_state,
            zip_code: self.billing_zip_code,
            country: self.billing_country,
        };
        let delivery = |checker: &mut Checker, sent| checker.email("ticketDeliveryEmail", sent);
        let notes = |checker: &mut Checker, sent| checker.typed_remarks("notes", sent, MAX_NOTES_CHARS);
        Some(ContactsChange {
            contact: contact.read(checker, &CONTACT),
            billing: billing.read(checker, &BILLING),
            ticket_delivery_email: TextChange::read(checker, self.ticket_delivery_email, delivery),
            notes: TextChange::read(checker, self.notes, notes),
        })
    }
}

/// The wish to have a mail sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailAgainRequest {
    /// Where to, when not where the first one went.
    pub to: Option<String>,
    /// What it carries; nothing is sent where there is none.
    pub what: Option<AgainKind>,
}

impl MailAgainInput {
    /// Reads the wish.
    pub fn read(self, checker: &mut Checker) -> Option<MailAgainRequest> {
        let to = checker.email("email", self.email);
        let is_sent = checker.optional("sendEmail", self.send_email).unwrap_or(true);
        let sent = checker.optional_text("kind", self.kind, MAX_TEXT_CHARS);
        let what = sent.as_deref().map_or(Some(AgainKind::Confirmation), AgainKind::parse);
        if what.is_none() {
            checker.invalid("kind", "must be confirmation, tickets or receipt");
        }
        Some(MailAgainRequest { to, what: what.filter(|_| is_sent) })
    }
}

/// A change of an order by staff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct OrderEditView {
    /// When.
    pub at: String,
    /// Who made it: the one at the device, or the label of the key.
    pub by: String,
    /// The names of the fields that were changed.
    pub fields: Vec<String>,
    /// The mail that was sent again instead; null where none was.
    pub mail: Option<MailedAgainView>,
}

/// A mail that was sent again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct MailedAgainView {
    /// `confirmation`, `tickets` or `receipt`.
    pub kind: &'static str,
    /// Where it went, masked.
    pub to: String,
}

impl OrderEditView {
    /// The last changes of an order, in their order.
    #[must_use]
    pub fn all_of(order: &Order, zone: Zone) -> Vec<Self> {
        let view = |edit: &OrderEdit| Self {
            at: zone.format(edit.at),
            by: edit.by.clone(),
            fields: edit.fields.clone(),
            mail: edit
                .mail
                .as_ref()
                .map(|mail| MailedAgainView { kind: mail.what.as_str(), to: mail.to.clone() }),
        };
        order.edits.list.iter().map(view).collect()
    }
}
