//! AES-256-GCM under one key, as the local vault and the keys of applications use it.

use super::VaultError;
use crate::random;
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes256Gcm, KeyInit};

pub(super) const KEY_BYTES: usize = 32;
/// Bytes of a nonce, which is random: under one key, 2^32 secrets may be sealed before two of them meeting
/// becomes likelier than one in 2^32 (NIST SP 800-38D §8.3).
const NONCE_BYTES: usize = 12;
/// The first byte of what is sealed, so that a later format can be told from this one.
const FORMAT: u8 = 1;

/// Seals and opens under one key.
pub(super) struct Cipher(Aes256Gcm);

impl Cipher {
    pub(super) fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self(Aes256Gcm::new(key.into()))
    }

    pub(super) fn seal(&self, context: &str, plain: &[u8]) -> Result<Vec<u8>, VaultError> {
        let mut nonce = [0; NONCE_BYTES];
        random::fill(&mut nonce).map_err(VaultError::NoRandomness)?;
        let payload = Payload { msg: plain, aad: context.as_bytes() };
        let encrypted = self.0.encrypt(&nonce.into(), payload).map_err(|_| VaultError::NotOurs)?;
        Ok([&[FORMAT], nonce.as_slice(), &encrypted].concat())
    }

    /// The plain text, if it was sealed under this key and context.
    pub(super) fn open(&self, context: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let rest = sealed.strip_prefix(&[FORMAT])?;
        let (nonce, encrypted) = rest.split_first_chunk::<NONCE_BYTES>()?;
        let payload = Payload { msg: encrypted, aad: context.as_bytes() };
        self.0.decrypt(nonce.into(), payload).ok()
    }
}
