//! Whatever does not agree is found, and nothing else: one record at a time is falsified and put back.

mod cases;

use crate::catalog::{self, COUPON, FREE, STOCKED, slot};
use crate::returns::{exchange, refund, sold};
use crate::venue::{
    Process, Venue, after, combos, new_membership, pay, renewal, t0, tenant_id, tickets, tickets_for,
};
use adapters::processor::{CardProcessor, PaymentRequest};
use domain::order::{Order, OrderState, TicketChunk};
use domain::sale::SaleRefund;
use domain::{Mid, Money, OrderId, RefundId, Timestamp};
use sagas::reconcile::{ReconciliationReport, ReconciliationRequest, reconcile};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use store::refund::Take;
use store::{Item, Key, Table, encode, number, text};
use testkit::PREFIX;
use testkit::cards::{DECLINED, GOOD, LOSES_THE_ANSWER};
use testkit::catalog::NUMBER;
use testkit::outside::{Mishap, Verb};

/// Another card than the others' that pays.
/// An order there is not.
const NOBODY: &str = "999";

/// Table, partition and sort key.
type Place = (&'static str, String, String);

/// A record as it is falsified; none deletes it.
type Falsified = (Place, Option<Item>);

/// A venue whose records agree, with orders by name.
struct Shop {
    venue: Venue,
    items: BTreeMap<Place, Item>,
    orders: BTreeMap<&'static str, Order>,
}

/// Billing data with nothing missing, which makes a customer.
fn whole_buyer(cart: &Value) -> Value {
    json!({
        "shoppingCart": cart, "billingPhoneNumber": "415 555 0142", "billingAddress1": "18 Quay Street",
        "billingAddress2": "2", "billingCity": "Portview", "billingState": "California",
        "billingCountry": "United States",
    })
}

/// Takes 10.00 from the only sale there is; the scheduled work gives them back.
async fn refund_sale(venue: &Venue, process: &Process) {
    let orders = crate::audit::Books::open(venue).await.orders;
    let payment = orders[0].payment.clone().unwrap();
    let id = RefundId::from_bytes([7; 16]);
    let refund = SaleRefund::pending(Money::from_cents(1_000), t0(), true);
    let take = Take { tenant: tenant_id(), sale: &payment.sale, mid: &payment.mid, id: &id, refund: &refund };
    sagas::take_refund(&process.app, &take).await.unwrap().unwrap();
    assert_eq!(process.clean_up(100).await.failed, 0);
}

/// A cart with this line, paid by this card.
fn paid_by(card: &str, line: Value) -> Value {
    json!({"shoppingCart": {"items": [line]}, "manualEntryCardNumber": card})
}

/// Sells four tickets, of which one is exchanged and another given back.
async fn change_order(process: &Process) {
    let order = sold(process, paid_by(GOOD, tickets_for(1, 4))).await;
    let (id, line) = (order["id"].as_str().unwrap(), &order["orderItems"][0]["itemId"]);
    for ask in [
        exchange(id, json!({"itemId": line, "quantity": 1, "eventId": slot(0)})),
        refund(id, json!({"items": [{"itemId": line, "quantity": 1}]})),
    ] {
        let answer = process.send(ask).await;
        assert_eq!(answer.error(), "OK", "{}", answer.text);
    }
}

/// What an order is called.
fn name_of(order: &Order) -> &'static str {
    let has_memberships = order.memberships().next().is_some();
    match order.state {
        OrderState::Pending { .. } => "pending",
        OrderState::Void { .. } => "void",
        OrderState::Paid { .. } if has_memberships && !order.after_sale.is_untouched() => "left",
        OrderState::Paid { .. } if !order.after_sale.is_untouched() => "changed",
        OrderState::Paid { .. } if !order.coupons.is_empty() => "limited",
        OrderState::Paid { .. } if !order.entitlements.is_empty() => "member",
        OrderState::Paid { .. } if has_memberships => "joined",
        OrderState::Paid { .. } if order.payment.is_none() => "free",
        OrderState::Paid { .. } => "combo",
    }
}

/// The item with nothing in it as one text, so that any of its values can be falsified.
fn nested(mut item: Item) -> Item {
    let texts = item.iter().filter_map(|(name, value)| {
        let parts: Value = serde_json::from_str(value.as_s().ok()?).ok()?;
        (parts.is_array() || parts.is_object()).then(|| (name.clone(), parts))
    });
    let parts: serde_json::Map<String, Value> = texts.collect();
    let key = Key { table: Table::Orders, pk: String::new(), sk: String::new() };
    let parts = encode(&key, &parts).unwrap();
    item.extend(parts.into_iter().filter(|(name, _)| !["pk", "sk", "v"].contains(&name.as_str())));
    item
}

impl Shop {
    /// Orders of every kind: of some of them something was refunded or exchanged, one is void, one pending.
    async fn open() -> Self {
        let venue = Venue::open([20, 20]).await;
        let process = venue.process().await;
        let add_on = json!({"inventoryId": STOCKED, "quantity": 2});
        let limited = json!({"items": [tickets(2), add_on], "couponCodes": [COUPON]});
        assert_eq!(process.pay(whole_buyer(&limited)).await.error(), "OK");
        refund_sale(&venue, &process).await;
        let mut free = tickets(1);
        free["ticketingTypeId"] = FREE.into();
        for cart in [
            json!({"items": [tickets(3)], "membershipIds": [NUMBER]}),
            json!({"items": [new_membership()]}),
            json!({"comboItems": [combos(1)]}),
            json!({"items": [free]}),
        ] {
            assert_eq!(process.pay(json!({"shoppingCart": cart})).await.error(), "OK");
        }
        change_order(&process).await;
        let left = sold(&process, paid_by(GOOD, new_membership())).await;
        let answer = process.send(refund(left["id"].as_str().unwrap(), json!({"wholeOrder": true}))).await;
        assert_eq!(answer.error(), "OK", "{}", answer.text);
        let both = json!({"items": [tickets(1), new_membership()]});
        let declined = process.pay(json!({"shoppingCart": both, "manualEntryCardNumber": DECLINED})).await;
        assert_eq!(declined.error(), "CARD_DECLINED");
        let dying = venue.process().await;
        dying.processor.next(Verb::Confirm, Mishap::CrashAfter);
        let renewed = json!({"items": [renewal()]});
        let paid_so = json!({"shoppingCart": renewed, "manualEntryCardNumber": LOSES_THE_ANSWER});
        dying.send(pay(paid_so)).await;
        let request = PaymentRequest {
            tenant: tenant_id(),
            order: OrderId::parse(NOBODY).unwrap(),
            amount: Money::from_cents(500),
            currency: Default::default(),
            mid: Mid::parse("60417").unwrap(),
            descriptor: String::new(),
            secured_at: t0(),
        };
        venue.sandbox.open(&request).await.unwrap();
        Self::look_at(venue).await
    }

    async fn look_at(venue: Venue) -> Self {
        let mut items = BTreeMap::new();
        for table in ["orders", "merchants", "members", "reservations"] {
            for item in venue.scan(table).await {
                let part = |name: &str| item[name].as_s().unwrap().clone();
                let (pk, sk) = (part("pk"), part("sk"));
                items.insert((table, pk, sk), nested(item));
            }
        }
        let orders = crate::audit::Books::open(&venue).await.orders.into_iter();
        let orders: BTreeMap<&'static str, Order> = orders.map(|order| (name_of(&order), order)).collect();
        assert_eq!(orders.len(), 9);
        Self { venue, items, orders }
    }

    fn order(&self, name: &str) -> Place {
        ("orders", format!("T#204#ORDER#{}", self.orders[name].id), "ORDER".to_owned())
    }

    /// The record beside an order whose sort key begins so.
    fn beside(&self, name: &str, sk: &str) -> Place {
        let (table, pk, _) = self.order(name);
        self.find(|place| place.0 == table && place.1 == pk && place.2.starts_with(sk))
    }

    fn sale(&self, name: &str) -> Place {
        let sale = &self.orders[name].payment.as_ref().unwrap().sale;
        ("merchants", format!("T#204#SALE#{sale}"), "SALE".to_owned())
    }

    fn payment(&self, order: &str) -> Place {
        let order = self.orders.get(order).map_or(order, |order| order.id.as_str());
        self.find(|place| place.1 == "T#204#SANDBOX#PAYMENT" && self.items[place]["order"] == text(order))
    }

    fn find(&self, is_it: impl Fn(&Place) -> bool) -> Place {
        self.items.keys().find(|place| is_it(place)).unwrap().clone()
    }

    /// The place in the table of members whose partition begins so.
    fn member(&self, partition: &str) -> Place {
        let partition = format!("T#204#{partition}");
        self.find(|place| place.0 == "members" && place.1.starts_with(&partition))
    }

    fn ledger(&self, number: u16) -> Place {
        let id = format!("#{}#", slot(number));
        self.find(|place| place.0 == "reservations" && place.1.contains("204#SLOTS") && place.2.contains(&id))
    }

    /// The id of the membership that was bought.
    fn membership(&self, order: &str) -> i64 {
        self.orders[order].memberships().next().unwrap().change.after.id.get()
    }

    fn change(&self, place: &Place, edit: impl FnOnce(&mut Item)) -> Falsified {
        let mut item = self.items[place].clone();
        edit(&mut item);
        (place.clone(), Some(item))
    }

    /// A record put in another place, too.
    fn copy(&self, from: &Place, to: &Place, edit: impl FnOnce(&mut Item)) -> Falsified {
        let (_, mut falsified) = self.change(from, edit);
        let item = falsified.as_mut().unwrap();
        item.insert("pk".to_owned(), text(&to.1));
        item.insert("sk".to_owned(), text(&to.2));
        (to.clone(), falsified)
    }

    async fn put(&self, place: &Place, item: Option<&Item>) {
        let (client, table) = (self.venue.engine.client(), format!("{PREFIX}{}", place.0));
        match item {
            Some(item) => {
                client.put_item().table_name(table).set_item(Some(item.clone())).send().await.unwrap();
            }
            None => {
                let delete = client.delete_item().table_name(table);
                delete.key("pk", text(&place.1)).key("sk", text(&place.2)).send().await.unwrap();
            }
        }
    }

    /// What is found while a record is false.
    async fn findings(&self, place: &Place, item: Option<&Item>) -> Vec<String> {
        self.put(place, item).await;
        let report = self.reconcile(t0()).await;
        self.put(place, self.items.get(place)).await;
        self.told(&report)
    }

    async fn reconcile(&self, now: Timestamp) -> ReconciliationReport {
        let wanted = ReconciliationRequest {
            tenant: Some(tenant_id()),
            now,
            chosen_now: Some(now),
            pause: Duration::ZERO,
        };
        reconcile(&self.venue.store, &wanted).await.unwrap()
    }

    /// The findings, with names for what has random ids.
    fn told(&self, report: &ReconciliationReport) -> Vec<String> {
        let bought = [("joined", "NEW"), ("left", "OLD")];
        let mut names: Vec<(String, String)> =
            bought.map(|(order, name)| (self.membership(order).to_string(), name.to_owned())).into();
        for (name, order) in &self.orders {
            names.push((order.id.to_string(), format!("<{name}>")));
            let sale = order.payment.as_ref().map(|payment| payment.sale.to_string());
            names.extend(sale.map(|sale| (sale, format!("<sale of {name}>"))));
            names.extend(
                order.lines.iter().zip(1..).map(|(line, place)| (line.id().to_string(), place.to_string())),
            );
            let refunds = order.after_sale.refunds.iter();
            names.extend(refunds.map(|refund| (refund.id.to_string(), format!("<refund of {name}>"))));
            names.extend(order.customer.map(|id| (id.to_string(), format!("<customer of {name}>"))));
        }
        for (place, item) in &self.items {
            if place.1.ends_with("#SANDBOX#PAYMENT") {
                names.push((place.2.clone(), "<payment>".to_owned()));
            } else if place.2.starts_with("TICKETS#") {
                let chunk: TicketChunk = store::decode(item.clone()).unwrap();
                names.extend(chunk.tickets.iter().map(|ticket| (ticket.id.to_string(), "<one>".to_owned())));
            }
        }
        names.extend(
            [0, 1, catalog::NIGHT].map(|number| (slot(number).to_string(), format!("<slot {number}>"))),
        );
        // The longest first: a short id may be part of a longer one.
        names.sort_by_key(|(id, _)| std::cmp::Reverse(id.len()));
        let named = |(_, finding): &(_, domain::reconciliation::Finding)| {
            names.iter().fold(finding.to_string(), |told, (id, name)| told.replace(id, name))
        };
        let mut told: Vec<String> = report.findings.iter().map(named).collect();
        told.sort();
        told
    }
}

#[tokio::test]
async fn one_false_record_is_found_and_nothing_else() {
    let shop = Shop::open().await;
    assert_eq!(shop.told(&shop.reconcile(t0()).await), Vec::<String>::new(), "nothing is false");
    for ((place, item), expected) in cases::all(&shop) {
        let found = shop.findings(&place, item.as_ref()).await;
        // Which of two orders comes second depends on their random ids.
        let mut found: Vec<String> =
            found.iter().map(|told| told.replace(cases::TWICE_OTHERWISE, cases::TWICE[1])).collect();
        found.sort();
        assert_eq!(found, expected, "{place:?}");
    }
    assert_eq!(shop.told(&shop.reconcile(t0()).await), Vec::<String>::new(), "all is put back");
}

#[tokio::test]
async fn what_is_pending_is_overdue_minutes_after_its_deadline() {
    let shop = Shop::open().await;
    for (secs, overdue) in [(0, 0), (60, 0), (360, 0), (361, 1)] {
        let report = shop.reconcile(after(secs)).await;
        assert_eq!(report.findings.len(), overdue, "{secs}: {:?}", shop.told(&report));
    }
}

#[tokio::test]
async fn a_refund_of_a_membership_under_way_agrees_with_its_claim() {
    let venue = Venue::open([5, 5]).await;
    let process = venue.process().await;
    let order = sold(&process, paid_by(LOSES_THE_ANSWER, new_membership())).await;
    let id = order["id"].as_str().unwrap();
    let answer = process.send(refund(id, json!({"wholeOrder": true}))).await;
    assert_eq!(answer.error(), "REFUND_PENDING", "{}", answer.text);
    let made = order["orderItems"][0]["membershipInfo"]["membershipId"].as_i64().unwrap();
    let found = async || {
        let wanted =
            ReconciliationRequest { tenant: None, now: t0(), chosen_now: Some(t0()), pause: Duration::ZERO };
        let report = reconcile(&venue.store, &wanted).await.unwrap();
        report.findings.iter().map(|(_, finding)| finding.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found().await, Vec::<String>::new());
    let claim = venue.engine.client().update_item().table_name(format!("{PREFIX}members"));
    let claim = claim.key("pk", text(format!("T#204#MEMBERSHIP#{made}"))).key("sk", text("MEMBERSHIP"));
    claim.clone().update_expression("REMOVE claimed_by").send().await.unwrap();
    assert_eq!(found().await, [format!("order {id}: changes membership {made}, which is claimed by none")]);
    let claim = claim.expression_attribute_values(":order", text(id));
    claim.update_expression("SET claimed_by = :order").send().await.unwrap();
    assert_eq!(process.clean_up(1_000).await.failed, 0);
    assert_eq!(found().await, Vec::<String>::new());
}

#[tokio::test]
async fn another_tenant_is_looked_at_only_when_all_are() {
    let shop = Shop::open().await;
    let (table, pk, sk) = shop.ledger(0);
    let other = (table, pk.replace("T#204#", "T#205#"), sk);
    let (_, falsified) = shop.change(&other, cases::set(&["free"], number(1)));
    shop.put(&other, falsified.as_ref()).await;
    assert!(shop.reconcile(t0()).await.is_clean());
    let all = ReconciliationRequest { tenant: None, now: t0(), chosen_now: None, pause: Duration::ZERO };
    let report = reconcile(&shop.venue.store, &all).await.unwrap();
    let tenants: Vec<i64> = report.findings.iter().map(|(tenant, _)| tenant.get()).collect();
    assert_eq!(tenants, [205]);
}

#[tokio::test]
async fn records_of_a_tenant_that_does_not_exist_are_found() {
    let shop = Shop::open().await;
    let ledger = shop.ledger(0);
    let nobodys = (ledger.0, ledger.1.replace("T#204#", "T#999#"), ledger.2.clone());
    let (_, copied) = shop.copy(&ledger, &nobodys, |_| {});
    shop.put(&nobodys, copied.as_ref()).await;
    let all = ReconciliationRequest { tenant: None, now: t0(), chosen_now: None, pause: Duration::ZERO };
    let report = reconcile(&shop.venue.store, &all).await.unwrap();
    let told: Vec<String> =
        report.findings.iter().map(|(tenant, finding)| format!("{tenant}: {finding}")).collect();
    let nobody = "999: there is no such tenant, but records of it: orders 0, memberships 0";
    assert!(told.iter().any(|told| told == nobody), "{told:?}");
}

/// What customers buy one after the other, each long enough after the last that the same charge is not refused.
async fn shop_around(process: Process, customer: i64) {
    for turn in 0..16 {
        let quantity = 1 + (turn + customer) % 3;
        let slot = u16::try_from(customer % 2).unwrap();
        let mut fields = json!({
            "shoppingCart": {"items": [tickets_for(slot, u32::try_from(quantity).unwrap())]},
            "billingEmail": format!("c{customer}@example.test"),
        });
        match (customer + turn) % 4 {
            0 => fields["manualEntryCardNumber"] = DECLINED.into(),
            1 => fields["shoppingCart"]["membershipIds"] = json!([NUMBER]),
            2 => fields["shoppingCart"]["items"] = json!([new_membership()]),
            _ => {}
        }
        let at = after(400 * (turn * 5 + customer));
        let status = process.send(pay(fields).at_instant(at)).await.status;
        assert!([200, 402, 409].contains(&status), "{status}");
    }
}

#[tokio::test]
async fn a_service_at_work_is_never_said_not_to_agree() {
    let venue = Venue::open([300, 300]).await;
    let process = venue.process().await;
    let mut customers = tokio::task::JoinSet::new();
    for customer in 0..5 {
        customers.spawn(shop_around(process.clone(), customer));
    }
    let wanted = ReconciliationRequest { tenant: None, now: t0(), chosen_now: None, pause: Duration::ZERO };
    let mut walks = 0;
    let mut last = 0;
    while !customers.is_empty() {
        let report = reconcile(&venue.store, &wanted).await.unwrap();
        let told: Vec<String> = report.findings.iter().map(|(_, finding)| finding.to_string()).collect();
        assert_eq!(told, Vec::<String>::new(), "walk {walks}");
        assert!(report.checked.orders >= last);
        (walks, last) = (walks + 1, report.checked.orders);
        while let Some(done) = customers.try_join_next() {
            done.unwrap();
        }
    }
    assert!(walks > 1, "{walks} walks");
    crate::audit::audit(&venue, "at work").await;
}
