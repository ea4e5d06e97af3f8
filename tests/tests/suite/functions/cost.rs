//! What a million orders cost on AWS: what the calls of the functions consume, at list prices, and what a scan at the
//! door consumes, as the operating guide prints it.

use serde_json::{Value, json};

use crate::functions::aws::{Cloud, Units};
use crate::functions::{CART, ORDER, at, kept, succeed, with, with_card};
use blackbox::runtime_api::Player;

/// List prices of us-east-1 in US dollars, per unit.
mod price {
    /// Per request of an HTTP API, the first 300 million of a month.
    pub(super) const GATEWAY: f64 = 1.00 / 1e6;
    /// Per run of a function.
    pub(super) const RUN: f64 = 0.20 / 1e6;
    /// Per second of a gigabyte of memory on arm64.
    pub(super) const GIGABYTE_SECOND: f64 = 0.000_013_333_4;
    /// Per unit written to a table on demand.
    pub(super) const WRITE: f64 = 0.625 / 1e6;
    /// Per unit read from a table on demand.
    pub(super) const READ: f64 = 0.125 / 1e6;
    /// Per request to a standard queue.
    pub(super) const QUEUE: f64 = 0.40 / 1e6;
    /// Per gigabyte of log.
    pub(super) const LOG_GIGABYTE: f64 = 0.50;
    /// Per mail.
    pub(super) const MAIL: f64 = 0.10 / 1e3;
}

/// Memory of a function in gigabytes, as the template sets it.
const GIGABYTES: f64 = 0.25;

/// How long a request keeps its function, in seconds: far more than a warm one needs.
const USUAL_SECS: f64 = 0.020;

/// The same of a checkout, which waits for the card processor.
const CHECKOUT_SECS: f64 = 1.5;

/// Requests to the queue for one mail: sent, received, deleted.
const QUEUE_REQUESTS: f64 = 3.0;

/// Bytes of log for one request: the access log's line and the function's own.
const LOG_BYTES: f64 = 1_000.0;

/// One kind of request on the way to an order.
struct Step {
    name: &'static str,
    /// How often it is made for each order.
    times: f64,
    secs: f64,
    units: Units,
}

/// The way of one order, each request made a second time before it is counted, so that the functions are warm.
async fn way() -> Vec<Step> {
    let cloud = Cloud::start().await;
    let mut carts = cloud.function("carts").await;
    let first = succeed(&mut carts, &new_cart()).await;
    cloud.take_units();
    let second = succeed(&mut carts, &new_cart()).await;
    let new = cloud.take_units();
    let (first, second) = (first.as_str().unwrap(), second.as_str().unwrap());
    let mut steps = Vec::new();
    let step = |name, times, secs, units| Step { name, times, secs, units };

    let mut events = cloud.function("events").await;
    let mut list = kept("events", "list-slim.v2.json");
    let next = at(&list, "GET", "/v2/b2c/events/1001ee000000000000000001/nextAvailable", None);
    // What lists keep for a few seconds is kept for those who ask by real time.
    list["headers"].as_object_mut().unwrap().remove("x-service-test-now");
    for (name, times, event) in [("list of events", 3.0, &list), ("next seats of an event", 3.0, &next)] {
        succeed(&mut events, event).await;
        steps.push(step(name, times, USUAL_SECS, counted(&cloud, &mut events, event).await));
    }
    steps.push(step("new cart", 1.0, USUAL_SECS, new));
    let update = |id: &str| with(&kept("carts", "update.v2.json"), CART, id);
    succeed(&mut carts, &update(first)).await;
    steps.push(step("changed cart", 2.0, USUAL_SECS, counted(&cloud, &mut carts, &update(second)).await));

    let mut reservations = cloud.function("reservations").await;
    let held = succeed(&mut reservations, &hold()).await;
    cloud.take_units();
    let also_held = succeed(&mut reservations, &hold()).await;
    steps.push(step("reservation", 1.0, USUAL_SECS, cloud.take_units()));

    let mut checkout = cloud.function("checkout").await;
    let warm = succeed(&mut checkout, &pay(first, &held["id"], "4242424242424242")).await;
    cloud.take_units();
    let order = succeed(&mut checkout, &pay(second, &also_held["id"], "4111111111111111")).await;
    steps.push(step("checkout", 1.0, CHECKOUT_SECS, cloud.take_units()));

    let mut orders = cloud.function("orders").await;
    let order = order["id"].as_str().unwrap();
    let event = with(&kept("orders", "will-call.v2.json"), ORDER, order);
    succeed(&mut orders, &event).await;
    steps.push(step("order at the counter", 1.0, USUAL_SECS, counted(&cloud, &mut orders, &event).await));

    let mut mailer = cloud.function("mailer").await;
    mailer.invoke(&mail(warm["id"].as_str().unwrap())).await.unwrap();
    cloud.take_units();
    mailer.invoke(&mail(order)).await.unwrap();
    assert_eq!(cloud.mails().len(), 2);
    steps.push(step("mail", 1.0, USUAL_SECS, cloud.take_units()));
    assert_eq!(cloud.denied(), Vec::<String>::new());
    steps
}

/// What one call consumes.
async fn counted(cloud: &Cloud, player: &mut Player, event: &Value) -> Units {
    cloud.take_units();
    succeed(player, event).await;
    cloud.take_units()
}

fn new_cart() -> Value {
    at(&kept("carts", "create.v2.json"), "POST", "/v2/b2c/carts", Some(&json!({"items": []})))
}

fn hold() -> Value {
    let seats = json!({"reservationItems": [{"eventId": "ab92087a69baafe0843e1d0a", "quantity": 3}]});
    at(&kept("reservations", "create.v2.json"), "POST", "/v2/b2b/reservations", Some(&seats))
}

fn pay(cart: &str, reservation: &Value, card: &str) -> Value {
    let event = kept("checkout", "card.v2.json");
    let mut body: Value = serde_json::from_str(event["body"].as_str().unwrap()).unwrap();
    body.as_object_mut().unwrap().remove("shoppingCart");
    body["shoppingCartId"] = json!(cart);
    body["reservationId"] = reservation.clone();
    with_card(&mut body, card);
    at(&event, "POST", "/v2/b2c/checkout", Some(&body))
}

/// A batch of the mail of one order.
fn mail(order: &str) -> Value {
    let mut batch = with(&kept("mailer", "batch.sqs.json"), ORDER, order);
    batch["Records"].as_array_mut().unwrap().truncate(1);
    batch
}

/// A table of requests.
fn rows(steps: &[Step]) -> String {
    let mut text =
        String::from("| Request | For each order | Units read | Units written |\n|---|---|---|---|\n");
    for Step { name, times, units: Units { reads, writes }, .. } in steps {
        text += &format!("| {name} | {times} | {reads} | {writes} |\n");
    }
    text
}

/// The two tables of the operating guide, and the dollars for a million orders without mail.
fn arithmetic(steps: &[Step]) -> (String, f64) {
    let sum = |of: fn(&Step) -> f64| steps.iter().map(|step| step.times * of(step)).sum::<f64>();
    let (runs, secs) = (sum(|_| 1.0), sum(|step| step.secs));
    let (reads, writes) = (sum(|step| step.units.reads), sum(|step| step.units.writes));
    let requests = runs - 1.0;
    let mut text = rows(steps);
    let kilobytes = LOG_BYTES / 1e3;
    let lines = [
        ("HTTP API", format!("{requests} requests × 1.00"), requests * price::GATEWAY),
        ("Functions, runs", format!("{runs} runs × 0.20"), runs * price::RUN),
        (
            "Functions, time",
            format!("{GIGABYTES} GB × {secs:.2} s × 0.0000133334 × 10⁶"),
            GIGABYTES * secs * price::GIGABYTE_SECOND,
        ),
        ("Tables, written", format!("{writes} units × 0.625"), writes * price::WRITE),
        ("Tables, read", format!("{reads} units × 0.125"), reads * price::READ),
        ("Mail queue", format!("{QUEUE_REQUESTS} requests × 0.40"), QUEUE_REQUESTS * price::QUEUE),
        (
            "Logs",
            format!("{runs} × {kilobytes} KB × 0.50 per GB"),
            runs * LOG_BYTES / 1e9 * price::LOG_GIGABYTE,
        ),
    ];
    text += "\n| Part | Arithmetic | USD for a million orders |\n|---|---|---|\n";
    for (part, how, dollars) in &lines {
        text += &format!("| {part} | {how} | {:.2} |\n", dollars * 1e6);
    }
    let total = lines.iter().map(|(_, _, dollars)| dollars * 1e6).sum::<f64>();
    text += &format!("| **Total** | | **{total:.2}** |\n");
    text += &format!("| Mail | 1 mail × 0.10 per thousand | {:.2} |\n", price::MAIL * 1e6);
    (text, total)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_million_orders_cost_what_the_operating_guide_says() {
    let (text, total) = arithmetic(&way().await);
    assert!(total <= 58.0, "{text}");
    assert_printed("<!-- cost -->\n", &text);
}

/// What is between two marks of the operating guide is this text.
fn assert_printed(mark: &str, text: &str) {
    let guide = std::fs::read_to_string(blackbox::repository().join("docs/OPERATIONS.md")).unwrap();
    let printed = guide.split(mark).nth(1).unwrap_or_default();
    assert_eq!(printed, text, "between {mark} in docs/OPERATIONS.md has to stand:\n{text}");
}

/// A ticket is let in, shown again, and its device asks for the list of the slot. Each is done with another ticket or once
/// more before it is counted, so that the function is warm.
#[tokio::test(flavor = "multi_thread")]
async fn a_scan_costs_what_the_operating_guide_says() {
    let cloud = Cloud::start().await;
    let mut reservations = cloud.function("reservations").await;
    let held = succeed(&mut reservations, &hold()).await;
    let mut carts = cloud.function("carts").await;
    let cart = succeed(&mut carts, &new_cart()).await;
    let cart = cart.as_str().unwrap();
    succeed(&mut carts, &with(&kept("carts", "update.v2.json"), CART, cart)).await;
    let mut checkout = cloud.function("checkout").await;
    let order = succeed(&mut checkout, &pay(cart, &held["id"], "4242424242424242")).await;
    let mut orders = cloud.function("orders").await;
    let will_call = with(&kept("orders", "will-call.v2.json"), ORDER, order["id"].as_str().unwrap());
    let order = succeed(&mut orders, &will_call).await;
    let barcode = |place: usize| order["eventItems"][0]["items"][0]["tickets"][place]["uuid"].clone();

    let mut doors = cloud.function("admission").await;
    let event = kept("admission", "scan.v2.json");
    let scan = |place| at(&event, "POST", "/v2/b2b/admissions", Some(&json!({ "code": barcode(place) })));
    let admitted = succeed(&mut doors, &scan(0)).await;
    assert_eq!(admitted["admitted"], 1, "{admitted}");
    let list = format!("/v2/b2b/admissions/events/{}", order["eventItems"][0]["eventId"].as_str().unwrap());
    let list = at(&event, "GET", &list, None);
    succeed(&mut doors, &list).await;

    let mut steps = vec![];
    for (name, event) in
        [("ticket let in", scan(1)), ("the same once more", scan(1)), ("list of a device", list)]
    {
        let units = counted(&cloud, &mut doors, &event).await;
        steps.push(Step { name, times: 1.0, secs: USUAL_SECS, units });
    }
    for Step { name, units, .. } in &steps {
        assert!(units.writes <= 10.0, "{name}: {}", units.writes);
    }
    assert_printed("<!-- door -->\n", &rows(&steps));
}
