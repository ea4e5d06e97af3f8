//! What the program does besides serving.

pub(crate) mod archive;
pub(crate) mod demo;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod key;
pub(crate) mod merchant;
pub(crate) mod outbox;
pub(crate) mod processor;
pub(crate) mod restore;
pub(crate) mod staff;
pub(crate) mod tables;
pub(crate) mod tenant;
pub(crate) mod vault;
pub(crate) mod verify;

use crate::archive::Counts;
use crate::failure::Failure;
use domain::EmailAddress;
use domain::TenantId;
use domain::lines::{is_blank, is_one_line};
use domain::number::whole_number;
use domain::tenant::Tenant;
use std::io::Write;
use store::{Consistency, Store};

/// Writes a text and a line end to standard output. A reader that went away is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{}", text.trim_end()) {
        Err(fault) if fault.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::because("the answer cannot be printed", &fault))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Rows under their headings, in columns as wide as they need.
fn columns<const N: usize>(headings: [&str; N], rows: &[[String; N]]) -> String {
    let headings = headings.map(str::to_owned);
    let all = || std::iter::once(&headings).chain(rows);
    let widths: [usize; N] =
        std::array::from_fn(|column| all().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    all().map(line).collect::<Vec<_>>().join("\n")
}

/// Reads a tenant's id from the command line.
fn tenant_id(text: &str) -> Result<TenantId, &'static str> {
    let number = whole_number(text).ok_or("a tenant id is a number")?;
    TenantId::parse(number).map_err(|_| "a tenant id is a positive number below 2^53")
}

/// Reads a name from the command line: one line that says something.
fn line(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    let is_name = !is_blank(text) && is_one_line(text);
    is_name.then(|| text.to_owned()).ok_or("it must be one line without tabs, and not blank")
}

/// Reads an e-mail address from the command line: one that mails can be sent from.
fn address(text: &str) -> Result<String, &'static str> {
    EmailAddress::parse(text).map_err(|_| "an address looks like tickets@example.org")?;
    Ok(text.trim().to_owned())
}

/// Reads an origin from the command line: scheme and host, with the port where it is not the usual one.
fn origin(text: &str) -> Result<String, &'static str> {
    const FORM: &str = "an origin looks like https://tickets.example.org, without a path";
    let uri: http::Uri = text.parse().map_err(|_| FORM)?;
    let has_scheme = matches!(uri.scheme_str(), Some("http" | "https"));
    let authority = uri.authority().map(|authority| authority.as_str()).unwrap_or_default();
    let plain = !authority.is_empty() && !authority.contains('@') && text.ends_with(authority);
    if has_scheme && plain { Ok(text.to_ascii_lowercase()) } else { Err(FORM) }
}

async fn known_tenant(store: &Store, id: TenantId) -> Result<Tenant, Failure> {
    let found = store.load_tenant(id, Consistency::Strong).await?;
    found.ok_or_else(|| Failure::new(format!("there is no tenant {id}")))
}

/// How many records there are of each table.
fn counted(counts: &Counts) -> String {
    let tables: Vec<String> = counts.iter().map(|(table, records)| format!("{records} {table}")).collect();
    tables.join(", ")
}

/// A list on one line, a dash if it is empty.
fn joined<T: ToString>(list: impl IntoIterator<Item = T>) -> String {
    let texts: Vec<String> = list.into_iter().map(|entry| entry.to_string()).collect();
    if texts.is_empty() { "-".to_owned() } else { texts.join(",") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_scheme_host_and_port_only() {
        for text in ["https://tickets.example.org", "http://127.0.0.1:3000", "HTTPS://Tickets.Example.org"] {
            assert_eq!(origin(text), Ok(text.to_ascii_lowercase()));
        }
        for text in [
            "tickets.example.org",
            "https://a.example/",
            "https://a.example/x",
            "ftp://a.example",
            "https://u@a.example",
            "*",
            "",
        ] {
            assert!(origin(text).is_err(), "{text}");
        }
    }

    #[test]
    fn columns_are_as_wide_as_they_need() {
        let rows = [["1".to_owned(), "Harbor Museum".to_owned()], ["1002".to_owned(), "Zoo".to_owned()]];
        assert_eq!(columns(["ID", "NAME"], &rows), "ID    NAME\n1     Harbor Museum\n1002  Zoo");
    }
}
