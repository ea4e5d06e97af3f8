//! Persons of the staff: signing in by a link in a mail, what a session opens, from where and for how long.

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

mod admins;
mod links;

use crate::demo::token_in;
use boxoffice::testing::Service;
use domain::TenantId;
use domain::rate_limit::{Rate, RateLimit};
use engine::FaultPlan;
use serde_json::{Value, json};
use store::Consistency;
use testkit::{Answer, all_items};

const LOGIN: &str = "/v2/staff/login";
const SESSION: &str = "/v2/staff/session";
const STAFF: &str = "/v2/b2b/staff";
const COUNTRIES: &str = "/v2/b2b/locations/avs/countries";
const DESK: &str = "desk@harbor-museum.example";
const DESK_ID: &str = "1001ab000000000000000001";
const SITE: &str = "https://harbor-museum.example/staff?loginToken=";
const ORIGIN: (&str, &str) = ("origin", "http://localhost:3000");
const TENANT: (&str, &str) = ("x-b2c-tenant-id", "1001");
const OFFICE: [(&str, &str); 1] = [("x-service-api-key", "demo-b2b-1001")];

const NOT_VALID: (u16, &str) = (400, "LOGIN_TOKEN_NOT_VALID");
const SIGNED_OUT: (u16, &str) = (401, "UNAUTHORIZED");
const REFUSED: (u16, &str) = (403, "FORBIDDEN");

async fn ask(service: &Service, email: &str, headers: &[(&str, &str)]) -> Answer {
    let headers = [&[TENANT, ORIGIN][..], headers].concat();
    service.request("POST", LOGIN, &headers, Some(&json!({"email": email}))).await
}

async fn open(service: &Service, token: &str, headers: &[(&str, &str)]) -> Answer {
    let headers = [&[TENANT, ORIGIN][..], headers].concat();
    service.request("POST", SESSION, &headers, Some(&json!({"token": token}))).await
}

async fn outbox(service: &Service) -> Vec<Value> {
    service.request("GET", "/sandbox/outbox", &OFFICE, None).await.body.as_array().unwrap().clone()
}

/// Asks for a link and reads its token out of the mail.
async fn token_at(service: &Service, email: &str, headers: &[(&str, &str)]) -> String {
    assert_eq!(ask(service, email, headers).await.status, 200);
    service.deliver_mail().await;
    let delivery = outbox(service).await.last().unwrap()["deliveryId"].as_str().unwrap().to_owned();
    let mail = service.request("GET", &format!("/sandbox/outbox/{delivery}"), &OFFICE, None).await;
    token_in(&mail, SITE)
}

async fn token(service: &Service, email: &str) -> String {
    token_at(service, email, &[]).await
}

/// Whoever looks at the newest mail in a browser can copy its link as it stands.
#[tokio::test(flavor = "multi_thread")]
async fn a_browser_shows_the_link_of_the_newest_mail() {
    let service = Service::start().await;
    let token = token(&service, DESK).await;
    let newest = |accept: &'static str| {
        let headers = [OFFICE[0], ("accept", accept)];
        let service = &service;
        async move { service.request("GET", "/sandbox/outbox/newest", &headers, None).await }
    };
    let shown = newest("text/html,application/xhtml+xml,*/*;q=0.8").await;
    assert_eq!(shown.header("content-type"), "text/plain; charset=utf-8");
    let text = String::from_utf8(shown.bytes.clone()).unwrap();
    assert!(text.contains(&format!("{SITE}{token}")), "{text}");
    let whole = newest("*/*").await;
    assert_eq!((whole.header("content-type"), token_in(&whole, SITE)), ("message/rfc822", token));
}

/// Signs in, and answers the text of the session.
async fn sign_in(service: &Service, email: &str) -> String {
    let token = token(service, email).await;
    let begun = open(service, &token, &[]).await;
    assert_eq!(begun.status, 200, "{}", begun.body);
    begun.body["session"].as_str().unwrap().to_owned()
}

/// Sends a request in a session, from one of the tenant's pages.
async fn send(service: &Service, session: &str, method: &str, path: &str, body: Value) -> Answer {
    let headers = [("x-service-session", session), ORIGIN];
    service.request(method, path, &headers, Some(&body).filter(|body| !body.is_null())).await
}

async fn read(service: &Service, session: &str, path: &str) -> Answer {
    send(service, session, "GET", path, Value::Null).await
}

/// A person with these roles, by her address.
async fn add(service: &Service, email: &str, roles: &[&str]) -> String {
    let person = json!({"email": email, "name": "Kim", "roles": roles});
    let made = service.request("POST", STAFF, &OFFICE, Some(&person)).await;
    assert_eq!(made.status, 200, "{}", made.body);
    made.body["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_opens_a_session_of_twelve_hours_that_is_shown_once() {
    let service = Service::start().await;
    let clock = [("x-service-test-now", "2027-03-02T10:00:00-05:00")];
    let token = token_at(&service, "DESK@Harbor-Museum.example", &clock).await;
    let mail = outbox(&service).await.pop().unwrap();
    assert_eq!((&mail["to"], &mail["subject"]), (&json!(DESK), &json!("Sign in to Harbor Museum")));
    let mut begun = open(&service, &token, &clock).await;
    let session = begun.body["session"].take();
    let session = session.as_str().unwrap();
    assert!(
        session.starts_with(&format!("bxs_1001.{DESK_ID}.")) && session.len() == 8 + 1 + 24 + 1 + 48,
        "{session}"
    );
    assert_eq!(
        begun.body,
        json!({
            "session": null, "expiresAt": "2027-03-02T22:00:00-05:00",
            "person": {"id": DESK_ID, "email": DESK, "name": "Demo Desk", "roles": ["admin", "boxOffice", "door"], "active": true},
            "tenant": {"id": 1001, "name": "Harbor Museum", "timeZone": "America/New_York"},
        })
    );
    // What is stored opens nothing.
    let items = all_items(&service.embedded, "boxoffice-catalog").await;
    let stored: Vec<String> = items.iter().map(|item| format!("{item:?}")).collect();
    assert!(stored.iter().any(|item| item.contains(DESK_ID)));
    let secret = session.rsplit('.').next().unwrap();
    assert!(stored.iter().all(|item| !item.contains(secret)));
    let at = |now: &'static str| [("x-service-session", session), ORIGIN, ("x-service-test-now", now)];
    for (now, status) in [
        ("2027-03-02T10:00:00-05:00", 200),
        ("2027-03-02T21:59:59-05:00", 200),
        ("2027-03-02T22:00:00-05:00", 401),
    ] {
        assert_eq!(service.request("GET", STAFF, &at(now), None).await.status, status, "{now}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_works_once_and_for_fifteen_minutes() {
    let service = Service::start().await;
    let clock = |now: &'static str| [("x-service-test-now", now)];
    let early = clock("2027-03-02T10:00:00-05:00");
    let late = token_at(&service, DESK, &early).await;
    assert_eq!(open(&service, &late, &clock("2027-03-02T10:15:00-05:00")).await.kind(), NOT_VALID);
    let used = token_at(&service, DESK, &early).await;
    assert_eq!(open(&service, &used, &clock("2027-03-02T10:14:59-05:00")).await.status, 200);
    let again = open(&service, &used, &early).await;
    assert_eq!((again.kind(), &again.body["details"][0]["field"]), (NOT_VALID, &json!("/token")));
    for other in ["x", "", &used.replace('-', ""), &format!("{used}0")] {
        assert_eq!(open(&service, other, &early).await.status, 400, "{other}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_who_use_a_link_at_once_one_is_signed_in() {
    let service = Service::start().await;
    let other = service.another_process(FaultPlan::new());
    for _ in 0..5 {
        let token = token(&service, DESK).await;
        let (one, two) = tokio::join!(open(&service, &token, &[]), open(&other, &token, &[]));
        let mut seen = [one.kind(), two.kind()];
        seen.sort_unstable();
        assert_eq!(seen, [(200, "OK"), NOT_VALID]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_made_here_and_never_taken_over_from_whoever_signs_in() {
    let service = Service::start().await;
    let own = format!("bxs_1001.{DESK_ID}.{}", "ab".repeat(24));
    let token = token(&service, DESK).await;
    let begun = open(&service, &token, &[("x-service-session", &own)]).await;
    let session = begun.body["session"].as_str().unwrap();
    assert_ne!(session, own);
    assert_eq!(read(&service, &own, STAFF).await.kind(), SIGNED_OUT);
    let before = sign_in(&service, DESK).await;
    let token = self::token(&service, DESK).await;
    let next = open(&service, &token, &[("x-service-session", &before)]).await;
    assert_ne!(next.body["session"], json!(before));
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_learns_who_works_here() {
    let service = Service::start().await;
    let away = add(&service, "away@example.test", &["admin"]).await;
    let body = json!({"email": "away@example.test", "name": "Kim", "active": false});
    service.request("PUT", &format!("{STAFF}/{away}"), &OFFICE, Some(&body)).await;
    let addresses = [DESK, "away@example.test", "nobody@example.test", "ada.lindqvist@example.test"];
    ask(&service, "first@example.test", &[]).await;
    let mut seen = Vec::new();
    for email in addresses {
        let depth = service.queue.depth();
        service.plan.reset();
        let answer = ask(&service, email, &[]).await;
        let names: Vec<String> = answer.headers.keys().map(ToString::to_string).collect();
        let mut calls = service.plan.calls();
        calls.sort();
        seen.push((answer.status, answer.bytes, names, calls, service.queue.depth() - depth));
    }
    for other in &seen[1..] {
        assert_eq!(other, &seen[0], "answer, headers, calls of the database and of the queue");
    }
    assert_eq!((seen[0].0, seen[0].1.as_slice(), seen[0].3.len()), (200, &br#"{"minutes":15}"#[..], 3));
    service.deliver_mail().await;
    let mails = outbox(&service).await;
    assert_eq!(mails.iter().map(|mail| &mail["to"]).collect::<Vec<_>>(), [DESK]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_of_a_member_is_none_of_staff_and_the_other_way_round() {
    let service = Service::start().await;
    add(&service, "ada.lindqvist@example.test", &["admin"]).await;
    let shop = [("x-service-api-key", "demo-b2c-1001")];
    let validate = "/v2/b2c/membership/validate/login";
    service.request("GET", &format!("{validate}?email=ada.lindqvist@example.test"), &shop, None).await;
    service.deliver_mail().await;
    let delivery = outbox(&service).await.pop().unwrap()["deliveryId"].as_str().unwrap().to_owned();
    let mail = service.request("GET", &format!("/sandbox/outbox/{delivery}"), &OFFICE, None).await;
    let of_member = token_in(&mail, "members?loginToken=");
    assert_eq!(open(&service, &of_member, &[]).await.kind(), NOT_VALID);
    let of_staff = token(&service, "ada.lindqvist@example.test").await;
    let tried = service.request("POST", validate, &shop, Some(&json!({"token": of_staff}))).await;
    assert_eq!(tried.kind(), NOT_VALID);
    assert_eq!(open(&service, &of_staff, &[]).await.status, 200, "and it was not used up");
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_open_what_the_scopes_of_keys_open() {
    let service = Service::start().await;
    let reservations = "/v2/b2b/reservations/5";
    for (role, staff, till) in
        [("admin", 200, 200), ("boxOffice", 403, 200), ("door", 403, 403), ("reports", 403, 403)]
    {
        let email = format!("{role}@example.test").to_lowercase();
        add(&service, &email, &[role]).await;
        let session = sign_in(&service, &email).await;
        let seen = read(&service, &session, STAFF).await;
        assert_eq!(seen.status, staff, "{role}: {}", seen.body);
        if staff == 403 {
            assert_eq!(seen.body["message"], "This route needs another role");
        }
        assert_eq!(read(&service, &session, COUNTRIES).await.status, till, "{role}");
        let held = read(&service, &session, reservations).await.status;
        assert_eq!(held, if till == 200 { 404 } else { 403 }, "{role}");
        // No session is that of a shop, a partner or a merchant.
        assert_eq!(read(&service, &session, "/v2/b2c/orders/1").await.kind(), REFUSED, "{role}");
        let partner = read(&service, &session, "/v1/payment/onboard/1").await;
        assert_eq!(partner.kind(), SIGNED_OUT, "{role}");
        assert_eq!(send(&service, &session, "DELETE", SESSION, Value::Null).await.status, 200, "{role}");
        assert_eq!(read(&service, &session, COUNTRIES).await.kind(), SIGNED_OUT, "{role}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_sent_home_works_nowhere_from_then_on() {
    let service = Service::start().await;
    let kim = add(&service, "kim@example.test", &["admin"]).await;
    let (other, path) = (service.another_process(FaultPlan::new()), format!("{STAFF}/{kim}"));
    let away = json!({"email": "kim@example.test", "name": "Kim", "roles": ["admin"], "active": false});
    let here = json!({"email": "kim@example.test", "name": "Kim", "roles": ["admin"]});
    let moved = json!({"email": "other@example.test", "name": "Kim", "roles": ["admin"]});
    let less = json!({"email": "other@example.test", "name": "Kim", "roles": ["door"]});
    let session = sign_in(&service, "kim@example.test").await;
    // Whatever is cached is cached in both processes.
    for process in [&service, &other] {
        assert_eq!(read(process, &session, STAFF).await.status, 200);
    }
    let unused = token(&service, "kim@example.test").await;
    let change = async |body: &Value| {
        let changed = service.request("PUT", &path, &OFFICE, Some(body)).await;
        assert_eq!(changed.status, 200, "{}", changed.body);
    };
    change(&away).await;
    for process in [&service, &other] {
        assert_eq!(read(process, &session, STAFF).await.kind(), SIGNED_OUT);
    }
    assert_eq!(open(&service, &unused, &[]).await.kind(), NOT_VALID);
    change(&here).await;
    assert_eq!(read(&other, &session, STAFF).await.kind(), SIGNED_OUT, "coming back opens no session");

    let session = sign_in(&service, "kim@example.test").await;
    change(&moved).await;
    assert_eq!(read(&other, &session, STAFF).await.kind(), SIGNED_OUT);
    let session = sign_in(&service, "other@example.test").await;
    change(&less).await;
    assert_eq!(read(&other, &session, STAFF).await.kind(), REFUSED, "roles are those of now");
    service.request("DELETE", &path, &OFFICE, None).await;
    assert_eq!(read(&other, &session, COUNTRIES).await.kind(), SIGNED_OUT);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ends_alone_or_with_all_of_its_person() {
    let service = Service::start().await;
    let sessions =
        [sign_in(&service, DESK).await, sign_in(&service, DESK).await, sign_in(&service, DESK).await];
    let other = service.another_process(FaultPlan::new());
    let out = send(&service, &sessions[0], "DELETE", SESSION, Value::Null).await;
    assert_eq!((out.status, &out.body["id"]), (200, &json!(DESK_ID)));
    assert_eq!(send(&service, &sessions[0], "DELETE", SESSION, Value::Null).await.kind(), SIGNED_OUT);
    assert_eq!(read(&other, &sessions[0], STAFF).await.kind(), SIGNED_OUT);
    assert_eq!(read(&other, &sessions[1], STAFF).await.status, 200);
    let path = format!("{STAFF}/{DESK_ID}/sessions");
    let ended = send(&service, &sessions[1], "DELETE", &path, Value::Null).await;
    assert_eq!(ended.status, 200, "{}", ended.body);
    for session in &sessions {
        assert_eq!(read(&other, session, STAFF).await.kind(), SIGNED_OUT);
    }
    let next = sign_in(&service, DESK).await;
    assert_eq!(read(&other, &next, STAFF).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_works_from_the_pages_of_its_tenant_only() {
    let service = Service::start().await;
    let session = sign_in(&service, DESK).await;
    let body = json!({"reservationItems": []});
    for (origin, write, reading) in [
        (Some("http://localhost:3000"), 200, 200),
        (Some("https://elsewhere.example"), 403, 403),
        (Some("null"), 403, 403),
        (Some("http://localhost:3000/"), 403, 403),
        // Browsers name it with every write.
        (None, 403, 200),
    ] {
        let mut headers = vec![("x-service-session", session.as_str())];
        headers.extend(origin.map(|origin| ("origin", origin)));
        let wrote = service.request("POST", "/v2/b2b/reservations", &headers, Some(&body)).await;
        assert_eq!(wrote.status, write, "{origin:?}: {}", wrote.body);
        assert_eq!(service.request("GET", STAFF, &headers, None).await.status, reading, "{origin:?}");
    }
    for (path, body) in [(LOGIN, json!({"email": DESK})), (SESSION, json!({"token": "x"}))] {
        let mut told = Vec::new();
        for headers in [
            vec![TENANT],
            vec![TENANT, ("origin", "https://elsewhere.example")],
            vec![("x-b2c-tenant-id", "9999"), ORIGIN],
            vec![("x-b2c-tenant-id", "abc"), ORIGIN],
        ] {
            let refused = service.request("POST", path, &headers, Some(&body)).await;
            assert_eq!(refused.kind(), REFUSED, "{path} {headers:?}");
            told.push(refused.body["message"].clone());
        }
        assert!(told.iter().all(|message| *message == told[0]), "{told:?}");
        let unnamed = service.request("POST", path, &[ORIGIN], Some(&body)).await;
        assert_eq!(unnamed.body["details"], json!([{"field": "x-b2c-tenant-id", "message": "is required"}]));
    }
    let preflight = [ORIGIN, ("access-control-request-method", "POST")];
    let allowed = service.request("OPTIONS", STAFF, &preflight, None).await;
    assert!(allowed.header("access-control-allow-headers").contains("x-service-session"));
    let signed_out = read(&service, "bxs_1001.x.y", STAFF).await;
    assert_eq!(signed_out.kind(), SIGNED_OUT);
    assert_eq!(signed_out.header("set-cookie"), "", "nothing that a browser sends by itself");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_of_its_tenant_and_stands_for_a_key() {
    let service = Service::start().await;
    let session = sign_in(&service, DESK).await;
    let with = |more: (&'static str, &'static str)| [("x-service-session", session.as_str()), ORIGIN, more];
    let elsewhere = service.request("GET", STAFF, &with(("x-b2c-tenant-id", "1002")), None).await;
    assert_eq!(elsewhere.kind(), REFUSED);
    let told = json!([{"field": "x-service-session", "message": "must not be sent together with x-service-api-key"}]);
    for (method, path) in [("GET", STAFF), ("DELETE", SESSION)] {
        let both = service.request(method, path, &with(OFFICE[0]), None).await;
        assert_eq!((both.status, &both.body["details"]), (400, &told), "{method}");
    }
    let of_zoo = session.replace("bxs_1001", "bxs_1002");
    assert_eq!(read(&service, &of_zoo, STAFF).await.kind(), SIGNED_OUT);
    let altered = format!("{}0", &session[..session.len() - 1]);
    let altered = if altered == session { format!("{}1", &session[..session.len() - 1]) } else { altered };
    assert_eq!(read(&service, &altered, STAFF).await.kind(), SIGNED_OUT);
    // With the tenant that browsing asks for, she is shown what her roles sell.
    let listed = service.request("GET", "/v2/b2c/event/templates/slim", &with(TENANT), None).await;
    assert_eq!(listed.status, 200, "{}", listed.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_does_shows_her_name_whatever_a_device_says() {
    let service = Service::start().await;
    let session = sign_in(&service, DESK).await;
    let headers = [("x-service-session", session.as_str()), ORIGIN, ("x-service-operator", "Somebody Else")];
    let body = json!({"reservationItems": []});
    let made = service.request("POST", "/v2/b2b/reservations", &headers, Some(&body)).await;
    assert_eq!((made.status, &made.body["createdBy"]), (200, &json!("Demo Desk")), "{}", made.body);
    let membership = service
        .request(
            "PUT",
            "/v2/b2b/memberships/100100051",
            &headers,
            Some(&json!({"cards": [
                {"id": 100_100_071, "phoneNumber": "555 0199"},
            ]})),
        )
        .await;
    assert_eq!(
        (membership.status, &membership.body["updatedBy"]),
        (200, &json!("Demo Desk")),
        "{}",
        membership.body
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mailbox_of_staff_is_not_flooded_and_nobody_is_told() {
    let service = Service::start().await;
    let id = TenantId::parse(1001).unwrap();
    let mut tenant = service.store.load_tenant(id, Consistency::Strong).await.unwrap().unwrap();
    tenant.limits.insert(RateLimit::StaffMailsPerMailbox, Rate::parse("2/900").unwrap());
    tenant.limits.insert(RateLimit::LoginMailsPerAddress, Rate::parse("4/1800").unwrap());
    service.store.save_tenant(&tenant).await.unwrap();
    let service = service.another_process(FaultPlan::new());
    let clock = [("x-service-test-now", "2027-03-02T10:00:00-05:00")];
    for turn in 0..4 {
        let answer = ask(&service, DESK, &clock).await;
        assert_eq!((answer.status, &answer.body), (200, &json!({"minutes": 15})), "{turn}");
    }
    service.deliver_mail().await;
    assert_eq!(outbox(&service).await.len(), 2);
    let refused = ask(&service, "nobody@example.test", &clock).await;
    assert_eq!(refused.kind(), (429, "THROTTLED"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_costs_one_round_trip_more_than_a_key() {
    let service = Service::start().await;
    let session = sign_in(&service, DESK).await;
    for _ in 0..2 {
        service.request("GET", STAFF, &OFFICE, None).await;
        read(&service, &session, STAFF).await;
    }
    let by_key = service.request("GET", STAFF, &OFFICE, None).await.calls;
    let in_session = read(&service, &session, STAFF).await.calls;
    assert_eq!((by_key.rounds, by_key.total), (1, 1));
    assert_eq!((in_session.rounds, in_session.total), (2, 3));
    let out = send(&service, &session, "DELETE", SESSION, Value::Null).await.calls;
    assert_eq!((out.rounds, out.total), (2, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn persons_are_kept_like_other_records_and_no_two_share_an_address() {
    let service = Service::start().await;
    let kim = add(&service, "kim@example.test", &["boxOffice"]).await;
    let path = format!("{STAFF}/{kim}");
    let taken = json!({"email": "KIM@Example.test", "name": "Lee"});
    let refused = service.request("POST", STAFF, &OFFICE, Some(&taken)).await;
    let told = json!([{"field": "/email", "message": "is already used by another person"}]);
    assert_eq!((refused.status, &refused.body["details"]), (400, &told));
    let first = service.request("GET", &path, &OFFICE, None).await;
    let tag = first.header("etag").to_owned();
    let renamed = json!({"email": "kim@example.test", "name": "Kim Okafor", "roles": ["boxOffice"]});
    let changed = service.request("PUT", &path, &[OFFICE[0], ("if-match", &tag)], Some(&renamed)).await;
    assert_eq!((changed.status, &changed.body["name"]), (200, &json!("Kim Okafor")));
    let stale = service.request("DELETE", &path, &[OFFICE[0], ("if-match", &tag)], None).await;
    assert_eq!(stale.kind(), (412, "PRECONDITION_FAILED"));
    let listed = service.request("GET", STAFF, &OFFICE, None).await.body;
    let names: Vec<&str> =
        listed["list"].as_array().unwrap().iter().map(|person| person["name"].as_str().unwrap()).collect();
    assert_eq!((names, &listed["pagination"]["count"]), (vec!["Demo Desk", "Kim Okafor"], &json!(2)));
    let repeat = [OFFICE[0], ("idempotency-key", "lee")];
    let lee = json!({"email": "lee@example.test", "name": "Lee"});
    let made = service.request("POST", STAFF, &repeat, Some(&lee)).await;
    let again = service.request("POST", STAFF, &repeat, Some(&lee)).await;
    assert_eq!((again.replayed, &again.body), (true, &made.body));
    assert_eq!(service.request("DELETE", &path, &OFFICE, None).await.status, 200);
    assert_eq!(service.request("GET", &path, &OFFICE, None).await.status, 404);
    add(&service, "kim@example.test", &[]).await;
}
