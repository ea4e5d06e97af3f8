//! Changing a membership as it was read.

use adapters::App;
use domain::membership::Membership;
use domain::number::whole_number;
use domain::{CustomerId, MembershipId, TenantId};
use std::ops::ControlFlow::{Break, Continue};
use store::authored::{CHANGE_TRIES, ChangeRefusal, Stored, revision_of};
use store::revise;
use web::access::Caller;
use web::authored::{not_found, try_again};
use web::{ApiError, ErrorType, IfMatch};

/// The membership that a path names by its id or its number.
pub(crate) async fn load_known(
    app: &App,
    tenant: TenantId,
    id: &str,
) -> Result<Stored<Membership>, ApiError> {
    let id = whole_number(id).and_then(|id| MembershipId::parse(id).ok()).ok_or_else(not_found)?;
    app.store.load_membership(tenant, id).await?.ok_or_else(not_found)
}

/// A membership as it is after a change.
pub(crate) struct Kept {
    pub(crate) membership: Membership,
    pub(crate) revision: String,
}

/// Changes a membership as it was read, with the customers its cards are linked to; one that is as it should be
/// already stays so, whatever revision the request means.
pub(crate) async fn change(
    app: &App,
    caller: &Caller,
    current: Stored<Membership>,
    if_match: &IfMatch,
    decide: impl Fn(&Membership) -> Result<Membership, ApiError>,
) -> Result<Kept, ApiError> {
    let (tenant, decide) = (caller.tenant.id, &decide);
    revise(CHANGE_TRIES, current, try_again, |current: Stored<Membership>| async move {
        let before = &current.value;
        let after = decide(before)?.stamped(Some(before), caller.clock.now(), caller.acted_by());
        if after == *before {
            return Ok(Break(Kept { membership: after, revision: current.revision }));
        }
        if_match.check(&current.revision)?;
        let changed = before.changed_customers(&after);
        let ids: Vec<CustomerId> = changed.iter().map(|customer| customer.id).collect();
        let known = app.store.load_customers(tenant, &ids).await?;
        let customers: Vec<_> = known.into_iter().zip(changed).collect();
        let attempt = app.ids.attempt_token()?;
        match app.store.change_membership(tenant, &attempt, &current, &after, &customers).await? {
            Ok(()) => Ok(Break(Kept { revision: revision_of(&after)?, membership: after })),
            Err(ChangeRefusal::Taken) => {
                let refusal = ApiError::new(ErrorType::ExternalIdTaken);
                Err(refusal.detail("/externalMembershipId", "is already used by another membership"))
            }
            Err(ChangeRefusal::Changed) => {
                let again = app.store.load_membership(tenant, current.value.id).await?;
                Ok(Continue(again.ok_or_else(not_found)?))
            }
        }
    })
    .await
}
