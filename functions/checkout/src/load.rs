//! What a checkout reads: the cart with the idempotency record, then in one batch everything the cart names,
//! consistently, because it is charged for.

use adapters::App;
use adapters::catalog::TenantCatalog;
use domain::cart::Cart;
use domain::catalog::{InventoryItem, PersonType};
use domain::checkout::{BuyerFacts, Contended, Facts, Goods, MerchantsRead, UnpricedCart};
use domain::combo::Combo;
use domain::coupon::{Coupon, CouponReduction, Discount};
use domain::entitlement::Entitlements;
use domain::form::Form;
use domain::ledger::Ledger;
use domain::membership::{Level, Membership};
use domain::merchant::Merchant;
use domain::pricing::PricingCatalog;
use domain::{CartId, CustomerId, DiscountId, FormId, InstanceId, SaleId, Template, TemplateId, TenantId};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::idempotency::{IdempotencyRecord, idempotency_key};
use store::{Consistency, Found, Key, Placed};
use web::ApiError;
use web::access::Caller;
use web::cart::{Existing, Named};

/// What was read of what a cart names.
pub(crate) struct Read {
    pub(crate) goods: Goods,
    pub(crate) existing: Existing,
    /// What is cached of the tenant's definitions.
    pub(crate) catalog: TenantCatalog,
    /// Those of the tenant's merchants that had a rate card a few seconds ago, as they are now.
    merchants: Vec<Merchant>,
    /// The forms that were looked for: those the cached templates name.
    looked_for: BTreeSet<FormId>,
}

/// The cart and the idempotency record, in one round trip. A batch is no snapshot: a cart that became an order
/// beside a record that is not there yet makes the record be read again, since a replay outranks the cart.
pub(crate) async fn cart_and_record(
    app: &App,
    caller: &Caller,
    cart: &CartId,
    key_hash: Option<&str>,
) -> Result<(Option<Cart>, Option<IdempotencyRecord>), ApiError> {
    let tenant = caller.tenant.id;
    let record = key_hash.map(|hash| idempotency_key(tenant, hash));
    let keys = [Some(Cart::place(tenant, cart)), record.clone()].into_iter().flatten();
    let mut found = app.store.get_many(keys, Consistency::Strong).await?;
    let cart: Option<Cart> = found.take_one(tenant, cart)?;
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
/// the cached templates are older than a slot, so that what was just published is sold at once, or than a form they
/// ask, or a combo names another discount than the cached one did.
pub(crate) async fn fresh(
    app: &App,
    caller: &Caller,
    named: &Named,
    key_hash: Option<&str>,
) -> Result<(Read, Option<IdempotencyRecord>), ApiError> {
    let (found, record) = read(app, caller, named, key_hash).await?;
    let Read { goods, existing, looked_for, .. } = &found;
    let is_known = |ledger: &Ledger| goods.templates.iter().any(|template| template.id == ledger.template);
    let mut asked = goods.templates.iter().flat_map(|template| &template.forms);
    let is_discounted = |combo: &Combo| combo.discount().is_none_or(|id| goods.discounts.contains_key(id));
    let is_fresh = existing.ledgers.values().all(is_known)
        && goods.combos.values().all(is_discounted)
        && asked.all(|form| looked_for.contains(form));
    if is_fresh {
        return Ok((found, record));
    }
    app.forget_catalog(caller.tenant.id);
    read(app, caller, named, key_hash).await
}

async fn read(
    app: &App,
    caller: &Caller,
    named: &Named,
    key_hash: Option<&str>,
) -> Result<(Read, Option<IdempotencyRecord>), ApiError> {
    let tenant = caller.tenant.id;
    let (catalog, priced) = tokio::try_join!(app.catalog(tenant), app.priced_merchants(tenant))?;
    let known = catalog.view();
    let owners = known.templates.iter().filter(|template| named.instances.iter().any(|id| template.owns(id)));
    let discounts = discounts_of(named, owners.clone(), known);
    let looked_for: BTreeSet<FormId> = owners.clone().flat_map(|template| template.forms.clone()).collect();
    let owners: BTreeSet<TemplateId> = owners.map(|template| template.id.clone()).collect();
    let record = key_hash.map(|hash| idempotency_key(tenant, hash));
    let keys = named
        .keys(tenant)
        .chain(charged_keys(tenant, named))
        .chain(discounts.iter().map(|id| Discount::place(tenant, id)))
        .chain(owners.iter().map(|id| Template::place(tenant, id)))
        .chain(owners.iter().map(|id| Entitlements::place(tenant, id)))
        .chain(looked_for.iter().map(|id| Form::place(tenant, id)))
        .chain(priced.iter().map(|mid| Merchant::place(tenant, mid)))
        .chain(record.clone());
    let mut found = app.store.get_many(keys, Consistency::Strong).await?;
    // First, because it looks at what the others take.
    let existing = named.take(&mut found, tenant, caller.clock.now())?;
    let mut levels = found.take_all::<Level>(tenant, &named.levels)?;
    for own in existing.memberships.values().flat_map(Membership::levels) {
        let known = catalog.view().levels.get(own).filter(|_| !named.levels.contains(own));
        levels.extend(known.map(|level| (own.clone(), level.clone())));
    }
    let mut goods = Goods {
        templates: Vec::with_capacity(owners.len()),
        person_types: found.take_all::<PersonType>(tenant, &named.ticket_types)?,
        inventory: found.take_all::<InventoryItem>(tenant, &named.inventory)?,
        discounts: found.take_all::<Discount>(tenant, &discounts)?,
        coupons: found.take_all::<Coupon>(tenant, &named.coupons)?,
        combos: found.take_all::<Combo>(tenant, &named.combos)?,
        levels,
        entitlements: found.take_all::<Entitlements>(tenant, &owners)?,
        forms: found.take_all::<Form>(tenant, &looked_for)?,
    };
    for id in &owners {
        goods.templates.extend(found.take_one::<Template>(tenant, id)?);
    }
    let mut merchants = Vec::with_capacity(priced.len());
    for mid in priced.iter() {
        merchants.extend(found.take_one::<Merchant>(tenant, mid)?);
    }
    let record = take_record(&mut found, record.as_ref())?;
    Ok((Read { goods, existing, catalog, merchants, looked_for }, record))
}

/// Adds the ledgers of a reservation that is for none of the slots a cart names, so that it can be seen whether
/// it still holds anything. Rare, hence a round trip of its own.
pub(crate) async fn strange_slots(app: &App, caller: &Caller, mut read: Read) -> Result<Read, ApiError> {
    if let Some(Some(reservation)) = &read.existing.reservation {
        let slots: Vec<InstanceId> = reservation.terms.items.iter().map(|item| item.instance).collect();
        if !slots.iter().any(|slot| read.existing.ledgers.contains_key(slot)) && !slots.is_empty() {
            read.existing.ledgers.extend(app.store.load_slots(caller.tenant.id, slots).await?);
        }
    }
    Ok(read)
}

/// What is charged for is read afresh.
fn charged_keys(tenant: TenantId, named: &Named) -> impl Iterator<Item = Key> {
    let ticket_types = named.ticket_types.iter().map(move |id| PersonType::place(tenant, id));
    let inventory = named.inventory.iter().map(move |id| InventoryItem::place(tenant, id));
    let coupons = named.coupons.iter().map(move |id| Coupon::place(tenant, id));
    let combos = named.combos.iter().map(move |id| Combo::place(tenant, id));
    let levels = named.levels.iter().map(move |id| Level::place(tenant, id));
    ticket_types.chain(inventory).chain(coupons).chain(combos).chain(levels)
}

/// The discounts that coupons, combos and member prices refer to.
fn discounts_of<'a>(
    named: &Named,
    templates: impl Iterator<Item = &'a Template>,
    known: PricingCatalog<'_>,
) -> BTreeSet<DiscountId> {
    let members = templates
        .filter(|_| named.claims_benefits())
        .flat_map(|template| template.membership.discounts.iter().map(|terms| terms.discount.clone()));
    let coupons = named.coupons.iter().filter_map(|id| match &known.coupons.get(id)?.reduction {
        CouponReduction::Discount(id) => Some(id.clone()),
        CouponReduction::Same(_) => None,
    });
    let combos = named.combos.iter().filter_map(|id| known.combos.get(id)?.discount().cloned());
    members.chain(coupons).chain(combos).collect()
}

impl Read {
    /// The facts of a checkout: what was read, with the customer that its payer is and the sale that a charge becomes.
    pub(crate) fn into_facts(
        self,
        caller: &Caller,
        cart: UnpricedCart,
        payer: Option<CustomerId>,
        sale: SaleId,
    ) -> Facts {
        let Self { goods, existing, merchants, catalog: _, looked_for: _ } = self;
        let context = existing.pricing_context(caller);
        let (channel, used_up) = (context.channel, context.used_up.clone());
        let named = cart.terms.membership_ids.iter().copied();
        let context = BuyerFacts {
            buyer: existing.buyer().clone(),
            numbers: existing.numbers().clone(),
            lapsed: named.filter(|sent| !existing.gives(*sent)).collect(),
            used_up,
            givers: existing.givers(caller),
            payer,
            unknown: existing.unknown().to_vec(),
            memberships: existing.memberships,
        };
        Facts {
            tenant: Arc::clone(&caller.tenant),
            channel,
            operator: caller.operator().map(str::to_owned),
            chosen_clock: caller.clock.is_chosen(),
            sale,
            cart,
            goods,
            context,
            ledgers: existing.ledgers,
            reservation: existing.reservation,
            merchants: MerchantsRead::Priced(merchants),
            token: None,
            contended: Contended::default(),
        }
    }
}
