//! Every check of a checkout, with all findings at once and without effect (contract §6).

use crate::start::Checkout;
use crate::{CheckoutAnswer, DryRunReport, contended};
use axum::Json;
use axum::response::{IntoResponse, Response};
use domain::checkout::{priced, refusals};
use web::{ApiError, ErrorType};

/// What a checkout of this cart would meet right now.
pub(crate) async fn report(mut checkout: Checkout) -> Result<Response, ApiError> {
    let now = checkout.caller.clock.now();
    let cart = priced(&checkout.facts, &checkout.request, now).ok();
    if let Some(cart) = &cart {
        contended::look(&mut checkout, cart).await?;
    }
    let mut findings = std::mem::take(&mut checkout.findings);
    let told = refusals(&checkout.facts, &checkout.request, now);
    findings.extend(told.iter().map(|refusal| checkout.answer_to(refusal)));
    if let Some(failure) = findings.iter().position(is_failure) {
        return Err(findings.swap_remove(failure));
    }
    let request_id = &checkout.caller.context.request_id;
    let findings: Vec<_> = findings.iter().map(|finding| finding.body(request_id)).collect();
    let report = DryRunReport {
        valid: findings.is_empty(),
        total_amount: cart.as_ref().map(|cart| cart.shown_total.to_string()),
        findings,
        cart: cart.as_ref().map(|cart| checkout.shown(cart)),
    };
    Ok(Json(CheckoutAnswer::DryRun(Box::new(report))).into_response())
}

/// A check that could not be made is no finding.
fn is_failure(finding: &ApiError) -> bool {
    [ErrorType::TryAgain, ErrorType::Internal].contains(&finding.kind())
}
