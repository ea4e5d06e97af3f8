//! The demo museum as its callers know it: their keys, what it sells, and how it is asked.

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use boxoffice::testing::Service;
use serde_json::Value;
use testkit::Answer;

pub(crate) const SHOP: [(&str, &str); 3] = [
    ("x-service-api-key", "demo-b2c-1001"),
    ("x-b2c-tenant-id", "1001"),
    ("x-service-browser-ip", "203.0.113.24"),
];
pub(crate) const PAGE: [(&str, &str); 3] = [
    ("x-service-api-key", "demo-browser-1001"),
    ("x-b2c-tenant-id", "1001"),
    ("origin", "http://localhost:3000"),
];
pub(crate) const STAFF: [(&str, &str); 1] = [("x-service-api-key", "demo-b2b-1001")];

pub(crate) const GALLERY: &str = "1001ee000000000000000001";
pub(crate) const ADULT: &str = "1001aa000000000000000001";

/// Sends a request, without a body where that is null.
pub(crate) async fn ask(
    service: &Service,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Value,
) -> Answer {
    service.request(method, path, headers, Some(&body).filter(|body| !body.is_null())).await
}

/// The body of a success.
pub(crate) async fn ok(
    service: &Service,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Value,
) -> Value {
    let answer = ask(service, method, path, headers, body).await;
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
    answer.body
}

/// The text of a mail. It is quoted-printable, and is read as far as an address in it is concerned.
pub(crate) fn mail_text(mail: &Answer) -> String {
    std::str::from_utf8(&mail.bytes).unwrap().replace("=\r\n", "").replace("=3D", "=")
}

/// The token of the link in a mail, which stands right after this text.
pub(crate) fn token_in(mail: &Answer, before: &str) -> String {
    let text = mail_text(mail);
    let (_, token) = text.split_once(before).unwrap();
    let is_of_token = |char: char| matches!(char, '-' | '_' | '.') || char.is_ascii_alphanumeric();
    token.split(|char: char| !is_of_token(char)).next().unwrap().to_owned()
}
