//! What a venue sells: event templates with their prices, ticket types, add-ons and donations.

pub mod ticket_details;
pub mod venue;

use crate::channel::{Channel, SalesChannel, channel_allowed};
use crate::instance_id::{ScheduleTag, TemplateTag};
use crate::schedule::{Schedule, SlotPlan, TemplateFacts};
use crate::tax::Tax;
use crate::text::cut;
use crate::{
    DiscountId, FormId, InstanceId, InventoryId, LevelId, Money, PriceListId, TemplateId, TicketTypeId,
    Timestamp, Zone,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use ticket_details::TicketDetails;
use venue::VenueFields;

/// A ticket type: the kind of visitor a price is for (spec §2.10 `personType`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonType {
    /// Also the ticketing type id of carts and the price point id of rules.
    pub id: TicketTypeId,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    pub description: String,
    /// An inactive type is not offered.
    pub active: bool,
    /// What kind of visitor it is for, in the venue's own words.
    pub kind: String,
    /// Order among the types.
    pub display_order: i64,
    /// What its prices contain.
    #[serde(default, skip_serializing_if = "Tax::is_unsaid")]
    pub tax: Tax,
}

/// The price of one ticket type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// Whose price.
    pub ticket_type: TicketTypeId,
    /// Full price.
    pub price: Money,
    /// Kept and returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prime_price: Option<Money>,
    /// What everybody pays in place of the full price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discounted_price: Option<Money>,
    /// Order within the list.
    pub display_order: i64,
    /// Where the price is offered; empty means everywhere.
    #[serde(default)]
    pub sales_channels: Vec<SalesChannel>,
}

impl Price {
    /// What everybody pays, where that is less than the full price. A discounted price above the full one takes
    /// nothing off.
    #[must_use]
    pub fn discounted(&self) -> Option<Money> {
        self.discounted_price.filter(|discounted| *discounted < self.price)
    }
}

/// Prices that apply from an instant on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceList {
    /// Referred to by schedules.
    pub id: PriceListId,
    /// For the back office.
    pub name: String,
    /// For the back office.
    #[serde(default)]
    pub description: String,
    /// The moment of sale from which the list applies; none applies always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Timestamp>,
    /// The last moment of sale at which the list applies (spec §2.15); lists of templates have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Timestamp>,
    /// One per ticket type.
    pub prices: Vec<Price>,
}

/// Who sees a template in listings (spec §2.10 `type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TemplateKind {
    /// Everyone.
    #[default]
    Standard,
    /// Those who ask for private events.
    Private,
}

/// How visitors are admitted (spec §2.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AdmissionType {
    /// Entry without a fixed place.
    GeneralAdmission,
    /// The default.
    #[default]
    Standard,
}

/// Whether a template is on offer (spec §3). A published one never becomes a draft again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ReviewState {
    /// Being prepared.
    #[default]
    Draft,
    /// On offer.
    Published,
}

/// A picture of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Opaque.
    pub id: String,
    /// For people who do not see it.
    #[serde(default)]
    pub description: String,
    /// The one to show first.
    #[serde(default)]
    pub primary: bool,
}

/// Which levels may buy, and what each gets off (spec §2.10 `membership`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MembershipTerms {
    /// Levels the event is restricted to.
    #[serde(default)]
    pub restrictions: Vec<LevelId>,
    /// What members get off.
    #[serde(default)]
    pub discounts: Vec<MemberDiscount>,
}

/// What members of one level get off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberDiscount {
    pub level: LevelId,
    pub discount: DiscountId,
    /// Tickets at the member price per order; none is without limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tickets: Option<u32>,
}

/// A pair kept for the venue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedValue {
    pub name: String,
    #[serde(default)]
    pub value: String,
}

/// Something an event needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    /// Kind of resource.
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_template_id: Option<String>,
    /// The resource itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<String>,
    /// How many.
    pub quantity: u32,
    /// Further facts.
    #[serde(default)]
    pub fields: Vec<NamedValue>,
}

/// The definition of an event (spec §2.10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    pub id: TemplateId,
    /// Standard or private.
    #[serde(default)]
    pub kind: TemplateKind,
    /// How visitors are admitted.
    #[serde(default)]
    pub admission: AdmissionType,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors; HTML is kept as given and escaped wherever Boxoffice renders it.
    pub description: String,
    /// Default: the first 300 characters of the description.
    pub short_description: String,
    /// Shown to visitors.
    #[serde(default)]
    pub summary: String,
    /// Added to confirmation mails.
    #[serde(default)]
    pub email_confirmation_message: String,
    /// Added to cancellation mails.
    #[serde(default)]
    pub email_cancellation_message: String,
    /// When the event begins to be held.
    pub start: Timestamp,
    /// When it ends; none is ongoing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Timestamp>,
    /// Draft or published.
    #[serde(default)]
    pub review_state: ReviewState,
    /// How long one instance lasts, in minutes.
    pub duration_minutes: u32,
    /// Seats of one instance, unless its schedule says otherwise.
    pub capacity: u32,
    #[serde(default)]
    pub price_lists: Vec<PriceList>,
    /// When it is held; none means once, at `start`.
    #[serde(default)]
    pub schedules: Vec<Schedule>,
    /// Sale window, check-in window, print lines.
    #[serde(default)]
    pub ticket_details: TicketDetails,
    /// Member prices and restrictions.
    #[serde(default)]
    pub membership: MembershipTerms,
    /// Only members may buy.
    #[serde(default)]
    pub member_only: bool,
    /// Members of any level may buy.
    #[serde(default)]
    pub all_members_can_purchase: bool,
    /// Order in listings.
    #[serde(default)]
    pub display_order: i64,
    /// Add-ons offered with it.
    #[serde(default)]
    pub add_ons: Vec<InventoryId>,
    /// Forms asked of its visitors.
    #[serde(default)]
    pub forms: Vec<FormId>,
    /// Pictures.
    #[serde(default)]
    pub images: Vec<Image>,
    /// Kept for the venue.
    #[serde(default)]
    pub custom_fields: Vec<NamedValue>,
    /// What it needs.
    #[serde(default)]
    pub resources: Vec<Resource>,
    /// Kept for the venue.
    #[serde(default)]
    pub venue: VenueFields,
    /// When it was last published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_published: Option<Timestamp>,
    /// When it was last written.
    pub last_updated: Timestamp,
}

impl Template {
    /// True when the instance id was made for this template.
    #[must_use]
    pub fn owns(&self, instance: &InstanceId) -> bool {
        TemplateTag::of(&self.id) == instance.template_tag()
    }

    /// The schedule an instance came from, found through its id.
    #[must_use]
    pub fn schedule_of(&self, instance: &InstanceId) -> Option<&Schedule> {
        self.schedules.iter().find(|schedule| ScheduleTag::of(Some(&schedule.id)) == instance.schedule_tag())
    }

    /// How long a slot of the instance's schedule lasts, in seconds.
    #[must_use]
    pub fn slot_secs(&self, instance: &InstanceId) -> i64 {
        let own = self.schedule_of(instance).and_then(|schedule| schedule.duration_minutes);
        i64::from(own.unwrap_or(self.duration_minutes)).saturating_mul(60)
    }

    /// The price list in force at the moment of sale, among those its schedule names, or among all of the
    /// template's.
    #[must_use]
    pub fn price_list(&self, schedule: Option<&Schedule>, now: Timestamp) -> Option<&PriceList> {
        let named = schedule.map(|schedule| schedule.price_lists.as_slice()).unwrap_or_default();
        let eligible = self.price_lists.iter().filter(|list| named.is_empty() || named.contains(&list.id));
        PriceList::in_force(eligible, now)
    }

    /// What generating its slots needs to know.
    #[must_use]
    pub fn facts(&self) -> TemplateFacts {
        TemplateFacts {
            id: self.id.clone(),
            capacity: self.capacity,
            duration_minutes: self.duration_minutes,
            start: self.start,
            end: self.end,
        }
    }

    /// The length of its longest slot, in minutes.
    #[must_use]
    pub fn longest_minutes(&self) -> u32 {
        let scheduled = self.schedules.iter().filter_map(|schedule| schedule.duration_minutes);
        scheduled.fold(self.duration_minutes, u32::max)
    }

    /// Only members may buy it: it says so, or it is restricted to levels.
    #[must_use]
    pub fn is_for_members(&self) -> bool {
        self.member_only || !self.membership.restrictions.is_empty()
    }

    /// Whether a slot is one of those the template holds: it lies within the times of its schedule and not before the
    /// template's start, and starts no later than the template ends, wherever it was moved to. Slots that were sold
    /// stay when a schedule is shortened, and are none of them any more.
    #[must_use]
    pub fn holds(&self, instance: &InstanceId, start: Timestamp, zone: Zone) -> bool {
        let facts = self.facts();
        let plan = SlotPlan { template: &facts, schedules: &self.schedules, zone };
        self.end.is_none_or(|end| start <= end) && plan.reaches(instance)
    }

    /// True when an instance of this schedule is sold through a channel at all.
    #[must_use]
    pub fn is_sold_through(&self, schedule: Option<&Schedule>, channel: Channel) -> bool {
        schedule.is_none_or(|schedule| channel_allowed(&schedule.sales_channels, channel))
    }
}

impl PriceList {
    /// The list in force at an instant: of those that have begun and are not over, the one that began last.
    #[must_use]
    pub fn in_force<'a>(lists: impl IntoIterator<Item = &'a Self>, now: Timestamp) -> Option<&'a Self> {
        let in_force = lists.into_iter().filter(|list| {
            list.start.is_none_or(|start| start <= now) && list.end.is_none_or(|end| now <= end)
        });
        in_force.max_by(|a, b| a.start.cmp(&b.start).then_with(|| a.id.cmp(&b.id)))
    }

    /// The price of a ticket type through a channel.
    #[must_use]
    pub fn price_of(&self, ticket_type: &TicketTypeId, channel: Channel) -> Option<&Price> {
        self.prices.iter().find(|price| {
            price.ticket_type == *ticket_type && channel_allowed(&price.sales_channels, channel)
        })
    }
}

/// What kind of thing an inventory entry is (contract §7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum InventoryKind {
    /// Something sold beside tickets.
    AddOn,
    /// A donation of the stated price.
    FixedDonation,
    /// A donation whose amount the donor chooses.
    Donation,
    /// A replacement for a lost member card.
    MembershipCardReplacement,
}

impl InventoryKind {
    /// Whether it is given, not sold: what is given contains no tax.
    #[must_use]
    pub const fn is_donation(self) -> bool {
        match self {
            Self::FixedDonation | Self::Donation => true,
            Self::AddOn | Self::MembershipCardReplacement => false,
        }
    }
}

/// An add-on or donation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InventoryItem {
    pub id: InventoryId,
    /// The venue's own number for it.
    #[serde(default)]
    pub sku: String,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    #[serde(default)]
    pub description: String,
    /// What it is.
    pub kind: InventoryKind,
    /// Unit price; of a variable donation, nothing.
    pub price: Money,
    /// How many there are to sell; none is without limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stock: Option<u32>,
    /// An inactive one is not offered.
    pub active: bool,
    /// Order in listings.
    #[serde(default)]
    pub display_order: i64,
    /// Where it is offered; empty means everywhere.
    #[serde(default)]
    pub sales_channels: Vec<SalesChannel>,
    /// What its price contains; donations contain none.
    #[serde(default, skip_serializing_if = "Tax::is_unsaid")]
    pub tax: Tax,
}

/// The bytes of an id, at most 32, for a part of a whole whose author gave it none: the `number`th of its kind.
/// The same whole, such as a template, gets the same ids again.
#[must_use]
pub fn derived_id<const N: usize>(whole: &str, kind: &str, number: usize) -> [u8; N] {
    let digest: [u8; 32] = Sha256::digest(format!("{whole}\n{kind}\n{number}")).into();
    std::array::from_fn(|index| digest.get(index).copied().unwrap_or_default())
}

/// The places of the prerequisites by which a template would ask for itself, directly or through others.
#[must_use]
pub fn prerequisite_circles(template: &Template, others: &[Template]) -> Vec<usize> {
    let asked = |of: &Template| -> Vec<TemplateId> {
        let requires = of.venue.prerequisites.iter().flat_map(|found| &found.requires);
        requires.map(|found| found.template.clone()).collect()
    };
    let leads_back = |first: &TemplateId| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![first.clone()]);
        while let Some(next) = open.pop() {
            if next == template.id {
                return true;
            }
            if seen.insert(next.clone())
                && let Some(found) = others.iter().find(|other| other.id == next)
            {
                open.extend(asked(found));
            }
        }
        false
    };
    asked(template)
        .iter()
        .enumerate()
        .filter(|(_, first)| leads_back(first))
        .map(|(index, _)| index)
        .collect()
}

/// First characters of the description that stand in for a missing short description (spec §2.10).
pub const SHORT_DESCRIPTION_CHARS: usize = 300;

/// The short description of a template that has none: no more characters than that, the last sign whole, and no tag of
/// HTML or line feed at its end that has nothing behind it.
#[must_use]
pub fn short_description(description: &str) -> String {
    let short = cut(description, SHORT_DESCRIPTION_CHARS);
    let whole = if short.len() < description.len() { without_open_tag(short) } else { short };
    whole.trim_end().to_owned()
}

/// A text without the tag at its end that is begun and does not end.
fn without_open_tag(text: &str) -> &str {
    let Some((before, tag)) = text.rsplit_once('<') else { return text };
    let begins_tag = |first: char| first.is_ascii_alphabetic() || first == '/' || first == '!';
    let is_open = tag.chars().next().is_none_or(begins_tag) && !tag.contains('>');
    if is_open { before } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_description_ends_with_neither_a_part_of_a_tag_nor_a_line_feed() {
        let long = |length: usize| "x".repeat(length);
        for (length, behind, kept) in [
            (298, "<b>bold</b>", ""),
            (299, "<b>bold</b>", ""),
            (296, "</b>, and so on", "</b>"),
            (290, " 1 < 2 and so on", " 1 < 2 and"),
            (299, "\nand so on", ""),
            (290, "<b", "<b"),
        ] {
            let short = short_description(&format!("{}{behind}", long(length)));
            assert_eq!(short, format!("{}{kept}", long(length)), "{length} {behind:?}");
        }
    }
}
