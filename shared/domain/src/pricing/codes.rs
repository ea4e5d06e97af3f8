//! Coupon codes: which coupons they name, and what became of those that took nothing off (contract §4).

use super::{Buyer, Slot};
use crate::cart::{CouponMessage, CouponProblem};
use crate::cart_request::{CartTerms, LineRequest, Wanted, WantedTicket, WantedTreatment};
use crate::coupon::{Coupon, Discount, Reduction, folded};
use crate::{CouponId, DiscountId, Timestamp};
use std::collections::BTreeMap;

/// Where a code stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeOf {
    /// On the cart.
    Cart,
    /// On a line.
    Line,
}

/// The codes of a cart, each with its coupon, or with what keeps it from any use.
#[derive(Debug, Default)]
pub(super) struct CodeBook<'a>(BTreeMap<String, Result<&'a Coupon, CouponProblem>>);

impl<'a> CodeBook<'a> {
    /// The codes that a cart and its lines name.
    pub(super) fn of(
        (lines, terms): (&[LineRequest], &CartTerms),
        (coupons, buyer): (&'a BTreeMap<CouponId, Coupon>, &Buyer<'_>),
        now: Timestamp,
    ) -> Self {
        let codes = terms.coupon_codes.iter().chain(lines.iter().flat_map(line_codes));
        let mut book: BTreeMap<String, _> =
            codes.map(|code| (folded(code), Err(CouponProblem::Unknown))).collect();
        if book.is_empty() {
            return Self(book);
        }
        let date = buyer.zone.date(now);
        for coupon in coupons.values() {
            if let Some(entry) = book.get_mut(&coupon.folded_code()) {
                let used_up = buyer.used_up.contains(&coupon.id).then_some(CouponProblem::UsedUp);
                *entry = coupon.problem(date, buyer.channel).or(used_up).map_or(Ok(coupon), Err);
            }
        }
        Self(book)
    }

    /// The coupon of a code, if it may be used at all.
    pub(super) fn coupon(&self, code: &str) -> Option<&'a Coupon> {
        self.usable(code).ok()
    }

    /// The coupon of a code, or what keeps it from any use.
    pub(super) fn usable(&self, code: &str) -> Result<&'a Coupon, CouponProblem> {
        self.0.get(&folded(code)).copied().unwrap_or(Err(CouponProblem::Unknown))
    }

    /// What a code takes off a ticket, or why it takes nothing off.
    pub(super) fn reduction(
        &self,
        code: &str,
        (wanted, slot): (&WantedTicket, Slot<'_>),
        discounts: &BTreeMap<DiscountId, Discount>,
    ) -> Result<Reduction, CouponProblem> {
        let target = (&slot.template.id, &wanted.ticket_type);
        self.usable(code)?.reduction_of(target, discounts).ok_or(CouponProblem::NothingEligible)
    }

    /// What became of the codes that took nothing off, each told once, the cart's first. `is_eligible` says
    /// whether a code applies to the line with this index.
    pub(super) fn messages(
        &self,
        (lines, terms): (&[LineRequest], &CartTerms),
        is_eligible: impl Fn(&str, CodeOf, usize) -> bool,
    ) -> Vec<CouponMessage> {
        let mut messages: Vec<CouponMessage> = Vec::new();
        let mut tell = |code: &String, eligible: bool| {
            let problem = match self.usable(code) {
                Err(problem) => problem,
                Ok(_) if eligible => return,
                Ok(_) => CouponProblem::NothingEligible,
            };
            if !messages.iter().any(|told| folded(&told.code) == folded(code)) {
                messages.push(CouponMessage { code: code.clone(), problem });
            }
        };
        for code in &terms.coupon_codes {
            tell(code, (0..lines.len()).any(|index| is_eligible(code, CodeOf::Cart, index)));
        }
        for (index, line) in lines.iter().enumerate() {
            for code in line_codes(line) {
                tell(code, is_eligible(code, CodeOf::Line, index));
            }
        }
        messages
    }
}

/// The codes of one line.
fn line_codes(line: &LineRequest) -> &[String] {
    match &line.wanted {
        Wanted::Ticket(ticket) => match &ticket.treatment {
            WantedTreatment::Coupons(codes) => codes,
            WantedTreatment::Best | WantedTreatment::FullPrice => &[],
        },
        Wanted::Membership(membership) => &membership.coupon_codes,
        Wanted::AddOn(_) | Wanted::Donation(_) | Wanted::Combo(_) => &[],
    }
}
