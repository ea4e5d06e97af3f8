//! Logging in by a link that is mailed, for members and for staff: asking for the link, and coming with it (decision
//! records 0052 and 0138). A link to an order is asked for in the same way (decision record 0155).

use crate::{ApiError, ErrorType};
use adapters::App;
use adapters::keyed_hash::HashKey;
use adapters::login::{read_token, secret_of};
use adapters::rate_limit::{Client, count, count_mail};
use domain::login::{LoginParty, LoginRequest};
use domain::outbox::{LoginMail, MailJob};
use domain::rate_limit::Activity;
use domain::{LoginRequestId, OrderNumber};
use store::Key;
use store::login::login_key;

/// Makes a request for a link to this address, and has its mail sent. Whether there is somebody with the address is
/// for the mailer to find out, so that neither the answer nor its time tells. An address that was sent too many links of
/// late gets none, and whoever asks is not told. What is asked is counted as this activity.
///
/// # Errors
/// `THROTTLED`, `TRY_AGAIN` when the mail cannot be sent, or those of the database.
pub async fn send_link(
    app: &App,
    client: Client<'_>,
    activity: Activity,
    party: LoginParty,
    address: String,
) -> Result<(), ApiError> {
    let id = LoginRequestId::from_bytes(app.ids.bytes()?);
    send(app, client, activity, LoginRequest::of(party, id, address, client.clock.now())).await
}

/// The same for a link to the order with this number, should it have this address.
///
/// # Errors
/// As of [`send_link`].
pub async fn send_order_link(
    app: &App,
    client: Client<'_>,
    number: OrderNumber,
    address: String,
) -> Result<(), ApiError> {
    let id = LoginRequestId::from_bytes(app.ids.bytes()?);
    let request = LoginRequest::for_order(id, number, address, client.clock.now());
    send(app, client, Activity::LoginMail, request).await
}

async fn send(
    app: &App,
    client: Client<'_>,
    activity: Activity,
    request: LoginRequest,
) -> Result<(), ApiError> {
    let tenant = client.tenant.id;
    let hash_key = app.hash_key(client.tenant).await?;
    let place = login_key(tenant, &secret_of(&hash_key, &request.id));
    let (allowed, wanted, saved) = tokio::join!(
        count(app, client, activity),
        count_mail(app, client, request.party, &request.email),
        app.store.save_login_request(&place, &request, app.wall_now())
    );
    allowed?;
    saved?;
    if wanted? {
        let job = MailJob::Login(LoginMail { tenant, request: request.id });
        app.queue.send(&job).await.map_err(|fault| ApiError::new(ErrorType::TryAgain).cause(fault))?;
    }
    Ok(())
}

/// The request that a link names.
#[derive(Debug)]
pub struct FoundRequest {
    /// Where it lies.
    pub place: Key,
    /// Who wanted to log in.
    pub request: LoginRequest,
}

/// The request that the token of a link names. A link for one party is none for the other. What is asked is counted as
/// this activity, whatever the token is. Whether the link was used already is known only once it is used.
///
/// # Errors
/// `THROTTLED`, those of the database, or [`token_refused`], in this order.
pub async fn find_request(
    app: &App,
    client: Client<'_>,
    activity: Activity,
    party: LoginParty,
    hash_key: &HashKey,
    token: &str,
) -> Result<FoundRequest, ApiError> {
    let secret = read_token(hash_key, token, client.clock.now());
    let place = secret.map(|secret| login_key(client.tenant.id, &secret));
    let load = async {
        let Some(place) = place else { return Ok(None) };
        let request = app.store.load_login_request(&place).await?;
        Ok::<_, ApiError>(request.map(|request| FoundRequest { place, request }))
    };
    let (allowed, found) = tokio::join!(count(app, client, activity), load);
    allowed?;
    found?.filter(|found| found.request.party == party).ok_or_else(token_refused)
}

/// The same whatever is wrong with a link.
#[must_use]
pub fn token_refused() -> ApiError {
    let refusal = ApiError::new(ErrorType::LoginTokenNotValid);
    refusal.detail("/token", "has already been used, has expired, or is not valid")
}
