//! What the import document says of a tenant, written from what is stored; what is read from it again is the
//! same.

use crate::event::{ImageOutput, PriceListRecord, SalesChannelOutput, exact};
use domain::Zone;
use domain::customer::Person;
use domain::membership::{
    Benefit, CardStanding, CardType, Level, LevelGroup, LevelState, MemberCard, Membership, MembershipRules,
    Offering, OfferingAction,
};
use domain::merchant::{Merchant, RateCard};
use domain::tenant::Tenant;
use serde::Serialize;

/// A tenant's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantOutput {
    id: i64,
    name: String,
    time_zone: &'static str,
    sandbox: bool,
    hold_seconds: u32,
    allowed_origins: Vec<String>,
    descriptor_prefix: String,
}

impl From<&Tenant> for TenantOutput {
    fn from(tenant: &Tenant) -> Self {
        let Tenant {
            id,
            name,
            zone,
            sandbox,
            hold_secs,
            allowed_origins,
            descriptor_prefix,
            // Set by the operator of a deployment, not by the document.
            processor: _,
            mail_from: _,
            sealed_hash_key: _,
        } = tenant;
        Self {
            id: id.get(),
            name: name.clone(),
            time_zone: zone.name(),
            sandbox: *sandbox,
            hold_seconds: *hold_secs,
            allowed_origins: allowed_origins.iter().cloned().collect(),
            descriptor_prefix: descriptor_prefix.clone(),
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct RulesOutput {
    number_of_card_holders: u32,
    can_gift: bool,
    start_beginning_of_month: bool,
    expire_end_of_month: bool,
}

impl From<MembershipRules> for RulesOutput {
    fn from(rules: MembershipRules) -> Self {
        let MembershipRules { card_holders, can_gift, start_beginning_of_month, expire_end_of_month } = rules;
        Self { number_of_card_holders: card_holders, can_gift, start_beginning_of_month, expire_end_of_month }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct BenefitOutput {
    id: String,
    description: String,
}

fn benefits(found: &[Benefit]) -> Vec<BenefitOutput> {
    let benefit = |Benefit { id, description }: &Benefit| BenefitOutput {
        id: id.clone(),
        description: description.clone(),
    };
    found.iter().map(benefit).collect()
}

/// A membership level with its offerings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LevelOutput {
    id: String,
    name: String,
    description: String,
    short_description: String,
    email_confirmation_message: String,
    membership_level_group: &'static str,
    sales_channels: Vec<SalesChannelOutput>,
    rules: RulesOutput,
    benefits: Vec<BenefitOutput>,
    images: Vec<ImageOutput>,
    terms_and_conditions: String,
    offerings: Vec<OfferingOutput>,
    auxiliary: bool,
    state: &'static str,
}

impl LevelOutput {
    /// A level of a tenant in this zone.
    #[must_use]
    pub fn of(level: &Level, zone: Zone) -> Self {
        let Level {
            id,
            name,
            description,
            short_description,
            email_confirmation_message,
            group,
            sales_channels,
            rules,
            benefits: found,
            images,
            terms_and_conditions,
            offerings,
            auxiliary,
            state,
        } = level;
        Self {
            id: id.to_string(),
            name: name.clone(),
            description: description.clone(),
            short_description: short_description.clone(),
            email_confirmation_message: email_confirmation_message.clone(),
            membership_level_group: match group {
                LevelGroup::IndividualAndFamily => "individualAndFamily",
                LevelGroup::Organization => "organization",
            },
            sales_channels: sales_channels.iter().map(Into::into).collect(),
            rules: (*rules).into(),
            benefits: benefits(found),
            images: images.iter().map(Into::into).collect(),
            terms_and_conditions: terms_and_conditions.clone(),
            offerings: offerings.iter().map(|offering| OfferingOutput::of(offering, zone)).collect(),
            auxiliary: *auxiliary,
            state: match state {
                LevelState::Draft => "draft",
                LevelState::Published => "published",
            },
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct OfferingOutput {
    id: String,
    name: String,
    subtitle: String,
    description: String,
    price_lists: Vec<PriceListRecord>,
    duration: u32,
    benefits: Vec<BenefitOutput>,
    sales_channels: Vec<SalesChannelOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<RulesOutput>,
    actions: Vec<OfferingActionOutput>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct OfferingActionOutput {
    action: &'static str,
    sales_channels: Vec<SalesChannelOutput>,
}

impl OfferingOutput {
    fn of(offering: &Offering, zone: Zone) -> Self {
        let Offering {
            id,
            name,
            subtitle,
            description,
            price_lists,
            duration_months,
            benefits: found,
            sales_channels,
            rules,
            actions,
        } = offering;
        let action = |OfferingAction { action, sales_channels }: &OfferingAction| OfferingActionOutput {
            action: action.as_str(),
            sales_channels: sales_channels.iter().map(Into::into).collect(),
        };
        Self {
            id: id.to_string(),
            name: name.clone(),
            subtitle: subtitle.clone(),
            description: description.clone(),
            price_lists: price_lists.iter().map(|list| PriceListRecord::of(list, zone)).collect(),
            duration: *duration_months,
            benefits: benefits(found),
            sales_channels: sales_channels.iter().map(Into::into).collect(),
            rules: rules.map(Into::into),
            actions: actions.iter().map(action).collect(),
        }
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
    membership_joined_date: String,
    membership_start_date: String,
    membership_expiration_date: String,
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
            joined,
            started,
            expires,
            cards: _,
        } = membership;
        let MemberCard { id, card_type, standing, person, barcode, customer } = card;
        let Person {
            first_name,
            last_name,
            email,
            phone_number,
            street_address_1,
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
            card_type: card_type_name(*card_type),
            card_standing: standing_name(*standing),
            first_name: first_name.clone(),
            last_name: last_name.clone(),
            email: email.clone(),
            phone_number: phone_number.clone(),
            street_address1: street_address_1.clone(),
            city: city.clone(),
            state: state.clone(),
            zip_code: zip_code.clone(),
            country: country.clone(),
            barcode: barcode.clone(),
            external_membership_id: external_id.clone(),
            customer_id: customer.map(|id| id.get()),
            membership_joined_date: exact(zone, *joined),
            membership_start_date: exact(zone, *started),
            membership_expiration_date: exact(zone, *expires),
        }
    }
}

const fn card_type_name(card_type: CardType) -> &'static str {
    match card_type {
        CardType::Primary => "primary",
        CardType::Secondary => "secondary",
    }
}

const fn standing_name(standing: CardStanding) -> &'static str {
    match standing {
        CardStanding::New => "new",
        CardStanding::Active => "active",
        CardStanding::Dropped => "dropped",
        CardStanding::Lapsed => "lapsed",
        CardStanding::Replaced => "replaced",
    }
}
