//! The whole service: its laws, its commands and its documents.

mod archive;
mod catalog;
mod claims;
mod combos;
mod customers;
mod demo;
mod documents;
mod examples;
mod expiry;
mod forms;
mod import;
mod in_force;
mod laws;
mod living;
mod login;
mod mails;
mod members;
mod prices;
mod program;
mod rate_limits;
mod service;
mod transfer;
