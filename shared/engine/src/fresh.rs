//! A database for tests of what every DynamoDB must do.

use crate::client::settings;
use crate::embedded::{Embedded, OpenError};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Credentials;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where another DynamoDB is to be asked, such as `http://127.0.0.1:4566`.
const ADDRESS: &str = "BOXOFFICE_TEST_DYNAMODB";

/// A client on a database without tables that is nobody else's.
///
/// It is an embedded one in memory, or, if the environment variable `BOXOFFICE_TEST_DYNAMODB` has an
/// address, an account of its own on the emulator there: emulators take an access key of twelve digits
/// for an account, and show each account its own tables only.
///
/// # Errors
/// [`OpenError::Engine`] when SQLite cannot start.
pub fn fresh_database() -> Result<Client, OpenError> {
    static ACCOUNTS: AtomicU32 = AtomicU32::new(0);
    let Ok(address) = std::env::var(ADDRESS) else { return Ok(Embedded::memory()?.client()) };
    let account = format!("{:07}{:05}", std::process::id(), ACCOUNTS.fetch_add(1, Ordering::Relaxed));
    let settings = settings(aws_smithy_http_client::Builder::new().build_http(), &address)
        .credentials_provider(Credentials::new(account, "none", None, None, "fresh"));
    Ok(Client::from_conf(settings.build()))
}
