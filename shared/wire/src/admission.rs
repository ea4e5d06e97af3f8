//! Letting visitors in and out again, on the wire.

mod given;
mod history;
mod input;
mod list;
mod lookup;
mod result;
mod upload;

pub use given::{
    BarcodeLookupInput, BarcodeLookupView, BarcodeScan, BarcodeScanInput, BarcodeScanView,
    CheckInTicketsInput, CheckInUndo, CheckedInTicketView, UndoCheckInInput,
};
pub use history::{AdmissionHistoryView, BlockedTicketsView, ScanView, TicketAdmissionsView, UndoneByView};
pub use input::{
    AdmissionInput, AdmissionItemInput, AdmissionOrderInput, AdmissionTicketInput, AdmissionWish,
    BlockTicketsInput, BlockWish, CodeLookupInput, ItemWish, MAX_ORDERS, NamedOrder, NamedTicket, OrderWish,
    ScanSubject, UndoAdmissionsInput, UndoSubject, UndoWish,
};
pub use list::{DoorListHead, DoorListView, DoorTicketView};
pub use lookup::CodeLookupView;
pub use result::{
    AdmissionAnswer, AdmissionResultView, AdmittedCardView, CardChoiceView, CardResult, PreviousEntryView,
    TicketResult, UndoneAnswer,
};
pub use upload::{
    DeviceScan, ScanUpload, ScanUploadAnswer, ScanUploadInput, Uploaded, UploadedScanInput, UploadedScanView,
};
