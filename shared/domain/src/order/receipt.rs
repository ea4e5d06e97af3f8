//! Running numbers of orders (decision record 0151).

use crate::{Timestamp, Zone};
use chrono::Datelike;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The running number of an order among those of its tenant in a year. Numbers rise; some are no order's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReceiptNumber {
    /// The year by the tenant's clocks.
    pub year: i32,
    /// From 1 on.
    pub number: u32,
}

impl ReceiptNumber {
    /// The year whose numbers are given at an instant.
    #[must_use]
    pub fn year_at(zone: Zone, now: Timestamp) -> i32 {
        zone.date(now).year()
    }
}

impl fmt::Display for ReceiptNumber {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{:06}", self.year, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_year_is_that_of_the_venue_and_the_number_has_six_digits_or_more() {
        let zone = Zone::parse("Pacific/Auckland").unwrap();
        let late = "2026-12-31T12:00:00Z".parse().unwrap();
        assert_eq!(ReceiptNumber::year_at(zone, late), 2027);
        for (number, expected) in [(1, "2027-000001"), (1_234_567, "2027-1234567")] {
            assert_eq!(ReceiptNumber { year: 2027, number }.to_string(), expected);
        }
    }
}
