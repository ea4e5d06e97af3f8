//! The service over a fresh database, in memory or in a file.

use super::BenchError;
use super::meter::Meter;
use super::metered::{MeteredEngine, MeteredProcessor};
use crate::data_directory::{DataDirectory, OpenedDirectory};
use crate::local;
use crate::worker::Postman;
use adapters::App;
use adapters::queue::LocalQueue;
use adapters::vault::{LocalVault, Vault};
use engine::Embedded;
use std::sync::Arc;
use store::Store;
use tempfile::TempDir;
use tokio::task::JoinSet;

/// Mails being sent at a time, as `boxoffice serve` does by default.
const MAILS_AT_ONCE: usize = 4;

/// Where a case keeps its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Storage {
    /// In memory. Mails are enqueued, and nobody sends them.
    Memory,
    /// In a file of a temporary directory, as `boxoffice serve` does. Mails are sent.
    File,
}

/// The service and what it stands on.
pub(super) struct Host {
    pub(super) app: App,
    pub(super) vault: Arc<dyn Vault>,
    embedded: Embedded,
    queue: LocalQueue,
    /// It is deleted with this.
    directory: Option<TempDir>,
}

impl Host {
    /// An empty database with its tables.
    pub(super) async fn open(storage: Storage) -> Result<Self, BenchError> {
        Self::over(storage, None).await
    }

    /// The same with all work done on the caller's thread, and told to a meter.
    pub(super) async fn open_metered(storage: Storage, meter: &Meter) -> Result<Self, BenchError> {
        Self::over(storage, Some(meter)).await
    }

    async fn over(storage: Storage, meter: Option<&Meter>) -> Result<Self, BenchError> {
        let (embedded, vault, directory) = match storage {
            Storage::Memory => (Embedded::memory()?, LocalVault::in_memory()?, None),
            Storage::File => {
                let directory = TempDir::new()?;
                let opened = DataDirectory(directory.path()).open(local::PREFIX).await?;
                let OpenedDirectory { embedded, vault } = opened;
                (embedded, vault, Some(directory))
            }
        };
        let vault: Arc<dyn Vault> = Arc::new(vault);
        let queue = LocalQueue::default();
        let host = match meter {
            None => {
                let app = local::app(embedded.clone(), embedded.clone(), Arc::clone(&vault), &queue);
                Self { app, vault, embedded, queue, directory }
            }
            Some(meter) => {
                let embedded = embedded.on_this_thread();
                let http = MeteredEngine::new(embedded.clone(), meter.clone());
                let mut app = local::app(http, embedded.clone(), Arc::clone(&vault), &queue);
                let inner = Arc::clone(&app.sandbox_processor);
                app.sandbox_processor = Arc::new(MeteredProcessor { inner, meter: meter.clone() });
                Self { app, vault, embedded, queue, directory }
            }
        };
        host.app.store.create_tables().await?;
        Ok(host)
    }

    /// The queue of those who send mails; none where nobody does.
    pub(super) fn mails(&self) -> Option<&LocalQueue> {
        self.directory.as_ref().map(|_| &self.queue)
    }

    /// Sends mails beside the requests until the result is dropped.
    pub(super) fn send_mails(&self) -> JoinSet<()> {
        let mut senders: JoinSet<()> = JoinSet::new();
        if self.mails().is_some() {
            for _ in 0..MAILS_AT_ONCE {
                let postman = self.postman();
                senders.spawn(async move {
                    loop {
                        let deliveries = postman.queue.receive(1).await;
                        postman.deliver_all(&deliveries).await;
                    }
                });
            }
        }
        senders
    }

    /// Sends the mails that are enqueued now, and tells how many those were.
    pub(super) async fn send_waiting_mails(&self) -> Result<usize, BenchError> {
        let postman = self.postman();
        let mut sent = 0_usize;
        while self.queue.depth() > 0 {
            let deliveries = self.queue.receive(1).await;
            if postman.deliver_all(&deliveries).await < deliveries.len() {
                return Err(BenchError::from("a mail was not sent"));
            }
            sent = sent.saturating_add(deliveries.len());
        }
        Ok(sent)
    }

    fn postman(&self) -> Postman {
        let mailbox = Store::new(self.embedded.client(), local::PREFIX);
        Postman { app: self.app.clone(), queue: self.queue.clone(), mailbox }
    }
}
