//! `GET /v2/b2c/membership/validate`.

use axum::Json;
use axum::extract::{Query, State};
use domain::rate_limit::Activity;
use domain::verification::verify;
use platform::access::StorefrontServer;
use platform::rate_limit::count;
use platform::{ApiError, App, ErrorBody, ErrorType};
use serde::Deserialize;
use utoipa::IntoParams;
use wire::member::{MemberView, VerificationView};

/// Who is to be verified.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct ValidateQuery {
    /// The membership number; the venue's own number of the membership and the barcode of a card are found as
    /// well.
    #[param(required = true)]
    membership_id: Option<String>,
    /// The last name on the card.
    last_name: Option<String>,
}

/// Verifies a member.
///
/// One entry for each card that is neither given up nor replaced. Without the last name of its holder, an entry
/// has the standings and dates of the card and nothing of the person. Letter case, kinds of apostrophes and
/// white space make no difference.
#[utoipa::path(
    get,
    path = "/v2/b2c/membership/validate",
    tag = "Members",
    params(ValidateQuery),
    responses(
        (status = 200, description = "The cards found, or one entry `not_found`", body = Vec<VerificationView>),
        (status = 400, description = "`MEMBERSHIPID_DNE`: no `membershipId` was sent", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many, for this visitor or by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn validate(
    State(app): State<App>,
    server: StorefrontServer,
    Query(query): Query<ValidateQuery>,
) -> Result<Json<Vec<VerificationView>>, ApiError> {
    let sent = query.membership_id.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let sent = sent
        .ok_or_else(|| ApiError::new(ErrorType::MembershipIdMissing).detail("membershipId", "is required"))?;
    let last_name = query.last_name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let tenant = server.tenant.id;
    let (allowed, found, definitions) = tokio::join!(
        count(&app, &server, Activity::Verification),
        app.store.load_memberships_named(tenant, sent),
        app.definitions(tenant)
    );
    allowed?;
    let (found, definitions) = (found?, definitions?);
    let now = server.clock.now();
    let found: Vec<_> = found.into_iter().map(|membership| membership.as_of(now)).collect();
    let view = MemberView { zone: server.tenant.zone, levels: &definitions.levels };
    let verified = verify(&found, (sent, last_name), now);
    Ok(Json(VerificationView::list(&verified, &view)))
}
