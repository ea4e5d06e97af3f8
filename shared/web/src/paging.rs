//! Which part of a list is wanted, and in which order (contract §1, "List envelope").

use crate::query::QueryReader;
use crate::{ApiError, ErrorType};
use axum::Json;
use domain::number::whole_number;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt::Write;
use wire::page::{Page, PaginationView};

/// Bytes of a list that fit into a Lambda's answer of 6 MB beside its headers (contract §1).
const MAX_LIST_BYTES: usize = 5_500_000;
/// Entries of a page when nobody asks for another number (spec §4.6).
const DEFAULT_PAGE_SIZE: i64 = 100;
/// Stands for all entries.
const ALL: i64 = -1;
/// The same as it is sent: no other number has a sign.
const ALL_TEXT: &str = "-1";

/// The part of a list that is wanted.
#[derive(Debug, Clone, Default, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Number of the page; default 1.
    pub page: Option<String>,
    /// Entries on a page; default 100, -1 for all.
    pub page_size: Option<String>,
    /// What the list is sorted by.
    pub sort_field: Option<String>,
    /// `asc` or `desc`.
    pub sort_direction: Option<String>,
}

/// Something a list can be sorted by.
#[derive(Debug)]
pub struct SortField<T> {
    /// Its name.
    pub name: &'static str,
    /// Which of two entries comes first.
    pub compare: fn(&T, &T) -> Ordering,
}

/// The orders a list can have.
#[derive(Debug)]
pub struct Sorting<T: 'static> {
    /// What it can be sorted by, the usual one first.
    pub fields: &'static [SortField<T>],
    /// The usual direction.
    pub direction: Direction,
    /// Which of two entries comes first where the chosen field does not decide: by their ids.
    pub last: fn(&T, &T) -> Ordering,
}

/// Which end of a list comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The smallest.
    Ascending,
    /// The largest.
    Descending,
}

impl Direction {
    const ALL: [Self; 2] = [Self::Ascending, Self::Descending];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Ascending => "asc",
            Self::Descending => "desc",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|direction| direction.as_str().eq_ignore_ascii_case(text))
    }
}

/// One page of a sorted list.
#[derive(Debug)]
pub struct Paging<T: 'static> {
    page: i64,
    page_size: i64,
    field: &'static SortField<T>,
    direction: Direction,
    last: fn(&T, &T) -> Ordering,
}

impl<T> Paging<T> {
    /// Reads the page asked for.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` naming every parameter that cannot be read.
    pub fn parse(query: &PageQuery, sorting: &'static Sorting<T>) -> Result<Self, ApiError> {
        let mut reader = QueryReader::new();
        let paging = Self::read(&mut reader, query, sorting);
        reader.finish(paging)?.ok_or_else(|| ApiError::new(ErrorType::Internal))
    }

    /// Reads the page asked for, beside other parameters. What cannot be read is noted, and the usual taken for it.
    pub fn read(reader: &mut QueryReader, query: &PageQuery, sorting: &'static Sorting<T>) -> Option<Self> {
        let PageQuery { page, page_size, sort_field, sort_direction } = query;
        let page = reader.optional("page", page.as_deref(), positive, "a whole number of at least 1");
        let size = |text: &str| if text == ALL_TEXT { Some(ALL) } else { positive(text) };
        let expected = "a whole number of at least 1, or -1 for all";
        let page_size = reader.optional("pageSize", page_size.as_deref(), size, expected);
        let named = |text: &str| sorting.fields.iter().find(|field| field.name.eq_ignore_ascii_case(text));
        let field = reader.optional("sortField", sort_field.as_deref(), named, &names(sorting.fields));
        let direction =
            reader.optional("sortDirection", sort_direction.as_deref(), Direction::parse, "asc or desc");
        Some(Self {
            page: page.unwrap_or(1),
            page_size: page_size.unwrap_or(DEFAULT_PAGE_SIZE),
            field: field.or(sorting.fields.first())?,
            direction: direction.unwrap_or(sorting.direction),
            last: sorting.last,
        })
    }

    /// The page, out of all that was found.
    #[must_use]
    pub fn cut(&self, mut found: Vec<T>) -> (Vec<T>, PaginationView) {
        let compare =
            |one: &T, other: &T| (self.field.compare)(one, other).then_with(|| (self.last)(one, other));
        found.sort_by(|one, other| match self.direction {
            Direction::Ascending => compare(one, other),
            Direction::Descending => compare(other, one),
        });
        let pagination = PaginationView {
            page: self.page,
            page_size: self.page_size,
            sort_direction: self.direction.as_str(),
            sort_field: self.field.name,
            count: found.len(),
        };
        let size = usize::try_from(self.page_size).unwrap_or(usize::MAX);
        let before = usize::try_from(self.page.saturating_sub(1)).unwrap_or(usize::MAX);
        (found.into_iter().skip(before.saturating_mul(size)).take(size).collect(), pagination)
    }
}

/// Whether a list fits into an answer.
///
/// # Errors
/// `INTERNAL` when an entry has no representation.
pub fn fits<T: Serialize>(list: &[T]) -> Result<bool, ApiError> {
    Ok(serde_json::to_vec(list).map_err(ApiError::internal)?.len() <= MAX_LIST_BYTES)
}

/// A page that fits into an answer.
///
/// # Errors
/// `VALIDATION_ERROR` when it does not fit.
pub fn page_of<T: Serialize>(list: Vec<T>, pagination: PaginationView) -> Result<Json<Page<T>>, ApiError> {
    if !fits(&list)? {
        let message = "is too large for these entries; request fewer at once";
        return Err(ApiError::new(ErrorType::ValidationError).detail("pageSize", message));
    }
    Ok(Json(Page { list, pagination }))
}

/// `a`, `a or b`, `a, b or c`.
fn names<T>(fields: &[SortField<T>]) -> String {
    let mut text = String::new();
    for (index, field) in fields.iter().enumerate() {
        let separator = match fields.len().saturating_sub(index) {
            _ if index == 0 => "",
            1 => " or ",
            _ => ", ",
        };
        let _ = write!(text, "{separator}{}", field.name);
    }
    text
}

fn positive(text: &str) -> Option<i64> {
    whole_number(text).filter(|number| *number > 0)
}
