//! Member cards at a door. A visit takes no seat and no entitlement.

use super::code::ScannedCode;
use super::scan::{Actor, Reason};
use super::upload::{DeviceDecision, UploadOutcome};
use super::verdict::{DoorVerdict, Outcome};
use super::warning::Warning;
use crate::membership::{CardStanding, MemberCard, Membership};
use crate::order::ScanType;
use crate::tenant::CardReentry;
use crate::{AdmissionId, CardId, Timestamp};
use serde::{Deserialize, Serialize};

/// The visits of a card on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// The first one.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub first_at: Timestamp,
    /// How many there were.
    pub visits: u32,
    /// The last one, by which a repetition is known.
    pub last: AdmissionId,
    /// The device of the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<String>,
    /// The last one that staff insisted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<ForcedVisit>,
}

/// That staff let a card in once more, where the venue has it once a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForcedVisit {
    /// The identity of the scan.
    pub id: AdmissionId,
    /// When.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub at: Timestamp,
    /// Who did.
    pub actor: Actor,
    /// Why.
    pub reason: String,
}

/// What is decided on.
#[derive(Debug, Clone, Copy)]
pub struct CardFacts<'a> {
    /// The card's membership.
    pub membership: &'a Membership,
    /// The card.
    pub card: &'a MemberCard,
}

/// Which card is meant by a code.
#[derive(Debug, Clone)]
pub enum CardChoice<'a> {
    /// None.
    None,
    /// This one.
    One(CardFacts<'a>),
    /// One of these; the device has to ask.
    Several(Vec<CardFacts<'a>>),
}

/// Which card is meant by a code, among the memberships that were found with it: the one named by its id, the one
/// that has the code, or else the held cards of the membership whose number it is.
#[must_use]
pub fn choose_card<'a>(
    memberships: &'a [Membership],
    code: &ScannedCode,
    named: Option<CardId>,
) -> CardChoice<'a> {
    let code = code.expose();
    let cards = || {
        let of_each = |membership: &'a Membership| {
            membership.cards.iter().map(move |card| CardFacts { membership, card })
        };
        memberships.iter().flat_map(of_each)
    };
    if let Some(id) = named {
        return one_of(cards().filter(|facts| facts.card.id == id).collect());
    }
    let has_code = |facts: &CardFacts<'_>| facts.card.barcode.trim().eq_ignore_ascii_case(code);
    let has_number = |facts: &CardFacts<'_>| {
        let membership = facts.membership;
        membership.number.to_string() == code
            || membership.external_id.as_deref().is_some_and(|id| id.trim() == code)
    };
    let (held, gone): (Vec<_>, Vec<_>) =
        cards().filter(|facts| has_code(facts) || has_number(facts)).partition(|facts| facts.card.is_held());
    if held.is_empty() { one_of(gone.into_iter().take(1).collect()) } else { one_of(held) }
}

fn one_of(mut found: Vec<CardFacts<'_>>) -> CardChoice<'_> {
    match (found.pop(), found.is_empty()) {
        (None, _) => CardChoice::None,
        (Some(only), true) => CardChoice::One(only),
        (Some(last), false) => {
            found.push(last);
            CardChoice::Several(found)
        }
    }
}

/// What is decided of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisitVerdict {
    /// Whether it opens the door.
    pub verdict: DoorVerdict,
    /// Where the card stands.
    pub standing: CardStanding,
}

/// When and how a card is shown.
#[derive(Debug, Clone, Copy)]
pub struct CardShown {
    /// Whether the venue lets a card in again on the same day.
    pub reentry: CardReentry,
    /// Whether staff insist.
    pub insists: bool,
    /// The moment.
    pub now: Timestamp,
}

const fn standing_reason(standing: CardStanding) -> Option<Reason> {
    match standing {
        CardStanding::Active => None,
        CardStanding::New => Some(Reason::MembershipNotYet),
        CardStanding::Lapsed => Some(Reason::MembershipLapsed),
        CardStanding::Dropped => Some(Reason::CardDropped),
        CardStanding::Replaced => Some(Reason::CardReplaced),
    }
}

/// What a device that was offline tells of a card.
#[derive(Debug, Clone, Copy)]
pub struct ToldVisit {
    /// In or out.
    pub kind: ScanType,
    /// What the device decided.
    pub decision: DeviceDecision,
    /// When.
    pub at: Timestamp,
}

/// Whether what a device tells of a card is a visit. On the way out nothing is noted, nor where nobody was let in.
///
/// # Errors
/// What comes of the scan without a visit.
pub fn told_visit(facts: CardFacts<'_>, told: ToldVisit) -> Result<(), UploadOutcome> {
    match (told.kind, told.decision) {
        (ScanType::Exit, _) | (_, DeviceDecision::Refused { .. }) => return Err(UploadOutcome::Recorded),
        (ScanType::Entry, DeviceDecision::Admitted) => {}
    }
    match standing_reason(facts.card.standing_at(facts.membership, told.at)) {
        Some(_) => Err(UploadOutcome::NotValid),
        None => Ok(()),
    }
}

/// Decides whether a card opens the door, as far as its membership says, and whether it was there earlier today.
#[must_use]
pub fn decide_visit(facts: CardFacts<'_>, earlier: Option<&Visit>, shown: CardShown) -> VisitVerdict {
    let CardShown { reentry, insists, now } = shown;
    let standing = facts.card.standing_at(facts.membership, now);
    let by_standing = standing_reason(standing);
    let again = earlier.filter(|visit| visit.visits > 0);
    let by_visit = match reentry {
        CardReentry::Never => again.map(|_| Reason::AlreadyAdmitted),
        CardReentry::Always => None,
    };
    let reason = by_standing.or(by_visit);
    let outcome = match reason {
        Some(reason) if insists && reason.is_forceable() => Outcome::Admitted { forced: Some(reason) },
        Some(reason) => Outcome::Refused { reason },
        None => Outcome::Admitted { forced: None },
    };
    let is_again = again.is_some() && reason.is_none();
    let warnings = if is_again { vec![Warning::AlreadyAdmitted] } else { Vec::new() };
    VisitVerdict { verdict: DoorVerdict { outcome, warnings, attention: Vec::new() }, standing }
}
