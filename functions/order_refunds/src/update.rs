//! `POST /v2/b2b/orders/update`: refunds by what is to be left, as clients of before ask for them.

use crate::identity::Identity;
use crate::refund::{Refunded, carry_out, resume};
use adapters::App;
use axum::extract::State;
use axum::response::Response;
use web::access::Staff;
use web::idempotency::once_or_resume;
use web::task::to_the_end;
use web::{ApiError, Body, ErrorBody, IdempotencyKey};
use wire::order::OrderView;
use wire::returns::OrderUpdateInput;

/// Names the request in fingerprints.
const ROUTE: &str = "POST /v2/b2b/orders/update";

/// Lower the quantities of an order
///
/// As `POST /v2/b2b/refunds`, by what is to be left of items: what is more is refunded, all of it or none. Where no
/// quantity is lower than what is left, nothing happens. What let somebody in is refused.
#[utoipa::path(
    post,
    path = "/v2/b2b/orders/update",
    tag = "Orders",
    request_body = OrderUpdateInput,
    responses(
        (status = 200, description = "The order as it is now", body = OrderView),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 402, description = "`REFUND_REFUSED`: refused by the processor or the bank; nothing changed", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: order or item", body = ErrorBody),
        (status = 409, description = "`NOT_REFUNDABLE`, `REFUND_PENDING`, `REFUND_EXCEEDS_REMAINDER`, `REFUND_TOO_LARGE`, `TOO_MANY_REFUNDS`, `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn update(
    State(app): State<App>,
    staff: Staff,
    key: IdempotencyKey,
    body: Body<OrderUpdateInput>,
) -> Result<Response, ApiError> {
    let identity = Identity::of(&app, &staff, ROUTE, &key, &body).await?;
    let request = body.parse(|checker, input| input.read(checker))?;
    to_the_end(async move {
        let zone = staff.tenant.zone;
        let shown = move |done: Refunded| OrderView::for_staff(&done.order, zone);
        let resumed = async {
            let found = resume(&app, &staff, &request, &identity).await;
            found.map(|done| done.map(shown)).map_err(named)
        };
        let run = async { carry_out(&app, &staff, &request, &identity).await.map(shown).map_err(named) };
        once_or_resume(&app, &staff, &key, &identity.fingerprint, resumed, run).await
    })
    .await
}

/// A refusal by the names of this request.
fn named(refusal: ApiError) -> ApiError {
    refusal.pointing(|field| {
        let rest = field.strip_prefix("/items/")?;
        Some(format!("/orderItems/{}", rest.replace("/itemId", "/orderItemId")))
    })
}
