//! Why the service could not do what it was asked for, in terms of its parts. What a caller is told of it is decided in
//! `web`.

use crate::queue::QueueError;
use crate::vault::VaultError;
use std::error::Error;
use std::fmt;
use store::StoreError;

/// A failure of one of the parts, or a limit that they hold.
#[derive(Debug)]
pub enum AdapterFault {
    /// The database did not give an answer to act on.
    Store(StoreError),
    /// The operating system has no randomness to give.
    Randomness(getrandom::Error),
    /// The vault does not open the key of a tenant's hashes.
    Vault(VaultError),
    /// What was sealed as the key of a tenant's hashes is none.
    HashKey(Box<dyn Error + Send + Sync>),
    /// The queue did not take a job.
    Queue(QueueError),
    /// The tenant is gone.
    UnknownTenant,
    /// There are as many of something as there may be.
    LimitReached(Limit),
    /// Somebody asks too often.
    Throttled {
        /// The seconds until they may ask again.
        secs_left: u32,
    },
}

/// How many there may be of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The name of what is limited, as refusals tell it.
    pub what: &'static str,
    /// As many as there may be.
    pub most: usize,
}

impl fmt::Display for AdapterFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(fault) => fmt::Display::fmt(fault, out),
            Self::Randomness(_) => out.write_str("the operating system has no randomness to give"),
            Self::Vault(_) => out.write_str("the key of a tenant's hashes was not opened"),
            Self::HashKey(_) => out.write_str("what was sealed as the key of a tenant's hashes is none"),
            Self::Queue(fault) => fmt::Display::fmt(fault, out),
            Self::UnknownTenant => out.write_str("there is no such tenant"),
            Self::LimitReached(Limit { what, most }) => write!(out, "there are {most} {what}, the limit"),
            Self::Throttled { secs_left } => write!(out, "asked too often, for another {secs_left} s"),
        }
    }
}

impl Error for AdapterFault {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // Their own texts are this one's.
            Self::Store(fault) => fault.source(),
            Self::Queue(fault) => fault.source(),
            Self::Randomness(cause) => Some(cause),
            Self::Vault(cause) => Some(cause),
            Self::HashKey(cause) => Some(cause.as_ref()),
            Self::UnknownTenant | Self::LimitReached(_) | Self::Throttled { .. } => None,
        }
    }
}

impl From<StoreError> for AdapterFault {
    fn from(fault: StoreError) -> Self {
        Self::Store(fault)
    }
}
