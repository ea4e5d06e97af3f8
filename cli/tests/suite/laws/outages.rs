//! One table that does not answer: a request that does not need it goes on, any other is told 503 at once, and no
//! trace is left of it (decision record 0091).

use crate::demo::token_in;
use crate::laws::support::{Operation, operations, with_keys};
use crate::laws::tenants::bodies::body_with;
use crate::laws::tenants::own_path;
use crate::laws::tenants::things::{Things, cart_of, payer};
use crate::laws::week::Week;
use boxoffice::testing::Service;
use domain::membership::Membership;
use domain::stripe::StripeSettings;
use domain::stripe_event::webhook_secret_context;
use domain::tenant::{ProcessorKind, Tenant};
use domain::time::plus_secs;
use domain::{CardId, InstanceId, MembershipId, TenantId};
use engine::FaultPlan;
use sagas::reconcile::{ReconciliationRequest, reconcile};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use store::{Consistency, Item, Key, Table};
use testkit::signature::signature;
use testkit::walk::{Walk, is_whole};
use testkit::{Answer, all_items};

const TENANT: i64 = 1001;
const GALLERY: &str = "1001ee000000000000000001";
const ADULT: &str = "1001aa000000000000000001";
pub(crate) const MEMBER: &str = "ada.lindqvist@example.test";
const DESK: &str = "desk@harbor-museum.example";

/// Calls one request may make one after the other of a table that does not answer. Each may take the SDK eight
/// seconds, and a gateway waits for 29.
const MAX_REFUSED: usize = 4;

/// Templates of the demo museum. Lists of what all of them hold read their slots side by side, and how many such calls
/// were under way when the first was refused is a matter of chance.
const TEMPLATES: usize = 3;
const SIDE_BY_SIDE: [&str; 3] =
    ["GET /v2/b2c/event", "GET /v2/b2b/event/instances", "GET /v2/b2b/event/templates"];

/// Refunds that were taken before the table was missed: they are refused, and the scheduled work carries them to their
/// end (decision record 0067).
const IS_CARRIED_ON: [(&str, Table); 5] = [
    ("POST /v1/payment/{mid}/refund", Table::Orders),
    ("POST /v2/b2b/refunds", Table::Reservations),
    ("POST /v2/b2b/b2b/refunds", Table::Reservations),
    ("POST /v1/b2b/b2b/refunds", Table::Reservations),
    ("POST /v2/b2b/orders/update", Table::Reservations),
];

/// Venues that are tried side by side, each with its share of the operations.
const VENUES: usize = 4;

/// Everything that is needed to make a request that succeeds, as often as it is wanted.
pub(crate) struct Venue {
    pub(crate) service: Service,
    pub(crate) own: Things,
    /// Slots nobody has taken seats of, one for each that is to be closed.
    spare: Vec<String>,
    made: i64,
    /// What went wrong.
    faults: Vec<String>,
}

/// A request that succeeds while all tables answer.
#[derive(Clone)]
pub(crate) struct Sent {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Value>,
}

/// The place of an item: table, partition and sort key.
type Place = (&'static str, String, String);

impl Sent {
    pub(crate) async fn to(&self, service: &Service) -> Answer {
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let headers: Vec<(&str, &str)> = headers.collect();
        service.request(&self.method, &self.path, &headers, self.body.as_ref()).await
    }

    /// The same with more parameters.
    pub(crate) fn with_query(mut self, query: &str) -> Self {
        self.path.push(if self.path.contains('?') { '&' } else { '?' });
        self.path.push_str(query);
        self
    }
}

/// Whether a path is that of a door.
fn is_at_door(path: &str) -> bool {
    path.starts_with("/v2/b2b/admissions") || path.contains("/willcall/")
}

/// Whether it lists events of some days.
fn asks_for_days(operation: &Operation) -> bool {
    operation.is_read()
        && operation.path.contains("/event/")
        && operation.parameters("query").iter().any(|parameter| parameter == "startTime")
}

fn operation(name: &str) -> Operation {
    operations().into_iter().find(|operation| operation.name() == name).unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Venue {
    pub(crate) async fn open(service: Service) -> Self {
        let own = Things::of(&service, TENANT).await;
        let mut venue = Self { service, own, spare: vec![], made: 0, faults: vec![] };
        let today = adapters::clock::wall_now();
        let [first, last] = [today, plus_secs(today, 20 * 86_400)].map(|day| day.format("%Y-%m-%d"));
        let range = format!("startTime={first}&endTime={last}");
        let list = format!("/v2/b2b/event/templates/{GALLERY}/instances?pageSize=-1&{range}");
        let listed = venue.ask("GET /v2/b2b/event/templates/{id}/instances", &list, None).await;
        let ids = listed["list"].as_array().unwrap().iter().map(|instance| text(&instance["id"]));
        venue.spare = ids.filter(|id| *id != venue.own.instance).collect();
        assert!(venue.spare.len() > 20, "{} slots", venue.spare.len());
        venue
    }

    /// What an operation answers that must succeed.
    async fn ask(&self, name: &str, path: &str, body: Option<Value>) -> Value {
        let operation = operation(name);
        let headers = operation.headers(TENANT);
        let sent = Sent { method: operation.method, path: path.to_owned(), headers, body };
        let answer = sent.to(&self.service).await;
        assert!((200..300).contains(&answer.status), "{name} {path}: {}", answer.body);
        answer.body
    }

    /// A request of this operation that was not sent yet.
    pub(crate) async fn request(&mut self, operation: &Operation) -> Sent {
        self.made += 1;
        let mut session = None;
        let mut path = own_path(operation, &self.own);
        let mut body = operation.body_schema().map(|_| body_with(operation, &self.own, "/law", &Value::Null));
        let is_definition = ["combos", "coupons", "discounts", "forms", "inventory", "persontypes"]
            .iter()
            .any(|kind| operation.path.starts_with(&format!("/v2/b2b/{kind}")));
        match operation.name().as_str() {
            "GET /docs/{file}" => path = "/docs/swagger-ui.css".to_owned(),
            // Lists of events begin with today, on which the gallery may be closed.
            _ if asks_for_days(operation) => path = format!("{path}?{}", Week::ahead().query()),
            name if name.ends_with("/states/{country}") => path = path.replace("nothing", "US"),
            "GET /v2/b2b/customers"
            | "GET /v2/b2b/orders/search"
            | "GET /v2/b2c/membership/exists"
            | "GET /v2/b2c/orders"
            | "GET /v2/b2c/orders/search" => path = format!("{path}?email={MEMBER}"),
            "GET /v2/b2c/membership/validate/login" => {
                path = format!("{path}?email=visitor-{}@example.test", self.made);
            }
            "GET /v2/b2c/membership/validate" => path = format!("{path}?membershipId=100100031"),
            name if name.ends_with("/checkout/validate") && operation.is_read() => {
                path = format!("{path}?action=MembershipRenewal&membershipId=100100051");
            }
            "GET /v1/b2b/membership/cards" | "GET /v2/b2b/membership/cards" => {
                path = format!("{path}?memberId=100100031");
            }
            "GET /v2/b2b/membership/summaries/search" => path = format!("{path}?search=lindqvist"),
            "GET /v2/b2b/membership/summaries/advancedsearch" => path = format!("{path}?lastName=lindqvist"),
            "GET /v2/b2b/membership/levels" => path = format!("{path}?isPublished=true&salesChannels=online"),
            "PUT /v2/b2b/settings" => {
                let languages = ["en", "es"].map(|language| format!("{language}-x{}", self.made));
                body = Some(json!({ "name": "Harbor Museum", "languages": languages }));
            }
            "POST /v2/b2b/keys" => body = Some(json!({ "label": "Law", "scopes": ["door"] })),
            "DELETE /v2/b2b/keys/{id}" => {
                let wanted = json!({ "label": "Law", "scopes": ["door"] });
                let made = self.ask("POST /v2/b2b/keys", "/v2/b2b/keys", Some(wanted)).await;
                path = format!("/v2/b2b/keys/{}", text(&made["id"]));
            }
            "POST /v2/b2b/staff" => body = Some(self.person()),
            "PUT /v2/b2b/staff/{id}" | "DELETE /v2/b2b/staff/{id}" => {
                let made = self.ask("POST /v2/b2b/staff", "/v2/b2b/staff", Some(self.person())).await;
                path = format!("/v2/b2b/staff/{}", text(&made["id"]));
                body = (operation.method == "PUT").then(|| json!({ "email": made["email"], "name": "Law" }));
            }
            "POST /v2/staff/login" => {
                body = Some(json!({ "email": format!("visitor-{}@example.test", self.made) }));
            }
            "POST /v2/staff/session" => body = Some(json!({ "token": self.staff_token().await })),
            "DELETE /v2/staff/session" => {
                let token = json!({ "token": self.staff_token().await });
                let begun = self.ask("POST /v2/staff/session", "/v2/staff/session", Some(token)).await;
                session = Some(text(&begun["session"]));
            }
            "POST /v2/b2c/orders/link" => {
                let email = format!("visitor-{}@example.test", self.made);
                body = Some(json!({ "orderNumber": "100000009", "email": email }));
            }
            "POST /v2/b2c/orders/open" | "POST /v2/b2c/orders/open/email" => {
                body = Some(json!({ "token": self.order_token().await }));
            }
            "POST /v2/b2c/membership/validate/login" => body = Some(json!({ "token": self.token().await })),
            "PUT /v2/b2c/carts/{id}/forms/{formResponseId}" => (path, body) = self.answered_form().await,
            "DELETE /v2/b2c/carts/{id}" => {
                let cart = cart_of(&self.own.instance, TENANT);
                let made = self.ask("POST /v2/b2c/carts", "/v2/b2c/carts", Some(cart)).await;
                path = format!("/v2/b2c/carts/{}", text(&made));
            }
            "PUT /v2/b2b/reservations" => body = Some(self.reservation().await),
            "DELETE /v2/b2b/reservations/{id}" => {
                path = format!("/v2/b2b/reservations/{}", self.reservation().await["id"]);
            }
            "PUT /v2/b2c/reservations" => body = Some(self.held_seats().await),
            "DELETE /v2/b2c/reservations/{id}" => {
                path = format!("/v2/b2c/reservations/{}", self.held_seats().await["id"]);
            }
            "POST /v2/b2c/checkout" | "POST /v2/b2c/cors/checkout" => {
                body = Some(self.checkout_of(self.another_slot()));
            }
            "POST /v1/payment/webhooks/stripe/{tenantId}" => return self.signed_message().await,
            "POST /v2/b2c/checkout/{orderId}/complete" => path = self.confirmed_by_its_buyer().await,
            "POST /v2/b2b/refunds" | "POST /v2/b2b/refunds/preview" => {
                let order = self.order().await;
                body = Some(json!({ "orderId": order["id"], "wholeOrder": true }));
            }
            "POST /v2/b2b/b2b/refunds" | "POST /v1/b2b/b2b/refunds" => {
                body = Some(json!({ "orderId": self.order().await["id"] }));
            }
            "POST /v2/b2b/exchanges" => body = Some(self.exchange().await),
            "POST /v1/b2b/rebook/orders" => body = Some(self.rebook().await),
            "POST /v2/b2b/orders/update" => body = Some(self.lowered().await),
            "PUT /v2/b2b/orders/{orderId}" | "PUT /v2/b2c/orders/{id}" => {
                body = Some(json!({ "notes": format!("Law {}", self.made) }));
            }
            // Of one order only a few may be sent.
            "POST /v2/b2b/orders/{orderNumber}/email" => {
                path = format!("/v2/b2b/orders/{}/email", text(&self.order().await["id"]));
                body = Some(json!({ "kind": "receipt" }));
            }
            name if name.starts_with("POST") && is_at_door(&operation.path) => {
                body = Some(self.at_door(operation).await);
            }
            "POST /v1/payment/{mid}/refund" | "POST /v1/payment/{mid}/refund/preview" => {
                let order = self.order().await;
                let sale = &order["payments"][0]["saleId"];
                body = Some(json!({ "saleId": sale, "charge": { "amount": "1.00" } }));
            }
            "DELETE /v2/b2b/memberships/{id}/cards/{cardId}" => path = self.spare_card().await,
            "POST /v2/b2b/event/instances" | "PUT /v2/b2b/event/instances" => {
                let one = format!("/v2/b2b/event/instances/{}", self.own.instance);
                body = Some(self.ask("GET /v2/b2b/event/instances/{id}", &one, None).await);
            }
            "GET /v1/b2b/event/instance/rebook/fees" => {
                path = format!("{path}?eventIds={}", self.own.instance);
            }
            "PUT /v2/b2b/event/instances/{id}" => {
                let read = format!("GET {}", operation.path);
                body = Some(self.ask(&read, &path, None).await);
            }
            "PUT /v2/b2b/event/templates/{id}" => {
                let made = self.template(json!([])).await;
                path = format!("/v2/b2b/event/templates/{}", text(&made["id"]));
                body = Some(made);
            }
            "DELETE /v2/b2b/event/instances/{id}" => {
                path = format!("/v2/b2b/event/instances/{}", self.spare.pop().unwrap());
            }
            "DELETE /v2/b2b/event/templates/{id}" => {
                let (create, collection) = ("POST /v2/b2b/event/templates", "/v2/b2b/event/templates");
                let price = json!({ "personType": { "id": ADULT }, "price": "8.00" });
                let draft = json!({
                    "name": "Law", "description": "Law", "reviewState": "Draft", "capacity": 1, "type": "private",
                    "duration": { "hour": 1 }, "startTime": "2028-05-06T10:00:00",
                    "priceLists": [{ "id": "law", "name": "Law", "prices": [price] }],
                });
                let made = self.ask(create, collection, Some(draft)).await;
                path = format!("{collection}/{}", text(&made["id"]));
            }
            name if name.contains("/v2/b2b/membership/levels") => (path, body) = self.level(operation).await,
            "POST /v1/payment/onboard" => {
                let id = format!("{:08}-93d4-4f26-8c1d-70e2a9b4f318", self.made);
                body = Some(json!({ "boardingRefId": id, "dbaName": "Law" }));
            }
            "PATCH /v1/payment/onboard/{boardingRefId}" => body = Some(json!({ "dbaName": "Law" })),
            "POST /v1/payment/onboard/validate" => body = Some(json!({ "dbaName": "Law" })),
            "PUT /v2/b2b/memberships/{id}" => body = Some(json!({ "cards": [] })),
            _ if is_definition && !operation.is_read() => (path, body) = self.definition(operation).await,
            _ => {}
        }
        let mut headers = operation.headers(TENANT);
        headers.extend(session.map(|session| ("x-service-session".to_owned(), session)));
        Sent { method: operation.method.clone(), path, headers, body }
    }

    /// A definition as it is, for a change; a copy of it that is new, or that is there to be deleted.
    async fn definition(&self, operation: &Operation) -> (String, Option<Value>) {
        let collection = operation.path.trim_end_matches("/{id}");
        let one = Operation { path: format!("{collection}/{{id}}"), ..operation.clone() };
        let own = own_path(&one, &self.own);
        let read = format!("GET {}", one.path);
        let known = self.ask(&read, &own, None).await;
        if operation.method == "PUT" {
            return (own, Some(known));
        }
        let mut copy = known;
        let fields = copy.as_object_mut().unwrap();
        fields.remove("id");
        fields.insert("name".to_owned(), json!(format!("Law {}", self.made)));
        if fields.contains_key("code") {
            fields.insert("code".to_owned(), json!(format!("LAW-{}", letters(self.made))));
        }
        if operation.method == "POST" {
            return (collection.to_owned(), Some(copy));
        }
        let made = self.ask(&format!("POST {collection}"), collection, Some(copy)).await;
        (format!("{collection}/{}", text(&made["id"])), None)
    }

    /// Requests to levels and their offerings.
    async fn level(&self, operation: &Operation) -> (String, Option<Value>) {
        let levels = "/v2/b2b/membership/levels";
        let create = "POST /v2/b2b/membership/levels";
        let own = own_path(operation, &self.own);
        let offering = json!({
            "name": "Law", "duration": 12, "actions": [{ "action": "new" }],
            "priceLists": [{ "prices": [{ "personType": { "id": ADULT }, "price": "75.00" }] }],
        });
        let level = json!({
            "name": format!("Law {}", self.made), "state": "published", "offerings": [offering, offering],
        });
        match operation.name().as_str() {
            "PUT /v2/b2b/membership/levels" => {
                let read = format!("{levels}/1001bb000000000000000002");
                (own, Some(self.ask("GET /v2/b2b/membership/levels/{id}", &read, None).await))
            }
            "POST /v2/b2b/membership/levels" => (own, Some(level)),
            "DELETE /v2/b2b/membership/levels/{id}" => {
                (format!("{levels}/{}", text(&self.ask(create, levels, Some(level)).await["id"])), None)
            }
            name if name.starts_with("GET") => (own, None),
            name if name.starts_with("DELETE") => {
                let made = self.ask(create, levels, Some(level)).await;
                let (level, offering) = (text(&made["id"]), text(&made["offerings"][0]["id"]));
                (format!("{levels}/{level}/membershipofferings/{offering}"), None)
            }
            name => {
                let made = self.ask(create, levels, Some(level)).await;
                let mut body = offering;
                if name.starts_with("PUT") {
                    body["id"] = made["offerings"][0]["id"].clone();
                }
                (format!("{levels}/{}/membershipofferings", text(&made["id"])), Some(body))
            }
        }
    }

    /// Another slot, so that one is not sold out by all that is asked.
    fn another_slot(&self) -> &str {
        &self.spare[self.spare.len() / 3]
    }

    /// A checkout that costs what no other one does.
    fn checkout(&self) -> Value {
        self.checkout_of(&self.own.instance)
    }

    fn checkout_of(&self, slot: &str) -> Value {
        let mut body = payer();
        let mut cart = cart_of(slot, TENANT);
        let gift = json!({
            "itemType": "Inventory", "inventoryId": 1_001_003, "type": "donation", "quantity": 1,
            "unitPrice": format!("{}.00", self.made),
        });
        cart["items"].as_array_mut().unwrap().push(gift);
        body["shoppingCart"] = cart;
        body
    }

    /// A message of Stripe's to the neighbour, about a payment that nobody waits for.
    async fn signed_message(&self) -> Sent {
        const SECRET: &str = "whsec_law";
        let (store, id) = (&self.service.store, TenantId::parse(1002).unwrap());
        let tenant = store.load_tenant(id, Consistency::Strong).await.unwrap().unwrap();
        if tenant.processor == ProcessorKind::Sandbox {
            let vault = &self.service.app.vault;
            let sealed = vault.seal(&webhook_secret_context(id), SECRET.as_bytes()).await.unwrap();
            let settings = StripeSettings {
                sealed_key: String::new(),
                address: None,
                accounts: BTreeMap::new(),
                publishable_key: None,
                webhook_secrets: vec![hex::encode(sealed)],
            };
            let processor = ProcessorKind::Stripe(Box::new(settings));
            store.save_tenant(&Tenant { processor, ..tenant }).await.unwrap();
        }
        let metadata = json!({ "order": "1", "tenant": "1002" });
        let object = json!({ "id": "pi_1", "metadata": metadata });
        let body = json!({ "id": "evt_1", "type": "payment_intent.succeeded", "data": { "object": object } });
        let header = signature(SECRET, adapters::clock::wall_now(), &body.to_string());
        Sent {
            method: "POST".to_owned(),
            path: "/v1/payment/webhooks/stripe/1002".to_owned(),
            headers: vec![("stripe-signature".to_owned(), header)],
            body: Some(body),
        }
    }

    /// The path that completes a checkout whose buyer was asked, and confirmed it.
    async fn confirmed_by_its_buyer(&self) -> String {
        let mut body = self.checkout_of(self.another_slot());
        for field in ["manualEntryCardNumber", "expDate", "cvc"] {
            body.as_object_mut().unwrap().remove(field);
        }
        body["paymentToken"] = "tok_3ds".into();
        let checkout = operation("POST /v2/b2c/checkout");
        let headers = checkout.headers(TENANT);
        let sent = Sent { method: checkout.method, path: checkout.path, headers, body: Some(body) };
        let asked = sent.to(&self.service).await.body;
        let answer = json!({ "clientSecret": asked["clientSecret"], "outcome": "pass" });
        self.ask("POST /sandbox/challenge", "/sandbox/challenge", Some(answer)).await;
        format!("/v2/b2c/checkout/{}/complete", text(&asked["orderId"]))
    }

    async fn order(&self) -> Value {
        self.ask("POST /v2/b2c/checkout", "/v2/b2c/checkout", Some(self.checkout())).await
    }

    /// The id of an order that the member pays.
    pub(crate) async fn order_of_member(&mut self) -> String {
        self.made += 1;
        let mut body = self.checkout();
        body["billingEmail"] = MEMBER.into();
        text(&self.ask("POST /v2/b2c/checkout", "/v2/b2c/checkout", Some(body)).await["id"])
    }

    /// What opens an order that a page paid.
    async fn order_token(&self) -> String {
        let path = "/v2/b2c/cors/checkout";
        let bought = self.checkout_of(self.another_slot());
        text(&self.ask(&format!("POST {path}"), path, Some(bought)).await["orderToken"])
    }

    async fn reservation(&self) -> Value {
        let seats = json!({ "reservationItems": [{ "eventId": self.another_slot(), "quantity": 1 }] });
        self.ask("POST /v2/b2b/reservations", "/v2/b2b/reservations", Some(seats)).await
    }

    async fn held_seats(&self) -> Value {
        let seats = json!({ "reservationItems": [{ "eventId": self.another_slot(), "quantity": 1 }] });
        self.ask("POST /v2/b2c/reservations", "/v2/b2c/reservations", Some(seats)).await
    }

    async fn exchange(&self) -> Value {
        let order = text(&self.order().await["id"]);
        let read = ("GET /v2/b2b/willcall/orders/{orderId}", format!("/v2/b2b/willcall/orders/{order}"));
        let counter = self.ask(read.0, &read.1, None).await;
        let item = &counter["eventItems"][0]["items"][0]["orderItemId"];
        json!({ "orderId": order, "itemId": item, "eventId": self.spare[self.spare.len() / 2] })
    }

    async fn rebook(&self) -> Value {
        let exchange = self.exchange().await;
        let item = json!({
            "orderItemId": exchange["itemId"], "rebookQuantity": 1, "rebookToEventId": exchange["eventId"],
        });
        json!({ "orderId": exchange["orderId"], "rebookItems": [item] })
    }

    async fn lowered(&self) -> Value {
        let exchange = self.exchange().await;
        let item = json!({ "orderItemId": exchange["itemId"], "quantity": 0 });
        json!({ "orderId": exchange["orderId"], "orderItems": [item] })
    }

    /// What a door sends of a ticket that nobody scanned yet, or that was scanned where it is taken back.
    async fn at_door(&self, operation: &Operation) -> Value {
        let order = text(&self.order().await["id"]);
        let read = ("GET /v2/b2b/willcall/orders/{orderId}", format!("/v2/b2b/willcall/orders/{order}"));
        let ticket = self.ask(read.0, &read.1, None).await["eventItems"][0]["items"][0]["tickets"][0].clone();
        let (named, code) = (json!({ "orderId": order, "ticketId": ticket["id"] }), &ticket["uuid"]);
        let mut scan = named.clone();
        scan["scanId"] = json!(format!("{:08}-93d4-4f26-8c1d-70e2a9b4f318", self.made));
        scan["at"] = json!(adapters::clock::wall_now().to_rfc3339());
        let upload = json!({ "scans": [scan] });
        let path = operation.path.as_str();
        if path.contains("/undo") {
            let uploads = "/v2/b2b/admissions/uploads";
            self.ask(&format!("POST {uploads}"), uploads, Some(upload)).await;
            return if path.ends_with("/undo") {
                json!({ "tickets": [named] })
            } else {
                json!({ "ticketUUIDs": [code] })
            };
        }
        match path {
            "/v2/b2b/admissions" => json!({ "tickets": [named], "eventId": self.own.instance }),
            "/v2/b2b/admissions/lookup" => json!({ "code": code }),
            "/v2/b2b/admissions/blocks" => json!({ "tickets": [named], "blocked": true, "reason": "Law" }),
            "/v2/b2b/admissions/uploads" => upload,
            "/v2/b2b/willcall/checkinexternal" => json!({ "ticketUUID": code }),
            "/v2/b2b/willcall/checkintickets" => json!({ "ticketUUIDs": [code] }),
            _ => json!({ "membershipBarcode": code }),
        }
    }

    /// A cart with a form to be filled in, and what is answered.
    async fn answered_form(&self) -> (String, Option<Value>) {
        let form =
            json!({ "name": "Law", "required": true, "fields": [{ "name": "school", "type": "text" }] });
        let form = self.ask("POST /v2/b2b/forms", "/v2/b2b/forms", Some(form)).await;
        let template = text(&self.template(json!([{ "id": form["id"] }])).await["id"]);
        let next = format!("/v2/b2c/events/{template}/nextAvailable");
        let slot = self.ask("GET /v2/b2c/events/{templateId}/nextAvailable", &next, None).await;
        let cart = cart_of(&text(&slot["id"]), TENANT);
        let cart = text(&self.ask("POST /v2/b2c/carts", "/v2/b2c/carts", Some(cart)).await);
        let cart = format!("/v2/b2c/carts/{cart}");
        let asked = self.ask("GET /v2/b2c/carts/{id}", &cart, None).await;
        let path = format!("{cart}/forms/{}", text(&asked["forms"][0]["formResponseId"]));
        (path, Some(json!({ "fields": [{ "name": "school", "value": "Pier School" }] })))
    }

    /// A published template of one slot, which asks these forms.
    async fn template(&self, forms: Value) -> Value {
        let price = json!({ "personType": { "id": ADULT }, "price": "8.00" });
        let template = json!({
            "name": "Law", "description": "Law", "reviewState": "Published", "duration": { "hour": 1 },
            "capacity": 3, "startTime": "2028-05-06T10:00:00", "orderForms": forms,
            "priceLists": [{ "id": "law", "name": "Law", "prices": [price] }],
        });
        self.ask("POST /v2/b2b/event/templates", "/v2/b2b/event/templates", Some(template)).await
    }

    /// A person of the staff whom nobody made yet.
    fn person(&self) -> Value {
        json!({ "email": format!("law-{}@example.test", self.made), "name": "Law", "roles": ["door"] })
    }

    /// The token of a link to log in by.
    async fn token(&self) -> String {
        let path = format!("/v2/b2c/membership/validate/login?email={MEMBER}");
        self.ask("GET /v2/b2c/membership/validate/login", &path, None).await;
        self.mailed_token(MEMBER).await
    }

    /// The token of a link for staff to sign in by.
    async fn staff_token(&self) -> String {
        let body = json!({ "email": DESK });
        self.ask("POST /v2/staff/login", "/v2/staff/login", Some(body)).await;
        self.mailed_token(DESK).await
    }

    async fn mailed_token(&self, to: &str) -> String {
        self.service.deliver_mail().await;
        let listed = self.ask("GET /sandbox/outbox", "/sandbox/outbox", None).await;
        let to_member = |mail: &&Value| mail["to"] == to && mail["orderNumber"] == "";
        let mail = listed.as_array().unwrap().iter().rfind(to_member).unwrap();
        let path = format!("/sandbox/outbox/{}", text(&mail["deliveryId"]));
        let (method, headers, body) = ("GET".to_owned(), vec![], None);
        let mail = Sent { method, path, headers, body }.to(&self.service).await;
        token_in(&mail, "loginToken=")
    }

    /// The path of a card that may be given up.
    async fn spare_card(&self) -> String {
        let tenant = TenantId::parse(TENANT).unwrap();
        let known = MembershipId::parse(100_100_051).unwrap();
        let known = self.service.store.load_membership(tenant, known).await.unwrap().unwrap().value;
        let id = MembershipId::parse(200_000_000 + self.made).unwrap();
        let mut membership = Membership { id, number: id, external_id: None, ..known };
        let card = &mut membership.cards[0];
        card.id = CardId::parse(300_000_000 + self.made).unwrap();
        card.barcode = format!("LAW{}", self.made);
        let path = format!("/v2/b2b/memberships/{id}/cards/{}", card.id);
        self.service.store.save_membership(tenant, &id.to_string(), &membership).await.unwrap();
        path
    }

    /// All that is stored, but for what expires, and of the many slots the one that is sold.
    async fn stored(&self) -> BTreeMap<Place, Item> {
        let mut stored = BTreeMap::new();
        let slot = InstanceId::parse(&self.own.instance).unwrap();
        let slot = Key::ledger(TenantId::parse(TENANT).unwrap(), &slot, 0);
        let ledger = self.service.store.get_item(&slot, Consistency::Strong).await.unwrap().unwrap();
        stored.insert((slot.table.name(), slot.pk, slot.sk), ledger);
        for table in [Table::Catalog, Table::Orders, Table::Members, Table::Merchants] {
            for item in all_items(&self.service.embedded, &format!("boxoffice-{}", table.name())).await {
                let part = |name: &str| item[name].as_s().unwrap().clone();
                stored.insert((table.name(), part("pk"), part("sk")), item);
            }
        }
        stored
    }

    /// Whether an operation is refused while a table does not answer.
    async fn is_refused_without(&mut self, operation: &Operation, table: Table) -> bool {
        let case = format!("{} without {}", operation.name(), table.name());
        let sent = self.request(operation).await;
        let before = if operation.is_read() { BTreeMap::new() } else { self.stored().await };
        let process = self.service.another_process(FaultPlan::new());
        self.service.outage.begin(&format!("boxoffice-{}", table.name()));
        let answer = sent.to(&process).await;
        self.service.outage.end();
        let refused = self.service.outage.refused();
        let is_side_by_side = SIDE_BY_SIDE.iter().any(|start| operation.name().starts_with(start));
        let side_by_side = if is_side_by_side { TEMPLATES } else { 1 };
        if refused > MAX_REFUSED * side_by_side {
            self.faults.push(format!("{case}: {refused} calls were refused"));
        }
        if (200..300).contains(&answer.status) {
            return false;
        }
        let is_typed = answer.status == 503 && answer.body["type"] == "TRY_AGAIN";
        if !is_typed || answer.header("retry-after").parse::<u32>().is_err() {
            self.faults.push(format!("{case}: {} {}", answer.status, answer.body));
            return true;
        }
        if IS_CARRIED_ON.contains(&(operation.name().as_str(), table)) {
            return true;
        }
        if !operation.is_read() {
            let after = self.stored().await;
            let is_new = |(place, item): &(&Place, &Item)| before.get(*place) != Some(*item);
            let changed: Vec<&Place> = after.iter().filter(is_new).map(|(place, _)| place).collect();
            if !changed.is_empty() || before.len() != after.len() {
                self.faults.push(format!("{case}: {changed:?} was written"));
            }
        }
        let again = sent.to(&process).await;
        if !(200..300).contains(&again.status) {
            self.faults.push(format!("{case}, once it is back: {}", again.body));
        }
        true
    }
}

/// A number in letters, since digits might make the number of a card.
fn letters(number: i64) -> String {
    number.to_string().bytes().map(|digit| char::from(b'A' + digit - b'0')).collect()
}

/// The tables each of these operations needs, found out at a venue of their own, where all agrees in the end.
async fn needs_of(operations: Vec<Operation>) -> Vec<(Vec<Table>, String)> {
    let mut venue = Venue::open(with_keys().await).await;
    let mut needs = vec![];
    for operation in &operations {
        let mut needed = vec![];
        for table in Table::ALL {
            if venue.is_refused_without(operation, table).await {
                needed.push(table);
            }
        }
        needs.push((needed, operation.name()));
    }
    assert_eq!(venue.faults, Vec::<String>::new());
    assert_all_agrees(&venue.service).await;
    needs
}

/// The operations of a deployment that this walk plays, by the tables they need.
async fn needs() -> BTreeMap<Vec<Table>, Vec<String>> {
    let is_deployed = |operation: &Operation| !operation.path.starts_with("/sandbox/");
    let mut requests = Walk::begin("requests-without-a-table", 6);
    let all = operations().into_iter().filter(is_deployed).filter(|_| requests.plays(()));
    let all: Vec<Operation> = all.collect();
    requests.end(130);
    let shares = all.chunks(all.len().div_ceil(VENUES));
    let venues: Vec<_> = shares.map(|share| tokio::spawn(needs_of(share.to_vec()))).collect();
    let mut needs: BTreeMap<Vec<Table>, Vec<String>> = BTreeMap::new();
    for venue in venues {
        for (tables, name) in venue.await.unwrap() {
            needs.entry(tables).or_default().push(name);
        }
    }
    needs
}

fn described(needs: &BTreeMap<Vec<Table>, Vec<String>>) -> String {
    let mut lines = vec!["| Tables that are needed | Requests |".to_owned(), "|---|---|".to_owned()];
    for (tables, names) in needs {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        lines.push(format!("| {} | {} |", listed(tables), names.join(", ")));
    }
    lines.join("\n")
}

fn listed(tables: &[Table]) -> String {
    let names: Vec<&str> = tables.iter().map(|table| table.name()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// What the guide to operating says between its marks.
fn documented() -> String {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/OPERATIONS.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    guide.split("<!-- outages -->").nth(1).unwrap_or_default().trim().to_owned()
}

async fn assert_all_agrees(service: &Service) {
    let end = plus_secs(adapters::clock::wall_now(), 3_600);
    service.deliver_mail().await;
    service.cleanup(end).await;
    let wanted =
        ReconciliationRequest { tenant: None, now: end, chosen_now: Some(end), pause: Duration::ZERO };
    let report = reconcile(&service.store, &wanted).await.unwrap();
    let findings: Vec<String> = report.findings.iter().map(|(_, finding)| finding.to_string()).collect();
    assert_eq!(findings, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_is_answered_without_a_table_it_does_not_need_and_refused_at_once_without_one_it_does()
{
    let (needs, documented) = (needs().await, documented());
    if is_whole() {
        let described = described(&needs);
        assert!(documented == described, "the guide to operating has to say:\n{described}");
        return;
    }
    // A share of the requests makes no whole table; each of them has to stand in its line.
    for (tables, names) in &needs {
        let start = format!("| {} |", listed(tables));
        let line = documented.lines().find(|line| line.starts_with(&start)).unwrap_or_default();
        let missing: Vec<&String> =
            names.iter().filter(|name| !line.contains(&format!("`{name}`"))).collect();
        assert!(missing.is_empty(), "the guide to operating does not say {tables:?} of {missing:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_schedule_goes_on_with_every_kind_of_work_of_which_it_can_read_what_is_due() {
    let service = Service::start().await;
    let now = adapters::clock::wall_now();
    assert_eq!(service.cleanup(now).await.failed, 0);
    // By two clocks each: checkouts and mails, merchants and refunds. Without the catalog nobody knows who is closed.
    for (table, failed) in [
        (Table::Orders, 4),
        (Table::Catalog, 1),
        (Table::Merchants, 4),
        (Table::Carts, 0),
        (Table::Reservations, 0),
        (Table::Members, 0),
    ] {
        service.outage.begin(&format!("boxoffice-{}", table.name()));
        assert_eq!(service.cleanup(now).await.failed, failed, "without {}", table.name());
        service.outage.end();
        assert_eq!(service.cleanup(now).await.failed, 0, "with {} again", table.name());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_origin_cannot_be_looked_up_is_told_to_ask_again() {
    let service = Service::start().await;
    let (path, origin) = ("/v2/b2c/carts", ("origin", "http://localhost:3000"));
    let preflight = [origin, ("access-control-request-method", "POST")];
    service.outage.begin("boxoffice-catalog");
    let refused = service.request("OPTIONS", path, &preflight, None).await;
    assert_eq!((refused.status, &refused.body["type"]), (503, &json!("TRY_AGAIN")));
    assert_eq!(refused.header("retry-after"), "2");
    service.outage.end();
    let allowed = service.request("OPTIONS", path, &preflight, None).await;
    assert_eq!((allowed.status, allowed.header("access-control-allow-origin")), (204, origin.1));
}
