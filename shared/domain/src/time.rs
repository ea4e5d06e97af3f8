//! Instants and the tenant's wall clock. `now` is always an argument; nothing here reads a clock.

use chrono::{
    DateTime, Datelike, Duration, LocalResult, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, TimeZone,
    Utc,
};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

/// An instant.
pub type Timestamp = DateTime<Utc>;

/// Why a text is not an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadableTime;

/// Years an instant that callers write may fall into: those of four digits, and where another zone's last or first
/// day of them is.
const YEARS: std::ops::RangeInclusive<i32> = 0..=10_000;

/// The zone a tenant lives in. Days, schedules and terms are reckoned in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Zone(Tz);

impl Zone {
    /// Reads a name of the IANA time zone database, such as `America/New_York`.
    ///
    /// # Errors
    /// [`UnreadableTime`] for an unknown name.
    pub fn parse(name: &str) -> Result<Self, UnreadableTime> {
        name.parse().map(Self).map_err(|_| UnreadableTime)
    }

    /// The database name of the zone.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// What the tenant's clocks show at an instant.
    #[must_use]
    pub fn local(self, instant: Timestamp) -> NaiveDateTime {
        instant.with_timezone(&self.0).naive_local()
    }

    /// The tenant's calendar day at an instant.
    #[must_use]
    pub fn date(self, instant: Timestamp) -> NaiveDate {
        self.local(instant).date()
    }

    /// The instant at which the tenant's clocks show a time. A time that a clock change skips moves forward
    /// by the gap; one that occurs twice is the first (contract §7).
    #[must_use]
    pub fn instant(self, local: NaiveDateTime) -> Timestamp {
        match self.0.from_local_datetime(&local) {
            LocalResult::Single(found) => found.with_timezone(&Utc),
            LocalResult::Ambiguous(first, _) => first.with_timezone(&Utc),
            LocalResult::None => self.after_gap(local),
        }
    }

    /// The skipped time read with the offset in force before the gap, which is how far it moves forward.
    fn after_gap(self, local: NaiveDateTime) -> Timestamp {
        let day_before = local.checked_sub_signed(Duration::days(1)).unwrap_or(local);
        let before = match self.0.from_local_datetime(&day_before) {
            LocalResult::Single(found) | LocalResult::Ambiguous(found, _) => found,
            LocalResult::None => return Utc.from_utc_datetime(&local),
        };
        before.with_timezone(&Utc).checked_add_signed(Duration::days(1)).unwrap_or_default()
    }

    /// The first instant of a calendar day.
    #[must_use]
    pub fn start_of_day(self, date: NaiveDate) -> Timestamp {
        self.instant(date.and_time(NaiveTime::MIN))
    }

    /// The last second of a calendar day, 11:59:59 pm: days of 23 and 25 hours end where the next begins.
    #[must_use]
    pub fn end_of_day(self, date: NaiveDate) -> Timestamp {
        let next = date.succ_opt().map_or(Timestamp::MAX_UTC, |next| self.start_of_day(next));
        next.checked_sub_signed(Duration::seconds(1)).unwrap_or(next)
    }

    /// RFC 3339 with the tenant's offset at that instant, in whole seconds.
    #[must_use]
    pub fn format(self, instant: Timestamp) -> String {
        instant.with_timezone(&self.0).to_rfc3339_opts(SecondsFormat::Secs, false)
    }

    /// Reads an instant as callers write it: ISO 8601 with any offset, with a space where an un-encoded `+`
    /// was lost, or without offset in tenant-local time; a bare date is its first instant (contract §1). Far from
    /// [`YEARS`], where an instant may have no local time, there is none.
    ///
    /// # Errors
    /// [`UnreadableTime`] for any other text.
    pub fn parse_instant(self, text: &str) -> Result<Timestamp, UnreadableTime> {
        let found = self.read_instant(text)?;
        if YEARS.contains(&found.year()) { Ok(found) } else { Err(UnreadableTime) }
    }

    fn read_instant(self, text: &str) -> Result<Timestamp, UnreadableTime> {
        let text = text.trim();
        if let Ok(found) = DateTime::parse_from_rfc3339(text) {
            return Ok(found.with_timezone(&Utc));
        }
        if let Some((head, offset)) = text.rsplit_once(' ')
            && let Ok(found) = DateTime::parse_from_rfc3339(&format!("{head}+{offset}"))
        {
            return Ok(found.with_timezone(&Utc));
        }
        for form in ["%Y-%m-%dT%H:%M%:z", "%Y-%m-%dT%H:%M:%S%.f%#z"] {
            if let Ok(found) = DateTime::parse_from_str(text, form) {
                return Ok(found.with_timezone(&Utc));
            }
        }
        for form in ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"] {
            if let Ok(found) = NaiveDateTime::parse_from_str(text, form)
                && YEARS.contains(&found.year())
            {
                return Ok(self.instant(found));
            }
        }
        let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| UnreadableTime)?;
        if YEARS.contains(&date.year()) { Ok(self.start_of_day(date)) } else { Err(UnreadableTime) }
    }
}

/// Adds whole seconds, stopping at the end of time instead of overflowing.
#[must_use]
pub fn plus_secs(instant: Timestamp, secs: i64) -> Timestamp {
    Duration::try_seconds(secs).and_then(|step| instant.checked_add_signed(step)).unwrap_or(if secs < 0 {
        Timestamp::MIN_UTC
    } else {
        Timestamp::MAX_UTC
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_york() -> Zone {
        Zone::parse("America/New_York").unwrap()
    }

    fn at(text: &str) -> String {
        new_york().format(new_york().parse_instant(text).unwrap())
    }

    #[test]
    fn every_form_of_an_instant_is_read() {
        for (text, expected) in [
            ("2026-03-16T00:00:00-07:00", "2026-03-16T03:00:00-04:00"),
            ("2026-03-16T07:00:00Z", "2026-03-16T03:00:00-04:00"),
            ("2026-03-16T07:00:00+00:00", "2026-03-16T03:00:00-04:00"),
            ("2026-03-16T07:00:00 00:00", "2026-03-16T03:00:00-04:00"),
            ("2026-03-16T07:00:00.123Z", "2026-03-16T03:00:00-04:00"),
            ("2026-03-16T03:00:00", "2026-03-16T03:00:00-04:00"),
            ("2026-03-16 03:00:00", "2026-03-16T03:00:00-04:00"),
            ("2026-03-16T03:00", "2026-03-16T03:00:00-04:00"),
            ("2026-03-16", "2026-03-16T00:00:00-04:00"),
            ("2026-03-16T07:00:00+0000", "2026-03-16T03:00:00-04:00"),
            ("9999-12-31T23:59:59-05:00", "9999-12-31T23:59:59-05:00"),
        ] {
            assert_eq!(at(text), expected, "{text}");
        }
        let far =
            ["-262143-01-01T00:00:00Z", "+262142-12-31T23:59:59Z", "+262142-12-31T23:59:59", "+262142-12-31"];
        for text in ["", "today", "2026-13-01", "2026-02-29", "1234567890"].into_iter().chain(far) {
            assert_eq!(new_york().parse_instant(text), Err(UnreadableTime), "{text}");
        }
    }

    #[test]
    fn a_skipped_local_time_moves_forward_by_the_gap() {
        assert_eq!(at("2027-03-14T02:30:00"), "2027-03-14T03:30:00-04:00");
    }

    #[test]
    fn a_repeated_local_time_is_the_first() {
        assert_eq!(at("2027-11-07T01:30:00"), "2027-11-07T01:30:00-04:00");
    }

    #[test]
    fn days_are_23_and_25_hours_long_where_clocks_change() {
        let hours = |date: &str| {
            let date = NaiveDate::parse_from_str(date, "%Y-%m-%d").unwrap();
            let zone = new_york();
            (zone.end_of_day(date) - zone.start_of_day(date)).num_seconds() + 1
        };
        assert_eq!(hours("2027-03-14"), 23 * 3600);
        assert_eq!(hours("2027-11-07"), 25 * 3600);
        assert_eq!(hours("2027-07-04"), 24 * 3600);
    }
}
