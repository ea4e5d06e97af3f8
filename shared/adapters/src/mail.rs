//! Sending mail: the trait every adapter fulfils, and Amazon SES as the real one.

mod ses;

use async_trait::async_trait;
use std::error::Error;
use std::fmt;

pub use ses::{SesAnswer, SesMail};

/// Hands one finished mail to whoever delivers it.
#[async_trait]
pub trait MailTransport: Send + Sync {
    /// Sends the mail once. A mail whose answer was lost may have been sent, so that a repeat may deliver it
    /// twice: at least once is the promise (contract §6).
    ///
    /// # Errors
    /// [`MailError`] when the mail was not accepted, saying whether a repeat can help.
    async fn send(&self, mail: &OutgoingMail) -> Result<(), MailError>;
}

/// A finished mail to one recipient.
#[derive(Clone, PartialEq, Eq)]
pub struct OutgoingMail {
    /// The Message-ID with its angle brackets: the same for every attempt to send this mail (contract §6).
    pub message_id: String,
    /// The sender's bare address, without a name.
    pub from: String,
    /// The recipient's bare address, without a name.
    pub to: String,
    /// The subject as a person reads it, not as the header encodes it.
    pub subject: String,
    /// The whole message, headers and body, as RFC 5322 bytes.
    pub mime: Vec<u8>,
}

/// Names the mail without its people or its content, so that it may stand in a log.
impl fmt::Debug for OutgoingMail {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("OutgoingMail")
            .field("message_id", &self.message_id)
            .field("bytes", &self.mime.len())
            .finish_non_exhaustive()
    }
}

/// Whether a mail that was not accepted may be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailFailure {
    /// Nothing is wrong with the mail: the network, the rate or the account stood in the way.
    Retry,
    /// The mail itself was refused and would be refused again.
    Refused,
}

/// A mail was not accepted. Neither this nor its source names the recipient.
#[derive(Debug)]
pub struct MailError {
    /// Whether a repeat can help.
    pub kind: MailFailure,
    source: Box<dyn Error + Send + Sync>,
}

impl MailError {
    /// A failure that a repeat may overcome. The source must not name the recipient.
    pub fn retry(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { kind: MailFailure::Retry, source: source.into() }
    }

    /// A final refusal of the mail as it is. The source must not name the recipient.
    pub fn refused(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { kind: MailFailure::Refused, source: source.into() }
    }
}

impl fmt::Display for MailError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.kind {
            MailFailure::Retry => "the mail could not be sent for now",
            MailFailure::Refused => "the mail was refused",
        })
    }
}

impl Error for MailError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source: &(dyn Error + 'static) = self.source.as_ref();
        Some(source)
    }
}
