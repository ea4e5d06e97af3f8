//! Opening the database a command works on.

use crate::data_directory::{DataDirectory, OpenedDirectory};
use crate::failure::Failure;
use crate::local::PREFIX;
use adapters::aws;
use adapters::vault::{KmsVault, LocalVault, Vault};
use aws_sdk_dynamodb::config::Region;
use clap::Args;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::Store;

/// Where an emulator is taken to be, if the environment names no region.
const EMULATED_REGION: &str = "us-east-1";

/// Which database a command works on.
#[derive(Debug, Clone, Args)]
pub(crate) struct DatabaseArgs {
    /// Directory of the embedded database and of its key file
    #[arg(long, global = true, value_name = "DIR", default_value = "./data")]
    pub(crate) data: PathBuf,
    /// Use DynamoDB at this address instead of the embedded one; credentials come from the environment
    #[arg(long, global = true, value_name = "URL", conflicts_with = "aws")]
    pub(crate) endpoint: Option<String>,
    /// Use DynamoDB on AWS; account and region come from the environment
    #[arg(long, global = true)]
    pub(crate) aws: bool,
    /// Prefix of the table names on AWS or at an address; those of the embedded database begin with boxoffice-
    #[arg(long, global = true, env = "BOXOFFICE_TABLE_PREFIX", default_value = PREFIX)]
    pub(crate) prefix: String,
    /// KMS key that encrypts secrets; without it, the key file in the data directory is used
    #[arg(long, global = true, value_name = "KEY_ID", env = "BOXOFFICE_VAULT_KEY_ID")]
    pub(crate) vault_key: Option<String>,
}

impl DatabaseArgs {
    /// Whether it is the one in the data directory.
    pub(crate) fn is_embedded(&self) -> bool {
        self.endpoint.is_none() && !self.aws
    }

    /// Refuses a prefix that the tables of the embedded database do not have: what were made under it, the service on
    /// this machine would never see.
    pub(crate) fn check_prefix(&self) -> Result<(), Failure> {
        if self.is_embedded() && self.prefix != PREFIX {
            return Err(Failure::new(format!(
                "the tables of the embedded database begin with {PREFIX}; leave out --prefix and \
                 BOXOFFICE_TABLE_PREFIX, or name the other database with --aws or --endpoint"
            )));
        }
        Ok(())
    }
}

/// A database and what opens its secrets.
pub(crate) struct Opened {
    pub(crate) store: Store,
    pub(crate) vault: Arc<dyn Vault>,
}

/// Opens the database that the arguments name, unless a later release made it what this one cannot read. Tables of an
/// embedded one are made when missing.
pub(crate) async fn open(args: &DatabaseArgs) -> Result<Opened, Failure> {
    let opened = open_any(args).await?;
    opened.store.load_migration_status().await?;
    Ok(opened)
}

/// The same for commands that have nothing to do where there is nothing yet: a directory that was named by mistake stays
/// as it is.
pub(crate) async fn open_existing(args: &DatabaseArgs) -> Result<Opened, Failure> {
    args.check_prefix()?;
    if args.is_embedded() && is_new(&args.data) {
        return Err(Failure::new(format!("there is no database in {}", args.data.display())));
    }
    open(args).await
}

/// Whether there is neither a database nor a key. Where one of the two is missing, opening says so.
fn is_new(directory: &Path) -> bool {
    let directory = DataDirectory(directory);
    !directory.database().exists() && !directory.key().exists()
}

/// The same whatever is in it, and whether it has tables or not.
pub(crate) async fn open_any(args: &DatabaseArgs) -> Result<Opened, Failure> {
    args.check_prefix()?;
    if args.is_embedded() {
        let OpenedDirectory { embedded, vault } = DataDirectory(&args.data).open(&args.prefix).await?;
        let store = Store::new(embedded.client(), &args.prefix);
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
            let directory = DataDirectory(&args.data);
            directory.make()?;
            Arc::new(directory.vault()?)
        }
    };
    Ok(Opened { store, vault })
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
    LocalVault::rotate(DataDirectory(directory).key())
        .map_err(|fault| Failure::because("the vault got no new key", &fault))
}

/// Makes this process the one that serves a data directory, until the file is dropped. Commands that only
/// read or change settings work beside it: the database file itself may be shared.
pub(crate) fn lock(directory: DataDirectory<'_>) -> Result<File, Failure> {
    directory.make()?;
    let unusable = |fault: std::io::Error| directory.unusable(&fault);
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(directory.lock_file())
        .map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Failure::new(format!(
            "another process is already using the data directory {}; stop it or choose another with --data",
            directory.0.display()
        ))),
        Err(TryLockError::Error(fault)) => Err(unusable(fault)),
    }
}
