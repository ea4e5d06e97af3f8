//! What the import document says of a tenant, written from what is stored; what is read from it again is the
//! same.

use super::held::HistoryOutput;
use domain::Zone;
use domain::customer::Person;
use domain::membership::{MemberCard, Membership};
use domain::merchant::{Merchant, RateCard};
use domain::tenant::{MemberClaims, Tenant};
use serde::Serialize;

/// A tenant's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantOutput {
    id: i64,
    name: String,
    time_zone: &'static str,
    currency: String,
    sandbox: bool,
    hold_seconds: u32,
    allowed_origins: Vec<String>,
    descriptor_prefix: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    consumer_site: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    staff_site: Option<String>,
    member_claims: MemberClaimsOutput,
}

/// Who may claim to be a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct MemberClaimsOutput {
    b2c: &'static str,
    #[serde(rename = "b2c-browser")]
    b2c_browser: &'static str,
}

impl From<&Tenant> for TenantOutput {
    fn from(tenant: &Tenant) -> Self {
        let Tenant {
            id,
            name,
            zone,
            currency,
            sandbox,
            hold_secs,
            allowed_origins,
            descriptor_prefix,
            consumer_site,
            staff_site,
            member_claims: MemberClaims { servers, pages },
            // Set by the operator of a deployment, not by the document.
            processor: _,
            mail_from: _,
            door: _,
            raw_cards: _,
            challenge_secs: _,
            sealed_hash_key: _,
            closed_at: _,
            // Not exported: they stay with this deployment.
            branding: _,
            receipt_numbers: _,
            limits: _,
            settings_version: _,
        } = tenant;
        Self {
            id: id.get(),
            name: name.clone(),
            time_zone: zone.name(),
            currency: currency.to_string(),
            sandbox: *sandbox,
            hold_seconds: *hold_secs,
            allowed_origins: allowed_origins.iter().cloned().collect(),
            descriptor_prefix: descriptor_prefix.clone(),
            consumer_site: consumer_site.as_ref().map(|site| site.as_str().to_owned()),
            staff_site: staff_site.as_ref().map(|site| site.as_str().to_owned()),
            member_claims: MemberClaimsOutput { b2c: servers.name(), b2c_browser: pages.name() },
        }
    }
}

/// A merchant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MerchantOutput {
    mid: String,
    name: String,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_card: Option<RateCardOutput>,
    descriptor: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct RateCardOutput {
    percentage_rate: String,
    fixed_fee: String,
}

impl From<&Merchant> for MerchantOutput {
    fn from(merchant: &Merchant) -> Self {
        let Merchant { mid, name, status, rate_card, descriptor } = merchant;
        let rate_card = rate_card.map(|RateCard { percentage, fixed }| RateCardOutput {
            percentage_rate: percentage.to_string(),
            fixed_fee: fixed.to_string(),
        });
        let (mid, status) = (mid.to_string(), status.as_str());
        Self { mid, name: name.clone(), status, rate_card, descriptor: descriptor.clone() }
    }
}

/// A card of a member, with the facts of its membership.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberOutput {
    id: i64,
    membership_id: i64,
    membership_number: i64,
    category_id: String,
    offering_id: String,
    price_point_id: String,
    card_type: &'static str,
    card_standing: &'static str,
    first_name: String,
    last_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    street_address1: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    street_address2: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    city: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zip_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<String>,
    barcode: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    external_membership_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    customer_id: Option<i64>,
    #[serde(flatten)]
    history: HistoryOutput,
}

impl MemberOutput {
    /// The cards of a membership of a tenant in this zone.
    #[must_use]
    pub fn all_of(membership: &Membership, zone: Zone) -> Vec<Self> {
        membership.cards.iter().map(|card| Self::of(card, membership, zone)).collect()
    }

    fn of(card: &MemberCard, membership: &Membership, zone: Zone) -> Self {
        let Membership {
            id: membership_id,
            number,
            level,
            offering,
            price_point,
            external_id,
            // Its terms.
            joined: _,
            started: _,
            expires: _,
            anchor_day: _,
            later: _,
            ended: _,
            bought: _,
            cards: _,
            // What happened here stays here.
            created_at: _,
            updated_at: _,
            updated_by: _,
        } = membership;
        let MemberCard { id, card_type, standing, person, barcode, customer } = card;
        let Person {
            first_name,
            last_name,
            email,
            phone_number,
            street_address_1,
            street_address_2,
            city,
            state,
            zip_code,
            country,
        } = person;
        Self {
            id: id.get(),
            membership_id: membership_id.get(),
            membership_number: number.get(),
            category_id: level.to_string(),
            offering_id: offering.to_string(),
            price_point_id: price_point.to_string(),
            card_type: card_type.as_str(),
            card_standing: standing.as_str(),
            first_name: first_name.clone(),
            last_name: last_name.clone(),
            email: email.clone(),
            phone_number: phone_number.clone(),
            street_address1: street_address_1.clone(),
            street_address2: street_address_2.clone(),
            city: city.clone(),
            state: state.clone(),
            zip_code: zip_code.clone(),
            country: country.clone(),
            barcode: barcode.clone(),
            external_membership_id: external_id.clone(),
            customer_id: customer.map(|id| id.get()),
            history: HistoryOutput::of(membership, zone),
        }
    }
}
