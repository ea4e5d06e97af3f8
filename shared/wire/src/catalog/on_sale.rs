//! Combos, add-ons and donations as visitors choose among them.

use super::{ComboOutput, ComboPartOutput, ComboPriceOutput, inventory_kind_name};
use domain::Channel;
use domain::catalog::{InventoryItem, InventoryKind};
use domain::channel::channel_allowed;
use domain::combo::Combo;
use serde::Serialize;
use utoipa::ToSchema;

/// A combo that is sold, for visitors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComboOnSale {
    /// The `comboTemplateId` of carts.
    pub id: String,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    pub description: String,
    /// `fixedPrice` or `discountCode`.
    pub combo_template_type: &'static str,
    /// Its events.
    pub parts: Vec<ComboPartOutput>,
    /// Of `fixedPrice`: what all parts together cost, one per ticket type it is sold for. Null of `discountCode`, whose
    /// tickets cost what a cart says.
    pub prices: Option<Vec<ComboPriceOutput>>,
}

impl ComboOnSale {
    /// A combo, if it is sold.
    #[must_use]
    pub fn of(combo: &Combo) -> Option<Self> {
        let shown = combo.active.then(|| ComboOutput::from(combo))?;
        let ComboOutput { id, name, description, combo_template_type, parts, prices, .. } = shown;
        Some(Self { id, name, description, combo_template_type, parts, prices })
    }
}

/// An add-on or donation on offer, for visitors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddOnOnSale {
    /// The `inventoryId` of carts.
    pub id: i64,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    pub description: String,
    /// `addOn`, `fixedDonation` or `donation`.
    pub r#type: &'static str,
    /// Unit price with two decimals; null of a donation whose amount the donor chooses.
    pub price: Option<String>,
    /// Order in listings.
    pub display_order: i64,
}

impl AddOnOnSale {
    /// An add-on or donation, if it is offered on that channel. The replacement of a member card is neither.
    #[must_use]
    pub fn of(item: &InventoryItem, channel: Channel) -> Option<Self> {
        let is_chosen = match item.kind {
            InventoryKind::AddOn | InventoryKind::FixedDonation | InventoryKind::Donation => true,
            InventoryKind::MembershipCardReplacement => false,
        };
        let is_offered = item.active && channel_allowed(&item.sales_channels, channel);
        (is_chosen && is_offered).then(|| Self {
            id: item.id.get(),
            name: item.name.clone(),
            description: item.description.clone(),
            r#type: inventory_kind_name(item.kind),
            price: (item.kind != InventoryKind::Donation).then(|| item.price.to_string()),
            display_order: item.display_order,
        })
    }
}
