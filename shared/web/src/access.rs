//! Who is calling. A handler's signature is its access policy: it takes one of the access types below, and
//! the tenant enters a request in no other way (contract §2).

use crate::context::{RequestContext, SourceIp};
use crate::member_proof::{PROOF_HEADER, SentProofs};
use crate::session::{SESSION_HEADER, SentSession};
use crate::{ApiError, ErrorType};
use adapters::app::DEMO_PREFIX;
use adapters::clock::RequestClock;
use adapters::rate_limit::Client;
use adapters::{AdapterFault, App};
use axum::extract::FromRequestParts;
use domain::number::whole_number;
use domain::operator::{MAX_OPERATOR_CHARS, Operator};
use domain::staff::LABEL_PREFIX;
use domain::tenant::{ApiKey, Scope, Tenant};
use domain::{Mid, Zone};
use futures_core::future::BoxFuture;
use http::header::ORIGIN;
use http::request::Parts;
use http::{HeaderMap, Method};
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;
use store::identity::key_hash;
use wire::api_key::key_id;

/// A known caller and the circumstances of its request.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Whose data the key opens.
    pub tenant: Arc<Tenant>,
    /// The merchant the key belongs to; only payment keys have one.
    pub mid: Option<Mid>,
    /// As what the caller was let in.
    pub scope: Scope,
    /// The name of the key, for people; of a session, `staff:` and the person's id.
    pub key_label: String,
    /// The SHA-256 of the key, or of whose session it is, by which it is counted what it asks for.
    pub key_hash: String,
    /// Who stands at the device, where that was sent. It proves nothing.
    pub operator: Option<Operator>,
    /// What it sent to prove that someone is a member.
    pub proofs: Option<SentProofs>,
    /// The request's clock.
    pub clock: RequestClock,
    /// The end user's address, where it is known.
    pub ip: Option<IpAddr>,
    /// The running request.
    pub context: Arc<RequestContext>,
}

impl Caller {
    /// As whom it is counted.
    #[must_use]
    pub fn client(&self) -> Client<'_> {
        Client { tenant: &self.tenant, key_hash: &self.key_hash, ip: self.ip, clock: self.clock }
    }

    /// Who stands at the device, where that was sent.
    #[must_use]
    pub fn operator(&self) -> Option<&str> {
        self.operator.as_ref().map(Operator::as_str)
    }

    /// Whether it is a device at a door, which may least and is told least.
    #[must_use]
    pub fn is_door(&self) -> bool {
        self.scope == Scope::Door
    }

    /// By whom something is done: by the operator, or else by the holder of the key.
    #[must_use]
    pub fn acted_by(&self) -> &str {
        self.operator().unwrap_or(&self.key_label)
    }

    /// The identity of the key, which tells it from another with the same label.
    #[must_use]
    pub fn key_id(&self) -> String {
        key_id(&self.key_hash)
    }

    /// The merchant of the key, where the path names that one. Any other is an unknown id, whether it exists or
    /// not (contract §2).
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub fn own_mid(&self, sent: &str) -> Result<&Mid, ApiError> {
        let own = self.mid.as_ref().filter(|mid| mid.as_str() == sent);
        own.ok_or_else(|| ApiError::new(ErrorType::NotFound))
    }
}

/// What a group of routes asks of its callers.
pub trait Policy: Send + Sync + 'static {
    #[doc(hidden)]
    const REQUIRED: Requirements;
}

/// What a group of routes requires of its callers. A value, so that letting in is compiled once for all groups.
#[doc(hidden)]
#[derive(Debug)]
pub struct Requirements {
    /// The header the key comes in.
    key_header: &'static str,
    /// Any one of these scopes is enough. Who has several of them is let in as the first.
    scopes: &'static [Scope],
    /// Whether `x-b2c-tenant-id` must be sent.
    tenant_header: bool,
    /// Whether `x-service-browser-ip` must be sent.
    browser_ip: bool,
}

/// A caller that satisfies a policy.
#[derive(Debug)]
pub struct Access<P>(Caller, PhantomData<P>);

impl<P> Deref for Access<P> {
    type Target = Caller;
    fn deref(&self) -> &Caller {
        &self.0
    }
}

macro_rules! policies {
    ($( $(#[$doc:meta])* $name:ident = $policy:ident { key: $key:ident, scopes: [$($scope:ident),+],
        tenant_header: $tenant:literal, browser_ip: $ip:literal } )*) => {$(
        #[doc(hidden)]
        #[derive(Debug)]
        pub struct $policy;
        impl Policy for $policy {
            const REQUIRED: Requirements = Requirements {
                key_header: $key,
                scopes: &[$(Scope::$scope),+],
                tenant_header: $tenant,
                browser_ip: $ip,
            };
        }
        $(#[$doc])*
        pub type $name = Access<$policy>;
    )*};
}

policies! {
    /// Whoever sells: a storefront's server or page, a till, the back office. Browsing, carts, entitlements.
    Shopper = ShopperPolicy { key: API_KEY, scopes: [B2c, B2cBrowser, Counter, B2b], tenant_header: true, browser_ip: false }
    /// A storefront's server paying for a visitor.
    ServerCheckout = ServerCheckoutPolicy { key: API_KEY, scopes: [B2c], tenant_header: true, browser_ip: true }
    /// A storefront's page paying for its visitor.
    BrowserCheckout = BrowserCheckoutPolicy { key: API_KEY, scopes: [B2cBrowser], tenant_header: true, browser_ip: false }
    /// A storefront's server or page asking how cards are taken, or holding seats for its visitor.
    Storefront = StorefrontPolicy { key: API_KEY, scopes: [B2c, B2cBrowser], tenant_header: true, browser_ip: false }
    /// A storefront's server reading what no page may: orders.
    StorefrontServer = StorefrontServerPolicy { key: API_KEY, scopes: [B2c], tenant_header: false, browser_ip: false }
    /// A storefront's server or page asking who is a member, or for an order that it has a link to.
    Verifier = VerifierPolicy { key: API_KEY, scopes: [B2c, B2cBrowser], tenant_header: false, browser_ip: false }
    /// Whoever sells, asking for a public list.
    Visitor = VisitorPolicy { key: API_KEY, scopes: [B2c, B2cBrowser, Counter, B2b], tenant_header: false, browser_ip: false }
    /// The back office.
    Staff = StaffPolicy { key: API_KEY, scopes: [B2b], tenant_header: false, browser_ip: false }
    /// Whoever stands at a door: the back office, a till, a scanning device, which may least and is told least.
    DoorStaff = DoorStaffPolicy { key: API_KEY, scopes: [B2b, Counter, Door], tenant_header: false, browser_ip: false }
    /// Whoever stands at a till: the back office, the till itself.
    CounterStaff = CounterStaffPolicy { key: API_KEY, scopes: [B2b, Counter], tenant_header: false, browser_ip: false }
    /// A partner that brings merchants.
    Partner = PartnerPolicy { key: PAYMENT_KEY, scopes: [Onboard], tenant_header: false, browser_ip: false }
    /// A merchant giving money of its sales back.
    MerchantServer = MerchantServerPolicy { key: PAYMENT_KEY, scopes: [Payment], tenant_header: false, browser_ip: false }
}

impl<P: Policy> FromRequestParts<App> for Access<P> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        Ok(Self(let_in(app, parts, P::REQUIRED).await?, PhantomData))
    }
}

/// The caller of a request, if it has what is required.
fn let_in<'a>(
    app: &'a App,
    parts: &'a Parts,
    required: Requirements,
) -> BoxFuture<'a, Result<Caller, ApiError>> {
    Box::pin(async move {
        let Recognised { tenant, credential } = Recognised::by(app, parts, required.key_header).await?;
        let context = enter(parts, &tenant)?;
        credential.check_time(app, parts, &tenant)?;
        let scope = required.scopes.iter().find(|scope| credential.scopes.contains(*scope));
        let scope = *scope.ok_or_else(|| credential.other_scope(required.scopes))?;
        credential.check_origin(app, &tenant, parts)?;
        check_tenant_header(&parts.headers, &tenant, required.tenant_header)?;
        let ip = match scope.is_page() || credential.session.is_some() {
            true => parts.extensions.get::<SourceIp>().map(|source| source.0),
            false => browser_ip(&parts.headers, required.browser_ip)?,
        };
        let clock = request_clock(app, &parts.headers, &tenant)?;
        let operator = sent_operator(&parts.headers)?.filter(|_| !scope.is_page());
        let operator = credential.person().or(operator);
        let proofs = header(&parts.headers, PROOF_HEADER).map(SentProofs::new);
        let Credential { mid, label: key_label, hash: key_hash, .. } = credential;
        Ok(Caller { tenant, mid, scope, key_label, key_hash, operator, proofs, clock, ip, context })
    })
}

/// By what a caller is known: a key, or the session of a person of the staff.
struct Credential {
    scopes: BTreeSet<Scope>,
    mid: Option<Mid>,
    /// What is kept with what is done.
    label: String,
    /// By which it is counted what it asks for.
    hash: String,
    /// Of a key of pages, where these may be.
    origins: Option<BTreeSet<String>>,
    session: Option<SentSession>,
}

/// Who a caller is, and whose data that opens.
struct Recognised {
    tenant: Arc<Tenant>,
    credential: Credential,
}

impl Recognised {
    /// A session takes the place of an API key, and of no payment key.
    async fn by(app: &App, parts: &Parts, key_header: &'static str) -> Result<Self, ApiError> {
        let session = if key_header == API_KEY { session_of(app, parts).await? } else { None };
        match session {
            Some((tenant, sent)) => Ok(Self { tenant, credential: Credential::of_session(sent) }),
            None => Self::by_key(app, parts, key_header).await,
        }
    }

    async fn by_key(app: &App, parts: &Parts, key_header: &'static str) -> Result<Self, ApiError> {
        let text = key_text(&parts.headers, key_header)?;
        let key = Option::clone(&*app.api_key(text).await?);
        let key = key.ok_or_else(|| no_valid_key(key_header))?;
        let tenant = app.tenant(key.tenant).await.map_err(|fault| {
            if matches!(fault, AdapterFault::UnknownTenant) { no_valid_key(key_header) } else { fault.into() }
        })?;
        if text.starts_with(DEMO_PREFIX) && !tenant.sandbox {
            return Err(no_valid_key(key_header));
        }
        Ok(Self { tenant, credential: Credential::of_key(key, text) })
    }
}

impl Credential {
    fn of_key(key: ApiKey, text: &str) -> Self {
        let is_of_pages = key.scopes.iter().any(|scope| scope.is_page());
        Self {
            origins: is_of_pages.then_some(key.origins),
            scopes: key.scopes,
            mid: key.mid,
            label: key.label,
            hash: key_hash(text),
            session: None,
        }
    }

    /// What she does is kept under her id, and counted for her in all her sessions together.
    fn of_session(sent: SentSession) -> Self {
        let person = &sent.found.person;
        let label = format!("{LABEL_PREFIX}{}", person.id);
        let (scopes, hash) = (person.scopes(), key_hash(&label));
        Self { scopes, mid: None, label, hash, origins: None, session: Some(sent) }
    }

    /// Who stands at the device, where that is known and not only said.
    fn person(&self) -> Option<Operator> {
        let sent = self.session.as_ref()?;
        Operator::parse(&sent.found.person.name).ok()
    }

    fn check_time(&self, app: &App, parts: &Parts, tenant: &Tenant) -> Result<(), ApiError> {
        match &self.session {
            None => Ok(()),
            Some(sent) => sent.check(request_clock(app, &parts.headers, tenant)?.now()),
        }
    }

    fn check_origin(&self, app: &App, tenant: &Tenant, parts: &Parts) -> Result<(), ApiError> {
        let allowed = match &self.session {
            Some(_) => Some(&tenant.allowed_origins),
            None => self.origins.as_ref(),
        };
        if allowed.is_none_or(|allowed| is_from(app, allowed, tenant, parts)) {
            return Ok(());
        }
        Err(other_origin(if self.session.is_some() { "session" } else { "API key" }))
    }

    /// What it opens is other routes.
    fn other_scope(&self, needed: &[Scope]) -> ApiError {
        let refusal = ApiError::new(ErrorType::Forbidden);
        if self.session.is_some() {
            return refusal.message("This route needs another role");
        }
        let names: Vec<&str> = needed.iter().map(|scope| scope.name()).collect();
        refusal.message(format!("This route needs an API key with the scope {}", names.join(" or ")))
    }
}

/// Notes whose data the request is about, and refuses it while the tenant is closed.
pub(crate) fn enter(parts: &Parts, tenant: &Tenant) -> Result<Arc<RequestContext>, ApiError> {
    let context = parts.extensions.get::<Arc<RequestContext>>().cloned();
    let context = context.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
    let _ = context.tenant.set(tenant.id);
    if tenant.is_closed() { Err(closed()) } else { Ok(context) }
}

/// The session that was sent, if one was, and whose data it opens. Which of the two counted would not be plain where an
/// API key is sent with it.
pub(crate) async fn session_of(
    app: &App,
    parts: &Parts,
) -> Result<Option<(Arc<Tenant>, SentSession)>, ApiError> {
    let sent = header(&parts.headers, SESSION_HEADER).filter(|text| text.len() <= MAX_KEY_CHARS);
    let Some(text) = sent else { return Ok(None) };
    if parts.headers.contains_key(API_KEY) {
        let message = format!("must not be sent together with {API_KEY}");
        return Err(ApiError::new(ErrorType::ValidationError).detail(SESSION_HEADER, message));
    }
    let sent = SentSession::load(app, text).await?;
    let tenant = app.tenant(sent.token.tenant).await?;
    Ok(Some((tenant, sent)))
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim).filter(|value| !value.is_empty())
}

/// Where the key of a tenant stands, and where that of a merchant or partner (spec §5).
const API_KEY: &str = "x-service-api-key";
const PAYMENT_KEY: &str = "x-service-payment-key";
/// Who stands at the device.
pub(crate) const OPERATOR_HEADER: &str = "x-service-operator";
pub(crate) const TENANT_HEADER: &str = "x-b2c-tenant-id";
const IP_HEADER: &str = "x-service-browser-ip";
const CLOCK_HEADER: &str = "x-service-test-now";
/// Keys longer than this are not ours.
const MAX_KEY_CHARS: usize = 200;
/// Suggested to callers of a closed tenant, in seconds.
const CLOSED_RETRY_SECS: u32 = 60;

fn key_text<'a>(headers: &'a HeaderMap, name: &str) -> Result<&'a str, ApiError> {
    let text = header(headers, name).filter(|text| text.len() <= MAX_KEY_CHARS);
    text.ok_or_else(|| no_valid_key(name))
}

/// The same whether there was no key or one that is nobody's.
fn no_valid_key(header: &str) -> ApiError {
    ApiError::new(ErrorType::Unauthorized)
        .message(format!("A valid API key is required in the header {header}"))
}

/// Nothing of the request has happened, and nobody knows yet when it can.
fn closed() -> ApiError {
    ApiError::new(ErrorType::TryAgain)
        .message("The venue is temporarily closed")
        .retry_after(CLOSED_RETRY_SECS)
}

/// A browser key is publishable, so it works only from the pages of its origins, whichever of its scopes a
/// route asks for; a session works only from those of its tenant. Those of a sandbox tenant work from the service's own
/// pages as well, on whatever port it runs.
/// Browsers leave the header out of same-origin reads, and send it with every write.
pub(crate) fn is_from(app: &App, allowed: &BTreeSet<String>, tenant: &Tenant, parts: &Parts) -> bool {
    match header(&parts.headers, ORIGIN.as_str()) {
        Some(origin) => allowed.contains(origin) || (tenant.sandbox && app.is_own_origin(origin)),
        None => parts.method == Method::GET || parts.method == Method::HEAD,
    }
}

/// The page is not one from which this session or key works.
pub(crate) fn other_origin(what: &str) -> ApiError {
    ApiError::new(ErrorType::Forbidden).message(format!("This {what} cannot be used from this origin"))
}

/// A header whose value counts even when it is empty, which is not the same as not sent.
pub(crate) fn sent_header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).map(|value| value.to_str().unwrap_or_default().trim())
}

pub(crate) fn check_tenant_header(
    headers: &HeaderMap,
    tenant: &Tenant,
    required: bool,
) -> Result<(), ApiError> {
    match sent_header(headers, TENANT_HEADER) {
        Some("") => Err(ApiError::new(ErrorType::ValidationError).detail(TENANT_HEADER, "must not be empty")),
        Some(sent) if sent == tenant.id.to_string() => Ok(()),
        Some(sent) if whole_number(sent).is_none() => Err(ApiError::new(ErrorType::Forbidden)
            .message("The header x-b2c-tenant-id does not name a tenant")
            .detail(TENANT_HEADER, "must be a number")),
        Some(_) => Err(ApiError::new(ErrorType::Forbidden).message("This API key belongs to another tenant")),
        None if required => {
            Err(ApiError::new(ErrorType::ValidationError).detail(TENANT_HEADER, "is required"))
        }
        None => Ok(()),
    }
}

fn browser_ip(headers: &HeaderMap, required: bool) -> Result<Option<IpAddr>, ApiError> {
    match sent_header(headers, IP_HEADER).map(str::parse) {
        Some(Ok(ip)) => Ok(Some(ip)),
        None if !required => Ok(None),
        None => Err(ApiError::new(ErrorType::ValidationError).detail(IP_HEADER, "is required")),
        Some(Err(_)) => {
            Err(ApiError::new(ErrorType::ValidationError)
                .detail(IP_HEADER, "must be an IPv4 or IPv6 address"))
        }
    }
}

/// Who stands at the device. A header is bytes: names in UTF-8 are read as such.
fn sent_operator(headers: &HeaderMap) -> Result<Option<Operator>, ApiError> {
    let Some(sent) = headers.get(OPERATOR_HEADER) else { return Ok(None) };
    let read = std::str::from_utf8(sent.as_bytes()).ok().and_then(|text| Operator::parse(text).ok());
    let refused = || {
        let message = format!("must be one line of 1 to {MAX_OPERATOR_CHARS} characters");
        ApiError::new(ErrorType::ValidationError).detail(OPERATOR_HEADER, message)
    };
    read.map(Some).ok_or_else(refused)
}

pub(crate) fn request_clock(
    app: &App,
    headers: &HeaderMap,
    tenant: &Tenant,
) -> Result<RequestClock, ApiError> {
    let Some(text) = sent_header(headers, CLOCK_HEADER) else {
        return Ok(RequestClock::real(app.wall_now()));
    };
    chosen_clock(text, tenant.sandbox, tenant.zone)
}

/// The clock a caller of a sandbox tenant chose.
fn chosen_clock(text: &str, sandbox: bool, zone: Zone) -> Result<RequestClock, ApiError> {
    let refused = |message| ApiError::new(ErrorType::ValidationError).detail(CLOCK_HEADER, message);
    if !sandbox {
        return Err(refused("is accepted for sandbox tenants only"));
    }
    let now = zone.parse_instant(text).map_err(|_| refused("must be an RFC 3339 date and time"))?;
    Ok(RequestClock::chosen(now))
}
