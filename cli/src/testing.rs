//! The whole service inside a test: every route, the mailer and the scheduled work over an embedded database
//! in memory, without a socket unless one is asked for.

#![expect(clippy::expect_used, reason = "a test harness fails its test by panicking")]

use crate::local::PREFIX;
use crate::serve::Parts;
use crate::worker::Postman;
use crate::{local, seed, serve};
use axum::Router;
use axum::body::{Body, to_bytes};
use domain::Timestamp;
use engine::{Embedded, FaultPlan, Faulty, Outage, Without};
use http::{HeaderMap, Request};
use platform::App;
use platform::clock::wall_now;
use platform::context::SourceIp;
use platform::queue::LocalQueue;
use platform::vault::{LocalVault, Vault};
use serde_json::Value;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use store::Store;
use tokio::net::TcpListener;
use tower::ServiceExt;

/// One process of the service. Its database calls meet the faults of its plan; those of the sandbox's
/// processor and mailboxes, which stand for other parties, do not.
pub struct Service {
    /// What the handlers are given.
    pub app: App,
    /// The faults this process meets; none unless planned.
    pub plan: FaultPlan,
    /// The table that does not answer, if any; all processes over the same tables meet it.
    pub outage: Outage,
    /// The database below the faults, for looking at what is stored.
    pub store: Store,
    /// The tables themselves.
    pub embedded: Embedded,
    /// The mail queue of this process.
    pub queue: LocalQueue,
    vault: Arc<dyn Vault>,
    router: Router,
}

/// An answer of the service.
#[derive(Debug, Clone)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Headers.
    pub headers: HeaderMap,
    /// The body as JSON; null if it is something else.
    pub body: Value,
    /// The body as it came.
    pub bytes: Vec<u8>,
}

impl Answer {
    /// A header's text; empty if it is not there.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

impl Service {
    /// A new service with the two demo venues.
    ///
    /// # Panics
    /// When it cannot start.
    pub async fn start() -> Self {
        let service = Self::empty().await;
        seed::demo(&service.app, wall_now()).await.expect("the demo venues are imported");
        service
    }

    /// A new service without tenants.
    ///
    /// # Panics
    /// When it cannot start.
    pub async fn empty() -> Self {
        let embedded = Embedded::memory().expect("a database in memory");
        let vault = LocalVault::in_memory().expect("a vault in memory");
        let service = Self::over(embedded, Outage::default(), Arc::new(vault), FaultPlan::new());
        service.store.create_tables().await.expect("tables");
        service
    }

    /// Another process over the same tables: with empty caches, an empty queue and a plan of its own.
    #[must_use]
    pub fn another_process(&self, plan: FaultPlan) -> Self {
        Self::over(self.embedded.clone(), self.outage.clone(), Arc::clone(&self.vault), plan)
    }

    fn over(embedded: Embedded, outage: Outage, vault: Arc<dyn Vault>, plan: FaultPlan) -> Self {
        let queue = LocalQueue::default();
        let http = Faulty::new(Without::new(embedded.clone(), outage.clone()), plan.clone());
        let app = local::app(http, embedded.clone(), Arc::clone(&vault), &queue);
        let router = conformance::held(serve::reachable(&app, Parts::WithSandbox));
        let store = Store::new(embedded.client(), PREFIX);
        Self { app, plan, outage, store, embedded, queue, vault, router }
    }

    /// Sends a request, from this machine's own address, and waits for the answer.
    ///
    /// # Panics
    /// When the request cannot be built.
    pub async fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = match body {
            Some(json) => {
                request = request.header("content-type", "application/json");
                Body::from(json.to_string())
            }
            None => Body::empty(),
        };
        let source = SourceIp(IpAddr::V4(Ipv4Addr::LOCALHOST));
        self.send(request.extension(source).body(body).expect("a request")).await
    }

    /// Sends a request as it is.
    ///
    /// # Panics
    /// When the body of the answer breaks off.
    pub async fn send(&self, request: Request<Body>) -> Answer {
        let Ok(answer) = self.router.clone().oneshot(request).await;
        let (parts, body) = answer.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.expect("a whole body").to_vec();
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Answer { status: parts.status.as_u16(), headers: parts.headers, body, bytes }
    }

    /// Delivers every mail that waits, also those queued meanwhile, and tells how many left the queue. A mail
    /// that could not be delivered is hidden for a while, as on any queue.
    pub async fn deliver_mail(&self) -> usize {
        let mailbox = self.store.clone();
        let postman = Postman { app: self.app.clone(), queue: self.queue.clone(), mailbox };
        let mut delivered = 0_usize;
        // Without a wait, the batch ends here as soon as nothing is visible.
        while let Some(deliveries) = postman.waiting().await {
            delivered = delivered.saturating_add(postman.deliver_all(&deliveries).await);
        }
        delivered
    }

    /// One pass of the scheduled work for sandbox tenants, with that clock.
    ///
    /// # Panics
    /// When the database does not say what is due.
    pub async fn cleanup(&self, now: Timestamp) -> cleanup::Report {
        cleanup::pass(&self.app, cleanup::Scope::Sandbox, now).await.expect("a pass of the scheduled work")
    }

    /// Serves on a free port of this machine for as long as the runtime lives.
    ///
    /// # Panics
    /// When no port is free.
    pub async fn listen(&self) -> SocketAddr {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let service = self.router.clone().into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, service).await });
        address
    }
}
