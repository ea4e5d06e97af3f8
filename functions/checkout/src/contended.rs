//! What other orders take at the same time. The securing transaction has it among its conditions, so that a checkout
//! that is not refused need not read it; one that is refused reads it, to be told rightly, and a dry run reads all.

use crate::replay;
use crate::replay::Manner;
use crate::start::Checkout;
use adapters::App;
use adapters::keyed_hash::HashKey;
use domain::availability::units_of;
use domain::card_token::{PaymentToken, SentCard, TokenAnswer};
use domain::cart::Cart;
use domain::checkout::{
    CheckoutRefusal, CheckoutRequest, Contended, Decision, EarlierCharge, Facts, MerchantsRead, Unread,
    decide, priced, tallies,
};
use domain::entitlement::MemberUses;
use domain::merchant::charging;
use domain::{InventoryId, Money};
use std::collections::BTreeMap;
use store::Consistency;
use web::ApiError;
use web::access::Caller;

/// Decides a checkout. What a refusal rests on and was not read yet is read, and the checkout decided again.
pub(crate) async fn decided(checkout: &mut Checkout) -> Result<Result<Decision, CheckoutRefusal>, ApiError> {
    let Checkout { app, caller, request, facts, .. } = checkout;
    let (app, caller, now) = (&*app, &*caller, caller.clock.now());
    let mut decided = decide(facts, request, now);
    // Ends, because nothing is unread twice.
    while let Some(unread) = decided.as_ref().err().and_then(|refusal| facts.unread(refusal)) {
        let cart = priced(facts, request, now).ok();
        match unread {
            Unread::Merchants => facts.merchants = all_merchants(app, caller).await?,
            Unread::Token => facts.token = token_answer(app, caller, request, facts).await?,
            Unread::Uses => {
                let uses = uses(app, caller, facts, cart.as_ref()).await?;
                facts.contended.uses = Some(uses);
            }
            Unread::Charge => {
                let total = cart.map_or(Money::ZERO, |cart| cart.shown_total);
                let guarded = Guarded { request, facts, total };
                let charge = earlier_charge(app, caller, guarded, Manner::Finishing).await?;
                facts.contended.charge = Some(charge);
            }
        }
        decided = decide(facts, request, now);
    }
    Ok(decided)
}

/// Reads all of it at once, for a cart that is only looked at. Orders that others left half-way stay as they are.
pub(crate) async fn look(checkout: &mut Checkout, cart: &Cart) -> Result<(), ApiError> {
    let Checkout { app, caller, request, facts, .. } = checkout;
    let (app, caller, total) = (&*app, &*caller, cart.shown_total);
    if !total.is_zero() {
        if charging(facts.merchants.list()).is_err() {
            facts.merchants = all_merchants(app, caller).await?;
        }
        facts.token = token_answer(app, caller, request, facts).await?;
    }
    let seen = &*facts;
    let (uses, charge, sold) = tokio::try_join!(
        uses(app, caller, seen, Some(cart)),
        earlier_charge(app, caller, Guarded { request, facts: seen, total }, Manner::Looking),
        units_sold(app, caller, seen, cart),
    )?;
    facts.contended = Contended { uses: Some(uses), charge: Some(charge), sold: Some(sold) };
    Ok(())
}

/// All merchants, so that one that got its rate card a moment ago charges at once, and that a refusal says what is
/// missing.
async fn all_merchants(app: &App, caller: &Caller) -> Result<MerchantsRead, ApiError> {
    let merchants = app.store.load_merchants(caller.tenant.id, Consistency::Strong).await?;
    Ok(MerchantsRead::All(merchants))
}

/// What earlier orders used of what a cart asks for. Reads only where something is counted.
pub(crate) async fn uses(
    app: &App,
    caller: &Caller,
    facts: &Facts,
    cart: Option<&Cart>,
) -> Result<MemberUses, ApiError> {
    let tallies = cart.map(|cart| tallies(facts, cart)).unwrap_or_default();
    if tallies.is_empty() {
        return Ok(MemberUses::new());
    }
    Ok(app.store.load_member_uses(caller.tenant.id, &tallies).await?)
}

/// The card behind the token of a request; none where no token was sent, or nobody would charge it.
async fn token_answer(
    app: &App,
    caller: &Caller,
    request: &CheckoutRequest,
    facts: &Facts,
) -> Result<Option<TokenAnswer>, ApiError> {
    let (Some(token), Ok((merchant, _))) = (token_of(request), charging(facts.merchants.list())) else {
        return Ok(None);
    };
    Ok(Some(sagas::look_up(app, &caller.tenant, token, &merchant.mid).await?))
}

fn token_of(request: &CheckoutRequest) -> Option<&PaymentToken> {
    match request.card.as_ref()? {
        SentCard::Token(token) => Some(token),
        SentCard::Number(_) => None,
    }
}

/// What a second charge of the same card and amount is known by.
#[derive(Clone, Copy)]
pub(crate) struct Guarded<'a> {
    pub(crate) request: &'a CheckoutRequest,
    pub(crate) facts: &'a Facts,
    /// What is charged.
    pub(crate) total: Money,
}

async fn earlier_charge(
    app: &App,
    caller: &Caller,
    guarded: Guarded<'_>,
    manner: Manner,
) -> Result<EarlierCharge, ApiError> {
    let key = app.hash_key(&caller.tenant).await?;
    let Some(hash) = guarded.hash(&key) else { return Ok(EarlierCharge::Free) };
    match app.store.load_guard(caller.tenant.id, &hash).await? {
        Some(holder) => Ok(replay::earlier_charge(app, caller, &holder, manner).await?),
        None => Ok(EarlierCharge::Free),
    }
}

impl Guarded<'_> {
    /// The keyed hash under which a card and an exact amount are guarded against a second charge; none where nothing is
    /// charged. A card is known by its number, and behind a token by the processor's fingerprint of it.
    pub(crate) fn hash(&self, key: &HashKey) -> Option<String> {
        let Self { request, facts, total } = self;
        let sent = request.card.as_ref().filter(|_| !total.is_zero())?;
        let known_by = match (sent, &facts.token) {
            (SentCard::Number(card), _) => card.number.expose(),
            (SentCard::Token(_), Some(TokenAnswer::Card(card))) => card.fingerprint.as_str(),
            (SentCard::Token(_), Some(TokenAnswer::Unknown | TokenAnswer::OtherBrand) | None) => return None,
        };
        let amount = total.cents().to_string();
        Some(key.hash_hex("duplicate", &[known_by.as_bytes(), amount.as_bytes()]))
    }
}

/// How many units are sold of the cart's add-ons that have a stock.
async fn units_sold(
    app: &App,
    caller: &Caller,
    facts: &Facts,
    cart: &Cart,
) -> Result<BTreeMap<InventoryId, u32>, ApiError> {
    let wanted = units_of(cart, &facts.goods.inventory).into_keys().collect();
    Ok(app.store.load_units_sold(caller.tenant.id, &wanted).await?)
}
