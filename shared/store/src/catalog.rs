//! Templates and the small definitions of a tenant's catalog.

use crate::authored::{Authored, CHANGE_TRIES, ChangeRefusal, Taken, revision_of};
use crate::{
    Action, AttributeValue, Calls, Consistency, Expression, Item, Key, SortKeys, Store, StoreError,
    StoreFault, Table, decode, definitions_partition, encode, number, revise, sort_key, templates_partition,
};
use domain::catalog::{InventoryItem, PersonType, Template};
use domain::combo::Combo;
use domain::coupon::{Coupon, Discount};
use domain::entitlement::Entitlements;
use domain::form::Form;
use domain::membership::Level;
use domain::slot_edit::SlotReach;
use domain::{
    ComboTemplateId, CouponId, DiscountId, FormId, InventoryId, LevelId, TemplateId, TenantId, TicketTypeId,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow::{Break, Continue};

/// A kind of small definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Ticket types.
    PersonType,
    /// Add-ons and donations.
    Inventory,
    Discount,
    Coupon,
    Combo,
    Form,
    /// Membership levels with their offerings.
    Level,
    /// Entitlement rules and ticket limits of templates.
    Entitlements,
    /// How far slots of templates lie from where their schedules put them.
    Reach,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::PersonType,
        Self::Inventory,
        Self::Discount,
        Self::Coupon,
        Self::Combo,
        Self::Form,
        Self::Level,
        Self::Entitlements,
        Self::Reach,
    ];

    /// How its keys begin.
    const fn start(self) -> &'static str {
        match self {
            Self::PersonType => "PERSONTYPE#",
            Self::Inventory => "INVENTORY#",
            Self::Discount => "DISCOUNT#",
            Self::Coupon => "COUPON#",
            Self::Combo => "COMBO#",
            Self::Form => "FORM#",
            Self::Level => "LEVEL#",
            Self::Entitlements => "ENTITLEMENTS#",
            Self::Reach => "REACH#",
        }
    }

    /// The kind of an item; none for a mark that reserves something.
    fn of(item: &Item) -> Option<Self> {
        let place = sort_key(item)?;
        Self::ALL.into_iter().find(|kind| place.starts_with(kind.start()))
    }

    /// Whether the venue wrote it: a reach follows from what it wrote.
    const fn is_authored(self) -> bool {
        match self {
            Self::PersonType
            | Self::Inventory
            | Self::Discount
            | Self::Coupon
            | Self::Combo
            | Self::Form
            | Self::Level
            | Self::Entitlements => true,
            Self::Reach => false,
        }
    }
}

/// The small definitions of a tenant, read together.
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    pub person_types: BTreeMap<TicketTypeId, PersonType>,
    /// Add-ons and donations.
    pub inventory: BTreeMap<InventoryId, InventoryItem>,
    pub discounts: BTreeMap<DiscountId, Discount>,
    pub coupons: BTreeMap<CouponId, Coupon>,
    pub combos: BTreeMap<ComboTemplateId, Combo>,
    pub forms: BTreeMap<FormId, Form>,
    /// Membership levels with their offerings.
    pub levels: BTreeMap<LevelId, Level>,
    /// Entitlement rules and ticket limits of the templates that have any.
    pub entitlements: BTreeMap<TemplateId, Entitlements>,
    /// How far slots of templates lie from where their schedules put them; only of those where some do.
    pub reaches: BTreeMap<TemplateId, SlotReach>,
}

impl Definitions {
    fn take(&mut self, items: Vec<Item>) -> Result<(), StoreError> {
        for item in items {
            let Some(kind) = Kind::of(&item) else { continue };
            match kind {
                Kind::PersonType => {
                    let person_type: PersonType = decode(item)?;
                    self.person_types.insert(person_type.id.clone(), person_type);
                }
                Kind::Inventory => {
                    let entry: InventoryItem = decode(item)?;
                    self.inventory.insert(entry.id, entry);
                }
                Kind::Discount => {
                    let discount: Discount = decode(item)?;
                    self.discounts.insert(discount.id.clone(), discount);
                }
                Kind::Coupon => {
                    let coupon: Coupon = decode(item)?;
                    self.coupons.insert(coupon.id.clone(), coupon);
                }
                Kind::Combo => {
                    let combo: Combo = decode(item)?;
                    self.combos.insert(combo.id.clone(), combo);
                }
                Kind::Form => {
                    let form: Form = decode(item)?;
                    self.forms.insert(form.id.clone(), form);
                }
                Kind::Level => {
                    let level: Level = decode(item)?;
                    self.levels.insert(level.id.clone(), level);
                }
                Kind::Entitlements => {
                    let entitlements: Entitlements = decode(item)?;
                    self.entitlements.insert(entitlements.template.clone(), entitlements);
                }
                Kind::Reach => {
                    let reach: SlotReach = decode(item)?;
                    self.reaches.insert(reach.template.clone(), reach);
                }
            }
        }
        Ok(())
    }
}

/// What storing a record came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Saved {
    /// It is new.
    Created,
    /// It differs from what was there.
    Updated,
    /// It was there just so.
    Unchanged,
}

impl Store {
    /// All templates of a tenant, drafts included.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_templates(
        &self,
        tenant: TenantId,
        consistency: Consistency,
    ) -> Result<Vec<Template>, StoreError> {
        let partition = templates_partition(tenant);
        let items = self.query_all(Table::Catalog, &partition, SortKeys::All, consistency).await?;
        items.into_iter().map(decode).collect()
    }

    /// The small definitions of a tenant.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_definitions(
        &self,
        tenant: TenantId,
        consistency: Consistency,
    ) -> Result<Definitions, StoreError> {
        let partition = definitions_partition(tenant);
        let items = self.query_all(Table::Catalog, &partition, SortKeys::All, consistency).await?;
        let mut definitions = Definitions::default();
        definitions.take(items)?;
        Ok(definitions)
    }

    /// The small definitions of these kinds of a tenant, read at once.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_definitions_of(
        &self,
        tenant: TenantId,
        kinds: &[Kind],
        consistency: Consistency,
    ) -> Result<Definitions, StoreError> {
        let mut definitions = Definitions::default();
        let mut queries = tokio::task::JoinSet::new();
        for kind in kinds.iter().copied() {
            let (store, calls) = (self.clone(), Calls::current());
            queries.spawn(calls.scope(async move { store.load_kind(tenant, kind, consistency).await }));
        }
        while let Some(items) = queries.join_next().await {
            definitions.take(items.map_err(|fault| StoreError::new(StoreFault::TryAgain, fault))??)?;
        }
        Ok(definitions)
    }

    async fn load_kind(
        &self,
        tenant: TenantId,
        kind: Kind,
        consistency: Consistency,
    ) -> Result<Vec<Item>, StoreError> {
        // A tilde comes after every character of an id.
        let (from, until) = (kind.start(), format!("{}~", kind.start()));
        let place = definitions_partition(tenant);
        let sort_keys = SortKeys::Between(from, &until);
        self.query_all(Table::Catalog, &place, sort_keys, consistency).await
    }

    /// Where the small definitions lie that a venue wrote.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_definition_places(&self, tenant: TenantId) -> Result<BTreeSet<Key>, StoreError> {
        let partition = definitions_partition(tenant);
        let items = self.query_all(Table::Catalog, &partition, SortKeys::All, Consistency::Strong).await?;
        let authored = items.into_iter().filter(|item| Kind::of(item).is_some_and(Kind::is_authored));
        Ok(authored.filter_map(|item| Some(Key::taken_from(Table::Catalog, item)?.0)).collect())
    }

    /// Where the event templates of a venue lie.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_template_places(&self, tenant: TenantId) -> Result<BTreeSet<Key>, StoreError> {
        let partition = templates_partition(tenant);
        let items = self.query_all(Table::Catalog, &partition, SortKeys::All, Consistency::Strong).await?;
        Ok(items.into_iter().filter_map(|item| Some(Key::taken_from(Table::Catalog, item)?.0)).collect())
    }

    /// Makes listings look at least so far around for the slots of a template.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn widen_reach(&self, tenant: TenantId, wanted: &SlotReach) -> Result<(), StoreError> {
        let key = Key::slot_reach(tenant, &wanted.template);
        let key = &key;
        let exhausted =
            |()| StoreError::new(StoreFault::TryAgain, "the reach of a template's slots kept changing");
        revise(CHANGE_TRIES, (), exhausted, |()| async move {
            let before: Option<SlotReach> = self.get(key, Consistency::Strong).await?;
            let next = before.as_ref().map_or_else(|| wanted.clone(), |before| before.and(wanted));
            if before.as_ref() == Some(&next) {
                return Ok(Break(()));
            }
            let put = Action::Put(encode(key, &next)?, reach_as_read(before.as_ref()));
            Ok(if self.write(key, put).await?.is_ok() { Break(()) } else { Continue(()) })
        })
        .await
    }

    /// Stores a template as it is.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_template(&self, tenant: TenantId, template: &Template) -> Result<Saved, StoreError> {
        self.save_unreserved(tenant, template).await
    }

    /// Stores a ticket type as it is.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_person_type(
        &self,
        tenant: TenantId,
        person_type: &PersonType,
    ) -> Result<Saved, StoreError> {
        self.save_unreserved(tenant, person_type).await
    }

    /// Stores an add-on or donation as it is.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_inventory(&self, tenant: TenantId, entry: &InventoryItem) -> Result<Saved, StoreError> {
        self.save_unreserved(tenant, entry).await
    }

    /// Stores a discount as it is.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_discount(&self, tenant: TenantId, discount: &Discount) -> Result<Saved, StoreError> {
        self.save_unreserved(tenant, discount).await
    }

    /// Stores a coupon as it is, unless another one has its code. The token, of at most 24 characters, names
    /// this attempt.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer. The inner error: another coupon has its code.
    pub async fn save_coupon(
        &self,
        tenant: TenantId,
        token: &str,
        coupon: &Coupon,
    ) -> Result<Result<Saved, Taken>, StoreError> {
        self.save_authored(tenant, token, coupon).await
    }

    /// Stores a combo as it is.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_combo(&self, tenant: TenantId, combo: &Combo) -> Result<Saved, StoreError> {
        self.save_unreserved(tenant, combo).await
    }

    /// Stores a form as it is.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_form(&self, tenant: TenantId, form: &Form) -> Result<Saved, StoreError> {
        self.save_unreserved(tenant, form).await
    }

    /// Stores a membership level with its offerings as it is.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_level(&self, tenant: TenantId, level: &Level) -> Result<Saved, StoreError> {
        self.save_unreserved(tenant, level).await
    }

    /// Stores the entitlement rules and ticket limits of a template as they are. The token, of at most 24
    /// characters, names this attempt.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer, or the template is not there.
    pub async fn save_entitlements(
        &self,
        tenant: TenantId,
        token: &str,
        entitlements: &Entitlements,
    ) -> Result<Saved, StoreError> {
        let saved = self.save_authored(tenant, token, entitlements).await?;
        saved.map_err(|Taken| StoreError::corrupt("a record that reserves nothing was refused its place"))
    }

    /// Stores a record, unless it is there just so.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save<T: Serialize>(&self, key: &Key, value: &T) -> Result<Saved, StoreError> {
        let item = encode(key, value)?;
        let before = self.get_item(key, Consistency::Strong).await?;
        if before.as_ref() == Some(&item) {
            return Ok(Saved::Unchanged);
        }
        let _ = self.write(key, Action::Put(item, Expression::new())).await?;
        Ok(if before.is_some() { Saved::Updated } else { Saved::Created })
    }

    /// Stores a record that people write over whatever revision is there, unless it is there just so. What
    /// someone else writes at the same moment is read again, and never half overwritten.
    async fn save_authored<T: Authored>(
        &self,
        tenant: TenantId,
        token: &str,
        record: &T,
    ) -> Result<Result<Saved, Taken>, StoreError> {
        let (key, revision) = (&record.key(tenant), &revision_of(record)?);
        let exhausted =
            |_| StoreError::new(StoreFault::TryAgain, "a record kept changing while it was stored");
        revise(CHANGE_TRIES, 0_usize, exhausted, |attempt| async move {
            let before = self.load_authored::<T>(key).await?;
            if before.as_ref().is_some_and(|stored| stored.revision == *revision) {
                return Ok(Break(Ok(Saved::Unchanged)));
            }
            let token = format!("{token}-{attempt}");
            Ok(match self.change_authored(tenant, &token, before.as_ref(), Some(record)).await? {
                Ok(()) if before.is_some() => Break(Ok(Saved::Updated)),
                Ok(()) => Break(Ok(Saved::Created)),
                Err(ChangeRefusal::Taken) => Break(Err(Taken)),
                Err(ChangeRefusal::Changed) => Continue(attempt.saturating_add(1)),
            })
        })
        .await
    }

    /// Stores a record that reserves nothing: one write, which needs no token.
    async fn save_unreserved<T: Authored>(&self, tenant: TenantId, record: &T) -> Result<Saved, StoreError> {
        let saved = self.save_authored(tenant, "", record).await?;
        saved.map_err(|Taken| StoreError::corrupt("a record that reserves nothing was refused its place"))
    }
}

/// The condition that the reach of a template's slots is as it was read.
fn reach_as_read(before: Option<&SlotReach>) -> Expression {
    let mut condition = Expression::new();
    match before {
        None => condition.require_no_item(),
        Some(SlotReach { template: _, earlier_secs, later_secs, lasting_secs, rescheduled }) => {
            condition.require_equal("earlier_secs", number(*earlier_secs));
            condition.require_equal("later_secs", number(*later_secs));
            condition.require_equal("lasting_secs", number(*lasting_secs));
            let mark = condition.path(&["rescheduled"]);
            let as_read = condition.value(AttributeValue::Bool(*rescheduled));
            let unmarked =
                if *rescheduled { String::new() } else { format!("attribute_not_exists({mark}) OR ") };
            condition.require(format!("({unmarked}{mark} = {as_read})"));
        }
    }
    condition
}
