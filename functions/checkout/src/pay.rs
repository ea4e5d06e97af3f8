//! The checkout: load, decide, secure, charge, answer.

use crate::contended::decided;
use crate::dry_run;
use crate::replay::SentKey;
use crate::sell::Halt;
use crate::start::{Attempt, Checkout, Start, Try, load_inline, load_stored};
use adapters::App;
use adapters::rate_limit::count;
use axum::response::Response;
use domain::CartId;
use domain::cart::{Cart, CartLease};
use domain::checkout::{CartOrigin, CartSource, CheckoutRefusal, CheckoutRequest, Decision, Stage, priced};
use domain::rate_limit::Activity;
use std::sync::Arc;
use store::{Key, Placed};
use web::access::Caller;
use web::task::to_the_end;
use web::{ApiError, ErrorType};

/// Tries of a checkout whose cart others change meanwhile. After the first, the cart is leased.
const MAX_TRIES: usize = 4;

/// Pays for a cart. One that is changed meanwhile is priced again, and leased for it, so that whoever pays gets
/// past those who save.
pub(crate) async fn check_out(
    app: &App,
    caller: &Caller,
    request: CheckoutRequest,
    key: Option<SentKey>,
) -> Result<Response, ApiError> {
    let request = Arc::new(request);
    let mut which = Try::First;
    let mut kept = None;
    for _ in 0..MAX_TRIES {
        // In a box, so that what a try carries on its stack ends with it.
        let attempt = Attempt { request: &request, key: key.as_ref(), which };
        let tried = Box::pin(check_out_once(app, caller, attempt)).await;
        which = Try::Again;
        match (tried, &request.source) {
            (Ok(response), _) => return Ok(response),
            (Err(Halt::Refused(refusal)), _) => {
                end_lease(app, kept).await;
                return Err(refusal);
            }
            (Err(Halt::CartMoved), CartSource::Stored(id)) => {
                kept = lease_cart(app, caller, id, kept).await?
            }
            (Err(Halt::CartMoved), CartSource::Inline(_)) => break,
        }
    }
    end_lease(app, kept).await;
    Err(ApiError::new(ErrorType::TryAgain).without_effect())
}

/// Leases a cart for this checkout, if no other does.
async fn lease_cart(
    app: &App,
    caller: &Caller,
    id: &CartId,
    kept: Option<LeasedCart>,
) -> Result<Option<LeasedCart>, ApiError> {
    let by = match kept {
        Some(LeasedCart { cart: _, lease }) => lease.by,
        None => app.ids.attempt_token()?,
    };
    let lease = CartLease::begin(by, app.wall_now());
    let cart = Cart::place(caller.tenant.id, id);
    let is_kept = app.store.lease_cart(&cart, &lease, app.wall_now()).await?;
    Ok(is_kept.then_some(LeasedCart { cart, lease }))
}

/// A cart that this checkout leases.
struct LeasedCart {
    cart: Key,
    lease: CartLease,
}

/// Gives the cart free for those who save it. Where that fails, its moment ends by itself.
async fn end_lease(app: &App, kept: Option<LeasedCart>) {
    let Some(LeasedCart { cart, lease }) = kept else { return };
    if let Err(fault) = app.store.end_cart_lease(&cart, &lease).await {
        tracing::warn!(%fault, "a cart stays still for a few seconds");
    }
}

async fn check_out_once(app: &App, caller: &Caller, attempt: Attempt<'_>) -> Result<Response, Halt> {
    // In a box, so that the rest of the checkout does not carry the state of its beginning on its stack.
    let start = match &attempt.request.source {
        CartSource::Stored(id) => Box::pin(load_stored(app, caller, id, &attempt)).await?,
        CartSource::Inline(cart) => Box::pin(load_inline(app, caller, cart, &attempt)).await?,
    };
    let checkout = match start {
        Start::Answer(response) => return Ok(*response),
        Start::GoOn(checkout) => *checkout,
    };
    if checkout.request.dry_run {
        return Ok(dry_run::report(checkout).await?);
    }
    sell(checkout).await
}

/// Decides a checkout and carries it out.
async fn sell(mut checkout: Checkout) -> Result<Response, Halt> {
    let decided = Box::pin(decided(&mut checkout)).await?;
    if gives_away(&checkout, &decided) {
        // The card is not charged, and changes nothing of how often something is given away.
        count(&checkout.app, checkout.caller.client(), Activity::FreeCheckout).await?;
    }
    let decision = match decided {
        Ok(decision) => decision,
        Err(CheckoutRefusal::PriceRose(cart)) => return Err(show_price(&checkout, *cart).await),
        Err(refusal) => return Err(checkout.answer_to(&refusal).into()),
    };
    to_the_end(async move {
        match checkout.run(decision).await {
            Err(Halt::Refused(refusal)) => Err(refusal),
            Err(Halt::CartMoved) => Ok(Err(Halt::CartMoved)),
            Ok(response) => Ok(Ok(response)),
        }
    })
    .await?
}

/// Whether a card was sent for a cart that turns out to cost nothing.
fn gives_away(checkout: &Checkout, decided: &Result<Decision, CheckoutRefusal>) -> bool {
    let Checkout { caller, request, facts, .. } = checkout;
    let total = match decided {
        Ok(decision) => Some(decision.cart.shown_total),
        Err(refusal) if refusal.stage() == Stage::Cart => None,
        Err(_) => priced(facts, request, caller.clock.now()).ok().map(|cart| cart.shown_total),
    };
    request.card.is_some() && total.is_some_and(|total| total.is_zero())
}

/// Shows a total that rose since the visitor saw it; the cart is stored at the new prices, so that a second try passes
/// (contract §6). Whether storing it succeeds or its answer is lost, the visitor is told the new price: otherwise the
/// second try could charge a price nobody saw.
async fn show_price(checkout: &Checkout, cart: Cart) -> Halt {
    let Checkout { app, caller, facts, .. } = checkout;
    let shown = |cart: Cart| {
        let output = checkout.shown(&cart);
        let refusal = checkout.answer_to(&CheckoutRefusal::PriceRose(Box::new(cart)));
        Halt::Refused(refusal.fact("cart", output))
    };
    let CartOrigin::Stored(before) = &facts.cart.origin else { return shown(cart) };
    let written = app.store.replace_cart(caller.tenant.id, before, &cart, app.wall_now()).await;
    match written {
        Ok(Ok(())) => shown(cart),
        // An earlier try stored it, and its answer was lost.
        Ok(Err(Some(current))) if current.shown_total == cart.shown_total => shown(current),
        Ok(Err(_)) => Halt::CartMoved,
        Err(fault) => {
            tracing::warn!(%fault, "a cart may not be stored at its new prices");
            shown(cart)
        }
    }
}
