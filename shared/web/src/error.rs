//! The one table of errors, and the one way from a failure to an answer (contract §3).

use adapters::Limit;
use axum::response::{IntoResponse, Response};
use domain::payment::Decline;
use http::{HeaderValue, StatusCode, header::RETRY_AFTER};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;
use wire::{FieldError, Rejection};

macro_rules! error_table {
    ($( $(#[doc = $when:literal])+ $variant:ident, $status:ident, $code:literal, $name:literal, $message:literal; )*) => {
        /// Everything a caller can be told to have gone wrong. Numbers of the specification stay as given;
        /// ours start at 20000 and are never used again for something else.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ErrorType {
            $( $(#[doc = $when])+ $variant, )*
        }

        impl ErrorType {
            /// The table, in the order of its numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The row of the table.
            #[must_use]
            pub const fn row(self) -> ErrorRow {
                match self {
                    $( Self::$variant => ErrorRow {
                        status: StatusCode::$status, code: $code, name: $name, message: $message,
                        when: concat!($($when),+).trim_ascii(),
                    }, )*
                }
            }
        }
    };
}

/// One row of the error table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorRow {
    /// HTTP status.
    pub status: StatusCode,
    /// The number in `errorCode`.
    pub code: u32,
    /// The name in `type`.
    pub name: &'static str,
    /// The text in `message`, unless the failure has a more exact one.
    pub message: &'static str,
    /// What it means: the row's own comment.
    pub when: &'static str,
}

error_table! {
    /// The bank wants another postal code (given number).
    IncorrectZip, PAYMENT_REQUIRED, 6107, "INCORRECT_ZIP",
        "Please enter the correct ZIP / Postal Code for your credit card";
    /// A refund of nothing or less (given number).
    NegativeRefundAmount, BAD_REQUEST, 10026, "NEGATIVE_REFUND_AMOUNT", "Refund amount must be positive";
    /// The same card paid the same amount less than five minutes ago (given number).
    DuplicateTransactionFound, CONFLICT, 16003, "DUPLICATE_TRANSACTION_FOUND",
        "Duplicate transaction found";
    /// Fields are missing or wrong.
    ValidationError, BAD_REQUEST, 20000, "VALIDATION_ERROR",
        "Some values in the request are missing or invalid; see details";
    /// Not JSON, or not an object.
    MalformedJson, BAD_REQUEST, 20001, "MALFORMED_JSON", "The body is not a JSON object";
    /// No key, or one that is unknown or revoked.
    Unauthorized, UNAUTHORIZED, 20002, "UNAUTHORIZED", "A valid API key is required";
    /// The key may not do this.
    Forbidden, FORBIDDEN, 20003, "FORBIDDEN", "This API key does not have access to this route";
    /// No such path, or nothing of this tenant has this id.
    NotFound, NOT_FOUND, 20004, "NOT_FOUND", "Not found";
    /// The path exists, but not for this method.
    MethodNotAllowed, METHOD_NOT_ALLOWED, 20005, "METHOD_NOT_ALLOWED",
        "This path does not support that method";
    /// The body is larger than accepted.
    PayloadTooLarge, PAYLOAD_TOO_LARGE, 20006, "PAYLOAD_TOO_LARGE", "The body is too large";
    /// The body is declared as something else than JSON.
    UnsupportedMediaType, UNSUPPORTED_MEDIA_TYPE, 20007, "UNSUPPORTED_MEDIA_TYPE",
        "The body must be sent as application/json";
    /// Too few seats are left.
    NotEnoughCapacity, CONFLICT, 20008, "NOT_ENOUGH_CAPACITY", "Not enough seats are left";
    /// The slot is cancelled or outside its sale window.
    SalesClosed, CONFLICT, 20009, "SALES_CLOSED", "This is not on sale";
    /// The cart has become an order.
    CartAlreadyCheckedOut, CONFLICT, 20010, "CART_ALREADY_CHECKED_OUT",
        "The cart has already been checked out";
    /// The reservation is not live any more.
    ReservationExpired, CONFLICT, 20011, "RESERVATION_EXPIRED", "The reservation has expired";
    /// The total rose since the cart was last returned.
    PriceChanged, CONFLICT, 20012, "PRICE_CHANGED",
        "The price has changed since the cart was last returned";
    /// The key was used for another request.
    IdempotencyKeyReused, CONFLICT, 20013, "IDEMPOTENCY_KEY_REUSED",
        "The idempotency key was used with a different request";
    /// The same request is still being processed.
    RequestInProgress, CONFLICT, 20014, "REQUEST_IN_PROGRESS", "The same request is still being processed";
    /// A coupon code does not apply.
    CouponNotValid, BAD_REQUEST, 20015, "COUPON_NOT_VALID", "A coupon code is not valid for this order";
    /// A coupon has no uses left.
    CouponUsedUp, CONFLICT, 20016, "COUPON_USED_UP", "A coupon code has reached its usage limit";
    /// The bank refused the card.
    CardDeclined, PAYMENT_REQUIRED, 20017, "CARD_DECLINED", "The card was declined";
    /// The bank wants another cvc.
    IncorrectCvc, PAYMENT_REQUIRED, 20018, "INCORRECT_CVC", "The card's security code is incorrect";
    /// The card is no longer valid.
    ExpiredCard, PAYMENT_REQUIRED, 20019, "EXPIRED_CARD", "The card has expired";
    /// The account has too little money.
    InsufficientFunds, PAYMENT_REQUIRED, 20020, "INSUFFICIENT_FUNDS", "The card has insufficient funds";
    /// The processor could not decide.
    PaymentProcessorError, PAYMENT_REQUIRED, 20021, "PAYMENT_PROCESSOR_ERROR",
        "The card processor could not take the payment";
    /// No merchant of the tenant may charge cards.
    MerchantNotReady, CONFLICT, 20022, "MERCHANT_NOT_READY",
        "Cards cannot be charged: no approved merchant has a rate card";
    /// The caller asks too often.
    Throttled, TOO_MANY_REQUESTS, 20023, "THROTTLED", "Too many requests; try again later";
    /// Something is busy or did not answer, so it is open whether the request took effect. With the same
    /// idempotency key it is safe to repeat.
    TryAgain, SERVICE_UNAVAILABLE, 20024, "TRY_AGAIN", "The service is busy; please try again";
    /// A fault of ours.
    Internal, INTERNAL_SERVER_ERROR, 20025, "INTERNAL", "Something went wrong on our side";
    /// The answer would be larger than can be returned.
    ResponseTooLarge, BAD_REQUEST, 20026, "RESPONSE_TOO_LARGE",
        "The response would be too large; request a shorter range";
    /// `If-Match` names another revision than the current one; nothing was changed.
    PreconditionFailed, PRECONDITION_FAILED, 20027, "PRECONDITION_FAILED",
        "It has changed since you read it; fetch it again";
    /// It cannot be deleted: `usedBy` says what names it, or `taken` how many of its seats are sold or held.
    InUse, CONFLICT, 20028, "IN_USE", "It is in use";
    /// `reviewState` would go from `Published` to `Draft`.
    PublishedTemplateCannotReturnToDraft, CONFLICT, 20029, "PUBLISHED_TEMPLATE_CANNOT_RETURN_TO_DRAFT",
        "A published template cannot return to draft";
    /// An event instance would have fewer seats than are sold and held; `taken` says how many those are.
    CapacityBelowSold, CONFLICT, 20030, "CAPACITY_BELOW_SOLD",
        "The capacity cannot be lower than the number of seats sold and held";
    /// More tickets than the members of a cart are entitled to at the member price, or than its events allow in
    /// one order; `entitlements` says which.
    EntitlementsViolated, CONFLICT, 20031, "ENTITLEMENTS_VIOLATED",
        "The cart has more tickets than its memberships or events allow";
    /// A form that must be filled in is not, or what was answered no longer fits it; `forms` says which.
    FormsIncomplete, CONFLICT, 20034, "FORMS_INCOMPLETE", "A form must be filled in first";
    /// Parameters that exclude each other were sent together; `details` names them.
    CombinationNotSupported, BAD_REQUEST, 20038, "COMBINATION_NOT_SUPPORTED",
        "These parameters cannot be used together";
    /// A member is to be verified, and no membership is named.
    MembershipIdMissing, BAD_REQUEST, 20042, "MEMBERSHIPID_DNE", "membershipId is required";
    /// The token of a login link has already been used, has expired, or is not valid.
    LoginTokenNotValid, BAD_REQUEST, 20050, "LOGIN_TOKEN_NOT_VALID",
        "This link is no longer valid; request a new one";
    /// The primary card of a membership would be given up while others are held.
    PrimaryCardNeeded, CONFLICT, 20051, "PRIMARY_CARD_NEEDED",
        "The primary card cannot be cancelled while the membership has other cards";
    /// Another membership has the number by which the venue knows this one.
    ExternalIdTaken, CONFLICT, 20052, "EXTERNAL_ID_TAKEN",
        "Another membership already has this externalMembershipId";
    /// An application with this `boardingRefId` says something else.
    OnboardingConflict, CONFLICT, 20060, "ONBOARDING_CONFLICT",
        "An application with this boardingRefId already exists; change it with PATCH";
    /// The underwriter declined the merchant; its application is closed.
    MerchantDeclined, CONFLICT, 20061, "MERCHANT_DECLINED",
        "The merchant was declined and cannot be changed";
    /// A refund asks for more than its sale has left; `remainder` says what that is.
    RefundExceedsRemainder, CONFLICT, 20062, "REFUND_EXCEEDS_REMAINDER",
        "The refund is larger than the amount left to refund";
    /// The processor or the bank refused a refund; nothing was given back.
    RefundRefused, PAYMENT_REQUIRED, 20063, "REFUND_REFUSED", "The refund was refused";
    /// A sale or an order has 200 refunds, and takes no further one.
    TooManyRefunds, CONFLICT, 20064, "TOO_MANY_REFUNDS",
        "This sale or order has reached its limit of refunds";
    /// These items cannot be refunded; `details` says why.
    NotRefundable, CONFLICT, 20070, "NOT_REFUNDABLE", "These items cannot be refunded";
    /// A refund of the order is under way, or the processor has not confirmed this one yet; `refundId` says which.
    RefundPending, CONFLICT, 20071, "REFUND_PENDING", "Another refund of this order is in progress";
    /// A refund gives back more than can be written at once.
    RefundTooLarge, CONFLICT, 20072, "REFUND_TOO_LARGE",
        "This is too much to refund in one go; list fewer items";
    /// What was named cannot be exchanged so; `details` says why.
    NotExchangeable, CONFLICT, 20073, "NOT_EXCHANGEABLE",
        "These tickets cannot be exchanged for that event";
    /// An order had 50 exchanges, and takes no further one.
    TooManyExchanges, CONFLICT, 20074, "TOO_MANY_EXCHANGES", "The order has reached its limit of exchanges";
    /// There are as many of something as there may be; `what` says of what, `limit` how many.
    LimitReached, CONFLICT, 20090, "LIMIT_REACHED", "The limit has been reached";
    /// The body did not arrive in full within 30 seconds; nothing was done.
    RequestTimeout, REQUEST_TIMEOUT, 20115, "REQUEST_TIMEOUT", "The body did not arrive in time";
    /// A setting that only the operator of the installation changes was sent with another value; `details` says which.
    SettingReserved, FORBIDDEN, 20116, "SETTING_RESERVED",
        "These settings can only be changed by the operator of the installation";
    /// The only admin of the venue's staff who is active would be removed, made inactive or have another role.
    LastAdmin, CONFLICT, 20117, "LAST_ADMIN",
        "This is the venue's only active admin; make another person an admin first";
    /// A mail is to be sent again, and nobody of the order has an address.
    NoAddress, CONFLICT, 20120, "NO_ADDRESS", "There is no e-mail address to send this to";
    /// The tickets are to be sent again, and none is left.
    NothingToSend, CONFLICT, 20121, "NOTHING_TO_SEND", "The order has no tickets left to send";
    /// The mails of an order were sent again 50 times.
    TooManyMails, CONFLICT, 20122, "TOO_MANY_MAILS", "The order has reached its limit of mails";
    /// The order costs less than the card processor charges; `smallestAmount` says in `currency` what that is.
    AmountTooSmall, CONFLICT, 20130, "AMOUNT_TOO_SMALL", "The amount is smaller than can be charged";
    /// The card's issuer asks the buyer to confirm the payment (3-D Secure); the order waits until `expiresAt`.
    PaymentActionRequired, PAYMENT_REQUIRED, 20150, "PAYMENT_ACTION_REQUIRED",
        "The card's issuer asks for a confirmation";
    /// The buyer did not answer the card's issuer in time; nothing was charged and everything given back.
    PaymentExpired, CONFLICT, 20151, "PAYMENT_EXPIRED", "The payment was not confirmed in time";
}

/// A failure on its way to the caller: what it is told, and a cause that only the log sees.
#[derive(Debug, Clone)]
pub struct ApiError(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    kind: ErrorType,
    message: Option<String>,
    details: Vec<FieldError>,
    facts: Map<String, Value>,
    retry_after_secs: Option<u32>,
    is_without_effect: bool,
    cause: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// Suggested to callers whose request met something busy.
const RETRY_AFTER_SECS: u32 = 2;

impl ApiError {
    /// An error of this type.
    #[must_use]
    pub fn new(kind: ErrorType) -> Self {
        let retry_after_secs =
            matches!(kind, ErrorType::Throttled | ErrorType::TryAgain | ErrorType::RequestInProgress)
                .then_some(RETRY_AFTER_SECS);
        Self(Box::new(Inner {
            kind,
            message: None,
            details: vec![],
            facts: Map::new(),
            retry_after_secs,
            is_without_effect: false,
            cause: None,
        }))
    }

    /// A refusal that was kept, by its number and facts; none where the table has no such number.
    pub(crate) fn kept(code: u32, facts: &str) -> Option<Self> {
        let kind = *ErrorType::ALL.iter().find(|kind| kind.row().code == code)?;
        let mut error = Self::new(kind);
        error.0.facts = serde_json::from_str(facts).ok()?;
        Some(error)
    }

    /// There are as many of these as there may be.
    #[must_use]
    pub fn limit_reached(Limit { what, most }: Limit) -> Self {
        Self::new(ErrorType::LimitReached).fact("what", what).fact("limit", most)
    }

    /// The type.
    #[must_use]
    pub fn kind(&self) -> ErrorType {
        self.0.kind
    }

    /// With a text that says more than the table's.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.0.message = Some(message.into());
        self
    }

    /// With a fault of a field, header or query parameter.
    #[must_use]
    pub fn detail(mut self, field: impl Into<String>, message: impl Into<String>) -> Self {
        self.0.details.push(FieldError { field: field.into(), message: message.into() });
        self
    }

    /// With the fields of its details renamed, where `rename` has another name.
    #[must_use]
    pub fn pointing(mut self, rename: impl Fn(&str) -> Option<String>) -> Self {
        for detail in &mut self.0.details {
            if let Some(field) = rename(&detail.field) {
                detail.field = field;
            }
        }
        self
    }

    /// With the seconds after which another try makes sense.
    #[must_use]
    pub fn retry_after(mut self, secs: u32) -> Self {
        self.0.retry_after_secs = Some(secs);
        self
    }

    /// The faults.
    #[cfg(test)]
    pub(crate) fn details(&self) -> &[FieldError] {
        &self.0.details
    }

    /// With a fact beside the four standard fields, such as the id of an order.
    #[must_use]
    pub fn fact(mut self, name: &str, value: impl Serialize) -> Self {
        if let Ok(value) = serde_json::to_value(value)
            && !value.is_null()
        {
            self.0.facts.insert(name.to_owned(), value);
        }
        self
    }

    /// With what the processor said, and the bank behind it.
    #[must_use]
    pub fn refused_by(self, decline: &Decline) -> Self {
        self.fact("processorErrorCode", &decline.processor_code)
            .fact("processorErrorMessage", &decline.processor_message)
            .fact("issuingErrorCode", &decline.issuing_code)
            .fact("issuingErrorMessage", &decline.issuing_message)
    }

    /// Of a request that certainly did nothing, although its type leaves that open: what was claimed for it is given
    /// free.
    #[must_use]
    pub fn without_effect(mut self) -> Self {
        self.0.is_without_effect = true;
        self
    }

    /// Whether the request may have been carried out, or be on its way, all the same.
    pub(crate) fn may_have_had_its_effect(&self) -> bool {
        use ErrorType::{Internal, RefundPending, RequestInProgress, TryAgain};
        let open = [TryAgain, Internal, RequestInProgress, RefundPending];
        open.contains(&self.0.kind) && !self.0.is_without_effect
    }

    /// The facts as JSON text.
    pub(crate) fn facts(&self) -> String {
        Value::Object(self.0.facts.clone()).to_string()
    }

    /// With a cause for the log.
    #[must_use]
    pub fn cause(mut self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.cause = Some(Arc::new(cause));
        self
    }

    /// A fault of ours.
    #[must_use]
    pub fn internal(cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::new(ErrorType::Internal).cause(cause)
    }

    /// The cause and its causes in one line, for the log.
    pub(crate) fn causes(&self) -> Option<String> {
        let first = self.0.cause.as_deref()?;
        let mut text = first.to_string();
        let mut next = first.source();
        while let Some(cause) = next {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            next = cause.source();
        }
        Some(text)
    }

    /// The answer's body.
    #[must_use]
    pub fn body(&self, request_id: &str) -> Value {
        let row = self.0.kind.row();
        let mut body = Map::new();
        body.insert("message".to_owned(), self.0.message.as_deref().unwrap_or(row.message).into());
        body.insert("errorCode".to_owned(), row.code.into());
        body.insert("type".to_owned(), row.name.into());
        body.insert("requestId".to_owned(), request_id.into());
        if !self.0.details.is_empty() {
            body.insert("details".to_owned(), serde_json::to_value(&self.0.details).unwrap_or_default());
        }
        body.extend(self.0.facts.clone());
        Value::Object(body)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0.kind.row().name)
    }
}

impl std::error::Error for ApiError {}

impl IntoResponse for ApiError {
    /// The status now; the body is written by the shell, which knows the request id.
    fn into_response(self) -> Response {
        let mut response = self.0.kind.row().status.into_response();
        if let Some(secs) = self.0.retry_after_secs {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(secs));
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<Rejection> for ApiError {
    fn from(rejection: Rejection) -> Self {
        let (kind, details) = match rejection {
            Rejection::Invalid(details) => (ErrorType::ValidationError, details),
            Rejection::Unknown(details) => (ErrorType::NotFound, details),
        };
        let mut error = Self::new(kind);
        error.0.details = details;
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_number_and_no_name_stands_twice_in_the_table() {
        let codes: BTreeSet<u32> = ErrorType::ALL.iter().map(|kind| kind.row().code).collect();
        let names: BTreeSet<&str> = ErrorType::ALL.iter().map(|kind| kind.row().name).collect();
        assert_eq!(codes.len(), ErrorType::ALL.len());
        assert_eq!(names.len(), ErrorType::ALL.len());
    }

    #[test]
    fn a_cause_reaches_the_log_and_not_the_caller() {
        let error = ApiError::internal(std::io::Error::other("the secret cause"));
        assert_eq!(error.causes().as_deref(), Some("the secret cause"));
        assert!(!error.body("r").to_string().contains("secret"));
    }
}
