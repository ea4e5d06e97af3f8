//! `/v2/b2c/membership/validate/login`: a link by mail, and what it opens.

use crate::proof::{activity, prove, recognised};
use adapters::App;
use adapters::keyed_hash::HashKey;
use axum::extract::{Query, State};
use axum::response::Response;
use domain::login::{LoginParty, cards_of};
use domain::rate_limit::Activity;
use http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;
use web::access::{Caller, Verifier};
use web::idempotency::once;
use web::login::{self, FoundRequest, find_request, token_refused};
use web::query::{QueryReader, email};
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey};
use wire::is_email;
use wire::member::{LoginAnswer, LoginInput, MemberView, PageLogin, VerificationView};

const PATH: &str = "/v2/b2c/membership/validate/login";

/// Who wants to log in.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct LoginQuery {
    /// An e-mail address, in any case.
    #[param(required = true)]
    email: Option<String>,
}

/// Email a login link
///
/// If someone with this address holds a card, a mail goes there with a link that opens the venue's own site, works once
/// and for half an hour. Nobody learns from the answer whether there is such a member. An address that was sent so many
/// links of late that some still open gets no further one; the answer is the same.
#[utoipa::path(
    get,
    path = "/v2/b2c/membership/validate/login",
    tag = "Members",
    params(LoginQuery),
    responses(
        (status = 204, description = "A member with this address is sent an email"),
        (status = 400, description = "`VALIDATION_ERROR`: `email` was not sent, or is not an e-mail address", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many requests, for this visitor or by this key", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn send_link(
    State(app): State<App>,
    caller: Verifier,
    Query(query): Query<LoginQuery>,
) -> Result<StatusCode, ApiError> {
    let mut reader = QueryReader::new();
    let address = |text: &str| Some(email(text)).filter(|address| is_email(address));
    let sent = reader.required("email", query.email.as_deref(), address, "an e-mail address");
    let address = reader.finish(sent)?.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
    let activity = activity(&caller, Activity::LoginMail);
    login::send_link(&app, caller.client(), activity, LoginParty::Member, address).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Log in with a mailed link
///
/// A server is answered the cards that the mail's recipient holds, in full, with a proof for pages; a page is answered
/// the dates of the memberships and the proof, and nothing of the person. A link works once; a repetition of the call
/// with its `Idempotency-Key` has the first answer.
#[utoipa::path(
    post,
    path = "/v2/b2c/membership/validate/login",
    tag = "Members",
    request_body = LoginInput,
    responses(
        (status = 200, description = "The cards, or one entry `not_found` if there are none any more; for a page, the memberships", body = LoginAnswer),
        (status = 400, description = "`VALIDATION_ERROR`: no `token` was sent; `LOGIN_TOKEN_NOT_VALID`: the token has already been used, has expired, or is not valid", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many requests, for this visitor or by this key", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn log_in(
    State(app): State<App>,
    caller: Verifier,
    key: IdempotencyKey,
    body: Body<LoginInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&caller.tenant).await?;
    let fingerprint = body.fingerprint(&format!("POST {PATH}"), &hash_key);
    let call = match key.hash() {
        Some(hash) => hash,
        None => app.ids.attempt_token()?,
    };
    let run = async {
        let token = body.parse(|checker, input| input.read(checker))?;
        redeem(&app, &caller, &hash_key, &token, &call).await
    };
    once(&app, &caller, &key, &fingerprint, run).await
}

async fn redeem(
    app: &App,
    caller: &Caller,
    hash_key: &HashKey,
    token: &str,
    call: &str,
) -> Result<LoginAnswer, ApiError> {
    let (tenant, now) = (caller.tenant.id, caller.clock.now());
    let activity = activity(caller, Activity::Login);
    let found = find_request(app, caller.client(), activity, LoginParty::Member, hash_key, token).await?;
    let FoundRequest { place, request } = found;
    let (found, definitions) =
        tokio::join!(app.store.find_memberships_of_email(tenant, &request.email), app.definitions(tenant));
    let (found, definitions) = (found?, definitions?);
    if !app.store.redeem_login(&place, call).await? {
        return Err(token_refused());
    }
    let found: Vec<_> = found.into_iter().map(|membership| membership.as_of(now)).collect();
    let view = MemberView { zone: caller.tenant.zone, levels: &definitions.levels };
    let cards = cards_of(&found, &request.email, now);
    let recognised = recognised(&cards, now);
    let proofs = prove(app, caller, &recognised).await?;
    Ok(match caller.scope.is_page() {
        true => LoginAnswer::Page(PageLogin::of(&recognised, &proofs, &view)),
        false => LoginAnswer::Server(VerificationView::list(&cards, &proofs, &view)),
    })
}
