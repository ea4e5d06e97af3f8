//! A decided checkout on its way: secured, charged, answered.

use crate::load::Facts;
use crate::replay::{Manner, Replay, SentKey};
use crate::{answer, decide, entitled, replay};
use axum::response::Response;
use domain::availability::{Shortage, pieces_left};
use domain::cart::Cart;
use domain::checkout::CheckoutRequest;
use domain::coupon::CouponProblem;
use domain::ledger::LedgerChange;
use domain::order::Order;
use domain::outbox::MAIL_RETRY_SECS;
use domain::time::plus_secs;
use domain::{CouponId, InstanceId, InventoryId, OrderId};
use platform::access::Caller;
use platform::cart::not_enough;
use platform::{ApiError, App, ErrorType};
use sagas::{FreeParts, Outcome, SecureFault, SecureRequest, charge, secure, settlement};
use std::collections::BTreeMap;
use store::checkout::{CartClaim, GuardClaim, KeyClaim};
use store::idempotency::IdempotencyRecord;
use wire::cart::coupon_problem;

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

/// What is to be secured and charged.
pub(crate) struct Sale {
    pub(crate) order: Order,
    pub(crate) cart: Option<CartClaim>,
    pub(crate) guard_hash: Option<String>,
    pub(crate) ledgers: BTreeMap<InstanceId, LedgerChange>,
    pub(crate) surplus: Vec<(InstanceId, LedgerChange)>,
    /// The codes of its coupons.
    pub(crate) codes: BTreeMap<CouponId, String>,
}

/// A decided checkout on its way.
pub(crate) struct Checkout {
    pub(crate) app: App,
    pub(crate) caller: Caller,
    pub(crate) sale: Sale,
    pub(crate) claim: Option<KeyClaim>,
    /// What is sold, and by what it was decided.
    pub(crate) cart: Cart,
    pub(crate) facts: Facts,
}

impl Checkout {
    pub(crate) async fn run(self, request: &CheckoutRequest) -> Result<Response, Halt> {
        let order = match Box::pin(self.secured()).await? {
            Taken::Order(order) => order,
            Taken::Replayed(response) => return Ok(*response),
        };
        let zone = self.caller.tenant.zone;
        let outcome = match &request.card {
            Some(card) if order.payment.is_some() => {
                Box::pin(charge(&self.app, &self.caller, &order, card)).await?
            }
            Some(_) | None => Outcome::Paid(order),
        };
        match outcome {
            Outcome::Paid(order) => {
                self.release_surplus().await;
                Ok(answer::order(&order, zone))
            }
            Outcome::Declined(decline) => Err(answer::declined(&decline).into()),
            Outcome::Undone | Outcome::Undecided => Err(ApiError::new(ErrorType::TryAgain).into()),
        }
    }

    /// Secures the order. A guard or key that turns out not to count any more is claimed again.
    async fn secured(&self) -> Result<Taken, Halt> {
        let (tickets, mails) = match self.sale.order.payment {
            None => settlement(&self.app, &self.sale.order)?,
            Some(_) => (Vec::new(), Vec::new()),
        };
        let free = self.sale.order.payment.is_none().then(|| FreeParts {
            tickets: &tickets,
            mails: &mails,
            mails_due: plus_secs(self.sale.order.created_at, MAIL_RETRY_SECS),
        });
        let mut claim = self.claim.clone();
        let mut released_by = None;
        for _ in 0..MAX_CLAIMS {
            let request = self.secure_request(claim.clone(), released_by.clone(), free);
            match Box::pin(secure(&self.app, request)).await {
                Ok(secured) => {
                    sagas::announce(&self.app, &secured.0, &mails).await;
                    return Ok(Taken::Order(Box::new(secured.0)));
                }
                Err(SecureFault::Duplicate(holder)) => {
                    replay::check_duplicate(&self.app, &self.caller, &holder, Manner::Finishing).await?;
                    released_by = Some(holder);
                }
                Err(SecureFault::IdempotencyHeld(record)) => match self.held(*record).await? {
                    Replay::Answer(response) => return Ok(Taken::Replayed(response)),
                    Replay::GoOn(again) => claim = again.map(|again| *again),
                },
                Err(SecureFault::CartMoved) => return Err(Halt::CartMoved),
                Err(fault) => return Err(self.refused(fault).await.into()),
            }
        }
        Err(ApiError::new(ErrorType::TryAgain).into())
    }

    fn secure_request<'a>(
        &self,
        claim: Option<KeyClaim>,
        released_by: Option<OrderId>,
        free: Option<FreeParts<'a>>,
    ) -> SecureRequest<'a> {
        let key = claim.map(|mut claim| {
            claim.record.order = Some(self.sale.order.id.clone());
            claim
        });
        SecureRequest {
            order: self.sale.order.clone(),
            cart: self.sale.cart.clone(),
            guard: self.sale.guard_hash.clone().map(|hash| GuardClaim { hash, released_by }),
            key,
            ledgers: self.sale.ledgers.clone(),
            free,
        }
    }

    async fn held(&self, record: IdempotencyRecord) -> Result<Replay, ApiError> {
        let key = self.claim.as_ref().map(|claim| SentKey {
            hash: claim.hash.clone(),
            fingerprint: claim.record.fingerprint.clone(),
            earlier_fingerprint: claim.record.fingerprint.clone(),
        });
        replay::look(&self.app, &self.caller, key.as_ref(), Some(record), Manner::Finishing).await
    }

    /// Why nothing could be secured.
    async fn refused(&self, fault: SecureFault) -> ApiError {
        match fault {
            SecureFault::Seats(instance, refusal) => {
                let own = self.sale.order.reservation.as_ref();
                answer::no_seats(&self.caller, &self.cart, own, instance, &refusal)
            }
            SecureFault::Stock(inventory, sold) => self.no_pieces(inventory, sold),
            SecureFault::CouponUsedUp(coupon) => self.used_up(&coupon),
            SecureFault::EntitlementsUsedUp => self.entitlements_used_up().await,
            SecureFault::MembershipMoved(order) => self.membership_moved(order.as_ref()).await,
            SecureFault::Failed(error) => error,
            SecureFault::CartMoved | SecureFault::Duplicate(_) | SecureFault::IdempotencyHeld(_) => {
                ApiError::new(ErrorType::TryAgain)
            }
        }
    }

    /// The last use of a coupon was taken by another order.
    fn used_up(&self, coupon: &CouponId) -> ApiError {
        let error = ApiError::new(ErrorType::CouponUsedUp);
        self.sale.codes.get(coupon).into_iter().fold(error, |error, code| {
            error.detail(decide::code_pointer(&self.cart, code), coupon_problem(CouponProblem::UsedUp))
        })
    }

    /// Another order took what a membership had left. Where it has been given back since, another try may do.
    async fn entitlements_used_up(&self) -> ApiError {
        let checked =
            entitled::check_with_earlier_orders(&self.app, &self.caller, &self.cart, &self.facts).await;
        checked.err().unwrap_or_else(|| ApiError::new(ErrorType::TryAgain))
    }

    /// Another order is renewing or changing a membership of this one, or did so a moment ago. One that was left
    /// half-way is finished first.
    async fn membership_moved(&self, order: Option<&OrderId>) -> ApiError {
        let Some(order) = order else { return ApiError::new(ErrorType::TryAgain) };
        let now = self.caller.clock.now();
        match Box::pin(sagas::outcome_of(&self.app, self.caller.tenant.id, order, now)).await {
            Ok(Some(Outcome::Undecided)) => ApiError::new(ErrorType::RequestInProgress),
            Ok(Some(Outcome::Paid(_) | Outcome::Declined(_) | Outcome::Undone) | None) => {
                ApiError::new(ErrorType::TryAgain)
            }
            Err(error) => error,
        }
    }

    /// Others bought the pieces of an add-on, of which so many are sold by now.
    fn no_pieces(&self, inventory: InventoryId, sold: u32) -> ApiError {
        let stock = self.sale.order.stock.get(&inventory).map_or(0, |pieces| pieces.stock);
        let name = self.facts.inventory.get(&inventory).map(|item| item.name.clone()).unwrap_or_default();
        let available = pieces_left(stock, sold);
        not_enough(&Shortage::Pieces { inventory, name, available }, &self.cart, "/shoppingCart")
    }

    /// Seats the reservation held beyond the order. What cannot be released now is free at its expiry.
    async fn release_surplus(&self) {
        let (tenant, now) = (self.caller.tenant.id, self.caller.clock.now());
        for (instance, change) in &self.sale.surplus {
            if let Err(fault) = self.app.store.change_ledger(tenant, instance, change, now).await {
                tracing::warn!(%fault, "seats of a reservation stay held until it expires");
            }
        }
    }
}

enum Taken {
    Order(Box<Order>),
    Replayed(Box<Response>),
}
