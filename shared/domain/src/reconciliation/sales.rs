//! Sales and captured payments, which an order takes out of the books.

use super::Books;
use super::finding::{Belonging, Finding, MoneyFault, OrderFault, SaleFault};
use crate::order::{Order, OrderState, Payment};
use crate::sale::Sale;
use crate::{Mid, Money, OrderId, PaymentReference, SaleId};

/// What is held of a sale until its order is seen.
#[derive(Debug)]
pub(super) struct HeldSale {
    order: OrderId,
    mid: Mid,
    amount: Money,
}

impl HeldSale {
    pub(super) fn stray(self, sale: SaleId) -> Finding {
        Finding::Sale(sale, SaleFault::Stray { order: self.order, amount: self.amount })
    }
}

/// Money the processor has charged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// The order it was charged for.
    pub order: OrderId,
    /// The merchant that was paid.
    pub mid: Mid,
    /// What was charged.
    pub amount: Money,
    /// What the processor calls the payment.
    pub reference: PaymentReference,
}

/// What is wrong with a sale by itself.
fn faults(sale: &Sale) -> Option<Finding> {
    let (amount, remainder) = (sale.amount, sale.remainder);
    (remainder != amount)
        .then(|| Finding::Sale(sale.id.clone(), SaleFault::Remainder { amount, remainder }))
}

impl Books {
    /// Enters a sale.
    pub fn enter_sale(&mut self, sale: &Sale) {
        self.checked.sales = self.checked.sales.saturating_add(1);
        self.findings.extend(faults(sale));
        let held = HeldSale { order: sale.order.clone(), mid: sale.mid.clone(), amount: sale.amount };
        self.sales.insert(sale.id.clone(), held);
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
                let mut faults = sale_faults(payment, &order.id, sale);
                if self.terms.with_payments {
                    faults.extend(payment_faults(payment, captured));
                }
                let faults = faults.into_iter().map(|fault| Finding::Money(order.id.clone(), fault));
                self.findings.extend(faults);
            }
            (OrderState::Paid { .. }, None) => self.findings.extend(captured.map(Finding::stray_money)),
            // Between its charge and its settlement, the money of an order is there and its sale is not.
            (OrderState::Pending { .. }, _) => self.findings.extend(sold_unpaid),
            (OrderState::Void { .. }, _) => {
                self.findings.extend(sold_unpaid);
                self.findings.extend(captured.map(Finding::stray_money));
            }
        }
    }
}

fn unpaid(order: &Order, payment: &Payment) -> Finding {
    Finding::Order(order.id.clone(), OrderFault::NotPaid { has: Belonging::Sale(payment.sale.clone()) })
}

fn sale_faults(payment: &Payment, order: &OrderId, held: Option<HeldSale>) -> Vec<MoneyFault> {
    let sale = || payment.sale.clone();
    let Some(HeldSale { order: of, mid, amount }) = held else {
        return vec![MoneyFault::NoSale { sale: sale(), owed: payment.amount }];
    };
    let mut faults = Vec::new();
    if of != *order {
        faults.push(MoneyFault::SaleOrder { sale: sale(), of });
    }
    if mid != payment.mid {
        faults.push(MoneyFault::SaleMerchant { sale: sale(), owed: payment.mid.clone(), sold: mid });
    }
    if amount != payment.amount {
        faults.push(MoneyFault::SaleAmount { sale: sale(), owed: payment.amount, sold: amount });
    }
    faults
}

fn payment_faults(payment: &Payment, captured: Option<Captured>) -> Vec<MoneyFault> {
    let Some(Captured { order: _, mid, amount, reference: _ }) = captured else {
        return vec![MoneyFault::NotCharged { owed: payment.amount }];
    };
    let mut faults = Vec::new();
    if amount != payment.amount {
        faults.push(MoneyFault::Amount { owed: payment.amount, captured: amount });
    }
    if mid != payment.mid {
        faults.push(MoneyFault::Merchant { owed: payment.mid.clone(), captured: mid });
    }
    faults
}
