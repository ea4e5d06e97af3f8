//! Barcodes of several tickets.

use domain::admission::ScannedCode;
use domain::{BarcodeTag, TicketBarcode};
use std::collections::{BTreeMap, BTreeSet};

/// Barcodes that begin alike.
#[derive(Debug, Clone)]
pub(crate) struct CodeGroup {
    /// One of them.
    pub(crate) first: TicketBarcode,
    /// All of them.
    pub(crate) all: Vec<TicketBarcode>,
}

/// Barcodes that were scanned, each once, together with those that begin like it: what they begin with leads to their
/// order, so that those of one order are looked up at once. What is no barcode is left out.
pub(crate) fn by_beginning<'a>(codes: impl IntoIterator<Item = &'a ScannedCode>) -> Vec<CodeGroup> {
    let sent: BTreeSet<&TicketBarcode> = codes.into_iter().filter_map(ScannedCode::barcode).collect();
    let mut groups: BTreeMap<BarcodeTag, CodeGroup> = BTreeMap::new();
    for barcode in sent {
        let begun = || CodeGroup { first: barcode.clone(), all: Vec::new() };
        groups.entry(barcode.tag()).or_insert_with(begun).all.push(barcode.clone());
    }
    groups.into_values().collect()
}
