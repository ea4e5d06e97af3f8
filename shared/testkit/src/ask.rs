//! Requests under construction.

use domain::Timestamp;
use serde_json::Value;

/// Where the key of a tenant stands, and where that of a merchant or partner.
pub(crate) const API_KEY: &str = "x-service-api-key";
pub(crate) const PAYMENT_KEY: &str = "x-service-payment-key";
pub(crate) const TENANT: &str = "x-b2c-tenant-id";
pub(crate) const CLOCK: &str = "x-service-test-now";

/// A request under construction. What it does not say is as the [`ServedRoutes`](crate::ServedRoutes) usually has it.
#[derive(Debug, Clone)]
pub struct Ask {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) key: Option<String>,
    /// Headers by name; one without a text is left out.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<String>,
}

/// A request; one whose body is null has none.
pub fn ask(method: &str, path: impl Into<String>, body: Value) -> Ask {
    Ask {
        method: method.to_owned(),
        path: path.into(),
        key: None,
        headers: Vec::new(),
        body: (!body.is_null()).then(|| body.to_string()),
    }
}

/// `GET` of a path.
pub fn get(path: impl Into<String>) -> Ask {
    ask("GET", path, Value::Null)
}

/// `DELETE` of a path.
pub fn delete(path: impl Into<String>) -> Ask {
    ask("DELETE", path, Value::Null)
}

/// `POST` of a body to a path.
pub fn post(path: impl Into<String>, body: Value) -> Ask {
    ask("POST", path, body)
}

/// `PUT` of a body to a path.
pub fn put(path: impl Into<String>, body: Value) -> Ask {
    ask("PUT", path, body)
}

/// `PATCH` of a path by a body.
pub fn patch(path: impl Into<String>, body: Value) -> Ask {
    ask("PATCH", path, body)
}

impl Ask {
    /// Sends this header instead of the usual one; an empty text leaves it out.
    #[must_use]
    pub fn header(mut self, name: &str, text: &str) -> Self {
        self.headers.retain(|(sent, _)| sent != name);
        self.headers.push((name.to_owned(), text.to_owned()));
        self
    }

    /// Sent by the holder of this key, whose text ends in its tenant: `shop-1`. Shoppers' requests name that tenant
    /// as well.
    #[must_use]
    pub fn by(self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self }
    }

    /// Sent with an idempotency key.
    #[must_use]
    pub fn keyed(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    /// Meant for this revision alone.
    #[must_use]
    pub fn if_match(self, tag: &str) -> Self {
        self.header("if-match", tag)
    }

    /// Under another clock than usually.
    #[must_use]
    pub fn at(self, now: &str) -> Self {
        self.header(CLOCK, now)
    }

    /// Under a clock that shows this instant.
    #[must_use]
    pub fn at_instant(self, now: Timestamp) -> Self {
        self.at(&now.to_rfc3339())
    }

    /// Under real time instead of a chosen clock.
    #[must_use]
    pub fn in_real_time(self) -> Self {
        self.header(CLOCK, "")
    }

    /// To another path.
    #[must_use]
    pub fn to(self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self }
    }

    /// To what lies below its path.
    #[must_use]
    pub fn below(self, rest: &str) -> Self {
        Self { path: format!("{}{rest}", self.path), ..self }
    }

    /// With a body that need not be JSON.
    #[must_use]
    pub fn raw(self, body: &str) -> Self {
        Self { body: Some(body.to_owned()), ..self }
    }
}
