//! `POST /v2/b2b/exchanges`.

use crate::identity::Identity;
use crate::load::load_order;
use crate::refusal::{not_enough, not_exchanged, unknown_order, unknown_order_and_event};
use adapters::App;
use axum::extract::State;
use axum::response::Response;
use domain::admission::taken_out;
use domain::ledger::LedgerRefusal;
use domain::order::exchange::{
    ExchangeFacts, ExchangePlace, ExchangeRefused, ExchangeRequest, Generate, decide_exchange,
};
use domain::order::{Exchange, Order, Ticket};
use domain::outbox::exchange_mail;
use domain::{BarcodeTag, InstanceId, OrderItemId, TicketBarcode, TicketId};
use sagas::after_sale::AfterSaleRefusal;
use sagas::{Exchanged, enqueue_mails};
use std::ops::ControlFlow::{Break, Continue};
use store::after_sale::NewExchange;
use store::{Consistency, revise};
use web::access::{Caller, Staff};
use web::idempotency::once_or_resume;
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey};
use wire::returns::{ExchangeAnswer, ExchangeInput};

/// Names the request in fingerprints.
const ROUTE: &str = "POST /v2/b2b/exchanges";

/// Times an exchange is decided again because its order moved meanwhile.
const MAX_TRIES: usize = 4;

/// Exchange tickets for others of the same template
///
/// The earlier tickets admit nobody any more, and their seats come back on sale; the new ones have barcodes and an
/// order item of their own. The template's `rebookingFee` for each ticket is owed by the order, unless it is waived.
#[utoipa::path(
    post,
    path = "/v2/b2b/exchanges",
    tag = "Orders",
    request_body = ExchangeInput,
    responses(
        (status = 200, description = "The exchange with the new tickets", body = ExchangeAnswer),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: order, item, ticket or event", body = ErrorBody),
        (status = 409, description = "`NOT_EXCHANGEABLE`, `SALES_CLOSED`, `NOT_ENOUGH_CAPACITY`, `REFUND_PENDING`, `TOO_MANY_EXCHANGES`, `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn exchange(
    State(app): State<App>,
    staff: Staff,
    key: IdempotencyKey,
    body: Body<ExchangeInput>,
) -> Result<Response, ApiError> {
    let identity = Identity::of(&app, &staff, ROUTE, &key, &body).await?;
    let request = body.parse(|checker, input| input.read(checker))?;
    let resumed = resumed(&app, &staff, &request, &identity);
    let run = run(&app, &staff, &request, &identity);
    once_or_resume(&app, &staff, &key, &identity.fingerprint, resumed, run).await
}

async fn resumed(
    app: &App,
    caller: &Caller,
    request: &ExchangeRequest,
    identity: &Identity,
) -> Result<Option<ExchangeAnswer>, ApiError> {
    let made = resume(app, caller, request, identity).await.map_err(named)?;
    Ok(made.map(|made| made.answer(caller)))
}

async fn run(
    app: &App,
    caller: &Caller,
    request: &ExchangeRequest,
    identity: &Identity,
) -> Result<ExchangeAnswer, ApiError> {
    Ok(carry_out(app, caller, request, identity).await.map_err(named)?.answer(caller))
}

/// A refusal by the names of this request, which has one item at most.
fn named(refusal: ApiError) -> ApiError {
    refusal.pointing(|field| Some(format!("/{}", field.strip_prefix("/items/0/")?)))
}

/// An exchange that was made.
pub(crate) struct MadeExchange {
    /// The order as it is now.
    pub(crate) order: Order,
    pub(crate) exchange: Exchange,
    /// The tickets that came of it.
    tickets: Vec<Ticket>,
}

impl MadeExchange {
    fn new(order: &Order, exchange: &Exchange, tickets: &[Ticket]) -> Self {
        let tickets = tickets.iter().filter(|ticket| exchange.gave(ticket)).cloned().collect();
        Self { order: order.clone(), exchange: exchange.clone(), tickets }
    }

    fn answer(&self, caller: &Caller) -> ExchangeAnswer {
        ExchangeAnswer::new(&self.order, &self.exchange, &self.tickets, caller.tenant.zone)
    }
}

/// The exchange that an earlier try of this request made; none where there is no such exchange.
///
/// # Errors
/// `REFUND_PENDING` where a refund of the order is under way, beside which no exchange can be.
pub(crate) async fn resume(
    app: &App,
    caller: &Caller,
    request: &ExchangeRequest,
    identity: &Identity,
) -> Result<Option<MadeExchange>, ApiError> {
    let (found, _) = load_order(app, caller, &request.order).await?;
    let Some((order, tickets)) = found else { return Ok(None) };
    match (made_by(&order, identity), order.after_sale.pending()) {
        (Some(made), _) => Ok(Some(MadeExchange::new(&order, made, &tickets))),
        (None, Some(refund)) => Err(AfterSaleRefusal::OtherUnderWay(refund.id.clone()).into()),
        (None, None) => Ok(None),
    }
}

/// The exchange of an order that this request made.
fn made_by<'a>(order: &'a Order, identity: &Identity) -> Option<&'a Exchange> {
    let mut made = order.after_sale.exchanges.iter();
    made.find(|made| made.fingerprint.is_some() && made.fingerprint == identity.repeatable)
}

/// New identities, of an order whose barcodes begin so.
struct Generator<'a> {
    app: &'a App,
    tag: Option<BarcodeTag>,
}

impl Generate for Generator<'_> {
    type Error = ApiError;

    fn item(&mut self) -> Result<OrderItemId, ApiError> {
        Ok(OrderItemId::from_bits(self.app.ids.bits()?))
    }

    fn ticket(&mut self) -> Result<(TicketId, TicketBarcode), ApiError> {
        // An order without tickets has none to exchange.
        let tag = self.tag.as_ref().ok_or_else(|| ApiError::new(ErrorType::Internal))?;
        let barcode = TicketBarcode::beginning_with(tag, self.app.ids.bytes()?);
        Ok((TicketId::from_bits(self.app.ids.bits()?), barcode))
    }
}

/// Makes an exchange, unless an earlier try of the request made it.
///
/// # Errors
/// Why it is not made: what stands against an item is told at `/items/{place}`, what stands against the event at
/// `/eventId`.
pub(crate) async fn carry_out(
    app: &App,
    caller: &Caller,
    request: &ExchangeRequest,
    identity: &Identity,
) -> Result<MadeExchange, ApiError> {
    let tenant = caller.tenant.id;
    let exhausted = |()| ApiError::new(ErrorType::TryAgain).without_effect();
    revise(MAX_TRIES, (), exhausted, |()| async move {
        let seats = async {
            let ledger = app.store.load_ledger(tenant, &request.event, Consistency::Strong);
            ledger.await.map_err(ApiError::from)
        };
        let order = load_order(app, caller, &request.order);
        let ((found, templates), ledger) = tokio::try_join!(order, seats)?;
        let template = templates.iter().find(|template| template.owns(&request.event));
        let Some((order, tickets)) = found else {
            let event = template.zip(ledger.as_ref().filter(|ledger| ledger.exists()));
            return Err(event.map_or_else(unknown_order_and_event, |_| unknown_order()));
        };
        if let Some(earlier) = made_by(&order, identity) {
            return Ok(Break(MadeExchange::new(&order, earlier, &tickets)));
        }
        let facts = ExchangeFacts {
            order: &order,
            tickets: &tickets,
            template,
            ledger: ledger.as_ref(),
            zone: caller.tenant.zone,
            by: &caller.key_label,
            operator: caller.operator(),
            fingerprint: identity.repeatable.clone(),
            now: caller.clock.now(),
        };
        let mut generator = Generator { app, tag: order.barcode_tag(&tickets) };
        let decided = decide_exchange(request, &facts, &mut generator)?;
        let decided = decided.map_err(|refused| not_exchanged(refused, request.event))?;
        let mail = exchange_mail(&order, &decided.exchange);
        let out = taken_out(&order, &tickets, &decided.exchange, Some(caller.key_id()));
        let new = NewExchange {
            decided: &decided,
            event: request.event,
            taken_out: out.as_ref(),
            mail: mail.as_ref(),
        };
        match sagas::exchange(app, &order, new).await? {
            Exchanged::Made(order) => {
                let mails: Vec<_> = mail.into_iter().collect();
                enqueue_mails(app, &order, &mails).await;
                Ok(Break(MadeExchange::new(&order, &decided.exchange, &decided.tickets)))
            }
            Exchanged::Seats(refusal) => Err(no_seats(&refusal, request.event)),
            // Decided again on what there is now.
            Exchanged::OrderMoved => Ok(Continue(())),
        }
    })
    .await
}

fn no_seats(refusal: &LedgerRefusal, event: InstanceId) -> ApiError {
    match refusal {
        LedgerRefusal::UnknownSlot => {
            not_exchanged(ExchangeRefused::Unknown(vec![ExchangePlace::Event]), event)
        }
        LedgerRefusal::Closed => not_exchanged(ExchangeRefused::Closed, event),
        LedgerRefusal::NotEnough { available } => not_enough(*available, event),
        LedgerRefusal::HoldChanged | LedgerRefusal::MustReclaim | LedgerRefusal::TooManyHolds => {
            ApiError::new(ErrorType::TryAgain).without_effect()
        }
    }
}
