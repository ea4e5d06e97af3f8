//! Every check of a checkout, with all findings at once and without effect (contract §6).

use crate::load::Facts;
use crate::replay::Manner;
use crate::{CheckoutAnswer, DryRunReport, answer, decide, entitled, replay};
use axum::Json;
use axum::response::{IntoResponse, Response};
use domain::availability::missing_pieces;
use domain::cart::Cart;
use domain::checkout::{CheckoutRequest, pieces_of};
use domain::{InventoryId, Money, SaleId};
use platform::access::Caller;
use platform::cart::{SentCart, check_size, forms_incomplete, not_enough};
use platform::{ApiError, App, ErrorType};
use std::collections::BTreeMap;
use store::counter::Counter;
use store::{Consistency, Key};
use wire::cart::CartOutput;

/// The priced cart and the total its visitor was last shown, or why it has no price.
type Priced = Result<(Cart, Option<Money>), ApiError>;

/// What a checkout of this cart would meet right now. A cart that has no price is not looked at further.
pub(crate) async fn report(
    app: &App,
    caller: &Caller,
    request: &CheckoutRequest,
    facts: &Facts,
    sent: &SentCart,
    opened: Priced,
    mut findings: Vec<ApiError>,
) -> Result<Response, ApiError> {
    findings.extend(facts.existing.check("/shoppingCart").err());
    let cart = match opened {
        Ok((cart, shown)) => {
            findings.extend(decide::check_coupons(&cart).err());
            findings.extend(decide::check_not_empty(&cart).err());
            findings.extend(decide::check_holders(&cart, facts).err());
            if decide::price_rose(cart.shown_total, shown, request.expected_total) {
                findings.push(ApiError::new(ErrorType::PriceChanged));
            }
            findings.extend(check_size(&cart, &facts.inventory, &facts.coupons).err());
            findings.extend(forms_incomplete(&cart.incomplete_forms(&facts.forms), &request.source).err());
            findings.extend(entitled::check_with_earlier_orders(app, caller, &cart, facts).await.err());
            findings.extend(payment(app, caller, request, facts, &cart).await?);
            findings.extend(seats(caller, request, facts, &cart));
            findings.extend(stock(app, caller, &cart, facts).await?);
            Some(cart)
        }
        Err(refusal) => {
            findings.push(refusal);
            None
        }
    };
    if let Some(failure) = findings.iter().position(is_failure) {
        return Err(findings.swap_remove(failure));
    }
    let request_id = &caller.context.request_id;
    let findings: Vec<_> =
        findings.into_iter().map(|finding| sent.pointed(finding).body(request_id)).collect();
    let report = DryRunReport {
        valid: findings.is_empty(),
        total_amount: cart.as_ref().map(|cart| cart.shown_total.to_string()),
        findings,
        cart: cart.as_ref().map(|cart| CartOutput::of(cart, caller.tenant.zone)),
    };
    Ok(Json(CheckoutAnswer::DryRun(Box::new(report))).into_response())
}

/// A check that could not be made is no finding.
fn is_failure(finding: &ApiError) -> bool {
    [ErrorType::TryAgain, ErrorType::Internal].contains(&finding.kind())
}

/// What stands against the charge.
async fn payment(
    app: &App,
    caller: &Caller,
    request: &CheckoutRequest,
    facts: &Facts,
    cart: &Cart,
) -> Result<Vec<ApiError>, ApiError> {
    let tenant = &caller.tenant;
    let hash_key = app.hash_key(tenant).await?;
    let total = cart.shown_total;
    let merchants = if total.is_zero() { vec![] } else { facts.merchants(app, tenant.id).await? };
    let sale = SaleId::from_bytes(app.ids.bytes()?);
    let refusal = decide::payment(tenant, &merchants, request, cart.shown_total, sale).err();
    let mut findings: Vec<ApiError> = refusal.into_iter().collect();
    if let Some(hash) = decide::guard_hash(request, cart.shown_total, &hash_key)
        && let Some(holder) = app.store.load_guard(tenant.id, &hash).await?
    {
        findings.extend(replay::check_duplicate(app, caller, &holder, Manner::Looking).await.err());
    }
    Ok(findings)
}

/// What stands against the pieces of add-ons that have a stock.
async fn stock(app: &App, caller: &Caller, cart: &Cart, facts: &Facts) -> Result<Vec<ApiError>, ApiError> {
    let wanted = pieces_of(cart, &facts.inventory);
    let key = |id: &InventoryId| Key::pieces_sold(caller.tenant.id, *id);
    let mut found = app.store.get_many(wanted.keys().map(key), Consistency::Strong).await?;
    let mut sold = BTreeMap::new();
    for id in wanted.into_keys() {
        let counter: Counter = found.take(&key(&id))?.unwrap_or_default();
        sold.insert(id, counter.used);
    }
    let short = missing_pieces(cart, &facts.inventory, &sold);
    Ok(short.iter().map(|shortage| not_enough(shortage, cart, "/shoppingCart")).collect())
}

/// What stands against the seats.
fn seats(caller: &Caller, request: &CheckoutRequest, facts: &Facts, cart: &Cart) -> Vec<ApiError> {
    let now = caller.clock.now();
    let consumed = match decide::consumed(
        request,
        facts.existing.reservation.as_ref(),
        cart,
        &facts.existing.ledgers,
        now,
    ) {
        Ok(consumed) => consumed,
        Err(refusal) => return vec![refusal],
    };
    let refusal = |(instance, change)| {
        let refusal = facts.existing.ledgers.get(&instance)?.course(&change, now).err()?;
        Some(answer::no_seats(caller, cart, consumed.as_ref(), instance, &refusal))
    };
    decide::sales(cart, consumed.as_ref()).into_iter().filter_map(refusal).collect()
}
