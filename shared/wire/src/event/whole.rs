//! What holds for a template as a whole: its parts have names, unlike each other, and it is not too large.

use super::input::{MAX_TEMPLATE_BYTES, TemplateInput};
use crate::{Checker, Field};
use domain::PriceListId;
use domain::catalog::{Template, derived_id};
use domain::publishing::NothingToCome;
use std::collections::BTreeSet;

impl TemplateInput {
    /// Gives price lists and schedules without an id one that follows from the template's, so that the same
    /// body makes the same slots.
    pub(super) fn name_parts(&mut self) {
        let template = self.id.clone().value().unwrap_or_default();
        if let Field::Value(lists) = &mut self.price_lists {
            let ids = lists.0.iter_mut().filter_map(|list| match list {
                Field::Value(list) => Some(&mut list.id),
                Field::Absent | Field::Null | Field::Wrong => None,
            });
            name_unnamed(ids.collect(), |number| part_id(&template, ("priceList", number)));
        }
        if let Field::Value(schedules) = &mut self.schedules {
            let ids = schedules.0.iter_mut().filter_map(|schedule| match schedule {
                Field::Value(schedule) => Some(&mut schedule.id),
                Field::Absent | Field::Null | Field::Wrong => None,
            });
            name_unnamed(ids.collect(), |number| part_id(&template, ("schedule", number)));
        }
    }
}

/// The id of a part that has the form of those of price lists and schedules.
pub(crate) fn part_id(whole: &str, place: (&str, usize)) -> String {
    PriceListId::from_bytes(derived_id(whole, place)).to_string()
}

/// Gives each of these ids that was left out one that none of them has.
pub(crate) fn name_unnamed(ids: Vec<&mut Field<String>>, derive: impl Fn(usize) -> String) {
    let mut taken: BTreeSet<String> = ids.iter().filter_map(|id| (**id).clone().value()).collect();
    let mut number = 0_usize;
    for id in ids {
        if !matches!(id, Field::Absent | Field::Null) {
            continue;
        }
        loop {
            let derived = derive(number);
            number = number.saturating_add(1);
            if taken.insert(derived.clone()) {
                *id = Field::Value(derived);
                break;
            }
        }
    }
}

/// Notes ids that stand twice in a list.
pub(crate) fn check_unlike<T: Ord>(checker: &mut Checker, list: &str, ids: impl Iterator<Item = T>) {
    let mut seen = BTreeSet::new();
    for (index, id) in ids.enumerate() {
        if !seen.insert(id) {
            checker.invalid(format!("{list}/{index}/id"), "is already used by another entry");
        }
    }
}

/// What only the template as a whole shows. Whether it makes slots is asked when it is stored.
pub(super) fn check_whole(checker: &mut Checker, template: &Template) {
    let bytes = serde_json::to_vec(template).map_or(usize::MAX, |text| text.len());
    if bytes > MAX_TEMPLATE_BYTES {
        checker
            .invalid_here(format!("must have at most {MAX_TEMPLATE_BYTES} bytes in total; it has {bytes}"));
    }
}

/// The field, as a pointer, that keeps a template from being published, and what is wrong with it.
#[must_use]
pub fn idle_detail(idle: NothingToCome) -> (String, &'static str) {
    match idle {
        NothingToCome::TemplateEnded => {
            ("/endTime".to_owned(), "has passed; an event that has ended cannot be published")
        }
        NothingToCome::OnlySlotOver => {
            ("/startTime".to_owned(), "has passed; an event that has ended cannot be published")
        }
        NothingToCome::Schedule(index) => (format!("/schedules/{index}"), "makes no slots from now on"),
    }
}
