//! DynamoDB: keys, item codecs and write plans. The only user of the DynamoDB SDK; there is no layer in
//! front of it, and tests run it on the embedded engine through the same SDK.

mod calls;
mod codec;
mod error;
mod expression;
mod key;
mod passages;
mod placed;
mod plan;
mod read;
mod retry;
mod schema;
mod tries;
mod write;

pub mod admission;
pub mod after_sale;
pub mod archive;
pub mod authored;
pub mod cart;
pub mod catalog;
pub mod checkout;
pub mod counter;
pub mod customer;
pub mod due;
pub mod edit;
pub mod find;
pub mod hint;
pub mod idempotency;
pub mod identity;
pub mod key_mark;
pub mod late;
pub mod ledger;
pub mod login;
pub mod member;
pub mod merchant;
pub mod migrate;
pub mod onboarding;
pub mod order;
pub mod outbox;
pub mod pointer;
pub mod publish;
pub mod rate_limit;
pub mod reconcile;
pub mod refund;
pub mod reservation;
pub mod sandbox;
pub mod settings;
pub mod staff;
pub mod walk;

pub use aws_sdk_dynamodb::types::AttributeValue;
pub use calls::{CallCount, Calls, Counted};
pub use codec::{decode, encode, number, text};
pub use error::{StoreError, StoreFault};
pub use expression::Expression;
pub use key::*;
pub use placed::Placed;
pub use plan::{Action, MAX_WRITES, Plan, PlanFault, Refused, Write};
pub(crate) use read::sort_key;
pub use read::{Consistency, Found, SortKeys};
pub use schema::{DUE_INDEX, SCHEMA_VERSION};
pub use tries::{give_way, retry, revise};

use aws_sdk_dynamodb::Client;
use retry::LostAnswersAreFinal;
use std::collections::HashMap;
use std::sync::Arc;

/// One stored item.
pub type Item = HashMap<String, AttributeValue>;

/// The database of one deployment: a client and the prefix of its six tables.
#[derive(Debug, Clone)]
pub struct Store {
    client: Client,
    /// For plain conditional writes.
    writer: Client,
    prefix: Arc<str>,
}

impl Store {
    /// A store over tables whose names start with `prefix`.
    #[must_use]
    pub fn new(client: Client, prefix: &str) -> Self {
        let writer = client.config().to_builder().retry_classifier(LostAnswersAreFinal).build();
        Self { writer: Client::from_conf(writer), client, prefix: prefix.into() }
    }

    /// The physical name of a table.
    pub(crate) fn table(&self, table: Table) -> String {
        format!("{}{}", self.prefix, table.name())
    }
}

#[cfg(test)]
mod tests;
