//! One answer, and what is wrong with it.

use crate::description::{Answer, description};
use crate::schemas::Lazy;
use crate::seen;
use http::header::{ALLOW, CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, Method, StatusCode};
use serde_json::Value;
use web::paths::canonical;

/// Whether it is a header of ours, or one that our answers use: none is sent that is not described.
fn must_be_described(name: &str) -> bool {
    name.starts_with("x-service-") || matches!(name, "etag" | "retry-after")
}

/// A request and its answer.
#[derive(Debug, Clone, Copy)]
pub struct HttpExchange<'a> {
    /// The method that was asked for.
    pub method: &'a Method,
    /// The path, without its query.
    pub path: &'a str,
    /// The status of the answer.
    pub status: StatusCode,
    /// The headers of the answer.
    pub headers: &'a HeaderMap,
    /// The body of the answer.
    pub body: &'a [u8],
}

impl HttpExchange<'_> {
    /// Fails the test unless the answer is as it is described.
    ///
    /// # Panics
    /// When it is not; says which operation, which status and where.
    pub fn hold(&self) {
        if let Some(fault) = self.fault() {
            let body = String::from_utf8_lossy(self.body);
            panic!("{} {} {}: {fault}\n{body}", self.method, self.path, self.status.as_u16());
        }
    }

    /// What is not as described, if anything.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let method = if *self.method == Method::HEAD { &Method::GET } else { self.method };
        let path = canonical(self.path);
        let Some(operation) = description().operation(method, &path) else { return self.undescribed(&path) };
        // A fault of ours is described nowhere, and some tests bring one about.
        if self.status == StatusCode::INTERNAL_SERVER_ERROR {
            return self.json_fault(&description().refusal);
        }
        let status = self.status.as_u16();
        let named = |fault: String| format!("{} ({}) {status}: {fault}", operation.id, operation.path);
        let Some(answer) = operation.answers.get(&status) else {
            return Some(named("this status is not described".to_owned()));
        };
        seen::note(&operation.id, status);
        self.unlike(answer).map(named)
    }

    /// What a path or method of nobody's is answered with: a refusal, or what browsers ask for beforehand.
    fn undescribed(&self, path: &str) -> Option<String> {
        let status = self.status;
        let is_preflight = *self.method == Method::OPTIONS;
        if is_preflight && status == StatusCode::NO_CONTENT {
            return (!self.body.is_empty()).then(|| "an answer without content has a body".to_owned());
        }
        let operations = description().operations_of(path);
        let expected =
            if operations.is_empty() { StatusCode::NOT_FOUND } else { StatusCode::METHOD_NOT_ALLOWED };
        if status != expected && !is_preflight {
            return Some(format!("{expected} was to be expected"));
        }
        if status == StatusCode::METHOD_NOT_ALLOWED {
            let Some(allow) = self.header(ALLOW.as_str()) else { return Some("Allow is missing".to_owned()) };
            if let Some(missing) = operations.iter().find(|operation| !allow.contains(&operation.method)) {
                return Some(format!("Allow does not name {}", missing.method));
            }
            operations.iter().for_each(|operation| seen::note(&operation.id, status.as_u16()));
        }
        if *self.method == Method::HEAD {
            return (!self.body.is_empty()).then(|| "an answer to HEAD has a body".to_owned());
        }
        self.json_fault(&description().refusal)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    fn unlike(&self, answer: &Answer) -> Option<String> {
        let missing =
            answer.headers.iter().find(|header| header.always && !self.headers.contains_key(&header.name));
        if let Some(header) = missing {
            return Some(format!("the header {} is missing", header.name));
        }
        for name in self.headers.keys().map(HeaderName::as_str).filter(|name| must_be_described(name)) {
            let Some(header) = answer.headers.iter().find(|header| header.name == name) else {
                return Some(format!("the header {name} is not described"));
            };
            let fault = fault_in(&header.schema, &header.read(self.header(name).unwrap_or_default()));
            if let Some(fault) = fault {
                return Some(format!("the header {name}{fault}"));
            }
        }
        self.body_unlike(answer)
    }

    fn body_unlike(&self, answer: &Answer) -> Option<String> {
        if *self.method == Method::HEAD || self.headers.contains_key(CONTENT_ENCODING) {
            return None;
        }
        if answer.content.is_empty() {
            return (!self.body.is_empty()).then(|| "no body is described".to_owned());
        }
        let sent = self.header(CONTENT_TYPE.as_str()).unwrap_or_default();
        let essence = sent.split(';').next().unwrap_or_default().trim();
        let Some(schema) = answer.content.get(essence) else {
            return Some(format!("the content type {sent:?} is not described"));
        };
        if essence == "application/json" {
            self.json_fault(schema)
        } else {
            std::str::from_utf8(self.body).is_err().then(|| "the body is not text".to_owned())
        }
    }

    fn json_fault(&self, schema: &Lazy) -> Option<String> {
        match serde_json::from_slice(self.body) {
            Ok(body) => fault_in(schema, &body),
            Err(fault) => Some(format!("the body is not JSON: {fault}")),
        }
    }
}

/// The first faults of a value, each with its place.
fn fault_in(schema: &Lazy, value: &Value) -> Option<String> {
    let faults: Vec<String> = schema
        .validator(&description().document)
        .iter_errors(value)
        .take(5)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    (!faults.is_empty()).then(|| format!(" is not as described: {}", faults.join("; ")))
}
