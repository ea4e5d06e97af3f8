//! Whoever plays the buyer of a test card answers its issuer: a program by a route, a person on a page (decision record
//! 0146).

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::demo::{ADULT, GALLERY, PAGE, ask, ok};
use boxoffice::testing::Service;
use serde_json::{Value, json};
use testkit::Answer;

const CHALLENGE: &str = "/sandbox/challenge";

/// A checkout whose buyer is asked.
async fn asked(service: &Service) -> Answer {
    let next = format!("/v2/b2c/events/{GALLERY}/nextAvailable");
    let slot = ok(service, "GET", &next, &PAGE, Value::Null).await["id"].clone();
    let body = json!({
        "shoppingCart": {"items": [{"eventId": slot, "ticketingTypeId": ADULT, "quantity": 1}]},
        "billingEmail": "ines.okafor@example.org", "billingZipCode": "94000", "paymentToken": "tok_3ds",
    });
    let asked = ask(service, "POST", "/v2/b2c/cors/checkout", &PAGE, body).await;
    assert_eq!(asked.kind(), (402, "PAYMENT_ACTION_REQUIRED"), "{}", asked.text);
    asked
}

async fn complete(service: &Service, asked: &Answer) -> Answer {
    let path = format!("/v2/b2c/checkout/{}/complete", asked.body["orderId"].as_str().unwrap());
    ask(service, "POST", &path, &PAGE, Value::Null).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_answer_decides_and_completing_says_what_became_of_it() {
    for (outcome, status, completed) in
        [("pass", "captured", (200, "OK")), ("fail", "declined", (402, "CARD_DECLINED"))]
    {
        let service = Service::start().await;
        let asked = asked(&service).await;
        assert_eq!(complete(&service, &asked).await.kind(), (402, "PAYMENT_ACTION_REQUIRED"));
        for answer in [outcome, "pass", "fail"] {
            let body = json!({"clientSecret": asked.body["clientSecret"], "outcome": answer});
            let answered = ask(&service, "POST", CHALLENGE, &[], body).await;
            assert_eq!((answered.status, &answered.body), (200, &json!({ "status": status })), "{answer}");
        }
        let done = complete(&service, &asked).await;
        assert_eq!(done.kind(), completed, "{}", done.text);
        assert_eq!(done.body["orderToken"].is_string(), outcome == "pass", "{}", done.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_answer_changes_nothing() {
    let service = Service::start().await;
    let asked = asked(&service).await;
    let secret = &asked.body["clientSecret"];
    let other = format!("{}x", secret.as_str().unwrap());
    for (body, status, field) in [
        (json!({"clientSecret": other, "outcome": "pass"}), 404, "/clientSecret"),
        (json!({"clientSecret": secret, "outcome": "maybe"}), 400, "/outcome"),
        (json!({"clientSecret": secret}), 400, "/outcome"),
        (json!({"outcome": "pass"}), 400, "/clientSecret"),
    ] {
        let refused = ask(&service, "POST", CHALLENGE, &[], body).await;
        let told = (refused.status, refused.body["details"][0]["field"].as_str());
        assert_eq!(told, (status, Some(field)), "{}", refused.text);
    }
    assert_eq!(complete(&service, &asked).await.kind(), (402, "PAYMENT_ACTION_REQUIRED"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_answers_on_a_page_that_shows_nothing_of_the_secret() {
    let service = Service::start().await;
    let asked = asked(&service).await;
    let page = asked.body["challengeUrl"].as_str().unwrap();
    let secret = asked.body["clientSecret"].as_str().unwrap();
    assert_eq!(page, format!("{CHALLENGE}?clientSecret={secret}"));
    let shown = ask(&service, "GET", page, &[], Value::Null).await;
    assert_eq!(shown.status, 200);
    assert!(shown.header("content-type").starts_with("text/html"), "{:?}", shown.headers);
    assert!(!shown.text.contains(secret));
    for button in ["data-outcome=\"pass\"", "data-outcome=\"fail\""] {
        assert!(shown.text.contains(button), "{button}");
    }
}
