//! Mails with a link to log in by.

use super::support::{Answer, Outside, service_with_site, tenant_id, try_job};
use crate::render::{LoginLinkMail, MailAddress, render_login};
use crate::{DeliverError, Delivered};
use domain::login::LoginRequest;
use domain::membership::Membership;
use domain::outbox::{LoginMail, MailJob, MailState};
use domain::time::plus_secs;
use domain::{LoginRequestId, Timestamp};
use engine::{Fault, Throttling};
use mail_parser::MessageParser;
use platform::App;
use platform::clock::wall_now;
use platform::login::{secret_of, token_of};
use serde_json::json;
use store::Key;
use store::login::login_key;

const MEMBER: &str = "ada@example.test";

/// Stores a member, and a request to log in of that number.
async fn request(app: &App, number: u8, email: &str) -> (MailJob, Key) {
    let membership: Membership = serde_json::from_value(json!({
        "id": 7, "number": 8, "level": "crew", "offering": "year", "price_point": "adult",
        "joined": "2026-01-01T00:00:00Z", "started": "2026-01-01T00:00:00Z", "expires": "2030-01-01T00:00:00Z",
        "cards": [{"id": 1, "barcode": "B1", "person": {"first_name": "Ada", "email": MEMBER}}],
    }))
    .unwrap();
    app.store.save_membership(tenant_id(), "login", &membership).await.unwrap();
    let key = app.hash_key(&app.tenant(tenant_id()).await.unwrap()).await.unwrap();
    let id = LoginRequestId::from_bytes([number; 12]);
    let request = LoginRequest::new(id.clone(), email.to_owned(), "2026-03-14T17:00:00Z".parse().unwrap());
    let place = login_key(tenant_id(), &secret_of(&key, &id));
    app.store.save_login_request(&place, &request, wall_now()).await.unwrap();
    (MailJob::Login(LoginMail { tenant: tenant_id(), request: id }), place)
}

async fn state(app: &App, place: &Key) -> MailState {
    app.store.load_login_request(place).await.unwrap().unwrap().state
}

#[tokio::test]
async fn a_request_is_mailed_once_however_often_it_is_handed_out() {
    let (app, _) = service_with_site().await;
    let outside = Outside::default();
    let (job, place) = request(&app, 1, MEMBER).await;
    assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::Sent);
    assert!(matches!(state(&app, &place).await, MailState::Sent { .. }));
    assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::Settled);
    let sent = outside.sent();
    assert_eq!(sent.len(), 1);
    let stored = app.store.load_login_request(&place).await.unwrap().unwrap();
    let key = app.hash_key(&app.tenant(tenant_id()).await.unwrap()).await.unwrap();
    let link = format!("https://members.harbor.example/?loginToken={}", token_of(&key, &stored).expose());
    let mail = MessageParser::default().parse(&sent[0].mime).unwrap();
    assert!(mail.body_text(0).unwrap().contains(&link));
    assert!(mail.body_html(0).unwrap().contains(&format!("href=\"{link}\"")));
    assert_eq!((sent[0].to.as_str(), sent[0].from.as_str()), (MEMBER, "tickets@harbor.example"));
    assert_eq!(sent[0].message_id, format!("<login-{}@boxoffice.example>", "01".repeat(12)));
}

#[tokio::test]
async fn the_mail_goes_to_the_address_that_is_kept() {
    let (app, _) = service_with_site().await;
    let outside = Outside::default();
    for (number, typed) in [(1, "ADA@Example.TEST"), (2, " ada@example.test")] {
        let (job, _) = request(&app, number, typed).await;
        assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::Sent, "{typed}");
    }
    assert!(outside.sent().iter().all(|mail| mail.to == MEMBER));
}

#[tokio::test]
async fn nobody_is_written_to_who_is_no_member_or_whose_request_is_gone() {
    let (app, _) = service_with_site().await;
    let outside = Outside::default();
    let (stranger, place) = request(&app, 1, "nobody@example.test").await;
    assert_eq!(try_job(&app, &outside, &stranger).await.unwrap(), Delivered::NotOwed);
    assert_eq!(state(&app, &place).await, MailState::Queued);
    let request = LoginRequestId::from_bytes([9; 12]);
    let unknown = MailJob::Login(LoginMail { tenant: tenant_id(), request });
    assert_eq!(try_job(&app, &outside, &unknown).await.unwrap(), Delivered::NotOwed);
    assert!(outside.sent().is_empty());
}

#[tokio::test]
async fn a_claim_that_is_live_keeps_others_away_and_one_that_was_left_does_not() {
    let (app, _) = service_with_site().await;
    let outside = Outside::default();
    let now = wall_now();
    let (job, place) = request(&app, 1, MEMBER).await;
    assert!(app.store.claim_login_mail(&place, now, plus_secs(now, 60)).await.unwrap());
    assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::Settled);
    assert!(outside.sent().is_empty());
    let (left, place) = request(&app, 2, MEMBER).await;
    assert!(app.store.claim_login_mail(&place, now, plus_secs(now, -1)).await.unwrap());
    assert_eq!(try_job(&app, &outside, &left).await.unwrap(), Delivered::Sent);
}

#[tokio::test]
async fn a_login_mail_is_tried_again_when_it_was_throttled_and_not_when_it_was_refused() {
    let (app, _) = service_with_site().await;
    let outside = Outside::default();
    let (job, place) = request(&app, 1, MEMBER).await;
    outside.answer_all(Answer::Throttle);
    assert!(matches!(try_job(&app, &outside, &job).await, Err(DeliverError::Transport(_))));
    assert_eq!(state(&app, &place).await, MailState::Queued);
    outside.answer_all(Answer::Refuse);
    assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::Refused);
    outside.answer_all(Answer::Accept);
    assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::Settled);
    assert!(outside.sent().is_empty());
}

#[tokio::test]
async fn a_login_mail_that_was_sent_is_marked_even_when_the_database_is_busy_for_a_moment() {
    for fault in [Fault::Throttle(Throttling::Table), Fault::AnswerLost] {
        let (app, faults) = service_with_site().await;
        let outside = Outside::default();
        let (job, place) = request(&app, 1, MEMBER).await;
        faults.reset();
        // The claim is the first update, the mark the second.
        faults.at_operation("UpdateItem", 1, fault);
        assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::Sent);
        assert_eq!(faults.injected().len(), 1);
        assert!(matches!(state(&app, &place).await, MailState::Sent { .. }));
        assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::Settled);
        assert_eq!(outside.sent().len(), 1);
    }
}

#[test]
fn a_login_mail_reads_so() {
    let address = |name: &str, address: &str| MailAddress { name: name.into(), address: address.into() };
    let dated: Timestamp = "2026-03-14T17:00:00Z".parse().unwrap();
    let mail = LoginLinkMail {
        message_id: "<login-1@boxoffice.example>".to_owned(),
        dated,
        from: address("Harbor\r\nMuseum", "tickets@harbor.example"),
        to: address("", MEMBER),
        venue_name: "Harbor\r\nBcc: x@example.test".to_owned(),
        link: "https://members.harbor.example/?lang=en&loginToken=a-1-b".to_owned(),
        minutes: 30,
    };
    let sent = render_login(&mail).unwrap();
    let message = MessageParser::default().parse(&sent.mime).unwrap();
    assert_eq!(message.subject(), Some("Log in to Harbor Bcc: x@example.test"));
    assert!(message.bcc().is_none());
    insta::assert_snapshot!(message.body_text(0).unwrap().replace("\r\n", "\n").trim(), @r"
    Harbor Bcc: x@example.test
    Your membership

    Someone asked to log in with this e-mail address. If it was you, use this link:

    https://members.harbor.example/?lang=en&loginToken=a-1-b

    The link works once and expires in 30 minutes. If you did not request it, you can ignore this e-mail.
    ");
    let nobody = LoginLinkMail { to: address("", "no mailbox"), ..mail };
    assert!(render_login(&nobody).is_err());
}
