//! New identifiers, from the operating system's randomness.

use crate::random::fill;
use crate::{ApiError, ErrorType};

/// The source of new ids and barcodes. Each value is drawn from the operating system, never from a seed, so
/// that two copies of one machine do not make the same barcode.
#[derive(Debug, Clone, Copy, Default)]
pub struct IdSource;

impl IdSource {
    /// Random bytes, for `from_bytes` of an id.
    ///
    /// # Errors
    /// `INTERNAL` when the operating system has no randomness to give.
    pub fn bytes<const N: usize>(self) -> Result<[u8; N], ApiError> {
        let mut bytes = [0; N];
        fill(&mut bytes).map_err(|fault| ApiError::new(ErrorType::Internal).cause(fault))?;
        Ok(bytes)
    }

    /// Random bits, for `from_bits` of an id.
    ///
    /// # Errors
    /// `INTERNAL` when the operating system has no randomness to give.
    pub fn bits(self) -> Result<u64, ApiError> {
        self.bytes().map(u64::from_be_bytes)
    }
}
