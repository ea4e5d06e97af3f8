//! Readers of the fields that records of a venue have in common: names, texts, ids, counts, prices, words, dates.

use crate::amount::{is_negative, is_too_large};
use crate::{Amount, Checker, Field, IntegerId, List};
use chrono::NaiveDate;
use domain::catalog::derived_id;
use domain::settings::MAX_ORIGINS;
use domain::staff::{LABEL_PREFIX, is_label_of_staff};
use domain::{Currency, Money, Percent, PriceListId, UnreadableId, Zone};
use std::collections::BTreeSet;

/// Characters of a name.
pub(crate) const NAME_CHARS: usize = 200;
/// Characters of a text of several sentences.
pub(crate) const TEXT_CHARS: usize = 20_000;
/// Characters of the address of a page or a picture.
pub(crate) const ADDRESS_CHARS: usize = 500;
/// Characters of a token; ours have fewer.
const TOKEN_CHARS: usize = 500;
/// The most seats of a slot.
pub(crate) const MAX_CAPACITY: u32 = 1_000_000;

pub(crate) fn name(checker: &mut Checker, field: &'static str, text: Field<String>) -> String {
    checker.required_text(field, text, NAME_CHARS).unwrap_or_default()
}

/// A name or another text of one line that may be left out.
pub(crate) fn line(checker: &mut Checker, field: &'static str, text: Field<String>) -> String {
    checker.optional_text(field, text, TEXT_CHARS).unwrap_or_default()
}

/// A description or a message, of one line or several, that may be left out.
pub(crate) fn text(checker: &mut Checker, field: &'static str, text: Field<String>) -> String {
    checker.optional_prose(field, text, TEXT_CHARS).unwrap_or_default()
}

/// The id of a record: missing or unreadable ones are refused as wrong, since nothing is looked up by it.
pub(crate) fn own_id<T>(
    checker: &mut Checker,
    field: Field<String>,
    parse: impl FnOnce(&str) -> Result<T, UnreadableId>,
) -> Option<T> {
    let text = checker.required_text("id", field, NAME_CHARS)?;
    let id = parse(&text).ok();
    if id.is_none() {
        checker.invalid("id", "must have 1 to 64 letters, digits, \"-\" or \"_\"");
    }
    id
}

/// An id that is a number and may be left out: unreadable ones are refused as wrong, since nothing is looked up by it.
pub(crate) fn number_id<T>(
    checker: &mut Checker,
    field: &'static str,
    sent: Field<IntegerId>,
    parse: impl FnOnce(i64) -> Result<T, UnreadableId>,
) -> Option<T> {
    let number = checker.optional(field, sent)?;
    let id = parse(number.get()).ok();
    if id.is_none() {
        checker.invalid(field, "must be a positive integer below 2^53");
    }
    id
}

/// A whole number within limits, both included.
pub(crate) fn count(
    checker: &mut Checker,
    name: &'static str,
    field: Field<i64>,
    limits: std::ops::RangeInclusive<u32>,
) -> Option<u32> {
    let number = checker.optional(name, field)?;
    let found = u32::try_from(number).ok().filter(|number| limits.contains(number));
    if found.is_none() {
        checker.invalid(name, format!("must be between {} and {}", limits.start(), limits.end()));
    }
    found
}

/// An amount of nothing or more.
pub(crate) fn price(checker: &mut Checker, name: &'static str, field: Field<Amount>) -> Option<Money> {
    let is_beyond = is_negative(&field) || is_too_large(&field);
    let amount = if is_beyond { None } else { Some(checker.optional_money(name, field)?) };
    if amount.is_some_and(|amount| (Money::ZERO..=Money::MAX_INPUT).contains(&amount)) {
        return amount;
    }
    checker.invalid(name, format!("must be between 0.00 and {}", Money::MAX_INPUT));
    None
}

/// One word of a closed list, in any case.
pub(crate) fn word<T>(
    checker: &mut Checker,
    name: &'static str,
    field: Field<String>,
    parse: impl FnOnce(&str) -> Option<T>,
    expected: &str,
) -> Option<T> {
    let text = checker.optional(name, field)?;
    let found = parse(text.trim());
    if found.is_none() {
        checker.invalid(name, format!("must be one of {expected}"));
    }
    found
}

/// A word of the venue's own in a list.
pub(crate) fn own_word(checker: &mut Checker, sent: String) -> String {
    checker.text_here(&sent, NAME_CHARS).unwrap_or_default()
}

/// A percentage from 0 to 100 with at most two decimals.
pub(crate) fn percent(checker: &mut Checker, field: &'static str, sent: Field<Amount>) -> Option<Percent> {
    let amount = checker.optional(field, sent)?;
    let found = Percent::parse(amount.text()).ok();
    if found.is_none() {
        checker.invalid(field, "must be a percentage between 0 and 100 with at most two decimals");
    }
    found
}

/// The code of a currency that a venue can sell in. One that it cannot is refused with the reason.
pub(crate) fn currency(checker: &mut Checker, name: &'static str, field: Field<String>) -> Option<Currency> {
    let code = checker.optional(name, field)?;
    Currency::parse(&code).map_err(|unfit| checker.invalid(name, unfit.to_string())).ok()
}

/// A flag that is off unless it is sent.
pub(crate) fn flag(checker: &mut Checker, name: &'static str, field: Field<bool>) -> bool {
    checker.optional(name, field).unwrap_or_default()
}

/// A local date that must be sent; of an instant, the local date it falls on.
pub(crate) fn date(
    checker: &mut Checker,
    name: &'static str,
    field: Field<String>,
    zone: Zone,
) -> Option<NaiveDate> {
    if !field.is_sent() {
        checker.invalid(name, "is required");
    }
    let text = checker.optional(name, field)?;
    let text = text.trim();
    let date = text.parse().ok().or_else(|| zone.parse_instant(text).ok().map(|found| zone.date(found)));
    if date.is_none() {
        checker.invalid(name, "must be a date, such as 2027-07-04");
    }
    date
}

/// The id of a part that has the form of those of price lists and schedules.
pub(crate) fn part_id(whole: &str, kind: &str, number: usize) -> String {
    PriceListId::from_bytes(derived_id(whole, kind, number)).to_string()
}

/// Origins of pages, as browsers write them.
pub(crate) fn origins(
    checker: &mut Checker,
    field: &'static str,
    sent: Field<List<String>>,
) -> BTreeSet<String> {
    let origins = checker.each(field, sent, |checker, origin: String| {
        let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        let is_plain = |host: &str| !host.is_empty() && !host.contains(['/', '?', '#', '@', '*', ' ']);
        if !host.is_some_and(is_plain) || origin.len() > ADDRESS_CHARS {
            checker.invalid_here("must be an origin, such as https://tickets.example.org");
        }
        origin.to_ascii_lowercase()
    });
    at_most(checker, field, &origins, MAX_ORIGINS);
    origins.into_iter().collect()
}

/// The token of a link, unless it is missing.
pub(crate) fn token(checker: &mut Checker, sent: Field<String>) -> Option<String> {
    checker.required_text("token", sent, TOKEN_CHARS)
}

/// Notes a label of a key that looks like a person of the staff.
pub(crate) fn check_key_label(checker: &mut Checker, label: &str) {
    if is_label_of_staff(label) {
        checker.invalid("label", format!("must not begin with {LABEL_PREFIX}"));
    }
}

/// Notes a list that is too long.
pub(crate) fn at_most<T>(checker: &mut Checker, field: &'static str, list: &[T], max: usize) {
    if list.len() > max {
        checker.too_many(field, max);
    }
}

/// Gives each of these ids that was left out one that none of them has.
pub(crate) fn name_unnamed(ids: Vec<&mut Field<String>>, derive: impl Fn(usize) -> String) {
    let mut taken: BTreeSet<String> = ids.iter().filter_map(|id| (**id).clone().value()).collect();
    let mut number = 0_usize;
    for id in ids {
        if id.is_sent() {
            continue;
        }
        loop {
            let derived = derive(number);
            number = number.saturating_add(1);
            if taken.insert(derived.clone()) {
                *id = Field::Value(derived);
                break;
            }
        }
    }
}

/// Notes ids that stand twice in a list.
pub(crate) fn check_unlike<T: Ord>(checker: &mut Checker, list: &str, ids: impl Iterator<Item = T>) {
    let mut seen = BTreeSet::new();
    for (index, id) in ids.enumerate() {
        if !seen.insert(id) {
            checker.invalid(format!("{list}/{index}/id"), "is already used by another entry");
        }
    }
}
