//! Addresses in the web that a tenant may name.

use url::{Host, Url};

/// True where nobody reads along: `https`, or `http` on this very machine. Without user, password and fragment.
pub(crate) fn is_safe_address(url: &Url) -> bool {
    let is_near = url.host().map(|host| match host {
        Host::Domain(name) => name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    });
    let is_safe = is_near.is_some_and(|is_near| match url.scheme() {
        "https" => true,
        "http" => is_near,
        _ => false,
    });
    is_safe && url.username().is_empty() && url.password().is_none() && url.fragment().is_none()
}
