//! What a request takes of the database, none of which depends on a clock, and how that grows.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use testkit::Answer;

/// What DynamoDB answers of a query at a time, in bytes.
const PAGE_BYTES: usize = 1 << 20;
/// Calls that a request makes side by side.
const SIDE_BY_SIDE: u32 = 32;
/// Less than this counts as this, so that ids of more digits are no growth.
const LEAST_BYTES: usize = 1_024;

/// What one request took of the database, and how much its answer lists.
#[derive(Debug, Clone)]
pub(crate) struct Cost {
    /// How often it waited.
    rounds: u32,
    calls: u32,
    /// What the calls sent and were answered.
    bytes: usize,
    /// Entries of each list of the answer, by where it stands.
    listed: BTreeMap<String, usize>,
}

impl Cost {
    pub(crate) fn of(answer: &Answer, bytes: usize) -> Self {
        let mut listed = BTreeMap::new();
        count_entries(&answer.body, "", &mut listed);
        Self { rounds: answer.calls.rounds, calls: answer.calls.total, bytes, listed }
    }

    /// How many times as much the answer lists as another one, by the list that differs most.
    fn lists_times(&self, other: &Self) -> f64 {
        let times = |(place, entries): (&String, &usize)| {
            let before = other.listed.get(place).copied().unwrap_or_default();
            number(*entries) / number(before.max(1))
        };
        self.listed.iter().map(times).fold(1.0, f64::max)
    }
}

fn count_entries(value: &Value, place: &str, listed: &mut BTreeMap<String, usize>) {
    match value {
        Value::Array(entries) => {
            *listed.entry(place.to_owned()).or_default() += entries.len();
            for entry in entries {
                count_entries(entry, &format!("{place}/*"), listed);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                count_entries(field, &format!("{place}/{name}"), listed);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn number(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap())
}

/// How a cost grew while there came to be so many times as much of something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    /// The exponent of the cost over what the answer lists.
    pub(crate) of_cost: f64,
    /// The exponent of what the answer lists.
    pub(crate) of_answer: f64,
}

impl Growth {
    /// Of round trips, calls and bytes, what grew most. Round trips follow pages of the database and calls side by side,
    /// whatever is listed.
    pub(crate) fn between(few: &Cost, many: &Cost, times: f64) -> Self {
        let listed = many.lists_times(few);
        let pages = u32::try_from(many.bytes / PAGE_BYTES).unwrap();
        let rounds = many.rounds.saturating_sub(pages).saturating_sub(many.calls / SIDE_BY_SIDE);
        let ratio = |few: u32, many: u32| f64::from(many.max(1)) / f64::from(few.max(1));
        let bytes = |cost: &Cost| number(cost.bytes.max(LEAST_BYTES));
        let of_rounds = ratio(few.rounds, rounds);
        let of_calls = ratio(few.calls, many.calls) / listed;
        let of_bytes = bytes(many) / bytes(few) / listed;
        let exponent = |ratio: f64| ratio.max(1.0).ln() / times.ln();
        Self { of_cost: exponent(of_rounds.max(of_calls).max(of_bytes)), of_answer: exponent(listed) }
    }
}

/// With the growth of the answer in brackets, where it lists what there is more of.
impl fmt::Display for Growth {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.2}", self.of_cost)?;
        if self.of_answer >= 0.05 { write!(out, " ({:.2})", self.of_answer) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cost, Growth, count_entries};
    use serde_json::json;
    use std::collections::BTreeMap;

    fn cost(rounds: u32, calls: u32, bytes: usize, entries: usize) -> Cost {
        Cost { rounds, calls, bytes, listed: BTreeMap::from([("/list".to_owned(), entries)]) }
    }

    fn shown(few: &Cost, many: &Cost) -> String {
        Growth::between(few, many, 100.0).to_string()
    }

    #[test]
    fn what_is_listed_may_cost_what_it_lists_and_no_more() {
        let few = cost(2, 3, 4_000, 3);
        for (many, expected) in [
            (cost(2, 3, 4_100, 3), "0.01"),
            (cost(2, 3, 400_000, 300), "0.00 (1.00)"),
            (cost(2, 3, 400_000, 3), "1.00"),
            (cost(2, 300, 400_000, 300), "0.00 (1.00)"),
            (cost(200, 200, 400_000, 300), "0.99 (1.00)"),
            (cost(11, 300, 400_000, 300), "0.00 (1.00)"),
            (cost(5, 5, 4_000_000, 300), "0.50 (1.00)"),
        ] {
            assert_eq!(shown(&few, &many), expected, "{many:?}");
        }
    }

    #[test]
    fn what_costs_next_to_nothing_does_not_grow() {
        assert_eq!(shown(&cost(0, 0, 0, 0), &cost(1, 1, 1_000, 1)), "0.00");
    }

    #[test]
    fn entries_are_counted_wherever_they_are_listed() {
        let mut listed = BTreeMap::new();
        count_entries(&json!({"days": [{"slots": [1, 2]}, {"slots": [3]}], "none": []}), "", &mut listed);
        let expected = [("/days", 2), ("/days/*/slots", 3), ("/none", 0)];
        let expected = expected.map(|(place, entries)| (place.to_owned(), entries));
        assert_eq!(listed, BTreeMap::from(expected));
    }
}
