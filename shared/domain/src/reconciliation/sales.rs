//! Sales and captured payments, which an order takes out of the books.

use super::fault::{Belonging, MoneyFault, OrderFault, SaleFault};
use super::finding::Finding;
use super::records::{Captured, SaleRecord};
use super::{Books, sum};
use crate::merchant::RateCard;
use crate::order::{Order, OrderRefund, OrderState, Payment};
use crate::sale::{FeeParts, Sale, SaleRefund};
use crate::tax::{Tax, Taxes};
use crate::{Currency, Mid, Money, OrderId, PaymentReference, RefundId, SaleId};
use std::collections::{BTreeMap, BTreeSet};

/// What is held of a sale until its order is seen.
#[derive(Debug)]
pub(super) struct HeldSale {
    order: OrderId,
    mid: Mid,
    amount: Money,
    currency: Currency,
    rate_card: RateCard,
    taxes: Taxes,
    reference: Option<PaymentReference>,
    refunds: BTreeMap<RefundId, HeldRefund>,
}

/// What is held of a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct HeldRefund {
    amount: Money,
    is_done: bool,
}

impl HeldSale {
    fn of(sale: &Sale) -> Self {
        Self {
            order: sale.order.clone(),
            mid: sale.mid.clone(),
            amount: sale.amount,
            currency: sale.currency,
            rate_card: sale.rate_card,
            taxes: sale.taxes.clone(),
            reference: sale.reference.clone(),
            refunds: sale.refunds.iter().map(|(id, refund)| (id.clone(), HeldRefund::of(refund))).collect(),
        }
    }

    /// What was given back.
    fn refunded(&self) -> Money {
        sum(self.refunds.values().filter(|refund| refund.is_done).map(|refund| refund.amount))
    }

    pub(super) fn stray(self, sale: SaleId) -> Finding {
        Finding::Sale(sale, SaleFault::Stray { order: self.order, amount: self.amount })
    }
}

impl HeldRefund {
    fn of(refund: &SaleRefund) -> Self {
        Self { amount: refund.amount, is_done: refund.deadline().is_none() }
    }
}

fn amounts(sale: &Sale, is_meant: impl Fn(&SaleRefund) -> bool) -> impl Iterator<Item = Money> {
    sale.refunds.values().filter(move |refund| is_meant(refund)).map(|refund| refund.amount)
}

impl Books {
    /// Enters a sale.
    pub fn enter_sale(&mut self, SaleRecord { sale, is_due }: &SaleRecord) {
        self.checked.sales = self.checked.sales.saturating_add(1);
        let refunds = u64::try_from(sale.refunds.len()).unwrap_or(u64::MAX);
        self.checked.refunds = self.checked.refunds.saturating_add(refunds);
        let overdue =
            sale.pending().into_iter().filter(|(chosen, deadline, _)| self.is_overdue(*deadline, *chosen));
        let overdue =
            overdue.map(|(_, deadline, refund)| SaleFault::Overdue { refund: refund.clone(), deadline });
        let overdue: Vec<SaleFault> = overdue.collect();
        let pending = sale.pending().len();
        let due = (*is_due != (pending > 0)).then_some(SaleFault::Due { pending, is_due: *is_due });
        let reckoned = fees_fault(sale).into_iter().chain(taxes_fault(sale));
        let faults = remainder_fault(sale).into_iter().chain(reckoned).chain(due).chain(overdue);
        self.findings.extend(faults.map(|fault| Finding::Sale(sale.id.clone(), fault)));
        self.sales.insert(sale.id.clone(), HeldSale::of(sale));
    }

    /// Enters a payment that the processor has charged.
    pub fn enter_captured(&mut self, captured: Captured) {
        self.checked.payments = self.checked.payments.saturating_add(1);
        self.captured.insert(captured.order.clone(), captured);
    }

    /// Takes the sale and the payment of an order out of the books.
    pub(super) fn check_money(&mut self, order: &Order) {
        let sale = order.payment.as_ref().and_then(|payment| self.sales.remove(&payment.sale));
        let captured = self.captured.remove(&order.id);
        let sold = order.payment.as_ref().zip(sale.as_ref());
        let sold_unpaid = sold.map(|(payment, _)| unpaid(order, payment));
        match (&order.state, &order.payment) {
            (OrderState::Paid { .. }, Some(payment)) => {
                let mut faults = Vec::new();
                if self.terms.with_payments {
                    faults.extend(payment_faults(payment, order, sale.as_ref(), captured));
                }
                faults.extend(sale_faults(payment, order, sale));
                let faults = faults.into_iter().map(|fault| Finding::Money(order.id.clone(), fault));
                self.findings.extend(faults);
            }
            (OrderState::Paid { .. }, None) => {
                self.findings.extend(captured.map(stray_money));
                let given_back = order.after_sale.refunds.iter().map(|refund| refund.amount);
                let refunded = order.refunded.max(sum(given_back));
                let fault = MoneyFault::NothingPaid { refunded };
                let is_wrong = !refunded.is_zero();
                self.findings.extend(is_wrong.then(|| Finding::Money(order.id.clone(), fault)));
            }
            // Between its charge and its settlement, the money of an order is there and its sale is not.
            (OrderState::Pending { .. }, _) => self.findings.extend(sold_unpaid),
            (OrderState::Void { .. }, _) => {
                self.findings.extend(sold_unpaid);
                // What came too late and went back is nobody's any more.
                let kept = captured.filter(|captured| !is_returned(captured));
                self.findings.extend(kept.map(stray_money));
            }
        }
    }
}

/// Whether all that was charged was given back.
fn is_returned(captured: &Captured) -> bool {
    sum(captured.refunds.values().copied()) == captured.amount
}

/// Money without a paid order.
pub(super) fn stray_money(captured: Captured) -> Finding {
    let Captured { order, mid: _, amount, currency: _, refunds: _, reference } = captured;
    Finding::Money(order, MoneyFault::Stray { reference, captured: amount })
}

fn unpaid(order: &Order, payment: &Payment) -> Finding {
    Finding::Order(order.id.clone(), OrderFault::NotPaid { has: Belonging::Sale(payment.sale.clone()) })
}

/// What is left of a sale is its amount less its refunds, and they are never more than the amount.
fn remainder_fault(sale: &Sale) -> Option<SaleFault> {
    let Sale { amount, remainder, .. } = *sale;
    let refunds = sum(amounts(sale, |_| true));
    let is_right = amount.checked_sub(refunds) == Ok(remainder) && remainder >= Money::ZERO;
    (!is_right).then_some(SaleFault::Remainder { amount, refunds, remainder })
}

/// The fees that refunds gave back are never more than those of the sale, part by part, and all of them when all of it
/// was given back.
fn fees_fault(sale: &Sale) -> Option<SaleFault> {
    let fees = sale.rate_card.fees(sale.amount).ok()?;
    let back =
        |part: fn(FeeParts) -> Money| sum(sale.refunds.values().filter_map(SaleRefund::fees).map(part));
    let parts = [(fees.fixed, back(|parts| parts.fixed)), (fees.percentage, back(|parts| parts.percentage))];
    let is_whole = sum(amounts(sale, |refund| refund.deadline().is_none())) == sale.amount;
    let is_wrong = |(charged, back): &(Money, Money)| {
        back > charged || (is_whole && !sale.refunds.is_empty() && back != charged)
    };
    let (charged, back) = parts.into_iter().find(is_wrong)?;
    Some(SaleFault::Fees { charged, back })
}

/// The taxes that refunds gave back are never more than those of the sale, and all of them when all of it was given
/// back.
fn taxes_fault(sale: &Sale) -> Option<SaleFault> {
    let back_of = |tax: &Tax| sum(sale.refunds.values().map(|refund| refund.taxes.amount_of(tax)));
    let is_whole = sum(amounts(sale, |refund| refund.deadline().is_none())) == sale.amount;
    let mut taxes = sale.taxes.iter().map(|share| (share.amount, back_of(&share.tax)));
    let is_wrong = |(contained, back): &(Money, Money)| {
        back > contained || (is_whole && !sale.refunds.is_empty() && back != contained)
    };
    let (contained, back) = taxes.find(is_wrong)?;
    Some(SaleFault::Taxes { contained, back })
}

fn sale_faults(payment: &Payment, order: &Order, held: Option<HeldSale>) -> Vec<MoneyFault> {
    let sale = || payment.sale.clone();
    let Some(held) = held else {
        return vec![MoneyFault::NoSale { sale: sale(), owed: payment.amount }];
    };
    let refunded = held.refunded();
    let HeldSale { order: of, mid, amount, currency, rate_card, taxes, reference: _, refunds } = held;
    let mut faults = Vec::new();
    if of != order.id {
        faults.push(MoneyFault::SaleOrder { sale: sale(), of });
    }
    if mid != payment.mid {
        faults.push(MoneyFault::SaleMerchant { sale: sale(), owed: payment.mid.clone(), sold: mid });
    }
    if amount != payment.amount {
        faults.push(MoneyFault::SaleAmount { sale: sale(), owed: payment.amount, sold: amount });
    }
    if currency != order.currency {
        faults.push(MoneyFault::SaleCurrency { sale: sale(), owed: order.currency, sold: currency });
    }
    if rate_card != payment.rate_card {
        faults.push(MoneyFault::RateCard { sale: sale() });
    }
    if taxes != order.taxes() {
        faults.push(MoneyFault::Taxes { sale: sale() });
    }
    if refunded != order.refunded {
        faults.push(MoneyFault::Refunded { sale: sale(), refunded: order.refunded, given_back: refunded });
    }
    // The sale may have refunds of which the order lists nothing: those of the payment partner.
    let listed = order.after_sale.refunds.iter().filter(|refund| !refund.amount.is_zero());
    let is_in_sale = |listed: &&OrderRefund| {
        let same = HeldRefund { amount: listed.amount, is_done: !listed.is_pending() };
        refunds.get(&listed.id) == Some(&same)
    };
    let missing = listed.filter(|listed| !is_in_sale(listed));
    faults.extend(missing.map(|listed| MoneyFault::NoRefund {
        sale: sale(),
        refund: listed.id.clone(),
        amount: listed.amount,
    }));
    faults
}

fn payment_faults(
    payment: &Payment,
    order: &Order,
    sale: Option<&HeldSale>,
    captured: Option<Captured>,
) -> Vec<MoneyFault> {
    let Some(Captured { order: _, mid, amount, currency, refunds, reference }) = captured else {
        return vec![MoneyFault::NotCharged { owed: payment.amount }];
    };
    let mut faults = Vec::new();
    if amount != payment.amount {
        faults.push(MoneyFault::Amount { owed: payment.amount, captured: amount });
    }
    if currency != order.currency {
        faults.push(MoneyFault::Currency { owed: order.currency, captured: currency });
    }
    if mid != payment.mid {
        faults.push(MoneyFault::Merchant { owed: payment.mid.clone(), captured: mid });
    }
    if let Some(sale) = sale {
        let named = sale.reference.clone().filter(|named| *named != reference);
        faults.extend(named.map(|named| {
            let (sale, charged) = (payment.sale.clone(), reference.clone());
            MoneyFault::Reference { sale, named, charged }
        }));
        faults.extend(given_back_faults(&sale.refunds, &refunds));
    }
    faults
}

/// The refunds by which the processor did not give back what a sale says. It may have given back what is noted as on its
/// way, or not yet.
fn given_back_faults(
    of_sale: &BTreeMap<RefundId, HeldRefund>,
    by_processor: &BTreeMap<RefundId, Money>,
) -> Vec<MoneyFault> {
    let ids: BTreeSet<&RefundId> = of_sale.keys().chain(by_processor.keys()).collect();
    let wrong = ids.into_iter().filter_map(|refund| {
        let held = of_sale.get(refund);
        let (sale, is_done) = held.map_or((Money::ZERO, true), |held| (held.amount, held.is_done));
        let given_back = by_processor.get(refund).copied();
        let is_right = given_back.map_or(!is_done || sale.is_zero(), |given_back| given_back == sale);
        let processor = given_back.unwrap_or_default();
        (!is_right).then(|| MoneyFault::GivenBack { refund: refund.clone(), sale, processor })
    });
    wrong.collect()
}
