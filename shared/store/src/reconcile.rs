//! Stored items as the records that are reconciled (`domain::reconciliation`), and reading single ones of them again.

use crate::admission::counts_in;
use crate::member::CLAIMED_BY;
use crate::order::order_in;
use crate::passages::COUNTS_SPREAD;
use crate::pointer::lookups_of;
use crate::walk::{Pace, Route, WalkedItem};
use crate::{
    AttributeValue, Consistency, Item, Key, SortKeys, Store, StoreError, Table, decode, order_partition_of,
};
use domain::entitlement::Tally;
use domain::ledger::Ledger;
use domain::membership::Membership;
use domain::order::{Order, OrderState, Ticket, TicketChunk};
use domain::outbox::OutboxMail;
use domain::reconciliation::{
    Belonging, Count, LookupPlace, MailRecord, MembershipRecord, OrderLookup, OrderRecords, SaleRecord,
};
use domain::sale::Sale;
use domain::{
    CardId, CouponId, CustomerId, InstanceId, InventoryId, MembershipId, OrderId, SaleId, TemplateId,
    TenantId,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// Partitions of orders, in the table of orders.
pub const ORDERS: &[&str] = &["#ORDER#"];
/// These, those of what orders are found by, and those of whom the doors let in.
pub const ORDERS_AND_LOOKUPS: &[&str] = &[
    "#ORDER#",
    "#NUMBER#",
    "#EMAIL#",
    "#PHONE#",
    "#BARCODE#",
    "#EVENT#",
    "#DAY#",
    "#NAME#",
    "#RESPONSES",
    "#RESPONSE#",
    "#ADMITTED#",
];
/// Partitions of sales and of the sandbox's payments, in the table of merchants.
pub const MONEY: &[&str] = &["#SALE#", "#SANDBOX#PAYMENT"];
/// Partitions of memberships, in the table of members.
pub const MEMBERSHIPS: &[&str] = &["#MEMBERSHIP#"];
/// Partitions of ledgers, in the table of reservations.
pub const LEDGERS: &[&str] = &["#SLOTS#"];

/// What an item is.
#[derive(Debug)]
pub enum Record {
    /// An order, and when it is due.
    Order(Box<Order>, Option<i64>),
    /// Tickets of an order.
    Tickets(Vec<Ticket>),
    /// A mail of an order.
    Mail(MailRecord),
    /// What leads to an order.
    OrderLookup(LookupPlace, OrderId),
    Sale(Box<SaleRecord>),
    /// A payment of the sandbox's processor, which alone reads it.
    SandboxPayment(Item),
    /// The ledger of a slot.
    Ledger(Box<Ledger>),
    Counters(Vec<(Count, i64)>),
    Customer(CustomerId),
    /// What leads to a customer.
    Lead(CustomerId),
    Membership(Box<MembershipRecord>),
    /// What a membership is found by.
    Lookup(MembershipId),
    /// The visits of a card.
    Visit(CardId),
    /// Nothing that is reconciled.
    Other,
}

/// What an item is.
///
/// # Errors
/// The key of one that does not read as what its place says it is.
pub fn record_of(row: WalkedItem) -> Result<Record, Key> {
    let WalkedItem { tenant: _, key, partition, item } = row;
    let record = match key.table {
        Table::Orders if partition.starts_with("ORDER#") => of_orders(&key.sk, item),
        Table::Orders if partition.starts_with("ADMITTED#") => of_doors(&key.sk, item),
        Table::Orders => lead(&key, &item).map(|(place, to)| Record::OrderLookup(place, to)),
        Table::Merchants => of_merchants(&partition, item),
        Table::Members => of_members(&partition, &key.sk, item),
        Table::Reservations if partition.starts_with("SLOTS#") => {
            decode(item).map(|ledger| Record::Ledger(Box::new(ledger)))
        }
        Table::Reservations | Table::Catalog | Table::Carts => Ok(Record::Other),
    };
    record.map_err(|_| key)
}

impl Store {
    /// Whether a tenant has an order that is paid or being paid. It walks through the table of orders until it finds one.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer, or an order does not read.
    pub async fn has_sold(&self, tenant: TenantId) -> Result<bool, StoreError> {
        let route = Route { table: Table::Orders, partitions: ORDERS, tenant: Some(tenant) };
        let pace = Pace { consistency: Consistency::Strong, pause: Duration::ZERO };
        let mut walk = self.walk(route, pace);
        while let Some(rows) = walk.next().await? {
            for row in rows.into_iter().filter(|row| row.key.sk == "ORDER") {
                match decode::<Order>(row.item)?.state {
                    OrderState::Pending { .. } | OrderState::Paid { .. } => return Ok(true),
                    OrderState::Void { .. } => {}
                }
            }
        }
        Ok(false)
    }
}

/// The order in whose partition an item lies.
#[must_use]
pub fn order_of(row: &WalkedItem) -> Option<OrderId> {
    OrderId::parse(row.partition.strip_prefix("ORDER#")?).ok()
}

fn of_orders(sk: &str, item: Item) -> Result<Record, StoreError> {
    let due_at = number_in(&item, "due_at").filter(|_| item.contains_key("due_pk"));
    match sk {
        "ORDER" => Ok(Record::Order(Box::new(decode(item)?), due_at)),
        sk if sk.starts_with("TICKETS#") => Ok(Record::Tickets(decode::<TicketChunk>(item)?.tickets)),
        sk if sk.starts_with("OUTBOX#") => {
            Ok(Record::Mail(MailRecord { mail: decode::<OutboxMail>(item)?, is_due: due_at.is_some() }))
        }
        _ => Ok(Record::Other),
    }
}

fn of_doors(sk: &str, item: Item) -> Result<Record, StoreError> {
    let (instance, counts) = counts_in(sk, item)?;
    let counts = [(Count::Admitted(instance), counts.admitted), (Count::Inside(instance), counts.inside)];
    Ok(Record::Counters(counts.into()))
}

/// The place of a lookup, and the order that it leads to.
fn lead(key: &Key, item: &Item) -> Result<(LookupPlace, OrderId), StoreError> {
    let order = order_in(item).ok_or_else(|| StoreError::corrupt("a lookup names no order"))?;
    Ok((LookupPlace::of(&key.pk, &key.sk), order))
}

fn of_merchants(partition: &str, item: Item) -> Result<Record, StoreError> {
    match partition {
        partition if partition.starts_with("SALE#") => sale_of(item).map(Box::new).map(Record::Sale),
        "SANDBOX#PAYMENT" => Ok(Record::SandboxPayment(item)),
        _ => Ok(Record::Other),
    }
}

fn of_members(partition: &str, sk: &str, item: Item) -> Result<Record, StoreError> {
    let (kind, id) = partition.split_once('#').unwrap_or((partition, ""));
    let record = match (kind, sk) {
        ("MEMBERSHIP", "MEMBERSHIP") => return membership_of(item).map(Box::new).map(Record::Membership),
        ("CUSTOMER", "CUSTOMER") => {
            let id = id.parse().ok().and_then(|id| CustomerId::parse(id).ok());
            id.map(Record::Customer)
        }
        ("CUSTOMEREMAIL" | "CUSTOMERMATCH", _) => {
            let to = number_in(&item, "customer").and_then(|id| CustomerId::parse(id).ok());
            to.map(Record::Lead)
        }
        ("NUMBER", sk) if sk.starts_with("USES#") => tally_of(id, sk).map(|tally| {
            let names = item.keys().filter(|name| name.contains('#'));
            let used = names.filter_map(|name| Some((name.clone(), number_in(&item, name)?)));
            Record::Counters(used.map(|(name, used)| (Count::Uses(tally.clone(), name), used)).collect())
        }),
        ("NUMBER" | "EXTERNAL" | "BARCODE" | "CARD" | "MEMBERSHIPS", _) => {
            let id = number_in(&item, "id").and_then(|id| MembershipId::parse(id).ok());
            id.map(Record::Lookup)
        }
        ("EMAIL" | "PHONE", sk) => {
            let id = sk.parse().ok().and_then(|id| MembershipId::parse(id).ok());
            id.map(Record::Lookup)
        }
        ("VISITS", sk) => sk.parse().ok().and_then(|id| CardId::parse(id).ok()).map(Record::Visit),
        ("COUPON", "USES") => counter(CouponId::parse(id).ok().map(Count::Coupon), &item),
        ("INVENTORY", "SOLD") => {
            let id = id.parse().ok().and_then(|id| InventoryId::parse(id).ok());
            counter(id.map(Count::Stock), &item)
        }
        _ => Some(Record::Other),
    };
    record.ok_or_else(|| StoreError::corrupt("the key of an item is not that of its kind"))
}

fn sale_of(item: Item) -> Result<SaleRecord, StoreError> {
    let is_due = item.contains_key("due_pk");
    Ok(SaleRecord { sale: decode::<Sale>(item)?, is_due })
}

fn counter(count: Option<Count>, item: &Item) -> Option<Record> {
    Some(Record::Counters(vec![(count?, number_in(item, USED)?)]))
}

/// The attribute of an item that is one counter.
const USED: &str = "used";

fn number_in(item: &Item, name: &str) -> Option<i64> {
    item.get(name)?.as_n().ok()?.parse().ok()
}

fn tally_of(number: &str, sk: &str) -> Option<Tally> {
    let (template, period) = sk.strip_prefix("USES#")?.split_once('#')?;
    Some(Tally {
        number: MembershipId::parse(number.parse().ok()?).ok()?,
        template: TemplateId::parse(template).ok()?,
        period: period.to_owned(),
    })
}

fn membership_of(item: Item) -> Result<MembershipRecord, StoreError> {
    let claimed_by = match item.get(CLAIMED_BY) {
        None => None,
        Some(AttributeValue::S(order)) => {
            Some(OrderId::parse(order).map_err(|_| StoreError::corrupt("a claim names no order"))?)
        }
        Some(_) => return Err(StoreError::corrupt("a claim names no order")),
    };
    Ok(MembershipRecord { membership: decode::<Membership>(item)?, claimed_by })
}

/// The records of one order while they come in.
#[derive(Debug, Default)]
pub struct OrderParts {
    order: Option<(Box<Order>, Option<i64>)>,
    tickets: Vec<Ticket>,
    mails: Vec<MailRecord>,
}

impl OrderParts {
    /// Takes a record that lies in the partition of the order.
    pub fn take(&mut self, record: Record) {
        match record {
            Record::Order(order, due_at) => self.order = Some((order, due_at)),
            Record::Tickets(tickets) => self.tickets.extend(tickets),
            Record::Mail(mail) => self.mails.push(mail),
            Record::Sale(_)
            | Record::SandboxPayment(_)
            | Record::OrderLookup(..)
            | Record::Ledger(_)
            | Record::Counters(_)
            | Record::Customer(_)
            | Record::Lead(_)
            | Record::Membership(_)
            | Record::Lookup(_)
            | Record::Visit(_)
            | Record::Other => {}
        }
    }

    /// The order with its records; without an order, what there is of it all the same.
    ///
    /// # Errors
    /// What there is without an order.
    pub fn finish(self) -> Result<OrderRecords, Vec<Belonging>> {
        let Self { order, tickets, mails } = self;
        if let Some((order, due_at)) = order {
            let place = |(by, key): (_, Key)| OrderLookup { by, place: LookupPlace::of(&key.pk, &key.sk) };
            let lookups = lookups_of(&order, &tickets).into_iter().map(place).collect();
            return Ok(OrderRecords { order: *order, due_at, tickets, mails, lookups });
        }
        let of_tickets = (!tickets.is_empty()).then_some(Belonging::Tickets(tickets.len()));
        Err(of_tickets
            .into_iter()
            .chain(mails.iter().map(|record| Belonging::Mail(record.mail.kind)))
            .collect())
    }
}

impl Store {
    /// An order with all records that share its place, after every earlier write.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer or an item does not read.
    pub async fn load_order_parts(&self, tenant: TenantId, id: &OrderId) -> Result<OrderParts, StoreError> {
        let partition = order_partition_of(tenant, id);
        let items = self.query_all(Table::Orders, &partition, SortKeys::All, Consistency::Strong).await?;
        let mut parts = OrderParts::default();
        for row in items.into_iter().filter_map(|item| WalkedItem::read(Table::Orders, item)) {
            parts.take(record_of(row).map_err(|key| StoreError::corrupt(key.sk))?);
        }
        Ok(parts)
    }

    /// What leads to an order, as far as it is there, with the order that each leads to, after every earlier write.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer or an item does not read.
    pub async fn load_order_lookups(
        &self,
        records: &OrderRecords,
    ) -> Result<Vec<(LookupPlace, OrderId)>, StoreError> {
        let lookups = lookups_of(&records.order, &records.tickets).into_iter();
        let keys: Vec<Key> = lookups.map(|(_, key)| key).collect();
        let found = self.get_many(keys.iter().cloned(), Consistency::Strong).await?;
        keys.iter().filter_map(|key| Some(lead(key, found.item(key)?))).collect()
    }

    /// A sale, after every earlier write.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer or the item does not read.
    pub async fn load_sale_record(
        &self,
        tenant: TenantId,
        id: &SaleId,
    ) -> Result<Option<SaleRecord>, StoreError> {
        self.get_item(&Key::sale(tenant, id), Consistency::Strong).await?.map(sale_of).transpose()
    }

    /// Memberships with those who claim them, as far as there are any, after every earlier write.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer or an item does not read.
    pub async fn load_membership_records(
        &self,
        tenant: TenantId,
        ids: &[MembershipId],
    ) -> Result<Vec<MembershipRecord>, StoreError> {
        let key = |id: &MembershipId| Key::membership(tenant, *id);
        let mut found = self.get_many(ids.iter().map(key), Consistency::Strong).await?;
        ids.iter().filter_map(|id| found.take_item(&key(id))).map(membership_of).collect()
    }

    /// What ledgers and counters say is used, after every earlier write; nothing where there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_counted(
        &self,
        tenant: TenantId,
        counts: &[Count],
    ) -> Result<BTreeMap<Count, i64>, StoreError> {
        let spread = |instance: &InstanceId| -> Vec<Key> {
            (0..COUNTS_SPREAD).map(|one| Key::admitted(tenant, instance, one)).collect()
        };
        let places = |count: &Count| -> (Vec<Key>, String) {
            match count {
                Count::Seats(instance) => (vec![Key::ledger(tenant, instance, 0)], "sold".to_owned()),
                Count::Coupon(coupon) => (vec![Key::coupon_uses(tenant, coupon)], USED.to_owned()),
                Count::Stock(inventory) => (vec![Key::units_sold(tenant, *inventory)], USED.to_owned()),
                Count::Uses(tally, counter) => (vec![Key::tally(tenant, tally)], counter.clone()),
                Count::Admitted(instance) => (spread(instance), "admitted".to_owned()),
                Count::Inside(instance) => (spread(instance), "inside".to_owned()),
            }
        };
        let keys = counts.iter().flat_map(|count| places(count).0);
        let found = self.get_many(keys, Consistency::Strong).await?;
        let counted = |count: &Count| {
            let (keys, name) = places(count);
            let numbers = keys.iter().filter_map(|key| number_in(found.item(key)?, &name));
            numbers.fold(0, i64::saturating_add)
        };
        Ok(counts.iter().map(|count| (count.clone(), counted(count))).collect())
    }
}
