//! A price list as it is with a discount.

use super::{PersonTypeOutput, View};
use crate::money_number;
use crate::sales_channel::SalesChannelOutput;
use domain::catalog::{Price, PriceList};
use domain::channel::channel_allowed;
use domain::coupon::Discount;
use domain::pricing::{DiscountedUnit, discounted_unit};
use domain::{Channel, Money, MoneyOverflow};
use serde::Serialize;
use utoipa::ToSchema;

/// What a ticket type costs with a discount; amounts are JSON numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiscountedPriceOutput {
    /// Whose price.
    pub person_type: PersonTypeOutput,
    /// What is paid with the discount.
    #[serde(serialize_with = "money_number")]
    #[schema(value_type = f64)]
    pub price: Money,
    /// What the discount takes off the full price; 0 where it has no value for the ticket type.
    #[serde(serialize_with = "money_number")]
    #[schema(value_type = f64)]
    pub discount: Money,
    /// The same as `price`.
    #[serde(serialize_with = "money_number")]
    #[schema(value_type = f64)]
    pub discounted_price: Money,
    /// Order within the list.
    pub display_order: i64,
    /// Where it is offered; empty means everywhere.
    pub sales_channels: Vec<SalesChannelOutput>,
}

/// A price list with a discount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiscountedPriceList {
    /// Its id.
    pub price_list_id: String,
    /// For people.
    pub name: String,
    /// For people.
    pub description: String,
    /// The moment of sale from which it applies.
    pub start_time: Option<String>,
    /// One per ticket type.
    pub prices: Vec<DiscountedPriceOutput>,
}

impl DiscountedPriceList {
    /// A price list with a discount: all its prices, or those that are offered on a channel. Those of inactive ticket
    /// types are among them, as in whatever the back office is shown.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when an amount does not fit.
    pub fn of(
        list: &PriceList,
        discount: &Discount,
        channel: Option<Channel>,
        view: &View<'_>,
    ) -> Result<Self, MoneyOverflow> {
        let is_offered =
            |price: &&Price| channel.is_none_or(|channel| channel_allowed(&price.sales_channels, channel));
        let mut prices = Vec::new();
        for price in list.prices.iter().filter(is_offered) {
            let Some(person_type) = view.person_types.get(&price.ticket_type) else { continue };
            let DiscountedUnit { unit, off } = discounted_unit(price, discount)?;
            prices.push(DiscountedPriceOutput {
                person_type: person_type.into(),
                price: unit,
                discount: off,
                discounted_price: unit,
                display_order: price.display_order,
                sales_channels: price.sales_channels.iter().map(Into::into).collect(),
            });
        }
        prices.sort_by_key(|price| price.display_order);
        Ok(Self {
            price_list_id: list.id.to_string(),
            name: list.name.clone(),
            description: list.description.clone(),
            start_time: list.start.map(|start| view.zone.format(start)),
            prices,
        })
    }
}
