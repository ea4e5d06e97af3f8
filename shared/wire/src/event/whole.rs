//! What holds for a template as a whole: its parts have names, unlike each other, and it is not too large.

use super::{PriceListInput, ScheduleInput};
use crate::readers::{name_unnamed, part_id};
use crate::{Checker, Field, List};
use domain::catalog::Template;
use domain::publishing::NothingToCome;

/// Bytes of a template as JSON text. An item holds 400 KB, and every listing reads all templates of a tenant.
pub const MAX_TEMPLATE_BYTES: usize = 300_000;

/// Gives price lists and schedules without an id one that follows from the template's, so that the same
/// body makes the same slots.
pub(super) fn name_parts(
    template: &Field<String>,
    price_lists: &mut Field<List<PriceListInput>>,
    schedules: &mut Field<List<ScheduleInput>>,
) {
    let template = template.clone().value().unwrap_or_default();
    if let Field::Value(lists) = price_lists {
        let ids = lists.0.iter_mut().filter_map(|list| match list {
            Field::Value(list) => Some(&mut list.id),
            Field::Absent | Field::Null | Field::Wrong => None,
        });
        name_unnamed(ids.collect(), |number| part_id(&template, "priceList", number));
    }
    if let Field::Value(schedules) = schedules {
        let ids = schedules.0.iter_mut().filter_map(|schedule| match schedule {
            Field::Value(schedule) => Some(&mut schedule.id),
            Field::Absent | Field::Null | Field::Wrong => None,
        });
        name_unnamed(ids.collect(), |number| part_id(&template, "schedule", number));
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
