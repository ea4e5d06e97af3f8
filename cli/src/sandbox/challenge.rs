//! Where whoever plays the buyer answers the issuer of a test card: a route for programs, and a page for persons.

use adapters::App;
use adapters::clock::wall_now;
use adapters::processor::{SandboxProcessor, SandboxStatus};
use axum::Json;
use axum::extract::State;
use axum::response::Html;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;
use web::{ApiError, Body, ErrorBody, ErrorType};
use wire::challenge::{ChallengeAnswer, ChallengeInput};

/// The page. It reads the secret from its own address, and shows nothing of it.
const PAGE: &str = include_str!("challenge.html");

/// What became of the payment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnsweredChallenge {
    /// Where the payment stands: `captured` or `declined`, or what it was before where it was decided already.
    status: &'static str,
}

/// Answer the issuer of a test card
///
/// In place of the buyer, whom the issuer of the card behind the token `tok_3ds` asks to confirm the payment.
#[utoipa::path(
    post,
    path = "/sandbox/challenge",
    tag = "Sandbox",
    request_body = ChallengeInput,
    responses(
        (status = 200, description = "What became of the payment", body = AnsweredChallenge),
        (status = 404, description = "No payment has this `clientSecret`", body = ErrorBody),
    ),
)]
pub(super) async fn answer_challenge(
    State(app): State<App>,
    body: Body<ChallengeInput>,
) -> Result<Json<AnsweredChallenge>, ApiError> {
    let ChallengeAnswer { client_secret, outcome } = body.parse(|checker, input| input.read(checker))?;
    let processor = SandboxProcessor::new(app.store.clone(), Arc::new(wall_now));
    let answered = processor.answer_challenge(&client_secret, outcome).await;
    let answered = answered.map_err(|fault| ApiError::new(ErrorType::TryAgain).cause(fault))?;
    let unknown = || ApiError::new(ErrorType::NotFound).detail("/clientSecret", "was not found");
    let status = status_name(answered.ok_or_else(unknown)?);
    Ok(Json(AnsweredChallenge { status }))
}

/// What a status of the sandbox's processor is called.
pub(super) const fn status_name(status: SandboxStatus) -> &'static str {
    match status {
        SandboxStatus::Opened => "opened",
        SandboxStatus::Asking => "asking",
        SandboxStatus::Captured => "captured",
        SandboxStatus::Declined => "declined",
        SandboxStatus::Cancelled => "cancelled",
    }
}

/// Answer the issuer of a test card by hand
///
/// The page at the `challengeUrl` of a checkout, with a button for each answer. It reads the secret from its own address.
#[utoipa::path(
    get,
    path = "/sandbox/challenge",
    tag = "Sandbox",
    responses((status = 200, description = "The page", body = String, content_type = "text/html")),
)]
pub(super) async fn challenge_page() -> Html<&'static str> {
    Html(PAGE)
}
