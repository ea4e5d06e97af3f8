//! `POST /v2/b2b/orders/{orderNumber}/email`: the mail again.

use crate::named::numbered;
use crate::read::{is_readable, not_found};
use adapters::App;
use adapters::rate_limit::count_mail_again;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::OrderId;
use domain::order::Order;
use domain::order::edit::{MAX_MAILS_AGAIN, MailedAgain, masked_address};
use domain::outbox::{AgainMail, AgainRefusal, OutboxMail, again};
use sagas::enqueue_mails;
use std::ops::ControlFlow::{Break, Continue};
use store::edit::{PutRightRefusal, plan_mail_again};
use store::{give_way, revise};
use web::access::{Caller, CounterStaff};
use web::authored::following_bytes;
use web::idempotency::once;
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey};
use wire::order::{MailAgainInput, MailAgainRequest, OrderView};

/// Names the request in fingerprints, with the order behind it.
const ROUTE: &str = "POST /v2/b2b/orders/email";

/// Times it is tried again because the order moved meanwhile.
const SEND_TRIES: usize = 8;

/// Have the mail of an order sent again
///
/// It is made of the order as it is now: only tickets that admit, at the times their events have by now. Sent to another
/// address, the order keeps its own. It is noted with the order, with the address masked.
#[utoipa::path(
    post,
    path = "/v2/b2b/orders/{orderNumber}/email",
    tag = "Orders",
    params(("orderNumber" = String, Path, description = "The order, by its number or its id")),
    request_body = MailAgainInput,
    responses(
        (status = 200, description = "The order", body = OrderView),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: unknown or not paid", body = ErrorBody),
        (status = 409, description = "`NO_ADDRESS`, `NOTHING_TO_SEND`, `TOO_MANY_MAILS`, `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many mails of this order or by this key", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn send(
    State(app): State<App>,
    staff: CounterStaff,
    Path(named): Path<String>,
    key: IdempotencyKey,
    body: Body<MailAgainInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint(&format!("{ROUTE}/{named}"), &hash_key);
    // The same mail, however often the request is repeated.
    let number = following_bytes(&app, &hash_key, "mail again", &key, &fingerprint)?;
    let number = u64::from_be_bytes(number);
    let request = body.parse(|checker, input| input.read(checker))?;
    let run = async {
        let id = numbered(&app.store, staff.tenant.id, &named).await?.ok_or_else(not_found)?;
        let order = sent_again(&app, &staff, &id, &request, number).await?;
        Ok(OrderView::for_staff(&order, staff.tenant.zone))
    };
    once(&app, &staff, &key, &fingerprint, run).await
}

/// The order, whose mail is sent again as a mail of this number.
pub(crate) async fn sent_again(
    app: &App,
    caller: &Caller,
    id: &OrderId,
    request: &MailAgainRequest,
    number: u64,
) -> Result<Order, ApiError> {
    let (tenant, now) = (caller.tenant.id, caller.clock.now());
    let Some(what) = request.what else {
        return app.store.load_order(tenant, id).await?.filter(is_readable).ok_or_else(not_found);
    };
    let load = app.store.load_order_with_tickets(tenant, id);
    let (allowed, found) = tokio::join!(count_mail_again(app, caller.client(), id), load);
    allowed?;
    let exhausted = |_| ApiError::new(ErrorType::TryAgain).without_effect();
    revise(SEND_TRIES, (found?, 0_u32), exhausted, |(found, lost)| async move {
        let (order, tickets) = found.filter(|(order, _)| is_readable(order)).ok_or_else(not_found)?;
        let mail = again(&order, &tickets, number, what, request.to.clone(), now).map_err(refused)?;
        let after = noted(&order, &mail, caller);
        let plan = plan_mail_again(&order, &after, &mail, now)?;
        let Err(refusals) = app.store.commit(&plan, &app.ids.attempt_token()?).await? else {
            enqueue_mails(app, &after, &[mail]).await;
            return Ok(Break(after));
        };
        if refusals.iter().any(|one| one.refusal == PutRightRefusal::MailThere) {
            // An earlier try of this very request had it sent.
            return Ok(Break(order));
        }
        // Decided again on what it is now, when those who met have parted.
        let lost = lost.saturating_add(1);
        give_way(lost, app.ids.bits()?).await;
        Ok(Continue((app.store.load_order_with_tickets(tenant, id).await?, lost)))
    })
    .await
}

/// The order with a note of the mail.
fn noted(order: &Order, mail: &OutboxMail, caller: &Caller) -> Order {
    match &mail.again {
        Some(AgainMail { what, to, at }) => {
            let mailed = MailedAgain { what: *what, to: masked_address(to) };
            order.mailed_again(mailed, *at, caller.acted_by())
        }
        None => order.clone(),
    }
}

fn refused(refusal: AgainRefusal) -> ApiError {
    match refusal {
        AgainRefusal::NoAddress => ApiError::new(ErrorType::NoAddress),
        AgainRefusal::NothingToSend => ApiError::new(ErrorType::NothingToSend),
        AgainRefusal::TooMany => {
            let message = format!("The mails of an order are sent again {MAX_MAILS_AGAIN} times at most");
            ApiError::new(ErrorType::TooManyMails).message(message)
        }
    }
}
