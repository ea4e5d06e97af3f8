//! What the shell knows of a request while it runs.

use domain::TenantId;
use domain::cart_request::ClaimProblem;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use store::Calls;

/// The running request, for its log line and its error bodies.
#[derive(Debug)]
pub struct RequestContext {
    /// Names the request to its caller and in the log.
    pub request_id: String,
    /// Set once the caller is known.
    pub tenant: OnceLock<TenantId>,
    /// Why something that the request claims to be does not count, where that is so.
    pub member_message: OnceLock<ClaimProblem>,
    /// Database calls made so far.
    pub calls: Arc<Calls>,
    /// When the request arrived.
    pub started: Instant,
}

impl RequestContext {
    /// The context of a request that just arrived.
    #[must_use]
    pub fn new(request_id: String) -> Arc<Self> {
        Arc::new(Self {
            request_id,
            tenant: OnceLock::new(),
            member_message: OnceLock::new(),
            calls: Arc::default(),
            started: Instant::now(),
        })
    }
}

/// The address the request came from, as the gateway or the local listener saw it.
#[derive(Debug, Clone, Copy)]
pub struct SourceIp(pub IpAddr);
