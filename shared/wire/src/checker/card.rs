//! What is typed of a card, while the fields of a request are read.

use super::{Checker, text_fault};
use crate::Field;
use domain::card::CardText;

impl Checker {
    /// Like [`Self::optional_text`], of a number or code of a card, of which no copy is made.
    pub fn optional_card_text(
        &mut self,
        name: &str,
        field: Field<CardText>,
        max_chars: usize,
    ) -> Option<CardText> {
        let text = self.optional(name, field)?;
        let fault = text_fault(text.expose(), max_chars);
        self.is_kept(name, text.expose(), fault).then_some(text)
    }
}
