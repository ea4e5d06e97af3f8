//! The DynamoDB that runs inside the process, for the local service and for tests.
//!
//! The store talks to DynamoDB through the official SDK and nothing else. This crate puts an engine
//! under that SDK instead of a network: [`Embedded`] answers the SDK's requests in process, and
//! [`Faulty`] stands between the two and does on purpose what the real service does by accident
//! (throttle, conflict, lose an answer) and what a Lambda does (die half way). [`Distributed`] is an
//! engine that does the first two by itself, and answers reads from a copy that is behind. [`Without`]
//! takes one table away, [`Logged`] notes which are asked for, and [`BytesCounted`] how much is
//! carried. Where many begin with the same tables, they are copies of one [`Original`].
//!
//! No Lambda links this crate.

mod batch;
mod byte_count;
mod client;
mod distributed;
mod embedded;
mod faulty;
mod fingerprint;
mod fresh;
mod limits;
mod message;
mod original;
mod outage;
mod plan;
mod replica;
mod storage_fault;
mod table_log;
mod tokens;
mod touched;

pub use byte_count::{ByteCount, BytesCounted};
pub use client::client_over;
pub use distributed::{Distributed, Habits, Met};
pub use embedded::{Embedded, OpenError};
pub use faulty::{Crashed, Faulty, is_crash};
pub use fresh::fresh_database;
pub use original::Original;
pub use outage::{Outage, Without};
pub use plan::{Fault, FaultPlan, Injected, Rates, Throttling};
pub use storage_fault::{FileFault, StorageFault, Told};
pub use table_log::{Logged, TableLog, TablesAsked};
