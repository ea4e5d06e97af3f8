//! What the back office changes of a membership (decision record 0051).

use super::{CardStanding, CardType, MemberCard, Membership};
use crate::customer::{Customer, Person};
use crate::{CardId, Timestamp};
use std::collections::BTreeMap;

/// What becomes of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit<T> {
    /// It stays as it is.
    Keep,
    /// It becomes this.
    Set(T),
}

impl<T: Clone> Edit<T> {
    fn apply(&self, place: &mut T) {
        match self {
            Self::Keep => {}
            Self::Set(value) => place.clone_from(value),
        }
    }
}

/// A change of a card holder's data.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the person")]
pub struct PersonEdit {
    pub first_name: Edit<String>,
    pub last_name: Edit<String>,
    pub email: Edit<Option<String>>,
    pub phone_number: Edit<Option<String>>,
    pub street_address_1: Edit<Option<String>>,
    pub street_address_2: Edit<Option<String>>,
    pub city: Edit<Option<String>>,
    pub state: Edit<Option<String>>,
    pub zip_code: Edit<Option<String>>,
    pub country: Edit<Option<String>>,
}

impl PersonEdit {
    fn apply(&self, person: &mut Person) {
        let Self {
            first_name,
            last_name,
            email,
            phone_number,
            street_address_1,
            street_address_2,
            city,
            state,
            zip_code,
            country,
        } = self;
        first_name.apply(&mut person.first_name);
        last_name.apply(&mut person.last_name);
        email.apply(&mut person.email);
        phone_number.apply(&mut person.phone_number);
        street_address_1.apply(&mut person.street_address_1);
        street_address_2.apply(&mut person.street_address_2);
        city.apply(&mut person.city);
        state.apply(&mut person.state);
        zip_code.apply(&mut person.zip_code);
        country.apply(&mut person.country);
    }
}

/// A change of one card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardEdit {
    pub id: CardId,
    /// What becomes of its holder.
    pub person: PersonEdit,
}

/// A change of a membership.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MembershipEdit {
    /// The venue's own number for it.
    pub external_id: Edit<Option<String>>,
    /// Its cards; those that are not named stay as they are.
    pub cards: Vec<CardEdit>,
}

/// Why a card is not given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropRefusal {
    /// The membership has no such card, or it is not held any more.
    NoSuchCard,
    /// It is the primary card, and others are held.
    OthersAreHeld,
}

impl Membership {
    /// The membership after a change. A card that it has not is none of its.
    #[must_use]
    pub fn edited(&self, edit: &MembershipEdit) -> Self {
        let mut after = self.clone();
        edit.external_id.apply(&mut after.external_id);
        for change in &edit.cards {
            let mut cards = after.cards.iter_mut();
            if let Some(card) = cards.find(|card| card.id == change.id) {
                change.person.apply(&mut card.person);
            }
        }
        after
    }

    /// The membership with a card given up.
    ///
    /// # Errors
    /// [`DropRefusal`] when there is no such card to give up, or others depend on it.
    pub fn without_card(&self, id: CardId) -> Result<Self, DropRefusal> {
        let held = |card: &&MemberCard| card.is_held();
        let card = self.cards.iter().filter(held).find(|card| card.id == id);
        let card = card.ok_or(DropRefusal::NoSuchCard)?;
        if card.card_type == CardType::Primary && self.cards.iter().filter(held).count() > 1 {
            return Err(DropRefusal::OthersAreHeld);
        }
        let mut after = self.clone();
        for card in after.cards.iter_mut().filter(|card| card.id == id) {
            card.standing = CardStanding::Dropped;
        }
        Ok(after)
    }

    /// The membership as it is to be stored in place of another state of it: with the time and the author of the
    /// change, unless nothing changed.
    #[must_use]
    pub fn stamped(self, before: Option<&Self>, now: Timestamp, by: &str) -> Self {
        let created_at = before.map_or(now, |before| before.created_at);
        if let Some(before) = before {
            let (updated_at, updated_by) = (before.updated_at, before.updated_by.clone());
            let as_before = Self { created_at, updated_at, updated_by, ..self.clone() };
            if as_before == *before {
                return as_before;
            }
        }
        let updated_by = Some(by.to_owned()).filter(|by| !by.trim().is_empty());
        Self { created_at, updated_at: now, updated_by, ..self }
    }

    /// The customers whose data another state of the membership changes, as they are to be: each once, as the
    /// first card says that names it.
    #[must_use]
    pub fn changed_customers(&self, after: &Self) -> Vec<Customer> {
        let before: BTreeMap<CardId, &Person> =
            self.cards.iter().map(|card| (card.id, &card.person)).collect();
        let mut changed: Vec<Customer> = Vec::new();
        for card in &after.cards {
            if let Some(id) = card.customer
                && before.get(&card.id) != Some(&&card.person)
                && changed.iter().all(|customer| customer.id != id)
            {
                changed.push(Customer { id, person: card.person.clone(), source: None });
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    /// A membership of cards with these types and standings; their ids count from 1.
    fn membership(cards: &[(CardType, CardStanding)]) -> Membership {
        let card = |(number, (card_type, standing)): (i64, &(CardType, CardStanding))| {
            json!({"id": number, "card_type": card_type, "standing": standing, "barcode": format!("b{number}"),
                "customer": 100 + number, "person": {"first_name": "Ada", "last_name": format!("L{number}")}})
        };
        let cards: Vec<_> = (1..).zip(cards).map(card).collect();
        serde_json::from_value(json!({
            "id": 7, "number": 8, "level": "crew", "offering": "year", "price_point": "adult",
            "joined": "2027-01-01T00:00:00Z", "started": "2027-01-01T00:00:00Z",
            "expires": "2028-01-01T00:00:00Z", "cards": cards,
        }))
        .unwrap()
    }

    fn card_id(number: i64) -> CardId {
        CardId::parse(number).unwrap()
    }

    #[test]
    fn the_primary_card_is_given_up_last() {
        use CardStanding::{Active, Dropped, Replaced};
        use CardType::{Primary, Secondary};
        let all = membership(&[(Primary, Active), (Secondary, Active), (Secondary, Replaced)]);
        assert_eq!(all.without_card(card_id(1)), Err(DropRefusal::OthersAreHeld));
        for number in [3, 4] {
            assert_eq!(all.without_card(card_id(number)), Err(DropRefusal::NoSuchCard));
        }
        let alone = all.without_card(card_id(2)).unwrap();
        assert_eq!(alone.cards[1].standing, Dropped);
        assert_eq!(alone.without_card(card_id(2)), Err(DropRefusal::NoSuchCard));
        let none = alone.without_card(card_id(1)).unwrap();
        assert_eq!(none.cards[0].standing, Dropped);
    }

    #[test]
    fn a_change_is_noted_and_none_is_not() {
        let (first, second) = (at("2027-05-01T10:00:00Z"), at("2027-05-02T10:00:00Z"));
        let new = membership(&[(CardType::Primary, CardStanding::Active)]).stamped(None, first, "Import");
        assert_eq!((new.created_at, new.updated_at), (first, first));
        assert_eq!(new.clone().stamped(Some(&new), second, "Staff"), new);
        let next = Membership { external_id: Some("HM-1".to_owned()), ..new.clone() };
        let next = next.stamped(Some(&new), second, "Staff");
        assert_eq!((next.created_at, next.updated_at), (first, second));
        assert_eq!(next.updated_by.as_deref(), Some("Staff"));
        assert_eq!(new.clone().stamped(None, second, " ").updated_by, None);
    }

    #[test]
    fn only_what_a_change_names_changes_and_its_customers_with_it() {
        let before = membership(&[(CardType::Primary, CardStanding::Active); 3]);
        let mut before = before;
        before.cards[2].customer = before.cards[1].customer;
        let keep = || PersonEdit {
            first_name: Edit::Keep,
            last_name: Edit::Keep,
            email: Edit::Keep,
            phone_number: Edit::Keep,
            street_address_1: Edit::Keep,
            street_address_2: Edit::Keep,
            city: Edit::Keep,
            state: Edit::Keep,
            zip_code: Edit::Keep,
            country: Edit::Keep,
        };
        let nothing = MembershipEdit { external_id: Edit::Keep, cards: vec![] };
        assert_eq!(before.edited(&nothing), before);
        let card = |number, person| CardEdit { id: card_id(number), person };
        let email = || Edit::Set(Some("ada@example.test".to_owned()));
        let cards = vec![
            card(2, PersonEdit { email: email(), ..keep() }),
            card(3, PersonEdit { last_name: Edit::Set("Byron".to_owned()), ..keep() }),
            card(9, PersonEdit { email: email(), ..keep() }),
        ];
        let after = before.edited(&MembershipEdit { external_id: Edit::Set(None), cards });
        assert_eq!(after.cards[0], before.cards[0]);
        assert_eq!(after.cards[1].person.last_name, "L2");
        let changed = before.changed_customers(&after);
        assert_eq!(
            changed,
            [Customer {
                id: before.cards[1].customer.unwrap(),
                person: after.cards[1].person.clone(),
                source: None
            }]
        );
        assert_eq!(before.changed_customers(&before), []);
    }
}
