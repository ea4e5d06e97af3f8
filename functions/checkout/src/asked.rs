//! Orders that were not paid after their buyer was asked, before that is told.

use adapters::App;
use adapters::rate_limit::count_refused_order;
use domain::Timestamp;
use domain::checkout::COMPLETION_SECS;
use domain::order::Order;
use domain::payment::Decline;
use domain::time::plus_secs;
use web::ApiError;
use web::access::Caller;
use web::task::to_the_end;

/// Whether what became of it is told to whoever knows the order: its buyer was asked, not long ago.
pub(crate) fn is_told(order: &Order, now: Timestamp) -> bool {
    order.challenge.is_some() && now < plus_secs(order.created_at, COMPLETION_SECS)
}

/// Counts a card that was refused after its buyer was asked, once for each order, for whoever hears of it first. Before
/// that, its checkout had no refusal to count.
pub(crate) async fn count_refusal(app: &App, caller: &Caller, order: &Order, decline: &Decline) {
    if is_told(order, caller.clock.now()) {
        count_refused_order(app, caller.client(), order, decline).await;
    }
}

/// An order whose time was over. Should its payment have been charged all the same, the money goes back first.
pub(crate) async fn without_late_money(app: &App, order: Order, now: Timestamp) -> Result<Order, ApiError> {
    let working = app.clone();
    to_the_end(async move { Ok(Box::pin(sagas::return_late_money(&working, order, now)).await?) }).await
}
