//! Importing a venue's document into the real store.
#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use adapters::App;
use boxoffice::import::{ImportError, ImportReport, import_days};
use domain::ledger::Hold;
use domain::ledger::LedgerChange;
use domain::tenant::Scope;
use domain::time::plus_secs;
use domain::{InstanceId, ReservationId, TemplateId, TenantId, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::Consistency;
use testkit::Tables;

const HARBOR: &str = include_str!("../../../demo/harbor-museum.json");
const ZOO: &str = include_str!("../../../demo/bay-zoo.json");
const ENTRY: &str = "1001ee000000000000000001";

fn now() -> Timestamp {
    "2027-03-01T15:00:00Z".parse().unwrap()
}

fn tenant(id: i64) -> TenantId {
    TenantId::parse(id).unwrap()
}

async fn service() -> App {
    let tables = Tables::open().await;
    App::new(tables.store.clone(), tables.adapters())
}

async fn import(app: &App, text: &str) -> ImportReport {
    import_days(app, text, now(), 14).await.unwrap()
}

fn changed(text: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut document: Value = serde_json::from_str(text).unwrap();
    change(&mut document);
    document.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demo_venue_is_imported_whole() {
    let app = service().await;
    insta::assert_snapshot!(import(&app, HARBOR).await, @r"
    tenant 1001
      apiKeys: 7 created, 0 updated, 0 unchanged
      combos: 1 created, 0 updated, 0 unchanged
      coupons: 2 created, 0 updated, 0 unchanged
      customers: 1 created, 0 updated, 0 unchanged
      discounts: 1 created, 0 updated, 0 unchanged
      eventTemplates: 3 created, 0 updated, 0 unchanged
      forms: 1 created, 0 updated, 0 unchanged
      inventory: 3 created, 0 updated, 0 unchanged
      membershipLevels: 2 created, 0 updated, 0 unchanged
      memberships: 1 created, 0 updated, 0 unchanged
      merchants: 1 created, 0 updated, 0 unchanged
      personTypes: 3 created, 0 updated, 0 unchanged
      tenant: 1 created, 0 updated, 0 unchanged
      event instances: 161 created
    ");
    let tenant = app.store.load_tenant(tenant(1001), Consistency::Strong).await.unwrap().unwrap();
    assert!(tenant.sandbox);
    app.hash_key(&tenant).await.unwrap();
    let key = app.store.load_api_key("demo-browser-1001").await.unwrap().unwrap();
    assert!(key.scopes.contains(&Scope::B2cBrowser) && key.origins.contains("http://localhost:3000"));
    let merchants = app.store.load_merchants(tenant.id, Consistency::Strong).await.unwrap();
    assert_eq!(merchants.len(), 1);
    assert!(merchants[0].charging().is_some());
    let definitions = app.store.load_definitions(tenant.id, Consistency::Strong).await.unwrap();
    assert_eq!((definitions.coupons.len(), definitions.levels.len(), definitions.discounts.len()), (2, 2, 1));
    assert_eq!(definitions.combos.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_other_demo_venue_has_no_faults_and_shares_nothing() {
    let app = service().await;
    import(&app, HARBOR).await;
    let report = import(&app, ZOO).await;
    assert_eq!(report.faults, vec![]);
    assert!(import(&app, HARBOR).await.is_unchanged());
}

#[tokio::test(flavor = "multi_thread")]
async fn importing_again_changes_nothing_even_later_and_seats_that_are_held_stay_held() {
    let app = service().await;
    import(&app, HARBOR).await;
    let (tenant, template) = (tenant(1001), TemplateId::parse(ENTRY).unwrap());
    let (from, until) = (now(), plus_secs(now(), 14 * 86_400));
    let slot = app.store.load_ledgers(tenant, &template, from, until, 1).await.unwrap().remove(0).instance;
    hold(&app, &slot).await;
    let before = app.store.load_ledgers(tenant, &template, from, until, 9_999).await.unwrap();

    let report = import_days(&app, HARBOR, plus_secs(now(), 60), 14).await.unwrap();

    assert!(report.is_unchanged(), "{report}");
    assert_eq!(app.store.load_ledgers(tenant, &template, from, until, 9_999).await.unwrap(), before);
    assert_eq!(before[0].free, before[0].size - 3);
}

async fn hold(app: &App, slot: &InstanceId) {
    let hold = Hold { quantity: 3, expires_at: plus_secs(now(), 600) };
    let id = ReservationId::parse(7).unwrap();
    let change = LedgerChange {
        expect: BTreeMap::from([(id, None)]),
        set: BTreeMap::from([(id, Some(hold))]),
        free: -3,
        sold: 0,
        reclaimed: 0,
        takes_seats: true,
    };
    app.store.change_ledger(tenant(1001), slot, &change, now()).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn more_days_add_the_slots_that_are_missing() {
    let app = service().await;
    let first = import(&app, HARBOR).await.slots;
    let more = import_days(&app, HARBOR, now(), 28).await.unwrap().slots;
    // The first time one slot was running already.
    assert_eq!((first, more), (161, 160));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_of_every_record_is_reported_and_the_others_are_stored() {
    let app = service().await;
    let text = changed(HARBOR, |document| {
        document["personTypes"][1]["name"] = json!("");
        document["personTypes"][1]["displayOrder"] = json!("second");
        document["inventory"][0]["price"] = json!("5.001");
        document["coupons"][0]["discountType"] = json!("halfOff");
        document["coupons"][0]["effectiveStart"] = json!("soon");
        document["membershipLevels"][0]["offerings"][0]["duration"] = json!(0);
        document["members"] = json!([7]);
        document["merchants"][0]["rateCard"]["percentageRate"] = json!("129");
        document["apiKeys"][0]["key"] = json!("live-key");
        document["eventTemplates"][0] = json!({
            "id": "a b", "type": "secret", "capacity": 0, "duration": {"hour": 0, "minutes": 0},
            "schedules": [{"id": "s", "weekdays": ["Someday"], "hours": [{"hour": 24}, {"minutes": 5}]}],
            "priceLists": [{"id": "p", "prices": [{"personType": {"id": "nobody"}, "price": -1}, {"price": 1}]}],
        });
    });
    let report = import(&app, &text).await;
    insta::assert_snapshot!(report, @r#"
    tenant 1001
      apiKeys: 6 created, 0 updated, 0 unchanged
      coupons: 1 created, 0 updated, 0 unchanged
      forms: 1 created, 0 updated, 0 unchanged
      inventory: 2 created, 0 updated, 0 unchanged
      membershipLevels: 1 created, 0 updated, 0 unchanged
      personTypes: 2 created, 0 updated, 0 unchanged
      tenant: 1 created, 0 updated, 0 unchanged
      event instances: 0 created
      left out: /apiKeys/0 (Storefront server), line 1
        /apiKeys/0/key must start with demo-; other keys are issued, not written
      left out: /merchants/0 (60417), line 1
        /merchants/0/rateCard/percentageRate must be a percentage between 0 and 100 with at most two decimals
      left out: /personTypes/1 (1001aa000000000000000002), line 1
        /personTypes/1/name must not be blank
        /personTypes/1/displayOrder must be an integer
      left out: /inventory/0 (1001001), line 1
        /inventory/0/price must have at most two decimals
      left out: /discounts/0 (1001dd000000000000000001), line 1
        /discounts/0/values/1/personTypeId was not found
      left out: /membershipLevels/0 (1001bb000000000000000001), line 1
        /membershipLevels/0/offerings/0/duration must be between 1 and 1200
      left out: /eventTemplates/0 (a b), line 1
        /eventTemplates/0/id must have 1 to 64 letters, digits, "-" or "_"
        /eventTemplates/0/priceLists/0/prices/0/price must be between 0.00 and 10000000.00
        /eventTemplates/0/priceLists/0/prices/1/personType is required
        /eventTemplates/0/schedules/0/weekdays/0 must be the English name of a weekday
        /eventTemplates/0/schedules/0/hours/0/hour must be between 0 and 23
        /eventTemplates/0/schedules/0/hours/1/hour is required
        /eventTemplates/0/type must be one of standard, private
        /eventTemplates/0/description is required
        /eventTemplates/0/name is required
        /eventTemplates/0/duration/minutes must make the duration at least one minute
        /eventTemplates/0/capacity must be between 1 and 1000000
        /eventTemplates/0/priceLists/0/prices/0/personType/id was not found
      left out: /eventTemplates/1 (1001ee000000000000000002), line 1
        /eventTemplates/1/priceLists/0/prices/1/personType/id was not found
      left out: /eventTemplates/2 (1001ee000000000000000003), line 1
        /eventTemplates/2/priceLists/0/prices/1/personType/id was not found
      left out: /members/0, line 1
        /members/0 must be an object
      left out: /coupons/0 (1001c0000000000000000001), line 1
        /coupons/0/discountType must be one of amount, percent, fixedPrice
        /coupons/0/effectiveStart must be a date, such as 2027-07-04
      left out: /combos/0 (1001c1000000000000000001), line 1
        /combos/0/parts/0/eventTemplateId was not found
        /combos/0/parts/1/eventTemplateId was not found
        /combos/0/prices/1/personTypeId was not found
    "#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_published_template_does_not_return_to_draft() {
    let app = service().await;
    import(&app, HARBOR).await;
    let text = changed(HARBOR, |document| document["eventTemplates"][0]["reviewState"] = json!("Draft"));
    let report = import(&app, &text).await;
    assert_eq!(report.faults.len(), 1, "{report}");
    assert_eq!(report.faults[0].id.as_deref(), Some(ENTRY));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_pages_has_no_other_scope() {
    let app = service().await;
    let text = changed(HARBOR, |document| {
        let key = json!({
            "key": "demo-both", "label": "Both", "scopes": ["b2c", "b2c-browser"],
            "origins": ["https://tickets.example.org"],
        });
        document["apiKeys"] = json!([key]);
    });
    let faults = import(&app, &text).await.faults;
    assert_eq!(faults.len(), 1);
    let error = &faults[0].errors[0];
    assert_eq!(
        (error.field.as_str(), error.message.as_str()),
        ("/apiKeys/0/scopes", "must be b2c-browser alone for a browser key")
    );
    assert!(app.store.load_api_key("demo-both").await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_is_not_brought_back_by_importing_it_again() {
    let app = service().await;
    import(&app, HARBOR).await;
    let key = app.store.load_api_key("demo-b2c-1001").await.unwrap().unwrap();
    let hash = store::identity::key_hash("demo-b2c-1001");
    let revoked = domain::tenant::ApiKey { revoked: true, ..key };
    app.store.save_api_key(&hash, &revoked).await.unwrap();

    let faults = import(&app, HARBOR).await.faults;

    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].errors[0].message, "was revoked");
    assert!(app.store.load_api_key("demo-b2c-1001").await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_turns_no_live_tenant_into_a_sandbox_nor_back_and_changes_no_currency() {
    let app = service().await;
    let live = changed(HARBOR, |document| document["tenant"]["sandbox"] = json!(false));
    let attempt = async |text: &str| import_days(&app, text, now(), 14).await.map(|_| ());
    attempt(&live).await.unwrap();
    attempt(ZOO).await.unwrap();
    let other_zoo = changed(ZOO, |document| document["tenant"]["sandbox"] = json!(false));
    let euros = changed(ZOO, |document| document["tenant"]["currency"] = json!("EUR"));
    for (text, id, expected) in [
        (HARBOR, 1001, "cannot turn a live tenant into a sandbox"),
        (&euros, 1002, "tenant 1002 sells in USD"),
        (&other_zoo, 1002, "cannot turn a sandbox into a live tenant"),
    ] {
        let before = app.store.load_tenant(tenant(id), Consistency::Strong).await.unwrap();
        let refused = attempt(text).await.unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
        assert_eq!(app.store.load_tenant(tenant(id), Consistency::Strong).await.unwrap(), before);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_is_created_once_and_keeps_its_hash_key() {
    let app = service().await;
    import(&app, HARBOR).await;
    let before = app.store.load_tenant(tenant(1001), Consistency::Strong).await.unwrap().unwrap();
    let again = domain::tenant::Tenant {
        sealed_hash_key: "00".to_owned(),
        closed_at: None,
        allowed_origins: ["https://elsewhere.example.org".to_owned()].into(),
        ..before.clone()
    };
    assert!(!app.store.create_tenant(&again).await.unwrap());
    let after = app.store.load_tenant(tenant(1001), Consistency::Strong).await.unwrap().unwrap();
    assert_eq!(after, before);
    assert!(!app.store.is_origin_known("https://elsewhere.example.org").await.unwrap());
    assert_eq!(app.store.load_all_tenants().await.unwrap(), vec![before]);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_the_documents_choice_are_for_sandbox_tenants_and_never_change_hands() {
    let app = service().await;
    import(&app, HARBOR).await;
    let live = changed(ZOO, |document| {
        document["tenant"]["id"] = json!(1003);
        document["tenant"]["sandbox"] = json!(false);
    });
    assert_eq!(import(&app, &live).await.faults.len(), 7);
    assert!(app.store.load_api_key("demo-b2c-1002").await.unwrap().is_none());
    let thief = changed(ZOO, |document| document["apiKeys"][0]["key"] = json!("demo-b2c-1001"));
    assert_eq!(import(&app, &thief).await.faults.len(), 1);
    let key = app.store.load_api_key("demo-b2c-1001").await.unwrap().unwrap();
    assert_eq!(key.tenant, tenant(1001));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_without_a_usable_tenant_writes_nothing() {
    let app = service().await;
    let attempt = async |text: &str| import_days(&app, text, now(), 14).await.unwrap_err();
    assert!(matches!(attempt("[]").await, ImportError::Malformed(_)));
    let twice = r#"{"tenant": {"id": 1001}, "personTypes": [{"id": "a", "name": "A", "name": "B"}]}"#;
    let told = attempt(twice).await.to_string();
    assert_eq!(told, "/personTypes/0/name appears twice in the document; nothing was imported");
    assert!(matches!(attempt("{}").await, ImportError::Tenant { .. }));
    let unknown = json!({"tenant": {"id": 77}, "personTypes": [{"id": "a", "name": "A"}]}).to_string();
    assert!(matches!(attempt(&unknown).await, ImportError::UnknownTenant(_)));
    let definitions = app.store.load_definitions(tenant(77), Consistency::Strong).await.unwrap();
    assert!(definitions.person_types.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn slots_that_keep_a_longer_duration_are_still_looked_for() {
    let app = service().await;
    import(&app, HARBOR).await;
    let shorter = changed(HARBOR, |document| {
        document["eventTemplates"][0]["duration"] = json!({"hour": 0, "minutes": 30});
    });
    import(&app, &shorter).await;
    let definitions = app.store.load_definitions(tenant(1001), Consistency::Strong).await.unwrap();
    let reach = definitions.reaches.values().next().unwrap();
    assert_eq!((reach.template.as_str(), reach.lasting_secs), ("1001ee000000000000000001", 3_600));
}
