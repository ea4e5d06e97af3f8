//! `GET /v2/b2c/membership/exists`.

use adapters::App;
use adapters::rate_limit::count;
use axum::Json;
use axum::extract::{Query, State};
use domain::Channel;
use domain::membership::OfferingActionKind;
use domain::rate_limit::Activity;
use serde::Deserialize;
use utoipa::IntoParams;
use web::access::StorefrontServer;
use web::query::QueryReader;
use web::{ApiError, ErrorBody, ErrorType};
use wire::member::ExistsView;

/// Whose membership is asked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExistsQuery {
    /// An e-mail address, in any case.
    #[param(required = true)]
    email: Option<String>,
}

/// Check whether someone with an e-mail address is a member
///
/// A membership that is lapsed counts, since it can be renewed; one that has ended does not, such as one that was
/// refunded. `canRenew` is true when one of their memberships can be renewed online: its level is published, and the way
/// it was bought, or another one of the level, allows it.
#[utoipa::path(
    get,
    path = "/v2/b2c/membership/exists",
    tag = "Members",
    params(ExistsQuery),
    responses(
        (status = 200, description = "Whether there is one", body = ExistsView),
        (status = 400, description = "`VALIDATION_ERROR`: no `email` was sent", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many requests, for this visitor or by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn exists(
    State(app): State<App>,
    server: StorefrontServer,
    Query(query): Query<ExistsQuery>,
) -> Result<Json<ExistsView>, ApiError> {
    let mut reader = QueryReader::new();
    let sent = reader.required_email("email", query.email.as_deref());
    let email = reader.finish(sent)?.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
    let tenant = server.tenant.id;
    let (allowed, found, definitions) = tokio::join!(
        count(&app, server.client(), Activity::Verification),
        app.store.find_memberships_of_email(tenant, &email),
        app.definitions(tenant)
    );
    allowed?;
    let (found, definitions) = (found?, definitions?);
    let now = server.clock.now();
    let can_renew = found
        .iter()
        .filter(|membership| membership.can_go_on())
        .filter_map(|membership| definitions.levels.get(&membership.last_plan().level))
        .any(|level| level.allows(OfferingActionKind::Renew, Channel::Online));
    let exists = found.iter().any(|membership| !membership.is_gone(now));
    Ok(Json(ExistsView { exists, can_renew }))
}
