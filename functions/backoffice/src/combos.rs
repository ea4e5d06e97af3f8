//! `/v2/b2b/combos`.

use crate::resource::{Context, Resource};
use crate::routes::routes_of;
use domain::combo::Combo;
use domain::{ComboTemplateId, TenantId, Zone};
use store::catalog::{Definitions, Kind};
use store::{Key, Placed};
use web::catalog::{Catalog, Needs, Use};
use web::paging::{Direction, SortField, Sorting};
use wire::Checker;
use wire::catalog::{ComboInput, ComboOutput};

struct Combos;

static SORTING: Sorting<Combo> = Sorting {
    fields: &[
        SortField { name: "name", compare: |one, other| one.name.cmp(&other.name) },
        SortField { name: "id", compare: |one, other| one.id.cmp(&other.id) },
    ],
    direction: Direction::Ascending,
    last: |one, other| one.id.cmp(&other.id),
};

impl Resource for Combos {
    type Record = Combo;
    type Input = ComboInput;
    type Output = ComboOutput;

    const PATH: &'static str = "/v2/b2b/combos";
    const KIND: Kind = Kind::Combo;
    const NEEDS: Needs = Needs::KindsAndTemplates(&[Kind::PersonType, Kind::Discount]);
    const NAMED_BY: Needs = Needs::Nothing;

    fn sorting() -> &'static Sorting<Combo> {
        &SORTING
    }

    fn new_id(random: [u8; 16]) -> String {
        hex::encode(&random[..12])
    }

    fn key(tenant: TenantId, id: &str) -> Option<Key> {
        ComboTemplateId::parse(id).ok().map(|id| Combo::place(tenant, &id))
    }

    fn read(input: ComboInput, checker: &mut Checker, context: &Context<'_>) -> Option<Combo> {
        input.read(checker, &context.catalog.known())
    }

    fn all(definitions: Definitions) -> Vec<Combo> {
        definitions.combos.into_values().collect()
    }

    /// Only carts and orders name combos, and they keep what they need of it.
    fn uses(_: &Combo, _: &Catalog) -> Vec<Use> {
        Vec::new()
    }

    fn show(record: &Combo, _: Zone) -> ComboOutput {
        record.into()
    }
}

routes_of! {
    Combos: "/v2/b2b/combos", "/v2/b2b/combos/{id}", "Back office", "a combo", "combos", ComboInput, ComboOutput
}
