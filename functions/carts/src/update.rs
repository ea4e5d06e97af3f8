//! Changing and deleting a cart.

use crate::live;
use domain::cart::Cart;
use domain::cart_request::{CartRequest, name_lines};
use domain::form::AskedForms;
use domain::pricing::{CatalogView, Tried, price};
use domain::{CartId, CartItemId};
use platform::access::Caller;
use platform::cart::{Explain, Named, forms_refused, pricing_refused};
use platform::rate_limit::count_unknown_coupons;
use platform::{ApiError, App, ErrorType};
use store::{Consistency, Key};
use wire::cart::CartOutput;

/// Tries of a write that meets another one: a cart is one visitor's, so few can meet.
pub(crate) const MAX_TRIES: usize = 3;

/// Replaces the lines of a cart. Of two updates at once both succeed, one after the other: each replaces the
/// whole list, so the later one stands.
pub(crate) async fn replace(
    app: &App,
    caller: &Caller,
    id: &CartId,
    (request, Explain(explain)): (&CartRequest, Explain),
) -> Result<CartOutput, ApiError> {
    let now = caller.clock.now();
    let tenant = caller.tenant.id;
    let known = app.definitions(tenant).await?;
    let wanted = request.lines.iter().map(|line| &line.wanted);
    let named = Named::of((&request.terms, &known.coupons), wanted);
    let key = Key::cart(tenant, id);
    let load = app.store.get_many(named.keys(tenant).chain([key.clone()]), Consistency::Strong);
    let (found, allowed) = tokio::join!(load, count_unknown_coupons(app, caller, named.unknown_codes));
    allowed?;
    let mut found = found?;
    let mut before = live(found.take(&key)?, now)?;
    let existing = named.take(&mut found, tenant)?;
    let catalog = app.catalog_of(tenant, existing.ledgers.values()).await?;
    let buyer = existing.buyer(caller.tenant.zone);
    let view = CatalogView::of_ledgers(catalog.view(), buyer, existing.ledgers.values());
    let view = (&view, catalog.asked());
    for _ in 0..MAX_TRIES {
        refuse_unless_open(app, caller, &before).await?;
        let (after, traces) = existing.check_with(decide(app, (&before, request), view, caller), "")?;
        match app.store.replace_cart(caller.tenant.id, (&before, &after), app.wall_now()).await? {
            Ok(()) => {
                let output = CartOutput::from(&after);
                return Ok(if explain { output.explained(&traces) } else { output });
            }
            Err(current) => before = live(current, now)?,
        }
    }
    Err(ApiError::new(ErrorType::TryAgain))
}

/// Refuses a cart that is or was checked out.
pub(crate) async fn refuse_unless_open(app: &App, caller: &Caller, cart: &Cart) -> Result<(), ApiError> {
    let pointer = (caller.tenant.id, cart.order.as_ref());
    Box::pin(sagas::open_again(app, pointer, caller.clock.now())).await.map(|_| ())
}

fn decide(
    app: &App,
    (before, request): (&Cart, &CartRequest),
    (view, asked): (&CatalogView<'_>, AskedForms<'_>),
    caller: &Caller,
) -> Result<(Cart, Vec<Vec<Tried>>), ApiError> {
    let now = caller.clock.now();
    let lines = name_lines(&request.lines, &before.lines, || app.ids.bytes().map(CartItemId::from_bytes))?;
    let priced = price(&lines, &request.terms, view, now);
    let mut priced = priced.map_err(|refusals| pricing_refused(&refusals, ""))?;
    let traces = std::mem::take(&mut priced.traces);
    let after = before.replaced(request.terms.clone(), priced, now).asking(asked);
    let after = after.answering(asked, &request.forms).map_err(|refusals| forms_refused(&refusals, ""))?;
    Ok((after, traces))
}

/// Deletes a cart and answers it as it was.
pub(crate) async fn delete(app: &App, caller: &Caller, id: &CartId) -> Result<CartOutput, ApiError> {
    let now = caller.clock.now();
    let mut before = live(app.store.load_cart(caller.tenant.id, id).await?, now)?;
    for _ in 0..MAX_TRIES {
        refuse_unless_open(app, caller, &before).await?;
        match app.store.delete_cart(caller.tenant.id, &before).await? {
            Ok(()) => return Ok(CartOutput::from(&before)),
            Err(current) => before = live(current, now)?,
        }
    }
    Err(ApiError::new(ErrorType::TryAgain))
}
