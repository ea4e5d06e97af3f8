//! Exporting a catalog.

use super::{known_tenant, tenant_id};
use crate::database::{DatabaseArgs, open_existing};
use crate::document::{Format, WriteFault};
use crate::export::{ExportError, export};
use crate::failure::Failure;
use clap::Args;
use domain::TenantId;
use std::io::{BufWriter, ErrorKind};

/// What to export.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Id of the tenant to export
    #[arg(long, value_parser = tenant_id)]
    tenant: TenantId,
    /// Format of the document
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
}

pub(crate) async fn run(args: &DatabaseArgs, wanted: &ExportArgs) -> Result<(), Failure> {
    let store = open_existing(args).await?.store;
    let tenant = known_tenant(&store, wanted.tenant).await?;
    let out = BufWriter::new(std::io::stdout().lock());
    match export(&store, &tenant, wanted.format, out).await {
        // The reader went away.
        Err(ExportError::Write(WriteFault::File(fault))) if fault.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(fault) => Err(Failure::because(format!("tenant {} was not exported", tenant.id), &fault)),
        Ok(()) => Ok(()),
    }
}
