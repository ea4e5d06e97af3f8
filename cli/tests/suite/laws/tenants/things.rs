//! What a tenant has, one of each.

use crate::laws::support::{headers_of, key_of, mid_of, send_json};
use crate::laws::tenants::ids::Kind;
use boxoffice::testing::Service;
use domain::form::Answers;
use domain::order::{FormResponse, OrderForm};
use domain::tenant::Scope;
use domain::{FormId, FormResponseId, OrderId, TenantId};
use serde_json::{Value, json};
use store::Key;

/// One of each thing of a tenant.
pub(crate) struct Things {
    pub(crate) tenant: i64,
    pub(crate) instance: String,
    /// A slot of the other event of the combo.
    other: String,
    pub(crate) cart: String,
    line: String,
    pub(crate) reservation: Value,
    /// What the storefront's server holds.
    pub(crate) held: Value,
    pub(crate) order: String,
    delivery: String,
    application: String,
    sale: String,
    pub(crate) order_item: String,
    pub(crate) ticket: String,
    pub(crate) barcode: String,
}

impl Things {
    pub(crate) async fn of(service: &Service, tenant: i64) -> Self {
        let shop = headers_of(&key_of(Scope::B2c, tenant), Scope::B2c, tenant);
        let staff = headers_of(&key_of(Scope::B2b, tenant), Scope::B2b, tenant);
        let ask = async |(method, path), headers, body: Value| {
            let body = Some(&body).filter(|body| !body.is_null());
            let answer = send_json(service, method, path, headers, body).await;
            assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
            answer.body
        };
        let next = format!("/v2/b2c/events/{tenant}ee000000000000000001/nextAvailable");
        let instance = ask(("GET", &next), &shop, Value::Null).await["id"].as_str().unwrap().to_owned();
        let next = format!("/v2/b2c/events/{tenant}ee000000000000000002/nextAvailable");
        let other = ask(("GET", &next), &shop, Value::Null).await["id"].as_str().unwrap().to_owned();
        let cart = cart_of(&instance, tenant);
        let id = ask(("POST", "/v2/b2c/carts"), &shop, cart.clone()).await.as_str().unwrap().to_owned();
        let path = format!("/v2/b2c/carts/{id}");
        let stored = ask(("GET", &path), &shop, Value::Null).await;
        let seats = json!({ "reservationItems": [{ "eventId": instance, "quantity": 1 }] });
        let reservation = ask(("POST", "/v2/b2b/reservations"), &staff, seats.clone()).await;
        let held = ask(("POST", "/v2/b2c/reservations"), &shop, seats).await;
        let mut checkout = payer();
        checkout["shoppingCart"] = cart;
        let order = ask(("POST", "/v2/b2c/checkout"), &shop, checkout).await;
        answer_a_form(service, tenant, order["id"].as_str().unwrap()).await;
        let path = format!("/v2/b2b/willcall/orders/{}", order["id"].as_str().unwrap());
        let counter = ask(("GET", &path), &staff, Value::Null).await;
        let item = &counter["eventItems"][0]["items"][0];
        service.deliver_mail().await;
        let key = vec![("x-service-api-key".to_owned(), key_of(Scope::B2b, tenant))];
        let outbox = ask(("GET", "/sandbox/outbox"), &key, Value::Null).await;
        let application = format!("{tenant:08}-93d4-4f26-8c1d-70e2a9b4f318");
        let partner = headers_of(&key_of(Scope::Onboard, tenant), Scope::Onboard, tenant);
        let brought = json!({ "boardingRefId": application, "dbaName": "Law" });
        ask(("POST", "/v1/payment/onboard"), &partner, brought).await;
        Self {
            tenant,
            application,
            cart: id,
            line: stored["items"][0]["itemId"].as_str().unwrap().to_owned(),
            reservation,
            held,
            order: order["id"].as_str().unwrap().to_owned(),
            order_item: item["orderItemId"].as_str().unwrap().to_owned(),
            ticket: item["tickets"][0]["id"].as_str().unwrap().to_owned(),
            barcode: item["tickets"][0]["uuid"].as_str().unwrap().to_owned(),
            sale: order["payments"][0]["saleId"].as_str().unwrap().to_owned(),
            delivery: outbox[0]["deliveryId"].as_str().unwrap().to_owned(),
            instance,
            other,
        }
    }

    /// A cart that asks for the price of a combo, so that no two are one charge made twice.
    pub(crate) fn combo_cart(&self) -> Value {
        let parts = json!([{ "eventId": self.instance }, { "eventId": self.other }]);
        json!({ "comboItems": [{
            "comboTemplateId": self.id(Kind::Combo), "ticketingTypeId": self.id(Kind::TicketType),
            "quantity": 0, "parts": parts,
        }] })
    }

    pub(crate) fn id(&self, kind: Kind) -> Value {
        let tenant = self.tenant;
        match kind {
            Kind::Cart => json!(self.cart),
            Kind::Line => json!(self.line),
            Kind::Reservation => self.reservation["id"].clone(),
            Kind::HeldSeats => self.held["id"].clone(),
            Kind::ReservationItem => self.reservation["reservationItems"][0]["id"].clone(),
            Kind::Order => json!(self.order),
            Kind::Instance => json!(self.instance),
            Kind::Template => json!(format!("{tenant}ee000000000000000001")),
            Kind::TicketType => json!(format!("{tenant}aa000000000000000001")),
            Kind::Inventory => json!(tenant * 1_000 + 1),
            Kind::Discount => json!(format!("{tenant}dd000000000000000001")),
            Kind::PriceList => json!(format!("{tenant}cc000000000000000001")),
            Kind::Coupon => json!(format!("{tenant}c0000000000000000001")),
            Kind::Form => json!(format!("{tenant}f0000000000000000001")),
            Kind::Level => json!(format!("{tenant}bb000000000000000001")),
            Kind::Offering => json!(format!("{tenant}bf00000000000000000000000001")),
            Kind::Membership => json!(tenant * 100_000 + 51),
            Kind::Card => json!(tenant * 100_000 + 71),
            Kind::Customer => json!(tenant * 100_000 + 11),
            Kind::Combo => json!(format!("{tenant}c1000000000000000001")),
            Kind::Delivery => json!(self.delivery),
            Kind::Application => json!(self.application),
            Kind::Merchant => json!(mid_of(tenant)),
            Kind::Sale => json!(self.sale),
            Kind::OrderItem => json!(self.order_item),
            Kind::Ticket => json!(self.ticket),
            Kind::Response => json!(response_of(tenant).as_str()),
            Kind::ApiKey => json!(store::identity::key_hash(&key_of(Scope::Door, tenant))[..24]),
            Kind::StaffMember => json!(format!("{tenant}ab000000000000000001")),
            Kind::Common => json!("nothing"),
        }
    }
}

/// The answered form of a tenant's order.
fn response_of(tenant: i64) -> FormResponseId {
    FormResponseId::from_bytes(i128::from(tenant).to_be_bytes())
}

/// Has the visitor of an order have answered a form.
async fn answer_a_form(service: &Service, tenant: i64, order: &str) {
    let (id, order) = (TenantId::parse(tenant).unwrap(), OrderId::parse(order).unwrap());
    let mut order = service.store.load_order(id, &order).await.unwrap().unwrap();
    let event = order.ticket_lines().next().unwrap().instance;
    order.forms = vec![OrderForm {
        form: FormId::parse(&format!("{tenant}f0000000000000000001")).unwrap(),
        name: "School visit".to_owned(),
        once_per_cart: true,
        responses: vec![FormResponse { id: response_of(tenant), event }],
        answers: Answers::default(),
    }];
    service.store.save(&Key::order(id, &order.id), &order).await.unwrap();
    service.store.point_to(&order).await.unwrap().unwrap();
}

pub(crate) fn text(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

pub(crate) fn cart_of(instance: &str, tenant: i64) -> Value {
    let ticket_type = format!("{tenant}aa000000000000000001");
    json!({ "items": [{ "eventId": instance, "ticketingTypeId": ticket_type, "quantity": 1 }] })
}

pub(crate) fn payer() -> Value {
    json!({
        "billingEmail": "buyer@example.test", "billingZipCode": "10004",
        "manualEntryCardNumber": "4242424242424242", "expDate": "1230", "cvc": "123",
    })
}
