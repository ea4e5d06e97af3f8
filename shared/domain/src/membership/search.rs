//! Finding the cards of members by what they say or show at the counter (contract §20; decision record 0140). Cards
//! that were given up or replaced are not found.

use super::listed::unspaced;
use super::{ListedCard, ListedMembership, MemberCard, Membership};
use crate::MembershipId;
use crate::compare::{comparable, is_same_code, phone_digits};
use crate::customer::Person;
use crate::email::is_same_email;
use crate::number::whole_number;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// The most cards that a search finds.
pub const MAX_FOUND: usize = 200;
/// The most cards that are looked at where a list does not say whether they are found.
const MAX_LOOKED_AT: usize = 1_000;
/// How many characters a text has that is looked for.
const TEXT_CHARS: RangeInclusive<usize> = 2..=100;

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberSearch {
    /// Whatever somebody said.
    Text(SearchText),
    /// Cards whose holders are so.
    Holder(HolderFilter),
    /// The cards of the membership with this id or number.
    Number(MembershipId),
    /// Cards on which a name stands that begins so.
    CardName(String),
}

/// A number, a barcode, an e-mail address, a phone number or how a name begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchText {
    text: String,
    /// How a name begins, as names are compared; none where the text cannot be one.
    name: Option<String>,
}

/// What is known of the holder of a card, all of it. Texts are how the holder's begin, but for the e-mail address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HolderFilter {
    /// First name.
    pub first_name: Option<String>,
    /// Last name.
    pub last_name: Option<String>,
    /// Street and number.
    pub address: Option<String>,
    /// Postal code.
    pub zip: Option<String>,
    /// E-mail address.
    pub email: Option<String>,
}

/// What memberships are found by without a look at the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchKeys {
    /// Its id or its number.
    pub number: Option<MembershipId>,
    /// The venue's own number, or the barcode of a card.
    pub code: Option<String>,
    /// The e-mail address of a holder.
    pub email: Option<String>,
    /// The phone number of a holder.
    pub phone: Option<String>,
}

/// What a card is found by, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundBy {
    /// The id or the number of its membership.
    Number,
    /// The venue's own number of its membership.
    ExternalNumber,
    /// Its barcode.
    Barcode,
    /// The e-mail address of its holder.
    Email,
    /// The phone number of its holder.
    Phone,
    /// How the name of its holder begins, or what else is known of the holder.
    Name,
}

/// A card that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundCard<'a> {
    /// Its membership.
    pub membership: &'a Membership,
    /// The card.
    pub card: &'a MemberCard,
    /// By what.
    pub by: FoundBy,
}

/// A card of a list that may be found, in the order of names.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    names: [String; 2],
    membership: MembershipId,
    /// Whether the list says all of it that a search looks at.
    is_noted: bool,
}

impl SearchText {
    /// Reads a text; none where it is too short or too long. A text with a letter and without an `@` can be a name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if !TEXT_CHARS.contains(&text.chars().count()) {
            return None;
        }
        let can_be_name = text.contains(char::is_alphabetic) && !text.contains('@');
        Some(Self { text: text.to_owned(), name: can_be_name.then(|| comparable(text)) })
    }

    fn number(&self) -> Option<MembershipId> {
        whole_number(&self.text).and_then(|number| MembershipId::parse(number).ok())
    }

    /// The text as an e-mail address. None holds a space: one that arrives as a space was a plus sign.
    fn email(&self) -> Option<String> {
        self.text.contains('@').then(|| self.text.replace(' ', "+"))
    }

    /// The digits of the text as a phone number.
    fn phone(&self) -> Option<String> {
        Some(phone_digits(&self.text)).filter(|digits| !digits.is_empty() && !self.text.contains('@'))
    }

    fn finds(&self, membership: &Membership, card: &MemberCard) -> Option<FoundBy> {
        let person = &card.person;
        let has_number = |number| [membership.id, membership.number].contains(&number);
        let is_code = |own: &str| is_same_code(own, &self.text);
        let has_email = |email: String| person.email.as_deref().is_some_and(|own| is_same_email(own, &email));
        let has_phone =
            |phone: String| person.phone_number.as_deref().is_some_and(|own| phone_digits(own) == phone);
        let is_named = |name: &str| is_named_so(name, &person.first_name, &person.last_name);
        let ways = [
            (FoundBy::Number, self.number().is_some_and(has_number)),
            (FoundBy::ExternalNumber, membership.external_id.as_deref().is_some_and(is_code)),
            (FoundBy::Barcode, is_code(&card.barcode)),
            (FoundBy::Email, self.email().is_some_and(has_email)),
            (FoundBy::Phone, self.phone().is_some_and(has_phone)),
            (FoundBy::Name, self.name.as_deref().is_some_and(is_named)),
        ];
        ways.into_iter().find_map(|(by, finds)| finds.then_some(by))
    }
}

impl HolderFilter {
    fn admits(&self, person: &Person) -> bool {
        let Self { first_name, last_name, address, zip, email } = self;
        let own = person.email.as_deref();
        let street = person.street_address_1.as_deref().unwrap_or_default();
        begins(&person.first_name, first_name.as_deref())
            && begins(&person.last_name, last_name.as_deref())
            && begins(street, address.as_deref())
            && zip_begins(person.zip_code.as_deref().unwrap_or_default(), zip.as_deref())
            && email.as_deref().is_none_or(|email| own.is_some_and(|own| is_same_email(own, email)))
    }

    /// Whether it may admit the holder of a listed card.
    fn may_admit(&self, card: &ListedCard) -> bool {
        let Self { first_name, last_name, address, zip, email: _ } = self;
        begins(&card.first_name, first_name.as_deref())
            && begins(&card.last_name, last_name.as_deref())
            && card.street.as_deref().is_none_or(|street| begins(street, address.as_deref()))
            && zip_begins(card.zip_code.as_deref().unwrap_or_default(), zip.as_deref())
    }
}

impl MemberSearch {
    /// What memberships are found by at once.
    #[must_use]
    pub fn keys(&self) -> SearchKeys {
        match self {
            Self::Text(sent) => SearchKeys {
                number: sent.number(),
                code: Some(sent.text.clone()),
                email: sent.email(),
                phone: sent.phone(),
            },
            Self::Holder(filter) => SearchKeys { email: filter.email.clone(), ..SearchKeys::default() },
            Self::Number(number) => SearchKeys { number: Some(*number), ..SearchKeys::default() },
            Self::CardName(_) => SearchKeys::default(),
        }
    }

    /// Whether it has to look at the list of all memberships.
    #[must_use]
    pub const fn looks_at_list(&self) -> bool {
        match self {
            Self::Text(sent) => sent.name.is_some(),
            Self::Holder(filter) => filter.email.is_none(),
            Self::Number(_) => false,
            Self::CardName(_) => true,
        }
    }

    /// The memberships of a list that have to be read, since cards of them may be found: no more than a search finds,
    /// but for entries that do not say enough.
    #[must_use]
    pub fn candidates(&self, listed: &[ListedMembership]) -> BTreeSet<MembershipId> {
        let of_one = |entry: &ListedMembership| {
            let membership = entry.id;
            let cards = entry.cards.iter().filter(|card| self.may_find(card));
            let candidate = |card: &ListedCard| Candidate {
                names: [&card.last_name, &card.first_name].map(|name| comparable(name)),
                membership,
                is_noted: card.street.is_some(),
            };
            cards.map(candidate).collect::<Vec<_>>()
        };
        let mut candidates: Vec<Candidate> = listed.iter().flat_map(of_one).collect();
        candidates.sort_unstable();
        let (mut wanted, mut noted) = (BTreeSet::new(), 0_usize);
        for candidate in candidates.into_iter().take(MAX_LOOKED_AT) {
            wanted.insert(candidate.membership);
            noted = noted.saturating_add(usize::from(candidate.is_noted));
            if noted >= MAX_FOUND {
                break;
            }
        }
        wanted
    }

    fn may_find(&self, card: &ListedCard) -> bool {
        let is_named = |name: &str| is_named_so(name, &card.first_name, &card.last_name);
        !card.given_up
            && match self {
                Self::Text(sent) => sent.name.as_deref().is_some_and(is_named),
                Self::Holder(filter) => filter.may_admit(card),
                Self::Number(_) => false,
                Self::CardName(name) => is_named(&comparable(name)),
            }
    }

    /// What it finds a card by, if it does.
    #[must_use]
    pub fn finds(&self, membership: &Membership, card: &MemberCard) -> Option<FoundBy> {
        let person = &card.person;
        let by = match self {
            Self::Text(sent) => sent.finds(membership, card),
            Self::Holder(filter) => filter.admits(person).then_some(FoundBy::Name),
            Self::Number(number) => {
                [membership.id, membership.number].contains(number).then_some(FoundBy::Number)
            }
            Self::CardName(name) => {
                is_named_so(&comparable(name), &person.first_name, &person.last_name).then_some(FoundBy::Name)
            }
        };
        by.filter(|_| card.is_held())
    }

    /// The cards that it finds of these memberships, at most [`MAX_FOUND`]: what is surest first, names in their order.
    #[must_use]
    pub fn found<'a>(&self, memberships: &'a [Membership]) -> Vec<FoundCard<'a>> {
        let of_one = |membership: &'a Membership| {
            let cards = membership.cards.iter();
            let found = cards.filter_map(|card| self.finds(membership, card).map(|by| (card, by)));
            found.map(|(card, by)| FoundCard { membership, card, by }).collect::<Vec<_>>()
        };
        let mut found: Vec<FoundCard<'a>> = memberships.iter().flat_map(of_one).collect();
        found.sort_by_cached_key(|found| {
            let person = &found.card.person;
            let names = [&person.last_name, &person.first_name].map(|name| match found.by {
                FoundBy::Name => comparable(name),
                // The cards of one membership stay in their order.
                FoundBy::Number
                | FoundBy::ExternalNumber
                | FoundBy::Barcode
                | FoundBy::Email
                | FoundBy::Phone => String::new(),
            });
            (found.by, names, found.membership.id)
        });
        found.truncate(MAX_FOUND);
        found
    }
}

/// Whether the first name, the last, or both in either order begin with a text that is in the form in which names are
/// compared.
fn is_named_so(beginning: &str, first: &str, last: &str) -> bool {
    [format!("{first} {last}"), format!("{last} {first}")]
        .iter()
        .any(|name| comparable(name).starts_with(beginning))
}

fn begins(text: &str, wanted: Option<&str>) -> bool {
    wanted.is_none_or(|wanted| comparable(text).starts_with(&comparable(wanted)))
}

fn zip_begins(code: &str, wanted: Option<&str>) -> bool {
    wanted.is_none_or(|wanted| unspaced(code).starts_with(&unspaced(wanted)))
}

#[cfg(test)]
mod tests;
