use super::*;
use crate::Percent;
use crate::card::{CardBrand, Expiry};
use crate::tax::{Tax, TaxShare};
use proptest::prelude::*;

fn cents(cents: i64) -> Money {
    Money::from_cents(cents)
}

fn now() -> Timestamp {
    chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

fn refund_id(number: u8) -> RefundId {
    RefundId::from_bytes([number; 16])
}

fn mid() -> Mid {
    Mid::parse("60417").unwrap()
}

/// A sale at 2.90 % and 0.30.
fn sale(amount: i64) -> Sale {
    Sale {
        id: SaleId::from_bytes([1; 16]),
        order: OrderId::from_bits(7),
        mid: mid(),
        reference: None,
        currency: Currency::default(),
        taxes: Taxes::default(),
        amount: cents(amount),
        remainder: cents(amount),
        rate_card: RateCard { percentage: Percent::parse("2.90").unwrap(), fixed: cents(30) },
        card: CardSummary {
            brand: CardBrand::Visa,
            last_four: "4242".to_owned(),
            expiry: Expiry::parse("0929").unwrap(),
        },
        captured_at: now(),
        refunds: BTreeMap::new(),
        version: 0,
    }
}

fn taken(sale: &Sale, number: u8, amount: i64) -> Sale {
    sale.with(&refund_id(number), SaleRefund::pending(cents(amount), now(), false)).unwrap()
}

/// The sale after a refund that was taken is done.
fn done(sale: &Sale, number: u8) -> Sale {
    let id = refund_id(number);
    done_for(sale, &id, None)
}

/// The sale after a refund is done that is given for goods with these taxes.
fn done_for(sale: &Sale, id: &RefundId, of_goods: Option<&Taxes>) -> Sale {
    let amount = sale.refunds[id].amount;
    let (fees, taxes) = (sale.fees_of_next(amount).unwrap(), sale.taxes_of_next(amount, of_goods).unwrap());
    sale.with_done(id, &DoneRefund { at: now(), fees, taxes })
}

fn fees(sale: &Sale, number: u8) -> [i64; 2] {
    let fees = sale.refunds[&refund_id(number)].fees().unwrap();
    [fees.fixed.cents(), fees.percentage.cents()]
}

#[test]
fn fees_come_back_in_proportion_and_the_last_refund_takes_the_rest() {
    // Of 2.70, the fees are 0.30 and 0.08.
    for (amounts, expected) in [
        (vec![270], vec![[30, 8]]),
        (vec![100, 170], vec![[11, 3], [19, 5]]),
        (vec![90, 90, 90], vec![[10, 3], [10, 3], [10, 2]]),
        (vec![1, 268, 1], vec![[0, 0], [30, 8], [0, 0]]),
    ] {
        let mut sale = sale(270);
        for (number, amount) in (0..).zip(&amounts) {
            sale = done(&taken(&sale, number, *amount), number);
        }
        let given: Vec<[i64; 2]> = (0..).zip(&amounts).map(|(number, _)| fees(&sale, number)).collect();
        assert_eq!(given, expected, "{amounts:?}");
    }
}

#[test]
fn a_refund_is_the_last_only_when_every_other_one_is_done() {
    let sale = taken(&taken(&sale(270), 1, 170), 2, 100);
    assert!(sale.remainder.is_zero());
    let first = done(&sale, 2);
    assert_eq!(fees(&first, 2), [11, 3]);
    assert_eq!(fees(&done(&first, 1), 1), [19, 5]);
    let given_back = first.without(&refund_id(1)).unwrap();
    assert_eq!(given_back.remainder, cents(170));
    assert_eq!(given_back.fees_left(), Ok(FeeParts { fixed: cents(19), percentage: cents(5) }));
}

#[test]
fn what_stands_against_a_refund_is_told_in_its_order() {
    let other = Mid::parse("60418").unwrap();
    let full = (0..200).fold(sale(300), |sale, number| taken(&sale, number, 1));
    let exceeds = |remainder| Err(RefundRefusal::ExceedsRemainder { remainder: cents(remainder) });
    for (known, mid, amount, expected) in [
        (None, mid(), 1, Err(RefundRefusal::UnknownSale)),
        (Some(sale(100)), other, 101, Err(RefundRefusal::UnknownSale)),
        (Some(sale(100)), mid(), 101, exceeds(100)),
        (Some(sale(100)), mid(), 100, Ok(())),
        (Some(taken(&sale(100), 1, 60)), mid(), 41, exceeds(40)),
        (Some(taken(&sale(100), 1, 60)), mid(), 40, Ok(())),
        (Some(full.clone()), mid(), 101, exceeds(100)),
        (Some(full), mid(), 100, Err(RefundRefusal::TooManyRefunds)),
    ] {
        assert_eq!(refundable(known.as_ref(), &mid, cents(amount)).map(|_| ()), expected, "{amount}");
    }
}

/// Taxes of these rates, in cents.
fn taxes(shares: &[(&str, i64)]) -> Taxes {
    let share = |(rate, amount): &(&str, i64)| {
        let tax = Tax { rate: Percent::parse(rate).unwrap(), name: None };
        TaxShare { tax, amount: cents(*amount) }
    };
    Taxes::of(shares.iter().map(share)).unwrap()
}

#[test]
fn taxes_come_back_with_the_goods_or_in_proportion_and_the_last_refund_takes_the_rest() {
    let sold = Sale { taxes: taxes(&[("20", 1_000), ("7", 100)]), ..sale(10_000) };
    let of_goods = taxes(&[("20", 333)]);
    let first = done_for(&taken(&sold, 1, 2_000), &refund_id(1), Some(&of_goods));
    assert_eq!(first.refunds[&refund_id(1)].taxes, of_goods);
    // A quarter of the 80.00 that are left.
    let second = done(&taken(&first, 2, 2_000), 2);
    assert_eq!(second.refunds[&refund_id(2)].taxes, taxes(&[("20", 167), ("7", 25)]));
    // No more than is left of each.
    let third = done_for(&taken(&second, 3, 3_000), &refund_id(3), Some(&taxes(&[("20", 400), ("7", 90)])));
    assert_eq!(third.refunds[&refund_id(3)].taxes, taxes(&[("20", 400), ("7", 75)]));
    let last = done(&taken(&third, 4, 3_000), 4);
    assert_eq!(last.refunds[&refund_id(4)].taxes, taxes(&[("20", 100)]));
    assert!(last.taxes_left().unwrap().is_empty());
}

#[test]
fn a_sale_written_before_it_had_refunds_still_reads() {
    let mut written = serde_json::to_value(sale(270)).unwrap();
    for field in ["refunds", "version", "reference"] {
        written.as_object_mut().unwrap().remove(field);
    }
    assert_eq!(serde_json::from_value::<Sale>(written).unwrap(), sale(270));
}

proptest! {
    /// Whatever is refunded in whatever order, some of it refused by the processor: no more than the sale is
    /// given back, the remainder is the rest, and the fees of a full refund are those of the sale.
    #[test]
    fn refunds_of_a_sale_add_up(
        amount in 1_i64..20_000,
        contained in proptest::collection::vec(0_i64..=100, 2),
        wishes in proptest::collection::vec((1_i64..20_000, any::<bool>(), any::<bool>()), 0..12),
    ) {
        let parts = [("20", amount * contained[0] / 300), ("7", amount * contained[1] / 300)];
        let mut known = Sale { taxes: taxes(&parts), ..sale(amount) };
        let mut waiting: Vec<(u8, bool)> = Vec::new();
        let end = |known: Sale, (number, refused): (u8, bool)| {
            // Every other one is given for goods, which have all the tax they can.
            let goods = taxes(&[("20", 20_000), ("7", i64::from(number))]);
            let of_goods = (number % 2 == 0).then_some(&goods);
            match refused {
                true => known.without(&refund_id(number)).unwrap(),
                false => done_for(&known, &refund_id(number), of_goods),
            }
        };
        for (number, (wish, refused, late)) in (0..).zip(wishes) {
            if refundable(Some(&known), &mid(), cents(wish)).is_ok() {
                known = taken(&known, number, wish);
                waiting.push((number, refused));
            }
            if !late {
                known = waiting.drain(..).rev().fold(known, end);
            }
        }
        known = waiting.drain(..).fold(known, end);
        if !known.remainder.is_zero() {
            let rest = known.remainder.cents();
            known = done(&taken(&known, 99, rest), 99);
        }
        prop_assert_eq!(known.refunded(), Ok(cents(amount)));
        prop_assert_eq!(known.remainder, Money::ZERO);
        let none = FeeParts { fixed: Money::ZERO, percentage: Money::ZERO };
        prop_assert_eq!(known.fees_left(), Ok(none));
        prop_assert_eq!(known.taxes_left().map(|left| left.is_empty()), Ok(true));
        let given = known.refunds.values().flat_map(|refund| refund.taxes.iter().cloned());
        let given = Taxes::of(given).unwrap();
        for share in known.taxes.iter() {
            prop_assert_eq!(given.amount_of(&share.tax), share.amount);
        }
        prop_assert!(given.iter().all(|share| share.amount >= Money::ZERO));
        for fees in known.refunds.values().map(|refund| refund.fees().unwrap()) {
            prop_assert!(fees.fixed >= Money::ZERO && fees.percentage >= Money::ZERO);
        }
    }
}
