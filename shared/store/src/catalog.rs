//! Templates and the small definitions of a tenant's catalog.

use crate::{
    Action, Consistency, Expression, Key, SortKeys, Store, StoreError, Table, decode, definitions_partition,
    encode, templates_partition,
};
use domain::catalog::{InventoryItem, PersonType, Template};
use domain::{InventoryId, TenantId, TicketTypeId};
use std::collections::BTreeMap;

/// Templates one tenant may have.
const MAX_TEMPLATES: usize = 5_000;
/// Definitions one tenant may have.
const MAX_DEFINITIONS: usize = 10_000;

/// The small definitions of a tenant, read together.
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    /// Ticket types.
    pub person_types: BTreeMap<TicketTypeId, PersonType>,
    /// Add-ons and donations.
    pub inventory: BTreeMap<InventoryId, InventoryItem>,
}

impl Store {
    /// All templates of a tenant, drafts included.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_templates(
        &self,
        tenant: TenantId,
        consistency: Consistency,
    ) -> Result<Vec<Template>, StoreError> {
        let partition = templates_partition(tenant);
        let items =
            self.query((Table::Catalog, &partition), SortKeys::All, (consistency, MAX_TEMPLATES)).await?;
        items.into_iter().map(decode).collect()
    }

    /// The small definitions of a tenant.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_definitions(
        &self,
        tenant: TenantId,
        consistency: Consistency,
    ) -> Result<Definitions, StoreError> {
        let partition = definitions_partition(tenant);
        let items =
            self.query((Table::Catalog, &partition), SortKeys::All, (consistency, MAX_DEFINITIONS)).await?;
        let mut definitions = Definitions::default();
        for item in items {
            let kind = item.get("sk").and_then(|sk| sk.as_s().ok()).and_then(|sk| sk.split('#').next());
            match kind {
                Some("PERSONTYPE") => {
                    let person_type: PersonType = decode(item)?;
                    definitions.person_types.insert(person_type.id.clone(), person_type);
                }
                Some("INVENTORY") => {
                    let entry: InventoryItem = decode(item)?;
                    definitions.inventory.insert(entry.id, entry);
                }
                _ => {}
            }
        }
        Ok(definitions)
    }

    /// Stores a template as it is.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_template(&self, tenant: TenantId, template: &Template) -> Result<(), StoreError> {
        let key = Key::template(tenant, &template.id);
        let item = encode(&key, template)?;
        self.write(&key, Action::Put(item, Expression::new())).await.map(|_| ())
    }

    /// Stores a ticket type as it is.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_person_type(
        &self,
        tenant: TenantId,
        person_type: &PersonType,
    ) -> Result<(), StoreError> {
        let key = Key::person_type(tenant, &person_type.id);
        let item = encode(&key, person_type)?;
        self.write(&key, Action::Put(item, Expression::new())).await.map(|_| ())
    }

    /// Stores an add-on or donation as it is.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_inventory(&self, tenant: TenantId, entry: &InventoryItem) -> Result<(), StoreError> {
        let key = Key::inventory(tenant, entry.id);
        let item = encode(&key, entry)?;
        self.write(&key, Action::Put(item, Expression::new())).await.map(|_| ())
    }
}
