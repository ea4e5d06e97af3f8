//! Query parameters, read so that every fault is reported.

use crate::{ApiError, ErrorType};
use domain::lines::is_blank;
use domain::listing::Range;
use domain::{Timestamp, Zone};
use std::collections::BTreeSet;
use wire::FieldError;

/// More parameters than this are not named one by one.
const MAX_REPORTED: usize = 50;

/// Reads parameters and keeps every fault. One that is sent blank is refused, whatever it is for: taken for one that
/// was left out, a filter would let everything through.
#[derive(Debug, Default)]
pub struct QueryReader {
    faults: Vec<FieldError>,
}

impl QueryReader {
    /// A reader that has met no fault.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A parameter that may be left out; `expected` completes "must be".
    pub fn optional<T>(
        &mut self,
        name: &'static str,
        text: Option<&str>,
        parse: impl FnOnce(&str) -> Option<T>,
        expected: &str,
    ) -> Option<T> {
        let text = text?.trim();
        if is_blank(text) {
            self.fault(name, "must not be blank");
            return None;
        }
        let found = parse(text);
        if found.is_none() {
            self.fault(name, format!("must be {expected}"));
        }
        found
    }

    /// A parameter that must be sent; `expected` completes "must be".
    pub fn required<T>(
        &mut self,
        name: &'static str,
        text: Option<&str>,
        parse: impl FnOnce(&str) -> Option<T>,
        expected: &str,
    ) -> Option<T> {
        if text.is_none() {
            self.fault(name, "is required");
        }
        self.optional(name, text, parse, expected)
    }

    /// A text that may be left out, without white space around it.
    pub fn text(&mut self, name: &'static str, text: Option<&str>) -> Option<String> {
        self.optional(name, text, |text| Some(text.to_owned()), "text")
    }

    /// An e-mail address that may be left out, see [`email`].
    pub fn email(&mut self, name: &'static str, text: Option<&str>) -> Option<String> {
        self.optional(name, text, |text| Some(email(text)), "text")
    }

    /// An e-mail address that must be sent.
    pub fn required_email(&mut self, name: &'static str, text: Option<&str>) -> Option<String> {
        self.required(name, text, |text| Some(email(text)), "text")
    }

    /// An instant; one without offset is local time of the zone.
    pub fn instant(&mut self, name: &'static str, text: Option<&str>, zone: Zone) -> Option<Timestamp> {
        self.optional(name, text, |text| zone.parse_instant(text).ok(), "an ISO 8601 date and time")
    }

    /// The parameters `startTime` and `endTime`. The start defaults to 12:00 am today, the end to 11:59 pm on
    /// the day of the start, both on the clocks of the zone (spec §4.4).
    pub fn range(&mut self, start: Option<&str>, end: Option<&str>, zone: Zone, now: Timestamp) -> Range {
        let start = self.instant("startTime", start, zone);
        let from = start.unwrap_or_else(|| zone.start_of_day(zone.date(now)));
        let end = self.instant("endTime", end, zone);
        let until = end.unwrap_or_else(|| zone.end_of_day(zone.date(from)));
        if until < from {
            self.fault("endTime", "must not be before startTime");
        }
        Range { from, until }
    }

    /// Notes a fault of a parameter.
    pub fn fault(&mut self, name: &'static str, message: impl Into<String>) {
        self.faults.push(FieldError { field: name.to_owned(), message: message.into() });
    }

    /// What was read, unless something was at fault.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` naming every parameter at fault.
    pub fn finish<T>(self, value: T) -> Result<T, ApiError> {
        if self.faults.is_empty() {
            return Ok(value);
        }
        let error = ApiError::new(ErrorType::ValidationError);
        Err(self.faults.into_iter().fold(error, |error, fault| error.detail(fault.field, fault.message)))
    }
}

/// The parameters that a query has more than once.
pub(crate) fn repeated(query: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let names = form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name.into_owned());
    names.filter(|name| !seen.insert(name.clone())).take(MAX_REPORTED).collect()
}

/// An e-mail address as it was meant. None holds a space: one that arrives as a space was a plus sign that was not
/// encoded.
#[must_use]
pub fn email(text: &str) -> String {
    text.trim().replace(' ', "+")
}
