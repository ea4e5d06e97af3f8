//! Mail through Amazon SES v2.

use super::{MailError, MailFailure, MailTransport, OutgoingMail};
use async_trait::async_trait;
use aws_sdk_sesv2::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_sesv2::operation::send_email::SendEmailError;
use aws_sdk_sesv2::types::{Destination, EmailContent, RawMessage};
use aws_sdk_sesv2::{Client, Config};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_types::Blob;
use std::error::Error;
use std::fmt;
use std::sync::OnceLock;

/// Refusals with a status of 400 that are about the account, not about the mail: once the rate falls or the
/// account is put in order, the same mail passes.
const ACCOUNT_CODES: [&str; 8] = [
    "AccountSuspendedException",
    "ExpiredTokenException",
    "LimitExceededException",
    "MailFromDomainNotVerifiedException",
    "SendingPausedException",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
];

/// Sends each mail as raw MIME through Amazon SES.
///
/// SES replaces the `Message-ID` and `Date` headers with its own; the confirmation mail therefore carries its
/// stable id in a second header as well.
#[derive(Debug, Clone)]
pub struct SesMail {
    config: Config,
    client: OnceLock<Client>,
}

impl SesMail {
    /// Sends through a client of this configuration, made for the first mail, whose region, time-outs and number of
    /// attempts are the caller's choice.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config, client: OnceLock::new() }
    }
}

#[async_trait]
impl MailTransport for SesMail {
    async fn send(&self, mail: &OutgoingMail) -> Result<(), MailError> {
        let raw =
            RawMessage::builder().data(Blob::new(mail.mime.clone())).build().map_err(MailError::refused)?;
        self.client
            .get_or_init(|| Client::from_conf(self.config.clone()))
            .send_email()
            .from_email_address(&mail.from)
            .destination(Destination::builder().to_addresses(&mail.to).build())
            .content(EmailContent::builder().raw(raw).build())
            .send()
            .await
            .map(|_accepted| ())
            .map_err(mail_error)
    }
}

/// What SES answered, without its message text, which quotes addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SesAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The error code, such as `MessageRejected`, when there was one.
    pub code: Option<String>,
}

impl fmt::Display for SesAnswer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SES answered {} {}", self.status, self.code.as_deref().unwrap_or("without a code"))
    }
}

impl Error for SesAnswer {}

impl SesAnswer {
    /// Only an answer about the message itself is final.
    fn weigh(&self) -> MailFailure {
        let about_the_account = self.code.as_deref().is_some_and(|code| ACCOUNT_CODES.contains(&code));
        match self.status {
            400 | 413 if !about_the_account => MailFailure::Refused,
            _ => MailFailure::Retry,
        }
    }
}

fn mail_error(error: SdkError<SendEmailError, HttpResponse>) -> MailError {
    if let SdkError::ServiceError(refusal) = &error {
        let answer = SesAnswer {
            status: refusal.raw().status().as_u16(),
            code: refusal.err().code().map(str::to_owned),
        };
        return match answer.weigh() {
            MailFailure::Retry => MailError::retry(answer),
            MailFailure::Refused => MailError::refused(answer),
        };
    }
    // Without an answer about the mail there is nothing final to say about it.
    match error.into_source() {
        Ok(source) => MailError::retry(source),
        Err(error) => MailError::retry(error),
    }
}

#[cfg(test)]
mod tests;
