//! What validating a cart by entitlement rules comes to (spec §2.7, contract §5).

use crate::cart::MemberMessageOutput;
use crate::catalog::period_name;
use crate::money_text;
use domain::buyer::NotInForce;
use domain::cart::TicketLine;
use domain::cart_request::ClaimProblem;
use domain::catalog::PersonType;
use domain::entitlement::{Claimed, Judgement, LimitScope, Period, Span, rule_set_id};
use domain::{Money, TicketTypeId};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Why a cart was judged: it is one.
const REASON: &str = "Cart";

/// Whether a cart stays within what its members are entitled to and within the ticket limits of its events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct EntitlementsResult {
    /// Whether it does.
    pub valid: bool,
    /// What failed, each message once.
    pub messages: Vec<String>,
    /// One entry for each limit, holder, period and, where each ticket type counts by itself, type.
    pub results: Vec<EntitlementEntry>,
    /// What failed, with the limits.
    pub violations: Vec<EntitlementViolation>,
    /// The entries that passed, again.
    pub passed: Vec<EntitlementEntry>,
    /// What is to be known of the memberships and the level that were named; empty where they count.
    #[serde(rename = "memberMessages")]
    pub member_messages: Vec<MemberMessageOutput>,
}

/// What a cart's tickets come to under one limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntitlementEntry {
    /// Tickets that may be had.
    pub allowed_quantity: u32,
    /// Tickets that earlier orders had.
    pub purchased_quantity: u32,
    /// Tickets the cart wants.
    pub requested_quantity: u32,
    /// Whether it may have them.
    pub valid: bool,
    /// Names the rules of the template.
    pub rule_set_id: String,
    /// The rule or limit.
    pub rules_applied: Vec<RuleApplied>,
    /// The lines that want them.
    pub items: Vec<EntitlementItem>,
    /// The membership; null where there is none.
    pub membership_id: Option<i64>,
    /// The level; null for limits of everybody.
    pub membership_level_id: Option<String>,
    /// `oneDay`, `oneWeek`, `oneMonth`, `oneYear`, `lifetime`, or `order` for what is limited in each order.
    pub time_frame: &'static str,
    /// Ticket types that count together.
    pub pricepoint_ids: Vec<String>,
    /// `memberBenefits` or `ticketLimits`.
    pub rule_type: &'static str,
    /// Always empty.
    pub validated_price_point_ids: Vec<String>,
    /// `Cart`.
    pub reason: &'static str,
}

/// A rule that was applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleApplied {
    /// Its name.
    pub id: String,
    /// Whether the cart stays within it.
    pub valid: bool,
    /// What failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The same for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_code: Option<String>,
}

/// A line of the cart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntitlementItem {
    /// The line.
    pub item_id: String,
    /// The event instance.
    pub event_id: String,
    /// The ticket type.
    pub ticketing_type_id: String,
    /// Its name.
    pub ticketing_type_name: String,
    /// How many.
    pub quantity: u32,
    /// After discounts.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub unit_price: Money,
    /// Full price.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub retail_unit_price: Money,
    /// Unit price times quantity.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub amount: Money,
    /// Name of the event.
    pub event_name: String,
}

/// A limit that a cart exceeds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntitlementViolation {
    /// The event instance of the first line that wants tickets.
    pub event_id: String,
    /// The ticket type of that line.
    pub price_point_id: String,
    /// Tickets that may be had.
    pub allowed_quantity: u32,
    /// Tickets that earlier orders had.
    pub purchased_quantity: u32,
    /// Tickets the cart wants.
    pub requested_quantity: u32,
    /// `day`, `week`, `month`, `year`, `lifetime`, or `order` for what is limited in each order.
    pub time_frame: &'static str,
    /// Names of the ticket types that count together.
    pub price_points: Vec<String>,
    /// `memberBenefits` or `ticketLimits`.
    pub rule_type: &'static str,
    /// Always empty.
    pub validated_price_point_ids: Vec<String>,
    /// Always empty.
    pub validated_price_points: Vec<String>,
    /// `Cart`.
    pub reason: &'static str,
    /// Ticket types that count together.
    pub price_point_ids: Vec<String>,
    /// What is wrong, for people.
    pub message: String,
    /// The membership that the violation is about; null where it is about none.
    pub membership_id: Option<i64>,
}

impl EntitlementsResult {
    /// What the judgements come to; the ticket types give their names.
    #[must_use]
    pub fn of(judgements: &[Judgement], person_types: &BTreeMap<TicketTypeId, PersonType>) -> Self {
        let failed = judgements.iter().filter(|judgement| !judgement.is_valid());
        let mut messages: Vec<String> = Vec::new();
        for message in failed.clone().map(failure) {
            if !messages.contains(&message) {
                messages.push(message);
            }
        }
        let results: Vec<EntitlementEntry> = judgements.iter().map(EntitlementEntry::from).collect();
        Self {
            valid: messages.is_empty(),
            messages,
            violations: failed.map(|found| EntitlementViolation::of(found, person_types)).collect(),
            passed: results.iter().filter(|entry| entry.valid).cloned().collect(),
            results,
            member_messages: Vec::new(),
        }
    }

    /// The result with what is to be known of the memberships that were named.
    #[must_use]
    pub fn told(mut self, problem: Option<ClaimProblem>) -> Self {
        self.member_messages = problem.into_iter().map(MemberMessageOutput::from).collect();
        self
    }
}

/// What is said of a limit that is exceeded.
fn failure(judgement: &Judgement) -> String {
    format!("Rule failed:{}", judgement.rule)
}

impl From<&Judgement> for EntitlementEntry {
    fn from(judgement: &Judgement) -> Self {
        let valid = judgement.is_valid();
        let rule = RuleApplied {
            id: judgement.rule.clone(),
            valid,
            message: (!valid).then(|| failure(judgement)),
            message_code: (!valid).then(|| format!("{}-ERROR", judgement.rule)),
        };
        let claimed = match &judgement.scope {
            LimitScope::Members(claimed) | LimitScope::Outside(claimed, _) => Some(claimed),
            LimitScope::Everybody => None,
        };
        let membership = |Claimed { membership, level: _ }: &Claimed| membership.map(|id| id.get());
        Self {
            allowed_quantity: judgement.allowed,
            purchased_quantity: judgement.purchased,
            requested_quantity: judgement.requested,
            valid,
            rule_set_id: rule_set_id(&judgement.template).to_string(),
            rules_applied: vec![rule],
            items: judgement.evidence.iter().map(EntitlementItem::from).collect(),
            membership_id: claimed.and_then(membership),
            membership_level_id: claimed.map(|claimed| claimed.level.to_string()),
            time_frame: time_frame(judgement.span),
            pricepoint_ids: texts(&judgement.price_points),
            rule_type: rule_type(&judgement.scope),
            validated_price_point_ids: Vec::new(),
            reason: REASON,
        }
    }
}

impl From<&TicketLine> for EntitlementItem {
    fn from(line: &TicketLine) -> Self {
        Self {
            item_id: line.id.to_string(),
            event_id: line.instance.to_string(),
            ticketing_type_id: line.ticket_type.to_string(),
            ticketing_type_name: line.ticket_type_name.clone(),
            quantity: line.quantity,
            unit_price: line.price.unit,
            retail_unit_price: line.price.retail_unit,
            amount: line.price.amount,
            event_name: line.event_name.clone(),
        }
    }
}

impl EntitlementViolation {
    fn of(judgement: &Judgement, person_types: &BTreeMap<TicketTypeId, PersonType>) -> Self {
        let first = judgement.evidence.iter().find(|line| line.quantity > 0);
        let name = |id: &TicketTypeId| {
            let known = person_types.get(id).map(|found| &found.name);
            let on_line = || judgement.evidence.iter().find(|line| line.ticket_type == *id);
            known.or_else(|| on_line().map(|line| &line.ticket_type_name)).cloned()
        };
        Self {
            event_id: first.map(|line| line.instance.to_string()).unwrap_or_default(),
            price_point_id: first.map(|line| line.ticket_type.to_string()).unwrap_or_default(),
            allowed_quantity: judgement.allowed,
            purchased_quantity: judgement.purchased,
            requested_quantity: judgement.requested,
            time_frame: match judgement.span {
                Span::Period(period) => period_name(period),
                Span::Order => ORDER,
            },
            price_points: judgement.price_points.iter().filter_map(name).collect(),
            rule_type: rule_type(&judgement.scope),
            validated_price_point_ids: Vec::new(),
            validated_price_points: Vec::new(),
            reason: REASON,
            price_point_ids: texts(&judgement.price_points),
            message: told(judgement),
            membership_id: match &judgement.scope {
                LimitScope::Members(claimed) | LimitScope::Outside(claimed, _) => {
                    claimed.membership.map(|id| id.get())
                }
                LimitScope::Everybody => None,
            },
        }
    }
}

/// What is wrong, for people.
fn told(judgement: &Judgement) -> String {
    let left = judgement.allowed.saturating_sub(judgement.purchased);
    match &judgement.scope {
        LimitScope::Outside(_, NotInForce::Ended) => "The membership ends before the visit".to_owned(),
        LimitScope::Outside(_, NotInForce::NotBegun) => "The membership starts after the visit".to_owned(),
        LimitScope::Members(_) => format!("Tickets left at the member price: {left}"),
        LimitScope::Everybody => format!("Tickets left: {left}"),
    }
}

/// The time frame of what is limited in each order.
const ORDER: &str = "order";

/// The spelling of a time frame in results.
const fn time_frame(span: Span) -> &'static str {
    match span {
        Span::Period(Period::Day) => "oneDay",
        Span::Period(Period::Week) => "oneWeek",
        Span::Period(Period::Month) => "oneMonth",
        Span::Period(Period::Year) => "oneYear",
        Span::Period(Period::Lifetime) => "lifetime",
        Span::Order => ORDER,
    }
}

const fn rule_type(scope: &LimitScope) -> &'static str {
    match scope {
        LimitScope::Members(_) | LimitScope::Outside(_, _) => "memberBenefits",
        LimitScope::Everybody => "ticketLimits",
    }
}

fn texts(ids: &[TicketTypeId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}
