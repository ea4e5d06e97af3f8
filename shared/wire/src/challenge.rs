//! What stands in the sandbox for a buyer's answer to the issuer of a card (decision record 0146).

use crate::{Checker, incoming};
use domain::payment::ChallengeOutcome;

incoming! {
    /// A buyer's answer.
    pub struct ChallengeInput {
        /// The `clientSecret` of the payment, as the checkout answered it.
        #[schema(required = true)]
        client_secret: String,
        /// `pass` or `fail`.
        #[schema(required = true)]
        outcome: String,
    }
}

/// Longest client secret.
const MAX_SECRET_CHARS: usize = 200;
/// Longest name of an outcome.
const MAX_OUTCOME_CHARS: usize = 20;

/// Which payment is answered for, and how.
#[derive(Debug)]
pub struct ChallengeAnswer {
    /// What names the payment.
    pub client_secret: String,
    /// The answer.
    pub outcome: ChallengeOutcome,
}

impl ChallengeInput {
    /// Reads an answer.
    pub fn read(self, checker: &mut Checker) -> Option<ChallengeAnswer> {
        let client_secret = checker.required_text("clientSecret", self.client_secret, MAX_SECRET_CHARS);
        let name = checker.required_text("outcome", self.outcome, MAX_OUTCOME_CHARS);
        let outcome = name.as_deref().and_then(ChallengeOutcome::parse);
        if name.is_some() && outcome.is_none() {
            checker.invalid("outcome", "must be pass or fail");
        }
        Some(ChallengeAnswer { client_secret: client_secret?, outcome: outcome? })
    }
}
