//! The files that carry a tenant's catalog in and out: one format in two spellings, JSON and CSV
//! (docs/IMPORT.md).

mod columns;
mod formula;
mod lines;
mod table;

pub use table::TableFault;

use lines::Lines;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::path::Path;
use table::TableWriter;
use wire::import::RecordFault;

/// The two spellings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// One JSON object with a list for each section.
    Json,
    /// One table with a row for each record.
    Csv,
}

impl Format {
    /// The spelling that the name of a file says; JSON where it says none.
    #[must_use]
    pub fn of(file: &Path) -> Self {
        let is_csv = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        if is_csv { Self::Csv } else { Self::Json }
    }
}

/// A document that was read, with the places of its records in the file.
#[derive(Debug)]
pub struct Document {
    pub(crate) json: String,
    lines: Lines,
    pub(crate) faults: Vec<RecordFault>,
}

impl Document {
    /// A JSON document. Whether it is one is found when it is imported.
    #[must_use]
    pub fn json(text: &str) -> Self {
        let json = without_mark(text).to_owned();
        Self { json, lines: Lines::OfJson, faults: Vec::new() }
    }

    /// A table.
    ///
    /// # Errors
    /// [`TableFault`] when its first line names no columns or columns there are not.
    pub fn csv(text: &str) -> Result<Self, TableFault> {
        let read = table::read(without_mark(text))?;
        Ok(Self { json: read.json, lines: Lines::OfRows(read.lines), faults: read.faults })
    }

    /// A document in either spelling.
    ///
    /// # Errors
    /// Those of [`Self::csv`].
    pub fn read(text: &str, format: Format) -> Result<Self, TableFault> {
        match format {
            Format::Json => Ok(Self::json(text)),
            Format::Csv => Self::csv(text),
        }
    }

    /// The lines of everything these faults point at. A fault that was found while a record was stored knows
    /// its record only by section and id; it gets its pointer here.
    pub(crate) fn locate(&self, faults: &mut [RecordFault]) -> BTreeMap<String, usize> {
        self.lines.locate(&self.json, faults)
    }
}

/// Some programs begin a file with a byte order mark.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Why a document was not written to its end.
#[derive(Debug)]
pub enum WriteFault {
    /// The file does not take it.
    File(std::io::Error),
    /// A record does not fit the columns.
    Record {
        /// Its section.
        section: &'static str,
        /// What does not fit.
        field: String,
    },
}

impl fmt::Display for WriteFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(_) => out.write_str("the file cannot be written"),
            Self::Record { section, field } => {
                write!(out, "a record of {section} has {field}, which has no column")
            }
        }
    }
}

impl std::error::Error for WriteFault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File(cause) => Some(cause),
            Self::Record { .. } => None,
        }
    }
}

impl From<std::io::Error> for WriteFault {
    fn from(cause: std::io::Error) -> Self {
        Self::File(cause)
    }
}

/// Writes a document record by record; the records of a section come together.
pub(crate) enum DocumentWriter<W: Write> {
    Json { out: W, section: Option<&'static str> },
    Csv(Box<TableWriter<W>>),
}

impl<W: Write> DocumentWriter<W> {
    /// Begins a document.
    pub(crate) fn begin(mut out: W, format: Format) -> Result<Self, WriteFault> {
        match format {
            Format::Json => {
                out.write_all(b"{")?;
                Ok(Self::Json { out, section: None })
            }
            Format::Csv => Ok(Self::Csv(Box::new(TableWriter::begin(out)?))),
        }
    }

    /// Writes one record, on a line of its own.
    pub(crate) fn record(&mut self, name: &'static str, record: &impl Serialize) -> Result<(), WriteFault> {
        match self {
            Self::Csv(table) => table.record(name, record),
            Self::Json { out, section } => {
                if *section == Some(name) {
                    out.write_all(b",\n")?;
                } else {
                    let end = end_of(*section);
                    let comma = if section.is_some() { "," } else { "" };
                    let open = if name == SINGLE { "" } else { "[\n" };
                    write!(out, "{end}{comma}\n\"{name}\": {open}")?;
                    *section = Some(name);
                }
                serde_json::to_writer(out, record).map_err(|fault| WriteFault::File(fault.into()))
            }
        }
    }

    /// Ends the document.
    pub(crate) fn finish(self) -> Result<(), WriteFault> {
        match self {
            Self::Csv(table) => table.finish(),
            Self::Json { mut out, section } => {
                let end = end_of(section);
                writeln!(out, "{end}\n}}")?;
                Ok(out.flush()?)
            }
        }
    }
}

/// The section that is a record, not a list of them.
const SINGLE: &str = "tenant";

fn end_of(section: Option<&str>) -> &'static str {
    match section {
        None | Some(SINGLE) => "",
        Some(_) => "\n]",
    }
}
