//! What a scan is answered. Never a barcode, an e-mail address or a phone number.

use crate::FieldError;
use crate::order::SALE_CHANNEL;
use domain::admission::{
    Attention, DoorFacts, DoorVerdict, NotUndone, Reason, TicketVerdict, UndoneTicket, VisitVerdict, Warning,
};
use domain::membership::{MemberCard, Membership};
use domain::order::exchange::{ExchangeFault, ExchangeRefused};
use domain::order::{CheckIn, Order, OrderTicketLine, ScanType, Ticket};
use domain::{AdmissionId, InstanceId, OrderId, TicketId, Zone};
use serde::Serialize;
use utoipa::ToSchema;

/// What was checked in or out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdmissionAnswer {
    /// How many of the results passed.
    pub admitted: u32,
    /// How many did not.
    pub refused: u32,
    /// Of an order of which some were asked for: so many more than were left.
    pub not_admitted: u32,
    /// One for each ticket, in the order in which they were asked for.
    pub results: Vec<AdmissionResultView>,
}

impl AdmissionAnswer {
    /// An answer of these results.
    #[must_use]
    pub fn of(results: Vec<AdmissionResultView>, not_admitted: u32) -> Self {
        let admitted = results.iter().filter(|result| result.admitted).count();
        let refused = results.len().saturating_sub(admitted);
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self { admitted: count(admitted), refused: count(refused), not_admitted, results }
    }
}

/// Whose last scan was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoneAnswer {
    /// Of how many tickets a scan was taken back.
    pub undone: u32,
    /// Of how many there was none.
    pub not_undone: u32,
    /// One for each ticket, in the order in which they were asked for, as it is now.
    pub results: Vec<AdmissionResultView>,
}

impl UndoneAnswer {
    /// An answer of these results.
    #[must_use]
    pub fn of(results: Vec<AdmissionResultView>) -> Self {
        let undone = results.iter().filter(|result| result.undone).count();
        let rest = results.len().saturating_sub(undone);
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self { undone: count(undone), not_undone: count(rest), results }
    }
}

/// What came of one ticket or card, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdmissionResultView {
    /// Whether it passed.
    pub admitted: bool,
    /// Why it did not: `unknown`, `ambiguous`, `refunded`, `refundPending`, `exchanged`, `cancelled`, `blocked`,
    /// `wrongEvent`, `wrongTime`, `expired`, `tooEarly`, `tooLate`, `unpaid`, `alreadyAdmitted`, `notInside`,
    /// or of a card `membershipLapsed`, `membershipNotYet`, `cardDropped`, `cardReplaced`. Why nothing was taken back:
    /// `notAdmitted` (nobody was let in), `notPermitted` (a key of a door takes back its own scans of the last 15
    /// minutes), `blocked` (it takes back nothing of a blocked ticket), `unknown` (also of a member card).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// What stopped nobody: `tooEarly`, `tooLate`, `alreadyAdmitted` (the card was there earlier today), `slotUnknown`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<&'static str>,
    /// What staff may want to talk about: `balanceDue`, `notes`, `formsIncomplete`, `orderNumber`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attention: Vec<&'static str>,
    /// `entry` or `exit`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub scan_type: Option<&'static str>,
    /// `ticket` or `membership`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// The scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admission_id: Option<String>,
    /// The ticket's first entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_in_date: Option<String>,
    /// The entry before this scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<PreviousEntryView>,
    /// The ticket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_id: Option<String>,
    /// Its ticket type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_type_id: Option<String>,
    /// The ticket type's name when it was sold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_type_name: Option<String>,
    /// `Normal`, `RefundPending`, `Refunded` or `Exchanged`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_status: Option<&'static str>,
    /// Whether its holder is inside now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<bool>,
    /// How often it admitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<u32>,
    /// The order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_id: Option<String>,
    /// The number printed for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_number: Option<String>,
    /// Contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    /// Contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// Where it was sold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sale_channel: Option<&'static str>,
    /// The order's: `NotCheckedIn`, `PartiallyCheckedIn` or `CheckedIn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_in_status: Option<&'static str>,
    /// The event instance of the ticket; of one that was exchanged, that of the ticket in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_name: Option<String>,
    /// When it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_date: Option<String>,
    /// Tickets of the order for this event that admitted somebody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_in_quantity: Option<u32>,
    /// Tickets of the order for this event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<u32>,
    /// The event instance it was moved from at a door.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rebooked_from: Option<String>,
    /// The member card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<AdmittedCardView>,
    /// The cards that may be meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cards: Vec<CardChoiceView>,
    /// Whether staff let it in against the rules.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
    /// Whether its last scan was taken back.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
    /// Why staff blocked it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_reason: Option<String>,
    /// Why it was not moved to this time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<FieldError>,
}

/// An entry of before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviousEntryView {
    /// When.
    pub at: String,
    /// The device; null where it did not say.
    pub terminal_id: Option<String>,
    /// How many entries there were by then.
    pub entries: u32,
}

/// A member card at a door.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdmittedCardView {
    /// The membership.
    pub membership_id: i64,
    /// The number that stays through renewals and upgrades.
    pub service_membership_number: String,
    /// The level's name; null where the level is gone.
    pub level_name: Option<String>,
    /// Who holds it.
    pub card_name: String,
    /// `primary` or `secondary`.
    pub card_type: &'static str,
    /// `new`, `active`, `lapsed`, `dropped` or `replaced`.
    pub card_standing: &'static str,
    /// The last instant of the membership's last term.
    pub membership_expiration_date: String,
    /// Visits of the card today, this one included.
    pub visits_today: u32,
}

/// A card that may be meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardChoiceView {
    /// What the device sends as `cardId`.
    pub card_id: i64,
    /// Who holds it.
    pub card_name: String,
}

impl From<&MemberCard> for CardChoiceView {
    fn from(card: &MemberCard) -> Self {
        Self { card_id: card.id.get(), card_name: name_of(card) }
    }
}

fn name_of(card: &MemberCard) -> String {
    format!("{} {}", card.person.first_name, card.person.last_name).trim().to_owned()
}

/// A member card that was scanned.
#[derive(Debug, Clone, Copy)]
pub struct CardResult<'a> {
    /// Its membership.
    pub membership: &'a Membership,
    /// The card.
    pub card: &'a MemberCard,
    /// What was decided.
    pub decided: &'a VisitVerdict,
    /// Visits today.
    pub visits_today: u32,
    /// The level's name, if the level is there.
    pub level: Option<&'a str>,
    /// The venue's zone.
    pub zone: Zone,
}

impl From<&CardResult<'_>> for AdmittedCardView {
    fn from(result: &CardResult<'_>) -> Self {
        let CardResult { membership, card, decided, visits_today, level, zone } = *result;
        Self {
            membership_id: membership.id.get(),
            service_membership_number: membership.number.to_string(),
            level_name: level.map(str::to_owned),
            card_name: name_of(card),
            card_type: card.card_type.as_str(),
            card_standing: decided.standing.as_str(),
            membership_expiration_date: zone.format(membership.expiration()),
            visits_today,
        }
    }
}

/// What is shown of a ticket beside what was decided.
#[derive(Debug, Clone, Copy)]
pub struct TicketResult<'a> {
    /// What it was decided on, with the order as it is now.
    pub facts: &'a DoorFacts<'a>,
    /// What was decided.
    pub verdict: &'a TicketVerdict,
    /// The scan, where it was recorded.
    pub scan: Option<&'a AdmissionId>,
    /// In or out; none where nothing was scanned.
    pub scan_type: Option<ScanType>,
    /// Whether the caller may know why a ticket is blocked.
    pub tells_blocks: bool,
}

impl AdmissionResultView {
    /// A code that is nobody's.
    #[must_use]
    pub fn unknown_code(attention: &[Attention]) -> Self {
        let attention = attention.iter().map(|attention| attention.as_str()).collect();
        Self { reason: Some(Reason::Unknown.as_str()), attention, ..Self::default() }
    }

    /// A ticket that the order does not have, or whose order there is not.
    #[must_use]
    pub fn unknown_ticket(order: &OrderId, ticket: &TicketId) -> Self {
        let (order_id, ticket_id) = (Some(order.to_string()), Some(ticket.to_string()));
        Self { reason: Some(Reason::Unknown.as_str()), order_id, ticket_id, ..Self::default() }
    }

    /// A code that several cards have.
    #[must_use]
    pub fn ambiguous(cards: Vec<CardChoiceView>) -> Self {
        Self { reason: Some(Reason::Ambiguous.as_str()), cards, ..Self::default() }
    }

    /// What came of a member card.
    #[must_use]
    pub fn of_card(result: &CardResult<'_>, scan_type: Option<ScanType>) -> Self {
        Self {
            kind: Some("membership"),
            scan_type: scan_type.map(ScanType::as_str),
            card: Some(AdmittedCardView::from(result)),
            ..Self::decided(&result.decided.verdict)
        }
    }

    fn decided(verdict: &DoorVerdict) -> Self {
        Self {
            admitted: verdict.is_admitted(),
            reason: verdict.reason().map(Reason::as_str),
            warnings: verdict.warnings.iter().copied().map(Warning::as_str).collect(),
            attention: verdict.attention.iter().copied().map(Attention::as_str).collect(),
            forced: verdict.is_forced(),
            ..Self::default()
        }
    }

    /// What came of a ticket.
    #[must_use]
    pub fn of_ticket(result: &TicketResult<'_>) -> Self {
        let TicketResult { facts, verdict, scan, scan_type, tells_blocks } = *result;
        let (order, zone) = (facts.order, facts.zone);
        let Some(ticket) = &verdict.ticket else { return Self::unknown_ticket(&order.id, &verdict.named) };
        let admissions = &order.admission;
        let told = |at| zone.format(at);
        let passed = verdict.verdict.is_admitted();
        let before = &verdict.before;
        // What is only looked up stays as it was.
        let now = if scan_type.is_some() { &verdict.after } else { before };
        let previous = before.last_entry.map(|at| PreviousEntryView {
            at: told(at),
            terminal_id: admissions.terminal_of(before).map(str::to_owned),
            entries: before.entries,
        });
        let blocked_reason =
            admissions.block_reason_of(before).filter(|_| before.is_blocked() && tells_blocks);
        let own = Self {
            scan_type: scan_type.map(ScanType::as_str),
            kind: Some("ticket"),
            admission_id: scan.filter(|_| passed).map(ToString::to_string),
            check_in_date: now.first_entry.map(told),
            previous,
            inside: Some(now.inside),
            entries: Some(now.entries),
            rebooked_from: verdict.rebooked_from.map(|event| event.to_string()),
            blocked_reason: blocked_reason.map(str::to_owned),
            details: verdict.not_moved.as_ref().map(why_not_moved).unwrap_or_default(),
            ..Self::decided(&verdict.verdict)
        };
        own.with_ticket(facts, ticket)
    }

    /// A ticket whose last scan was taken back, or that had none to be taken back.
    #[must_use]
    pub fn of_undone(facts: &DoorFacts<'_>, undone: &UndoneTicket) -> Self {
        let UndoneTicket { named, ticket, outcome, before: _, after } = undone;
        let Some(ticket) = ticket else { return Self::unknown_ticket(&facts.order.id, named) };
        let own = Self {
            reason: outcome.err().map(NotUndone::as_str),
            undone: outcome.is_ok(),
            kind: Some("ticket"),
            check_in_date: after.first_entry.map(|at| facts.zone.format(at)),
            inside: Some(after.inside),
            entries: Some(after.entries),
            ..Self::default()
        };
        own.with_ticket(facts, ticket)
    }

    /// What is known of a ticket and its order.
    fn with_ticket(self, facts: &DoorFacts<'_>, ticket: &Ticket) -> Self {
        let order = facts.order;
        let line = order.line_of(ticket);
        let replacement = facts.replacement_of(&ticket.id).and_then(|ticket| order.line_of(ticket));
        let shown = replacement.or(line);
        let here = shown.map(|line| check_in_at(order, line.instance));
        Self {
            ticket_id: Some(ticket.id.to_string()),
            ticket_type_id: line.map(|line| line.ticket_type.to_string()),
            ticket_type_name: line.map(|line| line.ticket_type_name.clone()),
            ticket_status: Some(ticket.status.as_str()),
            order_id: Some(order.id.to_string()),
            order_number: Some(order.number.to_string()),
            first_name: order.contact.first_name.clone(),
            last_name: order.contact.last_name.clone(),
            sale_channel: Some(SALE_CHANNEL),
            check_in_status: Some(order.check_in().status().as_str()),
            event_id: shown.map(|line| line.instance.to_string()),
            event_name: shown.map(|line| line.event_name.clone()),
            event_date: shown.map(|line| start_of(facts, line, facts.zone)),
            check_in_quantity: here.map(|here| here.admitted),
            quantity: here.map(|here| here.tickets),
            ..self
        }
    }
}

/// When the event of a line starts, as far as that is known now.
fn start_of(facts: &DoorFacts<'_>, line: &OrderTicketLine, zone: Zone) -> String {
    zone.format(facts.slot_of(line).start)
}

/// What the doors say of an order's tickets for one event.
fn check_in_at(order: &Order, event: InstanceId) -> CheckIn {
    let parts = order.rows().flat_map(|row| row.tickets().iter().map(move |line| (row, line)));
    let here = parts.filter(|(_, line)| line.instance == event);
    here.map(|(row, line)| order.check_in_of_part(row, line)).fold(CheckIn::default(), CheckIn::and)
}

fn why_not_moved(refused: &ExchangeRefused) -> Vec<FieldError> {
    let told = |message: &str| FieldError { field: "/eventId".to_owned(), message: message.to_owned() };
    match refused {
        ExchangeRefused::Unknown(_) => vec![told("was not found")],
        ExchangeRefused::Pending(_) => {
            vec![told("cannot be moved to while a refund of the order is under way")]
        }
        ExchangeRefused::Faults { faults, admitted: _ } => {
            faults.iter().map(|(_, fault)| told(why(*fault))).collect()
        }
        ExchangeRefused::Closed => vec![told("is not on sale")],
        ExchangeRefused::NotEnough { available: 0 } => vec![told("has no seats left")],
        ExchangeRefused::NotEnough { available } => {
            vec![told(&format!("has only {available} seats left, and all are moved or none"))]
        }
        ExchangeRefused::TooManyExchanges => {
            vec![told("cannot be moved to: the order was exchanged too often")]
        }
        ExchangeRefused::TooLarge => {
            vec![told("cannot be moved to: these are more tickets than are moved at once")]
        }
    }
}

const fn why(fault: ExchangeFault) -> &'static str {
    match fault {
        ExchangeFault::Unknown => "was not found",
        ExchangeFault::OtherTemplate => "is another event",
        ExchangeFault::SameEvent => "is the event this ticket is already for",
        ExchangeFault::OtherPrice => "has a different price for this ticket type",
        ExchangeFault::OtherDay => {
            "is on a different day; a ticket at a member price can only move within the same day"
        }
        ExchangeFault::PartOfCombo => "cannot be moved to: the ticket is part of a combo",
        ExchangeFault::NamedTwice => "cannot be moved to: the ticket is named twice",
        ExchangeFault::TooMany { left: _ } => "cannot be moved to: fewer tickets are left",
        ExchangeFault::WithoutTickets => "cannot be moved to: the item has no tickets",
        ExchangeFault::TicketGone(_) => "cannot be moved to: the ticket does not admit any more",
        ExchangeFault::Admitted => "cannot be moved to: the ticket has let somebody in",
    }
}
