//! The program as people run it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper fails its test by panicking")]

mod directory;
mod pages;
mod persons;
mod serving;
#[cfg(target_os = "linux")]
mod soak;
mod upgrade;

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

fn boxoffice(arguments: &[&str], data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_boxoffice"));
    command.args(arguments).arg("--data").arg(data).stdin(Stdio::null());
    for name in ["BOXOFFICE_TABLE_PREFIX", "BOXOFFICE_VAULT_KEY_ID", "RUST_LOG"] {
        command.env_remove(name);
    }
    command
}

fn run(arguments: &[&str], data: &Path) -> Output {
    boxoffice(arguments, data).output().unwrap()
}

/// What a command that must succeed prints.
fn printed(arguments: &[&str], data: &Path) -> String {
    let output = run(arguments, data);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// The one line a command that must fail complains with.
fn complaint(arguments: &[&str], data: &Path) -> String {
    let output = run(arguments, data);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    assert!(output.stdout.is_empty());
    let text = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1, "{text}");
    lines[0].to_owned()
}

/// A service that runs until it is dropped.
struct Running {
    child: Child,
    address: SocketAddr,
}

impl Running {
    fn start(data: &Path) -> Self {
        Self::with(&[], data)
    }

    /// Started with more arguments.
    fn with(arguments: &[&str], data: &Path) -> Self {
        let mut command = boxoffice(&[&["serve", "--port", "0"], arguments].concat(), data);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        Self::from(command)
    }

    fn from(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("ready http://").unwrap_or_else(|| panic!("it said {line:?}"));
        Self { address: address.trim_end().parse().unwrap(), child }
    }

    /// Status and JSON body of an answer.
    fn get(&self, path: &str, key: &str) -> (u16, Value) {
        self.answer(&format!("GET {path}"), key, "\r\n")
    }

    /// The same of a write, with more headers, each with its line end.
    fn post(&self, path: &str, body: &str, key: &str, headers: &str) -> (u16, Value) {
        let length = body.len();
        let rest =
            format!("{headers}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}");
        self.answer(&format!("POST {path}"), key, &rest)
    }

    fn answer(&self, route: &str, key: &str, rest: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let tenant = if key.starts_with("demo-b2c") || key.starts_with("demo-browser") {
            "x-b2c-tenant-id: 1001\r\n"
        } else {
            ""
        };
        let key =
            if key.is_empty() { String::new() } else { format!("x-service-api-key: {key}\r\n{tenant}") };
        write!(stream, "{route} HTTP/1.1\r\nhost: test\r\n{key}connection: close\r\n{rest}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        (status, serde_json::from_str(body).unwrap_or_default())
    }

    /// Asks the process to end, as a terminal or a supervisor does, and waits until it has.
    #[cfg(unix)]
    fn stop(mut self, signal: &str) {
        let kill = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const COUNTRIES: &str = "/v2/b2b/locations/avs/countries";

#[cfg(unix)]
#[test]
fn a_fresh_service_knows_the_demo_venues_and_keeps_what_is_changed_over_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let service = Running::start(data.path());
    assert_eq!(service.get(COUNTRIES, "demo-b2b-1001").0, 200);
    assert_eq!(service.get(COUNTRIES, "demo-b2b-1002").0, 200);
    assert_eq!(service.get(COUNTRIES, "demo-b2c-1001").0, 403);
    // Settings are changed beside the running service.
    printed(&["tenant", "set", "1001", "--name", "Harbor Maritime Museum"], data.path());
    service.stop("-TERM");

    let service = Running::start(data.path());
    assert_eq!(service.get(COUNTRIES, "demo-b2b-1001").0, 200);
    let shown = printed(&["tenant", "show", "1001"], data.path());
    assert!(shown.contains("Harbor Maritime Museum"));
    // A sandbox has a hundred times the defaults, until it says otherwise.
    assert!(shown.contains("  logins-per-address             6000 within 600 s\n"), "{shown}");
    let set = |rate: &str| printed(&["tenant", "set", "1001", "--limit", rate], data.path());
    assert!(set("logins-per-address=7/60").contains("7 within 60 s, set for this tenant"));
    assert!(!set("logins-per-address=default").contains("set for this tenant"));
    service.stop("-INT");
}

#[test]
fn a_currency_is_chosen_until_something_is_sold() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    let create = ["tenant", "create", "7", "--name", "Pier", "--zone", "Europe/Paris", "--currency", "eur"];
    assert!(printed(&create, path).contains("currency           EUR"));
    for (code, reason) in [("JPY", "this one has none"), ("KWD", "this one has three"), ("DEM", "ISO 4217")] {
        let refused = run(&["tenant", "set", "7", "--currency", code], path);
        assert_eq!(refused.status.code(), Some(2), "{code}");
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(reason), "{said}");
    }
    // Nobody serves it, so that nothing is sold meanwhile.
    assert!(printed(&["tenant", "set", "7", "--currency", "SEK"], path).contains("currency           SEK"));
    let service = Running::start(path);
    let said = complaint(&["tenant", "set", "7", "--currency", "EUR"], path);
    assert!(said.contains("close it first"), "{said}");
    printed(&["tenant", "close", "7"], path);
    let said = complaint(&["tenant", "set", "7", "--currency", "EUR"], path);
    assert!(said.contains("try again in"), "{said}");
    // What stays as it is, is no change.
    printed(&["tenant", "set", "7", "--currency", "SEK"], path);
    let gift = r#"{"shoppingCart": {"items": [{"inventoryId": 1001003, "quantity": 1, "type": "donation",
        "unitPrice": "10.00"}]}, "billingEmail": "buyer@example.test", "billingZipCode": "10004",
        "manualEntryCardNumber": "4242424242424242", "expDate": "1239", "cvc": "123"}"#;
    let from = "x-service-browser-ip: 203.0.113.24\r\n";
    let (status, order) = service.post("/v2/b2c/checkout", gift, "demo-b2c-1001", from);
    assert_eq!((status, &order["currency"]), (200, &Value::from("USD")), "{order}");
    drop(service);
    let said = complaint(&["tenant", "set", "1001", "--currency", "EUR"], path);
    assert!(said.contains("has sold in USD"), "{said}");
    assert!(
        printed(&["tenant", "set", "1002", "--currency", "EUR"], path).contains("currency           EUR")
    );
}

#[test]
fn a_live_tenant_begins_with_tokens_alone_and_buyers_have_half_an_hour_at_most() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    let live = printed(&["tenant", "create", "7", "--name", "Pier", "--zone", "Europe/Paris"], path);
    assert!(live.contains("card numbers       not taken, tokens only"), "{live}");
    assert!(live.contains("asked buyers       600 s"), "{live}");
    let sandbox = ["tenant", "create", "8", "--name", "Quay", "--zone", "Europe/Paris", "--sandbox"];
    assert!(printed(&sandbox, path).contains("card numbers       taken"));
    for secs in ["59", "1801"] {
        assert_eq!(run(&["tenant", "set", "7", "--challenge-secs", secs], path).status.code(), Some(2));
    }
    let set = printed(&["tenant", "set", "7", "--raw-cards", "yes", "--challenge-secs", "1800"], path);
    assert!(set.contains("card numbers       taken"), "{set}");
    assert!(set.contains("asked buyers       1800 s"), "{set}");
}

#[test]
fn an_issued_key_opens_its_scope_until_it_is_revoked() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    printed(&["tenant", "create", "7", "--name", "Pier", "--zone", "America/Chicago"], path);
    let key = printed(&["key", "issue", "--tenant", "7", "--scope", "b2b", "--label", "office"], path);
    assert_eq!(key.len(), "bxo_".len() + 48);
    let listed = printed(&["key", "list", "--tenant", "7"], path);
    assert!(!listed.contains(&key));
    let door = printed(&["key", "issue", "--tenant", "7", "--scope", "door", "--label", "gate"], path);
    let both = ["key", "issue", "--tenant", "7", "--scope", "door", "--scope", "counter", "--label", "till"];
    let till = printed(&both, path);
    assert!(printed(&["key", "list", "--tenant", "7"], path).contains("door,counter"));
    let id = listed.lines().nth(1).unwrap().split(' ').next().unwrap().to_owned();

    let service = Running::start(path);
    assert_eq!(service.get(COUNTRIES, &key).0, 200);
    assert_eq!(service.get("/v2/b2c/orders/search", &key).0, 403);
    assert_eq!(service.get(COUNTRIES, &door).0, 403);
    assert_eq!(service.get(COUNTRIES, &till).0, 200);
    assert_eq!(service.get(COUNTRIES, "bxo_unknown").0, 401);
    drop(service);

    printed(&["key", "revoke", "--tenant", "7", &id], path);
    assert!(printed(&["key", "list", "--tenant", "7"], path).contains("revoked"));
    let service = Running::start(path);
    assert_eq!(service.get(COUNTRIES, &key).0, 401);
}

#[test]
fn the_sandbox_shows_no_live_tenant() {
    let data = tempfile::tempdir().unwrap();
    printed(&["tenant", "create", "7", "--name", "Pier", "--zone", "America/Chicago"], data.path());
    let key = printed(&["key", "issue", "--tenant", "7", "--scope", "b2b", "--label", "office"], data.path());
    let service = Running::start(data.path());
    for path in ["/sandbox/outbox", "/sandbox/processor"] {
        assert_eq!(service.get(path, "").0, 200, "{path}");
        assert_eq!(service.get(path, "demo-b2c-1001").0, 200, "{path}");
        assert_eq!(service.get(path, &key).0, 403, "{path}");
        assert_eq!(service.get(path, "bxo_unknown").0, 401, "{path}");
    }
}

#[test]
fn a_merchant_charges_once_it_is_approved_and_has_a_rate_card() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    printed(&["tenant", "create", "7", "--name", "Pier", "--zone", "America/Chicago", "--sandbox"], path);
    printed(&["merchant", "create", "--tenant", "7", "60500", "--name", "Pier shop"], path);
    printed(
        &["merchant", "set-rate-card", "--tenant", "7", "60500", "--percent", "2.90", "--fixed", "0.30"],
        path,
    );
    printed(&["merchant", "approve", "--tenant", "7", "60500"], path);
    let listed = printed(&["merchant", "list", "--tenant", "7"], path);
    assert!(listed.contains("Approved") && listed.contains("% + 0.30"), "{listed}");
    let declined = printed(&["merchant", "decline", "--tenant", "7", "60500"], path);
    assert!(declined.contains("Declined") && declined.contains("% + 0.30"), "{declined}");
    printed(&["merchant", "approve", "--tenant", "7", "60500"], path);
    let key = printed(
        &["key", "issue", "--tenant", "7", "--scope", "payment", "--mid", "60500", "--label", "refunds"],
        path,
    );
    assert!(key.starts_with("bxo_"));
}

#[test]
fn a_directory_that_was_named_by_mistake_stays_as_it_is() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path().join("typo");
    for command in [&["verify"][..], &["merchant", "list", "--tenant", "7"], &["export", "--tenant", "7"]] {
        let (is_done, text) = told(command, "", &path);
        assert!(!is_done && text.contains("there is no database in"), "{text}");
        assert!(!path.exists(), "{command:?}");
    }
}

#[test]
fn a_database_that_lost_its_key_gets_no_other() {
    let data = tempfile::tempdir().unwrap();
    let (path, key) = (data.path(), data.path().join("vault.key"));
    printed(&["tenant", "create", "7", "--name", "Pier", "--zone", "America/Chicago"], path);
    std::fs::remove_file(&key).unwrap();
    for command in [&["tenant", "list"][..], &["serve", "--port", "0"]] {
        let (is_done, text) = told(command, "", path);
        assert!(!is_done && text.contains("vault.key is missing"), "{text}");
        assert!(!key.exists(), "{command:?}");
    }
}

#[test]
fn no_merchant_takes_the_place_of_another_unless_that_is_said() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    let merchant = |command: &str, mid: &str, more: &[&str]| -> (bool, String) {
        told(&[&["merchant", command, "--tenant", "7", mid], more].concat(), "", path)
    };
    let card = ["--percent", "2.90", "--fixed", "0.30"];
    let replacing = [&card[..], &["--replace"]].concat();
    let refused = "merchant 60500 charges the sales of tenant 7, and 60400 would take its place";
    printed(&["tenant", "create", "7", "--name", "Pier", "--zone", "America/Chicago", "--sandbox"], path);
    for (command, mid, more, said) in [
        ("create", "60400", &["--name", "Pier cafe"][..], "Pending"),
        ("create", "60500", &["--name", "Pier shop"], "Pending"),
        ("create", "60600", &["--name", "Pier tours"], "Pending"),
        ("set-rate-card", "60400", &card, "Pending"),
        ("set-rate-card", "60500", &card, "Pending"),
        ("approve", "60500", &[], "Approved"),
        ("set-rate-card", "60500", &card, "Approved"),
        // It comes behind.
        ("set-rate-card", "60600", &card, "Pending"),
        ("approve", "60600", &[], "Approved"),
        ("approve", "60400", &[], refused),
        ("set-rate-card", "60400", &card, refused),
        ("set-rate-card", "60400", &replacing, "Pending"),
        ("approve", "60400", &["--replace"], "Approved"),
        ("approve", "60500", &[], "Approved"),
    ] {
        let (is_done, text) = merchant(command, mid, more);
        assert_eq!((is_done, text.contains(said)), (said != refused, true), "{command} {mid}: {text}");
    }
}

/// What a command that reads standard input prints, on both outputs, and whether it succeeded.
fn told(arguments: &[&str], input: &str, data: &Path) -> (bool, String) {
    let mut command = boxoffice(arguments, data);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn a_tenant_charges_through_stripe_by_a_key_that_is_never_shown_or_stored() {
    const KEY: &str = "sk_live_canary51H8vXGjyP";
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    printed(&["tenant", "create", "7", "--name", "Pier", "--zone", "America/Chicago"], path);
    printed(&["merchant", "create", "--tenant", "7", "60500", "--name", "Pier shop"], path);
    let set = ["processor", "stripe", "--tenant", "7"];
    for (input, complaint) in [
        ("", "has no secret key"),
        ("pk_live_1", "has no secret key"),
        ("sk_test_1", "a live tenant needs a live key"),
    ] {
        let (succeeded, said) = told(&set, input, path);
        assert!(!succeeded && said.contains(complaint), "{said}");
    }
    let elsewhere = ["processor", "stripe", "--tenant", "7", "--address", "http://127.0.0.1:8420"];
    assert!(told(&elsewhere, KEY, path).1.contains("Stripe's own address only"));
    assert!(printed(&["processor", "show", "--tenant", "7"], path).contains("sandbox"));

    let (succeeded, said) = told(&set, &format!("{KEY}\n"), path);
    assert!(succeeded && said.contains("https://api.stripe.com") && !said.contains("canary"), "{said}");
    let connect = ["processor", "connect", "--tenant", "7", "60500", "acct_1032D82eZvKYlo2C"];
    assert!(printed(&connect, path).contains("acct_1032D82eZvKYlo2C"));
    let unknown = ["processor", "connect", "--tenant", "7", "60501", "acct_1032D82eZvKYlo2C"];
    assert!(complaint(&unknown, path).contains("no merchant 60501"));
    // Another key keeps the accounts.
    assert!(told(&set, "rk_live_canary2", path).1.contains("acct_1032D82eZvKYlo2C"));

    let shown =
        [&["tenant", "show", "7"][..], &["processor", "show", "--tenant", "7"], &["export", "--tenant", "7"]];
    for command in shown {
        let text = printed(command, path);
        assert!(!text.contains("canary") && !text.contains("sealed"), "{text}");
    }
    assert!(printed(&["tenant", "show", "7"], path).contains("Stripe"));
    for file in std::fs::read_dir(path).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(6).any(|part| part == b"canary"), "the key lies open in a file");
    }
    assert!(!printed(&["processor", "disconnect", "--tenant", "7", "60500"], path).contains("acct_"));
    let back = printed(&["processor", "sandbox", "--tenant", "7"], path);
    assert!(back.contains("sandbox") && back.ends_with("to be set again for Stripe: key"), "{back}");
    assert!(!printed(&["processor", "sandbox", "--tenant", "7"], path).contains("again"));
    assert!(complaint(&connect, path).contains("does not charge through Stripe"));
}

#[cfg(unix)]
#[test]
fn a_new_key_of_the_vault_leaves_what_was_sealed_before_readable() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    Running::start(path).stop("-TERM");
    let said = printed(&["vault", "rotate"], path);
    assert!(said.contains("new key"), "{said}");
    assert_eq!(std::fs::metadata(path.join("vault.key")).unwrap().len(), 64);
    // A tenant's sealed hash key is needed for every cart; a new tenant's is sealed under the new key.
    printed(&["tenant", "create", "7", "--name", "Pier", "--zone", "America/Chicago"], path);
    let service = Running::start(path);
    assert_eq!(service.get(COUNTRIES, "demo-b2b-1001").0, 200);
    service.stop("-TERM");
    assert!(complaint(&["vault", "rotate", "--vault-key", "alias/x"], path).contains("rotated by KMS"));
}

#[test]
fn a_made_up_venue_is_moved_from_one_database_to_another() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let documents = tempfile::tempdir().unwrap();
    let file = documents.path().join("venue.json");
    let path = file.to_str().unwrap();
    let made = run(&["demo", "--templates", "6", "--days", "20", "--seed", "9"], here.path()).stdout;
    std::fs::write(&file, &made).unwrap();
    let said = printed(&["import", path], here.path());
    assert!(said.contains("eventTemplates: 6 created"), "{said}");
    let exported = run(&["export", "--tenant", "2001", "--format", "csv"], here.path()).stdout;
    let table = documents.path().join("venue.csv");
    std::fs::write(&table, &exported).unwrap();
    let output = run(&["import", table.to_str().unwrap()], there.path());
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(run(&["export", "--tenant", "2001", "--format", "csv"], there.path()).stdout, exported);
    assert!(complaint(&["export", "--tenant", "8"], here.path()).contains("there is no tenant 8"));
    std::fs::write(&table, "record,colour\n").unwrap();
    let said = complaint(&["import", table.to_str().unwrap()], there.path());
    assert!(said.contains("line 1: there is no column"), "{said}");
}

#[test]
fn a_tenant_is_archived_when_nothing_writes_to_it_any_more() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = here.path();
    let (key, file) = (path.join("move.key"), path.join("pier.boxoffice"));
    let (key, file) = (key.to_str().unwrap(), file.to_str().unwrap());
    let archive = ["archive", "--tenant", "7", "--key", key];
    printed(&["tenant", "create", "7", "--name", "Pier", "--zone", "America/Chicago"], path);
    let office = printed(&["key", "issue", "--tenant", "7", "--scope", "b2b", "--label", "office"], path);
    assert!(complaint(&archive, path).contains("tenant 7 is open; close it first"));
    let said = printed(&["tenant", "close", "7"], path);
    assert!(said.starts_with("tenant 7 is closed; requests that began before will have ended by "), "{said}");
    assert!(printed(&["tenant", "list"], path).contains("closed"));
    let service = Running::start(path);
    assert_eq!(service.get(COUNTRIES, &office).0, 503);
    let said = complaint(&archive, path);
    assert!(said.contains("before tenant 7 was closed may still write; try again in "), "{said}");
    drop(service);
    assert!(!std::fs::exists(key).unwrap());

    let archived = run(&archive, path);
    assert!(archived.status.success(), "{}", String::from_utf8_lossy(&archived.stderr));
    assert_eq!(
        String::from_utf8(archived.stderr).unwrap(),
        "tenant 7: 0 carts, 3 catalog, 0 members, 0 merchants, 0 orders, 0 reservations\n"
    );
    std::fs::write(file, archived.stdout).unwrap();
    let restore = ["restore", file, "--key", key];
    let said = complaint(&["restore", file, "--key", "no-such.key"], there.path());
    assert!(said.contains("the key file no-such.key cannot be read"), "{said}");
    assert!(complaint(&restore, path).contains("this database already has a tenant 7"));
    assert!(printed(&restore, there.path()).contains("tenant 7 is restored: 0 carts, 3 catalog"));
    assert!(printed(&restore, there.path()).contains("was restored from this archive before"));
    assert_eq!(printed(&["tenant", "open", "7"], there.path()), "tenant 7 is open");
    let service = Running::start(there.path());
    assert_eq!(service.get(COUNTRIES, &office).0, 200);
    drop(service);
    assert!(complaint(&restore, there.path()).contains("this database already has a tenant 7"));
}

#[tokio::test]
async fn verifying_says_by_its_exit_code_whether_all_agrees() {
    let data = tempfile::tempdir().unwrap();
    printed(&["tenant", "create", "7", "--name", "Pier", "--zone", "America/Chicago"], data.path());
    let said = printed(&["verify", "--tenant", "7"], data.path());
    assert!(
        said.starts_with("0 findings among 0 orders, 0 tickets") && said.ends_with(" orders/s"),
        "{said}"
    );
    // A coupon that was used in an order there is not.
    let store = store::Store::new(
        engine::Embedded::file(data.path().join("boxoffice.db")).unwrap().client(),
        "boxoffice-",
    );
    let coupon = domain::CouponId::parse("pier").unwrap();
    let key = store::Key::coupon_uses(domain::TenantId::parse(7).unwrap(), &coupon);
    let mut used = store::Expression::new();
    used.assign("used", store::number(2));
    store.write(&key, store::Action::Update(used)).await.unwrap().unwrap();
    for (arguments, code) in
        [(&["verify"][..], 1), (&["verify", "--tenant", "7"], 1), (&["verify", "--tenant", "8"], 2)]
    {
        let output = run(arguments, data.path());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        let (out, err) = (output.stdout, output.stderr);
        let (out, err) = (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap());
        match code {
            1 => assert!(
                out.starts_with(
                    "tenant 7: uses of coupon pier: the count is 2, and orders have 0\n1 finding among"
                ),
                "{out}"
            ),
            _ => assert_eq!((out.as_str(), err.as_str()), ("", "boxoffice: there is no tenant 8\n")),
        }
    }
}

#[test]
fn what_cannot_be_done_is_said_in_one_line() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    printed(&["tenant", "create", "7", "--name", "Pier", "--zone", "America/Chicago"], path);
    for (arguments, expected) in [
        (&["tenant", "create", "7", "--name", "Pier", "--zone", "UTC"][..], "tenant 7 already exists"),
        (&["tenant", "show", "8"], "there is no tenant 8"),
        (&["key", "issue", "--tenant", "8", "--scope", "b2b", "--label", "x"], "there is no tenant 8"),
        (&["key", "issue", "--tenant", "7", "--scope", "b2c-browser", "--label", "x"], "origins"),
        (&["key", "issue", "--tenant", "7", "--scope", "payment", "--label", "x"], "merchant id"),
        (
            &[
                "key",
                "issue",
                "--tenant",
                "7",
                "--scope",
                "b2c",
                "--scope",
                "b2c-browser",
                "--origin",
                "https://a.example",
                "--label",
                "x",
            ],
            "no other scope",
        ),
        (
            &["key", "issue", "--tenant", "7", "--scope", "payment", "--mid", "1", "--label", "x"],
            "no merchant 1",
        ),
        (&["key", "revoke", "--tenant", "7", "000000000000"], "has no key"),
        (&["merchant", "approve", "--tenant", "7", "60417"], "no merchant 60417"),
        (&["import", "no-such-file.json"], "no-such-file.json cannot be read"),
        (&["serve", "--endpoint", "http://127.0.0.1:1"], "database of its own"),
        (&["tenant", "list", "--aws"], "--vault-key"),
    ] {
        let said = complaint(arguments, path);
        assert!(said.starts_with("boxoffice: ") && said.contains(expected), "{arguments:?}: {said}");
    }
}

#[test]
fn unreadable_arguments_are_refused_before_anything_is_done() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path().join("never-made");
    for arguments in [
        &["serve", "--port", "65536"][..],
        &["tenant", "create", "0", "--name", "x", "--zone", "UTC"],
        &["tenant", "create", "7", "--name", "x", "--zone", "Mars/Olympus"],
        &["tenant", "set", "7", "--hold-secs", "1801"],
        &["tenant", "set", "7", "--origin", "https://shop.example/path"],
        &["key", "issue", "--tenant", "7", "--scope", "admin", "--label", "x"],
        &["key", "issue", "--tenant", "7", "--scope", "b2b", "--label", " staff:1"],
        &["merchant", "set-rate-card", "--tenant", "7", "60417", "--percent", "2.9", "--fixed", "0.305"],
        &["no-such-command"],
    ] {
        assert_eq!(run(arguments, &path).status.code(), Some(2), "{arguments:?}");
        assert!(!path.exists(), "{arguments:?}");
    }
}

#[test]
fn a_port_a_directory_or_data_in_use_end_the_start_with_one_line() {
    let data = tempfile::tempdir().unwrap();
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = busy.local_addr().unwrap().port().to_string();
    let said = complaint(&["serve", "--port", &port], data.path());
    assert!(said.contains(&format!("port {port} cannot be used")), "{said}");

    let file = data.path().join("a-file");
    std::fs::write(&file, "").unwrap();
    let said = complaint(&["serve", "--port", "0"], &file);
    assert!(said.contains("cannot be used"), "{said}");

    let _service = Running::start(data.path());
    let said = complaint(&["serve", "--port", "0"], data.path());
    assert!(said.contains("another process is already using the data directory"), "{said}");
}

#[test]
fn the_documents_can_be_printed_anywhere() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path().join("never-made");
    let document: Value = serde_json::from_str(&printed(&["openapi"], &path)).unwrap();
    assert_eq!(document["info"]["title"], "Boxoffice");
    assert_eq!(printed(&["errors"], &path), boxoffice::error_table().trim_end());
    assert_eq!(printed(&["routes"], &path), boxoffice::route_table().trim_end());
    assert!(!path.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn tenants_are_kept_in_any_dynamodb() {
    let address = boxoffice::dynamodb_endpoint(engine::Embedded::memory().unwrap()).await.unwrap();
    let data = tempfile::tempdir().unwrap();
    let endpoint = format!("http://{address}");
    let remote = |arguments: &[&str]| {
        let mut command = boxoffice(arguments, data.path());
        command.args(["--endpoint", &endpoint, "--prefix", "trial-"]);
        command.envs([("AWS_ACCESS_KEY_ID", "test"), ("AWS_SECRET_ACCESS_KEY", "test")]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    remote(&["tables", "create"]);
    remote(&["tenant", "create", "7", "--name", "Pier", "--zone", "America/Chicago"]);
    assert!(remote(&["tenant", "list"]).contains("Pier"));
    remote(&["key", "issue", "--tenant", "7", "--scope", "b2b", "--label", "office"]);
    assert!(remote(&["key", "list", "--tenant", "7"]).contains("office"));
    assert!(remote(&["outbox"]).ends_with("0 emails are waiting to be sent\n"));
}

/// The examples of the operating guide, one after the other, with what only AWS has left out.
#[cfg(unix)]
#[test]
fn the_commands_of_the_operating_guide_work() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/OPERATIONS.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let mut script = String::from(
        "set -eu\n\
         aws() { :; }\n\
         sam() { :; }\n\
         boxoffice() {\n\
           side=machine\n\
           if [ \"$1\" = --aws ]; then shift; side=aws; fi\n\
           if [ \"$side $1\" = \"aws --prefix\" ]; then shift 2; fi\n\
           env -u BOXOFFICE_VAULT_KEY_ID -u BOXOFFICE_TABLE_PREFIX \"$PROGRAM\" --data $side \"$@\"\n\
         }\n\
         TOPIC= DEAD= RULE= BACKUP=\n\
         boxoffice tenant create 1004 --name 'Gull Theatre' --zone America/New_York\n",
    );
    let (mut is_example, mut commands) = (false, 0);
    for line in guide.lines().map(str::trim) {
        match line {
            "```sh" => is_example = true,
            "```" => is_example = false,
            _ if is_example => {
                commands += usize::from(line.starts_with("boxoffice "));
                script.push_str(line);
                script.push('\n');
            }
            _ => {}
        }
    }
    assert!(commands > 15, "only {commands} commands were found");
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(directory.path())
        .env("PROGRAM", env!("CARGO_BIN_EXE_boxoffice"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("is revoked") && said.contains("Tide House"), "{said}");
    assert!(said.contains("tenant 1004 is restored") && said.contains("Gull Theatre"), "{said}");
}
