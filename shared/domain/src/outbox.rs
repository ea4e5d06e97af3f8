//! Mails that are to be sent (spec §4.3; contract §6, "Mail").

use crate::{OrderId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a confirmation mail carries. An order has at most one of each kind, so the kind is part of a mail's
/// key and of its Message-ID; the names never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MailKind {
    /// The receipt alone, to the billing address, when the tickets go elsewhere.
    Receipt,
    /// The tickets alone, to `ticketDeliveryEmail`.
    Tickets,
    /// The receipt with the tickets, to the billing address.
    ReceiptWithTickets,
}

impl MailKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Receipt, Self::Tickets, Self::ReceiptWithTickets];

    /// The stable name, as it stands in keys and in queued jobs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Receipt => "receipt",
            Self::Tickets => "tickets",
            Self::ReceiptWithTickets => "receiptWithTickets",
        }
    }
}

impl fmt::Display for MailKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.as_str())
    }
}

/// What the queue carries to the mailer: which mail to send, and nothing of what is in it. Addresses and
/// names stay in the database.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MailJob {
    /// The tenant that sold the order.
    #[serde(rename = "tenantId")]
    pub tenant: TenantId,
    /// The order that is confirmed.
    #[serde(rename = "orderId")]
    pub order: OrderId,
    /// Which of the order's mails.
    pub kind: MailKind,
}

/// A mail of an order, from the moment the order is paid until it has been handed to its transport.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxMail {
    /// What it carries.
    pub kind: MailKind,
    /// Stays the same however often it is sent.
    pub message_id: String,
    /// Where it stands.
    pub state: MailState,
}

/// Where a mail of the outbox stands. Claims are reckoned in real time, whatever clock the order had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum MailState {
    /// Waits to be sent.
    Queued,
    /// Being sent by someone, who is taken for dead after this instant.
    Claimed {
        /// End of the claim.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        until: Timestamp,
    },
    /// Handed to its transport.
    Sent {
        /// When.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        at: Timestamp,
    },
    /// Refused for good by its transport.
    Refused {
        /// When.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        at: Timestamp,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};

    #[test]
    fn a_kind_is_stored_under_its_stable_name() {
        for kind in MailKind::ALL {
            let name: StrDeserializer<'_, Error> = kind.as_str().into_deserializer();
            assert_eq!(MailKind::deserialize(name), Ok(kind));
        }
        let names: Vec<_> = MailKind::ALL.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["receipt", "tickets", "receiptWithTickets"]);
    }
}
