//! `PUT /v2/b2c/orders/{id}` and `PUT /v2/b2b/orders/{orderId}`: contacts put right.

use crate::named::numbered;
use crate::read::{is_readable, not_found};
use adapters::App;
use axum::extract::State;
use axum::response::Response;
use domain::OrderId;
use std::ops::ControlFlow::{Break, Continue};
use store::edit::plan_edit;
use store::revise;
use web::access::{Caller, CounterStaff};
use web::authored::Target;
use web::idempotency::{Tagged, once_tagged};
use web::{ApiError, Body, ErrorBody, ErrorType, IfMatch};
use wire::order::{ContactsChange, OrderContactsInput, OrderView};

/// Names the request in fingerprints, with the order behind it.
const ROUTE: &str = "PUT /v2/b2b/orders";

/// Times contacts are put right again because the order moved meanwhile.
const EDIT_TRIES: usize = 4;

/// Put the contacts of an order right
///
/// Nine digits are read as an order number first, then as an id. Names, addresses, e-mail, phone, where the tickets go,
/// remarks; all other fields are ignored. Nothing else follows: neither the customer nor the cards of a membership, and
/// no mail. The order is found by its new contacts at once, and no longer by the old ones.
#[utoipa::path(
    put,
    path = "/v2/b2c/orders/{id}",
    tag = "Orders",
    params(("id" = String, Path, description = "The order, by its number or its id")),
    request_body = OrderContactsInput,
    security(("apiKey" = []), ("staffSession" = [])),
    responses(
        (status = 200, description = "The order, with its `ETag`", body = OrderView),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: unknown or not paid", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: it was changed since", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn put_for_counter(
    State(app): State<App>,
    staff: CounterStaff,
    target: Target,
    body: Body<OrderContactsInput>,
) -> Result<Response, ApiError> {
    put(&app, &staff, target, body).await
}

/// Put the contacts of an order right, for the back office
///
/// Nine digits are read as an order number first, then as an id. Names, addresses, e-mail, phone, where the tickets go,
/// remarks; all other fields are ignored.
#[utoipa::path(
    put,
    path = "/v2/b2b/orders/{orderId}",
    tag = "Orders",
    params(("orderId" = String, Path, description = "The order, by its number or its id")),
    request_body = OrderContactsInput,
    responses(
        (status = 200, description = "The order, with its `ETag`", body = OrderView),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: unknown or not paid", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: it was changed since", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn put_for_staff(
    State(app): State<App>,
    staff: CounterStaff,
    target: Target,
    body: Body<OrderContactsInput>,
) -> Result<Response, ApiError> {
    put(&app, &staff, target, body).await
}

async fn put(
    app: &App,
    caller: &Caller,
    Target { id, key, if_match }: Target,
    body: Body<OrderContactsInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&caller.tenant).await?;
    let fingerprint = body.fingerprint(&format!("{ROUTE}/{id}"), &hash_key);
    let change = body.parse(|checker, input| input.read(checker))?;
    let run = async {
        let id = numbered(&app.store, caller.tenant.id, &id).await?.ok_or_else(not_found)?;
        put_right(app, caller, &id, &change, &if_match).await
    };
    once_tagged(app, caller, &key, &fingerprint, run).await
}

async fn put_right(
    app: &App,
    caller: &Caller,
    id: &OrderId,
    change: &ContactsChange,
    if_match: &IfMatch,
) -> Result<Tagged<OrderView>, ApiError> {
    let (tenant, zone) = (caller.tenant.id, caller.tenant.zone);
    let exhausted = |()| ApiError::new(ErrorType::TryAgain).without_effect();
    revise(EDIT_TRIES, (), exhausted, |()| async move {
        let order = app.store.load_order(tenant, id).await?.filter(is_readable).ok_or_else(not_found)?;
        if_match.check(&order.contacts().revision())?;
        let after = order.put_right(change.apply(&order), caller.clock.now(), caller.acted_by());
        if let Some(after) = &after {
            let plan = plan_edit(&order, after)?;
            if app.store.commit(&plan, &app.ids.attempt_token()?).await?.is_err() {
                // Decided again on what it is now.
                return Ok(Continue(()));
            }
        }
        let order = after.unwrap_or(order);
        let revision = Some(order.contacts().revision());
        Ok(Break(Tagged { body: OrderView::for_staff(&order, zone), revision }))
    })
    .await
}
