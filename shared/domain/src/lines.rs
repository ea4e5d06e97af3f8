//! Lines of text: what breaks one, what cannot be shown, and how texts of several lines are kept (decision record
//! 0121).

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
    !text.contains(|char: char| is_control(char) || LINE_SEPARATORS.contains(&char))
}

/// Whether a character controls how others are shown: the control characters, and those that turn the direction of
/// reading for all that follows, which make one text look like another.
#[must_use]
pub fn is_control(char: char) -> bool {
    char.is_control() || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether there is nothing to see in a text.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|char| char.is_whitespace() || is_invisible(char))
}

/// Whether a character by itself leaves no mark: those that Unicode lets programs ignore, and the blank of Braille.
/// Between others some of them have a meaning, as the joiner in an emoji has.
#[must_use]
pub fn is_invisible(char: char) -> bool {
    matches!(
        char,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
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

    #[test]
    fn a_text_of_invisible_characters_is_blank() {
        for text in ["", " ", "\u{200b}", "\u{200f}\u{3164}", "\u{feff}\t", "\u{2800}", "\u{200d}\u{fe0f}"] {
            assert!(is_blank(text), "{text:?}");
        }
        for text in ["a", "\u{200b}a", "\u{1f469}\u{200d}\u{1f467}", "\u{5e9}\u{200f}", "\u{3164}\u{3131}"] {
            assert!(!is_blank(text), "{text:?}");
        }
    }

    #[test]
    fn marks_that_turn_the_direction_are_control_characters() {
        for char in ['\0', '\u{7f}', '\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}'] {
            assert!(is_control(char) && !is_one_line(&char.to_string()), "{char:?}");
        }
        for char in ['a', '\u{200d}', '\u{200e}', '\u{200f}', '\u{202f}', '\u{206a}'] {
            assert!(!is_control(char), "{char:?}");
        }
    }

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
