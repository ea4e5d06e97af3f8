//! `GET /v2/b2c/venue`.

use axum::Json;
use web::ErrorBody;
use web::access::Visitor;
use wire::venue::VenueView;

/// Read the venue
///
/// Its name, how it looks and speaks, its time zone and currency, and where its terms stand: what a page needs to look
/// like the venue's own. A change of the settings shows within five seconds.
#[utoipa::path(
    get,
    path = "/v2/b2c/venue",
    tag = "Events",
    responses(
        (status = 200, description = "The venue", body = VenueView),
        (status = 401, description = "A valid API key is required", body = ErrorBody),
    ),
)]
pub(crate) async fn read(visitor: Visitor) -> Json<VenueView> {
    Json(VenueView::from(visitor.tenant.as_ref()))
}
