use super::*;
use crate::Money;
use crate::membership::Move;
use crate::membership::force::MembershipStanding;
use serde_json::json;

fn zone() -> Zone {
    Zone::parse("America/New_York").unwrap()
}

pub(crate) fn at(local: &str) -> Timestamp {
    zone().parse_instant(local).unwrap()
}

fn plan(level: &str) -> MembershipPlan {
    serde_json::from_value(json!({"level": level, "offering": "0f", "price_point": "aa"})).unwrap()
}

pub(crate) fn holder(card_type: CardType, first: &str, last: &str) -> CardHolder {
    let person = Person { first_name: first.to_owned(), last_name: last.to_owned(), ..Person::default() };
    CardHolder { card_type, person, customer: None }
}

/// A family membership for 2027 with cards of Ada and Ben.
pub(crate) fn member() -> Membership {
    serde_json::from_value(json!({
        "id": 7, "number": 4711, "level": "family", "offering": "0f", "price_point": "aa",
        "joined": at("2024-01-01"), "started": at("2027-01-01"), "expires": at("2027-12-31T23:59:59"),
        "cards": [
            {"id": 1, "card_type": "primary", "barcode": "b1", "person": {"first_name": "Ada", "last_name": "Byron"}},
            {"id": 2, "card_type": "secondary", "barcode": "b2", "person": {"first_name": "Ben", "last_name": "Byron"}},
        ],
    }))
    .unwrap()
}

/// When something is done, and the first and the last day of the term it comes to.
#[derive(Clone, Copy)]
pub(crate) struct Days {
    pub(crate) now: &'static str,
    pub(crate) first: &'static str,
    pub(crate) last: &'static str,
}

/// Does something on a day that comes to a term of these days.
pub(crate) fn done(
    action: MembershipAction,
    level: &str,
    current: Option<&Membership>,
    days: Days,
    holders: &[CardHolder],
) -> MembershipChange {
    let Days { now, first, last } = days;
    let order = crate::OrderId::parse("1").unwrap();
    let paid = Money::from_cents(100);
    let ids = NewMembership {
        id: MembershipId::parse(50).unwrap(),
        number: MembershipId::parse(60).unwrap(),
        holders: Vec::new(),
        giver: None,
    };
    let made = Issue {
        action,
        plan: plan(level),
        term: Term { first: first.parse().unwrap(), last: last.parse().unwrap() },
        ids,
        current,
        holders,
        bought: Bought { order, full_price: paid, paid, giver: None, imported: false },
        now: at(now),
        zone: zone(),
    };
    let mut number = 100;
    let generate = || {
        number += 1;
        Ok::<_, ()>((CardId::parse(number).unwrap(), format!("new-{number}")))
    };
    issue(&made, generate).unwrap()
}

#[test]
fn a_purchase_makes_a_membership_with_a_card_for_each_holder() {
    let holders = [holder(CardType::Primary, "Ada", "Byron"), holder(CardType::Secondary, "Ben", "Byron")];
    let year = Days { now: "2027-05-20T10:00", first: "2027-05-20", last: "2028-05-19" };
    let MembershipChange { before, after, made, retired, customers: _ } =
        done(MembershipAction::Purchase, "family", None, year, &holders);
    assert_eq!((before, retired), (None, None));
    assert_eq!((after.id.get(), after.number.get()), (50, 60));
    assert_eq!((after.joined, after.started), (at("2027-05-20"), at("2027-05-20")));
    assert_eq!(after.expires, at("2028-05-19T23:59:59"));
    let barcodes: Vec<&str> = after.cards.iter().map(|card| card.barcode.as_str()).collect();
    assert_eq!(barcodes, ["new-101", "new-102"]);
    assert_eq!(made, [after.cards[0].id, after.cards[1].id]);
}

#[test]
fn a_renewal_goes_on_with_the_same_membership_number_and_cards() {
    let member = member();
    let year = Days { now: "2027-12-01", first: "2028-01-01", last: "2028-12-31" };
    let MembershipChange { before, after, made, retired, customers: _ } =
        done(MembershipAction::Renewal(Move::Stay), "family", Some(&member), year, &[]);
    assert_eq!((before.as_ref(), retired), (Some(&member), None));
    assert_eq!((after.id, after.number, after.cards.len()), (member.id, member.number, 2));
    assert_eq!((after.started, after.expires), (at("2027-01-01"), at("2027-12-31T23:59:59")));
    assert_eq!((after.ends(), made), (at("2028-12-31T23:59:59"), vec![]));
    assert_eq!(after.clone().as_of(at("2028-01-01")).started, at("2028-01-01"));
    assert_eq!(after.standing(at("2028-06-01")), MembershipStanding::Active);
}

#[test]
fn a_move_at_renewal_begins_with_the_new_term() {
    let member = member();
    let year = Days { now: "2027-12-01", first: "2028-01-01", last: "2028-12-31" };
    let after = done(MembershipAction::Renewal(Move::Up), "patron", Some(&member), year, &[]).after;
    for (now, level) in
        [("2027-12-31T23:59:59", "family"), ("2028-01-01", "patron"), ("2029-06-01", "patron")]
    {
        assert_eq!(after.clone().as_of(at(now)).level.as_str(), level, "{now}");
    }
    assert_eq!(after.ends(), at("2028-12-31T23:59:59"));
    let again = Days { now: "2027-12-02", first: "2029-01-01", last: "2029-12-31" };
    let after = done(MembershipAction::Renewal(Move::Stay), "patron", Some(&after), again, &[]).after;
    assert_eq!((after.later.len(), after.ends()), (2, at("2029-12-31T23:59:59")));
}

#[test]
fn a_membership_that_comes_back_begins_anew_and_keeps_its_number() {
    let member = member();
    let year = Days { now: "2031-07-01", first: "2031-07-01", last: "2032-06-30" };
    let after = done(MembershipAction::Rejoin(Move::Stay), "family", Some(&member), year, &[]).after;
    assert_eq!((after.id, after.joined, after.started), (member.id, member.joined, at("2031-07-01")));
    assert_eq!(after.expires, at("2032-06-30T23:59:59"));
}

#[test]
fn an_upgrade_retires_the_old_membership_and_keeps_number_and_barcodes() {
    let member = member();
    let rest = Days { now: "2027-05-20T10:00", first: "2027-05-20", last: "2027-12-31" };
    let MembershipChange { before: _, after, made: _, retired, customers: _ } =
        done(MembershipAction::Upgrade, "patron", Some(&member), rest, &[]);
    assert_eq!((after.id.get(), after.number, after.level.as_str()), (50, member.number, "patron"));
    assert_eq!((after.started, after.expires), (at("2027-05-20"), member.expires));
    assert_eq!(after.cards, member.cards);
    let retired = retired.unwrap();
    assert_eq!(retired.ended.as_ref().and_then(|ended| ended.into), Some(after.id));
    assert_eq!(retired.standing(at("2027-05-20T10:00")), MembershipStanding::Lapsed);
    assert!(retired.cards.iter().all(|card| card.standing == CardStanding::Replaced));
}

#[test]
fn holders_who_are_sent_fill_the_gaps_of_their_cards_and_others_get_new_ones() {
    let mut member = member();
    member.cards[1].person.email = Some("ben@example.test".to_owned());
    member.cards[0].customer = CustomerId::parse(9).ok();
    let with = |email: &str, holder: CardHolder| {
        let email = Some(email.to_owned());
        CardHolder { person: Person { email, ..holder.person.clone() }, ..holder }
    };
    let holders = [
        CardHolder {
            customer: CustomerId::parse(10).ok(),
            ..with("ada@example.test", holder(CardType::Primary, "Ada", "Byron"))
        },
        with("other@example.test", holder(CardType::Secondary, "BEN", "Byron")),
        holder(CardType::Secondary, "Ben", "Byron"),
    ];
    assert_eq!(held_cards(Some(&member), &holders), 3, "father and son have a card each");
    let year = Days { now: "2027-12-01", first: "2028-01-01", last: "2028-12-31" };
    let change = done(MembershipAction::Renewal(Move::Stay), "family", Some(&member), year, &holders);
    let cards = &change.after.cards;
    let shown: Vec<(&str, &str, Option<&str>)> = cards
        .iter()
        .map(|card| (card.barcode.as_str(), card.person.first_name.as_str(), card.person.email.as_deref()))
        .collect();
    assert_eq!(
        shown,
        [
            ("b1", "Ada", Some("ada@example.test")),
            ("b2", "Ben", Some("ben@example.test")),
            ("new-101", "Ben", None),
        ]
    );
    assert_eq!(cards[0].customer, CustomerId::parse(9).ok(), "a card stays its customer's");
    assert_eq!(change.made, [cards[2].id]);
}

#[test]
fn a_membership_is_its_primary_holders_to_change() {
    let member = member();
    let named = |first: &str, last: &str| holder(CardType::Primary, first, last).person;
    let mut given_up = member.clone();
    given_up.cards.iter_mut().for_each(|card| card.standing = CardStanding::Dropped);
    let orphaned = Membership { cards: vec![member.cards[1].clone()], ..member.clone() };
    for (membership, person, own) in [
        (&member, named("ada", "BYRON"), true),
        (&member, named("Augusta", "Byron"), false),
        (&member, named("Ben", "Byron"), false),
        (&member, named("Eve", "Stranger"), false),
        (&given_up, named("Ada", "Byron"), false),
        (&orphaned, named("Ben", "Byron"), true),
        (&orphaned, named("Eve", "Stranger"), false),
    ] {
        assert_eq!(is_holders_own(membership, &person), own, "{person:?}");
    }
}
