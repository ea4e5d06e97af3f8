//! The sources of the workspace: its crates, their files, and the functions and types in them.
#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand, Package};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The directories of what ships.
pub const SHIPPED: [&str; 3] = ["shared", "functions", "cli"];

/// What Cargo knows of the workspace.
///
/// # Panics
/// When it does not answer.
#[must_use]
pub fn metadata() -> Metadata {
    let manifest = crate::repository().join("Cargo.toml");
    MetadataCommand::new().manifest_path(manifest).other_options(["--locked".to_owned()]).exec().unwrap()
}

/// Where a workspace crate lies, relative to the repository: `shared/domain`.
///
/// # Panics
/// When it is none of the workspace.
#[must_use]
pub fn place(package: &Package) -> String {
    let directory = package.manifest_path.parent().unwrap().as_std_path();
    directory.strip_prefix(crate::repository().canonicalize().unwrap()).unwrap().display().to_string()
}

/// A file of Rust.
#[derive(Debug)]
pub struct Source {
    /// Relative to the repository.
    pub path: String,
    /// What stands in it.
    pub text: String,
}

/// Every file with this ending below `directory`, without build output, packages and hidden directories.
///
/// # Panics
/// When a directory cannot be listed.
#[must_use]
pub fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() && name != "target" && name != "node_modules" && !name.starts_with('.') {
            found.extend(files(&path, ending));
        } else if path.is_file() && name.ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Every Rust file in these directories.
///
/// # Panics
/// When one cannot be read.
#[must_use]
pub fn all_sources(directories: &[&str]) -> Vec<Source> {
    let paths = directories.iter().flat_map(|directory| files(&crate::repository().join(directory), ".rs"));
    let read = |path: PathBuf| Source {
        path: path.strip_prefix(crate::repository()).unwrap().display().to_string(),
        text: std::fs::read_to_string(path).unwrap(),
    };
    paths.map(read).collect()
}

/// The Rust files that ship from these directories. A file of tests only (`tests.rs`, `tests/`) does not, and
/// neither does a build script, which talks to Cargo by printing.
#[must_use]
pub fn sources(directories: &[&str]) -> Vec<Source> {
    let mut sources = all_sources(directories);
    sources.retain(|source| {
        !source.path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "build.rs"))
    });
    sources
}

/// Lines up to the test module at the end.
#[must_use]
pub fn shipped_lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let is_end = |pair: &[&str]| pair[0].trim() == "#[cfg(test)]" && pair[1].trim().starts_with("mod tests");
    lines.windows(2).position(is_end).unwrap_or(lines.len())
}

/// A function with its body.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    /// Its lines, from the signature to the closing brace.
    pub lines: usize,
}

/// The functions of a file, without those of its test module.
///
/// # Panics
/// When it is not Rust.
#[must_use]
pub fn functions(text: &str) -> Vec<Function> {
    let mut functions = Functions::default();
    functions.visit_file(&syn::parse_file(text).unwrap());
    functions.0
}

#[derive(Default)]
struct Functions(Vec<Function>);

impl Functions {
    fn measure(&mut self, signature: &syn::Signature, whole: proc_macro2::Span) {
        let lines = whole.end().line + 1 - signature.span().start().line;
        self.0.push(Function { name: signature.ident.to_string(), lines });
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

/// The functions of a file that take a tuple.
///
/// # Panics
/// When it is not Rust.
#[must_use]
pub fn tuple_takers(text: &str) -> Vec<String> {
    let mut tuples = Tuples::default();
    tuples.visit_file(&syn::parse_file(text).unwrap());
    tuples.0
}

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

/// The names of the public types and traits of a file, without those of its test module and those that macros make.
///
/// # Panics
/// When it is not Rust.
#[must_use]
pub fn public_types(text: &str) -> Vec<String> {
    let mut types = PublicTypes::default();
    types.visit_file(&syn::parse_file(text).unwrap());
    types.0
}

#[derive(Default)]
struct PublicTypes(Vec<String>);

impl PublicTypes {
    fn note(&mut self, visibility: &syn::Visibility, name: &syn::Ident) {
        if matches!(visibility, syn::Visibility::Public(_)) {
            self.0.push(name.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for PublicTypes {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.note(&item.vis, &item.ident);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.note(&item.vis, &item.ident);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.note(&item.vis, &item.ident);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.note(&item.vis, &item.ident);
    }
}

/// The lines at which a file begins a loop that counts its tries: one that names a constant such as `MAX_TRIES`.
///
/// # Panics
/// When it is not Rust.
#[must_use]
pub fn retry_loops(text: &str) -> Vec<usize> {
    let mut loops = RetryLoops::default();
    loops.visit_file(&syn::parse_file(text).unwrap());
    loops.0
}

#[derive(Default)]
struct RetryLoops(Vec<usize>);

#[derive(Default)]
struct CountsTries(bool);

impl<'ast> Visit<'ast> for CountsTries {
    fn visit_ident(&mut self, name: &'ast syn::Ident) {
        self.0 |= name.to_string().ends_with("_TRIES");
    }
}

impl<'ast> Visit<'ast> for RetryLoops {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    /// A loop within one that counts its tries is a part of it.
    fn visit_expr(&mut self, expression: &'ast syn::Expr) {
        let is_loop = matches!(expression, syn::Expr::ForLoop(_) | syn::Expr::While(_) | syn::Expr::Loop(_));
        let mut tries = CountsTries::default();
        if is_loop {
            tries.visit_expr(expression);
        }
        if tries.0 {
            self.0.push(expression.span().start().line);
        } else {
            visit::visit_expr(self, expression);
        }
    }
}
