//! The description of the whole interface.

mod answers;
mod names;
mod presence;
mod schemas;

pub use presence::{LEFT_OUT, LeftOut, OWN_FACTS};

use crate::failure::Failure;
use crate::routes;
use answers::Operation;
use serde::Serialize;
use serde_json::{Value, json};
use web::ErrorType;

/// Names of the security schemes, and the headers they stand for (spec §5).
const SCHEMES: [(&str, &str, &str); 4] = [
    ("apiKey", "x-service-api-key", "A tenant's key. Its scopes decide which routes it can call."),
    ("tenant", "x-b2c-tenant-id", "The tenant's id; it must be the one the key belongs to."),
    (
        "staffSession",
        "x-service-session",
        "The session of a person of the staff, in place of an API key. Her roles decide which routes it can call.",
    ),
    (
        "paymentKey",
        "x-service-payment-key",
        "The key of a merchant, used with its merchant id in the path, or of a partner that registers merchants.",
    ),
];

/// Groups of routes, in the order in which a reader meets them.
const TAGS: [(&str, &str); 14] = [
    ("Events", "What is on sale, and when"),
    ("Carts", "What a visitor wants to buy, priced"),
    ("Entitlements", "What members may take at the member price"),
    ("Reservations", "Seats held for a while"),
    ("Checkout", "From a cart to a paid order"),
    ("Orders", "Finding, reading and correcting orders, form answers, will call"),
    ("Admission", "Letting visitors in, and out again"),
    ("Members", "Who is a member"),
    ("Back office", "What events and memberships are made of"),
    ("Memberships", "Membership levels, the ways to buy them, and what members bought"),
    ("Staff", "Who works here, and how they sign in"),
    ("Payments", "Merchants that take cards"),
    ("Locations", "Pick lists of countries and states"),
    ("Reference", "Errors and this document"),
];

/// A body of each operation that takes one; a test sends them all.
const EXAMPLES: &str = include_str!("openapi/examples.json");

const DESCRIPTION: &str = "\
Timed tickets, reservations and checkout for venues.

Amounts of money are decimal text with two digits after the point unless a field says otherwise. Instants are
RFC 3339 with the offset of the tenant's time zone. Every refusal has the same body, described once under
`ErrorBody`; the table of all errors is at `/errors`. A write with an `Idempotency-Key` can be repeated
safely. Sandbox tenants may send `x-service-test-now` to choose the clock of a request.";

/// The description of the whole interface.
#[derive(Debug, Clone, Serialize)]
pub struct OpenApiDocument {
    openapi: Value,
    info: Value,
    servers: Value,
    tags: Value,
    paths: Value,
    components: Value,
}

impl OpenApiDocument {
    /// As it is committed and served.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn to_pretty_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }
}

/// The OpenAPI 3.1 document of every route: what their attributes say, and what is true of all of them.
#[must_use]
pub fn openapi() -> OpenApiDocument {
    let mut described = routes::described().into_openapi();
    presence::require(&mut described);
    let mut document = serde_json::to_value(described).unwrap_or_default();
    let names: Vec<&str> = ErrorType::ALL.iter().map(|kind| kind.row().name).collect();
    complete(&mut document, &names);
    let mut part = |name: &str| document[name].take();
    OpenApiDocument {
        openapi: "3.1.0".into(),
        info: info(),
        servers: json!([{ "url": "/", "description": "Ticketing and memberships, where this document was read from" }]),
        tags: tags(),
        paths: part("paths"),
        components: part("components"),
    }
}

/// The document as text: the content of `docs/openapi.json`.
pub(crate) fn text() -> Result<String, Failure> {
    let text = openapi().to_pretty_json();
    text.map_err(|fault| Failure::because("the OpenAPI document cannot be written", &fault))
}

fn info() -> Value {
    json!({
        "title": "Boxoffice",
        "version": env!("CARGO_PKG_VERSION"),
        "description": DESCRIPTION,
        "contact": { "name": "The maintainers of Boxoffice" },
        "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
    })
}

fn tags() -> Value {
    let tag = |(name, text): &(&str, &str)| json!({ "name": name, "description": text });
    let sandbox = ("Sandbox", "What the local sandbox has done; not part of a deployment");
    TAGS.iter().chain([&sandbox]).map(tag).collect()
}

/// Adds to what the routes say of themselves what is true of all of them.
fn complete(document: &mut Value, error_names: &[&str]) {
    let examples: Value = serde_json::from_str(EXAMPLES).unwrap_or_default();
    for (name, header, description) in SCHEMES {
        document["components"]["securitySchemes"][name] =
            json!({ "type": "apiKey", "in": "header", "name": header, "description": description });
    }
    answers::describe_shared(&mut document["components"]);
    let paths = document["paths"].as_object_mut();
    for (path, item) in paths.into_iter().flatten() {
        for (method, described) in item.as_object_mut().into_iter().flatten() {
            if let Some(described) = described.as_object_mut() {
                complete_operation(Operation { method, path, described }, &examples);
            }
        }
    }
    schemas::complete(document, error_names);
}

fn complete_operation(mut operation: Operation<'_>, examples: &Value) {
    let Operation { method, path, .. } = operation;
    let id = names::name_of(method, path).unwrap_or_default();
    if let (Some(body), Some(example)) = (operation.described.get_mut("requestBody"), examples.get(id)) {
        if let Some(text) = made_up(example) {
            body["description"] = text.into();
        }
        body["content"]["application/json"]["example"] = example.clone();
    }
    operation.described.insert("operationId".to_owned(), id.into());
    if path.starts_with("/v1/payment/") {
        let payments = json!([{ "url": "/payments", "description": "Payments, below a path of their own" }]);
        operation.described.insert("servers".to_owned(), payments);
    }
    operation.described.entry("security").or_insert_with(|| usual_security(path));
    operation.describe_idempotency_key();
    operation.describe_member_proof();
    operation.describe_operator();
    operation.describe_refusals();
    operation.describe_headers();
}

/// What an example does not show as it is anywhere, and what takes its place.
const MADE_UP: [(&str, &str); 13] = [
    ("\"eventId\"", "`eventId`: the `id` of a time that `GET /v2/b2c/event/templates/times` lists"),
    ("\"9b6f21d07c53ae48d1f0be72\"", "`id`: that of an instance, as `GET /v2/b2b/event/instances` lists it"),
    ("\"7c9e4f10b2a86d3358e1f0c4\"", "`id`: what `POST /v2/b2c/carts` answered"),
    ("81730012", "`id`: that of a reservation, as `POST /v2/b2b/reservations` answered it"),
    ("81730027", "`id`: that of a reservation, as `POST /v2/b2c/reservations` answered it"),
    ("\"orderId\"", "`orderId`: the `id` of an order, as a checkout answered it"),
    ("\"itemId\"", "`itemId`: that of an order item, as `GET /v2/b2b/orders/detail/{orderId}` shows it"),
    ("\"ticketId\"", "`ticketId`: the `id` of a ticket, as `GET /v2/b2b/willcall/orders/{orderId}` shows it"),
    (
        "\"8d1f0c7a5be24396a0f3c2d4e6b81759\"",
        "the code: the `uuid` of a ticket, as `GET /v2/b2b/willcall/orders/{orderId}` shows it",
    ),
    ("\"scanId\"", "`scanId` and `at`: a new UUID, and a moment of the last seven days"),
    ("\"saleId\"", "`saleId`: that of a payment, as the `payments` of an order name it"),
    ("\"token\"", "`token`: the one in the link of the mail"),
    ("ffff\"", "`id`: that of a level or an offering, as it was answered when it was made"),
];

/// What has to be put into an example before it can be sent.
fn made_up(example: &Value) -> Option<String> {
    let text = example.to_string();
    let found = MADE_UP.iter().filter(|(shown, _)| text.contains(shown));
    let hints: Vec<&str> = found.map(|(_, hint)| *hint).collect();
    (!hints.is_empty()).then(|| format!("The example needs ids that exist. {}.", hints.join("; ")))
}

/// Where `x-b2c-tenant-id` must be sent.
const NEED_TENANT: [&str; 6] = [
    "/v2/b2c/event",
    "/v2/b2c/carts",
    "/v2/b2c/entitlements",
    "/v2/b2c/checkout",
    "/v2/b2c/cors/",
    "/v2/b2c/reservations",
];

/// Where a session may take the place of a key.
const OF_STAFF: [&str; 5] =
    ["/v2/b2b/", "/v2/willcall/", "/v2/memberships/b2b/", "/v2/b2c/forms/responses", "/v2/b2c/orders/event/"];

/// The same, where `x-b2c-tenant-id` must be sent as well.
const SOLD_BY_STAFF: [&str; 6] = [
    "/v2/b2c/event",
    "/v2/b2c/carts",
    "/v2/b2c/entitlements",
    "/v2/b2c/combos",
    "/v2/b2c/inventory",
    "/v2/b2c/membership/levels",
];

/// What a route asks of its callers unless it says so itself (contract §2).
fn usual_security(path: &str) -> Value {
    let is_below = |starts: &[&str]| starts.iter().any(|start| path.starts_with(start));
    if is_below(&OF_STAFF) {
        json!([{ "apiKey": [] }, { "staffSession": [] }])
    } else if is_below(&SOLD_BY_STAFF) {
        json!([{ "apiKey": [], "tenant": [] }, { "staffSession": [], "tenant": [] }])
    } else if is_below(&NEED_TENANT) {
        json!([{ "apiKey": [], "tenant": [] }])
    } else if path.starts_with("/v2/") || path.starts_with("/v1/b2b/") {
        json!([{ "apiKey": [] }])
    } else if path.starts_with("/v1/") {
        json!([{ "paymentKey": [] }])
    } else {
        json!([{}])
    }
}
