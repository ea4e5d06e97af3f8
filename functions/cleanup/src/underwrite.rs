//! The underwriter of the sandbox (contract §11, decision 0064).

use adapters::App;
use domain::merchant::MerchantStatus;
use domain::onboarding::{Verdict, sandbox_verdict};
use domain::{BoardingRefId, TenantId};
use sagas::SagaFault;
use store::onboarding::{BoardingRefusal, plan_decide};

/// Decides on an application; false when there is nothing to decide. One that was changed meanwhile stays due.
pub(crate) async fn decide(
    app: &App,
    tenant: TenantId,
    reference: &BoardingRefId,
) -> Result<bool, SagaFault> {
    let Some(boarding) = app.store.load_application(tenant, reference).await? else { return Ok(false) };
    let decision = match sandbox_verdict(&boarding.application) {
        Verdict::Approve => MerchantStatus::Approved,
        Verdict::Decline => MerchantStatus::Declined,
        Verdict::Wait => {
            app.store.settle_application(tenant, &boarding).await?;
            return Ok(false);
        }
    };
    let plan = plan_decide(tenant, &boarding, decision)?;
    let Err(refused) = app.store.commit(&plan, &app.ids.attempt_token()?).await? else { return Ok(true) };
    let is_decided = refused.iter().all(|refused| refused.refusal == BoardingRefusal::Merchant);
    if is_decided {
        // The operator was first.
        app.store.settle_application(tenant, &boarding).await?;
    }
    Ok(false)
}
