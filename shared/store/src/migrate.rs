//! Bringing what earlier releases stored to where this one expects it: step by step, beside the running service, as
//! often as anybody likes (decision record 0089).

use crate::authored::CHANGE_TRIES;
use crate::customer::leads_as_read;
use crate::member::lookups_as_read;
use crate::merchant::priced_as_read;
use crate::pointer::{has_pointers, pointers_as_read};
use crate::walk::{Pace, Route, WalkedItem};
use crate::{
    Action, Consistency, Expression, Item, Key, MAX_WRITES, Plan, SCHEMA_VERSION, Store, StoreError,
    StoreFault, Table, encode, revise,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ops::ControlFlow::{Break, Continue};

/// What is done to all records there are, in the order in which releases brought it. A step adds what is missing, and
/// neither changes nor takes away what an earlier release reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MigrationStep {
    /// Memberships are found by the venue's own number, by barcodes and e-mail addresses of cards, and in the list.
    /// Those that were last stored before that are found by their number alone.
    MembershipLookups,
    /// Customers are found by their e-mail address and by their data. Those that were last stored before that are
    /// found by their id alone.
    CustomerLeads,
    /// Merchants with a rate card are found among all that applied. Those that got theirs before that are found by a
    /// look at all of them.
    PricedMerchants,
    /// Memberships are found by the ids of cards and by phone numbers. Those that were last stored before that are
    /// found by all else.
    CardsAndPhones,
    /// Orders are found by the barcodes of their tickets, by events, days, names and answered forms. Those that were
    /// paid before that are found by their id, their number and their contacts alone.
    OrderPointers,
}

impl MigrationStep {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::MembershipLookups,
        Self::CustomerLeads,
        Self::PricedMerchants,
        Self::CardsAndPhones,
        Self::OrderPointers,
    ];

    /// What it is for, for those who run it.
    #[must_use]
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::MembershipLookups => {
                "memberships are found by barcode, e-mail address and the venue's own number"
            }
            Self::CustomerLeads => "customers are found by e-mail address and by their data",
            Self::PricedMerchants => "merchants that charge cards are found among all that applied",
            Self::CardsAndPhones => "memberships are found by the ids of cards and by phone number",
            Self::OrderPointers => "orders are found by barcode, event, day, name and answered form",
        }
    }

    /// The records it looks at.
    const fn route(self) -> Route<'static> {
        let (table, partitions): (Table, &[&str]) = match self {
            Self::MembershipLookups | Self::CardsAndPhones => (Table::Members, &["#MEMBERSHIP#"]),
            Self::CustomerLeads => (Table::Members, &["#CUSTOMER#"]),
            Self::PricedMerchants => (Table::Merchants, &["#MERCHANTS"]),
            Self::OrderPointers => (Table::Orders, &["#ORDER#"]),
        };
        Route { table, partitions, tenant: None }
    }

    /// Whether it has to do with a record on its way.
    fn concerns(self, key: &Key) -> bool {
        match self {
            Self::MembershipLookups | Self::CustomerLeads | Self::PricedMerchants | Self::CardsAndPhones => {
                true
            }
            Self::OrderPointers => has_pointers(key),
        }
    }

    /// What a record is to be found by, and what must hold as long as it is.
    fn wanted(self, row: &WalkedItem, item: Item) -> Result<(Vec<(Key, Item)>, Expression), StoreError> {
        match self {
            Self::MembershipLookups | Self::CardsAndPhones => lookups_as_read(row.tenant, item),
            Self::CustomerLeads => leads_as_read(row.tenant, item),
            Self::PricedMerchants => priced_as_read(row.tenant, item),
            Self::OrderPointers => pointers_as_read(row, item),
        }
    }
}

/// How far the tables of a deployment were brought. The item has a version as every other one: a release that may not
/// work on these tables any more cannot read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MigrationStatus {
    /// How many of the steps were done.
    pub steps: usize,
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done {
    /// Records it looked at.
    pub records: u64,
    /// Those of them to which something was added.
    pub completed: u64,
}

impl Key {
    /// How far the tables were brought: beside the list of tenants, the one item that is no tenant's.
    fn migration_status() -> Self {
        Self { table: Table::Catalog, pk: "STANDING".to_owned(), sk: "STANDING".to_owned() }
    }
}

impl Store {
    /// How far the tables were brought; not at all where nothing was noted.
    ///
    /// # Errors
    /// [`StoreError`] of [`StoreFault::Newer`] when a later release made them what this one cannot read, or when the
    /// database does not answer.
    pub async fn load_migration_status(&self) -> Result<MigrationStatus, StoreError> {
        Ok(self.get(&Key::migration_status(), Consistency::Strong).await?.unwrap_or_default())
    }

    /// Notes how far the tables were brought.
    ///
    /// # Errors
    /// Those of [`Store::load_migration_status`].
    pub async fn note_migration_status(&self, status: MigrationStatus) -> Result<(), StoreError> {
        let key = Key::migration_status();
        let mut known = Expression::new();
        let (version, highest) = (known.path(&["v"]), known.number(SCHEMA_VERSION));
        known.require(format!("(attribute_not_exists({version}) OR {version} <= {highest})"));
        let noted = self.write(&key, Action::Put(encode(&key, &status)?, known)).await?;
        noted.map_err(|_| StoreError::new(StoreFault::Newer, "a later release noted where the tables stand"))
    }

    /// Does a step for all records there are, beside whoever reads and changes them. What was done already stays as it
    /// is, so that a run that was cut short is finished by another. The token, of at most 16 characters, names this
    /// run.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn migrate(&self, step: MigrationStep, token: &str, pace: Pace) -> Result<Done, StoreError> {
        let mut done = Done::default();
        let mut walk = self.walk(step.route(), pace);
        while let Some(rows) = walk.next().await? {
            for row in rows.into_iter().filter(|row| step.concerns(&row.key)) {
                done.records = done.records.saturating_add(1);
                let completed = self.complete(step, &row, token).await?;
                done.completed = done.completed.saturating_add(u64::from(completed));
            }
        }
        Ok(done)
    }

    /// Adds what a record is not found by; whether anything was missing.
    async fn complete(&self, step: MigrationStep, row: &WalkedItem, token: &str) -> Result<bool, StoreError> {
        let exhausted =
            |_| StoreError::new(StoreFault::TryAgain, "a record kept changing while it was completed");
        revise(CHANGE_TRIES, 0_usize, exhausted, |attempt| async move {
            let Some(item) = self.get_item(&row.key, Consistency::Strong).await? else {
                return Ok(Break(false));
            };
            let (wanted, as_read) = step.wanted(row, item)?;
            let found = self.get_many(wanted.iter().map(|(key, _)| key.clone()), Consistency::Strong).await?;
            let missing: Vec<(Key, Item)> =
                wanted.into_iter().filter(|(key, _)| found.item(key).is_none()).collect();
            if missing.is_empty() {
                return Ok(Break(false));
            }
            let token = format!("{token}-{}", short_hash(&format!("{:?}{attempt}", row.key)));
            let is_added = self.add(&row.key, &as_read, &missing, &token).await?;
            Ok(if is_added { Break(true) } else { Continue(attempt.saturating_add(1)) })
        })
        .await
    }

    /// Adds items that are missing, while the record they follow from is as it was read; false where it is not, or
    /// where somebody else added one.
    async fn add(
        &self,
        record: &Key,
        as_read: &Expression,
        missing: &[(Key, Item)],
        token: &str,
    ) -> Result<bool, StoreError> {
        for (part, items) in missing.chunks(MAX_WRITES - 1).enumerate() {
            let mut plan = Plan::new();
            let puts = items.iter().map(|(key, item)| {
                let mut absent = Expression::new();
                absent.require_no_item();
                (key.clone(), Action::Put(item.clone(), absent))
            });
            for (key, action) in puts.chain([(record.clone(), Action::Check(as_read.clone()))]) {
                plan.add(key, action, ())?;
            }
            if self.commit(&plan, &format!("{token}-{part}")).await?.is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Enough of a hash to tell one record of a run from another.
fn short_hash(text: &str) -> String {
    let mut digits = hex::encode(Sha256::digest(text));
    digits.truncate(16);
    digits
}

#[cfg(test)]
mod tests;
