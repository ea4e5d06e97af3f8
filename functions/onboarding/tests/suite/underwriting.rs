//! What becomes of applications: the sandbox's underwriter and the operator.

use crate::support::{Told, Venue, application, application_with, get, patch, post};
use cleanup::PassScope;
use domain::merchant::MerchantStatus;
use engine::Fault;
use serde_json::{Value, json};
use testkit::tenant_id;

/// Two minutes after the clock of the requests.
const LATER: &str = "2027-05-01T14:02:00Z";

fn named(name: &str) -> Value {
    application_with("businessLegalName", json!(name))
}

#[tokio::test]
async fn test_names_force_every_state() {
    for (name, expected, decided) in [
        ("Harbor Museum, Inc", "Approved", 1),
        ("Sandbox Declined", "Declined", 1),
        ("SANDBOX pending", "Pending", 0),
        ("", "Incomplete", 0),
    ] {
        let venue = Venue::open().await;
        venue.send(post(&named(name))).await.done();
        assert_eq!(venue.pass(PassScope::Sandbox, LATER).await.merchants_decided, decided, "{name}");
        let read = venue.send(get()).await;
        assert_eq!(read.status_of_merchant(), expected, "{name}");
        let brands = read.body["businessAcceptedCards"].as_array().unwrap().len();
        assert_eq!(brands, if expected == "Approved" { 4 } else { 0 }, "{name}");
        assert_eq!(read.body["tenantProvisioned"], false, "{name}: it has no rate card");
        let again = venue.pass(PassScope::Sandbox, LATER).await;
        assert_eq!((again.merchants_decided, again.failed), (0, 0), "{name}");
    }
}

#[tokio::test]
async fn what_was_made_under_a_chosen_clock_is_left_to_the_sandboxs_own_pass() {
    let venue = Venue::open().await;
    venue.send(post(&application())).await.done();
    assert_eq!(venue.pass(PassScope::Schedule, "2099-01-01T00:00:00Z").await.merchants_decided, 0);
    assert_eq!(venue.send(get()).await.status_of_merchant(), "Pending");
    assert_eq!(
        venue.pass(PassScope::Sandbox, "2027-05-01T13:59:59Z").await.merchants_decided,
        0,
        "too early"
    );
    assert_eq!(venue.pass(PassScope::Sandbox, LATER).await.merchants_decided, 1);

    let venue = Venue::open().await;
    venue.send(post(&application()).in_real_time()).await.done();
    assert_eq!(venue.pass(PassScope::Schedule, "2099-01-01T00:00:00Z").await.merchants_decided, 1);
    assert_eq!(venue.send(get()).await.status_of_merchant(), "Approved");
}

#[tokio::test]
async fn merchants_of_live_tenants_wait_for_the_operator() {
    let venue = Venue::open().await;
    let ask = || post(&application()).in_real_time().by("partner-3");
    let made = venue.send(ask()).await;
    assert_eq!(made.status_of_merchant(), "Pending");
    assert_eq!(venue.pass(PassScope::Schedule, "2099-01-01T00:00:00Z").await.merchants_decided, 0);
    let mid = domain::Mid::parse(made.body["mid"].as_str().unwrap()).unwrap();
    let decide =
        async |before, after| venue.store.decide_merchant(tenant_id(3), &mid, before, after).await.unwrap();
    assert!(decide(MerchantStatus::Pending, MerchantStatus::Approved).await);
    assert!(!decide(MerchantStatus::Pending, MerchantStatus::Declined).await, "it stands elsewhere by now");
    let read = venue.send(get().in_real_time().by("partner-3")).await;
    assert_eq!(read.status_of_merchant(), "Approved");
}

#[tokio::test]
async fn a_completed_application_is_decided_and_a_declined_one_is_closed() {
    let venue = Venue::open().await;
    venue.send(post(&named("Sandbox Declined*"))).await.done();
    assert_eq!(venue.pass(PassScope::Sandbox, LATER).await.merchants_decided, 0);
    let fixed = json!({"businessLegalName": "Sandbox Declined"});
    assert_eq!(venue.send(patch(&fixed)).await.status_of_merchant(), "Pending");
    assert_eq!(venue.pass(PassScope::Sandbox, LATER).await.merchants_decided, 1);
    let edit = json!({"dbaName": "Pier"});
    assert_eq!(venue.send(patch(&edit)).await.kind(), (409, "MERCHANT_DECLINED"));
    assert_eq!(venue.send(get()).await.done()["dbaName"], "Harbor Museum");
}

#[tokio::test]
async fn the_operator_who_is_first_is_not_overruled() {
    let venue = Venue::open().await;
    let made = venue.send(post(&application())).await.done();
    let mid = domain::Mid::parse(made["mid"].as_str().unwrap()).unwrap();
    let (before, after) = (MerchantStatus::Pending, MerchantStatus::Declined);
    let decided = venue.store.decide_merchant(tenant_id(1), &mid, before, after).await;
    assert!(decided.unwrap());
    assert_eq!(venue.pass(PassScope::Sandbox, LATER).await.merchants_decided, 0);
    assert_eq!(venue.send(get()).await.status_of_merchant(), "Declined");
    assert_eq!(venue.pass(PassScope::Sandbox, LATER).await.failed, 0);
}

#[tokio::test]
async fn a_pass_that_dies_anywhere_is_finished_by_the_next() {
    // What it reads of the index changes nothing; then it reads the application and decides.
    for operation in ["GetItem", "TransactWriteItems"] {
        for fault in [Fault::CrashBefore, Fault::CrashAfter] {
            let venue = Venue::open().await;
            venue.send(post(&application())).await.done();
            let dying = venue.again().await;
            dying.faults.reset();
            dying.faults.at_operation(operation, 0, fault);
            dying.try_pass(PassScope::Sandbox, LATER).await;
            assert!(dying.faults.is_crashed(), "{operation} {fault:?}");
            assert_eq!(venue.pass(PassScope::Sandbox, LATER).await.failed, 0);
            assert_eq!(venue.send(get()).await.status_of_merchant(), "Approved", "{operation} {fault:?}");
        }
    }
}
