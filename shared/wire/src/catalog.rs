//! The small definitions of a tenant's catalog, as the back office and the import document write them and as the
//! back office shows them (contract §7).

mod combo;
mod coupon;
mod discount;
mod entitlements;
mod form;
mod inventory;
mod on_sale;

pub use combo::{
    ComboInput, ComboOutput, ComboPartInput, ComboPartOutput, ComboPriceInput, ComboPriceOutput,
};
pub use coupon::{CouponInput, CouponOutput};
pub use discount::{DiscountInput, DiscountOutput, DiscountValueInput, DiscountValueOutput};
pub(crate) use entitlements::period_name;
pub use entitlements::{
    EntitlementRuleInput, EntitlementRuleOutput, EntitlementsInput, EntitlementsOutput, EntitlementsRecord,
    TicketLimitsInput, TicketLimitsOutput, TimeFrameInput, TimeFrameOutput, TypeLimitInput, TypeLimitOutput,
};
pub use form::{FormFieldInput, FormFieldOutput, FormInput, FormOutput};
pub(crate) use inventory::inventory_kind_name;
pub use inventory::{InventoryInput, InventoryOutput};
pub use on_sale::{AddOnOnSale, ComboOnSale};

use domain::{DiscountId, FormId, InventoryId, LevelId, TemplateId, TicketTypeId};
use std::collections::BTreeSet;

/// What a tenant has, for records that refer to it.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Ticket types.
    pub ticket_types: BTreeSet<TicketTypeId>,
    /// Add-ons and donations.
    pub inventory: BTreeSet<InventoryId>,
    /// Discounts.
    pub discounts: BTreeSet<DiscountId>,
    /// Forms.
    pub forms: BTreeSet<FormId>,
    /// Membership levels.
    pub levels: BTreeSet<LevelId>,
    /// Event templates.
    pub templates: BTreeSet<TemplateId>,
}

/// Characters of a code that buyers type or that a venue calls a discount by.
const CODE_CHARS: usize = 64;
/// Entries of a list of ids or values.
const MAX_ENTRIES: usize = 500;
