use super::*;
use crate::catalog::ticket_details::{PostStartPurchase, TicketDetails};
use crate::catalog::{AdmissionType, MembershipTerms};
use crate::channel::SalesChannel;
use crate::ledger::Hold;
use crate::ledger::SlotState;
use crate::{LevelId, Money, PriceListId, ReservationId, TemplateId, TicketTypeId};
use std::collections::BTreeMap;

const HOUR: i64 = 3_600;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn new_york() -> Zone {
    Zone::parse("America/New_York").unwrap()
}

fn price_list() -> PriceList {
    PriceList {
        id: PriceListId::parse("list").unwrap(),
        name: "All year".to_owned(),
        description: String::new(),
        start: None,
        end: None,
        prices: vec![Price {
            ticket_type: TicketTypeId::parse("adult").unwrap(),
            price: Money::from_cents(1_800),
            prime_price: None,
            discounted_price: None,
            display_order: 1,
            sales_channels: vec![],
        }],
    }
}

/// A concert on the fourth of July at eight in the evening, New York time, for two hours.
fn concert() -> Template {
    Template {
        id: TemplateId::parse("concert").unwrap(),
        kind: TemplateKind::Standard,
        admission: AdmissionType::Standard,
        name: "Concert".to_owned(),
        description: "Music".to_owned(),
        short_description: "Music".to_owned(),
        summary: String::new(),
        email_confirmation_message: String::new(),
        email_cancellation_message: String::new(),
        start: at("2027-07-05T00:00:00Z"),
        end: None,
        review_state: ReviewState::Published,
        duration_minutes: 120,
        capacity: 10,
        price_lists: vec![price_list()],
        schedules: vec![],
        ticket_details: TicketDetails::default(),
        membership: MembershipTerms::default(),
        member_only: false,
        all_members_can_purchase: false,
        display_order: 1,
        add_ons: vec![],
        forms: vec![],
        images: vec![],
        custom_fields: vec![],
        resources: vec![],
        venue: crate::catalog::venue::VenueFields::default(),
        last_published: None,
        last_updated: at("2027-01-01T00:00:00Z"),
    }
}

fn ledger(template: &Template, hours: i64) -> Ledger {
    let start = template.start;
    Ledger {
        instance: InstanceId::of(&template.id, None, new_york().local(start), start).unwrap(),
        template: template.id.clone(),
        schedule: None,
        shard: 0,
        start,
        end: plus_secs(start, hours * HOUR),
        state: SlotState::Active,
        size: 10,
        free: 10,
        sold: 0,
        holds: BTreeMap::new(),
        edited: false,
    }
}

fn online(now: Timestamp) -> Audience<'static> {
    static NOBODY: Buyer = Buyer::nobody();
    Audience {
        channel: Channel::Online,
        types: TemplateFilter::Standard,
        buyer: &NOBODY,
        zone: new_york(),
        now,
    }
}

#[test]
fn lists_and_slots_hide_the_same_templates() {
    let shown = concert();
    let restricted = MembershipTerms { restrictions: vec![LevelId::parse("l").unwrap()], discounts: vec![] };
    let no_price = PriceList { prices: vec![], ..price_list() };
    for (case, template, listed) in [
        ("shown", shown.clone(), true),
        ("draft", Template { review_state: ReviewState::Draft, ..shown.clone() }, false),
        ("private", Template { kind: TemplateKind::Private, ..shown.clone() }, false),
        ("members only", Template { member_only: true, ..shown.clone() }, false),
        ("restricted", Template { membership: restricted, ..shown.clone() }, false),
        ("without price lists", Template { price_lists: vec![], ..shown.clone() }, false),
        ("without prices", Template { price_lists: vec![no_price], ..shown.clone() }, false),
    ] {
        let audience = online(at("2027-07-04T12:00:00Z"));
        assert_eq!(audience.lists(&template, None), listed, "{case}");
        assert_eq!(audience.listed(&template, &ledger(&template, 2)).is_some(), listed, "{case}");
    }
}

#[test]
fn private_events_are_for_those_who_ask() {
    let private = Template { kind: TemplateKind::Private, ..concert() };
    for (text, standard, hidden) in [("standard", true, false), ("PRIVATE", false, true), ("All", true, true)]
    {
        let types = TemplateFilter::parse(text).unwrap();
        let audience = Audience { types, ..online(at("2027-07-04T12:00:00Z")) };
        assert_eq!(audience.lists(&concert(), None), standard, "{text}");
        assert_eq!(audience.lists(&private, None), hidden, "{text}");
    }
    assert_eq!(TemplateFilter::parse("public"), None);
}

#[test]
fn the_list_ends_with_the_sale_of_the_last_slot() {
    for (now, listed) in [("2027-07-04T23:59:59Z", true), ("2027-07-05T00:00:00Z", false)] {
        assert_eq!(online(at(now)).lists(&concert(), None), listed, "{now}");
    }
}

#[test]
fn a_slot_that_outlived_its_schedule_keeps_its_event_in_lists_while_the_schedule_goes_on() {
    let sundays = serde_json::json!({
        "id": "s", "weekdays": ["Sun"], "hours": [{"hour": 10}],
        "ranges": [{"start": "2027-07-11", "end": "2027-07-17"}],
    });
    let template = Template { schedules: vec![serde_json::from_value(sundays).unwrap()], ..concert() };
    let regular = SlotReach::none(template.id.clone());
    let rescheduled = SlotReach { rescheduled: true, ..regular.clone() };
    // The schedule makes one slot, on the eleventh at two in the afternoon, UTC.
    for (now, made, outlived) in [
        ("2027-07-11T13:00:00Z", true, true),
        ("2027-07-11T14:00:00Z", false, true),
        ("2027-07-17T12:00:00Z", false, true),
        ("2027-07-19T12:00:00Z", false, false),
    ] {
        let audience = online(at(now));
        assert_eq!(audience.lists(&template, Some(&regular)), made, "{now}");
        assert_eq!(audience.lists(&template, Some(&rescheduled)), outlived, "{now}");
    }
}

#[test]
fn a_moved_slot_is_looked_for_where_its_schedule_made_it() {
    let template = concert();
    let moved = SlotReach { later_secs: 2 * 86_400, ..SlotReach::none(template.id.clone()) };
    let asks = |from: &str, until: &str| {
        let [from, until] = [from, until].map(at);
        let may_start = may_start(&template, Some(&moved), from, until, new_york());
        let listable = listable(&template, Some(&moved), from, until, new_york());
        assert_eq!(matches!(listable, Listable::One(_)), may_start);
        may_start
    };
    assert!(asks("2027-07-04T00:00:00Z", "2027-07-05T00:00:00Z"));
    assert!(!asks("2027-07-05T00:00:01Z", "2027-07-07T00:00:00Z"));
}

/// The schedule makes slots on Sundays, on the eleventh and the eighteenth.
#[test]
fn slots_that_outlived_a_schedule_are_listed_within_its_times_alone() {
    let sundays = serde_json::json!({
        "id": "s", "weekdays": ["Sun"], "hours": [{"hour": 10}],
        "ranges": [{"start": "2027-07-11", "end": "2027-07-20"}],
    });
    let template = Template { schedules: vec![serde_json::from_value(sundays).unwrap()], ..concert() };
    let regular = SlotReach::none(template.id.clone());
    let rescheduled = SlotReach { rescheduled: true, ..regular.clone() };
    for (day, made, outlived) in [
        ("2027-07-01", false, false),
        ("2027-07-11", true, true),
        ("2027-07-14", false, true),
        ("2027-07-18", true, true),
        ("2027-08-01", false, false),
    ] {
        let [from, until] = ["04", "23"].map(|hour| at(&format!("{day}T{hour}:00:00Z")));
        assert_eq!(may_start(&template, Some(&regular), from, until, new_york()), made, "{day}");
        let listed = listable(&template, Some(&regular), from, until, new_york());
        assert_eq!(matches!(listed, Listable::One(_)), made, "{day}");
        assert_eq!(listed == Listable::Nothing, !made, "{day}");
        assert!(may_start(&template, Some(&rescheduled), from, until, new_york()), "{day}");
        let listed = listable(&template, Some(&rescheduled), from, until, new_york());
        let outlives = if outlived { Listable::Several } else { Listable::Nothing };
        assert_eq!(listed, outlives, "{day}");
    }
}

#[test]
fn a_price_or_schedule_that_is_off_on_a_channel_hides_the_slot_there() {
    let switch = |enabled| SalesChannel { name: String::new(), channel: Channel::Online, enabled };
    let mut template = concert();
    for (enabled, listed) in [(true, true), (false, false)] {
        template.price_lists[0].prices[0].sales_channels = vec![switch(enabled)];
        let audience = online(at("2027-07-04T12:00:00Z"));
        assert_eq!(audience.listed(&template, &ledger(&template, 2)).is_some(), listed);
    }
}

#[test]
fn seats_of_an_expired_hold_are_shown_and_a_full_slot_is_listed_with_none() {
    let template = concert();
    let expires_at = at("2027-07-04T12:00:00Z");
    let holds = BTreeMap::from([(ReservationId::parse(7).unwrap(), Hold { quantity: 10, expires_at })]);
    let held = Ledger { free: 0, holds, ..ledger(&template, 2) };
    let seats = |now| online(now).listed(&template, &held).map(|slot| slot.seats);
    assert_eq!(seats(plus_secs(expires_at, -1)), Some(0));
    assert_eq!(seats(expires_at), Some(10));
}

#[test]
fn an_evening_belongs_to_its_day_and_a_festival_to_every_day_it_runs() {
    let late = TicketDetails {
        post_start_purchase: PostStartPurchase { allow_late_ticket_purchase: true },
        ..TicketDetails::default()
    };
    let template = Template { ticket_details: late, ..concert() };
    let dates = |hours| {
        let ledger = ledger(&template, hours);
        let slot = online(at("2027-07-04T12:00:00Z")).listed(&template, &ledger);
        seats_by_date(slot, new_york()).keys().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(dates(6), ["2027-07-04"]);
    assert_eq!(dates(24), ["2027-07-04"]);
    assert_eq!(dates(52), ["2027-07-04", "2027-07-05", "2027-07-06"]);
    assert_eq!(dates(53), ["2027-07-04", "2027-07-05", "2027-07-06", "2027-07-07"]);
}

#[test]
fn a_date_has_the_seats_of_all_its_slots_and_a_full_one_counts_as_room_that_is_gone() {
    let template = concert();
    let audience = online(at("2027-07-04T12:00:00Z"));
    let (full, free) = (Ledger { free: 0, sold: 10, ..ledger(&template, 2) }, ledger(&template, 2));
    let days = |slots: &[&Ledger]| {
        let listed = slots.iter().filter_map(|slot| audience.listed(&template, slot));
        seats_by_date(listed, new_york()).into_values().collect::<Vec<_>>()
    };
    assert_eq!(days(&[]), vec![]);
    assert_eq!(days(&[&full]), [DaySeats { available: 0, capacity: 10 }]);
    assert_eq!(days(&[&full, &free]), [DaySeats { available: 10, capacity: 20 }]);
}

#[test]
fn the_next_slot_that_is_sold_starts_from_now_on_or_has_begun_where_none_does() {
    let late = TicketDetails {
        post_start_purchase: PostStartPurchase { allow_late_ticket_purchase: true },
        ..TicketDetails::default()
    };
    let template = Template { ticket_details: late, ..concert() };
    let running = ledger(&template, 6);
    let full = Ledger { free: 0, sold: 10, ..running.clone() };
    let at_start = online(running.start);
    let later = online(plus_secs(running.start, 60));
    for (audience, slots, next) in [
        (at_start, vec![&running], Some(running.start)),
        (later, vec![&running], Some(running.start)),
        (later, vec![&full], None),
        (later, vec![], None),
    ] {
        assert_eq!(audience.next_sold(&template, slots), next);
    }
}

#[test]
fn ranges_overlap_where_they_touch() {
    let range = Range { from: at("2027-07-04T10:00:00Z"), until: at("2027-07-04T12:00:00Z") };
    for (start, end, overlaps) in [
        ("2027-07-04T09:00:00Z", Some("2027-07-04T10:00:00Z"), true),
        ("2027-07-04T09:00:00Z", Some("2027-07-04T09:59:59Z"), false),
        ("2027-07-04T12:00:00Z", Some("2027-07-04T13:00:00Z"), true),
        ("2027-07-04T12:00:01Z", Some("2027-07-04T13:00:00Z"), false),
        ("2027-07-04T09:00:00Z", Some("2027-07-04T13:00:00Z"), true),
        ("2020-01-01T00:00:00Z", None, true),
    ] {
        assert_eq!(range.overlaps(at(start), end.map(at)), overlaps, "{start} {end:?}");
    }
}
