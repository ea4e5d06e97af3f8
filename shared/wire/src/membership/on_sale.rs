//! Levels as visitors choose among them: what a storefront's page may show, and nothing that is kept for the venue.

use super::parts::{BenefitOutput, RulesOutput};
use crate::event::{ImageOutput, maybe_money_number};
use crate::money_number;
use domain::catalog::{PersonType, Price, PriceList};
use domain::channel::channel_allowed;
use domain::membership::{
    CollectionFilter, Level, LevelFilter, LevelState, Offering, OfferingActionKind, effective_benefits,
};
use domain::{Channel, Money, TicketTypeId, Timestamp};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Where and when levels are sold.
#[derive(Debug, Clone, Copy)]
pub struct LevelSale<'a> {
    /// The tenant's ticket types.
    pub person_types: &'a BTreeMap<TicketTypeId, PersonType>,
    /// Where it is sold.
    pub channel: Channel,
    /// The moment of asking.
    pub now: Timestamp,
}

/// Whom a price of an offering is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PricePointOnSale {
    /// The `pricePointId` of carts.
    pub id: String,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    pub description: String,
}

/// The price of one price point; amounts are JSON numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferingPriceOnSale {
    /// The price point.
    pub price_point: PricePointOnSale,
    /// The full price.
    #[serde(serialize_with = "money_number")]
    #[schema(value_type = f64)]
    pub price: Money,
    /// What is paid instead; null where that is the full price.
    #[serde(serialize_with = "maybe_money_number")]
    #[schema(value_type = Option<f64>)]
    pub discounted_price: Option<Money>,
}

/// The price list in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct OfferingPriceListOnSale {
    /// Its id.
    pub id: String,
    /// One per price point, in their order.
    pub prices: Vec<OfferingPriceOnSale>,
}

/// Something that can be done with an offering.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ActionOnSale {
    /// `new`, `renew`, `upgrade` or `downGrade`.
    pub action: &'static str,
}

/// One way to buy a level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferingOnSale {
    /// The `membershipOfferingId` of carts.
    pub id: String,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    pub subtitle: String,
    /// Shown to visitors.
    pub description: String,
    /// Length of the term in months.
    pub duration: u32,
    /// What its members get.
    pub benefits: Vec<BenefitOutput>,
    /// Its terms; `canGift`: it can be bought for someone else.
    pub rules: RulesOutput,
    /// What it can be bought for here.
    pub actions: Vec<ActionOnSale>,
    /// Its prices: one list, that in force.
    pub price_lists: Vec<OfferingPriceListOnSale>,
}

/// A membership level that is sold here, for visitors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LevelOnSale {
    /// The `membershipCategoryId` of carts.
    pub id: String,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    pub description: String,
    /// Shown to visitors.
    pub short_description: String,
    /// `individualAndFamily` or `organization`.
    pub membership_level_group: &'static str,
    /// Its terms, which those of an offering replace.
    pub rules: RulesOutput,
    /// What members get.
    pub benefits: Vec<BenefitOutput>,
    /// Pictures.
    pub images: Vec<ImageOutput>,
    /// Shown to visitors.
    pub terms_and_conditions: String,
    /// Ways to buy it, at least one.
    pub offerings: Vec<OfferingOnSale>,
}

impl OfferingPriceOnSale {
    /// A price of an active ticket type, if it is asked here.
    fn of(price: &Price, list: &PriceList, sale: LevelSale<'_>) -> Option<Self> {
        let asked = list.price_of(&price.ticket_type, sale.channel) == Some(price);
        let point = sale.person_types.get(&price.ticket_type).filter(|point| asked && point.active)?;
        Some(Self {
            price_point: PricePointOnSale {
                id: point.id.to_string(),
                name: point.name.clone(),
                description: point.description.clone(),
            },
            price: price.price,
            discounted_price: price.discounted_price.filter(|discounted| *discounted < price.price),
        })
    }
}

impl OfferingPriceListOnSale {
    /// The list in force, if it has a price that is asked here.
    fn of(offering: &Offering, sale: LevelSale<'_>) -> Option<Self> {
        let list = PriceList::in_force(&offering.price_lists, sale.now)?;
        let mut ordered: Vec<&Price> = list.prices.iter().collect();
        ordered.sort_by_key(|price| price.display_order);
        let prices: Vec<_> =
            ordered.into_iter().filter_map(|price| OfferingPriceOnSale::of(price, list, sale)).collect();
        (!prices.is_empty()).then(|| Self { id: list.id.to_string(), prices })
    }
}

impl OfferingOnSale {
    /// An offering, if something can be done with it here.
    fn of(offering: &Offering, level: &Level, sale: LevelSale<'_>) -> Option<Self> {
        if !channel_allowed(&offering.sales_channels, sale.channel) {
            return None;
        }
        let bought = [
            OfferingActionKind::New,
            OfferingActionKind::Renew,
            OfferingActionKind::Upgrade,
            OfferingActionKind::DownGrade,
        ];
        let allowed = bought.into_iter().filter(|action| offering.allows(*action, &[sale.channel]));
        let actions: Vec<_> = allowed.map(|action| ActionOnSale { action: action.as_str() }).collect();
        let price_list = OfferingPriceListOnSale::of(offering, sale)?;
        let benefits = effective_benefits(&level.benefits, &offering.benefits);
        (!actions.is_empty()).then(|| Self {
            id: offering.id.to_string(),
            name: offering.name.clone(),
            subtitle: offering.subtitle.clone(),
            description: offering.description.clone(),
            duration: offering.duration_months,
            benefits: benefits.iter().map(Into::into).collect(),
            rules: offering.rules.unwrap_or(level.rules).into(),
            actions,
            price_lists: vec![price_list],
        })
    }
}

impl LevelOnSale {
    /// A level, if it is published and one of its offerings is sold here. Those that come with another level are not
    /// chosen by themselves.
    #[must_use]
    pub fn of(level: &Level, sale: LevelSale<'_>) -> Option<Self> {
        let on_offer = LevelFilter {
            state: LevelState::Published,
            channels: vec![sale.channel],
            group: None,
            action: None,
            auxiliary: false,
            collection: CollectionFilter::Any,
        };
        if !on_offer.admits(level) {
            return None;
        }
        let sold = level.offerings.iter().filter_map(|offering| OfferingOnSale::of(offering, level, sale));
        let offerings: Vec<_> = sold.collect();
        (!offerings.is_empty()).then(|| Self {
            id: level.id.to_string(),
            name: level.name.clone(),
            description: level.description.clone(),
            short_description: level.short_description.clone(),
            membership_level_group: level.group.as_str(),
            rules: level.rules.into(),
            benefits: level.benefits.iter().map(Into::into).collect(),
            images: level.images.iter().map(Into::into).collect(),
            terms_and_conditions: level.terms_and_conditions.clone(),
            offerings,
        })
    }
}
