//! Finding an order again from a page: a link by mail, the order that it opens, and its mail again (decision record
//! 0155).

use crate::mail_again::sent_again;
use crate::read::is_readable;
use adapters::App;
use adapters::order_link::read_order_token;
use adapters::rate_limit::count;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::Timestamp;
use domain::order::edit::AgainKind;
use domain::order::{Order, Ticket};
use domain::rate_limit::Activity;
use web::access::{Caller, Verifier};
use web::authored::following_bytes;
use web::idempotency::once;
use web::login::{send_order_link, token_refused};
use web::{ApiError, Body, ErrorBody, IdempotencyKey};
use wire::opened_order::{
    OpenedOrderView, OrderLinkInput, OrderLinkRequest, OrderMailedView, OrderTokenInput,
};
use wire::order::MailAgainRequest;

/// Email a link to an order
///
/// If there is a paid order with this number, and the address is that of its payer or contact, a mail goes there with a
/// link that opens the order on the venue's own site, for 24 hours and any number of times. Nobody learns from the answer
/// whether there is such an order. An address that was sent so many links of late gets no further one; the answer is the
/// same.
#[utoipa::path(
    post,
    path = "/v2/b2c/orders/link",
    tag = "Orders",
    request_body = OrderLinkInput,
    responses(
        (status = 204, description = "If there is such an order, its address is sent an email"),
        (status = 400, description = "`VALIDATION_ERROR`: `orderNumber` has not nine digits, or `email` is not an e-mail address", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many requests, for this visitor or by this key", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn send_link(
    State(app): State<App>,
    caller: Verifier,
    body: Body<OrderLinkInput>,
) -> Result<StatusCode, ApiError> {
    let OrderLinkRequest { number, email } = body.parse(|checker, input| input.read(checker))?;
    send_order_link(&app, caller.client(), number, email).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Open an order by its link
///
/// The order as it is now, with its tickets and their barcodes, and without anybody's addresses, phone numbers, remarks
/// or answers to forms. A link opens it any number of times until its 24 hours are over; nothing is stored for it.
#[utoipa::path(
    post,
    path = "/v2/b2c/orders/open",
    tag = "Orders",
    request_body = OrderTokenInput,
    responses(
        (status = 200, description = "The order with its tickets", body = OpenedOrderView),
        (status = 400, description = "`VALIDATION_ERROR`: no `token` was sent; `LOGIN_TOKEN_NOT_VALID`: the token has expired, or is not valid", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many requests, for this visitor or by this key", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn open(
    State(app): State<App>,
    caller: Verifier,
    body: Body<OrderTokenInput>,
) -> Result<Json<OpenedOrderView>, ApiError> {
    let token = body.parse(|checker, input| input.read(checker))?;
    let OpenedOrder { order, tickets, ends } = opened(&app, &caller, &token).await?;
    Ok(Json(OpenedOrderView::new(&order, &tickets, caller.tenant.zone, ends)))
}

/// Have the mail of an opened order sent again
///
/// The confirmation goes where the first one went: receipt and the tickets that admit, at the times their events have by
/// now. It is noted with the order, as when staff have it sent again.
#[utoipa::path(
    post,
    path = "/v2/b2c/orders/open/email",
    tag = "Orders",
    request_body = OrderTokenInput,
    responses(
        (status = 200, description = "Where it goes", body = OrderMailedView),
        (status = 400, description = "`VALIDATION_ERROR`: no `token` was sent; `LOGIN_TOKEN_NOT_VALID`: the token has expired, or is not valid", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: the order is gone", body = ErrorBody),
        (status = 409, description = "`NO_ADDRESS`, `TOO_MANY_MAILS`, `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many requests, for this visitor, or mails of this order", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn mail(
    State(app): State<App>,
    caller: Verifier,
    key: IdempotencyKey,
    body: Body<OrderTokenInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&caller.tenant).await?;
    let fingerprint = body.fingerprint("POST /v2/b2c/orders/open/email", &hash_key);
    // The same mail, however often the request is repeated.
    let number = following_bytes(&app, &hash_key, "mail again", &key, &fingerprint)?;
    let number = u64::from_be_bytes(number);
    let run = async {
        let token = body.parse(|checker, input| input.read(checker))?;
        let OpenedOrder { order, .. } = opened(&app, &caller, &token).await?;
        let wanted = MailAgainRequest { what: Some(AgainKind::Confirmation), to: None };
        let mailed = sent_again(&app, &caller, &order.id, &wanted, number).await?;
        Ok(OrderMailedView { sent_to: last_mailed(&mailed) })
    };
    once(&app, &caller, &key, &fingerprint, run).await
}

/// Where the last mail of an order was sent again, as far as that is shown.
fn last_mailed(order: &Order) -> String {
    let mut mails = order.edits.list.iter().rev().filter_map(|edit| edit.mail.as_ref());
    mails.next().map(|mail| mail.to.clone()).unwrap_or_default()
}

/// An order that a link opened.
struct OpenedOrder {
    order: Order,
    tickets: Vec<Ticket>,
    /// When the link ends.
    ends: Timestamp,
}

/// The order that a token opens. Whatever is wrong with it, the refusal is the same; an altered one is refused before
/// anything is read.
async fn opened(app: &App, caller: &Caller, token: &str) -> Result<OpenedOrder, ApiError> {
    let hash_key = app.hash_key(&caller.tenant).await?;
    let token = read_order_token(&hash_key, token, caller.clock.now());
    let load = async {
        match &token {
            Some(token) => app.store.load_order_with_tickets(caller.tenant.id, &token.order).await,
            None => Ok(None),
        }
    };
    let (allowed, found) = tokio::join!(count(app, caller.client(), Activity::Login), load);
    allowed?;
    let found = found?.filter(|(order, _)| is_readable(order));
    let (token, (order, tickets)) = token.zip(found).ok_or_else(token_refused)?;
    Ok(OpenedOrder { order, tickets, ends: token.ends() })
}
