//! What a refusal of Stripe's is in our words (decision record 0075).

use super::answer::StripeError;
use domain::card::mask_card_numbers;
use domain::payment::{Decline, DeclineReason};
use domain::text::cut;

/// The longest message that is kept, in characters.
const MAX_MESSAGE_CHARS: usize = 300;

/// Reasons of the issuer that Stripe asks not to show to whoever holds the card: it may be a thief. They are
/// told as a decline without a reason; the account's own pages show them.
const SECRET_REASONS: [&str; 4] = ["fraudulent", "lost_card", "merchant_blacklist", "stolen_card"];
const NO_REASON: &str = "generic_decline";

/// The decline that a refusal means.
pub(super) fn decline_of(error: &StripeError) -> Decline {
    let told = error.decline_code();
    let is_secret = told.is_some_and(|code| SECRET_REASONS.contains(&code));
    let issuing_code = match told {
        Some(_) if is_secret => Some(NO_REASON),
        Some(code) => Some(code),
        None => error.network_decline_code(),
    };
    let message = error.message.as_deref().map(shown);
    let issuing_message = issuing_code.and(message.clone());
    Decline {
        reason: reason_of(error),
        processor_code: Some(error.code().unwrap_or("card_declined").to_owned()),
        processor_message: message,
        issuing_code: issuing_code.map(str::to_owned),
        issuing_message,
    }
}

/// The refusal of a refund: the processor's, since no issuer is asked.
pub(super) fn refusal_of(error: &StripeError) -> Decline {
    Decline {
        reason: DeclineReason::ProcessorError,
        processor_code: Some(error.code().unwrap_or("refund_refused").to_owned()),
        processor_message: error.message.as_deref().map(shown),
        issuing_code: None,
        issuing_message: None,
    }
}

/// The reason: what Stripe found, or else what the issuer said.
fn reason_of(error: &StripeError) -> DeclineReason {
    let codes = [error.code(), error.decline_code()];
    codes.into_iter().flatten().find_map(known).unwrap_or(DeclineReason::CardDeclined)
}

fn known(code: &str) -> Option<DeclineReason> {
    match code {
        "insufficient_funds" | "withdrawal_count_limit_exceeded" | "card_velocity_exceeded" => {
            Some(DeclineReason::InsufficientFunds)
        }
        "incorrect_cvc" | "invalid_cvc" => Some(DeclineReason::IncorrectCvc),
        "expired_card" | "invalid_expiry_month" | "invalid_expiry_year" => Some(DeclineReason::ExpiredCard),
        "incorrect_zip" | "postal_code_invalid" => Some(DeclineReason::IncorrectZip),
        "processing_error" | "issuer_not_available" | "reenter_transaction" | "try_again_later" => {
            Some(DeclineReason::ProcessorError)
        }
        _ => None,
    }
}

/// A message without card numbers, and not longer than one.
fn shown(message: &str) -> String {
    cut(&mask_card_numbers(message), MAX_MESSAGE_CHARS).to_owned()
}

/// The issuer wants the buyer to confirm the payment on a page of its own (3-D Secure). A checkout of one
/// request has no page.
pub(super) fn authentication_needed() -> Decline {
    ours(
        DeclineReason::CardDeclined,
        "authentication_required",
        "The card's issuer asks for a confirmation that cannot be given here.",
    )
}

/// A token that was used up or has expired since it was looked up.
pub(super) fn token_unusable() -> Decline {
    ours(DeclineReason::CardDeclined, "token_unusable", "The payment token has expired or was used before.")
}

/// The answer to a card that comes after the payment was cancelled.
pub(super) fn cancelled_before() -> Decline {
    ours(
        DeclineReason::ProcessorError,
        "payment_cancelled",
        "The payment was cancelled before the card was charged.",
    )
}

fn ours(reason: DeclineReason, code: &str, message: &str) -> Decline {
    Decline {
        reason,
        processor_code: Some(code.to_owned()),
        processor_message: Some(message.to_owned()),
        issuing_code: None,
        issuing_message: None,
    }
}
