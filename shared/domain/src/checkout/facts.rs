//! What a checkout is decided by. All of it is read or generated before.

use crate::buyer::Buyer;
use crate::card_token::TokenAnswer;
use crate::cart::{AskedForms, Cart};
use crate::cart_request::{CartTerms, LineRequest};
use crate::catalog::{InventoryItem, PersonType, Template};
use crate::channel::Channel;
use crate::combo::Combo;
use crate::coupon::{Coupon, Discount};
use crate::customer::Person;
use crate::entitlement::{Entitlements, MemberUses};
use crate::form::Form;
use crate::ledger::Ledger;
use crate::membership::{Level, Membership};
use crate::merchant::Merchant;
use crate::pricing::{PricingCatalog, PricingContext};
use crate::reservation::Reservation;
use crate::tenant::Tenant;
use crate::{
    CartId, ComboTemplateId, CouponId, CustomerId, DiscountId, FormId, InstanceId, InventoryId, LevelId,
    MembershipId, OrderId, SaleId, TemplateId, TicketTypeId, Timestamp,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Everything that a checkout is decided by.
#[derive(Debug)]
pub struct Facts {
    /// Whose sale it is.
    pub tenant: Arc<Tenant>,
    /// The channel of the route.
    pub channel: Channel,
    /// Who sells it, where that is said.
    pub operator: Option<String>,
    /// Whether the caller chose the clock.
    pub chosen_clock: bool,
    /// The sale that a charge becomes.
    pub sale: SaleId,
    /// What is bought.
    pub cart: UnpricedCart,
    /// By which definitions it is sold, as they are now.
    pub goods: Goods,
    /// Who buys it.
    pub context: BuyerFacts,
    /// The ledgers of its slots, and of its reservation where that is for none of them.
    pub ledgers: BTreeMap<InstanceId, Ledger>,
    /// The reservation, if one is named; the inner option is empty when there is no such reservation.
    pub reservation: Option<Option<Reservation>>,
    /// Through whom cards may be charged.
    pub merchants: MerchantsRead,
    /// What the processor told of the token that was sent, where it was asked.
    pub token: Option<TokenAnswer>,
    /// What other orders take at the same time.
    pub contended: Contended,
}

/// A cart before it is priced.
#[derive(Debug)]
pub struct UnpricedCart {
    /// Its lines, with their ids and with what was generated for the memberships they make.
    pub lines: Vec<LineRequest>,
    /// What applies to it as a whole.
    pub terms: CartTerms,
    /// Where it comes from.
    pub origin: CartOrigin,
}

/// Where a cart comes from.
#[derive(Debug)]
pub enum CartOrigin {
    /// It was stored like this.
    Stored(Box<Cart>),
    /// It came within the request, and is not stored.
    Inline {
        /// Its identity, generated for its order.
        id: CartId,
        /// Its visitor, generated as well.
        visitor: String,
    },
}

/// The definitions of what a cart names, and no others.
#[derive(Debug, Default)]
#[expect(missing_docs, reason = "the names are those of what they hold")]
pub struct Goods {
    pub templates: Vec<Template>,
    pub person_types: BTreeMap<TicketTypeId, PersonType>,
    pub inventory: BTreeMap<InventoryId, InventoryItem>,
    pub discounts: BTreeMap<DiscountId, Discount>,
    pub coupons: BTreeMap<CouponId, Coupon>,
    pub combos: BTreeMap<ComboTemplateId, Combo>,
    pub levels: BTreeMap<LevelId, Level>,
    pub entitlements: BTreeMap<TemplateId, Entitlements>,
    pub forms: BTreeMap<FormId, Form>,
}

/// What is known of whoever buys.
#[derive(Debug, Default)]
pub struct BuyerFacts {
    /// Whose benefits count.
    pub buyer: Buyer,
    /// The memberships that lines renew or change, by the ids that were sent.
    pub memberships: BTreeMap<MembershipId, Membership>,
    /// The numbers of all memberships that are named, by their ids.
    pub numbers: BTreeMap<MembershipId, MembershipId>,
    /// The memberships that are named and give nothing any more, as they were sent.
    pub lapsed: BTreeSet<MembershipId>,
    /// Coupons that were used as often as they may be.
    pub used_up: BTreeSet<CouponId>,
    /// The customers who give memberships and are named by their ids, as far as they may be told.
    pub givers: BTreeMap<CustomerId, Person>,
    /// The customer that the billing data finds or makes, where the cart names none.
    pub payer: Option<CustomerId>,
    /// Pointers within the cart of ids that name nothing.
    pub unknown: Vec<String>,
}

/// The merchants of the tenant that were read.
#[derive(Debug)]
pub enum MerchantsRead {
    /// Those that had a rate card a few seconds ago, as they are now.
    Priced(Vec<Merchant>),
    All(Vec<Merchant>),
}

/// What other orders take at the same time. The securing transaction has all of it among its conditions, so that a
/// checkout that can be secured is decided without; what was not read is left to that transaction.
#[derive(Debug, Default)]
pub struct Contended {
    /// What earlier orders used of entitlements.
    pub uses: Option<MemberUses>,
    /// What became of the charge that holds the duplicate guard of this card and amount.
    pub charge: Option<EarlierCharge>,
    /// How many units are sold of add-ons that have a stock. Only where these are known are seats counted too.
    pub sold: Option<BTreeMap<InventoryId, u32>>,
}

/// A charge of the same amount to the same card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EarlierCharge {
    /// There is none that stands: nothing came of it, or nobody made one.
    Free,
    /// It is under way.
    UnderWay,
    /// It was made.
    Paid {
        /// The order that was paid.
        order: OrderId,
        /// When.
        at: Timestamp,
    },
}

impl Goods {
    /// What pricing looks at.
    #[must_use]
    pub fn catalog(&self) -> PricingCatalog<'_> {
        PricingCatalog {
            templates: &self.templates,
            person_types: &self.person_types,
            inventory: &self.inventory,
            discounts: &self.discounts,
            coupons: &self.coupons,
            combos: &self.combos,
            levels: &self.levels,
        }
    }

    /// What the cart's events ask of their visitors.
    #[must_use]
    pub fn asked(&self) -> AskedForms<'_> {
        AskedForms { templates: &self.templates, forms: &self.forms }
    }
}

impl MerchantsRead {
    /// The merchants.
    #[must_use]
    pub fn list(&self) -> &[Merchant] {
        match self {
            Self::Priced(merchants) | Self::All(merchants) => merchants,
        }
    }
}

impl Facts {
    /// On whose behalf the cart is priced.
    #[must_use]
    pub fn priced_for(&self) -> PricingContext<'_> {
        let BuyerFacts { buyer, used_up, memberships, .. } = &self.context;
        PricingContext { channel: self.channel, buyer, zone: self.tenant.zone, used_up, memberships }
    }
}
