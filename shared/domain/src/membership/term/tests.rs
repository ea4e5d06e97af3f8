use super::*;
use proptest::prelude::*;

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn months(months: u32) -> TermRules {
    TermRules { months, start_beginning_of_month: false, expire_end_of_month: false }
}

/// The last day of a term, found by walking: every day on which the anchor comes round is one month more; in a
/// month without that day, it is the first of the next.
fn walked(first: NaiveDate, anchor: u32, wanted: u32) -> NaiveDate {
    let mut day = first;
    let mut turns = 0;
    loop {
        let before = day;
        day = day.succ_opt().unwrap();
        let turned = day.day() == anchor || (day.day() == 1 && before.day() < anchor);
        turns += u32::from(turned);
        if turned && turns == wanted {
            return before;
        }
    }
}

#[test]
fn a_term_ends_the_day_before_its_day_comes_round() {
    for (first, length, last) in [
        ("2023-03-01", 12, "2024-02-29"),
        ("2024-03-01", 12, "2025-02-28"),
        ("2024-02-29", 12, "2025-02-28"),
        ("2025-01-31", 1, "2025-02-28"),
        ("2024-01-31", 1, "2024-02-29"),
        ("2026-01-10", 12, "2027-01-09"),
        ("2026-12-31", 6, "2027-06-30"),
        ("2026-05-31", 1, "2026-06-30"),
        ("2026-07-04", 24, "2028-07-03"),
    ] {
        assert_eq!(Term::beginning(day(first), months(length)).last, day(last), "{first} + {length}");
    }
}

#[test]
fn flags_move_the_first_day_back_and_the_last_day_on() {
    for (bought, start_beginning_of_month, expire_end_of_month, first, last) in [
        ("2027-03-31", true, false, "2027-03-01", "2028-02-29"),
        ("2027-03-31", false, true, "2027-03-31", "2028-03-31"),
        ("2027-03-31", true, true, "2027-03-01", "2028-02-29"),
        ("2028-02-29", true, false, "2028-02-01", "2029-01-31"),
        ("2028-02-29", false, true, "2028-02-29", "2029-02-28"),
        ("2027-12-31", true, true, "2027-12-01", "2028-11-30"),
        ("2027-12-31", false, true, "2027-12-31", "2028-12-31"),
        ("2027-12-01", false, true, "2027-12-01", "2028-11-30"),
    ] {
        let rules = TermRules { months: 12, start_beginning_of_month, expire_end_of_month };
        let expected = Term { first: day(first), last: day(last) };
        assert_eq!(Term::beginning(day(bought), rules), expected, "{bought} {rules:?}");
    }
}

#[test]
fn a_day_begins_and_ends_by_the_tenants_clocks() {
    let zone = Zone::parse("America/New_York").unwrap();
    let term = Term { first: day("2027-03-14"), last: day("2027-11-07") };
    assert_eq!(zone.format(term.starts(zone)), "2027-03-14T00:00:00-05:00");
    assert_eq!(zone.format(term.ends(zone)), "2027-11-07T23:59:59-05:00");
}

proptest! {
    #[test]
    fn terms_agree_with_walking_day_by_day(offset in 0_u64..20_000, length in 1_u32..40) {
        let first = plus_days(day("2000-01-01"), offset);
        prop_assert_eq!(Term::beginning(first, months(length)).last, walked(first, first.day(), length));
    }

    #[test]
    fn fifty_renewals_leave_no_gap_and_do_not_drift(offset in 0_u64..20_000, length in 1_u32..14) {
        let first = plus_days(day("2000-01-01"), offset);
        let mut term = Term::beginning(first, months(length));
        for renewals in 1..=50 {
            let next = Term::following(term.last, first.day(), months(length));
            prop_assert_eq!(next.first, plus_days(term.last, 1));
            let all = Term::beginning(first, months(length * (renewals + 1)));
            prop_assert_eq!(next.last, all.last, "after {} renewals", renewals);
            term = next;
        }
    }

    #[test]
    fn whole_months_stay_whole_through_renewals(offset in 0_u64..20_000, length in 1_u32..14, anchor in 1_u32..=31) {
        let rules = TermRules { months: length, start_beginning_of_month: true, expire_end_of_month: true };
        let mut term = Term::beginning(plus_days(day("2000-01-01"), offset), rules);
        for _ in 0..20 {
            let next = Term::following(term.last, anchor, rules);
            prop_assert_eq!(next.first.day(), 1);
            prop_assert_eq!(plus_days(next.last, 1).day(), 1);
            prop_assert!(next.last > next.first);
            term = next;
        }
    }

    #[test]
    fn no_term_is_shorter_than_its_months(offset in 0_u64..20_000, length in 1_u32..40, snap: bool) {
        let first = plus_days(day("2000-01-01"), offset);
        let plain = Term::beginning(first, months(length));
        let rules = TermRules { expire_end_of_month: snap, ..months(length) };
        prop_assert!(Term::beginning(first, rules).last >= plain.last);
        let days = u64::try_from((plain.last - plain.first).num_days()).unwrap() + 1;
        prop_assert!(days >= u64::from(length) * 28);
    }
}
