//! Coupons (contract §7).

use super::discount::{reduction, shown};
use super::{CODE_CHARS, Known, MAX_ENTRIES};
use crate::identified::identified;
use crate::readers::{MAX_CAPACITY, at_most, count, date, name, own_id, text};
use crate::sales_channel::{SalesChannelInput, SalesChannelOutput, sales_channels};
use crate::{Amount, Checker, Field, List, incoming};
use domain::coupon::{Coupon, CouponReduction, CouponTarget};
use domain::lines::{is_blank, is_invisible};
use domain::{CouponId, DiscountId, LevelId, TemplateId, TicketTypeId, UnreadableId, Zone};
use serde::Serialize;
use utoipa::ToSchema;

/// A coupon; it has either `discountId`, or `discountType` and `value`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CouponOutput {
    /// Its id.
    pub id: String,
    /// For the back office.
    pub name: String,
    /// For the back office.
    pub description: String,
    /// What buyers type.
    pub code: String,
    /// The discount that says what each ticket type gets off.
    pub discount_id: Option<String>,
    /// `amount`, `percent` or `fixedPrice`.
    pub discount_type: Option<&'static str>,
    /// The amount, the percentage or the price, with two decimals.
    pub value: Option<String>,
    /// `event`, `membership`; empty means both.
    pub applies_to: Vec<&'static str>,
    /// Events it applies to; empty means all.
    pub event_template_ids: Vec<String>,
    /// Ticket types it applies to; empty means all.
    pub person_type_ids: Vec<String>,
    /// Membership levels it applies to; empty means all.
    pub membership_category_ids: Vec<String>,
    /// Where it can be used; empty means everywhere.
    pub sales_channels: Vec<SalesChannelOutput>,
    /// The first sale date.
    pub effective_start: Option<String>,
    /// The last sale date.
    pub effective_end: Option<String>,
    /// Orders it can be used in.
    pub max_uses: Option<u32>,
    /// Whether it is accepted.
    pub active: bool,
}

impl From<&Coupon> for CouponOutput {
    fn from(coupon: &Coupon) -> Self {
        let Coupon {
            id,
            name,
            description,
            code,
            reduction,
            applies_to,
            templates,
            ticket_types,
            levels,
            sales_channels,
            effective_start,
            effective_end,
            max_uses,
            active,
        } = coupon;
        let (discount_id, same) = match reduction {
            CouponReduction::Discount(id) => (Some(id.to_string()), None),
            CouponReduction::Same(reduction) => (None, Some(shown(*reduction))),
        };
        let (discount_type, value) = same.unzip();
        Self {
            id: id.to_string(),
            name: name.clone(),
            description: description.clone(),
            code: code.clone(),
            discount_id,
            discount_type,
            value,
            applies_to: applies_to.iter().map(|target| target.as_str()).collect(),
            event_template_ids: templates.iter().map(ToString::to_string).collect(),
            person_type_ids: ticket_types.iter().map(ToString::to_string).collect(),
            membership_category_ids: levels.iter().map(ToString::to_string).collect(),
            sales_channels: sales_channels.iter().map(Into::into).collect(),
            effective_start: effective_start.map(|date| date.to_string()),
            effective_end: effective_end.map(|date| date.to_string()),
            max_uses: *max_uses,
            active: *active,
        }
    }
}

incoming! {
    /// A coupon: `discountId`, or `discountType` with `value` for every price.
    pub struct CouponInput {
        id: String,
        #[schema(required = true)]
        name: String,
        description: String,
        #[schema(required = true)]
        code: String,
        discount_id: String,
        discount_type: String,
        value: Amount,
        applies_to: Vec<String>,
        event_template_ids: Vec<String>,
        person_type_ids: Vec<String>,
        membership_category_ids: Vec<String>,
        sales_channels: Vec<SalesChannelInput>,
        sale_channel: Vec<SalesChannelInput>,
        effective_start: String,
        effective_end: String,
        max_uses: i64,
        active: bool,
    }
}

identified! {
    CouponInput: id;
}

impl CouponInput {
    /// The coupon, unless a field is at fault.
    pub fn read(self, checker: &mut Checker, zone: Zone, known: &Known) -> Option<Coupon> {
        let id = own_id(checker, self.id, CouponId::parse);
        let by_definition = self.discount_id.is_sent();
        let by_value = self.discount_type.is_sent() || self.value.is_sent();
        // What says nothing by itself is told as it is read.
        if by_value && is_named(&self.discount_id) {
            checker.invalid("discountId", "must not be combined with discountType and value");
        }
        let reduction = if by_definition {
            let id = checker.optional_id("discountId", self.discount_id, DiscountId::parse);
            if id.as_ref().is_some_and(|id| !known.discounts.contains(id)) {
                checker.unknown("discountId");
            }
            id.map(CouponReduction::Discount)
        } else {
            reduction(checker, self.discount_type, self.value).map(CouponReduction::Same)
        };
        let start = optional_date(checker, "effectiveStart", self.effective_start, zone);
        let end = optional_date(checker, "effectiveEnd", self.effective_end, zone);
        if let (Some(start), Some(end)) = (start, end)
            && end < start
        {
            checker.invalid("effectiveEnd", "must not be before effectiveStart");
        }
        let (templates, types, levels) =
            (self.event_template_ids, self.person_type_ids, self.membership_category_ids);
        let coupon = Coupon {
            name: name(checker, "name", self.name),
            description: text(checker, "description", self.description),
            code: code(checker, self.code),
            applies_to: targets(checker, self.applies_to),
            templates: id_list(checker, "eventTemplateIds", templates, |text| {
                TemplateId::parse(text).map(|id| known.templates.contains(&id).then_some(id))
            }),
            ticket_types: id_list(checker, "personTypeIds", types, |text| {
                TicketTypeId::parse(text).map(|id| known.ticket_types.contains(&id).then_some(id))
            }),
            levels: id_list(checker, "membershipCategoryIds", levels, |text| {
                LevelId::parse(text).map(|id| known.levels.contains(&id).then_some(id))
            }),
            sales_channels: sales_channels(checker, self.sales_channels, self.sale_channel),
            effective_start: start,
            effective_end: end,
            max_uses: count(checker, "maxUses", self.max_uses, 1..=MAX_CAPACITY),
            active: checker.optional("active", self.active).unwrap_or(true),
            reduction: reduction?,
            id: id?,
        };
        Some(coupon)
    }
}

/// Whether a text was sent that says something.
fn is_named(sent: &Field<String>) -> bool {
    match sent {
        Field::Value(text) => !is_blank(text),
        Field::Absent | Field::Null | Field::Wrong => false,
    }
}

/// A code that buyers can type: what they do not see, they do not type.
fn code(checker: &mut Checker, sent: Field<String>) -> String {
    let code = checker.required_text("code", sent, CODE_CHARS).unwrap_or_default();
    if code.chars().any(|char| char.is_whitespace() || char.is_control()) {
        checker.invalid("code", "must have no spaces");
    } else if code.contains(is_invisible) {
        checker.invalid("code", "must have no invisible characters");
    }
    code
}

fn optional_date(
    checker: &mut Checker,
    field: &'static str,
    sent: Field<String>,
    zone: Zone,
) -> Option<chrono::NaiveDate> {
    match sent {
        Field::Absent | Field::Null => None,
        Field::Value(_) | Field::Wrong => date(checker, field, sent, zone),
    }
}

fn targets(checker: &mut Checker, sent: Field<List<String>>) -> Vec<CouponTarget> {
    let named = checker.each("appliesTo", sent, |checker, text| {
        let target = CouponTarget::parse(&text);
        if target.is_none() {
            checker.invalid_here("must be one of event, membership");
        }
        target
    });
    let named: std::collections::BTreeSet<CouponTarget> = named.into_iter().flatten().collect();
    named.into_iter().collect()
}

/// Ids of which each must name something.
fn id_list<T>(
    checker: &mut Checker,
    field: &'static str,
    sent: Field<List<String>>,
    find: impl Fn(&str) -> Result<Option<T>, UnreadableId>,
) -> Vec<T> {
    let found =
        checker.each(field, sent, |checker, text| checker.id_here(&text, |text| find(text).ok().flatten()));
    at_most(checker, field, &found, MAX_ENTRIES);
    found.into_iter().flatten().collect()
}
