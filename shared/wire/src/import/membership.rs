//! Members of the import document (spec §2.16).

use super::held::{LaterTermInput, PurchaseInput, read_end};
use crate::readers::{NAME_CHARS, name, number_id, word};
use crate::{Checker, Field, IntegerId, incoming};
use domain::customer::{Customer, Person};
use domain::membership::{Bought, CardStanding, CardType, Ended, LaterTerm, MemberCard, Membership};
use domain::{CardId, CustomerId, LevelId, MembershipId, OfferingId, TicketTypeId, Timestamp, Zone};

incoming! {
    /// A member's card.
    pub struct MemberInput {
        id: IntegerId,
        membership_id: IntegerId,
        membership_number: IntegerId,
        category_id: String,
        offering_id: String,
        price_point_id: String,
        pricepoint_id: String,
        card_type: String,
        card_standing: String,
        first_name: String,
        last_name: String,
        email: String,
        phone_number: String,
        street_address1: String,
        street_address2: String,
        city: String,
        state: String,
        zip_code: String,
        country: String,
        barcode: String,
        external_membership_id: String,
        customer_id: IntegerId,
        membership_joined_date: String,
        membership_start_date: String,
        membership_expiration_date: String,
        term_anchor_day: i64,
        later_terms: Vec<LaterTermInput>,
        membership_ended_date: String,
        replaced_by_membership_id: IntegerId,
        purchase: PurchaseInput,
    }
}

/// An entry of the section of members: one card, with the facts of its membership.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRecord {
    /// The membership, with this card alone.
    pub membership: Membership,
    /// The customer the card's person is, if the entry names one.
    pub customer: Option<Customer>,
}

impl MemberInput {
    /// The card, unless a field is at fault.
    pub fn read(mut self, checker: &mut Checker, zone: Zone) -> Option<MemberRecord> {
        for (field, sent) in [("id", &self.id), ("membershipId", &self.membership_id)] {
            checker.require(field, sent);
        }
        let card = self.read_card(checker);
        let history = self.read_history(checker, zone);
        let membership = number_id(checker, "membershipId", self.membership_id, MembershipId::parse);
        let number = number_id(checker, "membershipNumber", self.membership_number, MembershipId::parse);
        let level = checker.required_id("categoryId", self.category_id, LevelId::parse);
        let offering = checker.required_id("offeringId", self.offering_id, OfferingId::parse);
        let sent_point = [self.price_point_id, self.pricepoint_id];
        let sent_point = checker.either(["pricePointId", "pricepointId"], sent_point);
        let price_point = checker.required_id("pricePointId", sent_point, TicketTypeId::parse);
        let started = checker.required_instant("membershipStartDate", self.membership_start_date, zone);
        let expires =
            checker.required_instant("membershipExpirationDate", self.membership_expiration_date, zone);
        if let (Some(started), Some(expires)) = (started, expires)
            && expires < started
        {
            checker.invalid("membershipExpirationDate", "must not be before membershipStartDate");
        }
        let joined =
            checker.optional_instant("membershipJoinedDate", self.membership_joined_date, zone).or(started);
        let external_id =
            checker.optional_text("externalMembershipId", self.external_membership_id, NAME_CHARS);
        let card = card?;
        let of_person = |id| Customer { id, person: card.person.clone(), source: None };
        let customer = card.customer.map(of_person);
        let membership = Membership {
            number: number.or(membership)?,
            id: membership?,
            level: level?,
            offering: offering?,
            price_point: price_point?,
            external_id,
            joined: joined?,
            started: started?,
            expires: expires?,
            anchor_day: history.anchor_day,
            later: history.later,
            ended: history.ended,
            bought: history.bought,
            cards: vec![card],
            // Noted when it is stored.
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            updated_by: None,
        };
        Some(MemberRecord { membership, customer })
    }

    fn read_card(&mut self, checker: &mut Checker) -> Option<MemberCard> {
        let take = std::mem::take::<Field<String>>;
        let person = self.read_person(checker);
        let id = number_id(checker, "id", std::mem::take(&mut self.id), CardId::parse);
        let customer =
            number_id(checker, "customerId", std::mem::take(&mut self.customer_id), CustomerId::parse);
        let card_type = take(&mut self.card_type);
        let card_type = word(checker, "cardType", card_type, CardType::parse, "primary, secondary");
        let standing = take(&mut self.card_standing);
        let standing = word(checker, "cardStanding", standing, CardStanding::parse, STANDINGS);
        Some(MemberCard {
            barcode: name(checker, "barcode", take(&mut self.barcode)),
            id: id?,
            card_type: card_type.unwrap_or_default(),
            standing: standing.unwrap_or_default(),
            person,
            customer,
        })
    }

    /// What became of the membership beside its current term.
    fn read_history(&mut self, checker: &mut Checker, zone: Zone) -> History {
        let anchor_day = checker.optional("termAnchorDay", std::mem::take(&mut self.term_anchor_day));
        let anchor_day = anchor_day.and_then(|day| {
            let found = u32::try_from(day).ok().filter(|day| (1..=31).contains(day));
            if found.is_none() {
                checker.invalid("termAnchorDay", "must be between 1 and 31");
            }
            found
        });
        let later = std::mem::take(&mut self.later_terms);
        let later = checker.each("laterTerms", later, |checker, term| term.read(checker, zone));
        let end = std::mem::take(&mut self.membership_ended_date);
        let ended = read_end(checker, end, std::mem::take(&mut self.replaced_by_membership_id), zone);
        let purchase = std::mem::take(&mut self.purchase);
        let bought = checker.object("purchase", purchase, |checker, sent| sent.read(checker)).flatten();
        History { anchor_day, later: later.into_iter().flatten().collect(), ended, bought }
    }

    fn read_person(&mut self, checker: &mut Checker) -> Person {
        let mut optional =
            |field, sent: &mut Field<String>| checker.optional_text(field, std::mem::take(sent), NAME_CHARS);
        let person = Person {
            email: None,
            phone_number: optional("phoneNumber", &mut self.phone_number),
            street_address_1: optional("streetAddress1", &mut self.street_address1),
            street_address_2: optional("streetAddress2", &mut self.street_address2),
            city: optional("city", &mut self.city),
            state: optional("state", &mut self.state),
            zip_code: optional("zipCode", &mut self.zip_code),
            country: optional("country", &mut self.country),
            first_name: String::new(),
            last_name: String::new(),
        };
        let mut named = |field, sent: &mut Field<String>| {
            checker.required_typed_name(field, std::mem::take(sent), NAME_CHARS).unwrap_or_default()
        };
        let first_name = named("firstName", &mut self.first_name);
        let last_name = named("lastName", &mut self.last_name);
        let email = checker.email("email", std::mem::take(&mut self.email));
        Person { first_name, last_name, email, ..person }
    }
}

/// What became of a membership beside its current term.
struct History {
    anchor_day: Option<u32>,
    later: Vec<LaterTerm>,
    ended: Option<Ended>,
    bought: Option<Bought>,
}

/// Cards of one membership.
const MAX_CARDS: usize = 50;

/// Puts the cards of one membership together; a card that contradicts those before it, or is one too many, is at
/// fault.
pub(super) fn gather(checker: &mut Checker, gathered: &mut Vec<Membership>, mut next: Membership) {
    let Some(known) = gathered.iter_mut().find(|known| known.id == next.id) else {
        gathered.push(next);
        return;
    };
    let mut cards = std::mem::take(&mut known.cards);
    let added = std::mem::take(&mut next.cards);
    if *known == next {
        cards.extend(added);
        if cards.len() > MAX_CARDS {
            checker.invalid("membershipId", format!("must have at most {MAX_CARDS} cards"));
        }
    } else {
        checker.invalid("membershipId", "must agree with the other cards of its membership");
    }
    known.cards = cards;
}

const STANDINGS: &str = "new, active, dropped, lapsed, replaced";
