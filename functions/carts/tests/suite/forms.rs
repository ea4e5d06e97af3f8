//! The forms of a cart and `PUT /v2/b2c/carts/{id}/forms/{formResponseId}`.

use crate::support::{Venue, ledger, now, slot, start, template, tenant_id, tickets};
use crate::update::check_out;
use domain::form::Form;
use domain::ledger::Ledger;
use domain::order::OrderState;
use domain::time::plus_secs;
use insta::assert_snapshot;
use serde_json::{Value, json};
use store::{Consistency, Key};
use testkit::catalog::ADULT;
use testkit::{Answer, post, put};

const ONCE: &str = "5a10c4e2b95d3f0816e4a2c1";
const EACH: &str = "5a10c4e2b95d3f0816e4a2c2";
const CARD: &str = "4111 1111 1111 1111";

fn form(id: &str, once_per_cart: bool) -> Form {
    let stored = json!({
        "id": id, "name": "School visit", "once_per_cart": once_per_cart, "required": true,
        "fields": [
            {"name": "school", "label": "School", "kind": {"type": "text"}, "required": true},
            {"name": "pupils", "label": "Pupils", "kind": {"type": "number"}},
            {"name": "tour", "label": "Tour", "kind": {"type": "choice", "options": ["Ships", "Knots"]}},
            {"name": "first", "label": "First visit", "kind": {"type": "checkbox"}},
            {"name": "arrival", "label": "Arrival", "kind": {"type": "date"}},
        ],
    });
    serde_json::from_value(stored).unwrap()
}

/// A venue that sells two slots of an event that asks a form once for a cart and one for each event.
async fn venue() -> Venue {
    let venue = Venue::open().await;
    for form in [form(ONCE, true), form(EACH, false)] {
        venue.store.save_form(tenant_id(), &form).await.unwrap();
    }
    let mut asking = template();
    asking.forms = [ONCE, EACH].map(|id| id.to_owned().try_into().unwrap()).to_vec();
    venue.store.save_template(tenant_id(), &asking).await.unwrap();
    let (start, end) = (plus_secs(start(), 3_600), plus_secs(start(), 7_200));
    let later = Ledger { instance: slot(1), start, end, ..ledger() };
    venue.store.create_ledger(tenant_id(), &later).await.unwrap();
    venue
}

fn tickets_for(hours: i64, quantity: u32) -> Value {
    json!({"eventId": slot(hours), "ticketingTypeId": ADULT, "quantity": quantity})
}

fn answers() -> Value {
    json!({"fields": [{"name": "school", "value": "Pier School"}, {"name": "pupils", "value": 23}]})
}

fn forms(cart: &Answer) -> &Vec<Value> {
    cart.body["forms"].as_array().unwrap()
}

fn path_of(cart: &str, entry: &Value) -> String {
    format!("{cart}/forms/{}", entry["formResponseId"].as_str().unwrap())
}

async fn get(venue: &Venue, path: &str) -> Answer {
    venue.send(testkit::get(path)).await
}

#[tokio::test]
async fn a_cart_lists_the_forms_of_its_events_with_their_answers() {
    let venue = venue().await;
    let (id, path) = venue.cart_of(json!([tickets_for(0, 0), tickets_for(0, 2), tickets_for(1, 1)])).await;
    let read = get(&venue, &path).await;
    let told = |entry: &Value| {
        let line =
            read.body["items"].as_array().unwrap().iter().position(|item| item["itemId"] == entry["itemId"]);
        format!(
            "{} line {} of {}, once {}, for {} events",
            entry["formId"].as_str().unwrap(),
            line.unwrap(),
            entry["itemName"].as_str().unwrap(),
            entry["oncePerCart"],
            entry["eventIds"].as_array().unwrap().len(),
        )
    };
    assert_eq!(
        forms(&read).iter().map(told).collect::<Vec<_>>(),
        [
            format!("{ONCE} line 1 of Harbor Gallery Entry, once true, for 2 events"),
            format!("{EACH} line 1 of Harbor Gallery Entry, once false, for 1 events"),
            format!("{EACH} line 2 of Harbor Gallery Entry, once false, for 1 events"),
        ]
    );
    let all = json!({"fields": [
        {"name": "arrival", "value": "2028-02-29"}, {"name": "first", "value": false},
        {"name": "tour", "value": "Knots"}, {"name": "pupils", "value": 23.50},
        {"name": "school", "value": " Pier School "},
    ]});
    let answered = venue.send(put(path_of(&path, &forms(&read)[0]), all)).await;
    assert_eq!(answered.status, 200, "{}", answered.body);
    let mut shown = answered.body.clone();
    for (name, value) in [("formResponseId", "[formResponseId]"), ("itemId", "[itemId]")] {
        shown[name] = value.into();
    }
    assert_snapshot!(serde_json::to_string_pretty(&shown).unwrap(), @r#"
    {
      "completed": true,
      "description": "",
      "eventIds": [
        "eed214b66bfee0005f722475",
        "eed214b66bfeee105f727955"
      ],
      "fields": [
        {
          "label": "School",
          "name": "school",
          "options": null,
          "required": true,
          "type": "text"
        },
        {
          "label": "Pupils",
          "name": "pupils",
          "options": null,
          "required": false,
          "type": "number"
        },
        {
          "label": "Tour",
          "name": "tour",
          "options": [
            "Ships",
            "Knots"
          ],
          "required": false,
          "type": "choice"
        },
        {
          "label": "First visit",
          "name": "first",
          "options": null,
          "required": false,
          "type": "checkbox"
        },
        {
          "label": "Arrival",
          "name": "arrival",
          "options": null,
          "required": false,
          "type": "date"
        }
      ],
      "formId": "5a10c4e2b95d3f0816e4a2c1",
      "formName": "School visit",
      "formResponseId": "[formResponseId]",
      "itemId": "[itemId]",
      "itemName": "Harbor Gallery Entry",
      "itemType": "Event",
      "oncePerCart": true,
      "required": true,
      "response": {
        "fields": [
          {
            "name": "school",
            "value": "Pier School"
          },
          {
            "name": "pupils",
            "value": 23.5
          },
          {
            "name": "tour",
            "value": "Knots"
          },
          {
            "name": "first",
            "value": false
          },
          {
            "name": "arrival",
            "value": "2028-02-29"
          }
        ]
      }
    }
    "#);
    assert_eq!(forms(&get(&venue, &path).await)[0], answered.body);
    let same = json!({"id": id, "items": read.body["items"]});
    let again = venue.send(put(&path, same)).await;
    assert_eq!(forms(&again), forms(&get(&venue, &path).await));
    assert_eq!(forms(&again)[0], answered.body, "a repeated cart loses no answer");
}

#[tokio::test]
async fn a_number_is_answered_as_it_was_sent() {
    let venue = venue().await;
    let (_, path) = venue.cart_of(json!([tickets_for(0, 1)])).await;
    let form = path_of(&path, &forms(&get(&venue, &path).await)[0]);
    for pupils in [json!("1.5"), json!("1.50"), json!("02145"), json!("7"), json!(7), json!(1.5)] {
        let school = json!({"name": "school", "value": "Pier School"});
        let fields = json!([school, {"name": "pupils", "value": pupils}]);
        let answered = venue.send(put(&form, json!({"fields": fields}))).await;
        assert_eq!(answered.status, 200, "{}", answered.body);
        for entry in [&answered.body, &forms(&get(&venue, &path).await)[0]] {
            assert_eq!(entry["response"]["fields"][1], json!({"name": "pupils", "value": pupils}));
        }
    }
}

#[tokio::test]
async fn answers_leave_the_cart_with_their_events() {
    let venue = venue().await;
    let (id, path) = venue.cart_of(json!([tickets_for(0, 1), tickets_for(1, 1)])).await;
    let read = get(&venue, &path).await;
    for entry in forms(&read) {
        assert_eq!(venue.send(put(path_of(&path, entry), answers())).await.status, 200);
    }
    let put = async |items: Value| venue.send(put(&path, json!({"id": id, "items": items}))).await;
    let completed = |cart: &Answer| -> Vec<bool> {
        forms(cart).iter().map(|entry| entry["completed"].as_bool().unwrap()).collect()
    };
    assert_eq!(completed(&put(json!([tickets_for(1, 1)])).await), [true, true]);
    assert_eq!(completed(&put(json!([tickets_for(1, 1), tickets_for(0, 1)])).await), [true, true, false]);
    assert_eq!(completed(&put(json!([])).await), [false; 0]);
    assert_eq!(completed(&put(json!([tickets_for(0, 1)])).await), [false, false]);
}

#[tokio::test]
async fn every_fault_of_the_answers_is_named() {
    let venue = venue().await;
    let (_, path) = venue.cart_of(json!([tickets(1)])).await;
    let entry = path_of(&path, &forms(&get(&venue, &path).await)[0]);
    let school = json!({"name": "school", "value": "Pier"});
    for (body, expected) in [
        (json!({}), "/fields is required"),
        (json!({"fields": null}), "/fields is required"),
        (json!({"fields": "school"}), "/fields must be an array"),
        (json!({"fields": vec![&school; 101]}), "/fields must have at most 100 entries"),
        (
            json!({"fields": [5, {"value": "x"}, {"name": "school", "value": {"a": 1}}]}),
            "/fields/0 must be an object\n/fields/1/name is required\n\
             /fields/2/value must be text, a number, or true or false",
        ),
        (json!({"fields": []}), "/fields must include an answer for \"school\""),
        (
            json!({"fields": [
                {"name": "School", "value": "x"}, {"name": "school", "value": " "}, {"name": "pupils", "value": "x"},
                {"name": "tour", "value": "Whales"}, {"name": "first", "value": "yes"},
                {"name": "arrival", "value": "2027-02-29"}, {"name": "tour", "value": "Ships"},
            ]}),
            "/fields/0/name is not a field of the form\n/fields/1/value is required\n\
             /fields/2/value must be a number of at most 12 digits\n/fields/3/value must be one of the options\n\
             /fields/4/value must be true or false\n/fields/5/value must be a date, such as 2027-06-01\n\
             /fields/6/name is already in the list",
        ),
        (json!({"fields": [{"name": "school", "value": 7}]}), "/fields/0/value must be a string"),
        (
            json!({"fields": [{"name": "school", "value": "x".repeat(2_001)}]}),
            "/fields/0/value must have at most 2000 characters",
        ),
    ] {
        let refused = venue.send(put(&entry, body)).await.refusal();
        assert_eq!(refused, format!("400 VALIDATION_ERROR\n{expected}"));
    }
    assert_eq!(forms(&get(&venue, &path).await)[0]["completed"], false);
}

#[tokio::test]
async fn a_form_the_cart_does_not_ask_is_not_found() {
    let venue = venue().await;
    let (_, path) = venue.cart_of(json!([tickets(1)])).await;
    let (_, other) = venue.cart_of(json!([tickets(1)])).await;
    let entry = forms(&get(&venue, &path).await)[0].clone();
    for (case, key, path) in [
        ("another tenant's", "key-205", path_of(&path, &entry)),
        ("another cart's", "key-204", path_of(&other, &entry)),
        ("no cart", "key-204", path_of("/v2/b2c/carts/nothing", &entry)),
        ("no id", "key-204", format!("{path}/forms/a%20b")),
        ("no entry", "key-204", format!("{path}/forms/{ONCE}")),
    ] {
        // Faults of the answers are told only to those who may give them.
        let refused = venue.send(put(&path, json!({"fields": []})).by(key)).await;
        assert_eq!(refused.refusal(), "404 NOT_FOUND", "{case}");
    }
}

#[tokio::test]
async fn answers_are_taken_unless_the_order_of_the_cart_is_pending_or_paid() {
    let void = OrderState::Void { at: now(), decline: None };
    for (case, state, expected) in [
        ("pending", Some(OrderState::Pending { deadline: plus_secs(now(), 60) }), "409 REQUEST_IN_PROGRESS"),
        ("paid", Some(OrderState::Paid { at: now() }), "409 CART_ALREADY_CHECKED_OUT"),
        ("void", Some(void), "200 "),
        ("never written", None, "200 "),
    ] {
        let venue = venue().await;
        let (id, path) = venue.cart_of(json!([tickets(1)])).await;
        let entry = path_of(&path, &forms(&get(&venue, &path).await)[0]);
        check_out(&venue, &id, state).await;
        assert_eq!(venue.send(put(&entry, answers())).await.refusal(), expected, "{case}");
        let read = get(&venue, &path).await;
        assert_eq!(forms(&read)[0]["completed"], expected.starts_with("200"), "{case}");
        let mut faulty = answers();
        faulty["fields"][0]["value"] = json!(7);
        let refused = venue.send(put(&entry, faulty)).await.refusal();
        let fault = "400 VALIDATION_ERROR\n/fields/0/value must be a string";
        assert_eq!(refused, if expected == "200 " { fault } else { expected }, "{case}");
    }
}

#[tokio::test]
async fn answers_and_a_new_list_of_lines_at_once_both_stand() {
    for _ in 0..20 {
        let venue = venue().await;
        let (id, path) = venue.cart_of(json!([tickets_for(0, 1)])).await;
        let entries = forms(&get(&venue, &path).await).clone();
        let update = json!({"id": id, "items": [tickets_for(0, 3), tickets_for(1, 1)]});
        let (one, other) = (path_of(&path, &entries[0]), path_of(&path, &entries[1]));
        let (lines, one, other) = tokio::join!(
            venue.send(put(&path, update)),
            venue.send(put(&one, answers())),
            venue.send(put(&other, answers())),
        );
        assert_eq!([lines.status, one.status, other.status], [200; 3]);
        let read = get(&venue, &path).await;
        assert_eq!(read.body["items"][0]["quantity"], 3);
        let completed: Vec<&Value> = forms(&read).iter().map(|entry| &entry["completed"]).collect();
        assert_eq!(completed, [true, true, false]);
    }
}

#[tokio::test]
async fn repeated_answers_are_answered_as_before() {
    let venue = venue().await;
    let (_, path) = venue.cart_of(json!([tickets(1)])).await;
    let entry = path_of(&path, &forms(&get(&venue, &path).await)[0]);
    let key = "f-1";
    let first = venue.send(put(&entry, answers()).keyed(key)).await;
    let changed = json!({"fields": [{"name": "school", "value": "Another"}]});
    assert_eq!(venue.send(put(&entry, changed.clone())).await.status, 200);
    let again = venue.send(put(&entry, answers()).keyed(key)).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(again.headers["x-service-replayed"], "true");
    assert_eq!(forms(&get(&venue, &path).await)[0]["response"], changed, "and change nothing again");
    let other = venue.send(put(&entry, changed).keyed(key)).await;
    assert_eq!(other.refusal(), "409 IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn answering_makes_two_round_trips() {
    let venue = venue().await;
    let (_, path) = venue.cart_of(json!([tickets(1)])).await;
    let entry = path_of(&path, &forms(&get(&venue, &path).await)[0]);
    let answered = venue.send(put(&entry, answers())).await;
    assert_eq!((answered.status, answered.calls.rounds), (200, 2), "{:?}", answered.calls);
    let (id, path) = venue.cart_of(json!([tickets(1)])).await;
    assert_eq!(get(&venue, &path).await.calls.rounds, 1);
    let updated = venue.send(put(&path, json!({"id": id, "items": [tickets(2)]}))).await;
    assert_eq!(updated.calls.rounds, 2);
    let created = venue.send(post("/v2/b2c/carts", json!({"items": [tickets(1)]}))).await;
    assert_eq!(created.calls.rounds, 1);
}

#[tokio::test]
async fn answers_may_come_with_the_cart() {
    let venue = venue().await;
    let wanted = |form: &str, event: Value, school: Value| {
        let fields = json!([{"name": "school", "value": school}]);
        json!({"formId": form, "eventId": event, "fields": fields})
    };
    let items = json!([tickets_for(0, 1), tickets_for(1, 1)]);
    let sent = json!({"items": items, "forms": [
        wanted(EACH, json!(slot(1)), json!("Second")), wanted(ONCE, json!(null), json!("Both")),
    ]});
    let made = venue.send(post("/v2/b2c/carts", sent)).await;
    let id = made.body.as_str().unwrap_or_else(|| panic!("{}", made.body)).to_owned();
    let path = format!("/v2/b2c/carts/{id}");
    let schools = |cart: &Answer| -> Vec<Value> {
        forms(cart).iter().map(|entry| entry["response"]["fields"][0]["value"].clone()).collect()
    };
    let read = get(&venue, &path).await;
    assert_eq!(schools(&read), [json!("Both"), json!(null), json!("Second")]);
    // The cart as it was read, sent back: nothing of its forms is taken for new answers.
    let back = venue.send(put(&path, read.body.clone())).await;
    assert_eq!(back.body, read.body);
    let sent = json!({"id": id, "items": items, "forms": [wanted(EACH, json!(null), json!("Every"))]});
    assert_eq!(schools(&venue.send(put(&path, sent)).await), ["Both", "Every", "Every"]);
    for (forms, expected) in [
        (
            json!([wanted(ONCE, json!(null), json!(7))]),
            "400 VALIDATION_ERROR\n/forms/0/fields/0/value must be a string",
        ),
        (
            json!([{"formId": ONCE}, wanted("none", json!(null), json!("x"))]),
            "404 NOT_FOUND\n/forms/1/formId was not found",
        ),
        (json!([wanted(ONCE, json!(slot(7)), json!("x"))]), "404 NOT_FOUND\n/forms/0/eventId was not found"),
        (json!([{"fields": []}]), "404 NOT_FOUND\n/forms/0/formId is required"),
        (
            json!([wanted("none", json!(null), json!("x")), {"formId": ONCE, "fields": []}]),
            "400 VALIDATION_ERROR\n/forms/1/fields must include an answer for \"school\"",
        ),
        (json!({}), "400 VALIDATION_ERROR\n/forms must be an array"),
    ] {
        let sent = json!({"id": id, "items": items, "forms": forms});
        assert_eq!(venue.send(put(&path, sent.clone())).await.refusal(), expected);
        assert_eq!(venue.send(post("/v2/b2c/carts", sent)).await.refusal(), expected);
    }
    assert_eq!(schools(&get(&venue, &path).await), ["Both", "Every", "Every"]);
}

#[tokio::test]
async fn answers_are_kept_as_they_were_typed() {
    let venue = venue().await;
    let (id, path) = venue.cart_of(json!([tickets(1)])).await;
    let entry = path_of(&path, &forms(&get(&venue, &path).await)[0]);
    let body = json!({"fields": [{"name": "school", "value": format!("Pier, card {CARD}")}]});
    let answered = venue.send(put(&entry, body).keyed("c-1")).await;
    assert_eq!(answered.body["response"]["fields"][0]["value"], format!("Pier, card {CARD}"));
    let item = venue.store.get_item(&Key::cart(tenant_id(), &id), Consistency::Strong).await.unwrap();
    let stored = format!("{item:?}");
    assert!(stored.contains(&format!("Pier, card {CARD}")), "{stored}");
}

#[tokio::test]
async fn answers_that_are_too_long_together_are_refused() {
    let venue = venue().await;
    let mut long = form(ONCE, true);
    let field = |number: u32| json!({"name": format!("f{number}"), "label": "", "kind": {"type": "text"}});
    long.fields = (0..50).map(|number| serde_json::from_value(field(number)).unwrap()).collect();
    venue.store.save_form(tenant_id(), &long).await.unwrap();
    let (id, path) = venue.cart_of(json!([tickets(1)])).await;
    let entry = path_of(&path, &forms(&get(&venue, &path).await)[0]);
    let fill = |letters: usize| -> Vec<Value> {
        (0..50).map(|number| json!({"name": format!("f{number}"), "value": "x".repeat(letters)})).collect()
    };
    assert_eq!(venue.send(put(&entry, json!({"fields": fill(1_990)}))).await.status, 200);
    let refused = venue.send(put(&entry, json!({"fields": fill(2_000)}))).await;
    assert_eq!(refused.refusal(), "413 PAYLOAD_TOO_LARGE");
    let forms = json!([{"formId": ONCE, "fields": fill(2_000)}]);
    let with_cart = venue.send(put(&path, json!({"id": id, "items": [tickets(1)], "forms": forms}))).await;
    assert_eq!(with_cart.refusal(), "413 PAYLOAD_TOO_LARGE");
}

#[tokio::test]
async fn a_cart_stored_before_there_were_forms_asks_them_when_it_is_answered() {
    let venue = venue().await;
    let (id, path) = venue.cart_of(json!([tickets(1)])).await;
    let entry = path_of(&path, &forms(&get(&venue, &path).await)[0]);
    let mut cart = venue.store.load_cart(tenant_id(), &id).await.unwrap().unwrap();
    let before = cart.clone();
    cart.forms.clear();
    venue.store.replace_cart(tenant_id(), &before, &cart, now()).await.unwrap().unwrap();
    assert_eq!(forms(&get(&venue, &path).await).len(), 0);
    assert_eq!(venue.send(put(&entry, answers())).await.status, 200);
    assert_eq!(forms(&get(&venue, &path).await).len(), 2);
}

#[tokio::test]
async fn a_cart_shows_what_its_forms_ask_now_and_reads_no_catalog_where_it_asks_none() {
    let venue = venue().await;
    let (_, path) = venue.cart_of(json!([tickets_for(0, 1)])).await;
    let read = get(&venue, &path).await;
    let labels = |entry: &Value| -> Vec<String> {
        let fields = entry["fields"].as_array().unwrap().iter();
        fields.map(|field| field["label"].as_str().unwrap().to_owned()).collect()
    };
    for entry in forms(&read) {
        assert_eq!(labels(entry), ["School", "Pupils", "Tour", "First visit", "Arrival"]);
    }
    let again = get(&venue, &path).await;
    assert_eq!(again.calls.rounds, 1, "what forms ask is kept for a few seconds");
    let (_, plain) = venue.cart_of(json!([])).await;
    let fresh = get(&venue, &plain).await;
    assert_eq!((fresh.calls.rounds, forms(&fresh).len()), (1, 0));
}
