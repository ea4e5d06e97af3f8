//! `/v2/b2b/memberships`: what members bought, and the data of who holds the cards.

use crate::keep::{Kept, change, load_known};
use crate::member_query::{MembershipQuery, TOO_LARGE, Wanted, refuse_too_many};
use adapters::App;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use domain::membership::{DropRefusal, ListedMembership};
use domain::number::whole_number;
use domain::{CardId, MembershipId, Timestamp};
use store::catalog::Definitions;
use web::access::{Caller, Staff};
use web::authored::{Target, not_found};
use web::idempotency::{Tagged, once_tagged};
use web::paging::{PageQuery, fits};
use web::routes;
use web::routes::Routes;
use web::{ApiError, Body, ErrorBody, ErrorType};
use wire::member::{MemberView, MembershipInput, MembershipOutput, MembershipView};
use wire::page::Page;

const PATH: &str = "/v2/b2b/memberships";

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(list)).routes(routes!(read, update)).routes(routes!(drop_card))
}

/// How memberships are shown to a caller.
pub(crate) fn view<'a>(definitions: &'a Definitions, caller: &Caller, now: Timestamp) -> MembershipView<'a> {
    let member = MemberView { zone: caller.tenant.zone, levels: &definitions.levels };
    MembershipView { member, person_types: &definitions.person_types, now }
}

/// List memberships
///
/// By default in the order in which they were made, so that new ones come last and pages keep their entries while
/// others are added.
#[utoipa::path(
    get,
    path = "/v2/b2b/memberships",
    tag = "Memberships",
    params(MembershipQuery, PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<MembershipOutput>),
        (status = 400, description = "`VALIDATION_ERROR`: parameters are invalid; `RESPONSE_TOO_LARGE`: request fewer with `page` and `pageSize`", body = ErrorBody),
    ),
)]
async fn list(
    State(app): State<App>,
    staff: Staff,
    Query(query): Query<MembershipQuery>,
    Query(page): Query<PageQuery>,
) -> Result<Json<Page<MembershipOutput>>, ApiError> {
    let Wanted { range, filter, paging } = query.read(&page, staff.tenant.zone)?;
    let tenant = staff.tenant.id;
    let (listed, definitions) =
        tokio::join!(app.store.load_listed_memberships(tenant, range), app.definitions(tenant));
    let (listed, definitions) = (listed?, definitions?);
    let now = staff.clock.now();
    let listed = listed.into_iter().map(|found| found.as_of(now));
    let wanted: Vec<ListedMembership> =
        listed.filter(|found| filter.admits(found, &definitions.levels)).collect();
    let (page, pagination) = paging.cut(wanted);
    refuse_too_many(page.len())?;
    let ids: Vec<MembershipId> = page.iter().map(|found| found.id).collect();
    let memberships = app.store.load_memberships(tenant, &ids).await?;
    let view = view(&definitions, &staff, now);
    let list: Vec<_> = memberships.iter().map(|found| MembershipOutput::of(found, &view)).collect();
    if !fits(&list)? {
        return Err(ApiError::new(ErrorType::ResponseTooLarge).message(TOO_LARGE));
    }
    Ok(Json(Page { list, pagination }))
}

/// Read a membership
///
/// With its cards and their holders; `ETag` names the revision, which a write can be bound to.
#[utoipa::path(
    get,
    path = "/v2/b2b/memberships/{id}",
    tag = "Memberships",
    params(("id" = String, Path, description = "The membership's id, or its number for the current one with that number")),
    responses(
        (status = 200, description = "The record, with its revision in `ETag`", body = MembershipOutput),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
    ),
)]
async fn read(State(app): State<App>, staff: Staff, Path(id): Path<String>) -> Result<Response, ApiError> {
    let (found, definitions) =
        tokio::join!(load_known(&app, staff.tenant.id, &id), app.definitions(staff.tenant.id));
    let (found, definitions) = (found?, definitions?);
    let body = MembershipOutput::of(&found.value, &view(&definitions, &staff, staff.clock.now()));
    Ok(Tagged { body, revision: Some(found.revision) }.into_response())
}

/// Change the data of a membership's card holders
///
/// Names, contact and address of the cards that are named, and the venue's own number. What the body leaves out stays
/// as it is; null or blank text takes it away. Customers that the cards are linked to change with them. With
/// `If-Match`, only the revision it names is changed.
#[utoipa::path(
    put,
    path = "/v2/b2b/memberships/{id}",
    tag = "Memberships",
    params(
        ("id" = String, Path, description = "The membership's id, or its number for the current one with that number"),
        ("If-Match" = Option<String>, Header, description = "The revision to change, as sent in `ETag`"),
    ),
    request_body = MembershipInput,
    responses(
        (status = 200, description = "The record, with its revision in `ETag`", body = MembershipOutput),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: it, or a card of it, does not exist", body = ErrorBody),
        (status = 409, description = "`EXTERNAL_ID_TAKEN`: another membership has this `externalMembershipId`; `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: it has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn update(
    State(app): State<App>,
    staff: Staff,
    Target { id, key, if_match }: Target,
    body: Body<MembershipInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint(&format!("PUT {PATH}/{id}"), &hash_key);
    let run = async {
        let current = load_known(&app, staff.tenant.id, &id).await?;
        let edit = body.parse(|checker, input| input.read(checker, &current.value))?;
        let kept = change(&app, &staff, current, &if_match, |found| Ok(found.edited(&edit))).await?;
        show(&app, &staff, kept).await
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}

async fn show(
    app: &App,
    caller: &Caller,
    Kept { membership, revision }: Kept,
) -> Result<Tagged<MembershipOutput>, ApiError> {
    let definitions = app.definitions(caller.tenant.id).await?;
    let body = MembershipOutput::of(&membership, &view(&definitions, caller, caller.clock.now()));
    Ok(Tagged { body, revision: Some(revision) })
}

/// Cancel a card of a membership
///
/// It stays listed as `dropped`, and is not found by its barcode or its holder's e-mail address any more. The primary
/// card is given up last.
#[utoipa::path(
    delete,
    path = "/v2/b2b/memberships/{id}/cards/{cardId}",
    tag = "Memberships",
    params(
        ("id" = String, Path, description = "The membership's id, or its number for the current one with that number"),
        ("cardId" = String, Path, description = "The card"),
        ("If-Match" = Option<String>, Header, description = "The revision of the membership to change, as sent in `ETag`"),
    ),
    responses(
        (status = 200, description = "The membership, with its revision in `ETag`", body = MembershipOutput),
        (status = 404, description = "`NOT_FOUND`: there is no such membership, or it has no such card", body = ErrorBody),
        (status = 409, description = "`PRIMARY_CARD_NEEDED`: it is the primary card, and the membership has other cards; `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: it has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn drop_card(
    State(app): State<App>,
    staff: Staff,
    Target { id: (id, card), key, if_match }: Target<(String, String)>,
) -> Result<Response, ApiError> {
    let fingerprint = format!("DELETE {PATH}/{id}/cards/{card}");
    let run = async {
        let current = load_known(&app, staff.tenant.id, &id).await?;
        let card = whole_number(&card).and_then(|card| CardId::parse(card).ok()).ok_or_else(not_found)?;
        let decide = |found: &domain::membership::Membership| {
            found.without_card(card).map_err(|refusal| match refusal {
                DropRefusal::NoSuchCard => not_found(),
                DropRefusal::OthersAreHeld => ApiError::new(ErrorType::PrimaryCardNeeded),
            })
        };
        let kept = change(&app, &staff, current, &if_match, decide).await?;
        show(&app, &staff, kept).await
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}
