//! Partitions that are read as a whole, or a range of them.

use super::{
    API_KEYS, DEFINITIONS, MEMBERSHIPS, PRICED_MERCHANTS, SANDBOX_MAILS, SETTINGS_HISTORY, STAFF, TEMPLATES,
    TENANTS, changed, customers_of_email, email, order_partition, phone, slots, staff_sessions,
};
use domain::instance_id::TemplateTag;
use domain::{OrderId, StaffId, TenantId, Timestamp};

/// A partition of a tenant.
#[must_use]
pub fn partition_of(tenant: TenantId, partition: &str) -> String {
    format!("T#{tenant}#{partition}")
}

/// The partition of a tenant's templates.
#[must_use]
pub fn templates_partition(tenant: TenantId) -> String {
    partition_of(tenant, TEMPLATES)
}

/// The partition of a tenant's small definitions.
#[must_use]
pub fn definitions_partition(tenant: TenantId) -> String {
    partition_of(tenant, DEFINITIONS)
}

/// The partition of the list of tenants.
#[must_use]
pub fn tenants_partition() -> &'static str {
    TENANTS
}

/// The partition of the list of a tenant's keys.
#[must_use]
pub fn api_keys_partition(tenant: TenantId) -> String {
    partition_of(tenant, API_KEYS)
}

/// The partition of the history of a tenant's settings and keys.
#[must_use]
pub fn settings_history_partition(tenant: TenantId) -> String {
    partition_of(tenant, SETTINGS_HISTORY)
}

/// The partition of a tenant's staff.
#[must_use]
pub fn staff_partition(tenant: TenantId) -> String {
    partition_of(tenant, STAFF)
}

/// The partition of the sessions of a person of the staff.
#[must_use]
pub fn staff_sessions_partition(tenant: TenantId, person: &StaffId) -> String {
    partition_of(tenant, &staff_sessions(person))
}

/// The partition of the list of a tenant's memberships.
#[must_use]
pub fn memberships_partition(tenant: TenantId) -> String {
    partition_of(tenant, MEMBERSHIPS)
}

/// Where in that list the memberships lie that were changed from one instant to another, milliseconds being what
/// it tells apart. Those of which it was never noted come before any instant.
#[must_use]
pub fn changed_between(from: Option<Timestamp>, until: Option<Timestamp>) -> (String, String) {
    let from = from.map_or_else(|| "0".to_owned(), changed);
    // A tilde comes after every digit.
    (from, format!("{}~", changed(until.unwrap_or(Timestamp::MAX_UTC))))
}

/// The partition of the customers who someone with an e-mail address is, by the SHA-256 of it.
#[must_use]
pub fn customers_of_email_partition(tenant: TenantId, hash: &str) -> String {
    partition_of(tenant, &customers_of_email(hash))
}

/// The partition of the memberships of someone with an e-mail address, by the SHA-256 of it.
#[must_use]
pub fn email_partition(tenant: TenantId, hash: &str) -> String {
    partition_of(tenant, &email(hash))
}

/// The partition of the memberships of someone with a phone number, by the SHA-256 of its digits.
#[must_use]
pub fn phone_partition(tenant: TenantId, hash: &str) -> String {
    partition_of(tenant, &phone(hash))
}

/// The partition of the mails the sandbox delivered.
#[must_use]
pub fn sandbox_mails_partition(tenant: TenantId) -> String {
    partition_of(tenant, SANDBOX_MAILS)
}

/// The partition of the pieces of a delivery's message.
#[must_use]
pub fn sandbox_mail_partition(tenant: TenantId, delivery: &str) -> String {
    partition_of(tenant, &format!("{SANDBOX_MAILS}#{delivery}"))
}

/// The partition of a tenant's merchants.
#[must_use]
pub fn merchants_partition(tenant: TenantId) -> String {
    partition_of(tenant, "MERCHANTS")
}

/// The partition of the marks of a tenant's merchants that have a rate card.
#[must_use]
pub fn priced_merchants_partition(tenant: TenantId) -> String {
    partition_of(tenant, PRICED_MERCHANTS)
}

/// The partition of a template's ledgers, in order of their start.
#[must_use]
pub fn slots_partition(tenant: TenantId, tag: TemplateTag) -> String {
    partition_of(tenant, &slots(tag))
}

/// The partition of an order.
#[must_use]
pub fn order_partition_of(tenant: TenantId, id: &OrderId) -> String {
    partition_of(tenant, &order_partition(id))
}

/// The partition of the marks that tenants allow an origin.
#[must_use]
pub fn origin_partition(origin: &str) -> String {
    format!("ORIGIN#{origin}")
}
