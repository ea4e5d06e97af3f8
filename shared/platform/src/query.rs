//! Query parameters, read so that every fault is reported.

use crate::paging::{PageQuery, Paging, Sorting};
use crate::{ApiError, ErrorType};
use domain::listing::Range;
use domain::{Timestamp, Zone};
use std::collections::BTreeSet;
use wire::FieldError;

/// More parameters than this are not named one by one.
const MAX_REPORTED: usize = 50;

/// Reads parameters and keeps every fault. A blank one counts as left out, but for [`QueryReader::filter`].
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
        let text = text.map(str::trim).filter(|text| !text.is_empty())?;
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
        if text.is_none_or(|text| text.trim().is_empty()) {
            self.fault(name, "is required");
        }
        self.optional(name, text, parse, expected)
    }

    /// A text that narrows a list down, without white space around it. A blank one would let everything through, and is
    /// refused.
    pub fn filter(&mut self, name: &'static str, text: Option<&str>) -> Option<String> {
        let text = text?.trim();
        if text.is_empty() {
            self.fault(name, "must not be blank");
        }
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The part of a list that is wanted.
    pub fn paging<T>(&mut self, query: &PageQuery, sorting: &'static Sorting<T>) -> Option<Paging<T>> {
        match Paging::parse(query, sorting) {
            Ok(paging) => Some(paging),
            Err(refusal) => {
                self.faults.extend_from_slice(refusal.details());
                None
            }
        }
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

/// An e-mail address, unless the parameter is left out or blank. No address holds a space: one that arrives as a
/// space was a plus sign that was not encoded.
#[must_use]
pub fn email(text: Option<&str>) -> Option<String> {
    text.map(|email| email.trim().replace(' ', "+")).filter(|email| !email.is_empty())
}
