//! Where records lie that have an id: only a record's own type leads to its place, so that nothing is read as what it
//! is not.

use crate::Key;
use domain::cart::Cart;
use domain::catalog::{InventoryItem, PersonType, Template};
use domain::combo::Combo;
use domain::coupon::{Coupon, Discount};
use domain::customer::Customer;
use domain::entitlement::Entitlements;
use domain::form::Form;
use domain::ledger::Ledger;
use domain::membership::Level;
use domain::merchant::Merchant;
use domain::reservation::Reservation;
use domain::staff::StaffMember;
use domain::{
    CartId, ComboTemplateId, CouponId, CustomerId, DiscountId, FormId, InstanceId, InventoryId, LevelId, Mid,
    ReservationId, StaffId, TemplateId, TenantId, TicketTypeId,
};
use serde::de::DeserializeOwned;

/// A record of which a tenant has one under each id.
pub trait Placed: DeserializeOwned {
    /// What it is named by.
    type Id: Ord + Clone;

    /// Where it lies.
    fn place(tenant: TenantId, id: &Self::Id) -> Key;
}

impl Placed for Template {
    type Id = TemplateId;

    fn place(tenant: TenantId, id: &TemplateId) -> Key {
        Key::template(tenant, id)
    }
}

impl Placed for Entitlements {
    type Id = TemplateId;

    fn place(tenant: TenantId, id: &TemplateId) -> Key {
        Key::entitlements(tenant, id)
    }
}

impl Placed for PersonType {
    type Id = TicketTypeId;

    fn place(tenant: TenantId, id: &TicketTypeId) -> Key {
        Key::person_type(tenant, id)
    }
}

impl Placed for InventoryItem {
    type Id = InventoryId;

    fn place(tenant: TenantId, id: &InventoryId) -> Key {
        Key::inventory(tenant, *id)
    }
}

impl Placed for Discount {
    type Id = DiscountId;

    fn place(tenant: TenantId, id: &DiscountId) -> Key {
        Key::discount(tenant, id)
    }
}

impl Placed for Coupon {
    type Id = CouponId;

    fn place(tenant: TenantId, id: &CouponId) -> Key {
        Key::coupon(tenant, id)
    }
}

impl Placed for Combo {
    type Id = ComboTemplateId;

    fn place(tenant: TenantId, id: &ComboTemplateId) -> Key {
        Key::combo(tenant, id)
    }
}

impl Placed for Form {
    type Id = FormId;

    fn place(tenant: TenantId, id: &FormId) -> Key {
        Key::form(tenant, id)
    }
}

impl Placed for Level {
    type Id = LevelId;

    fn place(tenant: TenantId, id: &LevelId) -> Key {
        Key::level(tenant, id)
    }
}

impl Placed for Merchant {
    type Id = Mid;

    fn place(tenant: TenantId, id: &Mid) -> Key {
        Key::merchant(tenant, id)
    }
}

impl Placed for Cart {
    type Id = CartId;

    fn place(tenant: TenantId, id: &CartId) -> Key {
        Key::cart(tenant, id)
    }
}

impl Placed for Ledger {
    type Id = InstanceId;

    fn place(tenant: TenantId, id: &InstanceId) -> Key {
        Key::ledger(tenant, id, 0)
    }
}

impl Placed for Reservation {
    type Id = ReservationId;

    fn place(tenant: TenantId, id: &ReservationId) -> Key {
        Key::reservation(tenant, *id)
    }
}

impl Placed for Customer {
    type Id = CustomerId;

    fn place(tenant: TenantId, id: &CustomerId) -> Key {
        Key::customer(tenant, *id)
    }
}

impl Placed for StaffMember {
    type Id = StaffId;

    fn place(tenant: TenantId, id: &StaffId) -> Key {
        Key::staff(tenant, id)
    }
}
