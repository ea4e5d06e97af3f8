//! The vault of a single machine: AES-256-GCM under a key in a file.

use super::{Vault, VaultError, require_short};
use crate::random;
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes256Gcm, KeyInit};
use async_trait::async_trait;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::{fmt, fs};
use zeroize::Zeroizing;

/// Bytes of a key.
const KEY_BYTES: usize = 32;
/// Bytes of a nonce, which is random: under one key, 2^32 secrets may be sealed before two of them meeting
/// becomes likelier than one in 2^32 (NIST SP 800-38D §8.3).
const NONCE_BYTES: usize = 12;
/// The first byte of what is sealed, so that a later format can be told from this one.
const FORMAT: u8 = 1;

/// Seals with a key of its own.
pub struct LocalVault(Aes256Gcm);

/// Why there is no key to seal with.
#[derive(Debug)]
pub enum KeyFileError {
    /// The file cannot be read or made.
    Unusable(PathBuf, io::Error),
    /// The file holds something else than 32 bytes.
    NotAKey(PathBuf),
    /// The operating system has no random bytes to give.
    NoRandomness(getrandom::Error),
}

impl fmt::Display for KeyFileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unusable(path, _) => write!(out, "the key file {} cannot be read or made", path.display()),
            Self::NotAKey(path) => write!(out, "the file {} does not hold a key", path.display()),
            Self::NoRandomness(_) => out.write_str("there are no random bytes to make a key of"),
        }
    }
}

impl std::error::Error for KeyFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unusable(_, cause) => Some(cause),
            Self::NotAKey(_) => None,
            Self::NoRandomness(cause) => Some(cause),
        }
    }
}

impl LocalVault {
    /// A vault whose key is gone with it.
    ///
    /// # Errors
    /// [`KeyFileError`] when there are no random bytes.
    pub fn in_memory() -> Result<Self, KeyFileError> {
        new_key().map(|key| Self::with_key(&key))
    }

    /// The vault whose key is in the file at `path`, which is made with a new key, readable by its owner
    /// only, when it is missing; its directory is not.
    ///
    /// # Errors
    /// [`KeyFileError`] when the file cannot be used.
    pub fn file(path: impl AsRef<Path>) -> Result<Self, KeyFileError> {
        let path = path.as_ref();
        let unusable = |cause| KeyFileError::Unusable(path.to_owned(), cause);
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let key = new_key()?;
                create(path, &key).map_err(unusable)?;
                // Read it back: another process may have been first.
                File::open(path).map_err(unusable)?
            }
            opened => opened.map_err(unusable)?,
        };
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        let mut more = [0];
        let is_key = file.read_exact(&mut *key).is_ok() && file.read(&mut more).is_ok_and(|read| read == 0);
        if is_key { Ok(Self::with_key(&key)) } else { Err(KeyFileError::NotAKey(path.to_owned())) }
    }

    fn with_key(key: &[u8; KEY_BYTES]) -> Self {
        Self(Aes256Gcm::new(key.into()))
    }
}

fn new_key() -> Result<Zeroizing<[u8; KEY_BYTES]>, KeyFileError> {
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    random::fill(&mut *key).map_err(KeyFileError::NoRandomness)?;
    Ok(key)
}

/// Makes the key file whole or not at all: it gets its name when it is complete, unless there is one by then.
fn create(path: &Path, key: &[u8; KEY_BYTES]) -> io::Result<()> {
    let mut suffix = [0; 8];
    random::fill(&mut suffix).map_err(io::Error::other)?;
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(format!(".{}", hex::encode(suffix)));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&unfinished)?;
    let written = file.write_all(key).and_then(|()| file.sync_all());
    let named = match written.and_then(|()| fs::hard_link(&unfinished, path)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        named => named,
    };
    fs::remove_file(&unfinished)?;
    named
}

#[async_trait]
impl Vault for LocalVault {
    async fn seal(&self, context: &str, plain: &[u8]) -> Result<Vec<u8>, VaultError> {
        require_short(plain)?;
        let mut nonce = [0; NONCE_BYTES];
        random::fill(&mut nonce).map_err(VaultError::NoRandomness)?;
        let payload = Payload { msg: plain, aad: context.as_bytes() };
        let encrypted = self.0.encrypt(&nonce.into(), payload).map_err(|_| VaultError::NotOurs)?;
        Ok([&[FORMAT], nonce.as_slice(), &encrypted].concat())
    }

    async fn open(&self, context: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let rest = sealed.strip_prefix(&[FORMAT]).ok_or(VaultError::NotOurs)?;
        let (nonce, encrypted) = rest.split_first_chunk::<NONCE_BYTES>().ok_or(VaultError::NotOurs)?;
        let payload = Payload { msg: encrypted, aad: context.as_bytes() };
        let plain = self.0.decrypt(nonce.into(), payload).map_err(|_| VaultError::NotOurs)?;
        Ok(Zeroizing::new(plain))
    }
}

impl fmt::Debug for LocalVault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("LocalVault(****)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEXT: &str = "merchant/60417/ssn";

    async fn is_refused(vault: &LocalVault, context: &str, sealed: &[u8]) -> bool {
        matches!(vault.open(context, sealed).await, Err(VaultError::NotOurs))
    }

    #[tokio::test]
    async fn what_was_sealed_opens_under_its_context() {
        let vault = LocalVault::in_memory().unwrap();
        for plain in [b"".as_slice(), b"123-45-6789", &[7; 4096]] {
            let sealed = vault.seal(CONTEXT, plain).await.unwrap();
            assert_eq!(vault.open(CONTEXT, &sealed).await.unwrap().as_slice(), plain);
            assert!(plain.is_empty() || !sealed.windows(plain.len()).any(|window| window == plain));
        }
        let error = vault.seal(CONTEXT, &[0; 4097]).await.unwrap_err();
        assert!(matches!(error, VaultError::TooLong { bytes: 4097 }), "{error:?}");
    }

    #[tokio::test]
    async fn sealing_twice_gives_nothing_to_compare() {
        let vault = LocalVault::in_memory().unwrap();
        let (one, two) = (vault.seal(CONTEXT, b"x").await.unwrap(), vault.seal(CONTEXT, b"x").await.unwrap());
        assert_ne!(one, two);
    }

    #[tokio::test]
    async fn another_context_or_key_opens_nothing() {
        let vault = LocalVault::in_memory().unwrap();
        let sealed = vault.seal(CONTEXT, b"123-45-6789").await.unwrap();
        for context in ["", "merchant/60418/ssn", "merchant/60417/ssn "] {
            assert!(is_refused(&vault, context, &sealed).await, "{context}");
        }
        assert!(is_refused(&LocalVault::in_memory().unwrap(), CONTEXT, &sealed).await);
    }

    #[tokio::test]
    async fn a_secret_with_any_bit_changed_or_any_end_missing_is_refused() {
        let vault = LocalVault::in_memory().unwrap();
        let sealed = vault.seal(CONTEXT, b"123-45-6789").await.unwrap();
        for at in 0..sealed.len() {
            assert!(is_refused(&vault, CONTEXT, &sealed[..at]).await, "{at} bytes");
            for bit in 0..8 {
                let mut changed = sealed.clone();
                changed[at] ^= 1 << bit;
                assert!(is_refused(&vault, CONTEXT, &changed).await, "bit {bit} of byte {at}");
            }
        }
        assert!(is_refused(&vault, CONTEXT, &[sealed.as_slice(), &[0]].concat()).await);
    }

    #[tokio::test]
    async fn a_key_file_is_made_once_and_for_its_owner_only() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let sealed = LocalVault::file(&path).unwrap().seal(CONTEXT, b"x").await.unwrap();
        let again = LocalVault::file(&path).unwrap();
        assert_eq!(again.open(CONTEXT, &sealed).await.unwrap().as_slice(), b"x");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[tokio::test]
    async fn processes_that_start_together_share_one_key() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let start = std::sync::Barrier::new(8);
        let vaults: Vec<LocalVault> = std::thread::scope(|scope| {
            let open = || {
                start.wait();
                LocalVault::file(&path).unwrap()
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let sealed = vaults[0].seal(CONTEXT, b"x").await.unwrap();
        for vault in &vaults {
            assert!(vault.open(CONTEXT, &sealed).await.is_ok());
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_no_key_is_refused_and_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        for content in [b"".as_slice(), b"short", &[0; 33]] {
            fs::write(&path, content).unwrap();
            assert!(matches!(LocalVault::file(&path), Err(KeyFileError::NotAKey(_))));
            assert_eq!(fs::read(&path).unwrap(), content);
        }
        let missing = directory.path().join("no such directory").join("key");
        assert!(matches!(LocalVault::file(missing), Err(KeyFileError::Unusable(..))));
    }

    #[test]
    fn a_vault_is_never_printed() {
        assert_eq!(format!("{:?}", LocalVault::in_memory().unwrap()), "LocalVault(****)");
    }
}
