//! Levels and offerings as they are written.

use super::parts::{
    BenefitInput, LevelCollectionInput, OfferingActionInput, RulesInput, ServiceInput, read_actions,
    read_benefits, read_collection, read_rules, read_service,
};
use crate::event::{ImageInput, PriceInput, PriceListInput, read_images};
use crate::identified::identified;
use crate::readers::{check_unlike, count, flag, line, name, name_unnamed, own_id, part_id, text, word};
use crate::sales_channel::{SalesChannelInput, sales_channels};
use crate::tax::read_tax;
use crate::{Amount, Checker, Field, List, WireValue, incoming};
use domain::catalog::{PriceList, derived_id};
use domain::membership::{Level, LevelGroup, LevelState, Offering};
use domain::{LevelId, OfferingId, TicketTypeId, Zone};
use std::collections::BTreeSet;

incoming! {
    /// A price list of an offering.
    pub struct OfferingPriceListInput {
        id: String,
        name: String,
        description: String,
        start_time: String,
        end_time: String,
        prices: Vec<PriceInput>,
    }
    /// One way to buy a level.
    pub struct OfferingInput {
        id: String,
        #[schema(required = true)]
        name: String,
        subtitle: String,
        description: String,
        price_lists: Vec<OfferingPriceListInput>,
        #[schema(required = true)]
        duration: i64,
        benefits: Vec<BenefitInput>,
        sales_channels: Vec<SalesChannelInput>,
        sale_channel: Vec<SalesChannelInput>,
        rules: RulesInput,
        actions: Vec<OfferingActionInput>,
        types: Vec<ServiceInput>,
        service: ServiceInput,
    }
    /// A membership level.
    pub struct LevelInput {
        id: String,
        #[schema(required = true)]
        name: String,
        description: String,
        short_description: String,
        email_confirmation_message: String,
        membership_level_group: String,
        service: ServiceInput,
        types: Vec<ServiceInput>,
        sales_channels: Vec<SalesChannelInput>,
        sale_channel: Vec<SalesChannelInput>,
        rules: RulesInput,
        benefits: Vec<BenefitInput>,
        images: Vec<ImageInput>,
        terms_and_conditions: String,
        offerings: Vec<OfferingInput>,
        auxiliary: bool,
        membership_level_collection: Vec<LevelCollectionInput>,
        state: String,
        /// What the prices of its offerings contain of tax, in percent of what remains without it, 0 to 100; `0` where
        /// nothing is sent.
        tax_rate: Amount,
        /// What that tax is called, such as `VAT`.
        tax_name: String,
    }
}

identified! {
    LevelInput: id;
    OfferingInput: id;
}

/// Months of a term.
const MAX_MONTHS: u32 = 1_200;

/// What levels and offerings refer to: the tenant's clocks and its ticket types.
#[derive(Debug, Clone, Copy)]
pub struct LevelContext<'a> {
    /// The tenant's zone.
    pub zone: Zone,
    /// Ticket types prices may name.
    pub ticket_types: &'a BTreeSet<TicketTypeId>,
}

/// The elements of a list that could be read.
fn values<T: WireValue>(field: &mut Field<List<T>>) -> impl Iterator<Item = &mut T> {
    let list = match field {
        Field::Value(list) => list.0.as_mut_slice(),
        Field::Absent | Field::Null | Field::Wrong => &mut [],
    };
    list.iter_mut().filter_map(|element| match element {
        Field::Value(value) => Some(value),
        Field::Absent | Field::Null | Field::Wrong => None,
    })
}

impl LevelInput {
    /// Whether offerings were sent, be it none.
    #[must_use]
    pub fn has_offerings(&self) -> bool {
        matches!(self.offerings, Field::Value(_) | Field::Wrong)
    }

    /// Gives offerings without an id one that follows from the seed, so that a repeated request gives the same
    /// and no other one does, and price lists one that follows from their offering's.
    pub fn name_parts(&mut self, seed: &str) {
        let ids = values(&mut self.offerings).map(|offering| &mut offering.id).collect();
        name_unnamed(ids, |number| OfferingId::from_bytes(derived_id(seed, "offering", number)).to_string());
        for offering in values(&mut self.offerings) {
            offering.name_parts();
        }
    }

    /// The level, unless a field is at fault.
    pub fn read(self, checker: &mut Checker, context: LevelContext<'_>) -> Option<Level> {
        let id = own_id(checker, self.id, LevelId::parse);
        let offerings =
            checker.each("offerings", self.offerings, |checker, input| input.read(checker, context));
        check_unlike(checker, "offerings", offerings.iter().flatten().map(|offering| &offering.id));
        let groups = "individualAndFamily, organization";
        let level = Level {
            name: name(checker, "name", self.name),
            description: text(checker, "description", self.description),
            short_description: text(checker, "shortDescription", self.short_description),
            email_confirmation_message: text(
                checker,
                "emailConfirmationMessage",
                self.email_confirmation_message,
            ),
            group: word(checker, "membershipLevelGroup", self.membership_level_group, group, groups)
                .unwrap_or_default(),
            service: checker.object("service", self.service, read_service),
            types: checker.each("types", self.types, read_service),
            sales_channels: sales_channels(checker, self.sales_channels, self.sale_channel),
            rules: checker.object("rules", self.rules, read_rules).unwrap_or_default(),
            benefits: read_benefits(checker, self.benefits),
            images: read_images(checker, self.images),
            terms_and_conditions: text(checker, "termsAndConditions", self.terms_and_conditions),
            offerings: offerings.into_iter().flatten().collect(),
            auxiliary: flag(checker, "auxiliary", self.auxiliary),
            collections: checker.each(
                "membershipLevelCollection",
                self.membership_level_collection,
                read_collection,
            ),
            state: word(checker, "state", self.state, state, "draft, published").unwrap_or_default(),
            tax: read_tax(checker, self.tax_rate, self.tax_name),
            id: id?,
        };
        Some(level)
    }
}

/// Reads whom a level is for, in any case.
#[must_use]
pub fn group(text: &str) -> Option<LevelGroup> {
    let groups = [LevelGroup::IndividualAndFamily, LevelGroup::Organization];
    groups.into_iter().find(|group| group.as_str().eq_ignore_ascii_case(text))
}

fn state(text: &str) -> Option<LevelState> {
    let states = [LevelState::Draft, LevelState::Published];
    states.into_iter().find(|state| state.as_str().eq_ignore_ascii_case(text))
}

impl OfferingInput {
    /// Gives price lists without an id one that follows from the offering's.
    pub fn name_parts(&mut self) {
        let whole = self.id.clone().value().unwrap_or_default();
        let ids = values(&mut self.price_lists).map(|list| &mut list.id).collect();
        name_unnamed(ids, |number| part_id(&whole, "priceList", number));
    }

    /// The offering, unless a field is at fault.
    pub fn read(self, checker: &mut Checker, context: LevelContext<'_>) -> Option<Offering> {
        let id = own_id(checker, self.id, OfferingId::parse);
        let price_lists =
            checker.each("priceLists", self.price_lists, |checker, input| input.read(checker, context));
        check_unlike(checker, "priceLists", price_lists.iter().flatten().map(|list| &list.id));
        checker.require("duration", &self.duration);
        let duration = count(checker, "duration", self.duration, 1..=MAX_MONTHS);
        let actions = read_actions(checker, self.actions);
        let offering = Offering {
            name: name(checker, "name", self.name),
            subtitle: line(checker, "subtitle", self.subtitle),
            description: text(checker, "description", self.description),
            price_lists: price_lists.into_iter().flatten().collect(),
            benefits: read_benefits(checker, self.benefits),
            sales_channels: sales_channels(checker, self.sales_channels, self.sale_channel),
            rules: checker.object("rules", self.rules, read_rules),
            no_actions: actions.is_empty(),
            actions,
            types: checker.each("types", self.types, read_service),
            service: checker.object("service", self.service, read_service),
            duration_months: duration?,
            id: id?,
        };
        Some(offering)
    }
}

impl OfferingPriceListInput {
    fn read(self, checker: &mut Checker, context: LevelContext<'_>) -> Option<PriceList> {
        let LevelContext { zone, ticket_types } = context;
        let Self { id, name, description, start_time, end_time, prices } = self;
        let end = checker.optional_instant("endTime", end_time, zone);
        let list = PriceListInput { id, name, description, start_time, prices };
        let list = list.read(checker, zone, ticket_types)?;
        if end.zip(list.start).is_some_and(|(end, start)| end < start) {
            checker.invalid("endTime", "must not be before startTime");
        }
        Some(PriceList { end, ..list })
    }
}
