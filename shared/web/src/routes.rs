//! The routes of a function: in a router that only answers them, which is what a function runs, or in one that describes
//! them as well (OpenAPI).
//!
//! A description is made of every schema that a route names. A function that is only to answer has neither the time at
//! its start nor the space for it, so it is not even compiled into one.

use adapters::App;
use axum::Router;
use axum::routing::MethodRouter;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

/// Where routes are gathered.
pub trait Routes: Sized {
    /// No routes yet.
    #[must_use]
    fn new() -> Self;

    /// These, and those of one path.
    #[must_use]
    fn routes(self, handlers: impl Handlers) -> Self;

    /// These, and others.
    #[must_use]
    fn merge(self, others: Self) -> Self;
}

/// The handlers of one path, which [`crate::routes!`] makes.
pub trait Handlers {
    /// Their path, and how requests reach them.
    fn answer(self) -> (String, MethodRouter<App>);

    /// The same with their description.
    fn describe(self) -> UtoipaMethodRouter<App>;
}

/// What answers, and what describes.
impl<A, D> Handlers for (A, D)
where
    A: FnOnce() -> (String, MethodRouter<App>),
    D: FnOnce() -> UtoipaMethodRouter<App>,
{
    fn answer(self) -> (String, MethodRouter<App>) {
        (self.0)()
    }

    fn describe(self) -> UtoipaMethodRouter<App> {
        (self.1)()
    }
}

impl Routes for Router<App> {
    fn new() -> Self {
        Self::new()
    }

    fn routes(self, handlers: impl Handlers) -> Self {
        let (path, handlers) = handlers.answer();
        self.route(&path, handlers)
    }

    fn merge(self, others: Self) -> Self {
        self.merge(others)
    }
}

impl Routes for OpenApiRouter<App> {
    fn new() -> Self {
        Self::new()
    }

    fn routes(self, handlers: impl Handlers) -> Self {
        self.routes(handlers.describe())
    }

    fn merge(self, others: Self) -> Self {
        self.merge(others)
    }
}

/// The [`Handlers`] of one path, each with the attribute `utoipa::path`: `routes!(list, create)`.
///
/// What the attribute knows is under a name made of the handler's. The macro of `utoipa_axum` has an arm that makes this
/// name, which is no part of its interface: a new version may need a look.
#[macro_export]
macro_rules! routes {
    ($($first:ident $(:: $rest:ident)*),+ $(,)?) => {
        (
            || {
                use $crate::utoipa_axum::PathItemExt;
                let handlers = ::axum::routing::MethodRouter::new();
                $(
                    let path = $crate::utoipa_axum::routes!(@path [path()] of $first $(:: $rest)*);
                    let methods = $crate::utoipa_axum::routes!(@path [methods()] of $first $(:: $rest)*);
                    let handlers = methods.iter().fold(handlers, |handlers, method| {
                        handlers.on(method.to_method_filter(), $first $(:: $rest)*)
                    });
                )+
                (path, handlers)
            },
            || $crate::utoipa_axum::routes!($($first $(:: $rest)*),+),
        )
    };
}

/// The two routers of a function, from the name of what gathers its routes: `routers!(all)`.
///
/// Both are made in the crate of the function. Whoever only calls them compiles none of its handlers again.
#[macro_export]
macro_rules! routers {
    ($routes:ident) => {
        /// The routes of this group, for a function that answers them.
        pub fn router() -> ::axum::Router<::adapters::App> {
            $routes()
        }

        /// The routes of this group with their description (OpenAPI).
        pub fn described() -> $crate::utoipa_axum::router::OpenApiRouter<::adapters::App> {
            $routes()
        }
    };
}
