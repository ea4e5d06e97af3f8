//! A second copy of the tables that is some writes behind.

use crate::embedded::Embedded;
use crate::message::Outcome;
use serde_json::Value;
use std::collections::VecDeque;

/// The copy, and the writes it has not seen yet. The engine being deterministic, the same writes in the same order
/// make the same tables.
pub(crate) struct Replica {
    copy: Embedded,
    unseen: VecDeque<(String, Vec<u8>)>,
}

impl Replica {
    pub(crate) fn new(copy: Embedded) -> Self {
        Self { copy, unseen: VecDeque::new() }
    }

    /// A write that happened.
    pub(crate) fn note(&mut self, operation: &str, body: Vec<u8>) {
        if !matches!(operation, "GetItem" | "Query" | "Scan" | "BatchGetItem" | "TransactGetItems") {
            self.unseen.push_back((operation.to_owned(), body));
        }
    }

    /// Sees all writes but so many of the last ones, and says how many it misses: fewer than asked for where it has
    /// seen more already, since a copy never forgets.
    pub(crate) fn catch_up(&mut self, missed: usize) -> usize {
        while self.unseen.len() > missed
            && let Some((operation, body)) = self.unseen.pop_front()
        {
            // What happened once happens again.
            let _answer = self.copy.respond(&operation, &body);
        }
        self.unseen.len()
    }

    pub(crate) fn respond(&self, operation: &str, body: &[u8]) -> Outcome {
        self.copy.respond(operation, body)
    }
}

/// Whether a request is a read that may be answered by a copy: it asks an index, or not for a consistent answer.
pub(crate) fn is_eventual(operation: &str, body: &[u8]) -> bool {
    let request: Value = match operation {
        "GetItem" | "Query" | "Scan" | "BatchGetItem" => serde_json::from_slice(body).unwrap_or_default(),
        _ => return false,
    };
    let is_consistent = |part: &Value| part["ConsistentRead"] == Value::Bool(true);
    match request["RequestItems"].as_object() {
        // A batch that wants one table consistent is answered as a whole from there.
        Some(tables) => !tables.values().any(is_consistent),
        None => !is_consistent(&request),
    }
}
