//! The error table as a document.

use std::fmt::Write as _;
use web::ErrorType;

const HEAD: &str = "\
# Errors

Every error the service can answer. The table is written by `boxoffice errors`; `GET /errors` serves the same
as JSON. Numbers are never used again for something else.

The body is `{message, errorCode, type, requestId}`. Faults of fields, headers and query parameters are
listed in `details`, all at once; other facts stand beside the four fields where an error has some.
`message` may say more than the text below.

| Status | errorCode | type | message | When |
|---|---|---|---|---|
";

/// The error table as Markdown: the content of `docs/errors.md`.
#[must_use]
pub fn error_table() -> String {
    let mut table = HEAD.to_owned();
    for row in ErrorType::ALL.iter().map(|kind| kind.row()) {
        let (status, code, name, message) = (row.status.as_u16(), row.code, row.name, row.message);
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| {status} | {code} | {name} | {message} | {} |", row.when);
    }
    table
}
