//! Coupon codes: which coupons they name, and what became of those that took nothing off (contract §4).

use super::rule::PricingRule;
use super::{PricedSlot, PricingContext};
use crate::cart::CouponMessage;
use crate::cart_request::{CartTerms, LineRequest, Wanted, WantedTicket, WantedTreatment};
use crate::coupon::{Coupon, CouponProblem, Discount, Reduction, folded_code};
use crate::{CouponId, DiscountId, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A code, with its coupon, or with what keeps it from any use.
#[derive(Debug, Clone)]
pub(super) struct Code<'a> {
    /// As it was sent.
    pub(super) text: Arc<str>,
    /// The coupon it names.
    pub(super) coupon: Result<&'a Coupon, CouponProblem>,
}

impl Code<'_> {
    /// What it takes off a ticket, or why it takes nothing off.
    pub(super) fn reduction(
        &self,
        wanted: &WantedTicket,
        slot: PricedSlot<'_>,
        discounts: &BTreeMap<DiscountId, Discount>,
    ) -> Result<Reduction, CouponProblem> {
        let found = self.coupon?.reduction_of(&slot.template.id, &wanted.ticket_type, discounts);
        found.ok_or(CouponProblem::NothingEligible)
    }
}

/// The codes of a cart and its lines.
#[derive(Debug, Default)]
pub(super) struct CodeBook<'a> {
    all: BTreeMap<&'a str, Code<'a>>,
    of_cart: Vec<Code<'a>>,
}

impl<'a> CodeBook<'a> {
    /// The codes that a cart and its lines name.
    pub(super) fn new(
        lines: &'a [LineRequest],
        terms: &'a CartTerms,
        coupons: &'a BTreeMap<CouponId, Coupon>,
        context: &PricingContext<'_>,
        now: Timestamp,
    ) -> Self {
        let codes = terms.coupon_codes.iter().chain(lines.iter().flat_map(line_codes));
        let codes: BTreeSet<&str> = codes.map(String::as_str).collect();
        if codes.is_empty() {
            return Self::default();
        }
        let date = context.zone.date(now);
        let known: BTreeMap<String, &Coupon> =
            coupons.values().map(|coupon| (coupon.folded_code(), coupon)).collect();
        let usable = |coupon: &&'a Coupon| {
            let used_up = context.used_up.contains(&coupon.id).then_some(CouponProblem::UsedUp);
            coupon.problem(date, context.channel).or(used_up).map_or(Ok(*coupon), Err)
        };
        let found = |code: &str| {
            let coupon = known.get(&folded_code(code)).map_or(Err(CouponProblem::Unknown), usable);
            Code { text: code.into(), coupon }
        };
        let all: BTreeMap<&str, Code<'_>> = codes.into_iter().map(|code| (code, found(code))).collect();
        let of_cart = terms.coupon_codes.iter().filter_map(|code| all.get(code.as_str()).cloned()).collect();
        Self { all, of_cart }
    }

    /// A code that was sent.
    pub(super) fn find(&self, code: &str) -> Option<&Code<'a>> {
        self.all.get(code)
    }

    /// How many codes the cart has.
    pub(super) fn of_cart(&self) -> usize {
        self.of_cart.len()
    }

    /// The codes that a line is tried with: the cart's, and then its own.
    pub(super) fn of(&self, line_codes: &[String]) -> impl Iterator<Item = (PricingRule, &Code<'a>)> {
        let of_line = line_codes.iter().filter_map(|code| self.find(code));
        let of_cart = self.of_cart.iter().map(|code| (PricingRule::CartCoupon, code));
        of_cart.chain(of_line.map(|code| (PricingRule::LineCoupon, code)))
    }

    /// What became of the codes that took nothing off, each told once, the cart's first. `is_eligible` says
    /// whether a code applies by this rule to the line with this index.
    pub(super) fn messages(
        &self,
        lines: &[LineRequest],
        terms: &CartTerms,
        is_eligible: impl Fn(&str, PricingRule, usize) -> bool,
    ) -> Vec<CouponMessage> {
        let mut messages: Vec<CouponMessage> = Vec::new();
        let mut tell = |code: &String, eligible: bool| {
            let coupon = self.find(code).map_or(Err(CouponProblem::Unknown), |code| code.coupon);
            let problem = match coupon {
                Err(problem) => problem,
                Ok(_) if eligible => return,
                Ok(_) => CouponProblem::NothingEligible,
            };
            if !messages.iter().any(|told| folded_code(&told.code) == folded_code(code)) {
                messages.push(CouponMessage { code: code.clone(), problem });
            }
        };
        for code in &terms.coupon_codes {
            tell(code, (0..lines.len()).any(|index| is_eligible(code, PricingRule::CartCoupon, index)));
        }
        for (index, line) in lines.iter().enumerate() {
            for code in line_codes(line) {
                tell(code, is_eligible(code, PricingRule::LineCoupon, index));
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
