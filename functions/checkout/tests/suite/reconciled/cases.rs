//! Records that are falsified, each with what is to be found.

use super::{Falsified, NOBODY, Place, Shop};
use store::{AttributeValue, Item, number, text};
use testkit::catalog::{MEMBERSHIP, NUMBER};

/// All cases.
pub(super) fn all(shop: &Shop) -> impl Iterator<Item = (Falsified, &'static [&'static str])> {
    let cases = [
        of_money(shop),
        of_orders(shop),
        of_order_lookups(shop),
        of_counts(shop),
        of_members(shop),
        of_after_sale(shop),
    ];
    cases.into_iter().flatten()
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

pub(super) fn set(path: &'static [&'static str], value: AttributeValue) -> impl FnOnce(&mut Item) {
    move |item| *within(item, path) = value
}

fn unset(name: &'static str) -> impl FnOnce(&mut Item) {
    move |item| {
        item.remove(name).unwrap();
    }
}

/// A barcode of the one order is that of a ticket of the other.
pub(super) const TWICE: &[&str] = &[
    "order <member>: another one is found by the barcode of a ticket",
    "order <member>: ticket <one> has the id or barcode of one of order <limited>",
];
pub(super) const TWICE_OTHERWISE: &str =
    "order <limited>: ticket <one> has the id or barcode of one of order <member>";

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
        (charged("void"), &["order <void>: 110.00 was charged (<payment>), and there is no paid order"]),
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
        (shop.copy(&first, &to("void", &first), |_| {}), &["order <void>: not paid, and has 2 tickets"]),
        (
            shop.copy(&mail, &to("void", &mail), |_| {}),
            &["order <void>: not paid, and has a mail (receiptWithTickets)"],
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
    let void = shop.orders["void"].id.to_string();
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
            shop.change(&shop.order("void"), set(&["lines", "1", "change", "after", "id"], number(joined))),
            &["order <void>: not paid, and has the membership NEW"],
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
                "membership NEW: its order 999 is not in this database",
            ],
        ),
        (
            shop.change(&member(joined), |item| {
                *within(item, &["bought", "order"]) = text(NOBODY);
                let AttributeValue::M(bought) = within(item, &["bought"]) else { panic!("it was bought") };
                bought.insert("imported".to_owned(), AttributeValue::Bool(true));
            }),
            &[
                "membership NEW: another one is found by its number",
                "membership NEW: another one is found by the barcode of a card",
                "membership NEW: another one is found by the e-mail address of a card",
            ],
        ),
        (
            shop.change(&member(joined), set(&["bought", "order"], text(&void))),
            &[
                "membership NEW: another one is found by its number",
                "membership NEW: another one is found by the barcode of a card",
                "membership NEW: another one is found by the e-mail address of a card",
                "membership NEW: bought by order <void>, which is not paid",
            ],
        ),
        ((of_joined("NUMBER#"), None), &["membership NEW: not found by its number"]),
        ((of_joined("MEMBERSHIPS"), None), &["membership NEW: not found by the list"]),
        ((of_joined("CARD#"), None), &["membership NEW: not found by the id of a card"]),
        (
            shop.copy(&of_joined("CARD#"), &elsewhere(&of_joined("CARD#")), |_| {}),
            &["membership NEW: found by the id of a card, which it has not"],
        ),
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
            (shop.beside("changed", "OUTBOX#exchange"), None),
            &["order <changed>: paid, and its mail (exchange-0) is not there"],
        ),
        (
            shop.change(&shop.beside("changed", "OUTBOX#exchange"), |item| {
                *within(item, &["state"]) = AttributeValue::M(Item::from([
                    ("state".to_owned(), text("superseded")),
                    ("at".to_owned(), number(0)),
                ]));
                item.remove("due_pk");
                item.remove("due_at");
            }),
            &["order <changed>: its mail (exchange-0) was left out, and is not superseded"],
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
                "membership OLD: another one is found by the list",
                "order <left>: <refund of left> gave membership OLD back, and it is in force",
            ],
        ),
    ]
}
