//! What orders, refunds and mails say of taxes, and the running numbers of orders.

use crate::audit::audit;
use crate::catalog::{COUPON, STOCKED, slot};
use crate::returns::books::check_books;
use crate::returns::{exchange, id, item, refund, sold};
use crate::venue::{Process, Venue, ask, combos, tenant_id, tickets};
use domain::Percent;
use domain::catalog::PersonType;
use domain::tax::Tax;
use domain::tenant::Tenant;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::Consistency;
use testkit::cards::DECLINED;
use testkit::catalog::{ADULT, CHILD, DONATION, person_type};

fn tax(rate: &str) -> Tax {
    Tax { rate: Percent::parse(rate).unwrap(), name: Some("VAT".to_owned()) }
}

/// A process of a venue whose adults pay 20 % and whose children 7 %.
async fn taxed(venue: &Venue) -> Process {
    taxed_at(venue, ["20", "7"]).await
}

/// A process of a venue whose adults and children pay these rates.
async fn taxed_at(venue: &Venue, [adult, child]: [&str; 2]) -> Process {
    for (id, name, rate) in [(ADULT, "Adult", adult), (CHILD, "Child", child)] {
        let taxed = PersonType { tax: tax(rate), ..person_type(id, name) };
        venue.store.save_person_type(tenant_id(), &taxed).await.unwrap();
    }
    venue.process().await
}

/// What is said of taxes: rate, as first ordered, left.
fn told(order: &Value) -> Value {
    let tax = |tax: &Value| json!([tax["taxRate"], tax["originalTaxAmount"], tax["taxAmount"]]);
    order["taxes"].as_array().unwrap().iter().map(tax).collect()
}

/// What the items at the top say that is left of taxes, in cents.
fn of_items(order: &Value) -> i64 {
    let items = order["orderItems"].as_array().unwrap().iter();
    let cents = |item: &Value| item["taxAmount"].as_str().unwrap().replace('.', "").parse::<i64>().unwrap();
    items.filter(|item| item["parentItemId"] == "0").map(cents).sum()
}

async fn read(process: &Process, order: &str) -> Value {
    process.send(ask("GET", &format!("/v2/b2c/orders/{order}"), json!({}))).await.body
}

#[tokio::test]
async fn the_tax_of_an_order_is_that_of_its_lines_and_comes_back_with_them_to_the_cent() {
    let venue = Venue::open([10, 10]).await;
    let process = taxed(&venue).await;
    let child = json!({"eventId": slot(0), "ticketingTypeId": CHILD, "quantity": 1});
    let gift = json!({"inventoryId": DONATION, "quantity": 1, "type": "donation", "unitPrice": "5.00"});
    let order = sold(&process, json!({"shoppingCart": {"items": [tickets(3), child, gift]}})).await;
    // 54.00 with 20 %, 9.00 with 7 %, and a gift with none.
    assert_eq!(told(&order), json!([["20.00", "9.00", "9.00"], ["7.00", "0.59", "0.59"]]));
    let first = &order["orderItems"][0];
    assert_eq!(
        json!([first["taxRate"], first["taxName"], first["taxAmount"]]),
        json!(["20.00", "VAT", "9.00"])
    );
    assert_eq!((&order["orderItems"][2]["taxRate"], of_items(&order)), (&Value::Null, 959));

    // One ticket goes to another slot, and takes its tax along.
    let (order_id, line) = (id(&order), item(&order, 0));
    let moved = process.send(exchange(order_id, json!({"itemId": line, "quantity": 1}))).await;
    assert_eq!(moved.error(), "OK", "{}", moved.text);
    let after = read(&process, order_id).await;
    assert_eq!((told(&after), of_items(&after)), (told(&order), 959));

    let part = json!({"items": [{"itemId": line, "quantity": 1}], "sendEmail": false});
    let part = process.send(refund(order_id, part)).await;
    let vat = |rate: &str, amount: &str| json!({"taxRate": rate, "taxName": "VAT", "taxAmount": amount});
    assert_eq!(part.body["taxes"], json!([vat("20.00", "3.00")]), "{}", part.text);
    let after = read(&process, order_id).await;
    assert_eq!(told(&after), json!([["20.00", "9.00", "6.00"], ["7.00", "0.59", "0.59"]]));
    assert_eq!((of_items(&after), &after["refunds"][0]["taxes"]), (659, &part.body["taxes"]));

    let rest = process.send(refund(order_id, json!({"wholeOrder": true, "sendEmail": false}))).await;
    assert_eq!(rest.body["taxes"], json!([vat("20.00", "6.00"), vat("7.00", "0.59")]), "{}", rest.text);
    let after = read(&process, order_id).await;
    assert_eq!(told(&after), json!([["20.00", "9.00", "0.00"], ["7.00", "0.59", "0.00"]]));
    let id = domain::OrderId::parse(order_id).unwrap();
    let kept = venue.store.load_order(tenant_id(), &id).await.unwrap().unwrap();
    let sale = kept.payment.as_ref().map(|payment| payment.sale.clone()).unwrap();
    let sale = venue.store.load_sale(tenant_id(), &sale).await.unwrap().unwrap();
    assert_eq!(sale.taxes, kept.taxes());
    assert!(sale.taxes_left().unwrap().is_empty());
    check_books(&venue, "taxes").await;
}

/// An amount in cents.
fn cents(amount: &Value) -> i64 {
    amount.as_str().unwrap().replace('.', "").parse().unwrap()
}

/// What a price contains at a rate in hundredths of a percent, half up.
fn contained(price: i64, rate: i64) -> i64 {
    let divisor = 10_000 + rate;
    (2 * price * rate + divisor) / (2 * divisor)
}

/// Shares of taxes by their rate, in cents; the name of each is the same.
fn by_rate<'a>(shares: impl IntoIterator<Item = &'a Value>, amount: &str) -> BTreeMap<String, i64> {
    let mut sums = BTreeMap::new();
    for share in shares {
        *sums.entry(share["taxRate"].as_str().unwrap().to_owned()).or_default() += cents(&share[amount]);
    }
    sums
}

/// A cart of tickets, units, combos and a gift, as it happens.
fn any_cart(random: &mut fastrand::Rng) -> Value {
    let child = json!({"eventId": slot(0), "ticketingTypeId": CHILD, "quantity": random.u32(1..4)});
    let mut items = vec![tickets(random.u32(1..4)), child];
    if random.bool() {
        items.push(json!({"inventoryId": STOCKED, "quantity": random.u32(1..4)}));
    }
    if random.bool() {
        let price = format!("{}.{:02}", random.u32(1..50), random.u32(0..100));
        items.push(json!({"inventoryId": DONATION, "quantity": 1, "type": "donation", "unitPrice": price}));
    }
    let coupons = if random.bool() { json!([COUPON]) } else { json!([]) };
    let combos = if random.bool() { json!([combos(random.u32(1..3))]) } else { json!([]) };
    json!({"shoppingCart": {"items": items, "comboItems": combos, "couponCodes": coupons}})
}

/// That each line contains what its own price does, that the events of a combo share the tax of the combo, and that the
/// lines add up to the order.
fn assert_adds_up(order: &Value) {
    let items = order["orderItems"].as_array().unwrap();
    let is_taxed = |item: &&Value| item["parentItemId"] == "0" && !item["taxRate"].is_null();
    for item in items.iter().filter(is_taxed) {
        let rate = cents(&item["taxRate"]);
        let expected = contained(cents(&item["discountedOriginalAmount"]), rate);
        assert_eq!(cents(&item["originalTaxAmount"]), expected, "{item}");
        let parts = items.iter().filter(|part| part["parentItemId"] == item["itemId"]);
        let parts: Vec<i64> = parts.map(|part| cents(&part["originalTaxAmount"])).collect();
        assert!(parts.is_empty() || parts.iter().sum::<i64>() == expected, "{parts:?}: {item}");
    }
    for amount in ["originalTaxAmount", "taxAmount"] {
        let of_lines = by_rate(items.iter().filter(is_taxed), amount);
        assert_eq!(by_rate(order["taxes"].as_array().unwrap(), amount), of_lines, "{amount}");
    }
}

#[tokio::test]
async fn taxes_of_any_cart_add_up_and_come_back_with_any_refunds_to_the_cent() {
    for seed in 0..6 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut rate = || format!("{}.{:02}", random.u32(0..30), random.u32(1..100));
        let (adult, child, both) = (rate(), rate(), rate());
        let venue = Venue::open([10, 10]).await;
        let combo = domain::combo::Combo { tax: tax(&both), ..crate::catalog::combo(5_000) };
        venue.store.save_combo(tenant_id(), &combo).await.unwrap();
        let process = taxed_at(&venue, [&adult, &child]).await;
        let order = sold(&process, any_cart(&mut random)).await;
        assert_adds_up(&order);
        let all = by_rate(order["taxes"].as_array().unwrap(), "originalTaxAmount");
        let mut given: BTreeMap<String, i64> = all.keys().map(|rate| (rate.clone(), 0)).collect();
        let mut wishes = Vec::new();
        for _ in 0..random.usize(1..6) {
            let top = order["orderItems"].as_array().unwrap().iter();
            let top: Vec<&Value> = top.filter(|item| item["parentItemId"] == "0").collect();
            let item = &top[random.usize(..top.len())]["itemId"];
            wishes.push(json!({"items": [{"itemId": item, "quantity": random.u32(1..3)}]}));
        }
        wishes.push(json!({"wholeOrder": true}));
        for mut wish in wishes {
            wish["sendEmail"] = false.into();
            let answer = process.send(refund(id(&order), wish)).await;
            // What is left of a line may be less.
            assert!([200, 409].contains(&answer.status), "{seed}: {}", answer.text);
            if answer.status == 200 {
                for (rate, amount) in by_rate(answer.body["taxes"].as_array().unwrap(), "taxAmount") {
                    *given.get_mut(&rate).unwrap() += amount;
                }
            }
            let now = read(&process, id(&order)).await;
            assert_adds_up(&now);
            for (rate, left) in by_rate(now["taxes"].as_array().unwrap(), "taxAmount") {
                assert_eq!(given[&rate] + left, all[&rate], "{seed}: {rate}");
            }
        }
        assert_eq!(given, all, "{seed}: all refunds together");
        check_books(&venue, &format!("cart {seed}")).await;
    }
}

#[tokio::test]
async fn a_combo_shares_its_own_tax_over_its_events() {
    let venue = Venue::open([10, 10]).await;
    let taxed = domain::combo::Combo { tax: tax("19"), ..crate::catalog::combo(5_000) };
    venue.store.save_combo(tenant_id(), &taxed).await.unwrap();
    let process = self::taxed(&venue).await;
    let order = sold(&process, json!({"shoppingCart": {"comboItems": [combos(1)]}})).await;
    // Of 50.00, which are 42.02 with 19 % on it.
    assert_eq!(told(&order), json!([["19.00", "7.98", "7.98"]]));
    let items = order["orderItems"].as_array().unwrap();
    let cents = |item: &Value| item["taxAmount"].as_str().unwrap().replace('.', "").parse::<i64>().unwrap();
    let parts: i64 = items.iter().filter(|item| item["parentItemId"] != "0").map(cents).sum();
    assert_eq!((parts, of_items(&order)), (798, 798));
}

#[tokio::test]
async fn orders_have_running_numbers_where_the_venue_wants_them_and_each_costs_a_call() {
    let venue = Venue::open([10, 10]).await;
    let gift = |price: &str| {
        let gift = json!({"inventoryId": DONATION, "quantity": 1, "type": "donation", "unitPrice": price});
        json!({"shoppingCart": {"items": [gift]}})
    };
    let plain = venue.process().await.pay(gift("4.00")).await;
    assert_eq!(plain.body["receiptNumber"], Value::Null);
    let tenant = venue.store.load_tenant(tenant_id(), Consistency::Strong).await.unwrap().unwrap();
    venue.store.save_tenant(&Tenant { receipt_numbers: true, ..tenant }).await.unwrap();
    let process = venue.process().await;
    let first = process.pay(gift("5.00")).await;
    let mut declined = gift("6.00");
    declined["manualEntryCardNumber"] = DECLINED.into();
    assert_eq!(process.pay(declined).await.error(), "CARD_DECLINED");
    let third = process.pay(gift("7.00")).await;
    let numbers = [&first.body["receiptNumber"], &third.body["receiptNumber"]];
    // What was given back keeps the number it was given.
    assert_eq!(numbers, [&json!("2027-000001"), &json!("2027-000003")]);
    let more = (first.calls.rounds - plain.calls.rounds, first.calls.total - plain.calls.total);
    assert_eq!(more, (1, 1));
    assert_eq!(audit(&venue, "running numbers").await.len(), 3);
}
