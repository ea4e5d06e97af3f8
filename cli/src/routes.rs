//! Every route of the service.

use platform::routes::Routes;

/// Every route of the service on one machine: all functions, and those of the sandbox, which exist only
/// here. The paths of the payments API are answered below `/payments` as well: the shell takes whatever a
/// gateway puts in front of a known path away.
#[must_use]
pub fn routes<R: Routes>() -> R {
    without_sandbox::<R>().merge(crate::sandbox::router())
}

/// Every route that a deployment has.
pub(crate) fn without_sandbox<R: Routes>() -> R {
    groups().into_iter().fold(R::new(), R::merge)
}

/// The groups of routes, one for each function.
fn groups<R: Routes>() -> [R; 13] {
    [
        events::router(),
        carts::router(),
        entitlements::router(),
        reservations::router(),
        checkout::router(),
        orders::router(),
        returns::router(),
        backoffice::router(),
        memberships::router(),
        members::router(),
        onboarding::router(),
        refunds::router(),
        reference::router(),
    ]
}

#[cfg(test)]
mod tests {
    use super::groups;
    use platform::App;
    use std::collections::BTreeMap;
    use utoipa_axum::router::OpenApiRouter;

    /// Merged documents keep one schema of a name, so that another of the same name would be misdescribed.
    #[test]
    fn no_two_groups_describe_different_things_under_one_name() {
        let mut known = BTreeMap::new();
        for group in groups::<OpenApiRouter<App>>().into_iter().chain([crate::sandbox::router()]) {
            for (name, schema) in group.into_openapi().components.unwrap_or_default().schemas {
                let schema = serde_json::to_value(&schema).unwrap();
                let before = known.entry(name.clone()).or_insert_with(|| schema.clone());
                assert_eq!(*before, schema, "{name}");
            }
        }
    }
}
