//! `/v2/b2b/forms`.

use crate::resource::{Context, Resource};
use crate::routes::routes_of;
use domain::form::Form;
use domain::{FormId, TenantId, Zone};
use store::catalog::{Definitions, Kind};
use store::{Key, Placed};
use web::catalog::{Catalog, Needs, Use};
use web::paging::{Direction, SortField, Sorting};
use wire::Checker;
use wire::catalog::{FormInput, FormOutput};

struct Forms;

static SORTING: Sorting<Form> = Sorting {
    fields: &[
        SortField { name: "name", compare: |one, other| one.name.cmp(&other.name) },
        SortField { name: "id", compare: |one, other| one.id.cmp(&other.id) },
    ],
    direction: Direction::Ascending,
    last: |one, other| one.id.cmp(&other.id),
};

impl Resource for Forms {
    type Record = Form;
    type Input = FormInput;
    type Output = FormOutput;

    const PATH: &'static str = "/v2/b2b/forms";
    const KIND: Kind = Kind::Form;
    const NEEDS: Needs = Needs::Nothing;
    const NAMED_BY: Needs = Needs::KindsAndTemplates(&[]);

    fn sorting() -> &'static Sorting<Form> {
        &SORTING
    }

    fn new_id(random: [u8; 16]) -> String {
        hex::encode(&random[..12])
    }

    fn key(tenant: TenantId, id: &str) -> Option<Key> {
        FormId::parse(id).ok().map(|id| Form::place(tenant, &id))
    }

    fn read(input: FormInput, checker: &mut Checker, _: &Context<'_>) -> Option<Form> {
        input.read(checker)
    }

    fn all(definitions: Definitions) -> Vec<Form> {
        definitions.forms.into_values().collect()
    }

    fn uses(Form { id, .. }: &Form, catalog: &Catalog) -> Vec<Use> {
        Use::by_templates(catalog, |template| template.forms.contains(id))
    }

    fn show(record: &Form, _: Zone) -> FormOutput {
        record.into()
    }
}

routes_of! {
    Forms: "/v2/b2b/forms", "/v2/b2b/forms/{id}", "Back office", "a form", "forms", FormInput, FormOutput
}
