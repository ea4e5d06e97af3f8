//! What Stripe tells by webhook (decision record 0147). A message is a hint to ask, and proves nothing but its sender.

use adapters::App;
use adapters::processor::{EventFault, FoundDispute, FoundFailure, ProcessorError};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use domain::TenantId;
use domain::order::{Dispute, FailedRefund};
use domain::stripe_event::StripeEvent;
use serde::Serialize;
use utoipa::ToSchema;
use web::{ApiError, ErrorBody, ErrorType, RawBody};

/// Where the signature of a message stands.
const SIGNATURE_HEADER: &str = "stripe-signature";

/// That a message was heard.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HeardEvent {
    /// Whether it brought something new about what this venue waits for or keeps.
    pub(crate) noted: bool,
}

/// Take a message of Stripe's
///
/// The address of a webhook of the tenant's account. Messages are signed; their order and number do not matter.
#[utoipa::path(
    post, path = "/v1/payment/webhooks/stripe/{tenantId}", tag = "Payments", security(()),
    params(
        ("tenantId" = String, Path, description = "The tenant"),
        ("stripe-signature" = Option<String>, Header, description = "Stripe's signature of the body", example = "t=1492774577,v1=5257a869"),
    ),
    responses(
        (status = 200, description = "It was heard; nothing more is to be sent about it.", body = HeardEvent),
        (status = 400, description = "`VALIDATION_ERROR`: it is not signed by Stripe, or was signed more than five minutes ago. `MALFORMED_JSON`: it cannot be read.", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: no tenant of this id takes such messages.", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`: send it again later.", body = ErrorBody),
    )
)]
pub(crate) async fn stripe_event(
    State(app): State<App>,
    Path(tenant): Path<String>,
    headers: HeaderMap,
    body: RawBody,
) -> Result<Json<HeardEvent>, ApiError> {
    let unknown = || ApiError::new(ErrorType::NotFound).message("There is no such webhook");
    let tenant = tenant.parse().ok().and_then(|id| TenantId::parse(id).ok()).ok_or_else(unknown)?;
    let tenant = match app.tenant(tenant).await {
        Ok(tenant) => tenant,
        Err(adapters::AdapterFault::UnknownTenant) => return Err(unknown()),
        Err(fault) => return Err(fault.into()),
    };
    let stripe = app.stripe_of(&tenant).filter(|stripe| stripe.takes_events()).ok_or_else(unknown)?;
    if tenant.is_closed() {
        return Err(ApiError::new(ErrorType::TryAgain));
    }
    let signature = headers.get(SIGNATURE_HEADER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let now = app.wall_now();
    let event = stripe.read_event(signature, &body.0, now).await.map_err(refused)?;
    let noted = match event {
        StripeEvent::Other => false,
        StripeEvent::Payment(order) => app.store.hasten_order(tenant.id, &order, now).await?,
        StripeEvent::Dispute { id, account } => {
            match stripe.dispute(&id, account).await.map_err(unanswered)? {
                Some(FoundDispute { order, opened_at, status }) => {
                    let dispute = Dispute { id, opened_at, status, heard_at: now };
                    app.store.note_dispute(tenant.id, &order, &dispute).await?
                }
                None => false,
            }
        }
        StripeEvent::Refund { id, account } => {
            match stripe.failed_refund(&id, account).await.map_err(unanswered)? {
                Some(FoundFailure { order, refund }) => {
                    let failed = FailedRefund { refund, heard_at: now };
                    app.store.note_failed_refund(tenant.id, &order, &failed).await?
                }
                None => false,
            }
        }
    };
    tracing::info!(tenant = tenant.id.get(), noted, "a message of Stripe's was heard");
    Ok(Json(HeardEvent { noted }))
}

fn unanswered(fault: ProcessorError) -> ApiError {
    ApiError::new(ErrorType::TryAgain).cause(fault)
}

fn refused(fault: EventFault) -> ApiError {
    match fault {
        EventFault::Unsigned => ApiError::new(ErrorType::ValidationError)
            .detail(SIGNATURE_HEADER, "is not a recent signature of this body"),
        EventFault::Unreadable => ApiError::new(ErrorType::MalformedJson),
        EventFault::NoSecret => ApiError::new(ErrorType::TryAgain),
    }
}
