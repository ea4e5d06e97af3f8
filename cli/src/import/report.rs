//! What an import did, and why one did not happen.

use adapters::Limit;
use adapters::vault::VaultError;
use domain::{Currency, TenantId};
use sagas::SagaFault;
use std::collections::BTreeMap;
use std::fmt;
use store::StoreError;
use store::catalog::Saved;
use wire::Malformed;
use wire::import::RecordFault;

/// How the records of one section fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SectionCounts {
    /// New ones.
    pub created: usize,
    /// Changed ones.
    pub updated: usize,
    /// Those that were there just so.
    pub unchanged: usize,
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportReport {
    /// Whose document it was.
    pub tenant: TenantId,
    /// Records stored, by section.
    pub tallies: BTreeMap<&'static str, SectionCounts>,
    /// Event instances made, changed or deleted.
    pub slots: usize,
    /// Records left out.
    pub faults: Vec<RecordFault>,
    /// Lines of the document, by the pointers of records that were left out and of their fields at fault.
    pub lines: BTreeMap<String, usize>,
}

impl ImportReport {
    pub(super) fn new(tenant: TenantId) -> Self {
        Self { tenant, tallies: BTreeMap::new(), slots: 0, faults: vec![], lines: BTreeMap::new() }
    }

    pub(super) fn note(&mut self, section: &'static str, saved: Saved) {
        let tally = self.tallies.entry(section).or_default();
        let count = match saved {
            Saved::Created => &mut tally.created,
            Saved::Updated => &mut tally.updated,
            Saved::Unchanged => &mut tally.unchanged,
        };
        *count = count.saturating_add(1);
    }

    /// True when nothing was written and nothing was refused.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        let quiet = |tally: &SectionCounts| tally.created == 0 && tally.updated == 0;
        self.slots == 0 && self.faults.is_empty() && self.tallies.values().all(quiet)
    }
}

impl fmt::Display for ImportReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "tenant {}", self.tenant)?;
        for (section, SectionCounts { created, updated, unchanged }) in &self.tallies {
            writeln!(out, "  {section}: {created} created, {updated} updated, {unchanged} unchanged")?;
        }
        writeln!(out, "  event instances: {} created", self.slots)?;
        for fault in &self.faults {
            let id = fault.id.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
            let line = self.lines.get(&fault.record).copied();
            let place = line.map(|line| format!(", line {line}")).unwrap_or_default();
            writeln!(out, "  left out: {}{id}{place}", fault.record)?;
            for error in &fault.errors {
                let own = self.lines.get(&error.field).copied().filter(|own| Some(*own) != line);
                let place = own.map(|line| format!(" (line {line})")).unwrap_or_default();
                writeln!(out, "    {} {}{place}", error.field, error.message)?;
            }
        }
        Ok(())
    }
}

/// Why a document was not imported, or not to its end.
#[derive(Debug)]
pub enum ImportError {
    /// It is no JSON object.
    Malformed(Malformed),
    /// The key at this pointer appears twice in its object.
    Repeated(String),
    /// Its tenant cannot be read.
    Tenant {
        /// Where it stands.
        line: Option<usize>,
        /// What is wrong with it.
        fault: RecordFault,
    },
    /// The tenant is new and has no name or no zone.
    UnknownTenant(TenantId),
    /// Someone else created the tenant at the same moment; nothing was written.
    CreatedMeanwhile(TenantId),
    /// The tenant is a sandbox and the document's is not, or the other way round: its orders and keys would
    /// change what they mean.
    OtherKind {
        tenant: TenantId,
        /// What it is, and stays.
        is_sandbox: bool,
    },
    /// The tenant has another currency than the document's.
    OtherCurrency {
        tenant: TenantId,
        /// What it is, and stays.
        currency: Currency,
    },
    /// The tenant would have more than a catalog holds; nothing was written but the tenant itself.
    TooMany(Limit),
    /// The database does not answer.
    Store(StoreError),
    /// The key of the tenant's hashes cannot be sealed.
    Vault(VaultError),
    /// Another part of the service failed, such as the making of slots.
    Service(SagaFault),
}

impl fmt::Display for ImportError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(Malformed { line, column }) => {
                write!(out, "the document is not a JSON object (line {line}, column {column})")
            }
            Self::Repeated(pointer) => {
                write!(out, "{pointer} appears twice in the document; nothing was imported")
            }
            Self::Tenant { line, fault } => {
                out.write_str("the tenant cannot be read")?;
                line.iter().try_for_each(|line| write!(out, " (line {line})"))?;
                let mut separator = ": ";
                fault.errors.iter().try_for_each(|error| {
                    write!(out, "{separator}{} {}", error.field, error.message)?;
                    separator = "; ";
                    Ok(())
                })
            }
            Self::UnknownTenant(id) => {
                write!(out, "tenant {id} does not exist; to create it, give its name and timeZone")
            }
            Self::CreatedMeanwhile(id) => {
                write!(out, "tenant {id} was created by someone else at the same moment; import again")
            }
            Self::OtherKind { tenant, is_sandbox: true } => {
                write!(out, "tenant {tenant}: an import cannot turn a sandbox into a live tenant")
            }
            Self::OtherKind { tenant, is_sandbox: false } => {
                write!(out, "tenant {tenant}: an import cannot turn a live tenant into a sandbox")
            }
            Self::OtherCurrency { tenant, currency } => {
                write!(out, "tenant {tenant} sells in {currency}: an import cannot change that; ")?;
                out.write_str("`tenant set --currency` can, while nothing was sold")
            }
            Self::TooMany(Limit { what, most }) => {
                write!(out, "the tenant would have more {what} than the {most} it may have")
            }
            Self::Store(_) => out.write_str("the database did not carry out the import"),
            Self::Vault(_) => out.write_str("the vault did not seal the tenant's key"),
            Self::Service(_) => out.write_str("the import could not be carried out"),
        }
    }
}

impl std::error::Error for ImportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Malformed(_)
            | Self::Repeated(_)
            | Self::Tenant { .. }
            | Self::UnknownTenant(_)
            | Self::CreatedMeanwhile(_)
            | Self::TooMany(_)
            | Self::OtherCurrency { .. }
            | Self::OtherKind { .. } => None,
            Self::Store(cause) => Some(cause),
            Self::Vault(cause) => Some(cause),
            Self::Service(cause) => Some(cause),
        }
    }
}

impl From<StoreError> for ImportError {
    fn from(cause: StoreError) -> Self {
        Self::Store(cause)
    }
}

impl From<SagaFault> for ImportError {
    fn from(cause: SagaFault) -> Self {
        Self::Service(cause)
    }
}

impl From<adapters::AdapterFault> for ImportError {
    fn from(cause: adapters::AdapterFault) -> Self {
        Self::Service(cause.into())
    }
}
