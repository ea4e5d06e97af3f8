//! What a checkout reads: the cart with the idempotency record, then in one batch everything the cart names,
//! consistently, because it is charged for.

use domain::cart::Cart;
use domain::cart_request::{CartRequest, Wanted};
use domain::ledger::Ledger;
use domain::reservation::Reservation;
use domain::{CartId, CustomerId, InstanceId, InventoryId, ReservationId, Template, TenantId};
use platform::access::Caller;
use platform::{ApiError, App};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::catalog::Definitions;
use store::idempotency::IdempotencyRecord;
use store::{Consistency, Found, Key};

/// What a cart names.
#[derive(Debug, Default)]
pub(crate) struct Named {
    instances: BTreeSet<InstanceId>,
    inventory: BTreeSet<InventoryId>,
    reservation: Option<ReservationId>,
    customer: Option<CustomerId>,
}

impl Named {
    /// What a request for a cart names.
    pub(crate) fn in_request(request: &CartRequest, reservation: Option<ReservationId>) -> Self {
        let mut named = Self {
            instances: request.instances(),
            reservation: reservation.or(request.terms.reservation),
            customer: request.terms.customer,
            inventory: BTreeSet::new(),
        };
        for line in &request.lines {
            named.note(&line.wanted);
        }
        named
    }

    /// What a stored cart names.
    pub(crate) fn in_cart(cart: &Cart, reservation: Option<ReservationId>) -> Self {
        let mut named = Self {
            reservation: reservation.or(cart.reservation),
            customer: cart.customer,
            ..Self::default()
        };
        for line in cart.requests() {
            named.instances.extend(line.wanted.instance());
            named.note(&line.wanted);
        }
        named
    }

    fn note(&mut self, wanted: &Wanted) {
        match wanted {
            Wanted::Ticket(_) => {}
            Wanted::AddOn(add_on) => {
                self.inventory.insert(add_on.inventory);
            }
            Wanted::Donation(donation) => {
                self.inventory.insert(donation.inventory);
            }
        }
    }
}

/// The facts a checkout decides on.
pub(crate) struct Facts {
    pub(crate) templates: Vec<Template>,
    pub(crate) definitions: Definitions,
    pub(crate) ledgers: BTreeMap<InstanceId, Ledger>,
    /// The reservation asked for; the inner option is empty when there is no such reservation.
    pub(crate) reservation: Option<Option<Reservation>>,
    /// False when the cart names a customer that does not exist.
    pub(crate) customer_known: bool,
}

/// The cart and the idempotency record, in one round trip. A batch is no snapshot: a cart that became an order
/// beside a record that is not there yet makes the record be read again, since a replay outranks the cart.
pub(crate) async fn cart_and_record(
    app: &App,
    caller: &Caller,
    (cart, key_hash): (&CartId, Option<&str>),
) -> Result<(Option<Cart>, Option<IdempotencyRecord>), ApiError> {
    let tenant = caller.tenant.id;
    let (cart, record) = (Key::cart(tenant, cart), key_hash.map(|hash| Key::idempotency(tenant, hash)));
    let keys = [Some(cart.clone()), record.clone()].into_iter().flatten();
    let mut found = app.store.get_many(keys, Consistency::Strong).await?;
    let cart: Option<Cart> = found.take(&cart)?;
    let mut held = take_record(&mut found, record.as_ref())?;
    if held.is_none()
        && let (Some(_), Some(hash)) = (cart.as_ref().and_then(|cart| cart.order.as_ref()), key_hash)
    {
        held = app.store.load_idempotency(tenant, hash).await?;
    }
    Ok((cart, held))
}

fn take_record(found: &mut Found, key: Option<&Key>) -> Result<Option<IdempotencyRecord>, ApiError> {
    Ok(key.map(|key| found.take(key)).transpose()?.flatten())
}

/// Everything a cart names, and for a cart within the request the idempotency record too. Read once more where
/// the cached templates are older than a slot, so that what was just published is sold at once.
pub(crate) async fn facts(
    app: &App,
    caller: &Caller,
    (named, key_hash): (&Named, Option<&str>),
) -> Result<(Facts, Option<IdempotencyRecord>), ApiError> {
    let (facts, record) = read(app, caller, (named, key_hash)).await?;
    let is_known = |ledger: &Ledger| facts.templates.iter().any(|template| template.id == ledger.template);
    if facts.ledgers.values().all(is_known) {
        return Ok((facts, record));
    }
    app.forget_catalog(caller.tenant.id).await;
    read(app, caller, (named, key_hash)).await
}

async fn read(
    app: &App,
    caller: &Caller,
    (named, key_hash): (&Named, Option<&str>),
) -> Result<(Facts, Option<IdempotencyRecord>), ApiError> {
    let tenant = caller.tenant.id;
    let (known, definitions) = tokio::try_join!(app.templates(tenant), app.definitions(tenant))?;
    let owners = known.iter().filter(|template| named.instances.iter().any(|id| template.owns(id)));
    let owners: Vec<_> = owners.map(|template| template.id.clone()).collect();
    let record = key_hash.map(|hash| Key::idempotency(tenant, hash));
    let keys =
        keys(tenant, named).chain(owners.iter().map(|id| Key::template(tenant, id))).chain(record.clone());
    let mut found = app.store.get_many(keys, Consistency::Strong).await?;
    let mut templates = Vec::with_capacity(owners.len());
    for id in &owners {
        templates.extend(found.take::<Template>(&Key::template(tenant, id))?);
    }
    let mut ledgers = BTreeMap::new();
    for id in &named.instances {
        if let Some(ledger) = found.take::<Ledger>(&Key::ledger(tenant, id, 0))? {
            ledgers.insert(*id, ledger);
        }
    }
    let reservation = named.reservation.map(|id| found.take(&Key::reservation(tenant, id))).transpose()?;
    let customer = named.customer.map(|id| found.take_item(&Key::customer(tenant, id)));
    let facts = Facts {
        templates,
        definitions: fresh_definitions(&mut found, (tenant, named), &definitions)?,
        ledgers,
        reservation,
        customer_known: customer.is_none_or(|found| found.is_some()),
    };
    Ok((facts, take_record(&mut found, record.as_ref())?))
}

/// Adds the ledgers of a reservation that is for none of the slots a cart names, so that it can be seen whether
/// it still holds anything. Rare, hence a round trip of its own.
pub(crate) async fn strange_slots(app: &App, caller: &Caller, mut facts: Facts) -> Result<Facts, ApiError> {
    if let Some(Some(reservation)) = &facts.reservation {
        let slots: Vec<InstanceId> = reservation.terms.items.iter().map(|item| item.instance).collect();
        if !slots.iter().any(|slot| facts.ledgers.contains_key(slot)) && !slots.is_empty() {
            facts.ledgers.extend(app.store.load_slots(caller.tenant.id, slots).await?);
        }
    }
    Ok(facts)
}

fn keys(tenant: TenantId, named: &Named) -> impl Iterator<Item = Key> {
    let ledgers = named.instances.iter().map(move |id| Key::ledger(tenant, id, 0));
    let inventory = named.inventory.iter().map(move |id| Key::inventory(tenant, *id));
    let reservation = named.reservation.map(|id| Key::reservation(tenant, id));
    let customer = named.customer.map(|id| Key::customer(tenant, id));
    ledgers.chain(inventory).chain(reservation).chain(customer)
}

/// The cached definitions, with what is charged for read afresh.
fn fresh_definitions(
    found: &mut Found,
    (tenant, named): (TenantId, &Named),
    cached: &Arc<Definitions>,
) -> Result<Definitions, ApiError> {
    let mut definitions = Definitions::clone(cached);
    for id in &named.inventory {
        match found.take(&Key::inventory(tenant, *id))? {
            Some(item) => definitions.inventory.insert(*id, item),
            None => definitions.inventory.remove(id),
        };
    }
    Ok(definitions)
}
