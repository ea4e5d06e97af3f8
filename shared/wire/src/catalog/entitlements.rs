//! Entitlement rules and ticket limits of a template (contract §5, §7).

use super::{Known, MAX_ENTRIES};
use crate::identified::IdField;
use crate::readers::{at_most, count, word};
use crate::{Checker, Field, Identified, List, incoming};
use domain::entitlement::{
    EntitlementRule, Entitlements, MAX_LIMIT, MAX_RULES, Period, RuleApplies, TicketLimits, TypeLimit,
    rule_set_id,
};
use domain::{EntitlementRuleId, LevelId, TemplateId, TicketTypeId, UnreadableId};
use serde::Serialize;
use std::collections::BTreeSet;
use utoipa::ToSchema;

/// The entitlement rules and ticket limits of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntitlementsOutput {
    /// Names the rules in the results of validation; it follows from the template.
    pub rule_set_id: String,
    /// The rest.
    #[serde(flatten)]
    pub record: EntitlementsRecord,
}

/// The entitlement rules and ticket limits of a template, as the import document has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntitlementsRecord {
    /// The template.
    pub event_template_id: String,
    /// What limits tickets at the member price.
    pub rules: Vec<EntitlementRuleOutput>,
    /// What limits tickets at other prices.
    pub ticket_limits: TicketLimitsOutput,
}

/// How many tickets a membership gives the member price for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntitlementRuleOutput {
    /// Its name.
    pub id: String,
    /// Levels it is for; empty means every level.
    pub level_ids: Vec<String>,
    /// Ticket types it is for; empty means every type.
    pub price_point_ids: Vec<String>,
    /// Tickets, 1 to 999.
    pub limit: u32,
    /// `forEachItem`: each ticket type by itself; `acrossAllItems`: all together.
    pub rule_applies: &'static str,
    /// The time the limit is for.
    pub time_frame: TimeFrameOutput,
}

/// The time a limit is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct TimeFrameOutput {
    /// `day`, `week`, `month`, `year` or `lifetime`, by the day of the visit.
    pub period: &'static str,
}

/// How many tickets of a template an order may have at other prices than the member's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TicketLimitsOutput {
    /// Of all types together, 0 to 999; null where there is no limit.
    pub per_order: Option<u32>,
    /// Of single types.
    pub per_type: Vec<TypeLimitOutput>,
}

/// How many tickets of one type an order may have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TypeLimitOutput {
    /// The ticket type.
    pub person_type_id: String,
    /// Tickets, 0 to 999; with 0 only members buy the type.
    pub limit: u32,
}

impl From<&Entitlements> for EntitlementsOutput {
    fn from(entitlements: &Entitlements) -> Self {
        let rule_set_id = rule_set_id(&entitlements.template).to_string();
        Self { rule_set_id, record: entitlements.into() }
    }
}

impl From<&Entitlements> for EntitlementsRecord {
    fn from(Entitlements { template, rules, ticket_limits }: &Entitlements) -> Self {
        Self {
            event_template_id: template.to_string(),
            rules: rules.iter().map(Into::into).collect(),
            ticket_limits: ticket_limits.into(),
        }
    }
}

impl From<&EntitlementRule> for EntitlementRuleOutput {
    fn from(rule: &EntitlementRule) -> Self {
        let EntitlementRule { id, levels, price_points, limit, applies, period } = rule;
        Self {
            id: id.to_string(),
            level_ids: levels.iter().map(ToString::to_string).collect(),
            price_point_ids: price_points.iter().map(ToString::to_string).collect(),
            limit: *limit,
            rule_applies: match applies {
                RuleApplies::ForEachItem => "forEachItem",
                RuleApplies::AcrossAllItems => "acrossAllItems",
            },
            time_frame: TimeFrameOutput { period: period_name(*period) },
        }
    }
}

impl From<&TicketLimits> for TicketLimitsOutput {
    fn from(TicketLimits { per_order, per_type }: &TicketLimits) -> Self {
        let of_type = |TypeLimit { ticket_type, limit }: &TypeLimit| TypeLimitOutput {
            person_type_id: ticket_type.to_string(),
            limit: *limit,
        };
        Self { per_order: *per_order, per_type: per_type.iter().map(of_type).collect() }
    }
}

/// The spelling of a period.
pub(crate) const fn period_name(period: Period) -> &'static str {
    match period {
        Period::Day => "day",
        Period::Week => "week",
        Period::Month => "month",
        Period::Year => "year",
        Period::Lifetime => "lifetime",
    }
}

incoming! {
    /// The time a limit is for.
    pub struct TimeFrameInput {
        period: String,
    }
    /// How many tickets a membership gives the member price for.
    pub struct EntitlementRuleInput {
        id: String,
        level_ids: Vec<String>,
        price_point_ids: Vec<String>,
        /// The same as `pricePointIds`.
        pricepoint_ids: Vec<String>,
        limit: i64,
        rule_applies: String,
        time_frame: TimeFrameInput,
    }
    /// How many tickets of one type an order may have.
    pub struct TypeLimitInput {
        person_type_id: String,
        limit: i64,
    }
    /// How many tickets of a template an order may have at other prices than the member's.
    pub struct TicketLimitsInput {
        per_order: i64,
        per_type: Vec<TypeLimitInput>,
    }
    /// The entitlement rules and ticket limits of a template.
    pub struct EntitlementsInput {
        event_template_id: String,
        /// The same as `eventTemplateId`.
        template_id: String,
        rules: Vec<EntitlementRuleInput>,
        ticket_limits: TicketLimitsInput,
    }
}

impl Identified for EntitlementsInput {
    fn sent_id(&self) -> Option<String> {
        self.event_template_id.text()
    }

    fn id_fault(&self) -> Option<String> {
        self.event_template_id.fault()
    }

    /// Under both names, since the path outranks what the body says.
    fn set_id(&mut self, id: &str) {
        self.event_template_id = IdField::holding(id);
        self.template_id = Field::Absent;
    }
}

impl EntitlementsInput {
    /// Notes that the rules were left out: what would take all of them away must be said by an empty list.
    pub fn require_rules(&self, checker: &mut Checker) {
        checker.require("rules", &self.rules);
    }

    /// The rules and limits, unless a field is at fault.
    pub fn read(self, checker: &mut Checker, known: &Known) -> Option<Entitlements> {
        let sent = [self.event_template_id, self.template_id];
        let sent = checker.either(["eventTemplateId", "templateId"], sent);
        let template = checker.required_id("eventTemplateId", sent, TemplateId::parse);
        if template.as_ref().is_some_and(|template| !known.templates.contains(template)) {
            checker.unknown("eventTemplateId");
        }
        let mut seen = BTreeSet::new();
        let rules = checker.each("rules", self.rules, |checker, input| {
            let rule = input.read(checker, known);
            if rule.as_ref().is_some_and(|rule| !seen.insert(rule.id.clone())) {
                checker.invalid("id", "is already used by another rule");
            }
            rule
        });
        at_most(checker, "rules", &rules, MAX_RULES);
        let ticket_limits = checker
            .object("ticketLimits", self.ticket_limits, |checker, input| input.read(checker, known))
            .unwrap_or_default();
        Some(Entitlements {
            template: template?,
            rules: rules.into_iter().flatten().collect(),
            ticket_limits,
        })
    }
}

impl EntitlementRuleInput {
    fn read(self, checker: &mut Checker, known: &Known) -> Option<EntitlementRule> {
        let id = rule_id(checker, self.id);
        let levels = ids(checker, "levelIds", self.level_ids, |text| {
            LevelId::parse(text).map(|id| known.levels.contains(&id).then_some(id))
        });
        let sent = [self.price_point_ids, self.pricepoint_ids];
        let types = checker.either(["pricePointIds", "pricepointIds"], sent);
        let price_points = ids(checker, "pricePointIds", types, |text| {
            TicketTypeId::parse(text).map(|id| known.ticket_types.contains(&id).then_some(id))
        });
        let limit = required_limit(checker, self.limit, 1);
        checker.require("ruleApplies", &self.rule_applies);
        let expected = "forEachItem, acrossAllItems";
        let applies = word(checker, "ruleApplies", self.rule_applies, rule_applies, expected);
        checker.require("timeFrame", &self.time_frame);
        let time_frame = checker.object("timeFrame", self.time_frame, |checker, input| {
            checker.require("period", &input.period);
            word(checker, "period", input.period, period, "day, week, month, year, lifetime")
        });
        Some(EntitlementRule {
            id: id?,
            levels,
            price_points,
            limit: limit?,
            applies: applies?,
            period: time_frame.flatten()?,
        })
    }
}

impl TicketLimitsInput {
    fn read(self, checker: &mut Checker, known: &Known) -> TicketLimits {
        let per_order = count(checker, "perOrder", self.per_order, 0..=MAX_LIMIT);
        let mut seen = BTreeSet::new();
        let per_type = checker.each("perType", self.per_type, |checker, input| {
            let ticket_type = checker.required_id("personTypeId", input.person_type_id, TicketTypeId::parse);
            if let Some(id) = &ticket_type {
                if !known.ticket_types.contains(id) {
                    checker.unknown("personTypeId");
                }
                if !seen.insert(id.clone()) {
                    checker.invalid("personTypeId", "already has a limit");
                }
            }
            let limit = required_limit(checker, input.limit, 0);
            Some(TypeLimit { ticket_type: ticket_type?, limit: limit? })
        });
        at_most(checker, "perType", &per_type, MAX_ENTRIES);
        TicketLimits { per_order, per_type: per_type.into_iter().flatten().collect() }
    }
}

/// The name of a rule is part of what callers are told, and of the names of counters.
fn rule_id(checker: &mut Checker, sent: Field<String>) -> Option<EntitlementRuleId> {
    checker.require("id", &sent);
    let text = checker.optional("id", sent)?;
    let id = EntitlementRuleId::parse(text.trim()).ok();
    if id.is_none() {
        checker.invalid("id", "must have 1 to 64 letters, digits, \"-\" or \"_\"");
    }
    id
}

fn required_limit(checker: &mut Checker, sent: Field<i64>, least: u32) -> Option<u32> {
    checker.require("limit", &sent);
    count(checker, "limit", sent, least..=MAX_LIMIT)
}

/// Ids of which each must name something; one that is named twice counts once.
fn ids<T: Ord + Clone>(
    checker: &mut Checker,
    field: &'static str,
    sent: Field<List<String>>,
    find: impl Fn(&str) -> Result<Option<T>, UnreadableId>,
) -> Vec<T> {
    let mut seen = BTreeSet::new();
    let found = checker.each(field, sent, |checker, text| {
        let id = checker.id_here(&text, |text| find(text).ok().flatten());
        id.filter(|id| seen.insert(id.clone()))
    });
    at_most(checker, field, &found, MAX_ENTRIES);
    found.into_iter().flatten().collect()
}

fn rule_applies(text: &str) -> Option<RuleApplies> {
    let named = [("forEachItem", RuleApplies::ForEachItem), ("acrossAllItems", RuleApplies::AcrossAllItems)];
    named.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, applies)| applies)
}

fn period(text: &str) -> Option<Period> {
    let all = [Period::Day, Period::Week, Period::Month, Period::Year, Period::Lifetime];
    all.into_iter().find(|period| period_name(*period).eq_ignore_ascii_case(text))
}
