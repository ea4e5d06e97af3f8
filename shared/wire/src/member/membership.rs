//! Memberships as the back office sees them (spec §4.6, last paragraph; contract §9).

use super::{MemberListEntry, MemberView};
use crate::person::GifterOutput;
use domain::catalog::PersonType;
use domain::membership::Membership;
use domain::verification::VerifiedCard;
use domain::{TicketTypeId, Timestamp};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What turning memberships into answers needs beside them.
#[derive(Debug, Clone, Copy)]
pub struct MembershipView<'a> {
    /// What their cards need.
    pub member: MemberView<'a>,
    /// Ticket types, by which price points are named.
    pub person_types: &'a BTreeMap<TicketTypeId, PersonType>,
    /// The instant at which they stand as shown.
    pub now: Timestamp,
}

/// A membership with its cards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MembershipOutput {
    /// The membership.
    pub id: i64,
    /// The number that stays through renewals and upgrades.
    pub service_membership_number: String,
    /// The venue's own number of it.
    pub external_membership_id: Option<String>,
    /// The level's id.
    pub category_id: String,
    /// The level's name; null when the level is gone.
    pub membership_category: Option<String>,
    /// The offering it was bought by.
    pub offering_id: String,
    /// The offering's name; null when it is gone.
    pub offering_name: Option<String>,
    /// The price point it was bought at.
    pub price_point_id: String,
    /// The price point's name; null when it is gone.
    pub price_point_name: Option<String>,
    /// When its holder first became a member.
    pub membership_joined_date: String,
    /// When the term began.
    pub membership_start_date: String,
    /// The last instant that is paid for, or that at which it ended before.
    pub membership_expiration_date: String,
    /// `active` or `lapsed`.
    pub membership_standing: &'static str,
    /// Whether the level comes with another one.
    pub auxiliary: bool,
    /// When it was made here.
    pub created_on: String,
    /// When it was last changed here.
    pub updated_on: String,
    /// The label of the key that changed it, or what else did.
    pub updated_by: Option<String>,
    /// Whether it, or a term of it that is paid ahead, was a gift.
    pub is_gift: bool,
    /// Who gave it; null where it was no gift.
    pub gifter_info: Option<GifterOutput>,
    /// Its cards, those given up included.
    pub cards: Vec<MemberListEntry>,
    /// The same, by the name that clients of the interface know.
    pub cardholders: Vec<MemberListEntry>,
}

impl MembershipOutput {
    /// A membership as it is shown.
    #[must_use]
    pub fn of(membership: &Membership, view: &MembershipView<'_>) -> Self {
        let MembershipView { member, person_types, now } = view;
        let membership = &membership.clone().as_of(*now);
        let date = |instant| member.zone.format(instant);
        let level = member.levels.get(&membership.level);
        let offering = level.and_then(|level| level.offering(&membership.offering));
        let point = person_types.get(&membership.price_point);
        let card = |card| MemberListEntry::of(&VerifiedCard::known(membership, card, *now), member);
        let cards: Vec<MemberListEntry> = membership.cards.iter().map(card).collect();
        Self {
            id: membership.id.get(),
            service_membership_number: membership.number.to_string(),
            external_membership_id: membership.external_id.clone(),
            category_id: membership.level.to_string(),
            membership_category: level.map(|level| level.name.clone()),
            offering_id: membership.offering.to_string(),
            offering_name: offering.map(|offering| offering.name.clone()),
            price_point_id: membership.price_point.to_string(),
            price_point_name: point.map(|point| point.name.clone()),
            membership_joined_date: date(membership.joined),
            membership_start_date: date(membership.started),
            membership_expiration_date: date(membership.expiration()),
            membership_standing: membership.standing(*now).as_str(),
            auxiliary: level.is_some_and(|level| level.auxiliary),
            created_on: date(membership.created_at),
            updated_on: date(membership.updated_at),
            updated_by: membership.updated_by.clone(),
            is_gift: membership.giver().is_some(),
            gifter_info: membership.giver().map(GifterOutput::from),
            cardholders: cards.clone(),
            cards,
        }
    }
}
