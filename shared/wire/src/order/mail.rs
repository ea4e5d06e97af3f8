//! What became of the mails of an order, for the back office.

use super::OrderView;
use domain::Zone;
use domain::outbox::{MailKind, MailState, OutboxMail};
use serde::Serialize;
use utoipa::ToSchema;

/// An order as the back office sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct StaffOrderView {
    /// The order.
    #[serde(flatten)]
    pub order: OrderView,
    /// Its mails: the confirmation, then those of refunds and exchanges. Empty where none is sent.
    pub mails: Vec<OrderMailView>,
}

/// Where a mail of an order stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct OrderMailView {
    /// What it carries: `receipt`, `tickets`, `receiptWithTickets`, `refund-<number>` or `exchange-<number>`.
    pub kind: String,
    /// `queued`, `sent`, `refused` or `superseded`. Sent: the mail service took it; refused: the mail service
    /// refused it for good, so that nobody got it; superseded: what it had to say was no longer true.
    pub status: &'static str,
    /// Since when; null while it is queued.
    pub at: Option<String>,
}

impl OrderMailView {
    /// The mails of an order.
    #[must_use]
    pub fn all_of(mut mails: Vec<OutboxMail>, zone: Zone) -> Vec<Self> {
        mails.sort_by_key(|mail| mail.kind);
        mails
            .into_iter()
            .map(|OutboxMail { kind, message_id: _, state }| Self::new(kind, state, zone))
            .collect()
    }

    fn new(kind: MailKind, state: MailState, zone: Zone) -> Self {
        let (status, at) = match state {
            MailState::Queued | MailState::Claimed { until: _ } => ("queued", None),
            MailState::Sent { at } => ("sent", Some(at)),
            MailState::Refused { at } => ("refused", Some(at)),
            MailState::Superseded { at } => ("superseded", Some(at)),
        };
        Self { kind: kind.to_string(), status, at: at.map(|at| zone.format(at)) }
    }
}
