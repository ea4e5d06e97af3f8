//! What the back office changes of a membership (decision record 0051), and what members log in with.

use crate::readers::{NAME_CHARS, token};
use crate::{Checker, Field, IntegerId, List, incoming};
use domain::CardId;
use domain::membership::{CardEdit, Edit, Membership, MembershipEdit, PersonEdit};
use std::collections::BTreeSet;

incoming! {
    /// What a login link opened.
    pub struct LoginInput {
        /// Required. The `loginToken` of the link.
        token: String,
    }
    /// A change of a membership. What is left out stays as it is, and null or blank text takes away what is there.
    pub struct MembershipInput {
        /// The venue's own number of it.
        external_membership_id: String,
        /// The cards that change.
        cards: Vec<MemberCardInput>,
        /// The same as `cards`.
        cardholders: Vec<MemberCardInput>,
    }
    /// A change of the data of a card's holder.
    pub struct MemberCardInput {
        /// Required. The card.
        id: IntegerId,
        /// First name; cannot be taken away.
        first_name: String,
        /// Last name; cannot be taken away.
        last_name: String,
        /// E-mail address.
        email: String,
        /// Phone number.
        phone_number: String,
        /// Street and number.
        street_address1: String,
        /// What else the address has.
        street_address2: String,
        /// City.
        city: String,
        /// State.
        state: String,
        /// Postal code.
        zip_code: String,
        /// Country.
        country: String,
    }
}

impl LoginInput {
    /// The token, unless it is missing.
    pub fn read(self, checker: &mut Checker) -> Option<String> {
        token(checker, self.token)
    }
}

impl MembershipInput {
    /// The change, unless a field is at fault.
    pub fn read(self, checker: &mut Checker, membership: &Membership) -> Option<MembershipEdit> {
        let external_id = number(checker, "externalMembershipId", self.external_membership_id);
        let has_both = [&self.cards, &self.cardholders].iter().all(|list| list.is_sent());
        let cards = read_cards(checker, "cards", self.cards, membership);
        let cardholders = read_cards(checker, "cardholders", self.cardholders, membership);
        if has_both && cards != cardholders {
            checker.invalid("cardholders", "must be the same as cards, or left out");
        }
        let cards = if cards.is_empty() { cardholders } else { cards };
        Some(MembershipEdit { external_id, cards })
    }
}

fn read_cards(
    checker: &mut Checker,
    name: &str,
    sent: Field<List<MemberCardInput>>,
    membership: &Membership,
) -> Vec<CardEdit> {
    let mut named = BTreeSet::new();
    let cards = checker.each(name, sent, |checker, card| {
        let read = card.read(checker, membership)?;
        if !named.insert(read.id) {
            checker.invalid("id", "is already used by another card in the list");
        }
        Some(read)
    });
    cards.into_iter().flatten().collect()
}

impl MemberCardInput {
    fn read(self, checker: &mut Checker, membership: &Membership) -> Option<CardEdit> {
        let id = card_id(checker, self.id, membership);
        let person = PersonEdit {
            first_name: required(checker, "firstName", self.first_name),
            last_name: required(checker, "lastName", self.last_name),
            email: email(checker, self.email),
            phone_number: optional(checker, "phoneNumber", self.phone_number),
            street_address_1: optional(checker, "streetAddress1", self.street_address1),
            street_address_2: optional(checker, "streetAddress2", self.street_address2),
            city: optional(checker, "city", self.city),
            state: optional(checker, "state", self.state),
            zip_code: optional(checker, "zipCode", self.zip_code),
            country: country(checker, self.country),
        };
        Some(CardEdit { id: id?, person })
    }
}

/// A card of the membership: a missing id is answered like one that names nothing (contract §1).
fn card_id(checker: &mut Checker, sent: Field<IntegerId>, membership: &Membership) -> Option<CardId> {
    if !sent.is_sent() {
        checker.missing_id("id");
        return None;
    }
    let is_wrong = matches!(sent, Field::Wrong);
    let number = checker.optional("id", sent);
    let id = number.and_then(|number| CardId::parse(number.get()).ok());
    let known = id.filter(|id| membership.cards.iter().any(|card| card.id == *id));
    if known.is_none() && !is_wrong {
        checker.unknown("id");
    }
    known
}

/// The venue's own number may look like the number of a card, and stays as it is.
fn number(checker: &mut Checker, name: &str, field: Field<String>) -> Edit<Option<String>> {
    match field {
        Field::Absent => Edit::Keep,
        field @ (Field::Null | Field::Value(_) | Field::Wrong) => {
            Edit::Set(checker.optional_text(name, field, NAME_CHARS))
        }
    }
}

/// What can be taken away by null or blank text.
fn optional(checker: &mut Checker, name: &str, field: Field<String>) -> Edit<Option<String>> {
    match field {
        Field::Absent => Edit::Keep,
        field @ (Field::Null | Field::Value(_) | Field::Wrong) => {
            Edit::Set(checker.optional_text(name, field, NAME_CHARS))
        }
    }
}

/// What cannot be taken away.
fn required(checker: &mut Checker, name: &str, field: Field<String>) -> Edit<String> {
    match field {
        Field::Absent => Edit::Keep,
        field @ (Field::Null | Field::Value(_) | Field::Wrong) => {
            checker.required_typed_name(name, field, NAME_CHARS).map_or(Edit::Keep, Edit::Set)
        }
    }
}

fn country(checker: &mut Checker, field: Field<String>) -> Edit<Option<String>> {
    match field {
        Field::Absent => Edit::Keep,
        field @ (Field::Null | Field::Value(_) | Field::Wrong) => {
            Edit::Set(checker.country("country", field, NAME_CHARS))
        }
    }
}

fn email(checker: &mut Checker, field: Field<String>) -> Edit<Option<String>> {
    match field {
        Field::Absent => Edit::Keep,
        field @ (Field::Null | Field::Value(_) | Field::Wrong) => Edit::Set(checker.email("email", field)),
    }
}
