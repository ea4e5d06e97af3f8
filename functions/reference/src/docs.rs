//! The description of the interface, and a page that shows it without reaching for any other server.

use axum::extract::Path;
use axum::response::{Html, IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use platform::{ApiError, ErrorBody, ErrorType};

/// The description as it is committed; a test of the whole service keeps it current, since no function knows
/// the routes of another.
const OPENAPI: &str = include_str!("../../../docs/openapi.json");

const PAGE: &str = include_str!("docs.html");
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/swagger-ui-bundle.js"));
const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/swagger-ui.css"));

/// The two files change only with a deployment.
const CACHED: &str = "public, max-age=86400";

/// Read the OpenAPI document
///
/// OpenAPI 3.1. Needs no key.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "Reference",
    security(()),
    responses((status = 200, description = "The description of this interface", body = Object)),
)]
pub(crate) async fn openapi() -> Response {
    ([(CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

/// Browse this interface
///
/// A page for people. Needs no key.
#[utoipa::path(
    get,
    path = "/docs",
    tag = "Reference",
    security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/html")),
)]
pub(crate) async fn page() -> Html<&'static str> {
    Html(PAGE)
}

/// Read a file of the page
///
/// Script and style of the page for people.
#[utoipa::path(
    get,
    path = "/docs/{file}",
    tag = "Reference",
    security(()),
    params(("file" = String, Path, description = "Name of the file")),
    responses(
        (status = 200, description = "The file", body = String, content_type = "text/plain"),
        (status = 404, description = "The page has no such file", body = ErrorBody),
    ),
)]
pub(crate) async fn asset(Path(file): Path<String>) -> Result<Response, ApiError> {
    let cached = |content_type: &'static str, text: &'static str| {
        ([(CONTENT_TYPE, content_type), (CACHE_CONTROL, CACHED)], text).into_response()
    };
    match file.as_str() {
        "swagger-ui-bundle.js" => Ok(cached("text/javascript; charset=utf-8", SCRIPT)),
        "swagger-ui.css" => Ok(cached("text/css; charset=utf-8", STYLE)),
        _ => Err(ApiError::new(ErrorType::NotFound).message("No such file")),
    }
}
