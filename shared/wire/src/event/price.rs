//! Ticket types and prices.

use super::View;
use crate::readers::{NAME_CHARS, line, name, own_id, price, text};
use crate::sales_channel::{SalesChannelInput, SalesChannelOutput, sales_channels};
use crate::tax::{rate_of, read_tax};
use crate::{Amount, Checker, Field, incoming, money_number};
use domain::catalog::{PersonType, Price, PriceList, Template};
use domain::pricing::{PricedTicket, listed_unit};
use domain::{Money, PriceListId, TicketTypeId, Timestamp, Zone};
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use utoipa::ToSchema;

/// A ticket type (spec §2.10 `personType`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonTypeOutput {
    /// Also the ticketing type of carts.
    pub id: String,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    pub description: String,
    /// Whether it is offered.
    pub active: bool,
    /// What kind of visitor it is for, in the venue's own words.
    pub r#type: String,
    /// Order among the types.
    pub display_order: i64,
    /// What its prices contain of tax, in percent of what remains without it; left out where nothing was said of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tax_rate: Option<String>,
    /// What that tax is called; left out where that was not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tax_name: Option<String>,
}

impl From<&PersonType> for PersonTypeOutput {
    fn from(person_type: &PersonType) -> Self {
        let PersonType { id, name, description, active, kind, display_order, tax } = person_type;
        Self {
            id: id.to_string(),
            name: name.clone(),
            description: description.clone(),
            active: *active,
            r#type: kind.clone(),
            display_order: *display_order,
            tax_rate: rate_of(tax),
            tax_name: tax.name.clone(),
        }
    }
}

/// The price of one ticket type; amounts are JSON numbers (contract §1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceOutput {
    /// Whose price.
    pub person_type: PersonTypeOutput,
    /// What the buyer pays.
    #[serde(serialize_with = "money_number")]
    #[schema(value_type = f64)]
    pub price: Money,
    /// What the buyer gets off the full price, as a member or as everybody; `price` is without it already.
    #[serde(serialize_with = "maybe_money_number")]
    #[schema(value_type = Option<f64>)]
    pub discount: Option<Money>,
    /// Kept for the venue.
    #[serde(serialize_with = "maybe_money_number")]
    #[schema(value_type = Option<f64>)]
    pub prime_price: Option<Money>,
    /// Where the venue set one, what the buyer pays, as `price`; its authors see it as they wrote it.
    #[serde(serialize_with = "maybe_money_number")]
    #[schema(value_type = Option<f64>)]
    pub discounted_price: Option<Money>,
    /// Order within the list.
    pub display_order: i64,
    /// Where it is offered; empty means everywhere.
    pub sales_channels: Vec<SalesChannelOutput>,
}

pub(crate) fn maybe_money_number<S: Serializer>(
    amount: &Option<Money>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match amount {
        Some(amount) => money_number(amount, serializer),
        None => serializer.serialize_none(),
    }
}

/// The prices of a list that are offered for a visit at that instant, in their order; those of inactive ticket
/// types are left out.
pub(super) fn prices_of(
    list: &PriceList,
    template: &Template,
    at: Timestamp,
    view: &View<'_>,
) -> Vec<PriceOutput> {
    let output = |price: &Price| {
        let shown = PriceOutput::of(price, view.person_types).filter(|found| found.person_type.active)?;
        let ticket = PricedTicket { template, at, price };
        let paid = listed_unit(ticket, view.audience.buyer, view.discounts).ok()?;
        let discount = price.price.checked_sub(paid).ok().filter(|off| !off.is_zero());
        let discounted_price = shown.discounted_price.map(|_| paid);
        Some(PriceOutput { price: paid, discount, discounted_price, ..shown })
    };
    let mut prices: Vec<PriceOutput> = view.audience.prices(list).filter_map(output).collect();
    prices.sort_by_key(|price| price.display_order);
    prices
}

/// Every price of a list whatever its channel, those of inactive ticket types included, in their order.
pub(super) fn all_prices_of(
    list: &PriceList,
    person_types: &BTreeMap<TicketTypeId, PersonType>,
) -> Vec<PriceOutput> {
    let mut prices: Vec<PriceOutput> =
        list.prices.iter().filter_map(|price| PriceOutput::of(price, person_types)).collect();
    prices.sort_by_key(|price| price.display_order);
    prices
}

impl PriceOutput {
    fn of(price: &Price, person_types: &BTreeMap<TicketTypeId, PersonType>) -> Option<Self> {
        let person_type = person_types.get(&price.ticket_type)?;
        Some(Self {
            person_type: person_type.into(),
            price: price.price,
            discount: None,
            prime_price: price.prime_price,
            discounted_price: price.discounted_price,
            display_order: price.display_order,
            sales_channels: price.sales_channels.iter().map(Into::into).collect(),
        })
    }
}

/// A price list of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceListOutput {
    /// Its id.
    pub id: String,
    /// For people.
    pub name: String,
    /// For people.
    pub description: String,
    /// The moment of sale from which it applies.
    pub start_time: Option<String>,
    /// One per ticket type.
    pub prices: Vec<PriceOutput>,
}

impl PriceListOutput {
    /// A price list as callers see it.
    #[must_use]
    pub fn of(list: &PriceList, template: &Template, view: &View<'_>) -> Self {
        let PriceList { id, name, description, start, end: _, prices: _ } = list;
        Self {
            id: id.to_string(),
            name: name.clone(),
            description: description.clone(),
            start_time: start.map(|start| view.zone.format(start)),
            prices: prices_of(list, template, view.audience.now, view),
        }
    }

    /// A price list as its authors see it: with all its prices.
    #[must_use]
    pub fn of_authors(list: &PriceList, template: &Template, view: &View<'_>) -> Self {
        Self { prices: all_prices_of(list, view.person_types), ..Self::of(list, template, view) }
    }
}

incoming! {
    /// A ticket type.
    pub struct PersonTypeInput {
        id: String,
        #[schema(required = true)]
        name: String,
        description: String,
        active: bool,
        /// What kind of visitor it is for, in the venue's own words; `individual` where nothing is sent.
        #[serde(rename = "type")]
        kind: String,
        display_order: i64,
        /// What its prices contain of tax, in percent of what remains without it, 0 to 100; `0` where nothing is sent.
        tax_rate: Amount,
        /// What that tax is called, such as `VAT`.
        tax_name: String,
    }
    /// The price of a ticket type. Of `personType` only the id is read.
    pub struct PriceInput {
        #[schema(required = true)]
        person_type: ReferenceInput,
        price_point: ReferenceInput,
        #[schema(required = true)]
        price: Amount,
        prime_price: Amount,
        discounted_price: Amount,
        display_order: i64,
        sales_channels: Vec<SalesChannelInput>,
        sale_channel: Vec<SalesChannelInput>,
    }
    /// A price list.
    pub struct PriceListInput {
        id: String,
        name: String,
        description: String,
        start_time: String,
        prices: Vec<PriceInput>,
    }
    /// Something named by its id.
    pub struct ReferenceInput {
        #[schema(required = true)]
        id: String,
    }
}

impl PersonTypeInput {
    /// The ticket type, unless a field is at fault.
    pub fn read(self, checker: &mut Checker) -> Option<PersonType> {
        let id = own_id(checker, self.id, TicketTypeId::parse);
        let person_type = PersonType {
            name: name(checker, "name", self.name),
            description: text(checker, "description", self.description),
            active: checker.optional("active", self.active).unwrap_or(true),
            kind: checker
                .optional_text("type", self.kind, NAME_CHARS)
                .unwrap_or_else(|| "individual".to_owned()),
            display_order: checker.optional_integer("displayOrder", self.display_order).unwrap_or_default(),
            tax: read_tax(checker, self.tax_rate, self.tax_name),
            id: id?,
        };
        Some(person_type)
    }
}

impl PriceListInput {
    /// The price list, unless a field is at fault. Prices must name known ticket types.
    pub fn read(
        self,
        checker: &mut Checker,
        zone: Zone,
        ticket_types: &BTreeSet<TicketTypeId>,
    ) -> Option<PriceList> {
        let id = own_id(checker, self.id, PriceListId::parse);
        let start = checker.optional_instant("startTime", self.start_time, zone);
        let name = line(checker, "name", self.name);
        let description = text(checker, "description", self.description);
        let prices = checker.each("prices", self.prices, |checker, input| input.read(checker, ticket_types));
        let prices: Vec<Price> = prices.into_iter().flatten().collect();
        let mut seen = BTreeSet::new();
        if !prices.iter().all(|price| seen.insert(&price.ticket_type)) {
            checker.invalid("prices", "must have each ticket type only once");
        }
        Some(PriceList { id: id?, name, description, start, end: None, prices })
    }
}

impl PriceInput {
    fn read(self, checker: &mut Checker, ticket_types: &BTreeSet<TicketTypeId>) -> Option<Price> {
        if let (Field::Value(person_type), Field::Value(price_point)) = (&self.person_type, &self.price_point)
            && person_type.id != price_point.id
        {
            checker.invalid("pricePoint", "must be the same as personType");
        }
        let ticket_type = match self.person_type.or(self.price_point) {
            Field::Value(ReferenceInput { id }) => checker.within("personType", |checker| {
                let id = checker.required_id("id", id, TicketTypeId::parse)?;
                if !ticket_types.contains(&id) {
                    checker.unknown("id");
                }
                Some(id)
            }),
            Field::Wrong => {
                checker.invalid("personType", "must be an object");
                None
            }
            Field::Absent | Field::Null => {
                checker.invalid("personType", "is required");
                None
            }
        };
        let missing = !self.price.is_sent();
        if missing {
            checker.invalid("price", "is required");
        }
        let amount = price(checker, "price", self.price);
        let prime_price = price(checker, "primePrice", self.prime_price);
        let discounted_price = price(checker, "discountedPrice", self.discounted_price);
        let display_order = checker.optional_integer("displayOrder", self.display_order).unwrap_or_default();
        let sales_channels = sales_channels(checker, self.sales_channels, self.sale_channel);
        Some(Price {
            ticket_type: ticket_type?,
            price: amount?,
            prime_price,
            discounted_price,
            display_order,
            sales_channels,
        })
    }
}
