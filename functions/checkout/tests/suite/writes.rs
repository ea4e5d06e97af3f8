//! What reaches the database, so that cases which leave the same behind are found to.

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// What cases left behind. From there on, cases that left the same take the same course, so that one of them is
/// followed for all.
pub(crate) type Seen = BTreeSet<String>;

/// The writes that were carried out, in their order. Copies share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writes(Arc<Mutex<Vec<String>>>);

impl Writes {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// A database whose writes are noted.
#[derive(Clone, Debug)]
pub(crate) struct Noted<C> {
    pub(crate) inner: C,
    pub(crate) writes: Writes,
}

impl<C: HttpClient> HttpClient for Noted<C> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(NotedConnector { inner, writes: self.writes.clone() })
    }
}

#[derive(Debug)]
struct NotedConnector {
    inner: SharedHttpConnector,
    writes: Writes,
}

impl HttpConnector for NotedConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let Some(write) = write_of(&request) else { return self.inner.call(request) };
        let (answer, Writes(writes)) = (self.inner.call(request), self.writes.clone());
        HttpConnectorFuture::new(async move {
            let answer = answer.await;
            if answer.as_ref().is_ok_and(|answer| answer.status().is_success()) {
                writes.lock().unwrap().push(write);
            }
            answer
        })
    }
}

/// A write as text, with its fields in order; none for a read.
fn write_of(request: &HttpRequest) -> Option<String> {
    let operation = request.headers().get("x-amz-target")?.rsplit('.').next()?;
    if ["GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"].contains(&operation) {
        return None;
    }
    let write: Value = serde_json::from_slice(request.body().bytes()?).ok()?;
    Some(format!("{operation} {write}"))
}
