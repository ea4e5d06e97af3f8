//! A venue as its visitors see it (decision record 0156): what pages need to look like its own.

use crate::settings::ColourView;
use domain::Language;
use domain::tenant::Tenant;
use serde::Serialize;
use utoipa::ToSchema;

/// A venue as its visitors see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VenueView {
    /// The tenant.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Its colours.
    pub colours: Vec<ColourView>,
    /// The address of its logo.
    pub logo: Option<String>,
    /// What its visitors speak, the usual language first; never empty.
    pub languages: Vec<String>,
    /// Where its days begin and end, such as `America/New_York`.
    pub time_zone: String,
    /// The currency of its prices (ISO 4217).
    pub currency: String,
    /// The address of its terms of sale.
    pub terms: Option<String>,
    /// The address of what it does with personal data.
    pub privacy: Option<String>,
    /// Origins of its own pages: which may call this interface, and may frame a shop of it.
    pub allowed_origins: Vec<String>,
    /// Whether no real money moves: cards are test cards.
    pub sandbox: bool,
}

impl From<&Tenant> for VenueView {
    fn from(tenant: &Tenant) -> Self {
        let branding = &tenant.branding;
        let mut languages = branding.languages.clone();
        if languages.is_empty() {
            languages.push(Language::default().code().to_owned());
        }
        Self {
            id: tenant.id.get(),
            name: tenant.name.clone(),
            colours: ColourView::all(branding),
            logo: branding.logo.clone(),
            languages,
            time_zone: tenant.zone.name().to_owned(),
            currency: tenant.currency.to_string(),
            terms: branding.terms.clone(),
            privacy: branding.privacy.clone(),
            allowed_origins: tenant.allowed_origins.iter().cloned().collect(),
            sandbox: tenant.sandbox,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn prices_are_in_the_currency_of_the_venue() {
        let stored = json!({
            "id": 204, "name": "Pier", "zone": "Europe/Paris", "currency": "EUR", "sandbox": true, "hold_secs": 600,
            "allowed_origins": [], "descriptor_prefix": "", "processor": "sandbox", "sealed_hash_key": "",
        });
        let tenant: Tenant = serde_json::from_value(stored).unwrap();
        assert_eq!(VenueView::from(&tenant).currency, "EUR");
    }
}
