//! What an order contains of taxes (decision record 0151). What falls to a part of a line follows from what is left of
//! it before and after, so that all parts add up to the tax of the line, whatever is refunded or exchanged in whatever
//! order.

use super::{Order, OrderComboLine, OrderLine, OrderRow};
use crate::Money;
use crate::tax::{TaxShare, Taxes};

impl OrderLine {
    /// What it contains of tax; donations contain none.
    #[must_use]
    pub fn tax(&self) -> Option<&TaxShare> {
        match self {
            Self::Ticket(line) => line.tax.as_ref(),
            Self::AddOn(line) => line.tax.as_ref(),
            Self::Donation(_) => None,
            Self::Combo(line) => line.tax.as_ref(),
            Self::Membership(line) => line.tax.as_ref(),
        }
    }
}

impl<'a> OrderRow<'a> {
    /// What it contains of tax.
    #[must_use]
    pub fn tax(self) -> Option<&'a TaxShare> {
        match self {
            Self::Sold(line) => line.tax(),
            Self::Moved(moved) => moved.line.tax.as_ref(),
        }
    }

    /// What falls to a part of its amount.
    fn tax_in(self, part: Money) -> Money {
        let share = |share: &TaxShare| share.amount.share_half_up(part, self.amounts().amount);
        // Of an amount of nothing, nothing is tax.
        self.tax().and_then(|found| share(found).ok()).unwrap_or_default()
    }
}

impl OrderComboLine {
    /// What falls to each of its events of the tax in what is left of it, of which so many combos are left. They add up
    /// to that.
    #[must_use]
    pub fn part_taxes(&self, combos: u32, left: Money) -> Vec<Money> {
        let weight = |money: Money| u64::try_from(money.cents()).unwrap_or_default();
        let weights: Vec<u64> =
            self.parts.iter().map(|part| weight(self.part_of(part, combos).amount)).collect();
        left.allocate(&weights).unwrap_or_default()
    }
}

impl Order {
    /// What it contained of taxes when it was sold.
    #[must_use]
    pub fn taxes(&self) -> Taxes {
        // Parts of its total fit an amount.
        Taxes::of(self.lines.iter().filter_map(OrderLine::tax).cloned()).unwrap_or_default()
    }

    /// What is left of it contains of taxes.
    #[must_use]
    pub fn taxes_left(&self) -> Taxes {
        let left = self.rows().filter_map(|row| {
            let share = row.tax()?;
            Some(TaxShare { tax: share.tax.clone(), amount: self.tax_left_of(row) })
        });
        Taxes::of(left).unwrap_or_default()
    }

    /// What is left of a line contains of its tax.
    #[must_use]
    pub fn tax_left_of(&self, row: OrderRow<'_>) -> Money {
        row.tax_in(self.left_of(row).amount)
    }

    /// What so much of what is left of a line contains of its tax.
    pub(crate) fn tax_of(&self, row: OrderRow<'_>, part: Money) -> Option<TaxShare> {
        let share = row.tax()?;
        let left = self.left_of(row).amount;
        let after = left.checked_sub(part).unwrap_or_default();
        let amount = row.tax_in(left).checked_sub(row.tax_in(after)).unwrap_or_default();
        Some(TaxShare { tax: share.tax.clone(), amount })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::refund::tests::{amounts, order, tickets};
    use serde_json::{Value, json};

    const DAY: &str = "7a10c4e2b95d3f0816e4a2c1";

    /// A line with this tax.
    fn taxed(mut line: Value, rate: &str, cents: i64) -> Value {
        line["tax"] = json!({"tax": {"rate": rate, "name": "VAT"}, "amount": cents});
        line
    }

    #[test]
    fn the_taxes_of_an_order_are_those_of_its_lines_by_rate() {
        let order = order(&[
            taxed(tickets("11", DAY, amounts(3, 1_000, 1_000)), "20.00", 500),
            taxed(tickets("12", DAY, amounts(1, 500, 500)), "7.00", 33),
            taxed(tickets("13", DAY, amounts(1, 500, 500)), "20.00", 83),
            tickets("14", DAY, amounts(1, 500, 500)),
        ]);
        let told = |taxes: &Taxes| -> Vec<String> {
            taxes.iter().map(|share| format!("{} {}", share.tax.rate, share.amount)).collect()
        };
        assert_eq!(told(&order.taxes()), ["20.00 5.83", "7.00 0.33"]);
        assert_eq!(order.taxes_left(), order.taxes());
        let first = order.rows().next().unwrap();
        let part = |cents: i64| order.tax_of(first, Money::from_cents(cents)).unwrap().amount.cents();
        assert_eq!((part(1_000), part(2_000), part(3_000), part(0)), (167, 333, 500, 0));
        let last = order.rows().last().unwrap();
        assert_eq!(order.tax_of(last, Money::from_cents(500)), None);
    }

    #[test]
    fn an_order_of_before_contains_none() {
        let order = order(&[tickets("11", DAY, amounts(3, 1_000, 1_000))]);
        assert!(order.taxes().is_empty() && order.taxes_left().is_empty());
        let stored = serde_json::to_value(&order.lines[0]).unwrap();
        assert_eq!(stored.get("tax"), None);
    }
}
