//! Letting people in (decision record 0143): what is decided at a door of a ticket or a member card, what is kept of
//! it, and how it is taken back. What an order keeps of it is [`crate::order::Admissions`].

mod blocking;
mod code;
mod decide;
mod entrance;
mod leaving;
mod moving;
mod pick;
mod recorded;
mod scan;
mod undo;
mod upload;
mod verdict;
mod visit;
mod warning;

pub use blocking::{BlockRequest, block_of};
pub use code::ScannedCode;
pub use decide::{
    AdmissionChange, Checks, DecidedScan, DoorFacts, ScanRequest, TicketVerdict, decide, decide_scan,
};
pub use entrance::{Entrance, SlotTimes};
pub use leaving::taken_out;
pub use moving::{MoveDecision, MoveFacts, MovedAtDoor, move_at_door, without_move};
pub use pick::{Picked, PickedItem, pick, ticket_of_barcode};
pub use recorded::{answers, as_recorded};
pub use scan::{Actor, Reason, Scan, ScanKind, ScanResult, ScannedTicket, Undone, passages_of};
pub use undo::{DecidedUndo, NotUndone, UndoRequest, UndoRight, UndoneTicket, undo};
pub use upload::{DecidedUpload, DeviceDecision, UploadOutcome, UploadedScan, decide_upload};
pub use verdict::{Attention, DoorVerdict, Outcome};
pub use visit::{
    CardChoice, CardFacts, CardShown, ForcedVisit, ToldVisit, Visit, VisitVerdict, choose_card, decide_visit,
    told_visit,
};
pub use warning::Warning;

#[cfg(test)]
mod tests;
