//! Letting people in (decision record 0143). What is decided of the tickets of an order is written in one transaction,
//! under the condition that neither a door nor the back office changed the order since it was read. Whoever loses
//! that race reads again and decides again, a few times; then it is busy, and nothing is written.

mod card;
mod load;
mod undo;
mod upload;

pub use card::{CardScan, CardUpload, ScannedCard, look_at_card, scan_card, upload_visit};
pub use load::{DoorOrder, DoorQuestion, NotAtDoor, Resolved, WantedTickets, load_at_door};
pub use undo::{DoorUndo, undo};
pub use upload::{OrderUpload, upload};

use crate::commit::commit;
use crate::fault::SagaFault;
use adapters::App;
use domain::admission::{
    AdmissionChange, BlockRequest, DecidedScan, MoveDecision, MoveFacts, MovedAtDoor, Scan, ScanRequest,
    ScannedCode, answers, as_recorded, block_of, decide_scan, move_at_door, without_move,
};
use domain::ledger::{Ledger, LedgerChange, LedgerRefusal};
use domain::order::exchange::{ExchangePlace, ExchangeRefused, Generate};
use domain::order::{Order, Ticket};
use domain::tenant::Tenant;
use domain::{AdmissionId, BarcodeTag, OrderId, OrderItemId, TicketBarcode, TicketId};
use load::{Slots, load_with};
use std::ops::ControlFlow::{Break, Continue};
use std::time::Duration;
use store::admission::{AdmissionRefusal, DoorMove, plan_admission};
use store::ledger::ledger_in;
use store::{Refused, give_way, revise};
use tokio::time::Instant;

/// Times that a scan is decided because its order moved meanwhile.
const ROUND_TRIES: usize = 5;

/// Times that a move is sent with other holds taken along.
const MOVE_TRIES: usize = 5;

/// How long after the first round another one is begun.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads, decides and writes, a few times where others are faster; a round that has to be followed by another one
/// answers nothing. Before that one it waits for a moment, so that those who met do not meet again.
///
/// # Errors
/// That of a round, and [`SagaFault::Contended`] when the last one had to be followed by another.
async fn rounds<T, F>(app: &App, mut round: impl FnMut() -> F) -> Result<T, SagaFault>
where
    F: Future<Output = Result<Option<T>, SagaFault>>,
{
    let contended = |_| SagaFault::Contended;
    let begun = Instant::now();
    revise(ROUND_TRIES, 0, contended, |lost: u32| {
        let round = round();
        async move {
            if lost > 0 {
                give_way(lost, app.ids.bits()?).await;
                if begun.elapsed() >= PATIENCE {
                    return Err(SagaFault::Contended);
                }
            }
            Ok(round.await?.map_or(Continue(lost.saturating_add(1)), Break))
        }
    })
    .await
}

/// What became of a change of the admissions of an order.
enum Written {
    /// It is written; the order as it is now.
    Done(Box<Order>),
    /// This very scan was written before.
    Repeated,
    /// Something else was done with the order.
    Moved,
    /// The instance that tickets are moved to does not give the seats; it as it is, as far as it is there.
    Seats(Option<Box<Ledger>>),
}

async fn write(
    app: &App,
    order: &Order,
    change: &AdmissionChange,
    moved: Option<&DoorMove<'_>>,
) -> Result<Written, SagaFault> {
    let Err(mut refusals) = commit(app, &plan_admission(order, change, moved)?).await? else {
        let after_sale = match moved {
            Some(moved) => order.after_sale.with_exchange(moved.exchange.exchange.clone()),
            None => order.after_sale.clone(),
        };
        let order = Order { admission: change.admissions.clone(), after_sale, ..order.clone() };
        return Ok(Written::Done(Box::new(order)));
    };
    refusals.sort_by_key(|one| one.refusal);
    let Some(Refused { refusal, old }) = refusals.into_iter().next() else { return Ok(Written::Moved) };
    Ok(match refusal {
        AdmissionRefusal::AlreadyNoted => Written::Repeated,
        AdmissionRefusal::OrderMoved => Written::Moved,
        AdmissionRefusal::Seats => Written::Seats(ledger_in(old)?.map(Box::new)),
    })
}

/// What came of a scan of tickets of one order.
#[derive(Debug)]
pub struct DoorScan {
    /// The order as it is now, with all that it was decided on.
    pub door: DoorOrder,
    /// What was asked for.
    pub resolved: Resolved,
    /// What was decided.
    pub decided: DecidedScan,
}

/// Scans tickets of an order: decides, and writes what was decided if anybody passed. A scan that changes nothing is
/// noted at best effort.
///
/// # Errors
/// [`SagaFault`] when it is not known whether it is written; [`SagaFault::Contended`] when others wrote to the order at
/// every try, and nothing is written. The inner error is why there is nothing to decide.
pub async fn scan(
    app: &App,
    tenant: &Tenant,
    question: &DoorQuestion<'_>,
    request: &ScanRequest,
) -> Result<Result<DoorScan, NotAtDoor>, SagaFault> {
    rounds(app, || async move {
        let earlier = async {
            let earlier = app.store.load_scan(tenant.id, question.order, &request.id).await;
            earlier.map_err(SagaFault::from)
        };
        let load = load_at_door(app, tenant, question);
        let (found, earlier) = tokio::try_join!(load, earlier)?;
        let (door, resolved) = match found {
            Ok(found) => found,
            Err(refused) => return Ok(Some(Err(refused))),
        };
        let known = earlier.is_some();
        if let Some(earlier) = earlier.filter(|earlier| answers(earlier, request.now)) {
            let scans = app.store.load_scans(tenant.id, question.order).await?;
            let resolved = resolved.into_recorded(question, &earlier);
            let decided = as_recorded(&door.facts(), &earlier, &scans, &resolved.tickets);
            return Ok(Some(Ok(DoorScan { door, resolved, decided })));
        }
        // What is decided anew is another scan.
        let id = if known { AdmissionId::from_bytes(app.ids.bytes()?) } else { request.id.clone() };
        let request = ScanRequest { id, ..request.clone() };
        Ok(decide_and_write(app, tenant, door, resolved, &request).await?.map(Ok))
    })
    .await
}

/// One round of a scan; none where it has to be decided again.
async fn decide_and_write(
    app: &App,
    tenant: &Tenant,
    door: DoorOrder,
    resolved: Resolved,
    request: &ScanRequest,
) -> Result<Option<DoorScan>, SagaFault> {
    let decided = match moving(app, &door, &resolved, request)? {
        MoveDecision::Nothing(decided) | MoveDecision::Stays(decided) => *decided,
        MoveDecision::Moved(moved) => {
            return write_move(app, door, resolved, request, *moved).await;
        }
    };
    let Some(change) = &decided.change else {
        note(app, tenant, &door.order.id, decided.scan.as_ref()).await;
        return Ok(Some(DoorScan { door, resolved, decided }));
    };
    match write(app, &door.order, change, None).await? {
        Written::Done(order) => {
            let door = DoorOrder { order: *order, ..door };
            Ok(Some(DoorScan { door, resolved, decided }))
        }
        // The next round finds it.
        Written::Repeated | Written::Moved | Written::Seats(_) => Ok(None),
    }
}

/// Notes a scan that changed nothing, once a minute. Nobody waits for it twice.
async fn note(app: &App, tenant: &Tenant, order: &OrderId, scan: Option<&Scan>) {
    let Some(scan) = scan else { return };
    let scan = &Scan { id: AdmissionId::of_refusal(scan, order), ..scan.clone() };
    if let Err(fault) = app.store.note_scan(tenant.id, order, scan).await {
        tracing::warn!(order = order.as_str(), %fault, "a scan that was refused is not noted");
    }
}

/// New identities of an order whose barcodes begin so.
struct Generator<'a> {
    app: &'a App,
    tag: Option<BarcodeTag>,
}

impl Generate for Generator<'_> {
    type Error = SagaFault;

    fn item(&mut self) -> Result<OrderItemId, SagaFault> {
        Ok(OrderItemId::from_bits(self.app.ids.bits()?))
    }

    fn ticket(&mut self) -> Result<(TicketId, TicketBarcode), SagaFault> {
        // An order without tickets has none to move.
        let tag = self.tag.as_ref();
        let tag = tag.ok_or_else(|| SagaFault::inconsistent("an order without tickets has some to move"))?;
        let barcode = TicketBarcode::beginning_with(tag, self.app.ids.bytes()?);
        Ok((TicketId::from_bits(self.app.ids.bits()?), barcode))
    }
}

fn moving(
    app: &App,
    door: &DoorOrder,
    resolved: &Resolved,
    request: &ScanRequest,
) -> Result<MoveDecision, SagaFault> {
    let Some(event) = request.event else {
        let decided = decide_scan(&door.facts(), request, &resolved.tickets);
        return Ok(MoveDecision::Nothing(Box::new(decided)));
    };
    let to = MoveFacts { event, ledger: door.event_ledger.as_ref() };
    let mut generate = Generator { app, tag: door.order.barcode_tag(&door.tickets) };
    move_at_door(&door.facts(), &to, request, &resolved.tickets, &mut generate)
}

/// Writes a move with its admissions. Expired holds in the way of its seats are taken along.
async fn write_move(
    app: &App,
    door: DoorOrder,
    resolved: Resolved,
    request: &ScanRequest,
    moved: MovedAtDoor,
) -> Result<Option<DoorScan>, SagaFault> {
    let MovedAtDoor { exchange, scan: decided } = moved;
    let (Some(event), Some(change)) = (request.event, &decided.change) else { return Ok(None) };
    let wanted = &LedgerChange::sell(exchange.taken, None);
    let (order, exchange) = (&door.order, &exchange);
    let contended = |_| SagaFault::Contended;
    let written = revise(MOVE_TRIES, wanted.clone(), contended, |seats| async move {
        let door_move = DoorMove { exchange, event, seats: &seats };
        let ledger = match write(app, order, change, Some(&door_move)).await? {
            Written::Seats(Some(ledger)) => ledger,
            Written::Seats(None) => return Ok(Break(Moved::Refused(LedgerRefusal::UnknownSlot))),
            Written::Done(order) => return Ok(Break(Moved::Done(order))),
            Written::Repeated | Written::Moved => return Ok(Break(Moved::Again)),
        };
        let next = app.store.transition(order.tenant, &ledger, wanted, exchange.exchange.at).await?;
        Ok(next.map_or_else(|refusal| Break(Moved::Refused(refusal)), Continue))
    })
    .await?;
    match written {
        Moved::Done(order) => {
            let mut tickets = door.tickets;
            tickets.extend(exchange.tickets.iter().cloned());
            let door = DoorOrder { order: *order, tickets, ..door }.with_statuses();
            Ok(Some(DoorScan { door, resolved, decided }))
        }
        Moved::Again => Ok(None),
        Moved::Refused(refusal) => {
            let Some(refused) = not_moved(&refusal) else { return Ok(None) };
            let decided = without_move(&door.facts(), request, &resolved.tickets, &refused);
            Ok(Some(DoorScan { door, resolved, decided }))
        }
    }
}

/// What became of a move at a door.
enum Moved {
    /// It is written; the order as it is now.
    Done(Box<Order>),
    /// It has to be decided again.
    Again,
    /// The instance does not give the seats.
    Refused(LedgerRefusal),
}

fn not_moved(refused: &LedgerRefusal) -> Option<ExchangeRefused> {
    match refused {
        LedgerRefusal::UnknownSlot => Some(ExchangeRefused::Unknown(vec![ExchangePlace::Event])),
        LedgerRefusal::Closed => Some(ExchangeRefused::Closed),
        LedgerRefusal::NotEnough { available } => Some(ExchangeRefused::NotEnough { available: *available }),
        LedgerRefusal::HoldChanged | LedgerRefusal::MustReclaim | LedgerRefusal::TooManyHolds => None,
    }
}

/// What a scan would be answered now; nothing is written.
///
/// # Errors
/// [`SagaFault`] when the database does not answer. The inner error is why there is nothing to decide.
pub async fn look(
    app: &App,
    tenant: &Tenant,
    question: &DoorQuestion<'_>,
    request: &ScanRequest,
) -> Result<Result<DoorScan, NotAtDoor>, SagaFault> {
    Ok(load_at_door(app, tenant, question).await?.map(|(door, resolved)| {
        let decided = decide_scan(&door.facts(), request, &resolved.tickets);
        DoorScan { door, resolved, decided }
    }))
}

/// Tickets that were blocked or unblocked.
#[derive(Debug)]
pub struct DoorBlock {
    /// The order as it is now.
    pub door: DoorOrder,
    /// All that is recorded of the order.
    pub scans: Vec<Scan>,
}

/// Blocks or unblocks tickets of an order. Those that are so already stay as they are; where one is not there, all do.
///
/// # Errors
/// [`SagaFault`] as of [`scan`]. The inner error is why there is nothing to decide.
pub async fn block(
    app: &App,
    tenant: &Tenant,
    question: &DoorQuestion<'_>,
    request: &BlockRequest,
) -> Result<Result<DoorBlock, NotAtDoor>, SagaFault> {
    rounds(app, || async move {
        let scans = async {
            let scans = app.store.load_scans(tenant.id, question.order).await;
            scans.map_err(SagaFault::from)
        };
        let load = load_with(app, tenant, question, Slots::Unasked);
        let (found, mut scans) = tokio::try_join!(load, scans)?;
        let (door, resolved) = match found {
            Ok(found) => found,
            Err(refused) => return Ok(Some(Err(refused))),
        };
        let counting: Vec<&TicketId> =
            resolved.tickets.iter().map(|id| door.order.successor_of(id)).collect();
        let tickets: Vec<&Ticket> =
            door.tickets.iter().filter(|ticket| counting.contains(&&ticket.id)).collect();
        // All of them are blocked, or none.
        if counting.iter().any(|id| tickets.iter().all(|ticket| ticket.id != **id)) {
            return Ok(Some(Err(NotAtDoor::UnknownCode)));
        }
        let Some(change) = block_of(&door.order, &tickets, request) else {
            return Ok(Some(Ok(DoorBlock { door, scans })));
        };
        Ok(match write(app, &door.order, &change, None).await? {
            Written::Done(order) => {
                scans.extend(change.scans);
                let door = DoorOrder { order: *order, ..door };
                Some(Ok(DoorBlock { door, scans }))
            }
            Written::Repeated | Written::Moved | Written::Seats(_) => None,
        })
    })
    .await
}

/// An order with all that happened to it at the doors, in one round trip.
///
/// # Errors
/// [`SagaFault`] when the database does not answer.
pub async fn history(
    app: &App,
    tenant: &Tenant,
    order: &OrderId,
) -> Result<Option<(Order, Vec<Ticket>, Vec<Scan>)>, SagaFault> {
    let found = app.store.load_order_with_tickets(tenant.id, order);
    let (found, scans) = tokio::try_join!(found, app.store.load_scans(tenant.id, order))?;
    let paid = found.filter(|(order, _)| order.paid_at().is_some());
    Ok(paid.map(|(order, tickets)| (order, tickets, scans)))
}

/// The order that a barcode leads to; whether it is that of one of its tickets, whoever reads the order sees.
///
/// # Errors
/// [`SagaFault`] when the database does not answer.
pub async fn find_by_code(
    app: &App,
    tenant: &Tenant,
    code: &ScannedCode,
) -> Result<Option<OrderId>, SagaFault> {
    match code.barcode() {
        Some(barcode) => find_by_barcode(app, tenant, barcode).await,
        None => Ok(None),
    }
}

/// [`find_by_code`] of a barcode.
///
/// # Errors
/// [`SagaFault`] when the database does not answer.
pub async fn find_by_barcode(
    app: &App,
    tenant: &Tenant,
    barcode: &TicketBarcode,
) -> Result<Option<OrderId>, SagaFault> {
    Ok(app.store.find_order_of_barcode(tenant.id, barcode).await?)
}
