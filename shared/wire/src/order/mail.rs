//! What became of the mails of an order, for the back office.

use super::OrderView;
use super::contacts::OrderEditView;
use domain::Zone;
use domain::order::edit::masked_address;
use domain::order::{Dispute, FailedRefund, Order};
use domain::outbox::{MailState, OutboxMail};
use serde::Serialize;
use utoipa::ToSchema;

/// An order as the back office sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct StaffOrderView {
    /// The order.
    #[serde(flatten)]
    pub order: OrderView,
    /// Its mails: the confirmation, those of refunds and exchanges, then those that were sent again, in the order in
    /// which they were asked for. Empty where none is sent.
    pub mails: Vec<OrderMailView>,
    /// What staff put right of it, and the mails they had sent again: the last 20 changes, in their order.
    pub edits: Vec<OrderEditView>,
    /// The latest dispute of the buyer about the payment; null where there is none.
    pub disputed: Option<DisputeView>,
    /// The refunds that count as given back and did not reach the card.
    #[serde(rename = "failedRefunds")]
    pub failed_refunds: Vec<FailedRefundView>,
}

/// A dispute about a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct DisputeView {
    /// The processor's name for it.
    pub id: String,
    /// `open`, `won` (the venue keeps the money) or `lost`.
    pub status: &'static str,
    /// Since when it is known to stand there.
    pub since: String,
}

impl DisputeView {
    /// A dispute, at the local time of its tenant.
    #[must_use]
    pub fn new(dispute: &Dispute, zone: Zone) -> Self {
        let Dispute { id, opened_at: _, status, heard_at } = dispute;
        Self { id: id.clone(), status: status.name(), since: zone.format(*heard_at) }
    }
}

/// A refund whose money came back to the venue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FailedRefundView {
    /// The id of the refund.
    pub id: String,
    /// Since when that is known.
    pub since: String,
}

impl FailedRefundView {
    /// Those of an order about which something is left to do.
    #[must_use]
    pub fn all(order: &Order, zone: Zone) -> Vec<Self> {
        order.undelivered_refunds().map(|failed| Self::new(failed, zone)).collect()
    }

    fn new(failed: &FailedRefund, zone: Zone) -> Self {
        let FailedRefund { refund, heard_at } = failed;
        Self { id: refund.to_string(), since: zone.format(*heard_at) }
    }
}

/// Where a mail of an order stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct OrderMailView {
    /// What it carries: `receipt`, `tickets`, `receiptWithTickets`, `refund-<number>`, `exchange-<number>`, or
    /// `notice-<place>` to one of the staff; of one that was sent again, `confirmation`, `tickets` or `receipt`.
    pub kind: String,
    /// Whether staff had it sent again.
    pub again: bool,
    /// Where that one goes, masked; null of the others.
    pub to: Option<String>,
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
        mails.sort_by_key(|mail| (mail.again.as_ref().map(|again| again.at), mail.kind));
        mails.into_iter().map(|mail| Self::new(&mail, zone)).collect()
    }

    fn new(OutboxMail { kind, message_id: _, state, again }: &OutboxMail, zone: Zone) -> Self {
        let (status, at) = match *state {
            MailState::Queued | MailState::Claimed { until: _ } => ("queued", None),
            MailState::Sent { at } => ("sent", Some(at)),
            MailState::Refused { at } => ("refused", Some(at)),
            MailState::Superseded { at } => ("superseded", Some(at)),
        };
        Self {
            kind: again.as_ref().map_or_else(|| kind.to_string(), |again| again.what.as_str().to_owned()),
            again: again.is_some(),
            to: again.as_ref().map(|again| masked_address(&again.to)),
            status,
            at: at.map(|at| zone.format(at)),
        }
    }
}
