//! Pick lists of countries and states (spec §2.17).

use domain::locations::{Country, State};
use serde::Serialize;
use utoipa::ToSchema;

/// A country (spec §2.17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CountryOutput {
    /// The name, which a checkout sends.
    pub name: &'static str,
    /// ISO 3166-1 alpha-2.
    #[serde(rename = "alpha2Code")]
    pub alpha2_code: &'static str,
    /// ISO 3166-1 alpha-3.
    #[serde(rename = "alpha3Code")]
    pub alpha3_code: &'static str,
    /// The short form shown in lists.
    pub abbreviation: &'static str,
    /// ISO 3166-1 numeric, three digits.
    pub numeric_code: &'static str,
    /// The name in Spanish.
    pub es: &'static str,
    /// ISO 4217; null where no currency is used.
    pub currency: Option<&'static str>,
    /// The capital; null where there is none.
    pub capital: Option<&'static str>,
}

impl From<&Country> for CountryOutput {
    fn from(country: &Country) -> Self {
        let Country { name, alpha2, alpha3, abbreviation, numeric_code, spanish_name, currency, capital } =
            *country;
        Self {
            name,
            alpha2_code: alpha2,
            alpha3_code: alpha3,
            abbreviation,
            numeric_code,
            es: spanish_name,
            currency,
            capital,
        }
    }
}

/// A state, province or other subdivision of a country (spec §2.17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateOutput {
    /// The code within the country, such as `CA`.
    pub abbreviation: &'static str,
    /// The name, which a checkout sends.
    pub name: &'static str,
    /// The full ISO 3166-2 code, such as `US-CA`.
    pub iso3166: &'static str,
}

impl From<&State> for StateOutput {
    fn from(state: &State) -> Self {
        let State { abbreviation, name, iso3166 } = *state;
        Self { abbreviation, name, iso3166 }
    }
}
