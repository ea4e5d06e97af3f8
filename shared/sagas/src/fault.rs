//! Why a workflow stopped although nothing stands against it.

use adapters::processor::ProcessorError;
use domain::MoneyOverflow;
use std::error::Error;
use std::fmt;
use store::{StoreError, StoreFault};

/// A workflow stopped on its way. How far it came is not known unless the workflow says so; whoever finds it later
/// finishes it.
#[derive(Debug)]
pub enum SagaFault {
    /// The database or another part of the service failed.
    Adapter(adapters::AdapterFault),
    /// The card processor gave no answer to act on.
    Processor(ProcessorError),
    /// Others wrote to the same records at every try.
    Contended,
    /// What is stored contradicts itself, or what was asked for contradicts it: a fault of ours.
    Inconsistent(Box<dyn Error + Send + Sync>),
}

impl SagaFault {
    /// A fault of ours, in words for the log.
    pub(crate) fn inconsistent(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Inconsistent(cause.into())
    }

    /// Whether more was to be written than can be at once, or to one record.
    pub(crate) fn is_too_large(&self) -> bool {
        match self {
            Self::Adapter(adapters::AdapterFault::Store(fault)) => {
                matches!(fault.kind, StoreFault::TooLarge | StoreFault::TooMany)
            }
            Self::Adapter(_) | Self::Processor(_) | Self::Contended | Self::Inconsistent(_) => false,
        }
    }
}

impl fmt::Display for SagaFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Adapter(fault) => fmt::Display::fmt(fault, out),
            Self::Processor(fault) => fmt::Display::fmt(fault, out),
            Self::Contended => out.write_str("others wrote to the same records at every try"),
            Self::Inconsistent(cause) => write!(out, "what is stored contradicts itself: {cause}"),
        }
    }
}

impl Error for SagaFault {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // Their own texts are in this one's.
            Self::Adapter(fault) => fault.source(),
            Self::Inconsistent(cause) => cause.source(),
            Self::Processor(_) | Self::Contended => None,
        }
    }
}

impl From<adapters::AdapterFault> for SagaFault {
    fn from(fault: adapters::AdapterFault) -> Self {
        Self::Adapter(fault)
    }
}

impl From<StoreError> for SagaFault {
    fn from(fault: StoreError) -> Self {
        Self::Adapter(fault.into())
    }
}

/// Amounts that were checked before they were stored fit.
impl From<MoneyOverflow> for SagaFault {
    fn from(_: MoneyOverflow) -> Self {
        Self::inconsistent("an amount does not fit")
    }
}
