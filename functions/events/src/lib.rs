//! Browsing what a venue sells (spec §4.4, contract §7).
//!
//! | Route | Round trips |
//! |---|---|
//! | lists and single templates | 0: from the cached catalog |
//! | times and calendar of one template | 1; 2 where its schedule promises slots that are gone |
//! | times and calendar of all templates | 1: one query per template, side by side |
//! | next available | 1; 2 where many slots in a row are full |
//! | single instance | 1 |
//!
//! Prices and events for members are shown to nobody yet; the membership parameters are checked only.

mod answer;
mod calendar;
mod load;
mod query;
mod templates;
mod times;

use platform::App;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The browsing routes.
#[must_use]
pub fn router() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(templates::list))
        .routes(routes!(templates::slim_list))
        .routes(routes!(templates::read))
        .routes(routes!(times::of_all))
        .routes(routes!(times::of_template))
        .routes(routes!(calendar::of_all))
        .routes(routes!(calendar::of_template))
        .routes(routes!(times::next_available))
        .routes(routes!(times::read_instance))
}
