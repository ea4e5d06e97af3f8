//! `POST /v1/payment/{mid}/refund`.

use crate::answer;
use crate::keyed::SentKey;
use crate::work::Work;
use adapters::App;
use axum::extract::State;
use axum::response::Response;
use web::access::{Caller, MerchantServer};
use web::authored::Target;
use web::task::to_the_end;
use web::{ApiError, Body, ErrorBody};
use wire::refund::{RefundInput, RefundOutput};

/// Refund part or all of a sale to its card
///
/// The refunds of a sale never add up to more than was captured, however many are asked for at once. Fees come back
/// in proportion, and the refund that completes the sale brings what is left of them. While the processor has not
/// answered, the answer is `REQUEST_IN_PROGRESS` with the `refundId`; the refund is finished within minutes, and the
/// same request with the same idempotency key says how it ended.
#[utoipa::path(
    post,
    path = "/v1/payment/{mid}/refund",
    tag = "Payments",
    params(("mid" = String, Path, description = "The merchant of the key")),
    request_body = RefundInput,
    responses(
        (status = 200, description = "The refund", body = RefundOutput),
        (status = 400, description = "`VALIDATION_ERROR`; `NEGATIVE_REFUND_AMOUNT`: 0.00 or less", body = ErrorBody),
        (status = 402, description = "`REFUND_REFUSED`: refused by the processor or the issuing bank, with their codes; nothing was refunded", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: the key is another merchant's, or the merchant has no such sale", body = ErrorBody),
        (status = 409, description = "`REFUND_EXCEEDS_REMAINDER` with the `remainder`, `TOO_MANY_REFUNDS`, `REQUEST_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn refund(
    State(app): State<App>,
    merchant: MerchantServer,
    Target { id: mid, key, .. }: Target,
    body: Body<RefundInput>,
) -> Result<Response, ApiError> {
    let mid = merchant.own_mid(&mid)?.clone();
    let key = match key.hash() {
        Some(hash) => {
            let hash_key = app.hash_key(&merchant.tenant).await?;
            Some(SentKey::new(&mid, &hash, body.fingerprint("refund", &hash_key)))
        }
        None => None,
    };
    let wish = body.parse(|checker, input| input.parse(checker))?;
    let amount = wish.amount.map_err(answer::not_positive)?;
    let work = Work { app, caller: Caller::clone(&merchant), mid, sale: wish.sale, amount };
    to_the_end(async move {
        match key {
            Some(key) => work.run_keyed(&key).await,
            None => work.run().await,
        }
    })
    .await
}
