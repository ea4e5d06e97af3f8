//! New identifiers, from the operating system's randomness.

use crate::fault::AdapterFault;
use crate::random::fill;
use std::fmt;
use std::sync::Arc;

/// Fills bytes with what is taken for random.
type Fill = dyn Fn(&mut [u8]) + Send + Sync;

/// The source of new ids and barcodes. Each value comes from the operating system, never from a seed, so
/// that two copies of one machine do not make the same barcode. A simulation alone, which has to take the same
/// course again, brings a source of its own.
#[derive(Clone, Default)]
pub struct IdSource(Option<Arc<Fill>>);

impl IdSource {
    /// The ids of a simulation.
    #[must_use]
    pub fn simulated(fill: impl Fn(&mut [u8]) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(fill)))
    }

    /// Random bytes, for `from_bytes` of an id.
    ///
    /// # Errors
    /// [`AdapterFault::Randomness`].
    pub fn bytes<const N: usize>(&self) -> Result<[u8; N], AdapterFault> {
        let mut bytes = [0; N];
        match &self.0 {
            None => fill(&mut bytes).map_err(AdapterFault::Randomness)?,
            Some(simulated) => simulated(&mut bytes),
        }
        Ok(bytes)
    }

    /// Random bits, for `from_bits` of an id.
    ///
    /// # Errors
    /// [`AdapterFault::Randomness`].
    pub fn bits(&self) -> Result<u64, AdapterFault> {
        self.bytes().map(u64::from_be_bytes)
    }

    /// Names an attempt to write.
    ///
    /// # Errors
    /// [`AdapterFault::Randomness`].
    pub fn attempt_token(&self) -> Result<String, AdapterFault> {
        self.bytes::<12>().map(hex::encode)
    }
}

impl fmt::Debug for IdSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("IdSource")
    }
}
