//! Reading a level with what its fields refer to, and changing it as it was read.

use adapters::App;
use domain::membership::{Level, LevelEdit, NoSuchOffering};
use domain::{LevelId, TenantId, TicketTypeId, UnreadableId};
use std::collections::BTreeSet;
use std::ops::ControlFlow::{Break, Continue};
use store::authored::{Authored, CHANGE_TRIES, ChangeRefusal, Stored, revision_of};
use store::catalog::{Definitions, Kind};
use store::{Consistency, Placed, revise};
use web::access::Caller;
use web::authored::{not_found, try_again};
use web::catalog::{MAX_USES_NAMED, Use};
use web::{ApiError, IfMatch};
use wire::membership::{Detail, LevelContext, LevelView};
use wire::{Checker, Field};

/// What levels are read and shown with.
pub(crate) struct LevelFacts {
    pub(crate) definitions: Definitions,
    pub(crate) ticket_types: BTreeSet<TicketTypeId>,
}

impl LevelFacts {
    pub(crate) async fn load(app: &App, tenant: TenantId) -> Result<Self, ApiError> {
        let definitions =
            app.store.load_definitions_of(tenant, &[Kind::PersonType], Consistency::Strong).await?;
        let ticket_types = definitions.person_types.keys().cloned().collect();
        Ok(Self { definitions, ticket_types })
    }

    /// What fields refer to.
    pub(crate) fn context(&self, caller: &Caller) -> LevelContext<'_> {
        LevelContext { zone: caller.tenant.zone, ticket_types: &self.ticket_types }
    }

    /// Levels as callers see them.
    pub(crate) fn view(&self, caller: &Caller) -> LevelView<'_> {
        view(&self.definitions, caller, Detail::Full)
    }
}

pub(crate) fn view<'a>(definitions: &'a Definitions, caller: &Caller, detail: Detail) -> LevelView<'a> {
    LevelView { zone: caller.tenant.zone, person_types: &definitions.person_types, detail }
}

/// A level as it is stored, if there is one with that id, and its surroundings.
pub(crate) async fn load(
    app: &App,
    caller: &Caller,
    id: Option<&LevelId>,
) -> Result<(Option<Stored<Level>>, LevelFacts), ApiError> {
    let tenant = caller.tenant.id;
    let level = async {
        match id {
            Some(id) => app.store.load_authored(&Level::place(tenant, id)).await,
            None => Ok(None),
        }
    };
    let (level, surroundings) = tokio::join!(level, LevelFacts::load(app, tenant));
    Ok((level?, surroundings?))
}

/// The level of a path, and its surroundings.
pub(crate) async fn load_known(
    app: &App,
    caller: &Caller,
    id: &str,
) -> Result<(Stored<Level>, LevelFacts), ApiError> {
    let id = LevelId::parse(id).map_err(|_| not_found())?;
    let (level, surroundings) = load(app, caller, Some(&id)).await?;
    Ok((level.ok_or_else(not_found)?, surroundings))
}

/// Notes that the id of a body is missing or names nothing. What is read beside it gets another one then.
pub(crate) fn check_named<T>(
    checker: &mut Checker,
    id: &mut Field<String>,
    parse: impl FnOnce(&str) -> Result<T, UnreadableId>,
    is_known: bool,
) {
    if is_known {
        return;
    }
    if checker.required_id("id", std::mem::take(id), parse).is_some() {
        checker.unknown("id");
    }
    *id = Field::Value("unknown".to_owned());
}

/// What a change made of a level.
pub(crate) struct Changed {
    pub(crate) before: Level,
    pub(crate) after: Level,
    pub(crate) revision: String,
}

/// Changes a level as it was read; one that is as it should be already stays so, whatever revision the request
/// means.
pub(crate) async fn change(
    app: &App,
    caller: &Caller,
    current: Stored<Level>,
    if_match: &IfMatch,
    edit: &LevelEdit,
) -> Result<Changed, ApiError> {
    let tenant = caller.tenant.id;
    let place = &current.value.key(tenant);
    revise(CHANGE_TRIES, current, try_again, |current| async move {
        let after = current.value.edited(edit).map_err(|NoSuchOffering| not_found())?;
        let revision = revision_of(&after)?;
        if current.revision == revision {
            return Ok(Break(Changed { before: current.value, after, revision }));
        }
        if_match.check(&current.revision)?;
        refuse_used(app, tenant, &current.value, &after).await?;
        let attempt = app.ids.attempt_token()?;
        match app.store.change_authored(tenant, &attempt, Some(&current), Some(&after)).await? {
            Ok(()) => {
                app.forget_catalog(tenant);
                Ok(Break(Changed { before: current.value, after, revision }))
            }
            Err(ChangeRefusal::Changed | ChangeRefusal::Taken) => {
                Ok(Continue(app.store.load_authored(place).await?.ok_or_else(not_found)?))
            }
        }
    })
    .await
}

/// No offering goes that a membership was bought by.
async fn refuse_used(app: &App, tenant: TenantId, before: &Level, after: &Level) -> Result<(), ApiError> {
    let removed: BTreeSet<_> = before.offerings_without(after).collect();
    if removed.is_empty() {
        return Ok(());
    }
    let names = |offering: &_| removed.contains(offering);
    let bought = app.store.find_memberships(tenant, &before.id, names, MAX_USES_NAMED).await?;
    Use::refuse(bought.into_iter().map(|id| Use::by_membership(id, before)).collect())
}
