//! Add-ons and donations (contract §7).

use crate::identified::identified;
use crate::readers::{MAX_CAPACITY, NAME_CHARS, count, name, price, text, word};
use crate::sales_channel::{SalesChannelInput, SalesChannelOutput, sales_channels};
use crate::tax::{rate_of, read_tax};
use crate::{Amount, Checker, IntegerId, incoming};
use domain::catalog::{InventoryItem, InventoryKind};
use domain::{InventoryId, Money};
use serde::Serialize;
use utoipa::ToSchema;

/// An add-on or donation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InventoryOutput {
    /// Its id.
    pub id: i64,
    /// The venue's own number for it.
    pub sku: String,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    pub description: String,
    /// `addOn`, `fixedDonation`, `donation` or `membershipCardReplacement`.
    pub r#type: &'static str,
    /// Unit price with two decimals; a donation whose amount the donor chooses has none.
    pub price: Option<String>,
    /// How many there are to sell; none is without limit.
    pub stock: Option<u32>,
    /// Whether it is offered.
    pub active: bool,
    /// Order in listings.
    pub display_order: i64,
    /// Where it is offered; empty means everywhere.
    pub sales_channels: Vec<SalesChannelOutput>,
    /// What its price contains of tax, in percent of what remains without it; left out where nothing was said of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tax_rate: Option<String>,
    /// What that tax is called; left out where that was not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tax_name: Option<String>,
}

impl From<&InventoryItem> for InventoryOutput {
    fn from(item: &InventoryItem) -> Self {
        let InventoryItem {
            id,
            sku,
            name,
            description,
            kind,
            price,
            stock,
            active,
            display_order,
            sales_channels,
            tax,
        } = item;
        Self {
            id: id.get(),
            sku: sku.clone(),
            name: name.clone(),
            description: description.clone(),
            r#type: inventory_kind_name(*kind),
            price: (*kind != InventoryKind::Donation).then(|| price.to_string()),
            stock: *stock,
            active: *active,
            display_order: *display_order,
            sales_channels: sales_channels.iter().map(Into::into).collect(),
            tax_rate: rate_of(tax),
            tax_name: tax.name.clone(),
        }
    }
}

incoming! {
    /// An add-on or donation.
    pub struct InventoryInput {
        id: IntegerId,
        sku: String,
        #[schema(required = true)]
        name: String,
        description: String,
        #[serde(rename = "type")]
        #[schema(required = true)]
        kind: String,
        addon_type: String,
        price: Amount,
        stock: i64,
        active: bool,
        display_order: i64,
        sales_channels: Vec<SalesChannelInput>,
        sale_channel: Vec<SalesChannelInput>,
        /// What its price contains of tax, in percent of what remains without it, 0 to 100; `0` where nothing is sent.
        tax_rate: Amount,
        /// What that tax is called, such as `VAT`.
        tax_name: String,
    }
}

identified! {
    InventoryInput: id;
}

const KINDS: [InventoryKind; 4] = [
    InventoryKind::AddOn,
    InventoryKind::FixedDonation,
    InventoryKind::Donation,
    InventoryKind::MembershipCardReplacement,
];

pub(crate) fn inventory_kind_name(kind: InventoryKind) -> &'static str {
    match kind {
        InventoryKind::AddOn => "addOn",
        InventoryKind::FixedDonation => "fixedDonation",
        InventoryKind::Donation => "donation",
        InventoryKind::MembershipCardReplacement => "membershipCardReplacement",
    }
}

fn kind(text: &str) -> Option<InventoryKind> {
    KINDS.into_iter().find(|kind| inventory_kind_name(*kind).eq_ignore_ascii_case(text))
}

impl InventoryInput {
    /// The entry, unless a field is at fault. A donation whose amount the donor chooses has no price.
    pub fn read(self, checker: &mut Checker) -> Option<InventoryItem> {
        let number = checker.required("id", self.id);
        let id = number.and_then(|number| InventoryId::parse(number.get()).ok());
        if number.is_some() && id.is_none() {
            checker.invalid("id", "must be a positive integer below 2^53");
        }
        let sent_kind = checker.either_word(["type", "addonType"], [self.kind, self.addon_type]);
        checker.require("type", &sent_kind);
        let expected = "addOn, fixedDonation, donation, membershipCardReplacement";
        let kind = word(checker, "type", sent_kind, kind, expected);
        let missing = !self.price.is_sent();
        if missing && kind.is_some_and(|kind| kind != InventoryKind::Donation) {
            checker.invalid("price", "is required");
        }
        let price = price(checker, "price", self.price).unwrap_or(Money::ZERO);
        if kind == Some(InventoryKind::Donation) && price != Money::ZERO {
            checker.invalid("price", "must not be sent when the donor chooses the amount");
        }
        let tax = read_tax(checker, self.tax_rate, self.tax_name);
        if kind.is_some_and(InventoryKind::is_donation) && !tax.is_unsaid() {
            checker.invalid("taxRate", "must not be sent for a donation, which contains no tax");
        }
        let item = InventoryItem {
            sku: checker.optional_text("sku", self.sku, NAME_CHARS).unwrap_or_default(),
            name: name(checker, "name", self.name),
            description: text(checker, "description", self.description),
            price,
            stock: count(checker, "stock", self.stock, 0..=MAX_CAPACITY),
            active: checker.optional("active", self.active).unwrap_or(true),
            display_order: checker.optional_integer("displayOrder", self.display_order).unwrap_or_default(),
            sales_channels: sales_channels(checker, self.sales_channels, self.sale_channel),
            tax,
            kind: kind?,
            id: id?,
        };
        Some(item)
    }
}
