//! Fields of a template that are kept for the venue (spec §2.10).

use crate::readers::{NAME_CHARS, flag, line, name, own_word, percent, price, word};
use crate::{Amount, Checker, Field, List, incoming};
use domain::TemplateId;
use domain::catalog::venue::{
    Distance, EntitlementReference, PrerequisiteOperation, Prerequisites, Recommendation, RuleSets,
    StaffContact, VenueFields,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use utoipa::ToSchema;

/// Rules kept elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleSetsOutput {
    /// Whether they apply.
    pub associated: bool,
    /// Their ids.
    pub rule_set_ids: Vec<String>,
}

/// An entitlement configuration by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntitlementReferenceOutput {
    /// Its id.
    pub id: String,
    /// The template's id.
    pub event_template_id: String,
    /// The rules of sale it names.
    pub sales_rule_set_id: Option<String>,
    /// Its name.
    pub name: String,
    /// Of the venue's own making.
    pub entitlement_config: Option<Value>,
    /// Of the venue's own making.
    pub sales_rule_config: Option<Value>,
    /// Of the venue's own making.
    pub ticket_rule_config: Option<Value>,
}

/// One told of sales.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct StaffContactOutput {
    /// Name.
    pub name: String,
    /// Address.
    pub email: String,
}

impl From<&StaffContact> for StaffContactOutput {
    fn from(contact: &StaffContact) -> Self {
        let StaffContact { name, email } = contact;
        Self { name: name.clone(), email: email.clone() }
    }
}

/// A distance from the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DistanceOutput {
    /// Minutes.
    pub minutes: i64,
    /// Hours.
    pub hours: i64,
    /// Days.
    pub days: i64,
    /// Until the end of that day.
    pub end_of_day: bool,
}

impl From<Distance> for DistanceOutput {
    fn from(distance: Distance) -> Self {
        let Distance { minutes, hours, days, end_of_day } = distance;
        Self { minutes, hours, days, end_of_day }
    }
}

/// Another event, suggested or asked for first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecommendationOutput {
    /// Its template.
    pub event_template_id: String,
    /// At least so far away.
    pub min: Option<DistanceOutput>,
    /// At most so far away.
    pub max: Option<DistanceOutput>,
    /// Its name.
    pub name: Option<String>,
}

impl From<&Recommendation> for RecommendationOutput {
    fn from(found: &Recommendation) -> Self {
        let Recommendation { template, min, max, name } = found;
        Self {
            event_template_id: template.to_string(),
            min: min.map(Into::into),
            max: max.map(Into::into),
            name: name.clone(),
        }
    }
}

/// Events suggested with this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecommendationsOutput {
    /// The events.
    pub recommendations: Vec<RecommendationOutput>,
}

/// Events asked for first; deprecated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PrerequisitesOutput {
    /// `allOf` or `anyOf`.
    pub operation: &'static str,
    /// The events.
    pub requires: Vec<RecommendationOutput>,
}

impl From<&Prerequisites> for PrerequisitesOutput {
    fn from(found: &Prerequisites) -> Self {
        let operation = match found.operation {
            PrerequisiteOperation::AllOf => "allOf",
            PrerequisiteOperation::AnyOf => "anyOf",
        };
        Self { operation, requires: found.requires.iter().map(Into::into).collect() }
    }
}

incoming! {
    /// Rules kept elsewhere.
    pub struct RuleSetsInput {
        associated: bool,
        rule_set_ids: Vec<String>,
    }
    /// An entitlement configuration by name.
    pub struct EntitlementReferenceInput {
        id: String,
        name: String,
        sales_rule_set_id: String,
        entitlement_config: serde_json::Value,
        sales_rule_config: serde_json::Value,
        ticket_rule_config: serde_json::Value,
    }
    /// One told of sales.
    pub struct StaffContactInput {
        name: String,
        #[schema(required = true)]
        email: String,
    }
    /// A distance from the event.
    pub struct DistanceInput {
        minutes: i64,
        hours: i64,
        days: i64,
        end_of_day: bool,
    }
    /// Another event.
    pub struct RecommendationInput {
        event_template_id: String,
        template_id: String,
        min: DistanceInput,
        max: DistanceInput,
        name: String,
    }
    /// Events suggested with this one.
    pub struct RecommendationsInput {
        recommendations: Vec<RecommendationInput>,
    }
    /// Events asked for first; deprecated.
    pub struct PrerequisitesInput {
        #[schema(required = true)]
        operation: String,
        requires: Vec<RecommendationInput>,
    }
}

/// The fields of a template that are kept for the venue, as they were sent.
pub(super) struct VenueInput {
    pub(super) rebooking_fee: Field<Amount>,
    pub(super) third_party_event: Field<bool>,
    pub(super) third_party_percentage: Field<Amount>,
    pub(super) rule_sets: Field<RuleSetsInput>,
    pub(super) color_category: Field<String>,
    pub(super) entitlement_configuration: Field<EntitlementReferenceInput>,
    pub(super) stars: Field<i64>,
    pub(super) ratings: Field<i64>,
    pub(super) email_notify: Field<List<StaffContactInput>>,
    pub(super) publish_sold_quantity: Field<bool>,
    pub(super) recommendations: Field<RecommendationsInput>,
    pub(super) prerequisites: Field<PrerequisitesInput>,
    pub(super) gl_code: Field<String>,
}

impl VenueInput {
    pub(super) fn read(self, checker: &mut Checker, others: Others<'_>) -> VenueFields {
        VenueFields {
            rebooking_fee: price(checker, "rebookingFee", self.rebooking_fee),
            third_party_event: flag(checker, "thirdPartyEvent", self.third_party_event),
            third_party_percentage: percent(checker, "thirdPartyPercentage", self.third_party_percentage),
            rule_sets: checker.object("ruleSets", self.rule_sets, |checker, input| RuleSets {
                associated: flag(checker, "associated", input.associated),
                ids: checker.each("ruleSetIds", input.rule_set_ids, own_word),
            }),
            color_category: checker.optional_text("colorCategory", self.color_category, NAME_CHARS),
            entitlement_configuration: checker.object(
                "entitlementConfiguration",
                self.entitlement_configuration,
                |checker, input| EntitlementReference {
                    id: name(checker, "id", input.id),
                    name: line(checker, "name", input.name),
                    sales_rule_set_id: checker.optional_text(
                        "salesRuleSetId",
                        input.sales_rule_set_id,
                        NAME_CHARS,
                    ),
                    entitlement_config: json_text(checker, "entitlementConfig", input.entitlement_config),
                    sales_rule_config: json_text(checker, "salesRuleConfig", input.sales_rule_config),
                    ticket_rule_config: json_text(checker, "ticketRuleConfig", input.ticket_rule_config),
                },
            ),
            stars: checker.optional_integer("stars", self.stars),
            ratings: checker.optional_integer("ratings", self.ratings),
            hides_sold_quantity: checker
                .optional("publishSoldQuantity", self.publish_sold_quantity)
                .is_some_and(|publishes| !publishes),
            email_notify: checker.each("emailNotify", self.email_notify, |checker, input| StaffContact {
                name: line(checker, "name", input.name),
                email: checker.required_email("email", input.email).unwrap_or_default(),
            }),
            recommendations: checker
                .object("recommendations", self.recommendations, |checker, input| {
                    read_others(checker, "recommendations", input.recommendations, others)
                })
                .unwrap_or_default(),
            prerequisites: checker
                .object("prerequisites", self.prerequisites, |checker, input| {
                    read_prerequisites(checker, input, others)
                })
                .flatten(),
            gl_code: checker.optional_text("GLCode", self.gl_code, NAME_CHARS),
        }
    }
}

/// Any JSON, kept as it was sent.
fn json_text(checker: &mut Checker, field: &'static str, sent: Field<Value>) -> Option<String> {
    checker.optional(field, sent).map(|value| value.to_string())
}

/// The templates that a template can name.
#[derive(Clone, Copy)]
pub(super) struct Others<'a> {
    /// Its own id, which it does not name.
    pub(super) own: Option<&'a TemplateId>,
    /// All of the tenant's; none where that is not looked at.
    pub(super) known: Option<&'a BTreeSet<TemplateId>>,
}

fn read_prerequisites(
    checker: &mut Checker,
    input: PrerequisitesInput,
    others: Others<'_>,
) -> Option<Prerequisites> {
    let parse = |text: &str| {
        let named = [("allOf", PrerequisiteOperation::AllOf), ("anyOf", PrerequisiteOperation::AnyOf)];
        named.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, found)| found)
    };
    checker.require("operation", &input.operation);
    let operation = word(checker, "operation", input.operation, parse, "allOf, anyOf");
    let requires = read_others(checker, "requires", input.requires, others);
    operation.map(|operation| Prerequisites { operation, requires })
}

fn read_others(
    checker: &mut Checker,
    field: &'static str,
    sent: Field<List<RecommendationInput>>,
    others: Others<'_>,
) -> Vec<Recommendation> {
    let distance = |checker: &mut Checker, input: DistanceInput| Distance {
        minutes: checker.optional_integer("minutes", input.minutes).unwrap_or_default(),
        hours: checker.optional_integer("hours", input.hours).unwrap_or_default(),
        days: checker.optional_integer("days", input.days).unwrap_or_default(),
        end_of_day: flag(checker, "endOfDay", input.end_of_day),
    };
    let read = checker.each(field, sent, |checker, input| {
        let sent_id = [input.event_template_id, input.template_id];
        let sent_id = checker.either(["eventTemplateId", "templateId"], sent_id);
        let template = checker.required_id("eventTemplateId", sent_id, TemplateId::parse);
        if template.is_some() && template.as_ref() == others.own {
            checker.invalid("eventTemplateId", "must not be the template itself");
        } else if let (Some(named), Some(known)) = (&template, others.known)
            && !known.contains(named)
        {
            checker.unknown("eventTemplateId");
        }
        let min = checker.object("min", input.min, distance);
        let max = checker.object("max", input.max, distance);
        let name = checker.optional_text("name", input.name, NAME_CHARS);
        template.map(|template| Recommendation { template, min, max, name })
    });
    read.into_iter().flatten().collect()
}
