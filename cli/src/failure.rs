//! Why a command ended, in one line for whoever typed it.

use engine::FileFault;
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
            let told = cause.to_string();
            // Some say in their own name what their cause says.
            if !line.ends_with(&told) {
                line = format!("{line}: {told}");
            }
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
        // What the embedded database says of its file is a sentence by itself.
        match FileFault::behind(&fault) {
            Some(told) => Self::new(told.to_string()),
            None => Self::because("the database did not do it", &fault),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error of the database's client, which has its cause say the same.
    #[derive(Debug)]
    struct Said(&'static str, Option<Box<Said>>);

    impl fmt::Display for Said {
        fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str(self.0)
        }
    }

    impl Error for Said {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            match &self.1 {
                Some(cause) => Some(cause),
                None => None,
            }
        }
    }

    fn said(texts: &[&'static str]) -> Said {
        let (&first, rest) = texts.split_first().unwrap();
        Said(first, (!rest.is_empty()).then(|| Box::new(said(rest))))
    }

    #[test]
    fn what_two_causes_say_is_said_once() {
        let fault = said(&["service error", "NoSuchTable: a", "NoSuchTable: a"]);
        assert_eq!(Failure::because("no", &fault).to_string(), "no: service error: NoSuchTable: a");
    }
}
