//! What is kept of a scan, and what one of tickets that were known says.

use super::warning::Warning;
use crate::order::{Passage, ScanType, Ticket};
use crate::text::AsText;
use crate::{AdmissionId, InstanceId, OrderId, TicketId, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident, $word:literal, $status:literal, $force:literal;)*) => {
        /// Why nobody is let in, in order of precedence.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub enum Reason {
            $($(#[$doc])* $name,)*
        }

        impl Reason {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The word of answers.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// The number of `checkInStatus` in answers of single scans.
            #[must_use]
            pub const fn status(self) -> u8 {
                match self { $(Self::$name => $status,)* }
            }

            /// Whether staff may let in all the same.
            #[must_use]
            pub const fn is_forceable(self) -> bool {
                match self { $(Self::$name => $force,)* }
            }
        }
    };
}

reasons! {
    /// No ticket, card or order has this code or id.
    Unknown, "unknown", 8, false;
    /// Several cards have this number.
    Ambiguous, "ambiguous", 12, false;
    /// The ticket was given back.
    Refunded, "refunded", 7, false;
    /// A refund of the ticket is under way.
    RefundPending, "refundPending", 7, false;
    /// Another ticket took its place.
    Exchanged, "exchanged", 7, false;
    /// Its instance was called off or deleted.
    Cancelled, "cancelled", 7, false;
    /// Staff blocked it.
    Blocked, "blocked", 9, false;
    /// It is for another event.
    WrongEvent, "wrongEvent", 6, false;
    /// It is for another time of this event.
    WrongTime, "wrongTime", 6, true;
    /// It is not good any more.
    Expired, "expired", 5, true;
    /// The doors are not open for it yet.
    TooEarly, "tooEarly", 3, true;
    /// They are not open for it any more.
    TooLate, "tooLate", 4, true;
    /// Its order has a balance.
    Unpaid, "unpaid", 10, true;
    /// It has let somebody in.
    AlreadyAdmitted, "alreadyAdmitted", 2, true;
    /// Who leaves did not enter.
    NotInside, "notInside", 2, true;
    /// The membership ended.
    MembershipLapsed, "membershipLapsed", 11, false;
    /// The membership has not begun.
    MembershipNotYet, "membershipNotYet", 11, false;
    /// The card was given up.
    CardDropped, "cardDropped", 11, false;
    /// Another card took its place.
    CardReplaced, "cardReplaced", 11, false;
}

impl Reason {
    /// The number of `checkInStatus` of what may be admitted.
    pub const MAY_BE_ADMITTED: u8 = 0;
    /// The number of `checkInStatus` of what was admitted now.
    pub const ADMITTED_NOW: u8 = 1;

    /// Reads a reason in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

/// What is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ScanKind {
    /// Tickets were shown on the way in.
    Entry,
    /// Or on the way out.
    Exit,
    /// Staff blocked them.
    Block,
    /// Staff unblocked them.
    Unblock,
}

impl ScanKind {
    /// The word of answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Exit => "exit",
            Self::Block => "block",
            Self::Unblock => "unblock",
        }
    }

    /// Which way somebody went.
    #[must_use]
    pub const fn passage(self) -> Option<ScanType> {
        match self {
            Self::Entry => Some(ScanType::Entry),
            Self::Exit => Some(ScanType::Exit),
            Self::Block | Self::Unblock => None,
        }
    }
}

impl From<ScanType> for ScanKind {
    fn from(kind: ScanType) -> Self {
        match kind {
            ScanType::Entry => Self::Entry,
            ScanType::Exit => Self::Exit,
        }
    }
}

/// What came of a ticket that was scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
pub enum ScanResult {
    /// It opened the door, or was blocked or unblocked.
    Done,
    /// Staff let in all the same.
    Forced {
        /// What stood against it.
        reason: Reason,
    },
    /// A device that was offline let in whom another had let in.
    DoubleAdmission,
    /// It did not open the door.
    Refused {
        /// Why, as far as that was said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reason>,
    },
    /// A device that was offline let in with what does not admit.
    NotValid {
        /// Why not.
        reason: Reason,
    },
}

impl ScanResult {
    /// Whether somebody passed whose passage counts.
    #[must_use]
    pub const fn counts(self) -> bool {
        match self {
            Self::Done | Self::Forced { .. } | Self::DoubleAdmission => true,
            Self::Refused { .. } | Self::NotValid { .. } => false,
        }
    }

    /// What stood against it.
    #[must_use]
    pub const fn reason(self) -> Option<Reason> {
        match self {
            Self::Done => None,
            Self::DoubleAdmission => Some(Reason::AlreadyAdmitted),
            Self::Forced { reason } | Self::NotValid { reason } => Some(reason),
            Self::Refused { reason } => reason,
        }
    }

    /// Whether staff insisted.
    #[must_use]
    pub const fn is_forced(self) -> bool {
        match self {
            Self::Forced { .. } => true,
            Self::Done | Self::DoubleAdmission | Self::Refused { .. } | Self::NotValid { .. } => false,
        }
    }
}

/// One ticket of a scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScannedTicket {
    /// The ticket.
    #[serde(rename = "t")]
    pub ticket: TicketId,
    /// What came of it.
    #[serde(rename = "r")]
    pub result: ScanResult,
    /// When it was taken back.
    #[serde(
        rename = "u",
        default,
        with = "chrono::serde::ts_milliseconds_option",
        skip_serializing_if = "Option::is_none"
    )]
    pub undone_at: Option<Timestamp>,
    /// By which request it was taken back.
    #[serde(rename = "i", default, skip_serializing_if = "Option::is_none")]
    pub(super) undone_with: Option<AdmissionId>,
    /// The place of who took it back among those of the scan.
    #[serde(rename = "b", default, skip_serializing_if = "Option::is_none")]
    undone_by: Option<u32>,
    /// What was told beside what came of it.
    #[serde(rename = "w", default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

impl ScannedTicket {
    /// A ticket that something came of.
    #[must_use]
    pub const fn new(ticket: TicketId, result: ScanResult) -> Self {
        Self { ticket, result, undone_at: None, undone_with: None, undone_by: None, warnings: Vec::new() }
    }

    /// Whether somebody passed with it, and that was not taken back.
    #[must_use]
    pub const fn counts(&self) -> bool {
        self.result.counts() && self.undone_at.is_none()
    }
}

/// Who scans.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Actor {
    /// The label of the key, which others may have as well.
    pub key: String,
    /// The identity of the key; of records of before it was noted, nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// Who stands at the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
    /// The device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<String>,
}

impl Actor {
    /// Whether another one has the same key; where that was not noted, one with the same label.
    #[must_use]
    pub fn has_key_of(&self, other: &Self) -> bool {
        match (&self.key_id, &other.key_id) {
            (Some(one), Some(another)) => one == another,
            (None, _) | (_, None) => self.key == other.key,
        }
    }
}

/// A scan of tickets of one order. What is written of it stays; only that it was taken back is added later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scan {
    /// Identity.
    pub id: AdmissionId,
    /// Its place among all that was written of the order: of scans of one instant the later one stands.
    pub number: u64,
    /// What was done.
    pub kind: ScanKind,
    /// When: at an online door behind all that was noted of its tickets before, of a device at the latest when it told.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub at: Timestamp,
    /// When by the clock of a device that is ahead.
    #[serde(
        default,
        with = "chrono::serde::ts_milliseconds_option",
        skip_serializing_if = "Option::is_none"
    )]
    pub device_at: Option<Timestamp>,
    /// When it was told of.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub received_at: Timestamp,
    /// The instance that was scanned into, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<InstanceId>,
    /// Who did it.
    pub actor: Actor,
    /// Why staff insisted, or why they blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether the device was offline.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
    /// The tickets.
    #[serde(with = "AsText")]
    pub tickets: Vec<ScannedTicket>,
    /// Who took something of it back, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undone_by: Vec<Actor>,
}

/// That a ticket of a scan was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undone<'a> {
    /// When.
    pub at: Timestamp,
    /// By whom; of records of before that was noted, nobody knows.
    pub by: Option<&'a Actor>,
}

impl Scan {
    /// When and by whom one of its tickets was taken back, if it was.
    #[must_use]
    pub fn undone(&self, scanned: &ScannedTicket) -> Option<Undone<'_>> {
        let place = scanned.undone_by.and_then(|place| usize::try_from(place).ok());
        Some(Undone { at: scanned.undone_at?, by: place.and_then(|place| self.undone_by.get(place)) })
    }

    /// Marks the last passage of a ticket that counts as taken back.
    pub(super) fn take_back(&mut self, ticket: &TicketId, with: &AdmissionId, by: &Actor, at: Timestamp) {
        let known = self.undone_by.iter().position(|known| known == by);
        let place = known.unwrap_or(self.undone_by.len());
        let mut counting =
            self.tickets.iter_mut().filter(|scanned| scanned.ticket == *ticket && scanned.counts());
        let Some(scanned) = counting.next_back() else { return };
        scanned.undone_at = Some(at);
        scanned.undone_with = Some(with.clone());
        scanned.undone_by = u32::try_from(place).ok();
        if known.is_none() {
            self.undone_by.push(by.clone());
        }
    }

    /// Whether somebody passed.
    #[must_use]
    pub fn has_passage(&self) -> bool {
        self.kind.passage().is_some() && self.tickets.iter().any(|scanned| scanned.result.counts())
    }

    pub(super) fn names(&self, ticket: &TicketId) -> impl Iterator<Item = &ScannedTicket> {
        self.tickets.iter().filter(move |scanned| scanned.ticket == *ticket)
    }
}

impl AdmissionId {
    /// The identity of what a request with this idempotency key does to an order, the same at each repetition.
    #[must_use]
    pub fn of_request(key: &str, order: &OrderId) -> Self {
        Self::of_text("request", key, order)
    }

    /// The identity of the record of a scan that changed nothing: one a minute of the same tickets at the same device.
    #[must_use]
    pub fn of_refusal(scan: &Scan, order: &OrderId) -> Self {
        let Actor { key, terminal, .. } = &scan.actor;
        let minute = scan.received_at.timestamp().div_euclid(60);
        let head =
            format!("{key}\n{}\n{minute}\n{}", terminal.as_deref().unwrap_or_default(), scan.kind.as_str());
        let tickets = scan.tickets.iter().map(|scanned| scanned.ticket.as_str());
        let lines: Vec<&str> = std::iter::once(head.as_str()).chain(tickets).collect();
        Self::of_text("refusal", &lines.join("\n"), order)
    }

    /// The identity of a scan of an order that a device numbered.
    #[must_use]
    pub fn of_scan(scan: &str, order: &OrderId) -> Self {
        Self::of_text("scan", &scan.trim().to_lowercase(), order)
    }

    /// The identity of the exits that an exchange of an order notes, by its number.
    #[must_use]
    pub fn of_exchange(number: u64, order: &OrderId) -> Self {
        Self::of_text("exchange", &number.to_string(), order)
    }

    fn of_text(kind: &str, text: &str, order: &OrderId) -> Self {
        let digest: [u8; 32] = Sha256::digest(format!("{kind}\n{order}\n{text}")).into();
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
        Self::from_bytes(bytes)
    }
}

/// The passages of a ticket that count, in the order in which they happened.
#[must_use]
pub fn passages_of<'a>(scans: &'a [Scan], ticket: &Ticket) -> Vec<Passage<'a>> {
    let mut found: Vec<(&Scan, ScanType)> = Vec::new();
    for scan in scans {
        let times = scan.names(&ticket.id).filter(|scanned| scanned.counts()).count();
        found.extend(
            scan.kind.passage().into_iter().flat_map(|kind| std::iter::repeat_n((scan, kind), times)),
        );
    }
    found.sort_by_key(|(scan, _)| (scan.at, scan.number));
    let passage = |(scan, kind): (&'a Scan, ScanType)| Passage {
        kind,
        at: scan.at,
        terminal: scan.actor.terminal.as_deref(),
    };
    found.into_iter().map(passage).collect()
}
