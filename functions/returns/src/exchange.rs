//! `POST /v2/b2b/exchanges`.

use crate::identity::Identity;
use crate::load::load_order;
use crate::refusal::{not_enough, not_exchanged, unknown_order, unknown_order_and_event};
use axum::extract::State;
use axum::response::Response;
use domain::ledger::LedgerRefusal;
use domain::order::exchange::{
    Draw, ExchangeFacts, ExchangePlace, ExchangeRefused, ExchangeRequest, decide_exchange,
};
use domain::order::{Exchange, Order, Ticket};
use domain::outbox::exchange_mail;
use domain::{InstanceId, OrderItemId, TicketBarcode, TicketId};
use platform::access::{Caller, Staff};
use platform::idempotency::once;
use platform::{ApiError, App, Body, ErrorBody, ErrorType, IdempotencyKey};
use sagas::{Exchanged, announce};
use store::Consistency;
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
    let run = Box::pin(carry_out(&app, &staff, &request, &identity));
    once(&app, &staff, &key, &identity.fingerprint, run).await
}

/// New identities.
struct Drawing<'a>(&'a App);

impl Draw for Drawing<'_> {
    type Error = ApiError;

    fn item(&mut self) -> Result<OrderItemId, ApiError> {
        Ok(OrderItemId::from_bits(self.0.ids.bits()?))
    }

    fn ticket(&mut self) -> Result<(TicketId, TicketBarcode), ApiError> {
        Ok((TicketId::from_bits(self.0.ids.bits()?), TicketBarcode::from_bytes(self.0.ids.bytes()?)))
    }
}

async fn carry_out(
    app: &App,
    caller: &Caller,
    request: &ExchangeRequest,
    identity: &Identity,
) -> Result<ExchangeAnswer, ApiError> {
    let tenant = caller.tenant.id;
    for _ in 0..MAX_TRIES {
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
        let mut made = order.after_sale.exchanges.iter();
        let earlier = made.find(|made| made.fingerprint.is_some() && made.fingerprint == identity.repeatable);
        if let Some(earlier) = earlier {
            return Ok(answer(&order, earlier, &tickets, caller));
        }
        let facts = ExchangeFacts {
            order: &order,
            tickets: &tickets,
            template,
            ledger: ledger.as_ref(),
            zone: caller.tenant.zone,
            by: &caller.key_label,
            fingerprint: identity.repeatable.clone(),
            now: caller.clock.now(),
        };
        let decided = decide_exchange(request, &facts, &mut Drawing(app))?;
        let decided = decided.map_err(|refused| not_exchanged(refused, request.event))?;
        let mail = exchange_mail(&order, &decided.exchange);
        match sagas::exchange(app, &order, &decided, request.event, mail.as_ref()).await? {
            Exchanged::Made(order) => {
                let mails: Vec<_> = mail.into_iter().collect();
                announce(app, &order, &mails).await;
                return Ok(answer(&order, &decided.exchange, &decided.tickets, caller));
            }
            Exchanged::Seats(refusal) => return Err(no_seats(&refusal, request.event)),
            // Decided again on what there is now.
            Exchanged::OrderMoved => {}
        }
    }
    Err(ApiError::new(ErrorType::TryAgain).without_effect())
}

/// An exchange with those of the order's tickets that came of it.
fn answer(order: &Order, exchange: &Exchange, tickets: &[Ticket], caller: &Caller) -> ExchangeAnswer {
    let new: Vec<Ticket> = tickets.iter().filter(|ticket| exchange.gave(ticket)).cloned().collect();
    ExchangeAnswer::new(order, exchange, &new, caller.tenant.zone)
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
