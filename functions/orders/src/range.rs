//! Ranges of time that queries ask for.

use domain::listing::Range;
use domain::time::plus_secs;
use web::query::QueryReader;

const DAY_SECS: i64 = 86_400;

/// The seconds of so many days.
pub(crate) const fn days_secs(days: i64) -> i64 {
    days.saturating_mul(DAY_SECS)
}

/// The parameters of a range, and the days that it goes over at most.
pub(crate) struct RangeParameters {
    pub(crate) from: &'static str,
    pub(crate) until: &'static str,
    pub(crate) max_days: i64,
}

impl RangeParameters {
    /// Notes that a range ends before it begins, or is too long.
    pub(crate) fn check(&self, reader: &mut QueryReader, range: Range) {
        let Range { from, until } = range;
        if until < from {
            reader.fault(self.until, format!("must not be before {}", self.from));
        } else if until > plus_secs(from, days_secs(self.max_days)) {
            reader.fault(self.until, format!("must be within {} days of {}", self.max_days, self.from));
        }
    }
}
