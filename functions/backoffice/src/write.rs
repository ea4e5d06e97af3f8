//! Creating, replacing and deleting records. Each is one conditional write, or one transaction where a record
//! reserves something.

use crate::catalog::{Catalog, Needs, Use};
use crate::resource::{Context, Resource, not_found};
use axum::extract::{FromRequestParts, Path};
use axum::response::Response;
use domain::Zone;
use http::request::Parts;
use platform::access::Caller;
use platform::idempotency::{Tagged, once_tagged};
use platform::keyed_hash::HashKey;
use platform::{ApiError, App, Body, ErrorType, IdempotencyKey, IfMatch};
use store::authored::{CHANGE_TRIES, ChangeRefusal, Stored, revision_of};
use wire::Identified;

/// Which record a write is meant for, and under which conditions.
pub(crate) struct Target {
    pub(crate) id: String,
    pub(crate) key: IdempotencyKey,
    pub(crate) if_match: IfMatch,
}

impl FromRequestParts<App> for Target {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let Path(id) = Path::from_request_parts(parts, app).await.map_err(|_| not_found())?;
        let key = IdempotencyKey::from_request_parts(parts, app).await?;
        let if_match = IfMatch::from_request_parts(parts, app).await?;
        Ok(Self { id, key, if_match })
    }
}

/// What the id of a new record is made from: drawn at random, but where an idempotency key asks for the record it
/// follows from the request, so that a repetition finds what the first try made.
pub(crate) fn id_bytes<const N: usize>(
    app: &App,
    hash_key: &HashKey,
    (key, fingerprint): (&IdempotencyKey, &str),
) -> Result<[u8; N], ApiError> {
    let mut bytes = app.ids.bytes::<N>()?;
    if let Some(text) = key.text() {
        let hash = hash_key.hash("authored", &[text.as_bytes(), fingerprint.as_bytes()]);
        bytes.iter_mut().zip(hash).for_each(|(byte, hashed)| *byte = hashed);
    }
    Ok(bytes)
}

/// Creates a record.
pub(crate) async fn create<R: Resource>(
    app: &App,
    caller: &Caller,
    key: &IdempotencyKey,
    body: Body<R::Input>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&caller.tenant).await?;
    let fingerprint = body.fingerprint(&format!("POST {}", R::PATH), &hash_key);
    let random = id_bytes(app, &hash_key, (key, &fingerprint))?;
    let run = async {
        let catalog = Catalog::load(app, caller.tenant.id, R::NEEDS).await?;
        let record = body.parse(|checker, mut input| {
            input.set_id(&R::new_id(random));
            R::read(input, checker, &context(caller, &catalog))
        })?;
        let attempt = token(app)?;
        match app.store.change_authored((caller.tenant.id, &attempt), None, Some(&record)).await? {
            Ok(()) => {}
            // The first try of this request made it, and someone has changed it since.
            Err(ChangeRefusal::Changed) if key.text().is_some() => {}
            Err(ChangeRefusal::Changed) => return Err(ApiError::new(ErrorType::TryAgain)),
            Err(ChangeRefusal::Taken) => return Err(taken::<R>()),
        }
        app.forget_catalog(caller.tenant.id).await;
        present::<R>(&record, caller.tenant.zone)
    };
    once_tagged(app, caller, (key, &fingerprint), Box::pin(run)).await
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
            let attempt = token(app)?;
            match app.store.change_authored((tenant, &attempt), Some(&current), Some(&record)).await? {
                Ok(()) => {
                    app.forget_catalog(tenant).await;
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
    once_tagged(app, caller, (&key, &fingerprint), Box::pin(run)).await
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
            let attempt = token(app)?;
            match app.store.change_authored((tenant, &attempt), Some(&current), None).await? {
                Ok(()) => {
                    app.forget_catalog(tenant).await;
                    let body = R::show(&current.value, caller.tenant.zone);
                    return Ok(Tagged { body, revision: None });
                }
                Err(ChangeRefusal::Changed | ChangeRefusal::Taken) => {}
            }
        }
        Err(ApiError::new(ErrorType::TryAgain))
    };
    once_tagged(app, caller, (&key, &fingerprint), Box::pin(run)).await
}

fn context<'a>(caller: &Caller, catalog: &'a Catalog) -> Context<'a> {
    Context { zone: caller.tenant.zone, catalog }
}

fn present<R: Resource>(record: &R::Record, zone: Zone) -> Result<Tagged<R::Output>, ApiError> {
    let revision = revision_of(record)?;
    Ok(Tagged { body: R::show(record, zone), revision: Some(revision) })
}

/// Names an attempt to write.
fn token(app: &App) -> Result<String, ApiError> {
    app.ids.bytes::<12>().map(hex::encode)
}

fn taken<R: Resource>() -> ApiError {
    let (field, message) = R::TAKEN;
    ApiError::new(ErrorType::ValidationError).detail(field, message)
}
