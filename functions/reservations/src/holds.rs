//! Carrying out what was decided about holds, and learning from the writes that are refused.

use adapters::rate_limit::count_hold;
use adapters::{AdapterFault, App};
use domain::ledger::{Ledger, LedgerChange};
use domain::reservation::{LedgerChanges, Reservation, ReservationStep, Slots, WantedItem, seats_of};
use domain::tenant::Scope;
use domain::{InstanceId, ReservationItemId, Template};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::reservation::RecordChange;
use store::{StoreError, StoreFault};
use web::access::Caller;
use web::{ApiError, ErrorType};

/// Writes one request tries before its caller is asked to try again. Each one is decided on fresher ledgers
/// than the one before; most requests need one.
pub(crate) const MAX_ROUNDS: usize = 24;

/// The slots of one request, as far as they are known, and its way to the database.
pub(crate) struct Work<'a> {
    app: &'a App,
    caller: &'a Caller,
    ledgers: BTreeMap<InstanceId, Ledger>,
    templates: Arc<Vec<Template>>,
    /// A write failed in a way that leaves open whether it happened.
    in_doubt: bool,
}

/// What became of a step.
pub(crate) enum StepOutcome {
    /// It is done.
    Done,
    /// The ledgers were not as thought; they are known better now.
    Again,
    /// The record was not as thought; this is how it is.
    RecordChanged(Option<Reservation>),
}

impl<'a> Work<'a> {
    /// Work on slots with these ledgers.
    pub(crate) async fn on(
        app: &'a App,
        caller: &'a Caller,
        ledgers: BTreeMap<InstanceId, Ledger>,
    ) -> Result<Self, ApiError> {
        let templates = app.templates_of(caller.tenant.id, ledgers.values()).await?;
        Ok(Self { app, caller, ledgers, templates, in_doubt: false })
    }

    /// Work that only gives seats back, which needs to know nothing of the slots.
    pub(crate) fn releasing(app: &'a App, caller: &'a Caller) -> Self {
        Self { app, caller, ledgers: BTreeMap::new(), templates: Arc::default(), in_doubt: false }
    }

    /// The slots, for a decision.
    pub(crate) fn slots(&self) -> Slots<'_> {
        Slots {
            ledgers: &self.ledgers,
            templates: &self.templates,
            zone: self.caller.tenant.zone,
            channel: storefront(self.caller).map(Scope::channel),
        }
    }

    /// True when an earlier write of this request may have happened without an answer.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.in_doubt
    }

    /// Carries out a step, together with the change of the record where there is one.
    pub(crate) async fn carry_out(
        &mut self,
        step: &ReservationStep,
        record: Option<RecordChange<'_>>,
    ) -> Result<StepOutcome, ApiError> {
        match step {
            ReservationStep::Commit(changes) if changes.is_empty() && record.is_none() => {
                Ok(StepOutcome::Done)
            }
            ReservationStep::Commit(changes) => self.write(changes, record).await,
            ReservationStep::Reclaim(slot, change) => {
                match self.app.store.reclaim_holds(self.caller.tenant.id, slot, change).await {
                    Ok(Ok(())) => self.apply(slot, change),
                    Ok(Err(ledger)) => self.learn(*slot, ledger.filter(Ledger::exists)),
                    Err(fault) => return self.doubt(fault),
                }
                Ok(StepOutcome::Again)
            }
        }
    }

    /// A change that was carried out.
    fn apply(&mut self, slot: &InstanceId, change: &LedgerChange) {
        if let Some(ledger) = self.ledgers.get_mut(slot)
            && let Ok(next) = ledger.apply(change, self.caller.clock.now())
        {
            *ledger = next;
        }
    }

    /// A ledger as it turned out to be.
    fn learn(&mut self, slot: InstanceId, ledger: Option<Ledger>) {
        match ledger {
            Some(ledger) => self.ledgers.insert(slot, ledger),
            None => self.ledgers.remove(&slot),
        };
    }

    async fn write(
        &mut self,
        changes: &LedgerChanges,
        record: Option<RecordChange<'_>>,
    ) -> Result<StepOutcome, ApiError> {
        let request = &self.caller.context.request_id;
        let (store, wall_now) = (&self.app.store, self.app.wall_now());
        let sent = store.change_holds(self.caller.tenant.id, request, changes, record, wall_now).await;
        let refused = match sent {
            Ok(Ok(())) => return Ok(StepOutcome::Done),
            Ok(Err(refused)) => refused,
            Err(fault) => return self.doubt(fault),
        };
        for (slot, ledger) in refused.ledgers {
            self.learn(slot, ledger);
        }
        Ok(refused.record.map_or(StepOutcome::Again, StepOutcome::RecordChanged))
    }

    /// A write whose fate is unknown is sent once more: its conditions and its token see to it that it does
    /// not happen twice.
    fn doubt(&mut self, fault: StoreError) -> Result<StepOutcome, ApiError> {
        if self.in_doubt || fault.kind != StoreFault::TryAgain {
            return Err(fault.into());
        }
        self.in_doubt = true;
        Ok(StepOutcome::Again)
    }
}

/// As what storefront a caller holds seats; none as staff.
pub(crate) fn storefront(caller: &Caller) -> Option<Scope> {
    Some(caller.scope).filter(|scope| scope.is_storefront())
}

/// Counts seats that a storefront wants for its visitor. Those of staff are not counted.
pub(crate) async fn count_wanted(app: &App, caller: &Caller, wanted: &[WantedItem]) -> Result<(), ApiError> {
    match storefront(caller) {
        Some(_) => Ok(count_hold(app, caller.client(), seats_of(wanted)).await?),
        None => Ok(()),
    }
}

/// New item ids, one for each event.
pub(crate) fn item_ids(app: &App, events: usize) -> Result<Vec<ReservationItemId>, AdapterFault> {
    (0..events).map(|_| app.ids.bits().map(ReservationItemId::from_bits)).collect()
}

/// Too many others changed the same slots meanwhile.
pub(crate) fn try_again() -> ApiError {
    ApiError::new(ErrorType::TryAgain)
}
