//! A link to sign in by ends with the sessions of its person.

use super::{NOT_VALID, OFFICE, STAFF, add, open, read, sign_in, token};
use boxoffice::testing::Service;
use serde_json::json;

const KIM: &str = "kim@example.test";

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_was_mailed_before_all_sessions_were_ended_opens_none() {
    let service = Service::start().await;
    let kim = add(&service, KIM, &["admin"]).await;
    let unused = token(&service, KIM).await;
    let path = format!("{STAFF}/{kim}/sessions");
    assert_eq!(service.request("DELETE", &path, &OFFICE, None).await.status, 200);
    assert_eq!(open(&service, &unused, &[]).await.kind(), NOT_VALID);
    let session = sign_in(&service, KIM).await;
    assert_eq!(read(&service, &session, STAFF).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_was_mailed_before_its_person_was_away_opens_nothing_when_she_is_back() {
    let service = Service::start().await;
    let kim = add(&service, KIM, &["admin"]).await;
    let unused = token(&service, KIM).await;
    for active in [false, true] {
        let body = json!({"email": KIM, "name": "Kim", "roles": ["admin"], "active": active});
        let changed = service.request("PUT", &format!("{STAFF}/{kim}"), &OFFICE, Some(&body)).await;
        assert_eq!(changed.status, 200, "{}", changed.body);
    }
    assert_eq!(open(&service, &unused, &[]).await.kind(), NOT_VALID);
    sign_in(&service, KIM).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_of_a_person_and_not_of_whoever_has_her_address_later() {
    let service = Service::start().await;
    let kim = add(&service, KIM, &["admin"]).await;
    let unused = token(&service, KIM).await;
    assert_eq!(service.request("DELETE", &format!("{STAFF}/{kim}"), &OFFICE, None).await.status, 200);
    add(&service, KIM, &["door"]).await;
    assert_eq!(open(&service, &unused, &[]).await.kind(), NOT_VALID);
    sign_in(&service, KIM).await;
}
