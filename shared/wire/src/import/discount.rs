//! Discounts and coupons of the import document (contract §7).

use crate::event::{
    MAX_CAPACITY, NAME_CHARS, SalesChannelInput, count, date, name, own_id, percent, price, sales_channels,
    text, word,
};
use crate::{Amount, Checker, Field, List, incoming};
use domain::coupon::{Coupon, CouponReduction, CouponTarget, Discount, DiscountValue, Reduction};
use domain::{CouponId, DiscountId, LevelId, TemplateId, TicketTypeId, UnreadableId, Zone};
use std::collections::BTreeSet;

incoming! {
    /// What one ticket type gets off.
    pub struct DiscountValueInput {
        person_type_id: String,
        discount_type: String,
        value: Amount,
    }
    /// A discount.
    pub struct DiscountInput {
        id: String,
        name: String,
        description: String,
        code: String,
        values: Vec<DiscountValueInput>,
    }
    /// A coupon: `discountId`, or `discountType` with `value` for every price.
    pub struct CouponInput {
        id: String,
        name: String,
        description: String,
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

/// The three forms of `discountType`.
#[derive(Clone, Copy)]
enum Form {
    Amount,
    Percent,
    FixedPrice,
}

fn form(text: &str) -> Option<Form> {
    let named = [("amount", Form::Amount), ("percent", Form::Percent), ("fixedPrice", Form::FixedPrice)];
    named.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, form)| form)
}

fn reduction(checker: &mut Checker, kind: Field<String>, value: Field<Amount>) -> Option<Reduction> {
    if matches!(kind, Field::Absent | Field::Null) {
        checker.invalid("discountType", "is required");
    }
    if matches!(value, Field::Absent | Field::Null) {
        checker.invalid("value", "is required");
    }
    match word(checker, "discountType", kind, (form, "amount, percent, fixedPrice"))? {
        Form::Amount => price(checker, "value", value).map(Reduction::Amount),
        Form::Percent => percent(checker, "value", value).map(Reduction::Percent),
        Form::FixedPrice => price(checker, "value", value).map(Reduction::FixedPrice),
    }
}

impl DiscountInput {
    /// The discount, unless a field is at fault.
    pub fn read(self, checker: &mut Checker, ticket_types: &BTreeSet<TicketTypeId>) -> Option<Discount> {
        let id = own_id(checker, self.id, DiscountId::parse);
        let values = checker.each("values", self.values, |checker, input| {
            let ticket_type = checker.required_id("personTypeId", input.person_type_id, TicketTypeId::parse);
            if ticket_type.as_ref().is_some_and(|id| !ticket_types.contains(id)) {
                checker.unknown("personTypeId");
            }
            let reduction = reduction(checker, input.discount_type, input.value);
            Some(DiscountValue { ticket_type: ticket_type?, reduction: reduction? })
        });
        let name = name(checker, "name", self.name);
        let description = text(checker, "description", self.description);
        let code = checker.optional_text("code", self.code, NAME_CHARS).unwrap_or_default();
        Some(Discount { id: id?, name, description, code, values: values.into_iter().flatten().collect() })
    }
}

impl CouponInput {
    /// The coupon, unless a field is at fault.
    pub fn read(self, checker: &mut Checker, zone: Zone) -> Option<Coupon> {
        let id = own_id(checker, self.id, CouponId::parse);
        let by_definition = matches!(self.discount_id, Field::Value(_) | Field::Wrong);
        let reduction = if by_definition {
            let id = checker.optional_id("discountId", self.discount_id, DiscountId::parse);
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
        let coupon = Coupon {
            name: name(checker, "name", self.name),
            description: text(checker, "description", self.description),
            code: name(checker, "code", self.code),
            applies_to: targets(checker, self.applies_to),
            templates: id_list(checker, "eventTemplateIds", self.event_template_ids, TemplateId::parse),
            ticket_types: id_list(checker, "personTypeIds", self.person_type_ids, TicketTypeId::parse),
            levels: id_list(checker, "membershipCategoryIds", self.membership_category_ids, LevelId::parse),
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
    let named = checker.each("appliesTo", sent, |_, target| target);
    let mut targets = Vec::with_capacity(named.len());
    for (index, target) in named.iter().enumerate() {
        match CouponTarget::parse(target) {
            Some(target) => targets.push(target),
            None => checker.invalid(format!("appliesTo/{index}"), "must be one of event, membership"),
        }
    }
    targets
}

fn id_list<T>(
    checker: &mut Checker,
    field: &'static str,
    sent: Field<List<String>>,
    parse: impl Fn(&str) -> Result<T, UnreadableId>,
) -> Vec<T> {
    let texts = checker.each(field, sent, |_, id| id);
    let mut ids = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        match parse(text.trim()) {
            Ok(id) => ids.push(id),
            Err(UnreadableId) => checker.unknown(format!("{field}/{index}")),
        }
    }
    ids
}
