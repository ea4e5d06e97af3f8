//! The service on AWS: clients and adapters from the environment.

use crate::clock::wall_now;
use crate::mail::SesMail;
use crate::processor::SandboxProcessor;
use crate::queue::SqsQueue;
use crate::vault::KmsVault;
use crate::{Adapters, App};
use aws_config::environment::EnvironmentVariableCredentialsProvider;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{SharedCredentialsProvider, SharedHttpClient};
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore, rustls_provider::CryptoMode};
use aws_smithy_http_client::{Connector, HttpClientError};
use aws_smithy_runtime::client::orchestrator::endpoints::StaticUriEndpointResolver;
use aws_smithy_runtime_api::client::endpoint::SharedEndpointResolver;
use aws_smithy_runtime_api::client::http::{HttpClient, HttpConnectorSettings, SharedHttpConnector};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::{Counted, Store};

/// Why the service cannot be set up on AWS.
#[derive(Debug)]
pub enum SetupError {
    /// The environment does not set this variable.
    MissingSetting(&'static str),
    /// The HTTP client does not take the authorities to trust. One that does not read is found by a test: the client
    /// would end the process.
    Authorities(HttpClientError),
}

impl std::fmt::Display for SetupError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::MissingSetting(name) => write!(out, "the environment variable {name} is not set"),
            Self::Authorities(_) => out.write_str("the authorities to trust cannot be used"),
        }
    }
}

impl std::error::Error for SetupError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::MissingSetting(_) => None,
            Self::Authorities(cause) => Some(cause),
        }
    }
}

fn setting(name: &'static str) -> Result<String, SetupError> {
    std::env::var(name).map_err(|_| SetupError::MissingSetting(name))
}

/// The authorities that sign for AWS: those of Amazon Trust Services, and two of DigiCert for the regions in China.
///
/// A function that trusts these alone starts without reading the hundred and more certificates of its system.
const AUTHORITIES: &str = include_str!("authorities.pem");

/// What the SDK needs to know in a function, where region and keys are in the environment and nowhere else.
///
/// Of what else the SDK's own search for settings would find, this takes the address of an emulator
/// (`AWS_ENDPOINT_URL`) and the kind of endpoints (`AWS_USE_FIPS_ENDPOINT`, `AWS_USE_DUALSTACK_ENDPOINT`).
fn config_of_function() -> Result<SdkConfig, SetupError> {
    let is_on = |name| std::env::var(name).is_ok_and(|value| value.eq_ignore_ascii_case("true"));
    let mut config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(setting("AWS_REGION")?))
        .credentials_provider(SharedCredentialsProvider::new(EnvironmentVariableCredentialsProvider::new()))
        .use_fips(is_on("AWS_USE_FIPS_ENDPOINT"))
        .use_dual_stack(is_on("AWS_USE_DUALSTACK_ENDPOINT"))
        .http_client(Connections::to_aws()?)
        .timeout_config(timeouts())
        .retry_config(retries());
    config.set_endpoint_url(std::env::var("AWS_ENDPOINT_URL").ok());
    Ok(config.build())
}

/// What the SDK needs to know on an operator's machine, where settings are in profiles as well, and which may trust a
/// proxy before AWS.
pub async fn config_of_machine() -> SdkConfig {
    let http = aws_smithy_http_client::Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring));
    let settings = aws_config::defaults(BehaviorVersion::latest()).http_client(http.build_https());
    settings.timeout_config(timeouts()).retry_config(retries()).load().await
}

/// The connections of all clients of a function, by rustls on ring, which starts without a lengthy entropy test.
///
/// They are set up once, for the first client that asks: all of them have the same time-outs. The SDK's own would be set
/// up for each client, and once more to see whether that can be done.
#[derive(Debug)]
struct Connections {
    tls: TlsContext,
    connector: OnceLock<SharedHttpConnector>,
}

impl Connections {
    fn to_aws() -> Result<SharedHttpClient, SetupError> {
        let authorities = TrustStore::empty().with_pem_certificate(AUTHORITIES);
        let tls = TlsContext::builder().with_trust_store(authorities).build();
        let tls = tls.map_err(SetupError::Authorities)?;
        Ok(SharedHttpClient::new(Self { tls, connector: OnceLock::new() }))
    }
}

impl HttpClient for Connections {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        let connect = || {
            let mut connector = Connector::builder()
                .connector_settings(settings.clone())
                .tls_provider(Provider::Rustls(CryptoMode::Ring))
                .tls_context(self.tls.clone());
            connector.set_sleep_impl(components.sleep_impl());
            SharedHttpConnector::new(connector.build())
        };
        self.connector.get_or_init(connect).clone()
    }
}

fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(1))
        .operation_attempt_timeout(Duration::from_secs(3))
        .operation_timeout(Duration::from_secs(8))
        .build()
}

fn retries() -> RetryConfig {
    RetryConfig::standard().with_initial_backoff(Duration::from_millis(50))
}

fn counted_store(config: &SdkConfig, prefix: &str) -> Store {
    let mut settings = database_settings(config);
    if let Some(http) = config.http_client() {
        settings.set_http_client(Some(SharedHttpClient::new(Counted(http))));
    }
    Store::new(aws_sdk_dynamodb::Client::from_conf(settings.build()), prefix)
}

/// The database by its address, where that is known: the SDK's rules would be read at every start, and asked for every
/// table of every request.
fn database_settings(config: &SdkConfig) -> aws_sdk_dynamodb::config::Builder {
    let mut settings = aws_sdk_dynamodb::config::Builder::from(config);
    let of_region = || {
        let is_special = config.use_fips() == Some(true) || config.use_dual_stack() == Some(true);
        config.region().filter(|_| !is_special).and_then(|region| database_address(region.as_ref()))
    };
    if let Some(address) = config.endpoint_url().map(str::to_owned).or_else(of_region) {
        let named = StaticUriEndpointResolver::uri(address);
        settings.set_endpoint_resolver(Some(SharedEndpointResolver::new(named)));
    }
    settings
}

/// Where DynamoDB answers in a region of AWS or AWS China; nothing for partitions of their own, which the rules know.
fn database_address(region: &str) -> Option<String> {
    let (area, place) = region.split_once('-')?;
    let domain = match area {
        "af" | "ap" | "ca" | "eu" | "il" | "me" | "mx" | "sa" | "us" if !place.starts_with("iso") => {
            "amazonaws.com"
        }
        "cn" => "amazonaws.com.cn",
        _ => return None,
    };
    Some(format!("https://dynamodb.{region}.{domain}"))
}

/// The service of this deployment (`BOXOFFICE_TABLE_PREFIX`, `BOXOFFICE_MAIL_QUEUE_URL`,
/// `BOXOFFICE_VAULT_KEY_ID`). Functions that send no mail or open no secret may lack the last two.
///
/// # Errors
/// [`SetupError`] when the environment does not say which region and which tables to use.
pub fn app() -> Result<App, SetupError> {
    app_over(&config_of_function()?)
}

/// The same, and its mail transport.
///
/// # Errors
/// As [`app`].
pub fn app_and_mail() -> Result<(App, SesMail), SetupError> {
    let config = config_of_function()?;
    Ok((app_over(&config)?, SesMail::new(aws_sdk_sesv2::Config::new(&config))))
}

fn app_over(config: &SdkConfig) -> Result<App, SetupError> {
    let prefix = setting("BOXOFFICE_TABLE_PREFIX")?;
    let own = Store::new(aws_sdk_dynamodb::Client::from_conf(database_settings(config).build()), &prefix);
    let queue = setting("BOXOFFICE_MAIL_QUEUE_URL").unwrap_or_default();
    let key = setting("BOXOFFICE_VAULT_KEY_ID").unwrap_or_default();
    let adapters = Adapters {
        queue: Arc::new(SqsQueue::new(aws_sdk_sqs::Config::new(config), queue)),
        vault: Arc::new(KmsVault::new(aws_sdk_kms::Config::new(config), key)),
        sandbox_processor: Arc::new(SandboxProcessor::new(own, Arc::new(wall_now))),
    };
    Ok(App::new(counted_store(config, &prefix), adapters))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::config::endpoint::{DefaultResolver, Params, ResolveEndpoint};
    use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;

    /// They are taken when the first client asks for connections, or not at all.
    #[test]
    fn the_authorities_of_aws_can_be_trusted() {
        let http = Connections::to_aws().unwrap();
        let components = RuntimeComponentsBuilder::for_tests().build().unwrap();
        http.http_connector(&HttpConnectorSettings::default(), &components);
        assert_eq!(AUTHORITIES.matches("BEGIN CERTIFICATE").count(), 7);
    }

    #[tokio::test]
    async fn a_named_database_is_where_the_rules_of_aws_say() {
        for region in [
            "af-south-1",
            "ap-southeast-2",
            "ca-west-1",
            "cn-north-1",
            "cn-northwest-1",
            "eu-central-1",
            "il-central-1",
            "me-south-1",
            "mx-central-1",
            "sa-east-1",
            "us-east-1",
            "us-gov-west-1",
            "us-west-2",
        ] {
            let parameters = Params::builder().region(region).build().unwrap();
            let rules = DefaultResolver::new();
            let by_rules = ResolveEndpoint::resolve_endpoint(&rules, &parameters).await.unwrap();
            assert_eq!(database_address(region).as_deref(), Some(by_rules.url()));
        }
        for region in ["us-iso-east-1", "us-isob-east-1", "eu-isoe-west-1", "eusc-de-east-1", "nowhere"] {
            assert_eq!(database_address(region), None, "{region}");
        }
    }
}
