//! What devices tell that were offline, order by order.

use super::{DoorOrder, DoorQuestion, NotAtDoor, WantedTickets, Written, load_at_door, rounds, write};
use crate::fault::SagaFault;
use adapters::App;
use domain::admission::{Actor, DecidedUpload, Scan, UploadOutcome, UploadedScan, decide_upload};
use domain::tenant::Tenant;
use domain::{OrderId, Timestamp};
use store::admission::{MAX_AT_ONCE, fits};

/// The scans of one order.
#[derive(Debug, Clone)]
pub struct OrderUpload {
    /// The order.
    pub order: OrderId,
    /// Its scans, in the order in which they were told.
    pub scans: Vec<UploadedScan>,
}

/// Whose scans are noted, by whom and when.
#[derive(Clone, Copy)]
struct Uploading<'a> {
    app: &'a App,
    tenant: &'a Tenant,
    order: &'a OrderId,
    actor: &'a Actor,
    now: Timestamp,
}

/// What scans are decided on.
struct Known {
    door: DoorOrder,
    /// All that is recorded of the order.
    recorded: Vec<Scan>,
}

/// What came of the first scans.
struct Part {
    outcomes: Vec<UploadOutcome>,
    /// What the next ones are decided on, where there is such an order: it is not read again for each part.
    known: Option<Box<Known>>,
}

/// Notes scans of one order that a device tells of, so many at once as one transaction holds. What was noted stays when
/// a later part fails; the same upload again completes it. What is to be done `beside` is begun with the first read.
///
/// # Errors
/// [`SagaFault`] when it is not known how many of them are noted.
pub async fn upload(
    app: &App,
    tenant: &Tenant,
    told: &OrderUpload,
    actor: &Actor,
    now: Timestamp,
    beside: impl Future<Output = ()>,
) -> Result<Vec<UploadOutcome>, SagaFault> {
    let uploading = Uploading { app, tenant, order: &told.order, actor, now };
    let (first, ()) = tokio::join!(load_known(uploading, &told.scans), beside);
    let Some(first) = first? else { return Ok(vec![UploadOutcome::Unknown; told.scans.len()]) };
    let mut known = Some(first);
    let mut outcomes = Vec::with_capacity(told.scans.len());
    while let Some(rest) = told.scans.get(outcomes.len()..).filter(|rest| !rest.is_empty()) {
        let part = rounds(app, || note_first(uploading, rest, known.take())).await?;
        outcomes.extend(part.outcomes);
        known = part.known;
    }
    Ok(outcomes)
}

/// One round: notes the first of these scans, as many as one transaction holds; none where that has to be decided again.
async fn note_first(
    uploading: Uploading<'_>,
    scans: &[UploadedScan],
    mut known: Option<Box<Known>>,
) -> Result<Option<Part>, SagaFault> {
    let Uploading { app, tenant: _, order: _, actor, now } = uploading;
    if known.is_none() {
        known = load_known(uploading, scans).await?;
    }
    let Some(known) = known else {
        let outcomes = vec![UploadOutcome::Unknown; scans.len()];
        return Ok(Some(Part { outcomes, known: None }));
    };
    let Known { door, mut recorded } = *known;
    let (mut part, _) = scans.split_at(MAX_AT_ONCE.min(scans.len()));
    let mut decided = decide_upload(&door.facts(), &recorded, part, actor, now);
    while part.len() > 1 && !is_one_transaction(&decided) {
        (part, _) = part.split_at(part.len().div_ceil(2));
        decided = decide_upload(&door.facts(), &recorded, part, actor, now);
    }
    let DecidedUpload { outcomes, change } = decided;
    let Some(change) = change else {
        return Ok(Some(Part { outcomes, known: Some(Box::new(Known { door, recorded })) }));
    };
    Ok(match write(app, &door.order, &change, None).await? {
        Written::Done(order) => {
            recorded.extend(change.scans);
            let door = DoorOrder { order: *order, ..door };
            Some(Part { outcomes, known: Some(Box::new(Known { door, recorded })) })
        }
        Written::Repeated | Written::Moved | Written::Seats(_) => None,
    })
}

/// Reads what these scans are decided on; none where there is no such order.
async fn load_known(
    uploading: Uploading<'_>,
    scans: &[UploadedScan],
) -> Result<Option<Box<Known>>, SagaFault> {
    let Uploading { app, tenant, order, actor: _, now: _ } = uploading;
    let wanted = WantedTickets::Ids(scans.iter().map(|scan| scan.ticket.clone()).collect());
    let question = DoorQuestion { order, wanted: &wanted, event: None };
    let recorded = async {
        let recorded = app.store.load_scans(tenant.id, order).await;
        recorded.map_err(SagaFault::from)
    };
    let (found, recorded) = tokio::try_join!(load_at_door(app, tenant, &question), recorded)?;
    Ok(match found {
        Ok((door, _)) => Some(Box::new(Known { door, recorded })),
        Err(
            NotAtDoor::UnknownOrder
            | NotAtDoor::UnknownEvent
            | NotAtDoor::UnknownCode
            | NotAtDoor::UnknownItems(_),
        ) => None,
    })
}

fn is_one_transaction(decided: &DecidedUpload) -> bool {
    decided.change.as_ref().is_none_or(fits)
}
