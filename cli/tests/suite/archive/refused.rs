//! Files that are not restored, and places where none is.

use crate::archive::file;
use crate::archive::shop::{archived, now, restored, set_closed, tenant_id, venue};
use adapters::vault::LocalVault;
use boxoffice::testing::Service;
use domain::TenantId;
use domain::tenant::{ApiKey, Scope};
use serde_json::{Value, json};
use std::time::Duration;
use store::archive::TenantPlace;
use store::identity::key_hash;
use store::walk::{Pace, Route};
use store::{Consistency, Table};

/// The archive with one of its lines changed.
fn with_line(archive: &str, number: usize, change: impl Fn(&mut Value)) -> Vec<u8> {
    let mut lines: Vec<String> = archive.lines().map(str::to_owned).collect();
    let mut line: Value = serde_json::from_str(&lines[number]).unwrap();
    change(&mut line);
    lines[number] = line.to_string();
    format!("{}\n", lines.join("\n")).into_bytes()
}

/// The archive without one of its lines.
fn without_line(archive: &str, number: usize) -> Vec<u8> {
    let lines = archive.lines().enumerate().filter(|(place, _)| *place != number);
    lines.map(|(_, line)| format!("{line}\n")).collect::<String>().into_bytes()
}

async fn is_untouched(service: &Service) -> bool {
    let mut count = 0;
    for table in Table::ALL {
        let route = Route { table, partitions: &[], tenant: Some(tenant_id()) };
        let pace = Pace { consistency: Consistency::Strong, pause: Duration::ZERO };
        let mut walk = service.store.walk(route, pace);
        while let Some(rows) = walk.next().await.unwrap() {
            count += rows.len();
        }
    }
    count == 0 && service.store.load_place(tenant_id()).await.unwrap() == TenantPlace::Free
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_not_as_it_was_written_is_refused_before_anything_is_done() {
    let source = venue(1).await;
    set_closed(&source.store, Some(now())).await;
    let key = LocalVault::in_memory().unwrap();
    let written = String::from_utf8(archived(&source, &key).await).unwrap();
    let bytes = written.as_bytes();
    let last = written.lines().count() - 1;
    let swapped = {
        let mut lines: Vec<&str> = written.lines().collect();
        lines.swap(2, 3);
        format!("{}\n", lines.join("\n")).into_bytes()
    };
    let cut = "the file ends before the archive does: it was cut off";
    let edited = "the file was changed after it was written";
    let no_archive = "the file is not an archive of a tenant";
    let target = Service::empty().await;
    for (case, bytes, complaint) in [
        ("empty", vec![], no_archive),
        ("a document", include_bytes!("../../../../demo/bay-zoo.json").to_vec(), no_archive),
        ("a table", b"record,id\ntenant,1\n".to_vec(), no_archive),
        ("one endless line", vec![b'{'; 5_000_000], no_archive),
        ("another kind", with_line(&written, 0, |line| line["archive"] = json!("x")), no_archive),
        ("without its last line", without_line(&written, last), cut),
        ("cut within a line", bytes[..bytes.len() / 2].to_vec(), cut),
        ("without its last byte", bytes[..bytes.len() - 1].to_vec(), cut),
        ("without a record", without_line(&written, 3), edited),
        ("with two records swapped", swapped, edited),
        ("with more after the end", format!("{written}{{}}\n").into_bytes(), edited),
        (
            "another value",
            with_line(&written, 3, |line| line["record"]["item"]["more"] = json!({"S": "x"})),
            edited,
        ),
        (
            "another count",
            with_line(&written, last, |line| line["end"]["records"]["orders"] = json!(7)),
            edited,
        ),
        ("another seal", with_line(&written, last, |line| line["end"]["sealed"] = json!("00")), edited),
        (
            "another day",
            with_line(&written, 0, |line| line["writtenAt"] = json!("2001-01-01T00:00:00Z")),
            edited,
        ),
        (
            "another tenant's record",
            with_line(&written, 3, |line| line["record"]["item"]["pk"] = json!({"S": "T#1002#X"})),
            "line 4 belongs to no archive of this tenant",
        ),
        (
            "the list of tenants",
            with_line(&written, 3, |line| line["record"]["item"]["pk"] = json!({"S": "TENANTS"})),
            "line 4 belongs to no archive of this tenant",
        ),
        (
            "no record",
            with_line(&written, 3, |line| line["record"]["item"]["pk"] = json!("T#1001#X")),
            "line 4 cannot be read: the file was changed",
        ),
        (
            "another table",
            with_line(&written, 3, |line| line["record"]["table"] = json!("people")),
            "line 4 cannot be read: the file was changed",
        ),
        (
            "another tenant",
            with_line(&written, 0, |line| line["tenant"] = json!(1002)),
            "the key is not the one the archive was written with",
        ),
        (
            "a later format",
            with_line(&written, 0, |line| *line = json!({"archive": line["archive"], "format": 2})),
            "the archive has format 2, and this program reads format 1; use the release that wrote it",
        ),
        (
            "later records",
            with_line(&written, 0, |line| line["schema"] = json!(9)),
            "the records have version 9, and this program reads those up to version 2; use the release that wrote the archive",
        ),
    ] {
        let refused = restored(&target, file(&bytes).path(), &key).await.unwrap_err();
        assert_eq!(refused.to_string(), complaint, "{case}");
        assert!(is_untouched(&target).await, "{case}");
    }
    let other = LocalVault::in_memory().unwrap();
    let refused = restored(&target, file(bytes).path(), &other).await.unwrap_err();
    assert_eq!(refused.to_string(), "the key is not the one the archive was written with");
    assert!(is_untouched(&target).await);
    assert!(restored(&target, file(bytes).path(), &key).await.is_ok(), "the archive itself");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_or_a_key_that_is_there_is_not_replaced() {
    let source = venue(1).await;
    set_closed(&source.store, Some(now())).await;
    let key = LocalVault::in_memory().unwrap();
    let archive = file(&archived(&source, &key).await);

    let taken = venue(1).await;
    let before = taken.store.load_tenant(tenant_id(), Consistency::Strong).await.unwrap();
    let refused = restored(&taken, archive.path(), &key).await.unwrap_err();
    assert_eq!(refused.to_string(), "this database already has a tenant 1001");
    assert_eq!(taken.store.load_tenant(tenant_id(), Consistency::Strong).await.unwrap(), before);

    let target = Service::empty().await;
    let api_key = ApiKey {
        tenant: TenantId::parse(7).unwrap(),
        scopes: [Scope::B2c].into(),
        origins: [].into(),
        mid: None,
        label: "of somebody else".to_owned(),
        revoked: true,
    };
    let hash = key_hash("demo-b2c-1001");
    target.store.save_api_key(&hash, &api_key).await.unwrap();
    let refused = restored(&target, archive.path(), &key).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!("another tenant here has the API key {} of the archive", &hash[..12])
    );
    assert!(is_untouched(&target).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_came_from_elsewhere_is_not_taken_for_a_restored_one() {
    let source = venue(1).await;
    set_closed(&source.store, Some(now())).await;
    let key = LocalVault::in_memory().unwrap();
    let archive = file(&archived(&source, &key).await);
    let target = Service::empty().await;
    let merchant = store::Key::merchant(tenant_id(), &domain::Mid::parse("60417").unwrap());
    let item = store::Item::from([("name".to_owned(), store::text("Somebody"))]);
    target.store.put_new(&merchant, merchant.placed(item)).await.unwrap().unwrap();
    let refused = restored(&target, archive.path(), &key).await.unwrap_err();
    assert_eq!(refused.to_string(), "merchants T#1001#MERCHANTS 60417 already exists and differs");
}
