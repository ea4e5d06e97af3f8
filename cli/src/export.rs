//! Exporting what a tenant sells as a document that can be imported (docs/IMPORT.md). Keys and secrets stay.

use crate::document::{DocumentWriter, Format, WriteFault};
use domain::tenant::Tenant;
use std::fmt;
use std::io::Write;
use store::{Consistency, Store, StoreError};
use wire::catalog::{
    ComboOutput, CouponOutput, DiscountOutput, EntitlementsRecord, FormOutput, InventoryOutput,
};
use wire::event::{PersonTypeOutput, TemplateRecord};
use wire::import::{MemberOutput, MerchantOutput, TenantOutput};
use wire::membership::LevelRecord;

/// Memberships read together.
const MEMBERSHIPS_PER_READ: usize = 1_000;

/// Why a tenant was not exported to the end.
#[derive(Debug)]
pub enum ExportError {
    /// The database does not answer.
    Store(StoreError),
    /// The document was not written.
    Write(WriteFault),
}

impl fmt::Display for ExportError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(_) => out.write_str("the database did not give all records"),
            Self::Write(_) => out.write_str("the document was not written"),
        }
    }
}

impl std::error::Error for ExportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Store(cause) => Some(cause),
            Self::Write(cause) => Some(cause),
        }
    }
}

impl From<StoreError> for ExportError {
    fn from(cause: StoreError) -> Self {
        Self::Store(cause)
    }
}

impl From<WriteFault> for ExportError {
    fn from(cause: WriteFault) -> Self {
        Self::Write(cause)
    }
}

/// Writes a tenant's settings, merchants, catalog and members. The records of a section are in the order of
/// their ids, so that the same catalog is the same document.
///
/// # Errors
/// [`ExportError`] when the database does not answer or the document cannot be written.
pub async fn export(
    store: &Store,
    tenant: &Tenant,
    format: Format,
    out: impl Write,
) -> Result<(), ExportError> {
    let zone = tenant.zone;
    let mut document = DocumentWriter::begin(out, format)?;
    document.record("tenant", &TenantOutput::from(tenant))?;
    for merchant in store.load_merchants(tenant.id, Consistency::Strong).await? {
        document.record("merchants", &MerchantOutput::from(&merchant))?;
    }
    let definitions = store.load_definitions(tenant.id, Consistency::Strong).await?;
    for person_type in definitions.person_types.values() {
        document.record("personTypes", &PersonTypeOutput::from(person_type))?;
    }
    for item in definitions.inventory.values() {
        document.record("inventory", &InventoryOutput::from(item))?;
    }
    for discount in definitions.discounts.values() {
        document.record("discounts", &DiscountOutput::from(discount))?;
    }
    for form in definitions.forms.values() {
        document.record("forms", &FormOutput::from(form))?;
    }
    for coupon in definitions.coupons.values() {
        document.record("coupons", &CouponOutput::from(coupon))?;
    }
    for combo in definitions.combos.values() {
        document.record("combos", &ComboOutput::from(combo))?;
    }
    for level in definitions.levels.values() {
        document.record("membershipLevels", &LevelRecord::of(level, zone))?;
    }
    write_members(store, tenant, &mut document).await?;
    for template in store.load_templates(tenant.id, Consistency::Strong).await? {
        document.record("eventTemplates", &TemplateRecord::of(&template, zone))?;
    }
    for entitlements in definitions.entitlements.values() {
        document.record("entitlements", &EntitlementsRecord::from(entitlements))?;
    }
    Ok(document.finish()?)
}

async fn write_members(
    store: &Store,
    tenant: &Tenant,
    document: &mut DocumentWriter<impl Write>,
) -> Result<(), ExportError> {
    let id = tenant.id;
    for ids in store.list_memberships(id).await?.chunks(MEMBERSHIPS_PER_READ) {
        for membership in store.load_memberships(id, ids).await? {
            for card in MemberOutput::all_of(&membership, tenant.zone) {
                document.record("members", &card)?;
            }
        }
    }
    Ok(())
}
