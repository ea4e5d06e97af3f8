//! Creating, replacing and deleting records. Each is one conditional write, or one transaction where a record
//! reserves something.

use crate::resource::{Context, Resource};
use axum::response::Response;
use domain::Zone;
use platform::access::Caller;
use platform::authored::{Target, attempt_token, id_bytes, not_found};
use platform::catalog::{Catalog, Needs, Use};
use platform::idempotency::{Tagged, once_tagged};
use platform::room::Held;
use platform::{ApiError, App, Body, ErrorType, IdempotencyKey};
use store::authored::{CHANGE_TRIES, ChangeRefusal, Stored, revision_of};
use wire::Identified;

/// Creates a record.
pub(crate) async fn create<R: Resource>(
    app: &App,
    caller: &Caller,
    key: &IdempotencyKey,
    body: Body<R::Input>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&caller.tenant).await?;
    let fingerprint = body.fingerprint(&format!("POST {}", R::PATH), &hash_key);
    let random = id_bytes(app, &hash_key, key, &fingerprint)?;
    let run = async {
        let tenant = caller.tenant.id;
        let (catalog, room) =
            tokio::join!(Catalog::load(app, tenant, R::NEEDS), app.check_room(tenant, Held::Definitions));
        let catalog = catalog?;
        let record = body.parse(|checker, mut input| {
            input.set_id(&R::new_id(random));
            R::read(input, checker, &context(caller, &catalog))
        })?;
        room?;
        let attempt = attempt_token(app)?;
        match app.store.change_authored(tenant, &attempt, None, Some(&record)).await? {
            Ok(()) => {}
            // The first try of this request made it, and someone has changed it since.
            Err(ChangeRefusal::Changed) if key.text().is_some() => {}
            Err(ChangeRefusal::Changed) => return Err(ApiError::new(ErrorType::TryAgain)),
            Err(ChangeRefusal::Taken) => return Err(taken::<R>()),
        }
        app.forget_catalog(tenant);
        present::<R>(&record, caller.tenant.zone)
    };
    once_tagged(app, caller, key, &fingerprint, Box::pin(run)).await
}

/// Replaces a record as it was read. A record that is to become what it is already is as it should be,
/// whatever revision the request means: its first try may have made it so (RFC 9110 §13.1.1).
pub(crate) async fn update<R: Resource>(
    app: &App,
    caller: &Caller,
    Target { id, key, if_match }: Target,
    body: Body<R::Input>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&caller.tenant).await?;
    let fingerprint = body.fingerprint(&format!("PUT {}/{id}", R::PATH), &hash_key);
    let run = async {
        let tenant = caller.tenant.id;
        let place = R::key(tenant, &id).ok_or_else(not_found)?;
        let (current, catalog) =
            tokio::join!(app.store.load_authored(&place), Catalog::load(app, tenant, R::NEEDS));
        let mut current: Stored<R::Record> = current?.ok_or_else(not_found)?;
        let catalog = catalog?;
        let record = body.parse(|checker, mut input| {
            input.keep_id(checker, &id);
            R::read(input, checker, &context(caller, &catalog))
        })?;
        let revision = revision_of(&record)?;
        for _ in 0..CHANGE_TRIES {
            if current.revision == revision {
                return present::<R>(&record, caller.tenant.zone);
            }
            if_match.check(&current.revision)?;
            let attempt = attempt_token(app)?;
            match app.store.change_authored(tenant, &attempt, Some(&current), Some(&record)).await? {
                Ok(()) => {
                    app.forget_catalog(tenant);
                    return present::<R>(&record, caller.tenant.zone);
                }
                Err(ChangeRefusal::Taken) => return Err(taken::<R>()),
                Err(ChangeRefusal::Changed) => {
                    current = app.store.load_authored(&place).await?.ok_or_else(not_found)?;
                }
            }
        }
        Err(ApiError::new(ErrorType::TryAgain))
    };
    once_tagged(app, caller, &key, &fingerprint, Box::pin(run)).await
}

/// Deletes a record as it was read, unless something names it.
pub(crate) async fn delete<R: Resource>(
    app: &App,
    caller: &Caller,
    Target { id, key, if_match }: Target,
) -> Result<Response, ApiError> {
    let fingerprint = format!("DELETE {}/{id}", R::PATH);
    let run = async {
        let tenant = caller.tenant.id;
        let place = R::key(tenant, &id).ok_or_else(not_found)?;
        for _ in 0..CHANGE_TRIES {
            let (current, catalog) =
                tokio::join!(app.store.load_authored(&place), Catalog::load(app, tenant, Needs::Everything));
            let current: Stored<R::Record> = current?.ok_or_else(not_found)?;
            if_match.check(&current.revision)?;
            Use::refuse(R::uses(&current.value, &catalog?))?;
            let attempt = attempt_token(app)?;
            match app.store.change_authored(tenant, &attempt, Some(&current), None).await? {
                Ok(()) => {
                    app.forget_catalog(tenant);
                    let body = R::show(&current.value, caller.tenant.zone);
                    return Ok(Tagged { body, revision: None });
                }
                Err(ChangeRefusal::Changed | ChangeRefusal::Taken) => {}
            }
        }
        Err(ApiError::new(ErrorType::TryAgain))
    };
    once_tagged(app, caller, &key, &fingerprint, Box::pin(run)).await
}

fn context<'a>(caller: &Caller, catalog: &'a Catalog) -> Context<'a> {
    Context { zone: caller.tenant.zone, catalog }
}

fn present<R: Resource>(record: &R::Record, zone: Zone) -> Result<Tagged<R::Output>, ApiError> {
    let revision = revision_of(record)?;
    Ok(Tagged { body: R::show(record, zone), revision: Some(revision) })
}

fn taken<R: Resource>() -> ApiError {
    let (field, message) = R::TAKEN;
    ApiError::new(ErrorType::ValidationError).detail(field, message)
}
