//! Which part of a list is wanted, and in which order (contract §1, "List envelope").

use crate::search::SearchQuery;
use domain::order::Order;
use platform::{ApiError, ErrorType};
use std::cmp::Ordering;
use wire::order::PaginationView;

/// Entries of a page when nobody asks for another number (spec §4.6).
const DEFAULT_PAGE_SIZE: i64 = 100;
/// Stands for all entries.
const ALL: i64 = -1;

/// What a list of orders can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SortField {
    CreatedOn,
    OrderNumber,
}

impl SortField {
    const ALL: [Self; 2] = [Self::CreatedOn, Self::OrderNumber];

    const fn as_str(self) -> &'static str {
        match self {
            Self::CreatedOn => "createdOn",
            Self::OrderNumber => "orderNumber",
        }
    }

    fn compare(self, one: &Order, other: &Order) -> Ordering {
        let first = match self {
            Self::CreatedOn => one.created_at.cmp(&other.created_at),
            Self::OrderNumber => one.number.cmp(&other.number),
        };
        first.then_with(|| one.id.cmp(&other.id))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Ascending,
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
}

/// One page of a sorted list. The newest orders come first unless asked otherwise.
#[derive(Debug)]
pub(crate) struct Paging {
    page: i64,
    page_size: i64,
    field: SortField,
    direction: Direction,
}

impl Paging {
    /// Reads the page asked for, and names every parameter that cannot be read.
    pub(crate) fn parse(query: &SearchQuery) -> Result<Self, ApiError> {
        let page = number(query.page.as_deref(), 1).filter(|page| *page > 0);
        let page_size = number(query.page_size.as_deref(), DEFAULT_PAGE_SIZE);
        let page_size = page_size.filter(|size| *size > 0 || *size == ALL);
        let field = choice(query.sort_field.as_deref(), SortField::CreatedOn, |text| {
            SortField::ALL.into_iter().find(|field| field.as_str().eq_ignore_ascii_case(text))
        });
        let direction = choice(query.sort_direction.as_deref(), Direction::Descending, |text| {
            Direction::ALL.into_iter().find(|direction| direction.as_str().eq_ignore_ascii_case(text))
        });
        if let (Some(page), Some(page_size), Some(field), Some(direction)) =
            (page, page_size, field, direction)
        {
            return Ok(Self { page, page_size, field, direction });
        }
        let mut refusal = ApiError::new(ErrorType::ValidationError);
        for (wrong, name, message) in [
            (page.is_none(), "page", "must be a whole number from 1"),
            (page_size.is_none(), "pageSize", "must be a whole number from 1, or -1 for all"),
            (field.is_none(), "sortField", "must be createdOn or orderNumber"),
            (direction.is_none(), "sortDirection", "must be asc or desc"),
        ] {
            if wrong {
                refusal = refusal.detail(name, message);
            }
        }
        Err(refusal)
    }

    /// The page, out of all that was found.
    pub(crate) fn cut(&self, mut found: Vec<Order>) -> (Vec<Order>, PaginationView) {
        found.sort_by(|one, other| match self.direction {
            Direction::Ascending => self.field.compare(one, other),
            Direction::Descending => self.field.compare(other, one),
        });
        let pagination = PaginationView {
            page: self.page,
            page_size: self.page_size,
            sort_direction: self.direction.as_str(),
            sort_field: self.field.as_str(),
            count: found.len(),
        };
        let size = usize::try_from(self.page_size).unwrap_or(usize::MAX);
        let before = usize::try_from(self.page.saturating_sub(1)).unwrap_or(usize::MAX);
        (found.into_iter().skip(before.saturating_mul(size)).take(size).collect(), pagination)
    }
}

fn number(text: Option<&str>, default: i64) -> Option<i64> {
    match sent(text) {
        Some(text) => text.parse().ok(),
        None => Some(default),
    }
}

fn choice<T>(text: Option<&str>, default: T, read: impl Fn(&str) -> Option<T>) -> Option<T> {
    match sent(text) {
        Some(text) => read(text),
        None => Some(default),
    }
}

/// An empty parameter is one that was not sent.
fn sent(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}
