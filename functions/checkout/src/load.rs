//! What a checkout reads: the cart with the idempotency record, then in one batch everything the cart names,
//! consistently, because it is charged for.

use domain::cart::{AskedForms, Cart};
use domain::catalog::{InventoryItem, PersonType};
use domain::combo::Combo;
use domain::coupon::{Coupon, CouponReduction, Discount};
use domain::entitlement::Entitlements;
use domain::form::Form;
use domain::ledger::Ledger;
use domain::membership::{Level, Membership};
use domain::merchant::Merchant;
use domain::pricing::Catalog;
use domain::{
    CartId, ComboTemplateId, CouponId, DiscountId, FormId, InstanceId, InventoryId, LevelId, Template,
    TemplateId, TenantId, TicketTypeId,
};
use platform::access::Caller;
use platform::cart::{Existing, Named};
use platform::{ApiError, App};
use std::collections::{BTreeMap, BTreeSet};
use store::idempotency::IdempotencyRecord;
use store::{Consistency, Found, Key};

/// The facts a checkout decides on: of everything, no more than the cart names.
pub(crate) struct Facts {
    pub(crate) templates: Vec<Template>,
    pub(crate) person_types: BTreeMap<TicketTypeId, PersonType>,
    pub(crate) inventory: BTreeMap<InventoryId, InventoryItem>,
    pub(crate) discounts: BTreeMap<DiscountId, Discount>,
    pub(crate) coupons: BTreeMap<CouponId, Coupon>,
    pub(crate) combos: BTreeMap<ComboTemplateId, Combo>,
    pub(crate) levels: BTreeMap<LevelId, Level>,
    pub(crate) entitlements: BTreeMap<TemplateId, Entitlements>,
    /// Those of the tenant's merchants that had a rate card a few seconds ago, as they are now.
    pub(crate) merchants: Vec<Merchant>,
    pub(crate) forms: BTreeMap<FormId, Form>,
    /// The forms that were looked for: those the cached templates name.
    looked_for: BTreeSet<FormId>,
    pub(crate) existing: Existing,
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
/// the cached templates are older than a slot, so that what was just published is sold at once, or than a form they
/// ask, or a combo names another discount than the cached one did.
pub(crate) async fn facts(
    app: &App,
    caller: &Caller,
    named: &Named,
    key_hash: Option<&str>,
) -> Result<(Facts, Option<IdempotencyRecord>), ApiError> {
    let (facts, record) = read(app, caller, named, key_hash).await?;
    let is_known = |ledger: &Ledger| facts.templates.iter().any(|template| template.id == ledger.template);
    let mut asked = facts.templates.iter().flat_map(|template| &template.forms);
    let is_discounted = |combo: &Combo| combo.discount().is_none_or(|id| facts.discounts.contains_key(id));
    let is_fresh = facts.existing.ledgers.values().all(is_known)
        && facts.combos.values().all(is_discounted)
        && asked.all(|form| facts.looked_for.contains(form));
    if is_fresh {
        return Ok((facts, record));
    }
    app.forget_catalog(caller.tenant.id);
    read(app, caller, named, key_hash).await
}

async fn read(
    app: &App,
    caller: &Caller,
    named: &Named,
    key_hash: Option<&str>,
) -> Result<(Facts, Option<IdempotencyRecord>), ApiError> {
    let tenant = caller.tenant.id;
    let (catalog, priced) = tokio::try_join!(app.catalog(tenant), app.priced_merchants(tenant))?;
    let known = catalog.view();
    let owners = known.templates.iter().filter(|template| named.instances.iter().any(|id| template.owns(id)));
    let discounts = discounts_of(named, owners.clone(), known);
    let looked_for: BTreeSet<FormId> = owners.clone().flat_map(|template| template.forms.clone()).collect();
    let owners: BTreeSet<TemplateId> = owners.map(|template| template.id.clone()).collect();
    let record = key_hash.map(|hash| Key::idempotency(tenant, hash));
    let keys = named
        .keys(tenant)
        .chain(charged_keys(tenant, named))
        .chain(discounts.iter().map(|id| Key::discount(tenant, id)))
        .chain(owners.iter().map(|id| Key::template(tenant, id)))
        .chain(owners.iter().map(|id| Key::entitlements(tenant, id)))
        .chain(looked_for.iter().map(|id| Key::form(tenant, id)))
        .chain(priced.iter().map(|mid| Key::merchant(tenant, mid)))
        .chain(record.clone());
    let mut found = app.store.get_many(keys, Consistency::Strong).await?;
    // First, because it looks at what the others take.
    let existing = named.take(&mut found, tenant, caller.clock.now())?;
    let mut levels: BTreeMap<LevelId, Level> = found.take_all(&named.levels, |id| Key::level(tenant, id))?;
    for own in existing.memberships.values().flat_map(Membership::levels) {
        let known = catalog.view().levels.get(own).filter(|_| !named.levels.contains(own));
        levels.extend(known.map(|level| (own.clone(), level.clone())));
    }
    let mut facts = Facts {
        templates: Vec::with_capacity(owners.len()),
        person_types: found.take_all(&named.ticket_types, |id| Key::person_type(tenant, id))?,
        inventory: found.take_all(&named.inventory, |id| Key::inventory(tenant, *id))?,
        discounts: found.take_all(&discounts, |id| Key::discount(tenant, id))?,
        coupons: found.take_all(&named.coupons, |id| Key::coupon(tenant, id))?,
        combos: found.take_all(&named.combos, |id| Key::combo(tenant, id))?,
        levels,
        entitlements: found.take_all(&owners, |id| Key::entitlements(tenant, id))?,
        merchants: Vec::with_capacity(priced.len()),
        forms: found.take_all(&looked_for, |id| Key::form(tenant, id))?,
        looked_for,
        existing,
    };
    for id in &owners {
        facts.templates.extend(found.take::<Template>(&Key::template(tenant, id))?);
    }
    for mid in priced.iter() {
        facts.merchants.extend(found.take::<Merchant>(&Key::merchant(tenant, mid))?);
    }
    Ok((facts, take_record(&mut found, record.as_ref())?))
}

/// Adds the ledgers of a reservation that is for none of the slots a cart names, so that it can be seen whether
/// it still holds anything. Rare, hence a round trip of its own.
pub(crate) async fn strange_slots(app: &App, caller: &Caller, mut facts: Facts) -> Result<Facts, ApiError> {
    if let Some(Some(reservation)) = &facts.existing.reservation {
        let slots: Vec<InstanceId> = reservation.terms.items.iter().map(|item| item.instance).collect();
        if !slots.iter().any(|slot| facts.existing.ledgers.contains_key(slot)) && !slots.is_empty() {
            facts.existing.ledgers.extend(app.store.load_slots(caller.tenant.id, slots).await?);
        }
    }
    Ok(facts)
}

/// What is charged for is read afresh.
fn charged_keys(tenant: TenantId, named: &Named) -> impl Iterator<Item = Key> {
    let ticket_types = named.ticket_types.iter().map(move |id| Key::person_type(tenant, id));
    let inventory = named.inventory.iter().map(move |id| Key::inventory(tenant, *id));
    let coupons = named.coupons.iter().map(move |id| Key::coupon(tenant, id));
    let combos = named.combos.iter().map(move |id| Key::combo(tenant, id));
    let levels = named.levels.iter().map(move |id| Key::level(tenant, id));
    ticket_types.chain(inventory).chain(coupons).chain(combos).chain(levels)
}

/// The discounts that coupons, combos and member prices refer to.
fn discounts_of<'a>(
    named: &Named,
    templates: impl Iterator<Item = &'a Template>,
    known: Catalog<'_>,
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

impl Facts {
    /// What the cart's events ask of their visitors.
    pub(crate) fn asked(&self) -> AskedForms<'_> {
        AskedForms { templates: &self.templates, forms: &self.forms }
    }

    /// The merchants to charge through. Where none of those that are known to have a rate card charges, all are read,
    /// so that one that got its own a moment ago sells at once, and that a refusal says what is missing.
    pub(crate) async fn merchants(&self, app: &App, tenant: TenantId) -> Result<Vec<Merchant>, ApiError> {
        if self.merchants.iter().any(|merchant| merchant.charging().is_some()) {
            return Ok(self.merchants.clone());
        }
        Ok(app.store.load_merchants(tenant, Consistency::Strong).await?)
    }
}
