//! The tables as the service expects them. The deployment template declares the same for AWS; here they are
//! created on the embedded engine.

use crate::{Store, StoreError, StoreFault, Table};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, CreateGlobalSecondaryIndexAction, GlobalSecondaryIndex,
    GlobalSecondaryIndexUpdate, KeySchemaElement, KeyType, Projection, ProjectionType, ScalarAttributeType,
    TimeToLiveSpecification,
};

/// Version written with every item: that of the oldest release that reads it rightly. It rises only with a shape that
/// earlier releases would misread (decision record 0089). Since 2, parts of orders, tickets and carts are texts (decision
/// record 0100).
pub const SCHEMA_VERSION: i64 = 2;

/// The sparse index of work that is due: abandoned checkouts and unsent mail among the orders, slots to make in
/// the catalog, applications to decide on among the merchants.
pub const DUE_INDEX: &str = "due";

impl Store {
    /// Creates the tables that do not exist yet.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub async fn create_tables(&self) -> Result<(), StoreError> {
        let existing = self.client.list_tables().send().await.map_err(refused)?;
        for table in Table::ALL {
            let name = self.table(table);
            if !existing.table_names().contains(&name) {
                self.create_table(table, name).await?;
            } else if has_due_index(table) {
                self.add_due_index(name).await?;
            }
        }
        Ok(())
    }

    /// Adds the index of due work to a table that was made before it had one.
    async fn add_due_index(&self, name: String) -> Result<(), StoreError> {
        let described = self.client.describe_table().table_name(&name).send().await.map_err(refused)?;
        let indexes = described.table.map(|table| table.global_secondary_indexes.unwrap_or_default());
        if indexes.unwrap_or_default().iter().any(|index| index.index_name() == Some(DUE_INDEX)) {
            return Ok(());
        }
        let index = CreateGlobalSecondaryIndexAction::builder()
            .index_name(DUE_INDEX)
            .set_key_schema(Some(keys("due_pk", "due_at")?))
            .projection(Projection::builder().projection_type(ProjectionType::KeysOnly).build())
            .build()
            .map_err(refused)?;
        self.client
            .update_table()
            .table_name(&name)
            .attribute_definitions(attribute("due_pk", ScalarAttributeType::S)?)
            .attribute_definitions(attribute("due_at", ScalarAttributeType::N)?)
            .global_secondary_index_updates(GlobalSecondaryIndexUpdate::builder().create(index).build())
            .send()
            .await
            .map_err(refused)?;
        Ok(())
    }

    async fn create_table(&self, table: Table, name: String) -> Result<(), StoreError> {
        let mut request = self
            .client
            .create_table()
            .table_name(&name)
            .billing_mode(BillingMode::PayPerRequest)
            .set_key_schema(Some(keys("pk", "sk")?))
            .attribute_definitions(attribute("pk", ScalarAttributeType::S)?)
            .attribute_definitions(attribute("sk", ScalarAttributeType::S)?);
        if has_due_index(table) {
            let index = GlobalSecondaryIndex::builder()
                .index_name(DUE_INDEX)
                .set_key_schema(Some(keys("due_pk", "due_at")?))
                .projection(Projection::builder().projection_type(ProjectionType::KeysOnly).build())
                .build()
                .map_err(refused)?;
            request = request
                .attribute_definitions(attribute("due_pk", ScalarAttributeType::S)?)
                .attribute_definitions(attribute("due_at", ScalarAttributeType::N)?)
                .global_secondary_indexes(index);
        }
        request.send().await.map_err(refused)?;
        if matches!(table, Table::Carts | Table::Reservations) {
            let ttl = TimeToLiveSpecification::builder()
                .enabled(true)
                .attribute_name("ttl")
                .build()
                .map_err(refused)?;
            self.client
                .update_time_to_live()
                .table_name(&name)
                .time_to_live_specification(ttl)
                .send()
                .await
                .map_err(refused)?;
        }
        Ok(())
    }
}

fn has_due_index(table: Table) -> bool {
    matches!(table, Table::Catalog | Table::Orders | Table::Merchants)
}

fn keys(hash: &str, range: &str) -> Result<Vec<KeySchemaElement>, StoreError> {
    let element = |name: &str, kind| {
        KeySchemaElement::builder().attribute_name(name).key_type(kind).build().map_err(refused)
    };
    Ok(vec![element(hash, KeyType::Hash)?, element(range, KeyType::Range)?])
}

fn attribute(name: &str, kind: ScalarAttributeType) -> Result<AttributeDefinition, StoreError> {
    AttributeDefinition::builder().attribute_name(name).attribute_type(kind).build().map_err(refused)
}

fn refused(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::new(StoreFault::Refused, cause)
}
