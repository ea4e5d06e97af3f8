//! Where in a file a record or a field stands.

use serde_json::value::RawValue;
use std::collections::BTreeMap;
use wire::import::RecordFault;

/// How lines are found.
#[derive(Debug)]
pub(super) enum Lines {
    /// By going through the document.
    OfJson,
    /// A row is a record: lines by the pointer of the record.
    OfRows(BTreeMap<String, usize>),
}

/// The fields by which records name themselves.
const ID_FIELDS: [&str; 3] = ["id", "mid", "label"];

impl Lines {
    pub(super) fn locate(&self, json: &str, faults: &mut [RecordFault]) -> BTreeMap<String, usize> {
        let mut lines = BTreeMap::new();
        let Some(index) = Index::of(json) else { return lines };
        for fault in faults {
            index.complete(fault);
            let record = match self {
                Self::OfJson => index.line(&fault.record),
                Self::OfRows(rows) => rows.get(&fault.record).copied(),
            };
            lines.extend(record.map(|line| (fault.record.clone(), line)));
            for error in &fault.errors {
                let line = match self {
                    Self::OfJson => index.line(&error.field),
                    Self::OfRows(_) => record,
                };
                lines.extend(line.map(|line| (error.field.clone(), line)));
            }
        }
        lines
    }
}

/// The values of a document that stand at its top.
struct Index<'a> {
    text: &'a str,
    /// Where each line ends.
    ends: Vec<usize>,
    whole: &'a RawValue,
    sections: BTreeMap<String, Vec<&'a RawValue>>,
}

impl<'a> Index<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let whole: &RawValue = serde_json::from_str(text).ok()?;
        let mut sections = BTreeMap::new();
        for (name, value) in fields(whole)? {
            if let Some(elements) = elements(value) {
                sections.insert(name, elements);
            }
        }
        let ends = text.match_indices('\n').map(|(place, _)| place).collect();
        Some(Self { text, ends, whole, sections })
    }

    /// The line of the deepest value on the way of a pointer.
    fn line(&self, pointer: &str) -> Option<usize> {
        let mut names = pointer.split('/').skip(1);
        let section = names.next().unwrap_or_default();
        let found = self
            .sections
            .get(section)
            .zip(names.next())
            .and_then(|(elements, place)| elements.get(place.parse::<usize>().ok()?).copied());
        let mut value = match found {
            Some(record) => record,
            None => {
                names = pointer.split('/').skip(1);
                self.whole
            }
        };
        for name in names {
            let next = match value.get().as_bytes().first() {
                Some(b'{') => fields(value).and_then(|fields| fields.get(name).copied()),
                Some(b'[') => elements(value)
                    .zip(name.parse::<usize>().ok())
                    .and_then(|(all, place)| all.get(place).copied()),
                Some(_) | None => None,
            };
            match next {
                Some(next) => value = next,
                None => break,
            }
        }
        let place = value.get().as_ptr().addr().checked_sub(self.text.as_ptr().addr())?;
        Some(self.ends.partition_point(|end| *end < place).saturating_add(1))
    }

    /// Gives a fault that names its record by section and id the pointer of the record.
    fn complete(&self, fault: &mut RecordFault) {
        let RecordFault { record, id: Some(id), errors } = fault else { return };
        let Some(elements) = self.sections.get(record.trim_start_matches('/')) else { return };
        let is_named = |value: &&RawValue| {
            fields(value).is_some_and(|fields| {
                let ids = ID_FIELDS.iter().filter_map(|name| fields.get(*name));
                ids.into_iter().any(|found| found.get().trim_matches('"').trim() == id.as_str())
            })
        };
        if let Some(place) = elements.iter().position(is_named) {
            let pointer = format!("{record}/{place}");
            for error in errors {
                if let Some(rest) = error.field.strip_prefix(record.as_str()) {
                    error.field = format!("{pointer}{rest}");
                }
            }
            *record = pointer;
        }
    }
}

fn fields(value: &RawValue) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_str(value.get()).ok()
}

fn elements(value: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(value.get()).ok()
}
