//! Countries, while the fields of a request are read.

use super::Checker;
use crate::Field;
use domain::locations::country_name;

impl Checker {
    /// A country that may be left out, by name or code; kept by its name (contract §10).
    pub(crate) fn country(&mut self, name: &str, field: Field<String>, max_chars: usize) -> Option<String> {
        let text = self.optional_text(name, field, max_chars)?;
        self.listed_country(name, &text).map(str::to_owned)
    }

    /// The name of the country that a text means; one that is in no list is noted.
    pub(crate) fn listed_country(&mut self, name: &str, text: &str) -> Option<&'static str> {
        let found = country_name(text);
        if found.is_none() {
            self.invalid(name, "is not one of the countries listed at /v2/b2c/locations/avs/countries");
        }
        found
    }
}
