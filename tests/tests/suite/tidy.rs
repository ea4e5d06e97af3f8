//! The house rules that a compiler does not check: which crate may know which, how long files and functions
//! may be, what shipped code never says, and that documents point at files that exist.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper fails its test by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use blackbox::figures::{
    TestBinaries, all_retry_loops, all_tuple_takers, names_of_two_things, test_binaries,
};
use blackbox::source::{
    SHIPPED, files, functions, metadata, place, public_types, retry_loops, shipped_lines, sources,
};
use cargo_metadata::DependencyKind;
use proc_macro2::{TokenStream, TokenTree};

const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 60;

// ------------------------------------------------------------------------------------ dependencies

/// What each shared crate may use of ours when it ships.
fn allowed(place: &str) -> BTreeSet<&'static str> {
    let shared: &[&str] = match place {
        "shared/domain" | "shared/engine" => &[],
        "shared/wire" | "shared/store" => &["domain"],
        "shared/adapters" => &["domain", "store"],
        "shared/sagas" => &["domain", "store", "adapters"],
        "shared/web" => &["domain", "wire", "store", "adapters", "sagas"],
        "shared/conformance" => &["web"],
        "shared/testkit" => &["domain", "store", "adapters", "web", "engine", "conformance"],
        "functions/cleanup" | "functions/mailer" => &["domain", "store", "adapters", "sagas"],
        other if other.starts_with("functions/") => &["domain", "wire", "store", "adapters", "sagas", "web"],
        other => panic!("{other} has no rule"),
    };
    shared.iter().copied().collect()
}

#[test]
fn dependencies_point_one_way() {
    let metadata = metadata();
    let places: BTreeMap<String, String> =
        metadata.workspace_packages().iter().map(|p| (p.name.to_string(), place(p))).collect();
    let mut wrong = Vec::new();
    for package in metadata.workspace_packages() {
        let here = place(package);
        if matches!(here.as_str(), "cli" | "tests") {
            continue;
        }
        for dependency in &package.dependencies {
            let Some(there) = places.get(&dependency.name) else { continue };
            let ships = dependency.kind != DependencyKind::Development;
            // The tests of checkout drive carts and the scheduled work beside it; nothing of that ships.
            let between_functions =
                ships && here.starts_with("functions/") && there.starts_with("functions/");
            let upwards = matches!(there.as_str(), "cli" | "tests");
            if between_functions || upwards || (ships && !allowed(&here).contains(dependency.name.as_str())) {
                wrong.push(format!("{here} must not depend on {there}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_dependency_is_used() {
    let metadata = metadata();
    let library = |name: &str| {
        // What a feature would switch on is not in the metadata.
        let package = metadata.packages.iter().find(|package| *package.name == name);
        let target = package.and_then(|package| package.targets.iter().find(|target| !target.is_bin()));
        target.map_or(name, |target| target.name.as_str()).replace('-', "_")
    };
    let mut unused = Vec::new();
    for package in metadata.workspace_packages() {
        let here = place(package);
        for dependency in &package.dependencies {
            let places: &[&str] = if dependency.kind == DependencyKind::Development {
                // What the fuzz targets call is compiled by a test as well.
                &["src", "tests", "../fuzz/src"]
            } else if dependency.kind == DependencyKind::Build {
                &["build.rs"]
            } else {
                &["src"]
            };
            let name = library(&dependency.name);
            let places = places.iter().map(|place| blackbox::repository().join(&here).join(place));
            let within = |place: PathBuf| if place.is_dir() { files(&place, ".rs") } else { vec![place] };
            let mut files = places.filter(|place| place.exists()).flat_map(within);
            if !files.any(|file| std::fs::read_to_string(file).unwrap().contains(&name)) {
                unused.push(format!("{here} does not use {}", dependency.name));
            }
        }
    }
    assert_eq!(unused, Vec::<String>::new());
}

#[test]
fn only_the_store_and_those_who_make_its_client_know_dynamodb() {
    let metadata = metadata();
    let known: BTreeSet<String> = metadata
        .workspace_packages()
        .iter()
        .filter(|package| {
            package.dependencies.iter().any(|dependency| {
                dependency.name == "aws-sdk-dynamodb" && dependency.kind != DependencyKind::Development
            })
        })
        .map(|package| place(package))
        .collect();
    let may = ["cli", "shared/adapters", "shared/engine", "shared/store"].map(str::to_owned);
    assert!(known.is_subset(&BTreeSet::from(may)), "{known:?}");
}

/// Whether a text names what a type has, such as `Key::of` of `Key`.
fn names_parts_of(text: &str, name: &str) -> bool {
    let is_part_of_a_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(&format!("{name}::")).any(|(at, _)| !text[..at].ends_with(is_part_of_a_word))
}

/// What is stored is read and written by types of the store alone. An archive carries items as they are, whatever they
/// hold.
#[test]
fn only_the_store_builds_keys_and_conditions_and_looks_into_items() {
    let without = ["shared/store/", "shared/engine/", "shared/testkit/", "cli/src/archive"];
    let words = ["Action", "AttributeValue", "Expression", "as_n", "as_s"];
    let mut wrong = Vec::new();
    for source in sources(&SHIPPED) {
        if without.iter().any(|place| source.path.starts_with(place)) {
            continue;
        }
        let said = banned_words(&source.text, &words).into_iter();
        wrong.extend(said.map(|word| format!("{} says {word}", source.path)));
        if names_parts_of(&source.text, "Key") {
            wrong.push(format!("{} makes a key", source.path));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// Loops that count their tries themselves: for conflicts and batches of the database, and for a leased cart.
const LOOPS: usize = 4;

#[test]
fn tries_are_counted_in_one_place() {
    let loops = all_retry_loops();
    assert!(loops.len() <= LOOPS, "{loops:?}: `store::revise` and `store::retry` count tries");
}

/// Every crate that ships within this one.
fn shipped_within(package: &str) -> BTreeSet<String> {
    // Not from the metadata, which holds what any crate's features switch on for all.
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "-p", package, "-e", "normal", "--prefix", "none", "--format", "{p}"])
        .current_dir(blackbox::repository())
        .output()
        .unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn the_domain_has_no_runtime_no_web_and_no_cloud_even_indirectly() {
    let names = shipped_within("domain");
    assert!(names.contains("rust_decimal"), "the tree is not the domain's: {names:?}");
    let banned =
        ["tokio", "axum", "hyper", "http", "tower", "reqwest", "lambda_runtime", "getrandom", "rand"];
    let is_banned = |name: &&String| banned.contains(&name.as_str()) || name.starts_with("aws-");
    assert_eq!(names.iter().filter(is_banned).collect::<Vec<_>>(), Vec::<&String>::new());
}

/// The crates below `web`, and the functions that answer no requests.
const WITHOUT_REQUESTS: [&str; 6] = [
    "shared/domain",
    "shared/store",
    "shared/adapters",
    "shared/sagas",
    "functions/cleanup",
    "functions/mailer",
];

/// A function that answers no requests would start later for every schema of the API that it carries.
#[test]
fn what_answers_no_requests_carries_neither_routes_nor_descriptions() {
    let banned = ["axum", "axum-core", "lambda_http", "tower-http", "utoipa", "utoipa-axum", "web", "wire"];
    for place in WITHOUT_REQUESTS {
        let package = place.split('/').next_back().unwrap();
        let names = shipped_within(package);
        assert!(names.contains("domain"), "the tree is not that of {package}: {names:?}");
        let carried: Vec<&str> = banned.into_iter().filter(|name| names.contains(*name)).collect();
        assert_eq!(carried, Vec::<&str>::new(), "{place}");
    }
}

/// What a failure means to a caller is decided in one place, above all who can fail. The adapter of Stripe sends
/// requests, and knows `http` for them.
#[test]
fn nothing_below_the_web_knows_how_requests_are_answered() {
    let metadata = metadata();
    let mut wrong = Vec::new();
    for package in metadata.workspace_packages() {
        let here = place(package);
        let ships = package.dependencies.iter().filter(|used| used.kind == DependencyKind::Normal);
        let knows_http = ships.map(|used| used.name.as_str()).any(|name| name == "http");
        if WITHOUT_REQUESTS.contains(&here.as_str()) && here != "shared/adapters" && knows_http {
            wrong.push(format!("{here} depends on http"));
        }
    }
    let words = ["ApiError", "ErrorType", "StatusCode", "HeaderMap", "IntoResponse", "axum", "utoipa"];
    for source in sources(&WITHOUT_REQUESTS) {
        let said = banned_words(&source.text, &words).into_iter();
        wrong.extend(said.map(|word| format!("{} says {word}", source.path)));
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// No address that somebody sends is ever fetched: the one client that can fetch anything is that of the AWS SDK, and
/// one crate makes it, for hosts that a deployment names.
#[test]
fn nothing_that_ships_fetches_what_others_name() {
    let metadata = metadata();
    let clients = ["reqwest", "ureq", "isahc", "curl", "attohttpc", "surf", "awc", "minreq"];
    let known: Vec<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    assert_eq!(known.iter().filter(|name| clients.contains(name)).collect::<Vec<_>>(), Vec::<&&str>::new());
    let makers = ["aws-smithy-http-client", "hyper", "hyper-util", "hyper-rustls"];
    let may: BTreeSet<String> = metadata
        .workspace_packages()
        .iter()
        .filter(|package| {
            let mut ships = package.dependencies.iter().filter(|used| used.kind == DependencyKind::Normal);
            ships.any(|used| makers.contains(&used.name.as_str()))
        })
        .map(|package| place(package))
        // The program of operators, and the engine of tests.
        .filter(|place| place != "cli" && place != "shared/engine")
        .collect();
    assert_eq!(may, BTreeSet::from(["shared/adapters".to_owned()]));
}

// ------------------------------------------------------------------------------------------ source

fn long_functions(text: &str) -> Vec<String> {
    let long = functions(text).into_iter().filter(|function| function.lines > FUNCTION_LINES);
    long.map(|function| format!("{} has {} lines", function.name, function.lines)).collect()
}

/// Every word of the code itself, comments left out, with `!` behind the name of a macro call, and number
/// literals with a suffix as that suffix.
fn words(tokens: TokenStream, found: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => words(group.stream(), found),
            TokenTree::Ident(ident) => {
                let call = matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '!');
                found.push(if call { format!("{ident}!") } else { ident.to_string() });
            }
            TokenTree::Literal(literal) => {
                if let syn::Lit::Float(_) = syn::Lit::new(literal) {
                    found.push("f64".to_owned());
                }
            }
            TokenTree::Punct(_) => {}
        }
    }
}

fn banned_words(text: &str, banned: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    words(text.parse().unwrap(), &mut found);
    found.retain(|word| banned.contains(&word.as_str()));
    found
}

#[test]
fn files_and_functions_stay_short() {
    let mut long = Vec::new();
    for source in sources(&SHIPPED) {
        let lines = shipped_lines(&source.text);
        if lines > FILE_LINES {
            long.push(format!("{} has {lines} lines", source.path));
        }
        long.extend(long_functions(&source.text).into_iter().map(|what| format!("{}: {what}", source.path)));
    }
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn what_travels_together_has_a_name_and_is_no_tuple() {
    assert_eq!(all_tuple_takers(), Vec::<String>::new());
}

#[test]
fn a_crate_has_one_suite_at_most() {
    let mut many = test_binaries();
    many.retain(|binaries| binaries.suites > 1);
    assert_eq!(many, Vec::<TestBinaries>::new());
}

#[test]
fn a_public_name_means_one_thing() {
    assert_eq!(names_of_two_things(), BTreeMap::new());
}

#[test]
fn shipped_code_leaves_no_notes_and_prints_nothing() {
    let macros = ["todo!", "unimplemented!", "dbg!", "print!", "println!", "eprint!", "eprintln!"];
    let mut wrong = Vec::new();
    for source in sources(&["shared", "functions"]) {
        let notes = ["TODO", "FIXME", "XXX"].into_iter().filter(|note| source.text.contains(note));
        let words = banned_words(&source.text, &macros);
        let all = notes.map(str::to_owned).chain(words);
        wrong.extend(all.map(|word| format!("{} says {word}", source.path)));
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn no_test_is_switched_off() {
    let mut wrong = Vec::new();
    for directory in ["shared", "functions", "cli", "tests"] {
        for path in files(&blackbox::repository().join(directory), ".rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            if text.lines().any(|line| line.trim().starts_with("#[ignore")) {
                wrong.push(path);
            }
        }
    }
    assert_eq!(wrong, Vec::<PathBuf>::new());
}

#[test]
fn the_domain_computes_without_floating_point() {
    for source in sources(&["shared/domain"]) {
        assert_eq!(banned_words(&source.text, &["f32", "f64"]), Vec::<String>::new(), "{}", source.path);
    }
}

// --------------------------------------------------------------------------------------- documents

/// The targets of a document's links to files, code blocks left out.
fn linked_files(text: &str) -> Vec<String> {
    let mut in_code = false;
    let mut targets = Vec::new();
    for line in text.lines() {
        in_code ^= line.trim_start().starts_with("```");
        if in_code {
            continue;
        }
        let after_links = line.split("](").skip(1);
        let link =
            after_links.filter_map(|rest| rest.split(')').next()).map(|target| target.split('#').next());
        let files = link.flatten().filter(|target| !target.is_empty() && !target.contains(':'));
        targets.extend(files.map(str::to_owned));
    }
    targets
}

#[test]
fn every_file_a_document_links_to_exists() {
    let mut missing = Vec::new();
    for document in files(blackbox::repository(), ".md") {
        for target in linked_files(&std::fs::read_to_string(&document).unwrap()) {
            if !document.parent().unwrap().join(&target).exists() {
                missing.push(format!("{} links to {target}", document.display()));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

/// Names of tests in a document: words in code with at least three underscores.
fn named_tests(text: &str) -> Vec<&str> {
    let in_code = text.split('`').skip(1).step_by(2);
    let is_test = |word: &&str| {
        let plain = word
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
        plain && word.matches('_').count() >= 3
    };
    in_code.filter(is_test).collect()
}

#[test]
fn every_test_that_is_said_to_hold_a_claim_of_security_exists() {
    let claims = std::fs::read_to_string(blackbox::repository().join("docs/SECURITY.md")).unwrap();
    let named = named_tests(&claims);
    assert!(named.len() > 40, "the document is not read as it is written");
    let directories = ["shared", "functions", "cli", "tests"];
    let paths =
        directories.iter().flat_map(|directory| files(&blackbox::repository().join(directory), ".rs"));
    let all: String = paths.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let missing: Vec<&str> = named.into_iter().filter(|name| !all.contains(&format!("fn {name}("))).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

// ------------------------------------------------------------------------------- the checks themselves

#[test]
fn the_checks_find_what_they_look_for() {
    let body = "    let _ = 1;\n".repeat(FUNCTION_LINES - 1);
    assert_eq!(long_functions(&format!("fn f() {{\n{body}}}\n")), ["f has 61 lines"]);
    let shorter = "    let _ = 1;\n".repeat(FUNCTION_LINES - 2);
    assert_eq!(long_functions(&format!("/// Doc.\nfn f() {{\n{shorter}}}\n")), Vec::<String>::new());
    assert_eq!(
        long_functions(&format!("#[cfg(test)]\nmod tests {{ fn f() {{\n{body}}} }}\n")),
        Vec::<String>::new()
    );
    assert_eq!(shipped_lines("one\ntwo\n#[cfg(test)]\nmod tests {\n}\n"), 2);
    assert_eq!(shipped_lines("one\n#[cfg(test)]\nuse x;\n"), 3);
    let types = "pub struct A;\npub(crate) enum B {}\nmod c { pub trait D {} }\n";
    assert_eq!(public_types(&format!("{types}#[cfg(test)]\nmod tests {{ pub struct E; }}")), ["A", "D"]);
    let counted = "for _ in 0..MAX_TRIES { loop {} }\nloop { if n < c::N_TRIES {} }\n";
    let tries = format!("fn f() {{\n{counted}for _ in 0..MAX_ENTRIES {{}}\n}}");
    assert_eq!(retry_loops(&tries), [2, 3]);
    let code = "// f64 dbg!\nfn f(x: f64) { dbg!(1.5, \"println!\"); println!(); }";
    assert_eq!(banned_words(code, &["f64", "dbg!", "println!"]), ["f64", "dbg!", "f64", "println!"]);
    assert!(names_parts_of("use a; Key::of(b)", "Key") && !names_parts_of("HashKey::of(b), Key", "Key"));
    assert_eq!(named_tests("`a_b_c_d` a_b_c_d `GET /a` `a_b` `is_it_so_2`"), ["a_b_c_d", "is_it_so_2"]);
    let text = "[a](b.md#c) [d](https://e.org) [f](#g)\n```\n[h](i.md)\n```\n[j](k/l.md)";
    assert_eq!(linked_files(text), ["b.md", "k/l.md"]);
}
