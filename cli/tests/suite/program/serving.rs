//! How the service on one machine is started, and who reaches it.

use crate::program::{COUNTRIES, Running, printed};
use adapters::clock::wall_now;
use chrono::Days;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

const PAGE: &str = "demo-browser-1001";

/// The slots that are listed for a range, each with its start.
fn slots_listed(service: &Running, from: &str, until: &str) -> BTreeMap<String, String> {
    let path = format!("/v2/b2c/event/templates/times?startTime={from}&endTime={until}");
    let (status, times) = service.get(&path, "demo-b2c-1001");
    assert_eq!(status, 200, "{times}");
    let slots = times.as_array().unwrap().iter().flat_map(|event| event["times"].as_array().unwrap());
    let text = |slot: &Value, field: &str| slot[field].as_str().unwrap().to_owned();
    slots.map(|slot| (text(slot, "id"), text(slot, "startTime"))).collect()
}

/// Slots keep their instants when their venue is said to lie elsewhere. Lists ask for each of them, although schedules make
/// others by then, and none at all at some of these instants.
#[test]
fn slots_stay_listed_when_the_zone_of_their_venue_changes() {
    let document = tempfile::NamedTempFile::new().unwrap();
    let moved = json!({"tenant": {"id": 1001, "timeZone": "America/Denver"}});
    std::fs::write(document.path(), moved.to_string()).unwrap();
    let ahead = |days: u64| (wall_now().date_naive() + Days::new(days)).to_string();
    for change in [
        &["tenant", "set", "1001", "--zone", "America/Denver"][..],
        &["import", document.path().to_str().unwrap()],
    ] {
        let data = tempfile::tempdir().unwrap();
        let before = slots_listed(&Running::start(data.path()), &ahead(1), &ahead(4));
        assert!(before.len() > 20, "{before:?}");
        printed(change, data.path());
        let service = Running::start(data.path());
        for (id, start) in before {
            let found = slots_listed(&service, &start, &start);
            assert!(found.contains_key(&id), "{change:?} lost the slot of {start}");
        }
    }
}

#[test]
fn without_the_demo_there_are_neither_its_keys_nor_the_sandbox() {
    let data = tempfile::tempdir().unwrap();
    // The venues are in the directory already, and their keys are in the README.
    drop(Running::start(data.path()));
    for (arguments, key, sandbox) in [
        (&[][..], 200, 200),
        (&["--no-demo"], 401, 404),
        (&["--no-demo", "--sandbox"], 401, 200),
        (&["--sandbox"], 200, 200),
    ] {
        let service = Running::with(arguments, data.path());
        assert_eq!(service.get(COUNTRIES, "demo-b2b-1001").0, key, "{arguments:?}");
        for path in ["/sandbox/outbox", "/sandbox/processor"] {
            assert_eq!(service.get(path, "").0, sandbox, "{arguments:?} {path}");
        }
        let cleanup = service.post("/sandbox/cleanup", "", "", "").0;
        assert_eq!(cleanup, sandbox, "{arguments:?}");
        if key == 401 && sandbox == 200 {
            assert_eq!(service.get("/sandbox/outbox", "demo-b2b-1001").0, 401);
        }
    }
    let fresh = tempfile::tempdir().unwrap();
    drop(Running::with(&["--no-demo"], fresh.path()));
    assert!(!printed(&["tenant", "list"], fresh.path()).contains("1001"));
    drop(Running::start(fresh.path()));
    assert!(printed(&["tenant", "list"], fresh.path()).contains("1001"));
}

#[test]
fn without_the_demo_its_mails_and_payments_are_not_shown() {
    let data = tempfile::tempdir().unwrap();
    let listed = |service: &Running, path: &str| {
        let (status, body) = service.get(path, "");
        assert_eq!(status, 200, "{path}");
        body.as_array().unwrap().clone()
    };
    let service = Running::start(data.path());
    buy(&service);
    // The link to sign in by is sent beside what is asked for.
    let mails = (0..20_000).map(|_| listed(&service, "/sandbox/outbox")).find(|mails| !mails.is_empty());
    let delivery = mails.unwrap()[0]["deliveryId"].as_str().unwrap().to_owned();
    assert!(!listed(&service, "/sandbox/processor").is_empty());
    drop(service);
    let message = format!("/sandbox/outbox/{delivery}");
    for (arguments, is_shown) in [(&["--no-demo", "--sandbox"][..], false), (&["--sandbox"], true)] {
        let service = Running::with(arguments, data.path());
        for path in ["/sandbox/outbox", "/sandbox/processor"] {
            assert_eq!(!listed(&service, path).is_empty(), is_shown, "{arguments:?} {path}");
        }
        assert_eq!(service.get(&message, "").0, if is_shown { 200 } else { 404 }, "{arguments:?}");
    }
}

#[test]
fn the_page_of_the_interface_carries_the_keys_of_the_demo_only_where_they_are_good() {
    for (arguments, expected) in [
        (&["--memory"][..], true),
        (&["--memory", "--no-demo"], false),
        (&["--memory", "--no-demo", "--sandbox"], false),
    ] {
        let data = tempfile::tempdir().unwrap();
        let service = Running::with(arguments, data.path());
        let mut stream = TcpStream::connect(service.address).unwrap();
        write!(stream, "GET /docs HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n").unwrap();
        let mut page = String::new();
        stream.read_to_string(&mut page).unwrap();
        assert!(
            page.starts_with("HTTP/1.1 200") && page.contains("SwaggerUIBundle"),
            "{arguments:?}: {page}"
        );
        assert_eq!(page.contains("demo-"), expected, "{arguments:?}: {page}");
    }
}

#[test]
fn pages_of_the_sandbox_itself_may_call_it_on_whatever_port_it_runs() {
    let data = tempfile::tempdir().unwrap();
    let service = Running::start(data.path());
    let port = service.address.port();
    assert_ne!(port, 3000);
    for (origin, status) in [
        (format!("http://127.0.0.1:{port}"), 200),
        (format!("http://localhost:{port}"), 200),
        ("http://localhost:3000".to_owned(), 200),
        (format!("https://127.0.0.1:{port}"), 403),
        (format!("http://127.0.0.1:{}", port ^ 1), 403),
        (format!("http://attacker.example:{port}"), 403),
    ] {
        let (answered, body) = service.post("/v2/b2c/carts", "{}", PAGE, &format!("origin: {origin}\r\n"));
        assert_eq!(answered, status, "{origin}: {body}");
    }
}

#[test]
fn the_bare_address_leads_to_the_page_of_the_interface() {
    let data = tempfile::tempdir().unwrap();
    let service = Running::start(data.path());
    assert_eq!(service.get("/", "").0, 307);
    assert_eq!(service.post("/", "{}", "", "").0, 405);
}

#[test]
fn what_to_open_first_is_said_below_the_line_for_programs() {
    for (arguments, expected) in [(&[][..], "demo-b2c-1001"), (&["--no-demo"], "tenant create")] {
        let data = tempfile::tempdir().unwrap();
        let mut command =
            crate::program::boxoffice(&[&["serve", "--port", "0"], arguments].concat(), data.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = lines.next().unwrap().unwrap();
        let address = ready.strip_prefix("ready ").unwrap().to_owned();
        let below: Vec<String> = lines.by_ref().take(2).map(Result::unwrap).collect();
        let _ = child.kill();
        let _ = child.wait();
        assert!(below[0].starts_with(&format!("Start at {address}/docs:")), "{below:?}");
        assert!(below[1].contains(expected), "{below:?}");
    }
}

/// Two thousand connections that say nothing, more than most shells let a process open.
#[test]
fn silent_connections_leave_a_purchase_undisturbed() {
    const SILENT: usize = 2_000;
    let data = tempfile::tempdir().unwrap();
    // With less room than there are connections, whatever the machine allows.
    for room in ["4000", "500"] {
        let service = Running::with(&["--connections", room], data.path());
        let mut silent = Vec::new();
        while silent.len() < SILENT {
            match TcpStream::connect(service.address) {
                Ok(stream) => silent.push(stream),
                // This process has no more files to open; those it has are enough for the smaller room.
                Err(_) => break,
            }
        }
        silent.truncate(silent.len().saturating_sub(20));
        assert!(silent.len() > 500, "only {} connections", silent.len());
        let began = std::time::Instant::now();
        buy(&service);
        assert!(began.elapsed() < Duration::from_secs(20), "it took {:?}", began.elapsed());
    }
}

/// A purchase, from the list of slots to the order.
fn buy(service: &Running) {
    let key = "demo-b2c-1001";
    let (status, slot) = service.get("/v2/b2c/events/1001ee000000000000000001/nextAvailable", key);
    assert_eq!(status, 200, "{slot}");
    let line = json!({ "eventId": slot["id"], "ticketingTypeId": "1001aa000000000000000001", "quantity": 1 });
    let checkout = json!({ "shoppingCart": { "items": [line] }, "billingEmail": "ines@example.org",
        "billingZipCode": "10004", "manualEntryCardNumber": card(service), "expDate": "1230", "cvc": "123" });
    let ip = "x-service-browser-ip: 203.0.113.24\r\n";
    let (status, order): (u16, Value) = service.post("/v2/b2c/checkout", &checkout.to_string(), key, ip);
    assert_eq!(status, 200, "{order}");
}

/// The same card does not pay the same again at once.
fn card(service: &Running) -> &'static str {
    let (_, seen) = service.get("/sandbox/processor", "");
    if seen.as_array().is_some_and(Vec::is_empty) { "4242424242424242" } else { "4111111111111111" }
}
