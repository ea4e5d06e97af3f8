//! `GET /v2/b2b/membership/summaries`: the cards of memberships, one entry for each.

use crate::member_query::{CardRow, Known, SummaryQuery, TOO_LARGE, WantedCards, refuse_too_many};
use adapters::App;
use axum::Json;
use axum::extract::{Query, State};
use domain::compare::{comparable, is_same_code};
use domain::email::is_same_email;
use domain::membership::{ListedMembership, MemberCard, Membership};
use domain::verification::VerifiedCard;
use domain::{MembershipId, TenantId};
use std::collections::{BTreeMap, BTreeSet};
use web::access::Staff;
use web::paging::{PageQuery, fits};
use web::{ApiError, ErrorBody, ErrorType};
use wire::member::{MemberListEntry, MemberView};
use wire::page::Page;

/// List membership cards
///
/// Those given up or replaced are listed as well, but are not found by barcode or e-mail address. By default in the
/// order in which the memberships were made, so that new ones come last and pages keep their entries while others are
/// added.
#[utoipa::path(
    get,
    path = "/v2/b2b/membership/summaries",
    tag = "Memberships",
    params(SummaryQuery, PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<MemberListEntry>),
        (status = 400, description = "`VALIDATION_ERROR`: parameters are invalid; `RESPONSE_TOO_LARGE`: request fewer with `page` and `pageSize`", body = ErrorBody),
    ),
)]
pub(crate) async fn summaries(
    State(app): State<App>,
    staff: Staff,
    Query(query): Query<SummaryQuery>,
    Query(page): Query<PageQuery>,
) -> Result<Json<Page<MemberListEntry>>, ApiError> {
    let wanted = query.read(&page, staff.tenant.zone)?;
    let tenant = staff.tenant.id;
    let (found, definitions) = tokio::join!(find(&app, tenant, &wanted), app.definitions(tenant));
    let (found, definitions) = (found?, definitions?);
    let (page, pagination) = wanted.paging.cut(rows(&found, &wanted));
    refuse_too_many(page.len())?;
    let memberships = match found {
        Found::Whole(memberships) => memberships,
        Found::Listed(_) => {
            let ids: BTreeSet<MembershipId> = page.iter().map(|row| row.membership).collect();
            app.store.load_memberships(tenant, &ids.into_iter().collect::<Vec<_>>()).await?
        }
    };
    let now = staff.clock.now();
    let memberships: Vec<Membership> = memberships.into_iter().map(|found| found.as_of(now)).collect();
    let view = MemberView { zone: staff.tenant.zone, levels: &definitions.levels };
    let by_id: BTreeMap<MembershipId, &Membership> =
        memberships.iter().map(|membership| (membership.id, membership)).collect();
    let entry = |row: &CardRow| {
        let membership = by_id.get(&row.membership)?;
        let card = membership.cards.iter().find(|card| card.id == row.card)?;
        Some(MemberListEntry::of(&VerifiedCard::known(membership, card, now), &view))
    };
    let list: Vec<MemberListEntry> = page.iter().filter_map(entry).collect();
    if !fits(&list)? {
        return Err(ApiError::new(ErrorType::ResponseTooLarge).message(TOO_LARGE));
    }
    Ok(Json(Page { list, pagination }))
}

/// Memberships that may have cards that are wanted.
enum Found {
    /// As they are stored.
    Whole(Vec<Membership>),
    /// What lists look at of them.
    Listed(Vec<ListedMembership>),
}

/// One call, whatever is known of the cards.
async fn find(app: &App, tenant: TenantId, wanted: &WantedCards) -> Result<Found, ApiError> {
    let Known { membership, barcode, email } = &wanted.known;
    Ok(match (membership, barcode, email) {
        (Some(id), _, _) => {
            let found = app.store.load_membership(tenant, *id).await?;
            Found::Whole(found.into_iter().map(|stored| stored.value).collect())
        }
        (None, Some(barcode), _) => {
            let found = app.store.find_membership_of_barcode(tenant, barcode).await?;
            Found::Whole(found.into_iter().collect())
        }
        (None, None, Some(email)) => Found::Whole(app.store.find_memberships_of_email(tenant, email).await?),
        (None, None, None) => Found::Listed(app.store.load_listed_memberships(tenant, wanted.range).await?),
    })
}

/// The cards that are wanted of what was found.
fn rows(found: &Found, wanted: &WantedCards) -> Vec<CardRow> {
    match found {
        Found::Whole(memberships) => {
            let of_one = |membership: &Membership| {
                let known = |place: &usize| {
                    membership.cards.get(*place).is_some_and(|card| is_known(card, &wanted.known))
                };
                let listed = ListedMembership::of(membership);
                let rows = if wanted.range.admits(&listed) { rows_of(&listed, wanted) } else { Vec::new() };
                rows.into_iter().filter(|row| known(&row.place)).collect::<Vec<_>>()
            };
            memberships.iter().flat_map(of_one).collect()
        }
        Found::Listed(memberships) => memberships.iter().flat_map(|listed| rows_of(listed, wanted)).collect(),
    }
}

fn rows_of(listed: &ListedMembership, wanted: &WantedCards) -> Vec<CardRow> {
    let cards = listed.cards.iter().enumerate().filter(|(_, card)| wanted.filter.admits(listed, card));
    let row = |(place, card): (usize, &domain::membership::ListedCard)| CardRow {
        membership: listed.id,
        card: card.id,
        place,
        last_name: comparable(&card.last_name),
        created_at: listed.created_at,
        updated_at: listed.updated_at,
        expires: listed.expires,
    };
    cards.map(row).collect()
}

/// Whether a card is held that has the barcode and the address that are asked for.
fn is_known(card: &MemberCard, Known { membership: _, barcode, email }: &Known) -> bool {
    let has_barcode = |barcode: &String| card.is_held() && is_same_code(&card.barcode, barcode);
    let own = card.person.email.as_deref().unwrap_or_default();
    let has_email = |email: &String| card.is_held() && is_same_email(own, email);
    barcode.as_ref().is_none_or(has_barcode) && email.as_ref().is_none_or(has_email)
}
