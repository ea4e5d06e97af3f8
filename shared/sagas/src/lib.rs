//! The workflows that take more than one write. A checkout secures what it sells, charges the card, and settles the
//! order or undoes it; whoever finds an order half-way can finish it (architecture: the checkout saga). Publishing makes
//! slots in pieces that anyone can go on with.

mod charge;
mod commit;
pub mod publish;
pub mod reconcile;
mod recover;
mod refund;
mod secure;
mod settle;

pub use charge::{Outcome, charge};
pub use recover::{left_open, open_again, outcome_of, outcome_so_far, recover};
pub use refund::{RefundOutcome, TakenRefund, recover_refunds, refund, refused, take_refund};
pub use secure::{FreeParts, SecureFault, SecureRequest, Secured, secure};
pub use settle::{MAIL_RETRY_SECS, announce, settlement, undo};
