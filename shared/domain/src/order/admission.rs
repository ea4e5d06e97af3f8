//! Who was let in with the tickets of an order (decision record 0143). It is kept in the order's own item, with a
//! version of its own beside that of what was done with the order after it was paid. A ticket that nobody scanned has
//! nothing there.

use super::{Order, OrderRow, OrderTicketLine, Ticket, TicketStatus};
use crate::text::AsText;
use crate::{InstanceId, OrderItemId, TicketId, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Different texts, terminals and reasons of blocks, that one order keeps beside its admissions. Of further ones only
/// the records of the scans tell.
pub const MAX_WORDS: usize = 24;

/// The admissions of an order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Admissions {
    /// Counts its changes, each of which is made to what was read.
    pub version: u64,
    #[serde(with = "AsText", skip_serializing_if = "BTreeMap::is_empty")]
    tickets: BTreeMap<OrderItemId, BTreeMap<TicketId, Admission>>,
    #[serde(with = "AsText", skip_serializing_if = "Vec::is_empty")]
    words: Vec<String>,
}

/// What happened at the doors with one ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Packed", into = "Packed")]
pub struct Admission {
    /// The earliest entry that is known.
    pub first_entry: Option<Timestamp>,
    /// The latest one.
    pub last_entry: Option<Timestamp>,
    /// The latest exit.
    pub last_exit: Option<Timestamp>,
    /// How often it admitted.
    pub entries: u32,
    /// Whether its holder is inside.
    pub inside: bool,
    /// Since when it is blocked, if it is.
    pub blocked_at: Option<Timestamp>,
    terminal: Option<u32>,
    block_reason: Option<u32>,
}

/// The admission as it is stored: an order has up to 2,000 of them. Milliseconds since 1970 of the first entry, the
/// others from there on; then entries, inside, terminal, block and its reason.
#[derive(Serialize, Deserialize)]
struct Packed(Option<i64>, Option<i64>, Option<i64>, u32, bool, Option<u32>, Option<i64>, Option<u32>);

impl From<Admission> for Packed {
    fn from(admission: Admission) -> Self {
        let first = admission.first_entry.map(|at| at.timestamp_millis());
        let from_first = |at: Timestamp| at.timestamp_millis().saturating_sub(first.unwrap_or_default());
        Self(
            first,
            admission.last_entry.map(from_first),
            admission.last_exit.map(from_first),
            admission.entries,
            admission.inside,
            admission.terminal,
            admission.blocked_at.map(from_first),
            admission.block_reason,
        )
    }
}

impl From<Packed> for Admission {
    fn from(packed: Packed) -> Self {
        let Packed(first, last_entry, last_exit, entries, inside, terminal, blocked, block_reason) = packed;
        let from_first =
            |millis: i64| Timestamp::from_timestamp_millis(first.unwrap_or_default().saturating_add(millis));
        Self {
            first_entry: first.and_then(Timestamp::from_timestamp_millis),
            last_entry: last_entry.and_then(from_first),
            last_exit: last_exit.and_then(from_first),
            entries,
            inside,
            blocked_at: blocked.and_then(from_first),
            terminal,
            block_reason,
        }
    }
}

/// Where a ticket is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdmissionState {
    /// It admitted nobody yet.
    Never,
    /// Its holder is inside.
    Inside,
    /// Its holder has left.
    Left,
    /// Staff blocked it.
    Blocked,
}

impl AdmissionState {
    /// The word of answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Inside => "inside",
            Self::Left => "left",
            Self::Blocked => "blocked",
        }
    }
}

/// In or out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ScanType {
    /// In.
    #[default]
    Entry,
    /// Out.
    Exit,
}

impl ScanType {
    /// The word of requests and answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Exit => "exit",
        }
    }

    /// Reads a type in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Entry, Self::Exit].into_iter().find(|known| known.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

/// One passage of a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage<'a> {
    /// In or out.
    pub kind: ScanType,
    /// When.
    pub at: Timestamp,
    /// The device.
    pub terminal: Option<&'a str>,
}

impl Admission {
    /// Where the ticket is. Somebody who left and never entered was never there: a device that was offline tells so.
    #[must_use]
    pub const fn state(&self) -> AdmissionState {
        if self.blocked_at.is_some() {
            return AdmissionState::Blocked;
        }
        match (self.inside, self.first_entry) {
            (true, _) => AdmissionState::Inside,
            (false, Some(_)) => AdmissionState::Left,
            (false, None) => AdmissionState::Never,
        }
    }

    /// Whether it ever admitted somebody.
    #[must_use]
    pub const fn is_admitted(&self) -> bool {
        self.first_entry.is_some()
    }

    /// Whether staff blocked it.
    #[must_use]
    pub const fn is_blocked(&self) -> bool {
        self.blocked_at.is_some()
    }

    /// The same after a passage. Passages may come in any order, as devices that were offline tell of them late: where
    /// the holder is follows from the latest, and of those of one instant from the one that was told last.
    fn after(self, passage: &Passage<'_>, terminal: Option<u32>) -> Self {
        let at = passage.at;
        let is_latest = self.last_entry.max(self.last_exit).is_none_or(|latest| at >= latest);
        let mut next = self;
        match passage.kind {
            ScanType::Entry => {
                next.first_entry = Some(self.first_entry.map_or(at, |first| first.min(at)));
                if self.last_entry.is_none_or(|last| at >= last) {
                    next.last_entry = Some(at);
                    next.terminal = terminal;
                }
                next.entries = self.entries.saturating_add(1);
            }
            ScanType::Exit => next.last_exit = Some(self.last_exit.map_or(at, |last| last.max(at))),
        }
        if is_latest {
            next.inside = passage.kind == ScanType::Entry;
        }
        next
    }
}

/// How many tickets of an instance were let in, and how many of their holders are inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AdmissionCounts {
    /// Tickets with a first entry.
    pub admitted: i64,
    /// Tickets whose holders are inside.
    pub inside: i64,
}

impl AdmissionCounts {
    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            admitted: self.admitted.saturating_add(other.admitted),
            inside: self.inside.saturating_add(other.inside),
        }
    }

    /// What these are more than others.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self {
            admitted: self.admitted.saturating_sub(other.admitted),
            inside: self.inside.saturating_sub(other.inside),
        }
    }

    /// Whether there is nothing to count.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.admitted == 0 && self.inside == 0
    }

    fn of(admission: &Admission) -> Self {
        Self { admitted: i64::from(admission.is_admitted()), inside: i64::from(admission.inside) }
    }
}

impl Admissions {
    /// True while nothing was scanned or blocked.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        *self == Self::default()
    }

    /// What happened with a ticket.
    #[must_use]
    pub fn of(&self, ticket: &Ticket) -> Admission {
        let of_line = self.tickets.get(&ticket.line);
        of_line.and_then(|tickets| tickets.get(&ticket.id)).copied().unwrap_or_default()
    }

    /// All tickets that something happened with.
    pub fn tickets(&self) -> impl Iterator<Item = (&OrderItemId, &TicketId, &Admission)> {
        self.tickets
            .iter()
            .flat_map(|(line, tickets)| tickets.iter().map(move |(id, admission)| (line, id, admission)))
    }

    /// Whether a ticket ever admitted somebody.
    #[must_use]
    pub fn is_admitted(&self, ticket: &Ticket) -> bool {
        self.of(ticket).is_admitted()
    }

    /// The device of the last entry, where it is kept.
    #[must_use]
    pub fn terminal_of(&self, admission: &Admission) -> Option<&str> {
        self.word(admission.terminal)
    }

    /// Why a ticket is blocked, where it is kept.
    #[must_use]
    pub fn block_reason_of(&self, admission: &Admission) -> Option<&str> {
        self.word(admission.block_reason)
    }

    fn word(&self, place: Option<u32>) -> Option<&str> {
        let place = usize::try_from(place?).ok()?;
        self.words.get(place).map(String::as_str)
    }

    fn keep_word(&mut self, word: Option<&str>) -> Option<u32> {
        let word = word?;
        let known = self.words.iter().position(|known| known == word);
        let place = known.unwrap_or_else(|| {
            let next = self.words.len();
            if next < MAX_WORDS {
                self.words.push(word.to_owned());
            }
            next
        });
        if place < self.words.len() { u32::try_from(place).ok() } else { None }
    }

    /// Notes a passage.
    pub fn pass(&mut self, ticket: &Ticket, passage: &Passage<'_>) {
        let terminal = match passage.kind {
            ScanType::Entry => self.keep_word(passage.terminal),
            ScanType::Exit => None,
        };
        let next = self.of(ticket).after(passage, terminal);
        self.set(ticket, next);
    }

    /// Blocks a ticket.
    pub fn block(&mut self, ticket: &Ticket, at: Timestamp, reason: &str) {
        let block_reason = self.keep_word(Some(reason));
        self.set(ticket, Admission { blocked_at: Some(at), block_reason, ..self.of(ticket) });
    }

    /// Unblocks a ticket.
    pub fn unblock(&mut self, ticket: &Ticket) {
        self.set(ticket, Admission { blocked_at: None, block_reason: None, ..self.of(ticket) });
    }

    /// What passages make of a ticket, in place of all that was noted of it; a block stays.
    pub fn replay<'a>(&mut self, ticket: &Ticket, passages: impl IntoIterator<Item = Passage<'a>>) {
        let Admission { blocked_at, block_reason, .. } = self.of(ticket);
        self.set(ticket, Admission { blocked_at, block_reason, ..Admission::default() });
        for passage in passages {
            self.pass(ticket, &passage);
        }
    }

    fn set(&mut self, ticket: &Ticket, admission: Admission) {
        let of_line = self.tickets.entry(ticket.line.clone()).or_default();
        if admission == Admission::default() {
            of_line.remove(&ticket.id);
            self.tickets.retain(|_, tickets| !tickets.is_empty());
        } else {
            of_line.insert(ticket.id.clone(), admission);
        }
    }

    fn of_line(&self, line: &OrderItemId) -> impl Iterator<Item = (&TicketId, &Admission)> {
        self.tickets.get(line).into_iter().flatten()
    }
}

/// How many of an order's visitors were let in (spec §2.9 `checkInStatus`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckInStatus {
    /// None.
    NotCheckedIn,
    /// Some.
    PartiallyCheckedIn,
    /// All.
    CheckedIn,
}

impl CheckInStatus {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::NotCheckedIn, Self::PartiallyCheckedIn, Self::CheckedIn];

    /// The spelling of spec §2.9.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotCheckedIn => "NotCheckedIn",
            Self::PartiallyCheckedIn => "PartiallyCheckedIn",
            Self::CheckedIn => "CheckedIn",
        }
    }

    /// Reads a status in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

/// What the doors say of tickets: those that admit, and those that were given back after they had admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CheckIn {
    /// Tickets.
    pub tickets: u32,
    /// Those that admitted somebody.
    pub admitted: u32,
    /// The first entry.
    pub first_entry: Option<Timestamp>,
}

impl CheckIn {
    /// How many of them were let in.
    #[must_use]
    pub const fn status(self) -> CheckInStatus {
        if self.admitted == 0 {
            CheckInStatus::NotCheckedIn
        } else if self.admitted < self.tickets {
            CheckInStatus::PartiallyCheckedIn
        } else {
            CheckInStatus::CheckedIn
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            tickets: self.tickets.saturating_add(other.tickets),
            admitted: self.admitted.saturating_add(other.admitted),
            first_entry: [self.first_entry, other.first_entry].into_iter().flatten().min(),
        }
    }
}

impl Order {
    /// What the doors say of all its tickets.
    #[must_use]
    pub fn check_in(&self) -> CheckIn {
        self.rows().map(|row| self.check_in_of(row)).fold(CheckIn::default(), CheckIn::and)
    }

    /// What the doors say of the tickets of a line; those of a combo for all its events.
    #[must_use]
    pub fn check_in_of(&self, row: OrderRow<'_>) -> CheckIn {
        let parts = row.tickets().iter().map(|line| self.check_in_of_part(row, line));
        parts.fold(CheckIn::default(), CheckIn::and)
    }

    /// What the doors say of the tickets of a line for one of its events.
    #[must_use]
    pub fn check_in_of_part(&self, row: OrderRow<'_>, line: &OrderTicketLine) -> CheckIn {
        let statuses = self.after_sale.ticket_statuses();
        let given_back = |id: &TicketId| statuses.get(id).is_some_and(|status| !status.admits());
        let admitted = self.admission.of_line(&line.id).filter(|(_, admission)| admission.is_admitted());
        let alone = CheckIn { tickets: self.left_of_part(row, line).quantity, ..CheckIn::default() };
        admitted.fold(alone, |sum, (id, admission)| {
            let tickets = u32::from(given_back(id));
            sum.and(CheckIn { tickets, admitted: 1, first_entry: admission.first_entry })
        })
    }

    /// What its admissions add to the counts of its instances.
    #[must_use]
    pub fn admission_counts(&self) -> BTreeMap<InstanceId, AdmissionCounts> {
        self.counts_of(&self.admission)
    }

    /// What these admissions of its tickets would add to them.
    pub(crate) fn counts_of(&self, admissions: &Admissions) -> BTreeMap<InstanceId, AdmissionCounts> {
        let mut counts: BTreeMap<InstanceId, AdmissionCounts> = BTreeMap::new();
        for line in self.all_ticket_lines() {
            let of_line = admissions.of_line(&line.id).map(|(_, admission)| AdmissionCounts::of(admission));
            let sum = of_line.fold(AdmissionCounts::default(), AdmissionCounts::and);
            if !sum.is_zero() {
                let known = counts.entry(line.instance).or_default();
                *known = known.and(sum);
            }
        }
        counts
    }

    /// The ticket that took the place of one at a door, or the ticket itself.
    #[must_use]
    pub fn successor_of<'a>(&'a self, ticket: &'a TicketId) -> &'a TicketId {
        let moved = || self.after_sale.exchanges.iter().flat_map(|exchange| &exchange.moved);
        moved().fold(ticket, |ticket, moved| moved.successor_of(ticket).unwrap_or(ticket))
    }

    /// The ticket line that a ticket belongs to.
    #[must_use]
    pub fn line_of(&self, ticket: &Ticket) -> Option<&OrderTicketLine> {
        self.all_ticket_lines().find(|line| line.id == ticket.line)
    }
}

/// The tickets of a line that go first when so many are given back: those that never admitted anybody, the last one
/// first, and then, where staff insist, the others likewise.
pub(super) fn giving_order<'a>(
    admissions: &Admissions,
    tickets: &'a [Ticket],
    line: &OrderItemId,
) -> impl Iterator<Item = &'a Ticket> {
    let of_line: Vec<&Ticket> = tickets
        .iter()
        .rev()
        .filter(|ticket| ticket.line == *line && ticket.status == TicketStatus::Normal)
        .collect();
    let (admitted, never): (Vec<&Ticket>, Vec<&Ticket>) =
        of_line.into_iter().partition(|ticket| admissions.is_admitted(ticket));
    never.into_iter().chain(admitted)
}

#[cfg(test)]
mod tests;
