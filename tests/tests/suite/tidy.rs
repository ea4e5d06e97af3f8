//! The house rules that a compiler does not check: which crate may know which, how long files and functions
//! may be, what shipped code never says, and that documents point at files that exist.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper fails its test by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};
use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 60;

// ------------------------------------------------------------------------------------ dependencies

fn metadata() -> Metadata {
    let manifest = blackbox::repository().join("Cargo.toml");
    MetadataCommand::new().manifest_path(manifest).other_options(["--locked".to_owned()]).exec().unwrap()
}

/// Where a workspace crate lies, relative to the repository: `shared/domain`.
fn place(package: &cargo_metadata::Package) -> String {
    let directory = package.manifest_path.parent().unwrap().as_std_path();
    directory.strip_prefix(blackbox::repository().canonicalize().unwrap()).unwrap().display().to_string()
}

/// What each shared crate may use of ours when it ships.
fn allowed(place: &str) -> BTreeSet<&'static str> {
    let shared: &[&str] = match place {
        "shared/domain" | "shared/engine" => &[],
        "shared/wire" | "shared/store" => &["domain"],
        "shared/platform" => &["domain", "wire", "store"],
        "shared/sagas" => &["domain", "wire", "store", "platform"],
        "shared/conformance" => &["platform"],
        other if other.starts_with("functions/") => &["domain", "wire", "store", "platform", "sagas"],
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
        let package = metadata.packages.iter().find(|package| *package.name == name).unwrap();
        let target = package.targets.iter().find(|target| !target.is_bin()).unwrap();
        target.name.replace('-', "_")
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
    let may = ["cli", "shared/engine", "shared/platform", "shared/store"].map(str::to_owned);
    assert!(known.is_subset(&BTreeSet::from(may)), "{known:?}");
}

#[test]
fn the_domain_has_no_runtime_no_web_and_no_cloud_even_indirectly() {
    // Not from the metadata, which holds what any crate's features switch on for all.
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "-p", "domain", "-e", "normal", "--prefix", "none", "--format", "{p}"])
        .current_dir(blackbox::repository())
        .output()
        .unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains("rust_decimal"), "the tree is not the domain's: {names:?}");
    let banned =
        ["tokio", "axum", "hyper", "http", "tower", "reqwest", "lambda_runtime", "getrandom", "rand"];
    let is_banned = |name: &&&str| banned.contains(*name) || name.starts_with("aws-");
    assert_eq!(names.iter().filter(is_banned).collect::<Vec<_>>(), Vec::<&&str>::new());
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
    assert_eq!(may, BTreeSet::from(["shared/platform".to_owned()]));
}

// ------------------------------------------------------------------------------------------ source

struct Source {
    /// Relative to the repository.
    path: String,
    text: String,
}

/// Every file with this ending below `directory`, without build output and hidden directories.
pub(crate) fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            found.extend(files(&path, ending));
        } else if path.is_file() && name.ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The Rust files that ship from these directories. A file of tests only (`tests.rs`, `tests/`) does not, and
/// neither does a build script, which talks to Cargo by printing.
fn sources(directories: &[&str]) -> Vec<Source> {
    let paths =
        directories.iter().flat_map(|directory| files(&blackbox::repository().join(directory), ".rs"));
    paths
        .map(|path| Source {
            path: path.strip_prefix(blackbox::repository()).unwrap().display().to_string(),
            text: std::fs::read_to_string(path).unwrap(),
        })
        .filter(|source| {
            !source.path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "build.rs"))
        })
        .collect()
}

/// Lines up to the test module at the end.
fn shipped_lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let is_end = |pair: &[&str]| pair[0].trim() == "#[cfg(test)]" && pair[1].trim().starts_with("mod tests");
    lines.windows(2).position(is_end).unwrap_or(lines.len())
}

#[derive(Default)]
struct Functions {
    long: Vec<String>,
}

impl Functions {
    fn measure(&mut self, signature: &syn::Signature, whole: proc_macro2::Span) {
        let lines = whole.end().line + 1 - signature.span().start().line;
        if lines > FUNCTION_LINES {
            self.long.push(format!("{} has {lines} lines", signature.ident));
        }
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("cfg") && list.is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.measure(&function.sig, function.block.span());
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.measure(&function.sig, function.block.span());
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.measure(&function.sig, block.span());
        }
        visit::visit_trait_item_fn(self, function);
    }
}

fn long_functions(text: &str) -> Vec<String> {
    let mut functions = Functions::default();
    functions.visit_file(&syn::parse_file(text).unwrap());
    functions.long
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
    for source in sources(&["shared", "functions", "cli"]) {
        let lines = shipped_lines(&source.text);
        if lines > FILE_LINES {
            long.push(format!("{} has {lines} lines", source.path));
        }
        long.extend(long_functions(&source.text).into_iter().map(|what| format!("{}: {what}", source.path)));
    }
    assert_eq!(long, Vec::<String>::new());
}

/// The functions that take a tuple.
#[derive(Default)]
struct Tuples(Vec<String>);

impl<'ast> Visit<'ast> for Tuples {
    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        let is_tuple = |input: &syn::FnArg| match input {
            syn::FnArg::Typed(typed) => {
                let mut sort = &*typed.ty;
                while let syn::Type::Reference(reference) = sort {
                    sort = &reference.elem;
                }
                matches!(sort, syn::Type::Tuple(tuple) if !tuple.elems.is_empty())
            }
            syn::FnArg::Receiver(_) => false,
        };
        if signature.inputs.iter().any(is_tuple) {
            self.0.push(signature.ident.to_string());
        }
        visit::visit_signature(self, signature);
    }
}

#[test]
fn what_travels_together_has_a_name_and_is_no_tuple() {
    let mut takers = Vec::new();
    for group in ["shared", "functions", "cli", "tests", "fuzz"] {
        for file in files(&blackbox::repository().join(group), ".rs") {
            let mut tuples = Tuples::default();
            tuples.visit_file(&syn::parse_file(&std::fs::read_to_string(&file).unwrap()).unwrap());
            takers.extend(tuples.0.into_iter().map(|name| format!("{}: {name}", file.display())));
        }
    }
    assert_eq!(takers, Vec::<String>::new());
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
    let code = "// f64 dbg!\nfn f(x: f64) { dbg!(1.5, \"println!\"); println!(); }";
    assert_eq!(banned_words(code, &["f64", "dbg!", "println!"]), ["f64", "dbg!", "f64", "println!"]);
    assert_eq!(named_tests("`a_b_c_d` a_b_c_d `GET /a` `a_b` `is_it_so_2`"), ["a_b_c_d", "is_it_so_2"]);
    let text = "[a](b.md#c) [d](https://e.org) [f](#g)\n```\n[h](i.md)\n```\n[j](k/l.md)";
    assert_eq!(linked_files(text), ["b.md", "k/l.md"]);
}
