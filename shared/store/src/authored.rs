//! Records that people write: each carries its revision, and is replaced only as the revision that was read.

use crate::{
    Action, AttributeValue, Consistency, Expression, Item, Key, Plan, Refused, Store, StoreError, StoreFault,
    decode, encode, text,
};
use domain::TenantId;
use domain::catalog::{InventoryItem, PersonType, Template};
use domain::combo::Combo;
use domain::coupon::{Coupon, Discount};
use domain::email::comparable_email;
use domain::entitlement::Entitlements;
use domain::form::Form;
use domain::membership::Level;
use domain::staff::StaffMember;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

/// The attribute that holds a record's revision.
const REVISION: &str = "revision";
/// Hexadecimal digits of a revision.
const REVISION_DIGITS: usize = 16;
/// Times a record is read and written again because someone else wrote it in between.
pub const CHANGE_TRIES: usize = 4;

/// A record that people write.
pub trait Authored: Serialize + DeserializeOwned {
    /// Where it lives.
    fn key(&self, tenant: TenantId) -> Key;

    /// The item that reserves what no other record of the tenant may have as well, such as a code.
    fn reserved(&self, _: TenantId) -> Option<Key> {
        None
    }

    /// The record it is a part of, which must be there when it is written.
    fn whole(&self, _: TenantId) -> Option<Key> {
        None
    }
}

impl Authored for Template {
    fn key(&self, tenant: TenantId) -> Key {
        Key::template(tenant, &self.id)
    }
}

impl Authored for PersonType {
    fn key(&self, tenant: TenantId) -> Key {
        Key::person_type(tenant, &self.id)
    }
}

impl Authored for InventoryItem {
    fn key(&self, tenant: TenantId) -> Key {
        Key::inventory(tenant, self.id)
    }
}

impl Authored for Discount {
    fn key(&self, tenant: TenantId) -> Key {
        Key::discount(tenant, &self.id)
    }
}

impl Authored for Coupon {
    fn key(&self, tenant: TenantId) -> Key {
        Key::coupon(tenant, &self.id)
    }

    fn reserved(&self, tenant: TenantId) -> Option<Key> {
        Some(Key::coupon_code(tenant, &self.folded_code()))
    }
}

impl Authored for Combo {
    fn key(&self, tenant: TenantId) -> Key {
        Key::combo(tenant, &self.id)
    }
}

impl Authored for Entitlements {
    fn key(&self, tenant: TenantId) -> Key {
        Key::entitlements(tenant, &self.template)
    }

    fn whole(&self, tenant: TenantId) -> Option<Key> {
        Some(Key::template(tenant, &self.template))
    }
}

impl Authored for Form {
    fn key(&self, tenant: TenantId) -> Key {
        Key::form(tenant, &self.id)
    }
}

impl Authored for Level {
    fn key(&self, tenant: TenantId) -> Key {
        Key::level(tenant, &self.id)
    }
}

impl Authored for StaffMember {
    fn key(&self, tenant: TenantId) -> Key {
        Key::staff(tenant, &self.id)
    }

    fn reserved(&self, tenant: TenantId) -> Option<Key> {
        Some(Key::staff_email(tenant, &staff_email_hash(&self.email)))
    }
}

/// The SHA-256 of an address, by which the person of the staff is found who has it.
#[must_use]
pub fn staff_email_hash(email: &str) -> String {
    hex::encode(Sha256::digest(comparable_email(email)))
}

/// A record as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored<T> {
    /// The record.
    pub value: T,
    /// Its revision: what `ETag` shows.
    pub revision: String,
    /// Whether the item holds the revision; one that was written before there were revisions does not.
    is_marked: bool,
}

/// Why a change was not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeRefusal {
    /// The record is no longer as it was read, or a new one is there already.
    Changed,
    /// Another record has what this one reserves.
    Taken,
}

/// A record reserves what another one has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken;

/// The revision of a record: it follows from the content alone, so that the same content has it again.
///
/// # Errors
/// [`StoreError`] when the record has no representation.
pub fn revision_of<T: Serialize>(record: &T) -> Result<String, StoreError> {
    // A `Value` keeps its fields sorted, which makes the printed form canonical.
    let value = serde_json::to_value(record).map_err(StoreError::corrupt)?;
    let mut digits = hex::encode(Sha256::digest(value.to_string()));
    digits.truncate(REVISION_DIGITS);
    Ok(digits)
}

/// The item of a record with its revision.
///
/// # Errors
/// [`StoreError`] when the record has no representation.
pub fn encode_authored<T: Serialize>(key: &Key, record: &T) -> Result<Item, StoreError> {
    let mut item = encode(key, record)?;
    item.insert(REVISION.to_owned(), text(revision_of(record)?));
    Ok(item)
}

/// The record of an item with its revision.
///
/// # Errors
/// [`StoreError`] when the item does not read as a `T`.
pub fn decode_authored<T: Authored>(item: Item) -> Result<Stored<T>, StoreError> {
    let mark = item.get(REVISION).and_then(|mark| mark.as_s().ok()).cloned();
    let value: T = decode(item)?;
    let is_marked = mark.is_some();
    let revision = match mark {
        Some(mark) => mark,
        None => revision_of(&value)?,
    };
    Ok(Stored { value, revision, is_marked })
}

/// What must hold for a change of a record that was read so; none was there if there is none.
pub(crate) fn condition<T>(before: Option<&Stored<T>>) -> Expression {
    let mut condition = Expression::new();
    match before {
        None => condition.require_no_item(),
        Some(stored) if stored.is_marked => condition.require_equal(REVISION, text(&stored.revision)),
        Some(_) => {
            condition.require_item();
            let mark = condition.path(&[REVISION]);
            condition.require(format!("attribute_not_exists({mark})"));
        }
    }
    condition
}

/// The condition that a reservation is free or is this record's.
fn free_or_own(owner: &str) -> Expression {
    let mut condition = Expression::new();
    let (pk, path, owner) = (condition.path(&["pk"]), condition.path(&["owner"]), condition.text(owner));
    condition.require(format!("(attribute_not_exists({pk}) OR {path} = {owner})"));
    condition
}

/// The writes that turn the record that was read into another one: they create it where none was read, and
/// delete it where none follows.
///
/// # Errors
/// [`StoreError`] when a record has no representation.
pub fn plan_change<T: Authored>(
    tenant: TenantId,
    before: Option<&Stored<T>>,
    after: Option<&T>,
) -> Result<Plan<ChangeRefusal>, StoreError> {
    let mut plan = Plan::new();
    let mut add = |key: Key, action: Action, refusal: ChangeRefusal| {
        plan.add(key, action, refusal).map_err(|fault| StoreError::new(StoreFault::Refused, fault))
    };
    let kept = after.and_then(|record| record.reserved(tenant));
    if let Some(stored) = before
        && let Some(reserved) = stored.value.reserved(tenant)
        && Some(&reserved) != kept.as_ref()
    {
        let owner = stored.value.key(tenant).sk;
        add(reserved, Action::Delete(free_or_own(&owner)), ChangeRefusal::Changed)?;
    }
    if let Some(record) = after {
        let key = record.key(tenant);
        if let Some(reserved) = kept {
            let mut item = reserved.attributes();
            item.insert("owner".to_owned(), AttributeValue::S(key.sk.clone()));
            add(reserved, Action::Put(item, free_or_own(&key.sk)), ChangeRefusal::Taken)?;
        }
        let item = encode_authored(&key, record)?;
        add(key, Action::Put(item, condition(before)), ChangeRefusal::Changed)?;
        if let Some(whole) = record.whole(tenant) {
            let mut present = Expression::new();
            present.require_item();
            add(whole, Action::Check(present), ChangeRefusal::Changed)?;
        }
    } else if let Some(stored) = before {
        add(stored.value.key(tenant), Action::Delete(condition(before)), ChangeRefusal::Changed)?;
    }
    Ok(plan)
}

/// The write that puts a record in the place of the one that was read.
///
/// # Errors
/// [`StoreError`] when the record has no representation.
pub(crate) fn put_over<T: Authored>(
    tenant: TenantId,
    before: Option<&Stored<T>>,
    after: &T,
) -> Result<Action, StoreError> {
    Ok(Action::Put(encode_authored(&after.key(tenant), after)?, condition(before)))
}

/// The write that deletes the record that was read.
#[must_use]
pub(crate) fn delete_as_read<T>(before: &Stored<T>) -> Action {
    Action::Delete(condition(Some(before)))
}

impl Store {
    /// The record under a key, with every earlier write.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_authored<T: Authored>(&self, key: &Key) -> Result<Option<Stored<T>>, StoreError> {
        self.get_item(key, Consistency::Strong).await?.map(decode_authored).transpose()
    }

    /// Turns the record that was read into another one; see [`plan_change`]. A change that is found to have
    /// happened already has happened: the answer of its first try was lost. The token, of at most 36
    /// characters, names this attempt.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer. The inner error is why it did not happen.
    pub async fn change_authored<T: Authored>(
        &self,
        tenant: TenantId,
        token: &str,
        before: Option<&Stored<T>>,
        after: Option<&T>,
    ) -> Result<Result<(), ChangeRefusal>, StoreError> {
        let plan = plan_change(tenant, before, after)?;
        let Err(refused) = self.commit(&plan, token).await? else { return Ok(Ok(())) };
        judge(&refused, after)
    }
}

/// What it means that a change was refused: one that is found to have happened already has happened.
///
/// # Errors
/// [`StoreError`] when the record has no representation. The inner error is why it did not happen.
pub(crate) fn judge<T: Serialize>(
    refused: &[Refused<ChangeRefusal>],
    after: Option<&T>,
) -> Result<Result<(), ChangeRefusal>, StoreError> {
    if refused.iter().any(|refused| refused.refusal == ChangeRefusal::Taken) {
        return Ok(Err(ChangeRefusal::Taken));
    }
    let wanted = after.map(revision_of).transpose()?;
    let has_happened = |refused: &Refused<ChangeRefusal>| match &refused.old {
        None => wanted.is_none(),
        Some(item) => {
            let found = item.get(REVISION).and_then(|revision| revision.as_s().ok());
            found.is_some() && found == wanted.as_ref()
        }
    };
    Ok(if refused.iter().all(has_happened) { Ok(()) } else { Err(ChangeRefusal::Changed) })
}
