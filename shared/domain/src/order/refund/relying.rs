//! Orders that were sold at the price of a membership that is given back (decision record 0104). They stay as they were
//! sold; whoever gives the membership back is told of them.

use crate::cart::AppliedPrice;
use crate::membership::returns::MembershipReturn;
use crate::order::{Order, OrderRow, OrderTicketLine};
use crate::{MembershipId, OrderId, OrderNumber, Timestamp};
use std::collections::BTreeMap;

/// An order with tickets at the price of a membership that is given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelyingOrder {
    pub id: OrderId,
    /// The number printed for people.
    pub number: OrderNumber,
    /// Its tickets that the membership would not give any more, as far as they are left.
    pub tickets: u32,
}

/// Those of these orders that rely on what a refund takes back of memberships, each once, in their order.
#[must_use]
pub fn relying<'a>(
    orders: impl IntoIterator<Item = &'a Order>,
    returns: &[MembershipReturn],
    now: Timestamp,
) -> Vec<RelyingOrder> {
    let returns: BTreeMap<MembershipId, &MembershipReturn> =
        returns.iter().map(|found| (found.before.id, found)).collect();
    let mut relying: Vec<RelyingOrder> = Vec::new();
    for order in orders {
        let known = relying.iter().any(|known| known.id == order.id);
        let tickets = order
            .rows()
            .filter(|row| row.tickets().iter().any(|line| is_taken_back(line, &returns, now)))
            .fold(0, |tickets: u32, row: OrderRow<'_>| tickets.saturating_add(order.left_of(row).quantity));
        if tickets > 0 && !known && order.paid_at().is_some() {
            relying.push(RelyingOrder { id: order.id.clone(), number: order.number.clone(), tickets });
        }
    }
    relying
}

/// Whether a membership gave the price of a line and would not give it any more.
fn is_taken_back(
    line: &OrderTicketLine,
    returns: &BTreeMap<MembershipId, &MembershipReturn>,
    now: Timestamp,
) -> bool {
    let Some(AppliedPrice::Member { level: _, membership: Some(id) }) = &line.applied else { return false };
    let Some(MembershipReturn { before, after }) = returns.get(id).copied() else { return false };
    before.gives(now, line.event_start).is_some() && after.gives(now, line.event_start).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::membership::issue::tests::{at, member};
    use crate::membership::{Ended, LaterTerm, Membership};
    use crate::order::refund::tests::{amounts, order, tickets};
    use serde_json::json;

    /// Three tickets at the price of membership 7, for a visit on 3 June 2027.
    fn sold(membership: i64) -> Order {
        let mut line = tickets("11", "7a10c4e2b95d3f0816e4a2c1", amounts(3, 1_800, 900));
        line["applied"] = json!({"kind": "member", "level": "family", "membership": membership});
        order(&[line, tickets("12", "7a10c4e2b95d3f0816e4a2c1", amounts(2, 1_800, 1_800))])
    }

    #[test]
    fn orders_at_the_price_of_what_is_taken_back_are_named_once() {
        let now = at("2027-05-20");
        let (before, refunded) =
            (member(), Membership { ended: Some(Ended { at: now, into: None }), ..member() });
        let taken = |before: &Membership, after: &Membership, order: Order| {
            let returns = [MembershipReturn { before: before.clone(), after: after.clone() }];
            let named = relying([&order, &order], &returns, now);
            named.iter().map(|named| named.tickets).collect::<Vec<_>>()
        };
        assert_eq!(taken(&before, &refunded, sold(7)), [3]);
        assert_eq!(taken(&before, &refunded, sold(8)), [0_u32; 0], "another membership's");
        assert_eq!(taken(&before, &before, sold(7)), [0_u32; 0], "the visit is within what is left");
        let term = LaterTerm {
            plan: before.plan(),
            bought: None,
            starts: at("2027-06-01"),
            ends: at("2027-12-31T23:59:59"),
        };
        let short = Membership { expires: at("2027-05-31T23:59:59"), ..member() };
        let renewed = Membership { later: vec![term], ..short.clone() };
        assert_eq!(taken(&renewed, &short, sold(7)), [3], "the visit is within the term that is taken back");
    }
}
