//! The whole service inside a test: every route, the mailer and the scheduled work over an embedded database
//! in memory, without a socket unless one is asked for.

#![expect(clippy::expect_used, reason = "a test harness fails its test by panicking")]

use crate::local::PREFIX;
use crate::serve::Parts;
use crate::worker::Postman;
use crate::{local, seed, serve};
use adapters::App;
use adapters::clock::wall_now;
use adapters::queue::LocalQueue;
use adapters::vault::{LocalVault, Vault};
use axum::Router;
use axum::body::Body;
use domain::Timestamp;
use engine::{
    ByteCount, BytesCounted, Embedded, FaultPlan, Faulty, Logged, Original, Outage, TableLog, Without,
};
use http::Request;
use serde_json::Value;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use store::Store;
use testkit::Answer;
use tokio::net::TcpListener;
use tokio::sync::OnceCell;
use tower::ServiceExt;
use web::context::SourceIp;

/// One process of the service. Its database calls meet the faults of its plan; those of the sandbox's
/// processor and mailboxes, which stand for other parties, do not.
pub struct Service {
    /// What the handlers are given.
    pub app: App,
    /// The faults this process meets; none unless planned.
    pub plan: FaultPlan,
    /// The table that does not answer, if any; all processes over the same tables meet it.
    pub outage: Outage,
    /// The tables this process asked for.
    pub table_log: TableLog,
    /// What the database calls of this process carried.
    pub byte_count: ByteCount,
    /// The database below the faults, for looking at what is stored.
    pub store: Store,
    /// The tables themselves.
    pub embedded: Embedded,
    /// The mail queue of this process.
    pub queue: LocalQueue,
    vault: Arc<dyn Vault>,
    router: Router,
}

impl Service {
    /// A new service with the two demo venues. They are imported once for all services of a test's process, and each
    /// has a copy.
    ///
    /// # Panics
    /// When it cannot start.
    pub async fn start() -> Self {
        Self::of_demo_venues(|embedded| embedded).await
    }

    /// The same, with all work of the database on the caller's thread, so that calls made side by side always take turns
    /// in the same way.
    ///
    /// # Panics
    /// When it cannot start.
    pub async fn start_on_this_thread() -> Self {
        Self::of_demo_venues(Embedded::on_this_thread).await
    }

    async fn of_demo_venues(on_threads: fn(Embedded) -> Embedded) -> Self {
        let (original, vault) = demo_venues().await;
        let embedded = on_threads(original.copy().expect("a copy in memory"));
        Self::over(embedded, Outage::default(), Arc::clone(vault), FaultPlan::new())
    }

    /// A new service without tenants.
    ///
    /// # Panics
    /// When it cannot start.
    pub async fn empty() -> Self {
        static EMPTY: OnceCell<Original> = OnceCell::const_new();
        let original = EMPTY.get_or_init(|| Box::pin(with_tables())).await;
        let embedded = original.copy().expect("a copy in memory");
        let vault = LocalVault::in_memory().expect("a vault in memory");
        Self::over(embedded, Outage::default(), Arc::new(vault), FaultPlan::new())
    }

    /// Another process over the same tables: with empty caches, an empty queue and a plan of its own.
    #[must_use]
    pub fn another_process(&self, plan: FaultPlan) -> Self {
        Self::over(self.embedded.clone(), self.outage.clone(), Arc::clone(&self.vault), plan)
    }

    fn over(embedded: Embedded, outage: Outage, vault: Arc<dyn Vault>, plan: FaultPlan) -> Self {
        let queue = LocalQueue::default();
        let (table_log, byte_count) = (TableLog::default(), ByteCount::default());
        let http = BytesCounted::new(Without::new(embedded.clone(), outage.clone()), byte_count.clone());
        let http = Logged::new(http, table_log.clone());
        let http = Faulty::new(http, plan.clone());
        let app = local::app(http, embedded.clone(), Arc::clone(&vault), &queue);
        let router = conformance::held(serve::reachable(&app, Parts::WithSandbox));
        let store = Store::new(embedded.client(), PREFIX);
        Self { app, plan, outage, table_log, byte_count, store, embedded, queue, vault, router }
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
        Answer::of(answer).await
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
    pub async fn cleanup(&self, now: Timestamp) -> cleanup::PassReport {
        cleanup::pass(&self.app, cleanup::PassScope::Sandbox, now)
            .await
            .expect("a pass of the scheduled work")
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

/// The tables of a service without tenants.
async fn with_tables() -> Original {
    let original = Original::memory().expect("a database in memory");
    let store = Store::new(original.engine().client(), PREFIX);
    store.create_tables().await.expect("tables");
    original
}

/// The demo venues, imported once for all services of a test's process.
async fn demo_venues() -> &'static (Original, Arc<dyn Vault>) {
    static DEMO: OnceCell<(Original, Arc<dyn Vault>)> = OnceCell::const_new();
    // In a box: in an unoptimised build, whoever waits for it would carry it on the stack.
    DEMO.get_or_init(|| Box::pin(demo())).await
}

/// The tables of the two demo venues, and the vault that sealed their secrets.
async fn demo() -> (Original, Arc<dyn Vault>) {
    let original = with_tables().await;
    let vault: Arc<dyn Vault> = Arc::new(LocalVault::in_memory().expect("a vault in memory"));
    let (embedded, plan) = (original.engine().clone(), FaultPlan::new());
    let service = Service::over(embedded, Outage::default(), Arc::clone(&vault), plan);
    seed::demo(&service.app, wall_now()).await.expect("the demo venues are imported");
    (original, vault)
}
