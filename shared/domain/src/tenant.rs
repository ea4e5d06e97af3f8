//! Tenants and the keys that speak for them.

use crate::{Mid, TenantId, Zone};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One venue: the owner of its catalog, carts and orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tenant {
    /// Leads every key of the tenant.
    pub id: TenantId,
    /// Shown in mails.
    pub name: String,
    /// Days, schedules and terms are reckoned in it.
    pub zone: Zone,
    /// A sandbox tenant accepts the demo keys and a clock of the caller's choice; no real money moves.
    pub sandbox: bool,
    /// How long a reservation holds its seats, in seconds (contract §8).
    pub hold_secs: u32,
    /// Origins whose pages may call the browser routes, such as `https://tickets.example.org`.
    pub allowed_origins: BTreeSet<String>,
    /// Put in front of a merchant's billing descriptor.
    pub descriptor_prefix: String,
    /// Who charges the cards.
    pub processor: ProcessorKind,
    /// Address confirmation mails are sent from; none takes the deployment's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail_from: Option<String>,
    /// The key of the tenant's keyed hashes, sealed by the vault, in hexadecimal.
    pub sealed_hash_key: String,
}

/// Default of [`Tenant::hold_secs`]: ten minutes.
pub const DEFAULT_HOLD_SECS: u32 = 600;

/// A hold never outlives its creation by more than this (contract §8).
pub const MAX_HOLD_SECS: u32 = 1_800;

/// The card processor a tenant uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProcessorKind {
    /// The built-in one, with documented test cards.
    Sandbox,
}

/// What a key may do (contract §2). Scopes are exact; a key may carry several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// A storefront's server.
    B2c,
    /// A storefront's page: publishable, bound to origins, never member data.
    B2cBrowser,
    /// The back office.
    B2b,
    /// Refunds of one merchant.
    Payment,
    /// A partner that brings merchants.
    Onboard,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::B2c, Self::B2cBrowser, Self::B2b, Self::Payment, Self::Onboard];

    /// The name used in settings and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::B2c => "b2c",
            Self::B2cBrowser => "b2c-browser",
            Self::B2b => "b2b",
            Self::Payment => "payment",
            Self::Onboard => "onboard",
        }
    }

    /// Reads a scope's name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

/// A key as it is stored: its text is known only to its holder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    /// Whose data it opens.
    pub tenant: TenantId,
    /// What it may do.
    pub scopes: BTreeSet<Scope>,
    /// Origins a browser key may be used from.
    #[serde(default)]
    pub origins: BTreeSet<String>,
    /// The merchant a payment key belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mid: Option<Mid>,
    /// A name for people, shown when keys are listed.
    pub label: String,
    /// A revoked key is as good as unknown.
    pub revoked: bool,
}
