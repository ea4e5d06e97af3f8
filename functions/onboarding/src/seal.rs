//! Secrets of applications: sealed field by field before they are stored, opened when they are read (contract §11).

use adapters::App;
use adapters::vault::DataKey;
use domain::onboarding::{Application, Boarding, Clear, Sealed, SecretText, application_key_context};
use domain::{BoardingRefId, TenantId};
use web::ApiError;

/// An application as it may be stored, and the key it was sealed under, itself sealed, in hexadecimal.
pub(crate) struct SealedApplication {
    pub(crate) application: Application<Sealed>,
    pub(crate) key: String,
}

/// Seals the secrets of an application under a new key.
pub(crate) async fn seal(
    app: &App,
    tenant: TenantId,
    reference: &BoardingRefId,
    application: Clear,
) -> Result<SealedApplication, ApiError> {
    let key = DataKey::generate(app.vault.as_ref(), &application_key_context(tenant, reference)).await;
    let key = key.map_err(ApiError::internal)?;
    let sealed = application.map_secrets(&mut |field: &str, secret: SecretText| {
        key.seal(field, secret.expose().as_bytes()).map(|sealed| Sealed(hex::encode(sealed)))
    });
    let application = sealed.map_err(ApiError::internal)?;
    Ok(SealedApplication { application, key: hex::encode(key.sealed()) })
}

/// Opens the secrets of an application.
pub(crate) async fn open(app: &App, tenant: TenantId, boarding: &Boarding) -> Result<Clear, ApiError> {
    let sealed = hex::decode(&boarding.sealed_key).map_err(ApiError::internal)?;
    let context = application_key_context(tenant, &boarding.reference);
    let key = DataKey::unwrap(app.vault.as_ref(), &context, &sealed).await.map_err(ApiError::internal)?;
    boarding.application.clone().map_secrets(&mut |field: &str, secret: Sealed| {
        let sealed = hex::decode(&secret.0).map_err(ApiError::internal)?;
        let opened = key.open(field, &sealed).map_err(ApiError::internal)?;
        let text = std::str::from_utf8(&opened).map_err(ApiError::internal)?;
        Ok(SecretText::new(text.to_owned()))
    })
}
