//! Carts in DynamoDB. A cart is one item; every write of it is conditional on the version it was decided on.

use crate::{
    Action, AttributeValue, Consistency, Expression, Item, Key, Store, StoreError, decode, encode, number,
    text,
};
use domain::cart::{Cart, CartLease};
use domain::{CartId, TenantId, Timestamp};

/// How long the item of a cart stays after its last write, in seconds of real time: a day longer than the
/// cart lives. Whether a cart is live is never read from it.
const RETENTION_SECS: i64 = 172_800;

/// Where a cart says which checkout leases it.
const LEASE_BY: [&str; 2] = ["still", "by"];

/// The outcome of a conditional write of a cart; the error is the cart as it is, none if there is none.
pub type CartWritten = Result<(), Option<Cart>>;

impl Store {
    /// A cart, whether it is live or not.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_cart(&self, tenant: TenantId, id: &CartId) -> Result<Option<Cart>, StoreError> {
        self.get(&Key::cart(tenant, id), Consistency::Strong).await
    }

    /// Puts a new cart, unless a live one has its id; `now` is the request's clock, `wall_now` real time.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn create_cart(
        &self,
        tenant: TenantId,
        cart: &Cart,
        now: Timestamp,
        wall_now: Timestamp,
    ) -> Result<CartWritten, StoreError> {
        let mut condition = Expression::new();
        let pk = condition.path(&["pk"]);
        let (expiry, now) = (condition.path(&["expires_at"]), condition.number(now.timestamp_millis()));
        condition.require(format!("(attribute_not_exists({pk}) OR {expiry} <= {now})"));
        let item = cart_item(tenant, cart, wall_now)?;
        written(self.write(&Key::cart(tenant, &cart.id), Action::Put(item, condition)).await?)
    }

    /// Puts the next version of a cart, if it is still as it was when that was decided on.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn replace_cart(
        &self,
        tenant: TenantId,
        before: &Cart,
        after: &Cart,
        wall_now: Timestamp,
    ) -> Result<CartWritten, StoreError> {
        let item = cart_item(tenant, after, wall_now)?;
        let condition = unchanged(before);
        written(self.write(&Key::cart(tenant, &after.id), Action::Put(item, condition)).await?)
    }

    /// Deletes a cart, if it is still as it was when that was decided on.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn delete_cart(&self, tenant: TenantId, before: &Cart) -> Result<CartWritten, StoreError> {
        let condition = unchanged(before);
        written(self.write(&Key::cart(tenant, &before.id), Action::Delete(condition)).await?)
    }
}

impl Store {
    /// Leases a cart for a checkout; false where another one does, or there is no such cart.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn lease_cart(
        &self,
        cart: &Key,
        lease: &CartLease,
        wall_now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut update = Expression::new();
        update.require_item();
        let (by, until) = (update.path(&LEASE_BY), update.path(&["still", "until"]));
        let (own, now) = (update.text(&lease.by), update.number(wall_now.timestamp_millis()));
        update.require(format!("(attribute_not_exists({by}) OR {by} = {own} OR {until} <= {now})"));
        update.assign("still", serde_dynamo::to_attribute_value(lease).map_err(StoreError::corrupt)?);
        Ok(self.write(cart, Action::Update(update)).await?.is_ok())
    }

    /// Ends the lease of a cart.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn end_cart_lease(&self, cart: &Key, lease: &CartLease) -> Result<(), StoreError> {
        let mut update = Expression::new();
        let (by, own) = (update.path(&LEASE_BY), update.text(&lease.by));
        update.require(format!("{by} = {own}"));
        update.remove(&["still"]);
        self.write(cart, Action::Update(update)).await.map(|_| ())
    }
}

/// The item of a cart, with its time to live in real time.
///
/// # Errors
/// [`StoreError`] when it has no representation.
pub fn cart_item(tenant: TenantId, cart: &Cart, wall_now: Timestamp) -> Result<Item, StoreError> {
    let mut item = encode(&Key::cart(tenant, &cart.id), cart)?;
    item.insert("ttl".to_owned(), number(wall_now.timestamp().saturating_add(RETENTION_SECS)));
    Ok(item)
}

/// Requires that a cart is the version it was when a write was decided on, and neither checked out nor leased
/// since.
#[must_use]
pub fn unchanged(before: &Cart) -> Expression {
    let mut condition = Expression::new();
    condition.require_equal("version", AttributeValue::N(before.version.to_string()));
    match &before.order {
        Some(order) => condition.require_equal("order", text(order.as_str())),
        None => {
            let order = condition.path(&["order"]);
            condition.require(format!("attribute_not_exists({order})"));
        }
    }
    let by = condition.path(&LEASE_BY);
    let same = match &before.lease {
        Some(CartLease { by: known, until: _ }) => {
            let known = condition.text(known);
            format!("{by} = {known}")
        }
        None => format!("attribute_not_exists({by})"),
    };
    condition.require(same);
    condition
}

fn written(outcome: Result<(), Option<Item>>) -> Result<CartWritten, StoreError> {
    match outcome {
        Ok(()) => Ok(Ok(())),
        Err(old) => old.map(decode).transpose().map(Err),
    }
}
