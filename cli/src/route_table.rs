//! The table of routes as a document.

use crate::routes::{DeployedRoute, deployed_routes};
use std::fmt::Write as _;

const HEAD: &str = "\
# Routes

Every route of a deployment. The table is written by `boxoffice routes`. A test sends each request twice to a process
that was just started, and holds the table to what the database is asked there.

- **Scope:** what the key has to be for; one of them is enough. Without one, no key is needed.
- **Function:** the crate below `functions/` whose function answers.
- **Reads**, **Writes:** the tables that are asked for. Whoever sends a key has `catalog` read for the key and its tenant;
  a function keeps both for a few seconds.
- **Round trips:** how often the second request waits for the database, and in brackets how often the first one does.
  Calls made side by side are one.

All of it is of a request that succeeds, without an idempotency key, which adds one or two round trips. The sandbox has
further routes, which only `boxoffice serve` answers: see [openapi.json](openapi.json).

| Method | Path | Scope | Function | Reads | Writes | Round trips |
|---|---|---|---|---|---|---|
";

/// What a test measures of every route, on one line each: method, path, scopes, tables read and written, round trips of
/// a request like the one before it, and of the first.
const MEASURED: &str = include_str!("route_table/measured.txt");

/// What stands for a route that was not measured yet.
const NOT_MEASURED: [&str; 5] = ["?"; 5];

/// The table of routes as Markdown: the content of `docs/ROUTES.md`.
#[must_use]
pub fn route_table() -> String {
    let mut table = HEAD.to_owned();
    for route in deployed_routes() {
        let [scopes, read, written, warm, first] = measured(&route).unwrap_or(NOT_MEASURED).map(spaced);
        let DeployedRoute { path, method, function } = route;
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "| {method} | `{path}` | {scopes} | {function} | {read} | {written} | {warm} ({first}) |"
        );
    }
    table
}

fn measured(route: &DeployedRoute) -> Option<[&'static str; 5]> {
    let start = format!("{} {} ", route.method, route.path);
    let line = MEASURED.lines().find_map(|line| line.strip_prefix(&start))?;
    let columns: Vec<&str> = line.split(' ').collect();
    columns.try_into().ok()
}

/// A list as people write it.
fn spaced(list: &str) -> String {
    list.replace(',', ", ")
}
