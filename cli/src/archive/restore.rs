//! Restoring: the whole file is read and found sound before anything is written, and then read again. Whatever was
//! written by then, restoring the same file again goes on from there.

use super::file::{Counts, Next, Reader};
use super::{ArchiveError, Side, seal};
use adapters::vault::Vault;
use domain::TenantId;
use domain::tenant::Tenant;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::archive::TenantPlace;
use store::identity::key_hash;
use store::{Consistency, Item, Key, Store, StoreError, StoreFault, decode, retry};
use tokio::task::JoinSet;

/// Records written at once.
const WRITES: usize = 16;
/// Times a record is written when the database is busy.
const WRITE_TRIES: u32 = 5;
/// How long the first of these waits.
const FIRST_WAIT: Duration = Duration::from_millis(50);
/// Digits of a key's hash that name it in lists.
const SHOWN_DIGITS: usize = 12;
/// Characters of the token that names a transaction; DynamoDB takes 36.
const TOKEN_CHARS: usize = 32;

/// A file that was found to be a whole archive, as it was written.
pub struct Archive<'a> {
    path: PathBuf,
    key: &'a dyn Vault,
    tenant: TenantId,
    /// The hash of its lines, which names it.
    name: String,
    counts: Counts,
    /// Hashes of the API keys.
    api_keys: Vec<Key>,
}

/// What restoring an archive came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestoreOutcome {
    /// The tenant is there, and closed.
    Restored,
    /// It had been restored from this archive before.
    WasRestored,
}

impl<'a> Archive<'a> {
    /// Reads a whole file.
    ///
    /// # Errors
    /// [`ArchiveError`] when it is no archive, is not as it was written, or has another key.
    pub async fn read(path: &Path, key: &'a dyn Vault) -> Result<Self, ArchiveError> {
        let mut reader = open(path)?;
        reader.header.prove(key).await?;
        let tenant = reader.header.tenant;
        let (mut api_keys, mut has_tenant) = (Vec::new(), false);
        let end = loop {
            match reader.next()? {
                Next::Record(key, _) if key.is_api_key() => api_keys.push(key),
                Next::Record(key, _) => has_tenant |= key == Key::tenant(tenant),
                Next::End(end) => break end,
            }
        };
        let name = reader.digest();
        let counts = reader.finish(&end, key).await?;
        if !has_tenant {
            return Err(ArchiveError::NoArchive);
        }
        Ok(Self { path: path.to_owned(), key, tenant, name, counts, api_keys })
    }

    /// Whose archive it is.
    #[must_use]
    pub const fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// How many records it has.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Writes the tenant into a database, where it stays closed. Begun before, it goes on.
    ///
    /// # Errors
    /// [`ArchiveError`] when there is such a tenant, a part of another archive, or another tenant with one of its API
    /// keys, before anything is written; or when the database does not answer, and then it can be called again.
    pub async fn restore(&self, to: Side<'_>) -> Result<RestoreOutcome, ArchiveError> {
        let tenant = self.tenant;
        match to.store.load_place(tenant).await? {
            TenantPlace::Restored(name) if name == self.name => return Ok(RestoreOutcome::WasRestored),
            TenantPlace::Restored(_) | TenantPlace::Taken => return Err(ArchiveError::Taken(tenant)),
            TenantPlace::Restoring(name) if name != self.name => {
                return Err(ArchiveError::OtherRestore(tenant));
            }
            TenantPlace::Restoring(_) => {}
            TenantPlace::Free => {
                self.require_free_keys(to.store).await?;
                if !to.store.take_place(tenant, &self.name).await? {
                    return Err(ArchiveError::Taken(tenant));
                }
            }
        }
        let record = self.put_records(to).await?;
        let settings: Tenant = decode(record.clone())?;
        for origin in &settings.allowed_origins {
            to.store.mark_origin(origin, tenant).await?;
        }
        // The sealed key is random, and so names this attempt.
        let attempt: String = key_hash(&settings.sealed_hash_key).chars().take(TOKEN_CHARS).collect();
        let record = Key::tenant(tenant).placed(record);
        if to.store.end_restore(tenant, &self.name, &attempt, record).await? {
            Ok(RestoreOutcome::Restored)
        } else {
            Err(ArchiveError::Taken(tenant))
        }
    }

    /// Fails if another tenant has an API key of the archive. A key is all that a request shows of its tenant.
    async fn require_free_keys(&self, store: &Store) -> Result<(), ArchiveError> {
        let found = store.get_many(self.api_keys.clone(), Consistency::Strong).await?;
        for key in &self.api_keys {
            if found.item(key).is_some_and(|item| !key.is_of(self.tenant, item)) {
                let hash = key.pk.trim_start_matches("KEY#");
                return Err(ArchiveError::KeyTaken(hash.chars().take(SHOWN_DIGITS).collect()));
            }
        }
        Ok(())
    }

    /// Writes every record but the tenant's own, which is answered.
    async fn put_records(&self, to: Side<'_>) -> Result<Item, ArchiveError> {
        let mut reader = open(&self.path)?;
        let (mut own, mut writes) = (None, JoinSet::new());
        while let Next::Record(key, mut item) = reader.next()? {
            seal::seal_anew(self.tenant, &key, &mut item, self.key, to.vault).await?;
            if key == Key::tenant(self.tenant) {
                own = Some(item);
                continue;
            }
            if writes.len() >= WRITES {
                written(&mut writes).await?;
            }
            let (store, tenant) = (to.store.clone(), self.tenant);
            writes.spawn(async move { put(&store, tenant, key, item).await });
        }
        while !writes.is_empty() {
            written(&mut writes).await?;
        }
        // The file may have been exchanged since it was read.
        own.filter(|_| reader.digest() == self.name).ok_or(ArchiveError::Edited)
    }
}

fn open(path: &Path) -> Result<Reader<BufReader<File>>, ArchiveError> {
    Reader::begin(BufReader::new(File::open(path)?))
}

/// Waits until one of the records is written.
async fn written(writes: &mut JoinSet<Result<(), ArchiveError>>) -> Result<(), ArchiveError> {
    match writes.join_next().await {
        Some(Ok(written)) => written,
        Some(Err(fault)) => Err(ArchiveError::File(std::io::Error::other(fault))),
        None => Ok(()),
    }
}

/// Writes a record, unless it is there from an earlier attempt.
async fn put(store: &Store, tenant: TenantId, key: Key, item: Item) -> Result<(), ArchiveError> {
    let whole = key.placed(item);
    let is_busy = |fault: &StoreError| fault.kind == StoreFault::TryAgain;
    match retry(WRITE_TRIES, FIRST_WAIT, is_busy, || store.put_new(&key, whole.clone())).await? {
        Ok(()) => Ok(()),
        Err(old) if seal::is_same(tenant, &key, &old, &whole) => Ok(()),
        Err(_) => Err(ArchiveError::Differs(key)),
    }
}
