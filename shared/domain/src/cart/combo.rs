//! Combos in a cart: several events bought together at one price (spec §2.2 `comboItems`, contract §7).

use super::{AppliedPrice, LinePrice, TicketLine};
use crate::catalog::AdmissionType;
use crate::combo::ComboKind;
use crate::{CartItemId, ComboTemplateId, InstanceId, Money, MoneyOverflow, TicketTypeId, Timestamp};
use serde::{Deserialize, Serialize};

/// Combos of one definition for one ticket type, at chosen instances of its events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComboLine {
    /// Identity of the line.
    pub id: CartItemId,
    /// The definition.
    pub combo: ComboTemplateId,
    /// How its price comes about.
    pub kind: ComboKind,
    /// Name of the combo when the line was priced.
    pub name: String,
    /// The ticket type, of the tickets of every part.
    pub ticket_type: TicketTypeId,
    /// Name of the ticket type when the line was priced.
    pub ticket_type_name: String,
    /// Combos; 0 only asks for the price.
    pub quantity: u32,
    /// Its events, in the caller's order.
    pub parts: Vec<ComboLinePart>,
    /// What it costs; the unit is one combo.
    pub price: LinePrice,
}

/// The chosen instance of one event of a combo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComboLinePart {
    /// The event instance.
    pub instance: InstanceId,
    /// Tickets for it in one combo.
    pub quantity: u32,
    /// Name of the event when the line was priced.
    pub event_name: String,
    /// How its visitors are admitted.
    pub admission: AdmissionType,
    /// When the event starts.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub event_start: Timestamp,
    /// Full price of one ticket.
    pub retail_unit: Money,
    /// What the part's tickets in one combo cost together. The shares of all parts add up to the unit price of
    /// the combo.
    pub share: Money,
}

impl ComboLine {
    /// The tickets of the line for each of its events.
    pub fn seats(&self) -> impl Iterator<Item = (InstanceId, u32)> {
        self.parts.iter().map(|part| (part.instance, part.tickets_in(self.quantity)))
    }

    /// The tickets for each of its events, as lines of their own under the id of this one, for whoever counts
    /// tickets whatever they were sold in. Of a share that the tickets do not divide, the unit price is rounded.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when an amount does not fit.
    pub fn ticket_lines(&self) -> Result<Vec<TicketLine>, MoneyOverflow> {
        let lines = self.parts.iter().map(|part| {
            Ok(TicketLine {
                id: self.id.clone(),
                instance: part.instance,
                ticket_type: self.ticket_type.clone(),
                quantity: part.tickets_in(self.quantity),
                is_retail: false,
                ignore_entitlements: false,
                coupon_codes: Vec::new(),
                event_name: part.event_name.clone(),
                ticket_type_name: self.ticket_type_name.clone(),
                admission: part.admission,
                event_start: part.event_start,
                price: LinePrice {
                    unit: part.share.part_half_up(part.quantity)?,
                    retail_unit: part.retail_unit,
                    amount: part.share.checked_mul(self.quantity)?,
                },
                applied: AppliedPrice::FullPrice,
            })
        });
        lines.collect()
    }
}

impl ComboLinePart {
    /// The tickets for it in so many combos.
    #[must_use]
    pub const fn tickets_in(&self, combos: u32) -> u32 {
        self.quantity.saturating_mul(combos)
    }
}
