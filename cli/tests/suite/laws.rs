//! What holds on every route. The routes are taken from the OpenAPI document, so that a new one is held to
//! the same laws without being named here.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper fails its test by panicking")]

mod closed;
mod document;
mod fields;
mod growth;
mod headers;
mod identity;
mod outages;
mod robust;
mod route_table;
mod shown;
mod support;
mod tenants;
mod week;
