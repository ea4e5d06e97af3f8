//! Operations of the OpenAPI document, keys of every scope, and what every answer must look like.

use axum::body::Body;
use boxoffice::testing::Service;
use domain::tenant::{ApiKey, Scope};
use domain::{Mid, TenantId};
use http::Request;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;
use store::identity::key_hash;
use testkit::Answer;
use web::context::SourceIp;

/// An origin both demo venues allow.
pub(crate) const ORIGIN: &str = "http://localhost:3000";
/// Well-formed wherever an id is text, and nothing's id.
pub(crate) const NOTHING: &str = "ffffffffffffffffffffffff";

/// What the devices of the door and the counter may ask for beside the back office.
const OF_DEVICES: [(&str, &[Scope]); 16] = [
    ("GET /v1/b2b/discounts/{id}/price/list/{priceListId}", &[Scope::B2b, Scope::Counter]),
    ("GET /v2/b2b/discounts/{id}/price/list/{priceListId}", &[Scope::B2b, Scope::Counter]),
    ("GET /v2/b2b/event/instances", &[Scope::B2b, Scope::Counter, Scope::Door]),
    ("GET /v2/b2b/event/instances/summaries", &[Scope::B2b, Scope::Counter, Scope::Door]),
    ("GET /v2/b2b/event/instances/{id}/manifest", &[Scope::B2b, Scope::Counter, Scope::Door]),
    ("GET /v2/b2b/event/templates/summaries", &[Scope::B2b, Scope::Counter]),
    ("GET /v2/b2b/orders/detail/{orderId}", &[Scope::B2b, Scope::Counter]),
    ("GET /v2/b2b/orders/event/{eventId}", &[Scope::B2b, Scope::Counter]),
    ("GET /v2/b2b/orders/search", &[Scope::B2b, Scope::Counter, Scope::Door]),
    ("PUT /v2/b2b/orders/{orderId}", &[Scope::B2b, Scope::Counter]),
    ("POST /v2/b2b/orders/{orderNumber}/email", &[Scope::B2b, Scope::Counter]),
    ("GET /v2/b2b/willcall/orders/{orderId}", &[Scope::B2b, Scope::Counter]),
    ("GET /v2/b2c/forms/responses", &[Scope::B2b, Scope::Counter]),
    ("GET /v2/b2c/forms/responses/{id}", &[Scope::B2b, Scope::Counter]),
    ("GET /v2/b2c/orders/event/{eventId}", &[Scope::B2b, Scope::Counter]),
    ("PUT /v2/b2c/orders/{id}", &[Scope::B2b, Scope::Counter]),
];

/// One operation of the OpenAPI document.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) described: Value,
}

/// Every operation of the interface.
pub(crate) fn operations() -> Vec<Operation> {
    let document = document();
    let mut all = vec![];
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, described) in item.as_object().unwrap() {
            let method = method.to_uppercase();
            all.push(Operation { method, path: path.clone(), described: described.clone() });
        }
    }
    assert!(all.len() > 30, "the document is not read as it is written");
    all
}

/// The document, made once.
pub(crate) fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_json::to_value(boxoffice::openapi()).unwrap());
    &DOCUMENT
}

/// The thing itself where another one is referred to.
pub(crate) fn resolved(thing: &Value) -> Value {
    match thing["$ref"].as_str() {
        Some(reference) => document().pointer(reference.trim_start_matches('#')).unwrap().clone(),
        None => thing.clone(),
    }
}

impl Operation {
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// What the sandbox, the documents and the pages of staff answer without a key.
    pub(crate) fn is_public(&self) -> bool {
        let starts =
            ["/errors", "/openapi.json", "/docs", "/sandbox/", "/v2/staff/", "/v1/payment/webhooks/"];
        starts.iter().any(|start| self.path.starts_with(start))
    }

    /// The scopes that open the operation (contract §2); a new route of a storefront is closed to pages
    /// unless it is of a kind that pages may use.
    pub(crate) fn scopes(&self) -> Vec<Scope> {
        let of_all = [
            "/v2/b2c/event",
            "/v2/b2c/carts",
            "/v2/b2c/combos",
            "/v2/b2c/entitlements",
            "/v2/b2c/inventory",
            "/v2/b2c/locations",
            "/v2/b2c/membership/levels",
            "/v2/b2c/venue",
        ];
        let of_storefronts = [
            "/v2/b2c/checkout/",
            "/v2/b2c/membership/validate",
            "/v2/b2c/orders/link",
            "/v2/b2c/orders/open",
            "/v2/b2c/reservations",
        ];
        let of_tills = [
            "/v2/b2b/reservations",
            "/v2/b2b/locations",
            "/v2/b2b/admissions/blocks",
            "/v2/b2b/admissions/orders/",
        ];
        let of_counters =
            ["/v1/b2b/membership/cards", "/v2/b2b/membership/cards", "/v2/b2b/membership/summaries/"];
        let of_doors =
            ["/v2/b2b/admissions", "/v2/b2b/willcall/check", "/v2/b2b/willcall/undo", "/v2/willcall/"];
        let path = self.path.as_str();
        if let Some((_, scopes)) = OF_DEVICES.iter().find(|(name, _)| *name == self.name()) {
            scopes.to_vec()
        } else if path.starts_with("/v2/b2c/cors/") {
            vec![Scope::B2cBrowser]
        } else if of_all.iter().any(|start| path.starts_with(start)) {
            vec![Scope::B2c, Scope::B2cBrowser, Scope::Counter, Scope::B2b]
        } else if of_storefronts.iter().any(|start| path.starts_with(start)) {
            vec![Scope::B2c, Scope::B2cBrowser]
        } else if of_tills.iter().any(|start| path.starts_with(start)) {
            vec![Scope::B2b, Scope::Counter]
        } else if of_doors.iter().any(|start| path.starts_with(start)) {
            vec![Scope::B2b, Scope::Counter, Scope::Door]
        } else if path.starts_with("/v2/b2c/") {
            vec![Scope::B2c]
        } else if of_counters.iter().any(|start| path.starts_with(start)) {
            vec![Scope::B2b, Scope::Counter]
        } else if ["/v2/b2b/", "/v1/b2b/", "/v2/memberships/b2b/"].iter().any(|start| path.starts_with(start))
        {
            vec![Scope::B2b]
        } else if path.starts_with("/v1/payment/onboard") {
            vec![Scope::Onboard]
        } else {
            assert!(path.starts_with("/v1/payment/"), "{path} belongs to no group of routes");
            vec![Scope::Payment]
        }
    }

    pub(crate) fn needs_tenant_header(&self) -> bool {
        self.described["security"].as_array().unwrap().iter().any(|way| way.get("tenant").is_some())
    }

    pub(crate) fn is_read(&self) -> bool {
        self.method == "GET"
    }

    pub(crate) fn parameters(&self, place: &str) -> Vec<String> {
        self.parameters_that(place, |_| true)
    }

    /// Those that have to be sent.
    pub(crate) fn required_parameters(&self, place: &str) -> Vec<String> {
        self.parameters_that(place, |parameter| parameter["required"] == true)
    }

    fn parameters_that(&self, place: &str, is_asked: impl Fn(&Value) -> bool) -> Vec<String> {
        let all = self.described["parameters"].as_array().into_iter().flatten().map(resolved);
        let here = all.filter(|parameter| parameter["in"] == place && is_asked(parameter));
        here.map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect()
    }

    /// The path with every parameter replaced by one text.
    pub(crate) fn path_with(&self, id: &str) -> String {
        let segments = self.path.split('/');
        let filled = segments.map(|segment| if segment.starts_with('{') { id } else { segment });
        filled.collect::<Vec<_>>().join("/")
    }

    /// The schema of the body; none if the operation takes none.
    pub(crate) fn body_schema(&self) -> Option<&Value> {
        self.described.pointer("/requestBody/content/application~1json/schema")
    }

    /// A key that opens the operation, and what else a tenant's storefront sends.
    pub(crate) fn headers(&self, tenant: i64) -> Vec<(String, String)> {
        if self.path.starts_with("/v2/staff/") {
            return vec![
                ("x-b2c-tenant-id".to_owned(), tenant.to_string()),
                ("origin".to_owned(), ORIGIN.to_owned()),
            ];
        }
        if self.is_public() {
            return vec![];
        }
        let scope = *self.scopes().first().unwrap();
        headers_of(&key_of(scope, tenant), scope, tenant)
    }
}

/// The text of the key [`with_keys`] made.
pub(crate) fn key_of(scope: Scope, tenant: i64) -> String {
    format!("law-{}-{tenant}", scope.name())
}

pub(crate) fn headers_of(key: &str, scope: Scope, tenant: i64) -> Vec<(String, String)> {
    let header = match scope {
        Scope::B2c | Scope::B2cBrowser | Scope::B2b | Scope::Door | Scope::Counter => "x-service-api-key",
        Scope::Payment | Scope::Onboard => "x-service-payment-key",
    };
    let mut headers = vec![
        (header.to_owned(), key.to_owned()),
        ("x-b2c-tenant-id".to_owned(), tenant.to_string()),
        ("x-service-browser-ip".to_owned(), "203.0.113.9".to_owned()),
    ];
    if scope == Scope::B2cBrowser {
        headers.push(("origin".to_owned(), ORIGIN.to_owned()));
    }
    headers
}

/// The same headers with one of another value.
pub(crate) fn with(headers: &[(String, String)], name: &str, value: &str) -> Vec<(String, String)> {
    let mut changed = without(headers, name);
    changed.push((name.to_owned(), value.to_owned()));
    changed
}

/// The same headers but for one.
pub(crate) fn without(headers: &[(String, String)], name: &str) -> Vec<(String, String)> {
    headers.iter().filter(|(sent, _)| sent != name).cloned().collect()
}

pub(crate) async fn save_key(service: &Service, text: &str, tenant: i64, scope: Scope, revoked: bool) {
    let key = ApiKey {
        tenant: TenantId::parse(tenant).unwrap(),
        scopes: BTreeSet::from([scope]),
        origins: BTreeSet::from([ORIGIN.to_owned()]),
        mid: (scope == Scope::Payment).then(|| Mid::parse(mid_of(tenant)).unwrap()),
        label: text.to_owned(),
        revoked,
    };
    service.store.save_api_key(&key_hash(text), &key).await.unwrap();
}

/// The merchant of a demo venue.
pub(crate) fn mid_of(tenant: i64) -> &'static str {
    if tenant == 1001 { "60417" } else { "60418" }
}

/// The two demo venues, each with one key for every scope.
pub(crate) async fn with_keys() -> Service {
    keyed(Service::start().await).await
}

/// This service, with the same keys.
pub(crate) async fn keyed(service: Service) -> Service {
    for tenant in [1001, 1002] {
        for scope in Scope::ALL {
            save_key(&service, &key_of(scope, tenant), tenant, scope, false).await;
        }
    }
    service
}

/// Sends a request with a body of any bytes.
pub(crate) async fn send(
    service: &Service,
    method: &str,
    path: &str,
    headers: &[(String, String)],
    body: Option<Vec<u8>>,
) -> Answer {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    if body.is_some() && !headers.iter().any(|(name, _)| name == "content-type") {
        request = request.header("content-type", "application/json");
    }
    let request = request.extension(SourceIp(IpAddr::V4(Ipv4Addr::LOCALHOST)));
    let answer = service.send(request.body(Body::from(body.unwrap_or_default())).unwrap()).await;
    assert_sound(&answer, &format!("{method} {path}"));
    answer
}

/// Sends a request with a JSON body.
pub(crate) async fn send_json(
    service: &Service,
    method: &str,
    path: &str,
    headers: &[(String, String)],
    body: Option<&Value>,
) -> Answer {
    send(service, method, path, headers, body.map(|body| body.to_string().into_bytes())).await
}

/// Sends an operation with that text for every id and an empty object for its body.
pub(crate) async fn send_empty(
    service: &Service,
    operation: &Operation,
    headers: &[(String, String)],
) -> Answer {
    let body = operation.body_schema().map(|_| json!({}));
    let path = operation.path_with(NOTHING);
    send_json(service, &operation.method, &path, headers, body.as_ref()).await
}

/// Every answer names its request, and every refusal has the one body (contract §3).
pub(crate) fn assert_sound(answer: &Answer, place: &str) {
    let shown = String::from_utf8_lossy(&answer.bytes);
    assert!(answer.status < 500, "{place}: {} {shown}", answer.status);
    assert!(!answer.header("x-service-request-id").is_empty(), "{place} has no request id");
    if answer.status < 400 || shown.is_empty() && place.starts_with("HEAD") {
        return;
    }
    assert_eq!(answer.header("content-type"), "application/json", "{place}: {shown}");
    assert_eq!(answer.body["requestId"], answer.header("x-service-request-id"), "{place}: {shown}");
    for name in ["message", "type"] {
        assert!(answer.body[name].as_str().is_some_and(|text| !text.is_empty()), "{place}: {shown}");
    }
    assert!(answer.body["errorCode"].as_u64().is_some(), "{place}: {shown}");
    for detail in answer.body["details"].as_array().into_iter().flatten() {
        assert!(detail["field"].is_string() && detail["message"].is_string(), "{place}: {shown}");
    }
}

/// The fields an answer complains about.
pub(crate) fn complaints(answer: &Answer) -> BTreeSet<&str> {
    let details = answer.body["details"].as_array().into_iter().flatten();
    details.map(|detail| detail["field"].as_str().unwrap()).collect()
}
