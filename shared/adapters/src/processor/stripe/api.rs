//! One request to Stripe, and what came of it.

use super::answer::{Failed, StripeError};
use crate::processor::ProcessorError;
use aws_smithy_http_client::Connector;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorSettings, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use domain::stripe::{StripeAccount, StripeAddress, StripeKey};
use form_urlencoded::Serializer;
use http::{HeaderValue, Method};
use http_body_util::{BodyExt, Limited};
use hyper_util::client::legacy::Error as ClientError;
use serde::de::DeserializeOwned;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

/// Where Stripe's API is.
const ADDRESS: &str = "https://api.stripe.com";
/// The version of the API that the fields sent and read here are those of, whatever the account's own is.
const VERSION: &str = "2025-03-31.basil";
/// How long a connection with its handshake may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long one answer may take, from the first byte sent to the last received.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);
/// The longest answer that is read, in bytes; a page of a hundred refunds has a tenth of it.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// Connections to Stripe, with rustls on ring like those to AWS.
pub(super) fn network() -> SharedHttpConnector {
    let settings = HttpConnectorSettings::builder().connect_timeout(CONNECT_TIMEOUT).build();
    let connector = Connector::builder()
        .connector_settings(settings)
        .tls_provider(Provider::Rustls(CryptoMode::Ring))
        .build();
    SharedHttpConnector::new(connector)
}

/// Whose requests they are.
#[derive(Clone)]
pub(super) struct Account {
    /// Where the API is, if not at Stripe's own address.
    pub(super) address: Option<StripeAddress>,
    /// What the requests are signed with.
    pub(super) key: Arc<StripeKey>,
    /// The connected account they are about, if not the account of the key.
    pub(super) connected: Option<StripeAccount>,
}

/// The API as one account sees it.
#[derive(Clone)]
pub(super) struct Api {
    connector: SharedHttpConnector,
    account: Account,
}

/// A request under construction. It may hold a card, so it is never printed.
pub(super) struct Ask {
    method: Method,
    path: String,
    /// The fields, as a form sends them.
    form: String,
    idempotency_key: Option<String>,
}

impl Ask {
    pub(super) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path.into())
    }

    pub(super) fn post(path: impl Into<String>) -> Self {
        Self::new(Method::POST, path.into())
    }

    fn new(method: Method, path: String) -> Self {
        Self { method, path, form: String::new(), idempotency_key: None }
    }

    pub(super) fn field(self, name: &str, value: impl AsRef<str>) -> Self {
        let form = Serializer::new(self.form).append_pair(name, value.as_ref()).finish();
        Self { form, ..self }
    }

    /// A repetition under this key is answered as the first time, for a day.
    pub(super) fn idempotent(self, key: String) -> Self {
        Self { idempotency_key: Some(key), ..self }
    }
}

/// Why there is no object in the answer.
pub(super) enum ApiFault {
    /// It is not known what Stripe did.
    Unanswered(ProcessorError),
    /// Stripe did nothing and says why.
    Refused(Box<Refusal>),
}

pub(super) struct Refusal {
    status: u16,
    /// What Stripe's support finds the request by.
    request: Option<String>,
    pub(super) error: StripeError,
}

impl Refusal {
    /// For those who run the deployment; codes only, since a message may quote what was sent.
    pub(super) fn log(&self) {
        let Self { status, request, error } = self;
        let (kind, code, parameter) = (&error.kind, error.code(), error.param());
        tracing::error!(status, request, kind, code, parameter, "Stripe refused a request");
    }

    pub(super) fn is_about_something_unknown(&self) -> bool {
        self.status == 404 || self.error.code() == Some("resource_missing")
    }
}

impl Api {
    pub(super) fn new(connector: SharedHttpConnector, account: Account) -> Self {
        Self { connector, account }
    }

    /// Sends a request and reads the object in the answer.
    pub(super) async fn send<T: DeserializeOwned>(&self, ask: Ask) -> Result<T, ApiFault> {
        let request = self.request(ask).map_err(ApiFault::Unanswered)?;
        let answered = tokio::time::timeout(ANSWER_TIMEOUT, self.answer(request)).await;
        let answer = answered.unwrap_or(Err(ProcessorError::AnswerLost)).map_err(ApiFault::Unanswered)?;
        read(&answer)
    }

    fn request(&self, ask: Ask) -> Result<HttpRequest, ProcessorError> {
        let Ask { method, path, form, idempotency_key } = ask;
        let Account { address, key, connected } = &self.account;
        let address = address.as_ref().map_or(ADDRESS, StripeAddress::as_str);
        let (uri, body) = if method == Method::GET && !form.is_empty() {
            (format!("{address}{path}?{form}"), SdkBody::empty())
        } else {
            (format!("{address}{path}"), SdkBody::from(form))
        };
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", key.expose())).map_err(unsent)?;
        authorization.set_sensitive(true);
        let mut request = http::Request::builder()
            .method(method)
            .uri(uri)
            .header("authorization", authorization)
            .header("stripe-version", VERSION)
            .header("content-type", "application/x-www-form-urlencoded");
        if let Some(key) = idempotency_key {
            request = request.header("idempotency-key", key);
        }
        if let Some(account) = connected {
            request = request.header("stripe-account", account.as_str());
        }
        HttpRequest::try_from(request.body(body).map_err(unsent)?).map_err(unsent)
    }

    async fn answer(&self, request: HttpRequest) -> Result<Answer, ProcessorError> {
        let response: HttpResponse = self.connector.call(request).await.map_err(|fault| fault_of(&fault))?;
        let status = response.status().as_u16();
        let request = response.headers().get("request-id").map(str::to_owned);
        let body = Limited::new(response.into_body(), MAX_ANSWER_BYTES).collect().await;
        let body = body.map_err(|_| ProcessorError::AnswerLost)?.to_bytes().to_vec();
        Ok(Answer { status, request, body })
    }
}

/// The request cannot be written, so it is not sent.
fn unsent<E>(_: E) -> ProcessorError {
    ProcessorError::Unreachable
}

/// Without a connection nothing was sent; after that, anything may have happened.
fn fault_of(fault: &ConnectorError) -> ProcessorError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(fault);
    while let Some(error) = cause {
        if error.downcast_ref::<ClientError>().is_some_and(ClientError::is_connect) {
            return ProcessorError::Unreachable;
        }
        cause = error.source();
    }
    ProcessorError::AnswerLost
}

struct Answer {
    status: u16,
    request: Option<String>,
    body: Vec<u8>,
}

fn read<T: DeserializeOwned>(answer: &Answer) -> Result<T, ApiFault> {
    let Answer { status, request, body } = answer;
    let unanswered = match status {
        200..=299 => {
            return serde_json::from_slice(body)
                .map_err(|_| ApiFault::Unanswered(ProcessorError::AnswerLost));
        }
        400 | 402 | 404 => match serde_json::from_slice::<Failed>(body) {
            Ok(Failed { error }) if !error.reuses_a_key() => {
                let refusal = Refusal { status: *status, request: request.clone(), error };
                return Err(ApiFault::Refused(Box::new(refusal)));
            }
            Ok(_) | Err(_) => ProcessorError::AnswerLost,
        },
        401 | 403 => {
            tracing::error!(status, request, "Stripe does not accept the key or the connected account");
            ProcessorError::Unreachable
        }
        429 => ProcessorError::Throttled,
        // Among them 409, a request under the same key that is still being carried out.
        _ => ProcessorError::AnswerLost,
    };
    Err(ApiFault::Unanswered(unanswered))
}
