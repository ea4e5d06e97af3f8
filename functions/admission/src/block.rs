//! `POST /v2/b2b/admissions/blocks`.

use crate::answer::busy;
use crate::device::by_order;
use crate::identity::{Identity, actor};
use crate::side_by_side::side_by_side;
use adapters::App;
use axum::extract::State;
use axum::response::Response;
use domain::admission::BlockRequest;
use domain::{OrderId, TicketId};
use sagas::admission::{DoorBlock, DoorQuestion, WantedTickets, block as put_block};
use std::collections::BTreeMap;
use web::access::{Caller, CounterStaff};
use web::idempotency::once;
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey};
use wire::admission::{BlockTicketsInput, BlockWish, BlockedTicketsView, NamedTicket, TicketAdmissionsView};

/// Names the request in fingerprints.
const ROUTE: &str = "POST /v2/b2b/admissions/blocks";

/// Block tickets, or take that back
///
/// A blocked ticket opens no door: it was lost, stolen, or charged back. It can be refunded and exchanged, and the ticket
/// that takes its place is not blocked.
#[utoipa::path(
    post,
    path = "/v2/b2b/admissions/blocks",
    tag = "Admission",
    request_body = BlockTicketsInput,
    responses(
        (status = 200, description = "The tickets as they are now", body = BlockedTicketsView),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: order or ticket; nothing is blocked", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn block(
    State(app): State<App>,
    staff: CounterStaff,
    key: IdempotencyKey,
    body: Body<BlockTicketsInput>,
) -> Result<Response, ApiError> {
    let identity = Identity::of(&app, &staff, ROUTE, &key, &body).await?;
    let wish = body.parse(|checker, input| input.read(checker))?;
    let work = block_all(&app, &staff, &identity, &wish);
    once(&app, &staff, &key, &identity.fingerprint, work).await
}

async fn block_all(
    app: &App,
    caller: &Caller,
    identity: &Identity,
    wish: &BlockWish,
) -> Result<BlockedTicketsView, ApiError> {
    let orders = by_order(&wish.tickets);
    if orders.len() > 1 {
        check_all(app, caller, &wish.tickets).await?;
    }
    let work = orders.into_iter().map(|(order, tickets)| {
        let (app, caller, identity, reason) =
            (app.clone(), caller.clone(), identity.clone(), wish.blocked.clone());
        async move { block_of_order(&app, &caller, &identity, Asked { order, tickets, reason }).await }
    });
    let blocked = side_by_side(work.collect()).await?;
    let mut shown: BTreeMap<NamedTicket, TicketAdmissionsView> = blocked.into_iter().flatten().collect();
    Ok(BlockedTicketsView { tickets: wish.tickets.iter().filter_map(|named| shown.remove(named)).collect() })
}

/// Some tickets of one order.
struct Asked {
    order: OrderId,
    tickets: Vec<TicketId>,
    reason: Option<String>,
}

async fn block_of_order(
    app: &App,
    caller: &Caller,
    identity: &Identity,
    asked: Asked,
) -> Result<Vec<(NamedTicket, TicketAdmissionsView)>, ApiError> {
    let Asked { order, tickets, reason } = asked;
    let request = BlockRequest {
        id: identity.of_order(app, &order)?,
        reason,
        actor: actor(caller, None),
        now: caller.clock.now(),
    };
    let wanted = WantedTickets::Ids(tickets.clone());
    let question = DoorQuestion { order: &order, wanted: &wanted, event: None };
    let blocked = put_block(app, &caller.tenant, &question, &request).await.map_err(busy)?;
    let all: Vec<NamedTicket> =
        tickets.into_iter().map(|ticket| NamedTicket { order: order.clone(), ticket }).collect();
    match blocked {
        Ok(blocked) => Ok(shown(&blocked, all, caller)),
        Err(_) => {
            check_all(app, caller, &all).await?;
            // It is there by now.
            Err(ApiError::new(ErrorType::TryAgain).without_effect())
        }
    }
}

/// The tickets that the order has.
fn shown(
    blocked: &DoorBlock,
    named: Vec<NamedTicket>,
    caller: &Caller,
) -> Vec<(NamedTicket, TicketAdmissionsView)> {
    let DoorBlock { door, scans } = blocked;
    let view = |named: NamedTicket| {
        let counting = door.order.successor_of(&named.ticket);
        let ticket = door.tickets.iter().find(|ticket| ticket.id == *counting)?;
        let view = TicketAdmissionsView::new(&door.order, ticket, scans, caller.tenant.zone);
        Some((named, view))
    };
    named.into_iter().filter_map(view).collect()
}

/// Refuses tickets that are not there: nothing is written then, of several orders either.
async fn check_all(app: &App, caller: &Caller, named: &[NamedTicket]) -> Result<(), ApiError> {
    let work = by_order(named).into_keys().map(|order| {
        let (app, tenant) = (app.clone(), caller.tenant.id);
        async move {
            let found = app.store.load_order_with_tickets(tenant, &order).await;
            let found = found.map_err(|fault| busy(fault.into()))?;
            let paid = found.filter(|(order, _)| order.paid_at().is_some());
            let tickets = paid.map(|(order, tickets)| {
                let ids = tickets.into_iter().map(|ticket| ticket.id).collect::<Vec<TicketId>>();
                (order.id, ids)
            });
            Ok::<_, ApiError>(tickets)
        }
    });
    let found: BTreeMap<OrderId, Vec<TicketId>> =
        side_by_side(work.collect()).await?.into_iter().flatten().collect();
    let missing_field = |named: &NamedTicket| match found.get(&named.order) {
        None => Some("orderId"),
        Some(tickets) if !tickets.contains(&named.ticket) => Some("ticketId"),
        Some(_) => None,
    };
    let places = named.iter().enumerate();
    let missing = places.filter_map(|(place, named)| Some((place, missing_field(named)?)));
    let fault = missing.fold(None, |error: Option<ApiError>, (place, field)| {
        let error = error.unwrap_or_else(|| ApiError::new(ErrorType::NotFound));
        Some(error.detail(format!("/tickets/{place}/{field}"), "was not found"))
    });
    fault.map_or(Ok(()), Err)
}
