//! Writing all that there is of a tenant.

use super::{counted, known_tenant, tenant_id};
use crate::archive::{ArchiveError, Side, archive};
use crate::data_directory::DataDirectory;
use crate::database::{DatabaseArgs, lock, new_archive_key, open_existing};
use crate::failure::Failure;
use adapters::clock::wall_now;
use clap::Args;
use domain::tenant::{REST_SECS, Tenant};
use domain::time::plus_secs;
use domain::{TenantId, Timestamp};
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

/// What to archive.
#[derive(Debug, Args)]
pub(crate) struct ArchiveArgs {
    /// Id of the tenant to archive, which must be closed
    #[arg(long, value_parser = tenant_id)]
    tenant: TenantId,
    /// File with the key that seals the archive's secrets; it is made when missing, and `restore` needs it
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

pub(crate) async fn run(args: &DatabaseArgs, wanted: &ArchiveArgs) -> Result<(), Failure> {
    let opened = open_existing(args).await?;
    let now = wall_now();
    // Held to the end, so that nobody begins to serve meanwhile.
    let unserved = unserved(args);
    let tenant = known_tenant(&opened.store, wanted.tenant).await?;
    if unserved.is_none() {
        require_rest(&tenant, now)?;
    }
    let failed =
        |fault: ArchiveError| Failure::because(format!("tenant {} was not archived", wanted.tenant), &fault);
    if !tenant.is_closed() {
        return Err(failed(ArchiveError::Open(tenant.id)));
    }
    let key = new_archive_key(&wanted.key)?;
    let from = Side { store: &opened.store, vault: opened.vault.as_ref() };
    let out = BufWriter::new(std::io::stdout().lock());
    let counts = archive(from, tenant.id, now, &key, out).await.map_err(failed)?;
    eprintln!("tenant {}: {}", tenant.id, counted(&counts));
    Ok(())
}

/// The lock of a database of this machine that nobody serves, and so nobody writes to.
pub(super) fn unserved(args: &DatabaseArgs) -> Option<File> {
    if args.endpoint.is_some() || args.aws { None } else { lock(DataDirectory(&args.data)).ok() }
}

/// Fails while a request that began before the tenant was closed may still write.
pub(super) fn require_rest(tenant: &Tenant, now: Timestamp) -> Result<(), Failure> {
    let left =
        tenant.closed_at.map(|since| plus_secs(since, REST_SECS).signed_duration_since(now).num_seconds());
    match left {
        Some(left) if left > 0 => Err(Failure::new(format!(
            "requests that began before tenant {} was closed may still write; try again in {left} s",
            tenant.id
        ))),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::tenant::ProcessorKind;
    use domain::{Currency, Zone};

    #[test]
    fn a_tenant_that_was_just_closed_is_not_at_rest() {
        let closed: Timestamp = "2027-03-01T15:00:00Z".parse().unwrap();
        let tenant = Tenant {
            id: TenantId::parse(7).unwrap(),
            name: "Pier".to_owned(),
            zone: Zone::parse("UTC").unwrap(),
            currency: Currency::default(),
            sandbox: true,
            hold_secs: 600,
            allowed_origins: Default::default(),
            descriptor_prefix: String::new(),
            processor: ProcessorKind::Sandbox,
            mail_from: None,
            consumer_site: None,
            staff_site: None,
            branding: Default::default(),
            receipt_numbers: false,
            settings_version: 0,
            limits: Default::default(),
            member_claims: Default::default(),
            door: Default::default(),
            raw_cards: true,
            challenge_secs: 600,
            sealed_hash_key: String::new(),
            closed_at: Some(closed),
        };
        for (after, left) in [(0, Some("60 s")), (59, Some("in 1 s")), (60, None), (600, None)] {
            let refused = require_rest(&tenant, plus_secs(closed, after)).map_err(|fault| fault.to_string());
            match left {
                Some(left) => assert!(refused.unwrap_err().ends_with(left), "{after}"),
                None => assert_eq!(refused, Ok(()), "{after}"),
            }
        }
    }
}
