//! The workflows that take more than one write. A checkout secures what it sells, charges the card, and settles the
//! order or undoes it; whoever finds an order half-way can finish it (architecture: the checkout saga). Publishing makes
//! slots in pieces that anyone can go on with. Refunds take what remains of a sale, ask the processor, and settle or give
//! back.

mod after_sale;
mod charge;
mod commit;
pub mod publish;
pub mod reconcile;
mod recover;
mod refund;
mod secure;
mod settle;

pub use after_sale::{
    Exchanged, Giving, ReturnOutcome, TakenReturn, check_return, exchange, finish_return, take_return,
};
pub use charge::{Outcome, charge};
pub use recover::{left_open, open_again, outcome_of, outcome_so_far, recover};
pub use refund::{
    KeyedTaking, RecoveredRefunds, RefundOutcome, TakenRefund, check_processor, exceeds_remainder,
    give_up_refund, other_refund_pending, recover_refunds, refund, refund_declined, refund_in_progress,
    refund_pending, refused_by_sale, take_refund, take_refund_keyed,
};
pub use secure::{FreeParts, SecureFault, SecureRequest, Secured, secure};
pub use settle::{announce, settlement, undo};
