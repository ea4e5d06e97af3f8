//! Proofs for those who were verified, and who is asking.

use adapters::App;
use domain::Timestamp;
use domain::membership::Membership;
use domain::rate_limit::Activity;
use domain::verification::{Acquaintance, VerifiedCard};
use web::ApiError;
use web::access::Caller;
use web::member_proof::proofs_of;
use wire::member::ProofTexts;

/// As what a request is counted: all that pages ask about members counts together.
pub(crate) fn activity(caller: &Caller, of_server: Activity) -> Activity {
    if caller.scope.is_page() { Activity::PageVerification } else { of_server }
}

/// The memberships whose holders were named, or are known anyway; each once. One that has ended gives nothing any more,
/// so that nobody is recognised by it.
pub(crate) fn recognised<'a>(verified: &[VerifiedCard<'a>], now: Timestamp) -> Vec<&'a Membership> {
    let mut found: Vec<&Membership> = Vec::new();
    for card in verified {
        let is_recognised = match card.acquaintance {
            Acquaintance::Named | Acquaintance::Known => true,
            Acquaintance::Misnamed | Acquaintance::Unnamed => false,
        };
        if is_recognised
            && !card.membership.is_gone(now)
            && found.iter().all(|other| other.id != card.membership.id)
        {
            found.push(card.membership);
        }
    }
    found
}

/// The proofs for memberships.
pub(crate) async fn prove(
    app: &App,
    caller: &Caller,
    memberships: &[&Membership],
) -> Result<ProofTexts, ApiError> {
    if memberships.is_empty() {
        return Ok(ProofTexts::default());
    }
    let key = app.hash_key(&caller.tenant).await?;
    Ok(proofs_of(caller.tenant.id, &key, memberships, caller.clock.now()).into())
}
