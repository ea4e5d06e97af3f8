//! Text from outside, made safe to stand on one line.

/// Puts the text on one line: control characters and line separators become spaces, runs of spaces one.
/// Marks that turn the reading direction are dropped, because they can make one text look like another.
pub(super) fn one_line(text: &str) -> String {
    let plain: String = text.chars().filter(|letter| !turns_direction(*letter)).collect();
    let words = plain.split(|letter: char| letter.is_control() || letter.is_whitespace());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The lines of a longer text, each safe as [`one_line`] makes it; empty lines stay, except at both ends.
pub(super) fn lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.trim().split('\n').map(one_line).collect()
}

fn turns_direction(letter: char) -> bool {
    matches!(letter, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}
