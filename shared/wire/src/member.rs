//! Members as storefronts' servers and the back office see them (spec §2.16, §4.6, §4.7; contract §9).

mod card;
mod customer;
mod input;
mod membership;
mod proof;

pub use card::MemberCardOutput;
pub use customer::CustomerView;
pub use input::{LoginInput, MemberCardInput, MembershipInput};
pub use membership::{MembershipOutput, MembershipView};
pub use proof::{
    LoginAnswer, PageLogin, PageMembership, PageVerification, ProofText, ProofTexts, VerificationAnswer,
};

use domain::membership::{CardType, Level};
use domain::verification::{Acquaintance, VerifiedCard};
use domain::{LevelId, Zone};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What turning members into answers needs beside them.
#[derive(Debug, Clone, Copy)]
pub struct MemberView<'a> {
    /// The tenant's zone, whose offset instants carry.
    pub zone: Zone,
    /// Membership levels, by which memberships are named.
    pub levels: &'a BTreeMap<LevelId, Level>,
}

/// What verifying a member came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerificationView {
    /// `verified` or `not_found`.
    pub status: &'static str,
    /// Whether the card has the last name that was sent; null when none was.
    pub last_name_matches: Option<bool>,
    /// The card.
    pub member_list_entry: Option<MemberListEntry>,
    /// Makes the membership count for two hours, where a page sends it in the header `x-service-member-proof`; null
    /// unless the caller knows the holder, and for a membership that has ended.
    pub member_proof: Option<ProofText>,
}

impl VerificationView {
    /// An entry for each card; one that says so where there is none.
    #[must_use]
    pub fn list(verified: &[VerifiedCard<'_>], proofs: &ProofTexts, view: &MemberView<'_>) -> Vec<Self> {
        if verified.is_empty() {
            let (last_name_matches, member_list_entry, member_proof) = (None, None, None);
            return vec![Self { status: "not_found", last_name_matches, member_list_entry, member_proof }];
        }
        let of_card = |one: &VerifiedCard<'_>| Self {
            status: "verified",
            last_name_matches: match one.acquaintance {
                Acquaintance::Named => Some(true),
                Acquaintance::Misnamed => Some(false),
                Acquaintance::Unnamed | Acquaintance::Known => None,
            },
            member_list_entry: Some(MemberListEntry::of(one, view)),
            member_proof: match one.acquaintance {
                Acquaintance::Named | Acquaintance::Known => proofs.of(one.membership),
                Acquaintance::Misnamed | Acquaintance::Unnamed => None,
            },
        };
        verified.iter().map(of_card).collect()
    }
}

/// A card of a membership.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberListEntry {
    /// Who holds it, and which it is; left out unless the caller knows the holder's last name.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub holder: Option<CardHolderOutput>,
    /// When its holder first became a member.
    pub membership_joined_date: String,
    /// When the term began.
    pub membership_start_date: String,
    /// The last instant that is paid for, or that at which it ended before.
    pub membership_expiration_date: String,
    /// `active` or `lapsed`.
    pub membership_standing: &'static str,
    /// When the card began to be valid.
    pub card_start_date: String,
    /// The last instant at which it is valid.
    pub card_expiration_date: String,
    /// `new`, `active`, `dropped`, `lapsed` or `replaced`.
    pub card_standing: &'static str,
}

/// Who holds a card, and which it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardHolderOutput {
    /// The card.
    pub id: i64,
    /// The membership.
    pub membership_id: i64,
    /// The customer's number, by which a cart names its holder.
    pub constituent_import_id: Option<String>,
    /// `primary` or `secondary`.
    pub card_type: &'static str,
    /// The level's id.
    pub category_id: String,
    /// The offering it was bought by.
    pub offering_id: String,
    /// The price point it was bought at.
    pub price_point_id: String,
    /// First and last name.
    pub name: String,
    /// Printed on the card.
    pub barcode: String,
    /// The same.
    pub service_barcode: String,
    /// E-mail address.
    pub email: Option<String>,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Phone number.
    pub phone_number: Option<String>,
    /// Street and number.
    pub street_address1: Option<String>,
    /// What else the address has, such as a floor.
    pub street_address2: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State.
    pub state: Option<String>,
    /// Postal code.
    pub zip_code: Option<String>,
    /// Country.
    pub country: Option<String>,
    /// It is the primary card.
    pub primary_card: bool,
    /// The venue's own number of the membership.
    pub external_membership_id: Option<String>,
    /// The level's name; null when the level is gone.
    pub membership_category: Option<String>,
    /// The membership number.
    pub service_membership_number: String,
    /// The customer's number.
    pub service_customer_number: Option<String>,
    /// Whether the level comes with another one.
    pub auxiliary: bool,
    /// The customer.
    pub customer_id: Option<i64>,
}

impl MemberListEntry {
    /// A card as the caller may see it.
    #[must_use]
    pub fn of(verified: &VerifiedCard<'_>, view: &MemberView<'_>) -> Self {
        let VerifiedCard { membership, card: _, membership_standing, card_standing, acquaintance } = verified;
        let date = |instant| view.zone.format(instant);
        Self {
            holder: match acquaintance {
                Acquaintance::Named | Acquaintance::Known => Some(CardHolderOutput::of(verified, view)),
                Acquaintance::Misnamed | Acquaintance::Unnamed => None,
            },
            membership_joined_date: date(membership.joined),
            membership_start_date: date(membership.started),
            membership_expiration_date: date(membership.expiration()),
            membership_standing: membership_standing.as_str(),
            card_start_date: date(membership.started),
            card_expiration_date: date(membership.expiration()),
            card_standing: card_standing.as_str(),
        }
    }
}

impl CardHolderOutput {
    fn of(VerifiedCard { membership, card, .. }: &VerifiedCard<'_>, view: &MemberView<'_>) -> Self {
        let level = view.levels.get(&membership.level);
        let person = &card.person;
        Self {
            id: card.id.get(),
            membership_id: membership.id.get(),
            constituent_import_id: card.customer.map(|customer| customer.to_string()),
            card_type: card.card_type.as_str(),
            category_id: membership.level.to_string(),
            offering_id: membership.offering.to_string(),
            price_point_id: membership.price_point.to_string(),
            name: format!("{} {}", person.first_name, person.last_name).trim().to_owned(),
            barcode: card.barcode.clone(),
            service_barcode: card.barcode.clone(),
            email: person.email.clone(),
            first_name: person.first_name.clone(),
            last_name: person.last_name.clone(),
            phone_number: person.phone_number.clone(),
            street_address1: person.street_address_1.clone(),
            street_address2: person.street_address_2.clone(),
            city: person.city.clone(),
            state: person.state.clone(),
            zip_code: person.zip_code.clone(),
            country: person.country.clone(),
            primary_card: card.card_type == CardType::Primary,
            external_membership_id: membership.external_id.clone(),
            membership_category: level.map(|level| level.name.clone()),
            service_membership_number: membership.number.to_string(),
            service_customer_number: card.customer.map(|customer| customer.to_string()),
            auxiliary: level.is_some_and(|level| level.auxiliary),
            customer_id: card.customer.map(|customer| customer.get()),
        }
    }
}

/// Whether someone is a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExistsView {
    /// They hold a card.
    pub exists: bool,
    /// One of their memberships can be renewed online.
    pub can_renew: bool,
}
