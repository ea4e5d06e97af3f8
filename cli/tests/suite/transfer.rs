//! Whole catalogs out and in again.
#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::demo::{ADULT, SHOP, ok};
use adapters::clock::wall_now;
use boxoffice::demo::{self, DemoVenue};
use boxoffice::document::{Document, Format};
use boxoffice::export::export;
use boxoffice::import::{ImportError, ImportReport, Run, import_document};
use boxoffice::testing::Service;
use domain::{TenantId, Timestamp};
use engine::{Fault, FaultPlan, is_crash};
use proptest::prelude::*;
use sagas::reconcile::{ReconciliationRequest, reconcile};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use store::Consistency;

const HARBOR: &str = include_str!("../../../demo/harbor-museum.json");
const ZOO: &str = include_str!("../../../demo/bay-zoo.json");
/// A venue with every field that a document has.
const EVERYTHING: &str = include_str!("everything.json");

fn now() -> Timestamp {
    "2027-03-01T15:00:00Z".parse().unwrap()
}

fn tenant(id: i64) -> TenantId {
    TenantId::parse(id).unwrap()
}

fn run() -> Run {
    Run { days: 14, ..Run::unwatched(now()) }
}

fn venue(templates: u32, seed: u64) -> DemoVenue {
    DemoVenue { tenant: 2001, templates, days: 60, start: "2027-02-20".parse().unwrap(), seed }
}

fn large(templates: u32, seed: u64) -> String {
    let mut text = Vec::new();
    demo::write(&venue(templates, seed), Format::Json, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

async fn import(service: &Service, text: &str, format: Format) -> ImportReport {
    import_document(&service.app, &Document::read(text, format).unwrap(), &run()).await.unwrap()
}

async fn exported(service: &Service, id: i64, format: Format) -> String {
    let tenant = service.store.load_tenant(tenant(id), Consistency::Strong).await.unwrap().unwrap();
    let mut text = Vec::new();
    export(&service.store, &tenant, format, &mut text).await.unwrap();
    String::from_utf8(text).unwrap()
}

/// Slots of all templates.
async fn slots(service: &Service, id: i64) -> usize {
    let templates = service.store.load_templates(tenant(id), Consistency::Strong).await.unwrap();
    let (from, until) = ("1970-01-01T00:00:00Z".parse().unwrap(), "2099-01-01T00:00:00Z".parse().unwrap());
    let mut count = 0;
    for template in templates {
        count +=
            service.store.load_ledgers(tenant(id), &template.id, from, until, 20_000).await.unwrap().len();
    }
    count
}

#[tokio::test(flavor = "multi_thread")]
async fn a_catalog_that_is_exported_imported_and_exported_again_is_the_same_to_the_byte() {
    let generated = large(40, 7);
    for (text, id) in [(HARBOR, 1001), (ZOO, 1002), (EVERYTHING, 1009), (generated.as_str(), 2001)] {
        let first = Service::empty().await;
        assert_eq!(import(&first, text, Format::Json).await.faults, vec![], "{id}");
        let (json, csv) = (exported(&first, id, Format::Json).await, exported(&first, id, Format::Csv).await);
        for (written, format) in [(&json, Format::Json), (&csv, Format::Csv)] {
            let second = Service::empty().await;
            let report = import(&second, written, format).await;
            assert_eq!(report.faults, vec![], "{id} {format:?}: {report}");
            assert_eq!(exported(&second, id, Format::Json).await, json, "{id} {format:?}");
            assert_eq!(exported(&second, id, Format::Csv).await, csv, "{id} {format:?}");
            assert_eq!(slots(&second, id).await, slots(&first, id).await);
            for service in [&first, &second] {
                let again = import(service, written, format).await;
                assert!(again.is_unchanged(), "{id} {format:?}: {again}");
            }
        }
    }
}

/// What does not agree in a database.
async fn findings(service: &Service) -> Vec<String> {
    let wanted =
        ReconciliationRequest { tenant: None, now: wall_now(), chosen_now: None, pause: Duration::ZERO };
    let report = Box::pin(reconcile(&service.store, &wanted)).await.unwrap();
    report.findings.iter().map(|(_, finding)| finding.to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_membership_that_was_sold_elsewhere_lacks_no_order() {
    let sold_here = Service::start().await;
    let join = json!({
        "itemType": "MembershipPurchase", "quantity": 1, "membershipInfo": {
            "membershipCategoryId": "1001bb000000000000000001",
            "membershipOfferingId": "1001bf00000000000000000000000001", "pricePointId": ADULT, "isGift": false,
            "membershipCards": [{"firstName": "Noor", "lastName": "Haddad", "zipCode": "10004"}],
        },
    });
    let checkout = json!({
        "shoppingCart": {"items": [join]}, "billingEmail": "noor@example.test", "billingZipCode": "10004",
        "manualEntryCardNumber": "4242424242424242", "expDate": "1230", "cvc": "123",
    });
    let order = ok(&sold_here, "POST", "/v2/b2c/checkout", &SHOP, checkout).await;
    let written = exported(&sold_here, 1001, Format::Json).await;
    assert!(written.contains(order["id"].as_str().unwrap()));
    let elsewhere = Service::empty().await;
    let document = Document::json(&written);
    let run = Run { days: 14, ..Run::unwatched(wall_now()) };
    for service in [&elsewhere, &elsewhere, &sold_here] {
        let report = import_document(&service.app, &document, &run).await.unwrap();
        assert_eq!(report.faults, vec![]);
        assert_eq!(exported(service, 1001, Format::Json).await, written);
        assert_eq!(findings(service).await, Vec::<String>::new());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_says_all_that_a_document_said_and_no_secret() {
    let service = Service::empty().await;
    import(&service, EVERYTHING, Format::Json).await;
    let mut written: Value = serde_json::from_str(EVERYTHING).unwrap();
    let exported = exported(&service, 1009, Format::Json).await;
    let read: Value = serde_json::from_str(&exported).unwrap();
    let keys = written.as_object_mut().unwrap().remove("apiKeys").unwrap();
    assert!(!exported.contains(keys[0]["key"].as_str().unwrap()));
    assert_eq!(first_loss(&written, &read, ""), None);
}

/// Where something that was written is not read again.
fn first_loss(written: &Value, read: &Value, path: &str) -> Option<String> {
    match (written, read) {
        (Value::Object(written), Value::Object(read)) => written.iter().find_map(|(name, value)| {
            first_loss(value, read.get(name).unwrap_or(&Value::Null), &format!("{path}/{name}"))
        }),
        (Value::Array(written), Value::Array(read)) if written.len() == read.len() => {
            let pairs = written.iter().zip(read).enumerate();
            pairs
                .into_iter()
                .find_map(|(place, (one, other))| first_loss(one, other, &format!("{path}/{place}")))
        }
        (written, read) => (written != read).then(|| format!("{path}: {written} became {read}")),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_died_anywhere_is_finished_by_the_next() {
    let text = large(5, 3);
    let whole = Service::empty().await;
    whole.plan.reset();
    import(&whole, &text, Format::Json).await;
    let calls = whole.plan.calls().len();
    let (expected, expected_slots) = (exported(&whole, 2001, Format::Json).await, slots(&whole, 2001).await);
    assert!(calls > 60 && expected_slots > 30, "{calls} calls, {expected_slots} slots");
    for seed in 0..14_usize {
        let fault = if seed % 2 == 0 { Fault::CrashBefore } else { Fault::CrashAfter };
        let call = (seed * 7_919 + 13) % calls;
        let service = Service::empty().await;
        let plan = FaultPlan::new();
        plan.at(call, fault);
        let dying = service.another_process(plan.clone());
        let document = Document::json(&text);
        let died = import_document(&dying.app, &document, &run()).await.unwrap_err();
        assert!(is_crash(&died) || plan.is_crashed(), "call {call}: {died}");
        let next = service.another_process(FaultPlan::new());
        let report = import(&next, &text, Format::Json).await;
        assert_eq!(report.faults, vec![], "call {call}");
        assert_eq!(exported(&next, 2001, Format::Json).await, expected, "call {call}");
        assert_eq!(slots(&next, 2001).await, expected_slots, "call {call}");
        assert!(import(&next, &text, Format::Json).await.is_unchanged(), "call {call}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_has_its_line() {
    let service = Service::empty().await;
    let text = r#"{
  "tenant": {"id": 1009, "name": "Pier", "timeZone": "UTC", "sandbox": true},
  "personTypes": [
    {"id": "adult", "name": "Adult"},
    {
      "id": "child",
      "name": "",
      "displayOrder": "second"
    },
    {"id": "adult", "name": "Adult again"}
  ],
  "apiKeys": [
    {"key": "demo-a", "scopes": ["b2c"], "label": "Shop"}],
  "coupons": [
    {"id": "a", "name": "A", "code": "SPRING", "discountType": "percent", "value": "5"},

    {"id": "b", "name": "B",
     "code": "spring", "discountType": "percent", "value": "5"}
  ]
}"#;
    let report = import(&service, text, Format::Json).await;
    insta::assert_snapshot!(report, @r"
    tenant 1009
      apiKeys: 1 created, 0 updated, 0 unchanged
      coupons: 1 created, 0 updated, 0 unchanged
      personTypes: 1 created, 0 updated, 0 unchanged
      tenant: 1 created, 0 updated, 0 unchanged
      event instances: 0 created
      left out: /personTypes/1 (child), line 5
        /personTypes/1/name must not be blank (line 7)
        /personTypes/1/displayOrder must be an integer (line 8)
      left out: /personTypes/2 (adult), line 10
        /personTypes/2/id is already used by another record of the document
      left out: /coupons/1 (b), line 17
        /coupons/1/code is already used by another coupon (line 18)
    ");
    let csv = "\u{feff}record,id,name,displayOrder,code,discountType,value,description,active\r\n\
        tenant,1009\r\n\
        personTypes,adult,Adult\r\n\
        \r\n\
        personTypes,child,,second,,,,\"two\r\nlines\",TRUE\r\n\
        personTypes,senior,Senior,2,CODE\r\n\
        mystery,1\r\n\
        coupons,c,C,,SPRING,percent,5,,true\r\n\
        coupons,d,D,,AUTUMN,percent,5,,false,surplus\r\n\
        tenant,1009\r\n";
    let report = import(&service, csv, Format::Csv).await;
    insta::assert_snapshot!(report, @r"
    tenant 1009
      personTypes: 0 created, 0 updated, 1 unchanged
      tenant: 0 created, 0 updated, 1 unchanged
      event instances: 0 created
      left out: /personTypes/2 (senior), line 7
        /personTypes/2/code is no column of this kind of record
      left out: /rows/8, line 8
        /rows/8/record must be one of tenant, apiKeys, merchants, personTypes, inventory, discounts, forms, coupons, combos, membershipLevels, members, eventTemplates, entitlements
      left out: /coupons/1 (d), line 10
        /coupons/1/record has cells without a column
      left out: /rows/11, line 11
        /rows/11/record names a tenant again
      left out: /personTypes/1 (child), line 5
        /personTypes/1/name is required
        /personTypes/1/displayOrder must be an integer
      left out: /coupons/0 (c), line 9
        /coupons/0/code is already used by another coupon
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_without_usable_columns_is_refused_whole() {
    for (text, expected) in [
        ("", "line 1: there must be a column \"record\""),
        ("id,name\n", "line 1: there must be a column \"record\""),
        ("record,id,colour\n", "line 1: there is no column \"colour\""),
        ("record,id,id\n", "line 1: the column \"id\" appears twice"),
    ] {
        let said = Document::csv(text).unwrap_err().to_string();
        assert!(said.starts_with(expected), "{said}");
    }
    let service = Service::empty().await;
    let document = Document::csv("record,id,name\n\ntenant,x,Pier\n").unwrap();
    let refused = import_document(&service.app, &document, &run()).await.unwrap_err();
    assert!(matches!(refused, ImportError::Tenant { line: Some(3), .. }), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_documented_table_is_one() {
    let document = include_str!("../../../docs/IMPORT.md");
    let table = document.split("```csv\n").nth(1).unwrap().split("```").next().unwrap();
    let table = format!("{table}tenant,1009\n");
    let service = Service::empty().await;
    import(&service, r#"{"tenant": {"id": 1009, "name": "Pier", "timeZone": "UTC"}}"#, Format::Json).await;
    let report = import(&service, &table, Format::Csv).await;
    assert_eq!(report.faults, vec![]);
    assert_eq!(report.tallies["coupons"].created + report.tallies["membershipLevels"].created, 2);
}

#[test]
fn a_made_up_venue_follows_from_its_seed() {
    let text = large(200, 1);
    assert_eq!(text, large(200, 1));
    assert_ne!(text, large(200, 2));
    let document: Value = serde_json::from_str(&text).unwrap();
    let templates = document["eventTemplates"].as_array().unwrap();
    assert_eq!(templates.len(), 200);
    let ids: BTreeSet<&str> = templates.iter().map(|found| found["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 200);
    let some = |test: &dyn Fn(&Value) -> bool| templates.iter().filter(|found| test(found)).count();
    let single = some(&|found| found["schedules"] == json!([]));
    let ongoing = some(&|found| {
        found["schedules"][0].get("name").is_some() && found["schedules"][0].get("ranges").is_none()
    });
    let private = some(&|found| found["type"] == "private");
    let members = some(&|found| found["memberOnlyEvent"] == true);
    let odd = some(&|found| !found["priceLists"][0]["prices"][0]["price"].as_str().unwrap().ends_with('0'));
    for (what, count) in
        [("single", single), ("ongoing", ongoing), ("private", private), ("members", members), ("odd", odd)]
    {
        assert!((3..190).contains(&count), "{what}: {count}");
    }
    for letters in ['é', 'ü', 'Η', 'З', '海', '박', 'ق', 'א', 'त', 'พ'] {
        assert!(text.contains(letters), "{letters}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_made_up_venue_of_any_length_is_imported_without_faults() {
    for (days, seed) in [(1, 1), (2, 2), (6, 3), (7, 4), (29, 5), (366, 6)] {
        let venue = DemoVenue { days, ..venue(30, seed) };
        let mut text = Vec::new();
        demo::write(&venue, Format::Csv, &mut text).unwrap();
        let service = Service::empty().await;
        let report = import(&service, std::str::from_utf8(&text).unwrap(), Format::Csv).await;
        assert_eq!(report.faults, vec![], "{days} days: {report}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever people write into a text comes out of a table as it went in, but for its line breaks and tabs.
    #[test]
    fn a_table_keeps_every_text(texts in proptest::collection::vec("[\\PC\"',;\r\n\t=+@-]{0,40}", 8)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let types = texts.iter().enumerate().map(|(place, text)| {
                json!({"id": format!("t{place}"), "name": format!("n{place}"), "description": text})
            });
            let document = json!({
                "tenant": {"id": 1009, "name": "Pier", "timeZone": "UTC"}, "personTypes": types.collect::<Vec<_>>(),
            });
            let first = Service::empty().await;
            assert_eq!(import(&first, &document.to_string(), Format::Json).await.faults, vec![]);
            let json = exported(&first, 1009, Format::Json).await;
            let second = Service::empty().await;
            let csv = exported(&first, 1009, Format::Csv).await;
            assert_eq!(import(&second, &csv, Format::Csv).await.faults, vec![]);
            assert_eq!(exported(&second, 1009, Format::Json).await, json);
            let read: Value = serde_json::from_str(&json).unwrap();
            for (place, text) in texts.iter().enumerate() {
                assert_eq!(read["personTypes"][place]["description"], domain::lines::prose(text).trim());
            }
        });
    }
}
