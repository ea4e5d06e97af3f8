//! `…/b2b/membership/cards`: the cards of a membership, as a renewal may send them back (contract §20).

use crate::query::flag;
use adapters::App;
use axum::Json;
use axum::extract::{Path, Query, State};
use domain::membership::Membership;
use domain::number::whole_number;
use domain::verification::VerifiedCard;
use domain::{CardId, MembershipId};
use serde::Deserialize;
use utoipa::IntoParams;
use web::access::{Caller, CounterStaff};
use web::authored::not_found;
use web::query::QueryReader;
use web::routes;
use web::routes::Routes;
use web::{ApiError, ErrorBody, ErrorType};
use wire::member::MemberCardOutput;

pub(crate) fn router<R: Routes>() -> R {
    R::new()
        .routes(routes!(list))
        .routes(routes!(list_under_v1))
        .routes(routes!(read))
        .routes(routes!(read_under_v1))
}

/// Whose cards are wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct CardQuery {
    /// The membership's id, or its number for the current one with that number. This or `membershipId` is required.
    member_id: Option<String>,
    /// The same.
    membership_id: Option<String>,
    /// `true` for cards that were given up or replaced as well.
    include_dropped: Option<String>,
}

/// The cards that are wanted.
struct Wanted {
    membership: MembershipId,
    with_dropped: bool,
}

impl CardQuery {
    fn read(&self) -> Result<Wanted, ApiError> {
        const NUMBER: &str = "a positive integer below 2^53";
        let Self { member_id, membership_id, include_dropped } = self;
        let number = |text: &str| whole_number(text).and_then(|id| MembershipId::parse(id).ok());
        let mut reader = QueryReader::new();
        if member_id.is_none() && membership_id.is_none() {
            reader.fault("memberId", "is required, or membershipId");
        }
        let member = reader.optional("memberId", member_id.as_deref(), number, NUMBER);
        let membership = reader.optional("membershipId", membership_id.as_deref(), number, NUMBER);
        if let (Some(member), Some(membership)) = (member, membership)
            && member != membership
        {
            reader.fault("membershipId", "must be the same as memberId, or left out");
        }
        let dropped = reader.optional("includeDropped", include_dropped.as_deref(), flag, "true or false");
        let wanted = reader.finish(member.or(membership))?;
        let membership = wanted.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
        Ok(Wanted { membership, with_dropped: dropped.unwrap_or(false) })
    }
}

/// List the cards of a membership
///
/// Those that are held, the primary one first as a rule; none of a membership that does not exist. What is not known of
/// a card is left out, so that it can be sent as one of the `membershipCards` of a renewal.
#[utoipa::path(
    get,
    path = "/v2/b2b/membership/cards",
    tag = "Memberships",
    params(CardQuery),
    responses(
        (status = 200, description = "All of them", body = Vec<MemberCardOutput>),
        (status = 400, description = "`VALIDATION_ERROR`: neither `memberId` nor `membershipId` was sent, or parameters are invalid", body = ErrorBody),
    ),
)]
async fn list(
    State(app): State<App>,
    staff: CounterStaff,
    Query(query): Query<CardQuery>,
) -> Result<Json<Vec<MemberCardOutput>>, ApiError> {
    cards(&app, &staff, &query).await.map(Json)
}

/// List the cards of a membership, under another path
///
/// The same answer as at `/v2/b2b/membership/cards`.
#[utoipa::path(
    get,
    path = "/v1/b2b/membership/cards",
    tag = "Memberships",
    params(CardQuery),
    responses(
        (status = 200, description = "All of them", body = Vec<MemberCardOutput>),
        (status = 400, description = "`VALIDATION_ERROR`: neither `memberId` nor `membershipId` was sent, or parameters are invalid", body = ErrorBody),
    ),
)]
async fn list_under_v1(
    State(app): State<App>,
    staff: CounterStaff,
    Query(query): Query<CardQuery>,
) -> Result<Json<Vec<MemberCardOutput>>, ApiError> {
    cards(&app, &staff, &query).await.map(Json)
}

/// Read a card
///
/// Also one that was given up or replaced: `cardStatus` says so.
#[utoipa::path(
    get,
    path = "/v2/b2b/membership/cards/{id}",
    tag = "Memberships",
    params(("id" = String, Path, description = "The card")),
    responses(
        (status = 200, description = "It", body = MemberCardOutput),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
    ),
)]
async fn read(
    State(app): State<App>,
    staff: CounterStaff,
    Path(id): Path<String>,
) -> Result<Json<MemberCardOutput>, ApiError> {
    card(&app, &staff, &id).await.map(Json)
}

/// Read a card, under another path
///
/// The same answer as at `/v2/b2b/membership/cards/{id}`.
#[utoipa::path(
    get,
    path = "/v1/b2b/membership/cards/{id}",
    tag = "Memberships",
    params(("id" = String, Path, description = "The card")),
    responses(
        (status = 200, description = "It", body = MemberCardOutput),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
    ),
)]
async fn read_under_v1(
    State(app): State<App>,
    staff: CounterStaff,
    Path(id): Path<String>,
) -> Result<Json<MemberCardOutput>, ApiError> {
    card(&app, &staff, &id).await.map(Json)
}

async fn cards(app: &App, staff: &Caller, query: &CardQuery) -> Result<Vec<MemberCardOutput>, ApiError> {
    let Wanted { membership, with_dropped } = query.read()?;
    let found = app.store.load_membership(staff.tenant.id, membership).await?;
    let Some(membership) = found.map(|found| as_of_now(found.value, staff)) else { return Ok(Vec::new()) };
    let cards = membership.cards.iter().filter(|card| with_dropped || card.is_held());
    let now = staff.clock.now();
    let shown = |card| MemberCardOutput::of(&VerifiedCard::known(&membership, card, now), staff.tenant.zone);
    Ok(cards.map(shown).collect())
}

async fn card(app: &App, staff: &Caller, id: &str) -> Result<MemberCardOutput, ApiError> {
    let id = whole_number(id).and_then(|id| CardId::parse(id).ok()).ok_or_else(not_found)?;
    let found = app.store.find_membership_of_card(staff.tenant.id, id).await?;
    let membership = as_of_now(found.ok_or_else(not_found)?, staff);
    let card = membership.cards.iter().find(|card| card.id == id).ok_or_else(not_found)?;
    let known = VerifiedCard::known(&membership, card, staff.clock.now());
    Ok(MemberCardOutput::of(&known, staff.tenant.zone))
}

fn as_of_now(membership: Membership, staff: &Caller) -> Membership {
    membership.as_of(staff.clock.now())
}
