//! Scans that are taken back.

use super::load::{Slots, load_with};
use super::{DoorOrder, DoorQuestion, NotAtDoor, WantedTickets, Written, rounds, write};
use crate::fault::SagaFault;
use adapters::App;
use domain::TicketId;
use domain::admission::{AdmissionChange, DecidedUndo, Scan, UndoRequest, UndoneTicket, undo as decide_undo};
use domain::tenant::Tenant;
use store::admission::{MAX_AT_ONCE, fits};

/// Scans that were taken back.
#[derive(Debug)]
pub struct DoorUndo {
    /// The order as it is now.
    pub door: DoorOrder,
    /// What came of each ticket, in the order in which they were named.
    pub tickets: Vec<UndoneTicket>,
}

/// Takes back the last scan of each of these tickets of an order, of so many at once as one transaction holds. What was
/// taken back stays so when a later part fails; the same request again completes it.
///
/// # Errors
/// [`SagaFault`] when it is not known how many of them are taken back; [`SagaFault::Contended`] when others wrote to the
/// order at every try. The inner error is why there is nothing to decide.
pub async fn undo(
    app: &App,
    tenant: &Tenant,
    question: &DoorQuestion<'_>,
    request: &UndoRequest,
) -> Result<Result<DoorUndo, NotAtDoor>, SagaFault> {
    let undoing = Undoing { app, tenant, request };
    let mut wanted = question.wanted.clone();
    let mut known: Option<Box<Known>> = None;
    let mut tickets = Vec::new();
    loop {
        let question = DoorQuestion { wanted: &wanted, ..*question };
        let part = match rounds(app, || undoing.first_of(question, known.take())).await? {
            Ok(part) => part,
            Err(refused) => return Ok(Err(refused)),
        };
        tickets.extend(part.tickets);
        if part.known.named.is_empty() {
            return Ok(Ok(DoorUndo { door: part.known.door, tickets }));
        }
        wanted = WantedTickets::Ids(part.known.named.clone());
        known = Some(Box::new(part.known));
    }
}

/// What came of the first tickets, and what the next ones are decided on.
struct Part {
    tickets: Vec<UndoneTicket>,
    known: Known,
}

/// What is decided on: read once, as long as nobody else writes to the order.
struct Known {
    door: DoorOrder,
    scans: Vec<Scan>,
    /// The tickets that are left.
    named: Vec<TicketId>,
}

/// What is taken back, and where.
#[derive(Clone, Copy)]
struct Undoing<'a> {
    app: &'a App,
    tenant: &'a Tenant,
    request: &'a UndoRequest,
}

impl Undoing<'_> {
    /// One round: takes back the scans of the first of these tickets, as many as one transaction holds; none where that
    /// has to be decided again.
    async fn first_of(
        self,
        question: DoorQuestion<'_>,
        known: Option<Box<Known>>,
    ) -> Result<Option<Result<Part, NotAtDoor>>, SagaFault> {
        let known = match known {
            Some(known) => Ok(*known),
            None => self.load(question).await?,
        };
        let Known { door, mut scans, named } = match known {
            Ok(known) => known,
            Err(refused) => return Ok(Some(Err(refused))),
        };
        let (decided, named) = first_that_fits(&door, &scans, &named, self.request);
        let DecidedUndo { tickets, change } = decided;
        let Some(change) = change else {
            let known = Known { door, scans, named };
            return Ok(Some(Ok(Part { tickets, known })));
        };
        Ok(match write(self.app, &door.order, &change, None).await? {
            Written::Done(order) => {
                for marked in change.marked {
                    if let Some(scan) = scans.iter_mut().find(|scan| scan.id == marked.id) {
                        *scan = marked;
                    }
                }
                let door = DoorOrder { order: *order, ..door };
                Some(Ok(Part { tickets, known: Known { door, scans, named } }))
            }
            Written::Repeated | Written::Moved | Written::Seats(_) => None,
        })
    }

    async fn load(self, question: DoorQuestion<'_>) -> Result<Result<Known, NotAtDoor>, SagaFault> {
        let Self { app, tenant, request: _ } = self;
        let scans = async {
            let scans = app.store.load_scans(tenant.id, question.order).await;
            scans.map_err(SagaFault::from)
        };
        let load = load_with(app, tenant, &question, Slots::Unasked);
        let (found, scans) = tokio::try_join!(load, scans)?;
        Ok(found.map(|(door, resolved)| Known { door, scans, named: resolved.tickets }))
    }
}

/// What is decided of the first of these tickets, as many as one transaction holds, and the others. All tickets of one
/// scan are marked by one write, so that there may be many more of them than of scans.
fn first_that_fits(
    door: &DoorOrder,
    scans: &[Scan],
    named: &[TicketId],
    request: &UndoRequest,
) -> (DecidedUndo, Vec<TicketId>) {
    let decide = |part: &[TicketId]| decide_undo(&door.order, &door.tickets, scans, part, request);
    let is_one_transaction = |change: &Option<AdmissionChange>| change.as_ref().is_none_or(fits);
    let (mut part, mut decided) = (named, decide(named));
    if !is_one_transaction(&decided.change) {
        // A write for each ticket is the most it may take, beside the counts.
        (part, _) = named.split_at(MAX_AT_ONCE.min(named.len()));
        decided = decide(part);
    }
    while part.len() > 1 && !is_one_transaction(&decided.change) {
        (part, _) = part.split_at(part.len().div_ceil(2));
        decided = decide(part);
    }
    let rest = named.get(part.len()..).unwrap_or_default().to_vec();
    (decided, rest)
}
