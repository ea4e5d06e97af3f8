//! The same request twice has one effect (contract §2).

use crate::access::Caller;
use crate::{ApiError, ErrorType};
use adapters::{App, IdSource};
use axum::Json;
use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use domain::Timestamp;
use domain::tenant::Scope;
use futures_core::future::BoxFuture;
use http::header::ETAG;
use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};
use store::idempotency::{IdempotencyRecord, KeptAnswer, idempotency_key};
use store::{Key, StoreError};

/// Marks an answer that was given before.
pub const REPLAYED: HeaderName = HeaderName::from_static("x-service-replayed");

/// The two spellings of the header, the standard one first.
pub(crate) const HEADERS: [&str; 2] = ["idempotency-key", "x-service-request-uuid"];

/// Longest key accepted.
const MAX_KEY_CHARS: usize = 255;

/// A request that claimed a key and has not answered for this long is dead; its key may be taken over. Longer
/// than any function runs.
pub const CLAIM_SECS: i64 = 60;

/// The idempotency key of a request, if its caller sent one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let sent = HEADERS.into_iter().filter_map(|name| Some((name, parts.headers.get(name)?)));
        let mut keys = Vec::new();
        for (name, value) in sent {
            keys.push((name, readable(name, value)?));
        }
        match keys.as_slice() {
            [] => Ok(Self(None)),
            [(_, first), (name, second)] if first != second => {
                let message = format!("must be the same as {}, or left out", HEADERS[0]);
                Err(ApiError::new(ErrorType::ValidationError).detail(*name, message))
            }
            [(_, key), ..] => Ok(Self(Some(key.clone()))),
        }
    }
}

fn readable(name: &str, value: &HeaderValue) -> Result<String, ApiError> {
    let text = value.to_str().ok().filter(|text| !text.is_empty() && text.len() <= MAX_KEY_CHARS);
    text.map(str::to_owned).ok_or_else(|| {
        let message = format!("must be 1 to {MAX_KEY_CHARS} visible ASCII characters");
        ApiError::new(ErrorType::ValidationError).detail(name, message)
    })
}

impl IdempotencyKey {
    /// The key's text.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The SHA-256 of the key, under which its record lies.
    #[must_use]
    pub fn hash(&self) -> Option<String> {
        self.0.as_ref().map(|key| hex::encode(Sha256::digest(key.as_bytes())))
    }
}

/// The fingerprint of a request together with as what its caller was let in: what one scope is answered is not for
/// another, which is told less or shown other prices. Where a scope is alone on its routes, or may do all that the others
/// may, it is the bare one.
#[must_use]
pub fn as_asked(caller: &Caller, fingerprint: &str) -> String {
    match caller.scope {
        Scope::B2b | Scope::Onboard | Scope::Payment => fingerprint.to_owned(),
        scope @ (Scope::B2c | Scope::B2cBrowser | Scope::Counter | Scope::Door) => {
            format!("{fingerprint} {}", scope.name())
        }
    }
}

/// Whether a claimed key's first request may still be running.
#[must_use]
pub fn is_running(record: &IdempotencyRecord, now: Timestamp) -> bool {
    now.timestamp() < record.claimed_at.saturating_add(CLAIM_SECS)
}

/// Marks an answer as given before.
#[must_use]
pub fn replayed(mut response: Response) -> Response {
    response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    response
}

/// The record of a claim on a key, which a nonce tells from every other.
///
/// # Errors
/// `INTERNAL` when the operating system has no randomness to give.
pub fn new_claim(ids: &IdSource, fingerprint: &str, now: Timestamp) -> Result<IdempotencyRecord, ApiError> {
    Ok(IdempotencyRecord {
        fingerprint: fingerprint.to_owned(),
        claimed_at: now.timestamp(),
        nonce: ids.attempt_token()?,
        answer: None,
        revision: None,
        refusal: None,
        order: None,
        refund: None,
    })
}

/// What a write answers: a body, and the revision of what it shows.
#[derive(Debug)]
pub struct Tagged<T> {
    /// The body.
    pub body: T,
    /// What `ETag` says, without quotation marks; none for what has no revisions.
    pub revision: Option<String>,
}

impl<T: Serialize> IntoResponse for Tagged<T> {
    fn into_response(self) -> Response {
        let mut response = Json(self.body).into_response();
        let tag = self.revision.and_then(|revision| HeaderValue::try_from(format!("\"{revision}\"")).ok());
        if let Some(tag) = tag {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }
}

/// Runs a write whose repetition does no harm, and answers a repeated request with the first answer. A
/// request that died on the way, that does not know whether it had its effect, or whose effect is still on its
/// way, is run again by a repetition that comes [`CLAIM_SECS`] later. Of refusals, those by a card processor are
/// kept (402, decision record 0020).
///
/// # Errors
/// `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`, or whatever `run` refuses with.
pub fn once<'a, T: Serialize>(
    app: &'a App,
    caller: &'a Caller,
    key: &'a IdempotencyKey,
    fingerprint: &'a str,
    run: impl Future<Output = Result<T, ApiError>> + Send + 'a,
) -> BoxFuture<'a, Result<Response, ApiError>> {
    let run = async move { written(run.await?, None) };
    run_once(ClaimingRequest { app, caller, key, fingerprint }, None, Box::pin(run))
}

/// [`once`] for a write whose answer has a revision, which a repetition shows as well.
///
/// # Errors
/// Those of [`once`].
pub fn once_tagged<'a, T: Serialize>(
    app: &'a App,
    caller: &'a Caller,
    key: &'a IdempotencyKey,
    fingerprint: &'a str,
    run: impl Future<Output = Result<Tagged<T>, ApiError>> + Send + 'a,
) -> BoxFuture<'a, Result<Response, ApiError>> {
    let run = async move {
        let Tagged { body, revision } = run.await?;
        written(body, revision)
    };
    run_once(ClaimingRequest { app, caller, key, fingerprint }, None, Box::pin(run))
}

/// [`once`] for a write whose effect is found by what it made. Where an earlier request has the key and has not
/// answered, whether it runs, died or waits for somebody else, `resume` looks for what it made: it answers that, or
/// says how far it has come. Where there is nothing yet, the key is held as it is in [`once`].
///
/// # Errors
/// Those of [`once`], or whatever `resume` says of an effect that is still on its way.
pub fn once_or_resume<'a, T: Serialize>(
    app: &'a App,
    caller: &'a Caller,
    key: &'a IdempotencyKey,
    fingerprint: &'a str,
    resume: impl Future<Output = Result<Option<T>, ApiError>> + Send + 'a,
    run: impl Future<Output = Result<T, ApiError>> + Send + 'a,
) -> BoxFuture<'a, Result<Response, ApiError>> {
    let resume = async move { resume.await?.map(|body| written(body, None)).transpose() };
    let run = async move { written(run.await?, None) };
    run_once(ClaimingRequest { app, caller, key, fingerprint }, Some(Box::pin(resume)), Box::pin(run))
}

/// An answer as it is kept and sent: its body as JSON text, and its revision.
type Written = Tagged<Box<RawValue>>;

fn written(body: impl Serialize, revision: Option<String>) -> Result<Written, ApiError> {
    Ok(Tagged { body: to_raw_value(&body).map_err(ApiError::internal)?, revision })
}

/// A request that claims its key.
struct ClaimingRequest<'a> {
    app: &'a App,
    caller: &'a Caller,
    key: &'a IdempotencyKey,
    fingerprint: &'a str,
}

/// What [`once`], [`once_tagged`] and [`once_or_resume`] have in common; without `resume`, nothing is looked for.
fn run_once<'a>(
    request: ClaimingRequest<'a>,
    resume: Option<BoxFuture<'a, Result<Option<Written>, ApiError>>>,
    run: BoxFuture<'a, Result<Written, ApiError>>,
) -> BoxFuture<'a, Result<Response, ApiError>> {
    Box::pin(async move {
        let ClaimingRequest { app, caller, key, fingerprint } = request;
        let Some(hash) = key.hash() else { return run.await.map(IntoResponse::into_response) };
        let key = idempotency_key(caller.tenant.id, &hash);
        let own = match claim(app, caller, &key, fingerprint).await? {
            ClaimedKey::Answered(answer) => return Ok(*answer),
            ClaimedKey::Own(own) => own,
            ClaimedKey::Open(open) => {
                let made = match resume {
                    Some(resume) => resume.await,
                    None => Ok(None),
                };
                match made {
                    Ok(Some(answer)) => return keep(app, &key, &open.held, answer).await.map(replayed),
                    Ok(None) => take_over(app, caller, &key, *open).await?,
                    Err(refusal) if is_kept(&refusal) => {
                        note_end(app, &key, &open.held, &refusal).await;
                        return Ok(replayed(refusal.into_response()));
                    }
                    Err(refusal) => return Err(refusal),
                }
            }
        };
        run_as(app, &key, &own, run).await
    })
}

/// Runs the request that has the key, and notes how it ended.
async fn run_as(
    app: &App,
    key: &Key,
    own: &IdempotencyRecord,
    run: BoxFuture<'_, Result<Written, ApiError>>,
) -> Result<Response, ApiError> {
    match run.await {
        Ok(answer) => keep(app, key, own, answer).await,
        Err(refusal) => {
            note_end(app, key, own, &refusal).await;
            Err(refusal)
        }
    }
}

/// Keeps an answer under its key, and gives it.
async fn keep(app: &App, key: &Key, own: &IdempotencyRecord, answer: Written) -> Result<Response, ApiError> {
    let kept = KeptAnswer { text: answer.body.get(), revision: answer.revision.as_deref(), refusal: None };
    app.store.keep_answer(key, own, kept).await?;
    Ok(answer.into_response())
}

/// Notes a refusal under its key; where that fails, the refusal stays what it is.
async fn note_end(app: &App, key: &Key, own: &IdempotencyRecord, refusal: &ApiError) {
    if let Err(fault) = conclude(app, key, own, refusal).await {
        tracing::warn!(%fault, "the end of a request was not noted; its key stays claimed for a while");
    }
}

/// Whether a refusal is an answer for good, which is kept.
fn is_kept(refusal: &ApiError) -> bool {
    refusal.kind().row().status == StatusCode::PAYMENT_REQUIRED
}

/// Keeps a refusal under its key, gives the key free, or leaves it claimed, as the refusal says.
async fn conclude(
    app: &App,
    key: &Key,
    own: &IdempotencyRecord,
    refusal: &ApiError,
) -> Result<(), StoreError> {
    if is_kept(refusal) {
        let code = refusal.kind().row().code;
        let kept = KeptAnswer { text: &refusal.facts(), revision: None, refusal: Some(code) };
        app.store.keep_answer(key, own, kept).await
    } else if refusal.may_have_had_its_effect() {
        Ok(())
    } else {
        app.store.release_idempotency_key(key, own).await
    }
}

/// Ties a key to a request whose repetition is recognised by what it made, so that another request under the same key
/// is refused, whatever its route. The request, should it be refused, gives the key free again.
///
/// # Errors
/// `IDEMPOTENCY_KEY_REUSED`.
pub async fn tie(
    app: &App,
    caller: &Caller,
    key: &IdempotencyKey,
    fingerprint: &str,
) -> Result<Tie, ApiError> {
    let Some(hash) = key.hash() else { return Ok(Tie(None)) };
    let key = idempotency_key(caller.tenant.id, &hash);
    let fingerprint = as_asked(caller, fingerprint);
    let record = new_claim(&app.ids, &fingerprint, caller.clock.now())?;
    match app.store.claim_idempotency_key(&key, &record, None, app.wall_now()).await? {
        Ok(()) => Ok(Tie(Some((key, record)))),
        Err(held) if held.fingerprint == fingerprint => Ok(Tie(None)),
        Err(_) => Err(ApiError::new(ErrorType::IdempotencyKeyReused)),
    }
}

/// A key that [`tie`] tied, if it was not before.
#[derive(Debug)]
pub struct Tie(Option<(Key, IdempotencyRecord)>);

impl Tie {
    /// Ends a request: where it was refused without effect, its key is free for another one.
    ///
    /// # Errors
    /// Those of the request.
    pub async fn end<T>(self, app: &App, outcome: Result<T, ApiError>) -> Result<T, ApiError> {
        if let (Err(refusal), Some((key, own))) = (&outcome, &self.0)
            && let Err(fault) = conclude(app, key, own, refusal).await
        {
            tracing::warn!(%fault, "the end of a request was not noted; its key stays tied to it");
        }
        outcome
    }
}

/// What became of the wish to claim a key.
enum ClaimedKey {
    /// The key is this request's.
    Own(IdempotencyRecord),
    /// An earlier request was answered so.
    Answered(Box<Response>),
    /// An earlier request has it and was not answered.
    Open(Box<Open>),
}

/// A key that an earlier request has, and the claim of this one.
struct Open {
    held: IdempotencyRecord,
    wanted: IdempotencyRecord,
}

/// Claims the key for this request, or finds what became of an earlier one.
async fn claim(app: &App, caller: &Caller, key: &Key, fingerprint: &str) -> Result<ClaimedKey, ApiError> {
    let fingerprint = as_asked(caller, fingerprint);
    let record = new_claim(&app.ids, &fingerprint, caller.clock.now())?;
    let Err(held) = app.store.claim_idempotency_key(key, &record, None, app.wall_now()).await? else {
        return Ok(ClaimedKey::Own(record));
    };
    if held.fingerprint != fingerprint {
        return Err(ApiError::new(ErrorType::IdempotencyKeyReused));
    }
    if let Some(answer) = held.answer {
        let answer = match held.refusal {
            None => {
                let body = RawValue::from_string(answer).map_err(ApiError::internal)?;
                Tagged { body, revision: held.revision }.into_response()
            }
            Some(code) => {
                let refusal = ApiError::kept(code, &answer);
                refusal.unwrap_or_else(|| ApiError::new(ErrorType::Internal)).into_response()
            }
        };
        return Ok(ClaimedKey::Answered(Box::new(replayed(answer))));
    }
    Ok(ClaimedKey::Open(Box::new(Open { held, wanted: record })))
}

/// Takes the key of a request that died.
async fn take_over(app: &App, caller: &Caller, key: &Key, open: Open) -> Result<IdempotencyRecord, ApiError> {
    let Open { held, wanted } = open;
    if is_running(&held, caller.clock.now()) {
        return Err(ApiError::new(ErrorType::RequestInProgress));
    }
    match app.store.claim_idempotency_key(key, &wanted, Some(&held), app.wall_now()).await? {
        Ok(()) => Ok(wanted),
        Err(_) => Err(ApiError::new(ErrorType::RequestInProgress)),
    }
}

#[cfg(test)]
mod tests;
