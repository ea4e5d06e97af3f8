//! Why a command ended, in one line for whoever typed it.

use std::error::Error;
use std::fmt;

/// The reason a command failed, with its causes, in one line.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    /// A failure that says all by itself.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A failure with the chain of its causes.
    pub(crate) fn because(text: impl fmt::Display, cause: &(dyn Error + 'static)) -> Self {
        let mut line = text.to_string();
        let mut next = Some(cause);
        while let Some(cause) = next {
            line = format!("{line}: {cause}");
            next = cause.source();
        }
        Self(line.replace('\n', " "))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Error for Failure {}

impl From<store::StoreError> for Failure {
    fn from(fault: store::StoreError) -> Self {
        Self::because("the database did not do it", &fault)
    }
}
