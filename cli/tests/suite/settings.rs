//! What admins change of their venue and its keys, and what only the operator of the installation does.

use crate::demo::{STAFF, ask, ok};
use boxoffice::testing::Service;
use domain::TenantId;
use domain::settings::SettingsChange;
use domain::tenant::Tenant;
use engine::FaultPlan;
use serde_json::{Value, json};
use store::Consistency;
use store::settings::ChangeAttempt;

const SETTINGS: &str = "/v2/b2b/settings";
const KEYS: &str = "/v2/b2b/keys";
const HISTORY: &str = "/v2/b2b/settings/history";
const COUNTRIES: &str = "/v2/b2b/locations/avs/countries";

async fn read(service: &Service, path: &str) -> Value {
    ok(service, "GET", path, &STAFF, Value::Null).await
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_changed_and_what_is_left_out_stays() {
    let service = Service::start().await;
    let before = read(&service, SETTINGS).await;
    assert_eq!(
        before,
        json!({
            "id": 1001, "name": "Harbor Museum", "colours": [], "logo": null, "languages": [], "holdSeconds": 600,
            "challengeSeconds": 600, "terms": null, "privacy": null,
            "allowedOrigins": ["http://127.0.0.1:3000", "http://localhost:3000"], "descriptorPrefix": "HM", "receiptNumbers": false, "limits": [],
            "timeZone": "America/New_York", "currency": "USD", "sandbox": true, "processor": "sandbox", "mailFrom": null,
            "consumerSite": "https://harbor-museum.example/members",
            "staffSite": "https://harbor-museum.example/staff", "memberClaims": {"servers": "any", "pages": "proof"},
            "rawCards": true,
            "admitUnpaid": true, "cardReentry": "always",
        })
    );
    // What was read can be sent as it is, and changes nothing.
    assert_eq!(ok(&service, "PUT", SETTINGS, &STAFF, before.clone()).await, before);
    assert_eq!(read(&service, HISTORY).await["list"], json!([]));
    let wanted = json!({
        "name": "Harbor Maritime Museum", "holdSeconds": 300, "challengeSeconds": 900, "languages": ["en", "pt-BR"],
        "colours": [{"name": "primary", "value": "#12344d"}], "logo": "https://harbor-museum.example/logo.svg",
        "allowedOrigins": ["http://localhost:3000", "https://tickets.harbor-museum.example"],
        "limits": [{"limit": "carts-per-address", "count": 5, "seconds": 60}], "receiptNumbers": true,
    });
    let after = ok(&service, "PUT", SETTINGS, &STAFF, wanted.clone()).await;
    for (field, value) in wanted.as_object().unwrap() {
        assert_eq!(after[field], *value, "{field}");
    }
    assert_eq!(
        (&after["descriptorPrefix"], &after["timeZone"]),
        (&before["descriptorPrefix"], &before["timeZone"])
    );
    assert_eq!(read(&service, SETTINGS).await, after);
    // Another process allows what is allowed now, and no more.
    let other = service.another_process(FaultPlan::new());
    for (origin, allowed) in
        [("https://tickets.harbor-museum.example", true), ("http://127.0.0.1:3000", false)]
    {
        let answer = other.request("GET", COUNTRIES, &[STAFF[0], ("origin", origin)], None).await;
        assert_eq!(answer.header("access-control-allow-origin") == origin, allowed, "{origin}");
    }
    let without =
        json!({"name": "Harbor Maritime Museum", "logo": null, "limits": [], "descriptorPrefix": ""});
    let without = ok(&service, "PUT", SETTINGS, &STAFF, without).await;
    assert_eq!(
        (&without["logo"], &without["limits"], &without["descriptorPrefix"], &without["holdSeconds"]),
        (&json!(null), &json!([]), &json!(""), &json!(300))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_the_operator_changes_is_shown_and_refused_by_name() {
    let service = Service::start().await;
    let before = read(&service, SETTINGS).await;
    for (field, value) in [
        ("timeZone", json!("Europe/Paris")),
        ("currency", json!("EUR")),
        ("sandbox", json!(false)),
        ("processor", json!("stripe")),
        ("mailFrom", json!("tickets@example.org")),
        ("consumerSite", json!("https://elsewhere.example")),
        ("staffSite", json!("https://elsewhere.example")),
        ("memberClaims", json!({"servers": "none"})),
        ("rawCards", json!(false)),
        ("admitUnpaid", json!(false)),
        ("cardReentry", json!("never")),
        ("timeZone", Value::Null),
        ("sandbox", Value::Null),
        ("staffSite", Value::Null),
        ("memberClaims", Value::Null),
    ] {
        let mut body = json!({"name": "Changed"});
        body[field] = value;
        let refused = ask(&service, "PUT", SETTINGS, &STAFF, body).await;
        let message = "can only be changed by the operator of the installation";
        let told = json!([{"field": format!("/{field}"), "message": message}]);
        assert_eq!((refused.kind(), &refused.body["details"]), ((403, "SETTING_RESERVED"), &told), "{field}");
        assert_eq!(read(&service, SETTINGS).await, before, "{field}");
    }
    let faulty = json!({
        "colours": [{"name": "primary", "value": "blue"}], "logo": "javascript:alert(1)", "languages": ["en_US"],
        "holdSeconds": 5, "allowedOrigins": ["tickets.example.org"], "limits": [{"limit": "all", "count": -1}],
        "challengeSeconds": 59,
    });
    let refused = ask(&service, "PUT", SETTINGS, &STAFF, faulty).await;
    let details = refused.body["details"].as_array().unwrap().iter();
    let mut fields: Vec<&str> = details.map(|detail| detail["field"].as_str().unwrap()).collect();
    fields.sort_unstable();
    let expected = [
        "/allowedOrigins/0",
        "/challengeSeconds",
        "/colours/0/value",
        "/holdSeconds",
        "/languages/0",
        "/limits/0/count",
        "/limits/0/limit",
        "/limits/0/seconds",
        "/logo",
        "/name",
    ];
    assert_eq!((refused.status, fields), (400, expected.to_vec()));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_changes_of_what_was_read_one_is_made_and_both_can_be() {
    let service = Service::start().await;
    let tag = service.request("GET", SETTINGS, &STAFF, None).await.header("etag").to_owned();
    let body = |name: &str| json!({"name": name});
    let bound = [STAFF[0], ("if-match", tag.as_str())];
    assert_eq!(ask(&service, "PUT", SETTINGS, &bound, body("One")).await.status, 200);
    let stale = ask(&service, "PUT", SETTINGS, &bound, body("Two")).await;
    assert_eq!(stale.kind(), (412, "PRECONDITION_FAILED"));
    let other = service.another_process(FaultPlan::new());
    let wanted = [json!({"name": "One", "holdSeconds": 120}), json!({"name": "One", "languages": ["es"]})];
    let [one, two] = &wanted;
    let (one, two) = tokio::join!(
        ask(&service, "PUT", SETTINGS, &STAFF, one.clone()),
        ask(&other, "PUT", SETTINGS, &STAFF, two.clone())
    );
    assert_eq!((one.status, two.status), (200, 200));
    let after = read(&service, SETTINGS).await;
    assert_eq!(
        (&after["holdSeconds"], &after["languages"]),
        (&json!(120), &json!(["es"])),
        "neither is lost"
    );
    let tenant = TenantId::parse(1001).unwrap();
    let stored = service.store.load_tenant(tenant, Consistency::Strong).await.unwrap().unwrap();
    assert_eq!(stored.settings_version, 3);
    // What the operator of the installation does meanwhile is no less a change.
    let closed = Tenant { closed_at: Some(adapters::clock::wall_now()), ..stored.clone() };
    service.store.save_tenant(&closed).await.unwrap();
    let change = SettingsChange {
        at: adapters::clock::wall_now(),
        by: "key".to_owned(),
        operator: None,
        fields: vec![],
    };
    let attempt = ChangeAttempt { change: &change, token: "of-an-admin" };
    assert!(
        !service.store.change_settings(&stored, &stored, attempt).await.unwrap(),
        "the venue stays closed"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_shown_once_and_opens_its_scope_until_it_is_revoked() {
    let service = Service::start().await;
    let wanted = json!({"label": "Till 2", "scopes": ["counter"]});
    let repeat = [STAFF[0], ("idempotency-key", "till")];
    let issued = ask(&service, "POST", KEYS, &repeat, wanted.clone()).await;
    let text = issued.body["key"].as_str().unwrap().to_owned();
    assert_eq!((issued.status, text.len()), (200, "bxo_".len() + 48));
    let again = ask(&service, "POST", KEYS, &repeat, wanted.clone()).await;
    assert_eq!((again.replayed, &again.body), (true, &issued.body), "a lost answer is not a lost key");
    let other = ask(&service, "POST", KEYS, &STAFF, wanted).await;
    assert_ne!(other.body["key"], issued.body["key"]);
    let listed = read(&service, KEYS).await;
    assert!(!listed.to_string().contains(&text) && !listed.to_string().contains("\"key\""));
    let id = issued.body["id"].as_str().unwrap();
    let is_listed = |key: &Value| key["id"] == id && key["label"] == "Till 2" && key["revoked"] == false;
    assert!(listed["list"].as_array().unwrap().iter().any(is_listed), "{listed}");
    let opened = async || {
        let fresh = service.another_process(FaultPlan::new());
        fresh.request("GET", COUNTRIES, &[("x-service-api-key", text.as_str())], None).await.status
    };
    assert_eq!(opened().await, 200);
    let path = format!("{KEYS}/{id}");
    assert_eq!(ok(&service, "DELETE", &path, &STAFF, Value::Null).await["revoked"], true);
    assert_eq!(opened().await, 401);
    assert_eq!(ok(&service, "DELETE", &path, &STAFF, Value::Null).await["revoked"], true, "as it is already");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_issues_or_revokes_a_key_that_may_do_more() {
    let service = Service::start().await;
    for (scopes, told) in [
        (json!(["payment"]), vec!["/scopes/0"]),
        (json!(["b2b", "onboard", "payment"]), vec!["/scopes/1", "/scopes/2"]),
    ] {
        let refused = ask(&service, "POST", KEYS, &STAFF, json!({"label": "More", "scopes": scopes})).await;
        let details = refused.body["details"].as_array().unwrap().iter();
        let fields: Vec<&str> = details.map(|detail| detail["field"].as_str().unwrap()).collect();
        assert_eq!((refused.kind(), fields), ((403, "FORBIDDEN"), told));
        let message =
            "Keys of merchants and partners are issued and revoked by the operator of the installation";
        assert_eq!(refused.body["message"], message);
    }
    for (body, field) in [
        (json!({"scopes": ["door"]}), "/label"),
        (json!({"label": "staff:0101", "scopes": ["door"]}), "/label"),
        (json!({"label": "Key"}), "/scopes"),
        (json!({"label": "Key", "scopes": []}), "/scopes"),
        (json!({"label": "Key", "scopes": ["everything"]}), "/scopes/0"),
        (json!({"label": "Key", "scopes": ["b2c-browser"]}), "/origins"),
        (json!({"label": "Key", "scopes": ["b2c"], "origins": ["https://example.org"]}), "/origins"),
        (
            json!({"label": "Key", "scopes": ["b2c", "b2c-browser"], "origins": ["https://example.org"]}),
            "/scopes",
        ),
    ] {
        let refused = ask(&service, "POST", KEYS, &STAFF, body.clone()).await;
        assert_eq!((refused.status, &refused.body["details"][0]["field"]), (400, &json!(field)), "{body}");
    }
    let page = json!({"label": "Page", "scopes": ["b2c-browser"], "origins": ["https://example.org"]});
    assert_eq!(ok(&service, "POST", KEYS, &STAFF, page).await["origins"], json!(["https://example.org"]));
    let listed = read(&service, &format!("{KEYS}?pageSize=-1")).await;
    let of_merchant = listed["list"].as_array().unwrap().iter().find(|key| key["mid"] == "60417").unwrap();
    let path = format!("{KEYS}/{}", of_merchant["id"].as_str().unwrap());
    assert_eq!(ask(&service, "DELETE", &path, &STAFF, Value::Null).await.kind(), (403, "FORBIDDEN"));
    for id in ["ffffffffffffffffffffffff", "f", "", "not an id"] {
        let path = format!("{KEYS}/{}", id.replace(' ', "%20"));
        let missing = ask(&service, "DELETE", &path, &STAFF, Value::Null).await;
        assert!(matches!(missing.status, 404 | 405), "{id}: {}", missing.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_change_names_who_made_it() {
    let service = Service::start().await;
    let by_dana = [STAFF[0], ("x-service-operator", "Dana")];
    ok(&service, "PUT", SETTINGS, &by_dana, json!({"name": "Harbor Museum", "holdSeconds": 300})).await;
    let issued = ok(&service, "POST", KEYS, &STAFF, json!({"label": "Gate", "scopes": ["door"]})).await;
    let id = issued["id"].as_str().unwrap();
    ok(&service, "DELETE", &format!("{KEYS}/{id}"), &by_dana, Value::Null).await;
    let listed = read(&service, HISTORY).await;
    let changes = listed["list"].as_array().unwrap();
    assert_eq!(changes.len(), 3);
    let key = format!("{id} Gate (door)");
    for (by, change) in [
        ("Dana", json!({"field": "holdSeconds", "before": "600", "after": "300"})),
        ("Back office", json!({"field": "keys", "before": null, "after": key})),
        ("Dana", json!({"field": "keys", "before": key, "after": null})),
    ] {
        let found = changes.iter().find(|entry| entry["changes"] == json!([change]));
        assert_eq!(found.map(|entry| &entry["createdBy"]), Some(&json!(by)), "{change} in {listed}");
    }
    assert!(!listed.to_string().contains(issued["key"].as_str().unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_and_keys_cost_as_many_round_trips_as_their_table_says() {
    let service = Service::start().await;
    read(&service, SETTINGS).await;
    let issued = ask(&service, "POST", KEYS, &STAFF, json!({"label": "Gate", "scopes": ["door"]})).await;
    let path = format!("{KEYS}/{}", issued.body["id"].as_str().unwrap());
    assert_eq!(issued.calls.rounds, 1);
    let changed = ask(&service, "PUT", SETTINGS, &STAFF, json!({"name": "Harbor", "holdSeconds": 90})).await;
    let revoked = ask(&service, "DELETE", &path, &STAFF, Value::Null).await;
    assert_eq!((changed.calls.rounds, revoked.calls.rounds), (2, 3));
    for (path, rounds) in [(SETTINGS, 1), (HISTORY, 1), (KEYS, 2)] {
        assert_eq!(ask(&service, "GET", path, &STAFF, Value::Null).await.calls.rounds, rounds, "{path}");
    }
}
