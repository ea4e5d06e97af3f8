//! What an application says that may not lie open anywhere: numbers of persons, taxes and accounts, and dates of
//! birth (contract §11).

use serde::{Deserialize, Serialize};
use std::fmt;
use zeroize::Zeroizing;

/// Letters and digits at the end of a secret that may be shown.
const SHOWN: usize = 4;
/// Letters and digits that must stay hidden where any are shown.
const HIDDEN: usize = 4;
/// What stands for a letter or digit that may not be shown.
const MASK: char = '*';

/// A secret in the clear. It exists for the length of a request, is never printed or serialised, and wipes itself.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    /// A secret of this text.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The text itself: for checking it by the rules, and for sealing it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What may be shown of it: the last four letters or digits, the others as asterisks, and what stands between
    /// them, such as the dashes of a date. Our choice: nothing of a text so short that four would be half of it or
    /// more (decision 0063).
    #[must_use]
    pub fn masked(&self) -> String {
        let count = self.0.chars().filter(|char| char.is_alphanumeric()).count();
        let mut hidden = if count >= SHOWN + HIDDEN { count.saturating_sub(SHOWN) } else { count };
        let mask = |char: char| {
            if !char.is_alphanumeric() || hidden == 0 {
                return char;
            }
            hidden = hidden.saturating_sub(1);
            MASK
        };
        self.0.chars().map(mask).collect()
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SecretText(****)")
    }
}

/// A secret as it is stored: sealed under the key of its application, in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sealed(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_the_last_four_are_shown() {
        for (text, shown) in [
            ("123456789", "*****6789"),
            ("1980-05-17", "****-05-17"),
            ("X1234567", "****4567"),
            ("1234567", "*******"),
            ("1234", "****"),
            ("7", "*"),
            ("", ""),
        ] {
            assert_eq!(SecretText::new(text.to_owned()).masked(), shown);
        }
    }

    #[test]
    fn a_secret_is_never_printed() {
        assert_eq!(format!("{:?}", SecretText::new("123456789".to_owned())), "SecretText(****)");
    }
}
