//! An SDK client whose requests end in this process.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Builder, Region, StalledStreamProtectionConfig};
use aws_smithy_runtime::client::orchestrator::endpoints::StaticUriEndpointResolver;
use aws_smithy_runtime_api::client::endpoint::SharedEndpointResolver;
use aws_smithy_runtime_api::client::http::HttpClient;

/// A name that resolves nowhere, so that a client built by mistake over a real HTTP stack cannot reach AWS.
const NOWHERE: &str = "http://embedded.invalid";

/// An SDK client that sends every request to `http`.
///
/// Requests are not signed, since nobody would look at the signature. The region is a dummy. The SDK's own
/// retries are off: the store retries by its own rules, and a hidden second try would make a scripted fault
/// impossible to count.
pub fn client_over(http: impl HttpClient + 'static) -> Client {
    Client::from_conf(settings(http, NOWHERE).build())
}

/// The settings of [`client_over`], for a database at an address, which no request looks for among the SDK's rules.
pub(crate) fn settings(http: impl HttpClient + 'static, address: &str) -> Builder {
    let named = StaticUriEndpointResolver::uri(address);
    let mut settings = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .allow_no_auth()
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .retry_config(RetryConfig::disabled())
        .http_client(http);
    settings.set_endpoint_resolver(Some(SharedEndpointResolver::new(named)));
    settings
}
