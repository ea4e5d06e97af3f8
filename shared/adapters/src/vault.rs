//! The key vault: seals what must be read again but not lie open in the database (contract §11).

mod cipher;
mod envelope;
mod kms;
mod local;

pub use envelope::DataKey;
pub use kms::KmsVault;
pub use local::{KeyFileError, LocalVault};

use async_trait::async_trait;
use std::fmt;
use zeroize::Zeroizing;

/// The longest text that can be sealed, in bytes; what KMS encrypts in one call.
pub const MAX_PLAIN_BYTES: usize = 4096;

/// Encrypts small secrets. The context says what a secret is and whose, for example `merchant/60417/ssn`; it
/// is not secret itself, and a sealed secret opens only under the context it was sealed under, so that it
/// cannot be moved to another place.
#[async_trait]
pub trait Vault: Send + Sync {
    /// Encrypts `plain`, at most [`MAX_PLAIN_BYTES`] of it. Sealing the same twice gives different results.
    ///
    /// # Errors
    /// [`VaultError`] when it is too long or the vault does not answer.
    async fn seal(&self, context: &str, plain: &[u8]) -> Result<Vec<u8>, VaultError>;

    /// Decrypts what [`Vault::seal`] made. The plain text is wiped when it is dropped.
    ///
    /// # Errors
    /// [`VaultError`] when it was changed, was sealed under another context or key, or the vault does not
    /// answer.
    async fn open(&self, context: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultError>;
}

/// Why the vault did not seal or open. Nothing of the secret is in it.
#[derive(Debug)]
pub enum VaultError {
    /// More than [`MAX_PLAIN_BYTES`] to seal.
    TooLong {
        /// How many bytes it had.
        bytes: usize,
    },
    /// Not sealed by this vault under this context, or changed since.
    NotOurs,
    /// The operating system has no random bytes to give.
    NoRandomness(getrandom::Error),
    /// The key service refused or did not answer.
    Unanswered(Box<dyn std::error::Error + Send + Sync>),
}

impl fmt::Display for VaultError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes } => write!(out, "{bytes} bytes are too many to seal"),
            Self::NotOurs => out.write_str("a sealed secret was changed or belongs elsewhere"),
            Self::NoRandomness(_) => out.write_str("there are no random bytes to seal with"),
            Self::Unanswered(_) => out.write_str("the key service did not answer"),
        }
    }
}

impl std::error::Error for VaultError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::TooLong { .. } | Self::NotOurs => None,
            Self::NoRandomness(cause) => Some(cause),
            Self::Unanswered(cause) => Some(cause.as_ref()),
        }
    }
}

/// Refuses what is too long for any vault, so that none accepts what another refuses.
fn require_short(plain: &[u8]) -> Result<(), VaultError> {
    let bytes = plain.len();
    if bytes > MAX_PLAIN_BYTES { Err(VaultError::TooLong { bytes }) } else { Ok(()) }
}
