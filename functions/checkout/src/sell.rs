//! A decided checkout on its way: secured, charged, answered.

use crate::contended::Guarded;
use crate::replay::{Manner, Replay, SentKey};
use crate::start::Checkout;
use crate::{answer, contended, generate, replay};
use axum::response::Response;
use domain::availability::{Shortage, units_left};
use domain::cart::Cart;
use domain::checkout::{CheckoutRefusal, CouponRefusal, Decision, charged_by, decide, order_of};
use domain::coupon::CouponProblem;
use domain::ledger::LedgerChange;
use domain::order::{Order, ReceiptNumber};
use domain::outbox::MAIL_RETRY_SECS;
use domain::time::plus_secs;
use domain::{CouponId, InstanceId, InventoryId, OrderId};
use sagas::{ChargeOutcome, FreeParts, SecureFault, charge, secure, settlement};
use store::Calls;
use store::checkout::{GuardClaim, KeyClaim, Secure};
use store::idempotency::IdempotencyRecord;
use tokio::task::JoinSet;
use web::{ApiError, ErrorType};

/// Times a guard or key that turns out not to count is claimed again.
const MAX_CLAIMS: usize = 3;

/// Why a try came to no answer of its own.
pub(crate) enum Halt {
    /// The stored cart was changed or checked out while it was priced.
    CartMoved,
    /// It is refused.
    Refused(ApiError),
}

impl<E: Into<ApiError>> From<E> for Halt {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

impl Checkout {
    /// Carries out what was decided.
    pub(crate) async fn run(mut self, decision: Decision) -> Result<Response, Halt> {
        let secure = self.all_to_take(&decision).await?;
        let Decision { cart, surplus, .. } = decision;
        let order = match Box::pin(self.secured(&cart, secure)).await? {
            Taken::Order(order) => order,
            Taken::Replayed(response) => return Ok(*response),
        };
        let zone = self.caller.tenant.zone;
        let outcome = match &self.request.card {
            Some(card) if order.payment.is_some() => {
                Box::pin(charge(&self.app, self.caller.client(), &order, card)).await?
            }
            Some(_) | None => ChargeOutcome::Paid(order),
        };
        match outcome {
            ChargeOutcome::Paid(order) => {
                self.release(surplus).await;
                Ok(answer::order(&order, zone))
            }
            ChargeOutcome::Declined { order: _, decline } => Err(answer::declined(&decline).into()),
            ChargeOutcome::AsksBuyer(asked) => Err(answer::asks_buyer(&asked, zone).into()),
            ChargeOutcome::Expired(order) => Err(answer::expired(&order).into()),
            ChargeOutcome::Voided | ChargeOutcome::Undecided => {
                Err(ApiError::new(ErrorType::TryAgain).into())
            }
        }
    }

    /// What is to be taken for what was decided, all of it or nothing.
    async fn all_to_take(&mut self, decision: &Decision) -> Result<Secure, ApiError> {
        let Self { app, caller, request, facts, claims, .. } = self;
        let ids = generate::order_ids(app, &decision.cart)?;
        let order = order_of(request, facts, decision, ids, caller.clock.now());
        let mut order = order.map_err(|_| ApiError::new(ErrorType::Internal))?;
        if facts.tenant.receipt_numbers {
            let year = ReceiptNumber::year_at(facts.tenant.zone, order.created_at);
            order.receipt = Some(app.store.next_receipt(order.tenant, year).await?);
        }
        let key = app.hash_key(&caller.tenant).await?;
        let guard = Guarded { request, facts, total: decision.cart.shown_total }.hash(&key);
        Ok(Secure {
            cart: claims.cart.take(),
            guard: guard.map(|hash| GuardClaim {
                hash,
                released_by: None,
                charged_by: charged_by(request, &caller.tenant, order.created_at),
            }),
            key: claims.key.take().map(|claim| claimed_by(claim, &order.id)),
            ledgers: decision.ledgers.clone(),
            order,
        })
    }

    /// Secures the order. A guard or key that turns out not to count any more is claimed again.
    async fn secured(&mut self, cart: &Cart, mut to_take: Secure) -> Result<Taken, Halt> {
        let order = &to_take.order;
        let is_free = order.payment.is_none();
        if is_free {
            self.point_to(order).await?;
        }
        let (tickets, mails) = match is_free {
            true => settlement(&self.app, order)?,
            false => (Vec::new(), Vec::new()),
        };
        let mails_due = plus_secs(order.created_at, MAIL_RETRY_SECS);
        let free = is_free.then_some(FreeParts { tickets: &tickets, mails: &mails, mails_due });
        for _ in 0..MAX_CLAIMS {
            match Box::pin(secure(&self.app, to_take.clone(), free)).await {
                Ok(secured) => {
                    sagas::enqueue_mails(&self.app, &secured.0, &mails).await;
                    return Ok(Taken::Order(Box::new(secured.0)));
                }
                Err(SecureFault::Duplicate(holder)) => {
                    self.check_charge_of(&holder).await?;
                    if let Some(guard) = &mut to_take.guard {
                        guard.released_by = Some(holder);
                    }
                }
                Err(SecureFault::IdempotencyHeld(record)) => {
                    let replay = self.held(to_take.key.as_ref(), *record).await?;
                    match replay {
                        Replay::Answer(response) => {
                            self.give_up(&to_take.order).await;
                            return Ok(Taken::Replayed(response));
                        }
                        Replay::GoOn(again) => {
                            to_take.key = again.map(|again| claimed_by(*again, &to_take.order.id));
                        }
                    }
                }
                Err(SecureFault::CartMoved) => {
                    self.give_up(&to_take.order).await;
                    return Err(Halt::CartMoved);
                }
                Err(fault) => {
                    if fault.is_certain() {
                        self.give_up(&to_take.order).await;
                    }
                    return Err(self.refused(cart, &to_take.order, fault).await.into());
                }
            }
        }
        Err(ApiError::new(ErrorType::TryAgain).into())
    }

    /// Writes what will lead to an order that is secured and settled at once.
    async fn point_to(&self, order: &Order) -> Result<(), Halt> {
        let pointed = sagas::point_to(&self.app, order).await;
        if pointed.is_err() {
            sagas::unpoint(&self.app, order).await;
        }
        pointed.map_err(Halt::from)
    }

    /// Takes back what was to lead to an order that is not secured. One that is paid for gets that later.
    async fn give_up(&self, order: &Order) {
        if order.payment.is_none() {
            sagas::unpoint(&self.app, order).await;
        }
    }

    /// Refuses a checkout whose guard is held by an order that stands against the same charge.
    async fn check_charge_of(&self, holder: &OrderId) -> Result<(), ApiError> {
        let charge = replay::earlier_charge(&self.app, &self.caller, holder, Manner::Finishing).await?;
        let refusal = charge.refusal(self.caller.clock.now());
        refusal.map_or(Ok(()), |refusal| Err(self.answer_to(&refusal)))
    }

    async fn held(&self, claim: Option<&KeyClaim>, record: IdempotencyRecord) -> Result<Replay, ApiError> {
        let key = claim.map(|claim| SentKey {
            hash: claim.hash.clone(),
            fingerprint: claim.record.fingerprint.clone(),
            earlier_fingerprint: claim.record.fingerprint.clone(),
        });
        replay::look(&self.app, &self.caller, key.as_ref(), Some(record), Manner::Finishing).await
    }

    /// Why nothing could be secured.
    async fn refused(&mut self, cart: &Cart, order: &Order, fault: SecureFault) -> ApiError {
        let refusal = match fault {
            SecureFault::Seats(instance, why) => {
                CheckoutRefusal::of_seats(cart, order.reservation.as_ref(), instance, &why)
            }
            SecureFault::Stock(inventory, sold) => {
                let stock = order.stock.get(&inventory).map_or(0, |units| units.stock);
                self.no_units(cart, inventory, units_left(stock, sold))
            }
            SecureFault::CouponUsedUp(coupon) => self.used_up(cart, &coupon),
            SecureFault::EntitlementsUsedUp => return self.entitlements_used_up(cart).await,
            SecureFault::MembershipMoved(order) => return self.membership_moved(order.as_ref()).await,
            SecureFault::Failed(fault) => return fault.into(),
            SecureFault::CartMoved | SecureFault::Duplicate(_) | SecureFault::IdempotencyHeld(_) => {
                return ApiError::new(ErrorType::TryAgain);
            }
        };
        self.answer_to(&refusal)
    }

    /// The last use of a coupon was taken by another order.
    fn used_up(&self, cart: &Cart, coupon: &CouponId) -> CheckoutRefusal {
        let known = self.facts.goods.coupons.get(coupon).into_iter();
        let refusals = known.map(|known| CouponRefusal::of(cart, &known.code, CouponProblem::UsedUp));
        CheckoutRefusal::Coupons(refusals.collect())
    }

    /// Another order took what a membership had left. Where it has been given back since, another try may do.
    async fn entitlements_used_up(&mut self, cart: &Cart) -> ApiError {
        match contended::uses(&self.app, &self.caller, &self.facts, Some(cart)).await {
            Ok(uses) => self.facts.contended.uses = Some(uses),
            Err(error) => return error,
        }
        let decided = decide(&self.facts, &self.request, self.caller.clock.now());
        decided.err().map_or_else(|| ApiError::new(ErrorType::TryAgain), |refusal| self.answer_to(&refusal))
    }

    /// Others bought the units of an add-on, of which so many are left by now.
    fn no_units(&self, cart: &Cart, inventory: InventoryId, available: u32) -> CheckoutRefusal {
        let item = self.facts.goods.inventory.get(&inventory);
        let name = item.map(|item| item.name.clone()).unwrap_or_default();
        CheckoutRefusal::of_shortage(cart, Shortage::Stock { inventory, name, available })
    }

    /// Another order is renewing or changing a membership of this one, or did so a moment ago. One that was left
    /// half-way is finished first.
    async fn membership_moved(&self, order: Option<&OrderId>) -> ApiError {
        let Some(order) = order else { return ApiError::new(ErrorType::TryAgain) };
        let now = self.caller.clock.now();
        match Box::pin(sagas::outcome_of(&self.app, self.caller.tenant.id, order, now)).await {
            Ok(Some(ChargeOutcome::Undecided | ChargeOutcome::AsksBuyer(_))) => {
                ApiError::new(ErrorType::RequestInProgress)
            }
            Ok(
                Some(
                    ChargeOutcome::Paid(_)
                    | ChargeOutcome::Declined { .. }
                    | ChargeOutcome::Voided
                    | ChargeOutcome::Expired(_),
                )
                | None,
            ) => ApiError::new(ErrorType::TryAgain),
            Err(fault) => fault.into(),
        }
    }

    /// Seats the reservation held beyond the order, all at once. What cannot be released now is free at its expiry.
    async fn release(&self, surplus: Vec<(InstanceId, LedgerChange)>) {
        let (tenant, now) = (self.caller.tenant.id, self.caller.clock.now());
        let mut releases = JoinSet::new();
        for (instance, change) in surplus {
            let store = self.app.store.clone();
            let release = async move { store.change_ledger(tenant, &instance, &change, now).await };
            releases.spawn(Calls::current().scope(release));
        }
        while let Some(released) = releases.join_next().await {
            match released {
                Ok(Ok(_)) => {}
                Ok(Err(fault)) => {
                    tracing::warn!(%fault, "seats of a reservation stay held until it expires");
                }
                // It has been logged by the hook.
                Err(_) => {}
            }
        }
    }
}

/// The claim of a key by an order.
fn claimed_by(mut claim: KeyClaim, order: &OrderId) -> KeyClaim {
    claim.record.order = Some(order.clone());
    claim
}

enum Taken {
    Order(Box<Order>),
    Replayed(Box<Response>),
}
