//! The vault of a single machine: AES-256-GCM under the keys in a file.

use super::cipher::{Cipher, KEY_BYTES};
use super::{Vault, VaultError, require_short};
use crate::random;
use async_trait::async_trait;
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::{fmt, fs};
use zeroize::Zeroizing;

/// Keys a file may hold; a new one every month for ten years.
const MAX_KEYS: usize = 128;

/// Bytes of a key's mark; two of a thousand keys have the same with a probability of one in 10^13.
const MARK_BYTES: usize = 8;
/// What a mark is a hash of, before the key.
const MARK_PURPOSE: &[u8] = b"boxoffice mark of a vault key";

/// Seals with the last key of its file and opens with any of them: a new key at the end of the file seals from
/// then on, and what the others sealed stays readable.
pub struct LocalVault(Vec<LoadedKey>);

/// A key in use.
struct LoadedKey {
    cipher: Cipher,
    mark: String,
}

impl LoadedKey {
    fn new(key: &[u8; KEY_BYTES]) -> Self {
        let hash = Sha256::new().chain_update(MARK_PURPOSE).chain_update(key).finalize();
        let mark = hash.iter().take(MARK_BYTES).map(|byte| format!("{byte:02x}")).collect();
        Self { cipher: Cipher::new(key), mark }
    }
}

/// Why there is no key to seal with.
#[derive(Debug)]
pub enum KeyFileError {
    /// The file cannot be read or made.
    Unusable(PathBuf, io::Error),
    /// The file holds something else than keys of 32 bytes.
    NotAKey(PathBuf),
    /// The file holds as many keys as it may.
    Full(PathBuf),
    /// The operating system has no random bytes to give.
    NoRandomness(getrandom::Error),
}

impl fmt::Display for KeyFileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unusable(path, _) => write!(out, "the key file {} cannot be read or made", path.display()),
            Self::NotAKey(path) => write!(
                out,
                "{} must hold keys of {KEY_BYTES} bytes each, at most {MAX_KEYS}, and nothing else; \
                 put the file back from a copy of the directory",
                path.display()
            ),
            Self::Full(path) => write!(out, "the file {} has no room for another key", path.display()),
            Self::NoRandomness(_) => out.write_str("there are no random bytes to make a key of"),
        }
    }
}

impl std::error::Error for KeyFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unusable(_, cause) => Some(cause),
            Self::NotAKey(_) | Self::Full(_) => None,
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
        new_key().map(|key| Self(vec![LoadedKey::new(&key)]))
    }

    /// The vault whose keys are in the file at `path`, which is made with a new key, readable by its owner
    /// only, when it is missing; its directory is not.
    ///
    /// # Errors
    /// [`KeyFileError`] when the file cannot be used.
    pub fn file(path: impl AsRef<Path>) -> Result<Self, KeyFileError> {
        let path = path.as_ref();
        let keys = match read_keys(path) {
            Err(KeyFileError::Unusable(_, error)) if error.kind() == io::ErrorKind::NotFound => {
                let key = new_key()?;
                let write = |unfinished: &Path| keep_existing(fs::hard_link(unfinished, path));
                write_whole(path, key.as_slice(), write)
                    .map_err(|cause| KeyFileError::Unusable(path.to_owned(), cause))?;
                // Read it back: another process may have been first.
                read_keys(path)?
            }
            read => read?,
        };
        Ok(Self(keys.iter().map(LoadedKey::new).collect()))
    }

    /// The marks of the keys, oldest first. They tell keys apart and can be shown to anybody: nothing of a key can be
    /// found from its mark.
    #[must_use]
    pub fn marks(&self) -> Vec<String> {
        self.0.iter().map(|held| held.mark.clone()).collect()
    }

    /// Adds a new key to the file at `path`, under which everything is sealed from now on by those who open the file
    /// after this. What was sealed before stays readable.
    ///
    /// # Errors
    /// [`KeyFileError`] when there is no such file or it cannot be used.
    pub fn rotate(path: impl AsRef<Path>) -> Result<(), KeyFileError> {
        let path = path.as_ref();
        let keys = read_keys(path)?;
        if keys.len() >= MAX_KEYS {
            return Err(KeyFileError::Full(path.to_owned()));
        }
        let mut whole = Zeroizing::new(keys.concat());
        whole.extend_from_slice(new_key()?.as_slice());
        write_whole(path, &whole, |unfinished| fs::rename(unfinished, path))
            .map_err(|cause| KeyFileError::Unusable(path.to_owned(), cause))
    }
}

/// The keys in a file, one after another.
fn read_keys(path: &Path) -> Result<Zeroizing<Vec<[u8; KEY_BYTES]>>, KeyFileError> {
    let unusable = |cause| KeyFileError::Unusable(path.to_owned(), cause);
    let most = KEY_BYTES.saturating_mul(MAX_KEYS);
    let mut content = Zeroizing::new(Vec::with_capacity(most.saturating_add(1)));
    let file = File::open(path).map_err(unusable)?;
    let limit = u64::try_from(most.saturating_add(1)).unwrap_or(u64::MAX);
    file.take(limit).read_to_end(&mut content).map_err(unusable)?;
    let (keys, rest) = content.as_chunks::<KEY_BYTES>();
    if keys.is_empty() || keys.len() > MAX_KEYS || !rest.is_empty() {
        return Err(KeyFileError::NotAKey(path.to_owned()));
    }
    Ok(Zeroizing::new(keys.to_vec()))
}

fn new_key() -> Result<Zeroizing<[u8; KEY_BYTES]>, KeyFileError> {
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    random::fill(&mut *key).map_err(KeyFileError::NoRandomness)?;
    Ok(key)
}

/// Makes the key file whole or not at all: it gets its name, by `name`, when it is complete.
fn write_whole(path: &Path, content: &[u8], name: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let mut suffix = [0; 8];
    random::fill(&mut suffix).map_err(io::Error::other)?;
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(format!(".{}", hex::encode(suffix)));
    let unfinished = PathBuf::from(unfinished);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&unfinished)?;
    let written = file.write_all(content).and_then(|()| file.sync_all());
    let named = written.and_then(|()| name(&unfinished));
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => named,
    }
}

/// A file that is there already stays as it is.
fn keep_existing(named: io::Result<()>) -> io::Result<()> {
    match named {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        named => named,
    }
}

#[async_trait]
impl Vault for LocalVault {
    async fn seal(&self, context: &str, plain: &[u8]) -> Result<Vec<u8>, VaultError> {
        require_short(plain)?;
        self.0.last().ok_or(VaultError::NotOurs)?.cipher.seal(context, plain)
    }

    async fn open(&self, context: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let opened = self.0.iter().rev().find_map(|held| held.cipher.open(context, sealed));
        opened.map(Zeroizing::new).ok_or(VaultError::NotOurs)
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

    #[tokio::test]
    async fn a_new_key_seals_from_then_on_and_what_older_ones_sealed_stays_readable() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let first = LocalVault::file(&path).unwrap();
        let mut sealed = vec![first.seal(CONTEXT, b"0").await.unwrap()];
        for number in 1..4 {
            LocalVault::rotate(&path).unwrap();
            let rotated = LocalVault::file(&path).unwrap();
            sealed.push(rotated.seal(CONTEXT, number.to_string().as_bytes()).await.unwrap());
            for (number, sealed) in sealed.iter().enumerate() {
                let opened = rotated.open(CONTEXT, sealed).await.unwrap();
                assert_eq!(opened.as_slice(), number.to_string().as_bytes());
            }
            assert!(is_refused(&first, CONTEXT, sealed.last().unwrap()).await, "the old key is used no more");
        }
        assert_eq!(fs::metadata(&path).unwrap().len(), 128);
        let marks = LocalVault::file(&path).unwrap().marks();
        assert_eq!((marks.len(), &marks[..1]), (4, &first.marks()[..]), "a key keeps its mark");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn only_a_file_of_keys_gets_another_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        assert!(matches!(LocalVault::rotate(&path), Err(KeyFileError::Unusable(..))));
        fs::write(&path, b"short").unwrap();
        assert!(matches!(LocalVault::rotate(&path), Err(KeyFileError::NotAKey(_))));
        let told = KeyFileError::NotAKey(path.clone()).to_string();
        assert!(told.contains("keys of 32 bytes") && told.contains("put the file back"), "{told}");
        fs::write(&path, [7; KEY_BYTES * MAX_KEYS]).unwrap();
        assert!(LocalVault::file(&path).is_ok());
        assert!(matches!(LocalVault::rotate(&path), Err(KeyFileError::Full(_))));
        fs::write(&path, [7; KEY_BYTES * (MAX_KEYS + 1)]).unwrap();
        assert!(matches!(LocalVault::file(&path), Err(KeyFileError::NotAKey(_))));
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
    fn every_key_has_a_mark_of_its_own() {
        let marks: std::collections::BTreeSet<String> =
            (0..100).flat_map(|_| LocalVault::in_memory().unwrap().marks()).collect();
        assert_eq!(marks.len(), 100);
        assert!(marks.iter().all(|mark| mark.len() == 2 * MARK_BYTES));
    }

    #[test]
    fn a_vault_is_never_printed() {
        assert_eq!(format!("{:?}", LocalVault::in_memory().unwrap()), "LocalVault(****)");
    }
}
