//! A whole tenant out of one database and into another.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper fails its test by panicking")]

mod refused;
mod shop;

use adapters::app::hash_key_context;
use adapters::vault::LocalVault;
use boxoffice::archive::{RestoreOutcome, archive};
use boxoffice::testing::Service;
use domain::outbox::{MailJob, OrderMail};
use domain::stripe::{StripeSettings, stripe_key_context};
use domain::stripe_event::webhook_secret_context;
use domain::tenant::{ProcessorKind, Tenant};
use domain::time::plus_secs;
use engine::{Fault, FaultPlan};
use serde_json::{Value, json};
use shop::{
    KEYS, SECRETS, Shop, archived, ask, ask_again, findings, fresh, now, paying, records, restored, seats,
    set_closed, side, tenant_id, tickets, venue,
};
use std::collections::BTreeMap;
use store::Consistency;
use store::archive::TenantPlace;
use store::order::{DueClock, DueKind, DueWork};
use testkit::cards::GOOD;

fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    file
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_goes_on_in_another_database_where_it_stopped() {
    let shop = Box::pin(Shop::open()).await;
    let told = Box::pin(shop.told(&shop.service)).await;
    assert_eq!(findings(&shop.service).await, Vec::<String>::new());
    set_closed(&shop.service.store, Some(now())).await;
    let key = LocalVault::in_memory().unwrap();
    let written = archived(&shop.service, &key).await;

    let target = Service::empty().await;
    let archive = file(&written);
    assert_eq!(restored(&target, archive.path(), &key).await.unwrap(), RestoreOutcome::Restored);
    assert_eq!(findings(&target).await, Vec::<String>::new());
    assert_eq!(records(&archived(&target, &key).await), records(&written));
    assert_eq!(restored(&target, archive.path(), &key).await.unwrap(), RestoreOutcome::WasRestored);

    set_closed(&target.store, None).await;
    let there = fresh(&target);
    for ((path, before), (_, after)) in told.iter().zip(Box::pin(shop.told(&there)).await) {
        assert!(*before == after, "{path}: {:.3000} became {:.3000}", before.to_string(), after.to_string());
    }
    // What only the keyed hashes know: the first answer to a repeated checkout, and a charge made twice.
    let (checkout, order) = &shop.first;
    let again = ask_again(&there, "POST", "/v2/b2c/checkout", checkout.clone(), Some("first")).await;
    assert_eq!((again.status, &again.body), (200, order));
    let twice = ask(&there, "POST", "/v2/b2c/checkout", checkout.clone()).await;
    assert_eq!((twice.status, &twice.body["type"]), (409, &json!("DUPLICATE_TRANSACTION_FOUND")));
    // Seats that are sold are sold.
    let slots = seats(&there, "2027-03-02").await;
    let slot = slots.as_array().unwrap().iter().find(|slot| slot["id"] == shop.slot).unwrap();
    let left = slot["availableSeats"].as_u64().unwrap();
    assert!(left > 0 && left < 50, "{left} of 50 seats are left");
    let hold = |quantity: u64| json!({"reservationItems": [{"eventId": shop.slot, "quantity": quantity}]});
    let too_many = ask(&there, "POST", "/v2/b2b/reservations", hold(left + 1)).await;
    assert_eq!((too_many.status, &too_many.body["type"]), (409, &json!("NOT_ENOUGH_CAPACITY")));
    assert_eq!(ask(&there, "POST", "/v2/b2b/reservations", hold(left)).await.status, 200);
    let bought = paying(&json!({"items": [tickets(&shop.slot, 4)]}), GOOD);
    let sold_out = ask(&there, "POST", "/v2/b2c/checkout", bought).await;
    assert_eq!((sold_out.status, &sold_out.body["type"]), (409, &json!("NOT_ENOUGH_CAPACITY")));
    let refund = json!({"orderId": shop.untouched["id"], "wholeOrder": true});
    let refunded = ask(&there, "POST", "/v2/b2b/refunds", refund).await;
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    // An application whose numbers are read with the key of the other side is written with that of this one.
    let path = "/v1/payment/onboard/1b2f7b1e-93d4-4f26-8c1d-70e2a9b4f318";
    let changed = ask(&there, "PATCH", path, json!({"dbaName": "Harbor Gifts"})).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    assert_eq!(findings(&there).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_due_is_done_by_the_side_that_is_open() {
    let shop = Box::pin(Shop::open()).await;
    let late = plus_secs(now(), 3_600);
    set_closed(&shop.service.store, Some(now())).await;
    let key = LocalVault::in_memory().unwrap();
    let written = archived(&shop.service, &key).await;
    let target = Service::empty().await;
    restored(&target, file(&written).path(), &key).await.unwrap();
    for service in [&shop.service, &target] {
        let process = fresh(service);
        assert_eq!(Box::pin(process.cleanup(late)).await, cleanup::PassReport::default());
        let refused = ask(&process, "GET", "/v2/b2b/persontypes", Value::Null).await;
        assert_eq!((refused.status, &refused.body["type"]), (503, &json!("TRY_AGAIN")));
        assert_eq!(refused.header("retry-after"), "60");
    }
    // Not even a mail that was enqueued is sent.
    let outbox = |service: &Service| {
        let store = service.store.clone();
        async move { store.list_sandbox_mails(tenant_id()).await.unwrap().len() }
    };
    let sent = outbox(&shop.service).await;
    let due = shop.service.store.load_due(DueClock::Chosen, DueKind::Mails, late, 10).await.unwrap();
    let process = fresh(&shop.service);
    for work in due {
        let DueWork::Mail(tenant, order, kind) = work else { panic!("{work:?} is no mail") };
        process.app.queue.send(&MailJob::Order(OrderMail { tenant, order, kind })).await.unwrap();
    }
    assert_eq!(Box::pin(process.deliver_mail()).await, 1);
    assert_eq!((outbox(&shop.service).await, outbox(&target).await), (sent, sent));

    set_closed(&target.store, None).await;
    let process = fresh(&target);
    let report = Box::pin(process.cleanup(late)).await;
    assert_eq!((report.orders_due, report.orders_finished, report.failed), (1, 1, 0), "{report:?}");
    assert!(report.mails_announced > 0 && report.merchants_decided == 0, "{report:?}");
    assert!(Box::pin(process.deliver_mail()).await > 0);
    assert!(outbox(&target).await > sent);
    assert_eq!(findings(&target).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_lies_open_in_an_archive_and_all_open_on_the_other_side() {
    const STRIPE: &str = "sk_test_canary51H8vXGjyP";
    const WEBHOOK: &str = "whsec_canary1H8vXGjyP";
    let shop = Box::pin(Shop::open()).await;
    let vault = &shop.service.app.vault;
    let sealed = vault.seal(&stripe_key_context(tenant_id()), STRIPE.as_bytes()).await.unwrap();
    let context = webhook_secret_context(tenant_id());
    let webhook = hex::encode(vault.seal(&context, WEBHOOK.as_bytes()).await.unwrap());
    let settings = StripeSettings {
        sealed_key: hex::encode(sealed),
        address: None,
        accounts: BTreeMap::new(),
        publishable_key: None,
        webhook_secrets: vec![webhook],
    };
    let load = async |service: &Service| {
        service.store.load_tenant(tenant_id(), Consistency::Strong).await.unwrap().unwrap()
    };
    let processor = ProcessorKind::Stripe(Box::new(settings));
    let tenant = Tenant { processor, closed_at: Some(now()), ..load(&shop.service).await };
    shop.service.store.save_tenant(&tenant).await.unwrap();
    let hash_key = vault
        .open(&hash_key_context(tenant_id()), &hex::decode(&tenant.sealed_hash_key).unwrap())
        .await
        .unwrap();

    let key = LocalVault::in_memory().unwrap();
    let written = archived(&shop.service, &key).await;
    let text = std::str::from_utf8(&written).unwrap();
    let hash_key_text = hex::encode(&*hash_key);
    for secret in SECRETS.iter().chain(&KEYS).chain(&[STRIPE, WEBHOOK, "canary", &hash_key_text]) {
        assert!(!text.contains(secret), "{secret} lies open");
    }
    assert!(!text.contains(&tenant.sealed_hash_key), "sealed under the vault of the database");

    let target = Service::empty().await;
    restored(&target, file(&written).path(), &key).await.unwrap();
    let moved = load(&target).await;
    let open = async |context: String, sealed: &str| {
        target.app.vault.open(&context, &hex::decode(sealed).unwrap()).await.unwrap()
    };
    assert_eq!(open(hash_key_context(tenant_id()), &moved.sealed_hash_key).await, hash_key);
    let ProcessorKind::Stripe(settings) = moved.processor else { panic!("no Stripe") };
    let stripe = open(stripe_key_context(tenant_id()), &settings.sealed_key).await;
    assert_eq!(stripe.as_slice(), STRIPE.as_bytes());
    let webhook = open(context, &settings.webhook_secrets[0]).await;
    assert_eq!(webhook.as_slice(), WEBHOOK.as_bytes());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_that_died_anywhere_is_finished_by_the_next() {
    let source = venue(1).await;
    set_closed(&source.store, Some(now())).await;
    let key = LocalVault::in_memory().unwrap();
    let written = archived(&source, &key).await;
    let (expected, archive) = (records(&written), file(&written));
    let whole = Service::empty().await;
    let watched = whole.another_process(FaultPlan::new());
    restored(&watched, archive.path(), &key).await.unwrap();
    let calls = watched.plan.calls().len();
    assert!(calls > 50 && calls >= expected.len(), "{calls} calls for {} records", expected.len());
    // The first and the last ones, and some of the many between, which are all alike.
    let some = (0..calls).filter(|call| *call < 3 || *call + 5 > calls || call % (calls / 4) == 0);
    for call in some {
        for fault in [Fault::CrashBefore, Fault::CrashAfter] {
            let target = Service::empty().await;
            let plan = FaultPlan::new();
            plan.at(call, fault);
            let dying = target.another_process(plan);
            let died = restored(&dying, archive.path(), &key).await;
            assert!(died.is_err() && dying.plan.is_crashed(), "call {call}: {died:?}");
            let next = fresh(&target);
            let place = target.store.load_place(tenant_id()).await.unwrap();
            let outcome = restored(&next, archive.path(), &key).await;
            let outcome = outcome.unwrap_or_else(|error| panic!("call {call} {fault:?}: {error}"));
            let was_whole = matches!(place, TenantPlace::Restored(_));
            assert_eq!(outcome == RestoreOutcome::WasRestored, was_whole, "call {call} {fault:?}");
            assert_eq!(records(&archived(&next, &key).await), expected, "call {call} {fault:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_half_restored_tenant_answers_nobody_and_its_place_is_taken() {
    let source = venue(1).await;
    set_closed(&source.store, Some(now())).await;
    let key = LocalVault::in_memory().unwrap();
    let (first, second) = (archived(&source, &key).await, archived(&source, &key).await);
    let target = Service::empty().await;
    let plan = FaultPlan::new();
    // The tenant's own record comes last.
    plan.at_operation("TransactWriteItems", 0, Fault::CrashBefore);
    let archive = file(&first);
    assert!(restored(&target.another_process(plan), archive.path(), &key).await.is_err());

    let process = fresh(&target);
    assert_eq!(ask(&process, "GET", "/v2/b2b/persontypes", Value::Null).await.status, 401);
    assert_eq!(process.cleanup(plus_secs(now(), 3_600)).await, cleanup::PassReport::default());
    let tenant = source.store.load_tenant(tenant_id(), Consistency::Strong).await.unwrap().unwrap();
    assert!(!target.store.create_tenant(&tenant).await.unwrap(), "made beside the restore");
    let other = restored(&target, file(&second).path(), &key).await.unwrap_err();
    assert!(
        other.to_string().contains("another archive of tenant 1001 was restored here in part"),
        "{other}"
    );
    assert_eq!(restored(&target, archive.path(), &key).await.unwrap(), RestoreOutcome::Restored);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_that_is_open_or_opened_meanwhile_is_not_archived() {
    let source = venue(1).await;
    let key = LocalVault::in_memory().unwrap();
    let mut out = Vec::new();
    let refused = archive(side(&source), tenant_id(), now(), &key, &mut out).await.unwrap_err();
    assert_eq!(refused.to_string(), "tenant 1001 is open; close it first with `tenant close 1001`");
    assert!(out.is_empty());
    let nobody = domain::TenantId::parse(8).unwrap();
    let unknown = archive(side(&source), nobody, now(), &key, &mut out).await.unwrap_err();
    assert_eq!(unknown.to_string(), "there is no tenant 8");

    /// Opens the tenant when the first lines are written.
    struct Meddler<'a>(&'a Service, tokio::runtime::Handle);
    impl std::io::Write for Meddler<'_> {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            tokio::task::block_in_place(|| self.1.block_on(set_closed(&self.0.store, None)));
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    set_closed(&source.store, Some(now())).await;
    let meddler = Meddler(&source, tokio::runtime::Handle::current());
    let changed = archive(side(&source), tenant_id(), now(), &key, meddler).await.unwrap_err();
    assert_eq!(changed.to_string(), "tenant 1001 was opened or changed in the meantime; try again");
}
