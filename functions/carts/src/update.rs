//! Changing and deleting a cart.

use crate::live;
use domain::cart::Cart;
use domain::cart_request::{CartRequest, name_lines};
use domain::channel::Channel;
use domain::pricing::{CatalogView, price};
use domain::{CartId, CartItemId};
use platform::access::Caller;
use platform::cart::pricing_refused;
use platform::clock::wall_now;
use platform::{ApiError, App, ErrorType};
use wire::cart::CartOutput;

/// Tries of a write that meets another one: a cart is one visitor's, so few can meet.
const MAX_TRIES: usize = 3;

/// Replaces the lines of a cart. Of two updates at once both succeed, one after the other: each replaces the
/// whole list, so the later one stands.
pub(crate) async fn replace(
    app: &App,
    caller: &Caller,
    id: &CartId,
    request: &CartRequest,
) -> Result<CartOutput, ApiError> {
    let now = caller.clock.now();
    let instances = request.instances();
    let (found, ledgers) = app.store.load_cart_and_ledgers((caller.tenant.id, id), &instances).await?;
    let mut before = live(found, now)?;
    let catalog = app.catalog_of(caller.tenant.id, &ledgers).await?;
    let view = CatalogView::of_ledgers(catalog.view(), Channel::Online, &ledgers);
    for _ in 0..MAX_TRIES {
        refuse_unless_open(app, caller, &before).await?;
        let after = decide(app, (&before, request), &view, caller)?;
        match app.store.replace_cart(caller.tenant.id, (&before, &after), wall_now()).await? {
            Ok(()) => return Ok(CartOutput::from(&after)),
            Err(current) => before = live(current, now)?,
        }
    }
    Err(ApiError::new(ErrorType::TryAgain))
}

async fn refuse_unless_open(app: &App, caller: &Caller, cart: &Cart) -> Result<(), ApiError> {
    let pointer = (caller.tenant.id, cart.order.as_ref());
    Box::pin(sagas::open_again(app, pointer, caller.clock.now())).await.map(|_| ())
}

fn decide(
    app: &App,
    (before, request): (&Cart, &CartRequest),
    view: &CatalogView<'_>,
    caller: &Caller,
) -> Result<Cart, ApiError> {
    let now = caller.clock.now();
    let lines = name_lines(&request.lines, &before.lines, || app.ids.bytes().map(CartItemId::from_bytes))?;
    let priced = price(&lines, &request.terms, view, now);
    let priced = priced.map_err(|refusals| pricing_refused(&refusals, ""))?;
    Ok(before.replaced(request.terms.clone(), priced, now))
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
