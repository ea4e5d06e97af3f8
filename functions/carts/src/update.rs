//! Changing and deleting a cart.

use crate::{definitions_for, live};
use adapters::App;
use adapters::rate_limit::count_guesses;
use domain::cart::{AskedForms, Cart};
use domain::cart_request::{CartRequest, name_lines};
use domain::pricing::{CatalogView, ExplainedLines, PricingCatalog, Tried, price_explained};
use domain::{CartId, CartItemId, TenantId};
use std::ops::ControlFlow::{Break, Continue};
use store::{Consistency, Placed, revise};
use web::access::Caller;
use web::cart::{Explain, StockFacts, forms_refused, pricing_refused};
use web::claims::{ClaimedCart, claimed_cart};
use web::{ApiError, ErrorType};
use wire::cart::CartOutput;

/// Tries of a write that meets another one: a cart is one visitor's, so few can meet.
pub(crate) const MAX_TRIES: usize = 3;

/// From so many seconds on it is worth a write that a cart lives longer.
const PROLONGED_FROM_SECS: i64 = 60;

/// Replaces the lines of a cart. Of two updates at once both succeed, one after the other: each replaces the
/// whole list, so the later one stands.
pub(crate) async fn replace(
    app: &App,
    caller: &Caller,
    id: &CartId,
    mut request: CartRequest,
    Explain(explain): Explain,
) -> Result<CartOutput, ApiError> {
    let now = caller.clock.now();
    let tenant = caller.tenant.id;
    let wanted = request.lines.iter().map(|line| &line.wanted);
    let ClaimedCart { terms, named } = claimed_cart(app, caller, request.terms, wanted).await?;
    request.terms = terms;
    let known = app.definitions(tenant).await?;
    let named = named.with_stock(&known.inventory);
    let load = app.store.get_many(named.keys(tenant).chain([Cart::place(tenant, id)]), Consistency::Strong);
    let (found, allowed) = tokio::join!(load, count_guesses(app, caller.client(), named.guesses()));
    allowed?;
    let mut found = found?;
    let before = live(found.take_one(tenant, id)?, now)?;
    let existing = named.take(&mut found, tenant, caller.clock.now())?;
    existing.count_unknown(app, caller).await?;
    let catalog = app.catalog_of(tenant, existing.ledgers.values()).await?;
    let context = existing.pricing_context(caller);
    let view = CatalogView::of_ledgers(catalog.view(), context, existing.ledgers.values());
    let asked = catalog.asked();
    let PricingCatalog { inventory, coupons, .. } = catalog.view();
    let offer = &StockFacts { existing: &existing, inventory, coupons };
    let (request, existing, view) = (&request, &existing, &view);
    let exhausted = |_| try_again();
    revise(MAX_TRIES, before, exhausted, |before| async move {
        refuse_unless_open(app, caller, &before).await?;
        let (after, traces) = existing.check_with(decide(app, &before, request, view, asked, caller), "")?;
        offer.check(&after, now)?;
        Ok(match write(app, tenant, &before, after).await? {
            Ok(after) => {
                let output = CartOutput::of(&after, asked.forms, caller.tenant.zone);
                Break(if explain { output.explained(&traces) } else { output })
            }
            Err(current) => Continue(live(current, now)?),
        })
    })
    .await
}

/// Others changed the cart at every try.
pub(crate) fn try_again() -> ApiError {
    ApiError::new(ErrorType::TryAgain)
}

/// Writes the next version of a cart. One that says the same stays the version it is, so that a checkout beside it is
/// not disturbed; it is written only to live longer, and not for the sake of a few seconds.
async fn write(
    app: &App,
    tenant: TenantId,
    before: &Cart,
    after: Cart,
) -> Result<Result<Cart, Option<Cart>>, ApiError> {
    let after = before.prolonged(&after).unwrap_or(after);
    let grows_secs = (after.expires_at - before.expires_at).num_seconds();
    if after.version == before.version && grows_secs < PROLONGED_FROM_SECS {
        return Ok(Ok(after));
    }
    let written = app.store.replace_cart(tenant, before, &after, app.wall_now()).await?;
    Ok(written.map(|()| after))
}

/// Refuses a cart that is or was checked out, or is being priced for it.
pub(crate) async fn refuse_unless_open(app: &App, caller: &Caller, cart: &Cart) -> Result<(), ApiError> {
    if cart.lease.as_ref().is_some_and(|lease| lease.is_live(app.wall_now())) {
        return Err(ApiError::new(ErrorType::RequestInProgress));
    }
    let pointer = cart.order.as_ref();
    Box::pin(sagas::open_again(app, caller.tenant.id, pointer, caller.clock.now())).await?;
    Ok(())
}

fn decide(
    app: &App,
    before: &Cart,
    request: &CartRequest,
    view: &CatalogView<'_>,
    asked: AskedForms<'_>,
    caller: &Caller,
) -> Result<(Cart, Vec<Vec<Tried>>), ApiError> {
    let now = caller.clock.now();
    let fresh = || app.ids.bytes().map(CartItemId::from_bytes);
    let lines = name_lines(&request.lines, before.requests(), fresh)?;
    let explained = price_explained(&lines, &request.terms, view, now);
    let explained = explained.map_err(|refusals| pricing_refused(&refusals, &request.terms, ""))?;
    let ExplainedLines { priced, traces } = explained;
    let after = before.replaced(request.terms.clone(), priced, now).asking(asked);
    let after = after.answering(asked, &request.forms).map_err(|refusals| forms_refused(&refusals, ""))?;
    Ok((after, traces))
}

/// Deletes a cart and answers it as it was.
pub(crate) async fn delete(app: &App, caller: &Caller, id: &CartId) -> Result<CartOutput, ApiError> {
    let now = caller.clock.now();
    let before = live(app.store.load_cart(caller.tenant.id, id).await?, now)?;
    // Before it is gone, so that an answer that cannot be made leaves it there.
    let known = &definitions_for(app, caller, &before).await?;
    let exhausted = |_| try_again();
    revise(MAX_TRIES, before, exhausted, |before| async move {
        refuse_unless_open(app, caller, &before).await?;
        Ok(match app.store.delete_cart(caller.tenant.id, &before).await? {
            Ok(()) => Break(CartOutput::of(&before, &known.forms, caller.tenant.zone)),
            Err(current) => Continue(live(current, now)?),
        })
    })
    .await
}
