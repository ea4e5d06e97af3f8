//! One law: whoever asks whether a membership counts is told the same, whatever its life was.

use super::*;
use crate::buyer::{Buyer, MemberTicket};
use crate::catalog::Template;
use crate::coupon::Discount;
use crate::login::cards_of;
use crate::membership::issue::tests::{holder, member};
use crate::membership::issue::{Issue, MembershipChange, NewMembership, issue};
use crate::membership::lifecycle::{Current, LifecycleFault, SaleContext, quote};
use crate::membership::returns::taken_back;
use crate::membership::term::{Term, plus_days};
use crate::membership::{
    Bought, CardType, Ended, LaterTerm, Level, ListedMembership, MembershipAction, MembershipPlan, Move,
};
use crate::time::plus_secs;
use crate::verification::verify;
use crate::{CardId, Channel, DiscountId, MembershipId, Money, OrderId, TicketTypeId, Zone};
use chrono::NaiveDate;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const LEVELS: [&str; 3] = ["family", "patron", "star"];
const HORIZON: i64 = 460;

/// What is read from text is the same at every question, and read once.
static TEMPLATES: LazyLock<[Template; 3]> = LazyLock::new(|| LEVELS.map(template));
static LEVELS_ON_SALE: LazyLock<BTreeMap<LevelId, Level>> = LazyLock::new(levels);
static DISCOUNTS: LazyLock<BTreeMap<DiscountId, Discount>> = LazyLock::new(discounts);

fn zone() -> Zone {
    Zone::parse("America/New_York").unwrap()
}

fn day(number: i64) -> NaiveDate {
    plus_days("2027-01-01".parse().unwrap(), u64::try_from(number).unwrap())
}

fn morning(number: i64) -> Timestamp {
    zone().start_of_day(day(number))
}

/// What happens to a membership.
#[derive(Debug, Clone, Copy)]
enum Step {
    Renew(usize),
    Move(usize),
    RefundLast,
    DropCards,
    /// The venue's document says that it ends, so many days from now.
    End(i64),
    /// An older document is imported.
    Import(usize),
}

fn steps() -> impl Strategy<Value = Vec<(i64, Step)>> {
    let step = prop_oneof![
        3 => (0..3_usize).prop_map(Step::Renew),
        3 => (0..3_usize).prop_map(Step::Move),
        3 => Just(Step::RefundLast),
        1 => Just(Step::DropCards),
        1 => (0..40_i64).prop_map(Step::End),
        2 => (0..8_usize).prop_map(Step::Import),
    ];
    prop::collection::vec((1..25_i64, step), 0..9)
}

/// What is true of the number by the steps alone: the levels of its days, and the day from which it is nobody's.
#[derive(Debug, Clone, Default, PartialEq)]
struct Truth {
    days: Vec<(usize, i64, i64)>,
    end: Option<i64>,
}

impl Truth {
    fn level(&self, now: i64, visit: i64) -> Option<usize> {
        if self.end.is_some_and(|end| end <= now || end <= visit) {
            return None;
        }
        self.days.iter().rfind(|(_, first, last)| (*first..=*last).contains(&visit)).map(|(level, ..)| *level)
    }
}

struct Life {
    now: i64,
    current: MembershipId,
    stored: BTreeMap<MembershipId, Membership>,
    truth: Truth,
    /// What can be refunded, the last one last, with what was true before.
    sold: Vec<(OrderId, MembershipChange, Truth, MembershipId)>,
    /// States of memberships that were exported, with what was true then.
    exported: Vec<(Membership, Truth)>,
    drawn: i64,
}

impl Life {
    fn bought() -> Self {
        let mut life = Self {
            now: 0,
            current: MembershipId::parse(1).unwrap(),
            stored: BTreeMap::new(),
            truth: Truth::default(),
            sold: Vec::new(),
            exported: Vec::new(),
            drawn: 0,
        };
        life.sell(MembershipAction::Purchase, 0, 0, 29, Truth { days: vec![(0, 0, 29)], end: None });
        life
    }

    fn draw(&mut self) -> i64 {
        self.drawn += 1;
        self.drawn
    }

    fn sell(&mut self, action: MembershipAction, level: usize, first: i64, last: i64, truth: Truth) {
        let order = OrderId::parse(&self.draw().to_string()).unwrap();
        let (id, number) = (self.draw() + 1_000, self.draw() + 2_000);
        let current = self.stored.get(&self.current).cloned();
        let ids = NewMembership {
            id: MembershipId::parse(id).unwrap(),
            number: MembershipId::parse(number).unwrap(),
            holders: Vec::new(),
            giver: None,
        };
        let paid = Money::from_cents(100);
        let holders = [holder(CardType::Primary, "Ada", "Byron")];
        let made = Issue {
            action,
            plan: plan(level),
            term: Term { first: day(first), last: day(last) },
            ids,
            current: current.as_ref(),
            holders: &holders,
            bought: Bought { order: order.clone(), full_price: paid, paid, giver: None, imported: false },
            now: morning(self.now),
            zone: zone(),
        };
        let mut card = self.drawn * 100;
        let draw = || {
            card += 1;
            Ok::<_, ()>((CardId::parse(card).unwrap(), format!("card-{card}")))
        };
        let change = issue(&made, draw).unwrap();
        let before = std::mem::replace(&mut self.truth, truth);
        for membership in change.settled(morning(self.now)) {
            self.stored.insert(membership.id, membership);
        }
        self.sold.push((order, change.clone(), before, self.current));
        self.current = change.after.id;
    }

    fn held(&self) -> Membership {
        self.stored[&self.current].clone()
    }

    /// Whether it can be renewed or moved: by what is true, not by what is asked.
    fn goes_on(&self) -> bool {
        self.truth.end.is_none()
    }

    fn take(&mut self, step: Step) {
        self.exported.push((self.held(), self.truth.clone()));
        match step {
            Step::Renew(level) if self.goes_on() => {
                let last = self.truth.days.last().unwrap().2;
                let first = self.now.max(last + 1);
                let mut truth = self.truth.clone();
                truth.days.push((level, first, first + 29));
                self.sell(MembershipAction::Renewal(Move::Up), level, first, first + 29, truth);
            }
            Step::Move(level) if self.goes_on() && self.truth.level(self.now, self.now).is_some() => {
                let mut truth = self.truth.clone();
                let place = truth.days.iter().rposition(|(_, first, _)| *first <= self.now).unwrap();
                let last = truth.days[place].2;
                truth.days[place] = (level, self.now, last);
                self.sell(MembershipAction::Upgrade, level, self.now, last, truth);
            }
            Step::RefundLast => self.refund(),
            Step::DropCards => {
                let mut held = self.held();
                held.cards.iter_mut().for_each(|card| card.standing = CardStanding::Dropped);
                self.stored.insert(held.id, held);
                self.truth.end = Some(self.now);
            }
            Step::End(days) if self.goes_on() => {
                let (id, at) = (self.current, self.now + days);
                let document =
                    Membership { ended: Some(Ended { at: morning(at), into: None }), ..self.held() };
                self.stored.insert(id, document.imported_over(Some(&self.held())));
                self.truth.end = Some(at);
                self.sold.clear();
            }
            Step::Import(index) => self.import(index),
            Step::Renew(_) | Step::Move(_) | Step::End(_) => {}
        }
    }

    fn refund(&mut self) {
        let Some((order, change, before, current)) = self.sold.last().cloned() else { return };
        let now = morning(self.now);
        let Some(returns) = taken_back(&order, &change, &self.stored, now, "Office") else { return };
        for back in returns {
            self.stored.insert(back.after.id, back.after);
        }
        self.sold.pop();
        let gone = self.truth.end;
        match change.before {
            None => self.truth.end = gone.or(Some(self.now)),
            Some(_) => {
                // Cards that were given up stay given up.
                self.truth = Truth { end: gone, ..before };
                self.current = current;
            }
        }
    }

    /// An older document does not bring back what has ended.
    fn import(&mut self, index: usize) {
        let (document, truth) = self.exported[index % self.exported.len()].clone();
        let stored = self.stored.get(&document.id).cloned();
        let (id, had_ended) = (document.id, stored.as_ref().is_some_and(|stored| stored.ended.is_some()));
        self.stored.insert(id, document.imported_over(stored.as_ref()));
        if id == self.current {
            self.truth = match had_ended {
                true => Truth { days: truth.days, end: self.truth.end.into_iter().chain(truth.end).min() },
                false => truth,
            };
            self.sold.clear();
        }
    }
}

fn plan(level: usize) -> MembershipPlan {
    serde_json::from_value(json!({"level": LEVELS[level], "offering": "0f", "price_point": "aa"})).unwrap()
}

/// A template for members of one level.
fn template(level: &str) -> Template {
    serde_json::from_value(json!({
        "id": level, "name": level, "description": "", "short_description": "", "start": morning(0),
        "duration_minutes": 60, "capacity": 10, "last_updated": morning(0), "member_only": true,
        "membership": {"restrictions": [level], "discounts": [{"level": level, "discount": "half"}]},
    }))
    .unwrap()
}

fn discounts() -> BTreeMap<DiscountId, Discount> {
    let value = json!({"ticket_type": "aa", "reduction": {"kind": "amount", "value": 900}});
    let stored = json!({"id": "half", "name": "half", "values": [value]});
    [(DiscountId::parse("half").unwrap(), serde_json::from_value(stored).unwrap())].into()
}

fn levels() -> BTreeMap<LevelId, Level> {
    let prices = json!([{"id": "p", "name": "p", "start": null, "prices": [{"ticket_type": "aa", "price": 100, "display_order": 0}]}]);
    let level = |id: &&str| -> Level {
        let offering = json!({"id": "0f", "name": "Month", "price_lists": prices, "duration_months": 1});
        serde_json::from_value(json!({
            "id": id, "name": id, "state": "published", "offerings": [offering],
        }))
        .unwrap()
    };
    LEVELS.iter().map(level).map(|level| (level.id.clone(), level)).collect()
}

/// The level that browsing and prices have for a visit, by a membership that is named.
fn priced(membership: &Membership, now: Timestamp, visit: Timestamp) -> Option<usize> {
    let buyer = Buyer::of([membership], None, now);
    let (discounts, adult) = (&*DISCOUNTS, TicketTypeId::parse("aa").unwrap());
    let mut given = Vec::new();
    let mut missed = 0;
    for (place, template) in TEMPLATES.iter().enumerate() {
        let shown = buyer.may_buy(template, visit);
        let retail = Money::from_cents(1_800);
        let reduced = buyer.member_prices(template, discounts, &adult, visit);
        let best = reduced.map(|found| found.reduction.apply(retail).unwrap().unit).min().unwrap_or(retail);
        assert_eq!(shown, best.cents() == 900, "shown and priced differ for {}", template.name);
        let ticket = MemberTicket { template, discounts, ticket_type: &adult, visit };
        missed += buyer.missed(&ticket).len();
        given.extend(shown.then_some(place));
    }
    assert!(given.len() <= 1, "{given:?}");
    assert!(!given.is_empty() || missed > 0, "neither given nor missed");
    given.first().copied()
}

fn can_be_renewed(membership: &Membership, now: Timestamp) -> bool {
    let sale = SaleContext { channel: Channel::Online, zone: zone(), now };
    let action = MembershipAction::Renewal(Move::Stay);
    let plan = membership.last_plan();
    let quoted = quote(&LEVELS_ON_SALE, action, &plan, Current::Found(membership), sale);
    match quoted.map(|_| ()) {
        Ok(()) => true,
        Err(LifecycleFault::MembershipEnded) => false,
        Err(fault) => panic!("{fault:?}"),
    }
}

/// Holds what everybody says of the membership against what is true.
fn check(life: &Life, now: i64) -> Result<(), TestCaseError> {
    let (held, asked) = (life.held(), plus_secs(morning(now), 36_000));
    let is_active = (now..HORIZON).any(|visit| life.truth.level(now, visit).is_some());
    for number in [0, 1, 7, 29, 30, 45, 100] {
        let expected = life.truth.level(now, now + number);
        for visit in [zone().end_of_day(day(now + number)), plus_secs(morning(now + number), 43_200)] {
            let level = held.gives(asked, visit).map(|level| level.as_str());
            prop_assert_eq!(level, expected.map(|level| LEVELS[level]), "gives on day {}", now + number);
            prop_assert_eq!(priced(&held, asked, visit), expected);
            let moved_on = held.clone().as_of(asked);
            prop_assert_eq!(moved_on.gives(asked, visit), held.gives(asked, visit));
        }
    }
    let standing = if is_active { MembershipStanding::Active } else { MembershipStanding::Lapsed };
    prop_assert_eq!(held.standing(asked), standing);
    let found = [held.clone()];
    let number = held.number.to_string();
    for card in verify(&found, &number, None, asked).iter().chain(&cards_of(&found, "ada", asked)) {
        prop_assert_eq!(card.membership_standing, standing);
        let is_in_force = life.truth.level(now, now).is_some();
        prop_assert_eq!(card.card_standing == CardStanding::Active, is_in_force);
        prop_assert_eq!(card.card_standing == CardStanding::Lapsed, !is_active);
    }
    if held.is_held() {
        prop_assert_eq!(held.expiration() >= asked, is_active);
        prop_assert_eq!(ListedMembership::of(&held).expires, held.expiration());
    }
    prop_assert_eq!(can_be_renewed(&held, asked), life.goes_on());
    prop_assert_eq!(held.can_go_on(), life.goes_on());
    prop_assert_eq!(held.is_gone(asked), life.truth.end.is_some_and(|end| end <= now));
    for other in life.stored.values().filter(|other| other.id != held.id) {
        prop_assert_eq!(other.standing(asked), MembershipStanding::Lapsed);
        prop_assert_eq!(priced(other, asked, asked), None);
        prop_assert!(!other.can_go_on() && other.is_gone(asked));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn all_who_ask_are_told_what_the_life_of_a_membership_makes_true(steps in steps()) {
        let mut life = Life::bought();
        check(&life, 0)?;
        for (days, step) in steps {
            for later in [0, days / 2] {
                check(&life, life.now + later)?;
            }
            life.now += days;
            life.take(step);
            check(&life, life.now)?;
        }
        for later in [10, 30, 60] {
            check(&life, life.now + later)?;
        }
    }

    /// Documents have terms that overlap, or in any order: the one that began last counts, for everybody.
    #[test]
    fn terms_of_any_document_give_what_is_current_at_the_visit(
        terms in prop::collection::vec((0..60_i64, 0..40_i64), 1..5),
        end in prop::option::of(0..90_i64),
        now in 0..90_i64,
        ahead in 0..60_i64,
    ) {
        let mut found = member();
        let span = |(first, length): (i64, i64)| (morning(first), zone().end_of_day(day(first + length)));
        (found.started, found.expires) = span(terms[0]);
        let later = terms[1..].iter().enumerate().map(|(place, term)| {
            let (starts, ends) = span(*term);
            LaterTerm { plan: plan(place % 3), bought: None, starts, ends }
        });
        found.later = later.collect();
        found.ended = end.map(|end| Ended { at: morning(end), into: None });
        let (asked, visit) = (morning(now), plus_secs(morning(now + ahead), 3_600));
        let current = found.clone().as_of(visit);
        let in_term = current.started <= visit && visit <= current.expires;
        let over = end.is_some_and(|end| end <= now || morning(end) <= visit);
        let expected = (in_term && !over).then_some(&current.level);
        prop_assert_eq!(found.gives(asked, visit), expected);
        let moved_on = found.clone().as_of(asked);
        prop_assert_eq!(moved_on.gives(asked, visit), expected);
    }
}

#[test]
fn a_document_brings_an_end_forward_and_never_puts_it_off() {
    let document = member();
    let mut refunded = member();
    refunded.ended = Some(Ended { at: morning(10), into: None });
    refunded.cards[1].standing = CardStanding::Dropped;
    let stored = document.clone().imported_over(Some(&refunded));
    assert_eq!((&stored.ended, stored.cards[1].standing), (&refunded.ended, CardStanding::Dropped));
    assert_eq!(stored.gives(morning(10), morning(11)), None);
    let named = Membership { ended: Some(Ended { at: morning(40), into: None }), ..member() };
    let put_off = named.imported_over(Some(&refunded));
    assert_eq!((&put_off.ended, put_off.cards[1].standing), (&refunded.ended, CardStanding::Dropped));
    let named = Membership { ended: Some(Ended { at: morning(5), into: None }), ..member() };
    assert_eq!(named.clone().imported_over(Some(&refunded)).ended, named.ended);
    assert_eq!(document.clone().imported_over(Some(&member())), document);
    assert_eq!(document.clone().imported_over(None), document);
}

#[test]
fn a_purchase_is_imported_where_it_was_not_made() {
    let bought = |order: &str| Bought {
        order: OrderId::parse(order).unwrap(),
        full_price: Money::ZERO,
        paid: Money::ZERO,
        giver: None,
        imported: false,
    };
    let mut document = Membership { bought: Some(bought("1")), ..member() };
    let (plan, bought) = (document.plan(), Some(bought("2")));
    document.later.push(LaterTerm { plan, bought, starts: morning(500), ends: morning(600) });
    let marks = |membership: &Membership| -> Vec<bool> {
        membership.purchases().map(|bought| bought.imported).collect()
    };
    let elsewhere = document.clone().imported_over(None);
    assert_eq!(marks(&elsewhere), [true, true]);
    assert_eq!(document.clone().imported_over(Some(&elsewhere)), elsewhere);
    // Where it was sold, it stays so, also when the term that was paid ahead has begun.
    assert_eq!(document.clone().imported_over(Some(&document)), document);
    let begun = document.clone().as_of(morning(550));
    assert_eq!(marks(&document.imported_over(Some(&begun))), [true, false]);
}
