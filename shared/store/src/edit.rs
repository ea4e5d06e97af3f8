//! What staff put right of paid orders, and the mails they have sent again (decision record 0142). Each is one
//! transaction, under the condition that nothing else was put right since the order was read.

use crate::checkout::absent;
use crate::order::require_edits;
use crate::outbox::put_mail;
use crate::plan::add;
use crate::pointer::contact_writes;
use crate::{Action, Expression, Key, Plan, StoreError, encode};
use domain::Timestamp;
use domain::order::Order;
use domain::outbox::{MAIL_RETRY_SECS, OutboxMail};
use domain::time::plus_secs;

/// Why an order is not put right, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PutRightRefusal {
    /// It is not as it was read.
    OrderMoved,
    /// An earlier try of this very request put the mail there.
    MailThere,
}

/// The attributes that change.
const CONTACTS: [&str; 5] = ["contact", "billing", "ticket_delivery_email", "notes", "edits"];

/// The transaction that puts the contacts of an order right, with what leads to it by them.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub fn plan_edit(before: &Order, after: &Order) -> Result<Plan<PutRightRefusal>, StoreError> {
    let mut plan = Plan::new();
    let (key, action) = edited(before, after, &CONTACTS)?;
    add(&mut plan, key, action, PutRightRefusal::OrderMoved)?;
    for (key, action) in contact_writes(before, after) {
        add(&mut plan, key, action, PutRightRefusal::OrderMoved)?;
    }
    Ok(plan)
}

/// The transaction that puts a mail there to be sent again, and notes it with the order.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub fn plan_mail_again(
    before: &Order,
    after: &Order,
    mail: &OutboxMail,
    at: Timestamp,
) -> Result<Plan<PutRightRefusal>, StoreError> {
    let mut plan = Plan::new();
    let (key, action) = edited(before, after, &["edits"])?;
    add(&mut plan, key, action, PutRightRefusal::OrderMoved)?;
    let (key, action) = put_mail(before, mail, plus_secs(at, MAIL_RETRY_SECS))?;
    let action = match action {
        Action::Put(item, _) => Action::Put(item, absent()),
        other @ (Action::Update(_) | Action::Delete(_) | Action::Check(_)) => other,
    };
    add(&mut plan, key, action, PutRightRefusal::MailThere)?;
    Ok(plan)
}

/// The update of these attributes of a paid order that was not put right since it was read.
fn edited(before: &Order, after: &Order, attributes: &[&str]) -> Result<(Key, Action), StoreError> {
    let key = Key::order(before.tenant, &before.id);
    let mut update = Expression::new();
    require_edits(&mut update, before);
    let mut item = encode(&key, after)?;
    for attribute in attributes {
        match item.remove(*attribute) {
            Some(value) => update.assign(attribute, value),
            None => update.remove(&[*attribute]),
        }
    }
    Ok((key, Action::Update(update)))
}
