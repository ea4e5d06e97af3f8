//! An SDK client whose requests end in this process.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Builder, Region, StalledStreamProtectionConfig};
use aws_smithy_runtime_api::client::http::HttpClient;

/// An SDK client that sends every request to `http`.
///
/// Requests are not signed, since nobody would look at the signature. The region is a dummy, and the
/// endpoint is a name that resolves nowhere, so a client built by mistake over a real HTTP stack
/// cannot reach AWS. The SDK's own retries are off: the store retries by its own rules, and a hidden
/// second try would make a scripted fault impossible to count.
pub fn client_over(http: impl HttpClient + 'static) -> Client {
    Client::from_conf(settings(http).build())
}

/// The settings of [`client_over`].
pub(crate) fn settings(http: impl HttpClient + 'static) -> Builder {
    aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .endpoint_url("http://embedded.invalid")
        .allow_no_auth()
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .retry_config(RetryConfig::disabled())
        .http_client(http)
}
