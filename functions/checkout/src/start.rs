//! The beginning of a checkout: what an earlier request did, and all that it is decided by.

use crate::load::{self, Read};
use crate::replay::{Manner, Replay, SentKey};
use crate::{generate, replay};
use adapters::catalog::TenantCatalog;
use adapters::rate_limit::{count, count_card_payment, count_guesses};
use adapters::{AdapterFault, App};
use axum::response::Response;
use domain::card_token::SentCard;
use domain::cart::Cart;
use domain::cart_request::{CartRequest, CartTerms, name_lines};
use domain::checkout::{CartOrigin, CheckoutRequest, Facts, UnpricedCart};
use domain::rate_limit::Activity;
use domain::{CartId, CartItemId, OrderId};
use std::sync::Arc;
use store::checkout::{CartClaim, KeyClaim};
use web::access::Caller;
use web::cart::SentCart;
use web::claims::{ClaimedCart, claimed_cart};
use web::{ApiError, ErrorType};
use wire::cart::CartOutput;

/// The pointer of a cart within the body. For a cart that was sent by its id, it is replaced by that of the id.
pub(crate) const CART: &str = "/shoppingCart";

/// A checkout on its way, with all that it is decided by.
pub(crate) struct Checkout {
    pub(crate) app: App,
    pub(crate) caller: Caller,
    pub(crate) request: Arc<CheckoutRequest>,
    pub(crate) facts: Facts,
    /// What is cached of the tenant's definitions, for names that the cart itself does not have.
    pub(crate) catalog: TenantCatalog,
    pub(crate) claims: Claims,
    pub(crate) sent: SentCart,
    /// Findings of a dry run so far.
    pub(crate) findings: Vec<ApiError>,
}

impl Checkout {
    /// A cart as it is shown to whoever pays.
    pub(crate) fn shown(&self, cart: &Cart) -> CartOutput {
        CartOutput::of(cart, self.catalog.asked().forms, self.caller.tenant.zone)
    }
}

/// What a checkout claims beside what it sells.
pub(crate) struct Claims {
    pub(crate) key: Option<KeyClaim>,
    /// The stored cart, at the version that is priced.
    pub(crate) cart: Option<CartClaim>,
}

/// What the beginning comes to.
pub(crate) enum Start {
    Answer(Box<Response>),
    GoOn(Box<Checkout>),
}

/// Which try of a checkout it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Try {
    First,
    Again,
}

/// A checkout as it is tried.
pub(crate) struct Attempt<'a> {
    pub(crate) request: &'a Arc<CheckoutRequest>,
    pub(crate) key: Option<&'a SentKey>,
    pub(crate) which: Try,
}

/// Loads what a stored cart is decided by.
pub(crate) async fn load_stored(
    app: &App,
    caller: &Caller,
    id: &CartId,
    attempt: &Attempt<'_>,
) -> Result<Start, ApiError> {
    let Attempt { request, key, which } = *attempt;
    let manner = manner(request);
    let load = load::cart_and_record(app, caller, id, key.map(|key| key.hash.as_str()));
    let count = async {
        match which {
            Try::First => count_payment(app, caller, request).await,
            Try::Again => Ok(()),
        }
    };
    let (loaded, allowed) = tokio::join!(load, count);
    let (cart, record) = loaded?;
    let key = match replay::look(app, caller, key, record, manner).await? {
        Replay::Answer(response) => return Ok(Start::Answer(response)),
        Replay::GoOn(claim) => claim.map(|claim| *claim),
    };
    // Behind the repetition of an earlier request, whose answer nobody is kept from.
    allowed?;
    let before = live(cart, caller)?;
    let mut findings = Vec::new();
    let voided_order = match replay::voided_order(app, caller, before.order.as_ref(), manner).await {
        Err(refusal) if request.dry_run => {
            findings.push(refusal);
            None
        }
        voided_order => voided_order?,
    };
    let lines = before.requests();
    let terms = CartTerms { reservation: request.reservation.or(before.reservation), ..before.terms() };
    let wanted = lines.iter().map(|line| &line.wanted);
    let ClaimedCart { terms, mut named } = claimed_cart(app, caller, terms, wanted.clone()).await?;
    named.people = generate::people(&request.billing, wanted);
    let (read, _) = load::fresh(app, caller, &named, None).await?;
    // A reservation of the request is consumed, but does not become the cart's.
    let terms = CartTerms { reservation: before.reservation, ..terms };
    let sent = SentCart::stored(&before, CART, "/shoppingCartId");
    let claim = CartClaim { id: before.id.clone(), version: before.version, voided_order };
    let cart = UnpricedCart { lines, terms, origin: CartOrigin::Stored(Box::new(before)) };
    let (facts, catalog) = facts(app, caller, request, read, cart).await?;
    let claims = Claims { key, cart: Some(claim) };
    let (app, caller, request) = (app.clone(), caller.clone(), Arc::clone(request));
    let checkout = Checkout { app, caller, request, facts, catalog, claims, sent, findings };
    Ok(Start::GoOn(Box::new(checkout)))
}

/// Loads what a cart within the request is decided by.
pub(crate) async fn load_inline(
    app: &App,
    caller: &Caller,
    cart: &CartRequest,
    attempt: &Attempt<'_>,
) -> Result<Start, ApiError> {
    let Attempt { request, key, which: _ } = *attempt;
    let terms =
        CartTerms { reservation: request.reservation.or(cart.terms.reservation), ..cart.terms.clone() };
    let wanted = cart.lines.iter().map(|line| &line.wanted);
    let ClaimedCart { terms, mut named } = claimed_cart(app, caller, terms, wanted.clone()).await?;
    named.people = generate::people(&request.billing, wanted);
    let load = load::fresh(app, caller, &named, key.map(|key| key.hash.as_str()));
    let guesses = count_guesses(app, caller.client(), named.guesses());
    let (loaded, allowed, guesses) = tokio::join!(load, count_payment(app, caller, request), guesses);
    let (read, record) = loaded?;
    let key = match replay::look(app, caller, key, record, manner(request)).await? {
        Replay::Answer(response) => return Ok(Start::Answer(response)),
        Replay::GoOn(claim) => claim.map(|claim| *claim),
    };
    allowed.and(guesses)?;
    read.existing.count_unknown(app, caller).await?;
    let lines = name_lines(&cart.lines, Vec::new(), || app.ids.bytes().map(CartItemId::from_bytes))?;
    let terms = CartTerms { reservation: cart.terms.reservation, ..terms };
    let origin = CartOrigin::Inline {
        id: CartId::from_bytes(app.ids.bytes()?),
        visitor: OrderId::from_bits(app.ids.bits()?).to_string(),
    };
    let (facts, catalog) = facts(app, caller, request, read, UnpricedCart { lines, terms, origin }).await?;
    let claims = Claims { key, cart: None };
    let sent = SentCart::inline(CART, cart.moved.clone());
    let (app, caller, request) = (app.clone(), caller.clone(), Arc::clone(request));
    let checkout = Checkout { app, caller, request, facts, catalog, claims, sent, findings: Vec::new() };
    Ok(Start::GoOn(Box::new(checkout)))
}

/// The facts of a checkout, of what was read and what is generated.
async fn facts(
    app: &App,
    caller: &Caller,
    request: &CheckoutRequest,
    read: Read,
    mut cart: UnpricedCart,
) -> Result<(Facts, TenantCatalog), ApiError> {
    let read = load::strange_slots(app, caller, read).await?;
    let key = app.hash_key(&caller.tenant).await?;
    cart.lines = generate::generated(app, caller.tenant.id, &read.existing, cart.lines, &key)?;
    let payer = (&request.billing).into();
    let known = read.existing.customer_of(caller.tenant.id, &payer);
    let payer = known.or_else(|| generate::customer_of(&payer, &key));
    let catalog = read.catalog.clone();
    Ok((read.into_facts(caller, cart, payer, generate::sale(app)?), catalog))
}

/// A card may be tried so often only, and what needs none be taken so often; who only looks does neither.
async fn count_payment(app: &App, caller: &Caller, request: &CheckoutRequest) -> Result<(), AdapterFault> {
    match &request.card {
        // The processor is asked about it, by a dry run too.
        Some(SentCard::Token(_)) => count_card_payment(app, caller.client()).await,
        Some(SentCard::Number(_)) | None if request.dry_run => Ok(()),
        Some(SentCard::Number(_)) => count_card_payment(app, caller.client()).await,
        None => count(app, caller.client(), Activity::FreeCheckout).await,
    }
}

fn manner(request: &CheckoutRequest) -> Manner {
    if request.dry_run { Manner::Looking } else { Manner::Finishing }
}

fn live(cart: Option<Cart>, caller: &Caller) -> Result<Cart, ApiError> {
    cart.filter(|cart| cart.is_live(caller.clock.now()))
        .ok_or_else(|| ApiError::new(ErrorType::NotFound).detail("/shoppingCartId", "was not found"))
}
