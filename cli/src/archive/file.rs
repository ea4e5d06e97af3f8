//! The file: a line that says what it is, a line for each record, and a last one that says how many there are and
//! proves that none was changed. So a file that was cut off or edited is found out before anything is done with it.

use super::{ArchiveError, FORMAT, item};
use adapters::vault::{Vault, VaultError};
use domain::{TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{BufRead, Read, Write};
use store::{Item, Key, SCHEMA_VERSION, Table};

/// What every archive begins with.
const KIND: &str = "boxoffice tenant";
/// Bytes of a line: an item has 400 KB, and its JSON with every character escaped six times as many.
const MAX_LINE_BYTES: u64 = 4_000_000;

/// How many records each table has.
pub type Counts = BTreeMap<String, u64>;

/// The first line, as far as every format has it.
#[derive(Deserialize)]
struct Beginning {
    archive: String,
    format: u64,
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Header {
    archive: String,
    format: u64,
    /// Version of the records.
    schema: i64,
    pub(super) tenant: TenantId,
    /// When it was written, for people.
    written_at: String,
    /// Nothing, sealed: whoever opens it has the key of the archive.
    sealed: String,
}

impl Header {
    pub(super) async fn new(tenant: TenantId, now: Timestamp, key: &dyn Vault) -> Result<Self, ArchiveError> {
        Ok(Self {
            archive: KIND.to_owned(),
            format: FORMAT,
            schema: SCHEMA_VERSION,
            tenant,
            written_at: now.to_rfc3339(),
            sealed: hex::encode(key.seal(&header_context(tenant), &[]).await?),
        })
    }

    fn read(line: &[u8]) -> Result<Self, ArchiveError> {
        let no_archive = |_| ArchiveError::NoArchive;
        let beginning: Beginning = serde_json::from_slice(line).map_err(no_archive)?;
        if beginning.archive != KIND {
            return Err(ArchiveError::NoArchive);
        }
        if beginning.format != FORMAT {
            return Err(ArchiveError::OtherFormat(beginning.format));
        }
        let header: Self = serde_json::from_slice(line).map_err(|_| ArchiveError::Unreadable(1))?;
        if header.schema <= SCHEMA_VERSION {
            Ok(header)
        } else {
            Err(ArchiveError::OtherSchema(header.schema))
        }
    }

    /// Fails unless `key` is the key of the archive.
    pub(super) async fn prove(&self, key: &dyn Vault) -> Result<(), ArchiveError> {
        let sealed = hex::decode(&self.sealed).map_err(|_| ArchiveError::Edited)?;
        match key.open(&header_context(self.tenant), &sealed).await {
            Ok(_) => Ok(()),
            Err(VaultError::NotOurs) => Err(ArchiveError::WrongKey),
            Err(fault) => Err(fault.into()),
        }
    }
}

fn header_context(tenant: TenantId) -> String {
    format!("archive/{tenant}")
}

fn end_context(tenant: TenantId) -> String {
    format!("archive-end/{tenant}")
}

/// Every line but the first.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Line {
    Record { table: String, item: Value },
    End(End),
}

/// The last line.
#[derive(Serialize, Deserialize)]
pub(super) struct End {
    records: Counts,
    /// The hash of all lines before it, sealed.
    sealed: String,
}

/// Writes an archive.
pub(super) struct Writer<W> {
    out: W,
    digest: Sha256,
    records: Counts,
}

impl<W: Write> Writer<W> {
    pub(super) fn begin(out: W, header: &Header) -> Result<Self, ArchiveError> {
        let records = Table::ALL.map(|table| (table.name().to_owned(), 0)).into();
        let mut writer = Self { out, digest: Sha256::new(), records };
        writer.line(header)?;
        Ok(writer)
    }

    fn line(&mut self, line: &impl Serialize) -> Result<(), ArchiveError> {
        let mut text = serde_json::to_vec(line).map_err(std::io::Error::other)?;
        text.push(b'\n');
        self.digest.update(&text);
        Ok(self.out.write_all(&text)?)
    }

    pub(super) fn record(&mut self, key: &Key, item: &Item) -> Result<(), ArchiveError> {
        let whole = key.placed(item.clone());
        let item = item::to_json(&whole).ok_or_else(|| ArchiveError::UnknownValue(key.clone()))?;
        let table = key.table.name().to_owned();
        count(&mut self.records, &table);
        self.line(&Line::Record { table, item })
    }

    pub(super) async fn finish(mut self, tenant: TenantId, key: &dyn Vault) -> Result<Counts, ArchiveError> {
        let digest = self.digest.clone().finalize();
        let sealed = hex::encode(key.seal(&end_context(tenant), &digest).await?);
        self.line(&Line::End(End { records: self.records.clone(), sealed }))?;
        self.out.flush()?;
        Ok(self.records)
    }
}

fn count(records: &mut Counts, table: &str) {
    let counted = records.entry(table.to_owned()).or_default();
    *counted = counted.saturating_add(1);
}

/// Reads an archive, line by line.
pub(super) struct Reader<R> {
    input: R,
    pub(super) header: Header,
    digest: Sha256,
    lines: u64,
    records: Counts,
}

/// What a line has.
pub(super) enum Next {
    Record(Key, Item),
    End(End),
}

impl<R: BufRead> Reader<R> {
    pub(super) fn begin(mut input: R) -> Result<Self, ArchiveError> {
        let line = read_line(&mut input)?.ok_or(ArchiveError::NoArchive)?;
        let header = Header::read(&line)?;
        let records = Table::ALL.map(|table| (table.name().to_owned(), 0)).into();
        Ok(Self { input, header, digest: Sha256::new_with_prefix(&line), lines: 1, records })
    }

    pub(super) fn next(&mut self) -> Result<Next, ArchiveError> {
        let text = read_line(&mut self.input)?.ok_or(ArchiveError::CutOff)?;
        self.lines = self.lines.saturating_add(1);
        let unreadable = || ArchiveError::Unreadable(self.lines);
        match serde_json::from_slice(&text).map_err(|_| unreadable())? {
            Line::End(end) => Ok(Next::End(end)),
            Line::Record { table, item } => {
                let table =
                    Table::ALL.into_iter().find(|known| known.name() == table).ok_or_else(unreadable)?;
                let item = item::from_json(item).ok_or_else(unreadable)?;
                let (key, item) = Key::taken_from(table, item).ok_or_else(unreadable)?;
                if !key.is_of(self.header.tenant, &item) {
                    return Err(ArchiveError::Foreign(self.lines));
                }
                self.digest.update(&text);
                count(&mut self.records, table.name());
                Ok(Next::Record(key, item))
            }
        }
    }

    /// The hash of all lines so far.
    pub(super) fn digest(&self) -> String {
        hex::encode(self.digest.clone().finalize())
    }

    /// Fails unless the file ends here and as it was written; how many records there were.
    pub(super) async fn finish(mut self, end: &End, key: &dyn Vault) -> Result<Counts, ArchiveError> {
        let sealed = hex::decode(&end.sealed).map_err(|_| ArchiveError::Edited)?;
        let digest = match key.open(&end_context(self.header.tenant), &sealed).await {
            Ok(digest) => digest,
            Err(VaultError::NotOurs) => return Err(ArchiveError::Edited),
            Err(fault) => return Err(fault.into()),
        };
        let is_whole = digest.as_slice() == self.digest.clone().finalize().as_slice()
            && end.records == self.records
            && self.input.fill_buf()?.is_empty();
        if is_whole { Ok(self.records) } else { Err(ArchiveError::Edited) }
    }
}

/// The next line with its end; none at the end of the file. A line without one was cut off.
fn read_line(input: &mut impl BufRead) -> Result<Option<Vec<u8>>, ArchiveError> {
    let mut line = Vec::new();
    input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
    match line.last() {
        None => Ok(None),
        Some(b'\n') => Ok(Some(line)),
        Some(_) if input.fill_buf()?.is_empty() => Err(ArchiveError::CutOff),
        Some(_) => Err(ArchiveError::NoArchive),
    }
}
