//! Mails with a link to log in by.

use super::support::{Answer, Outside, order, sell, service_with_site, tenant_id, try_job};
use crate::locale::Locale;
use crate::render::{LoginLinkMail, MailAddress, render_login};
use crate::{DeliverError, Delivered};
use adapters::App;
use adapters::app::HostSettings;
use adapters::clock::wall_now;
use adapters::login::{secret_of, token_of};
use adapters::order_link::read_order_token;
use domain::login::{LoginParty, LoginRequest};
use domain::membership::Membership;
use domain::outbox::{LoginMail, MailJob, MailState};
use domain::staff::{StaffMark, StaffMember, StaffRole};
use domain::tenant::ConsumerSite;
use domain::time::plus_secs;
use domain::{Language, LoginRequestId, OrderNumber, StaffId, Timestamp};
use engine::{Fault, Throttling};
use mail_parser::MessageParser;
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
    let now = "2026-03-14T17:00:00Z".parse().unwrap();
    let request = LoginRequest::of(LoginParty::Member, id.clone(), email.to_owned(), now);
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
    assert!(app.store.claim_login_mail(&place, now, plus_secs(now, 60), None).await.unwrap());
    assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::Settled);
    assert!(outside.sent().is_empty());
    let (left, place) = request(&app, 2, MEMBER).await;
    assert!(app.store.claim_login_mail(&place, now, plus_secs(now, -1), None).await.unwrap());
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
        party: LoginParty::Member,
        minutes: 30,
    };
    let locale = Locale::of(Language::English).unwrap();
    let sent = render_login(&locale, &mail).unwrap();
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
    assert!(render_login(&locale, &nobody).is_err());
}

/// A person of the staff, and a request of hers to sign in.
async fn staff_request(app: &App, number: u8, email: &str, active: bool) -> MailJob {
    let person = StaffMember {
        id: StaffId::from_bytes([number; 12]),
        email: email.to_owned(),
        name: "Dana".to_owned(),
        roles: [StaffRole::Door].into(),
        active,
        generation: 0,
    };
    app.store.change_authored(tenant_id(), email, None, Some(&person)).await.unwrap().unwrap();
    let key = app.hash_key(&app.tenant(tenant_id()).await.unwrap()).await.unwrap();
    let id = LoginRequestId::from_bytes([number; 12]);
    let at = "2026-03-14T17:00:00Z".parse().unwrap();
    let request = LoginRequest::of(LoginParty::Staff, id.clone(), email.to_uppercase(), at);
    let place = login_key(tenant_id(), &secret_of(&key, &id));
    app.store.save_login_request(&place, &request, wall_now()).await.unwrap();
    MailJob::Login(LoginMail { tenant: tenant_id(), request: id })
}

#[tokio::test]
async fn a_link_for_staff_goes_to_the_stored_address_of_whoever_may_sign_in() {
    let (app, _) = service_with_site().await;
    let outside = Outside::default();
    let job = staff_request(&app, 1, "desk@example.test", true).await;
    assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::Sent);
    let away = staff_request(&app, 2, "away@example.test", false).await;
    assert_eq!(try_job(&app, &outside, &away).await.unwrap(), Delivered::NotOwed);
    let sent = outside.sent();
    assert_eq!((sent.len(), sent[0].to.as_str()), (1, "desk@example.test"));
    let key = app.hash_key(&app.tenant(tenant_id()).await.unwrap()).await.unwrap();
    let place = login_key(tenant_id(), &secret_of(&key, &LoginRequestId::from_bytes([1; 12])));
    let mailed_to = app.store.load_login_request(&place).await.unwrap().unwrap().mailed_to;
    assert_eq!(mailed_to, Some(StaffMark { person: StaffId::from_bytes([1; 12]), generation: 0 }));
    let mail = MessageParser::default().parse(&sent[0].mime).unwrap();
    let text = mail.body_text(0).unwrap();
    assert_eq!(mail.subject(), Some("Sign in to Harbor Museum"));
    assert!(
        text.contains("https://staff.harbor.example/?loginToken=") && text.contains("in 15 minutes"),
        "{text}"
    );
}

#[tokio::test]
async fn an_address_of_a_member_is_no_address_of_staff() {
    let (app, _) = service_with_site().await;
    let outside = Outside::default();
    let (_, place) = request(&app, 1, MEMBER).await;
    let stored = app.store.load_login_request(&place).await.unwrap().unwrap();
    let as_staff = LoginRequest { party: LoginParty::Staff, ..stored };
    app.store.save_login_request(&place, &as_staff, wall_now()).await.unwrap();
    let job = MailJob::Login(LoginMail { tenant: tenant_id(), request: as_staff.id });
    assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::NotOwed);
}

/// A request for the link to an order.
async fn order_request(app: &App, number: u8, order: &OrderNumber, email: &str) -> MailJob {
    let key = app.hash_key(&app.tenant(tenant_id()).await.unwrap()).await.unwrap();
    let id = LoginRequestId::from_bytes([number; 12]);
    let at = "2026-03-14T17:00:00Z".parse().unwrap();
    let request = LoginRequest::for_order(id.clone(), order.clone(), email.to_owned(), at);
    let place = login_key(tenant_id(), &secret_of(&key, &id));
    app.store.save_login_request(&place, &request, wall_now()).await.unwrap();
    MailJob::Login(LoginMail { tenant: tenant_id(), request: id })
}

#[tokio::test]
async fn a_link_to_an_order_goes_to_the_address_that_the_order_keeps_and_to_nobody_else() {
    let (app, _) = service_with_site().await;
    let outside = Outside::default();
    let sold = order(7);
    sell(&app, &sold).await;
    let other = OrderNumber::parse("999999999").unwrap();
    for (number, order, email) in
        [(1, &sold.number, "ada@example.test"), (2, &other, "ines.okafor@example.org")]
    {
        let job = order_request(&app, number, order, email).await;
        assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::NotOwed, "{order} {email}");
    }
    let job = order_request(&app, 3, &sold.number, "INES.Okafor@Example.org").await;
    assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::Sent);
    assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::Settled);
    let sent = outside.sent();
    assert_eq!((sent.len(), sent[0].to.as_str()), (1, "ines.okafor@example.org"));
    let mail = MessageParser::default().parse(&sent[0].mime).unwrap();
    assert_eq!(mail.subject(), Some("Your order at Harbor Museum"));
    let text = mail.body_text(0).unwrap();
    assert!(text.contains("an order that was made with this e-mail address"), "{text}");
    assert!(text.contains("The link works for 24 hours."), "{text}");
    let (_, token) = text.split_once("https://members.harbor.example/?orderToken=").unwrap();
    let token = token.split_whitespace().next().unwrap();
    let key = app.hash_key(&app.tenant(tenant_id()).await.unwrap()).await.unwrap();
    let asked: Timestamp = "2026-03-14T17:00:00Z".parse().unwrap();
    let read = |secs| read_order_token(&key, token, plus_secs(asked, secs)).map(|token| token.order);
    assert_eq!((read(86_399), read(86_400)), (Some(sold.id.clone()), None));
    assert!(mail.body_html(0).unwrap().contains(">Show the order</a>"));
}

#[tokio::test]
async fn on_one_machine_a_link_opens_the_services_own_page_where_the_venues_can_exist_nowhere() {
    let (app, _) = service_with_site().await;
    let own_shop = ConsumerSite::parse("http://127.0.0.1:3000/shop/").ok();
    let app = app.within(HostSettings { own_shop, ..HostSettings::default() });
    let outside = Outside::default();
    let (job, _) = request(&app, 1, MEMBER).await;
    assert_eq!(try_job(&app, &outside, &job).await.unwrap(), Delivered::Sent);
    let staff = staff_request(&app, 2, "desk@example.test", true).await;
    assert_eq!(try_job(&app, &outside, &staff).await.unwrap(), Delivered::Sent);
    let texts: Vec<String> = outside
        .sent()
        .iter()
        .map(|sent| MessageParser::default().parse(&sent.mime).unwrap().body_text(0).unwrap().into_owned())
        .collect();
    assert!(texts[0].contains("http://127.0.0.1:3000/shop/?loginToken="), "{}", texts[0]);
    assert!(texts[1].contains("https://staff.harbor.example/?loginToken="), "{}", texts[1]);
}
