//! The question of a test card's issuer, and the answer of whoever plays the buyer.

use super::{SandboxProcessor, SandboxStatus, State, unasked_issuer};
use crate::processor::ProcessorError;
use domain::PaymentReference;
use domain::payment::{BuyerAction, ChallengeOutcome, ClientSecret, Decline, DeclineReason};

/// What a client secret of the sandbox ends with, behind the reference of its payment.
const SECRET_END: &str = "_secret";
/// Where the page is that takes a person's answer, below the address of the service.
const PAGE: &str = "/sandbox/challenge?clientSecret=";

/// What a page shows the question with.
pub(super) fn action_of(reference: &PaymentReference) -> BuyerAction {
    let secret = format!("{reference}{SECRET_END}");
    let page = Some(format!("{PAGE}{secret}"));
    BuyerAction { client_secret: ClientSecret::new(secret), page }
}

/// The refusal of a card whose buyer did not confirm.
fn not_confirmed() -> Decline {
    unasked_issuer(
        DeclineReason::CardDeclined,
        "authentication_failed",
        "The buyer did not confirm the payment.",
    )
}

impl SandboxProcessor {
    /// Answers the issuer of a card for its buyer; a payment that was decided meanwhile stays as it is. None where no
    /// payment has this secret.
    ///
    /// # Errors
    /// [`ProcessorError`] when the database does not answer.
    pub async fn answer_challenge(
        &self,
        client_secret: &str,
        outcome: ChallengeOutcome,
    ) -> Result<Option<SandboxStatus>, ProcessorError> {
        let reference = client_secret.trim().strip_suffix(SECRET_END);
        let Some(reference) = reference.and_then(|text| PaymentReference::parse(text).ok()) else {
            return Ok(None);
        };
        let payment = match self.load_payment(&reference).await {
            Ok(payment) => payment,
            Err(ProcessorError::UnknownPayment) => return Ok(None),
            Err(fault) => return Err(fault),
        };
        let State::Asking { at: _, card } = &payment.state else {
            return Ok(Some(payment.state.status()));
        };
        let (at, card) = ((self.clock)(), card.clone());
        let answered = match outcome {
            ChallengeOutcome::Pass => State::Captured { at, card },
            ChallengeOutcome::Fail => State::Declined { at, card, decline: not_confirmed() },
        };
        let state = self.decide(payment, answered).await?;
        Ok(Some(state.status()))
    }
}

impl State {
    const fn status(&self) -> SandboxStatus {
        match self {
            Self::Opened => SandboxStatus::Opened,
            Self::Asking { .. } => SandboxStatus::Asking,
            Self::Captured { .. } => SandboxStatus::Captured,
            Self::Declined { .. } => SandboxStatus::Declined,
            Self::Cancelled { .. } => SandboxStatus::Cancelled,
        }
    }
}
