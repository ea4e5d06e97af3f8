//! One spelling per path: with or without a gateway's stage or base path in front, doubled or trailing
//! slashes (contract §1).

/// The first segments of every path the service answers.
const ROOTS: [&str; 11] = [
    "/v2/b2c/",
    "/v2/b2b/",
    "/v2/staff/",
    "/v2/willcall/",
    "/v2/memberships/b2b/",
    "/v1/b2b/",
    "/v1/payment/",
    "/errors",
    "/openapi.json",
    "/docs",
    "/sandbox/",
];

/// A custom domain's base path and a stage may both stand in front.
const MAX_PREFIXES: usize = 2;

/// The path as the routers know it.
#[must_use]
pub fn canonical(path: &str) -> String {
    let mut tidy = String::with_capacity(path.len());
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        tidy.push('/');
        tidy.push_str(segment);
    }
    let mut rest = tidy.as_str();
    for _ in 0..=MAX_PREFIXES {
        if is_known(rest) {
            return rest.to_owned();
        }
        match rest.get(1..).and_then(|inner| inner.find('/')) {
            Some(end) => rest = rest.get(end.saturating_add(1)..).unwrap_or_default(),
            None => break,
        }
    }
    if tidy.is_empty() { "/".to_owned() } else { tidy }
}

fn is_known(path: &str) -> bool {
    ROOTS.iter().any(|root| {
        path.strip_prefix(root.trim_end_matches('/'))
            .is_some_and(|rest| rest.starts_with('/') || (rest.is_empty() && !root.ends_with('/')))
    })
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn stages_base_paths_and_extra_slashes_do_not_change_the_route() {
        for (path, expected) in [
            ("/v2/b2c/carts", "/v2/b2c/carts"),
            ("/v2/b2c/carts/", "/v2/b2c/carts"),
            ("//v2//b2c/carts", "/v2/b2c/carts"),
            ("/prod/v2/b2c/carts", "/v2/b2c/carts"),
            ("/shop/prod/v2/b2c/carts", "/v2/b2c/carts"),
            ("/v2/v2/b2c/carts", "/v2/b2c/carts"),
            ("/prod/v1/b2b/event/instance/rebook/fees/", "/v1/b2b/event/instance/rebook/fees"),
            ("/payments/v1/payment/60417/refund", "/v1/payment/60417/refund"),
            ("/v2/b2c/carts/a%2Fb", "/v2/b2c/carts/a%2Fb"),
            ("/prod/v1/b2b/membership/cards/", "/v1/b2b/membership/cards"),
            ("/a/b/c/v2/b2c/carts", "/a/b/c/v2/b2c/carts"),
            ("/prod/errors", "/errors"),
            ("/errors-of-mine", "/errors-of-mine"),
            ("/docs/index.css", "/docs/index.css"),
            ("/", "/"),
        ] {
            assert_eq!(canonical(path), expected, "{path}");
        }
    }
}
