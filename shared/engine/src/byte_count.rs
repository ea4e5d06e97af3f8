//! How much calls carry.

use crate::message::body_of;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the bytes that calls send and are answered. Clones share the count.
#[derive(Clone, Debug, Default)]
pub struct ByteCount(Arc<AtomicUsize>);

impl ByteCount {
    /// The bytes since the last time.
    pub fn take(&self) -> usize {
        self.0.swap(0, Ordering::Relaxed)
    }

    fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// An HTTP client whose calls are counted by a [`ByteCount`] on their way to `C` and back.
#[derive(Clone, Debug)]
pub struct BytesCounted<C> {
    inner: C,
    count: ByteCount,
}

impl<C> BytesCounted<C> {
    /// Has `count` count what calls to `inner` carry.
    pub fn new(inner: C, count: ByteCount) -> Self {
        Self { inner, count }
    }
}

impl<C: HttpClient> HttpClient for BytesCounted<C> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(BytesCountedConnector { inner, count: self.count.clone() })
    }
}

#[derive(Clone, Debug)]
struct BytesCountedConnector {
    inner: SharedHttpConnector,
    count: ByteCount,
}

impl HttpConnector for BytesCountedConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        self.count.add(body_of(&request).len());
        let (count, answer) = (self.count.clone(), self.inner.call(request));
        HttpConnectorFuture::new(async move {
            let answer = answer.await;
            let answered = answer.as_ref().ok().and_then(|answer| answer.body().bytes());
            count.add(answered.map_or(0, <[u8]>::len));
            answer
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ByteCount, BytesCounted};
    use crate::{Embedded, client_over};

    #[tokio::test]
    async fn what_is_sent_and_what_is_answered_counts_until_it_is_taken() {
        let count = ByteCount::default();
        let client = client_over(BytesCounted::new(Embedded::memory().unwrap(), count.clone()));
        client.list_tables().send().await.unwrap();
        let once = count.take();
        assert!(once > "{}{}".len(), "{once}");
        client.list_tables().send().await.unwrap();
        client.list_tables().send().await.unwrap();
        assert_eq!((count.take(), count.take()), (2 * once, 0));
    }
}
