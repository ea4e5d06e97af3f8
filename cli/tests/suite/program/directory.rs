//! What stands in a data directory, who may read it, and what belongs together (decision record 0130).

use crate::program::{COUNTRIES, Running, complaint, printed, run};
use std::fs;
use std::path::Path;
use testkit::all_items;

fn create_tenant(data: &Path) {
    printed(&["tenant", "create", "7", "--name", "Pier", "--zone", "America/Chicago"], data);
}

/// Both the service and a command refuse, in one line that has all these words.
fn is_refused(data: &Path, words: &[&str]) {
    for command in [&["tenant", "list"][..], &["serve", "--port", "0"]] {
        let said = complaint(command, data);
        for word in words {
            assert!(said.contains(word), "{command:?}: {said}");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn a_key_that_lost_its_database_gets_no_empty_one() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    create_tenant(path);
    forget_recent(path);
    fs::remove_file(path.join("boxoffice.db")).unwrap();
    is_refused(path, &["boxoffice.db is missing", "vault.key belongs to it", "--data"]);
    assert!(!path.join("boxoffice.db").exists());
    // Where neither is left, a new directory begins.
    fs::remove_file(path.join("vault.key")).unwrap();
    assert!(!printed(&["tenant", "list"], path).contains("Pier"));
}

#[test]
fn a_key_whose_database_was_emptied_gets_no_new_one() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    create_tenant(path);
    assert!(!path.join("unfinished").exists());
    fs::write(path.join("demo-imported"), "").unwrap();
    fs::write(path.join("boxoffice.db"), "").unwrap();
    is_refused(path, &["boxoffice.db is empty", "vault.key belongs to it", "--data"]);
    assert_eq!(fs::metadata(path.join("boxoffice.db")).unwrap().len(), 0);
    // A database without a table in it is as empty.
    forget_recent(path);
    drop(engine::Embedded::file(path.join("boxoffice.db")).unwrap());
    is_refused(path, &["boxoffice.db holds nothing", "vault.key belongs to it", "--data"]);
}

/// Its tables are there, and its demo venues were imported once, so that nobody would import them again.
#[tokio::test]
async fn a_database_whose_tables_were_emptied_does_not_promise_the_keys_of_the_demo() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    drop(Running::start(path));
    assert!(path.join("demo-imported").exists());
    empty_tables(path).await;
    for arguments in [&["serve", "--port", "0"][..], &["serve", "--port", "0", "--no-demo"]] {
        is_told_to_be_emptied(&complaint(arguments, path));
    }
    // Without the demo venues, the marks of its keys are missing as much.
    fs::remove_file(path.join("demo-imported")).unwrap();
    is_told_to_be_emptied(&complaint(&["serve", "--port", "0"], path));
}

fn is_told_to_be_emptied(said: &str) {
    for word in ["boxoffice.db was emptied", "no venue", "vault.key belongs to it", "--data"] {
        assert!(said.contains(word), "{said}");
    }
}

#[tokio::test]
async fn no_command_works_on_a_database_that_was_emptied() {
    for tables in [&store::Table::ALL[..], &[store::Table::Catalog]] {
        let data = tempfile::tempdir().unwrap();
        let path = data.path();
        create_tenant(path);
        empty(path, tables).await;
        for arguments in [
            &["tenant", "create", "8", "--name", "Quay", "--zone", "America/Chicago"][..],
            &["tenant", "list"],
            &["serve", "--port", "0"],
        ] {
            is_told_to_be_emptied(&complaint(arguments, path));
        }
        let verified = run(&["verify"], path);
        assert_eq!(verified.status.code(), Some(2));
        is_told_to_be_emptied(&String::from_utf8(verified.stderr).unwrap());
    }
    // One in which there never was a venue is whole.
    let data = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        printed(&["tenant", "list"], data.path());
    }
    create_tenant(data.path());
}

/// Deletes every item of every table.
async fn empty_tables(data: &Path) {
    empty(data, &store::Table::ALL).await;
}

/// Deletes every item of these tables.
async fn empty(data: &Path, tables: &[store::Table]) {
    let database = engine::Embedded::file(data.join("boxoffice.db")).unwrap();
    let client = database.client();
    for table in tables {
        let name = format!("boxoffice-{}", table.name());
        for item in all_items(&database, &name).await {
            let delete = client.delete_item().table_name(&name);
            delete.key("pk", item["pk"].clone()).key("sk", item["sk"].clone()).send().await.unwrap();
        }
    }
}

#[test]
fn a_directory_whose_making_was_cut_short_is_made_on() {
    let made = tempfile::tempdir().unwrap();
    create_tenant(made.path());
    // The process ended before there was a key, a database, or a table in it.
    for held in 0..=2 {
        let files = &["vault.key", "boxoffice.db"][..held];
        let data = tempfile::tempdir().unwrap();
        fs::write(data.path().join("unfinished"), "").unwrap();
        if files.contains(&"vault.key") {
            fs::copy(made.path().join("vault.key"), data.path().join("vault.key")).unwrap();
        }
        if files.contains(&"boxoffice.db") {
            fs::write(data.path().join("boxoffice.db"), "").unwrap();
        }
        create_tenant(data.path());
        assert!(printed(&["tenant", "list"], data.path()).contains("Pier"), "{files:?}");
        assert!(!data.path().join("unfinished").exists(), "{files:?}");
    }
}

#[test]
fn a_key_of_another_directory_is_refused_and_named() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for data in [&one, &other] {
        create_tenant(data.path());
    }
    let own = fs::read(one.path().join("vault.key")).unwrap();
    fs::copy(other.path().join("vault.key"), one.path().join("vault.key")).unwrap();
    is_refused(one.path(), &["vault.key does not belong to", "boxoffice.db", "are sealed with key "]);
    fs::write(one.path().join("vault.key"), &own).unwrap();
    assert!(printed(&["tenant", "list"], one.path()).contains("Pier"));
    // A copy of before the last new key lacks what was sealed since.
    printed(&["vault", "rotate"], one.path());
    assert!(printed(&["tenant", "list"], one.path()).contains("Pier"));
    fs::write(one.path().join("vault.key"), &own).unwrap();
    is_refused(one.path(), &["does not belong to"]);
}

#[test]
fn a_directory_of_an_earlier_release_is_taken_with_its_own_key_alone() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data-directories/before-steps.zip");
    let extract = || {
        let directory = tempfile::tempdir().unwrap();
        let archive = std::io::Cursor::new(fs::read(&kept).unwrap());
        zip::ZipArchive::new(archive).unwrap().extract(directory.path()).unwrap();
        directory
    };
    let (right, wrong) = (extract(), extract());
    let own = fs::read(right.path().join("vault.key")).unwrap();
    fs::write(wrong.path().join("vault.key"), [7; 32]).unwrap();
    is_refused(wrong.path(), &["does not belong to", "another key"]);
    fs::write(wrong.path().join("vault.key"), &own).unwrap();
    for data in [&right, &wrong] {
        assert!(printed(&["tenant", "list"], data.path()).contains("1001"));
        fs::write(data.path().join("vault.key"), [7; 32]).unwrap();
        is_refused(data.path(), &["are sealed with key "]);
    }
}

#[test]
fn a_copy_of_a_directory_is_as_good_as_the_directory() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    create_tenant(one.path());
    copy(one.path(), other.path());
    assert!(printed(&["tenant", "list"], other.path()).contains("Pier"));
}

/// What SQLite has not moved into the database yet.
fn forget_recent(data: &Path) {
    for name in ["boxoffice.db-wal", "boxoffice.db-shm"] {
        let _ = fs::remove_file(data.join(name));
    }
}

#[test]
fn a_damaged_database_is_told_in_plain_words() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    create_tenant(path);
    forget_recent(path);
    fs::write(path.join("boxoffice.db"), b"this was a database once, and is a text now").unwrap();
    is_refused(
        path,
        &["boxoffice.db is damaged", "put back a copy", "boxoffice verify", "file is not a database"],
    );
    let said = complaint(&["tenant", "list"], path);
    assert!(!said.contains("feature") && !said.contains("encrypt"), "{said}");
}

#[test]
fn a_database_with_a_hole_in_it_is_told_in_plain_words() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    printed(&["import", concat!(env!("CARGO_MANIFEST_DIR"), "/../demo/harbor-museum.json")], path);
    let file = path.join("boxoffice.db");
    let mut bytes = fs::read(&file).unwrap();
    let size = bytes.len();
    bytes[4096..size].fill(0x5a);
    fs::write(&file, bytes).unwrap();
    forget_recent(path);
    is_refused(path, &["boxoffice.db is damaged", "put back a copy", "boxoffice verify", "malformed"]);
    let said = complaint(&["tenant", "list"], path);
    assert_eq!(said.matches("is damaged").count(), 1, "{said}");
    assert!(!said.contains("service error") && !said.contains("InternalServerError"), "{said}");
}

#[test]
fn tables_of_another_prefix_are_refused_where_nobody_would_see_them() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    for command in
        [&["tenant", "list"][..], &["tables", "create"], &["outbox"], &["serve", "--port", "0", "--memory"]]
    {
        let said = complaint(&[command, &["--prefix", "other-"]].concat(), path);
        for word in ["begin with boxoffice-", "--prefix", "BOXOFFICE_TABLE_PREFIX", "--endpoint"] {
            assert!(said.contains(word), "{command:?}: {said}");
        }
    }
    assert_eq!(fs::read_dir(path).unwrap().count(), 0);
    printed(&["tenant", "list", "--prefix", "boxoffice-"], path);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Stdio;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn open_up(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Everything in a directory, and the directory itself.
    fn is_private(data: &Path) {
        assert_eq!(mode(data), 0o700);
        for entry in fs::read_dir(data).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }

    #[test]
    fn what_is_stored_is_for_its_owner_only() {
        let parent = tempfile::tempdir().unwrap();
        let data = parent.path().join("data");
        let service = Running::start(&data);
        assert_eq!(service.get(COUNTRIES, "demo-b2b-1001").0, 200);
        is_private(&data);
        drop(service);
        // What an earlier release left open is closed.
        open_up(&data, 0o755);
        for entry in fs::read_dir(&data).unwrap() {
            open_up(&entry.unwrap().path(), 0o644);
        }
        assert!(printed(&["tenant", "list"], &data).contains("Harbor"));
        is_private(&data);
        // A directory with other files in it is somebody else's too.
        fs::write(data.join("notes.txt"), "").unwrap();
        open_up(&data, 0o755);
        let told = run(&["tenant", "list"], &data);
        let said = String::from_utf8(told.stderr).unwrap();
        assert!(told.status.success() && said.contains("holds other files"), "{said}");
        assert_eq!((mode(&data), mode(&data.join("boxoffice.db"))), (0o755, 0o600));
    }

    /// The service under a limit of the size of its files, which fails writes as a full disk does.
    fn start_with_little_room(data: &Path, kilobytes: u64) -> (Running, std::process::ChildStderr) {
        let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$@\"", kilobytes * 2);
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_boxoffice")]);
        command.args(["serve", "--port", "0", "--data"]).arg(data).env_remove("RUST_LOG");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = Running::from(command);
        let stderr = running.child.stderr.take().unwrap();
        (running, stderr)
    }

    /// A cart of about 45 KB.
    fn large_cart() -> String {
        let text = "n".repeat(200);
        let mut line = serde_json::json!({ "itemType": "Inventory", "inventoryId": 1_001_003, "type": "donation",
            "quantity": 1, "unitPrice": "7.50", "donationDetail": {} });
        let names = ["donationAppealName", "donationCampaignName", "donationFundName", "donorRecognition"];
        for name in names {
            line["donationDetail"][name] = text.as_str().into();
        }
        serde_json::json!({ "items": vec![line; 50] }).to_string()
    }

    #[test]
    fn a_disk_without_room_refuses_writes_and_goes_on_reading() {
        let data = tempfile::tempdir().unwrap();
        Running::start(data.path()).stop("-TERM");
        let size = |name: &str| fs::metadata(data.path().join(name)).map_or(0, |found| found.len());
        let room = size("boxoffice.db").max(size("boxoffice.db-wal")) / 1024 + 1_024;
        let (service, stderr) = start_with_little_room(data.path(), room);
        let errors = std::thread::spawn(move || {
            use std::io::{BufRead, BufReader};
            let lines = BufReader::new(stderr).lines().map_while(Result::ok);
            lines.filter(|line| line.contains("\"ERROR\"")).collect::<Vec<_>>()
        });
        let cart = large_cart();
        let refused = (0..600).map(|_| service.post("/v2/b2c/carts", &cart, "demo-b2c-1001", ""));
        let refused = refused.skip_while(|(status, _)| *status == 200).take(3).collect::<Vec<_>>();
        assert_eq!(refused.len(), 3, "the disk was never full");
        for (status, body) in refused {
            assert_eq!((status, &body["type"]), (503, &"TRY_AGAIN".into()), "{body}");
        }
        assert_eq!(service.get(COUNTRIES, "demo-b2b-1001").0, 200);
        service.stop("-TERM");
        let errors = errors.join().unwrap();
        let told = errors.iter().find(|line| line.contains("the database "));
        assert!(
            told.is_some_and(|line| line.contains("boxoffice.db") && line.contains("disk")),
            "{errors:?}"
        );
        // With room again, nothing is amiss.
        let service = Running::start(data.path());
        assert_eq!(service.post("/v2/b2c/carts", &cart, "demo-b2c-1001", "").0, 200);
        assert!(printed(&["verify"], data.path()).contains("0 findings"));
    }
}
