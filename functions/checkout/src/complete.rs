//! What became of an order whose buyer the issuer of the card asked (decision record 0146).

use crate::{answer, asked};
use adapters::App;
use adapters::rate_limit::count;
use axum::Json;
use axum::extract::{Path, State};
use domain::OrderId;
use domain::rate_limit::Activity;
use sagas::ChargeOutcome;
use web::access::Storefront;
use web::task::to_the_end;
use web::{ApiError, ErrorBody, ErrorType};
use wire::opened_order::CompletedOrderView;

/// Complete a checkout whose buyer was asked
///
/// After the page has shown what the issuer of the card asks: the processor says what the buyer answered. It may be
/// repeated, and answers for an hour after the checkout.
#[utoipa::path(
    post, path = "/v2/b2c/checkout/{orderId}/complete", tag = "Checkout",
    params(("orderId" = String, Path, description = "The order, as `PAYMENT_ACTION_REQUIRED` named it")),
    responses(
        (status = 200, description = "The order; to a page with its `orderToken`.", body = CompletedOrderView),
        (status = 402, description = "`PAYMENT_ACTION_REQUIRED`: the buyer has not answered yet; or the card was declined, and everything was released.", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: no order whose buyer was asked within the last hour.", body = ErrorBody),
        (status = 409, description = "`PAYMENT_EXPIRED`: the time was over, and everything was released; `REQUEST_IN_PROGRESS`: the processor is still at work.", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: it was asked too often.", body = ErrorBody),
    )
)]
pub(crate) async fn complete_checkout(
    State(app): State<App>,
    caller: Storefront,
    Path(id): Path<String>,
) -> Result<Json<CompletedOrderView>, ApiError> {
    let (tenant, zone, now) = (caller.tenant.id, caller.tenant.zone, caller.clock.now());
    let unknown = || ApiError::new(ErrorType::NotFound).message("There is no such order");
    let id = OrderId::parse(&id).map_err(|_| unknown())?;
    let count = count(&app, caller.client(), Activity::Completion);
    let (order, allowed) = tokio::join!(app.store.load_order(tenant, &id), count);
    allowed?;
    let order = order?.filter(|order| asked::is_told(order, now)).ok_or_else(unknown)?;
    // A server needs none: its key reads orders.
    let hash_key = if caller.scope.is_page() { Some(app.hash_key(&caller.tenant).await?) } else { None };
    let working = app.clone();
    let outcome =
        to_the_end(async move { Ok(Box::pin(sagas::recover(&working, order, now)).await?) }).await?;
    match outcome {
        ChargeOutcome::Paid(order) => Ok(Json(answer::completed(&order, zone, hash_key.as_deref()))),
        ChargeOutcome::AsksBuyer(asked) => Err(answer::asks_buyer(&asked, zone)),
        ChargeOutcome::Declined { order, decline } => {
            asked::count_refusal(&app, &caller, &order, &decline).await;
            Err(answer::declined(&decline))
        }
        ChargeOutcome::Expired(order) => {
            Err(answer::expired(&asked::without_late_money(&app, *order, now).await?))
        }
        // Their buyer was not asked.
        ChargeOutcome::Voided => Err(unknown()),
        ChargeOutcome::Undecided => Err(ApiError::new(ErrorType::RequestInProgress)),
    }
}
