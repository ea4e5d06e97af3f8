//! What a request may claim to be (decision record 0106): decided here, once, before anything is looked up by it.

use crate::ApiError;
use crate::access::Caller;
use crate::cart::Named;
use crate::member_proof::{SentProofs, read_proof};
use adapters::App;
use domain::MembershipId;
use domain::cart_request::{CartTerms, ClaimProblem, Wanted};
use domain::claim::Evidence;
use domain::member_proof::MemberProof;
use domain::tenant::ClaimRule;
use futures_core::future::BoxFuture;
use std::collections::BTreeMap;

/// What the caller has to show. A proof that is over, altered or another tenant's shows nothing.
///
/// # Errors
/// [`ApiError`] when the tenant's key cannot be had.
pub fn evidence<'a>(app: &'a App, caller: &'a Caller) -> BoxFuture<'a, Result<Evidence, ApiError>> {
    Box::pin(async move {
        let rule = caller.tenant.member_claims.rule(caller.scope);
        let now = caller.clock.now();
        let sent = caller.proofs.iter().flat_map(SentProofs::parse);
        let live: Vec<MemberProof> = sent.filter(|proof| proof.claims.is_live(now)).collect();
        if rule == ClaimRule::None || live.is_empty() {
            return Ok(Evidence::none(rule));
        }
        let key = app.hash_key(&caller.tenant).await?;
        let read = live.into_iter().filter_map(|proof| read_proof(caller.tenant.id, &key, proof));
        let named = read.flat_map(|claims| claims.memberships);
        let proven = named.flat_map(|one| [(one.id, one.number), (one.number, one.number)]);
        Ok(Evidence { rule, proven: proven.collect::<BTreeMap<MembershipId, MembershipId>>() })
    })
}

/// Tells the visitor that something was named that does not count, beside whatever the answer is.
pub fn tell(caller: &Caller, problem: ClaimProblem) {
    let _ = caller.context.member_message.set(problem);
}

/// What a cart names, as far as its claims count.
#[derive(Debug)]
pub struct ClaimedCart {
    /// The terms, with what of their claims does not count.
    pub terms: CartTerms,
    /// What it names.
    pub named: Named,
}

/// Decides which claims of a cart count, and what has to be looked up for it.
///
/// # Errors
/// [`ApiError`] when the database does not answer, or the tenant's key cannot be had.
pub async fn claimed_cart<'a>(
    app: &App,
    caller: &Caller,
    terms: CartTerms,
    lines: impl IntoIterator<Item = &'a Wanted> + Clone,
) -> Result<ClaimedCart, ApiError> {
    let definitions = async { app.definitions(caller.tenant.id).await.map_err(ApiError::from) };
    let (evidence, definitions) = tokio::try_join!(evidence(app, caller), definitions)?;
    let terms = terms.claimed_with(&evidence, lines.clone());
    if let Some(problem) = terms.refused.problem {
        tell(caller, problem);
    }
    let named = Named::of(&terms, &definitions.coupons, lines, evidence);
    Ok(ClaimedCart { terms, named })
}
