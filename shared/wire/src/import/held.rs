//! What became of a membership beside its current term, in the import document: terms paid ahead, how it ended, how
//! it was paid for.

use crate::event::exact;
use crate::person::{GifterInput, GifterOutput};
use crate::readers::number_id;
use crate::{Amount, Checker, Field, incoming, money_text};
use domain::membership::{Bought, Ended, LaterTerm, Membership, MembershipPlan};
use domain::{LevelId, MembershipId, Money, OfferingId, OrderId, TicketTypeId, Timestamp, Zone};
use serde::Serialize;

incoming! {
    /// A term that is paid ahead.
    pub struct LaterTermInput {
        category_id: String,
        offering_id: String,
        price_point_id: String,
        start_date: String,
        expiration_date: String,
        purchase: PurchaseInput,
    }

    /// How a membership was last paid for.
    pub struct PurchaseInput {
        order_id: String,
        plan_price: Amount,
        paid_amount: Amount,
        gifter_info: GifterInput,
    }
}

impl LaterTermInput {
    /// The term, unless a field is at fault.
    pub(super) fn read(self, checker: &mut Checker, zone: Zone) -> Option<LaterTerm> {
        let level = checker.required_id("categoryId", self.category_id, LevelId::parse);
        let offering = checker.required_id("offeringId", self.offering_id, OfferingId::parse);
        let price_point = checker.required_id("pricePointId", self.price_point_id, TicketTypeId::parse);
        let starts = checker.required_instant("startDate", self.start_date, zone);
        let ends = checker.required_instant("expirationDate", self.expiration_date, zone);
        let bought = checker.object("purchase", self.purchase, |checker, sent| sent.read(checker)).flatten();
        let plan = MembershipPlan { level: level?, offering: offering?, price_point: price_point? };
        Some(LaterTerm { plan, bought, starts: starts?, ends: ends? })
    }
}

impl PurchaseInput {
    /// The purchase, unless a field is at fault.
    pub(super) fn read(self, checker: &mut Checker) -> Option<Bought> {
        let order = checker.required_id("orderId", self.order_id, OrderId::parse);
        checker.require("planPrice", &self.plan_price);
        let full_price = checker.optional_money("planPrice", self.plan_price).unwrap_or(Money::ZERO);
        let paid = checker.optional_money("paidAmount", self.paid_amount).unwrap_or(Money::ZERO);
        let giver = checker.object("gifterInfo", self.gifter_info, |checker, giver| giver.parse(checker));
        Some(Bought { order: order?, full_price, paid, giver, imported: false })
    }
}

/// The end of a membership before its term was over.
pub(super) fn read_end(
    checker: &mut Checker,
    date: Field<String>,
    into: Field<crate::IntegerId>,
    zone: Zone,
) -> Option<Ended> {
    let said = into.is_sent();
    if said && !date.is_sent() {
        checker.invalid("membershipEndedDate", "is required with replacedByMembershipId");
    }
    let at: Timestamp = checker.optional_instant("membershipEndedDate", date, zone)?;
    let into = number_id(checker, "replacedByMembershipId", into, MembershipId::parse);
    Some(Ended { at, into })
}

/// The terms of a membership, and how they were paid for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HistoryOutput {
    membership_joined_date: String,
    membership_start_date: String,
    membership_expiration_date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    term_anchor_day: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    later_terms: Vec<LaterTermOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    membership_ended_date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_by_membership_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    purchase: Option<PurchaseOutput>,
}

impl HistoryOutput {
    pub(super) fn of(membership: &Membership, zone: Zone) -> Self {
        let ended = membership.ended.as_ref();
        Self {
            membership_joined_date: exact(zone, membership.joined),
            membership_start_date: exact(zone, membership.started),
            membership_expiration_date: exact(zone, membership.expires),
            term_anchor_day: membership.anchor_day,
            later_terms: LaterTermOutput::all_of(membership, zone),
            membership_ended_date: ended.map(|ended| exact(zone, ended.at)),
            replaced_by_membership_id: ended.and_then(|ended| ended.into).map(MembershipId::get),
            purchase: membership.bought.as_ref().map(PurchaseOutput::from),
        }
    }
}

/// A term that is paid ahead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct LaterTermOutput {
    category_id: String,
    offering_id: String,
    price_point_id: String,
    start_date: String,
    expiration_date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    purchase: Option<PurchaseOutput>,
}

impl LaterTermOutput {
    fn all_of(membership: &Membership, zone: Zone) -> Vec<Self> {
        let of_term = |LaterTerm { plan, bought, starts, ends }: &LaterTerm| Self {
            category_id: plan.level.to_string(),
            offering_id: plan.offering.to_string(),
            price_point_id: plan.price_point.to_string(),
            start_date: exact(zone, *starts),
            expiration_date: exact(zone, *ends),
            purchase: bought.as_ref().map(PurchaseOutput::from),
        };
        membership.later.iter().map(of_term).collect()
    }
}

/// How a membership was last paid for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct PurchaseOutput {
    order_id: String,
    #[serde(serialize_with = "money_text")]
    plan_price: Money,
    #[serde(serialize_with = "money_text")]
    paid_amount: Money,
    #[serde(skip_serializing_if = "Option::is_none")]
    gifter_info: Option<GifterOutput>,
}

impl From<&Bought> for PurchaseOutput {
    fn from(bought: &Bought) -> Self {
        let Bought { order, full_price, paid, giver, imported: _ } = bought;
        Self {
            order_id: order.to_string(),
            plan_price: *full_price,
            paid_amount: *paid,
            gifter_info: giver.as_ref().map(GifterOutput::from),
        }
    }
}
