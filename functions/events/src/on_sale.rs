//! What a venue sells beside the tickets of one event, for visitors to choose from.

use crate::answer::json;
use adapters::App;
use axum::extract::State;
use axum::response::Response;
use web::access::Shopper;
use web::{ApiError, ErrorBody};
use wire::catalog::{AddOnOnSale, ComboOnSale};
use wire::membership::{LevelOnSale, LevelSale};

/// List the membership levels on sale
///
/// Those that are published and sold on the channel of the key, with the offerings that something can be done with: by
/// `actions`, and as a gift where their rules have `canGift`. Prices are those in force.
#[utoipa::path(
    get,
    path = "/v2/b2c/membership/levels",
    tag = "Events",
    responses(
        (status = 200, description = "The levels", body = Vec<LevelOnSale>),
        (status = 400, description = "`RESPONSE_TOO_LARGE`", body = ErrorBody),
    ),
)]
pub(crate) async fn levels(State(app): State<App>, caller: Shopper) -> Result<Response, ApiError> {
    let definitions = app.definitions(caller.tenant.id).await?;
    let person_types = &definitions.person_types;
    let sale = LevelSale { person_types, channel: caller.scope.channel(), now: caller.clock.now() };
    let levels = definitions.levels.values().filter_map(|level| LevelOnSale::of(level, sale));
    json(&levels.collect::<Vec<_>>())
}

/// List the combos on sale
///
/// In short. When its parts can be visited, the times of their templates say with `comboTemplateId`.
#[utoipa::path(
    get,
    path = "/v2/b2c/combos",
    tag = "Events",
    responses(
        (status = 200, description = "The combos", body = Vec<ComboOnSale>),
        (status = 400, description = "`RESPONSE_TOO_LARGE`", body = ErrorBody),
    ),
)]
pub(crate) async fn combos(State(app): State<App>, caller: Shopper) -> Result<Response, ApiError> {
    let definitions = app.definitions(caller.tenant.id).await?;
    json(&definitions.combos.values().filter_map(ComboOnSale::of).collect::<Vec<_>>())
}

/// List the add-ons and donations on offer
///
/// Those of the channel of the key, in their order.
#[utoipa::path(
    get,
    path = "/v2/b2c/inventory",
    tag = "Events",
    responses(
        (status = 200, description = "The add-ons and donations", body = Vec<AddOnOnSale>),
        (status = 400, description = "`RESPONSE_TOO_LARGE`", body = ErrorBody),
    ),
)]
pub(crate) async fn inventory(State(app): State<App>, caller: Shopper) -> Result<Response, ApiError> {
    let definitions = app.definitions(caller.tenant.id).await?;
    let channel = caller.scope.channel();
    let offered = definitions.inventory.values().filter_map(|item| AddOnOnSale::of(item, channel));
    let mut offered: Vec<AddOnOnSale> = offered.collect();
    offered.sort_by(|a, b| (a.display_order, &a.name, a.id).cmp(&(b.display_order, &b.name, b.id)));
    json(&offered)
}
