//! The checkout: load, decide, secure, charge, answer.

use crate::load::Facts;
use crate::replay::{Manner, Replay, SentKey};
use crate::sell::{Checkout, Halt, Sale};
use crate::{decide, draw, dry_run, entitled, load, replay};
use axum::response::Response;
use domain::cart::{Cart, Still};
use domain::cart_request::{CartRequest, CartTerms, LineRequest, name_lines};
use domain::checkout::{CartSource, CheckoutRequest, OrderFacts, order_of};
use domain::order::{ConsumedReservation, Order};
use domain::rate_limit::Activity;
use domain::{CartId, CartItemId, InstanceId, OrderId, SaleId, Zone};
use platform::access::Caller;
use platform::authored::attempt_token;
use platform::cart::{Existing, SentCart, check_size, forms_incomplete, forms_refused};
use platform::claims::{ClaimedCart, claimed_cart};
use platform::rate_limit::{count, count_card_payment, count_guesses};
use platform::task::to_the_end;
use platform::{ApiError, App, ErrorType};
use std::sync::Arc;
use store::Key;
use store::checkout::{CartClaim, KeyClaim};
use wire::cart::CartOutput;

/// Tries of a checkout whose cart others change meanwhile. After the first, the cart is kept still.
const MAX_TRIES: usize = 4;

/// The cart as it is sold, and what is known of the stored one.
struct Opened {
    cart: Cart,
    stored: Option<StoredCart>,
}

struct StoredCart {
    before: Cart,
    claim: CartClaim,
}

/// A checkout whose cart is read.
struct Loaded {
    /// The cart at the prices of this moment, or why it has none.
    opened: Result<Opened, ApiError>,
    facts: Facts,
    claim: Option<KeyClaim>,
    /// Findings of a dry run so far.
    findings: Vec<ApiError>,
    sent: SentCart,
}

/// What the load of a cart comes to.
enum Start {
    Answer(Box<Response>),
    GoOn(Box<Loaded>),
}

/// Which try of a checkout it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Try {
    First,
    Again,
}

/// A checkout as it is tried.
struct Attempt<'a> {
    request: &'a Arc<CheckoutRequest>,
    key: Option<&'a SentKey>,
    which: Try,
}

/// Pays for a cart. One that is changed meanwhile is priced again, and kept still for it, so that whoever pays gets
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
                let_move(app, kept).await;
                return Err(refusal);
            }
            (Err(Halt::CartMoved), CartSource::Stored(id)) => {
                kept = keep_still(app, caller, id, kept).await?
            }
            (Err(Halt::CartMoved), CartSource::Inline(_)) => break,
        }
    }
    let_move(app, kept).await;
    Err(ApiError::new(ErrorType::TryAgain).without_effect())
}

/// Keeps a cart still for this checkout, if no other does.
async fn keep_still(
    app: &App,
    caller: &Caller,
    id: &CartId,
    kept: Option<KeptStill>,
) -> Result<Option<KeptStill>, ApiError> {
    let by = match kept {
        Some(KeptStill { cart: _, still }) => still.by,
        None => attempt_token(app)?,
    };
    let still = Still::begin(by, app.wall_now());
    let cart = Key::cart(caller.tenant.id, id);
    let is_kept = app.store.keep_cart_still(&cart, &still, app.wall_now()).await?;
    Ok(is_kept.then_some(KeptStill { cart, still }))
}

/// A cart that this checkout keeps still.
struct KeptStill {
    cart: Key,
    still: Still,
}

/// Gives the cart free for those who save it. Where that fails, its moment ends by itself.
async fn let_move(app: &App, kept: Option<KeptStill>) {
    let Some(KeptStill { cart, still }) = kept else { return };
    if let Err(fault) = app.store.let_cart_move(&cart, &still).await {
        tracing::warn!(%fault, "a cart stays still for a few seconds");
    }
}

async fn check_out_once(app: &App, caller: &Caller, attempt: Attempt<'_>) -> Result<Response, Halt> {
    let Attempt { request, key, which: _ } = attempt;
    // In a box, so that the rest of the checkout does not carry the state of its beginning on its stack.
    let start = match &request.source {
        CartSource::Stored(id) => Box::pin(load_stored(app, caller, id, &attempt)).await?,
        CartSource::Inline(cart) => Box::pin(load_inline(app, caller, cart, request, key)).await?,
    };
    let Loaded { opened, facts, claim, findings, sent } = match start {
        Start::Answer(response) => return Ok(*response),
        Start::GoOn(loaded) => *loaded,
    };
    if request.dry_run {
        let opened =
            opened.map(|opened| (opened.cart, opened.stored.map(|stored| stored.before.shown_total)));
        return Ok(dry_run::report(app, caller, request, &facts, &sent, opened, findings).await?);
    }
    let sold = sell(app, caller, request, opened, facts, claim).await;
    sold.map_err(|halt| match halt {
        Halt::Refused(refusal) => Halt::Refused(sent.pointed(refusal)),
        Halt::CartMoved => Halt::CartMoved,
    })
}

async fn sell(
    app: &App,
    caller: &Caller,
    request: &Arc<CheckoutRequest>,
    opened: Result<Opened, ApiError>,
    facts: Facts,
    claim: Option<KeyClaim>,
) -> Result<Response, Halt> {
    let opened = opened?;
    decide::check_coupons(&opened.cart)?;
    decide::check_not_empty(&opened.cart)?;
    decide::check_holders(&opened.cart, &facts)?;
    check_price(app, caller, request, &opened).await?;
    forms_incomplete(&opened.cart.incomplete_forms(&facts.forms), &request.source)?;
    if request.card.is_some() && opened.cart.shown_total.is_zero() {
        // The card is not charged, and changes nothing of how often something is given away.
        count(app, caller, Activity::FreeCheckout).await?;
    }
    let sale = decide_sale(app, caller, request, &opened, &facts).await?;
    let (app, caller, cart) = (app.clone(), caller.clone(), opened.cart);
    let checkout = Checkout { app, caller, sale, claim, cart, facts };
    let request = Arc::clone(request);
    to_the_end(async move {
        match checkout.run(&request).await {
            Err(Halt::Refused(refusal)) => Err(refusal),
            Err(Halt::CartMoved) => Ok(Err(Halt::CartMoved)),
            Ok(response) => Ok(Ok(response)),
        }
    })
    .await?
}

async fn load_stored(
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
    let claim = match replay::look(app, caller, key, record, manner).await? {
        Replay::Answer(response) => return Ok(Start::Answer(response)),
        Replay::GoOn(claim) => claim.map(|claim| *claim),
    };
    // Behind the repetition of an earlier request, whose answer nobody is kept from.
    allowed?;
    let before = live(cart, caller)?;
    let mut findings = Vec::new();
    let undone_order = match replay::undone_order(app, caller, before.order.as_ref(), manner).await {
        Err(refusal) if request.dry_run => {
            findings.push(refusal);
            None
        }
        undone_order => undone_order?,
    };
    let requests = before.requests();
    let terms = CartTerms { reservation: request.reservation.or(before.reservation), ..before.terms() };
    let wanted = requests.iter().map(|line| &line.wanted);
    let ClaimedCart { terms, mut named } = claimed_cart(app, caller, terms, wanted.clone()).await?;
    named.people = draw::people(&request.billing, wanted);
    let (facts, _) = load::facts(app, caller, &named, None).await?;
    let facts = load::strange_slots(app, caller, facts).await?;
    let hash_key = app.hash_key(&caller.tenant).await?;
    let requests = draw::drawn(app, caller.tenant.id, &facts.existing, requests, &hash_key)?;
    // A reservation of the request is consumed, but does not become the cart's.
    let terms = CartTerms { reservation: before.reservation, ..terms };
    let opened = reopened(before.clone(), terms, undone_order, &requests, &facts, caller);
    let sent = SentCart::stored(&before, "/shoppingCart", "/shoppingCartId");
    Ok(Start::GoOn(Box::new(Loaded { opened, facts, claim, findings, sent })))
}

async fn load_inline(
    app: &App,
    caller: &Caller,
    cart: &CartRequest,
    request: &CheckoutRequest,
    key: Option<&SentKey>,
) -> Result<Start, ApiError> {
    let terms =
        CartTerms { reservation: request.reservation.or(cart.terms.reservation), ..cart.terms.clone() };
    let wanted = cart.lines.iter().map(|line| &line.wanted);
    let ClaimedCart { terms, mut named } = claimed_cart(app, caller, terms, wanted.clone()).await?;
    named.people = draw::people(&request.billing, wanted);
    let load = load::facts(app, caller, &named, key.map(|key| key.hash.as_str()));
    let guesses = count_guesses(app, caller, named.guesses());
    let (loaded, allowed, guesses) = tokio::join!(load, count_payment(app, caller, request), guesses);
    let (facts, record) = loaded?;
    let claim = match replay::look(app, caller, key, record, manner(request)).await? {
        Replay::Answer(response) => return Ok(Start::Answer(response)),
        Replay::GoOn(claim) => claim.map(|claim| *claim),
    };
    allowed.and(guesses)?;
    facts.existing.count_unknown(app, caller).await?;
    let facts = load::strange_slots(app, caller, facts).await?;
    let lines = name_lines(&cart.lines, Vec::new(), || app.ids.bytes().map(CartItemId::from_bytes))?;
    let hash_key = app.hash_key(&caller.tenant).await?;
    let lines = draw::drawn(app, caller.tenant.id, &facts.existing, lines, &hash_key)?;
    let terms = CartTerms { reservation: cart.terms.reservation, ..terms };
    let opened = inline(app, caller, cart, terms, &lines, &facts);
    Ok(Start::GoOn(Box::new(Loaded { opened, facts, claim, findings: Vec::new(), sent: SentCart::inline() })))
}

/// A card may be tried so often only, and what needs none be taken so often; who only looks does neither.
async fn count_payment(app: &App, caller: &Caller, request: &CheckoutRequest) -> Result<(), ApiError> {
    match &request.card {
        Some(_) | None if request.dry_run => Ok(()),
        Some(_) => count_card_payment(app, caller).await,
        None => count(app, caller, Activity::FreeCheckout).await,
    }
}

fn manner(request: &CheckoutRequest) -> Manner {
    if request.dry_run { Manner::Looking } else { Manner::Finishing }
}

fn live(cart: Option<Cart>, caller: &Caller) -> Result<Cart, ApiError> {
    cart.filter(|cart| cart.is_live(caller.clock.now()))
        .ok_or_else(|| ApiError::new(ErrorType::NotFound).detail("/shoppingCartId", "was not found"))
}

/// A stored cart at the prices of this moment.
fn reopened(
    before: Cart,
    terms: CartTerms,
    undone_order: Option<OrderId>,
    requests: &[LineRequest],
    facts: &Facts,
    caller: &Caller,
) -> Result<Opened, ApiError> {
    let now = caller.clock.now();
    let priced = decide::priced(&terms, requests, facts, "/shoppingCart", caller)?;
    let claim = CartClaim { id: before.id.clone(), version: before.version, undone_order };
    let cart = before.replaced(terms, priced, now).asking(facts.asked());
    Ok(Opened { cart, stored: Some(StoredCart { before, claim }) })
}

/// A cart sent within the request, which is not stored.
fn inline(
    app: &App,
    caller: &Caller,
    request: &CartRequest,
    terms: CartTerms,
    lines: &[LineRequest],
    facts: &Facts,
) -> Result<Opened, ApiError> {
    let now = caller.clock.now();
    let priced = decide::priced(&terms, lines, facts, "/shoppingCart", caller)?;
    let id = CartId::from_bytes(app.ids.bytes()?);
    let visitor = OrderId::from_bits(app.ids.bits()?).to_string();
    let cart = Cart::new(id, visitor, terms, priced, now).asking(facts.asked());
    let answered = cart.answering(facts.asked(), &request.forms);
    let cart = answered.map_err(|refusals| forms_refused(&refusals, "/shoppingCart"))?;
    Ok(Opened { cart, stored: None })
}

/// Refuses a total that rose since the visitor saw it; the cart is stored at the new prices, so that a second
/// try passes (contract §6). Whether storing it succeeds or its answer is lost, the visitor is told the new
/// price: otherwise the second try could charge a price nobody saw.
async fn check_price(
    app: &App,
    caller: &Caller,
    request: &CheckoutRequest,
    opened: &Opened,
) -> Result<(), Halt> {
    let shown = opened.stored.as_ref().map(|stored| stored.before.shown_total);
    if !decide::price_rose(opened.cart.shown_total, shown, request.expected_total) {
        return Ok(());
    }
    if let Some(stored) = &opened.stored {
        let (before, after) = (&stored.before, &opened.cart);
        let written = app.store.replace_cart(caller.tenant.id, before, after, app.wall_now()).await;
        match written {
            Ok(Ok(())) => {}
            // An earlier try stored it, and its answer was lost.
            Ok(Err(Some(current))) if current.shown_total == opened.cart.shown_total => {
                return Err(price_changed(&current, caller.tenant.zone).into());
            }
            Ok(Err(_)) => return Err(Halt::CartMoved),
            Err(fault) => tracing::warn!(%fault, "a cart may not be stored at its new prices"),
        }
    }
    Err(price_changed(&opened.cart, caller.tenant.zone).into())
}

fn price_changed(cart: &Cart, zone: Zone) -> ApiError {
    ApiError::new(ErrorType::PriceChanged).fact("cart", CartOutput::of(cart, zone))
}

async fn decide_sale(
    app: &App,
    caller: &Caller,
    request: &CheckoutRequest,
    opened: &Opened,
    facts: &Facts,
) -> Result<Sale, ApiError> {
    let (cart, now) = (&opened.cart, caller.clock.now());
    facts.existing.check("/shoppingCart")?;
    check_size(cart, &facts.inventory, &facts.coupons)?;
    let entitlements = entitled::check(app, caller, cart, facts).await?;
    let hash_key = app.hash_key(&caller.tenant).await?;
    let (sale, total) = (SaleId::from_bytes(app.ids.bytes()?), cart.shown_total);
    let merchants = if total.is_zero() { vec![] } else { facts.merchants(app, caller.tenant.id).await? };
    let payment = match decide::payment(&caller.tenant, &merchants, request, total, sale) {
        Ok(payment) => payment,
        Err(refusal) => {
            entitled::check_with_earlier_orders(app, caller, cart, facts).await?;
            return Err(refusal);
        }
    };
    let guard_hash =
        payment.as_ref().and_then(|payment| decide::guard_hash(request, payment.amount, &hash_key));
    let Existing { reservation, ledgers, .. } = &facts.existing;
    let consumed = match decide::consumed(request, reservation.as_ref(), cart, ledgers, now) {
        Ok(consumed) => consumed,
        Err(refusal) => {
            entitled::check_with_earlier_orders(app, caller, cart, facts).await?;
            return Err(outranked(app, caller, guard_hash.as_deref(), refusal).await);
        }
    };
    let order_facts = OrderFacts {
        tenant: caller.tenant.id,
        ids: draw::order_ids(app, cart)?,
        cart,
        cart_is_stored: opened.stored.is_some(),
        asked: facts.asked(),
        coupons: &facts.coupons,
        inventory: &facts.inventory,
        entitlements,
        levels: &facts.levels,
        memberships: &facts.existing.memberships,
        givers: facts.existing.givers(caller),
        channel: facts.existing.buyer(caller.tenant.zone).channel,
        customer: decide::customer(caller, request, cart, facts, &hash_key),
        payment,
        reservation: consumed.clone(),
        now,
        zone: caller.tenant.zone,
        chosen_clock: caller.clock.is_chosen(),
    };
    Ok(Sale {
        order: made(request, &order_facts, &facts.existing)?,
        cart: opened.stored.as_ref().map(|stored| stored.claim.clone()),
        guard_hash,
        ledgers: decide::sales(cart, consumed.as_ref()),
        surplus: surplus(facts, cart, consumed.as_ref()),
        codes: facts.coupons.iter().map(|(id, coupon)| (id.clone(), coupon.code.clone())).collect(),
    })
}

/// The order of a sale. Of the memberships that were named, it lists those that still give something.
fn made(request: &CheckoutRequest, facts: &OrderFacts<'_>, existing: &Existing) -> Result<Order, ApiError> {
    let mut order = order_of(request, facts).map_err(|_| ApiError::new(ErrorType::Internal))?;
    order.membership_ids.retain(|sent| existing.gives(*sent));
    Ok(order)
}

/// A reservation that is gone may have been consumed by this very charge a moment ago, which outranks it
/// (contract §6).
async fn outranked(app: &App, caller: &Caller, guard_hash: Option<&str>, refusal: ApiError) -> ApiError {
    let Some(hash) = guard_hash.filter(|_| refusal.kind() == ErrorType::ReservationExpired) else {
        return refusal;
    };
    let earlier = async {
        match app.store.load_guard(caller.tenant.id, hash).await? {
            Some(holder) => replay::check_duplicate(app, caller, &holder, Manner::Finishing).await,
            None => Ok(()),
        }
    };
    earlier.await.err().unwrap_or(refusal)
}

fn surplus(
    facts: &Facts,
    cart: &Cart,
    consumed: Option<&ConsumedReservation>,
) -> Vec<(InstanceId, domain::ledger::LedgerChange)> {
    match (&facts.existing.reservation, consumed) {
        (Some(Some(reservation)), Some(consumed)) => decide::surplus(reservation, cart, consumed),
        (Some(None) | None, _) | (Some(Some(_)), None) => Vec::new(),
    }
}
