//! The service on this machine.

mod connections;
pub(crate) mod open_files;

use crate::data_directory::{DataDirectory, OpenedDirectory};
use crate::database::{DatabaseArgs, lock};
use crate::failure::Failure;
use crate::worker::Postman;
use crate::{commands, local, migration, pages, routes, seed, worker};
use adapters::App;
use adapters::app::HostSettings;
use adapters::clock::wall_now;
use adapters::queue::LocalQueue;
use adapters::vault::{LocalVault, Vault};
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::{Next, from_fn};
use axum::response::{Redirect, Response};
use axum::routing::get;
use clap::Args;
use connections::Server;
use engine::Embedded;
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use store::Store;
use tokio::net::TcpListener;
use web::context::SourceIp;

/// How the service is started.
#[derive(Debug, Clone, Args)]
pub(crate) struct ServeArgs {
    /// Port on 127.0.0.1; 0 picks a free one
    #[arg(long, default_value_t = 3000)]
    pub(crate) port: u16,
    /// Keep everything in memory and forget it at the end
    #[arg(long)]
    pub(crate) memory: bool,
    /// Serve without the demo venues, without their keys, and without the routes below /sandbox
    #[arg(long)]
    pub(crate) no_demo: bool,
    /// Serve the routes below /sandbox even without the demo venues, of which they then show nothing (with them, the
    /// routes are always on)
    #[arg(long)]
    pub(crate) sandbox: bool,
    /// Key of scope b2c-browser whose venue the pages show; may be repeated. The demo venues' are shown as well
    #[arg(long = "page-key", value_name = "KEY")]
    pub(crate) page_keys: Vec<String>,
    /// Most connections at a time; when the limit is reached, a new connection replaces the one idle longest
    #[arg(long, value_name = "COUNT", default_value_t = 4_000, value_parser = count(1, 100_000))]
    pub(crate) connections: usize,
    /// Most emails being sent at a time
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = count(1, 100))]
    pub(crate) mails_at_once: usize,
}

/// Reads a number from `least` to `most`.
fn count(least: usize, most: usize) -> impl Fn(&str) -> Result<usize, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("must be a whole number between {least} and {most}"))
    }
}

/// Serves until the process is told to stop.
pub(crate) async fn serve(database: &DatabaseArgs, args: &ServeArgs) -> Result<(), Failure> {
    if database.aws || database.endpoint.is_some() {
        return Err(Failure::new(
            "the service on this machine has a database of its own; leave out --aws and --endpoint",
        ));
    }
    database.check_prefix()?;
    adapters::telemetry::init();
    let data = Data::open(database, args).await?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .await
        .map_err(|fault| Failure::because(format!("port {} cannot be used", args.port), &fault))?;
    let address = listener.local_addr().map_err(|fault| Failure::because("no address", &fault))?;

    let queue = LocalQueue::default();
    let app = local::app(data.embedded.clone(), data.embedded.clone(), Arc::clone(&data.vault), &queue);
    let app = app.within(HostSettings {
        own_origins: own_origins(address),
        refuses_demo_keys: args.no_demo,
        own_shop: pages::site(address, "shop"),
        own_desk: pages::site(address, "desk"),
    });
    app.store.create_tables().await?;
    migration::catch_up(&app.store).await?;
    if !args.no_demo {
        data.seed(&app).await?;
        seed::mail_links(&app, wall_now()).await?;
    }
    let mailbox = Store::new(data.embedded.client(), local::PREFIX);
    let postman = Postman { app: app.clone(), queue, mailbox };
    worker::start(postman, data.embedded.clone(), args.mails_at_once);

    let router = pages::before(reachable(&app, args.parts()), &app, args.shown_keys());
    let server = Server { router, most: open_files::room_for(args.connections) };
    // Whoever reads that it is ready may stop it at once.
    let told_to_stop = told_to_stop();
    commands::print(&format!("ready http://{address}"))?;
    commands::print(&greeting(address, args))?;
    server.serve(listener, told_to_stop).await;
    Ok(())
}

/// Where pages of the service itself come from: browsers are told either name of this machine.
fn own_origins(address: SocketAddr) -> Vec<String> {
    ["127.0.0.1", "localhost"].map(|host| format!("http://{host}:{}", address.port())).to_vec()
}

/// What to open first, for people.
fn greeting(address: SocketAddr, args: &ServeArgs) -> String {
    let mut lines = vec![format!("Start at http://{address}/docs: every route, with examples to send.")];
    if args.no_demo {
        lines.push(
            "The demo venues are switched off. Create a venue with `boxoffice tenant create` (see its `--help`)."
                .to_owned(),
        );
    } else {
        lines.push(
            "Keys of the demo venue 1001: demo-b2c-1001 for a shop's server, demo-b2b-1001 for the back office, \
             demo-counter-1001 for a till, demo-door-1001 for a door."
                .to_owned(),
        );
    }
    lines.extend(pages::greeting(address));
    if args.parts() == Parts::WithSandbox {
        lines.push(format!("Emails sent so far: http://{address}/sandbox/outbox"));
        if !args.no_demo {
            let desk = "desk@harbor-museum.example";
            lines.push(format!("One of them is for {desk}, with a link to sign in by as staff."));
        }
    }
    lines.join("\n")
}

/// What the service keeps, and the lock that makes it the only one that serves it.
struct Data {
    embedded: Embedded,
    vault: Arc<dyn Vault>,
    held: Option<ServedDirectory>,
}

/// A data directory that this process serves.
struct ServedDirectory {
    seeded_mark: PathBuf,
    _lock: File,
}

impl Data {
    async fn open(database: &DatabaseArgs, args: &ServeArgs) -> Result<Self, Failure> {
        if args.memory {
            let embedded = Embedded::memory().map_err(|fault| Failure::because("no database", &fault))?;
            let vault = LocalVault::in_memory().map_err(|fault| Failure::because("no vault", &fault))?;
            return Ok(Self { embedded, vault: Arc::new(vault), held: None });
        }
        let directory = DataDirectory(&database.data);
        let held = ServedDirectory { seeded_mark: directory.seeded_mark(), _lock: lock(directory)? };
        let OpenedDirectory { embedded, vault } = directory.open(local::PREFIX).await?;
        Ok(Self { embedded, vault: Arc::new(vault), held: Some(held) })
    }

    /// Imports the demo venues, once: what is changed of them later stays changed. The mark is made at the
    /// end, so that an import that was cut short is finished by the next start.
    async fn seed(&self, app: &App) -> Result<(), Failure> {
        let mark = self.held.as_ref().map(|held| &held.seeded_mark);
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

/// Which routes there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parts {
    /// Those of the sandbox too.
    WithSandbox,
    /// What a deployment has.
    WithoutSandbox,
}

impl ServeArgs {
    /// The sandbox's own routes come with the demo venues, or when they are asked for.
    fn parts(&self) -> Parts {
        if self.sandbox || !self.no_demo { Parts::WithSandbox } else { Parts::WithoutSandbox }
    }

    /// The keys of the venues that the pages show, the operator's own first.
    fn shown_keys(&self) -> Arc<[String]> {
        let demo = seed::page_keys().filter(|_| !self.no_demo);
        self.page_keys.iter().cloned().chain(demo).collect()
    }
}

/// The routes, told where each request comes from.
pub(crate) fn reachable(app: &App, parts: Parts) -> Router {
    let routes: Router<App> = match parts {
        Parts::WithSandbox => routes::router(),
        Parts::WithoutSandbox => routes::without_sandbox(),
    };
    // Whoever opens the bare address in a browser is shown what there is.
    let routes = routes.route("/", get(async || Redirect::temporary("/docs")));
    web::shell::service(routes, app).layer(from_fn(with_source))
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
pub(crate) fn told_to_stop() -> impl Future<Output = ()> {
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
pub(crate) async fn told_to_stop() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
