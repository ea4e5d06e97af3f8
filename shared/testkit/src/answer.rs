//! What a request was answered, and what tests look for in it.

use axum::response::Response;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use store::CallCount;

/// What differs from run to run wherever it stands in a body.
const RANDOM: [&str; 9] = [
    "id",
    "itemId",
    "itemDetailId",
    "visitorId",
    "tempVisitorId",
    "orderNumber",
    "saleId",
    "requestId",
    "orderId",
];

/// What a request was answered.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    /// Whether it repeats an earlier answer.
    pub replayed: bool,
    /// The revision it names.
    pub etag: Option<String>,
    /// The body as it came.
    pub bytes: Vec<u8>,
    /// The body as text.
    pub text: String,
    /// The body as JSON; null where it is something else.
    pub body: Value,
    /// The database calls made for it.
    pub calls: CallCount,
}

/// Answers are the same where they say the same of the same revision, however many calls they took.
impl PartialEq for Answer {
    fn eq(&self, other: &Self) -> bool {
        let said = |answer: &Self| (answer.status, answer.replayed, answer.etag.clone(), answer.body.clone());
        said(self) == said(other)
    }
}

impl Answer {
    /// A response with its whole body.
    pub async fn of(response: Response) -> Self {
        let calls = response.extensions().get().copied().unwrap_or_default();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes().to_vec();
        let header = |name: &str| parts.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        Self {
            status: parts.status.as_u16(),
            replayed: header("x-service-replayed").is_some(),
            etag: header("etag"),
            text: String::from_utf8_lossy(&bytes).into_owned(),
            body: serde_json::from_slice(&bytes).unwrap_or_default(),
            bytes,
            headers: parts.headers,
            calls,
        }
    }

    /// The body of a success.
    #[track_caller]
    pub fn done(self) -> Value {
        self.assert_done();
        self.body
    }

    /// The id of the record that was answered, as text.
    #[track_caller]
    pub fn id(&self) -> String {
        self.assert_done();
        let id = &self.body["id"];
        id.as_str().map_or_else(|| id.to_string(), str::to_owned)
    }

    /// The id of the record that was answered, where it is a number.
    #[track_caller]
    pub fn number(&self) -> i64 {
        self.assert_done();
        self.body["id"].as_i64().unwrap()
    }

    /// What the entries of a list have under a name.
    #[track_caller]
    #[must_use]
    pub fn column(&self, name: &str) -> Vec<Value> {
        self.assert_done();
        self.body["list"].as_array().unwrap().iter().map(|entry| entry[name].clone()).collect()
    }

    #[track_caller]
    fn assert_done(&self) {
        assert_eq!(self.status, 200, "{}", self.text);
    }

    /// A header's text; empty where it is not there.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The revision it names.
    #[track_caller]
    #[must_use]
    pub fn tag(&self) -> &str {
        self.etag.as_deref().unwrap()
    }

    /// The type of a refusal; `OK` for a success.
    #[must_use]
    pub fn error(&self) -> &str {
        self.body["type"].as_str().unwrap_or(if self.status == 200 { "OK" } else { "none" })
    }

    /// Status and type of a refusal; `OK` for a success.
    #[must_use]
    pub fn kind(&self) -> (u16, &str) {
        (self.status, self.error())
    }

    /// The fields complained about, each with what is said of it.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let text = |detail: &Value| {
            format!("{} {}", detail["field"].as_str().unwrap(), detail["message"].as_str().unwrap())
        };
        self.details().map(text).collect()
    }

    /// The fields complained about.
    #[must_use]
    pub fn pointers(&self) -> Vec<String> {
        self.details().map(|detail| detail["field"].as_str().unwrap().to_owned()).collect()
    }

    fn details(&self) -> impl Iterator<Item = &Value> {
        self.body["details"].as_array().into_iter().flatten()
    }

    /// Status and type, and below each field complained about; the status alone for a success.
    #[must_use]
    pub fn refusal(&self) -> String {
        let faults: String = self.faults().iter().map(|fault| format!("\n{fault}")).collect();
        format!("{} {}{faults}", self.status, self.body["type"].as_str().unwrap_or_default())
    }

    /// Status and body for a snapshot, with everything random named instead of shown.
    #[must_use]
    pub fn shown(&self) -> String {
        let mut body = self.body.clone();
        hide_random(&mut body);
        let status = StatusCode::from_u16(self.status).unwrap();
        format!("{status}\n{}", serde_json::to_string_pretty(&body).unwrap())
    }
}

fn hide_random(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if RANDOM.contains(&name.as_str()) {
                    *value = format!("[{name}]").into();
                } else {
                    hide_random(value);
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(hide_random),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
