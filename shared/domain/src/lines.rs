//! Lines of text: what breaks one, and how texts of several lines are kept (decision record 0121).

/// What breaks lines and is no control character.
const LINE_SEPARATORS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// Whether a letter ends a line, or moves within it.
#[must_use]
pub fn breaks_line(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}') || LINE_SEPARATORS.contains(&char)
}

/// Whether a text is one line, of letters that can be shown.
#[must_use]
pub fn is_one_line(text: &str) -> bool {
    !text.contains(|char: char| char.is_control() || LINE_SEPARATORS.contains(&char))
}

/// A text of several lines as it is kept: with line feeds for every kind of line break, and spaces for tabs.
#[must_use]
pub fn prose(text: &str) -> String {
    let plain = |char: char| match char {
        '\t' => ' ',
        other if breaks_line(other) => '\n',
        other => other,
    };
    text.replace("\r\n", "\n").chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Of the characters that break lines or control anything, line feeds alone are left, and what is kept once is
        /// kept so again.
        #[test]
        fn line_feeds_alone_are_left(text in "[\\r\\n\\t\u{b}\u{c}\u{85}\u{2028}\u{2029}a-c ]{0,12}") {
            let kept = prose(&text);
            prop_assert!(kept.split('\n').all(is_one_line), "{:?}", kept);
            prop_assert_eq!(prose(&kept), kept.as_str());
            let letters = |text: &str| text.chars().filter(char::is_ascii_lowercase).collect::<String>();
            prop_assert_eq!(letters(&kept), letters(&text));
            prop_assert_eq!(is_one_line(&text), !text.contains(breaks_line));
        }
    }
}
