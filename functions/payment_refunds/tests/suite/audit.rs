//! The books: whether sales, orders and the processor agree on what was given back.

use crate::shop::Shop;
use domain::sale::{FeeParts, Sale};
use domain::{Money, SaleId};
use std::collections::BTreeMap;
use store::{Consistency, Key};
use testkit::tenant_id;

/// Checks a sale once nobody is at work on it any more; the sale.
pub(crate) async fn audit(shop: &Shop, sale: &SaleId, case: &str) -> Sale {
    let sale = shop.sale(sale).await;
    assert_eq!(sale.pending(), [], "{case}: refunds under way");
    let refunded = sale.refunded().unwrap();
    assert!(refunded <= sale.amount, "{case}: {refunded} of {}", sale.amount);
    assert_eq!(sale.remainder, sale.amount.checked_sub(refunded).unwrap(), "{case}: what remains");
    let given: BTreeMap<String, Money> = shop
        .sandbox
        .refunds(tenant_id(1))
        .await
        .unwrap()
        .into_iter()
        .filter(|refund| refund.order_id == sale.order && refund.refunded)
        .map(|refund| (refund.refund_id.to_string(), refund.amount))
        .collect();
    let listed: BTreeMap<String, Money> =
        sale.refunds.iter().map(|(id, refund)| (id.to_string(), refund.amount)).collect();
    assert_eq!(given, listed, "{case}: refunds of the processor (left) and of the sale (right)");
    let order = shop.store.load_order(tenant_id(1), &sale.order).await.unwrap().unwrap();
    assert_eq!(order.refunded, refunded, "{case}: refunds of the order (left) and of the sale (right)");
    let left = sale.fees_left().unwrap();
    let none = FeeParts { fixed: Money::ZERO, percentage: Money::ZERO };
    assert!(left.fixed >= Money::ZERO && left.percentage >= Money::ZERO, "{case}: {left:?}");
    assert!(!sale.remainder.is_zero() || left == none, "{case}: fees {left:?} are left of nothing");
    let item = shop.store.get_item(&Key::sale(tenant_id(1), &sale.id), Consistency::Strong).await.unwrap();
    assert!(!item.unwrap().contains_key("due_pk"), "{case}: still due");
    sale
}
