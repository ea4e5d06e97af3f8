//! Levels and offerings as callers see them.

use super::parts::{BenefitOutput, LevelCollectionOutput, OfferingActionOutput, RulesOutput, ServiceOutput};
use crate::event::{ImageOutput, PersonTypeOutput, maybe_money_number};
use crate::money_number;
use crate::sales_channel::SalesChannelOutput;
use crate::tax::rate_of;
use domain::catalog::{PersonType, Price, PriceList};
use domain::membership::{Level, Offering, effective_benefits};
use domain::{Money, TicketTypeId, Zone};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// How much of a level is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Everything.
    Full,
    /// What a choice of levels shows: no metadata and no configuration (spec §4.6 `summarize`).
    Summary,
}

impl Detail {
    fn full<T>(self, value: impl FnOnce() -> T) -> Option<T> {
        match self {
            Self::Full => Some(value()),
            Self::Summary => None,
        }
    }
}

/// What levels are shown with.
#[derive(Debug, Clone, Copy)]
pub struct LevelView<'a> {
    /// The tenant's clocks.
    pub zone: Zone,
    /// The tenant's ticket types.
    pub person_types: &'a BTreeMap<TicketTypeId, PersonType>,
    /// How much is shown.
    pub detail: Detail,
}

/// The price of one price point; amounts are JSON numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferingPriceOutput {
    /// The price point.
    pub person_type: PersonTypeOutput,
    /// The same again.
    pub price_point: PersonTypeOutput,
    /// The retail price.
    #[serde(serialize_with = "money_number")]
    #[schema(value_type = f64)]
    pub price: Money,
    /// Kept for the venue.
    #[serde(serialize_with = "maybe_money_number")]
    #[schema(value_type = Option<f64>)]
    pub prime_price: Option<Money>,
    /// Kept for the venue.
    #[serde(serialize_with = "maybe_money_number")]
    #[schema(value_type = Option<f64>)]
    pub discounted_price: Option<Money>,
    /// Order within the list.
    pub display_order: i64,
    /// Where it is offered; empty means everywhere. Not in summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sales_channels: Option<Vec<SalesChannelOutput>>,
}

impl OfferingPriceOutput {
    fn of(price: &Price, view: LevelView<'_>) -> Option<Self> {
        let Price { ticket_type, price, prime_price, discounted_price, display_order, sales_channels } =
            price;
        let person_type: PersonTypeOutput = view.person_types.get(ticket_type)?.into();
        Some(Self {
            price_point: person_type.clone(),
            person_type,
            price: *price,
            prime_price: *prime_price,
            discounted_price: *discounted_price,
            display_order: *display_order,
            sales_channels: view.detail.full(|| sales_channels.iter().map(Into::into).collect()),
        })
    }
}

/// A price list of an offering.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferingPriceListOutput {
    /// Its id.
    pub id: String,
    /// For people.
    pub name: String,
    /// For people.
    pub description: String,
    /// The moment of sale from which it applies.
    pub start_time: Option<String>,
    /// The last moment of sale at which it applies.
    pub end_time: Option<String>,
    /// One per price point, in their order.
    pub prices: Vec<OfferingPriceOutput>,
}

impl OfferingPriceListOutput {
    fn of(list: &PriceList, view: LevelView<'_>) -> Self {
        let PriceList { id, name, description, start, end, prices } = list;
        Self {
            id: id.to_string(),
            name: name.clone(),
            description: description.clone(),
            start_time: start.map(|start| view.zone.format(start)),
            end_time: end.map(|end| view.zone.format(end)),
            prices: prices.iter().filter_map(|price| OfferingPriceOutput::of(price, view)).collect(),
        }
    }
}

/// One way to buy a level (spec §2.15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferingOutput {
    /// Its id.
    pub id: String,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    pub subtitle: String,
    /// Shown to visitors.
    pub description: String,
    /// Its prices.
    pub price_lists: Vec<OfferingPriceListOutput>,
    /// Length of the term in months.
    pub duration: u32,
    /// Added to the level's, or in place of those with the same id.
    pub benefits: Vec<BenefitOutput>,
    /// What its members get: the level's benefits and its own. Read-only.
    pub effective_benefits: Vec<BenefitOutput>,
    /// Where it is sold; empty means everywhere. Not in summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sales_channels: Option<Vec<SalesChannelOutput>>,
    /// In place of the level's. Not in summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesOutput>,
    /// What it allows; empty allows nothing. Not in summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<OfferingActionOutput>>,
    /// What else it is in the venue's own system. Not in summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types: Option<Vec<ServiceOutput>>,
    /// What it is in the venue's own system. Not in summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceOutput>,
}

impl OfferingOutput {
    /// An offering of a level as callers see it.
    #[must_use]
    pub fn of(offering: &Offering, level: &Level, view: LevelView<'_>) -> Self {
        let Offering {
            id,
            name,
            subtitle,
            description,
            price_lists,
            duration_months,
            benefits,
            sales_channels,
            rules,
            actions: _,
            no_actions: _,
            service,
            types,
        } = offering;
        let detail = view.detail;
        let effective = effective_benefits(&level.benefits, benefits);
        Self {
            id: id.to_string(),
            name: name.clone(),
            subtitle: subtitle.clone(),
            description: description.clone(),
            price_lists: price_lists.iter().map(|list| OfferingPriceListOutput::of(list, view)).collect(),
            duration: *duration_months,
            benefits: benefits.iter().map(Into::into).collect(),
            effective_benefits: effective.iter().map(Into::into).collect(),
            sales_channels: detail.full(|| sales_channels.iter().map(Into::into).collect()),
            rules: detail.full(|| rules.map(Into::into)).flatten(),
            actions: detail.full(|| offering.actions_in_full().iter().map(Into::into).collect()),
            types: detail.full(|| types.iter().map(Into::into).collect()),
            service: detail.full(|| service.as_ref().map(Into::into)).flatten(),
        }
    }
}

/// A membership level (spec §2.14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LevelOutput {
    /// Its id.
    pub id: String,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    pub description: String,
    /// Shown to visitors.
    pub short_description: String,
    /// Added to confirmation mails. Not in summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_confirmation_message: Option<String>,
    /// `individualAndFamily` or `organization`.
    pub membership_level_group: &'static str,
    /// What it is in the venue's own system. Not in summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceOutput>,
    /// What else it is there. Not in summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types: Option<Vec<ServiceOutput>>,
    /// Where it is sold; empty means everywhere. Not in summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sales_channels: Option<Vec<SalesChannelOutput>>,
    /// Flags of its terms. Not in summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesOutput>,
    /// What members get.
    pub benefits: Vec<BenefitOutput>,
    /// Pictures. Not in summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<Vec<ImageOutput>>,
    /// Shown to visitors. Not in summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms_and_conditions: Option<String>,
    /// Ways to buy it.
    pub offerings: Vec<OfferingOutput>,
    /// Comes with another level.
    pub auxiliary: bool,
    /// The collections it is in. Not in summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub membership_level_collection: Option<Vec<LevelCollectionOutput>>,
    /// `draft` or `published`.
    pub state: &'static str,
    /// What the prices of its offerings contain of tax, in percent of what remains without it; left out where nothing
    /// was said of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tax_rate: Option<String>,
    /// What that tax is called; left out where that was not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tax_name: Option<String>,
}

impl LevelOutput {
    /// A level as callers see it.
    #[must_use]
    pub fn of(level: &Level, view: LevelView<'_>) -> Self {
        let Level {
            id,
            name,
            description,
            short_description,
            email_confirmation_message,
            group,
            sales_channels,
            rules,
            benefits,
            images,
            terms_and_conditions,
            offerings,
            auxiliary,
            state,
            service,
            types,
            collections,
            tax,
        } = level;
        let detail = view.detail;
        Self {
            id: id.to_string(),
            name: name.clone(),
            description: description.clone(),
            short_description: short_description.clone(),
            email_confirmation_message: detail.full(|| email_confirmation_message.clone()),
            membership_level_group: group.as_str(),
            service: detail.full(|| service.as_ref().map(Into::into)).flatten(),
            types: detail.full(|| types.iter().map(Into::into).collect()),
            sales_channels: detail.full(|| sales_channels.iter().map(Into::into).collect()),
            rules: detail.full(|| (*rules).into()),
            benefits: benefits.iter().map(Into::into).collect(),
            images: detail.full(|| images.iter().map(Into::into).collect()),
            terms_and_conditions: detail.full(|| terms_and_conditions.clone()),
            offerings: offerings.iter().map(|offering| OfferingOutput::of(offering, level, view)).collect(),
            auxiliary: *auxiliary,
            membership_level_collection: detail.full(|| collections.iter().map(Into::into).collect()),
            state: state.as_str(),
            tax_rate: rate_of(tax),
            tax_name: tax.name.clone(),
        }
    }
}
