//! DynamoDB's JSON protocol, as far as both the engine and the faults need it.

use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use serde_json::{Value, json};

const CONTENT_TYPE: &str = "application/x-amz-json-1.0";

/// The operation a request asks for, `PutItem` for example; empty when the request names none.
pub(crate) fn operation_of(request: &HttpRequest) -> String {
    let target = request.headers().get("x-amz-target").unwrap_or_default();
    target.rsplit('.').next().unwrap_or_default().to_owned()
}

/// The request's JSON text. The SDK builds every DynamoDB request in memory.
pub(crate) fn body_of(request: &HttpRequest) -> &[u8] {
    request.body().bytes().unwrap_or(b"{}")
}

/// The request's JSON, `null` when it cannot be read (the engine then says what is wrong with it).
pub(crate) fn json_of(request: &HttpRequest) -> Value {
    serde_json::from_slice(body_of(request)).unwrap_or_default()
}

/// Puts other JSON into a request.
pub(crate) fn set_json(request: &mut HttpRequest, body: &Value) {
    let text = body.to_string();
    request.headers_mut().insert("content-length", text.len().to_string());
    *request.body_mut() = SdkBody::from(text);
}

/// What the SDK gets to see of a request: an answer, or the failure of the connection.
pub(crate) type Outcome = Result<HttpResponse, ConnectorError>;

/// An answer with the given HTTP status and JSON text.
pub(crate) fn answer(status: u16, body: impl Into<SdkBody>) -> Outcome {
    let status = StatusCode::try_from(status).map_err(|error| ConnectorError::other(error.into(), None))?;
    let mut response = HttpResponse::new(status, body.into());
    response.headers_mut().insert("content-type", CONTENT_TYPE);
    Ok(response)
}

/// A refusal as DynamoDB words it: status 400, the error's full name, a message.
pub(crate) fn refusal(error_type: &str, message: &str) -> Outcome {
    answer(400, json!({ "__type": error_type, "message": message }).to_string())
}

/// A cancelled transaction: one reason per item in order, `None` for all but the item at `position`.
pub(crate) fn cancellation(items: usize, position: usize, code: &str, message: &str) -> Outcome {
    let reasons: Vec<_> = (0..items).map(|place| (place == position).then_some(code)).collect();
    cancellation_of(&reasons, message)
}

/// A cancelled transaction, with the reasons of its items in order.
pub(crate) fn cancellation_of(reasons: &[Option<&str>], message: &str) -> Outcome {
    let codes: Vec<&str> = reasons.iter().map(|reason| reason.unwrap_or("None")).collect();
    let reasons: Vec<Value> = codes
        .iter()
        .map(|code| match *code {
            "None" => json!({ "Code": "None" }),
            code => json!({ "Code": code, "Message": message }),
        })
        .collect();
    let summary = codes.join(", ");
    let body = json!({
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "Message": format!(
            "Transaction cancelled, please refer cancellation reasons for specific reasons [{summary}]"
        ),
        "CancellationReasons": reasons,
    });
    answer(400, body.to_string())
}
