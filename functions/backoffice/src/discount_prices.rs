//! `/v2/b2b/discounts/{id}/price/list/{priceListId}`: what a price list costs with a discount.

use crate::screen::CHANNELS;
use crate::view::view;
use adapters::App;
use axum::Json;
use axum::extract::{Path, Query, State};
use domain::catalog::{PriceList, Template};
use domain::{Channel, DiscountId, TemplateId};
use serde::Deserialize;
use utoipa::IntoParams;
use web::access::{Caller, CounterStaff};
use web::authored::not_found;
use web::query::QueryReader;
use web::routes;
use web::routes::Routes;
use web::{ApiError, ErrorBody};
use wire::event::DiscountedPriceList;

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(read)).routes(routes!(read_v1))
}

/// Which discount is asked for, and with which price list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DiscountedListPath {
    id: String,
    price_list_id: String,
}

/// Which of several price lists with this id, and which of its prices.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct DiscountedListQuery {
    /// The template the list belongs to; needed where several templates have a list with this id. Unless it is given,
    /// the first by its id.
    event_template_id: Option<String>,
    /// Only what is sold there: `online`, `customerRep`, `pointOfSale`, `manualEntry`, `reseller`, `kiosk`,
    /// `insideSalesIndividual`.
    sale_channel: Option<String>,
}

/// The list with this id of one of the templates, of the first by its id.
fn list_of<'a>(templates: &'a [Template], template: Option<&TemplateId>, id: &str) -> Option<&'a PriceList> {
    let of = |found: &'a Template| {
        let list = found.price_lists.iter().find(|list| list.id.as_str() == id)?;
        Some((&found.id, list))
    };
    let meant = templates.iter().filter(|found| template.is_none_or(|wanted| *wanted == found.id));
    meant.filter_map(of).min_by_key(|(id, _)| *id).map(|(_, list)| list)
}

async fn answer(
    app: &App,
    caller: &Caller,
    path: &DiscountedListPath,
    query: &DiscountedListQuery,
) -> Result<Json<DiscountedPriceList>, ApiError> {
    let mut reader = QueryReader::new();
    let id = |text: &str| TemplateId::parse(text).ok();
    let sent = query.event_template_id.as_deref();
    let template = reader.optional("eventTemplateId", sent, id, "the id of an event template");
    let channel = |text: &str| Channel::parse(text).ok();
    let channel = reader.optional("saleChannel", query.sale_channel.as_deref(), channel, CHANNELS);
    let (template, channel) = reader.finish((template, channel))?;
    let discount = DiscountId::parse(&path.id).map_err(|_| not_found())?;
    let tenant = caller.tenant.id;
    let (templates, definitions) = tokio::join!(app.templates(tenant), app.definitions(tenant));
    let (templates, definitions) = (templates?, definitions?);
    let discount = definitions.discounts.get(&discount).ok_or_else(not_found)?;
    let list = list_of(&templates, template.as_ref(), &path.price_list_id).ok_or_else(not_found)?;
    let view = view(&definitions, caller);
    Ok(Json(DiscountedPriceList::of(list, discount, channel, &view)?))
}

/// Read a price list with a discount
///
/// What each ticket type costs with it. One without a value in the discount keeps its price. At most five seconds late.
#[utoipa::path(
    get,
    path = "/v2/b2b/discounts/{id}/price/list/{priceListId}",
    tag = "Back office",
    params(
        ("id" = String, Path, description = "The discount"),
        ("priceListId" = String, Path, description = "The price list of an event template"),
        DiscountedListQuery,
    ),
    responses(
        (status = 200, description = "The price list", body = DiscountedPriceList),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: there is no such discount, or no such price list", body = ErrorBody),
    ),
)]
async fn read(
    State(app): State<App>,
    staff: CounterStaff,
    Path(path): Path<DiscountedListPath>,
    Query(query): Query<DiscountedListQuery>,
) -> Result<Json<DiscountedPriceList>, ApiError> {
    answer(&app, &staff, &path, &query).await
}

/// Read a price list with a discount, by its older path
///
/// The same as below `/v2/`.
#[utoipa::path(
    get,
    path = "/v1/b2b/discounts/{id}/price/list/{priceListId}",
    tag = "Back office",
    params(
        ("id" = String, Path, description = "The discount"),
        ("priceListId" = String, Path, description = "The price list of an event template"),
        DiscountedListQuery,
    ),
    responses(
        (status = 200, description = "The price list", body = DiscountedPriceList),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: there is no such discount, or no such price list", body = ErrorBody),
    ),
)]
async fn read_v1(
    State(app): State<App>,
    staff: CounterStaff,
    Path(path): Path<DiscountedListPath>,
    Query(query): Query<DiscountedListQuery>,
) -> Result<Json<DiscountedPriceList>, ApiError> {
    answer(&app, &staff, &path, &query).await
}
