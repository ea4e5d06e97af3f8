//! The device that a request comes from (decision record 0137).

use crate::{Checker, Field};
use domain::card::mask_card_numbers;
use std::borrow::Cow;

/// Characters of the name of a device.
const MAX_TERMINAL_CHARS: usize = 60;

/// Reads `terminalId`, which may be left out: letters, digits, `-`, `_`, `.` and spaces, without spaces around it. What
/// could be the number of a card is refused, as nothing of it may be kept.
pub fn terminal_id(checker: &mut Checker, sent: Field<String>) -> Option<String> {
    let sent = checker.optional("terminalId", sent)?;
    let text = sent.trim();
    let is_known = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | ' ');
    if text.is_empty() || text.len() > MAX_TERMINAL_CHARS || !text.chars().all(is_known) {
        let message =
            format!("must have 1 to {MAX_TERMINAL_CHARS} letters, digits, \"-\", \"_\", \".\" or spaces");
        checker.invalid("terminalId", message);
        return None;
    }
    if matches!(mask_card_numbers(text), Cow::Owned(_)) {
        checker.invalid("terminalId", "must not be the number of a card");
        return None;
    }
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sent: Field<String>) -> Result<Option<String>, Vec<String>> {
        let mut checker = Checker::new();
        let read = terminal_id(&mut checker, sent);
        let told = |rejection: crate::Rejection| {
            rejection.details().iter().map(|fault| format!("{} {}", fault.field, fault.message)).collect()
        };
        checker.finish(Some(read)).map_err(told)
    }

    #[test]
    fn a_device_has_a_plain_name() {
        for name in ["gate-1", "Main Entrance 2", "a", "T_1.b", &"x".repeat(60)] {
            assert_eq!(read(Field::Value(name.to_owned())), Ok(Some(name.to_owned())), "{name}");
        }
        assert_eq!(read(Field::Value(" gate-1 ".to_owned())), Ok(Some("gate-1".to_owned())));
        assert_eq!(read(Field::Absent), Ok(None));
        assert_eq!(read(Field::Null), Ok(None));
        let unfit = "/terminalId must have 1 to 60 letters, digits, \"-\", \"_\", \".\" or spaces";
        for name in ["", " ", "gate/1", "T\u{fc}r", "a\nb", "<b>", "a\u{200b}", &"x".repeat(61)] {
            assert_eq!(read(Field::Value(name.to_owned())), Err(vec![unfit.to_owned()]), "{name:?}");
        }
        let card = "/terminalId must not be the number of a card";
        assert_eq!(read(Field::Value("4242 4242 4242 4242".to_owned())), Err(vec![card.to_owned()]));
        assert_eq!(read(Field::Wrong), Err(vec!["/terminalId must be a string".to_owned()]));
    }
}
