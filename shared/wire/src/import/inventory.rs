//! Add-ons and donations of the import document (contract §7).

use crate::event::{NAME_CHARS, SalesChannelInput, name, price, sales_channels, text, word};
use crate::{Amount, Checker, Field, incoming};
use domain::catalog::{InventoryItem, InventoryKind};
use domain::{InventoryId, Money};

incoming! {
    /// An add-on or donation.
    pub struct InventoryInput {
        id: i64,
        sku: String,
        name: String,
        description: String,
        #[serde(rename = "type")]
        kind: String,
        addon_type: String,
        price: Amount,
        active: bool,
        display_order: i64,
        sales_channels: Vec<SalesChannelInput>,
        sale_channel: Vec<SalesChannelInput>,
    }
}

fn kind(text: &str) -> Option<InventoryKind> {
    let named = [
        ("addOn", InventoryKind::AddOn),
        ("fixedDonation", InventoryKind::FixedDonation),
        ("donation", InventoryKind::Donation),
        ("membershipCardReplacement", InventoryKind::MembershipCardReplacement),
    ];
    named.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, kind)| kind)
}

impl InventoryInput {
    /// The entry, unless a field is at fault. A donation whose amount the donor chooses has no price.
    pub fn read(self, checker: &mut Checker) -> Option<InventoryItem> {
        let number = checker.required("id", self.id);
        let id = number.and_then(|number| InventoryId::parse(number).ok());
        if number.is_some() && id.is_none() {
            checker.invalid("id", "must be a positive integer below 2^53");
        }
        let sent_kind = self.kind.or(self.addon_type);
        if matches!(sent_kind, Field::Absent | Field::Null) {
            checker.invalid("type", "is required");
        }
        let expected = "addOn, fixedDonation, donation, membershipCardReplacement";
        let kind = word(checker, "type", sent_kind, (kind, expected));
        let missing = matches!(self.price, Field::Absent | Field::Null);
        if missing && kind.is_some_and(|kind| kind != InventoryKind::Donation) {
            checker.invalid("price", "is required");
        }
        let item = InventoryItem {
            sku: checker.optional_text("sku", self.sku, NAME_CHARS).unwrap_or_default(),
            name: name(checker, "name", self.name),
            description: text(checker, "description", self.description),
            price: price(checker, "price", self.price).unwrap_or(Money::ZERO),
            active: checker.optional("active", self.active).unwrap_or(true),
            display_order: checker.optional("displayOrder", self.display_order).unwrap_or_default(),
            sales_channels: sales_channels(checker, self.sales_channels, self.sale_channel),
            kind: kind?,
            id: id?,
        };
        Some(item)
    }
}
