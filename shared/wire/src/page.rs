//! The envelope of lists (contract §1).

use serde::Serialize;
use utoipa::ToSchema;

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Page<T> {
    /// The entries of this page.
    pub list: Vec<T>,
    /// Where the page stands.
    pub pagination: PaginationView,
}

/// Where a page of a list stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaginationView {
    /// Number of the page, from 1.
    pub page: i64,
    /// Entries of a page; -1 for all of them.
    pub page_size: i64,
    /// `asc` or `desc`.
    pub sort_direction: &'static str,
    /// What the list is sorted by.
    pub sort_field: &'static str,
    /// Entries on all pages.
    pub count: usize,
}
