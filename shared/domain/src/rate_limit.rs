//! How often something may be asked for (decision record 0081). Counts are kept by windows of time that follow one
//! another; where a window begins is the same for everyone.

use crate::Timestamp;
use crate::number::whole_number;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! rate_limits {
    ($( $(#[doc = $doc:literal])+ $variant:ident, $name:literal, $count:literal in $secs:literal; )*) => {
        /// A limit of how often something may be asked for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub enum RateLimit {
            $( $(#[doc = $doc])+ $variant, )*
        }

        impl RateLimit {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name used in settings.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => $name, )*
                }
            }

            /// What is in force where a tenant says nothing else.
            #[must_use]
            pub const fn default_rate(self) -> Rate {
                match self {
                    $( Self::$variant => Rate { count: $count, window_secs: $secs }, )*
                }
            }

            /// What it counts.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self {
                    $( Self::$variant => concat!($($doc),+).trim_ascii(), )*
                }
            }
        }
    };
}

rate_limits! {
    /// Verifications of members for one visitor's address, and questions whether an e-mail address is a member's.
    VerificationsPerAddress, "verifications-per-address", 120 in 60;
    /// The same by one key, as far as it names no address.
    VerificationsPerKey, "verifications-per-key", 1_200 in 60;
    /// Login mails to one e-mail address. The window is as long as a link lives: whoever gets no further mail has
    /// one whose link still opens.
    LoginMailsPerMailbox, "login-mails-per-mailbox", 5 in 1_800;
    /// Mails to staff to sign in by, to one e-mail address. The window is as long as a link lives, as with members.
    StaffMailsPerMailbox, "staff-mails-per-mailbox", 5 in 900;
    /// Mails with a link to an order, to one e-mail address. The window is shorter than a link lives, as with members.
    OrderMailsPerMailbox, "order-mails-per-mailbox", 5 in 1_800;
    /// Login mails, and mails with a link to an order, that one visitor's address asks for.
    LoginMailsPerAddress, "login-mails-per-address", 30 in 1_800;
    /// The same by one key, as far as it names no address.
    LoginMailsPerKey, "login-mails-per-key", 3_600 in 1_800;
    /// Uses of login links and of links to orders, good or bad, for one visitor's address.
    LoginsPerAddress, "logins-per-address", 60 in 600;
    /// The same by one key, as far as it names no address.
    LoginsPerKey, "logins-per-key", 6_000 in 600;
    /// Verifications of members and uses of login links from one address, by pages.
    PageVerificationsPerAddress, "page-verifications-per-address", 10 in 600;
    /// The same by one page's key, where no address is known.
    PageVerificationsPerKey, "page-verifications-per-key", 1_000 in 600;
    /// Coupon codes that nobody issued, for one visitor's address.
    UnknownCouponsPerAddress, "unknown-coupons-per-address", 100 in 3_600;
    /// The same for one key, whatever addresses it names.
    UnknownCouponsPerKey, "unknown-coupons-per-key", 10_000 in 3_600;
    /// Membership numbers that are nobody's, or that no proof was sent for, for one visitor's address.
    UnknownMembershipsPerAddress, "unknown-memberships-per-address", 100 in 3_600;
    /// Membership numbers that are nobody's, for one key, whatever addresses it names.
    UnknownMembershipsPerKey, "unknown-memberships-per-key", 10_000 in 3_600;
    /// New carts for one visitor's address.
    CartsPerAddress, "carts-per-address", 120 in 600;
    /// The same by one key, as far as it names no address.
    CartsPerKey, "carts-per-key", 60_000 in 600;
    /// Reservations that a storefront makes or changes, for one visitor's address.
    HoldsPerAddress, "holds-per-address", 60 in 600;
    /// The same by one key, as far as it names no address.
    HoldsPerKey, "holds-per-key", 30_000 in 600;
    /// Seats that such reservations ask for, for one visitor's address.
    HeldSeatsPerAddress, "held-seats-per-address", 400 in 600;
    /// The same by one key, as far as it names no address.
    HeldSeatsPerKey, "held-seats-per-key", 100_000 in 600;
    /// Checkouts without a card, or of what costs nothing, for one visitor's address.
    FreeCheckoutsPerAddress, "free-checkouts-per-address", 20 in 600;
    /// The same by one key, as far as it names no address.
    FreeCheckoutsPerKey, "free-checkouts-per-key", 600 in 600;
    /// Checkouts with a card, for one visitor's address.
    CardPaymentsPerAddress, "card-payments-per-address", 100 in 600;
    /// The same by one key, as far as it names no address.
    CardPaymentsPerKey, "card-payments-per-key", 10_000 in 600;
    /// Questions what became of a checkout whose buyer was asked, for one visitor's address. A page may ask every second.
    CompletionsPerAddress, "completions-per-address", 600 in 600;
    /// The same by one key, as far as it names no address.
    CompletionsPerKey, "completions-per-key", 60_000 in 600;
    /// Cards that were declined, for one visitor's address.
    DeclinedCardsPerAddress, "declined-cards-per-address", 20 in 3_600;
    /// Cards that were declined for one key, whatever addresses it names.
    DeclinedCardsPerKey, "declined-cards-per-key", 2_000 in 3_600;
    /// Applications of merchants by one partner's key.
    ApplicationsPerKey, "applications-per-key", 200 in 3_600;
    /// Searches for members, by one key.
    MembersSearchedPerKey, "members-searched-per-key", 600 in 60;
    /// Searches for orders, lists of the orders of an event and manifests, by one key of staff.
    SearchesPerKey, "searches-per-key", 300 in 60;
    /// Mails of one order that staff have sent again.
    MailsAgainPerOrder, "mails-again-per-order", 5 in 3_600;
    /// The same of all orders, by one key.
    MailsAgainPerKey, "mails-again-per-key", 600 in 3_600;
    /// Requests that check tickets and member cards in or out, look them up, or take that back, each scan that a device
    /// uploads, and each barcode of `checkintickets` and `undocheckintickets`, by one key.
    ScansPerKey, "scans-per-key", 1_200 in 60;
    /// Codes scanned at a door that are nobody's, for one key. Beyond it no code is looked up or uploaded, while tickets
    /// named by their ids go on.
    UnknownCodesPerKey, "unknown-codes-per-key", 300 in 3_600;
    /// Pages of lists for devices at a door, by one key.
    DoorListsPerKey, "door-lists-per-key", 120 in 60;
}

/// So many in so much time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// How many are allowed in a window.
    pub count: u32,
    /// How long a window lasts, in seconds.
    pub window_secs: u32,
}

/// The text names no limit, or no rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownLimit;

/// A sandbox tenant's defaults are so many times as high: suites of tests run there, and no money moves.
const SANDBOX_FACTOR: u32 = 100;

/// Longest window an operator may set, in seconds.
pub const MAX_WINDOW_SECS: u32 = 86_400;

impl RateLimit {
    /// Reads the name of a limit.
    ///
    /// # Errors
    /// [`UnknownLimit`] for any other text.
    pub fn parse(name: &str) -> Result<Self, UnknownLimit> {
        Self::ALL.iter().copied().find(|limit| limit.name() == name).ok_or(UnknownLimit)
    }
}

impl fmt::Display for RateLimit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

impl TryFrom<String> for RateLimit {
    type Error = &'static str;
    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::parse(&name).map_err(|UnknownLimit| "no such limit")
    }
}

impl From<RateLimit> for String {
    fn from(limit: RateLimit) -> Self {
        limit.name().to_owned()
    }
}

impl Rate {
    /// Reads `120/60`: 120 within 60 seconds. None at all may be allowed, and a window lasts at most a day.
    ///
    /// # Errors
    /// [`UnknownLimit`] for any other text.
    pub fn parse(text: &str) -> Result<Self, UnknownLimit> {
        let (count, secs) = text.split_once('/').ok_or(UnknownLimit)?;
        let [count, window_secs] =
            [count, secs].map(|part| whole_number(part.trim()).and_then(|number| u32::try_from(number).ok()));
        match (count, window_secs) {
            (Some(count), Some(window_secs)) if (1..=MAX_WINDOW_SECS).contains(&window_secs) => {
                Ok(Self { count, window_secs })
            }
            (Some(_) | None, Some(_) | None) => Err(UnknownLimit),
        }
    }

    /// The default of a sandbox tenant, where this one is that of the others.
    #[must_use]
    pub(crate) const fn in_sandbox(self) -> Self {
        Self { count: self.count.saturating_mul(SANDBOX_FACTOR), ..self }
    }

    /// The window an instant falls into.
    #[must_use]
    pub fn window(self, now: Timestamp) -> Window {
        let secs = i64::from(self.window_secs.max(1));
        let starts_at = now.timestamp().saturating_sub(now.timestamp().rem_euclid(secs));
        Window { starts_at, ends_at: starts_at.saturating_add(secs) }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.count, self.window_secs)
    }
}

/// A window of time in which is counted, in seconds since 1970; its end belongs to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Its first second.
    pub starts_at: i64,
    /// The first second of the next.
    pub ends_at: i64,
}

impl Window {
    /// Seconds until the next window begins; at least one.
    #[must_use]
    pub fn secs_left(self, now: Timestamp) -> u32 {
        u32::try_from(self.ends_at.saturating_sub(now.timestamp())).unwrap_or_default().max(1)
    }
}

/// Something that is counted for whoever asks for it: by the visitor's address where that is known, otherwise by the
/// key alone. Guesses and declined cards are counted by the key as well, whatever addresses it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Verifying a member, or asking whether an e-mail address is one's.
    Verification,
    /// Asking for a login mail, or for one with a link to an order.
    LoginMail,
    /// Using a login link, or one to an order.
    Login,
    /// Verifying a member or using a login link, by a page.
    PageVerification,
    /// Naming coupon codes that nobody issued.
    UnknownCoupon,
    /// Naming memberships that are nobody's, or that the caller does not prove.
    UnknownMembership,
    /// Making a cart.
    Cart,
    /// Reserving seats for a visitor, or changing such a reservation.
    Hold,
    /// A seat that such a reservation asks for.
    HeldSeat,
    /// Checking out without a card, or what costs nothing.
    FreeCheckout,
    /// Paying with a card.
    CardPayment,
    /// Asking what became of a checkout whose buyer was asked.
    Completion,
    /// Paying with a card that is declined.
    DeclinedCard,
}

/// What becomes of a request that cannot be counted (decision record 0082).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncounted {
    /// It goes on.
    Allowed,
    /// It may be tried again.
    Refused,
}

impl Activity {
    /// The limit for a visitor's address.
    #[must_use]
    pub const fn per_address(self) -> RateLimit {
        match self {
            Self::Verification => RateLimit::VerificationsPerAddress,
            Self::LoginMail => RateLimit::LoginMailsPerAddress,
            Self::Login => RateLimit::LoginsPerAddress,
            Self::PageVerification => RateLimit::PageVerificationsPerAddress,
            Self::UnknownCoupon => RateLimit::UnknownCouponsPerAddress,
            Self::UnknownMembership => RateLimit::UnknownMembershipsPerAddress,
            Self::Cart => RateLimit::CartsPerAddress,
            Self::Hold => RateLimit::HoldsPerAddress,
            Self::HeldSeat => RateLimit::HeldSeatsPerAddress,
            Self::FreeCheckout => RateLimit::FreeCheckoutsPerAddress,
            Self::CardPayment => RateLimit::CardPaymentsPerAddress,
            Self::Completion => RateLimit::CompletionsPerAddress,
            Self::DeclinedCard => RateLimit::DeclinedCardsPerAddress,
        }
    }

    /// The limit for a key.
    #[must_use]
    pub const fn per_key(self) -> RateLimit {
        match self {
            Self::Verification => RateLimit::VerificationsPerKey,
            Self::LoginMail => RateLimit::LoginMailsPerKey,
            Self::Login => RateLimit::LoginsPerKey,
            Self::PageVerification => RateLimit::PageVerificationsPerKey,
            Self::UnknownCoupon => RateLimit::UnknownCouponsPerKey,
            Self::UnknownMembership => RateLimit::UnknownMembershipsPerKey,
            Self::Cart => RateLimit::CartsPerKey,
            Self::Hold => RateLimit::HoldsPerKey,
            Self::HeldSeat => RateLimit::HeldSeatsPerKey,
            Self::FreeCheckout => RateLimit::FreeCheckoutsPerKey,
            Self::CardPayment => RateLimit::CardPaymentsPerKey,
            Self::Completion => RateLimit::CompletionsPerKey,
            Self::DeclinedCard => RateLimit::DeclinedCardsPerKey,
        }
    }

    /// What becomes of a request while its count cannot be had. Doors and carts stay open; what spends money or sends
    /// mail needs the same table anyway.
    #[must_use]
    pub const fn uncounted(self) -> Uncounted {
        match self {
            Self::Verification
            | Self::UnknownCoupon
            | Self::UnknownMembership
            | Self::Cart
            | Self::Hold
            | Self::HeldSeat
            | Self::Completion => Uncounted::Allowed,
            Self::LoginMail
            | Self::Login
            | Self::PageVerification
            | Self::FreeCheckout
            | Self::CardPayment
            | Self::DeclinedCard => Uncounted::Refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::login::LoginParty;
    use crate::time::plus_secs;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn limits_are_read_by_the_names_they_are_printed_with() {
        for limit in RateLimit::ALL {
            assert_eq!(RateLimit::parse(limit.name()), Ok(*limit));
            let rate = limit.default_rate();
            assert_eq!(Rate::parse(&rate.to_string()), Ok(rate));
        }
        assert_eq!(RateLimit::parse("everything"), Err(UnknownLimit));
        for text in ["", "5", "5/", "/60", "5/0", "-1/60", "5/86401", "5/60/2", "five/60", "4294967296/60"] {
            assert_eq!(Rate::parse(text), Err(UnknownLimit), "{text}");
        }
        assert_eq!(Rate::parse("0/60"), Ok(Rate { count: 0, window_secs: 60 }));
    }

    #[test]
    fn every_instant_falls_into_one_window() {
        let rate = Rate { count: 1, window_secs: 60 };
        let noon = at("2027-05-01T12:00:00Z");
        for (secs, left) in [(0, 60), (1, 59), (59, 1), (60, 60), (-1, 1)] {
            let now = plus_secs(noon, secs);
            let window = rate.window(now);
            assert!(window.starts_at <= now.timestamp() && now.timestamp() < window.ends_at, "{secs}");
            assert_eq!(window.secs_left(now), left, "{secs}");
        }
        assert_eq!(rate.window(noon).ends_at, rate.window(plus_secs(noon, 60)).starts_at);
        let before_1970 = at("1969-12-31T23:59:59Z");
        assert_eq!(rate.window(before_1970), Window { starts_at: -60, ends_at: 0 });
    }

    #[test]
    fn whoever_gets_no_further_login_mail_has_one_whose_link_still_opens() {
        for (limit, party) in [
            (RateLimit::LoginMailsPerMailbox, LoginParty::Member),
            (RateLimit::StaffMailsPerMailbox, LoginParty::Staff),
            (RateLimit::OrderMailsPerMailbox, LoginParty::Payer),
        ] {
            let rate = limit.default_rate();
            assert!(i64::from(rate.window_secs) <= party.link_life_secs(), "{limit}");
        }
    }

    #[test]
    fn a_key_without_an_address_is_allowed_more() {
        for activity in [
            Activity::Verification,
            Activity::LoginMail,
            Activity::Login,
            Activity::PageVerification,
            Activity::UnknownCoupon,
            Activity::UnknownMembership,
            Activity::Cart,
            Activity::Hold,
            Activity::HeldSeat,
            Activity::FreeCheckout,
            Activity::CardPayment,
            Activity::Completion,
            Activity::DeclinedCard,
        ] {
            let (address, key) = (activity.per_address().default_rate(), activity.per_key().default_rate());
            assert!(key.count > address.count, "{activity:?}");
            assert_eq!(key.window_secs, address.window_secs, "{activity:?}");
        }
    }
}
