//! Refusing those who ask too often (decision records 0081, 0082). Counts are kept beside a request's own first
//! call to the database, so that none waits for them.

use crate::app::App;
use crate::clock::RequestClock;
use crate::fault::AdapterFault;
use crate::telemetry::Metric;
use domain::OrderId;
use domain::email::comparable_email;
use domain::login::LoginParty;
use domain::order::Order;
use domain::payment::{Decline, DeclineReason};
use domain::rate_limit::{Activity, RateLimit, Uncounted};
use domain::tenant::Tenant;
use std::net::{IpAddr, Ipv6Addr};
use store::rate_limit::rate_key;
use store::{Key, StoreError};

/// Whose requests are counted.
#[derive(Debug, Clone, Copy)]
pub struct Client<'a> {
    /// The tenant, which has its own limits.
    pub tenant: &'a Tenant,
    /// The SHA-256 of the key it asks with.
    pub key_hash: &'a str,
    /// The visitor's address, where it is known.
    pub ip: Option<IpAddr>,
    pub clock: RequestClock,
}

/// Where something is counted, and the limit it is held to.
struct Place {
    limit: RateLimit,
    key: Key,
}

impl Place {
    fn new(client: Client<'_>, limit: RateLimit, subject: &[&str]) -> Self {
        let window = client.tenant.rate(limit).window(client.clock.now());
        Self { limit, key: rate_key(client.tenant.id, limit, subject, window) }
    }

    /// The visitor's address under the client's key, or the key alone where no address is known.
    fn of(client: Client<'_>, activity: Activity) -> Self {
        match client.ip {
            Some(ip) => {
                Self::new(client, activity.per_address(), &[client.key_hash, &network(ip).to_string()])
            }
            None => Self::of_key(client, activity),
        }
    }

    fn of_key(client: Client<'_>, activity: Activity) -> Self {
        Self::new(client, activity.per_key(), &[client.key_hash])
    }

    async fn count(&self, app: &App, client: Client<'_>, more: u32) -> Result<u32, StoreError> {
        let window_secs = client.tenant.rate(self.limit).window_secs;
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
/// [`AdapterFault::Throttled`] when there are too many; [`AdapterFault::Store`] when it cannot be counted and must be.
pub async fn count(app: &App, client: Client<'_>, activity: Activity) -> Result<(), AdapterFault> {
    count_more(app, client, activity, 1).await
}

/// Counts one more reservation of so many seats for a visitor. It goes on where it cannot be counted, as carts do.
///
/// # Errors
/// [`AdapterFault::Throttled`] when there are too many.
pub async fn count_hold(app: &App, client: Client<'_>, seats: u32) -> Result<(), AdapterFault> {
    let holds = count_more(app, client, Activity::Hold, 1);
    let seats = count_more(app, client, Activity::HeldSeat, seats);
    let (holds, seats) = tokio::join!(holds, seats);
    holds.and(seats)
}

async fn count_more(
    app: &App,
    client: Client<'_>,
    activity: Activity,
    more: u32,
) -> Result<(), AdapterFault> {
    let place = Place::of(client, activity);
    let counted = place.count(app, client, more).await;
    judge(client, activity.uncounted(), counted.map(|counted| place.excess(client, counted)))
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
/// [`AdapterFault::Throttled`] when there are too many.
pub async fn count_guesses(app: &App, client: Client<'_>, guesses: Guesses) -> Result<(), AdapterFault> {
    let Guesses { codes, unproven, on_word } = guesses;
    let (codes, unproven, on_word) = tokio::join!(
        async {
            match codes {
                None => Ok(()),
                Some(unknown) => count_unknown(app, client, Activity::UnknownCoupon, unknown).await,
            }
        },
        count_unproven(app, client, unproven),
        async {
            match on_word {
                false => Ok(()),
                true => count_unknown(app, client, Activity::UnknownMembership, 0).await,
            }
        }
    );
    codes.and(unproven).and(on_word)
}

/// Counts memberships that were looked up and are nobody's.
///
/// # Errors
/// [`AdapterFault::Throttled`] when there are too many.
pub async fn count_unknown_memberships(
    app: &App,
    client: Client<'_>,
    unknown: u32,
) -> Result<(), AdapterFault> {
    if unknown == 0 {
        return Ok(());
    }
    count_unknown(app, client, Activity::UnknownMembership, unknown).await
}

/// Looks whether a client has guessed too many memberships.
///
/// # Errors
/// [`AdapterFault::Throttled`] when there are too many.
pub async fn look_at_memberships(app: &App, client: Client<'_>) -> Result<(), AdapterFault> {
    count_unknown(app, client, Activity::UnknownMembership, 0).await
}

/// Nothing is learned by naming what is not looked up, so that this counts for the visitor alone: a page that goes on
/// naming memberships without a proof must not close the venue to the members of another.
///
/// # Errors
/// [`AdapterFault::Throttled`] when there are too many.
pub async fn count_unproven(app: &App, client: Client<'_>, unproven: u32) -> Result<(), AdapterFault> {
    if unproven == 0 {
        return Ok(());
    }
    count_more(app, client, Activity::UnknownMembership, unproven).await
}

/// Counts so many guesses for the visitor's address and for the key, whatever addresses it names; with none, it is only
/// looked how many there are.
async fn count_unknown(
    app: &App,
    client: Client<'_>,
    activity: Activity,
    unknown: u32,
) -> Result<(), AdapterFault> {
    let places = both_places(client, activity);
    let counted = if unknown == 0 {
        let keys: Vec<Key> = places.iter().map(|place| place.key.clone()).collect();
        app.store.load_rates(&keys).await
    } else {
        count_all(app, client, &places, unknown).await
    };
    let excess = counted.map(|counted| longest(client, &places, counted));
    judge(client, activity.uncounted(), excess)
}

/// Counts one more application of a merchant by a partner's key, wherever its requests come from.
///
/// # Errors
/// [`AdapterFault::Throttled`] when there are too many; [`AdapterFault::Store`] when it cannot be counted.
pub async fn count_application(app: &App, client: Client<'_>) -> Result<(), AdapterFault> {
    let place = Place::new(client, RateLimit::ApplicationsPerKey, &[client.key_hash]);
    let counted = place.count(app, client, 1).await;
    judge(client, Uncounted::Refused, counted.map(|counted| place.excess(client, counted)))
}

/// Counts one more search for members by a key, wherever its requests come from. It goes on where it cannot be counted.
///
/// # Errors
/// [`AdapterFault::Throttled`] when there are too many.
pub async fn count_member_search(app: &App, client: Client<'_>) -> Result<(), AdapterFault> {
    count_by_key(app, client, RateLimit::MembersSearchedPerKey).await
}

/// Counts one more request of a door by its key. Doors go on where it cannot be counted.
///
/// # Errors
/// [`AdapterFault::Throttled`] when there are too many.
pub async fn count_scan(app: &App, client: Client<'_>) -> Result<(), AdapterFault> {
    count_by_key(app, client, RateLimit::ScansPerKey).await
}

/// Counts scans of one request by its key, such as those that a device tells of, all of them in one call: whoever was
/// within the limit before the first of them may have them all. Doors go on where they cannot be counted.
///
/// # Errors
/// [`AdapterFault::Throttled`] when the limit was reached before.
pub async fn count_scans(app: &App, client: Client<'_>, scans: u32) -> Result<(), AdapterFault> {
    let place = Place::new(client, RateLimit::ScansPerKey, &[client.key_hash]);
    let counted = place.count(app, client, scans).await;
    let with_the_first = counted.map(|counted| counted.saturating_sub(scans).saturating_add(1));
    judge(client, Uncounted::Allowed, with_the_first.map(|counted| place.excess(client, counted)))
}

/// Counts scans that a device tells of and that ask for nothing. What cannot be counted is lost.
pub async fn note_told_scans(app: &App, client: Client<'_>, scans: u32) {
    let place = Place::new(client, RateLimit::ScansPerKey, &[client.key_hash]);
    if let Err(fault) = place.count(app, client, scans).await {
        tracing::warn!(%fault, "scans that a device told of were not counted");
    }
}

/// Counts one more page of a list for a device by its key. Doors go on where it cannot be counted.
///
/// # Errors
/// [`AdapterFault::Throttled`] when there are too many.
pub async fn count_door_list(app: &App, client: Client<'_>) -> Result<(), AdapterFault> {
    count_by_key(app, client, RateLimit::DoorListsPerKey).await
}

async fn count_by_key(app: &App, client: Client<'_>, limit: RateLimit) -> Result<(), AdapterFault> {
    let place = Place::new(client, limit, &[client.key_hash]);
    let counted = place.count(app, client, 1).await;
    judge(client, Uncounted::Allowed, counted.map(|counted| place.excess(client, counted)))
}

/// Counts one more search for orders by its key. Searches go on where it cannot be counted.
///
/// # Errors
/// [`AdapterFault::Throttled`] when there are too many.
pub async fn count_search(app: &App, client: Client<'_>) -> Result<(), AdapterFault> {
    count_by_key(app, client, RateLimit::SearchesPerKey).await
}

/// Counts one more mail of an order that is sent again, for the order and for the key.
///
/// # Errors
/// [`AdapterFault::Throttled`] when there are too many; [`AdapterFault::Store`] when it cannot be counted.
pub async fn count_mail_again(app: &App, client: Client<'_>, order: &OrderId) -> Result<(), AdapterFault> {
    let of_order = Place::new(client, RateLimit::MailsAgainPerOrder, &[order.as_str()]);
    let of_key = Place::new(client, RateLimit::MailsAgainPerKey, &[client.key_hash]);
    let places = [of_order, of_key];
    let counted = count_all(app, client, &places, 1).await;
    let excess = counted.map(|counted| longest(client, &places, counted));
    judge(client, Uncounted::Refused, excess)
}

/// Looks whether a key has sent too many codes that are nobody's. Doors go on where that cannot be read.
///
/// # Errors
/// [`AdapterFault::Throttled`] when there were too many.
pub async fn look_at_codes(app: &App, client: Client<'_>) -> Result<(), AdapterFault> {
    let place = Place::new(client, RateLimit::UnknownCodesPerKey, &[client.key_hash]);
    let counts = app.store.load_rates(std::slice::from_ref(&place.key)).await;
    // One more that is nobody's would be one too many, so that a limit of 300 lets 300 through.
    let excess = counts.map(|counts| {
        let known = counts.first().copied().unwrap_or_default();
        place.excess(client, known.saturating_add(1))
    });
    judge(client, Uncounted::Allowed, excess)
}

/// Counts a code that was looked up and is nobody's, before that is told: of many that are tried at once, no more are
/// answered than the limit lets through. Doors go on where it cannot be counted.
///
/// # Errors
/// [`AdapterFault::Throttled`] when there are too many.
pub async fn count_unknown_code(app: &App, client: Client<'_>) -> Result<(), AdapterFault> {
    count_by_key(app, client, RateLimit::UnknownCodesPerKey).await
}

/// Counts codes that were looked up and are nobody's beside others with which something was done. What cannot be counted
/// is lost: the answer to the door is not.
pub async fn note_unknown_codes(app: &App, client: Client<'_>, unknown: u32) {
    if unknown == 0 {
        return;
    }
    let place = Place::new(client, RateLimit::UnknownCodesPerKey, &[client.key_hash]);
    if let Err(fault) = place.count(app, client, unknown).await {
        tracing::warn!(%fault, "codes that are nobody's were not counted");
    }
}

/// Counts so many more in the places of a key and an address, at once.
async fn count_all(
    app: &App,
    client: Client<'_>,
    places: &[Place],
    more: u32,
) -> Result<Vec<u32>, StoreError> {
    let count = async |place: Option<&Place>| match place {
        Some(place) => place.count(app, client, more).await.map(Some),
        None => Ok(None),
    };
    let (key, address) = tokio::join!(count(places.first()), count(places.get(1)));
    Ok(key?.into_iter().chain(address?).collect())
}

/// Counts one more mail to an address, and says whether it may be sent. Who asks is not told: that others asked for
/// the same address is theirs to know.
///
/// # Errors
/// [`AdapterFault::Store`] when it cannot be counted.
pub async fn count_mail(
    app: &App,
    client: Client<'_>,
    party: LoginParty,
    address: &str,
) -> Result<bool, AdapterFault> {
    let limit = match party {
        LoginParty::Member => RateLimit::LoginMailsPerMailbox,
        LoginParty::Staff => RateLimit::StaffMailsPerMailbox,
        LoginParty::Payer => RateLimit::OrderMailsPerMailbox,
    };
    let place = Place::new(client, limit, &[&comparable_email(address)]);
    let counted = place.count(app, client, 1).await?;
    Ok(place.excess(client, counted).is_none())
}

/// Counts one more payment with a card, and looks whether too many cards were declined of late: for the visitor's
/// address, and for the key whatever addresses it names.
///
/// # Errors
/// [`AdapterFault::Throttled`] when there are too many; [`AdapterFault::Store`] when it cannot be counted.
pub async fn count_card_payment(app: &App, client: Client<'_>) -> Result<(), AdapterFault> {
    let payments = Place::of(client, Activity::CardPayment);
    let declined = both_places(client, Activity::DeclinedCard);
    let keys: Vec<Key> = declined.iter().map(|place| place.key.clone()).collect();
    let (counted, refused) = tokio::join!(payments.count(app, client, 1), app.store.load_rates(&keys));
    let excess = counted.map(|counted| payments.excess(client, counted));
    judge(client, Activity::CardPayment.uncounted(), excess)?;
    // A card that would be declined once more is one too many, so that a limit of 20 lets 20 through.
    let once_more = |refused: Vec<u32>| refused.into_iter().map(|count| count.saturating_add(1));
    let excess = refused.map(|refused| longest(client, &declined, once_more(refused)));
    judge(client, Activity::DeclinedCard.uncounted(), excess)
}

/// Counts a card that was declined. What cannot be counted is lost: the answer to the visitor is not.
pub async fn count_declined_card(app: &App, client: Client<'_>, decline: &Decline) {
    if !is_the_cards_fault(decline.reason) {
        return;
    }
    let places = both_places(client, Activity::DeclinedCard);
    if let Err(fault) = count_all(app, client, &places, 1).await {
        tracing::warn!(%fault, "a declined card was not counted");
    }
}

/// Counts the card of an order that was declined after its buyer was asked. That may be heard more than once, and counts
/// once: for whoever hears it first. What cannot be counted is lost, as above.
pub async fn count_refused_order(app: &App, client: Client<'_>, order: &Order, decline: &Decline) {
    // Its window is that in which the order began, so that all who hear of it meet at one count.
    let limit = RateLimit::DeclinedCardsPerKey;
    let window = client.tenant.rate(limit).window(order.created_at);
    let once = Place { limit, key: rate_key(client.tenant.id, limit, &["order", order.id.as_str()], window) };
    match once.count(app, client, 1).await {
        Ok(1) => count_declined_card(app, client, decline).await,
        Ok(_) => {}
        Err(fault) => tracing::warn!(%fault, "a declined card was not counted"),
    }
}

/// The key, and the visitor's address under it where it is known.
fn both_places(client: Client<'_>, activity: Activity) -> Vec<Place> {
    let address = client.ip.map(|_| Place::of(client, activity));
    std::iter::once(Place::of_key(client, activity)).chain(address).collect()
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
    fn excess(&self, client: Client<'_>, counted: u32) -> Excess {
        let rate = client.tenant.rate(self.limit);
        let now = client.clock.now();
        (counted > rate.count).then(|| rate.window(now).secs_left(now))
    }
}

/// The excess of several places that takes longest to end.
fn longest(client: Client<'_>, places: &[Place], counted: impl IntoIterator<Item = u32>) -> Excess {
    let counts = places.iter().zip(counted);
    counts.filter_map(|(place, count)| place.excess(client, count)).max()
}

fn judge(
    client: Client<'_>,
    uncounted: Uncounted,
    excess: Result<Excess, StoreError>,
) -> Result<(), AdapterFault> {
    match excess {
        Ok(None) => Ok(()),
        Ok(Some(secs_left)) => {
            Metric::Throttled.count(client.tenant.id);
            Err(AdapterFault::Throttled { secs_left })
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
