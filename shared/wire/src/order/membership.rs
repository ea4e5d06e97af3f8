//! The memberships of an order on the wire (spec §2.5).

use crate::person::GifterOutput;
use domain::Zone;
use domain::membership::issue::MembershipChange;
use domain::membership::{MemberCard, Membership};
use domain::order::OrderMembershipLine;
use serde::Serialize;
use utoipa::ToSchema;

/// The membership that came of an order's line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderMembershipView {
    /// The membership; an upgrade or downgrade makes a new one.
    pub membership_id: i64,
    /// The number that stays through renewals, upgrades and downgrades.
    pub membership_number: i64,
    /// The level.
    pub membership_category_id: String,
    /// Its name when it was sold.
    pub membership_category_name: String,
    /// The offering.
    pub membership_offering_id: String,
    /// Its name when it was sold.
    pub membership_offering_name: String,
    /// The price point.
    pub price_point_id: String,
    /// The first instant of what was bought.
    pub start_date: String,
    /// The last instant of it.
    pub expiration_date: String,
    /// Whether it was a gift.
    pub is_gift: bool,
    /// Who gave it; null where it was no gift.
    pub gifter_info: Option<GifterOutput>,
    /// The cards that were made. Those it had before are the member's to know.
    pub membership_cards: Vec<OrderMembershipCardView>,
}

/// A card of a membership that was bought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderMembershipCardView {
    /// The card.
    pub id: i64,
    /// `primary` or `secondary`.
    pub card_type: &'static str,
    /// Its holder.
    pub first_name: String,
    /// Its holder.
    pub last_name: String,
    /// What is scanned.
    pub barcode: String,
}

impl OrderMembershipView {
    /// A line as the tenant's clocks show it.
    pub(super) fn new(line: &OrderMembershipLine, zone: Zone) -> Self {
        let MembershipChange { before: _, after, made, retired: _, customers: _ } = &line.change;
        let Membership { id, number, cards, .. } = after;
        Self {
            membership_id: id.get(),
            membership_number: number.get(),
            membership_category_id: line.plan.level.to_string(),
            membership_category_name: line.level_name.clone(),
            membership_offering_id: line.plan.offering.to_string(),
            membership_offering_name: line.offering_name.clone(),
            price_point_id: line.plan.price_point.to_string(),
            start_date: zone.format(line.starts),
            expiration_date: zone.format(line.ends),
            is_gift: line.giver.is_some(),
            gifter_info: line.giver.as_ref().map(GifterOutput::from),
            membership_cards: cards.iter().filter(|card| made.contains(&card.id)).map(Into::into).collect(),
        }
    }
}

impl From<&MemberCard> for OrderMembershipCardView {
    fn from(card: &MemberCard) -> Self {
        let MemberCard { id, card_type, standing: _, person, barcode, customer: _ } = card;
        Self {
            id: id.get(),
            card_type: card_type.as_str(),
            first_name: person.first_name.clone(),
            last_name: person.last_name.clone(),
            barcode: barcode.clone(),
        }
    }
}
