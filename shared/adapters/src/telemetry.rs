//! Log lines as JSON, and metrics in CloudWatch's embedded metric format. Never a body, never a key.

use crate::clock::wall_now;
use domain::TenantId;
use serde_json::json;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;

/// Libraries that print requests at their lower levels stay quiet whatever the environment asks for.
const ALWAYS_QUIET: [&str; 11] = [
    "aws_config",
    "aws_runtime",
    "aws_sdk_dynamodb",
    "aws_sdk_kms",
    "aws_sdk_sesv2",
    "aws_sdk_sqs",
    "aws_sigv4",
    "aws_smithy_http_client",
    "aws_smithy_runtime",
    "hyper",
    "lambda_runtime",
];

/// Whether somebody reads what this process says. Nobody does where it is a test.
static IS_READ: AtomicBool = AtomicBool::new(false);

/// Sends log lines to standard error as JSON, beside the metrics, and keeps panic messages, which may quote a request,
/// out of it. `RUST_LOG` says which lines: a level, or levels of modules, such as `info,checkout=debug`.
pub fn init() {
    IS_READ.store(true, Ordering::Relaxed);
    let wanted = std::env::var("RUST_LOG").ok().and_then(|wanted| wanted.parse::<Targets>().ok());
    let wanted = wanted.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    if tracing::subscriber::set_global_default(json_lines(wanted, std::io::stderr)).is_ok() {
        std::panic::set_hook(Box::new(|panic| {
            let place = panic.location().map(ToString::to_string).unwrap_or_default();
            tracing::error!(place, "panicked");
        }));
    }
}

/// One line of JSON for each event that is wanted; what others sent can end no line and begin none.
fn json_lines<W>(wanted: Targets, writer: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_writer(writer);
    let quiet = Targets::new().with_default(LevelFilter::TRACE);
    let quiet = quiet.with_targets(ALWAYS_QUIET.map(|library| (library, LevelFilter::WARN)));
    tracing_subscriber::registry().with(lines).with(wanted).with(quiet)
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
    /// Refunds given or refused.
    Refunds,
    /// Mails handed to their transport.
    MailsSent,
    /// Requests refused because their caller asks too often.
    Throttled,
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
            Self::Throttled => "Throttled",
        }
    }

    /// Counts one, once the process has begun to tell anything; see [`init`].
    pub fn count(self, tenant: TenantId) {
        if !IS_READ.load(Ordering::Relaxed) {
            return;
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::io;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_others_send_forges_no_line_of_the_log() {
        const FORGED: &str = "/x\r\n{\"message\":\"request\",\"status\":200}\n\u{1b}[31m\u{0}\"},{";
        let log = Log::default();
        let writer = log.clone();
        let lines = json_lines(Targets::new().with_default(LevelFilter::INFO), move || writer.clone());
        tracing::subscriber::with_default(lines, || {
            tracing::info!(request_id = FORGED, route = FORGED, cause = Some(FORGED), "request");
            tracing::warn!(fault = %FORGED, "a request was not counted");
        });
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        let read: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        for field in ["request_id", "route", "cause"] {
            assert_eq!(read[0][field], FORGED);
        }
        assert_eq!((&read[1]["fault"], &read[1]["status"]), (&FORGED.into(), &Value::Null));
        assert!(!text.replace('\n', "").contains(|letter: char| letter.is_ascii_control()), "{text:?}");
    }

    #[test]
    fn no_setting_makes_libraries_print_requests() {
        let log = Log::default();
        let writer = log.clone();
        let wanted = "trace,aws_smithy_runtime::client=trace,hyper=trace".parse().unwrap();
        tracing::subscriber::with_default(json_lines(wanted, move || writer.clone()), || {
            tracing::info!(target: "aws_smithy_runtime::client::orchestrator", "request");
            tracing::debug!(target: "hyper_util::client", "request");
            tracing::warn!(target: "hyper::proto", "broken");
            tracing::trace!("ours");
        });
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let said: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let said: Vec<&str> = said.iter().filter_map(|line| line["message"].as_str()).collect();
        assert_eq!(said, ["broken", "ours"]);
    }
}
