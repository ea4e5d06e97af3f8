//! Refusing those who ask too often (decision records 0081, 0082). Counts are kept beside a request's own first
//! call to the database, so that none waits for them.

use crate::access::Caller;
use crate::telemetry::Metric;
use crate::{ApiError, App, ErrorType};
use domain::email::comparable_email;
use domain::payment::{Decline, DeclineReason};
use domain::rate_limit::{Activity, RateLimit, Uncounted};
use std::net::{IpAddr, Ipv6Addr};
use store::rate_limit::rate_key;
use store::{Key, StoreError};

/// Who is counted: the place of the count, and the limit it is held to.
struct Place {
    limit: RateLimit,
    key: Key,
}

impl Place {
    fn new(caller: &Caller, limit: RateLimit, asker: &[&str]) -> Self {
        let window = caller.tenant.rate(limit).window(caller.clock.now());
        Self { limit, key: rate_key(caller.tenant.id, limit, asker, window) }
    }

    /// The visitor's address under the caller's key, or the key alone where no address is known.
    fn of(caller: &Caller, activity: Activity) -> Self {
        match caller.ip {
            Some(ip) => {
                Self::new(caller, activity.per_address(), &[&caller.key_hash, &network(ip).to_string()])
            }
            None => Self::of_key(caller, activity),
        }
    }

    fn of_key(caller: &Caller, activity: Activity) -> Self {
        Self::new(caller, activity.per_key(), &[&caller.key_hash])
    }

    async fn count(&self, app: &App, caller: &Caller, more: u32) -> Result<u32, StoreError> {
        let window_secs = caller.tenant.rate(self.limit).window_secs;
        app.store.count_rate(&self.key, more, window_secs, app.wall_now()).await
    }
}

/// What one visitor is taken for: an IPv4 address, or the network of an IPv6 address, of which a visitor can choose
/// the rest.
fn network(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V4(ip) => IpAddr::V4(ip),
        IpAddr::V6(ip) => {
            let [a, b, c, d, ..] = ip.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

/// Counts one more of an activity.
///
/// # Errors
/// `THROTTLED` when there are too many; `TRY_AGAIN` when it cannot be counted and must be.
pub async fn count(app: &App, caller: &Caller, activity: Activity) -> Result<(), ApiError> {
    let place = Place::of(caller, activity);
    let counted = place.count(app, caller, 1).await;
    judge(caller, activity.uncounted(), counted.map(|counted| place.excess(caller, counted)))
}

/// What of a request may be guesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Guesses {
    /// Coupon codes that nobody issued; none where it names no codes.
    pub codes: Option<u32>,
    /// Memberships that are not looked up, because nothing proves them.
    pub unproven: u32,
    /// Whether it names others that nothing proves, and which are looked up all the same.
    pub on_word: bool,
}

/// Counts what a request may have guessed, as far as that is known before anything is looked up. Whoever guessed too
/// often learns of no other code or number either until the window is over.
///
/// # Errors
/// `THROTTLED` when there are too many.
pub async fn count_guesses(app: &App, caller: &Caller, guesses: Guesses) -> Result<(), ApiError> {
    let Guesses { codes, unproven, on_word } = guesses;
    let (codes, unproven, on_word) = tokio::join!(
        async {
            match codes {
                None => Ok(()),
                Some(unknown) => count_unknown(app, caller, Activity::UnknownCoupon, unknown).await,
            }
        },
        count_unproven(app, caller, unproven),
        async {
            match on_word {
                false => Ok(()),
                true => count_unknown(app, caller, Activity::UnknownMembership, 0).await,
            }
        }
    );
    codes.and(unproven).and(on_word)
}

/// Counts memberships that were looked up and are nobody's.
///
/// # Errors
/// `THROTTLED` when there are too many.
pub async fn count_unknown_memberships(app: &App, caller: &Caller, unknown: u32) -> Result<(), ApiError> {
    if unknown == 0 {
        return Ok(());
    }
    count_unknown(app, caller, Activity::UnknownMembership, unknown).await
}

/// Looks whether a caller has guessed too many memberships.
///
/// # Errors
/// `THROTTLED` when there are too many.
pub async fn look_at_memberships(app: &App, caller: &Caller) -> Result<(), ApiError> {
    count_unknown(app, caller, Activity::UnknownMembership, 0).await
}

/// Nothing is learned by naming what is not looked up, so that this counts for the visitor alone: a page that goes on
/// naming memberships without a proof must not close the venue to the members of another.
///
/// # Errors
/// `THROTTLED` when there are too many.
pub async fn count_unproven(app: &App, caller: &Caller, unproven: u32) -> Result<(), ApiError> {
    if unproven == 0 {
        return Ok(());
    }
    let activity = Activity::UnknownMembership;
    let place = Place::of(caller, activity);
    let counted = place.count(app, caller, unproven).await;
    judge(caller, activity.uncounted(), counted.map(|counted| place.excess(caller, counted)))
}

/// Counts so many guesses for the visitor's address and for the key, whatever addresses it names; with none, it is only
/// looked how many there are.
async fn count_unknown(app: &App, caller: &Caller, activity: Activity, unknown: u32) -> Result<(), ApiError> {
    let places = both_places(caller, activity);
    let counted = if unknown == 0 {
        let keys: Vec<Key> = places.iter().map(|place| place.key.clone()).collect();
        app.store.load_rates(&keys).await
    } else {
        count_all(app, caller, &places, unknown).await
    };
    let excess = counted.map(|counted| {
        let counts = places.iter().zip(counted);
        counts.filter_map(|(place, count)| place.excess(caller, count)).max()
    });
    judge(caller, activity.uncounted(), excess)
}

/// Counts one more application of a merchant by a partner's key, wherever its requests come from.
///
/// # Errors
/// `THROTTLED` when there are too many; `TRY_AGAIN` when it cannot be counted.
pub async fn count_application(app: &App, caller: &Caller) -> Result<(), ApiError> {
    let place = Place::new(caller, RateLimit::ApplicationsPerKey, &[&caller.key_hash]);
    let counted = place.count(app, caller, 1).await;
    judge(caller, Uncounted::Refused, counted.map(|counted| place.excess(caller, counted)))
}

/// Counts so many more in the places of a key and an address, at once.
async fn count_all(app: &App, caller: &Caller, places: &[Place], more: u32) -> Result<Vec<u32>, StoreError> {
    let count = async |place: Option<&Place>| match place {
        Some(place) => place.count(app, caller, more).await.map(Some),
        None => Ok(None),
    };
    let (key, address) = tokio::join!(count(places.first()), count(places.get(1)));
    Ok(key?.into_iter().chain(address?).collect())
}

/// Counts one more mail to an address, and says whether it may be sent. Who asks is not told: that others asked for
/// the same address is theirs to know.
///
/// # Errors
/// `TRY_AGAIN` when it cannot be counted.
pub async fn count_mail(app: &App, caller: &Caller, address: &str) -> Result<bool, ApiError> {
    let place = Place::new(caller, RateLimit::LoginMailsPerMailbox, &[&comparable_email(address)]);
    let counted = place.count(app, caller, 1).await?;
    Ok(place.excess(caller, counted).is_none())
}

/// Counts one more payment with a card, and looks whether too many cards were declined of late: for the visitor's
/// address, and for the key whatever addresses it names.
///
/// # Errors
/// `THROTTLED` when there are too many; `TRY_AGAIN` when it cannot be counted.
pub async fn count_card_payment(app: &App, caller: &Caller) -> Result<(), ApiError> {
    let payments = Place::of(caller, Activity::CardPayment);
    let declined = both_places(caller, Activity::DeclinedCard);
    let keys: Vec<Key> = declined.iter().map(|place| place.key.clone()).collect();
    let (counted, refused) = tokio::join!(payments.count(app, caller, 1), app.store.load_rates(&keys));
    let excess = counted.map(|counted| payments.excess(caller, counted));
    judge(caller, Activity::CardPayment.uncounted(), excess)?;
    // A card that would be declined once more is one too many, so that a limit of 20 lets 20 through.
    let excess = refused.map(|refused| {
        let excesses = declined.iter().zip(refused);
        excesses.filter_map(|(place, count)| place.excess(caller, count.saturating_add(1))).max()
    });
    judge(caller, Activity::DeclinedCard.uncounted(), excess)
}

/// Counts a card that was declined. What cannot be counted is lost: the answer to the visitor is not.
pub async fn count_declined_card(app: &App, caller: &Caller, decline: &Decline) {
    if !is_the_cards_fault(decline.reason) {
        return;
    }
    let places = both_places(caller, Activity::DeclinedCard);
    if let Err(fault) = count_all(app, caller, &places, 1).await {
        tracing::warn!(%fault, "a declined card was not counted");
    }
}

/// The key, and the visitor's address under it where it is known.
fn both_places(caller: &Caller, activity: Activity) -> Vec<Place> {
    let address = caller.ip.map(|_| Place::of(caller, activity));
    std::iter::once(Place::of_key(caller, activity)).chain(address).collect()
}

/// Whether it says something of the card, and not of the processor.
const fn is_the_cards_fault(reason: DeclineReason) -> bool {
    match reason {
        DeclineReason::CardDeclined
        | DeclineReason::InsufficientFunds
        | DeclineReason::IncorrectCvc
        | DeclineReason::ExpiredCard
        | DeclineReason::IncorrectZip => true,
        DeclineReason::ProcessorError => false,
    }
}

/// A count beyond its limit: the seconds until the next window.
type Excess = Option<u32>;

impl Place {
    fn excess(&self, caller: &Caller, counted: u32) -> Excess {
        let rate = caller.tenant.rate(self.limit);
        let now = caller.clock.now();
        (counted > rate.count).then(|| rate.window(now).secs_left(now))
    }
}

fn judge(caller: &Caller, uncounted: Uncounted, excess: Result<Excess, StoreError>) -> Result<(), ApiError> {
    match excess {
        Ok(None) => Ok(()),
        Ok(Some(secs_left)) => {
            Metric::Throttled.count(caller.tenant.id);
            Err(ApiError::new(ErrorType::Throttled).retry_after(secs_left))
        }
        Err(fault) => match uncounted {
            Uncounted::Allowed => {
                tracing::warn!(%fault, "a request was not counted");
                Ok(())
            }
            Uncounted::Refused => Err(fault.into()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visitor_is_an_ipv4_address_or_the_network_of_an_ipv6_address() {
        for (sent, taken_for) in [
            ("203.0.113.24", "203.0.113.24"),
            ("::ffff:203.0.113.24", "203.0.113.24"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2::", "2001:db8:1:2::"),
            ("2001:db8:1:3::", "2001:db8:1:3::"),
        ] {
            assert_eq!(network(sent.parse().unwrap()).to_string(), taken_for, "{sent}");
        }
    }

    #[test]
    fn a_processor_that_cannot_decide_is_nobodys_fault() {
        assert!(!is_the_cards_fault(DeclineReason::ProcessorError));
        assert!(is_the_cards_fault(DeclineReason::CardDeclined));
    }
}
