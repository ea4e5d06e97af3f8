//! Answering the forms of a cart (spec §2.6).

use crate::update::{MAX_TRIES, refuse_unless_open, try_again};
use crate::{cart_id, fingerprint, live};
use adapters::App;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::cart::FormRefusal;
use domain::form::SentAnswer;
use domain::{CartId, FormResponseId};
use std::ops::ControlFlow::{Break, Continue};
use store::revise;
use web::access::{Caller, Shopper};
use web::cart::response_refused;
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey, idempotency};
use wire::cart::{FormEntryOutput, FormResponseInput};

/// Fill in a form of a cart
///
/// The answers replace those given before, and are compared with the form as it is now. Returns the form's entry
/// in the cart.
#[utoipa::path(
    put,
    path = "/v2/b2c/carts/{id}/forms/{formResponseId}",
    tag = "Carts",
    params(
        ("id" = String, Path, description = "The cart's id"),
        ("formResponseId" = String, Path, description = "The id of the entry in the cart's `forms`"),
        ("Idempotency-Key" = Option<String>, Header, description = "Requests repeated with the same key and body get the same response"),
    ),
    request_body = FormResponseInput,
    responses(
        (status = 200, description = "The entry with its answers", body = FormEntryOutput),
        (status = 400, description = "Answers are missing or do not fit the form", body = ErrorBody),
        (status = 404, description = "There is no such cart, or it has no such form", body = ErrorBody),
        (status = 409, description = "The cart is being or was checked out", body = ErrorBody),
        (status = 413, description = "The answers to all forms of the cart are too long", body = ErrorBody),
    ),
)]
pub(crate) async fn answer_form(
    State(app): State<App>,
    caller: Shopper,
    key: IdempotencyKey,
    Path((id, response)): Path<(String, String)>,
    body: Body<FormResponseInput>,
) -> Result<Response, ApiError> {
    let id = cart_id(&id)?;
    let route = format!("PUT /v2/b2c/carts/{id}/forms/{response}");
    let fingerprint = fingerprint(&app, &caller, &key, &body, &route).await?.unwrap_or_default();
    let fields = body.parse(|checker, input| input.parse(checker))?;
    let answered = answered(&app, &caller, &id, &response, &fields);
    idempotency::once(&app, &caller, &key, &fingerprint, answered).await
}

/// Stores the answers. A cart that changes at the same moment keeps both changes: each is decided on again,
/// on the cart as the other one left it.
async fn answered(
    app: &App,
    caller: &Caller,
    id: &CartId,
    response: &str,
    fields: &[SentAnswer],
) -> Result<FormEntryOutput, ApiError> {
    let now = caller.clock.now();
    let tenant = caller.tenant.id;
    let catalog = app.catalog(tenant).await?;
    let before = live(app.store.load_cart(tenant, id).await?, now)?;
    let (catalog, response) = (&catalog, &FormResponseId::parse(response).map_err(|_| no_such_form())?);
    let exhausted = |_| try_again();
    revise(MAX_TRIES, before, exhausted, |before| async move {
        let after = before.filled_in(catalog.asked(), response, fields, now);
        // An entry that is not there comes first, then a cart that is not open, then faults of the answers.
        let after = match after.map_err(|refusals| response_refused(&refusals)) {
            Err(unknown) if unknown.kind() == ErrorType::NotFound => return Err(unknown),
            after => after,
        };
        refuse_unless_open(app, caller, &before).await?;
        let after = after?;
        match app.store.replace_cart(tenant, &before, &after, app.wall_now()).await? {
            Ok(()) => FormEntryOutput::of(&after, response, catalog.asked().forms)
                .map(Break)
                .ok_or_else(no_such_form),
            Err(current) => Ok(Continue(live(current, now)?)),
        }
    })
    .await
}

fn no_such_form() -> ApiError {
    response_refused(&[FormRefusal::UnknownForm { at: 0 }])
}
