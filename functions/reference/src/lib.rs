//! What callers look up: the venue itself, countries and states (spec §4.8), the error table (contract §3), and the
//! description of the whole interface with a page to browse it.

mod asset;
mod docs;
mod venue;

use axum::Json;
use axum::extract::Path;
use domain::locations;
use serde::Serialize;
use utoipa::ToSchema;
use web::access::{CounterStaff, Visitor};
use web::routes;
use web::routes::Routes;
use web::{ApiError, ErrorBody, ErrorType};
use wire::location::{CountryOutput, StateOutput};

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new()
        .routes(routes!(venue::read))
        .routes(routes!(list_countries))
        .routes(routes!(list_countries_for_staff))
        .routes(routes!(list_states))
        .routes(routes!(list_states_for_staff))
        .routes(routes!(list_errors))
        .routes(routes!(docs::openapi))
        .routes(routes!(docs::page))
        .routes(routes!(docs::asset))
}

/// List countries
///
/// The United States, Canada, then all others by name. A checkout sends the `name`.
#[utoipa::path(
    get,
    path = "/v2/b2c/locations/avs/countries",
    tag = "Locations",
    security(("apiKey" = [])),
    responses(
        (status = 200, description = "All countries", body = Vec<CountryOutput>),
        (status = 401, description = "A valid API key is required", body = ErrorBody),
    ),
)]
async fn list_countries(_: Visitor) -> Json<Vec<CountryOutput>> {
    countries()
}

/// List countries for the back office
///
/// The same list as the storefront's.
#[utoipa::path(
    get,
    path = "/v2/b2b/locations/avs/countries",
    tag = "Locations",
    security(("apiKey" = [])),
    responses(
        (status = 200, description = "All countries", body = Vec<CountryOutput>),
        (status = 401, description = "A valid API key is required", body = ErrorBody),
    ),
)]
async fn list_countries_for_staff(_: CounterStaff) -> Json<Vec<CountryOutput>> {
    countries()
}

/// List the states of a country
///
/// States, provinces and other ISO 3166-2 subdivisions by name; none for a country without any.
#[utoipa::path(
    get,
    path = "/v2/b2c/locations/states/{country}",
    tag = "Locations",
    security(("apiKey" = [])),
    params(("country" = String, Path, description = "Alpha-2 or alpha-3 code or abbreviation, in any case")),
    responses(
        (status = 200, description = "The country's states", body = Vec<StateOutput>),
        (status = 401, description = "A valid API key is required", body = ErrorBody),
        (status = 404, description = "There is no such country", body = ErrorBody),
    ),
)]
async fn list_states(_: Visitor, Path(country): Path<String>) -> Result<Json<Vec<StateOutput>>, ApiError> {
    states(&country)
}

/// List the states of a country for the back office
///
/// The same list as the storefront's.
#[utoipa::path(
    get,
    path = "/v2/b2b/locations/states/{country}",
    tag = "Locations",
    security(("apiKey" = [])),
    params(("country" = String, Path, description = "Alpha-2 or alpha-3 code or abbreviation, in any case")),
    responses(
        (status = 200, description = "The country's states", body = Vec<StateOutput>),
        (status = 401, description = "A valid API key is required", body = ErrorBody),
        (status = 404, description = "There is no such country", body = ErrorBody),
    ),
)]
async fn list_states_for_staff(
    _: CounterStaff,
    Path(country): Path<String>,
) -> Result<Json<Vec<StateOutput>>, ApiError> {
    states(&country)
}

fn countries() -> Json<Vec<CountryOutput>> {
    Json(locations::countries().iter().map(CountryOutput::from).collect())
}

fn states(country: &str) -> Result<Json<Vec<StateOutput>>, ApiError> {
    let country = locations::find_country(country)
        .ok_or_else(|| ApiError::new(ErrorType::NotFound).message("There is no such country"))?;
    Ok(Json(locations::states_of(country).iter().map(StateOutput::from).collect()))
}

/// One row of the error table.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ErrorEntry {
    /// The HTTP status it comes with.
    status: u16,
    /// The number in `errorCode`; never used again for something else.
    error_code: u32,
    /// The name in `type`.
    r#type: &'static str,
    /// The text in `message`, unless the failure has a more exact one.
    message: &'static str,
    /// What it means.
    when: &'static str,
}

impl From<&ErrorType> for ErrorEntry {
    fn from(kind: &ErrorType) -> Self {
        let row = kind.row();
        Self {
            status: row.status.as_u16(),
            error_code: row.code,
            r#type: row.name,
            message: row.message,
            when: row.when,
        }
    }
}

/// List all errors
///
/// Every error the service can answer, in the order of their numbers. Needs no key.
#[utoipa::path(
    get,
    path = "/errors",
    tag = "Reference",
    security(()),
    responses((status = 200, description = "The error table", body = Vec<ErrorEntry>)),
)]
async fn list_errors() -> Json<Vec<ErrorEntry>> {
    Json(ErrorType::ALL.iter().map(ErrorEntry::from).collect())
}
