//! `POST /v1/payment/{mid}/refund/preview`.

use crate::answer;
use adapters::App;
use axum::Json;
use axum::extract::{Path, State};
use domain::sale::refundable;
use web::access::MerchantServer;
use web::{ApiError, Body, ErrorBody};
use wire::refund::{RefundInput, RefundPreviewOutput};

/// Preview a refund
///
/// Nothing is changed, and nobody is asked: the processor may still refuse the refund itself.
#[utoipa::path(
    post,
    path = "/v1/payment/{mid}/refund/preview",
    tag = "Payments",
    params(("mid" = String, Path, description = "The merchant of the key")),
    request_body = RefundInput,
    responses(
        (status = 200, description = "The refund as it would be", body = RefundPreviewOutput),
        (status = 400, description = "`VALIDATION_ERROR`; `NEGATIVE_REFUND_AMOUNT`: 0.00 or less", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: the key is another merchant's, or the merchant has no such sale", body = ErrorBody),
        (status = 409, description = "`REFUND_EXCEEDS_REMAINDER`, `TOO_MANY_REFUNDS`", body = ErrorBody),
    ),
)]
pub(crate) async fn preview(
    State(app): State<App>,
    merchant: MerchantServer,
    Path(mid): Path<String>,
    body: Body<RefundInput>,
) -> Result<Json<RefundPreviewOutput>, ApiError> {
    let mid = merchant.own_mid(&mid)?;
    let wish = body.parse(|checker, input| input.parse(checker))?;
    let amount = wish.amount.map_err(answer::not_positive)?.money();
    let sale = app.store.load_sale(merchant.tenant.id, &wish.sale).await?;
    let sale = refundable(sale.as_ref(), mid, amount).map_err(answer::refusal)?;
    Ok(Json(RefundPreviewOutput::new(sale, amount)?))
}
