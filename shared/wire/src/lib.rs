//! The public JSON of Boxoffice, field for field, and its conversion to and from the domain. No logic.
//!
//! What callers send is declared with [`incoming!`]: every field is optional to the JSON reader, and a
//! second step reads the fields one by one, so that one answer names every fault of a request with its JSON
//! pointer (contract §3). What Boxoffice answers are plain structs that serialise in the spec's order.

mod amount;
mod checker;
mod email;
mod field;
mod identified;
mod readers;
mod repeated;
mod terminal;

pub mod admission;
pub mod api_key;
pub mod cart;
pub mod catalog;
pub mod challenge;
pub mod checkout;
pub mod csv;
pub mod entitlement;
pub mod event;
pub mod import;
pub mod location;
pub mod member;
pub mod membership;
pub mod onboarding;
pub mod opened_order;
pub mod order;
pub mod page;
pub mod person;
pub mod refund;
pub mod reservation;
pub mod returns;
pub mod sales_channel;
pub mod settings;
pub mod staff;
pub mod tax;
pub mod venue;
pub mod willcall;

pub use amount::{Amount, money_number, money_text};
pub use checker::{Checker, FieldError, Rejection};
pub use email::is_email;
pub use field::{DigitsId, Field, Incoming, IntegerId, List, Malformed, WireValue, read_body};
pub use identified::Identified;
pub use repeated::repeated_key;
pub use terminal::terminal_id;

#[doc(hidden)]
pub use {serde, utoipa};

#[cfg(test)]
mod tests;
