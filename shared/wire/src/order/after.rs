//! What was done with an order after it was paid (decision record 0070).

use crate::money_text;
use crate::tax::TaxView;
use domain::order::{Exchange, MovedLine, Order, OrderRefund, OrderRefundState, RefundedItem};
use domain::{Money, TicketId, Zone};
use serde::Serialize;
use utoipa::ToSchema;

/// A refund of what was bought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderRefundView {
    /// Identity: `refund_` and a UUID; a preview has none.
    pub refund_id: Option<String>,
    /// `Pending` while the money is on its way, then `Done`; of a preview `Preview`.
    pub state: &'static str,
    /// The money that goes back.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub amount: Money,
    /// What was paid for what is given back.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub items_amount: Money,
    /// What the money that goes back contains of taxes, by rate; empty where nothing was said of any.
    pub taxes: Vec<TaxView>,
    /// What is given back.
    pub items: Vec<OrderRefundedItemView>,
    /// Why, in the words of the back office. Storefronts are not told.
    pub reason: Option<String>,
    /// Whether staff insisted on it, although tickets had let somebody in.
    pub forced: bool,
    /// When it was asked for.
    pub created_on: String,
    /// Who asked for it; left out where that was not said. Storefronts are not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// When it was carried out.
    pub updated_on: Option<String>,
}

/// Units of an item that are given back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderRefundedItemView {
    /// The item.
    pub item_id: String,
    /// Units.
    pub quantity: u32,
    /// What was paid for them.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub amount: Money,
    /// Their tickets, which admit nobody any more.
    pub ticket_ids: Vec<String>,
}

/// Tickets that others took the place of, for another instance of the same event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderExchangeView {
    /// What came of it.
    pub items: Vec<OrderMovedItemView>,
    /// What it costs.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub rebooking_fee: Money,
    /// Whether the visitor need not pay that.
    pub fee_waived: bool,
    /// Whether staff insisted on it, although tickets had let somebody in.
    pub forced: bool,
    /// When it was made.
    pub created_on: String,
    /// Who made it; left out where that was not said. Storefronts are not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
}

/// Tickets of one item that were exchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderMovedItemView {
    /// The item of the earlier tickets.
    pub from_item_id: String,
    /// The item of the new ones.
    pub item_id: String,
    /// The instance the new ones are for.
    pub event_id: String,
    /// How many.
    pub quantity: u32,
    /// The earlier tickets, which admit nobody any more.
    pub ticket_ids: Vec<String>,
}

fn texts(ids: &[TicketId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

impl OrderRefundView {
    pub(super) fn all(order: &Order, zone: Zone) -> Vec<Self> {
        order.after_sale.refunds.iter().map(|refund| Self::new(refund, zone)).collect()
    }

    pub(super) fn for_staff(order: &Order, zone: Zone) -> Vec<Self> {
        order.after_sale.refunds.iter().map(|refund| Self::told(refund, zone)).collect()
    }

    /// A refund as the back office sees it, with its reason and who asked for it.
    pub(crate) fn told(refund: &OrderRefund, zone: Zone) -> Self {
        let (reason, created_by) = (refund.reason.clone(), refund.operator.clone());
        Self { reason, created_by, ..Self::new(refund, zone) }
    }

    fn new(refund: &OrderRefund, zone: Zone) -> Self {
        let (state, done_at) = match refund.state {
            OrderRefundState::Pending => ("Pending", None),
            OrderRefundState::Done { at } => ("Done", Some(at)),
        };
        Self {
            refund_id: Some(refund.id.to_string()),
            state,
            amount: refund.amount,
            // Parts of an order's total fit an amount.
            items_amount: refund.worth().unwrap_or_default(),
            taxes: TaxView::all(&refund.taxes),
            items: refund.items.iter().map(OrderRefundedItemView::new).collect(),
            reason: None,
            forced: refund.forced,
            created_on: zone.format(refund.at),
            created_by: None,
            updated_on: done_at.map(|at| zone.format(at)),
        }
    }
}

impl OrderRefundedItemView {
    fn new(item: &RefundedItem) -> Self {
        Self {
            item_id: item.item.to_string(),
            quantity: item.quantity,
            amount: item.amount,
            ticket_ids: texts(&item.tickets),
        }
    }
}

impl OrderExchangeView {
    pub(super) fn all(order: &Order, zone: Zone) -> Vec<Self> {
        order.after_sale.exchanges.iter().map(|exchange| Self::new(exchange, zone)).collect()
    }

    pub(super) fn for_staff(order: &Order, zone: Zone) -> Vec<Self> {
        order.after_sale.exchanges.iter().map(|exchange| Self::told(exchange, zone)).collect()
    }

    /// An exchange as the back office sees it, with who made it.
    pub(crate) fn told(exchange: &Exchange, zone: Zone) -> Self {
        Self { created_by: exchange.operator.clone(), ..Self::new(exchange, zone) }
    }

    /// An exchange as the tenant's clocks show it.
    fn new(exchange: &Exchange, zone: Zone) -> Self {
        let item = |MovedLine { from, tickets, line, successors: _ }: &MovedLine| OrderMovedItemView {
            from_item_id: from.to_string(),
            item_id: line.id.to_string(),
            event_id: line.instance.to_string(),
            quantity: line.amounts.quantity,
            ticket_ids: texts(tickets),
        };
        Self {
            items: exchange.moved.iter().map(item).collect(),
            rebooking_fee: exchange.fee,
            fee_waived: exchange.waived,
            forced: exchange.forced,
            created_on: zone.format(exchange.at),
            created_by: None,
        }
    }
}
