//! The document that says what grows, and how steeply.

use crate::laws::growth::axes::Axis;
use crate::laws::growth::cost::Growth;
use crate::laws::growth::known::KNOWN;
use crate::laws::support::Operation;
use std::fmt::Write as _;

const HEAD: &str = "\
# Growth

What a request costs where a venue has more of something, as an exponent: 0 is the same cost, 1 is a hundred times the
cost for a hundred times as much. `make docs` writes the table. A test sends each request to a small venue and, for each
column, to one that has a hundred times as much of that alone. It fails where an exponent is above 0.1.

- **Cost** is what a request takes of the database: whichever of round trips, calls and bytes grows most. It is measured
  on the second of two requests: by then the process has read the catalog, which it does when it starts and every few
  seconds beside its requests.
- **In brackets** is how the answer grows, where it lists what there is more of. The other exponent is then that of the
  cost for each entry. Round trips may not grow with a list, except by one for each MiB that is read and one for every
  32 calls.
- **Lists** are asked for as a whole, since a page costs as much: it is cut from all that was found. Lists of events
  cover seven days.
- **Sold tickets** are those of the slots that are asked about, **orders** those of one slot and one person,
  **instances** those of the template that is asked about.

| | From | To |
|---|---|---|
";

/// How far an exponent may be from the one in the document: lengths of random texts differ.
const SLACK: f64 = 0.02;

/// The growth of one request over each axis.
pub(crate) struct Row<'a> {
    pub(crate) operation: &'a Operation,
    pub(crate) growths: Vec<Growth>,
}

/// The content of `docs/GROWTH.md`, where venues that have so many times as much were measured.
pub(crate) fn document(rows: &[Row<'_>], times: usize) -> String {
    let mut text = HEAD.to_owned();
    for axis in Axis::ALL {
        writeln!(text, "| {axis} | {} | {} |", axis.few(), axis.few() * times).unwrap();
    }
    let names = Axis::ALL.map(|axis| axis.to_string()).join(" | ");
    writeln!(text, "\n| Method | Path | {names} |\n|---|---|{}", "---|".repeat(Axis::ALL.len())).unwrap();
    for Row { operation, growths } in rows {
        let growths: Vec<String> = growths.iter().map(Growth::to_string).collect();
        let Operation { method, path, .. } = operation;
        writeln!(text, "| {method} | `{path}` | {} |", growths.join(" | ")).unwrap();
    }
    text.push_str("\n## What grows all the same\n\n");
    for known in &KNOWN {
        let requests: Vec<String> = known.requests.iter().map(|request| format!("`{request}`")).collect();
        let over: Vec<String> = known.over.iter().map(Axis::to_string).collect();
        writeln!(text, "- {} ({}): each {}.", requests.join(", "), over.join(", "), known.why).unwrap();
    }
    text
}

/// The lines of the document that it does not have, or not any more.
pub(crate) fn changed(kept: &str, found: &str) -> Vec<String> {
    let (kept, found): (Vec<&str>, Vec<&str>) = (kept.lines().collect(), found.lines().collect());
    let is_in = |line: &str, lines: &[&str]| lines.iter().any(|other| is_same(line, other));
    let new = found.iter().filter(|line| !is_in(line, &kept)).map(|line| format!("+ {line}"));
    let gone = kept.iter().filter(|line| !is_in(line, &found)).map(|line| format!("- {line}"));
    new.chain(gone).collect()
}

/// Whether two lines say the same, up to the slack of their numbers.
fn is_same(one: &str, other: &str) -> bool {
    let words = |line: &str| line.split([' ', '(', ')']).map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (words(one), words(other));
    one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| is_same_word(one, other))
}

fn is_same_word(one: &str, other: &str) -> bool {
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => (one - other).abs() < SLACK,
        (Ok(_) | Err(_), Ok(_) | Err(_)) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::changed;

    #[test]
    fn the_length_of_a_random_text_changes_nothing() {
        let kept = "| GET | `/a` | 0.00 | 0.98 (1.00) |\n| GET | `/b` | 0.00 | 0.00 |\n";
        let found = "| GET | `/a` | 0.01 | 0.99 (0.99) |\n| GET | `/b` | 0.00 | 0.03 |\n";
        let expected = ["+ | GET | `/b` | 0.00 | 0.03 |", "- | GET | `/b` | 0.00 | 0.00 |"];
        assert_eq!(changed(kept, found), expected);
    }
}
