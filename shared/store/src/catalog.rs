//! Templates and the small definitions of a tenant's catalog.

use crate::authored::{Authored, CHANGE_TRIES, ChangeRefusal, Taken, revision_of};
use crate::{
    Action, AttributeValue, Consistency, Expression, Key, SortKeys, Store, StoreError, StoreFault, Table,
    decode, definitions_partition, encode, number, templates_partition,
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
use std::collections::BTreeMap;

/// Templates one tenant may have.
const MAX_TEMPLATES: usize = 5_000;
/// How the keys of the reaches begin.
const REACH: &str = "REACH";
/// Definitions one tenant may have.
const MAX_DEFINITIONS: usize = 10_000;

/// The small definitions of a tenant, read together.
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    /// Ticket types.
    pub person_types: BTreeMap<TicketTypeId, PersonType>,
    /// Add-ons and donations.
    pub inventory: BTreeMap<InventoryId, InventoryItem>,
    /// Discounts.
    pub discounts: BTreeMap<DiscountId, Discount>,
    /// Coupons.
    pub coupons: BTreeMap<CouponId, Coupon>,
    /// Combos.
    pub combos: BTreeMap<ComboTemplateId, Combo>,
    /// Forms.
    pub forms: BTreeMap<FormId, Form>,
    /// Membership levels with their offerings.
    pub levels: BTreeMap<LevelId, Level>,
    /// Entitlement rules and ticket limits of the templates that have any.
    pub entitlements: BTreeMap<TemplateId, Entitlements>,
    /// How far slots of templates lie from where their schedules put them; only of those where some do.
    pub reaches: BTreeMap<TemplateId, SlotReach>,
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
        let items =
            self.query((Table::Catalog, &partition), SortKeys::All, (consistency, MAX_TEMPLATES)).await?;
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
        let items =
            self.query((Table::Catalog, &partition), SortKeys::All, (consistency, MAX_DEFINITIONS)).await?;
        let mut definitions = Definitions::default();
        for item in items {
            let kind = item.get("sk").and_then(|sk| sk.as_s().ok()).and_then(|sk| sk.split('#').next());
            match kind {
                Some("PERSONTYPE") => {
                    let person_type: PersonType = decode(item)?;
                    definitions.person_types.insert(person_type.id.clone(), person_type);
                }
                Some("INVENTORY") => {
                    let entry: InventoryItem = decode(item)?;
                    definitions.inventory.insert(entry.id, entry);
                }
                Some("DISCOUNT") => {
                    let discount: Discount = decode(item)?;
                    definitions.discounts.insert(discount.id.clone(), discount);
                }
                Some("COUPON") => {
                    let coupon: Coupon = decode(item)?;
                    definitions.coupons.insert(coupon.id.clone(), coupon);
                }
                Some("COMBO") => {
                    let combo: Combo = decode(item)?;
                    definitions.combos.insert(combo.id.clone(), combo);
                }
                Some("FORM") => {
                    let form: Form = decode(item)?;
                    definitions.forms.insert(form.id.clone(), form);
                }
                Some("LEVEL") => {
                    let level: Level = decode(item)?;
                    definitions.levels.insert(level.id.clone(), level);
                }
                Some("ENTITLEMENTS") => {
                    let entitlements: Entitlements = decode(item)?;
                    definitions.entitlements.insert(entitlements.template.clone(), entitlements);
                }
                Some(REACH) => {
                    let reach: SlotReach = decode(item)?;
                    definitions.reaches.insert(reach.template.clone(), reach);
                }
                _ => {}
            }
        }
        Ok(definitions)
    }

    /// Makes listings look at least so far around for the slots of a template.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn widen_reach(&self, tenant: TenantId, wanted: &SlotReach) -> Result<(), StoreError> {
        let key = Key::slot_reach(tenant, &wanted.template);
        for _ in 0..CHANGE_TRIES {
            let before: Option<SlotReach> = self.get(&key, Consistency::Strong).await?;
            let next = before.as_ref().map_or_else(|| wanted.clone(), |before| before.and(wanted));
            if before.as_ref() == Some(&next) {
                return Ok(());
            }
            let mut condition = Expression::new();
            match &before {
                None => condition.require_no_item(),
                Some(SlotReach { template: _, earlier_secs, later_secs, lasting_secs, rescheduled }) => {
                    condition.require_equal("earlier_secs", number(*earlier_secs));
                    condition.require_equal("later_secs", number(*later_secs));
                    condition.require_equal("lasting_secs", number(*lasting_secs));
                    let mark = condition.path(&["rescheduled"]);
                    let as_read = condition.value(AttributeValue::Bool(*rescheduled));
                    let unmarked = if *rescheduled {
                        String::new()
                    } else {
                        format!("attribute_not_exists({mark}) OR ")
                    };
                    condition.require(format!("({unmarked}{mark} = {as_read})"));
                }
            }
            if self.write(&key, Action::Put(encode(&key, &next)?, condition)).await?.is_ok() {
                return Ok(());
            }
        }
        Err(StoreError::new(StoreFault::TryAgain, "the reach of a template's slots kept changing"))
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
        (tenant, token): (TenantId, &str),
        coupon: &Coupon,
    ) -> Result<Result<Saved, Taken>, StoreError> {
        self.save_authored((tenant, token), coupon).await
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
        (tenant, token): (TenantId, &str),
        entitlements: &Entitlements,
    ) -> Result<Saved, StoreError> {
        let saved = self.save_authored((tenant, token), entitlements).await?;
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
        (tenant, token): (TenantId, &str),
        record: &T,
    ) -> Result<Result<Saved, Taken>, StoreError> {
        let (key, revision) = (record.key(tenant), revision_of(record)?);
        for attempt in 0..CHANGE_TRIES {
            let before = self.load_authored::<T>(&key).await?;
            if before.as_ref().is_some_and(|stored| stored.revision == revision) {
                return Ok(Ok(Saved::Unchanged));
            }
            let token = format!("{token}-{attempt}");
            match self.change_authored((tenant, &token), before.as_ref(), Some(record)).await? {
                Ok(()) if before.is_some() => return Ok(Ok(Saved::Updated)),
                Ok(()) => return Ok(Ok(Saved::Created)),
                Err(ChangeRefusal::Taken) => return Ok(Err(Taken)),
                Err(ChangeRefusal::Changed) => {}
            }
        }
        Err(StoreError::new(StoreFault::TryAgain, "a record kept changing while it was stored"))
    }

    /// Stores a record that reserves nothing: one write, which needs no token.
    async fn save_unreserved<T: Authored>(&self, tenant: TenantId, record: &T) -> Result<Saved, StoreError> {
        let saved = self.save_authored((tenant, ""), record).await?;
        saved.map_err(|Taken| StoreError::corrupt("a record that reserves nothing was refused its place"))
    }
}
