//! What a door is never told, and what no log line shows.

use crate::support::{
    CARD, Doors, GALLERY, Sold, TILL, admit, after, block, event, force, leave, offline, scan, undo, upload,
};
use engine::Fault;
use serde_json::json;
use testkit::log::Log;
use testkit::{Answer, get, post};

/// Contacts of orders and of members.
const SECRETS: [&str; 3] = ["ines@example.test", "ada@example.test", "+1 212 555 0142"];

/// Whether a text shows a barcode, an address or a phone number.
fn shows(text: &str, sold: &[Sold]) -> bool {
    let lower = text.to_lowercase();
    let is_shown = |secret: &str| lower.contains(secret);
    sold.iter().any(|sold| is_shown(&sold.code)) || SECRETS.iter().any(|secret| is_shown(secret))
}

#[tokio::test]
async fn no_answer_of_a_scan_has_a_barcode_an_address_or_a_phone_number_and_no_log_line_a_code() {
    let doors = Doors::open().await;
    let mut sold = doors.sell(event(GALLERY, 0), 4).await;
    sold.push(doors.one().await);
    let log = Log::begin();
    let code = &sold[0].code;
    let mut answers: Vec<Answer> = Vec::new();
    for ask in [
        scan(code),
        scan(code),
        scan(&code.to_uppercase()).keyed("k"),
        scan(&code.to_uppercase()).keyed("k"),
        leave(code),
        scan(code).at_instant(after(86_400)),
        force(json!({"code": code})),
        admit(json!({"tickets": [sold[1].named(), sold[4].named()]})),
        admit(json!({"order": {"orderId": sold[0].order}, "eventId": event(GALLERY, 0)})),
        scan(CARD),
        scan("ffffffffffffffffffffffffffffffff"),
        admit(json!({"code": code, "type": code, "forceReason": code, "eventId": code})),
        post("/v2/b2b/admissions/lookup", json!({"code": code})),
        post("/v2/b2b/admissions/lookup", json!({"code": sold[0].number})),
        undo(&sold[0]),
        block(&sold[1], true),
        upload(&[offline(1, &sold[2], after(-60)), json!({"scanId": code, "code": code, "at": code})]),
        get(format!("/v2/b2b/admissions/orders/{}", sold[0].order)).by(TILL),
        get(format!("/v2/b2b/admissions/events/{}", event(GALLERY, 0))),
        post("/v2/b2b/admissions", json!({})).raw(&format!("{{\"code\": \"{code}\"")),
    ] {
        answers.push(doors.send(ask).await);
    }
    for call in 0..6 {
        let failing = doors.another().await;
        failing.0.faults.at(call, Fault::AnswerLost);
        answers.push(failing.send(scan(&sold[3].code)).await);
    }
    for answer in &answers {
        assert!(!shows(&answer.text, &sold), "{} {}", answer.status, answer.text);
    }
    let log = log.text();
    for answer in &answers {
        assert!(log.contains(answer.header("x-service-request-id")), "every request is logged");
    }
    for line in log.lines() {
        assert!(!shows(line, &sold) && !line.contains(CARD), "{line}");
    }
}
