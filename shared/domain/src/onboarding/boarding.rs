//! An application as it is kept, and what becomes of it.

use super::{Application, Sealed, Violation};
use crate::merchant::{Merchant, MerchantStatus};
use crate::tenant::Tenant;
use crate::{BoardingRefId, Mid, TenantId, Timestamp};
use serde::{Deserialize, Serialize};

/// An application as it is stored. Where its merchant stands is said by the merchant alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boarding {
    /// The partner's name for it.
    pub reference: BoardingRefId,
    /// The merchant it is about.
    pub mid: Mid,
    /// Keyed hash of the request that made it, by which its repetition is known.
    pub fingerprint: String,
    /// What it says.
    pub application: Application<Sealed>,
    /// The key its secrets are sealed under, sealed by the vault, in hexadecimal.
    pub sealed_key: String,
    /// The rules it breaks.
    pub violations: Vec<Violation>,
    /// What the request that made it was answered.
    pub first: FirstAnswer,
    /// When it was made.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub created_at: Timestamp,
    /// When it was last changed.
    #[serde(
        default,
        with = "chrono::serde::ts_milliseconds_option",
        skip_serializing_if = "Option::is_none"
    )]
    pub updated_at: Option<Timestamp>,
    /// Counts its changes; a change is made to the one that was read.
    pub revision: i64,
    /// Made under a clock its caller chose; the real schedule leaves it alone.
    pub chosen_clock: bool,
}

/// What the key of an application is sealed for.
#[must_use]
pub fn application_key_context(tenant: TenantId, reference: &BoardingRefId) -> String {
    format!("onboarding/{tenant}/{reference}")
}

/// What a repetition of the first request is answered again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstAnswer {
    /// Where the merchant stood.
    pub status: MerchantStatus,
    /// The rules the application broke.
    pub violations: Vec<Violation>,
}

impl MerchantStatus {
    /// Where the merchant of an application stands that breaks these rules (contract §11). Whom the underwriter has
    /// judged stays judged.
    #[must_use]
    pub fn with(self, violations: &[Violation]) -> Self {
        match self {
            Self::Incomplete if violations.is_empty() => Self::Pending,
            Self::Incomplete => Self::Incomplete,
            Self::Pending => Self::Pending,
            Self::Approved => Self::Approved,
            Self::Declined => Self::Declined,
        }
    }

    /// Whether an underwriter or the operator may decide so.
    #[must_use]
    pub fn may_become(self, decision: Self) -> bool {
        match (self, decision) {
            (Self::Incomplete, _) | (_, Self::Incomplete | Self::Pending) => false,
            (Self::Pending | Self::Approved | Self::Declined, Self::Approved | Self::Declined) => true,
        }
    }
}

impl<S> Application<S> {
    /// The name its merchant goes by in the back office.
    #[must_use]
    pub fn merchant_name(&self, reference: &BoardingRefId) -> String {
        let name = self.dba_name.as_ref().or(self.business_legal_name.as_ref());
        name.map_or_else(|| reference.to_string(), Clone::clone)
    }

    /// The merchant of a new application.
    #[must_use]
    pub fn merchant(&self, reference: &BoardingRefId, mid: Mid, status: MerchantStatus) -> Merchant {
        Merchant {
            mid,
            name: self.merchant_name(reference),
            status,
            rate_card: None,
            descriptor: self.billing_descriptor.clone().unwrap_or_default(),
        }
    }
}

/// What the underwriter of the sandbox says of a complete application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Approve,
    Decline,
    /// It stays pending until the operator decides.
    Wait,
}

/// Legal names that force a verdict in the sandbox, in any letter case; any other is approved (decision 0064).
pub const TEST_NAMES: [(&str, Verdict); 2] =
    [("Sandbox Declined", Verdict::Decline), ("Sandbox Pending", Verdict::Wait)];

/// What the underwriter of the sandbox says of an application.
#[must_use]
pub fn sandbox_verdict<S>(application: &Application<S>) -> Verdict {
    let name = application.business_legal_name.as_deref().unwrap_or_default();
    let forced = TEST_NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.trim()));
    forced.map_or(Verdict::Approve, |(_, verdict)| *verdict)
}

/// When the underwriter looks at an application. Those of live tenants wait for the operator: the underwriter that is
/// built in decides for the sandbox alone (decision 0064).
#[must_use]
pub fn underwriting_due(tenant: &Tenant, status: MerchantStatus, now: Timestamp) -> Option<Timestamp> {
    match status {
        MerchantStatus::Pending if tenant.sandbox => Some(now),
        MerchantStatus::Pending
        | MerchantStatus::Incomplete
        | MerchantStatus::Approved
        | MerchantStatus::Declined => None,
    }
}
