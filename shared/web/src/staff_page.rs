//! Pages of staff: signing in, which needs no key, and signing out (decision record 0138).

use crate::access::{
    TENANT_HEADER, check_tenant_header, enter, is_from, other_origin, request_clock, sent_header, session_of,
};
use crate::context::SourceIp;
use crate::session::no_valid_session;
use crate::{ApiError, ErrorType};
use adapters::clock::RequestClock;
use adapters::rate_limit::Client;
use adapters::{AdapterFault, App};
use axum::extract::FromRequestParts;
use domain::TenantId;
use domain::number::whole_number;
use domain::staff::{SessionToken, StaffMember};
use domain::tenant::Tenant;
use http::request::Parts;
use std::net::IpAddr;
use std::sync::Arc;

/// As whom the pages of a tenant are counted, which have no key.
const NO_KEY: &str = "staff pages";

/// A page of one of a tenant's origins, on which nobody has signed in yet.
#[derive(Debug, Clone)]
pub struct StaffPage {
    /// Whose staff.
    pub tenant: Arc<Tenant>,
    /// The request's clock.
    pub clock: RequestClock,
    /// The address of whoever sits before it, where that is known.
    pub ip: Option<IpAddr>,
}

impl StaffPage {
    /// As whom it is counted.
    #[must_use]
    pub fn client(&self) -> Client<'_> {
        Client { tenant: &self.tenant, key_hash: NO_KEY, ip: self.ip, clock: self.clock }
    }
}

impl FromRequestParts<App> for StaffPage {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let tenant = named_tenant(app, parts).await?;
        if !is_from(app, &tenant.allowed_origins, &tenant, parts) {
            return Err(not_from_here());
        }
        enter(parts, &tenant)?;
        let clock = request_clock(app, &parts.headers, &tenant)?;
        let ip = parts.extensions.get::<SourceIp>().map(|source| source.0);
        Ok(Self { tenant, clock, ip })
    }
}

/// The tenant that the page names. There is no key from which it could follow.
async fn named_tenant(app: &App, parts: &Parts) -> Result<Arc<Tenant>, ApiError> {
    let refused = |message| ApiError::new(ErrorType::ValidationError).detail(TENANT_HEADER, message);
    let sent = match sent_header(&parts.headers, TENANT_HEADER) {
        None => return Err(refused("is required")),
        Some("") => return Err(refused("must not be empty")),
        Some(sent) => sent,
    };
    let id = whole_number(sent).and_then(|number| TenantId::parse(number).ok()).ok_or_else(not_from_here)?;
    app.tenant(id).await.map_err(|fault| {
        if matches!(fault, AdapterFault::UnknownTenant) { not_from_here() } else { fault.into() }
    })
}

/// The same whether there is no such tenant or it does not know the page.
fn not_from_here() -> ApiError {
    ApiError::new(ErrorType::Forbidden).message("Staff of this tenant cannot sign in from this origin")
}

/// Whoever is signed in, whatever her roles open.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// Whose staff.
    pub tenant: Arc<Tenant>,
    /// Who.
    pub person: StaffMember,
    /// In which session.
    pub token: SessionToken,
}

impl FromRequestParts<App> for SignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let (tenant, sent) = session_of(app, parts).await?.ok_or_else(no_valid_session)?;
        enter(parts, &tenant)?;
        sent.check(request_clock(app, &parts.headers, &tenant)?.now())?;
        if !is_from(app, &tenant.allowed_origins, &tenant, parts) {
            return Err(other_origin("session"));
        }
        check_tenant_header(&parts.headers, &tenant, false)?;
        Ok(Self { tenant, person: sent.found.person, token: sent.token })
    }
}
