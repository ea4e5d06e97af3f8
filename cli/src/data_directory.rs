//! The directory that holds the embedded database and the key of its secrets: made only where there is neither,
//! private, and refused where the two do not belong together (decision record 0130).

use crate::failure::Failure;
use adapters::app::hash_key_context;
use adapters::vault::{LocalVault, Vault};
use engine::{Embedded, OpenError};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use store::Store;
use store::key_mark::KeyMarks;

/// Names of the files in a data directory.
const DATABASE_FILE: &str = "boxoffice.db";
const KEY_FILE: &str = "vault.key";
const LOCK_FILE: &str = "lock";
/// Says that a data directory has had the demo venues.
const SEEDED_FILE: &str = "demo-imported";
/// Says that a data directory is being made and holds nothing yet. It is there before the key is, and goes once there
/// are tables and the marks of the key.
const UNFINISHED_FILE: &str = "unfinished";

/// Files that are made here, those of SQLite included.
const OWN_FILES: [&str; 7] = [
    DATABASE_FILE,
    "boxoffice.db-wal",
    "boxoffice.db-shm",
    KEY_FILE,
    LOCK_FILE,
    SEEDED_FILE,
    UNFINISHED_FILE,
];

/// A directory for data, which may not exist yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DataDirectory<'a>(pub(crate) &'a Path);

/// What was opened in a data directory.
pub(crate) struct OpenedDirectory {
    pub(crate) embedded: Embedded,
    pub(crate) vault: LocalVault,
}

impl DataDirectory<'_> {
    pub(crate) fn database(self) -> PathBuf {
        self.0.join(DATABASE_FILE)
    }

    pub(crate) fn key(self) -> PathBuf {
        self.0.join(KEY_FILE)
    }

    pub(crate) fn lock_file(self) -> PathBuf {
        self.0.join(LOCK_FILE)
    }

    pub(crate) fn seeded_mark(self) -> PathBuf {
        self.0.join(SEEDED_FILE)
    }

    fn unfinished_mark(self) -> PathBuf {
        self.0.join(UNFINISHED_FILE)
    }

    /// Makes the directory where it is missing, and keeps what is in it to its owner.
    pub(crate) fn make(self) -> Result<(), Failure> {
        std::fs::create_dir_all(self.0).map_err(|fault| self.unusable(&fault))?;
        self.keep_private();
        Ok(())
    }

    pub(crate) fn unusable(self, fault: &std::io::Error) -> Failure {
        Failure::because(format!("the data directory {} cannot be used", self.0.display()), fault)
    }

    /// Opens the database and the vault of its secrets, and makes both where there is neither. The tables start with
    /// `prefix`; those that are missing are made.
    pub(crate) async fn open(self, prefix: &str) -> Result<OpenedDirectory, Failure> {
        self.make()?;
        // Two commands that make a new directory together would each find the half of the other.
        let _alone = self.alone()?;
        self.check_whole()?;
        let vault = self.vault()?;
        let cannot_open = |fault: OpenError| Failure::because("nothing can be opened", &fault);
        let embedded = Embedded::file(self.database()).map_err(cannot_open)?;
        let is_new = self.unfinished_mark().exists();
        if !embedded.holds_tables().map_err(cannot_open)? && !is_new {
            return Err(self.lost("holds nothing"));
        }
        let store = Store::new(embedded.client(), prefix);
        store.create_tables().await?;
        // Tables of a later release are left as they are, and refused by whoever wants to work on them.
        if store.load_migration_status().await.is_ok() {
            if !is_new {
                self.check_not_emptied(&store).await?;
            }
            self.check_belonging(&store, &vault).await?;
        }
        self.remove(&self.unfinished_mark())?;
        Ok(OpenedDirectory { embedded, vault })
    }

    /// The vault alone, for a database elsewhere.
    pub(crate) fn vault(self) -> Result<LocalVault, Failure> {
        LocalVault::file(self.key()).map_err(|fault| Failure::because("there is no vault", &fault))
    }

    /// Keeps other processes from opening this directory until the result is dropped.
    #[cfg(unix)]
    fn alone(self) -> Result<File, Failure> {
        let directory = File::open(self.0).map_err(|fault| self.unusable(&fault))?;
        directory.lock().map_err(|fault| self.unusable(&fault))?;
        Ok(directory)
    }

    /// Directories cannot be locked here.
    #[cfg(not(unix))]
    fn alone(self) -> Result<(), Failure> {
        Ok(())
    }

    /// A database without its key has secrets that nobody can open, and a key without its database would get an empty
    /// one that looks like a new service. A directory whose making was cut short is made on.
    fn check_whole(self) -> Result<(), Failure> {
        let (database, key) = (self.database(), self.key());
        match (database.exists(), key.exists()) {
            (_, true) if self.unfinished_mark().exists() => Ok(()),
            (true, true) => match std::fs::metadata(&database) {
                // SQLite would throw away what else is left of it.
                Ok(found) if found.len() == 0 => Err(self.lost("is empty")),
                Ok(_) => Ok(()),
                Err(fault) => Err(self.unusable(&fault)),
            },
            (false, false) => {
                // What was begun anew has had no demo venues, whatever is left of an earlier database.
                self.remove(&self.seeded_mark())?;
                File::create(self.unfinished_mark()).map(drop).map_err(|fault| self.unusable(&fault))
            }
            (true, false) => Err(Failure::new(format!(
                "{} is missing, and the secrets in {} cannot be opened without it; put it back from where it is kept",
                key.display(),
                database.display()
            ))),
            (false, true) => Err(self.lost("is missing")),
        }
    }

    /// Refuses a database without a venue that has had the demo venues, or has lost the marks of its keys, which are
    /// noted as it is made: somebody emptied its tables.
    async fn check_not_emptied(self, store: &Store) -> Result<(), Failure> {
        let has_held_more = self.seeded_mark().exists() || store.load_key_marks().await?.is_none();
        if has_held_more && store.load_all_tenants().await?.is_empty() {
            return Err(self.lost("was emptied: it has no venue any more"));
        }
        Ok(())
    }

    /// The refusal of a key whose database is not what it was.
    fn lost(self, how: &str) -> Failure {
        Failure::new(format!(
            "{} {how}, and {} belongs to it; put the database back from a copy of the directory, \
             or choose another directory with --data to begin anew",
            self.database().display(),
            self.key().display()
        ))
    }

    /// Removes a file, if it is there.
    fn remove(self, file: &Path) -> Result<(), Failure> {
        match std::fs::remove_file(file) {
            Err(fault) if fault.kind() != ErrorKind::NotFound => Err(self.unusable(&fault)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Refuses a key that is not the database's. Directories of before there were marks are taken as they are, if
    /// their key opens what is sealed in them, and marked.
    async fn check_belonging(self, store: &Store, vault: &LocalVault) -> Result<(), Failure> {
        let held = vault.marks();
        let known = store.load_key_marks().await?;
        match &known {
            Some(known) => {
                if let Some(missing) = known.marks.iter().find(|mark| !held.contains(mark)) {
                    return Err(self.foreign(&format!("key {missing}"), &held));
                }
                if known.marks.len() == held.len() {
                    return Ok(());
                }
            }
            None => self.check_opening(store, vault).await?,
        }
        Ok(store.note_key_marks(&KeyMarks { marks: held }).await?)
    }

    /// Every tenant has a sealed key for its hashes.
    async fn check_opening(self, store: &Store, vault: &LocalVault) -> Result<(), Failure> {
        for tenant in store.load_all_tenants().await? {
            let sealed = hex::decode(&tenant.sealed_hash_key).unwrap_or_default();
            if vault.open(&hash_key_context(tenant.id), &sealed).await.is_err() {
                return Err(self.foreign("another key", &vault.marks()));
            }
        }
        Ok(())
    }

    fn foreign(self, sealed_by: &str, held: &[String]) -> Failure {
        Failure::new(format!(
            "{} does not belong to {}: the secrets in the database are sealed with {sealed_by}, and the file holds {}; \
             put back the database and the key file that were kept together",
            self.key().display(),
            self.database().display(),
            held.join(", ")
        ))
    }

    /// Takes the permissions of other users away: mails with barcodes, names and addresses stand in the database. A
    /// directory with other files in it is theirs as well, and is left as it is; that is said.
    #[cfg(unix)]
    fn keep_private(self) {
        for name in OWN_FILES {
            let path = self.0.join(name);
            if is_open_to_others(&path) {
                make_private(&path, 0o600);
            }
        }
        if !is_open_to_others(self.0) {
            return;
        }
        if self.holds_only_own_files() {
            make_private(self.0, 0o700);
        } else {
            warn(&format!(
                "{} holds other files, and other users of this machine may enter it",
                self.0.display()
            ));
        }
    }

    #[cfg(not(unix))]
    fn keep_private(self) {}

    #[cfg(unix)]
    fn holds_only_own_files(self) -> bool {
        let Ok(entries) = std::fs::read_dir(self.0) else { return false };
        entries.flatten().all(|entry| OWN_FILES.iter().any(|own| entry.file_name() == *own))
    }
}

#[cfg(unix)]
fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

#[cfg(unix)]
fn make_private(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    if let Err(fault) = std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)) {
        warn(&format!("other users of this machine may read {}: {fault}", path.display()));
    }
}

#[cfg(unix)]
fn warn(text: &str) {
    eprintln!("boxoffice: warning: {text}");
}

/// Keeps the files that this process makes from other users of the machine.
#[cfg(unix)]
pub(crate) fn make_files_private() {
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
}

/// Files belong to those who may enter their directory here.
#[cfg(not(unix))]
pub(crate) fn make_files_private() {}
