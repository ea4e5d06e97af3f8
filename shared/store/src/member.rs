//! Memberships: what is stored of one, and finding it by whatever it is known by.

mod list;
mod lookup;
mod search;

pub use lookup::WrongLookup;

use crate::authored::{
    Authored, CHANGE_TRIES, ChangeRefusal, Stored, condition, decode_authored, encode_authored, put_over,
};
use crate::catalog::Saved;
use crate::customer::{StoredCustomer, plan_customer};
use crate::order::{contact_hash, email_hash};
use crate::{
    Action, Consistency, Expression, Found, Item, Key, MAX_WRITES, Plan, Refused, SortKeys, Store,
    StoreError, StoreFault, Table, decode, email_partition, encode, revise, sort_key,
};
use domain::compare::phone_digits;
use domain::customer::Customer;
use domain::membership::{ListedMembership, Membership};
use domain::number::whole_number;
use domain::reconciliation::Lookup;
use domain::{CardId, MembershipId, TenantId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::ControlFlow::{Break, Continue};

/// The kind of key under which a membership lies by the venue's own number of it.
const EXTERNAL: &str = "EXTERNAL";
/// Names the order that is renewing or changing a membership.
pub(crate) const CLAIMED_BY: &str = "claimed_by";
/// The kind of key under which a membership lies by the barcode of a card.
const BARCODE: &str = "BARCODE";
/// The sort key of what leads from a card to its membership.
const CARD: &str = "CARD";

/// What leads to a membership and holds nothing else of it.
#[derive(Serialize, Deserialize)]
struct Pointer {
    id: MembershipId,
}

impl Authored for Membership {
    fn key(&self, tenant: TenantId) -> Key {
        Key::membership(tenant, self.id)
    }
}

/// The keys under which the current membership lies that is known by a text: its number, the venue's own number
/// of it, or the barcode of a card.
fn keys_of_name(tenant: TenantId, sent: &str) -> Vec<Key> {
    let number = whole_number(sent).and_then(|number| MembershipId::parse(number).ok());
    let hash = contact_hash(sent);
    let named = [EXTERNAL, BARCODE].map(|kind| Key::membership_named(tenant, kind, &hash));
    number.map(|number| Key::membership_number(tenant, number)).into_iter().chain(named).collect()
}

/// The SHA-256 of the digits of a phone number; none of a text without any.
fn phone_hash(phone: &str) -> Option<String> {
    let digits = phone_digits(phone);
    (!digits.is_empty()).then(|| contact_hash(&digits))
}

/// Where everything lies that is stored of a membership: itself by its id; copies as the current one of its number, by
/// the venue's own number, by the barcode and the e-mail address of every card that is held; what lists look at; and
/// what leads to it from each of its cards and from the phone number of every card that is held.
fn keys_of(tenant: TenantId, membership: &Membership) -> BTreeSet<Key> {
    let held = membership.cards.iter().filter(|card| card.is_held());
    // Number, external id and cards belong to the membership that took this one's place, if one did.
    let is_current = membership.ended.as_ref().is_none_or(|ended| ended.into.is_none());
    let external = membership.external_id.iter().filter(|_| is_current).map(|external| (EXTERNAL, external));
    let barcodes = held.clone().map(|card| (BARCODE, &card.barcode));
    let names = external.chain(barcodes).filter(|(_, text)| !text.is_empty());
    let named = names.map(|(kind, text)| Key::membership_named(tenant, kind, &contact_hash(text)));
    let number = is_current.then(|| Key::membership_number(tenant, membership.number));
    let cards = membership.cards.iter().filter(|_| is_current);
    let cards = cards.map(|card| Key::member_card(tenant, card.id));
    let phones = held.clone().filter_map(|card| phone_hash(card.person.phone_number.as_deref()?));
    let of_phones = phones.map(|hash| Key::membership_of_phone(tenant, &hash, membership.id));
    let emails = held.filter_map(|card| card.person.email.as_deref()).map(email_hash);
    let of_emails = emails.map(|hash| Key::membership_of_email(tenant, &hash, membership.id));
    let by_id = Key::membership(tenant, membership.id);
    let place = Key::membership_listed(tenant, membership.updated_at, membership.id);
    let copies = number.into_iter().chain(named).chain(of_emails);
    [by_id, place].into_iter().chain(copies).chain(cards).chain(of_phones).collect()
}

/// What a key of a membership finds it by; none for that of its id.
fn lookup_of(key: &Key) -> Option<Lookup> {
    match key.sk.as_str() {
        "MEMBERSHIP" => None,
        "NUMBER" => Some(Lookup::Number),
        EXTERNAL => Some(Lookup::ExternalNumber),
        BARCODE => Some(Lookup::Barcode),
        CARD => Some(Lookup::Card),
        _ if key.pk.ends_with("#MEMBERSHIPS") => Some(Lookup::List),
        _ if key.pk.contains("#PHONE#") => Some(Lookup::Phone),
        _ => Some(Lookup::Email),
    }
}

/// Everything that is stored of a membership, by where it lies.
pub(crate) fn items(tenant: TenantId, membership: &Membership) -> Result<Vec<(Key, Item)>, StoreError> {
    let mut items = Vec::new();
    for key in keys_of(tenant, membership) {
        let item = match lookup_of(&key) {
            Some(Lookup::List) => encode(&key, &ListedMembership::of(membership))?,
            Some(Lookup::Card | Lookup::Phone) => encode(&key, &Pointer { id: membership.id })?,
            None | Some(Lookup::Number | Lookup::ExternalNumber | Lookup::Barcode | Lookup::Email) => {
                encode_authored(&key, membership)?
            }
        };
        items.push((key, item));
    }
    Ok(items)
}

/// What a membership that was read is found by, and what must hold as long as it is.
pub(crate) fn lookups_as_read(
    tenant: TenantId,
    item: Item,
) -> Result<(Vec<(Key, Item)>, Expression), StoreError> {
    let membership: Stored<Membership> = decode_authored(item)?;
    let by_id = membership.value.key(tenant);
    let mut lookups = items(tenant, &membership.value)?;
    lookups.retain(|(key, _)| *key != by_id);
    Ok((lookups, condition(Some(&membership))))
}

/// The writes that put a membership in the place of another state of it, whatever is there, but for the record by
/// its id. What it is not found by any more goes.
pub(crate) fn copy_writes(
    tenant: TenantId,
    before: Option<&Membership>,
    after: &Membership,
) -> Result<Vec<(Key, Action)>, StoreError> {
    let by_id = after.key(tenant);
    let kept = items(tenant, after)?;
    let earlier = before.map(|before| items(tenant, before)).transpose()?.unwrap_or_default();
    let earlier = earlier.into_iter().map(|(key, _)| key);
    let gone: Vec<Key> = earlier.filter(|key| kept.iter().all(|(kept, _)| kept != key)).collect();
    let deletes = gone.into_iter().map(|key| (key, Action::Delete(Expression::new())));
    let puts = kept.into_iter().filter(|(key, _)| *key != by_id);
    let puts = puts.map(|(key, item)| (key, Action::Put(item, Expression::new())));
    Ok(deletes.chain(puts).collect())
}

/// The condition that the venue's own number is free, or another state's of the same membership.
fn free_or_same(membership: &Membership) -> Expression {
    let mut condition = Expression::new();
    let (pk, path) = (condition.path(&["pk"]), condition.path(&["number"]));
    let own = condition.number(membership.number.get());
    condition.require(format!("(attribute_not_exists({pk}) OR {path} = {own})"));
    condition
}

/// The writes of a membership that takes the place of one that was read, with the customers it changes. The record
/// by its id is the last, and says whether the change is still that of what was read.
fn change_writes(
    tenant: TenantId,
    before: Option<&Stored<Membership>>,
    after: &Membership,
    customers: &[(Option<StoredCustomer>, Customer)],
) -> Result<Vec<(Key, Action, ChangeRefusal)>, StoreError> {
    let known = before.map(|before| &before.value);
    let took = known.is_some_and(|known| known.external_id != after.external_id);
    let mut writes = Vec::new();
    for (key, action) in copy_writes(tenant, known, after)? {
        match action {
            Action::Put(item, _) if took && key.sk == EXTERNAL => {
                writes.push((key, Action::Put(item, free_or_same(after)), ChangeRefusal::Taken));
            }
            action @ (Action::Put(..) | Action::Update(_) | Action::Delete(_) | Action::Check(_)) => {
                writes.push((key, action, ChangeRefusal::Changed));
            }
        }
    }
    for (was, is) in customers {
        let changes = plan_customer(tenant, was.as_ref(), is)?;
        writes.extend(changes.into_iter().map(|(key, action)| (key, action, ChangeRefusal::Changed)));
    }
    // Those with conditions belong to the transaction that has the record.
    writes.sort_by_key(|(_, action, _)| is_conditional(action));
    writes.push((after.key(tenant), unclaimed(put_over(tenant, before, after)?), ChangeRefusal::Changed));
    Ok(writes)
}

/// A write of a membership that no order is renewing or changing.
fn unclaimed(action: Action) -> Action {
    let Action::Put(item, mut condition) = action else { return action };
    let claim = condition.path(&[CLAIMED_BY]);
    condition.require(format!("attribute_not_exists({claim})"));
    Action::Put(item, condition)
}

fn is_conditional(action: &Action) -> bool {
    let (Action::Put(_, expression)
    | Action::Update(expression)
    | Action::Delete(expression)
    | Action::Check(expression)) = action;
    *expression != Expression::new()
}

/// The membership that an item lies under the id of.
fn id_in(item: &Item) -> Option<MembershipId> {
    MembershipId::parse(sort_key(item)?.parse().ok()?).ok()
}

/// The keys under which a membership lies that a caller names by its id or its number.
#[must_use]
pub fn membership_keys(tenant: TenantId, sent: MembershipId) -> [Key; 2] {
    [Key::membership(tenant, sent), Key::membership_number(tenant, sent)]
}

/// The membership with this id, else the current one with this number.
///
/// # Errors
/// [`StoreError`] when an item does not read as a membership.
pub fn take_membership(
    found: &mut Found,
    tenant: TenantId,
    sent: MembershipId,
) -> Result<Option<Membership>, StoreError> {
    let [by_id, by_number] = membership_keys(tenant, sent);
    match found.take(&by_id)? {
        Some(membership) => Ok(Some(membership)),
        None => found.take(&by_number),
    }
}

impl Store {
    /// Stores a membership as it is, whatever is there, unless it is there just so: by its id, as the current one
    /// of its number, by all else it is found by, and in the tenant's list. What it is not found by any more goes.
    /// One transaction does it all, unless the cards are too many for one; then the record by its id is in the
    /// last one, so that a try that was cut short is found unfinished. The token, of at most 30 characters, names
    /// this attempt.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_membership(
        &self,
        tenant: TenantId,
        token: &str,
        membership: &Membership,
    ) -> Result<Saved, StoreError> {
        let items = &items(tenant, membership)?;
        let exhausted =
            |_| StoreError::new(StoreFault::TryAgain, "a membership kept changing while it was stored");
        revise(CHANGE_TRIES, 0_usize, exhausted, |attempt| async move {
            let keys = items.iter().map(|(key, _)| key.clone());
            let mut found = self.get_many(keys, Consistency::Strong).await?;
            if items.iter().all(|(key, item)| found.item(key) == Some(item)) {
                return Ok(Break(Saved::Unchanged));
            }
            let before = found.take_item(&membership.key(tenant)).map(decode_authored).transpose()?;
            let mut writes = change_writes(tenant, before.as_ref(), membership, &[])?;
            for (key, action, _) in &mut writes {
                // The document says whose number it is.
                if let (Action::Put(_, condition), EXTERNAL) = (action, key.sk.as_str()) {
                    *condition = Expression::new();
                }
            }
            let token = format!("{token}-{attempt}");
            Ok(match self.commit_in_parts(&token, writes).await? {
                Ok(()) if before.is_some() => Break(Saved::Updated),
                Ok(()) => Break(Saved::Created),
                Err(_) => Continue(attempt.saturating_add(1)),
            })
        })
        .await
    }

    /// Carries out writes in one transaction, or in several where they are too many for one; the last ones are
    /// together.
    async fn commit_in_parts(
        &self,
        token: &str,
        writes: Vec<(Key, Action, ChangeRefusal)>,
    ) -> Result<Result<(), Vec<Refused<ChangeRefusal>>>, StoreError> {
        let (first, last) = writes.split_at(writes.len().saturating_sub(MAX_WRITES));
        for (number, part) in first.chunks(MAX_WRITES).chain([last]).enumerate() {
            let mut plan = Plan::new();
            for (key, action, refusal) in part {
                plan.add(key.clone(), action.clone(), *refusal)
                    .map_err(|fault| StoreError::new(StoreFault::Refused, fault))?;
            }
            if let Err(refused) = self.commit(&plan, &format!("{token}-{number}")).await? {
                return Ok(Err(refused));
            }
        }
        Ok(Ok(()))
    }

    /// Turns the membership that was read into another state of it, with all that it is found by and the customers
    /// it changes, each as it was read and as it is to be. A change that is found to have happened already has
    /// happened: the answer of its first try was lost. The token, of at most 30 characters, names this attempt.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer. The inner error: the membership or a customer is no
    /// longer as it was read, or the venue's own number is that of another membership.
    pub async fn change_membership(
        &self,
        tenant: TenantId,
        token: &str,
        before: &Stored<Membership>,
        after: &Membership,
        customers: &[(Option<StoredCustomer>, Customer)],
    ) -> Result<Result<(), ChangeRefusal>, StoreError> {
        let writes = change_writes(tenant, Some(before), after, customers)?;
        let Err(refused) = self.commit_in_parts(token, writes).await? else { return Ok(Ok(())) };
        if refused.iter().any(|refused| refused.refusal == ChangeRefusal::Taken) {
            return Ok(Err(ChangeRefusal::Taken));
        }
        let has_happened = |refused: &Refused<ChangeRefusal>| {
            let found = refused.old.clone().map(decode_authored::<Membership>);
            matches!(found, Some(Ok(found)) if found.value == *after)
        };
        Ok(if refused.iter().any(has_happened) { Ok(()) } else { Err(ChangeRefusal::Changed) })
    }

    /// The membership with this id, else the current one with this number.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_membership(
        &self,
        tenant: TenantId,
        sent: MembershipId,
    ) -> Result<Option<Stored<Membership>>, StoreError> {
        let [by_id, by_number] = membership_keys(tenant, sent);
        let keys = [by_id.clone(), by_number.clone()];
        let mut found = self.get_many(keys, Consistency::Strong).await?;
        let item = found.take_item(&by_id).or_else(|| found.take_item(&by_number));
        item.map(decode_authored).transpose()
    }

    /// The membership of which a card with this barcode is held.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_membership_of_barcode(
        &self,
        tenant: TenantId,
        barcode: &str,
    ) -> Result<Option<Membership>, StoreError> {
        let key = Key::membership_named(tenant, BARCODE, &contact_hash(barcode));
        self.get(&key, Consistency::Strong).await
    }

    /// The membership that a card is of, given up or not. It takes two calls.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_membership_of_card(
        &self,
        tenant: TenantId,
        card: CardId,
    ) -> Result<Option<Membership>, StoreError> {
        let pointer = self.get::<Pointer>(&Key::member_card(tenant, card), Consistency::Strong).await?;
        let Some(Pointer { id }) = pointer else { return Ok(None) };
        self.get(&Key::membership(tenant, id), Consistency::Strong).await
    }

    /// The memberships known by a text: by their number, by the venue's own number of them, or by the barcode of a
    /// card; each once, in this order.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_memberships_named(
        &self,
        tenant: TenantId,
        sent: &str,
    ) -> Result<Vec<Membership>, StoreError> {
        let keys = keys_of_name(tenant, sent);
        let mut found = self.get_many(keys.clone(), Consistency::Strong).await?;
        let mut memberships: Vec<Membership> = Vec::new();
        for key in keys {
            if let Some(membership) = found.take::<Membership>(&key)?
                && memberships.iter().all(|other| other.id != membership.id)
            {
                memberships.push(membership);
            }
        }
        Ok(memberships)
    }

    async fn query_of_email(&self, tenant: TenantId, email: &str) -> Result<Vec<Item>, StoreError> {
        let partition = email_partition(tenant, &email_hash(email));
        self.query_all(Table::Members, &partition, SortKeys::All, Consistency::Strong).await
    }

    /// The memberships of which someone with this e-mail address, in any case, holds a card. Those that were last
    /// stored before copies lay by the address take another call.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_memberships_of_email(
        &self,
        tenant: TenantId,
        email: &str,
    ) -> Result<Vec<Membership>, StoreError> {
        let (copies, marks): (Vec<_>, Vec<_>) = self
            .query_of_email(tenant, email)
            .await?
            .into_iter()
            .partition(|item| item.contains_key("number"));
        let marked: Vec<MembershipId> = marks.iter().filter_map(id_in).collect();
        let mut memberships: Vec<Membership> =
            copies.into_iter().map(decode).collect::<Result<_, StoreError>>()?;
        memberships.extend(self.load_memberships(tenant, &marked).await?);
        Ok(memberships)
    }

    /// The memberships with these ids, as far as there are any, in the order of the ids.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_memberships(
        &self,
        tenant: TenantId,
        ids: &[MembershipId],
    ) -> Result<Vec<Membership>, StoreError> {
        let key = |id: &MembershipId| Key::membership(tenant, *id);
        let mut found = self.get_many(ids.iter().map(key), Consistency::Strong).await?;
        ids.iter().filter_map(|id| found.take(&key(id)).transpose()).collect()
    }
}
