//! Applications of merchants. An application and its merchant are made in one transaction and changed in one. Where
//! a merchant stands is said by the merchant alone; the application says which revision of it was read.

use crate::order::{DueClock, DueKind, due_as};
use crate::plan::add;
use crate::{
    Action, Consistency, Expression, Key, Plan, Refused, Store, StoreError, decode, encode, number, text,
};
use domain::merchant::{Merchant, MerchantStatus, RateCard};
use domain::onboarding::Boarding;
use domain::{BoardingRefId, Mid, TenantId, Timestamp};

/// The attribute that counts the changes of an application.
const REVISION: &str = "revision";
/// The attribute that says where a merchant stands.
const STATUS: &str = "status";

/// What a failed condition of a transaction about an application means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BoardingRefusal {
    /// The application is there already, or no longer as it was read.
    Application,
    /// The merchant is there already, or no longer where it stood.
    Merchant,
}

/// Whose clock makes an application due.
fn clock_of(boarding: &Boarding) -> DueClock {
    if boarding.chosen_clock { DueClock::Chosen } else { DueClock::Real }
}

/// The item of an application; the underwriter finds it where it is due.
fn put_boarding(
    tenant: TenantId,
    boarding: &Boarding,
    due_at: Option<Timestamp>,
    condition: Expression,
) -> Result<(Key, Action), StoreError> {
    let key = Key::boarding(tenant, &boarding.reference);
    let mut item = encode(&key, boarding)?;
    if let Some(at) = due_at {
        item.extend(due_as(&boarding.reference.to_string(), at, clock_of(boarding), DueKind::Merchants));
    }
    Ok((key, Action::Put(item, condition)))
}

/// The transaction that makes an application and its merchant.
///
/// # Errors
/// [`StoreError`] when one of them has no representation.
pub fn plan_board(
    tenant: TenantId,
    boarding: &Boarding,
    due_at: Option<Timestamp>,
    merchant: &Merchant,
) -> Result<Plan<BoardingRefusal>, StoreError> {
    let mut absent = Expression::new();
    absent.require_no_item();
    let mut plan = Plan::new();
    let (key, action) = put_boarding(tenant, boarding, due_at, absent.clone())?;
    add(&mut plan, key, action, BoardingRefusal::Application)?;
    let key = Key::merchant(tenant, &merchant.mid);
    let item = encode(&key, merchant)?;
    add(&mut plan, key, Action::Put(item, absent), BoardingRefusal::Merchant)?;
    Ok(plan)
}

/// The transaction that changes an application as it was read, with what its merchant shows of it. The rate card is
/// the operator's, and stays.
///
/// # Errors
/// [`StoreError`] when the application has no representation.
pub fn plan_change_boarding(
    tenant: TenantId,
    boarding: &Boarding,
    due_at: Option<Timestamp>,
    before: &Merchant,
    after: &Merchant,
) -> Result<Plan<BoardingRefusal>, StoreError> {
    let mut unchanged = Expression::new();
    unchanged.require_equal(REVISION, number(boarding.revision.saturating_sub(1)));
    let mut plan = Plan::new();
    let (key, action) = put_boarding(tenant, boarding, due_at, unchanged)?;
    add(&mut plan, key, action, BoardingRefusal::Application)?;
    let mut update = status_change(before.status, after.status);
    update.assign("name", text(&after.name));
    update.assign("descriptor", text(&after.descriptor));
    let key = Key::merchant(tenant, &after.mid);
    add(&mut plan, key, Action::Update(update), BoardingRefusal::Merchant)?;
    Ok(plan)
}

/// The transaction that carries out what the underwriter decided of an application as it was read.
///
/// # Errors
/// [`StoreError`] when it cannot be built.
pub fn plan_decide(
    tenant: TenantId,
    boarding: &Boarding,
    decision: MerchantStatus,
) -> Result<Plan<BoardingRefusal>, StoreError> {
    let mut plan = Plan::new();
    let key = Key::boarding(tenant, &boarding.reference);
    add(&mut plan, key, Action::Update(not_due(boarding)), BoardingRefusal::Application)?;
    let key = Key::merchant(tenant, &boarding.mid);
    let update = status_change(MerchantStatus::Pending, decision);
    add(&mut plan, key, Action::Update(update), BoardingRefusal::Merchant)?;
    Ok(plan)
}

fn not_due(boarding: &Boarding) -> Expression {
    let mut update = Expression::new();
    update.require_equal(REVISION, number(boarding.revision));
    update.remove(&["due_pk"]);
    update.remove(&["due_at"]);
    update
}

fn status_change(before: MerchantStatus, after: MerchantStatus) -> Expression {
    let mut update = Expression::new();
    update.require_equal(STATUS, text(before.as_str()));
    update.assign(STATUS, text(after.as_str()));
    update
}

impl Store {
    /// Makes an application and its merchant; the inner error is the application that is there already. The token
    /// names this attempt.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened, or another merchant has the mid.
    pub async fn board(
        &self,
        tenant: TenantId,
        plan: &Plan<BoardingRefusal>,
        token: &str,
    ) -> Result<Result<(), Box<Boarding>>, StoreError> {
        let Err(refused) = self.commit(plan, token).await? else { return Ok(Ok(())) };
        let earlier = refused.into_iter().find(|refused| refused.refusal == BoardingRefusal::Application);
        match earlier {
            Some(Refused { refusal: _, old: Some(old) }) => Ok(Err(Box::new(decode(old)?))),
            Some(Refused { refusal: _, old: None }) => {
                Err(StoreError::corrupt("a refused application came without the earlier one"))
            }
            None => Err(StoreError::corrupt(format!("tenant {tenant} has another merchant of a new mid"))),
        }
    }

    /// An application with its merchant, in one round trip.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_boarding(
        &self,
        tenant: TenantId,
        reference: &BoardingRefId,
        mid: &Mid,
    ) -> Result<Option<(Boarding, Merchant)>, StoreError> {
        let keys = (Key::boarding(tenant, reference), Key::merchant(tenant, mid));
        let mut found = self.get_many([keys.0.clone(), keys.1.clone()], Consistency::Strong).await?;
        let Some(boarding) = found.take(&keys.0)? else { return Ok(None) };
        let merchant = found.take(&keys.1)?;
        let merchant = merchant.ok_or_else(|| StoreError::corrupt("an application has no merchant"))?;
        Ok(Some((boarding, merchant)))
    }

    /// One application, for the underwriter.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_application(
        &self,
        tenant: TenantId,
        reference: &BoardingRefId,
    ) -> Result<Option<Boarding>, StoreError> {
        self.get(&Key::boarding(tenant, reference), Consistency::Strong).await
    }

    /// Takes an application that nobody has to decide on out of what is due, unless it was changed meanwhile.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn settle_application(&self, tenant: TenantId, boarding: &Boarding) -> Result<(), StoreError> {
        let key = Key::boarding(tenant, &boarding.reference);
        self.write(&key, Action::Update(not_due(boarding))).await.map(|_| ())
    }

    /// Sets what a sale costs a merchant, and nothing else of it; false when there is no such merchant.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn set_rate_card(
        &self,
        tenant: TenantId,
        mid: &Mid,
        rate_card: &RateCard,
    ) -> Result<bool, StoreError> {
        self.note_priced(tenant, mid).await?;
        let mut update = Expression::new();
        update.require_item();
        let card = serde_dynamo::to_attribute_value(rate_card).map_err(StoreError::corrupt)?;
        update.assign("rate_card", card);
        Ok(self.write(&Key::merchant(tenant, mid), Action::Update(update)).await?.is_ok())
    }

    /// Moves a merchant from where it stood when it was read, and changes nothing else of it; false when it stands
    /// elsewhere by now.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn decide_merchant(
        &self,
        tenant: TenantId,
        mid: &Mid,
        before: MerchantStatus,
        after: MerchantStatus,
    ) -> Result<bool, StoreError> {
        let update = status_change(before, after);
        Ok(self.write(&Key::merchant(tenant, mid), Action::Update(update)).await?.is_ok())
    }
}
