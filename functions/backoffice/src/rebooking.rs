//! `/v1/b2b/event/instance/rebook/fees`: what moving a ticket costs, by instance.

use adapters::App;
use axum::Json;
use axum::extract::{Query, State};
use domain::InstanceId;
use domain::ledger::Ledger;
use serde::Deserialize;
use std::collections::BTreeSet;
use store::{Consistency, Placed};
use utoipa::IntoParams;
use web::access::Staff;
use web::authored::not_found;
use web::query::QueryReader;
use web::routes;
use web::routes::Routes;
use web::{ApiError, ErrorBody};
use wire::event::RebookingFee;

/// Instances one request may name.
const MAX_INSTANCES: usize = 50;

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(list))
}

/// Whose fees are asked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct FeeQuery {
    /// 1 to 50 event instances, separated by commas.
    #[param(required = true)]
    event_ids: Option<String>,
}

impl FeeQuery {
    /// The instances, in the order asked for.
    fn read(&self) -> Result<Vec<InstanceId>, ApiError> {
        let mut reader = QueryReader::new();
        let listed = |text: &str| Some(text.split(',').map(|id| id.trim().to_owned()).collect());
        let sent: Option<Vec<String>> =
            reader.required("eventIds", self.event_ids.as_deref(), listed, "ids separated by commas");
        let sent = sent.unwrap_or_default();
        if sent.len() > MAX_INSTANCES {
            reader.fault("eventIds", format!("must have at most {MAX_INSTANCES} entries"));
        }
        let sent = reader.finish(sent)?;
        sent.iter().map(|id| InstanceId::parse(id).map_err(|_| unknown())).collect()
    }
}

fn unknown() -> ApiError {
    not_found().detail("eventIds", "was not found")
}

/// List rebooking fees
///
/// What exchanging a ticket of each instance costs, in the order asked for.
#[utoipa::path(
    get,
    path = "/v1/b2b/event/instance/rebook/fees",
    tag = "Back office",
    params(FeeQuery),
    responses(
        (status = 200, description = "The fees, one for each instance", body = Vec<RebookingFee>),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: there is no such instance", body = ErrorBody),
    ),
)]
async fn list(
    State(app): State<App>,
    staff: Staff,
    Query(query): Query<FeeQuery>,
) -> Result<Json<Vec<RebookingFee>>, ApiError> {
    let asked = query.read()?;
    let (tenant, ids) = (staff.tenant.id, asked.iter().copied().collect::<BTreeSet<InstanceId>>());
    let places = ids.iter().map(|id| Ledger::place(tenant, id));
    let mut found = app.store.get_many(places, Consistency::Eventual).await?;
    let mut ledgers = found.take_all::<Ledger>(tenant, &ids)?;
    ledgers.retain(|_, ledger| ledger.exists());
    let templates = app.templates_of(tenant, ledgers.values()).await?;
    let fee = |id: &InstanceId| -> Result<RebookingFee, ApiError> {
        let ledger = ledgers.get(id).ok_or_else(unknown)?;
        let template =
            templates.iter().find(|template| template.id == ledger.template).ok_or_else(unknown)?;
        Ok(RebookingFee::of(id, template))
    };
    Ok(Json(asked.iter().map(fee).collect::<Result<_, _>>()?))
}
