//! Cards of memberships as the counter reads them, and as a renewal may send them back (contract §20).

use domain::Zone;
use domain::membership::CardType;
use domain::verification::VerifiedCard;
use serde::Serialize;
use utoipa::ToSchema;

/// Flags of a card are text.
const YES: &str = "yes";
const NO: &str = "no";

/// A card, in the words in which a cart takes its holder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberCardOutput {
    /// The card.
    pub id: i64,
    /// Its membership.
    pub membership_id: i64,
    /// The customer's number, by which a cart names its holder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constituent_import_id: Option<String>,
    /// The card, as text.
    pub card_import_id: String,
    /// `primary` or `secondary`.
    pub card_type: &'static str,
    /// First and last name.
    pub name: String,
    /// Printed on the card.
    pub barcode: String,
    /// The same.
    pub service_barcode: String,
    /// E-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Phone number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// Street and number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub street_address1: Option<String>,
    /// City.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// State.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Postal code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zip_code: Option<String>,
    /// Country.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Always `no`.
    pub deceased: &'static str,
    /// `yes` for the primary card, else `no`.
    pub primary_card: &'static str,
    /// When the card began to be valid.
    pub start_date: String,
    /// The last instant at which it is valid.
    pub expiration_date: String,
    /// `new`, `active`, `dropped`, `lapsed` or `replaced`.
    pub card_status: &'static str,
    /// The customer's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_customer_number: Option<String>,
    /// The customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customer_id: Option<i64>,
    /// Always empty.
    pub card_holder_attributes: Vec<String>,
}

impl MemberCardOutput {
    /// A card with its holder; instants are those of the tenant's zone.
    #[must_use]
    pub fn of(verified: &VerifiedCard<'_>, zone: Zone) -> Self {
        let VerifiedCard { membership, card, membership_standing: _, card_standing, acquaintance: _ } =
            verified;
        let person = &card.person;
        let customer = card.customer.map(|customer| customer.to_string());
        Self {
            id: card.id.get(),
            membership_id: membership.id.get(),
            constituent_import_id: customer.clone(),
            card_import_id: card.id.to_string(),
            card_type: card.card_type.as_str(),
            name: format!("{} {}", person.first_name, person.last_name).trim().to_owned(),
            barcode: card.barcode.clone(),
            service_barcode: card.barcode.clone(),
            email: person.email.clone(),
            first_name: person.first_name.clone(),
            last_name: person.last_name.clone(),
            phone_number: person.phone_number.clone(),
            street_address1: person.street_address_1.clone(),
            city: person.city.clone(),
            state: person.state.clone(),
            zip_code: person.zip_code.clone(),
            country: person.country.clone(),
            deceased: NO,
            primary_card: match card.card_type {
                CardType::Primary => YES,
                CardType::Secondary => NO,
            },
            start_date: zone.format(membership.started),
            expiration_date: zone.format(membership.expiration()),
            card_status: card_standing.as_str(),
            service_customer_number: customer,
            customer_id: card.customer.map(|customer| customer.get()),
            card_holder_attributes: Vec::new(),
        }
    }
}
