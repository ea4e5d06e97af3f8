//! What leads to orders (decision record 0141). The number is claimed as the order is secured, and contacts are written
//! as it is settled. All else are pointers: items that only say which order they lead to. They are written before the
//! order is paid, so that a paid order is found by all of them, and whoever reads them passes by what is not paid.

use crate::order::ContactDetail;
use crate::walk::WalkedItem;
use crate::{
    Action, AttributeValue, Calls, Expression, Item, Key, Store, StoreError, StoreFault, decode, number, text,
};
use domain::compare::phone_digits;
use domain::order::search::{first_letters, lookup_day};
use domain::order::{FormResponse, Order, OrderForm, OrderState, Ticket, TicketChunk};
use domain::reconciliation::OrderLead;
use domain::{BarcodeTag, InstanceId, OrderId, TenantId, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use tokio::task::JoinSet;

/// Writes that are on their way at a time.
const AT_ONCE: usize = 25;

/// The attribute of a pointer that says when its order was made, in milliseconds.
pub(crate) const CREATED: &str = "created";
/// The attribute with the last names that a pointer leads by.
pub(crate) const NAMES: &str = "names";
/// The attribute with the form that was answered.
pub(crate) const FORM: &str = "form";
/// The attribute with the event that a form was answered for.
pub(crate) const EVENT: &str = "event";

/// Another order's barcodes begin like those of this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BarcodesTaken;

/// An item that leads to an order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pointer {
    by: OrderLead,
    pub(crate) key: Key,
    pub(crate) item: Item,
}

impl Pointer {
    fn new(by: OrderLead, key: Key, order: &OrderId) -> Self {
        let item = reference(&key, order);
        Self { by, key, item }
    }

    fn with(mut self, attribute: &str, value: AttributeValue) -> Self {
        self.item.insert(attribute.to_owned(), value);
        self
    }

    /// Lies where it leads to an order of this instant.
    fn made(self, created_at: Timestamp) -> Self {
        self.with(CREATED, number(created_at.timestamp_millis()))
    }

    /// Written without a condition but for barcodes, of which no two orders may have the same.
    fn put(self, order: &OrderId) -> (Key, Action) {
        let mut condition = Expression::new();
        if self.by == OrderLead::Barcode {
            let (pk, pointer) = (condition.path(&["pk"]), condition.path(&["order"]));
            let own = condition.text(order.as_str());
            condition.require(format!("(attribute_not_exists({pk}) OR {pointer} = {own})"));
        }
        (self.key, Action::Put(self.item, condition))
    }

    fn delete(self, order: &OrderId) -> (Key, Action) {
        let mut condition = Expression::new();
        condition.require_equal("order", text(order.as_str()));
        (self.key, Action::Delete(condition))
    }
}

/// An item that says no more than which order it belongs to.
pub(crate) fn reference(key: &Key, order: &OrderId) -> Item {
    let mut item = key.attributes();
    item.insert("order".to_owned(), text(order.as_str()));
    item
}

/// The pointers of an order that follow from itself.
pub(crate) fn pointers_of(order: &Order) -> Vec<Pointer> {
    let events = order.instances();
    let tag = order.tag.as_ref().filter(|_| !events.is_empty());
    let barcode = tag.map(|tag| barcode_pointer(order.tenant, &order.id, tag));
    let events = events.iter().map(|event| event_pointer(order, event));
    let days = order.lookup_days().into_iter().map(|day| {
        let key = Key::order_of_day(order.tenant, day, &order.id);
        Pointer::new(OrderLead::Day, key, &order.id).made(order.created_at)
    });
    let responses = order.forms.iter().flat_map(|form| &form.responses);
    let responses_by_id = responses.map(|response| {
        let key = Key::order_of_response(order.tenant, &response.id, &order.id);
        Pointer::new(OrderLead::Response, key, &order.id)
    });
    let listed = order.forms.iter().flat_map(|form| form.responses.iter().map(move |one| (form, one)));
    let listed = listed.map(|(form, response)| response_pointer(order, form, response));
    let pointers = barcode.into_iter().chain(events).chain(days).chain(name_pointers(order));
    pointers.chain(responses_by_id).chain(listed).collect()
}

fn barcode_pointer(tenant: TenantId, order: &OrderId, tag: &BarcodeTag) -> Pointer {
    Pointer::new(OrderLead::Barcode, Key::order_of_barcode(tenant, tag), order)
}

fn event_pointer(order: &Order, event: &InstanceId) -> Pointer {
    let key = Key::order_of_event(order.tenant, event, &order.id);
    Pointer::new(OrderLead::Event, key, &order.id).made(order.created_at)
}

/// One for each beginning of last names, with the names that begin so.
fn name_pointers(order: &Order) -> Vec<Pointer> {
    let mut names: BTreeMap<String, Vec<AttributeValue>> = BTreeMap::new();
    for name in order.last_names() {
        if let Some(letters) = first_letters(&name) {
            names.entry(letters).or_default().push(text(name));
        }
    }
    let pointer = |(letters, names): (String, Vec<AttributeValue>)| {
        let key = Key::order_of_name(order.tenant, &letters, order.created_at, &order.id);
        Pointer::new(OrderLead::Name, key, &order.id).with(NAMES, AttributeValue::L(names))
    };
    names.into_iter().map(pointer).collect()
}

fn response_pointer(order: &Order, form: &OrderForm, response: &FormResponse) -> Pointer {
    let key = Key::form_response(order.tenant, order.created_at, &response.id, &order.id);
    let pointer = Pointer::new(OrderLead::Response, key, &order.id);
    pointer.with(FORM, text(form.form.as_str())).with(EVENT, text(response.event.to_string()))
}

/// What an exchange or the end of a refund adds to its own transaction: the day on which it is made leads to the order.
pub(crate) fn day_write(order: &Order, at: Timestamp) -> (Key, Action) {
    let key = Key::order_of_day(order.tenant, lookup_day(at), &order.id);
    Pointer::new(OrderLead::Day, key, &order.id).made(order.created_at).put(&order.id)
}

/// The same of an instance that tickets are exchanged for.
pub(crate) fn event_write(order: &Order, event: &InstanceId) -> (Key, Action) {
    event_pointer(order, event).put(&order.id)
}

/// What leads to an order by its contacts and names, as those are put right: what is new or differs is put, what led by
/// the old ones alone goes.
pub(crate) fn contact_writes(before: &Order, after: &Order) -> Vec<(Key, Action)> {
    let of = |order: &Order| -> BTreeMap<Key, Item> {
        let contacts = contact_keys(order).into_iter().map(|key| (key.clone(), reference(&key, &order.id)));
        let names = name_pointers(order).into_iter().map(|pointer| (pointer.key, pointer.item));
        contacts.chain(names).collect()
    };
    let (old, new) = (of(before), of(after));
    let gone = old.keys().filter(|key| !new.contains_key(key));
    let gone = gone.map(|key| (key.clone(), Action::Delete(Expression::new())));
    let put = new.iter().filter(|(key, item)| old.get(key) != Some(item));
    let put = put.map(|(key, item)| (key.clone(), Action::Put(item.clone(), Expression::new())));
    gone.chain(put).collect()
}

/// What leads to an order: the number from its beginning, all else once it is paid.
pub(crate) fn lookups_of(order: &Order, tickets: &[Ticket]) -> BTreeSet<(OrderLead, Key)> {
    let mut leads = BTreeSet::from([(OrderLead::Number, Key::order_number(order.tenant, &order.number))]);
    if order.paid_at().is_some() {
        leads.extend(contact_keys(order).into_iter().map(|key| (OrderLead::Contact, key)));
        leads.extend(pointers_of(order).into_iter().map(|pointer| (pointer.by, pointer.key)));
        let barcodes = tickets.iter().map(|ticket| ticket.barcode.tag());
        leads.extend(barcodes.map(|tag| (OrderLead::Barcode, Key::order_of_barcode(order.tenant, &tag))));
    }
    leads
}

/// Where the contacts of an order lead to it.
pub(crate) fn contact_keys(order: &Order) -> BTreeSet<Key> {
    let emails = [&order.contact.email, &order.billing.email].into_iter().flatten();
    let phones = [&order.contact.phone_number, &order.billing.phone_number].into_iter().flatten();
    let phones = phones.filter(|phone| !phone_digits(phone).is_empty());
    let contacts = emails
        .map(|email| ContactDetail::Email(email))
        .chain(phones.map(|phone| ContactDetail::Phone(phone)));
    contacts
        .map(|contact| {
            let (kind, hash) = contact.lookup();
            Key::order_contact(order.tenant, kind, hash.as_str(), order.created_at, &order.id)
        })
        .collect()
}

/// Whether a record is one of those that pointers follow from.
pub(crate) fn has_pointers(key: &Key) -> bool {
    key.sk == "ORDER" || key.sk.starts_with("TICKETS#")
}

/// What an order or a part of its tickets is to be found by, and what must hold as long as it is. An order that is
/// being paid is taken along, and tickets of before barcodes had a half in common have a pointer each.
pub(crate) fn pointers_as_read(
    row: &WalkedItem,
    item: Item,
) -> Result<(Vec<(Key, Item)>, Expression), StoreError> {
    let mut there = Expression::new();
    there.require_item();
    let pointers = if row.key.sk == "ORDER" {
        let order: Order = decode(item)?;
        match order.state {
            OrderState::Pending { .. } | OrderState::Paid { .. } => pointers_of(&order),
            OrderState::Void { .. } => Vec::new(),
        }
    } else {
        let order = row.partition.strip_prefix("ORDER#").and_then(|id| OrderId::parse(id).ok());
        let order = order.ok_or_else(|| StoreError::corrupt("tickets lie in the place of no order"))?;
        let tickets = decode::<TicketChunk>(item)?.tickets;
        let tags: BTreeSet<BarcodeTag> = tickets.iter().map(|ticket| ticket.barcode.tag()).collect();
        tags.iter().map(|tag| barcode_pointer(row.tenant, &order, tag)).collect()
    };
    Ok((pointers.into_iter().map(|pointer| (pointer.key, pointer.item)).collect(), there))
}

impl Store {
    /// Writes what an order will be found by once it is paid. Done twice, it changes nothing.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened. The inner error is why the order cannot be paid.
    pub async fn point_to(&self, order: &Order) -> Result<Result<(), BarcodesTaken>, StoreError> {
        let puts = pointers_of(order).into_iter().map(|pointer| pointer.put(&order.id));
        Ok(if self.write_each(puts).await? { Ok(()) } else { Err(BarcodesTaken) })
    }

    /// Deletes what leads to an order that will never be paid.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened.
    pub async fn unpoint(&self, order: &Order) -> Result<(), StoreError> {
        let deletes = pointers_of(order).into_iter().map(|pointer| pointer.delete(&order.id));
        self.write_each(deletes).await.map(|_| ())
    }

    /// Carries out single writes, some at a time; whether the conditions of all of them held.
    pub(crate) async fn write_each(
        &self,
        writes: impl IntoIterator<Item = (Key, Action)>,
    ) -> Result<bool, StoreError> {
        let writes: Vec<(Key, Action)> = writes.into_iter().collect();
        let mut left = writes.into_iter();
        let (mut running, mut all_held) = (JoinSet::new(), true);
        loop {
            while running.len() < AT_ONCE {
                let Some((key, action)) = left.next() else { break };
                let store = self.clone();
                let write = async move { store.write(&key, action).await };
                running.spawn(Calls::current().scope(write));
            }
            let Some(done) = running.join_next().await else { return Ok(all_held) };
            let done = done.map_err(|fault| StoreError::new(StoreFault::TryAgain, fault))??;
            all_held &= done.is_ok();
        }
    }
}

#[cfg(test)]
mod tests;
