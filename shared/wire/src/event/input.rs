//! Event templates as the back office writes them (spec §2.10, contract §7).

use super::kept::*;
use super::whole::{check_whole, name_parts};
use super::{DurationInput, PriceListInput, ReferenceInput, ScheduleInput, TicketDetailsInput};
use crate::catalog::Known;
use crate::readers::{
    MAX_CAPACITY, NAME_CHARS, TEXT_CHARS, check_unlike, count, flag, name, own_id, text, word,
};
use crate::{Amount, Checker, Field, IntegerId, List, incoming};
use domain::catalog::ticket_details::TicketDetails;
use domain::catalog::{
    AdmissionType, Image, MemberDiscount, MembershipTerms, NamedValue, PriceList, Resource, ReviewState,
    Template, TemplateKind, short_description,
};
use domain::publishing::WrittenTemplate;
use domain::schedule::MAX_SCHEDULES;
use domain::{
    DiscountId, FormId, InstanceId, InventoryId, LevelId, PriceListId, TemplateId, TicketTypeId, Timestamp,
    Zone,
};
use std::collections::BTreeSet;
use std::mem::take;

incoming! {
    /// A picture.
    pub struct ImageInput {
        id: String,
        description: String,
        primary: bool,
    }
    /// A name and a value.
    pub struct NamedValueInput {
        #[schema(required = true)]
        name: String,
        value: String,
    }
    /// Something an event needs.
    pub struct ResourceInput {
        #[serde(rename = "type")]
        kind: String,
        resource_template_id: String,
        resource_id: String,
        quantity: i64,
        fields: Vec<NamedValueInput>,
    }
    /// Add-ons by their ids.
    pub struct AddOnsInput {
        inventory_ids: Vec<IntegerId>,
    }
    /// Levels by their ids.
    pub struct RestrictionsInput {
        categories: Vec<String>,
    }
    /// What members of one level get off.
    pub struct MemberDiscountInput {
        category: ReferenceInput,
        discount: ReferenceInput,
        max_tickets: i64,
    }
    /// Which levels may buy and what each gets off.
    pub struct MembershipTermsInput {
        restrictions: RestrictionsInput,
        discounts: Vec<MemberDiscountInput>,
    }
    /// An event template.
    pub struct TemplateInput {
        id: String,
        #[serde(rename = "type")]
        kind: String,
        admission_type: String,
        #[schema(required = true)]
        name: String,
        #[schema(required = true)]
        description: String,
        short_description: String,
        email_confirmation_message: String,
        summary: String,
        start_time: String,
        end_time: String,
        price_lists: Vec<PriceListInput>,
        images: Vec<ImageInput>,
        membership: MembershipTermsInput,
        display_order: i64,
        schedules: Vec<ScheduleInput>,
        review_state: String,
        rebooking_fee: Amount,
        third_party_event: bool,
        third_party_percentage: Amount,
        email_cancellation_message: String,
        rule_sets: RuleSetsInput,
        color_category: String,
        entitlement_configuration: EntitlementReferenceInput,
        member_only_event: bool,
        all_members_can_purchase: bool,
        stars: i64,
        ratings: i64,
        custom_fields: Vec<NamedValueInput>,
        add_ons: AddOnsInput,
        email_notify: Vec<StaffContactInput>,
        /// Whether shoppers are told how many tickets are sold; without it, they are.
        publish_sold_quantity: bool,
        resources: Vec<ResourceInput>,
        recommendations: RecommendationsInput,
        prerequisites: PrerequisitesInput,
        #[serde(rename = "GLCode")]
        gl_code: String,
        #[schema(required = true)]
        duration: DurationInput,
        #[schema(required = true)]
        capacity: i64,
        ticket_details: TicketDetailsInput,
        order_forms: Vec<ReferenceInput>,
    }
}

/// What reading a template needs beside the template.
#[derive(Debug, Clone, Copy)]
pub struct TemplateContext<'a> {
    /// The tenant's zone.
    pub zone: Zone,
    /// The moment of writing: the start of a template that names none.
    pub now: Timestamp,
    /// Ticket types prices may name.
    pub ticket_types: &'a BTreeSet<TicketTypeId>,
    /// Add-ons a template may offer.
    pub inventory: &'a BTreeSet<InventoryId>,
    /// What else a template may name; none where that is not looked at.
    pub known: Option<&'a Known>,
}

impl TemplateInput {
    /// The template, unless a field is at fault.
    pub fn read(mut self, checker: &mut Checker, context: TemplateContext<'_>) -> Option<WrittenTemplate> {
        let TemplateContext { zone, now, ticket_types, inventory, known } = context;
        name_parts(&self.id, &mut self.price_lists, &mut self.schedules);
        let id = own_id(checker, take(&mut self.id), TemplateId::parse);
        let price_lists = read_price_lists(checker, take(&mut self.price_lists), zone, ticket_types);
        let lists: BTreeSet<PriceListId> = price_lists.iter().map(|list| list.id.clone()).collect();
        check_unlike(checker, "priceLists", price_lists.iter().map(|list| &list.id));
        let schedules = checker
            .each("schedules", take(&mut self.schedules), |checker, input| input.read(checker, zone, &lists));
        if schedules.len() > MAX_SCHEDULES {
            checker.invalid("schedules", format!("must have at most {MAX_SCHEDULES} entries"));
        }
        check_unlike(checker, "schedules", schedules.iter().flatten().map(|schedule| &schedule.id));
        let (named_start, end) = self.read_times(checker, zone, now);
        let words = self.read_words(checker);
        let texts = self.read_texts(checker);
        let others = Others { own: id.as_ref(), known: known.map(|known| &known.templates) };
        let venue = self.take_venue_input().read(checker, others);
        let lists = self.read_lists(checker, inventory, known);
        let Sizes { duration_minutes, capacity } = self.read_sizes(checker)?;
        let template = Template {
            kind: words.kind,
            admission: words.admission,
            name: texts.name,
            description: texts.description,
            short_description: texts.short_description,
            summary: texts.summary,
            email_confirmation_message: texts.email_confirmation_message,
            email_cancellation_message: texts.email_cancellation_message,
            start: named_start.unwrap_or(now),
            end,
            review_state: words.review_state,
            duration_minutes,
            capacity,
            price_lists,
            schedules: schedules.into_iter().flatten().collect(),
            ticket_details: lists.ticket_details,
            membership: lists.membership,
            member_only: words.member_only,
            all_members_can_purchase: words.all_members_can_purchase,
            display_order: words.display_order,
            add_ons: lists.add_ons,
            forms: lists.forms,
            images: lists.images,
            custom_fields: lists.custom_fields,
            resources: lists.resources,
            venue,
            last_published: None,
            last_updated: now,
            id: id?,
        };
        check_whole(checker, &template);
        Some(WrittenTemplate { template, start: named_start })
    }

    fn read_times(
        &mut self,
        checker: &mut Checker,
        zone: Zone,
        now: Timestamp,
    ) -> (Option<Timestamp>, Option<Timestamp>) {
        let named = checker.optional_instant("startTime", take(&mut self.start_time), zone);
        let start = named.unwrap_or(now);
        if !(Timestamp::UNIX_EPOCH..=InstanceId::last_start()).contains(&start) {
            checker.invalid("startTime", "must be in a year between 1970 and 2105");
        }
        let end = checker.optional_instant("endTime", take(&mut self.end_time), zone);
        if end.is_some_and(|end| end < start) {
            checker.invalid("endTime", "must not be before startTime");
        }
        (named, end)
    }

    fn read_words(&mut self, checker: &mut Checker) -> Words {
        let admissions = "generalAdmission, standard";
        Words {
            kind: word(checker, "type", take(&mut self.kind), kind, "standard, private").unwrap_or_default(),
            admission: word(checker, "admissionType", take(&mut self.admission_type), admission, admissions)
                .unwrap_or_default(),
            review_state: word(
                checker,
                "reviewState",
                take(&mut self.review_state),
                review,
                "Draft, Published",
            )
            .unwrap_or_default(),
            member_only: flag(checker, "memberOnlyEvent", take(&mut self.member_only_event)),
            all_members_can_purchase: flag(
                checker,
                "allMembersCanPurchase",
                take(&mut self.all_members_can_purchase),
            ),
            display_order: checker
                .optional_integer("displayOrder", take(&mut self.display_order))
                .unwrap_or_default(),
        }
    }

    fn read_texts(&mut self, checker: &mut Checker) -> Texts {
        let description = checker.required_prose("description", take(&mut self.description), TEXT_CHARS);
        let description = description.unwrap_or_default();
        let short = checker.optional_prose("shortDescription", take(&mut self.short_description), TEXT_CHARS);
        let confirmation = take(&mut self.email_confirmation_message);
        let cancellation = take(&mut self.email_cancellation_message);
        Texts {
            name: name(checker, "name", take(&mut self.name)),
            short_description: short.unwrap_or_else(|| short_description(&description)),
            description,
            summary: text(checker, "summary", take(&mut self.summary)),
            email_confirmation_message: text(checker, "emailConfirmationMessage", confirmation),
            email_cancellation_message: text(checker, "emailCancellationMessage", cancellation),
        }
    }

    fn read_sizes(&mut self, checker: &mut Checker) -> Option<Sizes> {
        let duration = required_duration(checker, take(&mut self.duration));
        let capacity = take(&mut self.capacity);
        checker.require("capacity", &capacity);
        let capacity = count(checker, "capacity", capacity, 1..=MAX_CAPACITY);
        Some(Sizes { duration_minutes: duration?, capacity: capacity? })
    }

    fn read_lists(
        &mut self,
        checker: &mut Checker,
        inventory: &BTreeSet<InventoryId>,
        known: Option<&Known>,
    ) -> Lists {
        let details = checker
            .object("ticketDetails", take(&mut self.ticket_details), |checker, input| input.read(checker));
        let membership = checker.object("membership", take(&mut self.membership), |checker, input| {
            read_membership(checker, input, known)
        });
        let add_ons = checker.object("addOns", take(&mut self.add_ons), |checker, input| {
            read_add_ons(checker, input, inventory)
        });
        Lists {
            ticket_details: details.unwrap_or_default(),
            membership: membership.unwrap_or_default(),
            add_ons: add_ons.unwrap_or_default(),
            forms: read_forms(checker, take(&mut self.order_forms), known),
            images: read_images(checker, take(&mut self.images)),
            custom_fields: read_pairs(checker, "customFields", take(&mut self.custom_fields)),
            resources: checker.each("resources", take(&mut self.resources), read_resource),
        }
    }

    fn take_venue_input(&mut self) -> VenueInput {
        VenueInput {
            rebooking_fee: take(&mut self.rebooking_fee),
            third_party_event: take(&mut self.third_party_event),
            third_party_percentage: take(&mut self.third_party_percentage),
            rule_sets: take(&mut self.rule_sets),
            color_category: take(&mut self.color_category),
            entitlement_configuration: take(&mut self.entitlement_configuration),
            stars: take(&mut self.stars),
            ratings: take(&mut self.ratings),
            email_notify: take(&mut self.email_notify),
            publish_sold_quantity: take(&mut self.publish_sold_quantity),
            recommendations: take(&mut self.recommendations),
            prerequisites: take(&mut self.prerequisites),
            gl_code: take(&mut self.gl_code),
        }
    }
}

struct Words {
    kind: TemplateKind,
    admission: AdmissionType,
    review_state: ReviewState,
    member_only: bool,
    all_members_can_purchase: bool,
    display_order: i64,
}

struct Texts {
    name: String,
    description: String,
    short_description: String,
    summary: String,
    email_confirmation_message: String,
    email_cancellation_message: String,
}

struct Sizes {
    duration_minutes: u32,
    capacity: u32,
}

struct Lists {
    ticket_details: TicketDetails,
    membership: MembershipTerms,
    add_ons: Vec<InventoryId>,
    forms: Vec<FormId>,
    images: Vec<Image>,
    custom_fields: Vec<NamedValue>,
    resources: Vec<Resource>,
}

fn read_price_lists(
    checker: &mut Checker,
    field: Field<List<PriceListInput>>,
    zone: Zone,
    ticket_types: &BTreeSet<TicketTypeId>,
) -> Vec<PriceList> {
    let lists = checker.each("priceLists", field, |checker, input| input.read(checker, zone, ticket_types));
    lists.into_iter().flatten().collect()
}

fn required_duration(checker: &mut Checker, field: Field<DurationInput>) -> Option<u32> {
    if !field.is_sent() {
        checker.invalid("duration", "is required");
        return None;
    }
    checker.object("duration", field, |checker, input| input.read(checker)).flatten()
}

fn kind(text: &str) -> Option<TemplateKind> {
    let named = [("standard", TemplateKind::Standard), ("private", TemplateKind::Private)];
    named.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, kind)| kind)
}

fn admission(text: &str) -> Option<AdmissionType> {
    let named =
        [("standard", AdmissionType::Standard), ("generalAdmission", AdmissionType::GeneralAdmission)];
    named.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, admission)| admission)
}

fn review(text: &str) -> Option<ReviewState> {
    let named = [("draft", ReviewState::Draft), ("published", ReviewState::Published)];
    named.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, state)| state)
}

fn read_forms(
    checker: &mut Checker,
    sent: Field<List<ReferenceInput>>,
    known: Option<&Known>,
) -> Vec<FormId> {
    let read = checker.each("orderForms", sent, |checker, input| {
        let id = checker.required_id("id", input.id, FormId::parse)?;
        if known.is_some_and(|known| !known.forms.contains(&id)) {
            checker.unknown("id");
        }
        Some(id)
    });
    read.into_iter().flatten().collect()
}

fn read_membership(
    checker: &mut Checker,
    input: MembershipTermsInput,
    known: Option<&Known>,
) -> MembershipTerms {
    let is_level = |id: &LevelId| known.is_none_or(|known| known.levels.contains(id));
    let is_discount = |id: &DiscountId| known.is_none_or(|known| known.discounts.contains(id));
    let restrictions = checker.object("restrictions", input.restrictions, |checker, input| {
        let levels = checker.each("categories", input.categories, |checker, sent: String| {
            checker.id_here(&sent, |text| LevelId::parse(text).ok().filter(is_level))
        });
        levels.into_iter().flatten().collect()
    });
    let discounts = checker.each("discounts", input.discounts, |checker, input| {
        let level = required_reference(checker, "category", input.category, LevelId::parse);
        if level.as_ref().is_some_and(|id| !is_level(id)) {
            checker.unknown("category/id");
        }
        let discount = required_reference(checker, "discount", input.discount, DiscountId::parse);
        if discount.as_ref().is_some_and(|id| !is_discount(id)) {
            checker.unknown("discount/id");
        }
        let max_tickets = count(checker, "maxTickets", input.max_tickets, 1..=MAX_CAPACITY);
        Some(MemberDiscount { level: level?, discount: discount?, max_tickets })
    });
    MembershipTerms {
        restrictions: restrictions.unwrap_or_default(),
        discounts: discounts.into_iter().flatten().collect(),
    }
}

fn required_reference<T>(
    checker: &mut Checker,
    field: &'static str,
    sent: Field<ReferenceInput>,
    parse: impl FnOnce(&str) -> Result<T, domain::UnreadableId>,
) -> Option<T> {
    let sent = match sent {
        Field::Absent | Field::Null => Field::Value(ReferenceInput::default()),
        Field::Value(_) | Field::Wrong => sent,
    };
    checker.object(field, sent, |checker, input| checker.required_id("id", input.id, parse)).flatten()
}

fn read_add_ons(
    checker: &mut Checker,
    input: AddOnsInput,
    known: &BTreeSet<InventoryId>,
) -> Vec<InventoryId> {
    let numbers = checker.each("inventoryIds", input.inventory_ids, |_, number| number);
    let mut found = Vec::with_capacity(numbers.len());
    for (index, number) in numbers.into_iter().enumerate() {
        match InventoryId::parse(number.get()).ok().filter(|id| known.contains(id)) {
            Some(id) => found.push(id),
            None => checker.unknown(format!("inventoryIds/{index}")),
        }
    }
    found
}

pub(crate) fn read_images(checker: &mut Checker, field: Field<List<ImageInput>>) -> Vec<Image> {
    checker.each("images", field, |checker, input| Image {
        id: name(checker, "id", input.id),
        description: text(checker, "description", input.description),
        primary: flag(checker, "primary", input.primary),
    })
}

fn read_pairs(
    checker: &mut Checker,
    field: &'static str,
    sent: Field<List<NamedValueInput>>,
) -> Vec<NamedValue> {
    checker.each(field, sent, |checker, input| NamedValue {
        name: name(checker, "name", input.name),
        value: text(checker, "value", input.value),
    })
}

fn read_resource(checker: &mut Checker, input: ResourceInput) -> Resource {
    Resource {
        kind: name(checker, "type", input.kind),
        resource_template_id: checker.optional_text(
            "resourceTemplateId",
            input.resource_template_id,
            NAME_CHARS,
        ),
        resource_id: checker.optional_text("resourceId", input.resource_id, NAME_CHARS),
        quantity: count(checker, "quantity", input.quantity, 0..=MAX_CAPACITY).unwrap_or(1),
        fields: read_pairs(checker, "fields", input.fields),
    }
}
