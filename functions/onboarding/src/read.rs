//! `GET /v1/payment/onboard/{boardingRefId}`.

use crate::reference::{mid_of, of_path};
use crate::seal::open;
use adapters::App;
use axum::Json;
use axum::extract::{Path, State};
use domain::merchant::Merchant;
use domain::onboarding::Boarding;
use web::access::{Caller, Partner};
use web::authored::not_found;
use web::{ApiError, ErrorBody};
use wire::onboarding::{OnboardingOutput, OnboardingView};

/// Read a merchant and its application
///
/// Numbers of persons, taxes and accounts and dates of birth are masked to their last four characters.
#[utoipa::path(
    get,
    path = "/v1/payment/onboard/{boardingRefId}",
    tag = "Payments",
    params(("boardingRefId" = String, Path, description = "The partner's reference for the application, a UUID")),
    responses(
        (status = 200, description = "It", body = OnboardingOutput),
        (status = 400, description = "`VALIDATION_ERROR`: no UUID", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
    ),
)]
pub(crate) async fn read(
    State(app): State<App>,
    partner: Partner,
    Path(reference): Path<String>,
) -> Result<Json<OnboardingOutput>, ApiError> {
    let (boarding, merchant) = load(&app, &partner, &reference).await?;
    let application = open(&app, partner.tenant.id, &boarding).await?;
    Ok(Json(OnboardingOutput::read(OnboardingView {
        tenant: partner.tenant.id,
        reference: &boarding.reference,
        merchant: &merchant,
        application: &application,
        violations: &boarding.violations,
        dates: (boarding.created_at, boarding.updated_at),
    })))
}

/// The application a path names, with its merchant.
pub(crate) async fn load(
    app: &App,
    caller: &Caller,
    reference: &str,
) -> Result<(Boarding, Merchant), ApiError> {
    let reference = of_path(reference)?;
    let hash_key = app.hash_key(&caller.tenant).await?;
    let mid = mid_of(&reference, &hash_key);
    let found = app.store.load_boarding(caller.tenant.id, &reference, &mid).await?;
    found.ok_or_else(not_found)
}
