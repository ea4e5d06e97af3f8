//! What a membership would cost, and for how long, before it is bought (spec §4.6; contract §9).

use adapters::App;
use axum::Json;
use axum::extract::{Query, State};
use domain::channel::Channel;
use domain::membership::lifecycle::{Current, LifecycleFault, SaleContext, quote};
use domain::membership::{Level, ListedAction, Membership, MembershipAction, MembershipPlan, Move};
use domain::number::whole_number;
use domain::{LevelId, MembershipId, Money, OfferingId, TicketTypeId};
use serde::Deserialize;
use std::collections::BTreeMap;
use store::member::{membership_keys, take_membership};
use store::{Consistency, Placed};
use utoipa::IntoParams;
use web::access::{Caller, Staff};
use web::query::QueryReader;
use web::routes;
use web::routes::Routes;
use web::{ApiError, ErrorBody, ErrorType};
use wire::membership::{QuoteOutput, Quoted};

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(validate)).routes(routes!(validate_under_memberships))
}

/// What is to be bought.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct QuoteQuery {
    /// `MembershipPurchase`, `MembershipRenewal` and so on, as carts name it, or `NEW_MEMBERSHIPS`, `RENEW` and
    /// so on, as lists of levels do; `MembershipCancel` or `CANCELLATION` for the end of a membership.
    #[param(required = true)]
    action: Option<String>,
    /// The level; without it, a renewal is of the membership's own plan.
    level_id: Option<String>,
    /// The offering.
    offering_id: Option<String>,
    /// The price point.
    price_point_id: Option<String>,
    /// The membership that is renewed, changed or ended, by its id or its number.
    membership_id: Option<String>,
    /// Where it would be sold; `online` by default.
    sale_channel: Option<String>,
}

/// What is asked about.
enum Asked {
    /// Something that can be bought.
    Sale(MembershipAction),
    /// The end of a membership.
    Cancellation,
}

fn asked(text: &str) -> Option<Asked> {
    if let Some(action) = MembershipAction::parse(text) {
        return Some(Asked::Sale(action));
    }
    if text.eq_ignore_ascii_case("MembershipCancel") {
        return Some(Asked::Cancellation);
    }
    ListedAction::parse(text)
        .map(|listed| MembershipAction::of_listed(listed).map_or(Asked::Cancellation, Asked::Sale))
}

/// A request that has been read.
struct Wanted {
    asked: Asked,
    plan: Option<MembershipPlan>,
    membership: Option<MembershipId>,
    channel: Channel,
}

impl QuoteQuery {
    fn read(&self) -> Result<Wanted, ApiError> {
        let mut reader = QueryReader::new();
        let action = self.action.as_deref();
        let asked =
            reader.required("action", action, asked, "an action, such as MembershipPurchase or RENEW");
        let id = "an id";
        let level =
            reader.optional("levelId", self.level_id.as_deref(), |text| LevelId::parse(text).ok(), id);
        let offering = reader.optional(
            "offeringId",
            self.offering_id.as_deref(),
            |text| OfferingId::parse(text).ok(),
            id,
        );
        let point = self.price_point_id.as_deref();
        let point = reader.optional("pricePointId", point, |text| TicketTypeId::parse(text).ok(), id);
        let number = |text: &str| whole_number(text).and_then(|number| MembershipId::parse(number).ok());
        let membership = reader.optional("membershipId", self.membership_id.as_deref(), number, "a number");
        let channel = self.sale_channel.as_deref();
        let channels = format!("one of {}", Channel::NAMES);
        let channel = reader.optional("saleChannel", channel, |text| Channel::parse(text).ok(), &channels);
        for (name, message) in asked.iter().flat_map(|asked| self.lacking(asked)) {
            reader.fault(name, message);
        }
        let plan = level.zip(offering).zip(point);
        let plan =
            plan.map(|((level, offering), price_point)| MembershipPlan { level, offering, price_point });
        let asked = reader.finish(asked)?.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
        Ok(Wanted { asked, plan, membership, channel: channel.unwrap_or(Channel::Online) })
    }

    /// The parameters that are missing, with what is said of each. One that is wrong is not missing.
    fn lacking(&self, asked: &Asked) -> Vec<(&'static str, &'static str)> {
        let plan = [
            ("levelId", &self.level_id),
            ("offeringId", &self.offering_id),
            ("pricePointId", &self.price_point_id),
        ];
        let parts = plan.iter().filter(|(_, sent)| sent.is_none()).map(|(name, _)| (*name, "is required"));
        let membership = |message| self.membership_id.is_none().then_some(("membershipId", message));
        match asked {
            Asked::Sale(action) => {
                let Some((_, movement)) = action.transition() else { return parts.collect() };
                // What stays on its level is about the plan that the membership has, where none of them is sent.
                let needs_plan = movement != Move::Stay || plan.iter().any(|(_, sent)| sent.is_some());
                let missing = membership("is required to renew or change a membership");
                parts.filter(|_| needs_plan).chain(missing).collect()
            }
            Asked::Cancellation => membership("is required to end a membership").into_iter().collect(),
        }
    }
}

/// Price a membership before it is bought
///
/// Returns the dates and prices of an action, as carts and checkout would calculate them at this moment.
#[utoipa::path(
    get, path = "/v2/memberships/b2b/checkout/validate", tag = "Memberships", params(QuoteQuery),
    responses(
        (status = 200, description = "Dates and prices", body = QuoteOutput),
        (status = 400, description = "`VALIDATION_ERROR`: parameters are missing, invalid or contradict the membership", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: ids refer to nothing on sale", body = ErrorBody),
        (status = 409, description = "`SALES_CLOSED`: the offering does not allow the action", body = ErrorBody),
    )
)]
async fn validate(
    State(app): State<App>,
    staff: Staff,
    Query(query): Query<QuoteQuery>,
) -> Result<Json<QuoteOutput>, ApiError> {
    answer(&app, &staff, query.read()?).await.map(Json)
}

/// Price a membership before it is bought, under another path
///
/// The same answer as at `/v2/memberships/b2b/checkout/validate`.
#[utoipa::path(
    get, path = "/v2/b2b/memberships/checkout/validate", tag = "Memberships", params(QuoteQuery),
    responses(
        (status = 200, description = "Dates and prices", body = QuoteOutput),
        (status = 400, description = "`VALIDATION_ERROR`: parameters are missing, invalid or contradict the membership", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: ids refer to nothing on sale", body = ErrorBody),
        (status = 409, description = "`SALES_CLOSED`: the offering does not allow the action", body = ErrorBody),
    )
)]
async fn validate_under_memberships(
    State(app): State<App>,
    staff: Staff,
    Query(query): Query<QuoteQuery>,
) -> Result<Json<QuoteOutput>, ApiError> {
    answer(&app, &staff, query.read()?).await.map(Json)
}

async fn answer(app: &App, staff: &Caller, wanted: Wanted) -> Result<QuoteOutput, ApiError> {
    let (now, zone) = (staff.clock.now(), staff.tenant.zone);
    let (levels, membership) = load(app, staff, &wanted).await?;
    let current = match (wanted.membership, &membership) {
        (None, _) => Current::Unnamed,
        (Some(_), None) => Current::Unknown,
        (Some(_), Some(membership)) => Current::Found(membership),
    };
    let is_external = membership.as_ref().is_some_and(|membership| membership.external_id.is_some());
    let action = match wanted.asked {
        Asked::Sale(action) => action,
        Asked::Cancellation => {
            let membership = membership.ok_or_else(|| refused(LifecycleFault::UnknownMembership))?;
            if !membership.can_go_on() {
                return Err(refused(LifecycleFault::MembershipEnded));
            }
            let membership = membership.as_of(now);
            let (starts, ends) = (membership.started, now.clamp(membership.started, membership.ends()));
            let (retail_price, price) = (Money::ZERO, Money::ZERO);
            let quoted = Quoted { starts, ends, now, retail_price, price, is_external };
            return Ok(QuoteOutput::new(&quoted, zone));
        }
    };
    let own = membership.as_ref().map(Membership::last_plan);
    let refuse: fn(LifecycleFault) -> ApiError = match wanted.plan {
        Some(_) => refused,
        None => refused_for_own_plan,
    };
    let plan = wanted.plan.or(own).ok_or_else(|| refused(LifecycleFault::UnknownMembership))?;
    let sale = SaleContext { channel: wanted.channel, zone, now };
    let found = quote(&levels, action, &plan, current, sale).map_err(refuse)?;
    let price = found.unit().map_err(|_| ApiError::new(ErrorType::Internal))?;
    let (starts, ends) = (found.term.starts(zone), found.term.ends(zone));
    let quoted = Quoted { starts, ends, now, retail_price: found.retail, price, is_external };
    Ok(QuoteOutput::new(&quoted, zone))
}

/// The level that is named and the membership, in one round trip. The level that a membership has comes from the
/// cache: which one it is, the membership says.
async fn load(
    app: &App,
    staff: &Caller,
    wanted: &Wanted,
) -> Result<(BTreeMap<LevelId, Level>, Option<Membership>), ApiError> {
    let tenant = staff.tenant.id;
    let mut levels = match wanted.membership {
        Some(_) => app.definitions(tenant).await?.levels.clone(),
        None => BTreeMap::new(),
    };
    let level = wanted.plan.as_ref().map(|plan| Level::place(tenant, &plan.level));
    let memberships = wanted.membership.iter().flat_map(|sent| membership_keys(tenant, *sent));
    let mut found = app.store.get_many(memberships.chain(level.clone()), Consistency::Strong).await?;
    if let (Some(key), Some(plan)) = (level, &wanted.plan) {
        levels.remove(&plan.level);
        levels.extend(found.take::<Level>(&key)?.map(|level| (level.id.clone(), level)));
    }
    let membership = match wanted.membership {
        Some(sent) => take_membership(&mut found, tenant, sent)?,
        None => None,
    };
    Ok((levels, membership))
}

/// Why the action is not possible with the plan that the membership has, which only its id names.
fn refused_for_own_plan(fault: LifecycleFault) -> ApiError {
    match fault {
        LifecycleFault::UnknownLevel
        | LifecycleFault::UnknownOffering
        | LifecycleFault::UnknownPricePoint => {
            let message = "is of a level, offering or price point that is no longer on offer";
            ApiError::new(ErrorType::NotFound).detail("membershipId", message)
        }
        LifecycleFault::UnknownMembership
        | LifecycleFault::ActionNotOffered
        | LifecycleFault::MembershipMissing
        | LifecycleFault::MembershipSent
        | LifecycleFault::MembershipEnded
        | LifecycleFault::OtherLevel
        | LifecycleFault::SameLevel
        | LifecycleFault::OtherDuration
        | LifecycleFault::TermNotOver
        | LifecycleFault::TermOver => refused(fault),
    }
}

/// Why the action is not possible, and the parameter that is at fault.
fn refused(fault: LifecycleFault) -> ApiError {
    let (kind, parameter) = match fault {
        LifecycleFault::UnknownLevel => (ErrorType::NotFound, "levelId"),
        LifecycleFault::UnknownOffering => (ErrorType::NotFound, "offeringId"),
        LifecycleFault::UnknownPricePoint => (ErrorType::NotFound, "pricePointId"),
        LifecycleFault::UnknownMembership => (ErrorType::NotFound, "membershipId"),
        LifecycleFault::ActionNotOffered => (ErrorType::SalesClosed, "action"),
        LifecycleFault::MembershipMissing
        | LifecycleFault::MembershipSent
        | LifecycleFault::MembershipEnded => (ErrorType::ValidationError, "membershipId"),
        LifecycleFault::OtherLevel | LifecycleFault::SameLevel => (ErrorType::ValidationError, "levelId"),
        LifecycleFault::OtherDuration => (ErrorType::ValidationError, "offeringId"),
        LifecycleFault::TermNotOver | LifecycleFault::TermOver => (ErrorType::ValidationError, "action"),
    };
    let (_, message) = web::cart::lifecycle_fault_text(fault);
    ApiError::new(kind).detail(parameter, message)
}
