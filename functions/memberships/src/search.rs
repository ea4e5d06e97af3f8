//! `GET /v2/b2b/membership/summaries/search` and `…/advancedsearch`: finding the cards of members (contract §20;
//! decision record 0140).

use crate::search_query::{FieldQuery, TextQuery};
use adapters::App;
use adapters::rate_limit::count_member_search;
use axum::Json;
use axum::extract::{Query, State};
use domain::membership::Membership;
use domain::membership::search::{FoundCard, MAX_FOUND, MemberSearch};
use domain::verification::VerifiedCard;
use web::access::{Caller, CounterStaff};
use web::routes;
use web::routes::Routes;
use web::{ApiError, ErrorBody};
use wire::member::{MemberListEntry, MemberView};
use wire::page::{Page, PaginationView};

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(by_text)).routes(routes!(by_fields))
}

/// Find members by what they say or show
///
/// At most 200 cards, those that are found exactly before those whose names begin so. Cards that were given up or
/// replaced are not found.
#[utoipa::path(
    get,
    path = "/v2/b2b/membership/summaries/search",
    tag = "Memberships",
    params(TextQuery),
    responses(
        (status = 200, description = "The cards, all on one page", body = Page<MemberListEntry>),
        (status = 400, description = "`VALIDATION_ERROR`: `search` was not sent, or is too short or too long", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many searches by this key", body = ErrorBody),
    ),
)]
async fn by_text(
    State(app): State<App>,
    staff: CounterStaff,
    Query(query): Query<TextQuery>,
) -> Result<Json<Page<MemberListEntry>>, ApiError> {
    answer(&app, &staff, &query.read()?).await.map(Json)
}

/// Find members by fields
///
/// What is known of the holder of a card, all of which has to agree; or one of `memberId` and `cardName` alone. At most
/// 200 cards, in the order of names. Cards that were given up or replaced are not found.
#[utoipa::path(
    get,
    path = "/v2/b2b/membership/summaries/advancedsearch",
    tag = "Memberships",
    params(FieldQuery),
    responses(
        (status = 200, description = "The cards, all on one page", body = Page<MemberListEntry>),
        (status = 400, description = "`VALIDATION_ERROR`: no parameter was sent, or one is invalid; `COMBINATION_NOT_SUPPORTED`: `memberId` or `cardName` was not sent alone", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many searches by this key", body = ErrorBody),
    ),
)]
async fn by_fields(
    State(app): State<App>,
    staff: CounterStaff,
    Query(query): Query<FieldQuery>,
) -> Result<Json<Page<MemberListEntry>>, ApiError> {
    answer(&app, &staff, &query.read()?).await.map(Json)
}

/// What is found, all on one page.
async fn answer(app: &App, staff: &Caller, search: &MemberSearch) -> Result<Page<MemberListEntry>, ApiError> {
    let tenant = staff.tenant.id;
    let counted = async { count_member_search(app, staff.client()).await.map_err(ApiError::from) };
    let found = async { app.store.search_members(tenant, search).await.map_err(ApiError::from) };
    let definitions = async { app.definitions(tenant).await.map_err(ApiError::from) };
    let ((), found, definitions) = tokio::try_join!(counted, found, definitions)?;
    let now = staff.clock.now();
    let memberships: Vec<Membership> = found.into_iter().map(|found| found.as_of(now)).collect();
    let view = MemberView { zone: staff.tenant.zone, levels: &definitions.levels };
    let entry = |FoundCard { membership, card, by: _ }: FoundCard<'_>| {
        MemberListEntry::of(&VerifiedCard::known(membership, card, now), &view)
    };
    let list: Vec<MemberListEntry> = search.found(&memberships).into_iter().map(entry).collect();
    let pagination = PaginationView {
        page: 1,
        page_size: i64::try_from(MAX_FOUND).unwrap_or(i64::MAX),
        sort_direction: "asc",
        sort_field: "relevance",
        count: list.len(),
    };
    Ok(Page { list, pagination })
}
