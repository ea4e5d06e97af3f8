use super::*;
use aws_sdk_sesv2::config::retry::RetryConfig;
use aws_sdk_sesv2::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use std::sync::{Arc, Mutex};

const RECIPIENT: &str = "ines.okafor@example.org";

/// Plays SES: keeps the request and gives one answer, or none when the line is dead.
#[derive(Debug, Clone)]
struct PlayedSes {
    answer: Option<(u16, &'static str, &'static str)>,
    seen: Arc<Mutex<Vec<(String, serde_json::Value)>>>,
}

impl HttpConnector for PlayedSes {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let body = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
        self.seen.lock().unwrap().push((format!("{} {}", request.method(), request.uri()), body));
        let Some((status, code, body)) = self.answer else {
            return HttpConnectorFuture::ready(Err(ConnectorError::io("connection reset".into())));
        };
        let mut response = HttpResponse::new(StatusCode::try_from(status).unwrap(), SdkBody::from(body));
        if !code.is_empty() {
            response.headers_mut().insert("x-amzn-errortype", code);
        }
        HttpConnectorFuture::ready(Ok(response))
    }
}

fn played(answer: Option<(u16, &'static str, &'static str)>) -> (SesMail, PlayedSes) {
    let ses = PlayedSes { answer, seen: Arc::default() };
    let connector = SharedHttpConnector::new(ses.clone());
    let config = aws_sdk_sesv2::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("key", "secret", None, None, "test"))
        .retry_config(RetryConfig::disabled())
        .http_client(http_client_fn(move |_, _| connector.clone()))
        .build();
    (SesMail::new(config), ses)
}

fn mail() -> OutgoingMail {
    OutgoingMail {
        message_id: "<order-1.receipt@boxoffice.example>".into(),
        from: "tickets@boxoffice.example".into(),
        to: RECIPIENT.into(),
        subject: "Your order".into(),
        mime: b"Subject: Your order\r\n\r\nHello\r\n".to_vec(),
    }
}

#[tokio::test]
async fn the_mail_goes_out_as_raw_mime_to_its_recipient() {
    let (transport, ses) = played(Some((200, "", r#"{"MessageId":"0100"}"#)));
    transport.send(&mail()).await.unwrap();
    let seen = ses.seen.lock().unwrap();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].0, "POST https://email.us-east-1.amazonaws.com/v2/email/outbound-emails");
    assert_eq!(
        seen[0].1,
        serde_json::json!({
            "FromEmailAddress": "tickets@boxoffice.example",
            "Destination": { "ToAddresses": [RECIPIENT] },
            "Content": { "Raw": { "Data": aws_smithy_types::base64::encode(mail().mime) } },
        })
    );
}

#[tokio::test]
async fn an_answer_about_the_mail_is_final_and_any_other_failure_is_worth_a_repeat() {
    use MailFailure::{Refused, Retry};
    let cases = [
        (Some((400, "MessageRejected")), Refused),
        (Some((400, "BadRequestException")), Refused),
        (Some((400, "")), Refused),
        (Some((413, "")), Refused),
        (Some((429, "TooManyRequestsException")), Retry),
        (Some((400, "ThrottlingException")), Retry),
        (Some((400, "LimitExceededException")), Retry),
        (Some((400, "SendingPausedException")), Retry),
        (Some((400, "AccountSuspendedException")), Retry),
        (Some((400, "MailFromDomainNotVerifiedException")), Retry),
        (Some((404, "NotFoundException")), Retry),
        (Some((403, "AccessDeniedException")), Retry),
        (Some((500, "InternalFailure")), Retry),
        (Some((503, "")), Retry),
        (None, Retry),
    ];
    for (answer, expected) in cases {
        let (transport, _) = played(answer.map(|(status, code)| (status, code, "{}")));
        let error = transport.send(&mail()).await.unwrap_err();
        assert_eq!(error.kind, expected, "{answer:?}");
    }
}

#[tokio::test]
async fn the_refusal_names_status_and_code_but_never_the_recipient() {
    let quoting = r#"{"message":"Email address is not verified: ines.okafor@example.org"}"#;
    let (transport, _) = played(Some((400, "MessageRejected", quoting)));
    let error = transport.send(&mail()).await.unwrap_err();
    assert_eq!(error.to_string(), "the mail was refused");
    assert_eq!(error.source().unwrap().to_string(), "SES answered 400 MessageRejected");
    assert!(!format!("{error:?} {:?}", mail()).contains(RECIPIENT));
}

#[tokio::test]
async fn a_dead_line_keeps_its_cause() {
    let (transport, _) = played(None);
    let error = transport.send(&mail()).await.unwrap_err();
    assert_eq!(error.to_string(), "the mail could not be sent for now");
    let mut causes = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    assert!(causes.contains(&"connection reset".to_owned()), "{causes:?}");
}
