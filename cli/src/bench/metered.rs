//! What tells a [`Meter`] whose work begins and ends: layers around the engine and the card processor, and the spans
//! that the SDK opens around each of its calls.

use super::meter::{Meter, Part};
use adapters::processor::{CardProcessor, PaymentRequest, ProcessorError, RefundRequest};
use async_trait::async_trait;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use domain::card_token::{PaymentToken, SentCard, TokenAnswer};
use domain::payment::{Confirmation, FinalStatus, PaymentStatus, RefundAnswer};
use domain::{Mid, PaymentReference};
use std::sync::Arc;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// An engine whose work is measured as its own.
#[derive(Debug, Clone)]
pub(super) struct MeteredEngine<C> {
    inner: C,
    meter: Meter,
}

impl<C> MeteredEngine<C> {
    pub(super) fn new(inner: C, meter: Meter) -> Self {
        Self { inner, meter }
    }
}

impl<C: HttpClient> HttpClient for MeteredEngine<C> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(MeteredConnector { inner, meter: self.meter.clone() })
    }
}

#[derive(Debug)]
struct MeteredConnector {
    inner: SharedHttpConnector,
    meter: Meter,
}

impl HttpConnector for MeteredConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (meter, answer) = (self.meter.clone(), self.inner.call(request));
        HttpConnectorFuture::new(async move { meter.spend(Part::Engine, answer).await })
    }
}

/// A card processor whose work is measured as its own.
pub(super) struct MeteredProcessor {
    pub(super) inner: Arc<dyn CardProcessor>,
    pub(super) meter: Meter,
}

#[async_trait]
impl CardProcessor for MeteredProcessor {
    async fn look_up(&self, token: &PaymentToken, mid: &Mid) -> Result<TokenAnswer, ProcessorError> {
        self.meter.spend(Part::Processor, self.inner.look_up(token, mid)).await
    }

    async fn open(&self, payment: &PaymentRequest) -> Result<PaymentReference, ProcessorError> {
        self.meter.spend(Part::Processor, self.inner.open(payment)).await
    }

    async fn confirm(
        &self,
        reference: &PaymentReference,
        card: &SentCard,
    ) -> Result<Confirmation, ProcessorError> {
        self.meter.spend(Part::Processor, self.inner.confirm(reference, card)).await
    }

    async fn status(&self, reference: &PaymentReference) -> Result<PaymentStatus, ProcessorError> {
        self.meter.spend(Part::Processor, self.inner.status(reference)).await
    }

    async fn cancel_or_status(&self, reference: &PaymentReference) -> Result<FinalStatus, ProcessorError> {
        self.meter.spend(Part::Processor, self.inner.cancel_or_status(reference)).await
    }

    async fn refund(&self, refund: &RefundRequest) -> Result<RefundAnswer, ProcessorError> {
        self.meter.spend(Part::Processor, self.inner.refund(refund)).await
    }

    fn can_have_written(&self, reference: &PaymentReference) -> bool {
        self.inner.can_have_written(reference)
    }
}

/// How the names of the spans begin that the SDK opens around whole calls.
const CALLS: &str = "DynamoDB.";

/// Listens to the spans of the SDK's calls and to nothing else. A span is entered whenever its call is polled and left
/// when it waits, so what others do meanwhile is not taken for the SDK's work.
pub(super) struct SdkSpans(pub(super) Meter);

impl Subscriber for SdkSpans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.name().starts_with(CALLS)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::DEBUG)
    }

    /// All of them mean the same.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {
        self.0.enter(Part::Sdk);
    }

    fn exit(&self, _: &Id) {
        self.0.leave();
    }
}
