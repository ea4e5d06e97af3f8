//! Bringing what earlier releases stored to where this one expects it: step by step, beside the running service, as
//! often as anybody likes (decision record 0089).

use crate::authored::CHANGE_TRIES;
use crate::customer::leads_as_read;
use crate::member::lookups_as_read;
use crate::merchant::priced_as_read;
use crate::walk::{Pace, Route, Row};
use crate::{
    Action, Consistency, Expression, Item, Key, MAX_WRITES, Plan, SCHEMA_VERSION, Store, StoreError,
    StoreFault, Table, encode,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What is done to all records there are, in the order in which releases brought it. A step adds what is missing, and
/// neither changes nor takes away what an earlier release reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Memberships are found by the venue's own number, by barcodes and e-mail addresses of cards, and in the list.
    /// Those that were last stored before that are found by their number alone.
    MembershipLookups,
    /// Customers are found by their e-mail address and by their data. Those that were last stored before that are
    /// found by their id alone.
    CustomerLeads,
    /// Merchants with a rate card are found among all that applied. Those that got theirs before that are found by a
    /// look at all of them.
    PricedMerchants,
}

impl Step {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::MembershipLookups, Self::CustomerLeads, Self::PricedMerchants];

    /// What it is for, for those who run it.
    #[must_use]
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::MembershipLookups => {
                "memberships are found by barcode, e-mail address and the venue's own number"
            }
            Self::CustomerLeads => "customers are found by e-mail address and by their data",
            Self::PricedMerchants => "merchants that charge cards are found among all that applied",
        }
    }

    /// The records it looks at.
    const fn route(self) -> Route<'static> {
        let (table, partitions): (Table, &[&str]) = match self {
            Self::MembershipLookups => (Table::Members, &["#MEMBERSHIP#"]),
            Self::CustomerLeads => (Table::Members, &["#CUSTOMER#"]),
            Self::PricedMerchants => (Table::Merchants, &["#MERCHANTS"]),
        };
        Route { table, partitions, tenant: None }
    }

    /// What a record is to be found by, and what must hold as long as it is.
    fn wanted(self, row: &Row, item: Item) -> Result<(Vec<(Key, Item)>, Expression), StoreError> {
        match self {
            Self::MembershipLookups => lookups_as_read(row.tenant, item),
            Self::CustomerLeads => leads_as_read(row.tenant, item),
            Self::PricedMerchants => priced_as_read(row.tenant, item),
        }
    }
}

/// How far the tables of a deployment were brought. The item has a version as every other one: a release that may not
/// work on these tables any more cannot read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Standing {
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
    fn standing() -> Self {
        Self { table: Table::Catalog, pk: "STANDING".to_owned(), sk: "STANDING".to_owned() }
    }
}

impl Store {
    /// How far the tables were brought; not at all where nothing was noted.
    ///
    /// # Errors
    /// [`StoreError`] of [`StoreFault::Newer`] when a later release made them what this one cannot read, or when the
    /// database does not answer.
    pub async fn load_standing(&self) -> Result<Standing, StoreError> {
        Ok(self.get(&Key::standing(), Consistency::Strong).await?.unwrap_or_default())
    }

    /// Notes how far the tables were brought.
    ///
    /// # Errors
    /// Those of [`Store::load_standing`].
    pub async fn note_standing(&self, standing: Standing) -> Result<(), StoreError> {
        let key = Key::standing();
        let mut known = Expression::new();
        let (version, highest) = (known.path(&["v"]), known.number(SCHEMA_VERSION));
        known.require(format!("(attribute_not_exists({version}) OR {version} <= {highest})"));
        let noted = self.write(&key, Action::Put(encode(&key, &standing)?, known)).await?;
        noted.map_err(|_| StoreError::new(StoreFault::Newer, "a later release noted where the tables stand"))
    }

    /// Does a step for all records there are, beside whoever reads and changes them. What was done already stays as it
    /// is, so that a run that was cut short is finished by another. The token, of at most 16 characters, names this
    /// run.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn migrate(&self, step: Step, token: &str, pace: Pace) -> Result<Done, StoreError> {
        let mut done = Done::default();
        let mut walk = self.walk(step.route(), pace);
        while let Some(rows) = walk.next().await? {
            for row in rows {
                done.records = done.records.saturating_add(1);
                let completed = self.complete(step, &row, token).await?;
                done.completed = done.completed.saturating_add(u64::from(completed));
            }
        }
        Ok(done)
    }

    /// Adds what a record is not found by; whether anything was missing.
    async fn complete(&self, step: Step, row: &Row, token: &str) -> Result<bool, StoreError> {
        for attempt in 0..CHANGE_TRIES {
            let Some(item) = self.get_item(&row.key, Consistency::Strong).await? else { return Ok(false) };
            let (wanted, as_read) = step.wanted(row, item)?;
            let found = self.get_many(wanted.iter().map(|(key, _)| key.clone()), Consistency::Strong).await?;
            let missing: Vec<(Key, Item)> =
                wanted.into_iter().filter(|(key, _)| found.item(key).is_none()).collect();
            if missing.is_empty() {
                return Ok(false);
            }
            let token = format!("{token}-{}", short_hash(&format!("{:?}{attempt}", row.key)));
            if self.add(&row.key, &as_read, &missing, &token).await? {
                return Ok(true);
            }
        }
        Err(StoreError::new(StoreFault::TryAgain, "a record kept changing while it was completed"))
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
