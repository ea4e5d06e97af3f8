//! For tests: an HTTP client of the SDK that gives one answer and remembers what it was asked.

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// Answers every request alike.
#[derive(Debug, Clone)]
pub(crate) struct Played {
    status: u16,
    answer: &'static str,
    requests: Arc<Mutex<Vec<Asked>>>,
}

/// A request of one of the SDK's JSON protocols.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) operation: String,
    pub(crate) body: Value,
}

impl Played {
    pub(crate) fn new(status: u16, answer: &'static str) -> Self {
        Self { status, answer, requests: Arc::default() }
    }

    pub(crate) fn requests(&self) -> Vec<Asked> {
        self.requests.lock().unwrap().clone()
    }
}

impl HttpClient for Played {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Played {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let operation = request.headers().get("x-amz-target").unwrap_or_default().to_owned();
        let body = serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
        self.requests.lock().unwrap().push(Asked { operation, body });
        let status = self.status.try_into().unwrap();
        HttpConnectorFuture::ready(Ok(HttpResponse::new(status, SdkBody::from(self.answer))))
    }
}
