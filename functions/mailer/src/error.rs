//! Why a mail was not delivered yet.

use crate::render::RenderError;
use adapters::AdapterFault;
use adapters::mail::MailError;
use std::error::Error;
use std::fmt;
use store::StoreError;

/// Why a job is to be repeated.
#[derive(Debug)]
pub enum DeliverError {
    /// The tenant could not be read.
    Tenant(AdapterFault),
    /// The database did not answer.
    Store(StoreError),
    /// The mail could not be made; that is a fault of ours.
    Render(RenderError),
    /// The transport did not take the mail for now.
    Transport(MailError),
}

impl fmt::Display for DeliverError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Tenant(_) => "the tenant of a mail could not be read",
            Self::Store(_) => "the database did not answer",
            Self::Render(_) => "the mail could not be made",
            Self::Transport(_) => "the mail could not be sent for now",
        })
    }
}

impl Error for DeliverError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(match self {
            Self::Tenant(cause) => cause,
            Self::Store(cause) => cause,
            Self::Render(cause) => cause,
            Self::Transport(cause) => cause,
        })
    }
}

impl From<StoreError> for DeliverError {
    fn from(fault: StoreError) -> Self {
        Self::Store(fault)
    }
}
