//! The service on this machine.

use crate::args::{DatabaseArgs, ServeArgs};
use crate::database::{lock, open_directory};
use crate::failure::Failure;
use crate::worker::Postman;
use crate::{local, migration, routes, seed, worker};
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use engine::Embedded;
use platform::App;
use platform::clock::wall_now;
use platform::context::SourceIp;
use platform::queue::LocalQueue;
use platform::vault::{LocalVault, Vault};
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tokio::net::TcpListener;

/// How long requests under way may go on once the service is told to stop; longer than the slowest card.
const GRACE: Duration = Duration::from_secs(15);

/// Says that a data directory has had the demo venues.
const SEEDED_FILE: &str = "demo-imported";

/// Serves until the process is told to stop.
pub(crate) async fn serve(database: &DatabaseArgs, args: &ServeArgs) -> Result<(), Failure> {
    if database.aws || database.endpoint.is_some() {
        return Err(Failure::new(
            "the service on this machine has a database of its own: leave out --aws and --endpoint",
        ));
    }
    platform::telemetry::init();
    let data = Data::open(database, args)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .await
        .map_err(|fault| Failure::because(format!("port {} cannot be used", args.port), &fault))?;
    let address = listener.local_addr().map_err(|fault| Failure::because("no address", &fault))?;

    let queue = LocalQueue::default();
    let app = local::app(data.embedded.clone(), data.embedded.clone(), (Arc::clone(&data.vault), &queue));
    app.store.create_tables().await?;
    migration::catch_up(&app.store).await?;
    data.seed(&app).await?;
    let mailbox = Store::new(data.embedded.client(), local::PREFIX);
    worker::start(Postman { app: app.clone(), queue, mailbox });

    let service = reachable(&app).into_make_service_with_connect_info::<SocketAddr>();
    // Whoever reads that it is ready may stop it at once.
    let told_to_stop = told_to_stop();
    println!("ready http://{address}");

    let (stop, stopped) = tokio::sync::oneshot::channel();
    let serving = axum::serve(listener, service).with_graceful_shutdown(async move {
        told_to_stop.await;
        let _ = stop.send(());
    });
    tokio::select! {
        ended = serving.into_future() => ended.map_err(|fault| Failure::because("serving ended", &fault)),
        () = async { let _ = stopped.await; tokio::time::sleep(GRACE).await } => Ok(()),
    }
}

/// What the service keeps, and the lock that makes it the only one that serves it.
struct Data {
    embedded: Embedded,
    vault: Arc<dyn Vault>,
    held: Option<Held>,
}

/// A data directory that this process serves.
struct Held {
    directory: PathBuf,
    _lock: File,
}

impl Data {
    fn open(database: &DatabaseArgs, args: &ServeArgs) -> Result<Self, Failure> {
        if args.memory {
            let embedded = Embedded::memory().map_err(|fault| Failure::because("no database", &fault))?;
            let vault = LocalVault::in_memory().map_err(|fault| Failure::because("no vault", &fault))?;
            return Ok(Self { embedded, vault: Arc::new(vault), held: None });
        }
        let held = Held { directory: database.data.clone(), _lock: lock(&database.data)? };
        let (embedded, vault) = open_directory(&database.data)?;
        Ok(Self { embedded, vault: Arc::new(vault), held: Some(held) })
    }

    /// Imports the demo venues, once: what is changed of them later stays changed. The mark is made at the
    /// end, so that an import that was cut short is finished by the next start.
    async fn seed(&self, app: &App) -> Result<(), Failure> {
        let mark = self.held.as_ref().map(|held| held.directory.join(SEEDED_FILE));
        if mark.as_ref().is_some_and(|mark| mark.exists()) {
            return Ok(());
        }
        seed::demo(app, wall_now()).await?;
        match mark.map(File::create) {
            Some(Err(fault)) => Err(Failure::because("the data directory cannot be used", &fault)),
            Some(Ok(_)) | None => Ok(()),
        }
    }
}

/// All routes, told where each request comes from.
pub(crate) fn reachable(app: &App) -> Router {
    platform::shell::service(routes::routes(), app).layer(from_fn(with_source))
}

async fn with_source(mut request: Request, next: Next) -> Response {
    if let Some(ConnectInfo(peer)) = request.extensions().get::<ConnectInfo<SocketAddr>>() {
        let source = SourceIp(peer.ip());
        request.extensions_mut().insert(source);
    }
    next.run(request).await
}

/// Ends with the first SIGINT or SIGTERM from this call on, not only from when it is awaited. A signal that cannot be
/// listened to never comes.
#[cfg(unix)]
fn told_to_stop() -> impl Future<Output = ()> {
    use tokio::signal::unix::{Signal, SignalKind, signal};
    async fn received(signal: Option<Signal>) {
        match signal {
            Some(mut signal) => {
                signal.recv().await;
            }
            None => std::future::pending().await,
        }
    }
    let [interrupt, terminate] =
        [SignalKind::interrupt(), SignalKind::terminate()].map(|kind| signal(kind).ok());
    async {
        tokio::select! {
            () = received(interrupt) => {}
            () = received(terminate) => {}
        }
    }
}

/// Ends when the process is interrupted. If that cannot be listened to, it never is.
#[cfg(not(unix))]
async fn told_to_stop() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
