//! The workflows that take more than one write. A checkout secures what it sells, charges the card, and settles the
//! order or voids it; whoever finds an order half-way can finish it (architecture: the checkout saga). Publishing makes
//! slots in pieces that anyone can go on with. Refunds take what remains of a sale, ask the processor, and settle or give
//! back.
//!
//! What stands against a workflow is told in outcomes and refusals of its own, and a part of the service that fails as a
//! [`SagaFault`]. None of them knows of requests, or what is answered to them.

pub mod admission;
pub mod after_sale;
mod buyer;
mod charge;
mod commit;
mod fault;
mod late;
mod point;
pub mod publish;
pub mod reconcile;
pub mod recover;
pub mod refund;
mod secure;
mod settle;
pub mod steps;

pub use after_sale::{
    Exchanged, Giving, ReturnOutcome, TakenReturn, check_return, exchange, finish_return, take_return,
};
pub use charge::{AskedBuyer, ChargeOutcome, charge, look_up};
pub use fault::SagaFault;
pub use late::return_late_money;
pub use point::{point_to, unpoint};
pub use recover::{left_open, open_again, outcome_of, outcome_so_far, recover};
pub use refund::{
    KeyedTaking, RecoveredRefunds, RefundOutcome, TakenRefund, check_processor, give_up_refund,
    recover_refunds, refund, take_refund, take_refund_keyed,
};
pub use secure::{FreeParts, SecureFault, Secured, secure};
pub use settle::{enqueue_mails, settlement, void};
