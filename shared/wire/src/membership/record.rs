//! Levels as the import document writes them: what was authored, and nothing that follows from it.

use super::parts::{BenefitOutput, LevelCollectionOutput, OfferingActionOutput, RulesOutput, ServiceOutput};
use crate::event::{ImageOutput, PriceListRecord};
use crate::sales_channel::SalesChannelOutput;
use crate::tax::rate_of;
use domain::Zone;
use domain::membership::{Level, Offering};
use serde::Serialize;

/// A membership level with its offerings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LevelRecord {
    id: String,
    name: String,
    description: String,
    short_description: String,
    email_confirmation_message: String,
    membership_level_group: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    service: Option<ServiceOutput>,
    types: Vec<ServiceOutput>,
    sales_channels: Vec<SalesChannelOutput>,
    rules: RulesOutput,
    benefits: Vec<BenefitOutput>,
    images: Vec<ImageOutput>,
    terms_and_conditions: String,
    offerings: Vec<OfferingRecord>,
    auxiliary: bool,
    membership_level_collection: Vec<LevelCollectionOutput>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tax_rate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tax_name: Option<String>,
}

impl LevelRecord {
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
        Self {
            id: id.to_string(),
            name: name.clone(),
            description: description.clone(),
            short_description: short_description.clone(),
            email_confirmation_message: email_confirmation_message.clone(),
            membership_level_group: group.as_str(),
            service: service.as_ref().map(Into::into),
            types: types.iter().map(Into::into).collect(),
            sales_channels: sales_channels.iter().map(Into::into).collect(),
            rules: (*rules).into(),
            benefits: benefits.iter().map(Into::into).collect(),
            images: images.iter().map(Into::into).collect(),
            terms_and_conditions: terms_and_conditions.clone(),
            offerings: offerings.iter().map(|offering| OfferingRecord::of(offering, zone)).collect(),
            auxiliary: *auxiliary,
            membership_level_collection: collections.iter().map(Into::into).collect(),
            state: state.as_str(),
            tax_rate: rate_of(tax),
            tax_name: tax.name.clone(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct OfferingRecord {
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
    types: Vec<ServiceOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service: Option<ServiceOutput>,
}

impl OfferingRecord {
    fn of(offering: &Offering, zone: Zone) -> Self {
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
        Self {
            id: id.to_string(),
            name: name.clone(),
            subtitle: subtitle.clone(),
            description: description.clone(),
            price_lists: price_lists.iter().map(|list| PriceListRecord::of(list, zone)).collect(),
            duration: *duration_months,
            benefits: benefits.iter().map(Into::into).collect(),
            sales_channels: sales_channels.iter().map(Into::into).collect(),
            rules: rules.map(Into::into),
            actions: offering.actions_in_full().iter().map(Into::into).collect(),
            types: types.iter().map(Into::into).collect(),
            service: service.as_ref().map(Into::into),
        }
    }
}
