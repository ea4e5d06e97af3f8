//! What proving costs: orders as checkouts leave them, each with its tickets, mail, sale and payment, and one in four
//! with a customer.

use super::BenchError;
use super::figures::peak_memory_mib;
use super::seed::{self, Shop};
use crate::commands::verify::per_second;
use adapters::clock::wall_now;
use adapters::processor::PaymentRequest;
use domain::card::{Card, CardFields};
use domain::card_token::SentCard;
use domain::catalog::{AdmissionType, Template};
use domain::checkout::{card_summary, sale_of, tickets_of};
use domain::ledger::LedgerChange;
use domain::merchant::RateCard;
use domain::order::edit::OrderEdits;
use domain::order::{
    Admissions, AfterSale, Order, OrderAmounts, OrderLine, OrderPerson, OrderState, OrderTicketLine, Payment,
};
use domain::outbox::{MAIL_RETRY_SECS, mails_of};
use domain::time::plus_secs;
use domain::{
    BarcodeTag, Currency, CustomerId, InstanceId, Mid, Money, OrderId, OrderItemId, OrderNumber, Percent,
    SaleId, TicketBarcode, TicketId, Timestamp,
};
use sagas::reconcile::{ReconciliationRequest, reconcile};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use store::checkout::{Secure, Settlement, plan_free_order};
use store::reconcile::{LEDGERS, MONEY, ORDERS_AND_LOOKUPS};
use store::walk::{Pace, Route};
use store::{Consistency, Store, Table};

/// Price of a ticket, in cents.
const PRICE: i64 = 1_800;
/// Tickets of an order.
const TICKETS: u32 = 2;
/// Times the same orders are proved, of which the fastest counts.
const ROUNDS: u32 = 3;

/// Sells so many orders and proves that all agrees.
pub(super) async fn measure(orders: u32) -> Result<Value, BenchError> {
    let shop = seed::open().await?;
    let now = wall_now();
    let template = seed::template(plus_secs(now, 86_400))?;
    let ledger = seed::ledger(&template, plus_secs(now, 86_400), 0)?;
    shop.app.store.create_ledger(shop.tenant, &ledger).await?;
    sell_orders(&shop, &template, ledger.instance, orders).await?;
    let (memory, now) = (peak_memory_mib(), wall_now());
    let wanted = ReconciliationRequest { tenant: None, now, chosen_now: None, pause: Duration::ZERO };
    let (mut fastest, mut fastest_walk) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        walk_past(&shop.app.store).await?;
        fastest_walk = fastest_walk.min(begun.elapsed());
        let begun = Instant::now();
        let report = reconcile(&shop.app.store, &wanted).await?;
        fastest = fastest.min(begun.elapsed());
        if let Some((_, finding)) = report.findings.first() {
            return Err(BenchError::from(format!("it does not agree: {finding}")));
        }
        if report.checked.orders != u64::from(orders) {
            return Err(BenchError::from(format!("{} orders were looked at", report.checked.orders)));
        }
    }
    Ok(json!({
        "case": format!("verify of {orders} orders"),
        "transport": "in process",
        "ordersPerSecond": per_second(u64::from(orders), fastest),
        "ordersPerSecondOfReadingAlone": per_second(u64::from(orders), fastest_walk),
        "peakMemoryBeforeMiB": memory,
        "peakMemoryMiB": peak_memory_mib(),
    }))
}

/// Reads what is proved and does nothing with it: what the database itself costs.
async fn walk_past(store: &Store) -> Result<(), BenchError> {
    let routes = [
        (Table::Merchants, MONEY),
        (Table::Members, &[]),
        (Table::Orders, ORDERS_AND_LOOKUPS),
        (Table::Reservations, LEDGERS),
    ];
    for (table, partitions) in routes {
        let pace = Pace { consistency: Consistency::Eventual, pause: Duration::ZERO };
        let mut walk = store.walk(Route { table, partitions, tenant: None }, pace);
        while walk.next().await?.is_some() {}
    }
    Ok(())
}

/// Sells so many orders of a slot.
pub(super) async fn sell_orders(
    shop: &Shop,
    template: &Template,
    instance: InstanceId,
    orders: u32,
) -> Result<(), BenchError> {
    let now = wall_now();
    for number in 1..=u64::from(orders) {
        sell(shop, Purchase { template, instance, number, now }).await?;
    }
    Ok(())
}

/// What one order buys, and when.
#[derive(Clone, Copy)]
struct Purchase<'a> {
    template: &'a Template,
    instance: InstanceId,
    number: u64,
    now: Timestamp,
}

/// Sells one order: charged by the sandbox's processor, and written as a checkout would.
async fn sell(shop: &Shop, purchase: Purchase<'_>) -> Result<(), BenchError> {
    let Purchase { template: _, instance, number, now } = purchase;
    let store = &shop.app.store;
    let card = Card::parse(&CardFields {
        number: Some("4242424242424242"),
        expiry: Some("1239"),
        cvc: Some("123"),
        ..CardFields::default()
    });
    let card = card.map_err(|_| BenchError::from("no card"))?;
    let order = order(shop, purchase, &card)?;
    let tenant = store.load_tenant(shop.tenant, Consistency::Eventual).await?.ok_or("no tenant")?;
    let processor = shop.app.processor(&tenant);
    let payment = order.payment.as_ref().ok_or("no payment")?;
    let (amount, mid, descriptor) = (payment.amount, payment.mid.clone(), payment.descriptor.clone());
    let request = PaymentRequest {
        tenant: tenant.id,
        order: order.id.clone(),
        amount,
        currency: order.currency,
        mid,
        descriptor,
        secured_at: order.created_at,
    };
    let reference = processor.open(&request).await?;
    processor.confirm(&reference, &SentCard::Number(Box::new(card))).await?;
    let tag = order.tag.as_ref().ok_or("no barcodes")?;
    let mut drawn = number.saturating_mul(10);
    let tickets = tickets_of(&order, || {
        drawn = drawn.saturating_add(1);
        let rest = drawn.wrapping_mul(0xf39c_c060_5ced_c835);
        let barcode = TicketBarcode::beginning_with(tag, rest.to_be_bytes());
        Ok::<_, BenchError>((TicketId::from_bits(drawn), barcode))
    })?;
    store.point_to(&order).await?.map_err(|_| BenchError::from("two orders have one barcode"))?;
    let sale = sale_of(&order, &reference, now);
    let mails = mails_of(&order);
    let ledgers = BTreeMap::from([(instance, LedgerChange::sell(TICKETS, None))]);
    let secure = Secure { order, cart: None, guard: None, key: None, ledgers };
    let order = &secure.order;
    let settlement = Settlement {
        order,
        paid_at: now,
        settled_at: now,
        tickets: &tickets,
        sale: sale.as_ref(),
        mails: &mails,
        mails_due: plus_secs(now, MAIL_RETRY_SECS),
    };
    let plan = plan_free_order(&secure, &settlement, now)?;
    let sold = store.commit(&plan, order.id.as_str()).await?;
    sold.map_err(|_| BenchError::from("an order was not sold"))
}

fn order(shop: &Shop, purchase: Purchase<'_>, card: &Card) -> Result<Order, BenchError> {
    let Purchase { template: _, instance: _, number, now } = purchase;
    let buyer = buyer(number);
    let total = Money::from_cents(PRICE).checked_mul(TICKETS).map_err(|_| "too much")?;
    Ok(Order {
        id: OrderId::from_bits(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        tenant: shop.tenant,
        number: OrderNumber::from_bits(number),
        receipt: None,
        state: OrderState::Paid { at: now },
        visitor: number.to_string(),
        customer: (number % 4 == 0).then(|| CustomerId::from_bits(number)),
        contact: buyer.clone(),
        billing: buyer,
        ticket_delivery_email: None,
        notes: None,
        lines: vec![line(shop, purchase)?],
        currency: Currency::default(),
        total,
        retail_total: total,
        payment: Some(payment(number, total, card)?),
        refunded: Money::ZERO,
        challenge: None,
        late_money: None,
        dispute: None,
        failed_refunds: Vec::new(),
        after_sale: AfterSale::default(),
        admission: Admissions::default(),
        membership_ids: Vec::new(),
        send_email: true,
        locale: Default::default(),
        cart: None,
        coupons: BTreeMap::new(),
        stock: BTreeMap::new(),
        entitlements: Vec::new(),
        forms: Vec::new(),
        messages: BTreeMap::new(),
        notices: Vec::new(),
        reservation: None,
        operator: None,
        edits: OrderEdits::default(),
        tag: Some(BarcodeTag::from_bytes(number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes())),
        created_at: now,
        chosen_clock: false,
    })
}

fn payment(number: u64, amount: Money, card: &Card) -> Result<Payment, BenchError> {
    let percentage = Percent::parse("2.90").map_err(|_| BenchError::from("2.90 is no percentage"))?;
    Ok(Payment {
        sale: SaleId::from_bytes(u128::from(number).to_le_bytes()),
        mid: Mid::parse("1").map_err(|_| BenchError::from("1 is no merchant id"))?,
        amount,
        card: card_summary(card),
        rate_card: RateCard { percentage, fixed: Money::from_cents(30) },
        descriptor: "BENCH".to_owned(),
    })
}

fn line(shop: &Shop, purchase: Purchase<'_>) -> Result<OrderLine, BenchError> {
    let Purchase { template, instance, number, now } = purchase;
    let unit = Money::from_cents(PRICE);
    let amount = unit.checked_mul(TICKETS).map_err(|_| "too much")?;
    Ok(OrderLine::Ticket(OrderTicketLine {
        id: OrderItemId::from_bits(number),
        instance,
        shard: 0,
        template: template.id.clone(),
        ticket_type: shop.ticket_type.clone(),
        event_name: template.name.clone(),
        ticket_type_name: "Adult".to_owned(),
        event_start: plus_secs(now, 86_400),
        admission: AdmissionType::Standard,
        hide_event_date: false,
        applied: None,
        cart_item: None,
        tax: None,
        amounts: OrderAmounts { quantity: TICKETS, retail_unit: unit, unit, retail_amount: amount, amount },
    }))
}

fn buyer(number: u64) -> OrderPerson {
    OrderPerson {
        first_name: Some("Ines".to_owned()),
        last_name: Some("Okafor".to_owned()),
        email: Some(format!("buyer-{number}@example.org")),
        phone_number: Some(format!("555{number:07}")),
        address1: Some("18 Quay Street".to_owned()),
        city: Some("Portview".to_owned()),
        state: Some("California".to_owned()),
        zip_code: Some("94000".to_owned()),
        country: Some("United States".to_owned()),
        ..OrderPerson::default()
    }
}
