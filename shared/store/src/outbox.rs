//! The mails that orders owe.

use crate::order::{DueClock, DueKind, due, order_with_tickets};
use crate::{
    Action, AttributeValue, Consistency, Expression, Key, SortKeys, Store, StoreError, Table, decode, encode,
    number, order_partition_of, sort_key,
};
use domain::order::{Order, Ticket};
use domain::outbox::{MailKind, MailState, OrderMail, OutboxMail};
use domain::{OrderId, TenantId, Timestamp};

/// A mail with what it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct MailWithOrder {
    pub mail: OutboxMail,
    pub order: Order,
    /// As they are now.
    pub tickets: Vec<Ticket>,
}

impl Store {
    /// One mail of an order, with the order and its tickets as they are now, in one round trip.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_mail_with_order(
        &self,
        tenant: TenantId,
        order: &OrderId,
        kind: MailKind,
    ) -> Result<Option<MailWithOrder>, StoreError> {
        let mut items = self.load_order_items(tenant, order).await?;
        let key = Key::outbox(tenant, order, kind);
        let Some(place) = items.iter().position(|item| sort_key(item) == Some(key.sk.as_str())) else {
            return Ok(None);
        };
        let mail = decode(items.remove(place))?;
        Ok(order_with_tickets(items)?.map(|(order, tickets)| MailWithOrder { mail, order, tickets }))
    }

    /// An order, and the mails it has owed since it was paid, sent or not.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_order_with_mails(
        &self,
        tenant: TenantId,
        id: &OrderId,
    ) -> Result<Option<(Order, Vec<OutboxMail>)>, StoreError> {
        let partition = order_partition_of(tenant, id);
        // The order stands before its mails, and `$` follows `#` in the order of sort keys.
        let range = SortKeys::Between("ORDER", "OUTBOX$");
        let items = self.query_all(Table::Orders, &partition, range, Consistency::Strong).await?;
        let mut order = None;
        let mut mails = Vec::new();
        for item in items {
            match sort_key(&item) {
                Some("ORDER") => order = Some(decode::<Order>(item)?),
                Some(sk) if sk.starts_with("OUTBOX#") => mails.push(decode(item)?),
                Some(_) | None => {}
            }
        }
        Ok(order.map(|order| (order, mails)))
    }

    /// One mail of an order.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_mail(
        &self,
        tenant: TenantId,
        order: &OrderId,
        kind: MailKind,
    ) -> Result<Option<OutboxMail>, StoreError> {
        self.get(&Key::outbox(tenant, order, kind), Consistency::Strong).await
    }

    /// Claims a mail for sending; false when someone else has it or it has been sent.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn claim_mail(
        &self,
        mail: &OrderMail,
        wall_now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, StoreError> {
        let key = Key::outbox(mail.tenant, &mail.order, mail.kind);
        Ok(self.write(&key, Action::Update(claimed(wall_now, until)?)).await?.is_ok())
    }

    /// Makes a mail due again at `at`, now that it is enqueued, unless it is finished.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn postpone_mail(&self, mail: &OrderMail, at: Timestamp) -> Result<bool, StoreError> {
        let mut update = Expression::new();
        let state = update.path(&["state", "state"]);
        let (queued, claimed) = (update.text("queued"), update.text("claimed"));
        update.require(format!("({state} = {queued} OR {state} = {claimed})"));
        update.assign("due_at", number(at.timestamp()));
        let key = Key::outbox(mail.tenant, &mail.order, mail.kind);
        Ok(self.write(&key, Action::Update(update)).await?.is_ok())
    }

    /// Records the end of a claimed mail, unless its claim has passed to someone else.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn finish_mail(
        &self,
        mail: &OrderMail,
        claimed_until: Timestamp,
        state: MailState,
    ) -> Result<bool, StoreError> {
        let mut update = finished(claimed_until, state)?;
        if !matches!(state, MailState::Queued) {
            update.remove(&["due_pk"]);
            update.remove(&["due_at"]);
        }
        let key = Key::outbox(mail.tenant, &mail.order, mail.kind);
        Ok(self.write(&key, Action::Update(update)).await?.is_ok())
    }
}

/// The update that claims a mail nobody else has.
pub(crate) fn claimed(wall_now: Timestamp, until: Timestamp) -> Result<Expression, StoreError> {
    let mut update = Expression::new();
    let (state, inner) = (update.path(&["state", "state"]), update.path(&["state", "until"]));
    let (queued, claimed) = (update.text("queued"), update.text("claimed"));
    let now = update.number(wall_now.timestamp_millis());
    update.require(format!("({state} = {queued} OR ({state} = {claimed} AND {inner} <= {now}))"));
    update.assign("state", mail_state(&MailState::Claimed { until })?);
    Ok(update)
}

/// The update that records the end of a claim.
pub(crate) fn finished(claimed_until: Timestamp, state: MailState) -> Result<Expression, StoreError> {
    let mut update = Expression::new();
    update.require_equal("state", mail_state(&MailState::Claimed { until: claimed_until })?);
    update.assign("state", mail_state(&state)?);
    Ok(update)
}

fn mail_state(state: &MailState) -> Result<AttributeValue, StoreError> {
    serde_dynamo::to_attribute_value(state).map_err(StoreError::corrupt)
}

/// The write of a mail that is enqueued again at an instant, should nobody have sent it by then.
pub(crate) fn put_mail(
    order: &Order,
    mail: &OutboxMail,
    again: Timestamp,
) -> Result<(Key, Action), StoreError> {
    let key = Key::outbox(order.tenant, &order.id, mail.kind);
    let mut item = encode(&key, mail)?;
    item.extend(due(&order.id, again, DueClock::of(order), DueKind::Mails));
    Ok((key, Action::Put(item, Expression::new())))
}
