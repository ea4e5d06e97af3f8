//! The mail with a link to log in by (spec §4.7).

use crate::error::DeliverError;
use crate::render::{LoginLinkMail, MailAddress};
use domain::login::{LINK_LIFE_SECS, LoginRequest, stored_address};
use domain::outbox::{LoginMail, login_message_id};
use domain::tenant::Tenant;
use platform::App;
use platform::keyed_hash::HashKey;
use platform::login::{secret_of, token_of};
use std::sync::Arc;
use store::Key;
use store::login::login_key;

/// Everything a login mail is made of.
pub(crate) struct OwedLogin {
    pub(crate) tenant: Arc<Tenant>,
    pub(crate) request: LoginRequest,
    /// Where the request lies.
    pub(crate) place: Key,
    /// Where the mail goes: to the address that is kept of the member, not to what was typed to ask for it.
    address: String,
    hash_key: Arc<HashKey>,
}

impl OwedLogin {
    /// What a job asks for; none when the request is gone, nobody with its address holds a card, or the tenant is
    /// closed.
    pub(crate) async fn load(app: &App, job: &LoginMail) -> Result<Option<Self>, DeliverError> {
        let tenant = app.tenant(job.tenant).await.map_err(DeliverError::Tenant)?;
        if tenant.is_closed() {
            return Ok(None);
        }
        let hash_key = app.hash_key(&tenant).await.map_err(DeliverError::Tenant)?;
        let place = login_key(job.tenant, &secret_of(&hash_key, &job.request));
        let Some(request) = app.store.load_login_request(&place).await? else { return Ok(None) };
        let found = app.store.find_memberships_of_email(job.tenant, &request.email).await?;
        let known = stored_address(&found, &request.email).map(str::to_owned);
        Ok(known.map(|address| Self { tenant, request, place, address, hash_key }))
    }

    /// The mail; none where the tenant has no site that its link could open.
    pub(crate) fn mail(&self, from: &str) -> Option<LoginLinkMail> {
        let site = self.tenant.consumer_site.as_ref()?;
        let address =
            |name: &str, address: &str| MailAddress { name: name.to_owned(), address: address.to_owned() };
        Some(LoginLinkMail {
            message_id: login_message_id(&self.request.id),
            dated: self.request.requested_at,
            from: address(&self.tenant.name, from),
            to: address("", &self.address),
            venue_name: self.tenant.name.clone(),
            link: site.link(&token_of(&self.hash_key, &self.request).expose()),
            minutes: LINK_LIFE_SECS / 60,
        })
    }
}
