//! The layers around every router: canonical paths, request ids, CORS, typed errors, one log line.

use crate::context::{RequestContext, SourceIp};
use crate::headers::single;
use crate::paths::canonical;
use crate::query::repeated;
use crate::{ApiError, ErrorType};
use adapters::App;
use adapters::ids::IdSource;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use std::any::Any;
use std::sync::Arc;
use tower::ServiceExt;
use tower_http::catch_panic::CatchPanicLayer;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-service-request-id");
/// Says of a request that named a membership or level why that does not count (decision record 0106).
const MEMBER_MESSAGE: HeaderName = HeaderName::from_static("x-service-member-message");
const ALLOWED_METHODS: &str = "GET, POST, PUT, PATCH, DELETE";
const ALLOWED_HEADERS: &str = "content-type, idempotency-key, if-match, if-none-match, x-b2c-tenant-id, \
     x-service-api-key, x-service-browser-ip, x-service-explain, x-service-member-proof, x-service-operator, \
     x-service-request-uuid, x-service-session, x-service-test-now";
const EXPOSED_HEADERS: &str =
    "etag, retry-after, x-service-member-message, x-service-replayed, x-service-request-id";
const PREFLIGHT_MAX_AGE: &str = "600";

/// The service over a set of routes: what a Lambda function runs and what `serve` listens with.
pub fn service(routes: Router<App>, app: &App) -> Router {
    let inner = routes
        .fallback(async || ApiError::new(ErrorType::NotFound).message("There is no such path"))
        .method_not_allowed_fallback(async || ApiError::new(ErrorType::MethodNotAllowed))
        .layer(CatchPanicLayer::custom(after_panic))
        .layer(from_fn_with_state(app.clone(), around))
        .with_state(app.clone());
    Router::new().fallback_service(inner.map_request(with_canonical_path))
}

fn after_panic(_: Box<dyn Any + Send + 'static>) -> Response {
    ApiError::new(ErrorType::Internal).into_response()
}

fn with_canonical_path(mut request: Request) -> Request {
    let path = canonical(request.uri().path());
    if path != request.uri().path() {
        let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
        if let Ok(uri) = format!("{path}{query}").parse::<Uri>() {
            *request.uri_mut() = uri;
        }
    }
    request
}

/// Everything that happens to every request, outside its handler.
async fn around(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let request_id = gateway_request_id(&request).unwrap_or_else(|| new_request_id(&app.ids));
    let context = RequestContext::new(request_id);
    request.extensions_mut().insert(Arc::clone(&context));
    if let Some(ip) = gateway_source_ip(&request) {
        request.extensions_mut().insert(SourceIp(ip));
    }
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let origin = request.headers().get(ORIGIN).and_then(|origin| origin.to_str().ok()).map(str::to_owned);
    let answer = async {
        let preflight =
            method == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        let mut response = match single(request.headers_mut()) {
            _ if preflight => preflight_answer(),
            Err(refusal) => refusal.into_response(),
            Ok(()) => {
                let uri = request.uri().clone();
                telling_repeated(next.run(request).await, uri.query().unwrap_or_default())
            }
        };
        if let Some(origin) = origin {
            let asked = allow_origin(&app, &context, &origin, response.headers_mut()).await;
            // Whoever asks only for this is not to take the silence for a refusal.
            if let Err(fault) = asked
                && preflight
            {
                response = fault.into_response();
            }
        }
        response
    };
    let response = Arc::clone(&context.calls).scope(answer).await;
    let mut response = finish(&context, response);
    // For whoever stands around the service: what the log line says of the database.
    response.extensions_mut().insert(context.calls.count());
    log(&context, &method, route.as_deref(), &response);
    response
}

fn new_request_id(ids: &IdSource) -> String {
    ids.bytes::<16>().map(hex::encode).unwrap_or_default()
}

/// The gateway's own name for the request, which its access log has too.
fn gateway_request_id(request: &Request) -> Option<String> {
    use lambda_http::request::RequestContext as Gateway;
    match request.extensions().get::<Gateway>()? {
        Gateway::ApiGatewayV1(context) => context.request_id.clone(),
        Gateway::ApiGatewayV2(context) => context.request_id.clone(),
        _ => None,
    }
}

fn gateway_source_ip(request: &Request) -> Option<std::net::IpAddr> {
    use lambda_http::request::RequestContext as Gateway;
    let text = match request.extensions().get::<Gateway>()? {
        Gateway::ApiGatewayV1(context) => context.identity.source_ip.clone(),
        Gateway::ApiGatewayV2(context) => context.http.source_ip.clone(),
        _ => None,
    };
    text?.parse().ok()
}

/// Axum refuses a query that has one of its parameters twice, and does not say which.
fn telling_repeated(mut response: Response, query: &str) -> Response {
    if response.status() == StatusCode::BAD_REQUEST && response.extensions().get::<ApiError>().is_none() {
        let refusal = ApiError::new(ErrorType::ValidationError);
        let refusal = repeated(query)
            .into_iter()
            .fold(refusal, |refusal, name| refusal.detail(name, "was sent more than once"));
        response.extensions_mut().insert(refusal);
    }
    response
}

fn preflight_answer() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

/// Marks the answer as readable by the page, if the tenant allows its origin. Before the tenant is known,
/// as in a preflight, any tenant that lists the origin will do.
async fn allow_origin(
    app: &App,
    context: &RequestContext,
    origin: &str,
    headers: &mut HeaderMap,
) -> Result<(), ApiError> {
    headers.append(VARY, HeaderValue::from_static("Origin"));
    if app.is_allowed_origin(origin, context.tenant.get().copied()).await?
        && let Ok(origin) = HeaderValue::from_str(origin)
    {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED_HEADERS));
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(ALLOWED_METHODS));
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(ALLOWED_HEADERS));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_MAX_AGE));
    }
    Ok(())
}

/// Writes error bodies, which need the request id, and the request id itself.
fn finish(context: &RequestContext, response: Response) -> Response {
    let failed = response.status().is_client_error() || response.status().is_server_error();
    let error = response.extensions().get::<ApiError>().cloned();
    let error = error.or_else(|| failed.then(|| ApiError::new(foreign_kind(response.status()))));
    let mut response = match error {
        None => response,
        Some(error) => {
            let body = Json(error.body(&context.request_id)).into_response();
            let (mut parts, _) = response.into_parts();
            parts.headers.remove(http::header::CONTENT_LENGTH);
            parts.headers.extend(body.headers().clone());
            parts.extensions.insert(error);
            Response::from_parts(parts, body.into_body())
        }
    };
    if let Ok(id) = HeaderValue::from_str(&context.request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    if let Some(problem) = context.member_message.get() {
        response.headers_mut().insert(MEMBER_MESSAGE, HeaderValue::from_static(problem.code()));
    }
    response
}

/// The type of a refusal that axum made, such as a path that is not valid UTF-8.
fn foreign_kind(status: StatusCode) -> ErrorType {
    match status {
        StatusCode::NOT_FOUND => ErrorType::NotFound,
        StatusCode::METHOD_NOT_ALLOWED => ErrorType::MethodNotAllowed,
        StatusCode::PAYLOAD_TOO_LARGE => ErrorType::PayloadTooLarge,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => ErrorType::UnsupportedMediaType,
        status if status.is_client_error() => ErrorType::ValidationError,
        _ => ErrorType::Internal,
    }
}

fn log(context: &RequestContext, method: &Method, route: Option<&str>, response: &Response) {
    let count = context.calls.count();
    let error = response.extensions().get::<ApiError>();
    let kind = error.map(|error| error.kind().row().name);
    let cause = error.and_then(ApiError::causes);
    let tenant = context.tenant.get().map(ToString::to_string);
    tracing::info!(
        request_id = context.request_id,
        tenant,
        method = method.as_str(),
        route,
        status = response.status().as_u16(),
        duration_us = u64::try_from(context.started.elapsed().as_micros()).unwrap_or(u64::MAX),
        storage_calls = count.total,
        storage_rounds = count.rounds,
        error = kind,
        cause,
        "request"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_request_starts_no_header() {
        for name in ["a\r\nset-cookie: b=c", "a\nb", "a\rb", "a\u{0}b"] {
            let context = RequestContext::new(name.to_owned());
            for answer in [StatusCode::OK.into_response(), ApiError::new(ErrorType::NotFound).into_response()]
            {
                let headers = finish(&context, answer).headers().clone();
                assert!(!headers.contains_key(REQUEST_ID), "{name:?}");
                assert!(!headers.contains_key("set-cookie"), "{name:?}");
            }
        }
        let answer =
            finish(&RequestContext::new("JKJaXmPLvHcESHA=".to_owned()), StatusCode::OK.into_response());
        assert_eq!(answer.headers()[REQUEST_ID], "JKJaXmPLvHcESHA=");
    }
}
