//! Answers: an order, or why there is none.

use adapters::keyed_hash::HashKey;
use adapters::order_link::order_token;
use axum::Json;
use axum::response::{IntoResponse, Response};
use domain::order::{AfterSale, Order};
use domain::order_link::link_ends;
use domain::payment::{Decline, DeclineReason};
use domain::{Money, OrderId, Timestamp, Zone};
use sagas::AskedBuyer;
use web::{ApiError, ErrorType, idempotency};
use wire::opened_order::{CompletedOrderView, PlacedOrderView};
use wire::order::OrderView;

/// The order, as it was created: what was done with it since is not part of that answer.
fn created(order: &Order, zone: Zone) -> OrderView {
    let (refunded, after_sale) = (Money::ZERO, AfterSale::default());
    OrderView::new(&Order { refunded, after_sale, ..order.clone() }, zone)
}

/// The order, as it was created.
pub(crate) fn order(order: &Order, zone: Zone) -> Response {
    let view = created(order, zone);
    let mut response = Json(&view).into_response();
    response.extensions_mut().insert(AnsweredOrder { order: order.id.clone(), at: order.created_at, view });
    response
}

/// The order that an answer is about.
#[derive(Debug, Clone)]
struct AnsweredOrder {
    order: OrderId,
    at: Timestamp,
    view: OrderView,
}

/// The answer for the page that paid, with what opens its order and the tickets, as a link in a mail would (decision
/// record 0155). It follows from the order, so that a repetition has the same.
pub(crate) fn for_page(mut response: Response, key: &HashKey) -> Response {
    let Some(AnsweredOrder { order, at, view }) = response.extensions_mut().remove::<AnsweredOrder>() else {
        return response;
    };
    let order_token = opens(key, &order, at);
    let answer = Json(PlacedOrderView { order: view, order_token }).into_response();
    match response.headers().contains_key(idempotency::REPLAYED) {
        true => idempotency::replayed(answer),
        false => answer,
    }
}

/// What opens the order that a checkout began at this time.
fn opens(key: &HashKey, order: &OrderId, at: Timestamp) -> String {
    order_token(key, order, link_ends(at)).expose()
}

/// The order whose buyer was asked, as it was created; for a page, which has the key, with what opens it.
pub(crate) fn completed(order: &Order, zone: Zone, key: Option<&HashKey>) -> CompletedOrderView {
    let order_token = key.map(|key| opens(key, &order.id, order.created_at));
    CompletedOrderView { order: created(order, zone), order_token }
}

/// The order again.
pub(crate) fn replayed(placed: &Order, zone: Zone) -> Response {
    idempotency::replayed(order(placed, zone))
}

/// The refusal of a card, with the codes of processor and bank.
pub(crate) fn declined(decline: &Decline) -> ApiError {
    let kind = match decline.reason {
        DeclineReason::CardDeclined => ErrorType::CardDeclined,
        DeclineReason::InsufficientFunds => ErrorType::InsufficientFunds,
        DeclineReason::IncorrectCvc => ErrorType::IncorrectCvc,
        DeclineReason::ExpiredCard => ErrorType::ExpiredCard,
        DeclineReason::IncorrectZip => ErrorType::IncorrectZip,
        DeclineReason::ProcessorError => ErrorType::PaymentProcessorError,
    };
    ApiError::new(kind).refused_by(decline)
}

/// The time was over; and what came too late was returned, where any did.
pub(crate) fn expired(order: &Order) -> ApiError {
    let refusal = ApiError::new(ErrorType::PaymentExpired);
    match &order.late_money {
        Some(late) if late.returned_at().is_some() => {
            refusal.message("The payment came too late, and the money was returned")
        }
        Some(_) | None => refusal,
    }
}

/// The same again.
pub(crate) fn expired_again(order: &Order) -> Response {
    idempotency::replayed(expired(order).into_response())
}

/// The issuer of the card asks the buyer first: what the page shows the question with.
pub(crate) fn asks_buyer(asked: &AskedBuyer, zone: Zone) -> ApiError {
    let AskedBuyer { order, action, expires_at } = asked;
    let refusal = ApiError::new(ErrorType::PaymentActionRequired)
        .fact("orderId", order)
        .fact("clientSecret", action.client_secret.expose())
        .fact("expiresAt", zone.format(*expires_at));
    match &action.page {
        Some(page) => refusal.fact("challengeUrl", page),
        None => refusal,
    }
}

/// The same again.
pub(crate) fn asks_buyer_again(asked: &AskedBuyer, zone: Zone) -> Response {
    idempotency::replayed(asks_buyer(asked, zone).into_response())
}

/// The refusal of a card again.
pub(crate) fn declined_again(decline: &Decline) -> Response {
    idempotency::replayed(declined(decline).into_response())
}
