//! Which modules of a crate import each other, directly or round a corner.
//!
//! Modules that lie beside each other in one directory are compared, each with all that lies below it. A module and
//! what lies below it may know each other.
#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::source::files;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Names of modules from the root of the crate, perhaps with a name of an item at the end.
type Names = Vec<String>;

/// A module: what it imports or names of its own crate, and what it hands on under a name of its own.
#[derive(Default)]
struct Module {
    named: Vec<Names>,
    handed_on: Vec<Names>,
}

/// The module that a file is, and nothing for tests.
fn module_of(file: &Path, source: &Path) -> Option<Names> {
    let within = file.strip_prefix(source).unwrap().with_extension("");
    let mut names: Names = within.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    if names.len() == 1 && (names[0] == "lib" || names[0] == "main") {
        names.clear();
    }
    (!names.iter().any(|name| name == "tests")).then_some(names)
}

/// Where what stands at an attribute for tests alone ends.
fn after_test(tokens: &[TokenTree], index: usize) -> Option<usize> {
    let [TokenTree::Punct(punct), TokenTree::Group(group)] = tokens.get(index..index + 2)? else {
        return None;
    };
    if punct.as_char() != '#' || group.stream().to_string().replace(' ', "") != "cfg(test)" {
        return None;
    }
    let is_end = |tree: &TokenTree| match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    };
    tokens[index + 2..].iter().position(is_end).map(|length| index + 2 + length + 1)
}

fn ident(tokens: &[TokenTree], index: usize) -> Option<String> {
    match tokens.get(index) {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

fn is_separator(tokens: &[TokenTree], index: usize) -> bool {
    let colon = |index| matches!(tokens.get(index), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    colon(index) && colon(index + 1)
}

/// The paths that begin at a name, all branches of `{…}` among them.
fn paths(tokens: &[TokenTree], start: usize, before: &Names, found: &mut Vec<Names>) {
    let Some(first) = ident(tokens, start) else { return };
    let mut path = before.clone();
    path.push(first);
    let mut index = start + 1;
    while is_separator(tokens, index) {
        if let Some(next) = ident(tokens, index + 2) {
            path.push(next);
            index += 3;
            continue;
        }
        if let Some(TokenTree::Group(group)) = tokens.get(index + 2)
            && group.delimiter() == Delimiter::Brace
        {
            let branches: Vec<TokenTree> = group.stream().into_iter().collect();
            let is_comma =
                |tree: &TokenTree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ',');
            for branch in branches.split(is_comma) {
                paths(branch, 0, &path, found);
            }
            return;
        }
        break;
    }
    found.push(path);
}

/// What a path means from within a module, from the root of the crate; nothing for another crate's.
fn absolute(path: &[String], module: &Names) -> Option<Names> {
    let mut base = module.clone();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => {
            base.clear();
            rest = &path[1..];
        }
        "self" => rest = &path[1..],
        "super" => {
            while rest.first().is_some_and(|name| name == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        _ => return None,
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

impl Module {
    fn read(&mut self, tokens: TokenStream, module: &Names, children: &BTreeSet<String>) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut index = 0;
        while index < tokens.len() {
            if let Some(after) = after_test(&tokens, index) {
                index = after;
                continue;
            }
            if let TokenTree::Group(group) = &tokens[index] {
                self.read(group.stream(), module, children);
            }
            let Some(name) = ident(&tokens, index) else {
                index += 1;
                continue;
            };
            let continues = index >= 2 && is_separator(&tokens, index - 2);
            let begins = matches!(name.as_str(), "crate" | "super" | "self") || children.contains(&name);
            if begins && !continues && is_separator(&tokens, index + 1) {
                let mut found = Vec::new();
                paths(&tokens, index, &Names::new(), &mut found);
                let own = |path: Names| match absolute(&path, module) {
                    Some(path) => path,
                    None => module.iter().cloned().chain(path).collect(),
                };
                let found: Vec<Names> = found.into_iter().map(own).collect();
                let is_import = index >= 1 && ident(&tokens, index - 1).as_deref() == Some("use");
                let is_public = index >= 2
                    && is_import
                    && (ident(&tokens, index - 2).as_deref() == Some("pub")
                        || index >= 3 && ident(&tokens, index - 3).as_deref() == Some("pub"));
                if is_public {
                    self.handed_on.extend(found.iter().cloned());
                }
                self.named.extend(found);
            }
            index += 1;
        }
    }
}

/// The module where a path really leads: what is handed on is followed.
fn home(path: &[String], modules: &BTreeMap<Names, Module>, renamed: &BTreeMap<Names, Names>) -> Names {
    let mut path = path.to_vec();
    for _ in 0..8 {
        let known = (1..=path.len()).rev().find_map(|end| renamed.get(&path[..end]).map(|to| (end, to)));
        let Some((end, to)) = known else { break };
        path = to.iter().chain(&path[end..]).cloned().collect();
    }
    (0..=path.len()).rev().map(|end| path[..end].to_vec()).find(|names| modules.contains_key(names)).unwrap()
}

fn modules_of(source: &Path) -> BTreeMap<Names, Module> {
    let files = files(source, ".rs");
    let known: BTreeSet<Names> = files.iter().filter_map(|file| module_of(file, source)).collect();
    let mut modules = BTreeMap::new();
    for file in &files {
        let Some(names) = module_of(file, source) else { continue };
        let children =
            known.iter().filter(|known| known.len() == names.len() + 1 && known.starts_with(&names));
        let children: BTreeSet<String> = children.map(|child| child.last().unwrap().clone()).collect();
        let text = std::fs::read_to_string(file).unwrap();
        let mut module = Module::default();
        module.read(text.parse().unwrap(), &names, &children);
        modules.insert(names, module);
    }
    modules
}

/// Who knows whom among the modules of one directory, by that directory.
fn neighbours(modules: &BTreeMap<Names, Module>) -> BTreeMap<Names, BTreeMap<String, BTreeSet<String>>> {
    let mut renamed = BTreeMap::new();
    for (names, module) in modules {
        for path in &module.handed_on {
            let Some(last) = path.last() else { continue };
            let own: Names = names.iter().chain([last]).cloned().collect();
            if own != *path {
                renamed.insert(own, path.clone());
            }
        }
    }
    let mut neighbours: BTreeMap<Names, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (names, module) in modules {
        for path in &module.named {
            let other = home(path, modules, &renamed);
            let shared = names.iter().zip(&other).take_while(|(one, other)| one == other).count();
            if let (Some(one), Some(other)) = (names.get(shared), other.get(shared)) {
                let known = neighbours.entry(names[..shared].to_vec()).or_default();
                known.entry(one.clone()).or_default().insert(other.clone());
            }
        }
    }
    neighbours
}

/// All that can be reached from a module.
fn reach<'a>(from: &str, known: &'a BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = known.get(from).into_iter().flatten().map(String::as_str).collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(known.get(next).into_iter().flatten().map(String::as_str));
        }
    }
    reached
}

/// The knots of a crate: modules of one directory that all reach each other.
fn knots(source: &Path) -> BTreeSet<String> {
    let mut knots = BTreeSet::new();
    for (directory, known) in neighbours(&modules_of(source)) {
        for module in known.keys() {
            let reached = reach(module, &known);
            let back = |other: &&str| reach(other, &known).contains(module.as_str());
            let knot: Vec<&str> = reached.iter().copied().filter(back).collect();
            if knot.len() > 1 {
                knots.insert(format!("{}/{}: {}", source.display(), directory.join("/"), knot.join(", ")));
            }
        }
    }
    knots
}

/// The knots of all crates of the workspace.
///
/// # Panics
/// When a source cannot be read.
#[must_use]
pub fn all_knots() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for group in ["shared", "functions", "."] {
        for entry in std::fs::read_dir(crate::repository().join(group)).unwrap() {
            let source = entry.unwrap().path().join("src");
            if source.is_dir() {
                found.extend(knots(&source));
            }
        }
    }
    found
}
