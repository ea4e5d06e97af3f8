//! What the API's document says of the body of a refusal.

use crate::catalog::Use;
use serde::Serialize;
use wire::FieldError;
use wire::cart::{CartOutput, IncompleteFormOutput};
use wire::entitlement::EntitlementsResult;
use wire::onboarding::ErrorInfo;

/// The body of every refusal: what is wrong, in four fields, and the facts that belong to its type.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorBody {
    /// A sentence for people.
    pub message: String,
    /// The number of the error, see `GET /errors`.
    pub error_code: u32,
    /// The name of the error, see `GET /errors`.
    pub r#type: String,
    /// Names this request in the service's log; also in the header `x-service-request-id`.
    pub request_id: String,
    /// Every faulty field of the request.
    pub details: Option<Vec<FieldError>>,
    /// Of `NOT_REFUNDABLE` and `NOT_EXCHANGEABLE`: the tickets named that let somebody in.
    pub admitted_ticket_ids: Option<Vec<String>>,
    /// Of `NOT_ENOUGH_CAPACITY`: how many units of the add-on are left.
    pub available_pieces: Option<u32>,
    /// Of `NOT_ENOUGH_CAPACITY`: how many seats of the event are left.
    pub available_seats: Option<u32>,
    /// Of `PRICE_CHANGED`: the cart with its new prices.
    pub cart: Option<CartOutput>,
    /// Of `PAYMENT_ACTION_REQUIRED` in a sandbox: the page on which a person answers.
    pub challenge_url: Option<String>,
    /// Of `PAYMENT_ACTION_REQUIRED`: what the processor's page library shows the issuer's question with.
    pub client_secret: Option<String>,
    /// Of `AMOUNT_TOO_SMALL`: what `smallestAmount` is counted in, by the ISO 4217 code.
    pub currency: Option<String>,
    /// Of `ENTITLEMENTS_VIOLATED`: what the members of the cart may take.
    pub entitlements: Option<EntitlementsResult>,
    /// Of an application to take cards: which rules it breaks.
    pub error_info: Option<Vec<ErrorInfo>>,
    /// Of `NOT_ENOUGH_CAPACITY` and `SALES_CLOSED`: the event instance.
    pub event_id: Option<String>,
    /// Of `PAYMENT_ACTION_REQUIRED`: until when the order keeps its seats.
    pub expires_at: Option<String>,
    /// Of `FORMS_INCOMPLETE`: the forms that must be filled in first.
    pub forms: Option<Vec<IncompleteFormOutput>>,
    /// Of `NOT_ENOUGH_CAPACITY`: the add-on that is out of stock.
    pub inventory_id: Option<i64>,
    /// Of a refusal by a bank: its code.
    pub issuing_error_code: Option<String>,
    /// Of a refusal by a bank: what it says.
    pub issuing_error_message: Option<String>,
    /// Of `LIMIT_REACHED`: how many there may be.
    pub limit: Option<u64>,
    /// Of `CART_ALREADY_CHECKED_OUT`, and, for a server's key, of `DUPLICATE_TRANSACTION_FOUND`: the order that was paid. Of
    /// `PAYMENT_ACTION_REQUIRED`: the order that waits for its buyer's answer.
    pub order_id: Option<String>,
    /// Of a refusal by the card processor: its code.
    pub processor_error_code: Option<String>,
    /// Of a refusal by the card processor: what it says.
    pub processor_error_message: Option<String>,
    /// Of `MERCHANT_NOT_READY`: `notApproved` or `noRateCard`.
    pub reason: Option<String>,
    /// Of a refund: its id, by which it can be followed.
    pub refund_id: Option<String>,
    /// Of `REFUND_EXCEEDS_REMAINDER`: what is left of the sale.
    pub remainder: Option<String>,
    /// Of `AMOUNT_TOO_SMALL`: the smallest amount that can be charged.
    pub smallest_amount: Option<String>,
    /// Of `CAPACITY_BELOW_SOLD`, and of `IN_USE` of events: how many seats are sold or held.
    pub taken: Option<u32>,
    /// Of `IN_USE`: what names the record. Left out where nothing does, and only seats are sold or held.
    pub used_by: Option<Vec<Use>>,
    /// Of `LIMIT_REACHED`: what there are too many of.
    pub what: Option<String>,
}
