//! Another tenant's id is an unknown id (contract §2), wherever an id can be sent.

use crate::laws::support::{
    NOTHING, Operation, complaints, document, headers_of, key_of, kind, mid_of, operations, send_json,
    with_keys,
};
use boxoffice::testing::{Answer, Service};
use domain::tenant::Scope;
use serde_json::{Value, json};

/// What an id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Cart,
    Line,
    Reservation,
    ReservationItem,
    Order,
    Instance,
    Template,
    TicketType,
    Inventory,
    Discount,
    Coupon,
    Form,
    Level,
    Offering,
    Membership,
    Card,
    Customer,
    Combo,
    Delivery,
    /// The application of a merchant.
    Application,
    /// One that is paid.
    Merchant,
    Sale,
    OrderItem,
    Ticket,
    /// The same for everybody.
    Common,
}

/// The parameter of every path that has one.
const PATHS: [(&str, Kind); 35] = [
    ("/docs/{file}", Kind::Common),
    ("/sandbox/outbox/{deliveryId}", Kind::Delivery),
    ("/v1/payment/onboard/{boardingRefId}", Kind::Application),
    ("/v1/payment/{mid}/refund", Kind::Merchant),
    ("/v1/payment/{mid}/refund/preview", Kind::Merchant),
    ("/v2/b2b/combos/{id}", Kind::Combo),
    ("/v2/b2b/coupons/{id}", Kind::Coupon),
    ("/v2/b2b/customers/{id}", Kind::Customer),
    ("/v2/b2b/discounts/{id}", Kind::Discount),
    ("/v2/b2b/event/instances/{id}", Kind::Instance),
    ("/v2/b2b/event/templates/{id}", Kind::Template),
    ("/v2/b2b/event/templates/{id}/instances", Kind::Template),
    ("/v2/b2b/event/templates/{id}/entitlements", Kind::Template),
    ("/v2/b2b/forms/{id}", Kind::Form),
    ("/v2/b2b/addons/{id}", Kind::Inventory),
    ("/v2/b2b/inventory/{id}", Kind::Inventory),
    ("/v2/b2b/locations/states/{country}", Kind::Common),
    ("/v2/b2b/membership/levels/{id}", Kind::Level),
    ("/v2/b2b/membership/levels/{levelId}/membershipofferings", Kind::Level),
    ("/v2/b2b/membership/levels/{levelId}/membershipofferings/{membershipOfferingId}", Kind::Level),
    ("/v2/b2b/memberships/{id}", Kind::Membership),
    ("/v2/b2b/memberships/{id}/cards/{cardId}", Kind::Membership),
    ("/v2/b2b/orders/detail/{orderId}", Kind::Order),
    ("/v2/b2b/persontypes/{id}", Kind::TicketType),
    ("/v2/b2b/reservations/{id}", Kind::Reservation),
    ("/v2/b2b/willcall/orders/{orderId}", Kind::Order),
    ("/v2/b2c/carts/{id}", Kind::Cart),
    // Its second parameter names a part of the cart, and is looked for there alone.
    ("/v2/b2c/carts/{id}/forms/{formResponseId}", Kind::Cart),
    ("/v2/b2c/event/templates/{templateId}", Kind::Template),
    ("/v2/b2c/event/templates/{templateId}/calendar", Kind::Template),
    ("/v2/b2c/event/templates/{templateId}/times", Kind::Template),
    ("/v2/b2c/events/{instanceId}", Kind::Instance),
    ("/v2/b2c/events/{templateId}/nextAvailable", Kind::Template),
    ("/v2/b2c/locations/states/{country}", Kind::Common),
    ("/v2/b2c/orders/{id}", Kind::Order),
];

/// The second parameter of every path that has two.
const SECOND: [(&str, Kind); 2] = [
    ("/v2/b2b/membership/levels/{levelId}/membershipofferings/{membershipOfferingId}", Kind::Offering),
    ("/v2/b2b/memberships/{id}/cards/{cardId}", Kind::Card),
];

/// Where an unknown id is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refused {
    Everywhere,
    Nowhere,
}

/// The ids of every body.
const FIELDS: [(&str, Kind, Refused); 94] = [
    ("OrderRefundInput.orderId", Kind::Order, Refused::Everywhere),
    ("OrderRefundItemInput.itemId", Kind::OrderItem, Refused::Everywhere),
    ("OrderRefundItemInput.ticketIds", Kind::Ticket, Refused::Everywhere),
    ("ExchangeInput.orderId", Kind::Order, Refused::Everywhere),
    ("ExchangeInput.itemId", Kind::OrderItem, Refused::Everywhere),
    ("ExchangeInput.ticketIds", Kind::Ticket, Refused::Everywhere),
    ("ExchangeInput.eventId", Kind::Instance, Refused::Everywhere),
    ("RefundInput.saleId", Kind::Sale, Refused::Everywhere),
    // A new cart has no id yet, and one that is checked out at once never has.
    ("CartInput.id", Kind::Cart, Refused::Nowhere),
    ("CartInput.membershipIds", Kind::Membership, Refused::Everywhere),
    ("CartInput.membershipId", Kind::Membership, Refused::Everywhere),
    ("CartInput.membershipCategoryId", Kind::Level, Refused::Everywhere),
    ("CartInput.reservationId", Kind::Reservation, Refused::Everywhere),
    ("CartInput.customerId", Kind::Customer, Refused::Everywhere),
    // A line that is not in the cart is a new one.
    ("CartItemInput.itemId", Kind::Line, Refused::Nowhere),
    ("CartItemInput.eventId", Kind::Instance, Refused::Everywhere),
    ("CartItemInput.ticketingTypeId", Kind::TicketType, Refused::Everywhere),
    ("CartItemInput.inventoryId", Kind::Inventory, Refused::Everywhere),
    ("ComboItemInput.itemId", Kind::Line, Refused::Nowhere),
    ("ComboItemInput.comboTemplateId", Kind::Combo, Refused::Everywhere),
    ("ComboItemInput.ticketingTypeId", Kind::TicketType, Refused::Everywhere),
    ("ComboEventInput.eventId", Kind::Instance, Refused::Everywhere),
    ("FormAnswersInput.formId", Kind::Form, Refused::Everywhere),
    ("FormAnswersInput.eventId", Kind::Instance, Refused::Everywhere),
    // Of a line that buys no membership it says nothing.
    ("CartItemInput.membershipId", Kind::Membership, Refused::Nowhere),
    ("CartItemInput.membershipCategoryId", Kind::Level, Refused::Nowhere),
    ("CartItemInput.membershipOfferingId", Kind::Offering, Refused::Nowhere),
    ("CartItemInput.pricePointId", Kind::TicketType, Refused::Nowhere),
    ("CartItemInput.pricepointId", Kind::TicketType, Refused::Nowhere),
    ("MembershipInfoInput.membershipCategoryId", Kind::Level, Refused::Everywhere),
    ("MembershipInfoInput.membershipOfferingId", Kind::Offering, Refused::Everywhere),
    ("MembershipInfoInput.pricePointId", Kind::TicketType, Refused::Everywhere),
    // Another name of `pricePointId`, which complaints go by.
    ("MembershipInfoInput.pricepointId", Kind::TicketType, Refused::Nowhere),
    ("MembershipInfoInput.membershipId", Kind::Membership, Refused::Everywhere),
    // The number of a customer as text.
    ("MembershipCardInput.constituentImportId", Kind::Customer, Refused::Nowhere),
    ("GifterInput.customerId", Kind::Customer, Refused::Everywhere),
    ("CheckoutInput.shoppingCartId", Kind::Cart, Refused::Everywhere),
    ("CheckoutInput.reservationId", Kind::Reservation, Refused::Everywhere),
    ("ReservationItemInput.eventId", Kind::Instance, Refused::Everywhere),
    ("ReservationUpdateInput.id", Kind::Reservation, Refused::Everywhere),
    ("ReservationItemUpdateInput.id", Kind::ReservationItem, Refused::Everywhere),
    ("ReservationItemUpdateInput.reservationId", Kind::Reservation, Refused::Everywhere),
    ("ReservationItemUpdateInput.eventId", Kind::Instance, Refused::Everywhere),
    // A new record does not choose its id, and another than that of the path is a fault of its own.
    ("ComboInput.id", Kind::Combo, Refused::Nowhere),
    ("CouponInput.id", Kind::Coupon, Refused::Nowhere),
    ("DiscountInput.id", Kind::Discount, Refused::Nowhere),
    ("FormInput.id", Kind::Form, Refused::Nowhere),
    ("InventoryInput.id", Kind::Inventory, Refused::Nowhere),
    ("PersonTypeInput.id", Kind::TicketType, Refused::Nowhere),
    ("ComboInput.discountId", Kind::Discount, Refused::Everywhere),
    ("ComboPartInput.eventTemplateId", Kind::Template, Refused::Everywhere),
    // Another name of `eventTemplateId`, which complaints go by.
    ("ComboPartInput.templateId", Kind::Template, Refused::Nowhere),
    ("ComboPriceInput.personTypeId", Kind::TicketType, Refused::Everywhere),
    ("CouponInput.discountId", Kind::Discount, Refused::Everywhere),
    ("CouponInput.eventTemplateIds", Kind::Template, Refused::Everywhere),
    ("CouponInput.membershipCategoryIds", Kind::Level, Refused::Everywhere),
    ("CouponInput.personTypeIds", Kind::TicketType, Refused::Everywhere),
    ("DiscountValueInput.personTypeId", Kind::TicketType, Refused::Everywhere),
    ("InstanceInput.id", Kind::Instance, Refused::Nowhere),
    ("TemplateInput.id", Kind::Template, Refused::Nowhere),
    ("ReferenceInput.personType", Kind::TicketType, Refused::Everywhere),
    // Another name of `personType`, which complaints go by.
    ("ReferenceInput.pricePoint", Kind::TicketType, Refused::Nowhere),
    ("ReferenceInput.priceLists", Kind::Common, Refused::Everywhere),
    ("ReferenceInput.category", Kind::Level, Refused::Everywhere),
    ("ReferenceInput.discount", Kind::Discount, Refused::Everywhere),
    ("ReferenceInput.orderForms", Kind::Form, Refused::Everywhere),
    ("AddOnsInput.inventoryIds", Kind::Inventory, Refused::Everywhere),
    ("RecommendationInput.eventTemplateId", Kind::Template, Refused::Everywhere),
    // Another name of `eventTemplateId`, which complaints go by.
    ("RecommendationInput.templateId", Kind::Template, Refused::Nowhere),
    // The path outranks what a body says of its template.
    ("EntitlementsInput.eventTemplateId", Kind::Template, Refused::Nowhere),
    ("EntitlementsInput.templateId", Kind::Template, Refused::Nowhere),
    // A rule names itself.
    ("EntitlementRuleInput.id", Kind::Common, Refused::Nowhere),
    ("EntitlementRuleInput.levelIds", Kind::Level, Refused::Everywhere),
    ("EntitlementRuleInput.pricePointIds", Kind::TicketType, Refused::Everywhere),
    // Another name of `pricePointIds`, which complaints go by.
    ("EntitlementRuleInput.pricepointIds", Kind::TicketType, Refused::Nowhere),
    ("TypeLimitInput.personTypeId", Kind::TicketType, Refused::Everywhere),
    // Parts of a template name themselves, and what is kept for the venue names nothing of ours.
    ("PriceListInput.id", Kind::Common, Refused::Nowhere),
    ("ScheduleInput.id", Kind::Common, Refused::Nowhere),
    ("ImageInput.id", Kind::Common, Refused::Nowhere),
    ("RuleSetsInput.ruleSetIds", Kind::Common, Refused::Nowhere),
    ("EntitlementReferenceInput.id", Kind::Common, Refused::Nowhere),
    ("EntitlementReferenceInput.salesRuleSetId", Kind::Common, Refused::Nowhere),
    ("ResourceInput.resourceTemplateId", Kind::Common, Refused::Nowhere),
    ("ResourceInput.resourceId", Kind::Common, Refused::Nowhere),
    // The venue's own.
    ("MembershipInput.externalMembershipId", Kind::Common, Refused::Nowhere),
    ("MemberCardInput.id", Kind::Card, Refused::Everywhere),
    // A new level or offering does not choose its id; a change names it in the body.
    ("LevelInput.id", Kind::Level, Refused::Nowhere),
    ("OfferingInput.id", Kind::Offering, Refused::Nowhere),
    // Parts of a level name themselves, and what is kept for the venue names nothing of ours.
    ("OfferingPriceListInput.id", Kind::Common, Refused::Nowhere),
    ("BenefitInput.id", Kind::Common, Refused::Nowhere),
    ("ServiceInput.id", Kind::Common, Refused::Nowhere),
    ("LevelCollectionInput.id", Kind::Common, Refused::Nowhere),
    ("OfferingActionInput.ruleIds", Kind::Common, Refused::Nowhere),
    // A partner names what it brings, each for itself; a tax authority does.
    ("OnboardingInput.boardingRefId", Kind::Application, Refused::Nowhere),
];

/// The ids of query strings.
const QUERY: [(&str, Kind); 7] = [
    // A collection is nothing but its name.
    ("collectionId", Kind::Common),
    ("levelId", Kind::Level),
    ("offeringId", Kind::Offering),
    ("pricePointId", Kind::TicketType),
    ("comboTemplateId", Kind::Combo),
    ("membershipId", Kind::Membership),
    ("membershipCategoryId", Kind::Level),
];

/// One of each thing of a tenant.
pub(crate) struct Things {
    tenant: i64,
    pub(crate) instance: String,
    /// A slot of the other event of the combo.
    other: String,
    cart: String,
    line: String,
    reservation: Value,
    order: String,
    delivery: String,
    application: String,
    sale: String,
    order_item: String,
    ticket: String,
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
        let reservation = ask(("POST", "/v2/b2b/reservations"), &staff, seats).await;
        let mut checkout = payer();
        checkout["shoppingCart"] = cart;
        let order = ask(("POST", "/v2/b2c/checkout"), &shop, checkout).await;
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
            order: order["id"].as_str().unwrap().to_owned(),
            order_item: item["orderItemId"].as_str().unwrap().to_owned(),
            ticket: item["tickets"][0]["id"].as_str().unwrap().to_owned(),
            sale: order["payments"][0]["saleId"].as_str().unwrap().to_owned(),
            delivery: outbox[0]["deliveryId"].as_str().unwrap().to_owned(),
            instance,
            other,
        }
    }

    /// A cart that asks for the price of a combo, so that no two are one charge made twice.
    fn combo_cart(&self) -> Value {
        let parts = json!([{ "eventId": self.instance }, { "eventId": self.other }]);
        json!({ "comboItems": [{
            "comboTemplateId": self.id(Kind::Combo), "ticketingTypeId": self.id(Kind::TicketType),
            "quantity": 0, "parts": parts,
        }] })
    }

    fn id(&self, kind: Kind) -> Value {
        let tenant = self.tenant;
        match kind {
            Kind::Cart => json!(self.cart),
            Kind::Line => json!(self.line),
            Kind::Reservation => self.reservation["id"].clone(),
            Kind::ReservationItem => self.reservation["reservationItems"][0]["id"].clone(),
            Kind::Order => json!(self.order),
            Kind::Instance => json!(self.instance),
            Kind::Template => json!(format!("{tenant}ee000000000000000001")),
            Kind::TicketType => json!(format!("{tenant}aa000000000000000001")),
            Kind::Inventory => json!(tenant * 1_000 + 1),
            Kind::Discount => json!(format!("{tenant}dd000000000000000001")),
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
            Kind::Common => json!("nothing"),
        }
    }
}

/// An id that nothing of anybody has.
fn unknown(kind: Kind) -> Value {
    match kind {
        Kind::Reservation
        | Kind::ReservationItem
        | Kind::Inventory
        | Kind::Membership
        | Kind::Card
        | Kind::Customer => json!(4_503_599_627_370_001_i64),
        Kind::Line => json!(NOTHING.repeat(2)[..32]),
        Kind::Offering => json!("e".repeat(32)),
        Kind::Order | Kind::OrderItem | Kind::Ticket => json!("450359962737"),
        Kind::Delivery => json!("0000000000001-z"),
        Kind::Application => json!("ffffffff-ffff-4fff-bfff-ffffffffffff"),
        Kind::Merchant => json!("99999"),
        Kind::Sale => json!("sale_ffffffff-ffff-4fff-bfff-ffffffffffff"),
        Kind::Cart
        | Kind::Instance
        | Kind::Template
        | Kind::TicketType
        | Kind::Discount
        | Kind::Coupon
        | Kind::Form
        | Kind::Level
        | Kind::Combo
        | Kind::Common => json!(NOTHING),
    }
}

fn text(id: &Value) -> String {
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

/// What was answered, without the id itself and the ids that are new in every answer.
fn told(answer: &Answer, id: &Value) -> String {
    let mut shown = answer.body.clone();
    for moment in ["lastUpdated", "lastPublished", "publication", "createDate", "updatedDate", "updatedOn"] {
        shown.as_object_mut().map(|shown| shown.remove(moment));
    }
    let mut body = shown.to_string().replace(&text(id), "ID");
    let words: Vec<String> =
        body.split(|char: char| !char.is_ascii_alphanumeric()).map(str::to_owned).collect();
    let is_new = |word: &&String| {
        word.len() >= 24 && word.chars().all(|char| char.is_ascii_hexdigit())
            || word.len() >= 10 && word.chars().all(|char| char.is_ascii_digit())
    };
    for word in words.iter().filter(is_new) {
        body = body.replace(word, "NEW");
    }
    format!("{} {body}", answer.status)
}

fn parameter_of(path: &str) -> Kind {
    let row = PATHS.iter().find(|(known, _)| *known == path);
    row.unwrap_or_else(|| panic!("{path} takes an id of which this test does not know what it names")).1
}

/// The path of an operation with the first id in it, and whatever else it takes of that tenant.
fn path_of(operation: &Operation, first: &str, whose: &Things) -> String {
    let second = SECOND.iter().find(|(known, _)| *known == operation.path);
    let second = second.map(|(_, kind)| text(&whose.id(*kind)));
    let path = match &second {
        Some(second) => {
            let (above, _) = operation.path.rsplit_once('/').unwrap();
            format!("{above}/{second}")
        }
        None => operation.path.clone(),
    };
    let filled = path.split('/').map(|segment| if segment.starts_with('{') { first } else { segment });
    filled.collect::<Vec<_>>().join("/")
}

/// The path of an operation on a thing of its tenant.
pub(crate) fn own_path(operation: &Operation, own: &Things) -> String {
    let row = PATHS.iter().find(|(known, _)| *known == operation.path);
    path_of(operation, &row.map(|(_, kind)| text(&own.id(*kind))).unwrap_or_default(), own)
}

fn of_tenant(operation: &Operation, tenant: i64) -> Vec<(String, String)> {
    if operation.path.starts_with("/sandbox/") {
        return vec![("x-service-api-key".to_owned(), key_of(Scope::B2b, tenant))];
    }
    operation.headers(tenant)
}

#[tokio::test(flavor = "multi_thread")]
async fn another_tenants_id_in_a_path_is_an_unknown_id() {
    let service = with_keys().await;
    let theirs = Things::of(&service, 1001).await;
    let with_parameter =
        || operations().into_iter().filter(|operation| !operation.parameters("path").is_empty());
    for operation in with_parameter() {
        let second = SECOND.iter().filter(|(known, _)| *known == operation.path).count();
        let second = second + usize::from(operation.path.contains("/forms/{formResponseId}"));
        assert_eq!(operation.parameters("path").len(), 1 + second, "{}", operation.name());
        let kind_of_id = parameter_of(&operation.path);
        let mut answers = vec![];
        for id in [theirs.id(kind_of_id), unknown(kind_of_id)] {
            let path = path_of(&operation, &text(&id), &theirs);
            let body = operation.body_schema().map(|_| json!({ "id": text(&id), "items": [], "fields": [] }));
            let headers = of_tenant(&operation, 1002);
            let answer = send_json(&service, &operation.method, &path, &headers, body.as_ref()).await;
            assert_eq!(kind(&answer), (404, "NOT_FOUND"), "{}: {}", operation.name(), answer.body);
            answers.push(told(&answer, &id));
        }
        assert_eq!(answers[0], answers[1], "{}", operation.name());
    }
    // Its own tenant still finds everything.
    for operation in with_parameter().filter(Operation::is_read) {
        let kind_of_id = parameter_of(&operation.path);
        let path = path_of(&operation, &text(&theirs.id(kind_of_id)), &theirs);
        let answer = send_json(&service, "GET", &path, &of_tenant(&operation, 1001), None).await;
        let expected = if kind_of_id == Kind::Common { 404 } else { 200 };
        assert_eq!(answer.status, expected, "{}: {}", operation.name(), answer.body);
    }
}

/// A place of an id in a body: its pointer, and the field's name with that of its schema.
fn id_fields(schema: &Value, owner: &str, pointer: &str, found: &mut Vec<(String, String)>) {
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        let document = document();
        return id_fields(&document["components"]["schemas"][name], name, pointer, found);
    }
    for way in ["oneOf", "anyOf", "allOf"] {
        for part in schema[way].as_array().into_iter().flatten() {
            id_fields(part, owner, pointer, found);
        }
    }
    if schema.get("items").is_some() {
        id_fields(&schema["items"], owner, &format!("{pointer}/0"), found);
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let place = format!("{pointer}/{name}");
        if name == "id" || name.ends_with("Id") || name.ends_with("Ids") {
            let place = if field.get("items").is_some() { format!("{place}/0") } else { place };
            // What is named by nothing but an id, its field says.
            let parent = pointer.rsplit('/').find(|segment| *segment != "0").unwrap_or_default();
            let name = if owner == "ReferenceInput" { parent } else { name };
            found.push((place, format!("{owner}.{name}")));
        } else {
            id_fields(field, owner, &place, found);
        }
    }
}

/// Puts a value where a pointer leads, making what is missing on the way.
fn put(body: &mut Value, pointer: &str, value: &Value) {
    let mut place = body;
    for segment in pointer.split('/').skip(1) {
        if segment == "0" {
            if !place.is_array() {
                *place = json!([{}]);
            }
            place = &mut place[0];
        } else {
            if !place.is_object() {
                *place = json!({});
            }
            place = &mut place[segment];
        }
    }
    *place = value.clone();
}

/// A template that names only things of its tenant, and nothing beside what the pointer leads to where that is
/// another name of it.
fn template_of(own: &Things, pointer: &str) -> Value {
    // The price of the demo venue, so that carts cost what they did.
    let mut price = json!({ "personType": { "id": own.id(Kind::TicketType) }, "price": "24.00" });
    if pointer.contains("pricePoint") {
        price = json!({ "price": "24.00" });
    }
    let mut other = json!({ "eventTemplateId": own.id(Kind::Template) });
    if pointer.contains("/templateId") {
        other = json!({});
    }
    let mut body = json!({
        "name": "Law", "description": "Law", "capacity": 5, "duration": { "hour": 1 }, "type": "private",
        "reviewState": "Published", "startTime": "2026-01-01T00:00:00",
        "priceLists": [{ "id": "law", "prices": [price] }],
        "schedules": [{ "id": "law", "weekdays": ["Monday"], "hours": [{ "hour": 3 }],
            "ranges": [{ "start": "2050-01-01", "end": "2050-01-31" }] }],
        "membership": { "discounts": [{
            "category": { "id": own.id(Kind::Level) }, "discount": { "id": own.id(Kind::Discount) },
        }] },
        "resources": [{ "type": "room" }],
        "entitlementConfiguration": { "id": "law" },
    });
    if pointer.starts_with("/recommendations") {
        body["recommendations"] = json!({ "recommendations": [other] });
    } else if pointer.starts_with("/prerequisites") {
        body["prerequisites"] = json!({ "operation": "anyOf", "requires": [other] });
    }
    body
}

/// The same over the template of the demo venue, whose own schedule stays, so that its slots stay on sale.
fn changed_template(own: &Things, pointer: &str) -> Value {
    let mut body = template_of(own, pointer);
    let id = format!("{}5c000000000000000001", own.tenant);
    let kept = json!({ "id": id, "weekdays": ["Monday"], "hours": [{ "hour": 4 }] });
    body["schedules"].as_array_mut().unwrap().push(kept);
    body
}

/// An offering that names only things of its tenant.
fn offering_of(own: &Things, pointer: &str) -> Value {
    let mut price = json!({ "personType": { "id": own.id(Kind::TicketType) }, "price": "75.00" });
    if pointer.contains("pricePoint") {
        price = json!({ "price": "75.00" });
    }
    json!({
        "id": own.id(Kind::Offering), "name": "Law", "duration": 12, "priceLists": [{ "prices": [price] }],
        "actions": [{ "action": "new" }],
    })
}

/// A cart of a ticket, or of a combo or a membership where the pointer leads into one.
fn own_cart(own: &Things, pointer: &str) -> Value {
    if pointer.contains("/comboItems/") {
        own.combo_cart()
    } else if pointer.contains("/membershipInfo/") {
        membership_cart(own, pointer)
    } else {
        cart_of(&own.instance, own.tenant)
    }
}

/// A cart of a membership that names only things of its tenant: renewed where the pointer leads to the one that is,
/// given where it leads to the giver.
fn membership_cart(own: &Things, pointer: &str) -> Value {
    let mut info = json!({
        "membershipCategoryId": own.id(Kind::Level), "membershipOfferingId": own.id(Kind::Offering),
        "isGift": pointer.contains("/gifterInfo/"),
        "membershipCards": [{ "firstName": "Ada", "lastName": "Law", "zipCode": "10004" }],
    });
    if !pointer.ends_with("/pricepointId") {
        info["pricePointId"] = own.id(Kind::TicketType);
    }
    let action = if pointer.ends_with("/membershipId") { "MembershipRenewal" } else { "MembershipPurchase" };
    json!({ "items": [{ "itemType": action, "quantity": 1, "membershipInfo": info }] })
}

/// A combo that names only things of its tenant, with a discount where the pointer leads to one.
fn combo_of(own: &Things, pointer: &str) -> Value {
    let other = json!({ "eventTemplateId": format!("{}ee000000000000000002", own.tenant) });
    let part = if pointer.ends_with("/templateId") {
        json!({})
    } else {
        json!({ "eventTemplateId": own.id(Kind::Template) })
    };
    if pointer == "/discountId" {
        return json!({ "name": "Law", "comboTemplateType": "discountCode", "parts": [part, other] });
    }
    let price = json!({ "personTypeId": own.id(Kind::TicketType), "price": "1.00" });
    json!({
        "name": "Law", "comboTemplateType": "fixedPrice", "parts": [part, other], "prices": [price],
    })
}

/// What is taken back of an order, named as the pointer does.
fn returned(own: &Things, pointer: &str) -> Value {
    let mut body = json!({ "orderId": own.order, "eventId": own.instance });
    if pointer.starts_with("/items/") {
        body["items"] = json!([{ "itemId": own.order_item }]);
    } else if pointer == "/orderId" || pointer == "/eventId" {
        body["wholeOrder"] = json!(true);
        body["itemId"] = json!(own.order_item);
    }
    body
}

/// A request that names only things of its tenant, but for the id at that pointer.
pub(crate) fn body_with(operation: &Operation, own: &Things, pointer: &str, id: &Value) -> Value {
    let mut body = match operation.path.as_str() {
        "/v2/b2b/reservations" => {
            let item = json!({ "eventId": own.instance, "quantity": 1 });
            json!({ "id": own.reservation["id"], "reservationItems": [item] })
        }
        "/v2/b2b/refunds" | "/v2/b2b/refunds/preview" | "/v2/b2b/exchanges" => returned(own, pointer),
        "/v2/b2c/checkout" | "/v2/b2c/cors/checkout" => payer(),
        path if path.starts_with("/v2/b2b/coupons") => {
            // A code of its own for every request; letters alone, since digits might make the number of a card.
            let letters: String = text(id).bytes().map(|byte| char::from(b'a' + byte % 6)).collect();
            let code = format!("LAW{}-{letters}", pointer.replace('/', "-"));
            match pointer {
                "/discountId" => json!({ "name": "Law", "code": code }),
                _ => json!({ "name": "Law", "code": code, "discountType": "percent", "value": "10" }),
            }
        }
        path if path.starts_with("/v2/b2b/discounts") => {
            json!({ "name": "Law", "values": [{ "discountType": "amount", "value": "1.00" }] })
        }
        path if path.starts_with("/v2/b2b/combos") => combo_of(own, pointer),
        path if path.ends_with("/entitlements") => {
            let rule = json!({ "id": "Law", "limit": 1, "ruleApplies": "forEachItem", "timeFrame": { "period": "day" } });
            let limit = json!({ "personTypeId": own.id(Kind::TicketType), "limit": 1 });
            json!({ "rules": [rule], "ticketLimits": { "perType": [limit] } })
        }
        "/v2/b2b/event/templates/{id}" => changed_template(own, pointer),
        path if path.starts_with("/v2/b2b/event/templates") => template_of(own, pointer),
        "/v2/b2b/membership/levels" => {
            json!({
                "id": own.id(Kind::Level), "name": "Law", "state": "published", "rules": { "canGift": true },
                "offerings": [offering_of(own, pointer)],
            })
        }
        path if path.ends_with("/membershipofferings") => offering_of(own, pointer),
        path if path.starts_with("/v2/b2b/") => json!({ "name": "Law" }),
        path if path.starts_with("/v1/payment/{mid}/refund") => json!({ "charge": { "amount": "1.00" } }),
        _ => own_cart(own, pointer),
    };
    if operation.path == "/v2/b2c/carts/{id}" {
        body["id"] = json!(own.cart);
    }
    if operation.path.ends_with("/checkout") && pointer != "/shoppingCartId" {
        body["shoppingCart"] = own_cart(own, pointer);
    }
    if let Some(line) = pointer.strip_suffix("/inventoryId") {
        put(&mut body, line, &json!({ "quantity": 1 }));
    }
    if let Some((entry, "formId" | "eventId")) = pointer.rsplit_once('/')
        && entry.ends_with("/forms/0")
    {
        put(&mut body, entry, &json!({ "formId": own.id(Kind::Form), "fields": [] }));
    }
    put(&mut body, pointer, id);
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn another_tenants_id_in_a_body_is_an_unknown_id() {
    let service = with_keys().await;
    let (theirs, own) = (Things::of(&service, 1001).await, Things::of(&service, 1002).await);
    for operation in operations() {
        let Some(schema) = operation.body_schema() else { continue };
        let mut fields = vec![];
        id_fields(schema, "", "", &mut fields);
        // Whose tax id it is, the state knows.
        fields.retain(|(_, field)| field != "OnboardingInput.taxId");
        for (pointer, field) in fields {
            let row = FIELDS.iter().find(|(known, ..)| *known == field);
            let (_, kind_of_id, refused) = row
                .unwrap_or_else(|| panic!("{field} is an id of which this test does not know what it names"));
            let mut answers = vec![];
            for id in [theirs.id(*kind_of_id), unknown(*kind_of_id)] {
                let body = body_with(&operation, &own, &pointer, &id);
                let path = own_path(&operation, &own);
                let headers = operation.headers(1002);
                let mut answer = send_json(&service, &operation.method, &path, &headers, Some(&body)).await;
                // A level shows what earlier fields left behind, too.
                let offerings = answer.body["offerings"].as_array().cloned().unwrap_or_default();
                if operation.path.ends_with("/membershipofferings")
                    && let Some(written) = offerings.into_iter().find(|offering| offering["id"] == body["id"])
                {
                    answer.body = written;
                }
                let place = format!("{} {pointer}: {}", operation.name(), answer.body);
                // Limits do not depend on what was answered to forms, which is not read where they are checked.
                let is_form =
                    operation.path.ends_with("/entitlements/validate") && pointer.starts_with("/forms/");
                // What a page claims without a proof is not looked up (contract §R).
                let is_claim =
                    operation.path.contains("/cors/") && pointer.starts_with("/shoppingCart/membership");
                let is_read = !is_form && !is_claim;
                let refuses = match refused {
                    Refused::Everywhere => is_read,
                    Refused::Nowhere => false,
                };
                if refuses {
                    assert_eq!(kind(&answer), (404, "NOT_FOUND"), "{place}");
                    let named: Vec<_> = complaints(&answer).into_iter().collect();
                    assert_eq!(named, [pointer.as_str()], "{place}");
                }
                answers.push(told(&answer, &id));
            }
            assert_eq!(answers[0], answers[1], "{} {pointer}", operation.name());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_tenants_id_in_a_query_is_an_unknown_id() {
    let service = with_keys().await;
    let theirs = Things::of(&service, 1001).await;
    let own = Things::of(&service, 1002).await;
    for operation in operations() {
        for name in operation.parameters("query").iter().filter(|name| name.ends_with("Id")) {
            let row = QUERY.iter().find(|(known, _)| known == name);
            let kind_of_id = row.unwrap_or_else(|| panic!("this test does not know what {name} names")).1;
            let path = operation.path.replace("{templateId}", &text(&own.id(Kind::Template)));
            let path = path.replace("{instanceId}", &own.instance);
            let mut answers = vec![];
            for id in [theirs.id(kind_of_id), unknown(kind_of_id)] {
                let path = format!("{path}?{name}={}", text(&id));
                let headers = operation.headers(1002);
                answers.push(told(&send_json(&service, "GET", &path, &headers, None).await, &id));
            }
            assert_eq!(answers[0], answers[1], "{} {name}", operation.name());
        }
    }
}
