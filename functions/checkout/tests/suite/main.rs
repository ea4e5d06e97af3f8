//! The checkout through the whole shell, on the embedded engine: what it answers, and that no fault at any
//! step leaves money, seats or mails in limbo.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "whatever fails in a helper of the tests is a failed test"
)]

mod audit;
mod browser;
mod cancellations;
mod catalog;
mod challenges;
mod combos;
mod contended;
mod entitled;
mod faults;
mod forms;
mod fresh;
mod leaks;
mod limits;
mod mail_outage;
mod memberships;
mod operators;
mod people;
mod races;
mod reconciled;
mod refusals;
mod repeats;
mod reserved;
mod returns;
mod returns_again;
mod returns_given;
mod returns_limits;
mod returns_rebook;
mod returns_update;
mod sale;
mod schedules;
mod steps;
mod stripe;
mod stuck;
mod taxes;
mod tokens;
mod venue;
mod webhooks;
mod writes;
