//! The rules of Boxoffice: what things are and what may be done with them.
//!
//! Everything here is pure. There is no AWS, no async runtime, no HTTP, no environment, no clock and no
//! randomness; `now` and new ids are arguments. Serde is used for storage only.

pub mod asker;
pub mod availability;
pub mod boarding_ref;
pub mod card;
pub mod cart;
pub mod cart_request;
pub mod catalog;
pub mod channel;
pub mod checkout;
pub mod claim;
pub mod combo;
pub mod compare;
pub mod coupon;
pub mod customer;
pub mod email;
pub mod entitlement;
pub mod form;
pub mod ids;
pub mod instance_id;
pub mod ledger;
pub mod lines;
pub mod listing;
pub mod locations;
pub mod login;
pub mod member_proof;
pub mod membership;
pub mod merchant;
pub mod money;
pub mod number;
pub mod onboarding;
pub mod order;
pub mod outbox;
pub mod payment;
pub mod pricing;
pub mod publishing;
pub mod rate_limit;
pub mod reconciliation;
pub mod reservation;
pub mod sale;
pub mod sale_window;
pub mod schedule;
pub mod slot_edit;
pub mod stripe;
pub mod tenant;
pub mod text;
pub mod time;
pub mod verification;
mod web_address;

pub use boarding_ref::BoardingRefId;
pub use catalog::Template;
pub use channel::{Channel, SalesChannel};
pub use email::EmailAddress;
pub use ids::*;
pub use instance_id::InstanceId;
pub use money::{ExactMoney, Money, MoneyOverflow, MoneyParseError, Percent};
pub use time::{Timestamp, UnreadableTime, Zone};
