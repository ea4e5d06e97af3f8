//! What a list of orders can be sorted by.

use domain::order::Order;
use web::paging::{Direction, SortField, Sorting};

/// The newest orders come first unless asked otherwise.
pub(crate) static SORTING: Sorting<Order> = Sorting {
    fields: &[
        SortField { name: "createdOn", compare: |one, other| one.created_at.cmp(&other.created_at) },
        SortField { name: "orderNumber", compare: |one, other| one.number.cmp(&other.number) },
    ],
    direction: Direction::Descending,
    last: |one, other| one.id.cmp(&other.id),
};
