//! Memberships in carts on the wire (spec §2.5; contract §4).

use crate::person::{GifterInput, GifterOutput, MAX_TEXT_CHARS, PersonOutput};
use crate::{Checker, Field, IntegerId, List};
use domain::cart::MembershipLine;
use domain::cart_request::{
    MAX_MEMBERSHIP_CARDS, MAX_MEMBERSHIP_LINES, MAX_MEMBERSHIPS, MovedField, Wanted, WantedLine,
    WantedMembership,
};
use domain::customer::Person;
use domain::membership::issue::CardHolder;
use domain::membership::{CardType, Gifter, MembershipAction, MembershipPlan};
use domain::{CustomerId, LevelId, MembershipId, OfferingId, TicketTypeId, UnreadableId, Zone};
use serde::Serialize;
use utoipa::ToSchema;

crate::incoming! {
    /// What a membership line buys (spec §2.5). Fields that are only returned are ignored.
    pub struct MembershipInfoInput {
        /// The level; published.
        #[schema(required = true)]
        membership_category_id: String,
        /// One of the level's offerings.
        #[schema(required = true)]
        membership_offering_id: String,
        /// One of the offering's price points.
        #[schema(required = true)]
        price_point_id: String,
        /// Another spelling of `pricePointId`.
        pricepoint_id: String,
        /// The membership that is renewed or changed, by its id or its number; of a purchase, left out.
        membership_id: IntegerId,
        /// Who is to hold cards. May be left out until checkout.
        membership_cards: Vec<MembershipCardInput>,
        /// The same as `membershipCards`.
        cards: Vec<MembershipCardInput>,
        /// The same as `membershipCards`.
        cardholders: Vec<MembershipCardInput>,
        /// Whether someone else gives it; `false` where it is left out.
        is_gift: bool,
        /// Who gives it; required when `isGift` is true, left out otherwise.
        gifter_info: GifterInput,
    }

    /// Someone who is to hold a card (spec §2.5, contract §4).
    pub struct MembershipCardInput {
        /// `primary` or `secondary`; without it, the first card is the primary one.
        card_type: String,
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
        /// The customer the holder is already; left out of a new one.
        constituent_import_id: String,
    }
}

/// What stands on a membership line beside its info.
pub(super) struct LineParts {
    pub(super) action: MembershipAction,
    pub(super) is_retail: bool,
    pub(super) coupon_codes: Vec<String>,
    /// What may stand on the line itself as well as in its info (spec §4.1, contract §4).
    pub(super) level: Field<String>,
    pub(super) offering: Field<String>,
    pub(super) price_point: Field<String>,
    pub(super) membership_id: Field<IntegerId>,
    pub(super) cards: SentCards,
}

/// The lists of cards of one place, with the names they were sent under.
pub(super) type SentCards = [(&'static str, Field<List<MembershipCardInput>>); 3];

/// Where the info of a line stands within it.
const INFO: &str = "membershipInfo";
/// What names the plan of a membership, wherever it stands.
const PLAN: [&str; 3] = ["membershipCategoryId", "membershipOfferingId", "pricePointId"];
/// What names a membership that there is.
const MEMBERSHIP: &str = "membershipId";
/// The names of a list of cards, the first before the others.
const CARD_LISTS: [&str; 3] = ["membershipCards", "cards", "cardholders"];

/// What of a membership was sent in one place, by its names.
pub(super) struct SentParts(Vec<&'static str>);

/// What of a membership was sent in an info or on a line.
macro_rules! sent_parts {
    ($place:expr) => {{
        let sent = [
            ("membershipCategoryId", $place.membership_category_id.is_sent()),
            ("membershipOfferingId", $place.membership_offering_id.is_sent()),
            ("pricePointId", $place.price_point_id.is_sent() || $place.pricepoint_id.is_sent()),
            ("membershipId", $place.membership_id.is_sent()),
            ("membershipCards", $place.membership_cards.is_sent()),
            ("cards", $place.cards.is_sent()),
            ("cardholders", $place.cardholders.is_sent()),
        ];
        let sent = sent.into_iter().filter(|(_, is_sent)| *is_sent);
        sent.map(|(name, _)| name).collect::<SentParts>()
    }};
}

pub(super) use sent_parts;

impl FromIterator<&'static str> for SentParts {
    fn from_iter<I: IntoIterator<Item = &'static str>>(names: I) -> Self {
        Self(names.into_iter().collect())
    }
}

impl SentParts {
    fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    fn cards(&self) -> Option<&'static str> {
        CARD_LISTS.into_iter().find(|list| self.has(list))
    }

    /// What of the membership of a line does not stand in its info, or is a list of cards under another name, where
    /// these parts stand on the line itself. `line` is its pointer.
    pub(super) fn moved(&self, line: &str, info: Option<&MembershipInfoInput>) -> Vec<MovedField> {
        if info.is_none() && !PLAN.iter().any(|name| self.has(name)) {
            return Vec::new();
        }
        let of_info = info.map(|info| sent_parts!(info));
        let is_beside = |name: &&str| match &of_info {
            Some(of_info) => self.has(name) && !of_info.has(name),
            None => true,
        };
        let parts = PLAN.into_iter().chain([MEMBERSHIP]).filter(is_beside);
        let parts = parts.map(|name| (name, name.to_owned()));
        let [cards, ..] = CARD_LISTS;
        let own_list = of_info.as_ref().and_then(Self::cards).map(|list| format!("{INFO}/{list}"));
        let beside = self.cards().or_else(|| of_info.is_none().then_some(cards));
        let list = own_list.or_else(|| beside.map(str::to_owned)).map(|place| (cards, place));
        let belongs = parts.chain(list);
        let moved = belongs.map(|(name, place)| MovedField {
            from: format!("{line}/{INFO}/{name}"),
            to: format!("{line}/{place}"),
        });
        moved.collect()
    }
}

impl LineParts {
    /// Whether the line itself says what it buys.
    pub(super) fn names_plan(&self) -> bool {
        [&self.level, &self.offering, &self.price_point].into_iter().any(Field::is_sent)
    }

    /// What a line buys, whose info is this.
    pub(super) fn parse(
        self,
        checker: &mut Checker,
        info: Option<MembershipInfoInput>,
    ) -> Option<WantedMembership> {
        let has_info = info.is_some();
        let info = info.unwrap_or_default();
        let level = Either { of_info: info.membership_category_id, of_line: self.level, has_info };
        let level = level.read(checker, "membershipCategoryId", |checker, name, sent| {
            checker.required_id(name, sent, LevelId::parse)
        });
        let offering = Either { of_info: info.membership_offering_id, of_line: self.offering, has_info };
        let offering = offering.read(checker, "membershipOfferingId", |checker, name, sent| {
            checker.required_id(name, sent, OfferingId::parse)
        });
        let sent = [info.price_point_id, info.pricepoint_id];
        let price_point =
            checker.within(INFO, |checker| checker.either(["pricePointId", "pricepointId"], sent));
        let price_point = Either { of_info: price_point, of_line: self.price_point, has_info };
        let price_point = price_point.read(checker, "pricePointId", |checker, name, sent| {
            checker.required_id(name, sent, TicketTypeId::parse)
        });
        let membership = Either { of_info: info.membership_id, of_line: self.membership_id, has_info };
        let membership = membership.read(checker, "membershipId", |checker, name, sent| {
            checker.optional_number_id(name, sent, MembershipId::parse)
        });
        let of_info = sent_cards(info.membership_cards, info.cards, info.cardholders);
        let holders = read_cards(checker, of_info, self.cards);
        let giver = checker.within(INFO, |checker| {
            let is_gift = match info.is_gift {
                Field::Absent | Field::Null => Some(false),
                sent @ (Field::Value(_) | Field::Wrong) => checker.optional("isGift", sent),
            };
            read_giver(checker, is_gift, info.gifter_info)
        });
        Some(WantedMembership {
            action: self.action,
            plan: MembershipPlan { level: level?, offering: offering?, price_point: price_point? },
            membership,
            holders,
            giver,
            is_retail: self.is_retail,
            coupon_codes: self.coupon_codes,
            generated: None,
        })
    }
}

/// A field that may stand in the info of a line or on the line itself.
struct Either<T> {
    of_info: Field<T>,
    of_line: Field<T>,
    /// Whether the line has an info, which is where the field belongs.
    has_info: bool,
}

impl<T: PartialEq> Either<T> {
    /// Reads the field where it was sent. In both places it has to say the same.
    fn read<R>(
        self,
        checker: &mut Checker,
        name: &str,
        read: impl FnOnce(&mut Checker, &str, Field<T>) -> R,
    ) -> R {
        let Self { of_info, of_line, has_info } = self;
        if let (Field::Value(own), Field::Value(other)) = (&of_info, &of_line)
            && own != other
        {
            checker.invalid(name, format!("must be the same as {INFO}/{name}, or left out"));
        }
        match of_info.is_sent() || (has_info && !of_line.is_sent()) {
            true => checker.within(INFO, |checker| read(checker, name, of_info)),
            false => read(checker, name, of_line),
        }
    }
}

/// The lists of cards of one place.
pub(super) fn sent_cards(
    membership_cards: Field<List<MembershipCardInput>>,
    cards: Field<List<MembershipCardInput>>,
    cardholders: Field<List<MembershipCardInput>>,
) -> SentCards {
    [("membershipCards", membership_cards), ("cards", cards), ("cardholders", cardholders)]
}

/// Who is to hold cards, by the first list that was sent. Those of the info come before those of the line.
fn read_cards(checker: &mut Checker, of_info: SentCards, of_line: SentCards) -> Vec<CardHolder> {
    let mut first = None;
    checker.within(INFO, |checker| read_lists(checker, of_info, &mut first));
    read_lists(checker, of_line, &mut first);
    first.unwrap_or_default()
}

fn read_lists(checker: &mut Checker, lists: SentCards, first: &mut Option<Vec<CardHolder>>) {
    for (name, sent) in lists.into_iter().filter(|(_, sent)| sent.is_sent()) {
        let holders = read_holders(checker, name, sent);
        match first {
            Some(first) if *first != holders => {
                checker.invalid(name, "must have the same cards as the other list, or be left out");
            }
            Some(_) => {}
            None => *first = Some(holders),
        }
    }
}

fn read_holders(
    checker: &mut Checker,
    name: &str,
    field: Field<List<MembershipCardInput>>,
) -> Vec<CardHolder> {
    let mut index = 0_usize;
    let holders = checker.each(name, field, |checker, card| {
        let default = if index == 0 { CardType::Primary } else { CardType::Secondary };
        index = index.saturating_add(1);
        card.parse(checker, default)
    });
    let primaries = holders.iter().filter(|holder| holder.card_type == CardType::Primary);
    if primaries.count() > 1 {
        checker.invalid(name, "must include exactly one primary card");
    }
    holders
}

impl MembershipCardInput {
    fn parse(self, checker: &mut Checker, default: CardType) -> CardHolder {
        let sent = checker.optional_text("cardType", self.card_type, MAX_TEXT_CHARS);
        let card_type = sent.map(|sent| CardType::parse(&sent));
        if card_type == Some(None) {
            checker.invalid("cardType", "must be primary or secondary");
        }
        let number = |sent: &str| sent.parse::<i64>().map_err(|_| UnreadableId).and_then(CustomerId::parse);
        let customer = checker.optional_id("constituentImportId", self.constituent_import_id, number);
        let person = Person {
            first_name: checker.typed_name("firstName", self.first_name, MAX_TEXT_CHARS).unwrap_or_default(),
            last_name: checker.typed_name("lastName", self.last_name, MAX_TEXT_CHARS).unwrap_or_default(),
            email: checker.email("email", self.email),
            phone_number: checker.optional_text("phoneNumber", self.phone_number, MAX_TEXT_CHARS),
            street_address_1: checker.optional_text("streetAddress1", self.street_address1, MAX_TEXT_CHARS),
            street_address_2: checker.optional_text("streetAddress2", self.street_address2, MAX_TEXT_CHARS),
            city: checker.optional_text("city", self.city, MAX_TEXT_CHARS),
            state: checker.optional_text("state", self.state, MAX_TEXT_CHARS),
            zip_code: checker.optional_text("zipCode", self.zip_code, MAX_TEXT_CHARS),
            country: checker.country("country", self.country, MAX_TEXT_CHARS),
        };
        CardHolder { card_type: card_type.flatten().unwrap_or(default), person, customer }
    }
}

fn read_giver(checker: &mut Checker, is_gift: Option<bool>, field: Field<GifterInput>) -> Option<Gifter> {
    let sent = field.is_sent();
    match is_gift {
        Some(true) if !sent => {
            checker.invalid("gifterInfo", "is required when isGift is true");
            None
        }
        Some(false) if sent => {
            checker.invalid("gifterInfo", "must not be sent unless isGift is true");
            None
        }
        Some(_) | None => checker.object("gifterInfo", field, |checker, giver| {
            let mut giver = giver.parse(checker);
            let country = giver.person.country.take();
            let country = country.and_then(|country| checker.listed_country("country", &country));
            giver.person.country = country.map(str::to_owned);
            giver
        }),
    }
}

/// Where memberships exceed what a cart may have.
pub(super) fn check_memberships(checker: &mut Checker, lines: &[Option<WantedLine>]) {
    let memberships = lines.iter().flatten().filter_map(|line| match &line.wanted {
        Wanted::Membership(wanted) => Some(wanted.holders.len()),
        Wanted::Ticket(_) | Wanted::AddOn(_) | Wanted::Donation(_) | Wanted::Combo(_) => None,
    });
    let holders: Vec<usize> = memberships.collect();
    if holders.len() > MAX_MEMBERSHIP_LINES {
        checker.invalid("items", format!("must have at most {MAX_MEMBERSHIP_LINES} memberships"));
    }
    if holders.iter().sum::<usize>() > MAX_MEMBERSHIP_CARDS {
        checker.invalid(
            "items",
            format!("must not have more than {MAX_MEMBERSHIP_CARDS} membership cards in total"),
        );
    }
}

/// The memberships of a cart, and the one of them that was sent by itself, behind the others unless it is one of them.
pub(super) fn read_memberships(
    checker: &mut Checker,
    field: Field<List<IntegerId>>,
    single: Field<IntegerId>,
) -> (Vec<MembershipId>, Option<MembershipId>) {
    let mut ids = read_membership_list(checker, field);
    let single = checker.optional_number_id("membershipId", single, MembershipId::parse);
    let single = single.filter(|single| !ids.contains(single));
    if single.is_some() && ids.len() >= MAX_MEMBERSHIPS {
        checker.invalid(
            "membershipId",
            format!("makes more than {MAX_MEMBERSHIPS} together with membershipIds"),
        );
    }
    ids.extend(single);
    (ids, single)
}

fn read_membership_list(checker: &mut Checker, field: Field<List<IntegerId>>) -> Vec<MembershipId> {
    let sent = checker.optional("membershipIds", field).map(|list| list.0).unwrap_or_default();
    if sent.len() > MAX_MEMBERSHIPS {
        checker.too_many("membershipIds", MAX_MEMBERSHIPS);
        return Vec::new();
    }
    checker.within("membershipIds", |checker| {
        let mut ids = Vec::with_capacity(sent.len());
        for (index, element) in sent.into_iter().enumerate() {
            match element {
                Field::Value(id) => match MembershipId::parse(id.get()) {
                    Ok(id) => ids.push(id),
                    Err(_) => checker.unknown(index),
                },
                Field::Absent | Field::Null | Field::Wrong => checker.invalid(index, "must be an integer"),
            }
        }
        ids
    })
}

/// What a membership line buys, as it is answered (spec §2.5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MembershipInfoOutput {
    /// The level.
    pub membership_category_id: String,
    /// Its name.
    pub membership_category_name: String,
    /// The offering.
    pub membership_offering_id: String,
    /// Its name.
    pub membership_offering_name: String,
    /// The price point.
    pub price_point_id: String,
    /// The membership that is renewed or changed, as it was sent.
    pub membership_id: Option<i64>,
    /// The first instant of what is bought, were it paid now.
    pub start_date: String,
    /// The last instant of it.
    pub expiration_date: String,
    /// Who is to hold cards.
    pub membership_cards: Vec<MembershipCardOutput>,
    /// Whether someone else gives it.
    pub is_gift: bool,
    /// Who gives it.
    pub gifter_info: Option<GifterOutput>,
    /// `false`.
    pub waive_benefits: bool,
    /// `false`: nobody is told of a gift but its giver.
    pub notify_gift_recipient: bool,
    /// `0.00`: donations are lines of their own.
    pub donation_amount: &'static str,
    /// `false`.
    pub mark_donation_as_anonymous: bool,
    /// `0.00`.
    pub cancellation_refund_amount: &'static str,
    /// Whether the level comes with another one.
    pub auxiliary: bool,
}

/// Someone who is to hold a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MembershipCardOutput {
    /// `primary` or `secondary`.
    pub card_type: &'static str,
    /// Who it is, as far as it was sent.
    #[serde(flatten)]
    pub person: PersonOutput,
    /// The customer the holder was said to be.
    pub constituent_import_id: Option<String>,
}

impl MembershipInfoOutput {
    /// A line as the tenant's clocks show it.
    pub(super) fn of(line: &MembershipLine, zone: Zone) -> Self {
        let WantedMembership { plan, membership, holders, giver, .. } = &line.wanted;
        Self {
            membership_category_id: plan.level.to_string(),
            membership_category_name: line.level_name.clone(),
            membership_offering_id: plan.offering.to_string(),
            membership_offering_name: line.offering_name.clone(),
            price_point_id: plan.price_point.to_string(),
            membership_id: membership.map(MembershipId::get),
            start_date: zone.format(line.term.starts(zone)),
            expiration_date: zone.format(line.term.ends(zone)),
            membership_cards: holders.iter().map(MembershipCardOutput::from).collect(),
            is_gift: giver.is_some(),
            gifter_info: giver.as_ref().map(GifterOutput::from),
            waive_benefits: false,
            notify_gift_recipient: false,
            donation_amount: "0.00",
            mark_donation_as_anonymous: false,
            cancellation_refund_amount: "0.00",
            auxiliary: line.auxiliary,
        }
    }
}

impl From<&CardHolder> for MembershipCardOutput {
    fn from(holder: &CardHolder) -> Self {
        let CardHolder { card_type, person, customer } = holder.clone();
        Self {
            card_type: card_type.as_str(),
            person: person.into(),
            constituent_import_id: customer.map(|customer| customer.to_string()),
        }
    }
}
