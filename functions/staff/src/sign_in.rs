//! `/v2/staff/login` and `/v2/staff/session`: a link by mail, and the session that it opens.

use adapters::App;
use axum::Json;
use axum::extract::State;
use domain::login::{LoginParty, STAFF_LINK_LIFE_SECS};
use domain::rate_limit::Activity;
use domain::staff::{SessionToken, StaffMember, StaffSession};
use web::login::{self, FoundRequest, find_request, token_refused};
use web::staff_page::{SignedIn, StaffPage};
use web::{ApiError, Body, ErrorBody};
use wire::staff::{StaffLoginInput, StaffLoginView, StaffSessionInput, StaffSessionView, StaffView};

/// Email a link to sign in
///
/// If an active person of the staff has this address, a mail goes there with a link that opens the tenant's page for
/// staff, works once and for 15 minutes. Nobody learns from the answer whether there is such a person. An address that was
/// sent so many links of late that some still open gets no further one; the answer is the same.
#[utoipa::path(
    post,
    path = "/v2/staff/login",
    tag = "Staff",
    security(()),
    params(("x-b2c-tenant-id" = i64, Header, description = "The tenant, one of whose allowed origins the page is from")),
    request_body = StaffLoginInput,
    responses(
        (status = 200, description = "The same for every address", body = StaffLoginView),
        (status = 400, description = "`VALIDATION_ERROR`: `email` was not sent, or is not an e-mail address", body = ErrorBody),
        (status = 403, description = "`FORBIDDEN`: there is no such tenant, or it does not know the page's origin", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many requests from this address", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn send_link(
    State(app): State<App>,
    page: StaffPage,
    body: Body<StaffLoginInput>,
) -> Result<Json<StaffLoginView>, ApiError> {
    let address = body.parse(|checker, input| input.read(checker))?;
    login::send_link(&app, page.client(), Activity::LoginMail, LoginParty::Staff, address).await?;
    Ok(Json(StaffLoginView { minutes: STAFF_LINK_LIFE_SECS / 60 }))
}

/// Sign in with a mailed link
///
/// The session is shown once and lasts for twelve hours; it works from the tenant's allowed origins only. A link works
/// once, and there is no repetition: whoever loses the answer asks for another link.
#[utoipa::path(
    post,
    path = "/v2/staff/session",
    tag = "Staff",
    security(()),
    params(("x-b2c-tenant-id" = i64, Header, description = "The tenant, one of whose allowed origins the page is from")),
    request_body = StaffSessionInput,
    responses(
        (status = 200, description = "The session, who is signed in, and where", body = StaffSessionView),
        (status = 400, description = "`VALIDATION_ERROR`: no `token` was sent; `LOGIN_TOKEN_NOT_VALID`: the token has already been used, has expired, or is not valid", body = ErrorBody),
        (status = 403, description = "`FORBIDDEN`: there is no such tenant, or it does not know the page's origin", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many requests from this address", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn sign_in(
    State(app): State<App>,
    page: StaffPage,
    body: Body<StaffSessionInput>,
) -> Result<Json<StaffSessionView>, ApiError> {
    let text = body.parse(|checker, input| input.read(checker))?;
    let hash_key = app.hash_key(&page.tenant).await?;
    let (tenant, now, client) = (page.tenant.id, page.clock.now(), page.client());
    let found = find_request(&app, client, Activity::Login, LoginParty::Staff, &hash_key, &text).await?;
    let FoundRequest { place, request } = found;
    let person = app.store.find_staff(tenant, &request.email).await?.map(|stored| stored.value);
    // A link that was mailed before her sessions were ended ended with them.
    let may_sign_in =
        |person: &StaffMember| request.mailed_to.as_ref().is_some_and(|mark| mark.may_sign_in(person));
    let person = person.filter(may_sign_in).ok_or_else(token_refused)?;
    let token = SessionToken::new(tenant, person.id.clone(), app.ids.bytes()?);
    let session = StaffSession::begin(&person, now);
    let call = app.ids.attempt_token()?;
    if !app.store.begin_session(&place, &call, &token, &session).await? {
        return Err(token_refused());
    }
    if let Err(fault) = app.store.delete_ended_sessions(tenant, &person.id, now).await {
        tracing::warn!(%fault, "sessions that have ended were not deleted");
    }
    Ok(Json(StaffSessionView::new(&token, &session, &person, &page.tenant)))
}

/// Sign out
///
/// Ends the session of the header `x-service-session`.
#[utoipa::path(
    delete,
    path = "/v2/staff/session",
    tag = "Staff",
    security(("staffSession" = [])),
    responses(
        (status = 200, description = "Who was signed in", body = StaffView),
        (status = 400, description = "`VALIDATION_ERROR`: a key was sent beside the session", body = ErrorBody),
        (status = 403, description = "`FORBIDDEN`: the page's origin is not one of the venue's", body = ErrorBody),
        (status = 401, description = "`UNAUTHORIZED`: there is no such session, or it has ended", body = ErrorBody),
    ),
)]
pub(crate) async fn sign_out(
    State(app): State<App>,
    signed_in: SignedIn,
) -> Result<Json<StaffView>, ApiError> {
    app.store.end_session(&signed_in.token).await?;
    Ok(Json(StaffView::from(&signed_in.person)))
}
