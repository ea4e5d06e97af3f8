//! Writing: one conditional write, or a plan of several in one transaction.

use crate::codec::item_bytes;
use crate::read::failed;
use crate::{Action, Expression, Item, Key, Plan, Refused, Store, StoreError, StoreFault};
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    CancellationReason, ConditionCheck, Delete, Put, ReturnValue as NewItem,
    ReturnValuesOnConditionCheckFailure as OldItem, TransactWriteItem, Update,
};
use futures_core::future::BoxFuture;
use sha2::{Digest, Sha256};
use std::time::Duration;

/// Tries of a write that conflicts with a transaction.
const CONFLICT_TRIES: u32 = 5;
/// Bytes an item may have when it is put: DynamoDB refuses more than 400 KB, and updates add to some.
pub(crate) const MAX_ITEM_BYTES: usize = 380_000;

impl Store {
    /// Carries out a plan: all writes or none. A plan of one write is a plain conditional write, which costs
    /// half and never conflicts. The token names this attempt: repeating the call with the same plan and
    /// token after a lost answer changes nothing twice.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened: throttled, in conflict to the end, unreachable.
    pub async fn commit<R: Clone>(
        &self,
        plan: &Plan<R>,
        token: &str,
    ) -> Result<Result<(), Vec<Refused<R>>>, StoreError> {
        if plan.writes().len() == 1
            && let Some((key, write)) = plan.writes().next()
        {
            let written = self.write(key, write.action.clone()).await?;
            return Ok(written.map_err(|old| vec![Refused { refusal: write.refusal.clone(), old }]));
        }
        let writes = plan.writes().map(|(key, write)| PlannedWrite { key, action: &write.action });
        let done = self.transact(writes.collect(), token).await?;
        let refusals: Vec<&R> = plan.writes().map(|(_, write)| &write.refusal).collect();
        Ok(done.map_err(|failed| {
            let refused = failed.into_iter().filter_map(|FailedCondition { place, old }| {
                Some(Refused { refusal: (*refusals.get(place)?).clone(), old })
            });
            refused.collect()
        }))
    }

    /// Carries writes out in one transaction, or finds the places of those whose conditions did not hold, each with the
    /// item as it was.
    fn transact<'a>(
        &'a self,
        writes: Vec<PlannedWrite<'a>>,
        token: &'a str,
    ) -> BoxFuture<'a, Result<Result<(), Vec<FailedCondition>>, StoreError>> {
        Box::pin(async move {
            for write in &writes {
                check_size(write.action)?;
            }
            let mut stayed = StoreFault::Conflict;
            for attempt in 0..CONFLICT_TRIES {
                let sent = self
                    .client
                    .transact_write_items()
                    .set_transact_items(Some(self.transaction_items(&writes)?))
                    .client_request_token(token)
                    .send()
                    .await;
                let error = match sent {
                    Ok(_) => return Ok(Ok(())),
                    Err(error) => error,
                };
                let reasons = match error.as_service_error() {
                    Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
                        cancelled.cancellation_reasons.clone().unwrap_or_default()
                    }
                    Some(TransactWriteItemsError::TransactionInProgressException(_)) => {
                        // An earlier try of it is on its way, and may happen.
                        stayed = StoreFault::TryAgain;
                        Vec::new()
                    }
                    _ => return Err(failed(error)),
                };
                match verdict(writes.len(), reasons) {
                    Verdict::Refused(failed) => return Ok(Err(failed)),
                    Verdict::Conflict => rest_after(token, attempt).await,
                    Verdict::Fault(kind) => return Err(StoreError::new(kind, error)),
                }
            }
            Err(StoreError::new(stayed, "a transaction stayed in conflict"))
        })
    }

    /// Carries out one conditional write. A conflict with a transaction is tried again; a lost answer is not,
    /// since a second try of what has happened would be refused.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened. The inner error is a condition that did not
    /// hold, with the item as it was.
    pub fn write<'a>(
        &'a self,
        key: &'a Key,
        action: Action,
    ) -> BoxFuture<'a, Result<Result<(), Option<Item>>, StoreError>> {
        Box::pin(async move {
            check_size(&action)?;
            without_conflict(|| token_of((key, &action)), || self.send(key, &action)).await
        })
    }

    /// Carries out one conditional update, like [`Store::write`], and answers the item as it is afterwards.
    ///
    /// # Errors
    /// Those of [`Store::write`].
    pub(crate) fn update_and_return<'a>(
        &'a self,
        key: &'a Key,
        update: &'a Expression,
    ) -> BoxFuture<'a, Result<Result<Item, Option<Item>>, StoreError>> {
        Box::pin(async move {
            let send = || self.update(key, update, NewItem::AllNew);
            let updated = without_conflict(|| token_of((key, update)), send).await?;
            Ok(updated.map(Option::unwrap_or_default))
        })
    }

    async fn send(&self, key: &Key, action: &Action) -> Result<Result<(), Option<Item>>, StoreError> {
        match action {
            Action::Put(item, condition) => self.put(key, item, condition).await,
            Action::Update(update) => {
                let updated = self.update(key, update, NewItem::None).await?;
                Ok(updated.map(|_| ()))
            }
            Action::Delete(condition) => self.delete(key, condition).await,
            Action::Check(_) => {
                Err(StoreError::new(StoreFault::Refused, "a lone condition check writes nothing"))
            }
        }
    }

    async fn put(
        &self,
        key: &Key,
        item: &Item,
        condition: &Expression,
    ) -> Result<Result<(), Option<Item>>, StoreError> {
        let put = self
            .writer
            .put_item()
            .table_name(self.table(key.table))
            .set_item(Some(item.clone()))
            .set_condition_expression(condition.condition_text())
            .set_expression_attribute_names(condition.names())
            .set_expression_attribute_values(condition.values())
            .return_values_on_condition_check_failure(OldItem::AllOld);
        let done = written(put.send().await, |error| {
            let PutItemError::ConditionalCheckFailedException(refused) = error else { return None };
            Some(refused.item.clone())
        });
        Ok(done?.map(|_| ()))
    }

    async fn update(
        &self,
        key: &Key,
        update: &Expression,
        new: NewItem,
    ) -> Result<Result<Option<Item>, Option<Item>>, StoreError> {
        let update = self
            .writer
            .update_item()
            .table_name(self.table(key.table))
            .set_key(Some(key.attributes()))
            .set_update_expression(update.update_text())
            .set_condition_expression(update.condition_text())
            .set_expression_attribute_names(update.names())
            .set_expression_attribute_values(update.values())
            .return_values(new)
            .return_values_on_condition_check_failure(OldItem::AllOld);
        let updated = written(update.send().await, |error| {
            let UpdateItemError::ConditionalCheckFailedException(refused) = error else { return None };
            Some(refused.item.clone())
        });
        Ok(updated?.map(|answer| answer.attributes))
    }

    async fn delete(
        &self,
        key: &Key,
        condition: &Expression,
    ) -> Result<Result<(), Option<Item>>, StoreError> {
        let delete = self
            .writer
            .delete_item()
            .table_name(self.table(key.table))
            .set_key(Some(key.attributes()))
            .set_condition_expression(condition.condition_text())
            .set_expression_attribute_names(condition.names())
            .set_expression_attribute_values(condition.values())
            .return_values_on_condition_check_failure(OldItem::AllOld);
        let done = written(delete.send().await, |error| {
            let DeleteItemError::ConditionalCheckFailedException(refused) = error else { return None };
            Some(refused.item.clone())
        });
        Ok(done?.map(|_| ()))
    }

    /// The writes of a plan as they are sent. They are made again for each try, since few transactions need a second.
    fn transaction_items(&self, writes: &[PlannedWrite<'_>]) -> Result<Vec<TransactWriteItem>, StoreError> {
        writes.iter().map(|write| self.transaction_item(write.key, write.action.clone())).collect()
    }

    fn transaction_item(&self, key: &Key, action: Action) -> Result<TransactWriteItem, StoreError> {
        let table = self.table(key.table);
        let item = TransactWriteItem::builder();
        let item = match action {
            Action::Put(new, condition) => item.put(
                Put::builder()
                    .table_name(table)
                    .set_item(Some(new))
                    .set_condition_expression(condition.condition_text())
                    .set_expression_attribute_names(condition.names())
                    .set_expression_attribute_values(condition.values())
                    .return_values_on_condition_check_failure(OldItem::AllOld)
                    .build()
                    .map_err(unbuildable)?,
            ),
            Action::Update(update) => item.update(
                Update::builder()
                    .table_name(table)
                    .set_key(Some(key.attributes()))
                    .set_update_expression(update.update_text())
                    .set_condition_expression(update.condition_text())
                    .set_expression_attribute_names(update.names())
                    .set_expression_attribute_values(update.values())
                    .return_values_on_condition_check_failure(OldItem::AllOld)
                    .build()
                    .map_err(unbuildable)?,
            ),
            Action::Delete(condition) => item.delete(
                Delete::builder()
                    .table_name(table)
                    .set_key(Some(key.attributes()))
                    .set_condition_expression(condition.condition_text())
                    .set_expression_attribute_names(condition.names())
                    .set_expression_attribute_values(condition.values())
                    .return_values_on_condition_check_failure(OldItem::AllOld)
                    .build()
                    .map_err(unbuildable)?,
            ),
            Action::Check(condition) => item.condition_check(
                ConditionCheck::builder()
                    .table_name(table)
                    .set_key(Some(key.attributes()))
                    .set_condition_expression(condition.condition_text())
                    .set_expression_attribute_names(condition.names())
                    .set_expression_attribute_values(condition.values())
                    .return_values_on_condition_check_failure(OldItem::AllOld)
                    .build()
                    .map_err(unbuildable)?,
            ),
        };
        Ok(item.build())
    }
}

/// A write of a plan, without what its refusal means.
struct PlannedWrite<'a> {
    key: &'a Key,
    action: &'a Action,
}

/// A condition that did not hold.
struct FailedCondition {
    /// The place of its write in the plan.
    place: usize,
    /// The item as it was.
    old: Option<Item>,
}

enum Verdict {
    Refused(Vec<FailedCondition>),
    Conflict,
    Fault(StoreFault),
}

/// What the reasons of a cancelled transaction of so many writes mean, one for each of them. A failed condition outranks
/// the rest: it would fail again. A conflict is tried again; a throttle is never taken for a refusal.
fn verdict(writes: usize, reasons: Vec<CancellationReason>) -> Verdict {
    let mut refused = Vec::new();
    let mut conflict = reasons.is_empty();
    let mut throttled = false;
    let mut invalid = false;
    for (place, reason) in reasons.into_iter().take(writes).enumerate() {
        match reason.code.as_deref() {
            Some("ConditionalCheckFailed") => refused.push(FailedCondition { place, old: reason.item }),
            Some("TransactionConflict") => conflict = true,
            Some("ThrottlingError" | "ProvisionedThroughputExceeded") => throttled = true,
            None | Some("None") => {}
            Some(_) => invalid = true,
        }
    }
    if !refused.is_empty() {
        Verdict::Refused(refused)
    } else if conflict {
        Verdict::Conflict
    } else if throttled || !invalid {
        Verdict::Fault(StoreFault::TryAgain)
    } else {
        Verdict::Fault(StoreFault::Refused)
    }
}

/// What came of a write. `refused` finds the item of a condition that did not hold.
fn written<T, E>(
    sent: Result<T, SdkError<E>>,
    refused: impl FnOnce(&E) -> Option<Option<Item>>,
) -> Result<Result<T, Option<Item>>, StoreError>
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    let error = match sent {
        Ok(answer) => return Ok(Ok(answer)),
        Err(error) => error,
    };
    if let Some(old) = error.as_service_error().and_then(refused) {
        return Ok(Err(old));
    }
    let code = error.as_service_error().and_then(ProvideErrorMetadata::code);
    if code == Some("TransactionConflictException") {
        return Err(StoreError::new(StoreFault::Conflict, error));
    }
    Err(failed(error))
}

/// Refuses to send an item that DynamoDB would refuse for its size, or that would soon grow beyond it.
fn check_size(action: &Action) -> Result<(), StoreError> {
    match action {
        Action::Put(item, _) if item_bytes(item) > MAX_ITEM_BYTES => {
            Err(StoreError::new(StoreFault::TooLarge, "an item is too large"))
        }
        Action::Put(..) | Action::Update(_) | Action::Delete(_) | Action::Check(_) => Ok(()),
    }
}

/// Sends a write until it meets no transaction, for a while. What spreads its tries is made when the first is in conflict,
/// which few are.
async fn without_conflict<T, F>(token: impl Fn() -> String, send: impl Fn() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    for attempt in 0..CONFLICT_TRIES {
        match send().await {
            Err(fault) if fault.kind == StoreFault::Conflict => rest_after(&token(), attempt).await,
            written => return written,
        }
    }
    Err(StoreError::new(StoreFault::Conflict, "a write stayed in conflict"))
}

/// What spreads the tries of a write. Attributes are kept in no order; sorted by letters, the same write has the same
/// token, so that a simulation takes the same course again.
fn token_of(write: impl std::fmt::Debug) -> String {
    let mut letters: Vec<char> = format!("{write:?}").chars().collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

/// Waits before the next try; after the last there is none.
async fn rest_after(token: &str, attempt: u32) {
    if attempt.saturating_add(1) < CONFLICT_TRIES {
        tokio::time::sleep(backoff(token, attempt)).await;
    }
}

/// 12 to 200 ms, doubling, spread by the token so that two losers of one conflict do not meet again.
fn backoff(token: &str, attempt: u32) -> Duration {
    let digest = Sha256::digest(format!("{token}{attempt}"));
    let base = 25_u64 << attempt.min(4);
    let jitter = u64::from(digest[0]).saturating_mul(base) / 256;
    Duration::from_millis((base / 2).saturating_add(jitter / 2))
}

fn unbuildable(fault: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::new(StoreFault::Refused, fault)
}

#[cfg(test)]
mod tests;
