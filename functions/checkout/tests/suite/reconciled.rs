//! Whatever does not agree is found, and nothing else: one record at a time is falsified and put back.

use crate::catalog::{self, COUPON, FREE, MEMBERSHIP, NUMBER, STOCKED, slot};
use crate::outside::{Mishap, Verb};
use crate::returns::{LOSES_THE_ANSWER, exchange, refund, sold};
use crate::venue::{
    PREFIX, Process, Venue, after, combos, new_membership, pay, renewal, t0, tenant_id, tickets, tickets_for,
};
use domain::order::{Order, OrderState, TicketChunk};
use domain::sale::SaleRefund;
use domain::{Mid, Money, OrderId, RefundId, Timestamp};
use platform::processor::{CardProcessor, PaymentRequest};
use sagas::reconcile::{Report, Wanted, reconcile};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use store::refund::Take;
use store::{AttributeValue, Item, number, text};

const DECLINED: &str = "4000000000000002";
/// Another card than the others' that pays.
const OTHER: &str = "4242424242424242";
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
    let refund = SaleRefund::pending(Money::from_cents(1_000), (t0(), true));
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
    let order = sold(process, paid_by(OTHER, tickets_for(1, 4))).await;
    let (id, line) = (order["id"].as_str().unwrap(), &order["orderItems"][0]["itemId"]);
    for ask in [
        exchange(id, json!({"itemId": line, "quantity": 1, "eventId": slot(0)})),
        refund(id, json!({"items": [{"itemId": line, "quantity": 1}]})),
    ] {
        let answer = process.send(ask).await;
        assert_eq!(answer.kind(), "OK", "{}", answer.text);
    }
}

/// What an order is called.
fn name_of(order: &Order) -> &'static str {
    let has_memberships = order.memberships().next().is_some();
    match order.state {
        OrderState::Pending { .. } => "pending",
        OrderState::Void { .. } => "undone",
        OrderState::Paid { .. } if has_memberships && !order.after_sale.is_untouched() => "left",
        OrderState::Paid { .. } if !order.after_sale.is_untouched() => "changed",
        OrderState::Paid { .. } if !order.coupons.is_empty() => "limited",
        OrderState::Paid { .. } if !order.entitlements.is_empty() => "member",
        OrderState::Paid { .. } if has_memberships => "joined",
        OrderState::Paid { .. } if order.payment.is_none() => "free",
        OrderState::Paid { .. } => "combo",
    }
}

impl Shop {
    /// Orders of every kind: of some of them something was refunded or exchanged, one is undone, one pending.
    async fn open() -> Self {
        let venue = Venue::open([20, 20]).await;
        let process = venue.process().await;
        let pieces = json!({"inventoryId": STOCKED, "quantity": 2});
        let limited = json!({"items": [tickets(2), pieces], "couponCodes": [COUPON]});
        assert_eq!(process.pay(whole_buyer(&limited)).await.kind(), "OK");
        refund_sale(&venue, &process).await;
        let mut free = tickets(1);
        free["ticketingTypeId"] = FREE.into();
        for cart in [
            json!({"items": [tickets(3)], "membershipIds": [NUMBER]}),
            json!({"items": [new_membership()]}),
            json!({"comboItems": [combos(1)]}),
            json!({"items": [free]}),
        ] {
            assert_eq!(process.pay(json!({"shoppingCart": cart})).await.kind(), "OK");
        }
        change_order(&process).await;
        let left = sold(&process, paid_by(OTHER, new_membership())).await;
        let answer = process.send(refund(left["id"].as_str().unwrap(), json!({"wholeOrder": true}))).await;
        assert_eq!(answer.kind(), "OK", "{}", answer.text);
        let both = json!({"items": [tickets(1), new_membership()]});
        let declined = process.pay(json!({"shoppingCart": both, "manualEntryCardNumber": DECLINED})).await;
        assert_eq!(declined.kind(), "CARD_DECLINED");
        let dying = venue.process().await;
        dying.processor.next(Verb::Confirm, Mishap::CrashAfter);
        let renewed = json!({"items": [renewal()]});
        let paid_so = json!({"shoppingCart": renewed, "manualEntryCardNumber": LOSES_THE_ANSWER});
        dying.send(pay(paid_so)).await;
        let request = PaymentRequest {
            tenant: tenant_id(),
            order: OrderId::parse(NOBODY).unwrap(),
            amount: Money::from_cents(500),
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
                items.insert((table, part("pk"), part("sk")), item);
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
    async fn findings(&self, (place, item): &Falsified) -> Vec<String> {
        self.put(place, item.as_ref()).await;
        let report = self.reconcile(t0()).await;
        self.put(place, self.items.get(place)).await;
        self.told(&report)
    }

    async fn reconcile(&self, now: Timestamp) -> Report {
        let wanted = Wanted { tenant: Some(tenant_id()), now, chosen_now: Some(now), pause: Duration::ZERO };
        reconcile(&self.venue.store, &wanted).await.unwrap()
    }

    /// The findings, with names for what has random ids.
    fn told(&self, report: &Report) -> Vec<String> {
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

/// A value within an item, by the names and numbers that lead there.
fn within<'a>(item: &'a mut Item, path: &[&str]) -> &'a mut AttributeValue {
    let (first, rest) = path.split_first().unwrap();
    let first = item.entry((*first).to_owned()).or_insert(AttributeValue::Null(true));
    rest.iter().fold(first, |value, name| {
        if let AttributeValue::L(list) = value {
            return &mut list[name.parse::<usize>().unwrap()];
        }
        let AttributeValue::M(map) = value else { panic!("{name} of something without parts") };
        map.get_mut(*name).unwrap()
    })
}

fn set(path: &'static [&'static str], value: AttributeValue) -> impl FnOnce(&mut Item) {
    move |item| *within(item, path) = value
}

fn unset(name: &'static str) -> impl FnOnce(&mut Item) {
    move |item| {
        item.remove(name).unwrap();
    }
}

/// A barcode of the one order is that of a ticket of the other.
const TWICE: &[&str] = &["order <member>: ticket <one> has the id or barcode of one of order <limited>"];
const TWICE_OTHERWISE: &str = "order <limited>: ticket <one> has the id or barcode of one of order <member>";

type Cases = Vec<(Falsified, &'static [&'static str])>;

fn of_money(shop: &Shop) -> Cases {
    let (sale, payment) = (shop.sale("limited"), shop.payment("limited"));
    let charged = |order: &'static str| {
        let captured = shop.items[&shop.payment("limited")].clone();
        shop.change(&shop.payment(order), move |item| {
            for name in ["status", "at", "card"] {
                item.insert(name.to_owned(), captured[name].clone());
            }
        })
    };
    let other = ("merchants", "T#204#SALE#other".to_owned(), "SALE".to_owned());
    vec![
        (charged("undone"), &["order <undone>: 110.00 was charged (<payment>), and there is no paid order"]),
        (charged(NOBODY), &["order 999: 5.00 was charged (<payment>), and there is no paid order"]),
        ((payment.clone(), None), &["order <limited>: paid, and nothing was charged of 48.00"]),
        (
            shop.change(&payment, set(&["amount"], number(4_000))),
            &["order <limited>: owes 48.00, and 40.00 was charged"],
        ),
        (
            shop.change(&payment, set(&["mid"], text("7"))),
            &["order <limited>: owes merchant 60417, and merchant 7 was paid"],
        ),
        (
            shop.change(&payment, unset("refunds")),
            &[
                "order <limited>: its sale gave back 10.00 by refund_07070707-0707-4707-8707-070707070707, and the processor 0.00",
            ],
        ),
        ((sale.clone(), None), &["order <limited>: paid, and there is no sale <sale of limited> of 48.00"]),
        (
            shop.change(&sale, set(&["mid"], text("7"))),
            &["order <limited>: owes merchant 60417, and sale <sale of limited> is of merchant 7"],
        ),
        (
            shop.change(&sale, set(&["order"], text(NOBODY))),
            &["order <limited>: its sale <sale of limited> names order 999"],
        ),
        (
            shop.change(&sale, set(&["amount"], number(4_000))),
            &[
                "<sale of limited>: of 40.00, with refunds of 10.00, and 38.00 is said to be left",
                "order <limited>: owes 48.00, and sale <sale of limited> is of 40.00",
            ],
        ),
        (
            shop.change(&sale, set(&["remainder"], number(9_999))),
            &["<sale of limited>: of 48.00, with refunds of 10.00, and 99.99 is said to be left"],
        ),
        (
            shop.change(
                &sale,
                set(
                    &["refunds", "refund_07070707-0707-4707-8707-070707070707", "state", "fees", "fixed"],
                    number(31),
                ),
            ),
            &["<sale of limited>: fees of 0.30 were charged, and its refunds gave 0.31 back"],
        ),
        (
            shop.change(&sale, set(&["due_pk"], text("DUEREFUNDS#00"))),
            &["<sale of limited>: due, with 0 refunds under way"],
        ),
        (
            shop.copy(&sale, &other, set(&["id"], text("other"))),
            &["other: of 48.00, and order <limited> is not paid by it"],
        ),
        (
            shop.change(&shop.order("limited"), set(&["refunded"], number(900))),
            &["order <limited>: says that 9.00 is refunded, and its sale <sale of limited> that 10.00 is"],
        ),
    ]
}

fn of_orders(shop: &Shop) -> Cases {
    let limited = shop.order("limited");
    let (first, second) = (shop.beside("limited", "TICKETS#"), shop.beside("member", "TICKETS#"));
    let mail = shop.beside("limited", "OUTBOX#");
    let barcode = within(&mut shop.items[&first].clone(), &["tickets", "0", "barcode"]).clone();
    let to = |name: &str, place: &Place| (place.0, shop.order(name).1, place.2.clone());
    let nobody = (first.0, format!("T#204#ORDER#{NOBODY}"), first.2.clone());
    vec![
        (
            shop.change(&limited, set(&["total"], number(1))),
            &[
                "order <limited>: its total is 0.01, and its charge 48.00",
                "order <limited>: its total is 0.01, and its lines come to 48.00",
            ],
        ),
        (
            shop.change(&limited, set(&["lines", "0", "amounts", "amount"], number(1))),
            &["order <limited>: its total is 48.00, and its lines come to 14.01"],
        ),
        (
            shop.change(&limited, set(&["payment", "amount"], number(1))),
            &[
                "order <limited>: its total is 48.00, and its charge 0.01",
                "order <limited>: owes 0.01, and 48.00 was charged",
                "order <limited>: owes 0.01, and sale <sale of limited> is of 48.00",
            ],
        ),
        (
            shop.change(
                &shop.order("combo"),
                set(&["lines", "0", "parts", "0", "amounts", "amount"], number(1)),
            ),
            &["order <combo>: the combo 1 is 50.00, and its events come to 39.78"],
        ),
        ((first.clone(), None), &["order <limited>: line 1 sold 2 tickets, and has 0"]),
        (
            shop.change(&first, set(&["tickets", "0", "line"], text("77"))),
            &[
                "order <limited>: line 1 sold 2 tickets, and has 1",
                "order <limited>: line 77 sold 0 tickets, and has 1",
            ],
        ),
        (shop.change(&second, set(&["tickets", "0", "barcode"], barcode)), TWICE),
        (shop.copy(&first, &to("undone", &first), |_| {}), &["order <undone>: not paid, and has 2 tickets"]),
        (
            shop.copy(&mail, &to("undone", &mail), |_| {}),
            &["order <undone>: not paid, and has a mail (receiptWithTickets)"],
        ),
        (
            shop.copy(&first, &to("pending", &first), |_| {}),
            &["order <pending>: not paid, and has 2 tickets"],
        ),
        (shop.copy(&first, &nobody, |_| {}), &["order 999: not there, and has 2 tickets"]),
        ((mail.clone(), None), &["order <limited>: paid, and its mail (receiptWithTickets) is not there"]),
        (
            shop.change(&mail, unset("due_pk")),
            &["order <limited>: its mail (receiptWithTickets) is not sent, and not due"],
        ),
        (
            shop.change(
                &mail,
                set(
                    &["state"],
                    AttributeValue::M(Item::from([
                        ("state".to_owned(), text("sent")),
                        ("at".to_owned(), number(0)),
                    ])),
                ),
            ),
            &["order <limited>: its mail (receiptWithTickets) is sent, and still due"],
        ),
        (
            shop.change(&shop.order("pending"), unset("due_pk")),
            &["order <pending>: its deadline is 1811858460, and it is taken up at none"],
        ),
        (
            shop.change(&shop.order("pending"), set(&["due_at"], number(0))),
            &["order <pending>: its deadline is 1811858460, and it is taken up at 0"],
        ),
        (
            shop.change(&limited, |item| {
                set(&["due_pk"], text("DUE#00"))(item);
                set(&["due_at"], number(0))(item)
            }),
            &["order <limited>: its deadline is none, and it is taken up at 0"],
        ),
        (
            shop.change(&limited, set(&["state", "at"], text("then"))),
            &[
                "<sale of limited>: of 48.00, and order <limited> is not paid by it",
                "order <limited>: 48.00 was charged (<payment>), and there is no paid order",
                "pieces of add-on 74: the count is 2, and orders have 0",
                "seats of <slot 0>: the count is 8, and orders have 6",
                "the record orders T#204#ORDER#<limited> ORDER does not read",
                "uses of coupon once: the count is 1, and orders have 0",
            ],
        ),
    ]
}

fn of_order_lookups(shop: &Shop) -> Cases {
    let leads = |partition: &'static str| {
        let id = text(shop.orders["limited"].id.as_str());
        shop.find(|place| {
            place.0 == "orders"
                && place.1.starts_with(partition)
                && shop.items[place].get("order") == Some(&id)
        })
    };
    vec![
        ((leads("T#204#NUMBER#"), None), &["order <limited>: not found by its number"]),
        (
            shop.change(&leads("T#204#NUMBER#"), set(&["order"], text(NOBODY))),
            &["order <limited>: another one is found by its number"],
        ),
        ((leads("T#204#EMAIL#"), None), &["order <limited>: not found by a contact"]),
        ((leads("T#204#PHONE#"), None), &["order <limited>: not found by a contact"]),
    ]
}

fn of_counts(shop: &Shop) -> Cases {
    let ledger = shop.ledger(0);
    let uses = shop.find(|place| place.1 == format!("T#204#NUMBER#{NUMBER}") && place.2.starts_with("USES#"));
    let counter = shop.items[&uses].keys().find(|name| name.contains('#')).unwrap().clone();
    vec![
        (
            shop.change(&ledger, set(&["free"], number(1))),
            &["slot <slot 0>: its size is 20, and its seats come to 9"],
        ),
        (
            shop.change(&ledger, |item| {
                set(&["free"], number(0))(item);
                set(&["sold"], number(20))(item)
            }),
            &["seats of <slot 0>: the count is 20, and orders have 8"],
        ),
        (
            shop.change(&ledger, set(&["sold"], number(-1))),
            &[
                "seats of <slot 0>: the count is -1, and orders have 8",
                "the record reservations T#204#SLOTS#eed214b6 1812031200#<slot 0>#0 does not read",
            ],
        ),
        ((ledger, None), &["seats of <slot 0>: the count is 0, and orders have 8"]),
        (
            shop.change(&shop.member("COUPON#"), set(&["used"], number(-1))),
            &["uses of coupon once: the count is -1, and orders have 1"],
        ),
        (
            shop.change(&shop.member("INVENTORY#"), set(&["used"], number(3))),
            &["pieces of add-on 74: the count is 3, and orders have 2"],
        ),
        (
            shop.change(&uses, move |item| {
                item.insert(counter, number(4));
            }),
            &[
                "uses of membership number 391150274 at 6f2e91b0c47d5a3e18b90f42 in day-2027-06-03 by Adult_Child_Limit_4#: the count is 4, and orders have 3",
            ],
        ),
    ]
}

fn of_members(shop: &Shop) -> Cases {
    let member = |id: i64| ("members", format!("T#204#MEMBERSHIP#{id}"), "MEMBERSHIP".to_owned());
    let joined = shop.membership("joined");
    let of_joined = |kind: &str| {
        let partition = format!("T#204#{kind}");
        shop.find(|place| {
            let id = shop.items[place].get("id");
            place.0 == "members" && place.1.starts_with(&partition) && id == Some(&number(joined))
        })
    };
    let elsewhere = |place: &Place| (place.0, format!("{}0", place.1), place.2.clone());
    let customer = shop.orders["limited"].customer.unwrap();
    let lead = shop.find(|place| place.1.contains("#CUSTOMEREMAIL#") && place.2 == customer.to_string());
    vec![
        (
            shop.change(&shop.order("joined"), set(&["lines", "0", "change", "after", "id"], number(8))),
            &["order <joined>: its membership 8 is not there"],
        ),
        (
            shop.change(&shop.order("joined"), set(&["lines", "0", "change", "made", "0"], number(8))),
            &["order <joined>: its membership NEW has no card 8"],
        ),
        (
            shop.change(&shop.order("undone"), set(&["lines", "1", "change", "after", "id"], number(joined))),
            &["order <undone>: not paid, and has the membership NEW"],
        ),
        (
            shop.change(&member(MEMBERSHIP), unset("claimed_by")),
            &["order <pending>: changes membership 4820117, which is claimed by none"],
        ),
        (
            shop.change(&member(joined), set(&["claimed_by"], text(NOBODY))),
            &["membership NEW: claimed by order 999, which is not changing it"],
        ),
        (
            shop.change(&member(joined), set(&["bought", "order"], text(NOBODY))),
            &[
                "membership NEW: another one is found by its number",
                "membership NEW: another one is found by the barcode of a card",
                "membership NEW: another one is found by the e-mail address of a card",
                "membership NEW: bought by order 999, which is not paid",
            ],
        ),
        ((of_joined("NUMBER#"), None), &["membership NEW: not found by its number"]),
        ((of_joined("MEMBERSHIPS"), None), &["membership NEW: not found by the list"]),
        (
            shop.change(&of_joined("BARCODE#"), set(&["level"], text("other"))),
            &["membership NEW: another one is found by the barcode of a card"],
        ),
        (
            shop.copy(&of_joined("BARCODE#"), &elsewhere(&of_joined("BARCODE#")), |_| {}),
            &["membership NEW: found by the barcode of a card, which it has not"],
        ),
        (
            shop.change(&of_joined("EMAIL#"), set(&["level"], text("other"))),
            &["membership NEW: another one is found by the e-mail address of a card"],
        ),
        (
            (("members", format!("T#204#CUSTOMER#{customer}"), "CUSTOMER".to_owned()), None),
            &[
                "customer <customer of limited>: found by its data, and not there",
                "order <limited>: its customer <customer of limited> is not there",
            ],
        ),
        (
            shop.change(&lead, set(&["customer"], number(8))),
            &["customer 8: found by its data, and not there"],
        ),
    ]
}

fn of_after_sale(shop: &Shop) -> Cases {
    let (order, sale, payment) = (shop.order("changed"), shop.sale("changed"), shop.payment("changed"));
    let first = |field: &'static str| ["after_sale", "refunds", "0", field];
    let left = shop.membership("left");
    let left = ("members", format!("T#204#MEMBERSHIP#{left}"), "MEMBERSHIP".to_owned());
    vec![
        (
            shop.change(&order, |item| {
                *within(item, &["after_sale", "refunds", "0", "items", "0", "tickets"]) =
                    AttributeValue::L(Vec::new());
            }),
            &["order <changed>: line 1 has 2 tickets left, and 3 admit"],
        ),
        (
            shop.change(&order, |item| {
                *within(item, &["after_sale", "refunds", "0", "items", "0", "quantity"]) = number(2);
            }),
            &["order <changed>: line 1 has 1 tickets left, and 2 admit"],
        ),
        (
            shop.change(&order, |item| *within(item, &first("amount")) = number(1_801)),
            &[
                "order <changed>: <refund of changed> is of 18.01, and what it names was 18.00",
                "order <changed>: gave back 18.01 by <refund of changed>, of which sale <sale of changed> says otherwise",
            ],
        ),
        (
            (shop.beside("changed", "OUTBOX#refund"), None),
            &["order <changed>: paid, and its mail (refund-1) is not there"],
        ),
        (
            shop.change(&sale, set(&["reference"], text("sandbox_other"))),
            &[
                "order <changed>: its sale <sale of changed> names the payment sandbox_other, and <payment> was charged",
            ],
        ),
        (
            shop.change(&sale, set(&["rate_card", "fixed"], number(31))),
            &["order <changed>: its sale <sale of changed> reckons its fees by another rate card"],
        ),
        (
            shop.change(&payment, unset("refunds")),
            &["order <changed>: its sale gave back 18.00 by <refund of changed>, and the processor 0.00"],
        ),
        (
            shop.change(&shop.order("free"), set(&["refunded"], number(1))),
            &["order <free>: cost nothing, and gave back 0.01"],
        ),
        (
            shop.change(&left, unset("ended")),
            &[
                "membership OLD: another one is found by its number",
                "membership OLD: another one is found by the barcode of a card",
                "membership OLD: another one is found by the e-mail address of a card",
                "order <left>: <refund of left> gave membership OLD back, and it is in force",
            ],
        ),
    ]
}

#[tokio::test]
async fn one_false_record_is_found_and_nothing_else() {
    let shop = Shop::open().await;
    assert_eq!(shop.told(&shop.reconcile(t0()).await), Vec::<String>::new(), "nothing is false");
    let cases = [
        of_money(&shop),
        of_orders(&shop),
        of_order_lookups(&shop),
        of_counts(&shop),
        of_members(&shop),
        of_after_sale(&shop),
    ];
    for (falsified, expected) in cases.into_iter().flatten() {
        let found = shop.findings(&falsified).await;
        // Which of two orders comes second depends on their random ids.
        let found: Vec<String> = found.iter().map(|told| told.replace(TWICE_OTHERWISE, TWICE[0])).collect();
        assert_eq!(found, expected, "{:?}", falsified.0);
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
    assert_eq!(answer.kind(), "REQUEST_IN_PROGRESS", "{}", answer.text);
    let made = order["orderItems"][0]["membershipInfo"]["membershipId"].as_i64().unwrap();
    let found = async || {
        let wanted = Wanted { tenant: None, now: t0(), chosen_now: Some(t0()), pause: Duration::ZERO };
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
    let (_, falsified) = shop.change(&other, set(&["free"], number(1)));
    shop.put(&other, falsified.as_ref()).await;
    assert!(shop.reconcile(t0()).await.is_clean());
    let all = Wanted { tenant: None, now: t0(), chosen_now: None, pause: Duration::ZERO };
    let report = reconcile(&shop.venue.store, &all).await.unwrap();
    let tenants: Vec<i64> = report.findings.iter().map(|(tenant, _)| tenant.get()).collect();
    assert_eq!(tenants, [205]);
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
        let status = process.send(pay(fields).at(at)).await.status.as_u16();
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
    let wanted = Wanted { tenant: None, now: t0(), chosen_now: None, pause: Duration::ZERO };
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
