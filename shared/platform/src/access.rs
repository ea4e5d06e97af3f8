//! Who is calling. A handler's signature is its access policy: it takes one of the access types below, and
//! the tenant enters a request in no other way (contract §2).

use crate::app::DEMO_PREFIX;
use crate::clock::RequestClock;
use crate::context::{RequestContext, SourceIp};
use crate::member_proof::{PROOF_HEADER, SentProofs};
use crate::{ApiError, App, ErrorType};
use axum::extract::FromRequestParts;
use domain::number::whole_number;
use domain::tenant::{ApiKey, Scope, Tenant};
use domain::{Mid, Zone};
use http::header::ORIGIN;
use http::request::Parts;
use http::{HeaderMap, Method};
use std::marker::PhantomData;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;
use store::identity::key_hash;

/// A known caller and the circumstances of its request.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Whose data the key opens.
    pub tenant: Arc<Tenant>,
    /// The merchant the key belongs to; only payment keys have one.
    pub mid: Option<Mid>,
    /// As what the caller was let in.
    pub scope: Scope,
    /// The name of the key, for people.
    pub key_label: String,
    /// The SHA-256 of the key, by which it is counted what it asks for.
    pub key_hash: String,
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
    /// The header the key comes in.
    const KEY_HEADER: &'static str;
    /// Any one of these scopes is enough.
    const SCOPES: &'static [Scope];
    /// Whether `x-b2c-tenant-id` must be sent.
    const TENANT_HEADER: bool;
    /// Whether `x-service-browser-ip` must be sent.
    const BROWSER_IP: bool;
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
            const KEY_HEADER: &'static str = $key;
            const SCOPES: &'static [Scope] = &[$(Scope::$scope),+];
            const TENANT_HEADER: bool = $tenant;
            const BROWSER_IP: bool = $ip;
        }
        $(#[$doc])*
        pub type $name = Access<$policy>;
    )*};
}

policies! {
    /// A storefront's server or page: browsing, carts, entitlements.
    Shopper = ShopperPolicy { key: API_KEY, scopes: [B2c, B2cBrowser], tenant_header: true, browser_ip: false }
    /// A storefront's server paying for a visitor.
    ServerCheckout = ServerCheckoutPolicy { key: API_KEY, scopes: [B2c], tenant_header: true, browser_ip: true }
    /// A storefront's page paying for its visitor.
    BrowserCheckout = BrowserCheckoutPolicy { key: API_KEY, scopes: [B2cBrowser], tenant_header: true, browser_ip: false }
    /// A storefront's server reading what no page may: orders.
    StorefrontServer = StorefrontServerPolicy { key: API_KEY, scopes: [B2c], tenant_header: false, browser_ip: false }
    /// A storefront's server or page asking who is a member.
    Verifier = VerifierPolicy { key: API_KEY, scopes: [B2c, B2cBrowser], tenant_header: false, browser_ip: false }
    /// A storefront asking for a public list.
    Visitor = VisitorPolicy { key: API_KEY, scopes: [B2c, B2cBrowser], tenant_header: false, browser_ip: false }
    /// The back office.
    Staff = StaffPolicy { key: API_KEY, scopes: [B2b], tenant_header: false, browser_ip: false }
    /// A partner that brings merchants.
    Partner = PartnerPolicy { key: PAYMENT_KEY, scopes: [Onboard], tenant_header: false, browser_ip: false }
    /// A merchant giving money of its sales back.
    MerchantServer = MerchantServerPolicy { key: PAYMENT_KEY, scopes: [Payment], tenant_header: false, browser_ip: false }
}

impl<P: Policy> FromRequestParts<App> for Access<P> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let text = key_text(&parts.headers, P::KEY_HEADER)?;
        let key = Option::clone(&*app.api_key(text).await?);
        let key = key.ok_or_else(|| no_valid_key(P::KEY_HEADER))?;
        let tenant = app.tenant(key.tenant).await.map_err(|fault| {
            if fault.kind() == ErrorType::Unauthorized { no_valid_key(P::KEY_HEADER) } else { fault }
        })?;
        if text.starts_with(DEMO_PREFIX) && !tenant.sandbox {
            return Err(no_valid_key(P::KEY_HEADER));
        }
        let context = parts.extensions.get::<Arc<RequestContext>>().cloned();
        let context = context.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
        let _ = context.tenant.set(tenant.id);
        if tenant.is_closed() {
            return Err(closed());
        }
        let scope = P::SCOPES.iter().find(|scope| key.scopes.contains(scope));
        let scope = *scope.ok_or_else(|| other_scope(P::SCOPES))?;
        check_origin(app, &key, &tenant, parts)?;
        check_tenant_header(&parts.headers, &tenant, P::TENANT_HEADER)?;
        let ip = match scope.is_page() {
            true => parts.extensions.get::<SourceIp>().map(|source| source.0),
            false => browser_ip(&parts.headers, P::BROWSER_IP)?,
        };
        let clock = request_clock(app, &parts.headers, &tenant)?;
        let key_hash = key_hash(text);
        let proofs = header(&parts.headers, PROOF_HEADER).map(SentProofs::new);
        let (mid, key_label) = (key.mid, key.label);
        let caller = Caller { tenant, mid, scope, key_label, key_hash, proofs, clock, ip, context };
        Ok(Self(caller, PhantomData))
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim).filter(|value| !value.is_empty())
}

/// Where the key of a tenant stands, and where that of a merchant or partner (spec §5).
const API_KEY: &str = "x-service-api-key";
const PAYMENT_KEY: &str = "x-service-payment-key";
const TENANT_HEADER: &str = "x-b2c-tenant-id";
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

/// A key that opens other routes.
fn other_scope(needed: &[Scope]) -> ApiError {
    let names: Vec<&str> = needed.iter().map(|scope| scope.name()).collect();
    let message = format!("This route needs an API key with the scope {}", names.join(" or "));
    ApiError::new(ErrorType::Forbidden).message(message)
}

/// Nothing of the request has happened, and nobody knows yet when it can.
fn closed() -> ApiError {
    ApiError::new(ErrorType::TryAgain)
        .message("The venue is temporarily closed")
        .retry_after(CLOSED_RETRY_SECS)
}

/// A browser key is publishable, so it works only from the pages of its origins, whichever of its scopes a
/// route asks for. Those of a sandbox tenant work from the service's own pages as well, on whatever port it runs.
/// Browsers leave the header out of same-origin reads, and send it with every write.
fn check_origin(app: &App, key: &ApiKey, tenant: &Tenant, parts: &Parts) -> Result<(), ApiError> {
    if !key.scopes.iter().any(|scope| scope.is_page()) {
        return Ok(());
    }
    match header(&parts.headers, ORIGIN.as_str()) {
        Some(origin) if key.origins.contains(origin) => Ok(()),
        Some(origin) if tenant.sandbox && app.is_own_origin(origin) => Ok(()),
        None if parts.method == Method::GET || parts.method == Method::HEAD => Ok(()),
        Some(_) | None => {
            Err(ApiError::new(ErrorType::Forbidden).message("This API key cannot be used from this origin"))
        }
    }
}

/// A header whose value counts even when it is empty, which is not the same as not sent.
fn sent_header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).map(|value| value.to_str().unwrap_or_default().trim())
}

fn check_tenant_header(headers: &HeaderMap, tenant: &Tenant, required: bool) -> Result<(), ApiError> {
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

fn request_clock(app: &App, headers: &HeaderMap, tenant: &Tenant) -> Result<RequestClock, ApiError> {
    let Some(text) = sent_header(headers, CLOCK_HEADER) else {
        return Ok(RequestClock::real(app.wall_now()));
    };
    chosen_clock(text, tenant.sandbox, tenant.zone)
}

/// The clock a caller of a sandbox tenant chose.
pub(crate) fn chosen_clock(text: &str, sandbox: bool, zone: Zone) -> Result<RequestClock, ApiError> {
    let refused = |message| ApiError::new(ErrorType::ValidationError).detail(CLOCK_HEADER, message);
    if !sandbox {
        return Err(refused("is accepted for sandbox tenants only"));
    }
    let now = zone.parse_instant(text).map_err(|_| refused("must be an RFC 3339 date and time"))?;
    Ok(RequestClock::chosen(now))
}
