//! `/v2/b2b/inventory`: add-ons and donations. `/v2/b2b/addons` lists the add-ons among them.

use crate::resource::{Context, Resource, list as list_of, read_of};
use adapters::App;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use domain::catalog::{InventoryItem, InventoryKind};
use domain::number::whole_number;
use domain::{InventoryId, TenantId, Zone};
use store::catalog::{Definitions, Kind};
use store::{Key, Placed};
use web::access::Staff;
use web::catalog::{Catalog, Needs, Use};
use web::paging::{Direction, PageQuery, SortField, Sorting};
use web::routes;
use web::routes::Routes;
use web::{ApiError, ErrorBody};
use wire::Checker;
use wire::catalog::{InventoryInput, InventoryOutput};
use wire::page::Page;

struct Inventory;

static SORTING: Sorting<InventoryItem> = Sorting {
    fields: &[
        SortField { name: "displayOrder", compare: |one, other| one.display_order.cmp(&other.display_order) },
        SortField { name: "name", compare: |one, other| one.name.cmp(&other.name) },
        SortField { name: "sku", compare: |one, other| one.sku.cmp(&other.sku) },
        SortField { name: "id", compare: |one, other| one.id.cmp(&other.id) },
    ],
    direction: Direction::Ascending,
    last: |one, other| one.id.cmp(&other.id),
};

impl Resource for Inventory {
    type Record = InventoryItem;
    type Input = InventoryInput;
    type Output = InventoryOutput;

    const PATH: &'static str = "/v2/b2b/inventory";
    const KIND: Kind = Kind::Inventory;
    const NEEDS: Needs = Needs::Nothing;
    const NAMED_BY: Needs = Needs::KindsAndTemplates(&[]);

    fn sorting() -> &'static Sorting<InventoryItem> {
        &SORTING
    }

    fn new_id([a, b, c, d, e, f, g, h, ..]: [u8; 16]) -> String {
        InventoryId::from_bits(u64::from_be_bytes([a, b, c, d, e, f, g, h])).to_string()
    }

    fn key(tenant: TenantId, id: &str) -> Option<Key> {
        let known = InventoryId::parse(whole_number(id)?).ok()?;
        (known.to_string() == id).then(|| InventoryItem::place(tenant, &known))
    }

    fn read(input: InventoryInput, checker: &mut Checker, _: &Context<'_>) -> Option<InventoryItem> {
        input.read(checker)
    }

    fn all(definitions: Definitions) -> Vec<InventoryItem> {
        definitions.inventory.into_values().collect()
    }

    fn uses(InventoryItem { id, .. }: &InventoryItem, catalog: &Catalog) -> Vec<Use> {
        Use::by_templates(catalog, |template| template.add_ons.contains(id))
    }

    fn show(record: &InventoryItem, _: Zone) -> InventoryOutput {
        record.into()
    }
}

mod written {
    use super::{Inventory, InventoryInput, InventoryOutput};

    crate::routes::routes_of! {
        Inventory: "/v2/b2b/inventory", "/v2/b2b/inventory/{id}", "Back office", "an add-on or donation",
        "add-ons and donations", InventoryInput, InventoryOutput
    }
}

/// List add-ons
///
/// What of the inventory is an add-on, and no donation: one page of it, in the order asked for.
#[utoipa::path(
    get,
    path = "/v2/b2b/addons",
    tag = "Back office",
    params(PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<InventoryOutput>),
        (status = 400, description = "`VALIDATION_ERROR`: a page or order that does not exist", body = ErrorBody),
    ),
)]
async fn add_ons(
    State(app): State<App>,
    staff: Staff,
    Query(page): Query<PageQuery>,
) -> Result<Json<Page<InventoryOutput>>, ApiError> {
    list_of::<Inventory>(&app, &staff, &page, is_add_on).await
}

/// Read an add-on
#[utoipa::path(
    get,
    path = "/v2/b2b/addons/{id}",
    tag = "Back office",
    description = "Of the inventory, the add-ons alone are found here.",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "The record, with its revision in `ETag`", body = InventoryOutput),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
    ),
)]
async fn add_on(State(app): State<App>, staff: Staff, Path(id): Path<String>) -> Result<Response, ApiError> {
    read_of::<Inventory>(&app, &staff, &id, is_add_on).await
}

/// Whether an entry is sold beside tickets.
fn is_add_on(item: &InventoryItem) -> bool {
    match item.kind {
        InventoryKind::AddOn => true,
        InventoryKind::FixedDonation | InventoryKind::Donation | InventoryKind::MembershipCardReplacement => {
            false
        }
    }
}

pub(crate) fn router<R: Routes>() -> R {
    written::router::<R>().routes(routes!(add_ons)).routes(routes!(add_on))
}
