//! Merchants: those whose card sales are charged, and what that costs them.

use crate::{Mid, Money, MoneyOverflow, Percent};
use serde::{Deserialize, Serialize};

/// Where a merchant stands with the underwriter (contract §11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MerchantStatus {
    /// Facts are missing or wrong; to be completed.
    Incomplete,
    /// Handed to the underwriter.
    Pending,
    /// May charge cards, once a rate card is set.
    Approved,
    /// Refused by the underwriter.
    Declined,
}

impl MerchantStatus {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Incomplete, Self::Pending, Self::Approved, Self::Declined];

    /// The spelling of answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Incomplete => "Incomplete",
            Self::Pending => "Pending",
            Self::Approved => "Approved",
            Self::Declined => "Declined",
        }
    }

    /// Reads a status in any case (contract §1, "Enums in").
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

/// What a merchant pays for a sale (contract §11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateCard {
    /// Share of the amount.
    pub percentage: Percent,
    /// Amount per sale.
    pub fixed: Money,
}

/// The fees of one sale: `total = fixed + percentage`, `net = amount - total` (contract §11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fees {
    /// The part that does not depend on the amount.
    pub fixed: Money,
    /// The part in proportion to the amount, rounded half-up to the cent.
    pub percentage: Money,
    /// Both together.
    pub total: Money,
    /// What is left for the merchant.
    pub net: Money,
}

impl RateCard {
    /// The fees of a sale of this amount.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when an amount does not fit.
    pub fn fees(&self, amount: Money) -> Result<Fees, MoneyOverflow> {
        let percentage = amount.percent_half_up(self.percentage)?;
        let total = self.fixed.checked_add(percentage)?;
        Ok(Fees { fixed: self.fixed, percentage, total, net: amount.checked_sub(total)? })
    }
}

/// One whose card sales are charged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merchant {
    /// Identity.
    pub mid: Mid,
    /// For the back office.
    pub name: String,
    /// Where it stands.
    pub status: MerchantStatus,
    /// What a sale costs; a merchant without one charges nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_card: Option<RateCard>,
    /// Shown on card statements, behind the tenant's prefix.
    #[serde(default)]
    pub descriptor: String,
}

impl Merchant {
    /// The rate card sales are charged under: only an approved merchant that has one processes (contract §11).
    #[must_use]
    pub fn charging(&self) -> Option<&RateCard> {
        match self.status {
            MerchantStatus::Approved => self.rate_card.as_ref(),
            MerchantStatus::Incomplete | MerchantStatus::Pending | MerchantStatus::Declined => None,
        }
    }
}

/// Why a tenant charges no cards (contract §11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotCharging {
    /// No merchant of it is approved.
    NoneApproved,
    /// One is approved, and has no rate card.
    NoRateCard,
}

/// The merchant that charges, with what it pays: the first by mid that is approved and has a rate card.
///
/// # Errors
/// [`NotCharging`] when there is none.
pub fn charging(merchants: &[Merchant]) -> Result<(&Merchant, &RateCard), NotCharging> {
    let found = merchants.iter().find_map(|merchant| Some((merchant, merchant.charging()?)));
    let is_approved = |merchant: &Merchant| merchant.status == MerchantStatus::Approved;
    found.ok_or(if merchants.iter().any(is_approved) {
        NotCharging::NoRateCard
    } else {
        NotCharging::NoneApproved
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate_card() -> RateCard {
        RateCard { percentage: Percent::parse("2.90").unwrap(), fixed: Money::from_cents(30) }
    }

    #[test]
    fn fees_are_the_fixed_part_and_the_rounded_percentage() {
        let fees = rate_card().fees(Money::from_cents(5_000)).unwrap();
        let expected = [30, 145, 175, 4_825].map(Money::from_cents);
        assert_eq!([fees.fixed, fees.percentage, fees.total, fees.net], expected);
        assert_eq!(rate_card().fees(Money::from_cents(50)).unwrap().percentage, Money::from_cents(1));
    }

    #[test]
    fn only_an_approved_merchant_with_a_rate_card_charges() {
        for status in MerchantStatus::ALL {
            for rate_card in [None, Some(rate_card())] {
                let mid = Mid::parse("60417").unwrap();
                let name = "Harbor Museum".to_owned();
                let merchant = Merchant { mid, name, status, rate_card, descriptor: String::new() };
                let charges = status == MerchantStatus::Approved && rate_card.is_some();
                assert_eq!(merchant.charging().is_some(), charges, "{status:?}");
            }
        }
    }

    #[test]
    fn what_keeps_a_tenant_from_charging_is_the_last_thing_that_is_missing() {
        let merchant = |mid: &str, status, rate_card| {
            let mid = Mid::parse(mid).unwrap();
            Merchant { mid, name: String::new(), status, rate_card, descriptor: String::new() }
        };
        let declined = merchant("1", MerchantStatus::Declined, Some(rate_card()));
        let bare = merchant("2", MerchantStatus::Approved, None);
        let ready = merchant("3", MerchantStatus::Approved, Some(rate_card()));
        assert_eq!(charging(&[]), Err(NotCharging::NoneApproved));
        assert_eq!(charging(std::slice::from_ref(&declined)), Err(NotCharging::NoneApproved));
        assert_eq!(charging(&[declined.clone(), bare.clone()]), Err(NotCharging::NoRateCard));
        assert_eq!(charging(&[declined, bare, ready.clone()]), Ok((&ready, &rate_card())));
    }

    #[test]
    fn only_what_waits_or_was_judged_is_judged() {
        use MerchantStatus::{Approved, Declined, Incomplete, Pending};
        for status in MerchantStatus::ALL {
            for decision in MerchantStatus::ALL {
                let may = status != Incomplete && matches!(decision, Approved | Declined);
                assert_eq!(status.may_become(decision), may, "{status:?} to {decision:?}");
            }
        }
        assert_eq!(
            (Incomplete.with(&[]), Pending.with(&[]), Declined.with(&[])),
            (Pending, Pending, Declined)
        );
    }

    #[test]
    fn a_status_reads_in_any_case() {
        assert_eq!(MerchantStatus::parse("APPROVED"), Some(MerchantStatus::Approved));
        assert_eq!(MerchantStatus::parse("approvedd"), None);
    }
}
