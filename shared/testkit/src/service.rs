//! A router inside the whole shell, and requests to it.

use crate::answer::Answer;
use crate::ask::{API_KEY, Ask, CLOCK, PAYMENT_KEY, TENANT};
use adapters::App;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use store::Calls;
use tower::ServiceExt;

/// Routes inside the whole shell, each answer of which is held against its description. Says what requests usually
/// have: a key, and perhaps a clock.
#[derive(Clone, Debug)]
pub struct ServedRoutes {
    router: Router,
    key: String,
    now: Option<String>,
}

impl ServedRoutes {
    /// Serves these routes to requests by the holder of this key.
    #[must_use]
    pub fn new(routes: Router<App>, app: &App, key: &str) -> Self {
        let router = web::shell::service(routes.layer(from_fn(note_calls)), app);
        Self { router: conformance::held(router), key: key.to_owned(), now: None }
    }

    /// The same where requests usually choose this clock.
    #[must_use]
    pub fn at(self, now: &str) -> Self {
        Self { now: Some(now.to_owned()), ..self }
    }

    /// The same for other routes, or a process of other means.
    #[must_use]
    pub(crate) fn again(&self, routes: Router<App>, app: &App) -> Self {
        Self { now: self.now.clone(), ..Self::new(routes, app, &self.key) }
    }

    /// Sends a request and waits for the answer, which has to be as it is described.
    pub async fn send(&self, ask: Ask) -> Answer {
        let request = self.request(ask);
        Answer::of(self.router.clone().oneshot(request).await.unwrap()).await
    }

    fn request(&self, ask: Ask) -> Request {
        let Ask { method, path, key, headers, body } = ask;
        let key = key.unwrap_or_else(|| self.key.clone());
        let mut usual = Vec::new();
        if path.contains("/v1/payment/") {
            usual.push((PAYMENT_KEY, key));
        } else {
            let tenant = key.rsplit_once('-').map(|(_, tenant)| tenant.to_owned());
            usual.push((API_KEY, key));
            let names_its_tenant = path.contains("/v2/b2c/");
            usual.extend(tenant.filter(|_| names_its_tenant).map(|tenant| (TENANT, tenant)));
        }
        usual.extend(self.now.clone().map(|now| (CLOCK, now)));
        if body.is_some() {
            usual.push(("content-type", "application/json".to_owned()));
        }
        usual.retain(|(name, _)| !headers.iter().any(|(sent, _)| sent == name));
        let mut request = Request::builder().method(method.as_str()).uri(path);
        for (name, text) in usual {
            request = request.header(name, text);
        }
        for (name, text) in headers.iter().filter(|(_, text)| !text.is_empty()) {
            request = request.header(name, text);
        }
        request.body(body.map_or_else(Body::empty, Body::from)).unwrap()
    }
}

/// Leaves the number of database calls where the test finds it.
async fn note_calls(request: Request, next: Next) -> Response {
    let calls = Calls::current();
    let mut response = next.run(request).await;
    response.extensions_mut().insert(calls.count());
    response
}
