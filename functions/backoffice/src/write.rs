//! Creating, replacing and deleting records. Each is one conditional write, or one transaction where a record
//! reserves something.

use crate::resource::{Context, Resource};
use adapters::App;
use adapters::catalog_limits::CatalogPart;
use axum::response::Response;
use domain::Zone;
use std::ops::ControlFlow::{Break, Continue};
use store::authored::{CHANGE_TRIES, ChangeRefusal, Stored, revision_of};
use store::revise;
use web::access::Caller;
use web::authored::{Target, id_bytes, not_found, try_again};
use web::catalog::{Catalog, Use};
use web::idempotency::{Tagged, once_tagged};
use web::{ApiError, Body, ErrorType, IdempotencyKey};
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
        let (catalog, limit) = tokio::join!(
            Catalog::load(app, tenant, R::NEEDS),
            app.check_limit(tenant, CatalogPart::Definitions)
        );
        let catalog = catalog?;
        let record = body.parse(|checker, mut input| {
            input.set_id(&R::new_id(random));
            R::read(input, checker, &context(caller, &catalog))
        })?;
        limit?;
        let attempt = app.ids.attempt_token()?;
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
    once_tagged(app, caller, key, &fingerprint, run).await
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
        let current: Stored<R::Record> = current?.ok_or_else(not_found)?;
        let catalog = catalog?;
        let record = body.parse(|checker, mut input| {
            input.keep_id(checker, &id);
            R::read(input, checker, &context(caller, &catalog))
        })?;
        let (record, revision) = (&record, &revision_of(&record)?);
        let (place, if_match) = (&place, &if_match);
        revise(CHANGE_TRIES, current, try_again, |current| async move {
            if current.revision == *revision {
                return Ok(Break(present::<R>(record, caller.tenant.zone)?));
            }
            if_match.check(&current.revision)?;
            let attempt = app.ids.attempt_token()?;
            match app.store.change_authored(tenant, &attempt, Some(&current), Some(record)).await? {
                Ok(()) => {
                    app.forget_catalog(tenant);
                    Ok(Break(present::<R>(record, caller.tenant.zone)?))
                }
                Err(ChangeRefusal::Taken) => Err(taken::<R>()),
                Err(ChangeRefusal::Changed) => {
                    Ok(Continue(app.store.load_authored(place).await?.ok_or_else(not_found)?))
                }
            }
        })
        .await
    };
    once_tagged(app, caller, &key, &fingerprint, run).await
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
        let (place, if_match) = (&R::key(tenant, &id).ok_or_else(not_found)?, &if_match);
        revise(CHANGE_TRIES, (), try_again, |()| async move {
            let (current, catalog) =
                tokio::join!(app.store.load_authored(place), Catalog::load(app, tenant, R::NAMED_BY));
            let current: Stored<R::Record> = current?.ok_or_else(not_found)?;
            if_match.check(&current.revision)?;
            Use::refuse(R::uses(&current.value, &catalog?))?;
            let attempt = app.ids.attempt_token()?;
            match app.store.change_authored(tenant, &attempt, Some(&current), None).await? {
                Ok(()) => {
                    app.forget_catalog(tenant);
                    let body = R::show(&current.value, caller.tenant.zone);
                    Ok(Break(Tagged { body, revision: None }))
                }
                Err(ChangeRefusal::Changed | ChangeRefusal::Taken) => Ok(Continue(())),
            }
        })
        .await
    };
    once_tagged(app, caller, &key, &fingerprint, run).await
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
