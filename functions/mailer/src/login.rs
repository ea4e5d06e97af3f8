//! The mail with a link to log in by (spec §4.7), for members and for staff, and the one with a link to an order.

use crate::error::DeliverError;
use crate::render::{LoginLinkMail, MailAddress};
use adapters::App;
use adapters::keyed_hash::HashKey;
use adapters::login::{secret_of, token_of};
use adapters::order_link::order_token;
use domain::login::{LoginParty, LoginRequest, stored_address};
use domain::order_link::own_address;
use domain::outbox::{LoginMail, login_message_id};
use domain::staff::{StaffMark, StaffMember};
use domain::tenant::{ConsumerSite, Tenant};
use domain::{Language, OrderId};
use std::sync::Arc;
use store::Key;
use store::login::login_key;

/// Everything a login mail is made of.
pub(crate) struct OwedLogin {
    pub(crate) tenant: Arc<Tenant>,
    pub(crate) request: LoginRequest,
    /// Where the request lies.
    pub(crate) place: Key,
    /// What it is written in: the order's language, where it is about one, otherwise that of the venue.
    pub(crate) language: Language,
    known: Known,
    hash_key: Arc<HashKey>,
    /// Whose page the link opens; none where the tenant has none.
    site: Option<ConsumerSite>,
}

/// Who may use a link.
struct Known {
    /// Where the mail goes: to the address that is kept of the person, not to what was typed to ask for it.
    address: String,
    /// The person of the staff, of a link to sign in by.
    staff: Option<StaffMark>,
    /// The order that the link opens, of a link to one.
    order: Option<KnownOrder>,
}

/// What a link to an order takes from it.
struct KnownOrder {
    id: OrderId,
    language: Language,
}

impl Known {
    const fn member(address: String) -> Self {
        Self { address, staff: None, order: None }
    }

    fn staff(person: StaffMember) -> Self {
        Self { staff: Some(StaffMark::of(&person)), address: person.email, order: None }
    }
}

impl OwedLogin {
    /// What a job asks for; none when the request is gone, nobody with its address holds a card, may sign in or has the
    /// order, or the tenant is closed.
    pub(crate) async fn load(app: &App, job: &LoginMail) -> Result<Option<Self>, DeliverError> {
        let tenant = app.tenant(job.tenant).await.map_err(DeliverError::Tenant)?;
        if tenant.is_closed() {
            return Ok(None);
        }
        let hash_key = app.hash_key(&tenant).await.map_err(DeliverError::Tenant)?;
        let place = login_key(job.tenant, &secret_of(&hash_key, &job.request));
        let Some(request) = app.store.load_login_request(&place).await? else { return Ok(None) };
        let Some(known) = known(app, job, &request).await? else { return Ok(None) };
        let site = match request.party {
            LoginParty::Member | LoginParty::Payer => {
                tenant.consumer_site.as_ref().map(|site| app.shop(site))
            }
            LoginParty::Staff => tenant.staff_site.as_ref().map(|site| app.desk(site)),
        };
        let language =
            known.order.as_ref().map_or_else(|| tenant.branding.language(), |order| order.language);
        Ok(Some(Self { tenant, request, place, language, known, hash_key, site }))
    }

    /// To whom of the staff the mail goes.
    pub(crate) const fn mailed_to(&self) -> Option<&StaffMark> {
        self.known.staff.as_ref()
    }

    /// The mail; none where the tenant has no site that its link could open.
    pub(crate) fn mail(&self, from: &str) -> Option<LoginLinkMail> {
        let (site, key, expires_at) = (self.site.as_ref()?, &self.hash_key, self.request.expires_at);
        let link = match &self.known.order {
            None => site.link(&token_of(key, &self.request).expose()),
            Some(order) => site.order_link(&order_token(key, &order.id, expires_at.timestamp()).expose()),
        };
        let address =
            |name: &str, address: &str| MailAddress { name: name.to_owned(), address: address.to_owned() };
        Some(LoginLinkMail {
            message_id: login_message_id(&self.request.id),
            dated: self.request.requested_at,
            from: address(&self.tenant.name, from),
            to: address("", &self.known.address),
            venue_name: self.tenant.name.clone(),
            link,
            minutes: self.request.party.link_life_secs() / 60,
            party: self.request.party,
        })
    }
}

/// Whoever may use the link; none where nobody may.
async fn known(app: &App, job: &LoginMail, request: &LoginRequest) -> Result<Option<Known>, DeliverError> {
    Ok(match request.party {
        LoginParty::Member => {
            let found = app.store.find_memberships_of_email(job.tenant, &request.email).await?;
            stored_address(&found, &request.email).map(str::to_owned).map(Known::member)
        }
        LoginParty::Staff => {
            let found = app.store.find_staff(job.tenant, &request.email).await?.map(|stored| stored.value);
            found.filter(|person| person.active).map(Known::staff)
        }
        LoginParty::Payer => payer(app, job, request).await?,
    })
}

/// Whoever paid the order that is asked for, or is its contact; none where it is not paid.
async fn payer(app: &App, job: &LoginMail, request: &LoginRequest) -> Result<Option<Known>, DeliverError> {
    let Some(number) = &request.order_number else { return Ok(None) };
    let Some(id) = app.store.find_order_of_number(job.tenant, number).await? else { return Ok(None) };
    let order = app.store.load_order(job.tenant, &id).await?;
    let Some(order) = order.filter(|order| order.paid_at().is_some()) else { return Ok(None) };
    let address = own_address(&order, &request.email).map(str::to_owned);
    let order = KnownOrder { id: order.id, language: order.locale };
    Ok(address.map(|address| Known { address, staff: None, order: Some(order) }))
}
