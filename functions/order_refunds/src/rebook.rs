//! `POST /v1/b2b/rebook/orders`: exchanges as clients of before ask for them.

use crate::exchange::{carry_out, resume};
use crate::identity::Identity;
use adapters::App;
use axum::extract::State;
use axum::response::Response;
use domain::order::exchange::ExchangeRequest;
use web::access::{Caller, Staff};
use web::idempotency::once_or_resume;
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey};
use wire::returns::{RebookAnswer, RebookInput};

/// Names the request in fingerprints.
const ROUTE: &str = "POST /v1/b2b/rebook/orders";

/// Exchange tickets by the path of version 1
///
/// As `POST /v2/b2b/exchanges`, of units of several items, all for one event. The fees are owed by the order, unless
/// their count is 0; no card is charged. What let somebody in is refused.
#[utoipa::path(
    post,
    path = "/v1/b2b/rebook/orders",
    tag = "Orders",
    request_body = RebookInput,
    responses(
        (status = 200, description = "The exchange with its order", body = RebookAnswer),
        (status = 400, description = "`VALIDATION_ERROR`; `COMBINATION_NOT_SUPPORTED`: items for different events", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: order, item or event", body = ErrorBody),
        (status = 409, description = "`NOT_EXCHANGEABLE`, `SALES_CLOSED`, `NOT_ENOUGH_CAPACITY`, `REFUND_PENDING`, `TOO_MANY_EXCHANGES`, `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn rebook(
    State(app): State<App>,
    staff: Staff,
    key: IdempotencyKey,
    body: Body<RebookInput>,
) -> Result<Response, ApiError> {
    let identity = Identity::of(&app, &staff, ROUTE, &key, &body).await?;
    let wish = body.parse(|checker, input| input.read(checker))?;
    if let Some(place) = wish.other_event {
        let field = format!("/rebookItems/{place}/rebookToEventId");
        let refusal = ApiError::new(ErrorType::CombinationNotSupported);
        return Err(refusal.detail(field, "must be the same for all items"));
    }
    let resumed = resumed(&app, &staff, &wish.request, &identity);
    let run = run(&app, &staff, &wish.request, &identity);
    once_or_resume(&app, &staff, &key, &identity.fingerprint, resumed, run).await
}

async fn resumed(
    app: &App,
    caller: &Caller,
    request: &ExchangeRequest,
    identity: &Identity,
) -> Result<Option<RebookAnswer>, ApiError> {
    let made = resume(app, caller, request, identity).await.map_err(named)?;
    Ok(made.map(|made| RebookAnswer::new(&made.order, &made.exchange, caller.tenant.zone)))
}

async fn run(
    app: &App,
    caller: &Caller,
    request: &ExchangeRequest,
    identity: &Identity,
) -> Result<RebookAnswer, ApiError> {
    let made = carry_out(app, caller, request, identity).await.map_err(named)?;
    Ok(RebookAnswer::new(&made.order, &made.exchange, caller.tenant.zone))
}

/// A refusal by the names of this request. The event is that of the first item.
fn named(refusal: ApiError) -> ApiError {
    refusal.pointing(|field| {
        if field == "/eventId" {
            return Some("/rebookItems/0/rebookToEventId".to_owned());
        }
        let rest = field.strip_prefix("/items/")?;
        let rest = rest.replace("/itemId", "/orderItemId").replace("/quantity", "/rebookQuantity");
        Some(format!("/rebookItems/{rest}"))
    })
}
