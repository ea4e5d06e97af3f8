//! `/v2/b2b/event/templates/summaries`: event templates in short, drafts too.

use crate::templates::SORTING;
use crate::view::view;
use adapters::App;
use axum::Json;
use axum::extract::{Query, State};
use domain::catalog::{ReviewState, Template};
use domain::listing::{Range, TemplateFilter};
use serde::Deserialize;
use utoipa::IntoParams;
use web::access::{Caller, CounterStaff};
use web::paging::{PageQuery, Paging, page_of};
use web::query::QueryReader;
use web::routes;
use web::routes::Routes;
use web::{ApiError, ErrorBody, ErrorType};
use wire::event::TemplateSummary;
use wire::page::Page;

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(list))
}

/// Which templates are asked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct TemplateSelection {
    /// ISO 8601; without it, templates of all times are listed. An instant without offset is local time of the tenant.
    start_time: Option<String>,
    /// ISO 8601; 11:59 pm on the day of `startTime` unless it is given. It counts only with `startTime`.
    end_time: Option<String>,
    /// `standard` (default), `private` or `all`.
    r#type: Option<String>,
    /// `Draft` or `Published`; both unless it is given.
    review_state: Option<String>,
}

/// The templates that are wanted.
struct Wanted {
    range: Option<Range>,
    types: TemplateFilter,
    state: Option<ReviewState>,
}

impl TemplateSelection {
    fn read(&self, page: &PageQuery, caller: &Caller) -> Result<(Wanted, Paging<Template>), ApiError> {
        let Self { start_time, end_time, r#type, review_state } = self;
        let (zone, mut reader) = (caller.tenant.zone, QueryReader::new());
        let (start, end) = (start_time.as_deref(), end_time.as_deref());
        let range = if start.is_some() {
            Some(reader.range(start, end, zone, caller.clock.now()))
        } else {
            reader.instant("endTime", end, zone);
            None
        };
        let expected = "one of standard, private, all";
        let types = reader.optional("type", r#type.as_deref(), TemplateFilter::parse, expected);
        let state = reader.optional(
            "reviewState",
            review_state.as_deref(),
            read_review_state,
            "one of Draft, Published",
        );
        let paging = Paging::read(&mut reader, page, &SORTING);
        let wanted = Wanted { range, types: types.unwrap_or_default(), state };
        let (wanted, paging) = reader.finish((wanted, paging))?;
        Ok((wanted, paging.ok_or_else(|| ApiError::new(ErrorType::Internal))?))
    }
}

fn read_review_state(text: &str) -> Option<ReviewState> {
    let named = [("Draft", ReviewState::Draft), ("Published", ReviewState::Published)];
    named.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, state)| state)
}

impl Wanted {
    fn admits(&self, template: &Template) -> bool {
        self.range.is_none_or(|range| range.overlaps(template.start, template.end))
            && self.types.admits(template.kind)
            && self.state.is_none_or(|state| state == template.review_state)
    }
}

/// List event templates in short
///
/// Drafts too, with every price whatever its channel. At most five seconds late.
#[utoipa::path(
    get,
    path = "/v2/b2b/event/templates/summaries",
    tag = "Back office",
    params(TemplateSelection, PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<TemplateSummary>),
        (status = 400, description = "`VALIDATION_ERROR`: a parameter is invalid, or a page or order does not exist", body = ErrorBody),
    ),
)]
async fn list(
    State(app): State<App>,
    staff: CounterStaff,
    Query(selection): Query<TemplateSelection>,
    Query(page): Query<PageQuery>,
) -> Result<Json<Page<TemplateSummary>>, ApiError> {
    let (wanted, paging) = selection.read(&page, &staff)?;
    let tenant = staff.tenant.id;
    let (templates, definitions) = tokio::join!(app.templates(tenant), app.definitions(tenant));
    let (templates, definitions) = (templates?, definitions?);
    let found = templates.iter().filter(|template| wanted.admits(template)).cloned();
    let (page, pagination) = paging.cut(found.collect());
    let view = view(&definitions, &staff);
    page_of(page.iter().map(|template| TemplateSummary::of(template, &view)).collect(), pagination)
}
