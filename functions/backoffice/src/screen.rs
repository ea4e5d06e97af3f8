//! `/v2/b2b/event/instances` and its summaries: the dated slots of all templates, which are the screen of the day.

use crate::view::view;
use adapters::App;
use adapters::slot_summary::Reaching;
use axum::Json;
use axum::extract::{Query, State};
use domain::catalog::{ReviewState, Template};
use domain::ledger::{Ledger, SlotState};
use domain::listing::{Audience, Range, TemplateFilter};
use domain::order::AdmissionCounts;
use domain::{Channel, InstanceId, TemplateId, TenantId, Zone};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::Store;
use store::catalog::Definitions;
use utoipa::IntoParams;
use web::access::{Caller, DoorStaff};
use web::authored::not_found;
use web::paging::{Direction, PageQuery, Paging, SortField, Sorting, page_of};
use web::query::QueryReader;
use web::routes;
use web::routes::Routes;
use web::slots::{Question, counts, ledgers, may_run, side_by_side, too_large};
use web::{ApiError, ErrorBody, ErrorType};
use wire::event::{AuthoredSlot, InstanceSummary, ListedInstance, View};
use wire::page::Page;

/// How many days after its start a range may end.
const MAX_DAYS: i64 = 31;

/// What a sale channel is to be, where one is sent.
pub(crate) const CHANNELS: &str =
    "one of online, customerRep, pointOfSale, manualEntry, reseller, kiosk, insideSalesIndividual";
const TYPES: &str = "one of standard, private, all";

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(summaries))
}

/// Which instances are asked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct SlotFilter {
    /// ISO 8601; 12:00 am today unless it is given. An instant without offset is local time of the tenant.
    start_time: Option<String>,
    /// ISO 8601; 11:59 pm on the day of `startTime` unless it is given. At most 31 days later.
    end_time: Option<String>,
    /// Only what sells there: `online`, `customerRep`, `pointOfSale`, `manualEntry`, `reseller`, `kiosk`,
    /// `insideSalesIndividual`.
    sale_channel: Option<String>,
    /// Another name of `saleChannel`.
    sales_channel: Option<String>,
    /// Only those of this template.
    template_id: Option<String>,
    /// `standard` (default), `private` or `all`.
    r#type: Option<String>,
    /// `active` or `cancelled`; both unless it is given.
    state: Option<String>,
}

/// The instances that are wanted.
struct Wanted {
    range: Range,
    channel: Option<Channel>,
    template: Option<TemplateId>,
    types: TemplateFilter,
    state: Option<SlotState>,
}

impl SlotFilter {
    fn read(&self, page: &PageQuery, caller: &Caller) -> Result<(Wanted, Paging<FoundSlot>), ApiError> {
        let Self { start_time, end_time, sale_channel, sales_channel, template_id, r#type, state } = self;
        let (zone, mut reader) = (caller.tenant.zone, QueryReader::new());
        let range = reader.range(start_time.as_deref(), end_time.as_deref(), zone, caller.clock.now());
        let channel = |text: &str| Channel::parse(text).ok();
        let sale = reader.optional("saleChannel", sale_channel.as_deref(), channel, CHANNELS);
        let sales = reader.optional("salesChannel", sales_channel.as_deref(), channel, CHANNELS);
        if sale.is_some() && sales.is_some() && sale != sales {
            reader.fault("salesChannel", "must be the same as saleChannel");
        }
        let id = |text: &str| TemplateId::parse(text).ok();
        let template =
            reader.optional("templateId", template_id.as_deref(), id, "the id of an event template");
        let types = reader.optional("type", r#type.as_deref(), TemplateFilter::parse, TYPES);
        let state = reader.optional("state", state.as_deref(), slot_state, "one of active, cancelled");
        let paging = Paging::read(&mut reader, page, &SORTING);
        let types = types.unwrap_or_default();
        let wanted = Wanted { range, channel: sale.or(sales), template, types, state };
        let (wanted, paging) = reader.finish((wanted, paging))?;
        check_length(wanted.range, zone)?;
        Ok((wanted, paging.ok_or_else(|| ApiError::new(ErrorType::Internal))?))
    }
}

fn slot_state(text: &str) -> Option<SlotState> {
    let named = [("active", SlotState::Active), ("cancelled", SlotState::Cancelled)];
    named.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, state)| state)
}

fn check_length(range: Range, zone: Zone) -> Result<(), ApiError> {
    let days = zone.date(range.until).signed_duration_since(zone.date(range.from)).num_days();
    if days > MAX_DAYS {
        return Err(too_large().detail("endTime", format!("must be at most {MAX_DAYS} days after startTime")));
    }
    Ok(())
}

impl Wanted {
    /// Whether slots of a template are wanted. A draft has none.
    fn admits(&self, template: &Template) -> bool {
        template.review_state == ReviewState::Published
            && self.types.admits(template.kind)
            && self.template.as_ref().is_none_or(|wanted| *wanted == template.id)
    }

    /// Whether a slot is shown: full, closed and called off ones are, deleted ones are gone.
    fn shows(&self, template: &Template, ledger: &Ledger, view: &View<'_>) -> bool {
        let sells = |channel| {
            let audience = Audience { channel, ..view.audience };
            audience.sells(template, template.schedule_of(&ledger.instance))
        };
        ledger.exists()
            && self.state.is_none_or(|state| state == ledger.state)
            && self.channel.is_none_or(sells)
    }
}

/// A slot that was found, and the place of its template.
struct FoundSlot {
    place: usize,
    ledger: Ledger,
    counts: AdmissionCounts,
}

static SORTING: Sorting<FoundSlot> = Sorting {
    fields: &[SortField {
        name: "startTime",
        compare: |one, other| one.ledger.start.cmp(&other.ledger.start),
    }],
    direction: Direction::Ascending,
    last: |one, other| one.ledger.instance.cmp(&other.ledger.instance),
};

/// What was read of one template.
struct TemplateSlots {
    place: usize,
    ledgers: Vec<Ledger>,
    counts: BTreeMap<InstanceId, AdmissionCounts>,
}

impl TemplateSlots {
    async fn load(
        store: &Store,
        tenant: TenantId,
        place: usize,
        reaching: Reaching<'_>,
        range: Range,
    ) -> Result<Self, ApiError> {
        let (ledgers, counts) = tokio::try_join!(
            ledgers(store, tenant, reaching, range),
            counts(store, tenant, reaching, range)
        )?;
        Ok(Self { place, ledgers, counts })
    }
}

/// The slots that are wanted, with what they are shown with.
struct Screen {
    templates: Arc<Vec<Template>>,
    definitions: Arc<Definitions>,
    slots: Vec<FoundSlot>,
}

impl Screen {
    /// The ledgers of every template that runs within the range, and whom the doors let in, side by side.
    async fn load(app: &App, caller: &Caller, wanted: &Wanted) -> Result<Self, ApiError> {
        let (tenant, zone) = (caller.tenant.id, caller.tenant.zone);
        let (templates, definitions) = tokio::join!(app.templates(tenant), app.definitions(tenant));
        let (templates, definitions) = (templates?, definitions?);
        if let Some(id) = &wanted.template
            && !templates.iter().any(|template| template.id == *id)
        {
            return Err(not_found().detail("templateId", "was not found"));
        }
        let asked = templates.iter().enumerate().filter_map(|(place, template)| {
            let reaching = Reaching { template, reach: definitions.reaches.get(&template.id) };
            let is_asked = wanted.admits(template) && may_run(reaching, wanted.range, zone);
            is_asked.then(|| -> Question<'_, TemplateSlots> {
                Box::pin(TemplateSlots::load(&app.store, tenant, place, reaching, wanted.range))
            })
        });
        let found = side_by_side(asked.collect(), |found| found.ledgers.len()).await?;
        let view = view(&definitions, caller);
        let mut slots = Vec::new();
        for TemplateSlots { place, ledgers, counts } in found {
            let Some(template) = templates.get(place) else { continue };
            let shown = ledgers.into_iter().filter(|ledger| wanted.shows(template, ledger, &view));
            slots.extend(shown.map(|ledger| {
                let counts = counts.get(&ledger.instance).copied().unwrap_or_default();
                FoundSlot { place, ledger, counts }
            }));
        }
        Ok(Self { templates, definitions, slots })
    }

    /// A page of them, each shown in this way.
    fn page<T: Serialize>(
        self,
        caller: &Caller,
        paging: &Paging<FoundSlot>,
        show: fn(&AuthoredSlot<'_>, &View<'_>) -> T,
    ) -> Result<Json<Page<T>>, ApiError> {
        let Self { templates, definitions, slots } = self;
        let (page, pagination) = paging.cut(slots);
        let view = view(&definitions, caller);
        let shown = page.iter().filter_map(|FoundSlot { place, ledger, counts }| {
            let template = templates.get(*place)?;
            Some(show(&AuthoredSlot { ledger, template, counts: *counts }, &view))
        });
        page_of(shown.collect(), pagination)
    }
}

/// List event instances
///
/// Those of all templates that run within the range: full, closed and called off ones too. Those that were deleted are
/// gone.
#[utoipa::path(
    get,
    path = "/v2/b2b/event/instances",
    tag = "Back office",
    params(SlotFilter, PageQuery),
    responses(
        (status = 200, description = "A page of them, by start", body = Page<ListedInstance>),
        (status = 400, description = "`VALIDATION_ERROR`; `RESPONSE_TOO_LARGE`: request a shorter range", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: there is no such template", body = ErrorBody),
    ),
)]
pub(crate) async fn list(
    State(app): State<App>,
    staff: DoorStaff,
    Query(filter): Query<SlotFilter>,
    Query(page): Query<PageQuery>,
) -> Result<Json<Page<ListedInstance>>, ApiError> {
    let (wanted, paging) = filter.read(&page, &staff)?;
    let screen = Screen::load(&app, &staff, &wanted).await?;
    screen.page(&staff, &paging, ListedInstance::of)
}

/// List event instances in short
///
/// The screen of the day: what is sold, held and left of each instance, and who came.
#[utoipa::path(
    get,
    path = "/v2/b2b/event/instances/summaries",
    tag = "Back office",
    params(SlotFilter, PageQuery),
    responses(
        (status = 200, description = "A page of them, by start", body = Page<InstanceSummary>),
        (status = 400, description = "`VALIDATION_ERROR`; `RESPONSE_TOO_LARGE`: request a shorter range", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: there is no such template", body = ErrorBody),
    ),
)]
async fn summaries(
    State(app): State<App>,
    staff: DoorStaff,
    Query(filter): Query<SlotFilter>,
    Query(page): Query<PageQuery>,
) -> Result<Json<Page<InstanceSummary>>, ApiError> {
    let (wanted, paging) = filter.read(&page, &staff)?;
    let screen = Screen::load(&app, &staff, &wanted).await?;
    screen.page(&staff, &paging, InstanceSummary::of)
}
