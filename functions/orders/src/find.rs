//! What leads to orders, followed to the orders.

use crate::read::is_readable;
use adapters::App;
use domain::listing::Range;
use domain::order::Order;
use domain::{InstanceId, OrderId, OrderNumber, TenantId, TicketBarcode};
use store::StoreError;
use store::find::OrderHit;
use store::order::ContactDetail;

/// Orders that are looked through at most: of more, the newest.
const MOST: usize = 1_000;
/// So many are looked for, to know whether there are more.
const SOUGHT: usize = MOST.saturating_add(1);

/// What orders are found by.
#[derive(Debug, Clone)]
pub(crate) enum Lead {
    Number(OrderNumber),
    Barcode(TicketBarcode),
    Email(String),
    Phone(String),
    Event(InstanceId),
    /// How the last name of someone begins.
    Name(String),
    Made(Range),
}

/// Paid orders that were found, the newest first.
#[derive(Debug, Default)]
pub(crate) struct FoundOrders {
    pub(crate) orders: Vec<Order>,
    /// Whether there are more.
    pub(crate) truncated: bool,
}

impl FoundOrders {
    fn one(order: Option<Order>) -> Self {
        Self { orders: order.into_iter().collect(), truncated: false }
    }

    fn newest(mut orders: Vec<Order>) -> Self {
        let truncated = orders.len() > MOST;
        orders.truncate(MOST);
        Self { orders, truncated }
    }
}

/// The paid orders that something leads to.
pub(crate) async fn find(app: &App, tenant: TenantId, lead: &Lead) -> Result<FoundOrders, StoreError> {
    let store = &app.store;
    let mut found = match lead {
        Lead::Number(number) => match store.find_order_of_number(tenant, number).await? {
            Some(id) => FoundOrders::one(store.load_order(tenant, &id).await?),
            None => FoundOrders::default(),
        },
        Lead::Barcode(barcode) => FoundOrders::one(of_barcode(app, tenant, barcode).await?),
        Lead::Email(email) => {
            FoundOrders::newest(store.find_orders(tenant, ContactDetail::Email(email)).await?)
        }
        Lead::Phone(phone) => {
            FoundOrders::newest(store.find_orders(tenant, ContactDetail::Phone(phone)).await?)
        }
        Lead::Event(event) => {
            let orders = of_event(app, tenant, event).await?;
            FoundOrders { orders, truncated: false }
        }
        Lead::Name(beginning) => {
            let hits = store.find_orders_of_name(tenant, beginning, SOUGHT).await?;
            newest(app, tenant, hits).await?
        }
        Lead::Made(range) => {
            let hits = store.find_orders_made(tenant, *range, SOUGHT).await?;
            newest(app, tenant, hits).await?
        }
    };
    found.orders.retain(is_readable);
    Ok(found)
}

/// The order that has a ticket with this barcode. The first half of it leads there, and the order's tickets say whether
/// it is one of theirs.
pub(crate) async fn of_barcode(
    app: &App,
    tenant: TenantId,
    barcode: &TicketBarcode,
) -> Result<Option<Order>, StoreError> {
    let Some(id) = app.store.find_order_of_barcode(tenant, barcode).await? else { return Ok(None) };
    let Some((order, tickets)) = app.store.load_order_with_tickets(tenant, &id).await? else {
        return Ok(None);
    };
    Ok(tickets.iter().any(|ticket| ticket.barcode == *barcode).then_some(order))
}

/// The orders that have or had tickets for an instance, however many they are, the newest first. Those that are not
/// paid are among them.
pub(crate) async fn of_event(
    app: &App,
    tenant: TenantId,
    event: &InstanceId,
) -> Result<Vec<Order>, StoreError> {
    let hits = app.store.find_orders_of_event(tenant, event).await?;
    load(app, tenant, &hits).await
}

async fn newest(app: &App, tenant: TenantId, mut hits: Vec<OrderHit>) -> Result<FoundOrders, StoreError> {
    let truncated = hits.len() > MOST;
    hits.truncate(MOST);
    Ok(FoundOrders { orders: load(app, tenant, &hits).await?, truncated })
}

async fn load(app: &App, tenant: TenantId, hits: &[OrderHit]) -> Result<Vec<Order>, StoreError> {
    let ids: Vec<OrderId> = hits.iter().map(|hit| hit.order.clone()).collect();
    app.store.load_orders(tenant, &ids).await
}
