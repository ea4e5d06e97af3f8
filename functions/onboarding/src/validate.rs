//! `POST /v1/payment/onboard/validate`.

use crate::reference::read;
use axum::Json;
use domain::onboarding::Violation;
use web::access::Partner;
use web::{ApiError, Body, ErrorBody};
use wire::onboarding::{OnboardingInput, ValidationOutput};

/// Check which rules an application would break
///
/// Nothing is kept. `missing` lists what is still to be sent for the ownership type; `POST` refuses an application
/// without a `boardingRefId`, and keeps any other as `Incomplete`.
#[utoipa::path(
    post,
    path = "/v1/payment/onboard/validate",
    tag = "Payments",
    request_body = OnboardingInput,
    responses(
        (status = 200, description = "What the rules say", body = ValidationOutput),
        (status = 400, description = "`MALFORMED_JSON`", body = ErrorBody),
    ),
)]
pub(crate) async fn validate(
    partner: Partner,
    body: Body<OnboardingInput>,
) -> Result<Json<ValidationOutput>, ApiError> {
    let today = partner.tenant.zone.date(partner.clock.now());
    let mut input = body.value;
    let unnamed = read(input.take_reference()).err();
    let (_, broken) = input.read().into_application(today);
    let broken: Vec<Violation> = unnamed.into_iter().chain(broken).collect();
    Ok(Json(ValidationOutput::of(&broken)))
}
