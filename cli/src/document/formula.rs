//! Cells that a spreadsheet would take for formulas (decision record 0133).
//!
//! A name such as `=cmd|"/c calc"!A1` is run by the spreadsheet that opens an export. An apostrophe in front makes it
//! text there, and nobody sees it; reading a table takes it away again. A text that has an apostrophe there already
//! gets another one, so that what was exported is what is imported.

use std::borrow::Cow;

/// What a formula begins with, in full width as well, and what spreadsheets skip in front of one.
const BEGINNINGS: [char; 11] =
    ['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// What stands in front of what is no formula.
const GUARD: char = '\'';

/// The text of a cell as it may be opened.
pub(super) fn guarded(text: &str) -> Cow<'_, str> {
    if is_guarded_or_formula(text) { Cow::Owned(format!("{GUARD}{text}")) } else { Cow::Borrowed(text) }
}

/// The text that was guarded.
pub(super) fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix(GUARD) {
        Some(text) if is_guarded_or_formula(text) => text,
        Some(_) | None => cell,
    }
}

fn is_guarded_or_formula(text: &str) -> bool {
    text.trim_start_matches(GUARD).starts_with(BEGINNINGS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_begins_like_a_formula_is_guarded() {
        for (text, expected) in [
            ("=cmd|\"/c calc\"!A1", "'=cmd|\"/c calc\"!A1"),
            ("-5", "'-5"),
            ("\u{ff0b}5", "'\u{ff0b}5"),
            ("\u{ff0d}5", "'\u{ff0d}5"),
            ("\u{ff20}SUM(A1)", "'\u{ff20}SUM(A1)"),
            ("+49 30 1234", "'+49 30 1234"),
            ("@sum", "'@sum"),
            ("\t=1", "'\t=1"),
            ("'=1", "''=1"),
            ("''-", "'''-"),
            ("\u{ff1d}1", "'\u{ff1d}1"),
            ("'s-Hertogenbosch", "'s-Hertogenbosch"),
            ("a=b", "a=b"),
            ("'", "'"),
            ("", ""),
        ] {
            assert_eq!(guarded(text), expected);
            assert_eq!(unguarded(expected), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_guarded_is_no_formula_and_reads_as_it_was(text in "['=+@\t\r\n\u{ff1d}a-]{0,4}\\PC{0,4}") {
            let cell = guarded(&text);
            prop_assert!(!cell.starts_with(BEGINNINGS), "{cell:?}");
            prop_assert_eq!(unguarded(&cell), text.as_str());
        }
    }
}
