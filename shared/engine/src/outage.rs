//! One table that does not answer, while the others do.

use crate::client::client_over;
use crate::message::{Outcome, answer, json_of};
use aws_sdk_dynamodb::Client;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Which table does not answer, if any. Clones share it, so that all processes of a test meet the same outage.
#[derive(Clone, Debug, Default)]
pub struct Outage {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// The table's full name, with its prefix.
    table: Option<String>,
    /// Calls, to whatever tables, that are answered before it begins.
    answered_first: usize,
    refused: usize,
    /// How long a call waits for its refusal.
    wait: Duration,
}

impl Outage {
    /// From now on, every call that names the table, alone or beside others, is refused.
    pub fn begin(&self, table: &str) {
        self.begin_after(table, 0);
    }

    /// The same once so many more calls have been made, to whatever tables.
    pub fn begin_after(&self, table: &str, calls: usize) {
        let mut state = self.state();
        *state = State { table: Some(table.to_owned()), answered_first: calls, refused: 0, wait: state.wait };
    }

    /// Calls of a table that does not answer wait this long until they are refused, as where a connection is lost
    /// and the SDK gives up in the end.
    pub fn keep_waiting(&self, wait: Duration) {
        self.state().wait = wait;
    }

    /// All tables answer again.
    pub fn end(&self) {
        self.state().table = None;
    }

    /// Calls refused since the outage began.
    pub fn refused(&self) -> usize {
        self.state().refused
    }

    /// Whether a call is refused, and after which wait.
    fn refuses(&self, request: &HttpRequest) -> Option<Duration> {
        let mut state = self.state();
        let table = state.table.clone()?;
        if let Some(left) = state.answered_first.checked_sub(1) {
            state.answered_first = left;
            return None;
        }
        let is_out = tables_of(&json_of(request)).contains(table.as_str());
        state.refused = state.refused.saturating_add(usize::from(is_out));
        is_out.then_some(state.wait)
    }

    /// A panic in a test's own task leaves nothing half written here, so a poisoned lock is fine.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tables a request names: one, those of a batch, or those of a transaction.
pub(crate) fn tables_of(request: &Value) -> BTreeSet<&str> {
    let own = request["TableName"].as_str();
    let batch = request["RequestItems"].as_object().into_iter().flatten().map(|(table, _)| table.as_str());
    let parts = request["TransactItems"].as_array().into_iter().flatten();
    let parts = parts.filter_map(Value::as_object).flat_map(|part| part.values());
    own.into_iter().chain(batch).chain(parts.filter_map(|part| part["TableName"].as_str())).collect()
}

/// An HTTP client whose calls meet an [`Outage`] on their way to `C`.
#[derive(Clone, Debug)]
pub struct Without<C> {
    inner: C,
    outage: Outage,
}

impl<C: HttpClient + Clone + 'static> Without<C> {
    /// Lets `outage` decide which calls reach `inner`.
    pub fn new(inner: C, outage: Outage) -> Self {
        Self { inner, outage }
    }

    /// An SDK client through this wrapper; see [`client_over`].
    pub fn client(&self) -> Client {
        client_over(self.clone())
    }
}

impl<C: HttpClient> HttpClient for Without<C> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(WithoutConnector { inner, outage: self.outage.clone() })
    }
}

#[derive(Clone, Debug)]
struct WithoutConnector {
    inner: SharedHttpConnector,
    outage: Outage,
}

impl HttpConnector for WithoutConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        match self.outage.refuses(&request) {
            None => self.inner.call(request),
            Some(Duration::ZERO) => HttpConnectorFuture::ready(unavailable()),
            Some(wait) => HttpConnectorFuture::new(async move {
                tokio::time::sleep(wait).await;
                unavailable()
            }),
        }
    }
}

/// What DynamoDB says when it cannot do a request, whatever is asked.
fn unavailable() -> Outcome {
    let body = json!({
        "__type": "com.amazonaws.dynamodb.v20120810#InternalServerError",
        "message": "The request processing has failed because of an internal error.",
    });
    answer(500, body.to_string())
}

#[cfg(test)]
mod tests {
    use super::tables_of;
    use serde_json::json;
    use std::collections::BTreeSet;

    #[test]
    fn every_table_of_a_request_is_found() {
        let table = [
            (json!({"TableName": "a"}), vec!["a"]),
            (json!({"RequestItems": {"a": {"Keys": []}, "b": {"Keys": []}}}), vec!["a", "b"]),
            (
                json!({"TransactItems": [{"Put": {"TableName": "a"}}, {"ConditionCheck": {"TableName": "b"}}]}),
                vec!["a", "b"],
            ),
            (json!({}), vec![]),
        ];
        for (request, expected) in table {
            assert_eq!(tables_of(&request), BTreeSet::from_iter(expected), "{request}");
        }
    }
}
