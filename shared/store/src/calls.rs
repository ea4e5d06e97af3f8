//! Counts the database calls of a request, for the log line and for the tests that hold every endpoint to
//! its number of round trips.

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

tokio::task_local! {
    static CURRENT: Arc<Calls>;
}

/// Calls made so far by one request.
#[derive(Debug, Default)]
pub struct Calls {
    total: AtomicU32,
    rounds: AtomicU32,
    in_flight: AtomicU32,
}

/// How many calls were made, and in how many sequential rounds: calls that overlap count as one round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallCount {
    /// Sequential round trips.
    pub rounds: u32,
    /// All calls.
    pub total: u32,
}

impl Calls {
    /// What was counted so far.
    #[must_use]
    pub fn count(&self) -> CallCount {
        CallCount { rounds: self.rounds.load(Ordering::Relaxed), total: self.total.load(Ordering::Relaxed) }
    }

    /// Runs `work` and counts the calls it makes here.
    pub async fn scope<F: Future>(self: Arc<Self>, work: F) -> F::Output {
        CURRENT.scope(self, work).await
    }

    /// The count of the running request, to carry it onto another task.
    #[must_use]
    pub fn current() -> Arc<Self> {
        CURRENT.try_with(Arc::clone).unwrap_or_default()
    }

    fn begin(self: Arc<Self>) -> InFlight {
        self.total.fetch_add(1, Ordering::Relaxed);
        if self.in_flight.fetch_add(1, Ordering::Relaxed) == 0 {
            self.rounds.fetch_add(1, Ordering::Relaxed);
        }
        InFlight(self)
    }
}

struct InFlight(Arc<Calls>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

/// An HTTP client of the SDK that counts calls into the [`Calls`] of the running request.
#[derive(Debug, Clone)]
pub struct Counted<C>(pub C);

impl<C: HttpClient + Clone + 'static> HttpClient for Counted<C> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(CountedConnector(self.0.http_connector(settings, components)))
    }
}

#[derive(Debug)]
struct CountedConnector(SharedHttpConnector);

impl HttpConnector for CountedConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let in_flight = Calls::current().begin();
        let answer = self.0.call(request);
        HttpConnectorFuture::new(async move {
            let answer = answer.await;
            drop(in_flight);
            answer
        })
    }
}
