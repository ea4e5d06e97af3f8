//! Requests as the scenes make them.

use serde_json::{Value, json};

use crate::functions::{at, kept};

const LATER: &str = "2026-03-16T12:30:00Z";

/// A kept event, by its function and its file.
#[derive(Clone, Copy)]
pub(super) struct KeptEvent {
    pub(super) function: &'static str,
    pub(super) file: &'static str,
}

/// A request with the headers of a kept event, but for those that make a repetition known.
pub(super) struct Request {
    pub(super) function: &'static str,
    pub(super) event: Value,
    /// Method and target, for messages.
    pub(super) line: String,
}

impl Request {
    pub(super) fn new(like: KeptEvent, method: &str, target: &str) -> Self {
        let KeptEvent { function, file } = like;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut event = at(&kept(function, file), method, path, None);
        event["rawQueryString"] = json!(query);
        Self { function, event, line: format!("{method} {target}") }
    }

    pub(super) fn with_body(mut self, body: &Value) -> Self {
        self.event["body"] = json!(body.to_string());
        self
    }

    /// To another function that takes the same key.
    pub(super) fn sent_to(mut self, function: &'static str) -> Self {
        self.function = function;
        self
    }

    /// With a name that makes a repetition known.
    pub(super) fn keyed(mut self, key: &str) -> Self {
        self.event["headers"]["idempotency-key"] = json!(key);
        self
    }

    /// Half an hour later than the kept events.
    pub(super) fn later(mut self) -> Self {
        self.event["headers"]["x-service-test-now"] = json!(LATER);
        self
    }

    /// From a page of the venue's, with a proof or without.
    pub(super) fn on_page(mut self, proof: Option<&str>) -> Self {
        let headers = self.event["headers"].as_object_mut().unwrap();
        headers.insert("x-service-api-key".to_owned(), json!("demo-browser-1001"));
        headers.insert("origin".to_owned(), json!("http://localhost:3000"));
        headers.extend(proof.map(|proof| ("x-service-member-proof".to_owned(), json!(proof))));
        self
    }

    /// From a page of the venue's on which nobody has signed in, or somebody in a session.
    pub(super) fn on_staff_page(mut self, session: Option<&str>) -> Self {
        let headers = self.event["headers"].as_object_mut().unwrap();
        headers.remove("x-service-api-key");
        headers.insert("x-b2c-tenant-id".to_owned(), json!("1001"));
        headers.insert("origin".to_owned(), json!("http://localhost:3000"));
        headers.extend(session.map(|session| ("x-service-session".to_owned(), json!(session))));
        self
    }

    /// By the clock of the machine, which is also that of the scheduled work.
    pub(super) fn in_real_time(mut self) -> Self {
        self.event["headers"].as_object_mut().unwrap().remove("x-service-test-now");
        self
    }
}
