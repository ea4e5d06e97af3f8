//! `POST /v2/b2b/b2b/refunds` and `POST /v1/b2b/b2b/refunds`: refunds as clients of before ask for them.

use crate::identity::Identity;
use crate::load::load_order;
use crate::refund::{Refunded, carry_out, resume};
use crate::refusal::unknown_order;
use adapters::App;
use axum::extract::State;
use axum::response::Response;
use domain::order::refund::OrderRefundRequest;
use web::access::{Caller, Staff};
use web::idempotency::once_or_resume;
use web::task::to_the_end;
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey};
use wire::returns::{GivenRefund, GivenRefundAnswer, GivenRefundInput};

/// Names the request in fingerprints, by whichever path it came.
const ROUTE: &str = "POST /v2/b2b/b2b/refunds";

/// Refund an order, or items of it
///
/// As `POST /v2/b2b/refunds`, with tickets named by their barcodes. What let somebody in is refused.
#[utoipa::path(
    post,
    path = "/v2/b2b/b2b/refunds",
    tag = "Orders",
    request_body = GivenRefundInput,
    responses(
        (status = 200, description = "The refund with its order", body = GivenRefundAnswer),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 402, description = "`REFUND_REFUSED`: refused by the processor or the bank; nothing changed", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: order, item or ticket", body = ErrorBody),
        (status = 409, description = "`NOT_REFUNDABLE`, `REFUND_PENDING`, `REFUND_EXCEEDS_REMAINDER`, `REFUND_TOO_LARGE`, `TOO_MANY_REFUNDS`, `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn refund(
    State(app): State<App>,
    staff: Staff,
    key: IdempotencyKey,
    body: Body<GivenRefundInput>,
) -> Result<Response, ApiError> {
    give_back(app, staff, key, body).await
}

/// Refund an order, or items of it, by the path of version 1
///
/// As `POST /v2/b2b/refunds`, with tickets named by their barcodes. What let somebody in is refused.
#[utoipa::path(
    post,
    path = "/v1/b2b/b2b/refunds",
    tag = "Orders",
    request_body = GivenRefundInput,
    responses(
        (status = 200, description = "The refund with its order", body = GivenRefundAnswer),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 402, description = "`REFUND_REFUSED`: refused by the processor or the bank; nothing changed", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: order, item or ticket", body = ErrorBody),
        (status = 409, description = "`NOT_REFUNDABLE`, `REFUND_PENDING`, `REFUND_EXCEEDS_REMAINDER`, `REFUND_TOO_LARGE`, `TOO_MANY_REFUNDS`, `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn refund_v1(
    State(app): State<App>,
    staff: Staff,
    key: IdempotencyKey,
    body: Body<GivenRefundInput>,
) -> Result<Response, ApiError> {
    give_back(app, staff, key, body).await
}

async fn give_back(
    app: App,
    staff: Staff,
    key: IdempotencyKey,
    body: Body<GivenRefundInput>,
) -> Result<Response, ApiError> {
    let identity = Identity::of(&app, &staff, ROUTE, &key, &body).await?;
    let wish = body.parse(|checker, input| input.read(checker))?;
    to_the_end(async move {
        let resumed = resumed(&app, &staff, &wish, &identity);
        let run = run(&app, &staff, &wish, &identity);
        once_or_resume(&app, &staff, &key, &identity.fingerprint, resumed, run).await
    })
    .await
}

/// What an earlier try of this request gave back; none where there is none. Which tickets it named does not matter: by
/// now they are gone.
async fn resumed(
    app: &App,
    caller: &Caller,
    wish: &GivenRefund,
    identity: &Identity,
) -> Result<Option<GivenRefundAnswer>, ApiError> {
    let untold = GivenRefund { items: None, ..wish.clone() };
    let request = untold.request(&[]).map_err(|_| ApiError::new(ErrorType::Internal))?;
    let found = resume(app, caller, &request, identity).await.map_err(named)?;
    found.map(|done| shown(&done, caller)).transpose()
}

async fn run(
    app: &App,
    caller: &Caller,
    wish: &GivenRefund,
    identity: &Identity,
) -> Result<GivenRefundAnswer, ApiError> {
    let request = requested(app, caller, wish).await?;
    let done = carry_out(app, caller, &request, identity).await.map_err(named)?;
    shown(&done, caller)
}

fn shown(done: &Refunded, caller: &Caller) -> Result<GivenRefundAnswer, ApiError> {
    Ok(GivenRefundAnswer::new(&done.order, done.made()?, caller.tenant.zone))
}

/// The refund with its tickets by their ids, for which the order is read where barcodes are named.
async fn requested(app: &App, caller: &Caller, wish: &GivenRefund) -> Result<OrderRefundRequest, ApiError> {
    let tickets = if wish.names_tickets() {
        let (found, _) = load_order(app, caller, &wish.order).await?;
        let (_, tickets) = found.ok_or_else(unknown_order)?;
        tickets
    } else {
        Vec::new()
    };
    wish.request(&tickets).map_err(|unknown| {
        unknown.into_iter().fold(ApiError::new(ErrorType::NotFound), |error, [item, ticket]| {
            error.detail(format!("/refundItems/{item}/ticketUUIDs/{ticket}"), "was not found")
        })
    })
}

/// A refusal by the names of this request.
fn named(refusal: ApiError) -> ApiError {
    refusal.pointing(|field| {
        if field == "/wholeOrder" {
            return Some("/orderId".to_owned());
        }
        let rest = field.strip_prefix("/items/")?;
        let rest = rest.replace("/itemId", "/orderItemId").replace("/ticketIds", "/ticketUUIDs");
        Some(format!("/refundItems/{rest}"))
    })
}
