//! Many secrets that belong together: each is sealed by itself under a key of their own, and that key alone is sealed
//! by the vault. So a record with fifty secrets takes one call of the vault to write and one to read, and a new key
//! each time it is written, which moves it to the vault's current one.

use super::cipher::{Cipher, KEY_BYTES};
use super::{Vault, VaultError, require_short};
use crate::random;
use std::fmt;
use zeroize::Zeroizing;

/// A key for the secrets of one record.
pub struct DataKey {
    cipher: Cipher,
    sealed: Vec<u8>,
}

impl DataKey {
    /// A new key, sealed by the vault for `context`.
    ///
    /// # Errors
    /// [`VaultError`] when there is no randomness or the vault does not answer.
    pub async fn generate(vault: &dyn Vault, context: &str) -> Result<Self, VaultError> {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        random::fill(&mut *key).map_err(VaultError::NoRandomness)?;
        let sealed = vault.seal(context, &*key).await?;
        Ok(Self { cipher: Cipher::new(&key), sealed })
    }

    /// The key that was sealed for `context`.
    ///
    /// # Errors
    /// [`VaultError`] when it was changed, was sealed for something else, or the vault does not answer.
    pub async fn unwrap(vault: &dyn Vault, context: &str, sealed: &[u8]) -> Result<Self, VaultError> {
        let opened = vault.open(context, sealed).await?;
        let key: &[u8; KEY_BYTES] = opened.as_slice().try_into().map_err(|_| VaultError::NotOurs)?;
        Ok(Self { cipher: Cipher::new(key), sealed: sealed.to_vec() })
    }

    /// The key as it may be stored.
    #[must_use]
    pub fn sealed(&self) -> &[u8] {
        &self.sealed
    }

    /// Seals the secret of a field. It opens under that field alone, so that none can stand in for another.
    ///
    /// # Errors
    /// [`VaultError`] when it is too long or there is no randomness.
    pub fn seal(&self, field: &str, plain: &[u8]) -> Result<Vec<u8>, VaultError> {
        require_short(plain)?;
        self.cipher.seal(field, plain)
    }

    /// Opens the secret of a field. The plain text is wiped when it is dropped.
    ///
    /// # Errors
    /// [`VaultError::NotOurs`] when it was changed or sealed for another field or under another key.
    pub fn open(&self, field: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        self.cipher.open(field, sealed).map(Zeroizing::new).ok_or(VaultError::NotOurs)
    }
}

impl fmt::Debug for DataKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("DataKey(****)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::LocalVault;

    #[tokio::test]
    async fn a_secret_opens_under_its_key_and_field_alone() {
        let vault = LocalVault::in_memory().unwrap();
        let key = DataKey::generate(&vault, "onboarding/1/a").await.unwrap();
        let sealed = key.seal("ssn", b"123456789").unwrap();
        let same = DataKey::unwrap(&vault, "onboarding/1/a", key.sealed()).await.unwrap();
        assert_eq!(**same.open("ssn", &sealed).unwrap(), *b"123456789");
        assert!(matches!(same.open("taxId", &sealed), Err(VaultError::NotOurs)));
        let other = DataKey::generate(&vault, "onboarding/1/a").await.unwrap();
        assert!(matches!(other.open("ssn", &sealed), Err(VaultError::NotOurs)));
        let elsewhere = DataKey::unwrap(&vault, "onboarding/2/a", key.sealed()).await;
        assert!(matches!(elsewhere, Err(VaultError::NotOurs)));
        assert!(matches!(key.seal("ssn", &[0; 4097]), Err(VaultError::TooLong { bytes: 4097 })));
    }

    #[tokio::test]
    async fn a_key_is_never_printed() {
        let vault = LocalVault::in_memory().unwrap();
        assert_eq!(format!("{:?}", DataKey::generate(&vault, "c").await.unwrap()), "DataKey(****)");
    }
}
