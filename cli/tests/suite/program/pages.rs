//! The pages that the program serves: every file with its headers, and nothing else.

use crate::program::{Running, printed, told};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

/// An answer as it was sent.
struct Sent {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Sent {
    /// Asks for a path as it is written, which no client would tidy.
    fn of(service: &Running, line: &str, headers: &str) -> Self {
        let mut stream = TcpStream::connect(service.address).unwrap();
        write!(stream, "{line} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n{headers}\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head, body: answer[end + 4..].to_vec() }
    }

    fn get(service: &Running, path: &str) -> Self {
        Self::of(service, &format!("GET {path}"), "")
    }

    fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .filter(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
            .next()
            .unwrap_or("")
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

const SHUT: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src 'self' data: https:; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'";

fn check_headers(sent: &Sent, place: &str) {
    for (name, value) in [
        ("content-security-policy", SHUT),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-cache"),
    ] {
        assert_eq!(sent.header(name), value, "{place}");
    }
    let camera = if place.starts_with("/door/") { "camera=(self)" } else { "camera=()" };
    assert!(sent.header("permissions-policy").starts_with(camera), "{place}");
}

/// The content type of a file that is served, by how its name ends.
fn kind_of(path: &str) -> Option<&'static str> {
    Some(match path.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "txt" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        _ => return None,
    })
}

/// The files below a folder, by the paths below which they are served.
fn files(folder: &Path, path: &str, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
        let name = format!("{path}/{}", entry.file_name().to_str().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => files(&entry.path(), &name, found),
            false => found.push((name, std::fs::read(entry.path()).unwrap())),
        }
    }
}

/// All that is served.
fn pages() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for area in ["shop", "desk", "door", "shared"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web").join(area);
        files(&folder, &format!("/{area}"), &mut found);
    }
    found.retain(|(path, _)| kind_of(path).is_some());
    found
}

#[test]
fn every_file_is_served_as_it_is_with_its_headers_and_known_by_its_content() {
    let data = tempfile::tempdir().unwrap();
    let service = Running::with(&["--memory"], data.path());
    let mut tags = BTreeSet::new();
    for (path, content) in pages() {
        let sent = Sent::get(&service, &path);
        assert_eq!((sent.status, sent.body == content), (200, true), "{path}");
        assert_eq!(sent.header("content-type"), kind_of(&path).unwrap(), "{path}");
        if path != "/shop/embed.html" {
            check_headers(&sent, &path);
        }
        let tag = sent.header("etag").to_owned();
        let again = Sent::of(&service, &format!("GET {path}"), &format!("if-none-match: {tag}\r\n"));
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        let packed = Sent::of(&service, &format!("GET {path}"), "accept-encoding: br, gzip\r\n");
        assert!(packed.body.len() <= content.len(), "{path}");
        if packed.header("content-encoding") == "gzip" {
            let mut text = Vec::new();
            flate2::read::GzDecoder::new(&*packed.body).read_to_end(&mut text).unwrap();
            assert_eq!(text, content, "{path}");
        }
        let head = Sent::of(&service, &format!("HEAD {path}"), "");
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
        assert_eq!(Sent::of(&service, &format!("DELETE {path}"), "").status, 405, "{path}");
        tags.insert(tag);
    }
    let contents: BTreeSet<Vec<u8>> = pages().into_iter().map(|(_, content)| content).collect();
    assert_eq!(tags.len(), contents.len(), "one name for each content");
}

#[test]
fn what_is_no_page_is_not_found_and_no_path_leads_out_of_the_pages() {
    let data = tempfile::tempdir().unwrap();
    let service = Running::with(&["--memory"], data.path());
    for area in ["shop", "shared"] {
        for path in [
            "nothing.js",
            "nothing/",
            "../Cargo.toml",
            "../../etc/passwd",
            "%2e%2e/Cargo.toml",
            "..%2fCargo.toml",
            "..\\Cargo.toml",
            "./index.html",
            "/index.html",
            "index.html/",
            "%69ndex.html",
            "index.html%00",
            ".git",
            "config.json/x",
        ] {
            let sent = Sent::get(&service, &format!("/{area}/{path}"));
            assert!(matches!(sent.status, 400 | 404), "{area} {path}: {}", sent.head);
            if sent.status == 404 {
                check_headers(&sent, &format!("/{area}/{path}"));
                assert_eq!(sent.body, b"There is no such page", "{area} {path}");
            }
        }
    }
    // The service itself is where it was, with its own refusals.
    assert_eq!(service.get("/nowhere", "").1["type"], "NOT_FOUND");
    assert_eq!(service.get("/v2/b2c/venue", "demo-browser-1001").1["name"], "Harbor Museum");
}

#[test]
fn a_folder_leads_to_its_first_page() {
    let data = tempfile::tempdir().unwrap();
    let service = Running::with(&["--memory"], data.path());
    let sent = Sent::get(&service, "/shop");
    assert_eq!((sent.status, sent.header("location")), (307, "/shop/"));
    let index = Sent::get(&service, "/shop/");
    assert_eq!(index.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(index.body, Sent::get(&service, "/shop/index.html").body);
}

#[test]
fn pages_learn_whom_they_show_and_a_key_that_everybody_may_know() {
    let data = tempfile::tempdir().unwrap();
    let museum = json!({"id": 1001, "name": "Harbor Museum", "timeZone": "America/New_York", "key": "demo-browser-1001"});
    let zoo =
        json!({"id": 1002, "name": "Bay Zoo", "timeZone": "America/Los_Angeles", "key": "demo-browser-1002"});
    for (arguments, config) in [
        (&["--memory"][..], json!({"venues": [museum, zoo], "sandbox": true})),
        (&["--memory", "--no-demo"], json!({"venues": [], "sandbox": false})),
        // A key that opens more than pages may is shown to nobody, whoever passes it.
        (&["--memory", "--page-key", "demo-b2b-1001"], json!({"venues": [museum, zoo], "sandbox": true})),
    ] {
        let service = Running::with(arguments, data.path());
        let sent = Sent::get(&service, "/shop/config.json");
        assert_eq!((sent.status, sent.json()), (200, config), "{arguments:?}");
        assert_eq!(sent.header("content-type"), "application/json");
        check_headers(&sent, "/shop/config.json");
    }
}

#[test]
fn other_sites_of_the_venue_may_frame_its_embedded_shop_and_nothing_else() {
    let data = tempfile::tempdir().unwrap();
    let service = Running::with(&["--memory"], data.path());
    let framed = Sent::get(&service, "/shop/embed.html");
    let (_, ancestors) = framed.header("content-security-policy").rsplit_once("frame-ancestors ").unwrap();
    assert_eq!(ancestors, "'self' http://127.0.0.1:3000 http://localhost:3000");
    let nobody = Running::with(&["--memory", "--no-demo"], data.path());
    check_headers(&Sent::get(&nobody, "/shop/embed.html"), "/shop/embed.html");
}

#[test]
fn stripe_is_loaded_where_visitors_of_a_venue_pay_through_it_and_nowhere_else() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    printed(&["tenant", "create", "7", "--name", "Pier", "--zone", "America/Chicago"], path);
    let issue = ["key", "issue", "--tenant", "7", "--scope", "b2c-browser", "--label", "shop"];
    let key = printed(&[&issue[..], &["--origin", "https://pier.example"]].concat(), path);
    let policies = || {
        // A venue is remembered for some seconds, so each look is at a service of its own.
        let service = Running::with(&["--no-demo", "--page-key", &key], path);
        let config = Sent::get(&service, "/shop/config.json").json();
        assert_eq!(config["venues"][0]["id"], 7, "{config}");
        for path in ["/desk/", "/door/", "/shop/main.js", "/shop/config.json", "/shop/nothing.html"] {
            check_headers(&Sent::get(&service, path), path);
        }
        ["/shop/", "/shop/index.html", "/shop/embed.html"]
            .map(|path| Sent::get(&service, path).header("content-security-policy").to_owned())
    };
    assert_eq!(policies(), [SHUT; 3]);
    assert!(told(&["processor", "stripe", "--tenant", "7"], "sk_live_51H8vXGjyP", path).0);
    // Nothing is loaded without a key for it.
    assert_eq!(policies(), [SHUT; 3]);
    printed(&["processor", "publishable-key", "--tenant", "7", "pk_live_51H8vXGjyP"], path);
    let stripe = SHUT
        .replace("script-src 'self'", "script-src 'self' https://js.stripe.com https://*.js.stripe.com")
        .replace(
            "connect-src 'self'",
            "connect-src 'self' https://api.stripe.com; \
             frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com",
        );
    assert_eq!(policies(), [stripe.as_str(); 3]);
    let back = printed(&["processor", "sandbox", "--tenant", "7"], path);
    assert!(back.contains("to be set again for Stripe: key, publishable key"), "{back}");
    assert_eq!(policies(), [SHUT; 3]);
}
