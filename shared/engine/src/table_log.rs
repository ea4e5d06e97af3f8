//! Which tables are read, and which are written.

use crate::message::{json_of, operation_of};
use crate::outage::tables_of;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The tables that calls asked for, by their full names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TablesAsked {
    /// Those that were read, also to check a condition on an item beside those that were written.
    pub read: BTreeSet<String>,
    pub written: BTreeSet<String>,
}

impl TablesAsked {
    fn note(&mut self, operation: &str, request: &Value) {
        let named = || tables_of(request).into_iter().map(str::to_owned);
        match operation {
            "GetItem" | "BatchGetItem" | "Query" | "Scan" | "TransactGetItems" => self.read.extend(named()),
            "PutItem" | "UpdateItem" | "DeleteItem" | "BatchWriteItem" => self.written.extend(named()),
            "TransactWriteItems" => {
                let parts = request["TransactItems"].as_array().into_iter().flatten();
                for (kind, part) in parts.filter_map(Value::as_object).flatten() {
                    let asked = if kind == "ConditionCheck" { &mut self.read } else { &mut self.written };
                    asked.extend(part["TableName"].as_str().map(str::to_owned));
                }
            }
            _ => {}
        }
    }
}

/// Notes the tables of calls. Clones share what was noted.
#[derive(Clone, Debug, Default)]
pub struct TableLog {
    asked: Arc<Mutex<TablesAsked>>,
}

impl TableLog {
    /// What was noted since the last time.
    pub fn take(&self) -> TablesAsked {
        std::mem::take(&mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, request: &HttpRequest) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.note(&operation_of(request), &json_of(request));
    }
}

/// An HTTP client whose calls are noted in a [`TableLog`] on their way to `C`.
#[derive(Clone, Debug)]
pub struct Logged<C> {
    inner: C,
    log: TableLog,
}

impl<C> Logged<C> {
    /// Has `log` note the calls to `inner`.
    pub fn new(inner: C, log: TableLog) -> Self {
        Self { inner, log }
    }
}

impl<C: HttpClient> HttpClient for Logged<C> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(LoggedConnector { inner, log: self.log.clone() })
    }
}

#[derive(Clone, Debug)]
struct LoggedConnector {
    inner: SharedHttpConnector,
    log: TableLog,
}

impl HttpConnector for LoggedConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        self.log.note(&request);
        self.inner.call(request)
    }
}

#[cfg(test)]
mod tests {
    use super::TablesAsked;
    use serde_json::json;
    use std::collections::BTreeSet;

    #[test]
    fn a_transaction_writes_what_it_changes_and_reads_what_it_checks() {
        let request = json!({"TransactItems": [
            {"Put": {"TableName": "a"}}, {"Delete": {"TableName": "b"}}, {"ConditionCheck": {"TableName": "c"}},
        ]});
        let mut asked = TablesAsked::default();
        asked.note("TransactWriteItems", &request);
        asked.note("BatchGetItem", &json!({"RequestItems": {"d": {"Keys": []}}}));
        asked.note("UpdateItem", &json!({"TableName": "e"}));
        asked.note("ListTables", &json!({}));
        let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(asked, TablesAsked { read: of(&["c", "d"]), written: of(&["a", "b", "e"]) });
    }
}
