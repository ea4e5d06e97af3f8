//! What only the embedded engine does: files, and answers without a runtime.

use crate::support::{code, create_table, item, number, number_in, put};
use aws_sdk_dynamodb::error::SdkError;
use aws_smithy_runtime_api::client::http::HttpConnector;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
use engine::Embedded;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

#[tokio::test]
async fn a_file_keeps_what_was_answered_when_it_is_opened_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("boxoffice.db");
    {
        let client = Embedded::file(&path).unwrap().client();
        create_table(&client, "orders").await;
        put(&client, "orders", item("o-1", &[("total", number(2500))])).await;
    }
    let client = Embedded::file(&path).unwrap().client();
    assert_eq!(number_in(&client, "orders", "o-1", "total").await, 2500);
}

#[tokio::test]
async fn a_file_in_a_directory_that_is_missing_is_an_error_not_a_panic() {
    let directory = tempfile::tempdir().unwrap();
    let error = Embedded::file(directory.path().join("missing").join("boxoffice.db")).unwrap_err();
    assert!(std::error::Error::source(&error).is_some());
}

#[tokio::test]
async fn an_operation_that_the_engine_does_not_have_is_refused_by_code() {
    let unknown = Embedded::memory().unwrap().client().describe_limits().send().await.unwrap_err();
    assert!(matches!(unknown, SdkError::ServiceError(_)));
    assert_eq!(code(&unknown), "ValidationException");
}

#[test]
fn without_a_runtime_the_engine_answers_on_the_callers_thread() {
    let engine = Embedded::memory().unwrap();
    let mut request = HttpRequest::new(SdkBody::from("{}"));
    request.headers_mut().insert("x-amz-target", "DynamoDB_20120810.ListTables");
    let answer = pin!(engine.call(request)).poll(&mut Context::from_waker(Waker::noop()));
    let Poll::Ready(Ok(answer)) = answer else { panic!("no answer at once") };
    assert_eq!(answer.body().bytes(), Some(br#"{"TableNames":[]}"#.as_slice()));
}
