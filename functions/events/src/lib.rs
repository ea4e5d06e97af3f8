//! Browsing what a venue sells (spec §4.4, contract §7).
//!
//! | Route | Round trips |
//! |---|---|
//! | lists and single templates | 0: from the cached catalog; every five seconds 1 to 2, since what their slots say is asked again, side by side |
//! | times, instances and calendar of one template | 1; 2 where its schedule promises slots that are gone |
//! | times and calendar of all templates | 1: single slots by their keys, a hundred in a call, and one query for each template that can have several within the range, side by side; 2 where a schedule promises a slot that was never made |
//! | next available | 1; 2 where many slots in a row are full, 3 where very many are |
//! | single instance | 1 |
//! | levels, combos, add-ons and donations on sale | 0: from the cached catalog |
//!
//! A membership takes one more, beside the slots in the times of one template, whether it is looked up or counted as
//! one that nothing proves; one that is nobody's takes another to be counted. Events for members are shown to
//! those who name a membership or level that may buy them, at what they pay.

mod answer;
mod calendar;
mod load;
mod on_sale;
mod query;
mod templates;
mod times;

use web::routes;
use web::routes::Routes;

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new()
        .routes(routes!(templates::list))
        .routes(routes!(templates::slim_list))
        .routes(routes!(templates::summaries))
        .routes(routes!(templates::read))
        .routes(routes!(times::of_all))
        .routes(routes!(times::of_template))
        .routes(routes!(times::instances))
        .routes(routes!(calendar::of_all))
        .routes(routes!(calendar::of_template))
        .routes(routes!(times::next_available))
        .routes(routes!(times::read_instance))
        .routes(routes!(on_sale::levels))
        .routes(routes!(on_sale::combos))
        .routes(routes!(on_sale::inventory))
}
