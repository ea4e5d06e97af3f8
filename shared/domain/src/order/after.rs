//! What was done with a paid order: refunds by the back office, and exchanges (decision record 0070). The lines of an
//! order stay as they were sold; what is left of them, and whether a ticket admits, follows from what is listed here.

use super::{
    Order, OrderAddOnLine, OrderAmounts, OrderComboLine, OrderLine, OrderTicketLine, Ticket, TicketStatus,
};
use crate::entitlement::EntitlementUse;
use crate::membership::returns::MembershipReturn;
use crate::tax::{TaxShare, Taxes};
use crate::{
    CouponId, InstanceId, InventoryId, Money, MoneyOverflow, OrderItemId, RefundId, TicketId, Timestamp,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What was done with a paid order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AfterSale {
    /// Counts its changes, each of which is made to what was read.
    pub version: u64,
    /// Refunds of what was bought, in the order in which they were asked for. One that the card processor refuses is
    /// taken out again.
    pub refunds: Vec<OrderRefund>,
    /// Exchanges, in their order.
    pub exchanges: Vec<Exchange>,
}

/// A refund of what was bought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderRefund {
    /// Identity; that of the refund of the sale, where money goes back.
    pub id: RefundId,
    /// The version of what was done with the order when it was asked for, which no other change of the order has.
    pub number: u64,
    /// When it was asked for.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub at: Timestamp,
    /// Where it stands.
    pub state: OrderRefundState,
    /// The money that goes back.
    pub amount: Money,
    /// What that contains of taxes: as it was asked for, and once it is done as the sale reckons it.
    #[serde(default, skip_serializing_if = "Taxes::is_empty")]
    pub taxes: Taxes,
    /// What is given back for it.
    pub items: Vec<RefundedItem>,
    /// What else changes when it is carried out, decided beforehand so that whoever carries it out writes the same.
    #[serde(default, rename = "given_back")]
    pub releases: RefundReleases,
    /// Why, in the words of the back office; not for the visitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The label of the key it was asked for with.
    pub by: String,
    /// Who asked, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
    /// The words of the templates for the visitor; none where no mail is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail: Option<Vec<String>>,
    /// Keyed hash of the request, where that had an idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Whether staff insisted on it, although tickets had admitted somebody.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
}

/// Where a refund stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum OrderRefundState {
    /// The money is on its way back, or it is not known yet whether it is.
    Pending,
    /// Money and goods were given back.
    Done {
        /// When.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        at: Timestamp,
    },
}

/// Units of one line that are given back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundedItem {
    /// The line.
    pub item: OrderItemId,
    /// Units.
    pub quantity: u32,
    /// What was paid for them.
    pub amount: Money,
    /// Their full price.
    pub retail_amount: Money,
    /// What was paid for them contains of tax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax: Option<TaxShare>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tickets: Vec<TicketId>,
}

/// What is given back beside money.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RefundReleases {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub seats: BTreeMap<InstanceId, u32>,
    /// Units of add-ons that are counted.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub stock: BTreeMap<InventoryId, u32>,
    /// One use of each of these coupons.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub coupons: BTreeSet<CouponId>,
    /// Tickets at the member price.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<EntitlementUse>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memberships: Vec<MembershipReturn>,
}

/// Tickets that others took the place of, for another instance of the same event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The version of what was done with the order when it was made, which no other change of the order has.
    pub number: u64,
    /// When.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub at: Timestamp,
    /// The label of the key it was made with.
    pub by: String,
    /// Who made it, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
    /// The new lines.
    pub moved: Vec<MovedLine>,
    /// What it costs (spec §2.10 `rebookingFee`).
    pub fee: Money,
    /// Whether the visitor need not pay that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waived: bool,
    /// Whether the new tickets are sent by mail. `false` also where that was not noted yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mailed: bool,
    /// Keyed hash of the request, where that had an idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Whether staff insisted on it, although tickets had admitted somebody.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
}

impl Exchange {
    /// Whether a ticket is one of those that it gave for others.
    #[must_use]
    pub fn gave(&self, ticket: &Ticket) -> bool {
        self.moved.iter().any(|moved| moved.line.id == ticket.line)
    }
}

/// A line that took the place of tickets of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MovedLine {
    /// The line they were of.
    pub from: OrderItemId,
    /// The tickets that do not admit any more.
    pub tickets: Vec<TicketId>,
    /// The line of the tickets that do.
    pub line: OrderTicketLine,
    /// Those tickets, each in the place of the one it stands for, where that one still opens the door: it was moved
    /// there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub successors: Vec<TicketId>,
}

impl MovedLine {
    /// The ticket that took the place of one at a door.
    #[must_use]
    pub fn successor_of(&self, ticket: &TicketId) -> Option<&TicketId> {
        let place = self.tickets.iter().position(|old| old == ticket)?;
        self.successors.get(place)
    }
}

/// A line of an order: one that was sold, or one that took the place of tickets of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderRow<'a> {
    /// One that was sold.
    Sold(&'a OrderLine),
    /// One that came of an exchange.
    Moved(&'a MovedLine),
}

impl<'a> OrderRow<'a> {
    /// Identity.
    #[must_use]
    pub fn id(self) -> &'a OrderItemId {
        match self {
            Self::Sold(line) => line.id(),
            Self::Moved(moved) => &moved.line.id,
        }
    }

    /// What it came to.
    #[must_use]
    pub fn amounts(self) -> OrderAmounts {
        match self {
            Self::Sold(line) => line.amounts(),
            Self::Moved(moved) => moved.line.amounts,
        }
    }

    /// The tickets it has, one entry for each event.
    #[must_use]
    pub fn tickets(self) -> &'a [OrderTicketLine] {
        match self {
            Self::Sold(line) => line.tickets(),
            Self::Moved(moved) => std::slice::from_ref(&moved.line),
        }
    }
}

impl OrderAmounts {
    /// What some of these units came to. The last ones have whatever the others left, so that the parts of a line
    /// always add up to it.
    #[must_use]
    pub fn of_units(self, quantity: u32) -> Self {
        if quantity >= self.quantity {
            return self;
        }
        let priced = |unit: Money, all: Money| unit.checked_mul(quantity).map_or(all, |some| some.min(all));
        Self {
            quantity,
            amount: priced(self.unit, self.amount),
            retail_amount: priced(self.retail_unit, self.retail_amount),
            ..self
        }
    }

    fn without(self, quantity: u32, amount: Money, retail_amount: Money) -> Self {
        // Parts of what fits an amount fit one as well.
        let less = |all: Money, part: Money| all.checked_sub(part).unwrap_or_default();
        Self {
            quantity: self.quantity.saturating_sub(quantity),
            amount: less(self.amount, amount),
            retail_amount: less(self.retail_amount, retail_amount),
            ..self
        }
    }
}

impl OrderComboLine {
    /// What so many combos have of one of its events.
    #[must_use]
    pub fn part_of(&self, part: &OrderTicketLine, combos: u32) -> OrderAmounts {
        let all = part.amounts;
        if combos >= self.amounts.quantity {
            return all;
        }
        let tickets = all.quantity.checked_div(self.amounts.quantity).unwrap_or_default();
        let share = |money: Money| {
            let of_one = money.cents().checked_div(i64::from(self.amounts.quantity)).unwrap_or_default();
            Money::from_cents(of_one.saturating_mul(i64::from(combos)))
        };
        let quantity = tickets.saturating_mul(combos);
        OrderAmounts { quantity, amount: share(all.amount), retail_amount: share(all.retail_amount), ..all }
    }
}

impl OrderRefund {
    /// Whether it is under way.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        match self.state {
            OrderRefundState::Pending => true,
            OrderRefundState::Done { .. } => false,
        }
    }

    /// When it was carried out, if it was.
    #[must_use]
    pub fn done_at(&self) -> Option<Timestamp> {
        match self.state {
            OrderRefundState::Pending => None,
            OrderRefundState::Done { at } => Some(at),
        }
    }

    /// What was paid for what it gives back.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when that does not fit an amount.
    pub fn worth(&self) -> Result<Money, MoneyOverflow> {
        Money::sum(self.items.iter().map(|item| item.amount))
    }
}

impl Exchange {
    /// What the visitor owes for it.
    #[must_use]
    pub fn due(&self) -> Money {
        if self.waived { Money::ZERO } else { self.fee }
    }
}

impl AfterSale {
    /// True while nothing was done.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        *self == Self::default()
    }

    /// The refund that is under way; there is one at most.
    #[must_use]
    pub fn pending(&self) -> Option<&OrderRefund> {
        self.refunds.iter().find(|refund| refund.is_pending())
    }

    /// The refund with this id.
    #[must_use]
    pub fn refund(&self, id: &RefundId) -> Option<&OrderRefund> {
        self.refunds.iter().find(|refund| refund.id == *id)
    }

    /// With another refund.
    #[must_use]
    pub fn with_refund(&self, refund: OrderRefund) -> Self {
        let mut next = self.changed();
        next.refunds.push(refund);
        next
    }

    /// With a refund that was under way carried out, which gave back so much of taxes.
    #[must_use]
    pub fn with_done(&self, id: &RefundId, at: Timestamp, taxes: &Taxes) -> Self {
        let mut next = self.changed();
        for refund in next.refunds.iter_mut().filter(|refund| refund.id == *id) {
            refund.state = OrderRefundState::Done { at };
            refund.taxes = taxes.clone();
        }
        next
    }

    /// Without a refund that came to nothing.
    #[must_use]
    pub fn without_refund(&self, id: &RefundId) -> Self {
        let mut next = self.changed();
        next.refunds.retain(|refund| refund.id != *id);
        next
    }

    /// With another exchange.
    #[must_use]
    pub fn with_exchange(&self, exchange: Exchange) -> Self {
        let mut next = self.changed();
        next.exchanges.push(exchange);
        next
    }

    fn changed(&self) -> Self {
        Self { version: self.version.saturating_add(1), ..self.clone() }
    }

    /// What became of the tickets that are not as they were sold.
    #[must_use]
    pub fn ticket_statuses(&self) -> BTreeMap<&TicketId, TicketStatus> {
        let exchanged = self.exchanges.iter().flat_map(|exchange| &exchange.moved);
        let exchanged = exchanged.flat_map(|moved| &moved.tickets).map(|id| (id, TicketStatus::Exchanged));
        let refunded = self.refunds.iter().flat_map(|refund| {
            let status =
                if refund.is_pending() { TicketStatus::RefundPending } else { TicketStatus::Refunded };
            refund.items.iter().flat_map(|item| &item.tickets).map(move |id| (id, status))
        });
        exchanged.chain(refunded).collect()
    }

    /// What is left of a line. What a refund under way names is not.
    fn left_of(&self, row: OrderRow<'_>) -> OrderAmounts {
        let items = self.refunds.iter().flat_map(|refund| &refund.items);
        let refunded = items.filter(|item| item.item == *row.id());
        let refunded = refunded.map(|item| (item.quantity, item.amount, item.retail_amount));
        let moved = self.exchanges.iter().flat_map(|exchange| &exchange.moved);
        let moved = moved.filter(|moved| moved.from == *row.id()).map(|moved| moved.line.amounts);
        let moved = moved.map(|amounts| (amounts.quantity, amounts.amount, amounts.retail_amount));
        let gone = refunded.chain(moved);
        gone.fold(row.amounts(), |left, (quantity, amount, retail_amount)| {
            left.without(quantity, amount, retail_amount)
        })
    }
}

impl Order {
    /// All its lines, those that came of exchanges behind those that were sold.
    pub fn rows(&self) -> impl Iterator<Item = OrderRow<'_>> {
        let moved = self.after_sale.exchanges.iter().flat_map(|exchange| &exchange.moved);
        self.lines.iter().map(OrderRow::Sold).chain(moved.map(OrderRow::Moved))
    }

    /// What is left of a line after refunds and exchanges.
    #[must_use]
    pub fn left_of(&self, row: OrderRow<'_>) -> OrderAmounts {
        self.after_sale.left_of(row)
    }

    /// The event instance an add-on belongs to: the one it was sold with, and from there wherever the last tickets
    /// were exchanged to.
    #[must_use]
    pub fn instance_of(&self, add_on: &OrderAddOnLine) -> Option<InstanceId> {
        let mut instance = add_on.instance?;
        let mut later = self.after_sale.exchanges.as_slice();
        while !self.has_tickets_for(&instance) {
            let target = |exchange: &Exchange| {
                let mut moved = exchange.moved.iter().rev();
                moved.find(|moved| self.was_for(&moved.from, &instance)).map(|moved| moved.line.instance)
            };
            let last =
                later.iter().enumerate().rev().find_map(|(place, found)| Some((place, target(found)?)));
            let Some((place, next)) = last else { break };
            later = later.get(place.saturating_add(1)..).unwrap_or_default();
            instance = next;
        }
        Some(instance)
    }

    fn has_tickets_for(&self, instance: &InstanceId) -> bool {
        let is_for = |row: &OrderRow<'_>| row.tickets().iter().any(|line| line.instance == *instance);
        self.rows().filter(is_for).any(|row| self.left_of(row).quantity > 0)
    }

    /// Whether a line has tickets for this instance.
    fn was_for(&self, line: &OrderItemId, instance: &InstanceId) -> bool {
        let mut rows = self.rows().filter(|row| row.id() == line);
        rows.any(|row| row.tickets().iter().any(|line| line.instance == *instance))
    }

    /// What is left of all lines: the price after discounts, and the full price.
    #[must_use]
    pub fn total_left(&self) -> (Money, Money) {
        let left = self.rows().map(|row| self.left_of(row));
        // Parts of what fits an amount fit one as well.
        left.fold((Money::ZERO, Money::ZERO), |(total, retail), row| {
            (
                total.checked_add(row.amount).unwrap_or_default(),
                retail.checked_add(row.retail_amount).unwrap_or_default(),
            )
        })
    }

    /// What is owed for exchanges.
    #[must_use]
    pub fn fees_due(&self) -> Money {
        let due = self.after_sale.exchanges.iter().map(Exchange::due);
        Money::sum(due).unwrap_or_default()
    }
}
