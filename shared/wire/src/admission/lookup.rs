//! What a code is.

use crate::admission::result::AdmissionResultView;
use crate::order::OrderInShortView;
use serde::Serialize;
use utoipa::ToSchema;

/// What a code is, and what a scan of it would be answered now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeLookupView {
    /// `ticket`, `membership`, `order`, `ambiguous` or `unknown`.
    pub kind: &'static str,
    /// What a scan would be answered now.
    pub result: AdmissionResultView,
    /// The order of a ticket or of an order's number.
    pub orders: Vec<OrderInShortView>,
}
