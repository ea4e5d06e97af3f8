//! The service on AWS: clients and adapters from the environment.

use crate::clock::wall_now;
use crate::mail::SesMail;
use crate::processor::SandboxProcessor;
use crate::queue::SqsQueue;
use crate::vault::KmsVault;
use crate::{Adapters, App};
use aws_config::{BehaviorVersion, SdkConfig};
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use std::sync::Arc;
use std::time::Duration;
use store::{Counted, Store};

/// A setting the environment lacks.
#[derive(Debug)]
pub struct MissingSetting(&'static str);

impl std::fmt::Display for MissingSetting {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "the environment variable {} is not set", self.0)
    }
}

impl std::error::Error for MissingSetting {}

fn setting(name: &'static str) -> Result<String, MissingSetting> {
    std::env::var(name).map_err(|_| MissingSetting(name))
}

/// What the SDK needs to know, with rustls on ring: it starts without a lengthy entropy test.
pub async fn sdk_config() -> SdkConfig {
    let http =
        aws_smithy_http_client::Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
    aws_config::defaults(BehaviorVersion::latest())
        .http_client(http)
        .timeout_config(
            TimeoutConfig::builder()
                .connect_timeout(Duration::from_secs(1))
                .operation_attempt_timeout(Duration::from_secs(3))
                .operation_timeout(Duration::from_secs(8))
                .build(),
        )
        .retry_config(RetryConfig::standard().with_initial_backoff(Duration::from_millis(50)))
        .load()
        .await
}

fn counted_store(config: &SdkConfig, prefix: &str) -> Store {
    let mut settings = aws_sdk_dynamodb::config::Builder::from(config);
    if let Some(http) = config.http_client() {
        settings.set_http_client(Some(aws_sdk_dynamodb::config::SharedHttpClient::new(Counted(http))));
    }
    Store::new(aws_sdk_dynamodb::Client::from_conf(settings.build()), prefix)
}

/// The database of this deployment (`BOXOFFICE_TABLE_PREFIX`).
///
/// # Errors
/// [`MissingSetting`] when the environment does not name it.
pub async fn store() -> Result<Store, MissingSetting> {
    Ok(counted_store(&sdk_config().await, &setting("BOXOFFICE_TABLE_PREFIX")?))
}

/// The service of this deployment (`BOXOFFICE_TABLE_PREFIX`, `BOXOFFICE_MAIL_QUEUE_URL`,
/// `BOXOFFICE_VAULT_KEY_ID`). Functions that send no mail or open no secret may lack the last two.
///
/// # Errors
/// [`MissingSetting`] when the environment does not say which tables to use.
pub async fn app() -> Result<App, MissingSetting> {
    let config = sdk_config().await;
    let prefix = setting("BOXOFFICE_TABLE_PREFIX")?;
    let own = Store::new(aws_sdk_dynamodb::Client::new(&config), &prefix);
    let queue = setting("BOXOFFICE_MAIL_QUEUE_URL").unwrap_or_default();
    let key = setting("BOXOFFICE_VAULT_KEY_ID").unwrap_or_default();
    let adapters = Adapters {
        queue: Arc::new(SqsQueue::new(aws_sdk_sqs::Client::new(&config), queue)),
        vault: Arc::new(KmsVault::new(aws_sdk_kms::Client::new(&config), key)),
        sandbox_processor: Arc::new(SandboxProcessor::new(own, Arc::new(wall_now))),
    };
    Ok(App::new(counted_store(&config, &prefix), adapters))
}

/// The mail transport of this deployment.
pub async fn mail() -> SesMail {
    SesMail::new(aws_sdk_sesv2::Client::new(&sdk_config().await))
}
