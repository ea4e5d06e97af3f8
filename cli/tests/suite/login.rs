//! Logging in by a link in a mail, from the request to what the link opens.

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::demo::{mail_text, token_in};
use boxoffice::testing::Service;
use domain::TenantId;
use engine::Fault;
use serde_json::{Value, json};
use store::Consistency;
use testkit::Answer;

const PATH: &str = "/v2/b2c/membership/validate/login";
const SERVER: [(&str, &str); 1] = [("x-service-api-key", "demo-b2c-1001")];
const MEMBER: &str = "ada.lindqvist@example.test";
const SITE: &str = "https://harbor-museum.example/members?loginToken=";

async fn ask(service: &Service, email: &str) -> Answer {
    service.request("GET", &format!("{PATH}?email={email}"), &SERVER, None).await
}

async fn log_in(service: &Service, token: &str, headers: &[(&str, &str)]) -> Answer {
    let headers = [&SERVER[..], headers].concat();
    service.request("POST", PATH, &headers, Some(&json!({"token": token}))).await
}

async fn outbox(service: &Service) -> Vec<Value> {
    service.request("GET", "/sandbox/outbox", &SERVER, None).await.body.as_array().unwrap().clone()
}

async fn last_mail(service: &Service) -> Answer {
    let delivery = outbox(service).await.last().unwrap()["deliveryId"].as_str().unwrap().to_owned();
    service.request("GET", &format!("/sandbox/outbox/{delivery}"), &SERVER, None).await
}

/// Asks for a link and reads its token out of the mail.
async fn token(service: &Service, email: &str) -> String {
    assert_eq!(ask(service, email).await.status, 204);
    service.deliver_mail().await;
    token_in(&last_mail(service).await, SITE)
}

const NOT_VALID: (u16, &str) = (400, "LOGIN_TOKEN_NOT_VALID");

#[tokio::test(flavor = "multi_thread")]
async fn a_member_gets_a_link_that_opens_the_card_once() {
    let service = Service::start().await;
    let token = token(&service, "ADA.Lindqvist@example.test").await;
    let [mail] = <[Value; 1]>::try_from(outbox(&service).await).unwrap();
    assert_eq!(
        (&mail["to"], &mail["subject"], &mail["orderNumber"], &mail["tenantId"]),
        (&json!("ada.lindqvist@example.test"), &json!("Log in to Harbor Museum"), &json!(""), &json!(1001))
    );
    assert!(mail_text(&last_mail(&service).await).contains("The link works once and expires in 30 minutes."));
    let known = "/v2/b2c/membership/validate?membershipId=100100031&lastName=Lindqvist";
    let mut shown = service.request("GET", known, &SERVER, None).await.body;
    let mut opened = log_in(&service, &token, &[]).await;
    // The proofs are those of two moments.
    for answer in [&mut shown, &mut opened.body] {
        let entry = answer[0].as_object_mut().unwrap();
        // Whoever has the link named nobody.
        entry.remove("lastNameMatches");
        assert!(entry.remove("memberProof").is_some_and(|proof| proof.is_string()));
    }
    assert_eq!((opened.status, &opened.body), (200, &shown));
    assert_eq!(opened.body[0]["memberListEntry"]["firstName"], "Ada");
    let again = log_in(&service, &token, &[]).await;
    assert_eq!((again.kind(), &again.body["errorCode"]), (NOT_VALID, &json!(20050)));
    assert_eq!(again.body["details"][0]["field"], "/token");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_learns_who_is_a_member() {
    let service = Service::start().await;
    let (member, stranger) = (MEMBER, "nobody@example.test");
    for email in [member, stranger] {
        ask(&service, email).await;
    }
    let mut seen = Vec::new();
    for email in [member, stranger] {
        let depth = service.queue.depth();
        service.plan.reset();
        let answer = ask(&service, email).await;
        let names: Vec<String> = answer.headers.keys().map(ToString::to_string).collect();
        let mut calls = service.plan.calls();
        calls.sort();
        seen.push((answer.status, answer.bytes, names, calls, service.queue.depth() - depth));
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!((seen[0].0, seen[0].1.as_slice(), seen[0].3.len(), seen[0].4), (204, &b""[..], 3, 1));
    service.deliver_mail().await;
    let mails = outbox(&service).await;
    assert_eq!(mails.iter().map(|mail| &mail["to"]).collect::<Vec<_>>(), [member, member]);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_an_address_is_written_to() {
    let service = Service::start().await;
    for (query, message) in [
        ("", "is required"),
        ("?email=", "must not be blank"),
        ("?email=%20", "must not be blank"),
        ("?email=ada", "must be an e-mail address"),
        ("?email=ada@", "must be an e-mail address"),
        ("?email=a@example.test,b@example.test", "must be an e-mail address"),
        ("?email=a@example.test%0d%0aBcc:b@example.test", "must be an e-mail address"),
    ] {
        let refused = service.request("GET", &format!("{PATH}{query}"), &SERVER, None).await;
        assert_eq!(refused.kind(), (400, "VALIDATION_ERROR"), "{query}");
        let details = json!([{"field": "email", "message": message}]);
        assert_eq!(refused.body["details"], details, "{query}");
    }
    assert_eq!(service.queue.depth(), 0);
    assert_eq!(ask(&service, "ada%2Bzoo@example.test").await.status, 204);
    assert_eq!(ask(&service, "ada+zoo@example.test").await.status, 204);
    let missing = service.request("POST", PATH, &SERVER, Some(&json!({"token": " "}))).await;
    assert_eq!(
        (missing.kind(), &missing.body["details"][0]["field"]),
        ((400, "VALIDATION_ERROR"), &json!("/token"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_refused_when_it_is_altered_late_or_another_tenants() {
    let service = Service::start().await;
    let now = |time: &'static str| [("x-service-test-now", time)];
    let headers = [SERVER[0], now("2027-05-01T10:00:00-04:00")[0]];
    let asked = service.request("GET", &format!("{PATH}?email={MEMBER}"), &headers, None).await;
    assert_eq!(asked.status, 204);
    service.deliver_mail().await;
    let mail = mail_text(&last_mail(&service).await);
    let (_, link) = mail.split_once(SITE).unwrap();
    let token = link.split_whitespace().next().unwrap().to_owned();
    let (secret, rest) = token.split_once('-').unwrap();
    let (expires, signature) = rest.split_once('-').unwrap();
    let later: i64 = expires.parse::<i64>().unwrap() + 60;
    let live = now("2027-05-01T10:29:59-04:00");
    for wrong in [
        "x".to_owned(),
        format!("{secret}-{later}-{signature}"),
        format!("{}-{expires}-{signature}", "0".repeat(32)),
        format!("{secret}-{expires}-{}", "0".repeat(64)),
        token.to_uppercase(),
        format!("{token}0"),
    ] {
        assert_eq!(log_in(&service, &wrong, &live).await.kind(), NOT_VALID, "{wrong}");
    }
    assert_eq!(log_in(&service, &token, &now("2027-05-01T10:30:00-04:00")).await.kind(), NOT_VALID);
    let other = [("x-service-api-key", "demo-b2c-1002"), live[0]];
    let stranger = service.request("POST", PATH, &other, Some(&json!({"token": token}))).await;
    assert_eq!(stranger.kind(), NOT_VALID);
    assert_eq!(log_in(&service, &token, &live).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_is_shown_as_it_stands_when_the_link_is_used() {
    let service = Service::start().await;
    let (crew, captain) = ("1001bb000000000000000001", "1001bb000000000000000002");
    let info = json!({
        "membershipId": 100_100_051, "membershipCategoryId": captain, "pricePointId": "1001aa000000000000000001",
        "membershipOfferingId": "1001bf00000000000000000000000002", "isGift": false,
        "membershipCards": [{"firstName": "Ada", "lastName": "Lindqvist", "email": MEMBER}],
    });
    let line = json!({"itemType": "MembershipRenewalUpgrade", "quantity": 1, "membershipInfo": info});
    let checkout = json!({
        "shoppingCart": {"items": [line]}, "billingEmail": MEMBER, "manualEntryCardNumber": "4242424242424242",
        "expDate": "1230", "cvc": "123", "sendEmail": false,
    });
    let shopper = [SERVER[0], ("x-b2c-tenant-id", "1001"), ("x-service-browser-ip", "203.0.113.24")];
    let sold = service.request("POST", "/v2/b2c/checkout", &shopper, Some(&checkout)).await;
    assert_eq!(sold.status, 200, "{}", sold.body);
    for (time, level) in [("2030-12-31T23:20:00-05:00", crew), ("2031-01-01T00:00:00-05:00", captain)] {
        let clock = [("x-service-test-now", time)];
        let headers = [SERVER[0], clock[0]];
        service.request("GET", &format!("{PATH}?email={MEMBER}"), &headers, None).await;
        service.deliver_mail().await;
        let mail = mail_text(&last_mail(&service).await);
        let (_, link) = mail.split_once(SITE).unwrap();
        let opened = log_in(&service, link.split_whitespace().next().unwrap(), &clock).await;
        assert_eq!(opened.body[0]["memberListEntry"]["categoryId"], level, "{time}: {}", opened.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_uses_at_once_one_opens_the_card_and_its_repetition_has_the_same_answer() {
    let service = Service::start().await;
    let link = token(&service, MEMBER).await;
    let uses = (0..8).map(|_| log_in(&service, &link, &[]));
    let answers = futures_of(uses).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert!(answers.iter().all(|answer| answer.status == 200 || answer.kind() == NOT_VALID));
    let link = token(&service, MEMBER).await;
    let key = [("idempotency-key", "login-1")];
    let first = log_in(&service, &link, &key).await;
    let second = log_in(&service, &link, &key).await;
    assert_eq!((first.status, second.header("x-service-replayed")), (200, "true"));
    assert_eq!(first.body, second.body);
    assert_eq!(log_in(&service, &link, &[("idempotency-key", "login-2")]).await.kind(), NOT_VALID);
    assert_eq!(log_in(&service, "x", &key).await.kind(), (409, "IDEMPOTENCY_KEY_REUSED"));
}

/// Runs them side by side.
async fn futures_of(uses: impl Iterator<Item = impl Future<Output = Answer>>) -> Vec<Answer> {
    let mut running: Vec<_> = uses.map(Box::pin).collect();
    let mut done = Vec::new();
    std::future::poll_fn(|context| {
        running.retain_mut(|next| match next.as_mut().poll(context) {
            std::task::Poll::Ready(answer) => {
                done.push(answer);
                false
            }
            std::task::Poll::Pending => true,
        });
        if running.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done
}

#[tokio::test(flavor = "multi_thread")]
async fn a_use_whose_answer_was_lost_can_be_repeated_with_its_key() {
    let service = Service::start().await;
    let link = token(&service, MEMBER).await;
    let moment = |secs| domain::time::plus_secs(adapters::clock::wall_now(), secs).to_rfc3339();
    let use_at = async |time: String| {
        let headers = [("idempotency-key", "login-3"), ("x-service-test-now", time.as_str())];
        log_in(&service, &link, &headers).await
    };
    service.plan.reset();
    // The first update claims nothing: the key is claimed by a put, the link used by an update.
    service.plan.at_operation("UpdateItem", 0, Fault::AnswerLost);
    assert_eq!(use_at(moment(0)).await.kind(), (503, "TRY_AGAIN"));
    assert_eq!(service.plan.injected().len(), 1);
    assert_eq!(use_at(moment(1)).await.kind(), (409, "REQUEST_IN_PROGRESS"));
    let again = use_at(moment(61)).await;
    assert_eq!((again.status, &again.body[0]["status"]), (200, &json!("verified")));
}

/// Everything in the tables that such requests touch, but the mailbox of the sandbox.
async fn stored(service: &Service) -> String {
    let mut stored = String::new();
    for table in ["boxoffice-carts", "boxoffice-members", "boxoffice-orders"] {
        let scanned = service.embedded.client().scan().table_name(table).send().await.unwrap();
        assert!(scanned.last_evaluated_key.is_none());
        let items = scanned.items.unwrap_or_default().into_iter();
        let own = items.filter(|item| !item["pk"].as_s().unwrap().contains("SANDBOX#"));
        stored.extend(own.map(|item| format!("{item:?}")));
    }
    stored
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_link_is_stored_or_queued() {
    let service = Service::start().await;
    assert_eq!(ask(&service, MEMBER).await.status, 204);
    let queued = service.queue.receive(1).await;
    let job: Value = serde_json::from_str(&queued[0].body).unwrap();
    let names: Vec<&String> = job.as_object().unwrap().keys().collect();
    assert_eq!(names, ["loginRequestId", "tenantId"]);
    service.queue.delete(queued[0].receipt);
    let link = token(&service, MEMBER).await;
    assert_eq!(log_in(&service, &link, &[("idempotency-key", "login-4")]).await.status, 200);
    let stored = stored(&service).await;
    assert!(stored.contains("LOGIN#"), "the request is not among what is stored");
    for part in link.split('-').filter(|part| part.len() > 10) {
        assert!(!stored.contains(part));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_gave_up_the_card_meanwhile_is_shown_nothing() {
    let service = Service::start().await;
    let link = token(&service, MEMBER).await;
    let staff = [("x-service-api-key", "demo-b2b-1001")];
    let card = "/v2/b2b/memberships/100100051/cards/100100071";
    assert_eq!(service.request("DELETE", card, &staff, None).await.status, 200);
    let opened = log_in(&service, &link, &[]).await;
    assert_eq!(
        (opened.status, opened.body),
        (
            200,
            json!([{"status": "not_found", "lastNameMatches": null, "memberListEntry": null, "memberProof": null}])
        )
    );
    ask(&service, MEMBER).await;
    service.deliver_mail().await;
    assert_eq!(outbox(&service).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_without_a_site_sends_no_link() {
    let service = Service::start().await;
    let id = TenantId::parse(1001).unwrap();
    let tenant = service.store.load_tenant(id, Consistency::Strong).await.unwrap().unwrap();
    let tenant = domain::tenant::Tenant { consumer_site: None, ..tenant };
    service.store.save_tenant(&tenant).await.unwrap();
    let service = service.another_process(engine::FaultPlan::new());
    assert_eq!(ask(&service, MEMBER).await.status, 204);
    assert_eq!(service.deliver_mail().await, 1);
    assert_eq!(outbox(&service).await, Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_cannot_be_queued_is_to_be_repeated() {
    let service = Service::start().await;
    ask(&service, MEMBER).await;
    service.plan.reset();
    service.plan.at_operation("PutItem", 0, Fault::Throttle(engine::Throttling::Account));
    service.plan.at_operation("PutItem", 1, Fault::Throttle(engine::Throttling::Account));
    service.plan.at_operation("PutItem", 2, Fault::Throttle(engine::Throttling::Account));
    let depth = service.queue.depth();
    assert_eq!(ask(&service, MEMBER).await.kind(), (503, "TRY_AGAIN"));
    assert_eq!(service.queue.depth(), depth);
}

#[tokio::test(flavor = "multi_thread")]
async fn using_a_link_costs_three_calls_and_beside_them_the_count_of_who_does() {
    let service = Service::start().await;
    let link = token(&service, MEMBER).await;
    log_in(&service, "x", &[]).await;
    let known = "/v2/b2c/membership/exists?email=nobody@example.test";
    service.request("GET", known, &SERVER, None).await;
    service.plan.reset();
    assert_eq!(log_in(&service, &link, &[]).await.status, 200);
    assert_eq!(service.plan.calls().len(), 4, "{:?}", service.plan.calls());
    service.plan.reset();
    assert_eq!(log_in(&service, "x", &[]).await.status, 400);
    assert_eq!(service.plan.calls(), ["UpdateItem"]);
}
