//! Who may call what (contract §2), on every operation.

use crate::laws::support::{
    Operation, complaints, headers_of, key_of, operations, save_key, send_empty, with, with_keys, without,
};
use domain::TenantId;
use domain::tenant::Scope;
use serde_json::json;
use store::Consistency;

fn guarded() -> Vec<Operation> {
    operations().into_iter().filter(|operation| !operation.is_public()).collect()
}

const OPERATOR: &str = "x-service-operator";
const KEYS: [&str; 2] = ["x-service-api-key", "x-service-payment-key"];

fn is_refused(status: u16) -> bool {
    status == 401 || status == 403
}

#[tokio::test(flavor = "multi_thread")]
async fn no_operation_answers_without_a_valid_key() {
    let service = with_keys().await;
    for operation in guarded() {
        let scope = *operation.scopes().first().unwrap();
        let valid = operation.headers(1001);
        save_key(&service, "law-revoked", 1001, scope, true).await;
        let keyless = KEYS.iter().fold(valid.clone(), |headers, name| without(&headers, name));
        let long = "k".repeat(5_000);
        for (what, headers) in [
            ("no key", keyless),
            ("an unknown key", headers_of("law-unknown", scope, 1001)),
            ("an empty key", headers_of("", scope, 1001)),
            ("a key longer than any", headers_of(&long, scope, 1001)),
            ("a revoked key", headers_of("law-revoked", scope, 1001)),
        ] {
            let answer = send_empty(&service, &operation, &headers).await;
            assert_eq!(answer.kind(), (401, "UNAUTHORIZED"), "{} with {what}", operation.name());
            let told = format!("A valid API key is required in the header {}", valid[0].0);
            assert_eq!(answer.body["message"], told, "{} with {what}", operation.name());
        }
        let answer = send_empty(&service, &operation, &valid).await;
        assert!(!is_refused(answer.status), "{} with its key: {}", operation.name(), answer.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_scope_opens_its_own_operations_and_no_other() {
    let service = with_keys().await;
    for operation in guarded() {
        for scope in Scope::ALL {
            let mut headers = operation.headers(1001);
            let name = headers.first().unwrap().0.clone();
            headers = with(&headers, &name, &key_of(scope, 1001));
            headers = with(&headers, "origin", crate::laws::support::ORIGIN);
            let answer = send_empty(&service, &operation, &headers).await;
            let place = format!("{} with a key for {}", operation.name(), scope.name());
            if operation.scopes().contains(&scope) {
                assert!(!is_refused(answer.status), "{place}: {}", answer.body);
            } else {
                assert_eq!(answer.kind(), (403, "FORBIDDEN"), "{place}");
                let told = answer.body["message"].as_str().unwrap();
                let needed = told.strip_prefix("This route needs an API key with the scope ").unwrap();
                let needed: Vec<Option<Scope>> = needed.split(" or ").map(Scope::parse).collect();
                assert_eq!(needed, operation.scopes().into_iter().map(Some).collect::<Vec<_>>(), "{place}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tenant_header_must_be_the_keys_tenant_and_be_there_where_it_is_asked_for() {
    let service = with_keys().await;
    for operation in guarded() {
        let valid = operation.headers(1001);
        for other in ["1002", "9999", "abc", "01001"] {
            let answer = send_empty(&service, &operation, &with(&valid, "x-b2c-tenant-id", other)).await;
            assert_eq!(answer.kind(), (403, "FORBIDDEN"), "{} for tenant {other}", operation.name());
            let is_told = complaints(&answer).contains("x-b2c-tenant-id");
            assert_eq!(is_told, other == "abc", "{} for tenant {other}", operation.name());
        }
        let answer = send_empty(&service, &operation, &without(&valid, "x-b2c-tenant-id")).await;
        let named = complaints(&answer).contains("x-b2c-tenant-id");
        assert_eq!(named, operation.needs_tenant_header(), "{}: {}", operation.name(), answer.body);
        if named {
            assert_eq!(answer.kind(), (400, "VALIDATION_ERROR"), "{}", operation.name());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pages_key_works_from_its_origins_only() {
    let service = with_keys().await;
    let of_pages = guarded().into_iter().filter(|operation| operation.scopes().contains(&Scope::B2cBrowser));
    for operation in of_pages {
        let valid = headers_of(&key_of(Scope::B2cBrowser, 1001), Scope::B2cBrowser, 1001);
        for foreign in
            ["https://elsewhere.example", "null", "http://localhost:3001", "http://localhost:3000/"]
        {
            let answer = send_empty(&service, &operation, &with(&valid, "origin", foreign)).await;
            assert_eq!(answer.kind(), (403, "FORBIDDEN"), "{} from {foreign}", operation.name());
        }
        let answer = send_empty(&service, &operation, &without(&valid, "origin")).await;
        let place = format!("{} without an origin: {}", operation.name(), answer.body);
        assert_eq!(answer.status == 403, !operation.is_read(), "{place}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_servers_browser_address_must_be_an_address_and_be_there_where_it_is_asked_for() {
    let service = with_keys().await;
    for operation in guarded() {
        let valid = operation.headers(1001);
        let of_page = operation.scopes() == [Scope::B2cBrowser];
        let asked = operation.parameters("header").iter().any(|name| name == "x-service-browser-ip");
        for (ip, refused) in [(Some("nowhere"), !of_page), (Some("2001:db8::7"), false), (None, asked)] {
            let mut headers = without(&valid, "x-service-browser-ip");
            if let Some(ip) = ip {
                headers = with(&headers, "x-service-browser-ip", ip);
            }
            let answer = send_empty(&service, &operation, &headers).await;
            let named = complaints(&answer).contains("x-service-browser-ip");
            assert_eq!(named, refused, "{} for {ip:?}: {}", operation.name(), answer.body);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_is_one_short_line_on_every_operation() {
    let service = with_keys().await;
    let longer = "a".repeat(61);
    for operation in guarded() {
        let valid = operation.headers(1001);
        for (sent, refused) in [
            ("Dana", false),
            ("Okafor, Zo\u{eb}", false),
            ("", true),
            (longer.as_str(), true),
            ("\u{202e}anaD", true),
            ("\u{200b}", true),
        ] {
            let answer = send_empty(&service, &operation, &with(&valid, OPERATOR, sent)).await;
            let named = complaints(&answer).contains(OPERATOR);
            assert_eq!(named, refused, "{} by {sent:?}: {}", operation.name(), answer.body);
            if refused {
                assert_eq!(answer.kind(), (400, "VALIDATION_ERROR"), "{}", operation.name());
            }
        }
        let mut twice = with(&valid, OPERATOR, "Dana");
        twice.push((OPERATOR.to_owned(), "Kim".to_owned()));
        let answer = send_empty(&service, &operation, &twice).await;
        let told = json!([{"field": OPERATOR, "message": "was sent more than once, with different values"}]);
        assert_eq!((answer.status, &answer.body["details"]), (400, &told), "{}", operation.name());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_tenant_takes_no_chosen_clock_and_no_demo_key() {
    let service = with_keys().await;
    let sandbox = service
        .store
        .load_tenant(TenantId::parse(1001).unwrap(), Consistency::Strong)
        .await
        .unwrap()
        .unwrap();
    let live = domain::tenant::Tenant { id: TenantId::parse(1003).unwrap(), sandbox: false, ..sandbox };
    service.store.save_tenant(&live).await.unwrap();
    for scope in Scope::ALL {
        save_key(&service, &key_of(scope, 1003), 1003, scope, false).await;
        save_key(&service, &format!("demo-{}-1003", scope.name()), 1003, scope, false).await;
    }
    for operation in guarded() {
        let scope = *operation.scopes().first().unwrap();
        let demo = headers_of(&format!("demo-{}-1003", scope.name()), scope, 1003);
        let answer = send_empty(&service, &operation, &demo).await;
        assert_eq!(answer.kind(), (401, "UNAUTHORIZED"), "{} with a demo key", operation.name());
        for (tenant, now, refused) in [
            (1003, "2030-05-01T10:00:00Z", true),
            (1001, "2030-05-01T10:00:00Z", false),
            (1001, "2030-05-01 soon", true),
        ] {
            let headers = with(&operation.headers(tenant), "x-service-test-now", now);
            let answer = send_empty(&service, &operation, &headers).await;
            let named = complaints(&answer).contains("x-service-test-now");
            let place = format!("{} of tenant {tenant} at {now}: {}", operation.name(), answer.body);
            assert_eq!(named, refused, "{place}");
            if refused {
                assert_eq!(answer.kind(), (400, "VALIDATION_ERROR"), "{place}");
            }
        }
    }
}
