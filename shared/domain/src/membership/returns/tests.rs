use super::*;
use crate::membership::force::MembershipStanding;
use crate::membership::issue::tests::{Days, at, done, holder, member};
use crate::membership::{CardType, MembershipAction, Move};

const YEAR: Days = Days { now: "2027-12-01", first: "2028-01-01", last: "2028-12-31" };

fn order() -> OrderId {
    OrderId::parse("1").unwrap()
}

/// What a refund of the change makes of the memberships, as they are now.
fn back(change: &MembershipChange, current: &[&Membership], now: &str) -> Option<Vec<Membership>> {
    let current = current.iter().map(|membership| (membership.id, (*membership).clone())).collect();
    let returns = taken_back(&order(), change, &current, at(now), "Office")?;
    for MembershipReturn { before, after } in &returns {
        assert_eq!(current.get(&before.id), Some(before));
        assert_eq!((before.id, after.updated_by.as_deref()), (after.id, Some("Office")));
    }
    Some(returns.into_iter().map(|found| found.after).collect())
}

fn purchase() -> MembershipChange {
    let holders = [holder(CardType::Primary, "Ada", "Byron")];
    let year = Days { now: "2027-05-20T10:00", first: "2027-05-20", last: "2028-05-19" };
    done(MembershipAction::Purchase, "family", None, year, &holders)
}

fn renewal(of: &Membership) -> MembershipChange {
    let holders = [holder(CardType::Secondary, "Cleo", "Byron")];
    done(MembershipAction::Renewal(Move::Stay), "family", Some(of), YEAR, &holders)
}

#[test]
fn a_purchase_that_is_refunded_lapses_with_its_cards() {
    let bought = purchase();
    let after = back(&bought, &[&bought.after], "2027-06-01").unwrap();
    assert_eq!(after[0].ended, Some(Ended { at: at("2027-06-01"), into: None }));
    assert_eq!(after[0].standing(at("2027-06-01")), MembershipStanding::Lapsed);
    assert_eq!(after[0].cards[0].standing, CardStanding::Lapsed);
}

#[test]
fn a_renewal_that_is_refunded_gives_the_term_that_is_paid_ahead_back_and_drops_its_new_cards() {
    let member = member();
    let renewed = renewal(&member);
    let after = back(&renewed, &[&renewed.after], "2027-12-02").unwrap();
    assert_eq!((after[0].ends(), after[0].later.len()), (member.ends(), 0));
    assert_eq!(after[0].standing(at("2027-12-31")), MembershipStanding::Active);
    let standings: Vec<CardStanding> = after[0].cards.iter().map(|card| card.standing).collect();
    assert_eq!(standings, [CardStanding::Active, CardStanding::Active, CardStanding::Dropped]);
    // Its term has begun: the term before it is over.
    let late = back(&renewed, &[&renewed.after], "2028-02-01").unwrap();
    assert_eq!((late[0].started, late[0].expires), (member.started, member.expires));
    assert_eq!(late[0].standing(at("2028-02-01")), MembershipStanding::Lapsed);
}

#[test]
fn a_move_that_is_refunded_puts_the_earlier_membership_back_in_its_place() {
    let mut member = member();
    member.external_id = Some("V-1".to_owned());
    let moved = done(MembershipAction::Upgrade, "patron", Some(&member), YEAR, &[]);
    let retired = moved.retired.clone().unwrap();
    let mut held = moved.after.clone();
    held.cards[0].person.city = Some("Portview".to_owned());
    let after = back(&moved, &[&held, &retired], "2027-12-05").unwrap();
    let [gone, restored] = after.as_slice() else { panic!("{after:?}") };
    assert_eq!(gone.ended, Some(Ended { at: at("2027-12-05"), into: Some(member.id) }));
    assert!(gone.cards.iter().all(|card| !card.is_held()));
    assert_eq!((restored.level.as_str(), &restored.ended), ("family", &None));
    assert_eq!((restored.expires, restored.number), (member.expires, member.number));
    assert_eq!(restored.external_id, member.external_id);
    assert!(restored.cards.iter().all(MemberCard::is_held));
    assert_eq!(restored.cards[0].person.city.as_deref(), Some("Portview"), "what was learnt since stays");
}

#[test]
fn what_was_changed_after_the_order_is_not_given_back_by_it() {
    let bought = purchase();
    let later = |mut membership: Membership| {
        let term = renewal(&member()).after.later.remove(0);
        let mut other = term.bought.clone().unwrap();
        other.order = OrderId::parse("2").unwrap();
        membership.later.push(crate::membership::LaterTerm { bought: Some(other), ..term });
        membership
    };
    let ended = |mut membership: Membership| {
        membership.ended = Some(Ended { at: at("2027-06-01"), into: None });
        membership
    };
    let renewed = renewal(&member());
    let moved = done(MembershipAction::Upgrade, "patron", Some(&member()), YEAR, &[]);
    let retired = moved.retired.clone().unwrap();
    for (case, change, current) in [
        ("renewed since", &bought, vec![later(bought.after.clone())]),
        ("ended since", &bought, vec![ended(bought.after.clone())]),
        ("gone", &bought, vec![]),
        ("renewed again", &renewed, vec![later(renewed.after.clone())]),
        ("renewed after a move", &moved, vec![later(moved.after.clone()), retired.clone()]),
        ("the one before is gone", &moved, vec![moved.after.clone()]),
        ("the one before is another's", &moved, vec![moved.after.clone(), ended(retired)]),
    ] {
        let current: Vec<&Membership> = current.iter().collect();
        assert_eq!(back(change, &current, "2027-12-20"), None, "{case}");
    }
}
