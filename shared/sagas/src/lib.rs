//! The workflows with outside effects. A checkout secures what it sells, charges the card, and settles the
//! order or undoes it; whoever finds an order half-way can finish it (architecture: the checkout saga).

mod charge;
mod commit;
mod recover;
mod secure;
mod settle;

pub use charge::{Outcome, charge};
pub use recover::{left_open, open_again, outcome_of, outcome_so_far, recover};
pub use secure::{FreeParts, SecureFault, SecureRequest, Secured, secure};
pub use settle::{MAIL_RETRY_SECS, announce, settlement, undo};
