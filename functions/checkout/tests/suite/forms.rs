//! Forms that must be filled in before a cart is sold, and what becomes of the answers (spec §2.6).

use crate::audit::{Books, audit};
use crate::catalog::{COUPON, slot, template};
use crate::venue::{Process, Venue, ask, pay, tenant_id, tickets, tickets_for};
use domain::cart::response_id;
use domain::form::Form;
use domain::{CartId, FormId, InstanceId};
use serde_json::{Value, json};
use testkit::Answer;

pub(crate) const ONCE: &str = "5a10c4e2b95d3f0816e4a2c1";
const EACH: &str = "5a10c4e2b95d3f0816e4a2c2";
const OPTIONAL: &str = "5a10c4e2b95d3f0816e4a2c3";

fn form(id: &str, once_per_cart: bool, required: bool) -> Value {
    json!({
        "id": id, "name": "School visit", "once_per_cart": once_per_cart, "required": required,
        "fields": [{"name": "school", "label": "School", "kind": {"type": "text"}, "required": true}],
    })
}

async fn save(venue: &Venue, form: Value) {
    let form: Form = serde_json::from_value(form).unwrap();
    venue.store.save_form(tenant_id(), &form).await.unwrap();
}

/// Makes the event ask these forms.
async fn ask_for(venue: &Venue, forms: &[&str]) {
    let mut asking = template(1_800);
    asking.forms = forms.iter().map(|id| FormId::parse(id).unwrap()).collect();
    venue.store.save_template(tenant_id(), &asking).await.unwrap();
}

/// Makes the event ask a form that nobody has to fill in.
pub(crate) async fn save_optional(venue: &Venue) {
    save(venue, form(ONCE, true, false)).await;
    ask_for(venue, &[ONCE]).await;
}

/// A venue whose event asks a form once for a cart, one for each slot, and one that nobody has to fill in.
async fn venue() -> Venue {
    let venue = Venue::open([10, 10]).await;
    for (id, once, required) in [(ONCE, true, true), (EACH, false, true), (OPTIONAL, false, false)] {
        save(&venue, form(id, once, required)).await;
    }
    ask_for(&venue, &[ONCE, EACH, OPTIONAL]).await;
    venue
}

fn school(name: &str) -> Value {
    json!([{"name": "school", "value": name}])
}

/// Fills in the entries of a cart at these places.
async fn fill_in(process: &Process, cart: &CartId, places: &[usize]) {
    let path = format!("/v2/b2c/carts/{cart}");
    let read = process.send(ask("GET", &path, json!({}))).await;
    for place in places {
        let id = read.body["forms"][place]["formResponseId"].as_str().unwrap();
        let body = json!({"fields": school(&format!("School {place}"))});
        let answered = process.send(ask("PUT", &format!("{path}/forms/{id}"), body)).await;
        assert_eq!(answered.error(), "OK", "{}", answered.text);
    }
}

/// The refusal of a cart that was sent by its id and lacks answers to these forms.
fn lacking(cart: &CartId, forms: &[(&str, Option<InstanceId>)]) -> String {
    let told = |(form, event): &(&str, Option<InstanceId>)| {
        let id = response_id(cart, &FormId::parse(form).unwrap(), event.as_ref());
        format!(
            "\n/shoppingCartId has a form that must be filled in first, with PUT /v2/b2c/carts/{cart}/forms/{id}; \
             it needs an answer for \"school\""
        )
    };
    format!("409 FORMS_INCOMPLETE{}", forms.iter().map(told).collect::<String>())
}

fn both() -> Value {
    json!([tickets(2), tickets_for(1, 1)])
}

fn nothing_happened(answer: &Answer, process: &Process) {
    assert!(process.processor.calls().is_empty(), "the card was touched: {}", answer.text);
}

#[tokio::test]
async fn a_stored_cart_is_sold_once_its_required_forms_are_filled_in() {
    let venue = venue().await;
    let process = venue.process().await;
    let cart = process.cart(both()).await;
    let refused = process.pay(json!({"shoppingCartId": cart})).await;
    // Entries: the one of the cart, then of each slot the required and the optional one.
    let each = |number: u16| (EACH, Some(slot(number)));
    assert_eq!(refused.refusal(), lacking(&cart, &[(ONCE, None), each(0), each(1)]));
    nothing_happened(&refused, &process);
    let read = process.send(ask("GET", &format!("/v2/b2c/carts/{cart}"), json!({}))).await;
    let told = |at: usize| {
        let entry = &read.body["forms"][at];
        json!({
            "formId": entry["formId"], "formResponseId": entry["formResponseId"], "itemId": entry["itemId"],
            "eventIds": entry["eventIds"], "fields": ["school"],
        })
    };
    assert_eq!(refused.body["forms"], json!([told(0), told(1), told(3)]));
    fill_in(&process, &cart, &[0, 1]).await;
    let refused = process.pay(json!({"shoppingCartId": cart})).await;
    assert_eq!(refused.refusal(), lacking(&cart, &[each(1)]));
    assert_eq!((venue.seats(0).await, venue.captured().await), ([10, 0, 0], vec![]));
    fill_in(&process, &cart, &[3]).await;
    let order = process.pay(json!({"shoppingCartId": cart})).await;
    assert_eq!(order.error(), "OK", "{}", order.text);
    let told = |form: &Value| {
        let line =
            order.body["orderItems"].as_array().unwrap().iter().find(|item| item["itemId"] == form["itemId"]);
        assert_eq!(line.unwrap()["eventId"], form["eventId"]);
        let event = usize::from(form["eventId"] == json!(slot(1)));
        let id = form["formId"].as_str().unwrap();
        (id.to_owned(), event, form["fields"][0]["value"].as_str().unwrap().to_owned())
    };
    let kept = order.body["forms"].as_array().unwrap();
    assert_eq!(
        kept.iter().map(told).collect::<Vec<_>>(),
        [
            (ONCE.to_owned(), 0, "School 0".to_owned()),
            (ONCE.to_owned(), 1, "School 0".to_owned()),
            (EACH.to_owned(), 0, "School 1".to_owned()),
            (EACH.to_owned(), 1, "School 3".to_owned()),
        ]
    );
    let mut ids: Vec<&str> = kept.iter().map(|form| form["formResponseId"].as_str().unwrap()).collect();
    assert_eq!(ids[2], read.body["forms"][1]["formResponseId"], "the same where it is asked for each event");
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 4, "a response of its own for each event");
}

#[tokio::test]
async fn a_cart_within_the_checkout_brings_its_answers() {
    let venue = venue().await;
    let process = venue.process().await;
    let entry =
        |form: &str, event: Value, fields: Value| json!({"formId": form, "eventId": event, "fields": fields});
    let cart = |forms: Value| json!({"shoppingCart": {"items": both(), "forms": forms}});
    let once = entry(ONCE, json!(null), school("Pier"));
    let lacks = |form: &str, events: &[u16]| {
        let events: Vec<String> = events.iter().map(|event| slot(*event).to_string()).collect();
        let asked = format!("form {form} for event {}", events.join(", "));
        format!("\n/shoppingCart/forms must include {asked}; it needs an answer for \"school\"")
    };
    for (forms, expected) in [
        (
            json!([]),
            format!("409 FORMS_INCOMPLETE{}{}{}", lacks(ONCE, &[0, 1]), lacks(EACH, &[0]), lacks(EACH, &[1])),
        ),
        (
            json!([once, entry(EACH, json!(slot(0)), school("First"))]),
            format!("409 FORMS_INCOMPLETE{}", lacks(EACH, &[1])),
        ),
        (
            json!([once, entry(EACH, json!(null), json!([{"name": "scool", "value": "x"}]))]),
            "400 VALIDATION_ERROR\n/shoppingCart/forms/1/fields/0/name is not a field of the form\n\
             /shoppingCart/forms/1/fields must include an answer for \"school\""
                .to_owned(),
        ),
        (
            json!([entry("none", json!(null), school("x"))]),
            "404 NOT_FOUND\n/shoppingCart/forms/0/formId was not found".to_owned(),
        ),
    ] {
        let refused = process.pay(cart(forms)).await;
        assert_eq!(refused.refusal(), expected);
        nothing_happened(&refused, &process);
    }
    // What the old interface calls `checkoutForms` is for internal use, and ignored.
    let mut ignored = cart(json!([once, entry(EACH, json!(null), school("Each"))]));
    ignored["checkoutForms"] = json!([{"formId": "none", "fields": 7}]);
    let order = process.pay(ignored).await;
    assert_eq!(order.error(), "OK", "{}", order.text);
    assert_eq!(order.body["forms"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_dry_run_tells_of_forms_beside_everything_else() {
    let venue = venue().await;
    let process = venue.process().await;
    let cart = process.cart(both()).await;
    let found = async |fields: Value| -> Vec<String> {
        let report = process.pay(fields).await;
        let kind = |finding: &Value| finding["type"].as_str().unwrap().to_owned();
        report.body["findings"].as_array().unwrap().iter().map(kind).collect()
    };
    let fields = json!({"shoppingCartId": cart, "dryRun": true, "expectedTotal": "1.00"});
    assert_eq!(found(fields).await, ["PRICE_CHANGED", "FORMS_INCOMPLETE"]);
    let faulty = json!([{"formId": ONCE, "fields": [{"name": "school", "value": 7}]}]);
    let fields = json!({"shoppingCart": {"items": both(), "forms": faulty}, "dryRun": true});
    assert_eq!(found(fields).await, ["VALIDATION_ERROR"]);
    fill_in(&process, &cart, &[0, 1, 3]).await;
    assert_eq!(found(json!({"shoppingCartId": cart, "dryRun": true})).await, [""; 0]);
}

#[tokio::test]
async fn prices_and_coupons_are_told_before_forms_and_seats_after() {
    let venue = venue().await;
    let process = venue.process().await;
    let pay = async |cart: Value, total: &str| {
        process.pay(json!({"shoppingCart": cart, "expectedTotal": total})).await.error().to_owned()
    };
    let unknown = json!({"items": both(), "couponCodes": ["NOBODY"]});
    assert_eq!(pay(unknown, "100.00").await, "COUPON_NOT_VALID");
    let known = json!({"items": both(), "couponCodes": [COUPON]});
    assert_eq!(pay(known.clone(), "1.00").await, "PRICE_CHANGED");
    assert_eq!(pay(known, "100.00").await, "FORMS_INCOMPLETE");
    assert_eq!(pay(json!({"items": [tickets(11)]}), "999.00").await, "FORMS_INCOMPLETE");
}

#[tokio::test]
async fn a_form_that_was_just_changed_or_asked_counts_as_it_is() {
    let venue = venue().await;
    ask_for(&venue, &[ONCE]).await;
    let process = venue.process().await;
    let cart = process.cart(both()).await;
    fill_in(&process, &cart, &[0]).await;
    let mut changed = form(ONCE, true, true);
    changed["fields"][0]["kind"] = json!({"type": "choice", "options": ["Pier", "School 0"]});
    save(&venue, changed.clone()).await;
    let looked = process.pay(json!({"shoppingCartId": cart, "dryRun": true})).await;
    assert_eq!(looked.body["valid"], true, "{}", looked.text);
    changed["fields"][0]["kind"]["options"] = json!(["Pier"]);
    save(&venue, changed.clone()).await;
    let refused = process.pay(json!({"shoppingCartId": cart})).await;
    assert_eq!(refused.refusal(), lacking(&cart, &[(ONCE, None)]));
    changed["required"] = json!(false);
    save(&venue, changed).await;
    // The caches know nothing of the form that the event asks since a moment ago.
    ask_for(&venue, &[ONCE, EACH]).await;
    let refused = process.pay(json!({"shoppingCartId": cart})).await;
    assert_eq!(refused.refusal(), lacking(&cart, &[(EACH, Some(slot(0))), (EACH, Some(slot(1)))]));
    ask_for(&venue, &[]).await;
    let order = process.pay(json!({"shoppingCartId": cart})).await;
    assert_eq!((order.error(), &order.body["forms"]), ("OK", &json!([])), "{}", order.text);
}

#[tokio::test]
async fn forms_add_no_round_trip_to_a_checkout() {
    let venue = venue().await;
    let process = venue.process().await;
    let cart = process.cart(both()).await;
    fill_in(&process, &cart, &[0, 1, 3]).await;
    let stored = process.pay(json!({"shoppingCartId": cart})).await;
    let forms = json!([{"formId": ONCE, "fields": school("x")}, {"formId": EACH, "fields": school("y")}]);
    let inline = process.pay(json!({"shoppingCart": {"items": [tickets(1)], "forms": forms}})).await;
    assert_eq!((stored.error(), inline.error()), ("OK", "OK"), "{} {}", stored.text, inline.text);
    assert_eq!((stored.calls.rounds, inline.calls.rounds), (5, 4));
}

/// The answers lie in cart and order alone: a declined card leaves the cart as it was, and no order to read.
#[tokio::test]
async fn a_declined_card_leaves_the_answers_with_the_cart_and_nowhere_else() {
    let venue = venue().await;
    let process = venue.process().await;
    let cart = process.cart(both()).await;
    fill_in(&process, &cart, &[0, 1, 3]).await;
    let path = format!("/v2/b2c/carts/{cart}");
    let before = process.send(ask("GET", &path, json!({}))).await.body;
    let declined = json!({"shoppingCartId": cart, "manualEntryCardNumber": "4000000000000002"});
    assert_eq!(process.pay(declined).await.error(), "CARD_DECLINED");
    assert_eq!(audit(&venue, "declined").await.len(), 0);
    assert_eq!(process.send(ask("GET", &path, json!({}))).await.body, before);
    let order = process.pay(json!({"shoppingCartId": cart})).await;
    assert_eq!(order.body["forms"].as_array().map(Vec::len), Some(4), "{}", order.text);
    let paid = audit(&venue, "paid").await;
    assert_eq!(paid.len(), 1);
    assert_eq!(paid[0].forms.len(), 3, "answers given once are stored once");
}

#[tokio::test]
async fn answers_given_while_a_cart_is_checked_out_are_in_the_order_or_refused() {
    for _ in 0..10 {
        let venue = venue().await;
        let process = venue.process().await;
        let cart = process.cart(json!([tickets(1)])).await;
        fill_in(&process, &cart, &[0, 1]).await;
        let path = format!("/v2/b2c/carts/{cart}");
        let read = process.send(ask("GET", &path, json!({}))).await;
        let id = read.body["forms"][0]["formResponseId"].as_str().unwrap();
        let change = ask("PUT", &format!("{path}/forms/{id}"), json!({"fields": school("Late")}));
        let checkout = pay(json!({"shoppingCartId": cart}));
        let (order, changed) = tokio::join!(process.send(checkout), process.send(change));
        let orders = Books::open(&venue).await;
        for paid in orders.paid() {
            let kept = format!("{:?}", paid.forms[0].answers);
            assert_eq!(kept.contains("Late"), changed.error() == "OK", "{} {kept}", changed.text);
        }
        let expected = usize::from(order.error() == "OK");
        assert_eq!(orders.paid().len(), expected, "{}", order.text);
        let refused = ["OK", "REQUEST_IN_PROGRESS", "CART_ALREADY_CHECKED_OUT"];
        assert!(refused.contains(&changed.error()), "{}", changed.text);
        assert!(["OK", "TRY_AGAIN"].contains(&order.error()), "{}", order.text);
    }
}
