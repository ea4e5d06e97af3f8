//! A whole tenant in a file, and out of it again (decision 0092). Its records are moved as they are stored, so that a
//! restored tenant goes on exactly where the archived one stopped. Secrets are sealed under the key of the archive on
//! the way, and under the vault of the other side there.

mod fault;
mod file;
mod item;
mod restore;
mod seal;

pub use fault::ArchiveError;
pub use file::Counts;
pub use restore::{Archive, RestoreOutcome};

use adapters::vault::Vault;
use domain::tenant::Tenant;
use domain::{TenantId, Timestamp};
use file::{Header, Writer};
use std::io::Write;
use std::time::Duration;
use store::walk::{Pace, Route, WalkedItem};
use store::{Consistency, Item, Key, Store, Table};

/// The form of the file.
const FORMAT: u64 = 1;

/// A database and what opens its secrets.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The database.
    pub store: &'a Store,
    pub vault: &'a dyn Vault,
}

/// Writes all that is stored of a closed tenant, with its secrets sealed under `key`; how many records those are.
///
/// # Errors
/// [`ArchiveError`] when the tenant is open, or is opened or changed meanwhile, or something cannot be read, opened
/// or written. What was written until then is no archive.
pub async fn archive(
    from: Side<'_>,
    tenant: TenantId,
    now: Timestamp,
    key: &dyn Vault,
    out: impl Write,
) -> Result<Counts, ArchiveError> {
    let closed = load_closed(from.store, tenant).await?;
    let header = Header::new(tenant, now, key).await?;
    let mut copy = Copy { from, tenant, key, writer: Writer::begin(out, &header)? };
    for table in Table::ALL {
        let route = Route { table, partitions: &[], tenant: Some(tenant) };
        let pace = Pace { consistency: Consistency::Strong, pause: Duration::ZERO };
        let mut walk = from.store.walk(route, pace);
        while let Some(rows) = walk.next().await? {
            copy.rows(rows).await?;
        }
    }
    if from.store.load_tenant(tenant, Consistency::Strong).await? != Some(closed) {
        return Err(ArchiveError::Changed(tenant));
    }
    copy.writer.finish(tenant, key).await
}

async fn load_closed(store: &Store, tenant: TenantId) -> Result<Tenant, ArchiveError> {
    let found = store.load_tenant(tenant, Consistency::Strong).await?;
    let found = found.ok_or(ArchiveError::Unknown(tenant))?;
    if found.is_closed() { Ok(found) } else { Err(ArchiveError::Open(tenant)) }
}

/// An archive while it is written.
struct Copy<'a, W> {
    from: Side<'a>,
    tenant: TenantId,
    key: &'a dyn Vault,
    writer: Writer<W>,
}

impl<W: Write> Copy<'_, W> {
    /// Writes the records of a page, and the API keys that those of them stand for that are their marks.
    async fn rows(&mut self, rows: Vec<WalkedItem>) -> Result<(), ArchiveError> {
        let mut keys = Vec::new();
        for WalkedItem { tenant: _, key, partition: _, item } in rows {
            if let Some(hash) = key.marked_api_key(self.tenant) {
                keys.push(Key::api_key(hash));
            }
            self.record(&key, item).await?;
        }
        let mut found = self.from.store.get_many(keys.clone(), Consistency::Strong).await?;
        for key in keys {
            if let Some(item) = found.take_item(&key) {
                self.record(&key, item).await?;
            }
        }
        Ok(())
    }

    async fn record(&mut self, key: &Key, mut item: Item) -> Result<(), ArchiveError> {
        let Self { from, tenant, key: archive, writer } = self;
        seal::seal_anew(*tenant, key, &mut item, from.vault, *archive).await?;
        writer.record(key, &item)
    }
}
