//! Every check of a checkout, with all findings at once and without effect (contract §6).

use crate::load::Facts;
use crate::{answer, decide, replay};
use axum::Json;
use axum::response::{IntoResponse, Response};
use domain::cart::Cart;
use domain::checkout::CheckoutRequest;
use domain::{Money, SaleId};
use platform::access::Caller;
use platform::{ApiError, App};
use serde_json::json;
use wire::cart::CartOutput;

/// What a checkout of this cart would meet right now.
pub(crate) async fn report(
    app: &App,
    caller: &Caller,
    (request, facts): (&CheckoutRequest, &Facts),
    (cart, shown): (&Cart, Option<Money>),
) -> Result<Response, ApiError> {
    let now = caller.clock.now();
    let (merchants, hash_key) =
        tokio::try_join!(app.merchants(caller.tenant.id), app.hash_key(&caller.tenant))?;
    let mut findings = Vec::new();
    if !facts.customer_known {
        findings.push(decide::unknown_customer());
    }
    if decide::price_rose(cart.shown_total, shown, request.expected_total) {
        findings.push(ApiError::new(platform::ErrorType::PriceChanged));
    }
    let sale = SaleId::from_bytes(app.ids.bytes()?);
    findings.extend(decide::payment((&caller.tenant, &merchants), request, (cart.shown_total, sale)).err());
    if let Some(hash) = decide::guard_hash(request, cart.shown_total, &hash_key)
        && let Some(holder) = app.store.load_guard(caller.tenant.id, &hash).await?
    {
        findings.extend(replay::check_duplicate(app, caller, &holder).await.err());
    }
    match decide::consumed(request, (facts.reservation.as_ref(), cart), &facts.ledgers, now) {
        Err(refusal) => findings.push(refusal),
        Ok(consumed) => {
            for (instance, change) in decide::sales(cart, consumed.as_ref()) {
                let refusal =
                    facts.ledgers.get(&instance).and_then(|ledger| ledger.course(&change, now).err());
                findings.extend(refusal.map(|refusal| answer::no_seats(caller, instance, &refusal)));
            }
        }
    }
    let request_id = &caller.context.request_id;
    let findings: Vec<_> = findings.iter().map(|finding| finding.body(request_id)).collect();
    Ok(Json(json!({
        "valid": findings.is_empty(),
        "totalAmount": cart.shown_total.to_string(),
        "findings": findings,
        "cart": CartOutput::from(cart),
    }))
    .into_response())
}
