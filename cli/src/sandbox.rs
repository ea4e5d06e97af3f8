//! The sandbox's own routes (architecture: the sandbox). They exist in the local process only, show sandbox
//! tenants only, and take any key of a sandbox tenant or none.

mod challenge;
mod mail;

pub(crate) use mail::LocalMail;

use crate::seed;
use adapters::App;
use adapters::clock::wall_now;
use adapters::processor::{SandboxCharge, SandboxProcessor, SandboxRefund};
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use chrono::DateTime;
use domain::tenant::Tenant;
use domain::{TenantId, Timestamp};
use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE, VARY};
use mail_parser::MessageParser;
use serde::Serialize;
use std::borrow::Cow;
use std::sync::Arc;
use store::sandbox::SandboxMail;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes::Routes;
use web::{ApiError, ErrorBody, ErrorType, routes};

/// The sandbox routes, to answer them.
pub(crate) fn router() -> Router<App> {
    all()
}

/// The sandbox routes, with their description.
pub(crate) fn described() -> OpenApiRouter<App> {
    all()
}

fn all<R: Routes>() -> R {
    R::new()
        .routes(routes!(challenge::answer_challenge, challenge::challenge_page))
        .routes(routes!(list_outbox))
        .routes(routes!(read_message))
        .routes(routes!(list_payments))
        .routes(routes!(clean_up))
}

/// A mail the sandbox delivered.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DeliveredMail {
    /// The tenant that sends it.
    tenant_id: i64,
    /// The number of the order that is confirmed; empty for a mail of another kind.
    order_number: String,
    /// The recipient.
    to: String,
    /// The sender.
    from: String,
    /// The subject.
    subject: String,
    /// The same for every delivery of one mail.
    message_id: String,
    /// Names this delivery; with it, the message can be read.
    delivery_id: String,
    /// When it was delivered, in real time and UTC.
    delivered_at: String,
}

impl DeliveredMail {
    fn of(tenant: TenantId, mail: SandboxMail) -> Self {
        let SandboxMail { delivery, order: _, order_number, message_id, from, to, subject, delivered_at } =
            mail;
        Self {
            tenant_id: tenant.get(),
            order_number,
            to,
            from,
            subject,
            message_id,
            delivery_id: delivery,
            delivered_at: delivered_at.to_rfc3339(),
        }
    }
}

/// List delivered mails
///
/// Oldest first; a mail that was delivered twice is listed twice.
#[utoipa::path(
    get,
    path = "/sandbox/outbox",
    tag = "Sandbox",
    responses(
        (status = 200, description = "The mails of all sandbox tenants, or of the key's", body = Vec<DeliveredMail>),
        (status = 401, description = "The key is not known", body = ErrorBody),
        (status = 403, description = "The key's tenant is not a sandbox tenant", body = ErrorBody),
    ),
)]
async fn list_outbox(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Json<Vec<DeliveredMail>>, ApiError> {
    let mut listed = Vec::new();
    for tenant in shown_tenants(&app, &headers).await? {
        let mails = app.store.list_sandbox_mails(tenant.id).await?;
        listed.extend(mails.into_iter().map(|mail| DeliveredMail::of(tenant.id, mail)));
    }
    listed.sort_by(|one, other| one.delivery_id.cmp(&other.delivery_id));
    Ok(Json(listed))
}

/// Names the delivery that came last.
const NEWEST: &str = "newest";

/// Read a delivered mail
///
/// The whole message as its recipient would get it, headers and body. A browser, which asks for pages, is shown its text
/// alone, as mail programs show it.
#[utoipa::path(
    get,
    path = "/sandbox/outbox/{deliveryId}",
    tag = "Sandbox",
    params(("deliveryId" = String, Path, description = "As listed, or `newest`")),
    responses(
        (status = 200, description = "The message, or its text", content(
            (String = "message/rfc822"),
            (String = "text/plain"),
        )),
        (status = 401, description = "The key is not known", body = ErrorBody),
        (status = 403, description = "The key's tenant is not a sandbox tenant", body = ErrorBody),
        (status = 404, description = "There is no such delivery", body = ErrorBody),
    ),
)]
async fn read_message(
    State(app): State<App>,
    Path(delivery): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let tenants = shown_tenants(&app, &headers).await?;
    let delivery = if delivery == NEWEST { newest(&app, &tenants).await? } else { delivery };
    for tenant in tenants {
        let message = app.store.load_sandbox_message(tenant.id, &delivery).await?;
        if !message.is_empty() {
            return Ok(shown(message, &headers));
        }
    }
    Err(ApiError::new(ErrorType::NotFound).message("There is no such delivery"))
}

/// The delivery of these tenants that came last; no delivery's name where there is none.
async fn newest(app: &App, tenants: &[Tenant]) -> Result<String, ApiError> {
    let mut newest = String::new();
    for tenant in tenants {
        let last = app.store.list_sandbox_mails(tenant.id).await?.pop();
        newest = newest.max(last.map(|mail| mail.delivery).unwrap_or_default());
    }
    Ok(newest)
}

/// A message as it is, or as a person reads it in a browser.
fn shown(message: Vec<u8>, headers: &HeaderMap) -> Response {
    let is_browser = headers
        .get_all(ACCEPT)
        .iter()
        .any(|accepted| accepted.to_str().is_ok_and(|accepted| accepted.contains("text/html")));
    let text = || MessageParser::default().parse(&message)?.body_text(0).map(Cow::into_owned);
    match is_browser.then(text).flatten() {
        Some(text) => ([(VARY, "accept")], text).into_response(),
        None => ([(CONTENT_TYPE, "message/rfc822"), (VARY, "accept")], message).into_response(),
    }
}

/// A payment or a refund the sandbox's card processor has seen.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SeenPayment {
    /// What it is: `charge` or `refund`.
    r#type: &'static str,
    /// The tenant that sells.
    tenant_id: i64,
    /// The order that is paid.
    order_id: String,
    /// The merchant that is paid.
    mid: String,
    /// The amount.
    amount: String,
    /// What it is counted in, such as `EUR`; only of a charge.
    currency: Option<String>,
    /// Of a charge `opened`, `asking`, `captured`, `declined` or `cancelled`, of a refund `refunded` or `refused`; money moved
    /// only if captured or refunded.
    status: &'static str,
    /// The last four digits of the card, once one was presented.
    last_four: Option<String>,
    /// The brand of the card, once one was presented.
    brand: Option<&'static str>,
    /// The processor's name for the payment.
    reference: String,
    /// When the amount was charged, in UTC; only if captured.
    captured_at: Option<String>,
    /// Our name for the refund; only of a refund.
    refund_id: Option<String>,
    /// When the processor answered, in UTC; only of a refund.
    answered_at: Option<String>,
}

impl From<SandboxCharge> for SeenPayment {
    fn from(charge: SandboxCharge) -> Self {
        let SandboxCharge {
            tenant_id,
            order_id,
            mid,
            amount,
            currency,
            status,
            last_four,
            brand,
            reference,
            captured_at,
        } = charge;
        Self {
            r#type: "charge",
            tenant_id: tenant_id.get(),
            order_id: order_id.to_string(),
            mid: mid.to_string(),
            amount: amount.to_string(),
            currency: Some(currency.to_string()),
            status: challenge::status_name(status),
            last_four,
            brand: brand.map(|brand| brand.as_str()),
            reference: reference.to_string(),
            captured_at: captured_at.map(|at| at.to_rfc3339()),
            refund_id: None,
            answered_at: None,
        }
    }
}

impl From<SandboxRefund> for SeenPayment {
    fn from(refund: SandboxRefund) -> Self {
        let SandboxRefund {
            tenant_id,
            order_id,
            mid,
            refund_id,
            amount,
            refunded,
            last_four,
            brand,
            reference,
            answered_at,
        } = refund;
        Self {
            r#type: "refund",
            tenant_id: tenant_id.get(),
            order_id: order_id.to_string(),
            mid: mid.to_string(),
            amount: amount.to_string(),
            currency: None,
            status: if refunded { "refunded" } else { "refused" },
            last_four,
            brand: brand.map(|brand| brand.as_str()),
            reference: reference.to_string(),
            captured_at: None,
            refund_id: Some(refund_id.to_string()),
            answered_at: Some(answered_at.to_rfc3339()),
        }
    }
}

/// List payments
///
/// Every payment the sandbox's card processor has seen, charged or not, and behind those of a tenant the refunds,
/// given or refused.
#[utoipa::path(
    get,
    path = "/sandbox/processor",
    tag = "Sandbox",
    responses(
        (status = 200, description = "The payments of all sandbox tenants, or of the key's", body = Vec<SeenPayment>),
        (status = 401, description = "The key is not known", body = ErrorBody),
        (status = 403, description = "The key's tenant is not a sandbox tenant", body = ErrorBody),
    ),
)]
async fn list_payments(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Json<Vec<SeenPayment>>, ApiError> {
    let processor = SandboxProcessor::new(app.store.clone(), Arc::new(wall_now));
    let mut seen = Vec::new();
    for tenant in shown_tenants(&app, &headers).await? {
        seen.extend(processor.charges(tenant.id).await?.into_iter().map(SeenPayment::from));
        seen.extend(processor.refunds(tenant.id).await?.into_iter().map(SeenPayment::from));
    }
    Ok(Json(seen))
}

/// What a pass of the scheduled work did.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CleanupReport {
    /// Abandoned checkouts found.
    orders_due: u32,
    /// Of these, settled or voided.
    orders_finished: u32,
    /// Refunds left half-way that were finished.
    refunds_finished: u32,
    /// Mails enqueued again.
    mails_announced: u32,
    /// Event instances made.
    slots_made: usize,
    /// Event instances changed because their template was.
    slots_changed: usize,
    /// Event instances deleted because their template or its schedule is gone.
    slots_deleted: usize,
    /// Merchants approved or declined.
    merchants_decided: u32,
    /// Work that failed and stays due.
    failed: u32,
}

/// Run the scheduled work
///
/// One pass over what is due for sandbox tenants, what was written under a chosen clock included. The clock
/// is `x-service-test-now` or, without it, real time.
#[utoipa::path(
    post,
    path = "/sandbox/cleanup",
    tag = "Sandbox",
    params(("x-service-test-now" = Option<String>, Header, description = "RFC 3339; the instant at which the work is done")),
    responses(
        (status = 200, description = "What was done", body = CleanupReport),
        (status = 400, description = "The clock cannot be read", body = ErrorBody),
        (status = 401, description = "The key is not known", body = ErrorBody),
        (status = 403, description = "The key's tenant is not a sandbox tenant", body = ErrorBody),
    ),
)]
async fn clean_up(State(app): State<App>, headers: HeaderMap) -> Result<Json<CleanupReport>, ApiError> {
    shown_tenants(&app, &headers).await?;
    let now = chosen_instant(&headers)?.unwrap_or_else(wall_now);
    let done = cleanup::pass(&app, cleanup::PassScope::Sandbox, now).await?;
    let cleanup::PassReport {
        orders_due,
        orders_finished,
        refunds_finished,
        mails_announced,
        slots_made,
        slots_changed,
        slots_deleted,
        merchants_decided,
        failed,
    } = done;
    Ok(Json(CleanupReport {
        orders_due,
        orders_finished,
        refunds_finished,
        mails_announced,
        slots_made,
        slots_changed,
        slots_deleted,
        merchants_decided,
        failed,
    }))
}

/// The instant a caller chose.
fn chosen_instant(headers: &HeaderMap) -> Result<Option<Timestamp>, ApiError> {
    const HEADER: &str = "x-service-test-now";
    let Some(sent) = headers.get(HEADER) else { return Ok(None) };
    let read = sent.to_str().ok().and_then(|text| DateTime::parse_from_rfc3339(text.trim()).ok());
    let refusal =
        || ApiError::new(ErrorType::ValidationError).detail(HEADER, "must be an RFC 3339 date and time");
    read.map(|instant| Some(instant.to_utc())).ok_or_else(refusal)
}

/// The tenants a caller may look at: with a key, its own; without one, all of the sandbox, but not the demo venues where
/// their keys are refused.
async fn shown_tenants(app: &App, headers: &HeaderMap) -> Result<Vec<Tenant>, ApiError> {
    let Some(key) = headers.get("x-service-api-key") else {
        let tenants = app.store.load_all_tenants().await?;
        let hidden = if app.refuses_demo_keys() { seed::venues(&app.store).await? } else { Vec::new() };
        let is_shown = |tenant: &Tenant| tenant.sandbox && !hidden.contains(&tenant.id);
        return Ok(tenants.into_iter().filter(is_shown).collect());
    };
    let key = app.api_key(key.to_str().unwrap_or_default()).await?;
    let Some(key) = key.as_ref() else { return Err(ApiError::new(ErrorType::Unauthorized)) };
    let tenant = app.tenant(key.tenant).await?;
    if tenant.sandbox { Ok(vec![Tenant::clone(&tenant)]) } else { Err(ApiError::new(ErrorType::Forbidden)) }
}
