//! Tickets (spec §2.18).

use super::Order;
use crate::text::AsText;
use crate::{BarcodeTag, OrderItemId, TicketBarcode, TicketId};
use serde::{Deserialize, Serialize};

/// What may become of a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TicketStatus {
    /// Admits its holder.
    #[default]
    Normal,
    /// Named by a refund that is under way. It does not admit.
    RefundPending,
    /// Given back.
    Refunded,
    /// Another ticket took its place, for another instance of the same event.
    Exchanged,
}

impl TicketStatus {
    /// The word of spec §2.18, or one beside it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::RefundPending => "RefundPending",
            Self::Refunded => "Refunded",
            Self::Exchanged => "Exchanged",
        }
    }

    /// Whether its barcode admits anybody.
    #[must_use]
    pub const fn admits(self) -> bool {
        match self {
            Self::Normal => true,
            Self::RefundPending | Self::Refunded | Self::Exchanged => false,
        }
    }
}

/// One ticket, for one visitor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    pub id: TicketId,
    /// What is scanned at the gate.
    pub barcode: TicketBarcode,
    /// The order line it belongs to.
    pub line: OrderItemId,
    /// Whether it admits. Stored as it was when the ticket was made; what became of it follows from its order
    /// (decision record 0070).
    pub status: TicketStatus,
    /// Whether it has been printed.
    pub printed: bool,
}

impl Order {
    /// What the barcodes of further tickets begin with: those of an order that had nothing in common begin like its
    /// first one, so that they are found by what is there.
    #[must_use]
    pub fn barcode_tag(&self, tickets: &[Ticket]) -> Option<BarcodeTag> {
        self.tag.clone().or_else(|| tickets.first().map(|ticket| ticket.barcode.tag()))
    }
}

/// Tickets one stored item holds; an order of 2,000 has four.
pub const TICKETS_PER_CHUNK: usize = 500;

/// A part of an order's tickets, stored beside the order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketChunk {
    #[serde(with = "AsText")]
    pub tickets: Vec<Ticket>,
}
