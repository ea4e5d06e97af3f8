//! Between records and the rows of a table.

use super::WriteFault;
use super::columns::{self, Cell, Column, RECORD, SECTIONS, header};
use super::formula::{guarded, unguarded};
use csv::{ReaderBuilder, StringRecord, Writer};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Write;
use wire::FieldError;
use wire::import::RecordFault;

/// Why a file is no table of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFault {
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for TableFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for TableFault {}

/// A table that was read.
pub(super) struct CsvTable {
    /// The same as a JSON document.
    pub(super) json: String,
    /// The lines of its records, by their pointers.
    pub(super) lines: BTreeMap<String, usize>,
    /// Rows that are no records.
    pub(super) faults: Vec<RecordFault>,
}

/// Reads a table.
pub(super) fn read(text: &str) -> Result<CsvTable, TableFault> {
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let first = |message: String| TableFault { line: 1, message };
    let names = reader.headers().map_err(|fault| first(fault.to_string()))?.clone();
    check_header(&names).map_err(first)?;
    let mut rows = Rows { names, sections: BTreeMap::new(), lines: BTreeMap::new(), faults: Vec::new() };
    let ends: Vec<usize> = text.match_indices('\n').map(|(place, _)| place).collect();
    for row in reader.records() {
        let row = row.map_err(|fault| TableFault { line: 1, message: fault.to_string() })?;
        let place = row.position().and_then(|place| usize::try_from(place.byte()).ok()).unwrap_or_default();
        // A row begins behind the blank lines before it.
        let blank = text.get(place..).unwrap_or_default();
        let place =
            place.saturating_add(blank.len().saturating_sub(blank.trim_start_matches(['\r', '\n']).len()));
        rows.add(&row, ends.partition_point(|end| *end < place).saturating_add(1));
    }
    Ok(rows.finish())
}

fn check_header(names: &StringRecord) -> Result<(), String> {
    let known: BTreeSet<&str> = header().into_iter().collect();
    let mut seen = BTreeSet::new();
    for name in names.iter().map(str::trim).filter(|name| !name.is_empty()) {
        if !known.contains(name) {
            return Err(format!("there is no column {name:?}; docs/IMPORT.md lists the columns"));
        }
        if !seen.insert(name) {
            return Err(format!("the column {name:?} appears twice"));
        }
    }
    if seen.contains(RECORD) {
        Ok(())
    } else {
        Err(format!("there must be a column {RECORD:?}, which names the section of each row"))
    }
}

struct Rows {
    names: StringRecord,
    sections: BTreeMap<&'static str, Vec<Value>>,
    lines: BTreeMap<String, usize>,
    faults: Vec<RecordFault>,
}

impl Rows {
    fn add(&mut self, row: &StringRecord, line: usize) {
        let cells: Vec<(&str, &str)> = row
            .iter()
            .enumerate()
            .filter(|(_, cell)| !cell.trim().is_empty())
            .map(|(place, cell)| (self.names.get(place).map(str::trim).unwrap_or_default(), unguarded(cell)))
            .collect();
        if cells.is_empty() {
            return;
        }
        let sent = cells.iter().find(|(name, _)| *name == RECORD).map(|(_, cell)| cell.trim());
        let Some((section, columns)) = sent.and_then(columns::of) else {
            let names: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
            let message = format!("must be one of {}", names.join(", "));
            self.refuse(
                format!("/rows/{line}"),
                None,
                line,
                vec![(format!("/rows/{line}/{RECORD}"), message)],
            );
            return;
        };
        let place = self.sections.get(section).map_or(0, Vec::len);
        let is_single = section == super::SINGLE;
        if is_single && place > 0 {
            let error = (format!("/rows/{line}/{RECORD}"), "names a tenant again".to_owned());
            self.refuse(format!("/rows/{line}"), None, line, vec![error]);
            return;
        }
        let pointer = if is_single { format!("/{section}") } else { format!("/{section}/{place}") };
        self.lines.insert(pointer.clone(), line);
        let value = match record(columns, &cells) {
            Ok(value) => value,
            Err(errors) => {
                let id = cells.iter().find(|(name, _)| *name == "id").map(|(_, cell)| cell.trim().to_owned());
                let errors = errors
                    .into_iter()
                    .map(|(path, message)| (format!("{pointer}/{}", path.replace('.', "/")), message));
                self.refuse(pointer.clone(), id, line, errors.collect());
                // It keeps its place, so that pointers count rows.
                Value::Null
            }
        };
        self.sections.entry(section).or_default().push(value);
    }

    fn refuse(&mut self, record: String, id: Option<String>, line: usize, errors: Vec<(String, String)>) {
        let errors = errors.into_iter().map(|(field, message)| FieldError { field, message }).collect();
        self.lines.insert(record.clone(), line);
        self.faults.push(RecordFault { record, id, errors });
    }

    fn finish(mut self) -> CsvTable {
        let mut document = Map::new();
        for (section, mut records) in std::mem::take(&mut self.sections) {
            let value = match records.pop() {
                Some(only) if section == super::SINGLE => only,
                last => {
                    records.extend(last);
                    Value::Array(records)
                }
            };
            document.insert(section.to_owned(), value);
        }
        CsvTable { json: Value::Object(document).to_string(), lines: self.lines, faults: self.faults }
    }
}

/// The record of a row's cells, or the columns at fault.
fn record(columns: &[Column], cells: &[(&str, &str)]) -> Result<Value, Vec<(String, String)>> {
    let mut record = Map::new();
    let mut errors = Vec::new();
    for (name, cell) in cells.iter().filter(|(name, _)| *name != RECORD) {
        let column = columns.iter().find(|(path, _)| path == name);
        match (column, name.is_empty()) {
            (None, true) => errors.push((RECORD.to_owned(), "has cells without a column".to_owned())),
            (None, false) => {
                errors.push(((*name).to_owned(), "is no column of this kind of record".to_owned()))
            }
            (Some((path, kind)), _) => put(&mut record, path, value(*kind, cell)),
        }
    }
    if errors.is_empty() { Ok(Value::Object(record)) } else { Err(errors) }
}

/// What a cell says. What cannot be read stays text, and the reader of the record says what it must be.
fn value(kind: Cell, cell: &str) -> Value {
    let text = || Value::String(cell.to_owned());
    match kind {
        Cell::Text => text(),
        Cell::Plain => match serde_json::from_str(&cell.trim().to_ascii_lowercase()) {
            Ok(value @ (Value::Bool(_) | Value::Number(_))) => value,
            Ok(Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_)) | Err(_) => text(),
        },
        Cell::Json => serde_json::from_str(cell).unwrap_or_else(|_| text()),
    }
}

fn put(record: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => _ = record.insert(path.to_owned(), value),
        Some((outer, inner)) => {
            let nested = record.entry(outer).or_insert_with(|| Value::Object(Map::new()));
            if let Some(nested) = nested.as_object_mut() {
                put(nested, inner, value);
            }
        }
    }
}

/// Writes records as rows.
pub(crate) struct TableWriter<W: Write> {
    rows: Writer<W>,
    header: Vec<&'static str>,
}

impl<W: Write> TableWriter<W> {
    pub(super) fn begin(out: W) -> Result<Self, WriteFault> {
        let mut rows = Writer::from_writer(out);
        let header = header();
        rows.write_record(&header).map_err(unwritten)?;
        Ok(Self { rows, header })
    }

    pub(super) fn record(
        &mut self,
        section: &'static str,
        record: &impl Serialize,
    ) -> Result<(), WriteFault> {
        let value = serde_json::to_value(record).map_err(|fault| WriteFault::File(fault.into()))?;
        let columns = columns::of(section).map(|(_, columns)| columns).unwrap_or_default();
        if let Some(field) = homeless(&value, "", columns) {
            return Err(WriteFault::Record { section, field });
        }
        let cells: Vec<String> = self
            .header
            .iter()
            .map(|name| match columns.iter().find(|(path, _)| path == name) {
                None if *name == RECORD => section.to_owned(),
                None => String::new(),
                Some((path, _)) => cell(value.pointer(&format!("/{}", path.replace('.', "/")))),
            })
            .collect();
        self.rows.write_record(cells.iter().map(|cell| guarded(cell).into_owned())).map_err(unwritten)
    }

    pub(super) fn finish(mut self) -> Result<(), WriteFault> {
        Ok(self.rows.flush()?)
    }
}

fn unwritten(fault: csv::Error) -> WriteFault {
    WriteFault::File(fault.into())
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) if is_blank(value) => String::new(),
        Some(value) => value.to_string(),
    }
}

/// The reader takes nothing from it, as from its absence.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A field that says something and has no column of its kind.
fn homeless(value: &Value, path: &str, columns: &[Column]) -> Option<String> {
    if is_blank(value) {
        return None;
    }
    if let Some((_, kind)) = columns.iter().find(|(name, _)| *name == path) {
        let fits = match kind {
            Cell::Text => value.is_string(),
            Cell::Plain => value.is_boolean() || value.is_number(),
            Cell::Json => value.is_array() || value.is_object(),
        };
        return (!fits).then(|| path.to_owned());
    }
    let inner = format!("{path}.");
    let Value::Object(fields) = value else { return Some(path.to_owned()) };
    if !path.is_empty() && !columns.iter().any(|(name, _)| name.starts_with(&inner)) {
        return Some(path.to_owned());
    }
    let join = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    fields.iter().find_map(|(name, value)| homeless(value, &join(name), columns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use proptest::prelude::*;
    use serde_json::json;

    fn written(records: &[Value]) -> String {
        let mut text = Vec::new();
        let mut table = TableWriter::begin(&mut text).unwrap();
        for record in records {
            table.record("personTypes", record).unwrap();
        }
        table.finish().unwrap();
        String::from_utf8(text).unwrap()
    }

    proptest! {
        #[test]
        fn a_table_that_is_exported_is_read_as_it_was_and_has_no_formulas(
            texts in prop::collection::vec(("[=+@'\t\r\n-]{0,3}\\PC{1,8}x", "[=+@'\t\r\n-]{0,2}[a-z,;\"]{1,6}"), 1..5),
            orders in prop::collection::vec(-9_i64..9, 5),
        ) {
            let records: Vec<Value> = texts
                .iter()
                .zip(&orders)
                .map(|((name, description), order)| {
                    json!({ "id": "1", "name": name, "description": description, "displayOrder": order })
                })
                .collect();
            let text = written(&records);
            let opened = ReaderBuilder::new().from_reader(text.as_bytes()).into_records();
            for cell in opened.flat_map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>()) {
                prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']), "{cell:?}");
            }
            let read = Document::csv(&text).unwrap();
            prop_assert!(read.faults.is_empty());
            let read: Value = serde_json::from_str(&read.json).unwrap();
            prop_assert_eq!(&read["personTypes"], &Value::Array(records));
        }
    }
}
