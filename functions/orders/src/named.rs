//! What a text names: an order by its id or its number, or perhaps nothing.

use domain::{OrderId, OrderNumber, TenantId};
use store::{Store, StoreError};

/// What an id or a number in a query names: perhaps nothing, where it can be none.
#[derive(Debug)]
pub(crate) enum Named<T> {
    This(T),
    Nothing,
}

impl<T> Named<T> {
    /// A text that cannot be parsed names nothing, which is no fault.
    pub(crate) fn of<E>(parsed: Result<T, E>) -> Option<Self> {
        Some(parsed.map_or(Self::Nothing, Self::This))
    }
}

/// The order with this number where the text can be one and there is such an order, else the one with this id, which need
/// not be there.
pub(crate) async fn numbered(
    store: &Store,
    tenant: TenantId,
    text: &str,
) -> Result<Option<OrderId>, StoreError> {
    let found = match OrderNumber::printed(text) {
        Some(number) => store.find_order_of_number(tenant, &number).await?,
        None => None,
    };
    Ok(found.or_else(|| OrderId::parse(text).ok()))
}

/// What is loaded of the order with this id, or else of the one with this number. A text that can be either is looked up
/// as both at once.
pub(crate) async fn named_order<T, F: Future<Output = Result<Option<T>, StoreError>>>(
    store: &Store,
    tenant: TenantId,
    text: &str,
    load: impl Fn(OrderId) -> F,
) -> Result<Option<T>, StoreError> {
    let Ok(id) = OrderId::parse(text) else { return Ok(None) };
    let Some(number) = OrderNumber::printed(text) else { return load(id).await };
    let (found, numbered) = tokio::try_join!(load(id), store.find_order_of_number(tenant, &number))?;
    match (found, numbered) {
        (Some(found), _) => Ok(Some(found)),
        (None, Some(id)) => load(id).await,
        (None, None) => Ok(None),
    }
}
