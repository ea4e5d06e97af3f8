//! `POST /v1/payment/onboard`.

use crate::reference::{mid_of, sent};
use crate::seal::{SealedApplication, seal};
use adapters::App;
use adapters::rate_limit::count_application;
use axum::extract::State;
use axum::response::Response;
use domain::merchant::MerchantStatus;
use domain::onboarding::{Boarding, Clear, FirstAnswer, underwriting_due};
use store::onboarding::plan_board;
use web::access::{Caller, Partner};
use web::idempotency::once;
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey};
use wire::onboarding::{OnboardingInput, OnboardingOutput, OnboardingView};

const ROUTE: &str = "POST /v1/payment/onboard";

/// Register a merchant
///
/// The merchant id is in the answer. An application that breaks rules is kept as `Incomplete`, with all of them in
/// `errorInfo`, to be completed by `PATCH`; a clean one is `Pending` until the underwriter decides. The same request
/// again has the same answer. Numbers of persons, taxes and accounts and dates of birth are masked in every answer.
#[utoipa::path(
    post,
    path = "/v1/payment/onboard",
    tag = "Payments",
    request_body = OnboardingInput,
    responses(
        (status = 200, description = "The merchant", body = OnboardingOutput),
        (status = 400, description = "`MALFORMED_JSON`; `VALIDATION_ERROR`: `boardingRefId` is missing or not a UUID", body = ErrorBody),
        (status = 409, description = "`ONBOARDING_CONFLICT`: another application has this `boardingRefId`; `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many applications by this key", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn create(
    State(app): State<App>,
    partner: Partner,
    key: IdempotencyKey,
    body: Body<OnboardingInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&partner.tenant).await?;
    let fingerprint = body.fingerprint(ROUTE, &hash_key);
    let run = async {
        let mut input = body.value;
        let reference = sent(input.take_reference())?;
        let now = partner.clock.now();
        let (application, broken) = input.read().into_application(partner.tenant.zone.date(now));
        let (sealed, allowed) = tokio::join!(
            seal(&app, partner.tenant.id, &reference, application.clone()),
            count_application(&app, partner.client())
        );
        let SealedApplication { application: stored, key: sealed_key } = sealed?;
        let boarding = Boarding {
            mid: mid_of(&reference, &hash_key),
            reference,
            fingerprint: fingerprint.clone(),
            application: stored,
            sealed_key,
            first: FirstAnswer {
                status: MerchantStatus::Incomplete.with(&broken),
                violations: broken.clone(),
            },
            violations: broken,
            created_at: now,
            updated_at: None,
            revision: 0,
            chosen_clock: partner.clock.is_chosen(),
        };
        let boarding = match allowed {
            Ok(()) => keep(&app, &partner, boarding).await?,
            // Nobody is kept from the answer to an application that was made.
            Err(refusal) => earlier(&app, &partner, &boarding).await?.ok_or(refusal)?,
        };
        Ok(present(&partner, &boarding, &application))
    };
    once(&app, &partner, &key, &fingerprint, run).await
}

/// The application that the same request made before.
async fn earlier(app: &App, caller: &Caller, boarding: &Boarding) -> Result<Option<Boarding>, ApiError> {
    let found = app.store.load_boarding(caller.tenant.id, &boarding.reference, &boarding.mid).await?;
    Ok(found.map(|(earlier, _)| earlier).filter(|earlier| earlier.fingerprint == boarding.fingerprint))
}

/// Makes the application and its merchant, or finds the one that the same request made before.
async fn keep(app: &App, caller: &Caller, boarding: Boarding) -> Result<Boarding, ApiError> {
    let tenant = &caller.tenant;
    let Boarding { reference, mid, .. } = &boarding;
    let merchant = boarding.application.merchant(reference, mid.clone(), boarding.first.status);
    let due_at = underwriting_due(tenant, merchant.status, boarding.created_at);
    let plan = plan_board(tenant.id, &boarding, due_at, &merchant)?;
    match app.store.board(tenant.id, &plan, &app.ids.attempt_token()?).await? {
        Ok(()) => Ok(boarding),
        Err(earlier) if earlier.fingerprint == boarding.fingerprint => Ok(*earlier),
        Err(_) => Err(ApiError::new(ErrorType::OnboardingConflict)),
    }
}

/// The answer, which is that of the first request of this content.
fn present(caller: &Caller, boarding: &Boarding, application: &Clear) -> OnboardingOutput {
    let Boarding { reference, mid, .. } = boarding;
    OnboardingOutput::created(OnboardingView {
        tenant: caller.tenant.id,
        reference,
        merchant: &application.merchant(reference, mid.clone(), boarding.first.status),
        application,
        violations: &boarding.first.violations,
        dates: (boarding.created_at, None),
    })
}
