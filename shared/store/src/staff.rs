//! Persons of the staff and their sessions. Both lie beside the tenant's settings and keys, which every function reads.
//! A session lies under its person and the hash of its text, so that both are read side by side.

use crate::authored::{
    ChangeRefusal, Stored, condition, decode_authored, judge, plan_change, staff_email_hash,
};
use crate::identity::key_hash;
use crate::login::redemption;
use crate::plan::add;
use crate::{
    Action, Consistency, Expression, Item, Key, Placed, Plan, Refused, SortKeys, Store, StoreError, Table,
    decode, encode, sort_key, staff_partition, staff_sessions_partition,
};
use domain::staff::{SessionToken, StaffMember, StaffSession};
use domain::{StaffId, TenantId, Timestamp};

/// Sessions that have ended and are deleted when their person signs in again.
const MAX_DELETED: usize = 25;

/// A session with the person who works in it, as both are now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSession {
    /// Who.
    pub person: StaffMember,
    /// In what.
    pub session: StaffSession,
}

/// What becomes of a person while another one stays.
#[derive(Debug, Clone, Copy)]
pub struct StaffChange<'a> {
    /// Who is changed.
    pub before: &'a Stored<StaffMember>,
    /// What she becomes; none is removed.
    pub after: Option<&'a StaffMember>,
    /// Who stays as she was read.
    pub beside: &'a Stored<StaffMember>,
}

fn session_key(token: &SessionToken) -> Key {
    Key::staff_session(token.tenant, &token.person, &key_hash(&token.expose()))
}

impl Store {
    /// The staff of a tenant, active or not.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_staff(&self, tenant: TenantId) -> Result<Vec<StaffMember>, StoreError> {
        let partition = staff_partition(tenant);
        let found = self.query_all(Table::Catalog, &partition, SortKeys::All, Consistency::Strong).await?;
        found.into_iter().map(|item| decode_authored(item).map(|stored| stored.value)).collect()
    }

    /// The person of the staff who has an e-mail address; two round trips.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_staff(
        &self,
        tenant: TenantId,
        email: &str,
    ) -> Result<Option<Stored<StaffMember>>, StoreError> {
        let mark = Key::staff_email(tenant, &staff_email_hash(email));
        let Some(mark) = self.get_item(&mark, Consistency::Strong).await? else { return Ok(None) };
        let owner = mark.get("owner").and_then(|owner| owner.as_s().ok());
        let Some(Ok(id)) = owner.map(|owner| StaffId::parse(owner)) else { return Ok(None) };
        self.load_authored(&Key::staff(tenant, &id)).await
    }

    /// An admin of a tenant who works there, other than this person.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_other_admin(
        &self,
        tenant: TenantId,
        person: &StaffId,
    ) -> Result<Option<Stored<StaffMember>>, StoreError> {
        let partition = staff_partition(tenant);
        let found = self.query_all(Table::Catalog, &partition, SortKeys::All, Consistency::Strong).await?;
        for item in found {
            let stored: Stored<StaffMember> = decode_authored(item)?;
            if stored.value.id != *person && stored.value.is_admin() {
                return Ok(Some(stored));
            }
        }
        Ok(None)
    }

    /// Changes or removes a person, like [`Store::change_authored`], on condition that another one is as she was read.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer. The inner error is why it did not happen: also that the other one
    /// was changed.
    pub async fn change_staff_beside(
        &self,
        tenant: TenantId,
        token: &str,
        change: StaffChange<'_>,
    ) -> Result<Result<(), ChangeRefusal>, StoreError> {
        let StaffChange { before, after, beside } = change;
        let mut plan = Plan::new();
        for (key, write) in plan_change(tenant, Some(before), after)?.writes() {
            add(&mut plan, key.clone(), write.action.clone(), Some(write.refusal))?;
        }
        let other = StaffMember::place(tenant, &beside.value.id);
        add(&mut plan, other, Action::Check(condition(Some(beside))), None)?;
        let Err(refused) = self.commit(&plan, token).await? else { return Ok(Ok(())) };
        let own = refused.into_iter().filter_map(|Refused { refusal, old }| {
            let refusal = refusal?;
            Some(Refused { refusal, old })
        });
        let own: Vec<Refused<ChangeRefusal>> = own.collect();
        // Where nothing else stands against it, the other one was changed.
        if own.is_empty() { Ok(Err(ChangeRefusal::Changed)) } else { judge(&own, after) }
    }

    /// A session and its person, in one round trip and as they are now: whoever is sent home has no session from then
    /// on, in no process.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_session(&self, token: &SessionToken) -> Result<Option<FoundSession>, StoreError> {
        let person = Key::staff(token.tenant, &token.person);
        let session = session_key(token);
        let (person, session) = tokio::join!(
            self.load_authored::<StaffMember>(&person),
            self.get::<StaffSession>(&session, Consistency::Strong)
        );
        let found = person?.zip(session?);
        Ok(found.map(|(person, session)| FoundSession { person: person.value, session }))
    }

    /// Uses the link of a request to sign in and begins the session that it opens, both or none; false when another
    /// call has used the link. The call is named by a text of its own, of at most 36 characters.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn begin_session(
        &self,
        request: &Key,
        call: &str,
        token: &SessionToken,
        session: &StaffSession,
    ) -> Result<bool, StoreError> {
        let place = session_key(token);
        let item = encode(&place, session)?;
        let mut absent = Expression::new();
        absent.require_no_item();
        let mut plan = Plan::new();
        add(&mut plan, request.clone(), Action::Update(redemption(call)), ())?;
        add(&mut plan, place, Action::Put(item, absent), ())?;
        Ok(self.commit(&plan, call).await?.is_ok())
    }

    /// Ends a session.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn end_session(&self, token: &SessionToken) -> Result<(), StoreError> {
        self.write(&session_key(token), Action::Delete(Expression::new())).await.map(|_| ())
    }

    /// Deletes sessions of a person that ended by themselves, some at a time.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn delete_ended_sessions(
        &self,
        tenant: TenantId,
        person: &StaffId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let partition = staff_sessions_partition(tenant, person);
        let found = self.query_all(Table::Catalog, &partition, SortKeys::All, Consistency::Eventual).await?;
        let mut over = Vec::new();
        for item in found {
            let hash = hash_of(&item);
            let session: StaffSession = decode(item)?;
            over.extend(hash.filter(|_| session.is_over(now)));
        }
        for hash in over.into_iter().take(MAX_DELETED) {
            let place = Key::staff_session(tenant, person, &hash);
            let _ = self.write(&place, Action::Delete(Expression::new())).await?;
        }
        Ok(())
    }
}

fn hash_of(item: &Item) -> Option<String> {
    sort_key(item).map(str::to_owned)
}
