//! The wrapper that carries a fault plan out.

use crate::batch::{Halves, halve, hand_back};
use crate::client::client_over;
use crate::message::{Outcome, answer, cancellation, json_of, operation_of, refusal, set_json};
use crate::plan::{Admission, Fault, FaultPlan, Throttling};
use aws_sdk_dynamodb::Client;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use serde_json::Value;
use std::error::Error;
use std::fmt;

const RATE_MESSAGE: &str = "The level of configured provisioned throughput for the table was exceeded. \
     Consider increasing your provisioning level with the UpdateTable API.";
const CONFLICT_MESSAGE: &str = "Transaction is ongoing for the item";

/// An HTTP client whose calls meet the faults of a [`FaultPlan`] on their way to `C`.
///
/// One wrapper is one process: after a crash every call of its plan fails, also those under way in
/// other tasks, until [`FaultPlan::restart`]. Two processes on the same tables are two wrappers with
/// two plans over clones of one engine.
#[derive(Clone, Debug)]
pub struct Faulty<C> {
    inner: C,
    plan: FaultPlan,
}

impl<C: HttpClient + Clone + 'static> Faulty<C> {
    /// Lets `plan` decide over each call to `inner`.
    pub fn new(inner: C, plan: FaultPlan) -> Self {
        Self { inner, plan }
    }

    /// An SDK client through this wrapper; see [`client_over`].
    pub fn client(&self) -> Client {
        client_over(self.clone())
    }
}

/// The calling process is dead: the error of every call from a crash to the restart.
///
/// No code under test may handle it, since the process it stands for would not be there to do so; a
/// harness recognises it with [`is_crash`] and carries on as the next process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crashed;

impl fmt::Display for Crashed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the process crashed here, by plan")
    }
}

impl Error for Crashed {}

/// Whether a planned crash is the error, or the cause of it at any depth.
pub fn is_crash(error: &(dyn Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| (**error).source()).any(|error| error.is::<Crashed>())
}

/// The cause inside the time-out of [`Fault::AnswerLost`].
#[derive(Debug)]
struct AnswerLost;

impl fmt::Display for AnswerLost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("no answer arrived in time, by plan")
    }
}

impl Error for AnswerLost {}

impl<C: HttpClient> HttpClient for Faulty<C> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(FaultyConnector {
            inner: self.inner.http_connector(settings, components),
            plan: self.plan.clone(),
        })
    }
}

#[derive(Clone, Debug)]
struct FaultyConnector {
    inner: SharedHttpConnector,
    plan: FaultPlan,
}

impl HttpConnector for FaultyConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let operation = operation_of(&request);
        let Some(admission) = self.plan.admit(&operation) else {
            return HttpConnectorFuture::ready(Err(crashed()));
        };
        let call = Call { inner: self.inner.clone(), plan: self.plan.clone(), operation, admission };
        HttpConnectorFuture::new(async move {
            let outcome = call.meet_fault(request).await;
            // Whichever call crashed the process, no other call of that life sees its answer.
            if call.plan.is_alive(admission.life) { outcome } else { Err(crashed()) }
        })
    }
}

/// One call on its way to the engine.
struct Call {
    inner: SharedHttpConnector,
    plan: FaultPlan,
    operation: String,
    admission: Admission,
}

impl Call {
    async fn meet_fault(&self, request: HttpRequest) -> Outcome {
        match self.admission.fault {
            None => self.inner.call(request).await,
            Some(Fault::CrashBefore) => self.crash(),
            Some(Fault::CrashAfter) => {
                let _unseen = self.inner.call(request).await;
                self.crash()
            }
            Some(Fault::AnswerLost) => {
                let _unseen = self.inner.call(request).await;
                Err(ConnectorError::timeout(AnswerLost.into()))
            }
            Some(Fault::Throttle(throttling)) => self.throttle(throttling, &request),
            Some(Fault::TransactionConflict) => self.conflict(&request),
            Some(Fault::Slow(delay)) => {
                tokio::time::sleep(delay).await;
                if self.plan.is_alive(self.admission.life) {
                    self.inner.call(request).await
                } else {
                    Err(crashed())
                }
            }
            Some(Fault::Unprocessed) => self.half(request).await,
        }
    }

    fn crash(&self) -> Outcome {
        self.plan.crash(self.admission.life);
        Err(crashed())
    }

    fn throttle(&self, throttling: Throttling, request: &HttpRequest) -> Outcome {
        match (throttling, self.transaction_items(request)) {
            (Throttling::Account, _) => refusal(
                "com.amazon.coral.availability#ThrottlingException",
                "Rate of requests exceeds the allowed throughput.",
            ),
            (Throttling::Table, Some(items)) => {
                self.cancel(items, "ProvisionedThroughputExceeded", RATE_MESSAGE)
            }
            (Throttling::Table, None) => refusal(
                "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
                RATE_MESSAGE,
            ),
        }
    }

    fn conflict(&self, request: &HttpRequest) -> Outcome {
        match self.transaction_items(request) {
            Some(items) => self.cancel(items, "TransactionConflict", CONFLICT_MESSAGE),
            None => {
                refusal("com.amazonaws.dynamodb.v20120810#TransactionConflictException", CONFLICT_MESSAGE)
            }
        }
    }

    /// The number of items in a transaction; `None` for every other operation.
    fn transaction_items(&self, request: &HttpRequest) -> Option<usize> {
        match self.operation.as_str() {
            "TransactWriteItems" | "TransactGetItems" => {
                json_of(request).get("TransactItems")?.as_array().map(Vec::len)
            }
            _ => None,
        }
    }

    /// Cancels a transaction for the item whose place is the call's index, counted round, so that a
    /// run of calls blames every place.
    fn cancel(&self, items: usize, code: &str, message: &str) -> Outcome {
        cancellation(items, self.admission.call.checked_rem(items).unwrap_or_default(), code, message)
    }

    async fn half(&self, mut request: HttpRequest) -> Outcome {
        let Some(Halves { done, left }) = halve(&json_of(&request)) else {
            return self.throttle(Throttling::Table, &request);
        };
        set_json(&mut request, &done);
        let mut response = self.inner.call(request).await?;
        if response.status().is_success() {
            let field = match self.operation.as_str() {
                "BatchGetItem" => "UnprocessedKeys",
                _ => "UnprocessedItems",
            };
            let mut body = json_in(&mut response).await?;
            hand_back(&mut body, field, left);
            return answer(200, body.to_string());
        }
        Ok(response)
    }
}

async fn json_in(response: &mut HttpResponse) -> Result<Value, ConnectorError> {
    let body = std::mem::replace(response.body_mut(), SdkBody::empty());
    let text = ByteStream::new(body).collect().await.map_err(|error| ConnectorError::io(error.into()))?;
    serde_json::from_slice(&text.into_bytes()).map_err(|error| ConnectorError::other(error.into(), None))
}

fn crashed() -> ConnectorError {
    ConnectorError::other(Crashed.into(), None)
}
