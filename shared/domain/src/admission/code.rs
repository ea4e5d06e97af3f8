//! What a device read.

use crate::TicketBarcode;
use std::fmt;

/// What was scanned. It opens a door, so that it is not shown when debugging.
#[derive(Clone, PartialEq, Eq)]
pub struct ScannedCode {
    text: String,
    barcode: Option<TicketBarcode>,
}

impl fmt::Debug for ScannedCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ScannedCode(..)")
    }
}

impl ScannedCode {
    /// A text that was scanned, white space around it or not.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { text: text.trim().to_owned(), barcode: TicketBarcode::scanned(text).ok() }
    }

    /// The text, without white space around it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// The barcode of a ticket that it may be.
    #[must_use]
    pub const fn barcode(&self) -> Option<&TicketBarcode> {
        self.barcode.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::ScannedCode;

    #[test]
    fn a_code_is_never_shown_when_debugging() {
        let code = ScannedCode::new(" 5C5C5C5C5c5c5c5c5c5c5c5c5c5c5c5c ");
        assert_eq!(format!("{code:?}"), "ScannedCode(..)");
        assert_eq!(code.expose(), "5C5C5C5C5c5c5c5c5c5c5c5c5c5c5c5c");
        assert_eq!(code.barcode().unwrap().as_str(), "5c".repeat(16));
        assert_eq!(ScannedCode::new("nobody's").barcode(), None);
    }
}
