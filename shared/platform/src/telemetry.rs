//! One JSON line per request, and metrics in CloudWatch's embedded metric format. Never a body, never a key.

use crate::clock::wall_now;
use domain::TenantId;
use serde_json::json;
use std::io::Write as _;
use tracing_subscriber::EnvFilter;

/// Libraries that print requests at their lower levels stay quiet whatever the environment asks for.
const ALWAYS_QUIET: [&str; 8] = [
    "aws_config=warn",
    "aws_runtime=warn",
    "aws_sdk_dynamodb=warn",
    "aws_smithy_runtime=warn",
    "aws_smithy_http_client=warn",
    "hyper=warn",
    "hyper_util=warn",
    "lambda_runtime=warn",
];

/// Sends log lines to standard error as JSON and keeps panic messages, which may quote a request, out of it.
pub fn init() {
    let mut filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    for directive in ALWAYS_QUIET {
        if let Ok(directive) = directive.parse() {
            filter = filter.add_directive(directive);
        }
    }
    let started = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .try_init();
    if started.is_ok() {
        std::panic::set_hook(Box::new(|panic| {
            let place = panic.location().map(ToString::to_string).unwrap_or_default();
            tracing::error!(place, "panicked");
        }));
    }
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Orders paid.
    Orders,
    /// Cards declined.
    Declines,
    /// Requests refused for lack of seats.
    SoldOut,
    /// Abandoned checkouts and refunds that were finished later.
    Recovered,
    /// Refunds given.
    Refunds,
    /// Mails handed to their transport.
    MailsSent,
}

impl Metric {
    const fn name(self) -> &'static str {
        match self {
            Self::Orders => "Orders",
            Self::Declines => "Declines",
            Self::SoldOut => "SoldOut",
            Self::Recovered => "Recovered",
            Self::Refunds => "Refunds",
            Self::MailsSent => "MailsSent",
        }
    }

    /// Counts one.
    pub fn count(self, tenant: TenantId) {
        let line = json!({
            "_aws": {
                "Timestamp": wall_now().timestamp_millis(),
                "CloudWatchMetrics": [{
                    "Namespace": "Boxoffice",
                    "Dimensions": [["tenant"]],
                    "Metrics": [{ "Name": self.name(), "Unit": "Count" }],
                }],
            },
            "tenant": tenant.to_string(),
            self.name(): 1,
        });
        // A metric that cannot be written is not worth failing a request for.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}
