//! Why a tenant was not archived or restored.

use adapters::vault::VaultError;
use domain::TenantId;
use std::fmt;
use store::{Key, StoreError};

/// Why a tenant was not archived or restored.
#[derive(Debug)]
pub enum ArchiveError {
    /// There is no such tenant.
    Unknown(TenantId),
    Open(TenantId),
    /// The tenant was opened or changed while it was archived.
    Changed(TenantId),
    /// A record has a secret of a kind that this program does not know how to seal anew.
    UnknownSecret(Key),
    /// A record has a value of a kind that this program does not know.
    UnknownValue(Key),
    /// The file is something else than an archive of a tenant.
    NoArchive,
    /// The archive has another form than this program writes.
    OtherFormat(u64),
    /// The records have another version than this program writes.
    OtherSchema(i64),
    /// The key is not that of the archive.
    WrongKey,
    /// A line cannot be read.
    Unreadable(u64),
    /// A line has a record of somebody else.
    Foreign(u64),
    /// The file ends before the archive does.
    CutOff,
    /// The file is not as it was written.
    Edited,
    /// There is a tenant of this id where it is to be restored.
    Taken(TenantId),
    /// Another archive of the tenant was restored in part.
    OtherRestore(TenantId),
    /// Another tenant has an API key of the archive, by its id.
    KeyTaken(String),
    /// A record is there already, and says something else.
    Differs(Key),
    /// The file cannot be read or written.
    File(std::io::Error),
    /// The database does not answer.
    Store(StoreError),
    /// A secret cannot be opened or sealed.
    Vault(VaultError),
}

fn place(key: &Key) -> String {
    format!("{} {} {}", key.table.name(), key.pk, key.sk)
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(tenant) => write!(out, "there is no tenant {tenant}"),
            Self::Open(tenant) => {
                write!(out, "tenant {tenant} is open; close it first with `tenant close {tenant}`")
            }
            Self::Changed(tenant) => {
                write!(out, "tenant {tenant} was opened or changed in the meantime; try again")
            }
            Self::UnknownSecret(key) => {
                write!(out, "{} has a secret that this program does not know", place(key))
            }
            Self::UnknownValue(key) => {
                write!(out, "{} has a value that this program does not know", place(key))
            }
            Self::NoArchive => out.write_str("the file is not an archive of a tenant"),
            Self::OtherFormat(format) => write!(
                out,
                "the archive has format {format}, and this program reads format {}; use the release that wrote it",
                super::FORMAT
            ),
            Self::OtherSchema(schema) => write!(
                out,
                "the records have version {schema}, and this program reads those up to version {}; use the release that \
                 wrote the archive",
                store::SCHEMA_VERSION
            ),
            Self::WrongKey => out.write_str("the key is not the one the archive was written with"),
            Self::Unreadable(line) => write!(out, "line {line} cannot be read: the file was changed"),
            Self::Foreign(line) => write!(out, "line {line} belongs to no archive of this tenant"),
            Self::CutOff => out.write_str("the file ends before the archive does: it was cut off"),
            Self::Edited => out.write_str("the file was changed after it was written"),
            Self::Taken(tenant) => write!(out, "this database already has a tenant {tenant}"),
            Self::OtherRestore(tenant) => {
                write!(
                    out,
                    "another archive of tenant {tenant} was restored here in part; go on with that one"
                )
            }
            Self::KeyTaken(id) => write!(out, "another tenant here has the API key {id} of the archive"),
            Self::Differs(key) => write!(out, "{} already exists and differs", place(key)),
            Self::File(_) => out.write_str("the file cannot be read or written"),
            Self::Store(_) => out.write_str("the database did not answer"),
            Self::Vault(_) => out.write_str("a secret cannot be opened or sealed"),
        }
    }
}

impl std::error::Error for ArchiveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File(cause) => Some(cause),
            Self::Store(cause) => Some(cause),
            Self::Vault(cause) => Some(cause),
            Self::Unknown(_)
            | Self::Open(_)
            | Self::Changed(_)
            | Self::UnknownSecret(_)
            | Self::UnknownValue(_)
            | Self::NoArchive
            | Self::OtherFormat(_)
            | Self::OtherSchema(_)
            | Self::WrongKey
            | Self::Unreadable(_)
            | Self::Foreign(_)
            | Self::CutOff
            | Self::Edited
            | Self::Taken(_)
            | Self::OtherRestore(_)
            | Self::KeyTaken(_)
            | Self::Differs(_) => None,
        }
    }
}

impl From<std::io::Error> for ArchiveError {
    fn from(cause: std::io::Error) -> Self {
        Self::File(cause)
    }
}

impl From<StoreError> for ArchiveError {
    fn from(cause: StoreError) -> Self {
        Self::Store(cause)
    }
}

impl From<VaultError> for ArchiveError {
    fn from(cause: VaultError) -> Self {
        Self::Vault(cause)
    }
}
