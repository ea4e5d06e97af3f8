//! Creating a cart.

use adapters::App;
use adapters::catalog::TenantCatalog;
use adapters::rate_limit::{count, count_guesses};
use axum::Json;
use axum::response::{IntoResponse, Response};
use domain::buyer::Buyer;
use domain::cart::{Cart, PricedLines};
use domain::cart_request::{CartRequest, LineRequest, name_lines};
use domain::pricing::{CatalogView, PricingCatalog, PricingContext, PricingRefusals, price};
use domain::rate_limit::Activity;
use domain::{CartId, CartItemId};
use std::collections::{BTreeMap, BTreeSet};
use store::{Consistency, Found, Placed};
use web::access::Caller;
use web::cart::{Existing, Named, StockFacts, forms_refused, pricing_refused};
use web::claims::{ClaimedCart, claimed_cart};
use web::{ApiError, ErrorType, IdempotencyKey, idempotency};

/// A request with its catalog and the ids of its lines.
struct Draft<'a> {
    app: &'a App,
    caller: &'a Caller,
    request: CartRequest,
    lines: Vec<LineRequest>,
    named: Named,
    catalog: TenantCatalog,
}

/// Creates a cart in one round trip: what its slots' ids say of them is enough to price it, and the ledgers,
/// read while it is put, nearly always agree. Where they do not, the cart is priced again or taken back.
pub(crate) async fn fresh(app: &App, caller: &Caller, request: CartRequest) -> Result<Response, ApiError> {
    let id = CartId::from_bytes(app.ids.bytes()?);
    let mut draft = Draft::of(app, caller, request).await?;
    let assumed = draft.price_assumed();
    let Ok(priced) = assumed else {
        let (existing, allowed) = tokio::join!(
            draft.named.load(&app.store, caller.tenant.id, caller.clock.now()),
            draft.count_asked()
        );
        let existing = existing?;
        allowed?;
        existing.count_unknown(app, caller).await?;
        draft.catalog = app.catalog_of(caller.tenant.id, existing.ledgers.values()).await?;
        let cart = draft.cart(id, draft.price(&existing)?)?;
        draft.check(&cart, &existing)?;
        return draft.put(&cart).await.map(|()| answer(&cart.id));
    };
    let cart = draft.cart(id, priced.clone())?;
    let load = draft.named.load(&app.store, caller.tenant.id, caller.clock.now());
    let (put, existing, allowed) = tokio::join!(draft.put(&cart), load, draft.count_asked());
    put?;
    let existing = existing?;
    draft.catalog = app.catalog_of(caller.tenant.id, existing.ledgers.values()).await?;
    let allowed = match allowed {
        Ok(()) => existing.count_unknown(app, caller).await,
        refused => refused,
    };
    let confirmed = allowed.and_then(|()| draft.price(&existing));
    match confirmed.and_then(|confirmed| draft.check(&cart, &existing).map(|()| confirmed)) {
        Ok(confirmed) if confirmed == priced => {}
        Ok(confirmed) => {
            let corrected = cart.replaced(draft.request.terms.clone(), confirmed, caller.clock.now());
            let corrected = corrected.asking(draft.catalog.asked());
            let written = app.store.replace_cart(caller.tenant.id, &cart, &corrected, app.wall_now()).await?;
            written.map_err(|_| ApiError::new(ErrorType::TryAgain))?;
        }
        Err(refused) => {
            // Nobody knows the id, so nobody can have changed the cart.
            let _ = app.store.delete_cart(caller.tenant.id, &cart).await?;
            return Err(refused);
        }
    }
    Ok(answer(&cart.id))
}

/// Creates the cart of an idempotency key. Its id follows from the key, so a repetition finds it.
pub(crate) async fn once(
    app: &App,
    caller: &Caller,
    key: &IdempotencyKey,
    fingerprint: &str,
    request: CartRequest,
) -> Result<Response, ApiError> {
    let id = derived_id(app, caller, key.text().unwrap_or_default()).await?;
    let (tenant, maker) = (caller.tenant.id, idempotency::as_asked(caller, fingerprint));
    let draft = Draft::of(app, caller, request).await?;
    let keys = draft.named.keys(tenant).chain([Cart::place(tenant, &id)]);
    let load = app.store.get_many(keys, Consistency::Strong);
    let tie = idempotency::tie(app, caller, key, fingerprint);
    let (found, tied) = tokio::join!(load, tie);
    let tied = tied?;
    let outcome = async {
        let mut found = found?;
        match found.take_one::<Cart>(tenant, &id)?.filter(|cart| cart.is_live(caller.clock.now())) {
            Some(earlier) => repeated(&earlier, &maker),
            // A repetition takes nothing, so it is not counted.
            None => {
                draft.count_asked().await?;
                draft.create(id, &maker, found).await
            }
        }
    };
    let outcome = outcome.await;
    tied.end(app, outcome).await
}

impl<'a> Draft<'a> {
    async fn of(app: &'a App, caller: &'a Caller, mut request: CartRequest) -> Result<Self, ApiError> {
        let catalog = app.catalog(caller.tenant.id).await?;
        let lines = name_lines(&request.lines, Vec::new(), || app.ids.bytes().map(CartItemId::from_bytes))?;
        let wanted = lines.iter().map(|line| &line.wanted);
        let ClaimedCart { terms, named } = claimed_cart(app, caller, request.terms, wanted).await?;
        request.terms = terms;
        let named = named.with_stock(catalog.view().inventory);
        Ok(Self { app, caller, request, lines, named, catalog })
    }

    /// Makes the cart of a request that carries an idempotency key.
    async fn create(mut self, id: CartId, fingerprint: &str, mut found: Found) -> Result<Response, ApiError> {
        let (app, tenant) = (self.app, self.caller.tenant.id);
        let existing = self.named.take(&mut found, tenant, self.caller.clock.now())?;
        existing.count_unknown(app, self.caller).await?;
        self.catalog = app.catalog_of(tenant, existing.ledgers.values()).await?;
        let mut cart = self.cart(id, self.price(&existing)?)?;
        self.check(&cart, &existing)?;
        cart.created_by = Some(fingerprint.to_owned());
        let now = self.caller.clock.now();
        match app.store.create_cart(tenant, &cart, now, app.wall_now()).await? {
            Ok(()) => Ok(answer(&cart.id)),
            Err(Some(existing)) => repeated(&existing, fingerprint),
            Err(None) => Err(ApiError::new(ErrorType::TryAgain)),
        }
    }

    /// Carts may be made, and coupon codes and memberships guessed, so often only.
    async fn count_asked(&self) -> Result<(), ApiError> {
        let carts = count(self.app, self.caller.client(), Activity::Cart);
        let guesses = count_guesses(self.app, self.caller.client(), self.named.guesses());
        let (carts, guesses) = tokio::join!(carts, guesses);
        Ok(carts.and(guesses)?)
    }

    fn price_assumed(&self) -> Result<PricedLines, PricingRefusals> {
        let instances = self.named.instances.iter().copied();
        let (buyer, used_up) = (Buyer::default(), BTreeSet::new());
        let zone = self.caller.tenant.zone;
        let memberships = BTreeMap::new();
        let (channel, memberships) = (self.caller.scope.channel(), &memberships);
        let context = PricingContext { channel, buyer: &buyer, zone, used_up: &used_up, memberships };
        let view = CatalogView::assumed(self.catalog.view(), context, instances);
        price(&self.lines, &self.request.terms, &view, self.caller.clock.now())
    }

    fn price(&self, existing: &Existing) -> Result<PricedLines, ApiError> {
        let context = existing.pricing_context(self.caller);
        let view = CatalogView::of_ledgers(self.catalog.view(), context, existing.ledgers.values());
        let priced = price(&self.lines, &self.request.terms, &view, self.caller.clock.now());
        let terms = &self.request.terms;
        existing.check_with(priced.map_err(|refusals| pricing_refused(&refusals, terms, "")), "")
    }

    fn cart(&self, id: CartId, priced: PricedLines) -> Result<Cart, ApiError> {
        let visitor = hex::encode(self.app.ids.bytes::<12>()?);
        let cart = Cart::new(id, visitor, self.request.terms.clone(), priced, self.caller.clock.now());
        let asked = self.catalog.asked();
        let answered = cart.asking(asked).answering(asked, &self.request.forms);
        answered.map_err(|refusals| forms_refused(&refusals, ""))
    }

    /// Refuses what cannot be had now.
    fn check(&self, cart: &Cart, existing: &Existing) -> Result<(), ApiError> {
        let PricingCatalog { inventory, coupons, .. } = self.catalog.view();
        StockFacts { existing, inventory, coupons }.check(cart, self.caller.clock.now())
    }

    async fn put(&self, cart: &Cart) -> Result<(), ApiError> {
        let (now, wall_now) = (self.caller.clock.now(), self.app.wall_now());
        let put = self.app.store.create_cart(self.caller.tenant.id, cart, now, wall_now).await?;
        // A random id that is taken: another try generates another one.
        put.map_err(|_| ApiError::new(ErrorType::TryAgain))
    }
}

async fn derived_id(app: &App, caller: &Caller, key: &str) -> Result<CartId, ApiError> {
    let hash = app
        .hash_key(&caller.tenant)
        .await?
        .hash("cart", &[caller.tenant.id.to_string().as_bytes(), key.as_bytes()]);
    let [a, b, c, d, e, f, g, h, i, j, k, l, ..] = hash;
    Ok(CartId::from_bytes([a, b, c, d, e, f, g, h, i, j, k, l]))
}

fn repeated(existing: &Cart, fingerprint: &str) -> Result<Response, ApiError> {
    if existing.created_by.as_deref() != Some(fingerprint) {
        return Err(ApiError::new(ErrorType::IdempotencyKeyReused));
    }
    Ok(idempotency::replayed(answer(&existing.id)))
}

fn answer(id: &CartId) -> Response {
    Json(id.as_str()).into_response()
}
