//! The one source of random bytes.

/// Fills `bytes` with random bytes of the operating system, good enough for keys.
///
/// # Errors
/// When the operating system has none to give.
#[expect(clippy::disallowed_methods, reason = "this is the source that all others take as an argument")]
pub fn fill(bytes: &mut [u8]) -> Result<(), getrandom::Error> {
    getrandom::fill(bytes)
}
