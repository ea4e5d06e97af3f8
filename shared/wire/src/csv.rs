//! Files for spreadsheets (RFC 4180): one writer for all that is exported (decision record 0141).

use std::fmt::Display;

/// What a file is sent as.
pub const CSV_TYPE: &str = "text/csv; charset=utf-8; header=present";

/// With what a spreadsheet takes a cell for a formula.
const FORMULA_MARKS: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
/// With what some take it for one that begins behind.
const LEADING: [char; 3] = ['\t', '\r', '\0'];

/// A cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvCell(String);

impl CsvCell {
    /// Words of people. A text that a spreadsheet would take for a formula has an apostrophe in front. Line breaks stay,
    /// other control characters do not.
    #[must_use]
    pub fn text(text: &str) -> Self {
        let first = text.chars().find(|char| !char.is_whitespace() && !char.is_control());
        let is_formula =
            text.starts_with(LEADING) || first.is_some_and(|first| FORMULA_MARKS.contains(&first));
        let guard = if is_formula { "'" } else { "" };
        let kept = text.chars().filter(|char| !char.is_control() || matches!(char, '\n' | '\r'));
        let kept: String = kept.collect();
        Self(format!("\"{guard}{}\"", kept.replace('"', "\"\"")))
    }

    /// What we make: numbers, money, instants, ids and words of ours. None of these is a formula. Numbers and money stand
    /// as they are, all else is quoted.
    #[must_use]
    pub fn made(value: impl Display) -> Self {
        let made = value.to_string();
        let is_number = made.chars().all(|char| char.is_ascii_digit() || matches!(char, '-' | '.'));
        Self(if is_number { made } else { format!("\"{}\"", made.replace('"', "\"\"")) })
    }
}

/// A file with these columns.
#[must_use]
pub fn csv(columns: &[&str], rows: impl IntoIterator<Item = Vec<CsvCell>>) -> String {
    let header = columns.iter().map(|column| CsvCell::text(column)).collect();
    let lines = std::iter::once(header).chain(rows);
    let line = |cells: Vec<CsvCell>| {
        let cells: Vec<String> = cells.into_iter().map(|CsvCell(cell)| cell).collect();
        format!("{}\r\n", cells.join(","))
    };
    lines.map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_text_is_a_formula() {
        for mark in FORMULA_MARKS.into_iter().chain(LEADING) {
            for before in ["", " ", "\u{3000}", "\u{7}", "\n"] {
                let CsvCell(cell) = CsvCell::text(&format!("{before}{mark}1+1"));
                // Behind white space and line ends, a tab or a line end begins nothing.
                let is_guarded = cell.starts_with("\"'");
                assert_eq!(is_guarded, before.is_empty() || !LEADING.contains(&mark), "{before:?} {mark:?}");
            }
        }
        for (text, cell) in [
            ("Okafor", "\"Okafor\""),
            ("a\u{0}b\u{7}c", "\"abc\""),
            ("two\nlines", "\"two\nlines\""),
            ("6\" = six", "\"6\"\" = six\""),
            ("", "\"\""),
        ] {
            assert_eq!(CsvCell::text(text), CsvCell(cell.to_owned()));
        }
        for (made, cell) in
            [("-15.00", "-15.00"), ("", ""), ("Online", "\"Online\""), ("6f2e91b0", "\"6f2e91b0\"")]
        {
            assert_eq!(CsvCell::made(made), CsvCell(cell.to_owned()));
        }
    }

    #[test]
    fn a_file_has_a_line_for_its_columns_and_for_each_row() {
        let rows =
            [vec![CsvCell::made(1), CsvCell::text("a,b")], vec![CsvCell::made(2), CsvCell::text("=c")]];
        assert_eq!(csv(&["id", "name"], rows), "\"id\",\"name\"\r\n1,\"a,b\"\r\n2,\"'=c\"\r\n");
    }

    proptest! {
        /// A text is one cell of one row, whatever is in it.
        #[test]
        fn a_text_does_not_leave_its_cell(text in "\\PC{0,20}|[=+@\"',\r\n\t-]{0,8}") {
            let CsvCell(cell) = CsvCell::text(&text);
            let within = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).unwrap();
            prop_assert!(!within.replace("\"\"", "").contains('"'), "{}", cell);
            let first = within.trim_start().chars().next();
            prop_assert!(!first.is_some_and(|first| FORMULA_MARKS.contains(&first)), "{}", cell);
        }
    }
}
