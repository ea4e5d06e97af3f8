//! Customers: what is stored of one, and finding it by its e-mail address and its data (decision record 0054).

use crate::authored::CHANGE_TRIES;
use crate::catalog::Saved;
use crate::order::email_hash;
use crate::{
    Action, AttributeValue, Consistency, Expression, Found, Item, Key, Plan, SCHEMA_VERSION, SortKeys, Store,
    StoreError, StoreFault, Table, customers_of_email_partition, decode, encode, number, revise, text,
};
use domain::customer::{Customer, Person, match_text};
use domain::{CustomerId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ops::ControlFlow::{Break, Continue};

/// What leads to a customer.
#[derive(Serialize, Deserialize)]
struct Lead {
    customer: CustomerId,
}

/// Where it is written which customer this data means; nowhere where something of it is missing.
#[must_use]
pub fn customer_match_key(tenant: TenantId, person: &Person) -> Option<Key> {
    let mut hash = Sha256::new();
    for field in match_text(person)? {
        // No field holds a line feed: white space in them is single spaces.
        hash.update(field.as_bytes());
        hash.update(b"\n");
    }
    Some(Key::customer_match(tenant, &hex::encode(hash.finalize())))
}

/// The customer that was found to be meant by the data whose key this is.
///
/// # Errors
/// [`StoreError`] when the item does not say it.
pub fn take_matched_customer(found: &mut Found, key: &Key) -> Result<Option<CustomerId>, StoreError> {
    Ok(found.take::<Lead>(key)?.map(|lead| lead.customer))
}

/// What leads to a customer: its e-mail address, and its data where nothing of it is missing.
fn leads(
    tenant: TenantId,
    Customer { id, person, source: _ }: &Customer,
) -> Result<Vec<(Key, Item)>, StoreError> {
    let email = person.email.as_deref().map(email_hash);
    let of_email = email.map(|hash| Key::customer_of_email(tenant, &hash, *id));
    let keys = of_email.into_iter().chain(customer_match_key(tenant, person));
    keys.map(|key| encode(&key, &Lead { customer: *id }).map(|item| (key, item))).collect()
}

/// A customer as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredCustomer {
    pub value: Customer,
    /// What is written of the person, which a change makes sure of.
    person: Option<AttributeValue>,
}

fn stored(item: Item) -> Result<StoredCustomer, StoreError> {
    let person = item.get("person").cloned();
    Ok(StoredCustomer { value: decode(item)?, person })
}

/// The write of the record itself: what else was noted of the customer stays.
fn record(before: Option<&StoredCustomer>, after: &Customer) -> Result<Action, StoreError> {
    let person = serde_dynamo::to_attribute_value(&after.person).map_err(StoreError::corrupt)?;
    let mut update = as_read(before);
    update.assign("id", number(after.id.get()));
    update.assign("v", number(SCHEMA_VERSION));
    update.assign("person", person);
    // What a change says nothing of stays.
    if let Some(source) = &after.source {
        update.assign("source", text(source));
    }
    Ok(Action::Update(update))
}

/// What must hold for a change of a customer that was read so; none was there if there is none.
fn as_read(before: Option<&StoredCustomer>) -> Expression {
    let mut condition = Expression::new();
    match before {
        None => condition.require_no_item(),
        Some(StoredCustomer { value: _, person: Some(person) }) => {
            condition.require_equal("person", person.clone());
        }
        Some(StoredCustomer { value: _, person: None }) => condition.require_item(),
    }
    condition
}

/// What leads to a customer that was read, and what must hold as long as it does.
pub(crate) fn leads_as_read(
    tenant: TenantId,
    item: Item,
) -> Result<(Vec<(Key, Item)>, Expression), StoreError> {
    let customer = stored(item)?;
    Ok((leads(tenant, &customer.value)?, as_read(Some(&customer))))
}

/// The writes that put a customer in the place of the one that was read, with all that leads to it.
pub(crate) fn plan_customer(
    tenant: TenantId,
    before: Option<&StoredCustomer>,
    after: &Customer,
) -> Result<Vec<(Key, Action)>, StoreError> {
    let kept = leads(tenant, after)?;
    let earlier = before.map(|before| leads(tenant, &before.value)).transpose()?.unwrap_or_default();
    let gone = earlier.into_iter().map(|(key, _)| key).filter(|key| kept.iter().all(|(kept, _)| kept != key));
    let gone = gone.map(|key| (key, Action::Delete(Expression::new())));
    let puts = kept.iter().map(|(key, item)| (key.clone(), Action::Put(item.clone(), Expression::new())));
    let record = (Key::customer(tenant, after.id), record(before, after)?);
    Ok([record].into_iter().chain(gone).chain(puts).collect())
}

/// The writes that note the payer of an order, or the holder of a membership, as a customer: the record and what leads to it by e-mail. Whoever is
/// there already stays as it is, since what the back office wrote outranks what was typed at a checkout.
pub(crate) fn note_customer(
    tenant: TenantId,
    customer: &Customer,
    created_at: Timestamp,
) -> Result<Vec<(Key, Action)>, StoreError> {
    let person = serde_dynamo::to_attribute_value(&customer.person).map_err(StoreError::corrupt)?;
    let absent = |attributes: Vec<(&str, AttributeValue)>| {
        let mut update = Expression::new();
        for (name, value) in attributes {
            let (path, value) = (update.path(&[name]), update.value(value));
            update.set(format!("{path} = if_not_exists({path}, {value})"));
        }
        Action::Update(update)
    };
    let id = number(customer.id.get());
    let version = || ("v", number(SCHEMA_VERSION));
    let source = customer.source.as_deref().map(|source| ("source", text(source)));
    let record = [
        ("id", id.clone()),
        version(),
        ("person", person),
        ("created_at", number(created_at.timestamp_millis())),
    ];
    let record = absent(record.into_iter().chain(source).collect());
    let mut writes = vec![(Key::customer(tenant, customer.id), record)];
    if let Some(email) = customer.person.email.as_deref() {
        let key = Key::customer_of_email(tenant, &email_hash(email), customer.id);
        writes.push((key, absent(vec![("customer", id), version()])));
    }
    Ok(writes)
}

impl Store {
    /// Stores a customer as it is, with what leads to it, unless it is there just so. Where its data leads to another
    /// customer already, it goes on doing so. The token, of at most 30 characters, names this attempt.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_customer(
        &self,
        tenant: TenantId,
        token: &str,
        customer: &Customer,
    ) -> Result<Saved, StoreError> {
        let place = Key::customer(tenant, customer.id);
        let leads: Vec<Key> = leads(tenant, customer)?.into_iter().map(|(key, _)| key).collect();
        let (place, leads) = (&place, &leads);
        let exhausted =
            |_| StoreError::new(StoreFault::TryAgain, "a customer kept changing while it was stored");
        revise(CHANGE_TRIES, 0_usize, exhausted, |attempt| async move {
            let keys = leads.iter().chain([place]).cloned();
            let mut found = self.get_many(keys, Consistency::Strong).await?;
            let there: Vec<&Key> = leads.iter().filter(|key| found.item(key).is_some()).collect();
            let before = found.take_item(place).map(stored).transpose()?;
            if there.len() == leads.len() && before.as_ref().is_some_and(|before| before.value.says(customer))
            {
                return Ok(Break(Saved::Unchanged));
            }
            let mut plan = Plan::new();
            for (key, action) in plan_customer(tenant, before.as_ref(), customer)? {
                if !there.contains(&&key) {
                    plan.add(key, action, ()).map_err(|fault| StoreError::new(StoreFault::Refused, fault))?;
                }
            }
            Ok(match self.commit(&plan, &format!("{token}-{attempt}")).await? {
                Ok(()) if before.is_some() => Break(Saved::Updated),
                Ok(()) => Break(Saved::Created),
                Err(_) => Continue(attempt.saturating_add(1)),
            })
        })
        .await
    }

    /// The customers with these ids, each as it is stored, none where there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_customers(
        &self,
        tenant: TenantId,
        ids: &[CustomerId],
    ) -> Result<Vec<Option<StoredCustomer>>, StoreError> {
        let key = |id: &CustomerId| Key::customer(tenant, *id);
        let mut found = self.get_many(ids.iter().map(key), Consistency::Strong).await?;
        ids.iter().map(|id| found.take_item(&key(id)).map(stored).transpose()).collect()
    }

    /// The customers with this e-mail address, in any case, from the lowest id.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_customers(&self, tenant: TenantId, email: &str) -> Result<Vec<Customer>, StoreError> {
        let hash = email_hash(email);
        let partition = customers_of_email_partition(tenant, &hash);
        let found = self.query_all(Table::Members, &partition, SortKeys::All, Consistency::Strong).await?;
        let leads = found.into_iter().map(decode::<Lead>);
        let mut ids: Vec<CustomerId> =
            leads.map(|lead| lead.map(|lead| lead.customer)).collect::<Result<_, StoreError>>()?;
        ids.sort_unstable();
        let customers = self.load_customers(tenant, &ids).await?.into_iter().flatten();
        let has =
            |customer: &Customer| customer.person.email.as_deref().is_some_and(|own| email_hash(own) == hash);
        Ok(customers.map(|stored| stored.value).filter(has).collect())
    }
}
