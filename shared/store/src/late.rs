//! The writes about money that came after an order had given everything back.

use crate::order::{DueClock, DueKind, due};
use crate::outbox::put_mail;
use crate::plan::add;
use crate::{Action, AttributeValue, Expression, Key, Plan, StoreError, text};
use domain::Timestamp;
use domain::order::{LateMoney, Order};
use domain::outbox::OutboxMail;

/// Somebody else noted it, or brought it to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LateMoneyMoved;

fn value_of(late: &LateMoney) -> Result<AttributeValue, StoreError> {
    serde_dynamo::to_attribute_value(late).map_err(StoreError::corrupt)
}

/// The write that notes it with a voided order, and makes it due at its deadline.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub fn plan_note_late(
    order: &Order,
    late: &LateMoney,
    deadline: Timestamp,
) -> Result<Plan<LateMoneyMoved>, StoreError> {
    let mut plan = Plan::new();
    let mut update = Expression::new();
    let (state, void) = (update.path(&["state", "state"]), update.text("void"));
    update.require(format!("{state} = {void}"));
    let noted = update.path(&["late_money"]);
    update.require(format!("attribute_not_exists({noted})"));
    update.assign("late_money", value_of(late)?);
    for (name, value) in due(&order.id, deadline, DueClock::of(order), DueKind::Orders) {
        update.assign(&name, value);
    }
    add(&mut plan, Key::order(order.tenant, &order.id), Action::Update(update), LateMoneyMoved)?;
    Ok(plan)
}

/// The transaction that ends it, with the mail about it.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub fn plan_end_late(
    order: &Order,
    late: &LateMoney,
    mail: Option<&OutboxMail>,
    mails_due: Timestamp,
) -> Result<Plan<LateMoneyMoved>, StoreError> {
    let mut plan = Plan::new();
    let mut update = Expression::new();
    let (state, pending) = (update.path(&["late_money", "state", "state"]), update.text("pending"));
    update.require(format!("{state} = {pending}"));
    let refund = update.path(&["late_money", "refund"]);
    let own = update.value(text(late.refund.as_str()));
    update.require(format!("{refund} = {own}"));
    update.assign("late_money", value_of(late)?);
    update.remove(&["due_pk"]);
    update.remove(&["due_at"]);
    add(&mut plan, Key::order(order.tenant, &order.id), Action::Update(update), LateMoneyMoved)?;
    if let Some(mail) = mail {
        let (key, action) = put_mail(order, mail, mails_due)?;
        add(&mut plan, key, action, LateMoneyMoved)?;
    }
    Ok(plan)
}
