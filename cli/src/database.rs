//! Opening the database a command works on.

use crate::args::DatabaseArgs;
use crate::failure::Failure;
use aws_sdk_dynamodb::config::Region;
use engine::Embedded;
use platform::aws;
use platform::vault::{KmsVault, LocalVault, Vault};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use store::Store;

/// Names of the files in the data directory.
const DATABASE_FILE: &str = "boxoffice.db";
const KEY_FILE: &str = "vault.key";
const LOCK_FILE: &str = "lock";

/// Where an emulator is taken to be, if the environment names no region.
const EMULATED_REGION: &str = "us-east-1";

/// A database and what opens its secrets.
pub(crate) struct Opened {
    pub(crate) store: Store,
    pub(crate) vault: Arc<dyn Vault>,
}

/// Opens the database that the arguments name, unless a later release made it what this one cannot read. Tables of an
/// embedded one are made when missing.
pub(crate) async fn open(args: &DatabaseArgs) -> Result<Opened, Failure> {
    let opened = open_any(args).await?;
    opened.store.load_standing().await?;
    Ok(opened)
}

/// The same for commands that have nothing to do where there is nothing yet: a directory that was named by mistake stays
/// as it is.
pub(crate) async fn open_existing(args: &DatabaseArgs) -> Result<Opened, Failure> {
    if args.endpoint.is_none() && !args.aws && !args.data.join(DATABASE_FILE).exists() {
        return Err(Failure::new(format!("there is no database in {}", args.data.display())));
    }
    open(args).await
}

/// The same whatever is in it, and whether it has tables or not.
pub(crate) async fn open_any(args: &DatabaseArgs) -> Result<Opened, Failure> {
    if args.endpoint.is_none() && !args.aws {
        let (embedded, vault) = open_directory(&args.data)?;
        let store = Store::new(embedded.client(), &args.prefix);
        store.create_tables().await?;
        return Ok(Opened { store, vault: Arc::new(vault) });
    }
    let config = aws::config_of_machine().await;
    let mut settings = aws_sdk_dynamodb::config::Builder::from(&config);
    if let Some(endpoint) = &args.endpoint {
        settings = settings.endpoint_url(endpoint);
        if config.region().is_none() {
            settings = settings.region(Region::new(EMULATED_REGION));
        }
    }
    let store = Store::new(aws_sdk_dynamodb::Client::from_conf(settings.build()), &args.prefix);
    let vault: Arc<dyn Vault> = match &args.vault_key {
        Some(key) => Arc::new(KmsVault::new(aws_sdk_kms::Config::new(&config), key.clone())),
        None if args.aws => {
            return Err(Failure::new("secrets on AWS are sealed by KMS: name the key with --vault-key"));
        }
        None => {
            make_directory(&args.data)?;
            Arc::new(key_file(&args.data)?)
        }
    };
    Ok(Opened { store, vault })
}

/// The embedded database in a directory, with the vault of its secrets. A new directory gets both, the key first, so that
/// a database without a key is one that lost it.
pub(crate) fn open_directory(directory: &Path) -> Result<(Embedded, LocalVault), Failure> {
    make_directory(directory)?;
    let (file, key) = (directory.join(DATABASE_FILE), directory.join(KEY_FILE));
    if file.exists() && !key.exists() {
        return Err(Failure::new(format!(
            "{} is missing, and the secrets in {} cannot be opened without it; put it back from where it is kept",
            key.display(),
            file.display()
        )));
    }
    let vault = key_file(directory)?;
    let embedded = Embedded::file(&file)
        .map_err(|fault| Failure::because(format!("{} cannot be opened", file.display()), &fault))?;
    Ok((embedded, vault))
}

/// The vault of a data directory.
fn key_file(directory: &Path) -> Result<LocalVault, Failure> {
    LocalVault::file(directory.join(KEY_FILE)).map_err(|fault| Failure::because("there is no vault", &fault))
}

/// The key of an archive in a file of its own, which is made when missing.
pub(crate) fn new_archive_key(file: &Path) -> Result<LocalVault, Failure> {
    LocalVault::file(file).map_err(|fault| Failure::because("there is no key for the archive", &fault))
}

/// The key of an archive in a file that there must be.
pub(crate) fn archive_key(file: &Path) -> Result<LocalVault, Failure> {
    File::open(file).map_err(|fault| {
        Failure::because(format!("the key file {} cannot be read", file.display()), &fault)
    })?;
    new_archive_key(file)
}

/// Adds a new key to those of a data directory's vault.
pub(crate) fn rotate_key_file(directory: &Path) -> Result<(), Failure> {
    LocalVault::rotate(directory.join(KEY_FILE))
        .map_err(|fault| Failure::because("the vault got no new key", &fault))
}

fn make_directory(directory: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(|fault| {
        Failure::because(format!("the data directory {} cannot be used", directory.display()), &fault)
    })
}

/// Makes this process the one that serves a data directory, until the file is dropped. Commands that only
/// read or change settings work beside it: the database file itself may be shared.
pub(crate) fn lock(directory: &Path) -> Result<File, Failure> {
    make_directory(directory)?;
    let unusable = |fault: std::io::Error| {
        Failure::because(format!("the data directory {} cannot be used", directory.display()), &fault)
    };
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(directory.join(LOCK_FILE))
        .map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Failure::new(format!(
            "another process serves the data directory {}; stop it or choose another with --data",
            directory.display()
        ))),
        Err(TryLockError::Error(fault)) => Err(unusable(fault)),
    }
}
