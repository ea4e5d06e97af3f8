//! `GET /v2/b2c/membership/validate`.

use crate::proof::{activity, prove, recognised};
use adapters::App;
use adapters::rate_limit::{count, count_unknown_memberships, look_at_memberships};
use axum::Json;
use axum::extract::{Query, State};
use domain::lines::is_blank;
use domain::rate_limit::Activity;
use domain::verification::verify;
use serde::Deserialize;
use utoipa::IntoParams;
use web::access::Verifier;
use web::query::QueryReader;
use web::{ApiError, ErrorBody, ErrorType};
use wire::member::{MemberView, PageVerification, VerificationAnswer, VerificationView};

/// Who is to be verified.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct ValidateQuery {
    /// The membership number; the venue's own number of the membership and the barcode of a card are found as
    /// well.
    #[param(required = true)]
    membership_id: Option<String>,
    /// The last name on the card. Required of pages.
    last_name: Option<String>,
}

/// Verify a member
///
/// A server is answered one entry for each card that is neither given up nor replaced. Without the last name of its
/// holder, an entry has the standings and dates of the card and nothing of the person; with it, also a proof for pages.
/// A page has to send the last name, and is answered an object with the dates and the proof, and nothing of the person:
/// `not_found` for a number that is nobody's as for one of somebody else, or of a membership that has ended. Letter
/// case, kinds of apostrophes and white space make no difference.
#[utoipa::path(
    get,
    path = "/v2/b2c/membership/validate",
    tag = "Members",
    params(ValidateQuery),
    responses(
        (status = 200, description = "The cards found, or one entry `not_found`; for a page, whether it is the member", body = VerificationAnswer),
        (status = 400, description = "`MEMBERSHIPID_DNE`: no `membershipId` was sent; `VALIDATION_ERROR`: a page sent no `lastName`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many requests, or too many unknown numbers, for this visitor or by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn validate(
    State(app): State<App>,
    caller: Verifier,
    Query(query): Query<ValidateQuery>,
) -> Result<Json<VerificationAnswer>, ApiError> {
    let missing = |message| ApiError::new(ErrorType::MembershipIdMissing).detail("membershipId", message);
    let sent = query.membership_id.as_deref().map(str::trim).ok_or_else(|| missing("is required"))?;
    if is_blank(sent) {
        return Err(missing("must not be blank"));
    }
    let mut reader = QueryReader::new();
    let last_name = reader.text("lastName", query.last_name.as_deref());
    if caller.scope.is_page() && query.last_name.is_none() {
        reader.fault("lastName", "is required");
    }
    let last_name = reader.finish(last_name)?;
    let tenant = caller.tenant.id;
    let (allowed, guessed, found, definitions) = tokio::join!(
        count(&app, caller.client(), activity(&caller, Activity::Verification)),
        look_at_memberships(&app, caller.client()),
        app.store.load_memberships_named(tenant, sent),
        app.definitions(tenant)
    );
    allowed.and(guessed)?;
    let (found, definitions) = (found?, definitions?);
    let now = caller.clock.now();
    let found: Vec<_> = found.into_iter().map(|membership| membership.as_of(now)).collect();
    let verified = verify(&found, sent, last_name.as_deref(), now);
    let recognised = recognised(&verified, now);
    // A page is not told whether it was the number or the name that was wrong.
    let is_guess = if caller.scope.is_page() { recognised.is_empty() } else { found.is_empty() };
    count_unknown_memberships(&app, caller.client(), u32::from(is_guess)).await?;
    let proofs = prove(&app, &caller, &recognised).await?;
    let view = MemberView { zone: caller.tenant.zone, levels: &definitions.levels };
    Ok(Json(match caller.scope.is_page() {
        true => VerificationAnswer::Page(PageVerification::of(&recognised, &proofs, &view)),
        false => VerificationAnswer::Server(VerificationView::list(&verified, &proofs, &view)),
    }))
}
