//! A device at work: what it scans, and what it is answered.

use crate::answer::{busy, not_at_door, of_card, unknown};
use crate::identity::{Identity, actor};
use crate::side_by_side::side_by_side;
use adapters::App;
use adapters::rate_limit::{count_scan, count_unknown_code, look_at_codes};
use domain::admission::{Attention, Checks, ScanRequest, ScannedCode};
use domain::order::ScanType;
use domain::{CardId, InstanceId, OrderId, OrderNumber, TicketId};
use sagas::admission::{
    CardScan, DoorQuestion, DoorScan, NotAtDoor, ScannedCard, WantedTickets, find_by_code, look,
    look_at_card, scan, scan_card,
};
use std::collections::BTreeMap;
use store::Consistency;
use web::ApiError;
use web::access::Caller;
use wire::admission::{AdmissionResultView, NamedTicket, TicketResult};

/// Digits of a ticket's barcode.
const BARCODE_DIGITS: usize = 32;

/// What somebody at a device does.
#[derive(Clone)]
pub(crate) struct Device {
    pub(crate) app: App,
    pub(crate) caller: Caller,
    pub(crate) identity: Identity,
    /// Its name.
    pub(crate) terminal: Option<String>,
    /// The instance it scans into, if that was said.
    pub(crate) event: Option<InstanceId>,
    /// In or out.
    pub(crate) scan_type: ScanType,
    /// Why it is forced, if it is.
    pub(crate) forced: Option<String>,
    /// Which checks apply.
    pub(crate) checks: Checks,
}

/// Whether what is scanned is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It is.
    Written,
    /// It is only looked up.
    None,
}

/// What a code is.
pub(crate) enum ScannedThing {
    /// That of a ticket.
    Ticket(Box<DoorScan>),
    /// That of a member card, or of several.
    Card(Box<ScannedCard>),
    /// The number of an order.
    Number(OrderId),
    /// Nobody's.
    Nothing,
}

impl Device {
    fn request(&self, order: &OrderId) -> Result<ScanRequest, ApiError> {
        Ok(ScanRequest {
            id: self.identity.of_order(&self.app, order)?,
            kind: self.scan_type,
            event: self.event,
            checks: self.checks,
            force: self.forced.clone(),
            actor: actor(&self.caller, self.terminal.clone()),
            now: self.caller.clock.now(),
        })
    }

    /// Scans tickets of one order.
    pub(crate) async fn scan(
        &self,
        order: &OrderId,
        wanted: &WantedTickets,
        effect: Effect,
    ) -> Result<Result<DoorScan, NotAtDoor>, ApiError> {
        let question = DoorQuestion { order, wanted, event: self.event };
        let request = self.request(order)?;
        let (app, tenant) = (&self.app, &self.caller.tenant);
        let scanned = match effect {
            Effect::Written => scan(app, tenant, &question, &request).await,
            Effect::None => look(app, tenant, &question, &request).await,
        };
        scanned.map_err(busy)
    }

    /// What came of each ticket of a scan.
    pub(crate) fn results(&self, scanned: &DoorScan, effect: Effect) -> Vec<AdmissionResultView> {
        let facts = scanned.door.facts();
        let scan = scanned.decided.scan.as_ref().map(|scan| &scan.id);
        let result = |verdict| {
            AdmissionResultView::of_ticket(&TicketResult {
                facts: &facts,
                verdict,
                scan: scan.filter(|_| effect == Effect::Written),
                scan_type: (effect == Effect::Written).then_some(self.scan_type),
                tells_blocks: !self.caller.is_door(),
            })
        };
        scanned.decided.verdicts.iter().map(result).collect()
    }

    /// Scans a code, whatever it is.
    pub(crate) async fn scan_code(
        &self,
        code: &ScannedCode,
        card: Option<CardId>,
        effect: Effect,
    ) -> Result<ScannedThing, ApiError> {
        let (app, tenant, client) = (&self.app, &self.caller.tenant, self.caller.client());
        let barcode = code.barcode();
        let is_barcode = barcode.is_some_and(|barcode| barcode.as_str().len() == BARCODE_DIGITS);
        let (allowed, few_guesses, found, number, event) = tokio::join!(
            count_scan(app, client),
            look_at_codes(app, client),
            find_by_code(app, tenant, code),
            self.find_by_number(code.expose()),
            // Of a ticket, the order is read together with it.
            self.check_event(!is_barcode),
        );
        allowed?;
        few_guesses?;
        if let Some((order, barcode)) = found.map_err(busy)?.zip(barcode) {
            let wanted = WantedTickets::Barcode(barcode.clone());
            match self.scan(&order, &wanted, effect).await? {
                Ok(scanned) => return Ok(ScannedThing::Ticket(Box::new(scanned))),
                Err(refused @ NotAtDoor::UnknownEvent) => return Err(not_at_door(refused, "/code")),
                Err(NotAtDoor::UnknownOrder | NotAtDoor::UnknownCode | NotAtDoor::UnknownItems(_)) => {}
            }
        }
        event?;
        if let Some(scanned) = self.scan_card(code, card, effect).await? {
            return Ok(ScannedThing::Card(Box::new(scanned)));
        }
        if let Some(order) = number? {
            return Ok(ScannedThing::Number(order));
        }
        count_unknown_code(app, client).await?;
        Ok(ScannedThing::Nothing)
    }

    /// Scans what may be a member card; none where it is not.
    async fn scan_card(
        &self,
        code: &ScannedCode,
        card: Option<CardId>,
        effect: Effect,
    ) -> Result<Option<ScannedCard>, ApiError> {
        let (app, tenant) = (&self.app, &self.caller.tenant);
        let actor = actor(&self.caller, self.terminal.clone());
        let asked = CardScan {
            code,
            card,
            kind: self.scan_type,
            force: self.forced.as_deref(),
            id: self.identity.of_card(app)?,
            actor: &actor,
            now: self.caller.clock.now(),
        };
        let scanned = match effect {
            Effect::Written => scan_card(app, tenant, &asked).await,
            Effect::None => look_at_card(app, tenant, &asked).await,
        };
        Ok(match scanned.map_err(busy)? {
            ScannedCard::None => None,
            found @ (ScannedCard::Several(_) | ScannedCard::One { .. }) => Some(found),
        })
    }

    /// The order with this number, where it may be one.
    async fn find_by_number(&self, text: &str) -> Result<Option<OrderId>, ApiError> {
        let Some(number) = OrderNumber::printed(text) else { return Ok(None) };
        Ok(self.app.store.find_order_of_number(self.caller.tenant.id, &number).await?)
    }

    /// Refuses an instance that there is not. One that cannot be asked now keeps nobody out.
    async fn check_event(&self, is_due: bool) -> Result<(), ApiError> {
        let Some(event) = self.event.filter(|_| is_due) else { return Ok(()) };
        let tenant = self.caller.tenant.id;
        match self.app.store.load_ledger(tenant, &event, Consistency::Strong).await {
            Ok(Some(ledger)) if ledger.exists() => Ok(()),
            Ok(_) => Err(unknown("/eventId")),
            Err(fault) => {
                tracing::warn!(%fault, "the event that is scanned into could not be asked");
                Ok(())
            }
        }
    }

    /// What came of a code.
    pub(crate) async fn result(
        &self,
        thing: &ScannedThing,
        effect: Effect,
    ) -> Result<AdmissionResultView, ApiError> {
        let nobodys = || AdmissionResultView::unknown_code(&[]);
        let scan_type = (effect == Effect::Written).then_some(self.scan_type);
        Ok(match thing {
            ScannedThing::Ticket(scanned) => {
                self.results(scanned, effect).into_iter().next().unwrap_or_else(nobodys)
            }
            ScannedThing::Card(scanned) => {
                of_card(&self.app, &self.caller, scanned, scan_type).await?.unwrap_or_else(nobodys)
            }
            ScannedThing::Number(_) => AdmissionResultView::unknown_code(&[Attention::OrderNumber]),
            ScannedThing::Nothing => nobodys(),
        })
    }

    /// Scans tickets of several orders, and has what came of each in the order in which they are named.
    pub(crate) async fn scan_tickets(
        &self,
        named: &[NamedTicket],
    ) -> Result<Vec<AdmissionResultView>, ApiError> {
        of_each_order(named, |order, tickets| {
            let device = self.clone();
            async move { device.scan_order(&order, tickets).await }
        })
        .await
    }

    async fn scan_order(
        &self,
        order: &OrderId,
        tickets: Vec<TicketId>,
    ) -> Result<Vec<AdmissionResultView>, ApiError> {
        match self.scan(order, &WantedTickets::Ids(tickets), Effect::Written).await? {
            Ok(scanned) => Ok(self.results(&scanned, Effect::Written)),
            // One stale id keeps nobody out.
            Err(NotAtDoor::UnknownOrder | NotAtDoor::UnknownCode | NotAtDoor::UnknownItems(_)) => {
                Ok(Vec::new())
            }
            Err(refused @ NotAtDoor::UnknownEvent) => Err(not_at_door(refused, "/eventId")),
        }
    }
}

/// Does the same with the tickets of each order, side by side, and has what came of each ticket in the order in which
/// they are named. `work` has a result for each ticket of its order, or none of an order that is not there.
pub(crate) async fn of_each_order<F>(
    named: &[NamedTicket],
    work: impl Fn(OrderId, Vec<TicketId>) -> F,
) -> Result<Vec<AdmissionResultView>, ApiError>
where
    F: Future<Output = Result<Vec<AdmissionResultView>, ApiError>> + Send + 'static,
{
    let of_order = by_order(named).into_iter().map(|(order, tickets)| {
        let results = work(order.clone(), tickets.clone());
        async move {
            let results = results.await?;
            let named = tickets.into_iter().map(|ticket| NamedTicket { order: order.clone(), ticket });
            Ok::<_, ApiError>(named.zip(results).collect::<Vec<_>>())
        }
    });
    let results: BTreeMap<NamedTicket, AdmissionResultView> =
        side_by_side(of_order.collect()).await?.into_iter().flatten().collect();
    let result = |named: &NamedTicket| {
        let found = results.get(named).cloned();
        found.unwrap_or_else(|| AdmissionResultView::unknown_ticket(&named.order, &named.ticket))
    };
    Ok(named.iter().map(result).collect())
}

/// Tickets by their orders, each in the order in which they are named.
pub(crate) fn by_order(named: &[NamedTicket]) -> BTreeMap<OrderId, Vec<TicketId>> {
    let mut orders: BTreeMap<OrderId, Vec<TicketId>> = BTreeMap::new();
    for NamedTicket { order, ticket } in named {
        orders.entry(order.clone()).or_default().push(ticket.clone());
    }
    orders
}
