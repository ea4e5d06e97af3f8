//! How long a membership lasts (contract §9).
//!
//! Terms are whole days of the tenant's calendar. A term of so many months ends the day before the day on which
//! it began comes round; where a month has no such day, that is the first of the next month. Terms that follow one
//! another are reckoned from the day of the month of the first, so that they neither leave gaps nor drift.

use super::{Membership, MembershipRules, Offering};
use crate::{Timestamp, Zone};
use chrono::{Datelike, Days, NaiveDate};
use serde::{Deserialize, Serialize};

/// Days after its last term in which a membership can be renewed as if it had not lapsed (our choice: decision
/// record 0048).
pub const GRACE_DAYS: u64 = 30;

/// What the length of a term follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TermRules {
    /// Its length.
    pub months: u32,
    /// It begins on the first of the month.
    pub start_beginning_of_month: bool,
    /// It ends on the last of the month.
    pub expire_end_of_month: bool,
}

impl TermRules {
    /// Those of an offering, by the rules that apply to it.
    #[must_use]
    pub fn of(offering: &Offering, rules: MembershipRules) -> Self {
        Self {
            months: offering.duration_months,
            start_beginning_of_month: rules.start_beginning_of_month,
            expire_end_of_month: rules.expire_end_of_month,
        }
    }
}

/// A term, by its first and its last day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// The first day.
    pub first: NaiveDate,
    /// The last day.
    pub last: NaiveDate,
}

impl Term {
    /// A term that nothing comes before.
    #[must_use]
    pub fn beginning(day: NaiveDate, rules: TermRules) -> Self {
        let first = if rules.start_beginning_of_month { day.with_day(1).unwrap_or(day) } else { day };
        Self { first, last: last_day(first, first.day(), rules) }
    }

    /// The term that begins on the day after another's last. `anchor` is the day of the month on which the first
    /// of them began.
    #[must_use]
    pub fn following(last: NaiveDate, anchor: u32, rules: TermRules) -> Self {
        let first = plus_days(last, 1);
        Self { first, last: last_day(first, anchor, rules) }
    }

    /// Its first instant.
    #[must_use]
    pub fn starts(self, zone: Zone) -> Timestamp {
        zone.start_of_day(self.first)
    }

    /// Its last instant.
    #[must_use]
    pub fn ends(self, zone: Zone) -> Timestamp {
        zone.end_of_day(self.last)
    }
}

impl Membership {
    /// The day of the month that its terms are reckoned from.
    #[must_use]
    pub fn anchor(&self, zone: Zone) -> u32 {
        self.anchor_day.unwrap_or_else(|| zone.date(self.started).day())
    }
}

/// A day so many days later, or the last day there is.
#[must_use]
pub fn plus_days(day: NaiveDate, days: u64) -> NaiveDate {
    day.checked_add_days(Days::new(days)).unwrap_or(NaiveDate::MAX)
}

/// The last day of a term that begins on `first`.
fn last_day(first: NaiveDate, anchor: u32, rules: TermRules) -> NaiveDate {
    let (month, day) = nominal(first, anchor);
    let month = month.saturating_add(i64::from(rules.months));
    let last = match date(month, day) {
        Some(next) => next.pred_opt().unwrap_or(next),
        // The day before the first of the month after one without this day.
        None => end_of_month(month),
    };
    if rules.expire_end_of_month { end_of_month(month_of(last)) } else { last }
}

/// The month and the day of the month on which a term that begins on `first` would have begun, had every month
/// all days.
fn nominal(first: NaiveDate, anchor: u32) -> (i64, u32) {
    let before = month_of(first).saturating_sub(1);
    if first.day() == 1 && anchor > 1 && date(before, anchor).is_none() {
        return (before, anchor);
    }
    (month_of(first), first.day())
}

/// Months since the year 0.
fn month_of(day: NaiveDate) -> i64 {
    i64::from(day.year()).saturating_mul(12).saturating_add(i64::from(day.month0()))
}

fn date(month: i64, day: u32) -> Option<NaiveDate> {
    let year = i32::try_from(month.div_euclid(12)).ok()?;
    let month0 = u32::try_from(month.rem_euclid(12)).ok()?;
    NaiveDate::from_ymd_opt(year, month0.saturating_add(1), day)
}

fn end_of_month(month: i64) -> NaiveDate {
    let next = date(month.saturating_add(1), 1);
    next.and_then(|next| next.pred_opt()).unwrap_or(NaiveDate::MAX)
}

#[cfg(test)]
mod tests;
