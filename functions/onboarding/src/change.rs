//! `PATCH /v1/payment/onboard/{boardingRefId}`.

use crate::read::load;
use crate::reference::sent;
use crate::seal::{SealedApplication, open, seal};
use adapters::App;
use axum::extract::State;
use axum::response::Response;
use domain::merchant::{Merchant, MerchantStatus};
use domain::onboarding::{
    ApplicationEdit, ApplicationEditRefusal, Boarding, Clear, Violation, edited, underwriting_due,
};
use std::ops::ControlFlow::{Break, Continue};
use store::authored::CHANGE_TRIES;
use store::onboarding::plan_change_boarding;
use store::revise;
use web::access::{Caller, Partner};
use web::authored::Target;
use web::idempotency::once;
use web::{ApiError, Body, ErrorBody, ErrorType};
use wire::Field;
use wire::onboarding::{ErrorInfo, OnboardingInput, OnboardingOutput, OnboardingView};

/// Complete or change an application
///
/// What is left out stays. An empty text or list removes an optional field, and is refused for a required one. A list
/// is replaced as a whole, a bank account field by field. `businessLegalName`, `merchantCategoryCode` and `taxId`
/// cannot be changed once they are right. A change that breaks a rule is refused with all of them and changes
/// nothing; other rules may stay broken, and are in `errorInfo`.
#[utoipa::path(
    patch,
    path = "/v1/payment/onboard/{boardingRefId}",
    tag = "Payments",
    params(("boardingRefId" = String, Path, description = "The partner's reference for the application, a UUID")),
    request_body = OnboardingInput,
    responses(
        (status = 200, description = "The merchant", body = OnboardingOutput),
        (status = 400, description = "`MALFORMED_JSON`; `VALIDATION_ERROR`: not a UUID, or a change that breaks rules, listed in `details` and `errorInfo`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
        (status = 409, description = "`MERCHANT_DECLINED`: the underwriter declined the merchant; `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn change(
    State(app): State<App>,
    partner: Partner,
    Target { id: path, key, .. }: Target,
    body: Body<OnboardingInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&partner.tenant).await?;
    let fingerprint = body.fingerprint(&format!("PATCH /v1/payment/onboard/{path}"), &hash_key);
    let run = async {
        let mut input = body.value;
        let named = input.take_reference();
        let edit = input.read();
        let (app, partner, path, named, edit) = (&app, &partner, &path, &named, &edit);
        // Each try was refused, since others were faster.
        let exhausted = |()| ApiError::new(ErrorType::TryAgain).without_effect();
        revise(CHANGE_TRIES, (), exhausted, |()| async move {
            let (boarding, merchant) = load(app, partner, path).await?;
            check_reference(named, &boarding)?;
            let changed = attempt(app, partner, boarding, merchant, edit.clone()).await?;
            Ok(changed.map_or(Continue(()), Break))
        })
        .await
    };
    once(&app, &partner, &key, &fingerprint, run).await
}

/// A body may name the merchant as its path does.
fn check_reference(named: &Field<String>, boarding: &Boarding) -> Result<(), ApiError> {
    match named {
        Field::Absent | Field::Null => Ok(()),
        Field::Value(_) | Field::Wrong if sent(named.clone())? == boarding.reference => Ok(()),
        Field::Value(_) | Field::Wrong => {
            let message = "must match the id in the path; it cannot be changed";
            Err(ApiError::new(ErrorType::ValidationError).detail("/boardingRefId", message))
        }
    }
}

/// Changes an application as it was read; none when it was changed meanwhile.
async fn attempt(
    app: &App,
    caller: &Caller,
    boarding: Boarding,
    merchant: Merchant,
    edit: ApplicationEdit,
) -> Result<Option<OnboardingOutput>, ApiError> {
    if merchant.status == MerchantStatus::Declined {
        return Err(ApiError::new(ErrorType::MerchantDeclined));
    }
    let tenant = &caller.tenant;
    let now = caller.clock.now();
    let current = open(app, tenant.id, &boarding).await?;
    let today = tenant.zone.date(now);
    let (after, broken) = edited(&current, &boarding.violations, edit, today).map_err(refusal)?;
    if after == current {
        return Ok(Some(present(caller, &boarding, &merchant, &after)));
    }
    let SealedApplication { application, key } =
        seal(app, tenant.id, &boarding.reference, after.clone()).await?;
    let next_merchant = Merchant {
        name: after.merchant_name(&boarding.reference),
        status: merchant.status.with(&broken),
        descriptor: after.billing_descriptor.clone().unwrap_or_default(),
        ..merchant.clone()
    };
    let next = Boarding {
        application,
        sealed_key: key,
        violations: broken,
        updated_at: Some(now),
        revision: boarding.revision.saturating_add(1),
        chosen_clock: caller.clock.is_chosen(),
        ..boarding
    };
    let due_at = underwriting_due(tenant, next_merchant.status, now);
    let plan = plan_change_boarding(tenant.id, &next, due_at, &merchant, &next_merchant)?;
    let changed = app.store.commit(&plan, &app.ids.attempt_token()?).await?;
    Ok(changed.is_ok().then(|| present(caller, &next, &next_merchant, &after)))
}

fn present(
    caller: &Caller,
    boarding: &Boarding,
    merchant: &Merchant,
    application: &Clear,
) -> OnboardingOutput {
    OnboardingOutput::changed(OnboardingView {
        tenant: caller.tenant.id,
        reference: &boarding.reference,
        merchant,
        application,
        violations: &boarding.violations,
        dates: (boarding.created_at, boarding.updated_at),
    })
}

fn refusal(ApplicationEditRefusal(broken): ApplicationEditRefusal) -> ApiError {
    let errors: Vec<ErrorInfo> = broken.iter().map(Into::into).collect();
    let error = ApiError::new(ErrorType::ValidationError).fact("errorInfo", errors);
    broken.iter().fold(error, |error, violation| error.detail(pointer(violation), violation.message.clone()))
}

/// The JSON pointer of a field: `/businessOwners/0/ssn` for `businessOwners[0].ssn`.
fn pointer(violation: &Violation) -> String {
    let steps = violation.field.split(['.', '[', ']']).filter(|step| !step.is_empty());
    steps.fold(String::new(), |pointer, step| format!("{pointer}/{step}"))
}
