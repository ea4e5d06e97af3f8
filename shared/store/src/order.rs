//! Orders and their tickets.

use crate::{
    Action, AttributeValue, Consistency, Expression, Item, Key, SortKeys, Store, StoreError, Table, decode,
    number, order_partition_of, partition_of, sort_key, text,
};
use domain::compare::phone_digits;
use domain::email::comparable_email;
use domain::order::{AfterSale, Order, Ticket, TicketChunk};
use domain::outbox::MailKind;
use domain::{BoardingRefId, OrderId, SaleId, TemplateId, TenantId, Timestamp};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::Arc;

mod untouched;

pub(crate) use untouched::{require_admission, require_after_sale, require_edits, require_paid};

/// Partitions the due index is spread over.
pub const DUE_SPREAD: u8 = 16;

/// Attributes of the due index: work of this order is due at an instant. Work made under a chosen clock has
/// partitions of its own, which the real schedule never reads.
pub(crate) fn due(
    order: &OrderId,
    at: Timestamp,
    clock: DueClock,
    kind: DueKind,
) -> [(String, AttributeValue); 2] {
    due_as(order.as_str(), at, clock, kind)
}

/// Attributes of the due index: work with this name is due at an instant.
pub(crate) fn due_as(
    name: &str,
    at: Timestamp,
    clock: DueClock,
    kind: DueKind,
) -> [(String, AttributeValue); 2] {
    let spread = Sha256::digest(name)[0] % DUE_SPREAD;
    [
        ("due_pk".to_owned(), text(due_partition(clock, kind, spread))),
        ("due_at".to_owned(), number(at.timestamp())),
    ]
}

/// Whose clock makes work due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueClock {
    /// Real time.
    Real,
    /// A clock chosen by a caller of a sandbox tenant.
    Chosen,
}

impl DueClock {
    /// The clock of an order.
    #[must_use]
    pub fn of(order: &Order) -> Self {
        if order.chosen_clock { Self::Chosen } else { Self::Real }
    }
}

/// What is due. Each kind has partitions of its own, so that mails nobody can send hold back no order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueKind {
    /// Orders to settle or void.
    Orders,
    /// Mails to enqueue again.
    Mails,
    /// Slots to make.
    Slots,
    /// Applications of merchants to decide on.
    Merchants,
    /// Sales with refunds to finish.
    Refunds,
}

impl DueKind {
    pub(crate) fn table(self) -> Table {
        match self {
            Self::Orders | Self::Mails => Table::Orders,
            Self::Slots => Table::Catalog,
            Self::Merchants | Self::Refunds => Table::Merchants,
        }
    }
}

pub(crate) fn due_partition(clock: DueClock, kind: DueKind, spread: u8) -> String {
    match (clock, kind) {
        (DueClock::Real, DueKind::Orders) => format!("DUE#{spread:02}"),
        (DueClock::Chosen, DueKind::Orders) => format!("CHOSEN#{spread:02}"),
        (DueClock::Real, DueKind::Mails) => format!("DUEMAIL#{spread:02}"),
        (DueClock::Chosen, DueKind::Mails) => format!("CHOSENMAIL#{spread:02}"),
        (DueClock::Real, DueKind::Slots) => format!("DUESLOTS#{spread:02}"),
        (DueClock::Chosen, DueKind::Slots) => format!("CHOSENSLOTS#{spread:02}"),
        (DueClock::Real, DueKind::Merchants) => format!("DUEMERCHANTS#{spread:02}"),
        (DueClock::Chosen, DueKind::Merchants) => format!("CHOSENMERCHANTS#{spread:02}"),
        (DueClock::Real, DueKind::Refunds) => format!("DUEREFUNDS#{spread:02}"),
        (DueClock::Chosen, DueKind::Refunds) => format!("CHOSENREFUNDS#{spread:02}"),
    }
}

/// The form in which a phone number or a code is looked up: its hash, so that no key of the table
/// shows it.
#[must_use]
pub fn contact_hash(contact: &str) -> String {
    hex::encode(Sha256::digest(contact.trim().to_lowercase()))
}

/// The form in which an e-mail address is looked up, however it is spelled.
#[must_use]
pub fn email_hash(email: &str) -> String {
    contact_hash(&comparable_email(email))
}

/// Work that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DueWork {
    /// An order to settle or void.
    Order(TenantId, OrderId),
    /// A mail to enqueue again.
    Mail(TenantId, OrderId, MailKind),
    /// A template whose slots are to be made.
    Slots(TenantId, TemplateId),
    /// An application to decide on.
    Merchant(TenantId, BoardingRefId),
    /// A sale with refunds to finish.
    Refunds(TenantId, SaleId),
}

impl DueWork {
    /// Whose work it is.
    #[must_use]
    pub fn tenant(&self) -> TenantId {
        match self {
            Self::Order(tenant, _)
            | Self::Mail(tenant, _, _)
            | Self::Slots(tenant, _)
            | Self::Merchant(tenant, _)
            | Self::Refunds(tenant, _) => *tenant,
        }
    }

    pub(crate) fn read(key: &Key) -> Option<Self> {
        let (tenant, partition) = key.pk.strip_prefix("T#")?.split_once('#')?;
        let tenant = TenantId::parse(tenant.parse().ok()?).ok()?;
        if let Some(reference) = partition.strip_prefix("ONBOARD#") {
            return BoardingRefId::parse(reference).ok().map(|found| Self::Merchant(tenant, found));
        }
        if let Some(sale) = partition.strip_prefix("SALE#") {
            return SaleId::parse(sale).ok().map(|found| Self::Refunds(tenant, found));
        }
        let Some(order) = partition.strip_prefix("ORDER#") else {
            let template = TemplateId::parse(&key.sk).ok()?;
            return (*key == Key::generation(tenant, &template)).then_some(Self::Slots(tenant, template));
        };
        let order = OrderId::parse(order).ok()?;
        if key.sk == "ORDER" {
            return Some(Self::Order(tenant, order));
        }
        let kind = key.sk.strip_prefix("OUTBOX#")?;
        let kind = MailKind::parse(kind)?;
        Some(Self::Mail(tenant, order, kind))
    }
}

impl Store {
    /// One order, whatever its state.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_order(&self, tenant: TenantId, id: &OrderId) -> Result<Option<Order>, StoreError> {
        self.get(&Key::order(tenant, id), Consistency::Strong).await
    }

    /// One order with its tickets as they are now, in one round trip.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_order_with_tickets(
        &self,
        tenant: TenantId,
        id: &OrderId,
    ) -> Result<Option<(Order, Vec<Ticket>)>, StoreError> {
        order_with_tickets(self.load_order_items(tenant, id).await?)
    }

    /// All that is kept of one order in its partition.
    pub(crate) async fn load_order_items(
        &self,
        tenant: TenantId,
        id: &OrderId,
    ) -> Result<Vec<Item>, StoreError> {
        let partition = order_partition_of(tenant, id);
        self.query_all(Table::Orders, &partition, SortKeys::All, Consistency::Strong).await
    }

    /// Orders placed with an e-mail address or a phone number, newest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_orders(
        &self,
        tenant: TenantId,
        contact: ContactDetail<'_>,
    ) -> Result<Vec<Order>, StoreError> {
        let (kind, hash) = contact.lookup();
        let partition = partition_of(tenant, &format!("{kind}#{hash}"));
        let found =
            self.query_all(Table::Orders, &partition, SortKeys::LastFirst, Consistency::Strong).await?;
        let ids: Vec<OrderId> = found.iter().filter_map(order_in).collect();
        self.load_orders(tenant, &ids).await
    }

    /// The order that holds a duplicate guard.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_guard(&self, tenant: TenantId, hash: &str) -> Result<Option<OrderId>, StoreError> {
        let guard = self.get_item(&Key::duplicate_guard(tenant, hash), Consistency::Strong).await?;
        Ok(guard.as_ref().and_then(order_in))
    }

    /// Work of one kind due by `until`, the oldest `limit` of each of its partitions, read at once.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_due(
        &self,
        clock: DueClock,
        kind: DueKind,
        until: Timestamp,
        limit: usize,
    ) -> Result<Vec<DueWork>, StoreError> {
        self.load_due_but(clock, kind, until, limit, &BTreeSet::new()).await
    }

    /// The same but for the work of some tenants, which holds nobody else's back.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_due_but(
        &self,
        clock: DueClock,
        kind: DueKind,
        until: Timestamp,
        limit: usize,
        asleep: &BTreeSet<TenantId>,
    ) -> Result<Vec<DueWork>, StoreError> {
        let asleep: Arc<[String]> = asleep.iter().map(|tenant| partition_of(*tenant, "")).collect();
        let mut queries = tokio::task::JoinSet::new();
        for spread in 0..DUE_SPREAD {
            let (store, asleep) = (self.clone(), Arc::clone(&asleep));
            let (table, partition) = (kind.table(), due_partition(clock, kind, spread));
            let is_awake = move |key: &Key| !asleep.iter().any(|tenant| key.pk.starts_with(tenant.as_str()));
            queries.spawn(async move {
                store.query_due(table, &partition, until.timestamp(), limit, is_awake).await
            });
        }
        let mut work = Vec::new();
        while let Some(found) = queries.join_next().await {
            let found = found.map_err(|fault| StoreError::new(crate::StoreFault::TryAgain, fault))??;
            work.extend(found.iter().filter_map(DueWork::read));
        }
        Ok(work)
    }

    /// Makes an order that could not be finished due again at `at`, so that others have their turn; unless it was
    /// finished meanwhile.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn postpone_order(
        &self,
        tenant: TenantId,
        order: &OrderId,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut update = Expression::new();
        let (state, pending) = (update.path(&["state", "state"]), update.text("pending"));
        update.require(format!("{state} = {pending}"));
        update.assign("due_at", number(at.timestamp()));
        Ok(self.write(&Key::order(tenant, order), Action::Update(update)).await?.is_ok())
    }
}

/// The order that an item leads to.
pub(crate) fn order_in(item: &Item) -> Option<OrderId> {
    OrderId::parse(item.get("order")?.as_s().ok()?).ok()
}

/// The update of an order with which nothing was done since it was read.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub(crate) fn after_sale_update(order: &Order, next: &AfterSale) -> Result<Expression, StoreError> {
    let mut update = Expression::new();
    set_after_sale(&mut update, order, next)?;
    Ok(update)
}

/// Adds what was done with an order since it was paid to an update of it, on condition that nothing else was.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub(crate) fn set_after_sale(
    update: &mut Expression,
    order: &Order,
    next: &AfterSale,
) -> Result<(), StoreError> {
    require_after_sale(update, order);
    let next: AttributeValue = serde_dynamo::to_attribute_value(next).map_err(StoreError::corrupt)?;
    update.assign("after_sale", next);
    Ok(())
}

/// The order among what is kept of it, with its tickets as they are now.
pub(crate) fn order_with_tickets(items: Vec<Item>) -> Result<Option<(Order, Vec<Ticket>)>, StoreError> {
    let mut order = None;
    let mut tickets = Vec::new();
    for item in items {
        match sort_key(&item) {
            Some("ORDER") => order = Some(decode::<Order>(item)?),
            Some(sk) if sk.starts_with("TICKETS#") => tickets.extend(decode::<TicketChunk>(item)?.tickets),
            _ => {}
        }
    }
    Ok(order.map(|order| {
        let tickets = with_statuses(&order, tickets);
        (order, tickets)
    }))
}

/// The tickets of an order as they are now, which the order says.
pub(crate) fn with_statuses(order: &Order, mut tickets: Vec<Ticket>) -> Vec<Ticket> {
    let statuses = order.after_sale.ticket_statuses();
    for ticket in &mut tickets {
        if let Some(status) = statuses.get(&ticket.id) {
            ticket.status = *status;
        }
    }
    tickets
}

/// A contact detail orders are found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactDetail<'a> {
    /// An e-mail address, compared without case.
    Email(&'a str),
    /// A phone number, compared by its digits.
    Phone(&'a str),
}

impl ContactDetail<'_> {
    pub(crate) fn lookup(self) -> (&'static str, String) {
        match self {
            Self::Email(email) => ("EMAIL", email_hash(email)),
            Self::Phone(phone) => ("PHONE", contact_hash(&phone_digits(phone))),
        }
    }
}
