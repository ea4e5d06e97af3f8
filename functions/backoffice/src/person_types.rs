//! `/v2/b2b/persontypes`: ticket types.

use crate::resource::{Context, Resource};
use crate::routes::routes_of;
use domain::catalog::PersonType;
use domain::{TenantId, TicketTypeId, Zone};
use store::catalog::{Definitions, Kind};
use store::{Key, Placed};
use web::catalog::{Catalog, Needs, Use, any_price};
use web::paging::{Direction, SortField, Sorting};
use wire::Checker;
use wire::event::{PersonTypeInput, PersonTypeOutput};

struct PersonTypes;

static SORTING: Sorting<PersonType> = Sorting {
    fields: &[
        SortField { name: "displayOrder", compare: |one, other| one.display_order.cmp(&other.display_order) },
        SortField { name: "name", compare: |one, other| one.name.cmp(&other.name) },
        SortField { name: "id", compare: |one, other| one.id.cmp(&other.id) },
    ],
    direction: Direction::Ascending,
    last: |one, other| one.id.cmp(&other.id),
};

impl Resource for PersonTypes {
    type Record = PersonType;
    type Input = PersonTypeInput;
    type Output = PersonTypeOutput;

    const PATH: &'static str = "/v2/b2b/persontypes";
    const KIND: Kind = Kind::PersonType;
    const NEEDS: Needs = Needs::Nothing;

    fn sorting() -> &'static Sorting<PersonType> {
        &SORTING
    }

    fn new_id(random: [u8; 16]) -> String {
        hex::encode(&random[..12])
    }

    fn key(tenant: TenantId, id: &str) -> Option<Key> {
        TicketTypeId::parse(id).ok().map(|id| PersonType::place(tenant, &id))
    }

    fn read(input: PersonTypeInput, checker: &mut Checker, _: &Context<'_>) -> Option<PersonType> {
        input.read(checker)
    }

    fn all(definitions: Definitions) -> Vec<PersonType> {
        definitions.person_types.into_values().collect()
    }

    fn uses(PersonType { id, .. }: &PersonType, catalog: &Catalog) -> Vec<Use> {
        let mut uses = Use::by_templates(catalog, |template| {
            any_price(&template.price_lists, |price| price.ticket_type == *id)
        });
        uses.extend(Use::by_discounts(catalog, |discount| {
            discount.values.iter().any(|value| value.ticket_type == *id)
        }));
        uses.extend(Use::by_coupons(catalog, |coupon| coupon.ticket_types.contains(id)));
        uses.extend(Use::by_combos(catalog, |combo| combo.prices_for(id)));
        uses.extend(Use::by_entitlements(catalog, |found| found.names(id)));
        uses.extend(Use::by_levels(catalog, |level| {
            let mut offerings = level.offerings.iter();
            offerings.any(|offering| any_price(&offering.price_lists, |price| price.ticket_type == *id))
        }));
        uses
    }

    fn show(record: &PersonType, _: Zone) -> PersonTypeOutput {
        record.into()
    }
}

routes_of! {
    PersonTypes: "/v2/b2b/persontypes", "/v2/b2b/persontypes/{id}", "Back office", "a ticket type", "ticket types",
    PersonTypeInput, PersonTypeOutput
}
