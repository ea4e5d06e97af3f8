//! `POST /v2/b2b/refunds` and `POST /v2/b2b/refunds/preview`.

use crate::identity::Identity;
use crate::load::Found;
use crate::load::relying_on;
use crate::refusal::{in_parts, not_refunded, refused_by_sale};
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use domain::order::refund::{RefundFacts, RefundRequest, decide_refund};
use domain::order::{Order, OrderRefund};
use domain::outbox::refund_mail;
use domain::sale::{SaleRefund, refundable};
use platform::access::{Caller, Staff};
use platform::idempotency::once;
use platform::task::to_the_end;
use platform::{ApiError, App, Body, ErrorBody, ErrorType, IdempotencyKey};
use sagas::{
    Giving, ReturnOutcome, TakenReturn, announce, check_return, finish_return, refund_declined,
    refund_pending, take_return,
};
use wire::returns::{OrderRefundAnswer, OrderRefundInput};

/// Names the request in fingerprints.
const ROUTE: &str = "POST /v2/b2b/refunds";

/// Times a refund is decided again because its order moved meanwhile.
const MAX_TRIES: usize = 4;

/// Refund an order, or part of it
///
/// The whole order, lines, units or single tickets: money goes back to the card, seats and pieces come back on sale,
/// tickets admit nobody any more, and uses of coupons and of member prices, and memberships, are given back with what
/// they were for. All of it happens, or none.
#[utoipa::path(
    post,
    path = "/v2/b2b/refunds",
    tag = "Orders",
    request_body = OrderRefundInput,
    responses(
        (status = 200, description = "The refund, and the state of its order", body = OrderRefundAnswer),
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
    body: Body<OrderRefundInput>,
) -> Result<Response, ApiError> {
    let identity = Identity::of(&app, &staff, ROUTE, &key, &body).await?;
    let request = body.parse(|checker, input| input.read(checker))?;
    to_the_end(async move {
        let run = Box::pin(carry_out(&app, &staff, &request, &identity));
        once(&app, &staff, &key, &identity.fingerprint, run).await
    })
    .await
}

/// Preview a refund, without effect
///
/// The same body as a refund, and the same refusals.
#[utoipa::path(
    post,
    path = "/v2/b2b/refunds/preview",
    tag = "Orders",
    request_body = OrderRefundInput,
    responses(
        (status = 200, description = "The refund as it would be now, with `state` `Preview`", body = OrderRefundAnswer),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: order, item or ticket", body = ErrorBody),
        (status = 409, description = "`NOT_REFUNDABLE`, `REFUND_PENDING`, `REFUND_EXCEEDS_REMAINDER`, `REFUND_TOO_LARGE`, `TOO_MANY_REFUNDS`", body = ErrorBody),
    ),
)]
pub(crate) async fn preview(
    State(app): State<App>,
    staff: Staff,
    body: Body<OrderRefundInput>,
) -> Result<Json<OrderRefundAnswer>, ApiError> {
    let identity = Identity::of_once(&app)?;
    let request = body.parse(|checker, input| input.read(checker))?;
    let found = Found::load(&app, &staff, &request).await?;
    let (wanted, giving) = decided(&staff, &request, &identity, &found)?;
    check_return(&found.order, &wanted, &giving, staff.clock).map_err(in_parts)?;
    let refunded = found.order.refunded.checked_add(wanted.amount).unwrap_or(found.order.refunded);
    let after_sale = found.order.after_sale.with_refund(wanted.clone());
    let order = Order { refunded, after_sale, ..found.order };
    let relying = relying_on(&app, &staff, &order, &wanted).await?;
    Ok(Json(OrderRefundAnswer::preview(&order, &wanted, staff.tenant.zone, &relying)))
}

fn decided(
    caller: &Caller,
    request: &RefundRequest,
    identity: &Identity,
    found: &Found,
) -> Result<(OrderRefund, Giving), ApiError> {
    let facts = RefundFacts {
        order: &found.order,
        tickets: &found.tickets,
        memberships: &found.memberships,
        messages: &found.messages,
        id: identity.refund.clone(),
        by: &caller.key_label,
        fingerprint: identity.repeatable.clone(),
        now: caller.clock.now(),
    };
    let wanted = decide_refund(request, &facts).map_err(not_refunded)?;
    let giving = Giving::of(&wanted, found.sale.as_ref())?;
    // What others are giving back of the sale counts as well.
    if let Giving::Money(sale) = &giving {
        refundable(Some(sale), &sale.mid, wanted.amount).map_err(refused_by_sale)?;
    }
    Ok((wanted, giving))
}

async fn carry_out(
    app: &App,
    caller: &Caller,
    request: &RefundRequest,
    identity: &Identity,
) -> Result<OrderRefundAnswer, ApiError> {
    let mut moved = ApiError::new(ErrorType::TryAgain).without_effect();
    for _ in 0..MAX_TRIES {
        let found = Found::load(app, caller, request).await?;
        let listed = found.order.after_sale.refund(&identity.refund);
        let under_way = listed.or_else(|| found.order.after_sale.pending());
        match (listed, standing(caller, &found, under_way)?) {
            // Read in the middle of its end: what became of it, the next reading tells.
            (Some(listed), Standing::Ending) => {
                moved = refund_pending(&listed.id);
                continue;
            }
            (None, Standing::Ending) => continue,
            (Some(listed), Standing::Running) => return Err(refund_pending(&listed.id)),
            // An earlier try of this request.
            (Some(listed), Standing::Overdue | Standing::Done) => {
                let giving = Giving::of(listed, found.sale.as_ref())?;
                return finished(app, caller, &found.order, listed, giving).await;
            }
            (None, Standing::Overdue) if finish_overdue(app, caller, &found).await? => continue,
            (None, Standing::Overdue | Standing::Running | Standing::Done) => {}
        }
        let (wanted, giving) = decided(caller, request, identity, &found)?;
        giving.check_processor(app, &caller.tenant)?;
        let taken = take_return(app, &found.order, &wanted, giving, caller.clock).await;
        match taken.map_err(in_parts)? {
            TakenReturn::Taken(order, giving) => {
                return finished(app, caller, &order, &wanted, giving).await;
            }
            TakenReturn::Refused(refusal) => return Err(refused_by_sale(refusal)),
            // Decided again on what there is now.
            TakenReturn::OrderMoved | TakenReturn::MembershipMoved => {}
        }
    }
    Err(moved)
}

/// Where a refund that an order lists stands.
enum Standing {
    /// Its handler may be at work.
    Running,
    /// Its handler is dead.
    Overdue,
    /// It ended between the readings of order and sale.
    Ending,
    /// It is done, or there is none.
    Done,
}

fn standing(caller: &Caller, found: &Found, listed: Option<&OrderRefund>) -> Result<Standing, ApiError> {
    let Some(listed) = listed else { return Ok(Standing::Done) };
    let sale = match Giving::of(listed, found.sale.as_ref())? {
        Giving::Money(sale) => sale,
        Giving::NoMoney => return Ok(Standing::Done),
    };
    Ok(match sale.refunds.get(&listed.id).and_then(SaleRefund::deadline) {
        None => Standing::Ending,
        Some(deadline) if deadline <= caller.clock.now() => Standing::Overdue,
        Some(_) => Standing::Running,
    })
}

/// Finishes the refund that is under way; whether it did.
async fn finish_overdue(app: &App, caller: &Caller, found: &Found) -> Result<bool, ApiError> {
    let Some(pending) = found.order.after_sale.pending() else { return Ok(false) };
    let giving = Giving::of(pending, found.sale.as_ref())?;
    match finish_return(app, &caller.tenant, &found.order, pending, giving, caller.clock).await? {
        ReturnOutcome::Returned(_) | ReturnOutcome::Refused(_) => Ok(true),
        ReturnOutcome::Undecided => Ok(false),
    }
}

/// Takes a refund that the order lists to its end, and answers it.
async fn finished(
    app: &App,
    caller: &Caller,
    order: &Order,
    wanted: &OrderRefund,
    giving: Giving,
) -> Result<OrderRefundAnswer, ApiError> {
    match finish_return(app, &caller.tenant, order, wanted, giving, caller.clock).await? {
        ReturnOutcome::Returned(order) => {
            let mails: Vec<_> = refund_mail(&order, wanted).into_iter().collect();
            announce(app, &order, &mails).await;
            let done = order.after_sale.refund(&wanted.id).unwrap_or(wanted);
            Ok(OrderRefundAnswer::new(&order, done, caller.tenant.zone))
        }
        ReturnOutcome::Refused(decline) => Err(refund_declined(&decline)),
        ReturnOutcome::Undecided => Err(refund_pending(&wanted.id)),
    }
}
