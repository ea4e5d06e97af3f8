//! Sessions in which persons of the staff work (decision record 0138): read with every request, and never from a cache,
//! so that whoever is sent home works nowhere from then on.

use crate::{ApiError, ErrorType};
use adapters::App;
use domain::Timestamp;
use domain::staff::SessionToken;
use store::staff::FoundSession;

/// The header that sessions come in.
pub(crate) const SESSION_HEADER: &str = "x-service-session";

/// The session of a request, with its person. Whether it is over, the clock of the request says.
#[derive(Debug, Clone)]
pub(crate) struct SentSession {
    pub(crate) token: SessionToken,
    pub(crate) found: FoundSession,
}

impl SentSession {
    /// The session with this text.
    ///
    /// # Errors
    /// `UNAUTHORIZED`, whether there was no session, one of nobody, or one that was ended.
    pub(crate) async fn load(app: &App, text: &str) -> Result<Self, ApiError> {
        let token = SessionToken::parse(text).ok_or_else(no_valid_session)?;
        let found = app.store.load_session(&token).await?.ok_or_else(no_valid_session)?;
        Ok(Self { token, found })
    }

    /// Refuses a session that is over, or that its person has no more.
    ///
    /// # Errors
    /// `UNAUTHORIZED`.
    pub(crate) fn check(&self, now: Timestamp) -> Result<(), ApiError> {
        let FoundSession { person, session } = &self.found;
        if session.is_open_to(person, now) { Ok(()) } else { Err(no_valid_session()) }
    }
}

/// The same whatever is wrong with it.
pub(crate) fn no_valid_session() -> ApiError {
    ApiError::new(ErrorType::Unauthorized)
        .message(format!("A valid session is required in the header {SESSION_HEADER}"))
}
