//! Whether a cart stays within what its members are entitled to, and within the ticket limits of its events.
//! Every checkout asks, whatever its cart says: a limit that binds only those who ask for it is none.
//!
//! What earlier orders used is part of the securing transaction's conditions, so that a checkout which is not
//! refused need not read it; one that is refused reads it, to say how much is left.

use crate::load::Facts;
use domain::cart::Cart;
use domain::catalog::Template;
use domain::checkout::new_numbers;
use domain::entitlement::{EntitlementUse, Judgement, Judging, MemberUses, Tally, judge, uses_of};
use platform::access::Caller;
use platform::{ApiError, App, ErrorType};
use std::collections::BTreeSet;
use wire::entitlement::EntitlementsResult;

/// The cart by the limits of its templates.
fn judged(caller: &Caller, cart: &Cart, facts: &Facts, used: &MemberUses) -> Vec<Judgement> {
    let templates: Vec<&Template> = facts.templates.iter().collect();
    let mut numbers = facts.existing.numbers().clone();
    numbers.extend(new_numbers(cart, &facts.existing.memberships));
    let judging = Judging {
        templates: &templates,
        entitlements: &facts.entitlements,
        discounts: &facts.discounts,
        numbers: &numbers,
        // A cart at prices that were shown is sold at them, unless it asks for the limits to be verified.
        told: cart.verify_entitlements.then(|| facts.existing.asker()),
        zone: caller.tenant.zone,
    };
    judge(&cart.lines, judging, used)
}

/// What an order of the cart uses, unless it asks for more than there can be left.
///
/// # Errors
/// `ENTITLEMENTS_VIOLATED` with the limits.
pub(crate) async fn check(
    app: &App,
    caller: &Caller,
    cart: &Cart,
    facts: &Facts,
) -> Result<Vec<EntitlementUse>, ApiError> {
    let judgements = judged(caller, cart, facts, &MemberUses::new());
    if !judgements.iter().all(Judgement::is_valid) {
        check_with_earlier_orders(app, caller, cart, facts).await?;
    }
    Ok(uses_of(&judgements))
}

/// Checks the cart with what earlier orders used. Reads only where something is counted.
///
/// # Errors
/// `ENTITLEMENTS_VIOLATED` with the limits.
pub(crate) async fn check_with_earlier_orders(
    app: &App,
    caller: &Caller,
    cart: &Cart,
    facts: &Facts,
) -> Result<(), ApiError> {
    let judgements = judged(caller, cart, facts, &MemberUses::new());
    let tallies: BTreeSet<Tally> =
        judgements.iter().filter_map(Judgement::counted).map(|(tally, _)| tally.clone()).collect();
    let judgements = if tallies.is_empty() {
        judgements
    } else {
        judged(caller, cart, facts, &app.store.load_member_uses(caller.tenant.id, &tallies).await?)
    };
    if judgements.iter().all(Judgement::is_valid) {
        return Ok(());
    }
    let known = app.definitions(caller.tenant.id).await?;
    let result = EntitlementsResult::of(&judgements, &known.person_types);
    let result = result.told(cart.refused_claims.problem);
    Err(ApiError::new(ErrorType::EntitlementsViolated).fact("entitlements", result))
}
