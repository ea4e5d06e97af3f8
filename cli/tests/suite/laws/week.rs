//! The days that lists of events are asked for.

use adapters::clock::wall_now;
use chrono::{Days, NaiveDate};
use domain::{Timestamp, Zone};

const ZONE: &str = "America/New_York";

/// Seven days from tomorrow on: nothing of them has begun, and each weekday is among them, whatever day it is today.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Week {
    first: NaiveDate,
}

impl Week {
    pub(crate) fn ahead() -> Self {
        Self { first: wall_now().date_naive() + Days::new(1) }
    }

    fn behind(self) -> NaiveDate {
        self.first + Days::new(7)
    }

    pub(crate) fn query(self) -> String {
        format!("startTime={}&endTime={}", self.first, self.behind())
    }

    pub(crate) fn begins(self) -> Timestamp {
        zone().start_of_day(self.first)
    }

    pub(crate) fn ends(self) -> Timestamp {
        zone().start_of_day(self.behind())
    }
}

pub(crate) fn zone() -> Zone {
    Zone::parse(ZONE).unwrap()
}
