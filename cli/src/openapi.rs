//! The description of the whole interface.

mod presence;

pub use presence::{LEFT_OUT, LeftOut};

use crate::failure::Failure;
use crate::routes;
use platform::App;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    Components, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, Ref, Response, ResponseBuilder,
    ServerBuilder,
};
use utoipa_axum::router::OpenApiRouter;

/// Names of the security schemes, and the headers they stand for (spec §5).
const SCHEMES: [(&str, &str, &str); 3] = [
    ("apiKey", "x-service-api-key", "A tenant's key. Its scopes say which routes it opens."),
    ("tenant", "x-b2c-tenant-id", "The tenant's id; it must be the one the key belongs to."),
    (
        "paymentKey",
        "x-service-payment-key",
        "The key of a merchant, used with its merchant id in the path, or of a partner that brings merchants.",
    ),
];

/// Groups of routes, in the order in which a reader meets them.
const TAGS: [(&str, &str); 12] = [
    ("Events", "What is on sale, and when"),
    ("Carts", "What a visitor wants to buy, priced"),
    ("Entitlements", "What members may take at the member price"),
    ("Reservations", "Seats held for a while"),
    ("Checkout", "From a cart to a paid order"),
    ("Orders", "Reading orders, will call"),
    ("Members", "Who is a member"),
    ("Back office", "What events and memberships are made of"),
    ("Memberships", "Membership levels, the ways to buy them, and what members bought"),
    ("Payments", "Merchants that take cards"),
    ("Locations", "Pick lists of countries and states"),
    ("Reference", "Errors and this document"),
];

const DESCRIPTION: &str = "\
Timed tickets, reservations and checkout for venues.

Amounts of money are decimal text with two digits after the point unless a field says otherwise. Instants are
RFC 3339 with the offset of the tenant's time zone. Every refusal has the same body, described once under
`ErrorBody`; the table of all errors is at `/errors`. A write with an `Idempotency-Key` can be repeated
safely. Sandbox tenants may send `x-service-test-now` to choose the clock of a request.";

/// The OpenAPI 3.1 document of every route.
#[must_use]
pub fn openapi() -> OpenApi {
    let mut document = routes::routes::<OpenApiRouter<App>>().into_openapi();
    document.info = InfoBuilder::new()
        .title("Boxoffice")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(DESCRIPTION))
        .license(Some(LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build()))
        .build();
    document.servers = Some(vec![
        ServerBuilder::new().url("/").description(Some("Wherever this document was read from")).build(),
    ]);
    let tag = |(name, text): &(&str, &str)| TagBuilder::new().name(*name).description(Some(*text)).build();
    let sandbox = ("Sandbox", "What the local sandbox has done; not part of a deployment");
    document.tags = Some(TAGS.iter().chain([&sandbox]).map(tag).collect());
    let components = document.components.get_or_insert_with(Components::new);
    for (name, header, description) in SCHEMES {
        let value = ApiKeyValue::with_description(header, description);
        components.add_security_scheme(name, SecurityScheme::ApiKey(ApiKey::Header(value)));
    }
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            operation.operation_id = Some(operation_id(method, path));
            let _ = operation.security.get_or_insert_with(|| usual_security(path));
            describe_refusals(operation);
        }
    }
    presence::require(&mut document);
    document
}

/// The document as text: the content of `docs/openapi.json`.
pub(crate) fn text() -> Result<String, Failure> {
    let text = openapi().to_pretty_json();
    text.map_err(|fault| Failure::because("the OpenAPI document cannot be written", &fault))
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    let all = [("get", get), ("put", put), ("post", post), ("delete", delete), ("patch", patch)];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// A name that follows from the route alone, since generated clients call their methods by it:
/// `getB2cCartsById` for `GET /v2/b2c/carts/{id}`.
fn operation_id(method: &str, path: &str) -> String {
    let mut id = method.to_owned();
    for segment in path.split('/').filter(|segment| !matches!(*segment, "" | "v1" | "v2")) {
        if segment.starts_with('{') {
            id.push_str("By");
        }
        for word in segment.split(|char: char| !char.is_ascii_alphanumeric()) {
            let (first, rest) = word.split_at_checked(1).unwrap_or_default();
            id.push_str(&first.to_ascii_uppercase());
            id.push_str(rest);
        }
    }
    id
}

/// Adds the refusals that follow from what an operation takes, where it does not describe them itself.
fn describe_refusals(operation: &mut Operation) {
    let with_key = operation.security.iter().flatten().any(|way| *way != SecurityRequirement::default());
    let with_body = operation.request_body.is_some();
    for (applies, status, text) in [
        (with_key, "400", "The request has fields or headers that are missing or wrong"),
        (with_key, "401", "No valid key"),
        (with_key, "403", "The key does not allow this"),
        (with_body, "404", "Something the request names does not exist"),
        (with_body, "408", "The body did not arrive in time"),
    ] {
        if applies {
            operation.responses.responses.entry(status.to_owned()).or_insert_with(|| refusal(text).into());
        }
    }
}

fn refusal(text: &str) -> Response {
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorBody"))).build();
    ResponseBuilder::new().description(text).content("application/json", body).build()
}

/// Where `x-b2c-tenant-id` must be sent.
const NEED_TENANT: [&str; 5] =
    ["/v2/b2c/event", "/v2/b2c/carts", "/v2/b2c/entitlements", "/v2/b2c/checkout", "/v2/b2c/cors/"];

/// What a route asks of its callers unless it says so itself (contract §2).
fn usual_security(path: &str) -> Vec<SecurityRequirement> {
    let none: [&str; 0] = [];
    let with = |schemes: &[&str]| {
        let first = SecurityRequirement::default();
        vec![schemes.iter().fold(first, |requirement, scheme| requirement.add(*scheme, none))]
    };
    if NEED_TENANT.iter().any(|start| path.starts_with(start)) {
        with(&["apiKey", "tenant"])
    } else if path.starts_with("/v2/") {
        with(&["apiKey"])
    } else if path.starts_with("/v1/") {
        with(&["paymentKey"])
    } else {
        vec![SecurityRequirement::default()]
    }
}

#[cfg(test)]
mod tests {
    use super::operation_id;

    #[test]
    fn an_operation_is_named_after_its_route() {
        for (method, path, id) in [
            ("get", "/v2/b2c/carts/{id}", "getB2cCartsById"),
            ("post", "/v1/payment/{mid}/refund", "postPaymentByMidRefund"),
            ("get", "/openapi.json", "getOpenapiJson"),
            ("get", "/v2/b2c/events/{templateId}/nextAvailable", "getB2cEventsByTemplateIdNextAvailable"),
        ] {
            assert_eq!(operation_id(method, path), id);
        }
    }
}
