//! The pages that people use, from inside the program (decision record 0157). They are clients of the interface like any
//! other, so that they stand beside the service and not within it.

use adapters::App;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Json, Router};
use domain::tenant::{ApiKey, ConsumerSite, ProcessorKind, Scope, Tenant};
use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use serde::Serialize;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use web::representation::{is_known, takes_gzip};

/// A file of the pages.
struct PageFile {
    /// Below which path it is served, without the slash in front.
    path: &'static str,
    content_type: &'static str,
    /// A name for its content.
    tag: &'static str,
    plain: &'static [u8],
    gzip: &'static [u8],
}

/// All of them, as they were when the program was built.
const FILES: &[PageFile] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The folders they lie in.
const AREAS: [&str; 4] = ["shop", "desk", "door", "shared"];

/// What is opened in a browser, and what is said of it.
const OPENED: [(&str, &str); 3] =
    [("shop", "Shop"), ("desk", "Desk, for staff"), ("door", "Door, for stewards")];

/// What the pages learn of where they are, in each of their folders.
const CONFIG: &str = "config.json";

/// The only page that other sites may frame.
const FRAMED: &str = "shop/embed.html";

/// The pages on which visitors pay.
const PAYING: [&str; 2] = ["shop/index.html", FRAMED];

/// Where scripts, styles and everything else may come from: from here alone, and pictures from the venue's sites too.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src 'self' data: https:; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors";

/// The same where visitors pay through Stripe: with Stripe's own script, its frames and its interface.
const STRIPE_POLICY: &str = "default-src 'none'; \
     script-src 'self' https://js.stripe.com https://*.js.stripe.com; style-src 'self'; \
     connect-src 'self' https://api.stripe.com; \
     frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com; \
     img-src 'self' data: https:; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors";

/// What the devices of a visitor are good for here: the camera at the door, and nothing else.
const FEATURES: HeaderName = HeaderName::from_static("permissions-policy");
const NO_FEATURES: &str = "camera=(), microphone=(), geolocation=()";
const CAMERA: &str = "camera=(self), microphone=(), geolocation=()";

/// The pages as they are served.
#[derive(Clone)]
struct Pages {
    app: App,
    /// The keys of the venues that they show.
    keys: Arc<[String]>,
}

/// The pages that there are, for the venues of these keys, and behind them the service.
pub(crate) fn before(service: Router, app: &App, keys: Arc<[String]>) -> Router {
    let pages = Pages { app: app.clone(), keys };
    let mut router = Router::new();
    for area in AREAS.into_iter().filter(|area| has_files(area)) {
        router = router
            .route(&format!("/{area}"), get(move || leads_to(area)))
            .route(&format!("/{area}/"), get(answer))
            .route(&format!("/{area}/{{*path}}"), get(answer));
    }
    router.with_state(pages).fallback_service(service)
}

async fn leads_to(area: &'static str) -> Redirect {
    Redirect::temporary(&format!("/{area}/"))
}

fn has_files(area: &str) -> bool {
    FILES.iter().any(|file| file.path.split('/').next() == Some(area))
}

/// The address of the page in a folder, where there is one.
pub(crate) fn site(address: SocketAddr, area: &str) -> Option<ConsumerSite> {
    let address = format!("http://{address}/{area}/");
    ConsumerSite::parse(&address).ok().filter(|_| has_files(area))
}

/// What to open, for people: the pages that there are.
pub(crate) fn greeting(address: SocketAddr) -> impl Iterator<Item = String> {
    let opened = OPENED.into_iter().filter(|(area, _)| has_files(area));
    opened.map(move |(area, name)| format!("{name}: http://{address}/{area}/"))
}

async fn answer(State(pages): State<Pages>, uri: Uri, headers: HeaderMap) -> Response {
    let asked = uri.path().trim_start_matches('/');
    let index = format!("{asked}index.html");
    let wanted = if asked.ends_with('/') { index.as_str() } else { asked };
    let is_config = wanted.split_once('/').is_some_and(|(_, path)| path == CONFIG);
    let venues = if is_config || PAYING.contains(&wanted) { pages.venues().await } else { Ok(Vec::new()) };
    // Nothing is shown half: the page says that it cannot be had now.
    let Ok(venues) = venues else {
        return held(StatusCode::SERVICE_UNAVAILABLE.into_response(), wanted, &[]);
    };
    let response = if is_config {
        Json(PageConfig::of(&venues)).into_response()
    } else {
        // Paths are compared as they were sent, and name a file or nothing: there is no folder to climb out of.
        match FILES.iter().find(|file| file.path == wanted) {
            Some(file) => file.answer(&headers),
            None => (StatusCode::NOT_FOUND, "There is no such page").into_response(),
        }
    };
    held(response, wanted, &venues)
}

/// The answer with what browsers have to hold a page to.
fn held(mut response: Response, wanted: &str, venues: &[ShownVenue]) -> Response {
    let framing: BTreeSet<&str> = venues.iter().flat_map(|venue| venue.origins()).collect();
    let ancestors = match wanted == FRAMED && !framing.is_empty() {
        true => framing.into_iter().fold("'self'".to_owned(), |all, origin| format!("{all} {origin}")),
        false => "'none'".to_owned(),
    };
    let pays_stripe = PAYING.contains(&wanted) && venues.iter().any(ShownVenue::loads_stripe);
    let policy = if pays_stripe { STRIPE_POLICY } else { POLICY };
    let features = if wanted.starts_with("door/") { CAMERA } else { NO_FEATURES };
    let fixed = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-cache"),
        (VARY, "accept-encoding"),
        (FEATURES, features),
    ];
    let headers = response.headers_mut();
    headers.extend(fixed.map(|(name, value)| (name, HeaderValue::from_static(value))));
    let policy = HeaderValue::try_from(format!("{policy} {ancestors}"));
    headers.insert(CONTENT_SECURITY_POLICY, policy.unwrap_or(HeaderValue::from_static("default-src 'none'")));
    response
}

impl PageFile {
    fn answer(&self, headers: &HeaderMap) -> Response {
        let tag = (ETAG, self.tag);
        if is_known(headers, self.tag) {
            return (StatusCode::NOT_MODIFIED, [tag]).into_response();
        }
        let kind = (CONTENT_TYPE, self.content_type);
        // What is packed already, such as a picture, is not packed again.
        if self.gzip.len() < self.plain.len() && takes_gzip(headers) {
            return ([tag, kind, (CONTENT_ENCODING, "gzip")], self.gzip).into_response();
        }
        ([tag, kind], self.plain).into_response()
    }
}

/// A venue that the pages show.
struct ShownVenue {
    key: String,
    tenant: Arc<Tenant>,
}

impl ShownVenue {
    /// Whether its visitors type their cards into Stripe's own fields. Without a key for pages there are none.
    fn loads_stripe(&self) -> bool {
        match &self.tenant.processor {
            ProcessorKind::Sandbox => false,
            ProcessorKind::Stripe(settings) => settings.publishable_key.is_some(),
        }
    }

    /// Where the venue's own pages are, as a browser's policy can name them.
    fn origins(&self) -> impl Iterator<Item = &str> {
        let is_plain = |origin: &&str| !origin.contains([' ', ';', ',', '\'', '*']);
        self.tenant.allowed_origins.iter().map(String::as_str).filter(is_plain)
    }
}

impl Pages {
    /// The venues of the keys that are still good for pages.
    async fn venues(&self) -> Result<Vec<ShownVenue>, adapters::AdapterFault> {
        let mut venues = Vec::new();
        for text in self.keys.iter() {
            let key = self.app.api_key(text).await?;
            let Some(key) = Option::as_ref(&key).filter(|key| is_of_pages(key)) else { continue };
            let tenant = self.app.tenant(key.tenant).await?;
            if !tenant.is_closed() {
                venues.push(ShownVenue { key: text.clone(), tenant });
            }
        }
        Ok(venues)
    }
}

/// Whether a key may be shown to everybody: it opens what pages may, and nothing more.
fn is_of_pages(key: &ApiKey) -> bool {
    !key.revoked && !key.scopes.is_empty() && key.scopes.iter().all(|scope| *scope == Scope::B2cBrowser)
}

/// What the pages learn of where they are.
#[derive(Debug, Serialize)]
struct PageConfig<'a> {
    venues: Vec<PageVenue<'a>>,
    /// Whether none of them takes real money.
    sandbox: bool,
}

/// A venue, and the key that its pages ask with. Such a key is public.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PageVenue<'a> {
    id: i64,
    name: &'a str,
    time_zone: &'static str,
    key: &'a str,
}

impl<'a> PageConfig<'a> {
    fn of(venues: &'a [ShownVenue]) -> Self {
        let shown = |venue: &'a ShownVenue| PageVenue {
            id: venue.tenant.id.get(),
            name: &venue.tenant.name,
            time_zone: venue.tenant.zone.name(),
            key: &venue.key,
        };
        Self {
            sandbox: !venues.is_empty() && venues.iter().all(|venue| venue.tenant.sandbox),
            venues: venues.iter().map(shown).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_key_that_opens_nothing_but_what_pages_may_is_shown() {
        let key = |scopes: &[Scope], revoked| ApiKey {
            tenant: domain::TenantId::parse(7).unwrap(),
            scopes: scopes.iter().copied().collect(),
            origins: BTreeSet::new(),
            mid: None,
            label: String::new(),
            revoked,
        };
        for (key, shown) in [
            (key(&[Scope::B2cBrowser], false), true),
            (key(&[Scope::B2cBrowser], true), false),
            (key(&[Scope::B2cBrowser, Scope::B2b], false), false),
            (key(&[Scope::B2c], false), false),
            (key(&[], false), false),
        ] {
            assert_eq!(is_of_pages(&key), shown, "{key:?}");
        }
    }

    #[test]
    fn every_file_lies_in_a_folder_that_is_served_once_and_has_its_kind() {
        let paths: BTreeSet<&str> = FILES.iter().map(|file| file.path).collect();
        assert_eq!(paths.len(), FILES.len());
        for PageFile { path, content_type, tag, plain, gzip } in FILES {
            assert!(AREAS.iter().any(|area| path.starts_with(&format!("{area}/"))), "{path}");
            assert!(!path.ends_with(CONFIG), "{path} is made by who serves the pages");
            assert!(content_type.contains('/') && tag.starts_with("W/\"") && tag.len() == 36, "{path}");
            assert!(!plain.is_empty() && !gzip.is_empty(), "{path}");
        }
    }
}
