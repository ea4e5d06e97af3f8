//! Shopping carts (spec §2.2, §2.3).

mod combo;
mod form;
mod membership;
mod request;

pub use combo::{ComboLine, ComboLinePart};
pub use form::{AskedForms, CartForm, FormRefusal, IncompleteForm, response_id};
pub use membership::MembershipLine;

use crate::cart_request::{CartTerms, DonationDetail, RefusedClaims};
use crate::catalog::AdmissionType;
use crate::coupon::CouponProblem;
use crate::text::AsText;
use crate::time::plus_secs;
use crate::{
    CartId, CartItemId, CouponId, CustomerId, InstanceId, InventoryId, LevelId, MembershipId, Money, OrderId,
    ReservationId, TicketTypeId, Timestamp,
};
use serde::{Deserialize, Serialize};

/// A cart lives this long from its last write, in seconds (contract §4).
pub const CART_TTL_SECS: i64 = 86_400;

/// What a visitor means to buy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cart {
    pub id: CartId,
    /// Names the visitor before there is a customer.
    pub visitor: String,
    /// Its lines, in the caller's order; combos stand behind all others.
    #[serde(with = "AsText")]
    pub lines: Vec<CartLine>,
    /// Membership ids or numbers that drive member prices, as sent.
    #[serde(default)]
    pub membership_ids: Vec<MembershipId>,
    /// A level whose benefits apply without a membership.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub membership_category: Option<LevelId>,
    /// What of these two, and of the memberships that lines name, does not count.
    #[serde(default, skip_serializing_if = "RefusedClaims::is_empty", with = "AsText")]
    pub refused_claims: RefusedClaims,
    /// Codes for all eligible lines.
    #[serde(default)]
    pub coupon_codes: Vec<String>,
    /// The reservation whose holds checkout consumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservation: Option<ReservationId>,
    /// Checkout verifies entitlements and refuses with the limit information.
    #[serde(default)]
    pub verify_entitlements: bool,
    /// A known customer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<CustomerId>,
    /// The order this cart was last checked out as. What became of that order says whether the cart is
    /// open: a voided order leaves it open, a pending or paid one does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderId>,
    /// What became of codes that took nothing off.
    #[serde(default, with = "AsText")]
    pub coupon_messages: Vec<CouponMessage>,
    /// The forms that its events asked when it was last written, with the answers (spec §2.6).
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "AsText")]
    pub forms: Vec<CartForm>,
    /// Fingerprint of the request that created the cart, when it carried an idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// Counts changes; checkout sells exactly the version it priced.
    pub version: u64,
    /// Set by a checkout that others kept overtaking: for a moment nobody else writes the cart.
    #[serde(default, rename = "still", skip_serializing_if = "Option::is_none")]
    pub lease: Option<CartLease>,
    /// The total the visitor last saw.
    pub shown_total: Money,
    /// From this instant on the cart is gone.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub expires_at: Timestamp,
}

/// How long a checkout leases a cart at most, in seconds: longer than it takes to price and secure it.
pub const CART_LEASE_SECS: i64 = 5;

/// A cart that only one checkout may write for a moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CartLease {
    /// Names the checkout.
    pub by: String,
    /// The end of the moment, in real time.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub until: Timestamp,
}

impl CartLease {
    /// A moment that begins now.
    #[must_use]
    pub fn begin(by: String, wall_now: Timestamp) -> Self {
        Self { by, until: plus_secs(wall_now, CART_LEASE_SECS) }
    }

    /// True while it lasts. One that ends later than any that begins now was set by a clock that is wrong.
    #[must_use]
    pub fn is_live(&self, wall_now: Timestamp) -> bool {
        wall_now < self.until && self.until <= plus_secs(wall_now, CART_LEASE_SECS)
    }
}

/// A coupon code that takes nothing off, and why (contract §4). Checkout refuses a cart that has one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouponMessage {
    /// The code as it was sent.
    pub code: String,
    /// Why it takes nothing off.
    pub problem: CouponProblem,
}

/// One line of a cart. Lines that differ in treatment are separate lines with their own ids (spec §4.1 rule 6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CartLine {
    /// Tickets of one type for one event instance.
    Ticket(TicketLine),
    AddOn(AddOnLine),
    Donation(Box<DonationLine>),
    /// Several events at one price.
    Combo(Box<ComboLine>),
    Membership(Box<MembershipLine>),
}

/// What a line costs, as the service computed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinePrice {
    /// After discounts.
    pub unit: Money,
    /// Full price.
    pub retail_unit: Money,
    /// Unit price times quantity.
    pub amount: Money,
}

/// Tickets of one type for one event instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketLine {
    /// Identity of the line.
    pub id: CartItemId,
    /// The event instance.
    pub instance: InstanceId,
    pub ticket_type: TicketTypeId,
    /// Tickets; 0 only asks for the price.
    pub quantity: u32,
    /// Charged in full whatever discounts apply.
    #[serde(default)]
    pub is_retail: bool,
    /// Exempt from entitlement rules.
    #[serde(default)]
    pub ignore_entitlements: bool,
    /// Codes for this line alone.
    #[serde(default)]
    pub coupon_codes: Vec<String>,
    /// Name of the event when the line was priced.
    pub event_name: String,
    /// Name of the ticket type when the line was priced.
    pub ticket_type_name: String,
    /// How its visitors are admitted.
    pub admission: AdmissionType,
    /// When the event starts.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub event_start: Timestamp,
    /// What it costs.
    pub price: LinePrice,
    /// What the price follows from.
    #[serde(default)]
    pub applied: AppliedPrice,
}

/// What the price of a ticket line follows from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum AppliedPrice {
    /// Nothing is taken off.
    #[default]
    FullPrice,
    /// What members of a level get off.
    Member {
        level: LevelId,
        /// The membership; none where the level was named without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        membership: Option<MembershipId>,
    },
    /// A coupon.
    Coupon { coupon: CouponId, code: String },
}

/// An add-on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddOnLine {
    /// Identity of the line.
    pub id: CartItemId,
    /// What is bought.
    pub inventory: InventoryId,
    /// The event instance it belongs to, if to one; that instance must have a ticket line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<InstanceId>,
    /// Units.
    pub quantity: u32,
    /// Its name when the line was priced.
    pub name: String,
    /// What it costs.
    pub price: LinePrice,
}

/// How a donation's amount comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DonationKind {
    /// The amount of the catalog.
    FixedDonation,
    /// The amount the donor chose.
    Donation,
}

/// A donation; its quantity is always 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DonationLine {
    /// Identity of the line.
    pub id: CartItemId,
    /// What is given to.
    pub inventory: InventoryId,
    /// Fixed or chosen.
    pub kind: DonationKind,
    /// Its name when the line was priced.
    pub name: String,
    /// Appeal, recognition, dedication, beneficiary.
    #[serde(default)]
    pub detail: DonationDetail,
    /// What is given.
    pub price: LinePrice,
}

/// Priced lines, in the order of the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricedLines {
    pub lines: Vec<CartLine>,
    /// The sum of their amounts.
    pub total: Money,
    /// What became of codes that took nothing off.
    pub coupon_messages: Vec<CouponMessage>,
}

impl CartLine {
    /// Identity of the line.
    #[must_use]
    pub fn id(&self) -> &CartItemId {
        match self {
            Self::Ticket(line) => &line.id,
            Self::AddOn(line) => &line.id,
            Self::Donation(line) => &line.id,
            Self::Combo(line) => &line.id,
            Self::Membership(line) => &line.id,
        }
    }

    /// What the line costs.
    #[must_use]
    pub fn price(&self) -> LinePrice {
        match self {
            Self::Ticket(line) => line.price,
            Self::AddOn(line) => line.price,
            Self::Donation(line) => line.price,
            Self::Combo(line) => line.price,
            Self::Membership(line) => line.price,
        }
    }

    /// How many units the line is for.
    #[must_use]
    pub fn quantity(&self) -> u32 {
        match self {
            Self::Ticket(line) => line.quantity,
            Self::AddOn(line) => line.quantity,
            Self::Donation(_) | Self::Membership(_) => 1,
            Self::Combo(line) => line.quantity,
        }
    }

    /// The tickets of the line for each event instance.
    #[must_use]
    pub fn seats(&self) -> Vec<(InstanceId, u32)> {
        match self {
            Self::Ticket(line) => vec![(line.instance, line.quantity)],
            Self::AddOn(_) | Self::Donation(_) | Self::Membership(_) => Vec::new(),
            Self::Combo(line) => line.seats().collect(),
        }
    }

    /// The membership it buys, if it buys one.
    #[must_use]
    pub fn membership(&self) -> Option<&MembershipLine> {
        match self {
            Self::Membership(line) => Some(line),
            Self::Ticket(_) | Self::AddOn(_) | Self::Donation(_) | Self::Combo(_) => None,
        }
    }

    /// The cards an order may have to make for the line.
    #[must_use]
    pub fn card_holders(&self) -> usize {
        self.membership().map_or(0, |line| line.wanted.holders.len())
    }

    /// The rows an order has for the line: one, and for a combo one more for each of its events.
    #[must_use]
    pub fn order_rows(&self) -> usize {
        match self {
            Self::Ticket(_) | Self::AddOn(_) | Self::Donation(_) | Self::Membership(_) => 1,
            Self::Combo(line) => line.parts.len().saturating_add(1),
        }
    }
}

impl Cart {
    /// A new cart.
    #[must_use]
    pub fn new(id: CartId, visitor: String, terms: CartTerms, priced: PricedLines, now: Timestamp) -> Self {
        let empty = Self {
            id,
            visitor,
            lines: Vec::new(),
            membership_ids: Vec::new(),
            membership_category: None,
            refused_claims: RefusedClaims::default(),
            coupon_codes: Vec::new(),
            reservation: None,
            verify_entitlements: false,
            customer: None,
            order: None,
            coupon_messages: Vec::new(),
            forms: Vec::new(),
            created_by: None,
            version: 0,
            lease: None,
            shown_total: Money::ZERO,
            expires_at: now,
        };
        empty.replaced(terms, priced, now)
    }

    /// The next version of this cart, with other content. An order it was checked out as before has been
    /// voided, or the cart could not be written; it is forgotten. The forms stay until the cart is made to ask
    /// what its lines need ([`Cart::asking`]).
    #[must_use]
    pub fn replaced(&self, terms: CartTerms, priced: PricedLines, now: Timestamp) -> Self {
        let PricedLines { lines, total, coupon_messages } = priced;
        let CartTerms {
            membership_ids,
            single_membership: _,
            membership_category,
            refused,
            coupon_codes,
            reservation,
            verify_entitlements,
            customer,
        } = terms;
        Self {
            id: self.id.clone(),
            visitor: self.visitor.clone(),
            lines,
            membership_ids,
            membership_category,
            refused_claims: refused,
            coupon_codes,
            reservation,
            verify_entitlements,
            customer,
            order: None,
            coupon_messages,
            forms: self.forms.clone(),
            created_by: self.created_by.clone(),
            version: self.version.saturating_add(1),
            lease: None,
            shown_total: total,
            expires_at: plus_secs(now, CART_TTL_SECS),
        }
    }

    /// This cart with the content of another version of it, if the two differ in nothing but their life: the same
    /// version, which lives as long as the other one.
    #[must_use]
    pub fn prolonged(&self, other: &Self) -> Option<Self> {
        let Self { order, version, lease, expires_at, .. } = self.clone();
        let same = Self { order, version, lease, expires_at, ..other.clone() };
        (same == *self).then(|| Self { expires_at: self.expires_at.max(other.expires_at), ..same })
    }

    /// True while the cart can be used.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }

    /// Seats wanted per event instance, without price probes.
    #[must_use]
    pub fn seats(&self) -> std::collections::BTreeMap<InstanceId, u32> {
        let mut seats = std::collections::BTreeMap::new();
        for (instance, tickets) in self.lines.iter().flat_map(CartLine::seats) {
            if tickets > 0 {
                let wanted: &mut u32 = seats.entry(instance).or_default();
                *wanted = wanted.saturating_add(tickets);
            }
        }
        seats
    }
}
