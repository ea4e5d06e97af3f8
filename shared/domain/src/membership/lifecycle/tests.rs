use super::*;
use crate::MembershipId;
use crate::membership::MembershipPlan;
use serde_json::json;

const FAMILY: &str = "bb0000000000000000000001";
const PATRON: &str = "bb0000000000000000000002";
const DRAFT: &str = "bb0000000000000000000003";
const ADULT: &str = "aa0000000000000000000001";

fn zone() -> Zone {
    Zone::parse("America/New_York").unwrap()
}

fn at(local: &str) -> SaleContext {
    SaleContext { channel: Channel::Online, zone: zone(), now: zone().parse_instant(local).unwrap() }
}

fn level(id: &str, state: &str, cents: i64) -> Level {
    serde_json::from_value(json!({
        "id": id, "name": id, "state": state,
        "offerings": [{
            "id": format!("{id}0f"), "name": "A year", "duration_months": 12, "price_lists": [{
                "id": "cc", "name": "Always", "prices": [
                    {"ticket_type": ADULT, "price": cents, "display_order": 1},
                ],
            }],
        }],
    }))
    .unwrap()
}

fn levels() -> BTreeMap<LevelId, Level> {
    let all =
        [level(FAMILY, "published", 10_000), level(PATRON, "published", 25_000), level(DRAFT, "draft", 1)];
    all.into_iter().map(|level| (level.id.clone(), level)).collect()
}

fn plan(level: &str) -> MembershipPlan {
    serde_json::from_value(json!({"level": level, "offering": format!("{level}0f"), "price_point": ADULT}))
        .unwrap()
}

/// A family membership from the first of 2027 to the end of that year.
fn member() -> Membership {
    let day = |text: &str| zone().parse_instant(text).unwrap();
    serde_json::from_value(json!({
        "id": 7, "number": 4711, "level": FAMILY, "offering": format!("{FAMILY}0f"), "price_point": ADULT,
        "joined": day("2024-01-01"), "started": day("2027-01-01"), "expires": day("2027-12-31T23:59:59"),
        "cards": [{"id": 1, "barcode": "b1", "person": {"first_name": "Ada", "last_name": "Byron"}}],
    }))
    .unwrap()
}

fn quoted(
    action: MembershipAction,
    to: &str,
    current: Current<'_>,
    sale: SaleContext,
) -> Result<(String, String, Money), LifecycleFault> {
    let levels = levels();
    let quote = quote(&levels, action, &plan(to), current, sale)?;
    Ok((quote.term.first.to_string(), quote.term.last.to_string(), quote.unit().unwrap()))
}

#[test]
fn every_action_has_its_term_and_its_price() {
    let member = member();
    let (stay, up, down) = (Move::Stay, Move::Up, Move::Down);
    for (case, action, to, now, first, last, cents) in [
        (
            "bought today",
            MembershipAction::Purchase,
            FAMILY,
            "2027-05-20",
            "2027-05-20",
            "2028-05-19",
            10_000,
        ),
        (
            "renewed early",
            MembershipAction::Renewal(stay),
            FAMILY,
            "2027-12-01",
            "2028-01-01",
            "2028-12-31",
            10_000,
        ),
        (
            "renewed on the last day",
            MembershipAction::Renewal(stay),
            FAMILY,
            "2027-12-31T23:00",
            "2028-01-01",
            "2028-12-31",
            10_000,
        ),
        (
            "renewed in its grace",
            MembershipAction::Renewal(stay),
            FAMILY,
            "2028-01-30",
            "2028-01-01",
            "2028-12-31",
            10_000,
        ),
        (
            "renewed after its grace",
            MembershipAction::Renewal(stay),
            FAMILY,
            "2028-01-31",
            "2028-01-31",
            "2029-01-30",
            10_000,
        ),
        (
            "renewed 400 days late",
            MembershipAction::Renewal(stay),
            FAMILY,
            "2029-02-03",
            "2029-02-03",
            "2030-02-02",
            10_000,
        ),
        (
            "renewed to a higher level",
            MembershipAction::Renewal(up),
            PATRON,
            "2027-12-01",
            "2028-01-01",
            "2028-12-31",
            25_000,
        ),
        (
            "renewed after the term",
            MembershipAction::PostTermRenewal(stay),
            FAMILY,
            "2028-01-05",
            "2028-01-05",
            "2029-01-04",
            10_000,
        ),
        ("came back", MembershipAction::Rejoin(up), PATRON, "2031-07-01", "2031-07-01", "2032-06-30", 25_000),
        ("moved up", MembershipAction::Upgrade, PATRON, "2027-05-20", "2027-05-20", "2027-12-31", 15_000),
    ] {
        let current =
            if action == MembershipAction::Purchase { Current::Unnamed } else { Current::Found(&member) };
        let expected = (first.to_owned(), last.to_owned(), Money::from_cents(cents));
        assert_eq!(quoted(action, to, current, at(now)), Ok(expected), "{case}");
    }
    let patron = Membership { level: LevelId::parse(PATRON).unwrap(), ..member.clone() };
    let moved = quoted(MembershipAction::Downgrade, FAMILY, Current::Found(&patron), at("2027-05-20"));
    assert!(
        matches!(moved, Ok((_, _, price)) if price == Money::from_cents(10_000)),
        "no price is known of it"
    );
    let bought = super::super::Bought {
        order: crate::OrderId::parse("1").unwrap(),
        full_price: Money::from_cents(25_000),
        paid: Money::ZERO,
        giver: None,
        imported: false,
    };
    let paid = Membership { bought: Some(bought), ..patron };
    for (action, cents) in [(MembershipAction::Downgrade, 0), (MembershipAction::Renewal(down), 10_000)] {
        let (_, _, price) = quoted(action, FAMILY, Current::Found(&paid), at("2027-05-20")).unwrap();
        assert_eq!(price, Money::from_cents(cents), "{action:?}");
    }
}

#[test]
fn what_stands_against_a_sale_is_told_in_its_order() {
    use LifecycleFault as Fault;
    let member = member();
    let ended = Membership {
        ended: Some(super::super::Ended { at: at("2027-02-01").now, into: MembershipId::parse(8).ok() }),
        ..member.clone()
    };
    let mut given_up = member.clone();
    given_up.cards[0].standing = super::super::CardStanding::Dropped;
    let found = Current::Found(&member);
    let stay = Move::Stay;
    for (case, action, to, current, now, fault) in [
        (
            "unknown level",
            MembershipAction::Purchase,
            "bb99",
            Current::Unnamed,
            "2027-05-20",
            Fault::UnknownLevel,
        ),
        ("draft", MembershipAction::Purchase, DRAFT, Current::Unnamed, "2027-05-20", Fault::UnknownLevel),
        ("purchase from one", MembershipAction::Purchase, FAMILY, found, "2027-05-20", Fault::MembershipSent),
        (
            "renewal of none",
            MembershipAction::Renewal(stay),
            FAMILY,
            Current::Unnamed,
            "2027-05-20",
            Fault::MembershipMissing,
        ),
        (
            "unknown membership",
            MembershipAction::Renewal(stay),
            FAMILY,
            Current::Unknown,
            "2027-05-20",
            Fault::UnknownMembership,
        ),
        (
            "renewal elsewhere",
            MembershipAction::Renewal(stay),
            PATRON,
            found,
            "2027-05-20",
            Fault::OtherLevel,
        ),
        ("upgrade to the same", MembershipAction::Upgrade, FAMILY, found, "2027-05-20", Fault::SameLevel),
        (
            "replaced",
            MembershipAction::Renewal(stay),
            FAMILY,
            Current::Found(&ended),
            "2027-05-20",
            Fault::MembershipEnded,
        ),
        (
            "given up",
            MembershipAction::Rejoin(stay),
            FAMILY,
            Current::Found(&given_up),
            "2031-05-20",
            Fault::MembershipEnded,
        ),
        (
            "rejoin within the term",
            MembershipAction::Rejoin(stay),
            FAMILY,
            found,
            "2027-12-31T23:59:59",
            Fault::TermNotOver,
        ),
        ("upgrade after the term", MembershipAction::Upgrade, PATRON, found, "2028-01-01", Fault::TermOver),
    ] {
        assert_eq!(quoted(action, to, current, at(now)), Err(fault), "{case}");
    }
}

#[test]
fn a_move_in_the_middle_of_a_term_is_to_an_offering_of_the_same_length() {
    let mut levels = levels();
    let patron = levels.get_mut(&LevelId::parse(PATRON).unwrap()).unwrap();
    patron.offerings[0].duration_months = 1;
    let member = member();
    let moved =
        |action| quote(&levels, action, &plan(PATRON), Current::Found(&member), at("2027-05-20")).err();
    assert_eq!(moved(MembershipAction::Upgrade), Some(LifecycleFault::OtherDuration));
    assert_eq!(moved(MembershipAction::Renewal(Move::Up)), None);
}

#[test]
fn a_term_that_is_paid_ahead_is_no_credit_for_the_one_that_is_left() {
    let bought = |cents: i64| super::super::Bought {
        order: crate::OrderId::parse("1").unwrap(),
        full_price: Money::from_cents(cents),
        paid: Money::from_cents(cents),
        giver: None,
        imported: false,
    };
    let mut member = Membership { bought: Some(bought(10_000)), ..member() };
    let (starts, ends) = (at("2028-01-01").now, at("2028-12-31T23:59:59").now);
    member.later.push(super::super::LaterTerm {
        plan: plan(PATRON),
        bought: Some(bought(25_000)),
        starts,
        ends,
    });
    for (action, to, now, cents) in [
        (MembershipAction::Upgrade, PATRON, "2027-05-20", 15_000),
        (MembershipAction::Downgrade, FAMILY, "2028-05-20", 0),
    ] {
        let (_, last, price) = quoted(action, to, Current::Found(&member), at(now)).unwrap();
        assert_eq!(
            (last.as_str(), price),
            (&format!("{}-12-31", &now[..4])[..], Money::from_cents(cents)),
            "{now}"
        );
    }
}

#[test]
fn an_action_needs_every_switch_of_its_offering() {
    let allowing = |actions: serde_json::Value| {
        let mut levels = levels();
        let level = levels.get_mut(&LevelId::parse(PATRON).unwrap()).unwrap();
        level.offerings[0].actions = serde_json::from_value(actions).unwrap();
        levels
    };
    let member = member();
    let off = json!([{"name": "Online", "channel": "online", "enabled": false}]);
    for (actions, action, sold) in [
        (json!([]), MembershipAction::Renewal(Move::Up), true),
        (json!([{"action": "renew"}]), MembershipAction::Renewal(Move::Up), false),
        (json!([{"action": "renew"}, {"action": "upgrade"}]), MembershipAction::Renewal(Move::Up), true),
        (
            json!([{"action": "renew"}, {"action": "upgrade", "sales_channels": off}]),
            MembershipAction::Upgrade,
            false,
        ),
        (json!([{"action": "upgrade"}]), MembershipAction::Upgrade, true),
    ] {
        let levels = allowing(actions.clone());
        let quoted = quote(&levels, action, &plan(PATRON), Current::Found(&member), at("2027-05-20"));
        assert_eq!(quoted.err(), (!sold).then_some(LifecycleFault::ActionNotOffered), "{actions} {action:?}");
    }
}
