//! Fingerprints of what must be recognised but not kept, such as a card number (contract §2, §6).

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

const KEY_BYTES: usize = 32;
/// Bytes of a block of SHA-256.
const BLOCK_BYTES: usize = 64;

/// A secret key for fingerprints. Whoever has a fingerprint but not the key cannot try out card numbers.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct HashKey([u8; KEY_BYTES]);

/// The bytes are not a key: a key has 32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongKeyLength;

impl fmt::Display for WrongKeyLength {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a hash key has {KEY_BYTES} bytes")
    }
}

impl std::error::Error for WrongKeyLength {}

impl TryFrom<&[u8]> for HashKey {
    type Error = WrongKeyLength;
    fn try_from(bytes: &[u8]) -> Result<Self, WrongKeyLength> {
        bytes.try_into().map(Self).map_err(|_| WrongKeyLength)
    }
}

impl HashKey {
    /// A key of these random bytes.
    #[must_use]
    pub const fn new(bytes: [u8; KEY_BYTES]) -> Self {
        Self(bytes)
    }

    /// The fingerprint (HMAC-SHA256) of `parts`. The purpose keeps fingerprints for different ends apart,
    /// and no two lists of parts run together into the same bytes: `["ab"]` is not `["a", "b"]`.
    #[must_use]
    pub fn hash(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        self.mac(purpose, parts).finalize().into_bytes().into()
    }

    /// Whether this is the fingerprint of `parts`. The time it takes says nothing of where they differ.
    #[must_use]
    pub fn is_hash(&self, fingerprint: &[u8; 32], purpose: &str, parts: &[&[u8]]) -> bool {
        self.mac(purpose, parts).verify_slice(fingerprint).is_ok()
    }

    fn mac(&self, purpose: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        // HMAC fills a key up with zeros to a block of its hash (RFC 2104 §2); done here, it cannot fail.
        let mut block = Zeroizing::new([0; BLOCK_BYTES]);
        block[..KEY_BYTES].copy_from_slice(&self.0);
        let mut mac = Hmac::<Sha256>::new((&*block).into());
        for part in std::iter::once(purpose.as_bytes()).chain(parts.iter().copied()) {
            // A length always fits 64 bits; were it cut off, two fingerprints would differ all the same.
            let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
            mac.update(&length.to_be_bytes());
            mac.update(part);
        }
        mac
    }

    /// [`Self::hash`] in lower-case hexadecimal, as keys of the database hold it.
    #[must_use]
    pub fn hash_hex(&self, purpose: &str, parts: &[&[u8]]) -> String {
        hex::encode(self.hash(purpose, parts))
    }
}

impl fmt::Debug for HashKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("HashKey(****)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_fingerprint_is_hmac_sha256_over_length_prefixed_parts() {
        // Reckoned with Python's hmac module over b"\0"*7 + b"\4card" + b"\0"*7 + b"\2ab".
        let expected = "ee691ae6ad1f3795669848621d1ef9f9b06a61d2af3955302cd1d72916d28335";
        assert_eq!(HashKey::new([7; 32]).hash_hex("card", &[b"ab"]), expected);
    }

    #[test]
    fn key_purpose_and_the_cut_between_parts_all_matter() {
        let key = HashKey::new([1; 32]);
        let hashes = [
            key.hash("card", &[b"ab", b"c"]),
            key.hash("card", &[b"a", b"bc"]),
            key.hash("card", &[b"abc"]),
            key.hash("card", &[b"ab", b"c", b""]),
            key.hash("body", &[b"ab", b"c"]),
            key.hash("cardab", &[b"c"]),
            HashKey::new([2; 32]).hash("card", &[b"ab", b"c"]),
        ];
        let distinct: std::collections::BTreeSet<_> = hashes.iter().collect();
        assert_eq!(distinct.len(), hashes.len());
    }

    #[test]
    fn a_fingerprint_is_known_again_and_no_other_is() {
        let key = HashKey::new([1; 32]);
        let hash = key.hash("card", &[b"ab"]);
        assert!(key.is_hash(&hash, "card", &[b"ab"]));
        assert!(!key.is_hash(&hash, "card", &[b"abc"]));
        assert!(!key.is_hash(&hash, "body", &[b"ab"]));
        for byte in [0, 15, 31] {
            let mut altered = hash;
            altered[byte] ^= 1;
            assert!(!key.is_hash(&altered, "card", &[b"ab"]), "{byte}");
        }
    }

    #[test]
    fn a_key_is_never_printed() {
        assert_eq!(format!("{:?}", HashKey::new([7; 32])), "HashKey(****)");
    }

    #[test]
    fn only_32_bytes_are_a_key() {
        for length in [0, 16, 31, 33, 64] {
            assert_eq!(HashKey::try_from(vec![0; length].as_slice()).err(), Some(WrongKeyLength));
        }
        let key = HashKey::try_from([7; 32].as_slice()).unwrap();
        assert_eq!(key.hash("p", &[]), HashKey::new([7; 32]).hash("p", &[]));
    }

    proptest! {
        #[test]
        fn different_lists_of_parts_have_different_fingerprints(
            one: Vec<Vec<u8>>, other: Vec<Vec<u8>>, purpose in "[a-z]{0,3}",
        ) {
            fn parts(list: &[Vec<u8>]) -> Vec<&[u8]> {
                list.iter().map(Vec::as_slice).collect()
            }
            let key = HashKey::new([9; 32]);
            let same = key.hash(&purpose, &parts(&one)) == key.hash(&purpose, &parts(&other));
            prop_assert_eq!(same, one == other);
        }
    }
}
