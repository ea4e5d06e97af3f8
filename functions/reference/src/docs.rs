//! The description of the interface, and a page that shows it without reaching for any other server.

use crate::asset::CompressedAsset;
use adapters::App;
use axum::extract::{Path, State};
use axum::response::{Html, Response};
use http::HeaderMap;
use web::{ApiError, ErrorBody, ErrorType};

/// The description as it is committed; a test of the whole service keeps it current, since no function knows
/// the routes of another.
const OPENAPI: CompressedAsset = CompressedAsset {
    content_type: "application/json",
    compressed: include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz")),
    tag: include_str!(concat!(env!("OUT_DIR"), "/openapi.json.etag")),
    cache: "no-cache",
};

const PAGE: &str = include_str!("docs.html");

/// What the page says of the demo venue, and the keys it sends there.
const DEMO: &str = include_str!("demo.html");

/// Where that stands in the page.
const DEMO_PLACE: &str = "    <!-- demo -->\n";

/// The two files change only with a deployment.
const CACHED: &str = "public, max-age=86400";

const SCRIPT: CompressedAsset = CompressedAsset {
    content_type: "text/javascript; charset=utf-8",
    compressed: include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui-bundle.js.gz")),
    tag: include_str!(concat!(env!("OUT_DIR"), "/swagger-ui-bundle.js.etag")),
    cache: CACHED,
};

const STYLE: CompressedAsset = CompressedAsset {
    content_type: "text/css; charset=utf-8",
    compressed: include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui.css.gz")),
    tag: include_str!(concat!(env!("OUT_DIR"), "/swagger-ui.css.etag")),
    cache: CACHED,
};

/// Read the OpenAPI document
///
/// OpenAPI 3.1, compressed for whoever takes gzip. Needs no key.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "Reference",
    security(()),
    params(("If-None-Match" = Option<String>, Header, description = "An `ETag` of the document that the caller has")),
    responses(
        (status = 200, description = "The description of this interface, its revision in `ETag`", body = Object),
        (status = 304, description = "The caller already has it, according to its `ETag`"),
    ),
)]
pub(crate) async fn openapi(headers: HeaderMap) -> Result<Response, ApiError> {
    OPENAPI.answer(&headers)
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
pub(crate) async fn page(State(app): State<App>) -> Html<String> {
    let demo = if app.refuses_demo_keys() { "" } else { DEMO };
    Html(PAGE.replace(DEMO_PLACE, demo))
}

/// Read a file of the page
///
/// Script and style of the page for people, compressed for whoever takes gzip.
#[utoipa::path(
    get,
    path = "/docs/{file}",
    tag = "Reference",
    security(()),
    params(
        ("file" = String, Path, description = "Name of the file"),
        ("If-None-Match" = Option<String>, Header, description = "An `ETag` of the file that the caller has"),
    ),
    responses(
        (status = 200, description = "The file, its revision in `ETag`", content((String = "text/javascript"), (String = "text/css"))),
        (status = 304, description = "The caller already has it, according to its `ETag`"),
        (status = 404, description = "There is no such file", body = ErrorBody),
    ),
)]
pub(crate) async fn asset(Path(file): Path<String>, headers: HeaderMap) -> Result<Response, ApiError> {
    match file.as_str() {
        "swagger-ui-bundle.js" => SCRIPT.answer(&headers),
        "swagger-ui.css" => STYLE.answer(&headers),
        _ => Err(ApiError::new(ErrorType::NotFound).message("There is no such file")),
    }
}
