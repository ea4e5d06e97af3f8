//! Every route of the service.

use adapters::App;
use axum::Router;
use utoipa_axum::router::OpenApiRouter;

/// The routes of one function.
struct Group {
    /// Its crate.
    function: &'static str,
    router: fn() -> Router<App>,
    described: fn() -> OpenApiRouter<App>,
}

macro_rules! groups {
    ($($function:ident),+ $(,)?) => {
        [$(Group { function: stringify!($function), router: $function::router, described: $function::described }),+]
    };
}

/// The routes of a deployment, by function.
const GROUPS: [Group; 15] = groups![
    events,
    carts,
    entitlements,
    reservations,
    checkout,
    orders,
    order_refunds,
    admission,
    backoffice,
    memberships,
    membership_validation,
    staff,
    onboarding,
    payment_refunds,
    reference,
];

/// Every route of the service on one machine: all functions, and those of the sandbox, which exist only
/// here. The paths of the payments API are answered below `/payments` as well: the shell takes whatever a
/// gateway puts in front of a known path away.
pub fn router() -> Router<App> {
    without_sandbox().merge(crate::sandbox::router())
}

/// Every route that a deployment has.
pub(crate) fn without_sandbox() -> Router<App> {
    GROUPS.iter().fold(Router::new(), |all, group| all.merge((group.router)()))
}

/// Every route of the service on one machine, with its description.
pub fn described() -> OpenApiRouter<App> {
    let functions = GROUPS.iter().fold(OpenApiRouter::new(), |all, group| all.merge((group.described)()));
    functions.merge(crate::sandbox::described())
}

/// A route that a deployment has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeployedRoute {
    /// Its path, with names in braces for what differs from request to request.
    pub path: String,
    /// Its method, in capitals.
    pub method: String,
    /// The crate below `functions/` whose function answers it.
    pub function: &'static str,
}

/// Every route that a deployment has, by path and method, with the function that answers it.
#[must_use]
pub fn deployed_routes() -> Vec<DeployedRoute> {
    let mut all = Vec::new();
    for Group { function, described, .. } in &GROUPS {
        let described = serde_json::to_value(described().into_openapi()).unwrap_or_default();
        for (path, item) in described["paths"].as_object().into_iter().flatten() {
            let methods = item.as_object().into_iter().flat_map(|item| item.keys());
            all.extend(methods.map(|method| DeployedRoute {
                path: path.clone(),
                method: method.to_uppercase(),
                function,
            }));
        }
    }
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::GROUPS;
    use std::collections::BTreeMap;

    /// Merged documents keep one schema of a name, so that another of the same name would be misdescribed.
    #[test]
    fn no_two_groups_describe_different_things_under_one_name() {
        let mut known = BTreeMap::new();
        let functions = GROUPS.iter().map(|group| (group.described)());
        for group in functions.chain([crate::sandbox::described()]) {
            for (name, schema) in group.into_openapi().components.unwrap_or_default().schemas {
                let schema = serde_json::to_value(&schema).unwrap();
                let before = known.entry(name.clone()).or_insert_with(|| schema.clone());
                assert_eq!(*before, schema, "{name}");
            }
        }
    }
}
