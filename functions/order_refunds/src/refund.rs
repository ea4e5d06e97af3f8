//! `POST /v2/b2b/refunds` and `POST /v2/b2b/refunds/preview`.

use crate::identity::Identity;
use crate::load::Found;
use crate::load::relying_on;
use crate::refusal::not_refunded;
use adapters::App;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use domain::order::refund::{OrderRefundRequest, RefundFacts, decide_refund};
use domain::order::{Order, OrderRefund};
use domain::outbox::refund_mail;
use domain::sale::{SaleRefund, refundable};
use sagas::after_sale::AfterSaleRefusal;
use sagas::{Giving, ReturnOutcome, TakenReturn, check_return, enqueue_mails, finish_return, take_return};
use std::ops::ControlFlow::{Break, Continue};
use store::revise;
use web::access::{Caller, Staff};
use web::idempotency::once_or_resume;
use web::task::to_the_end;
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey};
use wire::returns::{OrderRefundAnswer, OrderRefundInput};

/// Names the request in fingerprints.
const ROUTE: &str = "POST /v2/b2b/refunds";

/// Times a refund is decided again because its order moved meanwhile.
const MAX_TRIES: usize = 4;

/// Refund an order, or part of it
///
/// The whole order, lines, units or single tickets: money goes back to the card, seats and units of add-ons come back
/// on sale, tickets admit nobody any more, and uses of coupons and of member prices, and memberships, are given back
/// with what they were for. All of it happens, or none.
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
        let zone = staff.tenant.zone;
        let shown = move |done: Refunded| -> Result<OrderRefundAnswer, ApiError> {
            Ok(OrderRefundAnswer::new(&done.order, done.made()?, zone))
        };
        let resume = async {
            let found = resume(&app, &staff, &request, &identity).await;
            found.and_then(|done| done.map(shown).transpose())
        };
        let run = async { carry_out(&app, &staff, &request, &identity).await.and_then(shown) };
        once_or_resume(&app, &staff, &key, &identity.fingerprint, resume, run).await
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
    let decided = decided(&staff, &request, &identity, &found)?;
    let (wanted, giving) = decided.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
    check_return(&found.order, &wanted, &giving, staff.clock)?;
    let refunded = found.order.refunded.checked_add(wanted.amount).unwrap_or(found.order.refunded);
    let after_sale = found.order.after_sale.with_refund(wanted.clone());
    let order = Order { refunded, after_sale, ..found.order };
    let relying = relying_on(&app, &staff, &order, &wanted).await?;
    Ok(Json(OrderRefundAnswer::preview(&order, &wanted, staff.tenant.zone, &relying)))
}

/// What is given back and how; none where the request keeps all that is left.
fn decided(
    caller: &Caller,
    request: &OrderRefundRequest,
    identity: &Identity,
    found: &Found,
) -> Result<Option<(OrderRefund, Giving)>, ApiError> {
    let facts = RefundFacts {
        order: &found.order,
        tickets: &found.tickets,
        memberships: &found.memberships,
        messages: &found.messages,
        id: identity.refund.clone(),
        by: &caller.key_label,
        operator: caller.operator(),
        fingerprint: identity.repeatable.clone(),
        now: caller.clock.now(),
    };
    let Some(wanted) = decide_refund(request, &facts).map_err(not_refunded)? else { return Ok(None) };
    let giving = Giving::of(&wanted, found.sale.as_ref())?;
    // What others are giving back of the sale counts as well.
    if let Giving::Money(sale) = &giving {
        refundable(Some(sale), &sale.mid, wanted.amount).map_err(AfterSaleRefusal::Sale)?;
    }
    Ok(Some((wanted, giving)))
}

/// What a request came to, with its order as it is now.
pub(crate) struct Refunded {
    pub(crate) order: Order,
    /// The refund that is done; none where the request kept all that was left.
    refund: Option<OrderRefund>,
}

impl Refunded {
    /// The refund of a request that names what it gives back.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn made(&self) -> Result<&OrderRefund, ApiError> {
        self.refund.as_ref().ok_or_else(|| ApiError::new(ErrorType::Internal))
    }
}

pub(crate) async fn carry_out(
    app: &App,
    caller: &Caller,
    request: &OrderRefundRequest,
    identity: &Identity,
) -> Result<Refunded, ApiError> {
    let moved = AfterSaleRefusal::Contended;
    revise(MAX_TRIES, moved, ApiError::from, |moved| async move {
        let found = Found::load(app, caller, request).await?;
        // An earlier try of this request.
        if let Some(listed) = found.order.after_sale.refund(&identity.refund) {
            let ended = ended(app, caller, &found, listed).await?;
            let unconfirmed = || Continue(AfterSaleRefusal::Unconfirmed(listed.id.clone()));
            return Ok(ended.map_or_else(unconfirmed, Break));
        }
        match progress(caller, &found, found.order.after_sale.pending())? {
            RefundProgress::Ending => return Ok(Continue(moved)),
            RefundProgress::Overdue if finish_overdue(app, caller, &found).await? => {
                return Ok(Continue(moved));
            }
            RefundProgress::Overdue | RefundProgress::Running | RefundProgress::Done => {}
        }
        let Some((wanted, giving)) = decided(caller, request, identity, &found)? else {
            return Ok(Break(Refunded { order: found.order, refund: None }));
        };
        giving.check_processor(app, &caller.tenant)?;
        match take_return(app, &found.order, &wanted, giving, caller.clock).await? {
            TakenReturn::Taken(order, giving) => {
                finished(app, caller, &order, &wanted, giving).await.map(Break)
            }
            // Decided again on what there is now.
            TakenReturn::OrderMoved | TakenReturn::MembershipMoved => Ok(Continue(moved)),
        }
    })
    .await
}

/// What became of the refund that an earlier try of this request took; none where there is no such refund.
pub(crate) async fn resume(
    app: &App,
    caller: &Caller,
    request: &OrderRefundRequest,
    identity: &Identity,
) -> Result<Option<Refunded>, ApiError> {
    let unconfirmed = |()| ApiError::from(AfterSaleRefusal::Unconfirmed(identity.refund.clone()));
    revise(MAX_TRIES, (), unconfirmed, |()| async move {
        let found = Found::load(app, caller, request).await?;
        let Some(listed) = found.order.after_sale.refund(&identity.refund) else { return Ok(Break(None)) };
        let answer = ended(app, caller, &found, listed).await?;
        Ok(answer.map_or(Continue(()), |answer| Break(Some(answer))))
    })
    .await
}

/// A refund that the order lists, which is taken to its end where its handler is dead. None where it was read in the
/// middle of its end: what became of it, the next reading tells.
async fn ended(
    app: &App,
    caller: &Caller,
    found: &Found,
    listed: &OrderRefund,
) -> Result<Option<Refunded>, ApiError> {
    match progress(caller, found, Some(listed))? {
        RefundProgress::Ending => Ok(None),
        RefundProgress::Running => Err(AfterSaleRefusal::Unconfirmed(listed.id.clone()).into()),
        RefundProgress::Overdue | RefundProgress::Done => {
            let giving = Giving::of(listed, found.sale.as_ref())?;
            finished(app, caller, &found.order, listed, giving).await.map(Some)
        }
    }
}

/// Where a refund that an order lists stands.
enum RefundProgress {
    /// Its handler may be at work.
    Running,
    /// Its handler is dead.
    Overdue,
    /// It ended between the readings of order and sale.
    Ending,
    /// It is done, or there is none.
    Done,
}

fn progress(
    caller: &Caller,
    found: &Found,
    listed: Option<&OrderRefund>,
) -> Result<RefundProgress, ApiError> {
    let Some(listed) = listed else { return Ok(RefundProgress::Done) };
    let sale = match Giving::of(listed, found.sale.as_ref())? {
        Giving::Money(sale) => sale,
        Giving::NoMoney => return Ok(RefundProgress::Done),
    };
    Ok(match sale.refunds.get(&listed.id).and_then(SaleRefund::deadline) {
        None => RefundProgress::Ending,
        Some(deadline) if deadline <= caller.clock.now() => RefundProgress::Overdue,
        Some(_) => RefundProgress::Running,
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

/// Takes a refund that the order lists to its end.
async fn finished(
    app: &App,
    caller: &Caller,
    order: &Order,
    wanted: &OrderRefund,
    giving: Giving,
) -> Result<Refunded, ApiError> {
    match finish_return(app, &caller.tenant, order, wanted, giving, caller.clock).await? {
        ReturnOutcome::Returned(order) => {
            let mails: Vec<_> = refund_mail(&order, wanted).into_iter().collect();
            enqueue_mails(app, &order, &mails).await;
            let refund = order.after_sale.refund(&wanted.id).unwrap_or(wanted).clone();
            Ok(Refunded { order: *order, refund: Some(refund) })
        }
        ReturnOutcome::Refused(decline) => Err(AfterSaleRefusal::Declined(decline).into()),
        ReturnOutcome::Undecided => Err(AfterSaleRefusal::Unconfirmed(wanted.id.clone()).into()),
    }
}
